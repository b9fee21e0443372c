"""Reading any spelling of a duration, and writing one."""

import datetime
import enum
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from timeoutkit import parse_duration
from timeoutkit._duration import UNITS, convert, is_missing, read, short, shown, unit_in_name, written

EXPLICIT = [
    ("30s", 30), ("30 s", 30), ("30S", 30), ("5 s.", 5), ("500 ms", 0.5), ("500MS", 0.5), ("2m", 120), ("2 min", 120),
    ("5 mins", 300), ("1.5m", 90), ("1h", 3600), ("2 hrs", 7200), ("1 hour", 3600), ("1d", 86400), ("2 days", 172800),
    ("1m30s", 90), ("1m 30s", 90), ("1h, 30m", 5400), ("1 minute 10 seconds", 70), (".5s", 0.5), ("1e2 s", 100),
    ("30,000 ms", 30), ("250 µs", 0.00025), ("250 μs", 0.00025), ("10 ns", 1e-8), ("-1s", -1), ("+30s", 30),
    ("PT30S", 30), ("PT1M30S", 90), ("pt0.5s", 0.5), ("P1D", 86400), ("P1DT12H", 129600), ("-PT5S", -5),
    ("00:01:10", 70), ("0:30:00", 1800), ("100:00:00", 360000), ("00:00:01.5", 1.5),
    ("1e400s", math.inf), ("1e-400s", 0), ("9" * 400 + "s", math.inf),
    ("1" + "0" * 307 + ".33333333d", math.inf), ("-1" + "0" * 307 + ".33333333d", -math.inf), ("1e308d 0.3333333s", math.inf),
]  # fmt: skip
BARE = [
    ("30", 30), (" 30 ", 30), ("30.0", 30), ("1.5", 1.5), (".5", 0.5), ("5.", 5), ("1e2", 100), ("+30", 30), ("-5", -5),
    ("30_000", 30000), ("30,000", 30000), ("1,000,000", 1000000), ("inf", math.inf), ("Infinity", math.inf),
    ("-inf", -math.inf), ("9" * 5000, math.inf), ("-" + "9" * 5000, -math.inf), ("1e999999999", math.inf),
]  # fmt: skip
UNREADABLE = [
    "abc", "s", "thirty", "--5", "+-5", "- 5", "1,5s", "3,00", "1,00", "30__000", "2:30", "1:2:3:4", "00:99:00", "0x10",
    "PT", "P", "P1DT", "P1Y", "1h30", "30s5", "5s 5s", "10s 1m", "30 parsecs", "1.2.3", "1..5", "e5", "1e", "nan",
    "\N{FULLWIDTH DIGIT THREE}0", "30s; rm -rf /", "9" * 10_001, " " * 20_000 + "30",
    True, False, b"30", bytearray(b"30"), [30], {"seconds": 30}, math.nan, Decimal("NaN"), Decimal("sNaN"),
    np.bool_(True), np.float64("nan"), np.timedelta64("NaT", "s"),
]  # fmt: skip
NUMBERS = [
    (30, 30), (30.5, 30.5), (10**5000, math.inf), (-(10**5000), -math.inf), (1e308, 1e308),
    (Decimal(30), 30), (Decimal("1e999999999"), math.inf), (Decimal("1e-999999999"), 0), (Fraction(1, 2), 0.5),
    (Fraction(10**400), math.inf), (Fraction(10**400, 3), math.inf), (Fraction(-(10**400), 3), -math.inf), (Fraction(1, 10**400), 0), (np.int64(30), 30), (np.float32(0.5), 0.5),
]  # fmt: skip


@pytest.mark.parametrize(("text", "seconds"), EXPLICIT, ids=shown)
def test_a_text_with_a_unit_is_explicit(text, seconds):
    """A text that names its unit is read as that many seconds."""
    assert read(text, "s") == (pytest.approx(seconds), True)


@pytest.mark.parametrize(("text", "amount"), BARE, ids=shown)
def test_a_numeric_text_is_bare(text, amount):
    """A plain number as text only assumes the unit."""
    assert read(text, "ms") == (amount, False)


@pytest.mark.parametrize("value", UNREADABLE, ids=shown)
def test_what_says_nothing_is_unreadable(value):
    """A value that could mean anything is read as nothing."""
    reading = read(value, "s")
    assert reading is not None
    assert math.isnan(reading.amount)


@pytest.mark.parametrize(("value", "amount"), NUMBERS, ids=shown)
def test_a_number_of_any_kind_is_bare(value, amount):
    """Every kind of number is read as a plain one, too large ones as infinity."""
    reading = read(value, "s")
    assert reading == (amount, False)
    assert type(reading.amount) in (int, float)


@pytest.mark.parametrize(
    "value",
    [datetime.timedelta(seconds=45), np.timedelta64(45, "s"), np.timedelta64(45_000_000_000, "ns"), "45s", "PT45S"],
    ids=shown,
)
@pytest.mark.parametrize("unit", UNITS)
def test_an_explicit_duration_is_the_same_in_every_unit(value, unit):
    """An explicit duration is converted to the unit that is asked for."""
    assert read(value, unit) == (pytest.approx(float(45 / UNITS[unit])), True)


def test_an_object_of_the_program_is_not_read():
    """An object that no caller could have written in JSON is the program's own."""
    assert read(object(), "s") is None
    assert read({30}, "s") is None
    assert read(np.array([30]), "s") is None


@pytest.mark.parametrize("value", [None, "", "  ", "none", "None", "NULL", " null ", " " * 10_000], ids=shown)
def test_none_and_its_spellings_are_missing(value):
    """A model that means nothing writes it in several ways."""
    assert is_missing(value)


@pytest.mark.parametrize("value", [0, False, [], "0", "nil"], ids=shown)
def test_nothing_else_is_missing(value):
    """What is merely false or odd is not missing."""
    assert not is_missing(value)


@pytest.mark.parametrize(
    ("amount", "source", "target", "expected"),
    [
        (29.9, "s", "ms", 29900), (1.1, "s", "ms", 1100), (0.1, "s", "us", 100_000), (90_000, "ms", "s", 90),
        (1500, "ms", "s", 1.5), (90, "s", "min", 1.5), (1, "d", "s", 86400), (7, "s", "s", 7),
        (math.inf, "s", "ms", math.inf), (1e308, "s", "ns", math.inf), (-1e308, "s", "ns", -math.inf),
    ],
)  # fmt: skip
def test_a_conversion_keeps_decimal_figures(amount, source, target, expected):
    """A conversion is exact in decimal figures, and never overflows."""
    assert convert(amount, source, target) == expected


@pytest.mark.parametrize("unit_text", ["s", "ms"])
def test_parse_duration_gives_seconds(unit_text):
    """A duration is given as a float of seconds, a bare number being seconds."""
    assert parse_duration("1500ms") == 1.5
    assert type(parse_duration("30")) is float


@pytest.mark.parametrize("text", ["abc", "nan", "inf", "1e400s", "", object(), None, True], ids=shown)
def test_parse_duration_lists_the_accepted_forms(text):
    """A text that is no duration is an error that says how to write one."""
    with pytest.raises(ValueError, match=r'is not a duration: write it as one of 30, 1\.5, "30s"'):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(60000, "16.7 hours"), (90000, "25 hours"), (3600, "1 hour"), (172800, "2 days"), (90, "1.5 minutes"),
     (1, "1 second"), (0.5, "500 milliseconds"), (2147483, "24.9 days")],
)  # fmt: skip
def test_a_duration_is_said_in_the_unit_that_suits_it(seconds, text):
    """A duration for people is short."""
    assert short(seconds) == text


@pytest.mark.parametrize(
    ("name", "unit"),
    [("timeout_ms", "ms"), ("timeoutMs", "ms"), ("timeout_seconds", "s"), ("timeoutSeconds", "s"), ("timeout_s", "s"),
     ("timeout_in_minutes", "min"), ("timeout", None), ("ms", "ms"), ("items", None), ("timeout_params", None)],
)  # fmt: skip
def test_a_name_may_end_in_a_unit(name, unit):
    """The unit is read from the last word of a name."""
    assert unit_in_name(name) == unit


def test_an_amount_is_written_without_noise():
    """The last figures of a float are noise."""
    assert written(math.nextafter(600, 0)) == "600"
    assert written(0.1) == "0.1"
    assert written(2**70) == str(2**70)


class Hostile:
    """Raises from everything that it can."""

    def __repr__(self):
        raise RuntimeError("no")

    __str__ = __eq__ = __hash__ = __float__ = __int__ = __index__ = __bool__ = __len__ = __getattr__ = __repr__

    @property
    def __class__(self):
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "text"),
    [(90000, "90000"), (True, "True"), (None, "None"), (1.5, "1.5"), ("a\nb", r"'a\nb'"), ("é", r"'\xe9'"),
     ("x" * 100, "'" + "x" * 40 + "'..."), (10**100, "<int of 333 bits>"), ([1] * 10**6, "<list>"),
     (datetime.timedelta(seconds=45), "45s"), (Decimal("1.5"), "1.5"), (Hostile(), "<Hostile>")],
    ids=shown,
)  # fmt: skip
def test_any_value_is_shown_in_bounded_escaped_text(value, text):
    """What was given is shown without trusting it."""
    assert shown(value) == text


@pytest.mark.parametrize("long", ["9" * 10**7, " " * 10**7, "1s" * 10**6, "1," * 10**6], ids=shown)
def test_a_long_text_is_refused_without_being_looked_at(long, monkeypatch):
    """Reading is bounded: of ten megabytes nothing but the length is read."""
    monkeypatch.setattr("timeoutkit._duration._plain", lambda text: pytest.fail("it was looked at"))
    assert math.isnan(read(long, "s").amount)
    assert not is_missing(long)


class Closed(list):
    """A list that does not let itself be looked at."""

    def __iter__(self):
        raise AssertionError("it was looked at")

    __len__ = __getitem__ = __contains__ = __repr__ = __iter__


def test_a_group_of_values_is_refused_without_being_looked_at():
    """What a list holds does not matter, however much it is."""
    assert math.isnan(read(Closed(), "s").amount)
    assert shown(Closed()) == "<Closed>"


class Level(enum.IntEnum):
    """A number that is more than a number."""

    LONG = 30
    NONE = 0


TYPES = [
    # what is read, what it is read as, of which type
    ("30", 30, int), ("30_000", 30_000, int), ("30.0", 30.0, float), (Level.LONG, 30, int), (Level.NONE, 0, int),
    (Decimal(30), 30, int), (Decimal("30.0"), 30, int), (Decimal("30.5"), 30.5, float), (Fraction(30), 30, int),
    (Decimal(2**53 - 1), 2**53 - 1, int), (Decimal(2**53), 2.0**53, float),
    (2**1023 - 1, 2**1023 - 1, int), (2**1023, math.inf, float), (-(2**1023), -math.inf, float),
    (Fraction(-(10**400)), -math.inf, float), (Decimal("-1e999999999"), -math.inf, float),
]  # fmt: skip


@pytest.mark.parametrize(("value", "amount", "kind"), TYPES, ids=shown)
def test_a_whole_number_is_read_as_an_int(value, amount, kind):
    """A whole number that a float holds exactly is an int, of any kind; what no float can hold is infinite."""
    reading = read(value, "ms")
    assert reading == (amount, False)
    assert (type(reading.amount), type(reading.explicit)) == (kind, bool)


def test_the_longest_text_that_is_looked_at():
    """A text of ten thousand characters is read, one of one more is not."""
    assert read(" " * 9_998 + "30", "s").amount == 30
    assert math.isnan(read(" " * 9_999 + "30", "s").amount)
    assert is_missing(" " * 9_999)


def test_an_exponent_is_never_written_out(monkeypatch):
    """What is too small for a float is nothing, and no digits of it are computed."""
    monkeypatch.setattr("timeoutkit._duration.Decimal", lambda digits: pytest.fail("it was written out"))
    assert read("1e-999999999s", "s") == (0, True)


@pytest.mark.parametrize(
    ("amount", "source", "target", "expected"),
    [
        (2**1000, "d", "ns", math.inf),
        (-(2**1000), "d", "ns", -math.inf),
        (90_000, "s", "h", 25),
        (1, "s", "min", 1 / 60),
    ],
)
def test_a_conversion_of_an_int_is_exact_or_infinite(amount, source, target, expected):
    """An int becomes an int where it can, and none is too large to be converted."""
    converted = convert(amount, source, target)
    assert (converted, type(converted)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(172_799, "48 hours"), (3599, "60 minutes"), (60, "1 minute"), (59, "59 seconds"), (0.001, "1 millisecond")],
)
def test_a_unit_is_used_from_one_of_it_on(seconds, text):
    """A minute is said in minutes, and days from the second one on."""
    assert short(seconds) == text


@pytest.mark.parametrize("name", ["timeout2", "TIMEOUT", "", "timeout_"])
def test_a_name_without_a_last_word_has_no_unit(name):
    """A digit or a constant is no word."""
    assert unit_in_name(name) is None


class LongNamed(Hostile):
    """Has a long name."""


LongNamed.__name__ = "N" * 50
SHOWN = [
    # a value, its text
    (Level.LONG, "30"), (10**40 - 1, str(10**40 - 1)), (10**40, "<int of 133 bits>"), (-(10**40), "<int of 133 bits>"),
    (type("N" * 50, (), {})(), "<" + "N" * 40 + ">"), (LongNamed(), "<" + "N" * 40 + ">"),
    ("x" * 40, "'" + "x" * 40 + "'"), ("x" * 41, "'" + "x" * 40 + "'..."),
    (datetime.timedelta(minutes=1, milliseconds=500), "60.5s"), (datetime.timedelta(days=-1), "-86400s"), (datetime.timedelta, "<type>"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "text"), SHOWN, ids=range(len(SHOWN)))
def test_what_is_shown_has_an_end(value, text):
    """Numbers, texts and the names of classes are shown up to a length."""
    assert shown(value) == text


def test_what_is_no_duration_is_shown_in_the_error():
    """The error starts with what was given."""
    with pytest.raises(ValueError, match=r"^'soon' is not a duration: write it as one of"):
        parse_duration("soon")


@pytest.mark.parametrize(("digits", "amount"), [(100, 10**99 + 1), (101, int(1e100))])
def test_figures_are_exact_up_to_a_hundred(digits, amount):
    """A longer number is as exact as a float."""
    assert read("1" + "0" * (digits - 2) + "1s", "s").amount == amount
