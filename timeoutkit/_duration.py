"""Durations: the units, any spelling to an amount, and an amount back to short text."""

import math
import re
import sys
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple, TypeGuard

UNITS: dict[str, Fraction] = {
    "ns": Fraction(1, 10**9),
    "us": Fraction(1, 10**6),
    "ms": Fraction(1, 1000),
    "s": Fraction(1),
    "min": Fraction(60),
    "h": Fraction(3600),
    "d": Fraction(86400),
}
"""Seconds in one of each unit."""

UNIT_NAMES: dict[str, str] = {
    "ns": "nanoseconds",
    "us": "microseconds",
    "ms": "milliseconds",
    "s": "seconds",
    "min": "minutes",
    "h": "hours",
    "d": "days",
}

_SPELLINGS: dict[str, tuple[str, ...]] = {
    "ns": ("ns", "nsec", "nsecs", "nano", "nanos", "nanosecond", "nanoseconds"),
    "us": ("us", "µs", "μs", "usec", "usecs", "micro", "micros", "microsecond", "microseconds"),
    "ms": ("ms", "msec", "msecs", "milli", "millis", "millisecond", "milliseconds"),
    "s": ("s", "sec", "secs", "second", "seconds"),
    "min": ("m", "min", "mins", "minute", "minutes"),
    "h": ("h", "hr", "hrs", "hour", "hours"),
    "d": ("d", "day", "days"),
}
_RATIOS = {(source, target): (UNITS[source] / UNITS[target]).as_integer_ratio() for source in UNITS for target in UNITS}

SPELLED: dict[str, str] = {word: unit for unit, words in _SPELLINGS.items() for word in words}
"""Every accepted spelling of a unit, in lower case -> the unit."""

FORMS = '30, 1.5, "30s", "500 ms", "1m30s", "1 minute 10 seconds", "PT1M30S", "00:01:10"'

MAX_TEXT = 10_000
"""Characters: a longer text is never a duration and is not looked at."""

MAX_SHOWN = 10**40
"""An integer from here on is shown by its size."""

_NUMBER = r"(?:(?:[0-9]{1,3}(?:[_,][0-9]{3})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?"
_BARE = re.compile(_NUMBER)
_PART = re.compile(rf"({_NUMBER})\s*([a-zµμ]+)\.?,?\s*")
_ISO = re.compile(
    r"p(?:(?P<d>[0-9]+(?:\.[0-9]+)?)d)?"
    r"(?:t(?=[0-9])(?:(?P<h>[0-9]+(?:\.[0-9]+)?)h)?(?:(?P<min>[0-9]+(?:\.[0-9]+)?)m)?(?:(?P<s>[0-9]+(?:\.[0-9]+)?)s)?)?"
)
_CLOCK = re.compile(r"(?P<h>[0-9]+):(?P<min>[0-5][0-9]):(?P<s>[0-5][0-9](?:\.[0-9]+)?)")


_UNIT_SUFFIX = re.compile(r"(?:^|_)([a-z]+)$|(?<=[a-z])([A-Z][a-z]*)$")


def unit_in_name(name: str) -> str | None:
    """Find the unit that a parameter's name ends in.

    >>> unit_in_name("timeout_ms"), unit_in_name("timeoutSeconds"), unit_in_name("timeout")
    ('ms', 's', None)
    """
    found = _UNIT_SUFFIX.search(name)
    return SPELLED.get((found[1] or found[2]).lower()) if found else None


class Reading(NamedTuple):
    """What a value says: an amount in the unit that was asked for, NaN where it says nothing."""

    amount: int | float
    explicit: bool
    """True where the value names its own unit; a bare number only assumes one."""


UNREADABLE = Reading(math.nan, False)


def read(value: object, unit: str) -> Reading | None:
    """Read any value as an amount of `unit`; `None` for an object that is the program's own.

    Total, linear and bounded: no input raises, hangs or is slow.
    """
    if type(value) is int:
        return Reading(_bounded(value), False)
    try:
        return _read(value, unit)
    except Exception:  # an object may raise from anything that we ask of it
        return UNREADABLE


def _read(value: object, unit: str) -> Reading | None:
    match value:
        case None:
            return None
        case bool():
            return UNREADABLE
        case int():
            return Reading(_bounded(int.__pos__(value)), False)
        case float():
            return Reading(float.__pos__(value), False)
        case str():
            return _read_text(value, unit)
        case Decimal() | Fraction():
            return Reading(_as_number(value), False)
        case bytes() | bytearray() | memoryview() | list() | Mapping():
            return UNREADABLE
    return _read_object(value, unit)


def _read_object(value: object, unit: str) -> Reading | None:
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        scalar: Any = value
        if isinstance(value, numpy.timedelta64):
            scalar = scalar.astype("timedelta64[us]")
        return read(scalar.item(), unit) or UNREADABLE
    # asked of the class: an instance may answer to any name, as a mock does
    total_seconds = getattr(type(value), "total_seconds", None)
    if total_seconds is None:
        return None
    return Reading(convert(float(total_seconds(value)), "s", unit), True)


def _bounded(number: int) -> int | float:
    if number.bit_length() < 1024:
        return number
    return math.inf if number > 0 else -math.inf


def _float(number: Decimal | Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _as_number(value: Decimal | Fraction) -> int | float:
    number = _float(value)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def is_missing(value: object) -> bool:
    """Tell whether the value says that there is none: `None`, `""`, `"none"`, `"null"`."""
    if value is None:
        return True
    return is_text(value) and str.__len__(value) <= MAX_TEXT and _plain(value) in {"", "none", "null"}


def is_text(value: object) -> TypeGuard[str]:
    """Tell a text by its real type, which an object cannot feign."""
    return issubclass(type(value), str)


def _plain(text: str) -> str:
    return str.lower(str.strip(text))


def _read_text(value: str, unit: str) -> Reading:
    if str.__len__(value) > MAX_TEXT:
        return UNREADABLE
    text = _plain(value)
    negative = text.startswith("-")
    text = text[text.startswith(("-", "+")) :]
    if _BARE.fullmatch(text) or text in {"inf", "infinity"}:
        reading = Reading(_bare_amount(text), False)
    else:
        reading = _read_explicit(text, unit)
    return Reading(-reading.amount, reading.explicit) if negative else reading


def _bare_amount(text: str) -> int | float:
    digits = _without_groups(text)
    number = float(digits)
    if math.isinf(number):
        return number
    return int(digits) if digits.isdigit() else number


def _read_explicit(text: str, unit: str) -> Reading:
    parts = _parts(text)
    if not parts:
        return UNREADABLE
    amounts = [(_exact(number), UNITS[part_unit]) for number, part_unit in parts]
    if any(amount is None for amount, _ in amounts):
        return Reading(math.inf, True)
    seconds = sum((amount * size for amount, size in amounts if amount is not None), Fraction(0))
    return Reading(_number(seconds / UNITS[unit]), True)


def _parts(text: str) -> list[tuple[str, str]]:
    for form in (_ISO, _CLOCK):
        if found := form.fullmatch(text):
            return [(number, unit) for unit, number in found.groupdict().items() if number]
    return _spelled_parts(text)


def _spelled_parts(text: str) -> list[tuple[str, str]]:
    parts: list[tuple[str, str]] = []
    position, size = 0, None
    while position < len(text):
        found = _PART.match(text, position)
        unit = SPELLED.get(found[2]) if found else None
        if found is None or unit is None or (size is not None and UNITS[unit] >= size):
            return []
        parts.append((found[1], unit))
        position, size = found.end(), UNITS[unit]
    return parts


def _without_groups(number: str) -> str:
    return number.replace(",", "").replace("_", "")


def _exact(number: str) -> Fraction | None:
    """Give the exact value of a written number, `None` where it is too large for a float."""
    digits = _without_groups(number)
    approximate = float(digits)
    if math.isinf(approximate):
        return None
    if len(digits) > 100:  # more than anybody means, and exact figures take time that grows with their square
        return Fraction(approximate)
    # an exponent that a float cannot hold would be expanded to that many digits
    return Fraction(Decimal(digits)) if approximate else Fraction(0)


def _number(amount: Fraction) -> int | float:
    return _bounded(amount.numerator) if amount.denominator == 1 else _float(amount)


def convert(amount: int | float, source: str, target: str) -> int | float:
    """Convert an amount between units, decimal figures exact: 29.9 s is 29900 ms.

    >>> convert(29.9, "s", "ms")
    29900
    """
    if source == target:
        return amount
    times, parts = _RATIOS[source, target]
    if isinstance(amount, int) and amount * times % parts == 0:
        return _bounded(amount * times // parts)
    return _number(Fraction(repr(amount)) * times / parts) if math.isfinite(amount) else amount


def whole(amount: int | float) -> int | float:
    """Write a whole amount as an int, any other as it is."""
    return int(amount) if isinstance(amount, float) and amount.is_integer() else amount


def written(amount: int | float) -> str:
    """Write an amount without the last figures of a float, which are noise.

    >>> written(599.9999999999999)
    '600'
    """
    return str(amount) if isinstance(amount, int) else f"{amount:.12g}"


def short(seconds: int | float) -> str:
    """Say a duration in the largest unit that suits it.

    >>> short(60000)
    '16.7 hours'
    """
    largest = (("d", 172_800), ("h", 3600), ("min", 60), ("s", 1), ("ms", 0))
    unit = next(unit for unit, least in largest if seconds >= least)
    amount = f"{convert(seconds, 's', unit):.1f}".removesuffix(".0")
    name = UNIT_NAMES[unit]
    return f"{amount} {name.removesuffix('s') if amount == '1' else name}"


def parse_duration(text: str) -> float:
    """Read a duration as people and models write it.

    Args:
        text: such as `"30s"`, `"500 ms"`, `"1m30s"`, `"PT1M30S"`, `"00:01:10"`; a bare number is in seconds.

    Returns:
        The duration in seconds.

    Raises:
        ValueError: where the text is no finite duration; it lists the accepted forms.

    >>> parse_duration("1m30s")
    90.0
    """
    reading = read(text, "s")
    if reading is None or not math.isfinite(reading.amount):
        raise ValueError(f"{shown(text)} is not a duration: write it as one of {FORMS}")
    return float(reading.amount)


def shown(value: object) -> str:
    """Show any value in bounded, escaped text, whatever its own `__repr__` does."""
    if type(value) is int and -MAX_SHOWN < value < MAX_SHOWN:
        return str(value)
    try:
        return _shown(value)
    except Exception:
        return f"<{type(value).__name__[:40]}>"


def _shown(value: object) -> str:
    match value:
        case None | bool():
            return repr(value)
        case int():
            number = int.__pos__(value)
            return str(number) if abs(number) < MAX_SHOWN else f"<int of {number.bit_length()} bits>"
        case float() | Decimal() | Fraction():
            return repr(float(value))
        case str():
            start = str.__getitem__(value, slice(41))
            return ascii(start) if len(start) < 41 else ascii(start[:40]) + "..."
    seconds = getattr(type(value), "total_seconds", None)
    return f"<{type(value).__name__[:40]}>" if seconds is None else f"{float(seconds(value)):g}s"
