"""What was corrected: the record, its sentence for a model, its line for people."""

import logging
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Literal, NamedTuple

from timeoutkit._duration import UNIT_NAMES, UNITS, short, written

Reason = Literal["not_positive", "read_as_ms", "read_as_s", "above_max", "below_min", "unreadable", "suspicious"]

REASONS: dict[str, str] = {
    "not_positive": "is not positive",
    "read_as_ms": "read as milliseconds",
    "read_as_s": "read as seconds",
    "above_max": "is above the maximum",
    "below_min": "is below the minimum",
    "unreadable": "is not a duration",
    "suspicious": "may be meant as milliseconds",
}
"""What each reason says of a value, in the line for people."""
_MISTAKEN_UNITS: dict[str, str] = {"read_as_ms": "ms", "read_as_s": "s"}
_MAX_NAME = 60

logger = logging.getLogger("timeoutkit")


class Correction(NamedTuple):
    """One corrected argument: an immutable record that pickles and logs.

    `str(correction)` is the line for people and logs; `note` is the line for the model.

    >>> _, correction = TimeoutPolicy().normalize(90000)
    >>> print(correction)
    timeout=90000 read as milliseconds, 90 used
    >>> correction.reason
    'read_as_ms'
    """

    param: str
    """The parameter, as the caller knows it."""
    given: str
    """What the caller wrote, as bounded, escaped text."""
    used: int | float
    """What was used instead, in `unit`."""
    unit: str
    """In which unit the argument is, one of `"ns" "us" "ms" "s" "min" "h" "d"`."""
    reason: Reason
    """Which rule decided."""
    applied: bool
    """False in `"observe"` and `"strict"` mode, where the function never gets `used`."""
    function: str | None
    """The function's name, `None` where a policy was asked directly."""
    note: str
    """The line for the model; nothing that a caller wrote is in it."""

    def as_dict(self) -> dict[str, object]:
        """Give the record as a JSON-ready dictionary.

        >>> TimeoutPolicy().normalize(0)[1].as_dict()["used"]
        120
        """
        return self._asdict()

    def __str__(self) -> str:
        function = f"{self.function}: " if self.function else ""
        used = "used" if self.applied or self.reason == "suspicious" else "would be used"
        return f"{function}{self.param}={self.given} {REASONS[self.reason]}, {written(self.used)} {used}"


class TimeoutValueError(ValueError):
    """A timeout refused in `"strict"` mode; `correction` says what was meant.

    >>> TimeoutPolicy(mode="strict").normalize(7200)
    Traceback (most recent call last):
    timeoutkit.TimeoutValueError: timeout=7200 is refused: timeout is in seconds (up to 600). Write 600.
    """

    def __init__(self, correction: Correction, contract: str) -> None:
        super().__init__(correction, contract)
        self.correction: Correction = Correction(*correction)  # from JSON it comes back as a list
        self._contract = contract

    def __str__(self) -> str:
        function = f"{self.correction.function}: " if self.correction.function else ""
        given = f"{self.correction.param}={self.correction.given}"
        return f"{function}{given} is refused: {self._contract} Write {written(self.correction.used)}."


TimeoutValueError.__module__ = "timeoutkit"


@lru_cache(maxsize=1024)
def contract(param: str, unit: str, bounds: str, reason: str) -> str:
    """Say what the argument is, such as "timeout is in seconds (up to 600), not milliseconds."."""
    mistaken = f", not {UNIT_NAMES[_MISTAKEN_UNITS[reason]]}" if reason in _MISTAKEN_UNITS else ""
    return f"{param[:_MAX_NAME]} is in {UNIT_NAMES[unit]}{bounds}{mistaken}."


@lru_cache(maxsize=1024)
def note(param: str, used: int | float, unit: str, reason: str, bounds: str, observed: bool) -> str:
    """Write the one line that a model reads, the same shape for every reason.

    The wording was measured: the value as it was used, in the syntax of a call, then the contract.
    """
    was = "would be" if observed else "was"
    length = "" if reason != "suspicious" else f", which is {short(used * float(UNITS[unit]))}"
    said = contract(param, unit, bounds, reason)
    return f'[timeoutkit] "{param[:_MAX_NAME]}": {written(used)} {was} used{length}. {said}'


def limit_note(param: str, used: int | float, unit: str, bounds: str) -> str:
    """Write the note of a call that ran into its own limit."""
    name = param[:_MAX_NAME]
    return f'[timeoutkit] "{name}": {written(used)} was used, and it ran out. {contract(param, unit, bounds, "")}'


_captures: list[list[Correction]] = []
_captures_lock = threading.Lock()


@contextmanager
def capture_corrections() -> Generator[list[Correction]]:
    """Collect every correction made in this process while the block runs, in any thread.

    >>> with capture_corrections() as corrections:
    ...     result = run_shell("ls", timeout=90000)
    >>> [correction.reason for correction in corrections]
    ['read_as_ms']
    """
    captured: list[Correction] = []
    with _captures_lock:
        _captures.append(captured)
    try:
        yield captured
    finally:
        with _captures_lock:
            _captures[:] = [other for other in _captures if other is not captured]


def report(correction: Correction, on_correction: Callable[[Correction], object] | None = None) -> None:
    """Tell the captures, the logger and the callback; an error in any of them never reaches the call."""
    for captured in tuple(_captures):
        captured.append(correction)
    try:
        if logger.isEnabledFor(logging.INFO):
            logger.info("%s", correction)
        if on_correction is not None:
            on_correction(correction)
    except Exception:
        with suppress(Exception):
            logger.exception("reporting failed for %s", correction)
