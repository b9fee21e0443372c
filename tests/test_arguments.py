"""Raw arguments of tools: which are timeouts, and what becomes of them."""

import json
import math
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timeoutkit import TimeoutPolicy, TimeoutValueError, infer_policies, normalize_arguments

NUMBER = {"type": "number"}
INTEGER = {"type": "integer"}
OPTIONAL = {"anyOf": [INTEGER, {"type": "null"}], "default": None}


def schema(*commands, **properties):
    return {"type": "object", "properties": {name: {"type": "string"} for name in commands} | properties}


MATCHES = [
    # the parameter's name and property, its unit, default and maximum for a tool that runs commands
    ("timeout", NUMBER, "s", 120, 600),
    ("timeout", {}, "s", 120, 600),
    ("timeout", OPTIONAL, "s", 120, 600),
    ("timeout", {"type": ["integer", "null"]}, "s", 120, 600),
    ("timeout", {"oneOf": [NUMBER, {"type": "string"}]}, "s", 120, 600),
    ("timeout_ms", INTEGER, "ms", 120000, 600000),
    ("timeoutMs", INTEGER, "ms", 120000, 600000),
    ("timeout_in_ms", INTEGER, "ms", 120000, 600000),
    ("timeout_seconds", INTEGER, "s", 120, 600),
    ("timeoutSeconds", INTEGER, "s", 120, 600),
    ("timeout_minutes", INTEGER, "min", 2, 10),
    ("yield_time_ms", INTEGER, "ms", 120000, 600000),
    ("command_timeout", INTEGER, "s", 120, 600),
    ("execution_timeout_ms", INTEGER, "ms", 120000, 600000),
    ("commandTimeoutMs", INTEGER, "ms", 120000, 600000),
    ("timeout", NUMBER | {"description": "Optional timeout in milliseconds"}, "ms", 120000, 600000),
    ("timeout", NUMBER | {"description": "How many seconds to wait"}, "s", 120, 600),
    ("timeout", NUMBER | {"description": "a limit (ms, max 600000)", "maximum": 600000}, "ms", 120000, 600000),
    ("timeout", NUMBER | {"description": "items to keep"}, "s", 120, 600),
    ("timeout", NUMBER | {"default": 120000}, "ms", 120000, 600000),
    ("timeout", NUMBER | {"default": 30}, "s", 30, 600),
    ("timeout_seconds", NUMBER | {"default": 3600}, "s", 3600, 3600),
    ("timeout", NUMBER | {"minimum": 1, "maximum": 3600, "default": 30}, "s", 30, 3600),
    ("timeout", NUMBER | {"minimum": 10, "maximum": 5}, "s", 120, None),
    ("timeout", NUMBER | {"default": "soon", "maximum": True}, "s", 120, 600),
]
NO_MATCHES = [
    ("idle_timeout", NUMBER), ("cache_timeout", NUMBER), ("timeouts", NUMBER), ("on_timeout", NUMBER),
    ("timeout_params", NUMBER), ("yield_time", NUMBER), ("max_items", NUMBER), ("timeoutPolicy", NUMBER),
    ("connect_timeout_ms", NUMBER), ("ms", NUMBER), ("seconds", NUMBER), ("items", NUMBER), ("retry_timeout", NUMBER),
    ("timeout", {"type": "boolean"}), ("timeout", {"type": "string"}), ("timeout", {"type": "object"}),
    ("timeout", {"type": "array"}), ("timeout", {"type": "null"}), ("timeout", {"$ref": "#/$defs/Timeout"}),
    ("timeout", {"anyOf": [NUMBER, {"type": "object"}]}), ("timeout", {"anyOf": [NUMBER, {"$ref": "#/$defs/T"}]}),
    ("timeout", {"anyOf": [{"type": "string"}, {"type": "null"}]}), ("timeout", {"anyOf": "broken"}),
    ("timeout", {"type": "integer", "enum": [900, 90000]}), ("timeout", {"const": 30}),
    ("timeout", {"anyOf": [{"enum": [30, 60]}, {"type": "null"}]}),
    ("timeout", "broken"), ("timeout", None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "stated", "unit", "default", "most"), MATCHES)
def test_a_limit_on_the_call_is_found(name, stated, unit, default, most):
    """By name and type; unit from name, description or default; bounds and default as stated."""
    policy = infer_policies(schema("command", **{name: stated}))[name]
    assert (policy.unit, policy.default, policy.max) == (unit, default, most)


@pytest.mark.parametrize(("name", "stated"), NO_MATCHES)
def test_anything_else_is_left_alone(name, stated):
    """Another kind of limit, another type, a reference or a union of unrelated types."""
    assert infer_policies(schema("command", **{name: stated})) == {}


@pytest.mark.parametrize(
    "broken", [{}, None, [], "schema", {"properties": None}, {"properties": []}, {"type": "string"}]
)
def test_no_schema_is_no_policy(broken):
    """A tool without a schema, or a schema without properties."""
    assert infer_policies(broken) == {}


def test_a_tool_about_timeouts_has_none():
    """A timeout that is the subject of a tool is no limit on its call."""
    assert infer_policies(schema(timeout=INTEGER), tool="set_sandbox_timeout") == {}


WRITTEN = [
    # what the model wrote, what a tool that runs commands gets, what any other tool gets
    (90000, 90, 90), ("30s", 30, 30), (0, 120, 120), (-1, 120, 120), ("soon", 120, 120), (True, 120, 120),
    (30, 30, 30), (7200, 600, 7200), (86400, 600, 86400), (None, 120, None), ("1.2s", 2, 2),
]  # fmt: skip


@pytest.mark.parametrize(("written", "limited", "other"), WRITTEN)
def test_a_cap_and_a_default_are_only_for_tools_that_run_commands(written, limited, other):
    """For any other tool only what cannot be meant is corrected."""
    for properties, expected in (
        (schema("command", timeout=INTEGER), limited),
        (schema("url", timeout=INTEGER), other),
    ):
        used, _ = normalize_arguments({"timeout": written}, infer_policies(properties))
        assert used == {"timeout": expected}
        assert type(used["timeout"]) in (int, type(None))


@pytest.mark.parametrize(("written", "used"), [(250, 250), (0, 0), (-1, 10_000), ("2s", 2000), (9_000_000, 600_000)])
def test_a_time_to_yield_may_be_short(written, used):
    """What runs goes on after it, so a small number is no mistaken unit, and none is no mistake."""
    properties = schema("cmd", yield_time_ms={"type": "integer", "default": 10000, "minimum": 0})
    assert normalize_arguments({"yield_time_ms": written}, infer_policies(properties))[0] == {"yield_time_ms": used}


def test_a_default_is_only_put_in_for_tools_that_run_commands():
    """A value that is missing gets the default there; elsewhere nothing is put in, unless the schema states it."""
    assert normalize_arguments({}, infer_policies(schema("command", timeout=INTEGER)))[0] == {"timeout": 120}
    assert normalize_arguments({}, infer_policies(schema("url", timeout=INTEGER)))[0] == {}


@pytest.mark.parametrize("written", [5_000_000, 5_000_000_000, 90_000, 7200, 3_600_001])
def test_arguments_that_pass_twice_are_corrected_once(written):
    """A client and a server in one process both look at them."""
    for properties in (schema("command", timeout=INTEGER), schema("url", timeout=INTEGER)):
        policies = infer_policies(properties)
        once, _ = normalize_arguments({"timeout": written}, policies)
        assert normalize_arguments(once, policies) == (once, [])


def test_a_tools_own_default_is_in_range():
    """Written out by a model it is what it is when left out."""
    policies = infer_policies(schema("url", timeoutSeconds=INTEGER | {"default": 32000}))
    assert normalize_arguments({}, policies)[0] == normalize_arguments({"timeoutSeconds": 32000}, policies)[0]


@pytest.mark.parametrize(("written", "used"), [(90, 60), ("1.5s", 2), (0, 60), (30, 30), (90000, 60), (None, None)])
def test_a_stated_maximum_counts_for_every_tool(written, used):
    """Also where the built-in default is above it, and the tool runs no command."""
    policies = infer_policies(schema("url", timeout=INTEGER | {"maximum": 60}))
    assert normalize_arguments({"timeout": written}, policies)[0] == {"timeout": used}


def test_no_whole_number_is_put_where_none_fits():
    """A maximum below one leaves no whole number, and zero is never passed on."""
    policies = infer_policies(schema("command", timeout_in_minutes=INTEGER | {"maximum": 0.5}))
    assert normalize_arguments({"timeout_in_minutes": 0}, policies)[0]["timeout_in_minutes"] == 0.5


def test_nothing_is_mutated_and_the_rest_is_untouched():
    """Other arguments are the very same objects, and the mapping that was given stays as it is."""
    others = object()
    arguments = MappingProxyType({"command": others, "timeout": 90000})
    used, corrections = normalize_arguments(arguments, {"timeout": TimeoutPolicy()}, function="run_shell")
    assert used == {"command": others, "timeout": 90}
    assert arguments["timeout"] == 90000
    assert [str(correction) for correction in corrections] == ["run_shell: timeout=90000 read as milliseconds, 90 used"]


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ('{"command": "é", "timeout": 90000}', '{"command": "é", "timeout": 90}'),
        ('{"timeout":  30}', '{"timeout":  30}'),
        ("{}", '{"timeout": 120}'),
        ('{"c": "\\ud800", "timeout": 90000}', '{"c": "\\ud800", "timeout": 90}'),
        ('{"c": "Infinity", "n": -1e400, "timeout": 90000}', '{"c": "Infinity", "n": -1e999, "timeout": 90}'),
        ('"{}"', '"{}"'), ("[1]", "[1]"), ("{broken", "{broken"), ("", ""), ("[" * 100_000, "[" * 100_000),
    ],
    ids=lambda text: text[:20],
)  # fmt: skip
def test_json_text_in_is_json_text_out(text, used):
    """The same kind comes back, the very text where nothing changed or nothing could be read."""
    assert normalize_arguments(text, {"timeout": TimeoutPolicy()})[0] == used


@pytest.mark.parametrize("arguments", [None, 5, [1], b"{}", object()], ids=type)
def test_what_is_no_object_is_returned_as_it_is(arguments):
    """A host's odd arguments are not ours to judge."""
    assert normalize_arguments(arguments, {"timeout": TimeoutPolicy()}) == (arguments, [])


def test_what_stays_the_same_is_the_same_object():
    """Arguments in range are not copied."""
    arguments = {"timeout": 30}
    assert normalize_arguments(arguments, {"timeout": TimeoutPolicy()})[0] is arguments


def test_a_strict_policy_refuses():
    """The error is that of a strict policy."""
    with pytest.raises(TimeoutValueError, match="run_shell: timeout=0 is refused"):
        normalize_arguments({"timeout": 0}, {"timeout": TimeoutPolicy(mode="strict")}, function="run_shell")


json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["type", "anyOf", "default"]), inner),
)


@given(st.dictionaries(st.sampled_from(["timeout", "timeout_ms", "command"]), json_values), json_values)
def test_no_schema_and_no_arguments_raise(properties, value):
    """Whatever a schema says and a model writes, policies are found and arguments come back."""
    policies = infer_policies({"properties": properties})
    used, _ = normalize_arguments({"timeout": value, "timeout_ms": value, "other": 1}, policies)
    assert used["other"] == 1
    text = json.dumps({"timeout": value})
    assert isinstance(normalize_arguments(text, policies)[0], str)


MORE_MATCHES = [
    # the property, the type that is delivered of "1.2s", for a tool that fetches
    ({"type": ["number", "integer", "null", "string"]}, 1.2),
    ({"type": "number"}, 1.2),
    ({"type": "integer"}, 2),
    ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, 2),
    ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, 1.2),
]


@pytest.mark.parametrize(("stated", "used"), MORE_MATCHES, ids=str)
def test_the_type_that_is_allowed_is_delivered(stated, used):
    """A number where one is allowed, else an integer."""
    policies = infer_policies(schema("url", timeout=stated))
    assert normalize_arguments({"timeout": "1.2s"}, policies)[0] == {"timeout": used}


@pytest.mark.parametrize(
    "stated",
    [{"oneOf": [{"type": "string"}, {"type": "null"}]}, {"anyOf": 5}, {"type": {"a": 1}}, {"type": [["number"], "x"]}],
    ids=str,
)
def test_an_odd_type_is_left_alone(stated):
    """What does not say that a number is allowed is no timeout."""
    assert infer_policies(schema("command", timeout=stated)) == {}


UNITS_STATED = [
    ({"default": 999}, "s"), ({"default": 1000}, "ms"), ({"default": 1001}, "ms"), ({}, "s"),
    ({"description": "x" * 1997 + " ms"}, "ms"), ({"description": "x" * 1998 + " ms"}, "s"),
    ({"description": ["in ms"]}, "ms"),
]  # fmt: skip


@pytest.mark.parametrize(("stated", "unit"), UNITS_STATED, ids=range(len(UNITS_STATED)))
def test_the_unit_of_a_property(stated, unit):
    """A default of a thousand is of milliseconds, and a description is read so far."""
    assert infer_policies(schema("command", timeout=NUMBER | stated))["timeout"].unit == unit


BOUNDS_STATED = [
    # what the schema states, the default and the maximum of a tool that runs commands
    ({"maximum": 1, "default": 0.5}, 0.5, 1), ({"maximum": 0.5}, 0.5, 0.5), ({"default": 1}, 1, 600),
    ({"maximum": math.inf}, 120, 600), ({"maximum": 0}, 120, 600), ({"default": math.nan}, 120, 600),
]  # fmt: skip


@pytest.mark.parametrize(("stated", "default", "most"), BOUNDS_STATED, ids=str)
def test_the_bounds_of_a_property(stated, default, most):
    """A positive amount counts, however small; anything else says nothing."""
    policies = infer_policies(schema("command", timeout=NUMBER | stated))
    assert (policies["timeout"].default, policies["timeout"].max) == (default, most)
    assert normalize_arguments({}, policies)[0] == {"timeout": default}


OTHER_TOOLS = [
    # the parameter and its property for a tool that fetches, what is written, what is used
    ("timeout", {"default": 30}, {}, {"timeout": 30}),
    ("timeout", {"minimum": 300}, {"timeout": 0}, {"timeout": 300}),
    ("timeout", {"minimum": 60}, {"timeout": 0}, {"timeout": 120}),
    ("timeout_minutes", {}, {"timeout_minutes": 0}, {"timeout_minutes": 2}),
    ("timeout_hours", {}, {"timeout_hours": 0}, {"timeout_hours": 1 / 30}),
    ("timeout", {"minimum": 10, "maximum": 5}, {"timeout": 90000}, {"timeout": 90}),
    ("timeout", {"minimum": 10, "maximum": 5}, {"timeout": 7200}, {"timeout": 7200}),
    ("timeout", {"minimum": 10, "maximum": 5}, {}, {}),
    ("timeout_ms", {"minimum": 10, "maximum": 5}, {"timeout_ms": 0}, {"timeout_ms": 120_000}),
    ("timeout", {}, {"timeout": 4000}, {"timeout": 4000}),
    ("timeout", {}, {"timeout": "90000s"}, {"timeout": 90_000}),
]


@pytest.mark.parametrize(("name", "stated", "written", "used"), OTHER_TOOLS, ids=str)
def test_a_tool_that_runs_no_command_has_the_bounds_that_are_stated(name, stated, written, used):
    """What its schema says counts; one that contradicts itself says the unit."""
    assert normalize_arguments(written, infer_policies(schema("url", **{name: NUMBER | stated})))[0] == used


def test_a_time_to_yield_may_be_shorter_than_anything():
    """No minimum is put in where none is stated."""
    policies = infer_policies(schema("cmd", yield_time_ms=NUMBER))
    assert normalize_arguments({"yield_time_ms": 0.5}, policies)[0] == {"yield_time_ms": 0.5}


def test_an_explicit_duration_is_never_taken_for_milliseconds():
    """A tool that runs commands caps it."""
    used, corrections = normalize_arguments({"timeout": "90000s"}, infer_policies(schema("command", timeout=NUMBER)))
    assert used == {"timeout": 600}
    assert [correction.reason for correction in corrections] == ["above_max"]


@pytest.mark.parametrize("command", ["command", "url"])
def test_a_wrong_unit_is_a_correction(command):
    """Also where no maximum is known, and in a JSON text, with the name of the tool."""
    policies = infer_policies(schema(command, timeout=NUMBER))
    for arguments in ({"timeout": 90000}, '{"timeout": 90000}'):
        _, corrections = normalize_arguments(arguments, policies, function="tool")
        assert [str(one) for one in corrections] == ["tool: timeout=90000 read as milliseconds, 90 used"]


SAME_LIMIT = [
    # two names, whether they are the same limit
    ("timeout", "timeout_ms", True), ("timeout", "timeoutMs", True), ("timeout", "timeout_in_ms", True),
    ("timeoutSeconds", "timeout_ms", True), ("command_timeout", "command_timeout_seconds", True),
    ("commandTimeout", "command_timeout_ms", True), ("timeout", "command_timeout", False),
    ("exec_timeout", "command_timeout", False), ("timeout_ms", "command_timeout_ms", False),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "same"), SAME_LIMIT)
def test_one_limit_of_two_spellings_is_given_once(first, second, same):
    """What is given under one name is not put in under the other, which differs in the unit only."""
    policies = infer_policies(schema("command", **{first: NUMBER, second: NUMBER, "run_timeout": NUMBER}))
    for name, other in ((first, second), (second, first)):
        used = normalize_arguments({name: 30}, policies)[0]
        assert used.keys() == policies.keys() - ({other} if same else set())
    assert normalize_arguments({}, policies)[0].keys() == policies.keys()


ODD_RANGES = [
    # the bounds of an integer, what is written, what is used
    ({"maximum": 1}, "0.5s", 1), ({"minimum": 1.2, "maximum": 1.8}, "1.5s", 1.5), ({"maximum": 0.5}, "0.25s", 0.25),
    ({"minimum": 1, "maximum": 2}, "1.5s", 2),
]  # fmt: skip


@pytest.mark.parametrize(("stated", "written", "used"), ODD_RANGES, ids=str)
def test_an_integer_is_delivered_where_one_is_allowed(stated, written, used):
    """Bounds without a whole number between them are kept all the same."""
    policies = infer_policies(schema("command", timeout=INTEGER | stated))
    assert normalize_arguments({"timeout": written}, policies)[0] == {"timeout": used}


@pytest.mark.parametrize(
    ("written", "used"), [(4_000_000, 4000), (5_000_000, 3600), (7_000_000, 3600), (7_200_000, 7200)]
)
def test_what_is_used_without_a_maximum_is_used_again(written, used):
    """What is read as milliseconds does not look like milliseconds itself."""
    policies = infer_policies(schema("url", timeout=NUMBER))
    assert normalize_arguments({"timeout": written}, policies)[0] == {"timeout": used}
    assert normalize_arguments({"timeout": used}, policies)[0] == {"timeout": used}


def test_a_contradicting_schema_still_says_the_unit():
    """A small number is read as seconds there."""
    policies = infer_policies(schema("url", timeout_ms=NUMBER | {"minimum": 10, "maximum": 5}))
    assert normalize_arguments({"timeout_ms": 5}, policies)[0] == {"timeout_ms": 5000}


def test_one_limit_that_is_given_twice_is_judged_twice():
    """Each spelling has its own policy."""
    policies = infer_policies(schema("command", timeout=NUMBER, timeout_ms=NUMBER))
    used = normalize_arguments({"timeout": 90000, "timeout_ms": 0}, policies)[0]
    assert used == {"timeout": 90, "timeout_ms": 120_000}


def test_the_default_of_a_tool_is_in_range():
    """What the tool itself says is never mistaken."""
    policy = infer_policies(schema("url", timeout_seconds=NUMBER | {"default": 90000}))["timeout_seconds"]
    assert policy.judge(90000) == (90000, "in_range")
