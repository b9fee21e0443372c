"""One call of a tool in somebody's framework."""

import functools
import logging
import subprocess

import pytest

from timeoutkit import TimeoutPolicy, TimeoutValueError, _toolcall, sane_timeout
from timeoutkit._toolcall import Rules, amended, paragraph, tool_call
from timeoutkit.testing import capture_corrections

OPTIONAL = {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}, "timeout": OPTIONAL}}
NOTE = '[timeoutkit] "timeout": 90 was used. timeout is in seconds (up to 600), not milliseconds.'
LIMIT = '[timeoutkit] "timeout": 30 was used, and it ran out. timeout is in seconds (up to 600).'


@pytest.fixture(autouse=True)
def _nothing_said_yet(monkeypatch):
    monkeypatch.setattr(_toolcall, "_said", set())


def called(arguments, schema=SCHEMA, function=None, rules=Rules(), name="run_shell"):
    return tool_call(rules, name, arguments, lambda: (schema, function))


def test_raw_arguments_are_corrected_and_the_result_says_so():
    """The arguments are of the same kind, and what is added stands outside of the result."""
    with capture_corrections() as corrections:
        call = called({"command": "ls", "timeout": 90000})
    assert call.arguments == {"command": "ls", "timeout": 90}
    assert call.noted("ran", paragraph) == f"ran\n\n{NOTE}"
    assert [str(one) for one in corrections] == ["run_shell: timeout=90000 read as milliseconds, 90 used"]
    assert called('{"timeout": 90000}').arguments == '{"timeout": 90}'


def test_without_a_correction_the_result_is_the_same_object():
    """Nothing is added, and nothing is asked to add it."""
    result = object()
    assert called({"timeout": 30}).noted(result, None) is result


def test_every_correction_goes_to_the_callback():
    """The one that `install` was given."""
    told = []
    called({"timeout": 0}, rules=Rules(on_correction=told.append))
    assert [correction.reason for correction in told] == ["not_positive"]


ERRORS = [
    (TimeoutError(), True),
    (subprocess.TimeoutExpired("ls", 30), True),
    (ValueError("timeout"), False),
]


@pytest.mark.parametrize(("error", "told"), ERRORS, ids=repr)
@pytest.mark.parametrize("arguments", [{"timeout": 30}, '{"timeout": 30}'], ids=type)
def test_a_call_that_ran_into_its_limit_says_the_limit(error, told, arguments):
    """Also where the error is only the cause of what the framework raised."""
    wrapped, deeper = RuntimeError(), RuntimeError()
    wrapped.__cause__, deeper.__context__ = error, wrapped
    call = called(arguments)
    for one in (error, wrapped, deeper):
        assert call.note(one) == (LIMIT if told else "")


def test_a_correction_says_the_limit_as_well():
    """A call that was corrected and ran out has one note."""
    assert called({"timeout": 90000}).note(TimeoutError()) == NOTE


def test_a_limit_that_was_never_given_is_not_told():
    """A tool that is left to its own limit has none to tell."""
    assert called({"url": "x"}, {"properties": {"timeout": OPTIONAL}}).note(TimeoutError()) == ""


def test_errors_in_a_circle_are_looked_at_once():
    """A chain that leads back to itself ends."""
    first, second = ValueError(), ValueError()
    first.__cause__, second.__cause__ = second, first
    assert called({"timeout": 30}).note(first) == ""


ODD = [None, [], "schema", {}, {"properties": None}, {"properties": {"timeout": {"$ref": "#/x"}}}]


@pytest.mark.parametrize("schema", ODD, ids=lambda schema: str(schema)[:20])
def test_an_odd_schema_leaves_the_call_alone(schema):
    """The arguments are passed on as they are, and so is the schema."""
    arguments = {"timeout": 90000}
    assert called(arguments, schema).arguments is arguments
    assert amended(Rules(), "run_shell", schema) is schema


class Failing(dict):
    def get(self, *_):
        raise ZeroDivisionError


ODD_ARGUMENTS = [None, 5, "{broken", "[1]", ["timeout"], "[" * 100_000, Failing(timeout=0)]


@pytest.mark.parametrize("arguments", ODD_ARGUMENTS, ids=lambda arguments: str(arguments)[:20])
def test_odd_arguments_are_passed_on(arguments):
    """What is no object is not ours to judge, also when the call fails."""
    call = called(arguments)
    assert call.arguments is arguments
    assert call.note(TimeoutError()) == ""


def test_what_cannot_be_looked_at_is_logged_once(caplog):
    """The call goes on as it is."""
    caplog.set_level(logging.WARNING, "timeoutkit")
    arguments = {"timeout": 90000}
    for _ in range(3):
        call = tool_call(Rules(), "run_shell", arguments, lambda: 1 / 0)
        assert call.arguments is arguments
        assert call.noted("ran", paragraph) == "ran"
    assert [record.message for record in caplog.records] == [
        "run_shell: its timeouts were not looked at: ZeroDivisionError('division by zero')"
    ]


def test_a_note_that_cannot_be_added_is_logged_once(caplog):
    """The result goes on as it is."""
    caplog.set_level(logging.WARNING, "timeoutkit")
    for _ in range(3):
        assert called({"timeout": 0}).noted("ran", lambda result, note: 1 / 0) == "ran"
    assert len(caplog.records) == 1


def test_the_log_of_what_was_not_done_ends():
    """A program that never ends does not fill its memory with what was said."""
    for number in range(2000):
        tool_call(Rules(), f"tool_{number}", {}, lambda: 1 / 0)
    assert len(_toolcall._said) <= 1000


@pytest.mark.parametrize(("written", "noted"), [(0, False), (60000, True)])
def test_an_observed_call_is_reported_only(written, noted):
    """Nothing is changed, and nothing told but what is suspicious, as with a decorator."""
    told = []
    rules = Rules({"run_shell": TimeoutPolicy(mode="observe", max=None)}, told.append)
    arguments = {"timeout": written}
    call = called(arguments, rules=rules)
    assert call.arguments is arguments
    assert bool(call.note()) == noted
    assert len(told) == 1


def test_a_strict_policy_refuses_the_call():
    """The tool fails as it would with a strict decorator, and the correction is reported."""
    told = []
    rules = Rules({"run_shell": TimeoutPolicy(mode="strict")}, told.append)
    with pytest.raises(TimeoutValueError, match="run_shell: timeout=0 is refused"):
        called({"timeout": 0}, rules=rules)
    assert len(told) == 1


STATED = [
    # the tool's property, the policy that was stated, what the model writes, what is used
    ("timeout", {"type": "integer"}, TimeoutPolicy(max=300), 90000, 90),
    ("timeout", {"type": "integer"}, TimeoutPolicy(max=300), "1.5s", 2),
    ("timeout", {"type": "number"}, TimeoutPolicy(max=300), "1.5s", 1.5),
    ("timeout_ms", {"type": "integer"}, TimeoutPolicy(max=300), 7200000, 300000),
    ("timeout_ms", {"type": "integer"}, TimeoutPolicy(max=300), 30, 30000),
    ("timeout_ms", {"type": "integer"}, TimeoutPolicy(default=None), None, None),
    ("timeout_ms", {"type": "integer"}, TimeoutPolicy(max=300, ms_threshold=1000), 500000, 300000),
    ("timeout", {"type": "integer"}, TimeoutPolicy(unit="ms", max=5000), 90000, 5000),
    ("timeout", {"type": "integer"}, TimeoutPolicy(max=None), 90000, 90000),
    ("timeout", {"type": "integer", "description": "in milliseconds"}, TimeoutPolicy(max=300), 7200000, 300000),
    ("timeout", {"description": "in milliseconds"}, TimeoutPolicy(unit="ms", max=5000), 7200, 5000),
    ("idle_timeout", {"type": "integer"}, TimeoutPolicy(max=300), 301, 300),
    ("idle_timeout", {"$ref": "#/x"}, TimeoutPolicy(max=300), "1.5s", 1.5),
]


@pytest.mark.parametrize(("name", "stated", "policy", "written", "used"), STATED)
def test_a_policy_by_the_name_of_the_tool(name, stated, policy, written, used):
    """It is read in the unit that the parameter's name says, and delivered in the type that the schema says."""
    rules = Rules({"set_timeout": policy})
    call = called({name: written}, {"properties": {name: stated}}, rules=rules, name="set_timeout")
    assert call.arguments == {name: used}
    assert type(call.arguments[name]) is type(used)


def test_a_policy_for_a_tool_without_a_timeout_is_said_once(caplog):
    """Who stated it finds out."""
    caplog.set_level(logging.WARNING, "timeoutkit")
    arguments = {"limit": 5}
    rules = Rules({"run_shell": TimeoutPolicy()})
    for schema in ({"properties": {"limit": {}}}, {"properties": None}, None):
        assert called(arguments, schema, rules=rules).arguments is arguments
    assert [record.message for record in caplog.records] == [
        "run_shell: it has no timeout to which tools={'run_shell': ...} applies"
    ]


class Shell:
    @sane_timeout(max=3600)
    def run(self, command, timeout=None): ...


@sane_timeout(param=("args", "timeout"), max=3600)
def handler(args): ...


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


DECORATED = [Shell().run, handler, logged(Shell.run), functools.partial(Shell.run, None), logged(logged(Shell().run))]


@pytest.mark.parametrize("function", DECORATED, ids=lambda function: type(function).__name__)
def test_a_decorated_tool_speaks_for_itself(function):
    """Below other decorators, as a method, or with the arguments in one mapping: neither call nor schema is changed."""
    arguments = {"timeout": 7200}
    assert called(arguments, function=function).arguments is arguments
    assert amended(Rules(), "run_shell", SCHEMA, function) is SCHEMA


def test_a_tool_that_states_a_contract_speaks_for_itself():
    """A tool decorated in another process is corrected there."""
    stated = {"properties": {"command": {}, "timeout": TimeoutPolicy(max=3600).json_schema()}}
    arguments = {"timeout": 7200}
    assert called(arguments, stated).arguments is arguments
    assert amended(Rules(), "run_shell", stated) is stated


def test_the_schema_gains_the_contract_in_a_copy():
    """What was there stays, the default is the one that is used, and nothing of the tool's is changed."""
    own = {"type": "object", "properties": {"command": {}, "timeout": OPTIONAL | {"description": "How long."}}}
    used = amended(Rules(), "run_shell", own)
    assert used["properties"]["timeout"] == {
        "anyOf": OPTIONAL["anyOf"],
        "default": 120,
        "description": "How long. Timeout in seconds, e.g. 30; at most 600; default 120; not milliseconds.",
    }
    assert used["properties"]["command"] is own["properties"]["command"]
    assert own["properties"]["timeout"]["default"] is None


def test_a_schema_that_cannot_be_read_is_passed_on(caplog):
    """What went wrong is logged, once."""
    caplog.set_level(logging.WARNING, "timeoutkit")

    class Broken(dict):
        def get(self, *_):
            raise ZeroDivisionError

    broken = Broken()
    assert amended(Rules(), "run_shell", broken) is amended(Rules(), "run_shell", broken) is broken
    assert [record.message for record in caplog.records] == [
        "run_shell: its schema was not amended: ZeroDivisionError()"
    ]


def test_a_function_that_never_ends_is_looked_at_so_far():
    """A mock has every attribute, and each of them is another one."""

    class Endless:
        def __getattr__(self, name):
            return Endless()

        def __call__(self): ...

    assert called({"timeout": 90000}, function=Endless()).arguments == {"timeout": 90}


def test_the_schema_of_a_tool_that_runs_no_command_states_no_limit():
    """Nothing is put in or capped there, and so nothing of it is said."""
    used = amended(Rules(), "fetch", {"properties": {"url": {}, "timeout": {"type": "number"}}})
    assert used["properties"]["timeout"] == {
        "type": "number",
        "description": "Timeout in seconds, e.g. 30; not milliseconds.",
    }


def test_an_amended_schema_means_the_same_as_the_tools_own():
    """A schema that is read again after it was amended changes no value twice."""
    used = amended(Rules(), "run_shell", SCHEMA)
    assert amended(Rules(), "run_shell", used) is used


def test_the_operator_counts(monkeypatch):
    """The environment lowers what a tool may ask, and says the default."""
    monkeypatch.setenv("TIMEOUTKIT_MAX", "60")
    monkeypatch.setenv("TIMEOUTKIT_DEFAULT", "20")
    assert called({"timeout": 7200}).arguments == {"timeout": 60}
    assert called({}).arguments == {"timeout": 20}
    assert called({"timeout": 7200}, rules=Rules({"run_shell": TimeoutPolicy(max=300)})).arguments == {"timeout": 60}


@pytest.mark.parametrize(("own", "used"), [(30, 30), (None, 120), (0, ...), (1500, 1500), ("30", 120)])
def test_a_functions_own_default_counts_where_the_schema_leaves_it_out(own, used):
    """Not every framework states it."""

    def run_shell(command, timeout=own): ...

    stated = {"properties": {"command": {}, "timeout": {"type": "integer", "description": "in seconds"}}}
    assert called({}, stated, run_shell).arguments == ({} if used is ... else {"timeout": used})
    shown = amended(Rules(), "run_shell", stated, run_shell)["properties"]["timeout"]
    assert shown.get("default", ...) == used
    assert "default" not in stated["properties"]["timeout"]


@pytest.mark.parametrize("meant", [0, -1, -1.0])
def test_a_default_of_zero_or_less_keeps_its_meaning(meant):
    """It is passed through, and nothing is put in for a missing value."""
    schema = {"properties": {"command": {}, "timeout": {"type": "number", "default": meant}}}
    assert called({"timeout": meant}, schema).arguments == {"timeout": meant}
    assert called({}, schema).arguments == {}
    assert called({"timeout": 90000}, schema).arguments == {"timeout": 90}


def test_a_failed_result_says_the_limit_that_it_ran_into():
    """The note stands in the framework's own result."""
    assert called({"timeout": 30}).noted("failed", paragraph, TimeoutError()) == f"failed\n\n{LIMIT}"
    assert called({"timeout": 30}).noted("failed", paragraph, ValueError()) == "failed"


def test_each_timeout_of_a_call_has_a_line():
    """Two that were corrected are told one below the other."""
    properties = {"command": {}, "timeout": {"type": "integer"}, "command_timeout": {"type": "integer"}}
    call = called({"timeout": 90000, "command_timeout": 0}, {"properties": properties})
    assert call.note() == (
        f'{NOTE}\n[timeoutkit] "command_timeout": 120 was used. command_timeout is in seconds (up to 600).'
    )


def test_what_went_wrong_with_a_note_is_logged(caplog):
    """The log says what was raised, as one message for all."""
    caplog.set_level(logging.WARNING, "timeoutkit")
    called({"timeout": 0}).noted("ran", lambda result, note: 1 / 0)
    (record,) = caplog.records
    assert record.msg == "%s"
    assert record.getMessage() == "a note was not shown: ZeroDivisionError('division by zero')"


def test_a_refusal_is_reported_as_it_is_raised():
    """The callback gets the correction that the error holds."""
    told = []
    rules = Rules({"run_shell": TimeoutPolicy(mode="strict")}, told.append)
    with pytest.raises(TimeoutValueError) as caught:
        called({"timeout": 0}, rules=rules)
    assert told == [caught.value.correction]


def test_what_could_not_be_looked_at_has_no_note():
    """A call that went on as it was has nothing to tell when it runs out."""
    assert tool_call(Rules(), "run_shell", {"timeout": 30}, lambda: 1 / 0).note(TimeoutError()) == ""


@pytest.mark.parametrize(
    ("own", "shown"), [({}, {}), ({"default": None}, {}), ({"default": 0}, {"default": 0})], ids=str
)
def test_a_default_that_stays_is_shown_as_it_is(own, shown):
    """Where nothing is put in, a null says nothing, and a value with a meaning keeps it."""
    schema = {"properties": {"url": {}, "timeout": {"type": "integer", **own}}}
    used = amended(Rules(), "fetch", schema)["properties"]["timeout"]
    assert {key: value for key, value in used.items() if key == "default"} == shown
    assert used["description"].startswith("Timeout in seconds")


def test_a_tool_about_timeouts_keeps_its_own():
    """A timeout that is the subject of a tool is no limit on its call, by the tool's name."""
    arguments = {"timeout": 90000}
    assert called(arguments, name="set_timeout").arguments is arguments
    assert amended(Rules(), "set_timeout", SCHEMA) is SCHEMA


def run_with_retries(command, retries=3, timeout=30): ...


@pytest.mark.parametrize("schema", [None, "schema", {}, {"properties": {"command": {}}}], ids=str)
def test_a_tool_without_a_timeout_is_not_spoken_of(schema, caplog):
    """Nothing is changed, and nothing logged."""
    caplog.set_level(logging.WARNING, "timeoutkit")
    arguments = {"command": "ls"}
    assert called(arguments, schema, run_with_retries).arguments is arguments
    assert amended(Rules(), "run_shell", schema, run_with_retries) is schema
    assert caplog.records == []


def test_a_parameter_that_the_schema_leaves_out_stays_out():
    """Only what the schema has gains the function's own default."""
    used = amended(Rules(), "run_shell", SCHEMA, run_with_retries)
    assert set(used["properties"]) == {"command", "timeout"}
    assert called({}, {"properties": {"command": {}, "timeout": {}}}, run_with_retries).arguments == {"timeout": 30}


class Wrapped:
    """A wrapper that says what it wraps, and nothing more."""

    def __init__(self, function):
        self.__wrapped__ = function

    def __call__(self, command): ...


@pytest.mark.parametrize("function", [Wrapped(Shell.run), Wrapped(Wrapped(Shell().run)), Wrapped(handler)])
def test_a_decorated_tool_speaks_for_itself_below_a_bare_wrapper(function):
    """A wrapper that copies no attributes is looked through."""
    arguments = {"timeout": 7200}
    assert called(arguments, function=function).arguments is arguments


@pytest.mark.parametrize(("depth", "told"), [(19, True), (20, False)])
def test_an_error_is_looked_at_up_to_a_depth(depth, told):
    """A long chain of causes is not followed to its end."""
    error = TimeoutError()
    for _ in range(depth):
        above = RuntimeError()
        above.__cause__ = error
        error = above
    assert called({"timeout": 30}).note(error) == (LIMIT if told else "")


CONVERTED = [
    # the fields of a policy in seconds, what is written for `timeout_ms`, what is used
    ({"default": 5}, None, 5000), ({"min": 2}, 1500, 2000), ({"max": 300}, 7_200_000, 300_000),
    ({"min": 2, "default": 5, "max": 10}, 60_000, 10_000), ({"keep": (-1,)}, -1, -1), ({"max": None}, 7_200_000, 7_200_000),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "written", "used"), CONVERTED, ids=str)
def test_every_field_of_a_policy_is_read_in_the_unit_of_the_tool(fields, written, used):
    """A policy in seconds is one in milliseconds for a parameter in milliseconds."""
    rules = Rules({"run_shell": TimeoutPolicy(**fields)})
    schema = {"properties": {"command": {}, "timeout_ms": {"type": "integer"}}}
    assert called({"timeout_ms": written}, schema, rules=rules).arguments == {"timeout_ms": used}


def test_a_policy_in_another_unit_keeps_its_mode():
    """A strict one refuses."""
    rules = Rules({"run_shell": TimeoutPolicy(mode="strict")})
    with pytest.raises(TimeoutValueError, match=r"timeout_ms=0 is refused: timeout_ms is in milliseconds"):
        called({"timeout_ms": 0}, {"properties": {"timeout_ms": {"type": "integer"}}}, rules=rules)


def test_a_policy_by_name_is_for_the_limit_of_the_call():
    """Another timeout of the tool is left alone, where there is one of the call."""
    rules = Rules({"run_shell": TimeoutPolicy(max=300)})
    schema = {"properties": {"command": {}, "idle_timeout": {}, "timeout": {}}}
    used = called({"timeout": 7200, "idle_timeout": 7200}, schema, rules=rules).arguments
    assert used == {"timeout": 300, "idle_timeout": 7200}
