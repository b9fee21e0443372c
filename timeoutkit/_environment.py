"""What the operator set in the environment, as far as it can be used."""

import math
import os
import sys
import warnings

from timeoutkit._duration import convert, read, short, shown, whole

_PACKAGE = os.path.dirname(__file__)
_TEXTS = {"DEFAULT": "default", "MAX": "max", "MS_THRESHOLD": "ms_threshold"}


def read_environment(prefix: str, unit: str) -> dict[str, int | float]:
    """Read `<prefix>_DEFAULT`, `<prefix>_MAX` and `<prefix>_MS_THRESHOLD` as amounts of `unit`.

    A variable that cannot be used is a warning, and is left out.
    """
    found = {field: _variable(f"{prefix}_{name}") for name, field in _TEXTS.items()}
    seconds = {field: amount for field, amount in found.items() if amount is not None}
    if seconds.get("default", 0) > seconds.get("max", math.inf):
        _warn(
            f"{prefix}_DEFAULT={seconds['default']} is above {prefix}_MAX={seconds['max']}: "
            f"{seconds['max']} s is the default. Lower one or raise the other."
        )
        seconds["default"] = seconds["max"]
    return {field: whole(convert(amount, "s", unit)) for field, amount in seconds.items()}


def _variable(name: str) -> int | float | None:
    text = os.environ.get(name)
    if text is None or not text.strip():
        return None
    reading = read(text, "s")
    if reading is None or not 0 < reading.amount < math.inf:
        _warn(f'{name}={shown(text)} is not a positive duration and is ignored: write seconds (600) or "10m".')
        return None
    amount = whole(reading.amount)
    looks_like_ms = amount >= 10_000 and amount % 1000 == 0 and (amount % 3600 or amount > 86_400)
    if looks_like_ms and not reading.explicit and not name.endswith("_MS_THRESHOLD"):
        _warn(f"{name}={amount} is {short(amount)}: if it is in milliseconds write {name}={amount}ms, else {amount}s.")
    return amount


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=_callers_level())


def _callers_level() -> int:
    """Find the first frame outside this package, so that the warning points at the user's own line."""
    frame, level = sys._getframe(1), 1  # pyright: ignore[reportPrivateUsage]  (all that warnings has)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == _PACKAGE:
        frame, level = frame.f_back, level + 1
    return level
