"""What the operator sets in the environment."""

import warnings

import pytest

from timeoutkit import TimeoutPolicy, parse_duration, sane_timeout
from timeoutkit._environment import read_environment


def tool(timeout: float | None = None) -> float | None:
    return timeout


def bounds(policy):
    return policy.default, policy.max, policy.ms_threshold


@pytest.mark.parametrize(
    ("environment", "fields", "expected"),
    [
        ({}, {}, (120, 600, None)),
        ({"DEFAULT": "30"}, {}, (30, 600, None)),
        ({"DEFAULT": "30"}, {"default": 60}, (60, 600, None)),
        ({"DEFAULT": "900"}, {"max": 300}, (300, 300, None)),
        ({"DEFAULT": "900"}, {}, (900, 900, None)),
        ({"DEFAULT": "1"}, {"min": 5}, (5, 600, None)),
        ({"DEFAULT": "99999999"}, {}, (2147483, 2147483, None)),
        ({"DEFAULT": "300", "MAX": "300"}, {}, (300, 300, None)),
        ({"MAX": "10m"}, {"max": None}, (120, 600, None)),
        ({"MAX": "60"}, {}, (60, 60, None)),
        ({"MAX": "60"}, {"default": 90, "max": 300}, (60, 60, None)),
        ({"MAX": "60"}, {"min": 90}, (60, 60, None)),
        ({"MAX": "900"}, {"max": 300}, (120, 300, None)),
        ({"MAX": "900"}, {}, (120, 900, None)),
        ({"MAX": "99999999"}, {}, (120, 2147483, None)),
        ({"MAX": "1 min"}, {"unit": "ms"}, (60000, 60000, None)),
        ({"MS_THRESHOLD": "1000"}, {}, (120, 600, 1000)),
        ({"MS_THRESHOLD": "1000"}, {"ms_threshold": 5000}, (120, 600, 5000)),
        ({"MS_THRESHOLD": "1000"}, {"unit": "ms"}, (120000, 600000, None)),
        ({"MS_THRESHOLD": "1000"}, {"rescale": False}, (120, 600, None)),
        ({"DEFAULT": " "}, {}, (120, 600, None)),
    ],
)
def test_the_environment_completes_and_limits_what_code_says(monkeypatch, environment, fields, expected):
    """A default fills in, a maximum lowers and never raises, a threshold serves where a unit can be inferred."""
    for name, value in environment.items():
        monkeypatch.setenv(f"TIMEOUTKIT_{name}", value)
    assert bounds(TimeoutPolicy.from_env(**fields)) == expected


@pytest.mark.parametrize("text", ["abc", "0", "-5", "nan", "inf", "1,5s", "true", "9" * 20_000])
@pytest.mark.parametrize("name", ["TIMEOUTKIT_DEFAULT", "TIMEOUTKIT_MAX", "TIMEOUTKIT_MS_THRESHOLD"])
def test_a_variable_that_cannot_be_used_is_a_warning(monkeypatch, name, text):
    """The warning names the variable and what to write; what is built in stands."""
    monkeypatch.setenv(name, text)
    with pytest.warns(UserWarning, match=rf'{name}=.* is ignored: write seconds \(600\) or "10m"') as caught:
        policy = TimeoutPolicy.from_env()
    assert bounds(policy) == (120, 600, None)
    assert caught[0].filename == __file__


def test_a_default_above_the_maximum_is_a_warning(monkeypatch):
    """Two variables that contradict each other are lowered to the maximum, and said so."""
    monkeypatch.setenv("TIMEOUTKIT_DEFAULT", "900")
    monkeypatch.setenv("TIMEOUTKIT_MAX", "300")
    with pytest.warns(UserWarning, match="TIMEOUTKIT_DEFAULT=900 is above TIMEOUTKIT_MAX=300"):
        policy = TimeoutPolicy.from_env()
    assert bounds(policy) == (300, 300, None)


def test_the_environment_is_read_when_a_function_is_decorated(monkeypatch):
    """A later change of the environment does not reach a function that is decorated already."""
    monkeypatch.setenv("TIMEOUTKIT_DEFAULT", "45")
    decorated = sane_timeout(tool)
    monkeypatch.setenv("TIMEOUTKIT_DEFAULT", "99")
    assert decorated() == 45


def test_the_warning_of_a_decorator_points_at_the_users_own_line(monkeypatch):
    """The user sees the file in which a function is decorated, not ours."""
    monkeypatch.setenv("TIMEOUTKIT_MAX", "lots")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sane_timeout(tool)
    assert [warning.filename for warning in caught] == [__file__]


def test_the_functions_own_default_beats_the_environment(monkeypatch):
    """The order is: code, the function's own default, the environment, 120 s."""
    monkeypatch.setenv("TIMEOUTKIT_DEFAULT", "45")
    assert sane_timeout(lambda timeout=30: timeout)() == 30


def test_the_operators_maximum_lowers_a_policy_object(monkeypatch):
    """A shared policy is lowered like any other statement of code."""
    monkeypatch.setenv("TIMEOUTKIT_MAX", "60")
    decorated = sane_timeout(policy=TimeoutPolicy(default=300, max=900))(tool)
    assert bounds(decorated.timeout_policies["timeout"])[:2] == (60, 60)


def test_another_prefix_reads_other_variables(monkeypatch):
    """A project can have variables of its own."""
    monkeypatch.setenv("MYTOOL_MAX", "60")
    assert TimeoutPolicy.from_env("MYTOOL").max == 60


LOOKS_LIKE_MS = [
    # a variable, what is set, what is warned of
    ("MAX", "10000", "is 2.8 hours: if it is in milliseconds write TIMEOUTKIT_MAX=10000ms, else 10000s."),
    ("DEFAULT", "90000", "is 25 hours: if it is in milliseconds write TIMEOUTKIT_DEFAULT=90000ms, else 90000s."),
    ("MAX", "9000", None), ("MAX", "10500", None), ("MAX", "10001", None), ("MAX", "18000", None), ("MAX", "72000", None),
    ("MAX", "10000s", None), ("MAX", "10000 ms", None), ("MS_THRESHOLD", "10000", None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "warned"), LOOKS_LIKE_MS)
def test_a_variable_that_looks_like_milliseconds_is_a_warning(monkeypatch, name, text, warned):
    """It is used as it stands, and the warning says how to write either; whole hours of a day are meant."""
    monkeypatch.setenv(f"TIMEOUTKIT_{name}", text)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        policy = TimeoutPolicy.from_env()
    assert [str(warning.message) for warning in caught] == ([f"TIMEOUTKIT_{name}={text} {warned}"] if warned else [])
    assert getattr(policy, name.lower()) == parse_duration(text)


def test_a_maximum_below_a_second_stands_alone(monkeypatch):
    """A small maximum contradicts no default that was not set."""
    monkeypatch.setenv("TIMEOUTKIT_MAX", "500ms")
    assert bounds(TimeoutPolicy.from_env()) == (0.5, 0.5, None)


def test_two_variables_that_contradict_are_read_as_they_are_used(monkeypatch):
    """What is read has the lowered default, and nothing else."""
    monkeypatch.setenv("TIMEOUTKIT_DEFAULT", "900")
    monkeypatch.setenv("TIMEOUTKIT_MAX", "300")
    message = "TIMEOUTKIT_DEFAULT=900 is above TIMEOUTKIT_MAX=300: 300 s is the default. Lower one or raise the other."
    with pytest.warns(UserWarning, match=f"^{message}$"):
        assert read_environment("TIMEOUTKIT", "ms") == {"default": 300_000, "max": 300_000}


def test_a_variable_that_cannot_be_used_is_shown(monkeypatch):
    """The warning shows what was set."""
    monkeypatch.setenv("TIMEOUTKIT_MAX", "lots")
    with pytest.warns(UserWarning, match="^TIMEOUTKIT_MAX='lots' is not a positive duration and is ignored"):
        assert read_environment("TIMEOUTKIT", "s") == {}


def test_a_default_below_the_minimum_that_is_not_stated(monkeypatch):
    """Only a minimum that code states raises the operator's default."""
    monkeypatch.setenv("TIMEOUTKIT_DEFAULT", "500ms")
    assert TimeoutPolicy.from_env(unit="ms").default == 500
    assert TimeoutPolicy.from_env(unit="ms", min=1000).default == 1000
