"""The contract in annotations: what is read, what is advertised, and what other libraries make of it."""

import functools
import inspect
import operator
import subprocess
import sys
import typing
from collections.abc import Awaitable, Coroutine
from datetime import timedelta
from typing import Annotated, Any, Optional

import pydantic
import pytest
import typeguard
from annotated_types import GroupedMetadata, Gt, Interval, Le, Lt, MultipleOf, Unit

from timeoutkit import TimeoutPolicy, TimeoutValueError, sane_timeout
from timeoutkit._annotation import resolve, result_type
from timeoutkit.testing import capture_corrections

CONTRACT = TimeoutPolicy().describe()
LAX = int | float | str | None


def advertised(function):
    return inspect.signature(function).parameters["timeout"]


def parts(function):
    annotation = advertised(function).annotation
    return annotation.__origin__, annotation.__metadata__[0], annotation.__metadata__[2:]


# -- the advertised signature ----------------------------------------------------------------------


def test_the_advertised_parameter_lets_raw_values_through_and_states_the_contract():
    """The form that every framework accepts: a lax type, the contract as text first, the policy, the default."""

    @sane_timeout
    def tool(command: str, timeout: int | None = None) -> str: ...

    parameter = advertised(tool)
    assert parts(tool) == (LAX, CONTRACT, ())
    assert isinstance(parameter.annotation.__metadata__[1], TimeoutPolicy)
    assert parameter.default == 120


@pytest.mark.parametrize(
    ("annotation", "text", "others"),
    [
        (int, CONTRACT, ()),
        (Annotated[int, "How long to wait"], f"How long to wait. {CONTRACT}", ()),
        (Annotated[int, "How long to wait."], f"How long to wait. {CONTRACT}", ()),
        (Annotated[int, Gt(0), MultipleOf(5), Le(600)], CONTRACT, (MultipleOf(5),)),
        (Annotated[float, Interval(gt=0, le=600), "text", "more"], f"text. {CONTRACT}", ("more",)),
        (Annotated[int, TimeoutPolicy()] | None, CONTRACT, ()),
        (Optional[Annotated[int, Unit("s")]], CONTRACT, ()),  # noqa: UP045
        ("Unknown[int]", CONTRACT, ()),
        (inspect.Parameter.empty, CONTRACT, ()),
    ],
    ids=str,
)
def test_bounds_that_were_read_leave_the_annotation_and_other_metadata_stays(annotation, text, others):
    """A bound would reject raw values; what the user says of the parameter comes before the contract."""

    def tool(timeout=None): ...

    if annotation is not inspect.Parameter.empty:
        tool.__annotations__ = {"timeout": annotation}
    assert parts(sane_timeout(tool)) == (LAX, text, others)


def test_other_parameters_stay_as_they_were_written():
    """Annotations that are still texts stay texts, and resolve as before."""

    def tool(command: "str", late: "Local", timeout: "int | None" = None) -> "str": ...

    decorated = sane_timeout(tool)
    assert decorated.__annotations__["command"] == "str"
    assert decorated.__annotations__["late"] == "Local"
    assert typing.get_type_hints(decorated)["late"] is Local


class Local:
    """Defined after its use, local to this module."""


FUTURE = """
from __future__ import annotations
import inspect, typing
from timeoutkit import TimeoutPolicy, sane_timeout

class Shell: ...

@sane_timeout
def tool(shell: Shell, timeout: typing.Annotated[int | None, TimeoutPolicy(max=300)] = None) -> dict[str, Shell]: ...

class Holder:
    @sane_timeout
    def method(self, shell: Shell, timeout: int = 5) -> Shell: ...

hints = typing.get_type_hints(tool, include_extras=True)
assert hints["shell"] is Shell and hints["return"] == dict[str, Shell]
assert inspect.signature(tool, eval_str=True).parameters["timeout"].annotation == hints["timeout"]
assert inspect.get_annotations(tool, eval_str=True) == hints
assert tool.timeout_policies["timeout"].max == 300
assert typing.get_type_hints(Holder().method)["shell"] is Shell
assert inspect.signature(Holder().method).parameters["timeout"].default == 5
"""


def test_annotations_from_the_future():
    """Under `from __future__ import annotations` all three ways of asking agree."""
    subprocess.run([sys.executable, "-W", "error", "-c", FUTURE], check=True)


lazily_evaluated = pytest.mark.skipif(sys.version_info < (3, 14), reason="annotations are lazy from Python 3.14 on")
NAMES_THAT_ARE_NOT_THERE = """
from timeoutkit import TimeoutPolicy, retrofit, sane_timeout

@sane_timeout
def known(context: Context, timeout: int = 60) -> str:
    return f"within {timeout} s"

@sane_timeout
def unknown(context: Context, timeout: Optional[int] = 60) -> Result:
    return {"within": timeout}

@sane_timeout
def unknown_inside(context: Context, timeout: float | Limit = 60) -> dict[str, Result]:
    return {"within": timeout}

class Tool:
    @sane_timeout
    def run(self, other: Tool, timeout: int = 60) -> Tool | str:
        return f"within {timeout} s"
"""


@pytest.mark.parametrize("start", ["from __future__ import annotations", pytest.param("", marks=lazily_evaluated)])
def test_not_all_names_of_an_annotation_need_be_there(start):
    """The function is decorated, and a note is attached where what it returns is known to fit."""
    names = {}
    exec(start + NAMES_THAT_ARE_NOT_THERE, names)
    note = '\n\n[timeoutkit] "timeout": 90 was used. timeout is in seconds (up to 600), not milliseconds.'
    assert names["known"](None, 90000) == "within 90 s" + note
    assert names["unknown"](None, 90000) == names["unknown_inside"](None, 90000) == {"within": 90}
    assert names["Tool"]().run(None, 90000) == "within 90 s" + note
    assert CONTRACT.replace("120", "60") == parts(names["unknown"])[1]
    assert str(inspect.signature(names["known"])).startswith("(context: ")


@pytest.mark.parametrize("annotation", ["int", typing.ForwardRef("int")], ids=["text", "reference"])
def test_an_annotation_that_refers_to_a_type_is_that_type(annotation):
    """An int gets the next whole number."""

    def wait(timeout: annotation):
        return timeout

    assert sane_timeout(wait)("1.5s") == 2


@lazily_evaluated
def test_annotations_are_computed_on_request():
    """`annotationlib` gives the advertised annotations in each of its formats, as it gives the function's own."""
    from annotationlib import Format, get_annotations

    @sane_timeout
    def tool(command: Local, shell: "Local", other: missing | None, timeout: list[int] = 5): ...  # noqa: F821

    for kind in (Format.FORWARDREF, Format.STRING):
        advertised, own = (get_annotations(one, format=kind) for one in (tool, tool.__wrapped__))
        assert CONTRACT.replace("120", "5") in str(advertised["timeout"])
        assert advertised == {**own, "timeout": advertised["timeout"]}
    with pytest.raises(NameError, match="missing"):
        get_annotations(tool)
    missing = int
    assert get_annotations(tool)["other"] == missing | None
    with pytest.raises(NotImplementedError):
        tool.__annotate__(Format.VALUE_WITH_FAKE_GLOBALS)


@pytest.mark.parametrize(
    ("function", "shown"),
    [
        (lambda timeout, command: 0, "(timeout, command)"),
        (lambda command, timeout: 0, "(command, timeout=120)"),
        (lambda command, *, timeout, flag: 0, "(command, *, timeout=120, flag)"),
        (lambda command, **options: 0, "(command, *, timeout=120, **options)"),
        (lambda command, timeout=-1: 0, "(command, timeout=-1)"),
    ],
)
def test_the_default_is_advertised_where_a_signature_can_hold_one(function, shown):
    """A parameter before a required one can have no default; one that is collected is shown."""
    signature = inspect.signature(sane_timeout(function))
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    assert str(inspect.Signature(bare)) == shown


def test_an_annotation_is_resolved_among_the_names_of_an_enclosing_function():
    """What a local function refers to is found where it was defined."""
    local = TimeoutPolicy(max=300)
    unset: object

    def tool(timeout: "Annotated[float, local]") -> "str":
        return f"within {timeout} of {local and unset}"

    assert sane_timeout(tool).timeout_policies["timeout"].max == 300
    unset = 1
    assert sane_timeout(tool)(90000).startswith("within 90.0 of 1\n\n[timeoutkit]")


class Tool:
    """An object that is called."""

    def __call__(self, timeout: "Annotated[int, TimeoutPolicy(max=300)]") -> "str":
        return f"within {timeout}"


@pytest.mark.parametrize("function", [functools.partial(Tool.__call__, Tool()), Tool()], ids=["partial", "object"])
def test_an_annotation_is_resolved_where_the_called_function_was_defined(function):
    """A partial and a callable object are read as the function that they call."""
    decorated = sane_timeout(function)
    assert decorated.timeout_policies["timeout"].max == 300
    assert decorated(timeout=7200).startswith("within 300\n\n[timeoutkit]")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type aliases are new in 3.12")
def test_a_type_alias_is_seen_through():
    """`type Seconds = float` is a float."""
    names = {"sane_timeout": sane_timeout}
    exec("type Seconds = float | None\n@sane_timeout\ndef tool(timeout: Seconds = None): return timeout", names)
    assert type(names["tool"](30)) is float


def test_docs_keep_the_declared_type():
    """For builders that read types strictly only metadata and docstring change."""

    @sane_timeout(advertise="docs")
    def tool(command: str, timeout: Annotated[int, "How long"] = 5) -> str:
        """Run."""

    annotation = advertised(tool).annotation
    assert annotation == Annotated[int, f"How long. {TimeoutPolicy(default=5).describe()}"]
    assert advertised(tool).default == 5
    assert "Timeout in seconds" in tool.__doc__


def test_nothing_is_advertised_when_turned_off():
    """Signature, annotations and docstring are the function's own."""

    @sane_timeout(advertise=False)
    def tool(command: str, timeout: int = 5) -> str:
        """Run."""

    function = tool.__wrapped__
    assert inspect.signature(tool) == inspect.signature(function)
    assert tool.__annotations__ == function.__annotations__
    assert tool.__doc__ == "Run."
    assert tool("ls", 90000) is None


@pytest.mark.parametrize("advertise", ["docs", False])
@pytest.mark.parametrize("function", [lambda command, timeout=5: 0, lambda **options: 0], ids=["named", "collected"])
def test_what_is_not_annotated_stays_so(function, advertise):
    """Where no type is advertised, there is none among the annotations."""
    assert sane_timeout(advertise=advertise)(function).__annotations__ == {}


def annotated(command: str, timeout: int = 5, *, arguments: dict[str, Any]): ...


@pytest.mark.parametrize("options", [{"advertise": False}, {"param": ("arguments", "timeout")}], ids=str)
def test_where_nothing_is_advertised_the_annotations_are_the_functions_own(options):
    """A partial, which has none, gains none."""
    assert sane_timeout(**options)(annotated).__annotations__ == annotated.__annotations__
    assert sane_timeout(**options)(functools.partial(annotated)).__annotations__ == {}


def test_a_stack_states_each_contract_once():
    """An outer decorator of the same parameter states its own contract in the place of the inner one's."""
    tool = sane_timeout(max=60)(sane_timeout(max=30)(lambda timeout: timeout))
    assert parts(tool)[1] == TimeoutPolicy(default=30, max=60).describe()
    assert parts(tool)[2] == ()


# -- pydantic --------------------------------------------------------------------------------------


class Job(pydantic.BaseModel):
    """A model whose field is a timeout."""

    timeout: Annotated[int, TimeoutPolicy(max=300)] = 30
    delay: Annotated[float | None, TimeoutPolicy(unit="ms", default=None)] = None
    wait: Annotated[timedelta, TimeoutPolicy()] = timedelta(seconds=5)


@pytest.mark.parametrize(
    ("given", "timeout"),
    [(30, 30), (90000, 90), ("30s", 30), ("1.2s", 2), (0, 120), (-1, 120), (7200, 300), (None, 120), (True, 120)],
)
def test_a_field_is_corrected_on_validation(given, timeout):
    """A model accepts what a caller writes and holds what is used, in the declared type."""
    assert Job(timeout=given).timeout == timeout
    assert Job.model_validate_json(f'{{"wait": {"90000"}}}').wait == timedelta(seconds=90)


def test_a_field_with_another_unit_or_without_a_default():
    """Unit and default of the field's own policy count."""
    assert Job(delay="2s").delay == 2000
    assert Job(delay=5).delay == 5000
    assert Job(delay=None).delay is None


def test_the_schema_of_a_model_states_the_contract():
    """A field's schema has its own type and default, and the contract as its description."""
    schema = Job.model_json_schema()["properties"]["timeout"]
    assert schema["type"] == "integer"
    assert schema["default"] == 30
    assert schema["description"] == TimeoutPolicy(max=300).describe()
    assert not {"minimum", "maximum", "exclusiveMinimum"} & set(schema)
    optional = pydantic.TypeAdapter(Annotated[int | None, TimeoutPolicy()]).json_schema()
    assert optional == {"anyOf": [{"type": "integer"}, {"type": "null"}], "description": CONTRACT}


def test_a_strict_field_is_a_validation_error():
    """In strict mode pydantic reports what would have been corrected."""
    adapter = pydantic.TypeAdapter(Annotated[int, TimeoutPolicy(mode="strict")])
    with pytest.raises(pydantic.ValidationError, match=r"timeout=90000 is refused: .* Write 90\."):
        adapter.validate_python(90000)
    assert adapter.validate_python("30s") == 30
    assert issubclass(TimeoutValueError, ValueError)


def test_an_advertised_signature_lets_raw_values_through_pydantic():
    """What pydantic makes of the signature validates nothing, so that the decorator makes the note."""
    received = []

    @sane_timeout
    def tool(command: str, timeout: int | None = None) -> str:
        received.append(timeout)
        return "out"

    adapter = pydantic.TypeAdapter(advertised(tool).annotation)
    for raw in ("30s", 90000, -5, None, "soon", 30):
        assert adapter.validate_python(raw) is raw
    schema = adapter.json_schema()
    assert schema == {"type": "number", "description": CONTRACT, "default": 120}
    bounded = sane_timeout(schema_bounds=True, min=1)(tool.__wrapped__)
    assert pydantic.TypeAdapter(advertised(bounded).annotation).json_schema()["maximum"] == 600
    assert pydantic.TypeAdapter(advertised(bounded).annotation).json_schema()["minimum"] == 1


@pytest.mark.parametrize("value", [30, 90000, "30s", 0])
def test_validate_call_above_lets_raw_values_through(value):
    """`pydantic.validate_call` above reads the advertised signature."""

    @pydantic.validate_call
    @sane_timeout
    def tool(command: str, timeout: int | None = None) -> str:
        return f"within {timeout}"

    expected = TimeoutPolicy().normalize(value)[0]
    assert tool("ls", timeout=value).startswith(f"within {expected}")


def test_validate_call_below_validates_what_was_corrected():
    """`pydantic.validate_call` below gets a value that its own bounds accept."""
    tool = sane_timeout(pydantic.validate_call(_bounded))
    assert tool(timeout=90000) == 90
    assert tool(timeout="30s") == 30


def _bounded(timeout: Annotated[int, Interval(gt=0, le=600)]) -> int:
    return timeout


def test_a_policy_is_no_grouped_metadata():
    """Pydantic would expand a group and drop the policy's own hooks."""
    assert not isinstance(TimeoutPolicy(), GroupedMetadata)


# -- typeguard -------------------------------------------------------------------------------------

CHECKED = [
    (Annotated[float, TimeoutPolicy(max=300)], 30.0, True),
    (Annotated[float, TimeoutPolicy(max=300)], 300, True),
    (Annotated[float, TimeoutPolicy(max=300)], 301, False),
    (Annotated[float, TimeoutPolicy(max=300)], 90000, False),
    (Annotated[float, TimeoutPolicy(max=300)], 0, False),
    (Annotated[float, TimeoutPolicy(max=300)], "30", False),
    (Annotated[float, TimeoutPolicy(keep=(0,))], 0, True),
    (Annotated[float | None, TimeoutPolicy()], None, True),
    (Annotated[float, TimeoutPolicy()], None, False),
    (Annotated[int, TimeoutPolicy()], True, False),
    (Annotated[timedelta, TimeoutPolicy()], timedelta(minutes=5), True),
    (Annotated[timedelta, TimeoutPolicy()], timedelta(minutes=11), False),
    (Annotated[float, TimeoutPolicy()] | str, 7200, False),
    (Annotated[float, TimeoutPolicy()] | str, "x", True),
    (Annotated[float, Unit("s"), Le(300)], 301, False),
    (Annotated[float, Unit("s"), Le(300)], 300, True),
    # what is not a timeout is none of our business
    (Annotated[float, Le(300)], 301, True),
    (Annotated[float, Unit("km"), Le(300)], 301, True),
    (list[Annotated[int, TimeoutPolicy()]], [30, 90000], False),
]


@pytest.mark.parametrize(("annotation", "value", "passes"), CHECKED, ids=str)
def test_check_type_enforces_the_bounds(annotation, value, passes):
    """`typeguard.check_type` refuses a value that would be corrected."""
    strategy = typeguard.CollectionCheckStrategy.ALL_ITEMS
    if passes:
        typeguard.check_type(value, annotation, collection_check_strategy=strategy)
        return
    with pytest.raises(typeguard.TypeCheckError):
        typeguard.check_type(value, annotation, collection_check_strategy=strategy)


def test_typechecked_enforces_the_bounds_and_says_so():
    """The error reads as typeguard's own do."""

    @typeguard.typechecked
    def tool(timeout: Annotated[float, TimeoutPolicy(min=1, max=300)]) -> float:
        return timeout

    assert tool(30.0) == 30.0
    with pytest.raises(
        typeguard.TypeCheckError, match=r'^argument "timeout" \(int\) is not a timeout in seconds \(1 to 300\)$'
    ):
        tool(90000)


def test_typechecked_above_the_decorator_lets_raw_values_through():
    """An advertised annotation is no bound."""
    annotation = advertised(sane_timeout(lambda timeout: timeout)).annotation
    typeguard.check_type(90000, annotation)
    typeguard.check_type("30s", annotation)


def test_the_lookup_is_registered_by_its_entry_point():
    """The check is there without an import of timeoutkit."""
    code = (
        "import sys, typeguard\n"
        "assert any(f.__module__.startswith('timeoutkit') for f in typeguard.checker_lookup_functions)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_metadata_of_other_tools_does_not_disturb():
    """Metadata that is unhashable or odd is passed on."""

    class Odd:
        __hash__ = None

        def __eq__(self, other):
            raise RuntimeError("no")

    def tool(timeout=None): ...

    tool.__annotations__ = {"timeout": Annotated[Any, {"a": 1}, Odd()]}
    with capture_corrections():
        assert len(parts(sane_timeout(tool))[2]) == 2


MORE_CHECKED = [
    (Annotated[float | None, TimeoutPolicy()], 30.0, True),
    (Annotated[float, TimeoutPolicy(max=None)], 60000.0, True),
    (Annotated[tuple[int, int], TimeoutPolicy()], (5, 30), True),
    (Annotated[tuple[int, int], TimeoutPolicy()], ("a", "b"), False),
    (Annotated[list[int] | float, TimeoutPolicy()], [30], False),
    (Annotated[float, Unit("s"), Lt(300)], 299.5, True),
    (Annotated[float, Unit("s"), Lt(300)], 300.0, False),
]


@pytest.mark.parametrize(("annotation", "value", "passes"), MORE_CHECKED, ids=str)
def test_check_type_enforces_the_declared_type_as_well(annotation, value, passes):
    """What is no amount is checked as it is declared, and what is only suspicious passes."""
    if passes:
        typeguard.check_type(value, annotation)
        return
    with pytest.raises(typeguard.TypeCheckError):
        typeguard.check_type(value, annotation)


def test_an_exclusive_bound_of_an_int_is_said_as_the_next_int():
    """The error names whole numbers."""
    with pytest.raises(typeguard.TypeCheckError, match=r"is not a timeout in seconds \(6 to 299\)$"):
        typeguard.check_type(300, Annotated[int, Unit("s"), Gt(5), Lt(300)])


async def waited() -> str:
    return "out"


def declared_none(timeout): ...
def declared_str(timeout) -> str: ...
def declared_text(timeout) -> "str": ...
def declared_awaitable(timeout) -> Awaitable[str]: ...
def declared_coroutine(timeout) -> "Coroutine[Any, Any, str]": ...
def declared_list(timeout) -> list[str]: ...


RESULTS = [
    (declared_none, Any), (declared_str, str), (declared_text, str), (declared_awaitable, str), (declared_coroutine, str),
    (declared_list, list[str]), (Tool, Any), (dict, Any),
]  # fmt: skip


@pytest.mark.parametrize(("function", "result"), RESULTS, ids=lambda value: getattr(value, "__name__", str(value)))
def test_the_type_of_a_result_is_what_is_declared(function, result):
    """What a call gives when it is awaited is what its declaration says inside of `Awaitable` or `Coroutine`."""
    assert result_type(function) == result


def test_an_awaitable_result_is_noted_by_what_it_gives(run):
    """A plain function that declares an awaitable of a text gets its note."""

    def tool(timeout: float) -> Awaitable[str]:
        return waited()

    assert run(sane_timeout(tool)(90000)).startswith("out\n\n[timeoutkit]")


def test_an_annotation_without_a_place_is_resolved_among_the_builtins():
    """An object whose call has no module of its own."""
    assert resolve("int | None", operator.itemgetter(0)) == int | None


def test_a_name_that_is_not_set_yet_hides_no_later_one():
    """What an enclosing function sets afterwards is left out, the rest is found."""
    policy = TimeoutPolicy(max=300)

    def tool(timeout: "Annotated[float, policy]"):
        return a_later_name, policy

    found = sane_timeout(tool).timeout_policies["timeout"]
    a_later_name = 1
    assert (found.max, a_later_name) == (300, 1)


def test_a_policy_below_a_union_below_metadata_is_found():
    """Annotations are read at every depth."""

    def tool(wait: Annotated[Annotated[float, TimeoutPolicy(max=300)] | None, "text"] = None): ...

    assert sane_timeout(tool).timeout_policies == {"wait": TimeoutPolicy(max=300)}


def test_a_bound_alone_makes_no_timeout():
    """Another parameter with a bound is another parameter."""

    def tool(retries: Annotated[int, Gt(0)], timeout: float = 5): ...

    assert set(sane_timeout(tool).timeout_policies) == {"timeout"}


def test_the_schema_of_a_signature_has_the_users_own_words():
    """What pydantic makes of the advertised annotation says what the user says, then the contract."""

    def tool(timeout: Annotated[int, "How long"]): ...

    schema = pydantic.TypeAdapter(advertised(sane_timeout(tool)).annotation).json_schema()
    assert schema["description"] == f"How long. {CONTRACT}"


def test_a_stack_keeps_the_users_own_words():
    """An outer decorator replaces the contract of the inner one, and not what stands before it."""

    def tool(timeout: Annotated[int, "How long."]): ...

    stack = sane_timeout(max=60)(sane_timeout(max=30)(tool))
    assert parts(stack)[1] == f"How long. {TimeoutPolicy(default=30, max=60).describe()}"


FIELDS = [
    (int, "1.2s", 2), (int, 90000, 90), (float, "1.2s", 1.2), (float, 30, 30.0), (timedelta, 90000, timedelta(seconds=90)),
    (int | None, "1.2s", 2),
]  # fmt: skip


@pytest.mark.parametrize(("declared", "given", "used"), FIELDS, ids=str)
def test_a_field_is_delivered_in_its_declared_type(declared, given, used):
    """What pydantic then validates is of that type already."""
    result = pydantic.TypeAdapter(Annotated[declared, TimeoutPolicy()]).validate_python(given)
    assert (result, type(result)) == (used, type(used))


def test_a_strict_field_names_no_function():
    """The error of a field is that of its policy."""
    adapter = pydantic.TypeAdapter(Annotated[int, TimeoutPolicy(mode="strict")])
    with pytest.raises(pydantic.ValidationError, match=r"Value error, timeout=90000 is refused: "):
        adapter.validate_python(90000)


UNCHANGED = [
    (lambda args=None: 0, {"param": ("args", "timeout")}),
    (lambda timeout=None: 0, {"advertise": "docs"}),
    (lambda timeout=None: 0, {"advertise": False}),
]


@pytest.mark.parametrize(("function", "options"), UNCHANGED)
def test_a_signature_that_cannot_say_more_stays_as_it_is(function, options):
    """A key of a mapping has no parameter, and a type that is not declared has none to keep."""
    assert inspect.signature(sane_timeout(**options)(function)) == inspect.signature(function)


ADVERTISED_DEFAULTS = [
    # the function, the options, the default that is advertised
    (lambda timeout=None: 0, {"mode": "observe"}, None), (lambda timeout=5: 0, {"mode": "observe"}, 5),
    (lambda **options: 0, {"mode": "observe"}, None), (lambda **options: 0, {}, 120), (lambda timeout=None: 0, {}, 120),
    (lambda timeout=None: 0, {"default": None}, None),
]  # fmt: skip


@pytest.mark.parametrize(("function", "options", "default"), ADVERTISED_DEFAULTS)
def test_the_advertised_default_is_what_a_missing_value_becomes(function, options, default):
    """Where nothing is put in, it is the function's own."""
    assert advertised(sane_timeout(**options)(function)).default == default


def test_docs_keep_the_functions_own_default():
    """Also where it is none."""

    def tool(timeout: int | None = None): ...

    assert advertised(sane_timeout(advertise="docs")(tool)).default is None


def test_a_parameter_that_is_collected_states_the_contract():
    """The one that is shown among the others says the same."""
    assert parts(sane_timeout(lambda **options: 0)) == (LAX, CONTRACT, ())


@pytest.mark.parametrize(
    "function", [lambda a, b, *, timeout: 0, lambda a, b, *, timeout, c: 0, lambda a, b, timeout: 0]
)
def test_a_keyword_has_a_default_whatever_stands_before_it(function):
    """Only a positional parameter after it would forbid one."""
    assert advertised(sane_timeout(function)).default == 120
