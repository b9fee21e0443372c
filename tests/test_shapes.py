"""Every kind of callable, called by keyword and by position."""

import functools
import inspect
import queue
from dataclasses import dataclass

import pytest

from timeoutkit import sane_timeout


def plain(command, timeout=None):
    return command, timeout


async def coroutine(command, timeout=None):
    return command, timeout


def generator(command, timeout=None):
    yield command, timeout


async def async_generator(command, timeout=None):
    yield command, timeout


def positional_only(command, timeout=None, /):
    return command, timeout


def keyword_only(command, *, timeout=None):
    return command, timeout


def required(command, timeout):
    return command, timeout


def first(timeout, command):
    return command, timeout


def variadic(command, timeout=None, *args, flag=True, **others):
    return command, timeout


def collecting(command, **options):
    return command, options["timeout"]


def after_args(command, *args, timeout=None):
    return command, timeout


def only_keywords(**options):
    return options["command"], options["timeout"]


def awkward(command, timeout=None, _function=1, _correct=2, __type=3, int=4, type=5):
    return command, timeout


class Tool:
    """Every kind of method."""

    def method(self, command, timeout=None):
        return command, timeout

    @sane_timeout
    def decorated(self, command, timeout=None):
        return command, timeout

    @sane_timeout
    @classmethod
    def class_below(cls, command, timeout=None):
        return command, timeout

    @classmethod
    @sane_timeout
    def class_above(cls, command, timeout=None):
        return command, timeout

    @sane_timeout
    @staticmethod
    def static_below(command, timeout=None):
        return command, timeout

    @staticmethod
    @sane_timeout
    def static_above(command, timeout=None):
        return command, timeout

    @sane_timeout
    async def coroutine(self, command, timeout=None):
        return command, timeout

    def __call__(self, command, timeout=None):
        return command, timeout


class AsyncTool:
    """An object whose call is a coroutine function."""

    async def __call__(self, command, timeout=None):
        return command, timeout


@dataclass
class Job:
    """A class that takes a timeout."""

    command: str
    timeout: float | None = None

    def __iter__(self):
        return iter((self.command, self.timeout))


class Sub(Tool):
    """Inherits what is decorated."""


def passthrough(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


def partial_of(function):
    return functools.partial(function, command="ls")


TOOL = Tool()
SHAPES = {
    "function": sane_timeout(plain),
    "coroutine function": sane_timeout(coroutine),
    "generator function": sane_timeout(generator),
    "async generator function": sane_timeout(async_generator),
    "lambda": sane_timeout(lambda command, timeout=None: (command, timeout)),
    "required parameter": sane_timeout(required),
    "variadic": sane_timeout(variadic),
    "awkward names": sane_timeout(awkward),
    "method": TOOL.decorated,
    "method through the class": functools.partial(Tool.decorated, TOOL),
    "inherited method": Sub().decorated,
    "coroutine method": TOOL.coroutine,
    "bound method": sane_timeout(TOOL.method),
    "class method below": Tool.class_below,
    "class method above": Tool.class_above,
    "class method of an instance": TOOL.class_above,
    "class method of a subclass": Sub.class_below,
    "static method below": Tool.static_below,
    "static method above": TOOL.static_above,
    "partial": sane_timeout(functools.partial(plain)),
    "partial of a coroutine function": sane_timeout(functools.partial(coroutine)),
    "callable object": sane_timeout(TOOL),
    "async callable object": sane_timeout(AsyncTool()),
    "class": sane_timeout(Job),
    "decorated below": sane_timeout(passthrough(plain)),
    "decorated above": passthrough(sane_timeout(plain)),
    "coroutine decorated by a plain function": sane_timeout(passthrough(coroutine)),
    "stack": sane_timeout(sane_timeout(plain)),
    "in a class attribute": type("Holder", (), {"tool": staticmethod(sane_timeout(plain))}).tool,
}
KEYWORD_SHAPES = SHAPES | {
    "keyword-only": sane_timeout(keyword_only),
    "collecting keywords": sane_timeout(collecting),
    "only keywords": sane_timeout(only_keywords),
    "after *args": sane_timeout(after_args),
    "before a required parameter": sane_timeout(first),
    "partial with a keyword": sane_timeout(partial_of(plain)),
}
POSITION_SHAPES = SHAPES | {"positional-only": sane_timeout(positional_only)}
VALUES = [(30, 30), (90000, 90), (0, 120), ("30s", 30), (None, 120)]


async def first_of(stream):
    return await anext(stream)


def outcome(result, run):
    """Give the pair that every shape returns."""
    if inspect.isgenerator(result):
        return next(result)
    if inspect.isasyncgen(result):
        return run(first_of(result))
    return tuple(run(result))


@pytest.mark.parametrize(("value", "received"), VALUES)
@pytest.mark.parametrize("shape", KEYWORD_SHAPES)
def test_a_shape_called_by_keyword(shape, value, received, run):
    """Any callable receives the corrected value that was passed by keyword."""
    assert outcome(KEYWORD_SHAPES[shape](command="ls", timeout=value), run) == ("ls", received)


@pytest.mark.parametrize(("value", "received"), VALUES)
@pytest.mark.parametrize("shape", POSITION_SHAPES)
def test_a_shape_called_by_position(shape, value, received, run):
    """Any callable receives the corrected value that was passed by position."""
    assert outcome(POSITION_SHAPES[shape]("ls", value), run) == ("ls", received)


@pytest.mark.parametrize("shape", KEYWORD_SHAPES)
def test_a_shape_called_without_a_timeout(shape, run):
    """Any callable receives the default for a value that is missing."""
    assert outcome(KEYWORD_SHAPES[shape](command="ls"), run) == ("ls", 120)


@pytest.mark.parametrize("shape", POSITION_SHAPES)
def test_a_shape_called_by_position_without_a_timeout(shape, run):
    """Any callable receives the default for a value that is missing, the rest being passed by position."""
    assert outcome(POSITION_SHAPES[shape]("ls"), run) == ("ls", 120)


def test_a_builtin_with_a_signature():
    """A builtin is corrected by keyword and by position."""
    get = sane_timeout(queue.SimpleQueue().get)
    with pytest.raises(queue.Empty):
        get(True, "1ms")
    with pytest.raises(queue.Empty):
        get(timeout="1ms")


def test_a_builtin_without_a_signature_is_corrected_by_keyword():
    """Where no signature can be read, the argument is corrected by keyword and nothing is injected."""
    with pytest.raises(ValueError, match="no signature"):
        inspect.signature(dict)
    make = sane_timeout(dict)
    assert make(timeout=90000)["timeout"] == 90
    assert make(other=1) == {"other": 1}


@pytest.mark.parametrize(
    ("arguments", "received"),
    [
        ({"command": "ls", "timeout": 90000}, {"command": "ls", "timeout": 90}),
        ({"command": "ls"}, {"command": "ls", "timeout": 120}),
        ({"timeout": "30s"}, {"timeout": 30}),
        ("not a mapping", "not a mapping"),
        (None, None),
    ],
)
@pytest.mark.parametrize("by_keyword", [True, False])
def test_a_key_of_a_mapping(arguments, received, by_keyword):
    """The timeout inside a mapping is corrected in a copy, whatever else is passed goes on."""

    @sane_timeout(param=("args", "timeout"))
    def handler(args):
        return args

    before = dict(arguments) if isinstance(arguments, dict) else arguments
    result = handler(args=arguments) if by_keyword else handler(arguments)
    if isinstance(result, dict):
        result.pop("timeout_note", None)
    assert result == received
    assert arguments == before


def test_a_missing_key_stays_missing_without_a_default():
    """With no default nothing is put into the mapping."""
    handler = sane_timeout(param=("args", "timeout"), default=None)(lambda args: args)
    arguments = {"command": "ls"}
    assert handler(arguments) is arguments


# -- wrong calls -----------------------------------------------------------------------------------

WRONG = [
    ((), {}), (("ls", 1, 2), {}), (("ls",), {"command": "ls"}), (("ls",), {"unknown": 1}), (("ls", 1), {"timeout": 1}),
    ((), {"timeout": 90000}), ((), {"timeout": 30}),
]  # fmt: skip


@pytest.mark.parametrize(("args", "kwargs"), WRONG)
@pytest.mark.parametrize(
    "function", [plain, coroutine, passthrough(plain), functools.partial(plain)], ids=lambda f: str(f)[:20]
)
def test_a_wrong_call_is_the_same_error_as_without_us(function, args, kwargs):
    """A missing or surplus argument is a TypeError in the function's own words."""
    with pytest.raises(TypeError) as expected:
        function(*args, **kwargs)
    with pytest.raises(TypeError) as caught:
        result = sane_timeout(function)(*args, **kwargs)
        if inspect.iscoroutine(result):
            result.send(None)
    assert str(caught.value) == str(expected.value)
    assert "plain()" in str(caught.value) or "coroutine()" in str(caught.value)


def test_a_wrong_call_of_a_method_names_the_method():
    """The error of a method has its qualified name."""
    with pytest.raises(TypeError, match=r"^Tool\.decorated\(\) missing 1 required positional argument: 'command'$"):
        TOOL.decorated()


def test_a_required_parameter_before_others_still_asks_for_them():
    """A default for the timeout does not hide that another argument is missing."""
    with pytest.raises(TypeError, match=r"^first\(\) missing 1 required positional argument: 'command'$"):
        sane_timeout(first)()


def test_an_argument_is_passed_on_as_it_is():
    """Nothing but the timeout is touched: the very same objects arrive."""
    marker, other = object(), object()

    @sane_timeout
    def tool(a, /, b, timeout=None, *args, c=marker, **kwargs):
        return a, b, timeout, args, c, kwargs

    assert tool(marker, other, 5, 1, 2, x=marker) == (marker, other, 5, (1, 2), marker, {"x": marker})
    assert tool(marker, b=other, c=other, timeout="5s") == (marker, other, 5, (), other, {})


def test_a_mutable_default_stays_shared():
    """Defaults are passed by reference, as they are without us."""

    @sane_timeout
    def tool(seen=[], timeout=None):
        seen.append(timeout)
        return seen

    assert tool() is tool(timeout=5)
    assert tool() == [120, 5, 120]


def layout(*args, **kwargs):
    return args, kwargs


def with_signature(function):
    function = functools.partial(layout) if function is None else (lambda *args, **kwargs: layout(*args, **kwargs))
    function.__signature__ = inspect.signature(plain)
    return function


LAYOUTS = [
    functools.wraps(plain)(lambda *args, **kwargs: layout(*args, **kwargs)), with_signature(plain), with_signature(None),
]  # fmt: skip


@pytest.mark.parametrize("function", LAYOUTS, ids=["under a decorator", "with a signature", "partial"])
@pytest.mark.parametrize(
    ("args", "kwargs"), [(("ls", 5), {}), (("ls",), {"timeout": 5}), ((), {"timeout": 5, "command": "ls"})]
)
def test_what_has_no_parameters_of_its_own_is_called_as_the_caller_wrote(function, args, kwargs):
    """What lies under a decorator may count on how it is called."""
    assert sane_timeout(function)(*args, **kwargs) == (args, kwargs)
    assert list(sane_timeout(function)(*args, **kwargs)[1]) == list(kwargs)


def test_a_positional_only_parameter_is_never_put_in_by_name():
    """What is called in the caller's own layout keeps its own default."""

    def function(*args, **kwargs):
        return args, kwargs

    parameter = inspect.Parameter("timeout", inspect.Parameter.POSITIONAL_ONLY, default=None)
    function.__signature__ = inspect.Signature([parameter])
    assert sane_timeout(function)() == ((), {})
    assert sane_timeout(function)(90000) == ((90,), {})


def test_a_collected_parameter_stays_missing_without_a_default():
    """It is not put in, and not asked for."""
    assert sane_timeout(default=None)(only_options)() == {}
    assert sane_timeout(default=None, notes=False)(only_options)(timeout=90000) == {"timeout": 90}


def only_options(**options):
    return options
