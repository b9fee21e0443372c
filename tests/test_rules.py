"""The rules: which value becomes what, and why."""

import csv
import datetime
import decimal
import fractions
import json
import pickle
from enum import IntEnum, StrEnum
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from timeoutkit import TimeoutPolicy, TimeoutValueError
from timeoutkit._duration import UNITS, shown

CASES = Path(__file__).parent / "cases"
ROWS = [json.loads(line) for line in (CASES / "normalize.jsonl").read_text().splitlines()]
OBSERVED = list(csv.DictReader((CASES / "observed.csv").read_text().splitlines()))
NAMES = {"datetime": datetime, "decimal": decimal, "fractions": fractions, "float": float}


def given(row):
    return eval(row["given"], NAMES)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['policy']}-{row['given']}")
def test_a_row_of_the_case_table(row):
    """Each row: the fields of a policy, a value, what is used instead, and the reason."""
    used, correction = TimeoutPolicy(**row["policy"]).normalize(given(row))
    assert (used, correction and correction.reason) == (row["used"], row["reason"])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['policy']}-{row['given']}")
def test_what_is_used_is_used_again(row):
    """Normalizing twice changes nothing more."""
    policy = TimeoutPolicy(**row["policy"])
    used, _ = policy.normalize(given(row))
    again, correction = policy.normalize(used)
    assert again == used
    assert correction is None or correction.reason == "suspicious"


@pytest.mark.parametrize(
    "row", OBSERVED, ids=lambda row: f"{row['declared_unit']}-{row['declared_max']}-{row['value']}"
)
def test_an_observed_value_is_read_as_meant_or_capped(row):
    """What a model really wrote is read as its writer meant it, or capped, or in range as it stands."""
    unit = "ms" if row["declared_unit"] == "ms" else "s"
    limit = {"max": int(row["declared_max"])} if row["declared_max"] else {}
    policy = TimeoutPolicy(unit=unit, **limit)
    value = float(row["value"].strip("'"))
    used, correction = policy.normalize(value)
    meant = float(row["probable_intent_s"] or "nan")
    assert (
        float(used * UNITS[unit]) == meant
        or used in (policy.max, policy.default)
        or (correction is None and used == value)
    )


class Level(IntEnum):
    """A number that is more than a number."""

    LONG = 30


class Word(StrEnum):
    """A text that is more than a text."""

    LONG = "30s"


@pytest.mark.parametrize(
    ("value", "used"),
    [(Level.LONG, 30), (Word.LONG, 30), (np.int32(30), 30), (np.float64(29.5), 29.5), (30.0, 30)],
    ids=shown,
)
def test_a_value_in_range_becomes_a_plain_number(value, used):
    """Any kind of number in range is passed on as a plain int or float, with no correction."""
    result, correction = TimeoutPolicy().normalize(value)
    assert (result, correction) == (used, None)
    assert type(result) is type(used)


@pytest.mark.parametrize("value", [object(), {30}, SimpleNamespace(connect=5), np.array([1]), range(3)], ids=shown)
def test_an_object_of_the_program_passes_through(value):
    """What JSON could not carry is the program's own."""
    used, correction = TimeoutPolicy().normalize(value)
    assert used is value
    assert correction is None


@pytest.mark.parametrize(
    ("value", "used", "reason"),
    [
        ((5, 30), (5, 30), None),
        ((3.05, None), (3.05, None), None),
        ((5, 90000), (5, 90), "read_as_ms"),
        ((0, 90000), (120, 90), "not_positive"),
        (("5", True, [0]), ("5", True, [0]), None),
        ((), (), None),
        ((0,) * 17, (0,) * 17, None),
    ],
)
def test_each_number_of_a_tuple_is_judged_by_itself(value, used, reason):
    """The connect and read pair of a program: its numbers are corrected, the rest is untouched."""
    result, correction = TimeoutPolicy().normalize(value)
    assert (result, correction and correction.reason) == (used, reason)


@pytest.mark.parametrize(
    ("keep", "value", "used"),
    [
        ((0, -1), 0, 0), ((0, -1), -1, -1), ((0, -1), -1.0, -1), ((0, -1), "-1", -1), ((0, -1), " 0 ", 0),
        ({-1: "no limit"}, -1, -1), ((90000,), 90000, 90000), (("auto",), "auto", "auto"),
        ((None,), None, None), ((None,), "null", None), ((0,), datetime.timedelta(0), datetime.timedelta(0)),
    ],
)  # fmt: skip
def test_a_kept_value_passes_through(keep, value, used):
    """A value to which the function gives a meaning of its own is no mistake."""
    assert TimeoutPolicy(keep=keep).normalize(value) == (used, None)


@pytest.mark.parametrize(("keep", "value"), [((0,), False), ((1,), True), ((0,), -1), (("auto",), "automatic")])
def test_only_a_kept_value_is_kept(keep, value):
    """A boolean never matches a number, and nothing else does either."""
    assert TimeoutPolicy(keep=keep).normalize(value)[0] == 120


def test_a_cap_never_lengthens_a_short_request():
    """A small valid value is honoured whatever the default and the maximum are."""
    assert TimeoutPolicy(default=900, max=3600).normalize(5) == (5, None)


def test_strict_mode_refuses_what_would_be_corrected():
    """The error names what was given, the unit, the range and the value that was likely meant."""
    with pytest.raises(TimeoutValueError) as caught:
        TimeoutPolicy(mode="strict").normalize(180000)
    assert str(caught.value) == (
        "timeout=180000 is refused: timeout is in seconds (up to 600), not milliseconds. Write 180."
    )
    assert caught.value.correction.reason == "read_as_ms"
    assert caught.value.correction.applied is False
    assert isinstance(caught.value, ValueError)


def test_a_refusal_pickles():
    """The error crosses a process boundary with its message and its record."""
    with pytest.raises(TimeoutValueError) as caught:
        TimeoutPolicy(mode="strict").normalize(0)
    twin = pickle.loads(pickle.dumps(caught.value))
    assert str(twin) == str(caught.value)
    assert twin.correction == caught.value.correction


def test_strict_mode_lets_a_suspicious_value_pass():
    """What is only suspicious raises in no mode."""
    used, correction = TimeoutPolicy(max=None, mode="strict").normalize(60000)
    assert used == 60000
    assert correction.reason == "suspicious"


@pytest.mark.parametrize("value", [90000, 0, "abc", "30s", None, True])
def test_observe_mode_changes_nothing(value):
    """The value goes on as it was given, the report says what would have been used."""
    used, correction = TimeoutPolicy(mode="observe").normalize(value)
    assert used is value or value is None
    if correction is not None:
        assert correction.applied is False
        assert "would be used" in correction.note
        assert "would be used" in str(correction)


SMALL_IN_MS = [
    # the minimum of a policy in milliseconds, what is written, what is used, the reason
    (5000, 5, 5000, "read_as_s"), (5000, 4.996, 5000, "below_min"), (5000, 4, 5000, "below_min"),
    (1000, 999, 600_000, "read_as_s"), (5000, 1000, 5000, "below_min"),
]  # fmt: skip


@pytest.mark.parametrize(("least", "value", "used", "reason"), SMALL_IN_MS)
def test_a_small_number_is_read_as_seconds_where_that_is_in_range(least, value, used, reason):
    """As seconds it reaches the minimum, else it is raised."""
    result, correction = TimeoutPolicy(unit="ms", min=least).normalize(value)
    assert (result, correction.reason) == (used, reason)


@pytest.mark.parametrize("value", [90000, 30, "soon", 0])
def test_a_kept_none_keeps_nothing_else(value):
    """Only what says none is kept by it."""
    assert TimeoutPolicy(keep=(None,)).normalize(value) == TimeoutPolicy().normalize(value)


@pytest.mark.parametrize("value", [-1, -1.0, np.float64(-1), "-1", "-1.0"], ids=shown)
def test_a_kept_number_is_passed_on_as_it_is_stated(value):
    """A whole float or a text becomes the number that is kept."""
    used, _ = TimeoutPolicy(keep=(0, -1)).normalize(value)
    assert (used, type(used)) == (-1, int)


@pytest.mark.parametrize(("count", "used"), [(15, 120), (16, 120), (17, 0)])
def test_a_long_tuple_is_the_programs_own(count, used):
    """What has more elements than any pair of timeouts is left alone."""
    assert TimeoutPolicy().normalize((0,) * count)[0] == (used,) * count


@pytest.mark.parametrize("mode", ["correct", "strict"])
def test_a_suspicious_value_is_used_as_a_number(mode):
    """A text becomes the number that it says, as any value that is used."""
    assert TimeoutPolicy(max=None, mode=mode).normalize("60000")[0] == 60000


def test_the_note_of_a_suspicious_value_says_that_it_was_used():
    """Also where a policy only observes."""
    _, correction = TimeoutPolicy(max=None, mode="observe").normalize(60000)
    assert correction.note == ('[timeoutkit] "timeout": 60000 was used, which is 16.7 hours. timeout is in seconds.')
