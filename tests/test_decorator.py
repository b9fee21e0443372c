"""Decorating: which parameter, which policy, which type, and what is refused."""

import functools
import logging
import math
import re
from datetime import timedelta
from typing import Annotated, Any

import pytest
from annotated_types import Ge, Gt, Interval, Le, Lt, Unit

from timeoutkit import TimeoutPolicy, TimeoutValueError, effective_timeout, sane_timeout
from timeoutkit._duration import shown
from timeoutkit.testing import capture_corrections


def policy_of(function, **options):
    (policy,) = sane_timeout(**options)(function).timeout_policies.values()
    return policy


# -- which parameter -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "param", "unit"),
    [
        (lambda command, timeout: 0, "timeout", "s"),
        (lambda timeout_ms: 0, "timeout_ms", "ms"),
        (lambda timeoutMs: 0, "timeoutMs", "ms"),
        (lambda timeout_seconds, other_ms: 0, "timeout_seconds", "s"),
        (lambda timeout_in_minutes: 0, "timeout_in_minutes", "min"),
        (lambda timeout, timeout_ms: 0, "timeout", "s"),
        (lambda **options: 0, "timeout", "s"),
    ],
)
def test_the_parameter_is_found_by_its_name(function, param, unit):
    """It is `timeout`, else the only name that is a timeout with a unit, which then is the policy's."""
    policies = sane_timeout(function).timeout_policies
    assert {name: policy.unit for name, policy in policies.items()} == {param: unit}


def test_the_parameter_is_found_by_its_policy():
    """A parameter annotated with a policy comes before one that is named timeout."""

    def tool(wait: Annotated[float, TimeoutPolicy(max=5)], timeout: float = 1) -> None: ...

    assert sane_timeout(tool).timeout_policies == {"wait": TimeoutPolicy(max=5)}


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (lambda command: 0, {}, "<lambda>(command) has no parameter 'timeout': write @sane_timeout(param=...) with one of 'command'"),
        (lambda: 0, {}, "<lambda>() has no parameter 'timeout': give the function a timeout parameter"),
        (lambda command="ls": 0, {"param": "wait"}, "<lambda>(command='ls') has no parameter 'wait': write @sane_timeout(param=...)"),
        (lambda timeout_ms, timeout_s: 0, {}, "has 2 timeouts: choose one with param='timeout_ms' or param='timeout_s'"),
        (lambda *timeout: 0, {"param": "timeout"}, "'timeout' collects arguments: name the timeout itself"),
        (lambda args: 0, {"param": ("args",)}, "param=('args',) is not a parameter and a key: write param=(\"args\", \"timeout\")"),
        (lambda args: 0, {"param": ("options", "timeout")}, "<lambda>(args) has no parameter 'options'"),
        (5, {}, "sane_timeout decorates a callable, not int: put @sane_timeout above the function"),
        ("timeout", {}, "sane_timeout decorates a callable, not str: write @sane_timeout(param='timeout')"),
        (property(lambda self: 0), {}, "not property: decorate the property's function"),
        (lambda timeout: 0, {"policy": 600}, "policy takes a TimeoutPolicy, not int: write TimeoutPolicy(max=300)"),
        (lambda timeout: 0, {"policy": TimeoutPolicy(), "max": 5}, "policy and max=... were both given"),
    ],
)  # fmt: skip
def test_what_cannot_be_decorated_is_a_type_error(function, options, message):
    """The error names the function, its parameters and the fix."""
    with pytest.raises(TypeError, match=re.escape(message)):
        sane_timeout(**options)(function)


def with_annotation(annotation, default=None):
    def run_shell(command, timeout=default):
        return timeout

    if default is ...:
        run_shell.__defaults__ = None

    run_shell.__annotations__ = {"timeout": annotation}
    return run_shell


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (with_annotation(float), {"min": 5, "max": 3}, "run_shell: 'timeout': min=5 is above max=3"),
        (with_annotation(float), {"default": 0}, "run_shell: 'timeout': default=0 is not positive"),
        (with_annotation(int), {"max": 0.5}, "run_shell: 'timeout': no int lies within min=0 and max=0.5"),
        (with_annotation(int), {"min": 1.2, "default": 1.5, "max": 1.8}, "no int lies within min=1.2 and max=1.8"),
        (with_annotation(Annotated[int, TimeoutPolicy(max=300)]), {"max": 600},
         "run_shell: 'timeout': max=300 in the annotation, max=600 in the decorator: keep one"),
        (with_annotation(Annotated[int, TimeoutPolicy(unit="ms")]), {"unit": "s"},
         "run_shell: 'timeout': unit='ms' in the annotation, unit='s' in the decorator: keep one"),
        (with_annotation(Annotated[int, Le(5), TimeoutPolicy(max=6)]), {}, "max=5 and max=6 in one annotation: keep one"),
        (with_annotation(Annotated[int, Unit("km")]), {}, "Unit('km') is not a unit of time: write Unit('s') or Unit('ms')"),
        (with_annotation(float), {"callee_unit": "sec"}, "callee_unit='sec' is not a unit: write one of 'ns'"),
        (with_annotation(float), {"advertise": "yes"}, "advertise='yes' is not known: write True, \"docs\" or False"),
    ],
)  # fmt: skip
def test_a_policy_that_contradicts_is_a_value_error(function, options, message):
    """The error names the function, the parameter, both statements and the fix."""
    with pytest.raises(ValueError, match=re.escape(message)):
        sane_timeout(**options)(function)


def test_a_parameter_declared_as_text_is_a_type_error():
    """A function that wants a text would break on a number."""
    with pytest.raises(TypeError, match="run_shell: 'timeout': it is declared str, but receives a number"):
        sane_timeout(with_annotation(str))


# -- which policy ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "options", "default", "most"),
    [
        (None, {}, 120, 600),
        (30, {}, 30, 600),
        (900, {}, 900, 900),
        (900, {"max": 300}, 300, 300),
        (1, {"min": 5}, 5, 600),
        (30, {"default": 60}, 60, 600),
        (30, {"default": None}, None, 600),
        (30.0, {}, 30, 600),
        (timedelta(seconds=45), {}, 45, 600),
        ("30s", {}, 120, 600),
        (True, {}, 120, 600),
        (math.inf, {}, 2147483, 2147483),
        (math.nan, {}, 120, 600),
        (0, {}, None, 600),
        (-1, {}, None, 600),
        (-1, {"default": 30}, 30, 600),
    ],
    ids=shown,
)
def test_the_default_is_the_functions_own_where_none_is_given(own, options, default, most):
    """An own default of zero or less has a meaning, and the policy then has none."""
    policy = policy_of(with_annotation(float, own), **options)
    assert (policy.default, policy.max) == (default, most)


@pytest.mark.parametrize("own", [0, -1])
def test_an_own_default_with_a_meaning_is_kept(own):
    """A function whose default is no duration gets it when nothing, or just that, is passed."""
    tool = sane_timeout(with_annotation(int, own))
    assert tool("ls") == own
    assert tool("ls", own) == own
    assert tool("ls", str(own)) == own
    assert tool("ls", -5) == 600


@pytest.mark.parametrize(
    ("annotation", "fields"),
    [
        (Annotated[float, TimeoutPolicy(max=300)], {"max": 300}),
        (Annotated[float, TimeoutPolicy(max=300)] | None, {"max": 300}),
        (Annotated[float | None, TimeoutPolicy(unit="ms", max=5000)], {"unit": "ms", "max": 5000}),
        (Annotated[float, Unit("ms")], {"unit": "ms"}),
        (Annotated[float, Unit("Seconds"), Ge(1), Le(300)], {"min": 1, "max": 300}),
        (Annotated[float, Interval(gt=0, le=300)], {"min": 0, "max": 300}),
        (Annotated[int, Gt(5), Lt(300)], {"min": 6, "max": 299}),
        (Annotated[float, Gt(5), Lt(300)], {"min": math.nextafter(5, 6), "max": math.nextafter(300, 0)}),
        (Annotated[int, TimeoutPolicy(default=30), Le(300)], {"default": 30, "max": 300}),
        ("Annotated[float, TimeoutPolicy(max=300)]", {"max": 300}),
        ("Unknown[float]", {}),
        (float, {}),
    ],
    ids=str,
)
def test_the_policy_is_read_from_the_annotation(annotation, fields):
    """A policy or the bounds of annotated-types, alone, together, through unions and as text."""
    assert policy_of(with_annotation(annotation)) == TimeoutPolicy(**fields)


def test_annotation_and_options_complete_each_other():
    """What is said twice alike, or once, is no contradiction."""
    function = with_annotation(Annotated[float, TimeoutPolicy(max="5m")])
    assert policy_of(function, max=300, default=30) == TimeoutPolicy(max=300, default=30)
    assert policy_of(function, policy=TimeoutPolicy(default=30)) == TimeoutPolicy(max=300, default=30)


def test_one_policy_is_shared_by_two_tools():
    """One definition serves schema and run time of both, each with its own function."""
    shared = TimeoutPolicy(default=60, max=90)
    tools = [sane_timeout(policy=shared)(with_annotation(int)) for _ in range(2)]
    assert [tool("ls", 7200) for tool in tools] == [90, 90]
    assert [tool.timeout_policies["timeout"] for tool in tools] == [shared, shared]


def test_a_stack_has_independent_policies():
    """Two decorators, two parameters, two policies; one note each."""

    @sane_timeout(param="connect", max=10)
    @sane_timeout(param="timeout", max=60)
    def fetch(url: str, connect: float = 5, timeout: float = 30) -> str:
        return f"{connect} {timeout}"

    assert fetch("x").startswith("5.0 30.0")
    assert fetch("x", 99, 7200).splitlines()[0] == "10.0 60.0"
    assert fetch("x", connect=99, timeout=7200).count("[timeoutkit]") == 2
    assert set(fetch.timeout_policies) == {"connect", "timeout"}


# -- which type ------------------------------------------------------------------------------------

DELIVERED = [
    # declared, passed, received
    (int, 30, 30), (int, "29.2s", 30), (int, 30.0, 30), (int, 599.5, 600), (int, 0.2, 1),
    (float, 30, 30.0), (float, "30s", 30.0), (float, None, 120.0), (float | None, 90000, 90.0),
    (timedelta, 30, timedelta(seconds=30)), (timedelta, timedelta(seconds=45), timedelta(seconds=45)),
    (timedelta | None, "1m", timedelta(minutes=1)), (timedelta, 1e-9, timedelta.resolution), (timedelta, None, timedelta(minutes=2)),
    (int | float, 30, 30), (int | float, 30.5, 30.5), (int | float, 30.0, 30), (Any, 30.0, 30), (int | str, 30.5, 31),
    (float, timedelta(seconds=45), 45.0), (int, timedelta(milliseconds=1500), 2),
]  # fmt: skip


@pytest.mark.parametrize(("declared", "passed", "received"), DELIVERED, ids=str)
def test_the_function_receives_the_type_it_declares(declared, passed, received):
    """An int rounded up, a float, a timedelta; undeclared, an int where the value is whole."""
    result = sane_timeout(with_annotation(declared))("ls", passed)
    assert result == received
    assert type(result) is type(received)


def test_an_int_is_never_rounded_past_the_maximum():
    """The largest whole number within the maximum is the limit."""
    tool = sane_timeout(max=10.5, default=10.2)(with_annotation(int))
    assert (tool("ls"), tool("ls", 10.4), tool("ls", 99)) == (10, 10, 10)


def test_a_note_shows_what_an_int_was_rounded_to():
    """The note shows the argument as it was used."""

    @sane_timeout(min=0.5)
    def tool(timeout: int) -> str:
        return f"within {timeout}"

    assert '"timeout": 1 was used' in tool(0.1)


@pytest.mark.parametrize(
    ("unit", "callee_unit", "declared", "passed", "received"),
    [
        ("s", "ms", int, 60, 60000), ("s", "ms", int, None, 120000), ("s", "ms", int, 90000, 90000),
        ("s", "ms", float, 29.9, 29900.0), ("ms", "s", float, 1500, 1.5), ("ms", "s", int, 1500, 2),
        ("ms", "s", float, 5, 5.0), ("s", "min", float, 90, 1.5), ("ms", "s", float, 5e-324, 1.0),
        ("us", "d", float, 5e-324, math.ldexp(1, -1022)),
    ],
)  # fmt: skip
def test_a_function_may_take_another_unit_than_its_caller_writes(unit, callee_unit, declared, passed, received):
    """The caller's unit is judged, the function's is delivered, and no conversion makes a zero."""
    tool = sane_timeout(unit=unit, callee_unit=callee_unit)(with_annotation(declared))
    assert tool("ls", passed) == received


OMITTED = [
    # the options, the function's own default if it has one, its type, what it receives for an omitted argument
    ({"callee_unit": "ms"}, 5000, int, 5000), ({"callee_unit": "ms", "max": 60}, 300, int, 300),
    ({"callee_unit": "ms"}, ..., int, 120_000), ({"callee_unit": "min"}, 2, float, 2),
    ({"callee_unit": "ms", "default": None}, 5000, int, 5000), ({"ms_threshold": 60, "default": 100}, ..., float, 100),
    ({"ms_threshold": 60, "default": 100}, None, float, 100), ({"ms_threshold": 60}, 90, int, 90),
    ({"default": 100, "ms_threshold": 60}, ..., timedelta, timedelta(seconds=100)), ({"min": 5, "max": 60}, ..., int, 60),
    ({"unit": "ms", "callee_unit": "s"}, 30, int, 30), ({"unit": "ms", "callee_unit": "s"}, ..., float, 120),
]  # fmt: skip


@pytest.mark.parametrize(("options", "own", "declared", "received"), OMITTED)
def test_an_omitted_argument_is_never_judged(options, own, declared, received):
    """It becomes the default, the function's own in the function's own unit, and there is nothing to tell."""
    tool = sane_timeout(**{"unit": "s", **options})(with_annotation(declared, own))
    with capture_corrections() as corrections:
        used = tool("ls")
    assert (used, corrections) == (received, [])
    assert type(used) in (declared, int)  # an int is a float to whoever declares one


def test_a_default_beyond_the_threshold_is_not_taken_for_milliseconds():
    """What we put in for a missing value is never judged as if a caller had written it."""
    tool = sane_timeout(ms_threshold=60, default=100)(with_annotation(float))
    assert tool("ls") == tool("ls", None) == 100
    assert tool("ls", 100) == 0.1


def test_an_explicit_none_is_kept_but_not_an_omission():
    """`None` among the kept values keeps a None that was written."""
    tool = sane_timeout(keep=(None,))(with_annotation(float))
    assert tool("ls") == 120
    assert tool("ls", None) is None


def test_no_default_leaves_a_missing_value_missing():
    """Without a default the function's own stands."""
    tool = sane_timeout(default=None)(with_annotation(float, "own"))
    assert tool("ls") == "own"
    assert tool("ls", None) is None
    assert tool("ls", 0) == 600


# -- strict and observe ----------------------------------------------------------------------------


def test_strict_mode_refuses_the_call():
    """The function is not called, and the error names it."""
    calls = []
    tool = sane_timeout(mode="strict")(lambda timeout: calls.append(timeout))
    with pytest.raises(TimeoutValueError, match=r"<lambda>: timeout=90000 is refused: .* Write 90\."):
        tool(90000)
    assert calls == []


def test_a_strict_coroutine_function_refuses_when_awaited(run):
    """As with any error of a coroutine function, nothing is raised before the await."""

    async def run_async(timeout: float) -> None: ...

    coroutine = sane_timeout(mode="strict")(run_async)(90000)
    with pytest.raises(TimeoutValueError):
        run(coroutine)


# -- reports ---------------------------------------------------------------------------------------


def test_every_correction_is_reported_before_the_call(caplog):
    """The logger, the callback and the capture are told, also where the call then hangs."""
    told, order = [], []

    @sane_timeout(on_correction=lambda correction: (told.append(correction), order.append("told")))
    def run_shell(command: str, timeout: int | None = None) -> int:
        order.append("called")
        return 0

    with caplog.at_level(logging.INFO, "timeoutkit"), capture_corrections() as captured:
        run_shell("ls", timeout=90000)
        run_shell("ls", timeout=30)
    assert order == ["told", "called", "called"]
    assert captured == told
    assert captured[0].function == "run_shell"
    assert [record.getMessage() for record in caplog.records] == [
        "run_shell: timeout=90000 read as milliseconds, 90 used"
    ]
    assert caplog.records[0].levelno == logging.INFO


def test_an_error_in_the_callback_is_logged_and_never_raised(caplog):
    """A callback that fails does not reach the call."""

    def fail(correction):
        raise RuntimeError("callback")

    with caplog.at_level(logging.ERROR, "timeoutkit"):
        assert sane_timeout(on_correction=fail)(lambda timeout: timeout)(90000) == 90
    assert "reporting failed for <lambda>: timeout=90000" in caplog.text
    assert "RuntimeError: callback" in caplog.text


def test_captures_nest_and_end():
    """Each block sees what happens while it runs."""
    tool = sane_timeout(lambda timeout: timeout)
    with capture_corrections() as outer:
        with capture_corrections() as inner:
            tool(0)
        tool(0)
    tool(0)
    assert (len(outer), len(inner)) == (2, 1)


# -- effective_timeout -----------------------------------------------------------------------------


class Runner:
    """Has a decorated method."""

    @sane_timeout(unit="ms")
    def run(self, command, timeout=5000):
        raise AssertionError("it is not called")


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "seconds"),
    [
        (sane_timeout(with_annotation(int)), ("ls",), {}, 120),
        (sane_timeout(with_annotation(int)), ("ls", 90000), {}, 90),
        (sane_timeout(with_annotation(int)), ("ls",), {"timeout": "1.2s"}, 2),
        (sane_timeout(with_annotation(int)), ("ls", None), {}, 120),
        (sane_timeout(unit="ms")(with_annotation(int)), ("ls", 5), {}, 5),
        (sane_timeout(unit="s", callee_unit="ms")(with_annotation(int)), ("ls", 5), {}, 5),
        (sane_timeout(keep=(-1,))(with_annotation(int)), ("ls", -1), {}, None),
        (sane_timeout(with_annotation(int, -1)), ("ls",), {}, None),
        (sane_timeout(default=None)(with_annotation(int, 30)), ("ls",), {}, 30),
        (sane_timeout(default=None)(with_annotation(int)), ("ls",), {}, None),
        (sane_timeout(default=None)(with_annotation(int)), ("ls", None), {}, None),
        (sane_timeout(with_annotation(Any)), ("ls", (5, 30)), {}, None),
        (sane_timeout(with_annotation(Any)), ("ls", object()), {}, None),
        (sane_timeout(mode="observe")(with_annotation(int)), ("ls", 7200), {}, 7200),
        (sane_timeout(mode="observe")(with_annotation(int)), ("ls", "abc"), {}, None),
        (sane_timeout(param=("args", "timeout"))(lambda args: args), ({"timeout": 90000},), {}, 90),
        (sane_timeout(param=("args", "timeout"))(lambda args: args), (), {"args": {}}, 120),
        (sane_timeout(lambda **options: options), (), {"timeout": "1m"}, 60),
        (Runner().run, ("ls",), {}, 5),
        (Runner().run, ("ls", "30s"), {}, 30),
        (Runner.run, (Runner(), "ls", "30s"), {}, 30),
        (functools.wraps(Runner.run)(lambda *args: None), (Runner(), "ls", 5), {}, 5),
        (sane_timeout(max=60)(sane_timeout(max=30)(with_annotation(int))), ("ls", 600), {}, 60),
    ],
)  # fmt: skip
def test_a_host_can_ask_what_a_call_would_use(function, args, kwargs, seconds):
    """The answer is in seconds, or None where no duration is used, without calling the function."""
    answer = effective_timeout(function, *args, **kwargs)
    assert answer == seconds
    assert answer is None or type(answer) is float


def test_a_host_is_told_that_a_strict_call_would_be_refused():
    """The question raises what the call would raise."""
    with pytest.raises(TimeoutValueError):
        effective_timeout(sane_timeout(mode="strict")(with_annotation(int)), "ls", 90000)


def test_a_function_that_is_not_decorated_has_no_answer():
    """The error says what to do."""
    with pytest.raises(TypeError, match="is not decorated: put @sane_timeout above it"):
        effective_timeout(with_annotation(int), "ls")


def test_a_function_without_a_type_gets_its_own_unit():
    """What is converted is an int where it is whole, a float where it is not."""
    tool = sane_timeout(unit="s", callee_unit="ms")(lambda timeout=None: timeout)
    received = [tool(60), tool(0.0005), tool(), tool(7200)]
    assert received == [60_000, 0.5, 120_000, 600_000]
    assert [type(one) for one in received] == [int, float, int, int]


OBSERVED = [("30s", 30), (0.5, 0.5), (1, 1), (0, None), (math.inf, None), (math.nan, None), (None, None)]


@pytest.mark.parametrize(("value", "seconds"), OBSERVED, ids=str)
def test_a_host_is_told_what_an_observed_call_uses(value, seconds):
    """What is written is used as it is, where it is an amount at all."""
    assert effective_timeout(sane_timeout(mode="observe")(with_annotation(float)), "ls", value) == seconds


IN_A_MAPPING = [
    # the function, its options, a call of it, the answer
    (lambda args={"timeout": 90000}: args, {}, (), 90),
    (lambda args={"timeout": 90000}: args, {}, ({"timeout": 5},), 5),
    (lambda args=None: args, {}, (), None),
    (lambda args: args, {}, (), None),
    (lambda **options: options, {}, (), None),
    (lambda args: args, {"keep": (None,)}, ({},), 120),
    (lambda args: args, {"keep": (None,)}, ({"timeout": None},), None),
]


@pytest.mark.parametrize(("function", "options", "args", "seconds"), IN_A_MAPPING)
def test_a_host_can_ask_for_a_key_of_a_mapping(function, options, args, seconds):
    """The mapping that the function itself has as its default counts where none is passed."""
    assert effective_timeout(sane_timeout(param=("args", "timeout"), **options)(function), *args) == seconds


PARTIALS = [((), {}, 120), ((90000,), {}, 90), ((), {"timeout": "1m"}, 60)]


@pytest.mark.parametrize(("args", "kwargs", "seconds"), PARTIALS)
def test_a_host_can_ask_a_partial(args, kwargs, seconds):
    """What a partial holds belongs to the call."""
    tool = sane_timeout(with_annotation(int))
    assert effective_timeout(functools.partial(tool, "ls"), *args, **kwargs) == seconds
    assert effective_timeout(functools.partial(functools.partial(tool), "ls", timeout=5)) == 5


def test_a_missing_key_is_not_a_none_that_was_written():
    """A kept None is kept only where it stands in the mapping."""
    tool = sane_timeout(param=("args", "timeout"), keep=(None,))(lambda args: args)
    assert tool({}) == {"timeout": 120}
    assert tool({"timeout": None}) == {"timeout": None}


@pytest.mark.parametrize("name", ["self", "cls"])
def test_the_error_lists_the_parameters_that_may_be_meant(name):
    """All of them are shown, and the one that is bound is not offered."""
    function = eval(f"lambda {name}, first, second: 0")
    message = (
        f"<lambda>({name}, first, second) has no parameter 'timeout': "
        "write @sane_timeout(param=...) with one of 'first', 'second'"
    )
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        sane_timeout(function)


def test_the_correction_of_a_tuple_names_the_function():
    """Each number of it is corrected by the function's policy."""
    with capture_corrections() as corrections:
        sane_timeout(with_annotation(Any))("ls", (5, 90000))
    assert [correction.function for correction in corrections] == ["run_shell"]


@pytest.mark.parametrize("declared", [int, float, timedelta, Any], ids=str)
def test_an_object_of_the_program_is_passed_on_whatever_is_declared(declared):
    """It is not converted."""
    own = object()
    assert sane_timeout(with_annotation(declared))("ls", own) is own


def test_every_field_can_be_given_as_an_option():
    """The options are the fields of the policy."""
    fields = {
        "unit": "s", "default": 5, "min": 1, "max": 60, "ms_threshold": 1000, "mode": "strict", "keep": (0,), "hint": "No.",
    }  # fmt: skip
    assert policy_of(with_annotation(float), **fields) == TimeoutPolicy(**fields)
    assert policy_of(with_annotation(float), rescale=False) == TimeoutPolicy(rescale=False)


def test_a_boolean_among_the_kept_values_is_refused_after_a_number():
    """Two policies that look alike to a cache are not."""
    sane_timeout(keep=(1,))(with_annotation(float))
    with pytest.raises(ValueError, match="keep holds True"):
        sane_timeout(keep=(True,))(with_annotation(float))


def test_a_bound_method_stays_one():
    """It is decorated inside, and is bound to the same object."""

    class Shell:
        def run(self, timeout=None):
            return self, timeout

    shell = Shell()
    decorated = sane_timeout(shell.run)
    assert type(decorated) is type(shell.run)
    assert decorated.__self__ is shell
    assert decorated(90000) == (shell, 90)


def test_the_errors_list_all_that_there_is():
    """Every unit, and every field that was given beside a policy."""
    message = "callee_unit='sec' is not a unit: write one of 'ns', 'us', 'ms', 's', 'min', 'h', 'd'"
    with pytest.raises(ValueError, match=f"^{message}$"):
        sane_timeout(callee_unit="sec")
    message = "policy and min=..., max=... were both given: write TimeoutPolicy(min=..., max=...) or leave policy out"
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        sane_timeout(policy=TimeoutPolicy(), min=1, max=5)


OWN = [
    # the function's own default, the options, the default of the policy
    ((5, 30), {}, None), (object(), {}, None), ((5, 30), {"default": 60}, 60), (object(), {"default": 60}, 60),
    ({"a": 1}, {}, 120), ("auto", {}, 120),
]  # fmt: skip


@pytest.mark.parametrize(("own", "options", "default"), OWN, ids=range(len(OWN)))
def test_an_own_default_that_is_no_amount_stays_what_it_is(own, options, default):
    """A pair or an object of the program is left to the function, unless a default is given."""
    function = with_annotation(Any, own)
    assert policy_of(function, **options).default == default
    assert sane_timeout(**options)(function)("ls") == (own if default is None else default)


def test_an_own_default_joins_the_values_that_are_kept():
    """Both have a meaning."""
    assert policy_of(with_annotation(int, -1), keep=(0,)).keep == (0, -1)
    assert policy_of(with_annotation(int, -1), keep={0: "poll once"}).kept == ((0, "poll once"), (-1, ""))


@pytest.mark.parametrize("options", [{"max": 1}, {"min": 1, "max": 1}, {"min": 2, "max": 2}], ids=str)
def test_an_int_may_have_one_value(options):
    """A range with one whole number in it is one."""
    most = options["max"]
    assert sane_timeout(**options)(with_annotation(int))("ls", 90000) == most


class Shell:
    """An object without a timeout."""

    def __call__(self, command): ...


MESSAGES = [
    (functools.partial(lambda command: 0), {},
     "<lambda>(command) has no parameter 'timeout': write @sane_timeout(param=...) with one of 'command'"),
    (Shell(), {}, "Shell(command) has no parameter 'timeout': write @sane_timeout(param=...) with one of 'command'"),
    (lambda command, *timeout: 0, {"param": "timeout"},
     "<lambda>(command, *timeout): 'timeout' collects arguments: name the timeout itself"),
    (lambda timeout_ms, timeout_s: 0, {},
     "<lambda>(timeout_ms, timeout_s) has 2 timeouts: choose one with param='timeout_ms' or param='timeout_s'"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "options", "message"), MESSAGES, ids=[row[2][:20] for row in MESSAGES])
def test_the_error_names_what_was_decorated(function, options, message):
    """A partial by its function, an object by its class."""
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        sane_timeout(**options)(function)
