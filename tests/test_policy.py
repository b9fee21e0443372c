"""The policy: its fields, its contradictions, its words."""

import copy
import inspect
import pickle
import re
from datetime import timedelta

import pytest

from timeoutkit import TimeoutPolicy
from timeoutkit._policy import followed_by, states_contract


@pytest.mark.parametrize(
    ("fields", "default", "least", "most"),
    [
        ({}, 120, 0, 600),
        ({"default": 30}, 30, 0, 600),
        ({"default": 900}, 900, 0, 900),
        ({"min": 700}, 700, 700, 700),
        ({"max": 60}, 60, 0, 60),
        ({"max": None}, 120, 0, None),
        ({"default": None}, None, 0, 600),
        ({"default": "10m"}, 600, 0, 600),
        ({"max": timedelta(minutes=5)}, 120, 0, 300),
        ({"unit": "ms"}, 120000, 1000, 600000),
        ({"unit": "ms", "default": 250}, 250, 0, 600000),
        ({"unit": "ms", "max": 600}, 600, 0, 600),
        ({"unit": "ms", "max": "5s"}, 5000, 1000, 5000),
        ({"unit": "min", "default": 2, "max": 60}, 2, 0, 60),
        ({"max": 600.0}, 120, 0, 600),
    ],
)
def test_a_field_that_is_not_given_follows_the_ones_that_are(fields, default, least, most):
    """Defaults are settled so that they never contradict what was given."""
    policy = TimeoutPolicy(**fields)
    assert (policy.default, policy.min, policy.max) == (default, least, most)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"min": 5, "max": 3}, "min=5 is above max=3: raise max or lower min"),
        ({"default": 900, "max": 600}, "default=900 is above max=600: raise max or lower default"),
        ({"default": 1, "min": 5}, "min=5 is above default=1: raise default or lower min"),
        ({"default": 0}, "default=0 is not positive: write a positive number of seconds, or keep=(0,), default=None"),
        ({"default": -1}, "default=-1 is not positive"),
        ({"max": 0}, "max=0 is not positive: write a positive number of seconds"),
        ({"min": -1}, "min=-1 is not positive: write 0 or more seconds"),
        ({"max": 10**9}, "max=1000000000 is more than a timer holds, 2147483 seconds; for no maximum write max=None"),
        ({"max": "abc"}, "max='abc' is not a duration: write it as one of 30"),
        ({"max": float("nan")}, "max=nan is not a duration"),
        ({"max": float("inf")}, "max=inf is not a duration"),
        ({"max": True}, "max=True is not a duration"),
        ({"min": None}, "min=None is not a duration"),
        ({"unit": "seconds"}, "unit='seconds' is not a unit: write \"s\""),
        ({"unit": "fortnight"}, "unit='fortnight' is not a unit: write \"ns\", \"us\""),
        ({"unit": []}, "unit=[] is not a unit"),
        ({"mode": "lenient"}, "mode='lenient' is not a mode: write \"correct\", \"strict\" or \"observe\""),
        ({"ms_threshold": 1000, "unit": "ms"}, "ms_threshold=1000 needs unit=\"s\", not unit='ms': leave it out"),
        ({"ms_threshold": 1000, "rescale": False}, "ms_threshold=1000 contradicts rescale=False: leave one out"),
        ({"ms_threshold": 0}, "ms_threshold=0 is not positive"),
        ({"keep": 0}, "keep=0 is not a group of values: write keep=(0,)"),
        ({"keep": "auto"}, "keep='auto' is not a group of values: write keep=('auto',)"),
        ({"keep": (True,)}, "keep holds True: it takes numbers, texts and None"),
        ({"keep": ([],)}, "keep holds <list>: it takes numbers, texts and None"),
    ],
)  # fmt: skip
def test_a_policy_that_cannot_be_used_is_refused_when_made(fields, message):
    """The error names the fields and says what to write instead."""
    with pytest.raises(ValueError, match=re.escape(message)):
        TimeoutPolicy(**fields)


def test_a_policy_is_a_value():
    """A policy is frozen, equal by its fields, hashable, copied and pickled as it is."""
    policy = TimeoutPolicy(max="5m", keep={-1: "no limit"})
    assert policy == TimeoutPolicy(max=300, keep=((-1, "no limit"),))
    assert len({policy, TimeoutPolicy(max=300, keep={-1: "no limit"})}) == 1
    assert pickle.loads(pickle.dumps(policy)) == copy.deepcopy(policy) == policy
    assert pickle.loads(pickle.dumps(policy)).given == {"max", "keep"}
    with pytest.raises(AttributeError):
        policy.max = 600
    assert not hasattr(policy, "__dict__")


def test_a_policy_shows_what_was_given():
    """Its representation can be pasted back into code."""
    policy = TimeoutPolicy(unit="ms", max=300000)
    assert repr(policy) == "TimeoutPolicy(unit='ms', max=300000)"
    assert eval(repr(policy)) == policy


def test_the_signature_says_which_fields_need_not_be_given():
    """Where `None` has a meaning, a field that is not given shows as such."""
    assert "max: float | None = <not given>" in str(inspect.signature(TimeoutPolicy))


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "Timeout in seconds, e.g. 30; at most 600; default 120; not milliseconds."),
        ({"min": 1}, "Timeout in seconds, e.g. 30; 1 to 600; default 120; not milliseconds."),
        ({"max": None, "default": None}, "Timeout in seconds, e.g. 30; not milliseconds."),
        ({"max": None, "min": 5}, "Timeout in seconds, e.g. 30; at least 5; default 120; not milliseconds."),
        ({"max": 10}, "Timeout in seconds, e.g. 10; at most 10; default 10; not milliseconds."),
        ({"keep": {-1: "no limit"}},
         "Timeout in seconds, e.g. 30; at most 600; default 120; -1: no limit; not milliseconds."),
        ({"unit": "ms"}, "Timeout in milliseconds, e.g. 30000; 1000 to 600000; default 120000; not seconds."),
        ({"unit": "min", "default": 2, "max": 60}, "Timeout in minutes, e.g. 1; at most 60; default 2; not seconds."),
    ],
)  # fmt: skip
def test_the_contract_is_one_sentence(fields, sentence):
    """The sentence names unit, example, bounds, default, kept values and the wrong unit."""
    assert TimeoutPolicy(**fields).describe() == sentence


def test_the_schema_has_a_type_a_description_and_a_default():
    """By default no keyword is in it that a provider's strict mode refuses."""
    policy = TimeoutPolicy(min=1)
    assert policy.json_schema() == {"type": "number", "description": policy.describe(), "default": 120}
    assert policy.json_schema(bounds=True) == policy.json_schema() | {"minimum": 1, "maximum": 600}
    assert "default" not in TimeoutPolicy(default=None).json_schema()


def test_a_schema_merges_into_a_property_that_exists():
    """What is written by hand keeps its own keys."""
    written = {"type": ["integer", "null"], "title": "Timeout", "x-order": 2, "description": "How long", "default": 30}
    contract = TimeoutPolicy().describe()
    merged = TimeoutPolicy().json_schema(into=written)
    assert merged == written | {"description": f"How long. {contract}"}
    assert TimeoutPolicy().json_schema(into={"description": "How long?"})["description"] == f"How long? {contract}"
    assert TimeoutPolicy().json_schema(into={}) == TimeoutPolicy().json_schema()
    assert "maximum" in TimeoutPolicy().json_schema(bounds=True, into=written)


def test_only_bounds_that_there_are_are_in_a_schema():
    """No minimum of zero, and no maximum where there is none."""
    assert "minimum" not in TimeoutPolicy().json_schema(bounds=True)
    assert "maximum" not in TimeoutPolicy(max=None).json_schema(bounds=True)


CONTRACTS = [
    (TimeoutPolicy().describe(), True), (TimeoutPolicy(unit="ms").describe(), True),
    (f"How long. {TimeoutPolicy(max=5).describe()} More.", True),
    ("Timeout in seconds; at most 600; not milliseconds.", False), ("How long, e.g. 30; not milliseconds.", False),
    ("Timeout in seconds, e.g. 30; at most 600.", False), ("", False), (None, False), (["Timeout in "], False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "states"), CONTRACTS, ids=str)
def test_a_description_states_a_contract_in_all_its_parts(text, states):
    """A text that only resembles one is somebody's own."""
    assert states_contract(text) == states


@pytest.mark.parametrize(
    ("fields", "default", "least", "most"),
    [
        ({"unit": "d"}, 120 / 86_400, 0, 600 / 86_400),
        ({"unit": "h"}, 120 / 3600, 0, 600 / 3600),
        ({"unit": "h", "max": 0.01}, 0.01, 0, 0.01),
        ({"unit": "ms", "default": 1000}, 1000, 1000, 600_000),
        ({"unit": "ms", "default": 999}, 999, 0, 600_000),
        ({"unit": "ms", "max": 1000}, 1000, 1000, 1000),
    ],
)
def test_a_field_that_is_not_given_is_the_same_in_every_unit(fields, default, least, most):
    """The usual amounts are converted, and a policy in milliseconds has a minimum from one second on."""
    policy = TimeoutPolicy(**fields)
    assert (policy.default, policy.min, policy.max) == (pytest.approx(default), least, pytest.approx(most))


REFUSED = [
    ({"max": 0}, "max=0 is not positive: write a positive number of seconds"),
    ({"min": -1}, "min=-1 is not positive: write 0 or more seconds"),
    ({"default": 0},
     "default=0 is not positive: write a positive number of seconds, or keep=(0,), default=None if the function gives it a meaning"),
    ({"min": 10**9}, "min=1000000000 is more than a timer holds, 2147483 seconds"),
    ({"default": 10**9}, "default=1000000000 is more than a timer holds, 2147483 seconds"),
    ({"max": 10**9}, "max=1000000000 is more than a timer holds, 2147483 seconds; for no maximum write max=None"),
    ({"keep": {True: "yes"}}, "keep holds True: it takes numbers, texts and None"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "message"), REFUSED, ids=str)
def test_the_error_says_all_of_it_and_no_more(fields, message):
    """What to write instead is said for the field that was given."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        TimeoutPolicy(**fields)


def test_a_threshold_may_be_above_any_maximum():
    """A number that no timer holds is no mistake there."""
    assert TimeoutPolicy(ms_threshold=10**9).ms_threshold == 10**9


@pytest.mark.parametrize("end", [".", "!", "?", ":"])
def test_a_sentence_that_has_an_end_gains_none(end):
    """The contract follows what somebody says of the parameter."""
    assert followed_by(f"How long{end} ", "CONTRACT") == f"How long{end} CONTRACT"
    assert followed_by("How long ", "CONTRACT") == "How long. CONTRACT"
