"""The wrapper: what it is, what it says of itself, how it travels."""

import asyncio
import contextlib
import copy
import functools
import inspect
import pickle
import subprocess
import sys
import threading
import typing
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import cloudpickle
import pytest

from timeoutkit import TimeoutPolicy, sane_timeout
from timeoutkit._address import address_of
from timeoutkit._argument import Argument
from timeoutkit._wrapper import TimeoutWrapper
from timeoutkit.testing import capture_corrections


@sane_timeout
def tool(command: str, timeout: int | None = None) -> str:
    """Run a command."""
    return f"{command} {timeout}"


def undecorated(command: str, timeout: int | None = None) -> str:
    """Run a command."""
    return f"{command} {timeout}"


elsewhere = sane_timeout(max=300)(undecorated)


def logged(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


@logged
@sane_timeout
def below_another(command: str, timeout: int | None = None) -> str:
    """Run a command."""
    return f"{command} {timeout}"


class Runner:
    """Has decorated methods."""

    def __init__(self, prefix="ran"):
        self.prefix = prefix

    def __eq__(self, other):
        return isinstance(other, Runner) and self.prefix == other.prefix

    __hash__ = None

    @sane_timeout
    def run(self, command: str, timeout: int | None = None) -> str:
        """Run a command."""
        return f"{self.prefix} {command} {timeout}"

    @sane_timeout
    @classmethod
    def make(cls, timeout=None):
        """Make one."""
        return cls, timeout

    @staticmethod
    @sane_timeout
    def check(timeout=None):
        """Check one."""
        return timeout


class Callable:
    """A callable object with a state."""

    def __init__(self):
        self.seen = []

    def __call__(self, timeout=None):
        self.seen.append(timeout)
        return self.seen


# -- identity --------------------------------------------------------------------------------------


def test_a_wrapper_is_equal_to_itself_only():
    """No cache takes a wrapper for its function, or for another wrapper of it."""
    other = sane_timeout(undecorated)
    assert len({undecorated, elsewhere, other}) == 3
    assert elsewhere == elsewhere
    assert elsewhere != undecorated
    assert elsewhere != other
    assert hash(elsewhere) != hash(undecorated)


def test_methods_compare_as_methods_do():
    """Two reads of a method are equal, those of two instances are not."""
    runner = Runner()
    assert runner.run == runner.run
    assert hash(Runner.run) == hash(Runner.run)
    assert runner.run != Runner().run or runner == Runner()
    assert runner.run.__self__ is runner
    assert runner.run.__func__ is Runner.run


def test_the_wrapper_passes_for_a_function():
    """Builders that ask for a function get one."""
    assert callable(tool)
    assert isinstance(tool, type(undecorated))
    assert inspect.isfunction(tool)
    assert inspect.ismethod(Runner().run)
    assert inspect.unwrap(tool) is tool.__wrapped__
    assert inspect.getsource(tool).startswith("@sane_timeout\ndef tool(")


# -- introspection ---------------------------------------------------------------------------------


def test_the_wrapper_says_what_it_is():
    """Name, module, document, policies and the function itself."""
    assert (tool.__name__, tool.__qualname__, tool.__module__) == ("tool", "tool", __name__)
    assert tool.__doc__.startswith("Run a command.")
    assert tool.timeout_policies == {"timeout": TimeoutPolicy()}
    assert tool.__wrapped__("ls", 90000) == "ls 90000"
    assert Runner.run.timeout_policies == Runner().run.timeout_policies == {"timeout": TimeoutPolicy()}


def test_the_signature_states_the_contract_and_the_annotations_agree():
    """`signature`, `get_type_hints` and `get_annotations` say the same of a function and of a method."""
    for function in (tool, Runner().run, Runner.run, elsewhere):
        advertised = inspect.signature(function).parameters["timeout"]
        hints = typing.get_type_hints(function, include_extras=True)
        assert advertised.annotation == hints["timeout"]
        assert inspect.get_annotations(function, eval_str=True)["timeout"] == hints["timeout"]
        assert hints["command"] is str
        assert hints["return"] is str
        assert advertised.default == 120
        assert list(inspect.signature(function).parameters)[-2:] == ["command", "timeout"]


def test_defaults_agree_with_the_signature():
    """`__defaults__` and `__kwdefaults__` are those of the advertised signature."""
    assert tool.__defaults__ == Runner().run.__defaults__ == (120,)
    assert tool.__kwdefaults__ is None
    assert sane_timeout(lambda *, timeout=5: 0).__kwdefaults__ == {"timeout": 5}


def test_the_wrapped_function_is_never_changed():
    """Decorating, calling and introspecting leave the function as it was."""

    def function(command: str, timeout: int | None = None) -> str:
        """Run."""
        return command

    before = {name: getattr(function, name) for name in ("__doc__", "__defaults__", "__kwdefaults__", "__code__")}
    annotations, attributes = dict(function.__annotations__), dict(vars(function))
    decorated = sane_timeout(function)
    decorated("ls", 90000)
    for name in ("__signature__", "__annotations__", "__doc__", "__defaults__", "__kwdefaults__", "__code__"):
        getattr(decorated, name)
    decorated.tag = decorated.__doc__ = decorated.__name__ = decorated.__qualname__ = decorated.__module__ = "changed"
    decorated.__annotations__ = decorated.__signature__ = None
    assert {name: getattr(function, name) for name in before} == before
    assert (function.__annotations__, vars(function)) == (annotations, attributes)
    assert (function.__name__, function.__module__) == ("function", __name__)


@typing.runtime_checkable
class Documented(typing.Protocol):
    """What some frameworks ask of a tool."""

    __annotations__: dict


def test_asking_the_class_does_not_empty_the_annotations():
    """A runtime protocol reads `__annotations__` on the class, which empties those of a bare wrapt wrapper."""
    isinstance(tool, Documented)
    TimeoutWrapper.__annotations__
    assert set(tool.__annotations__) == {"command", "timeout", "return"}


def test_what_a_function_does_not_have_its_wrapper_does_not_have():
    """A class or a builtin without signature, code or defaults is wrapped without."""
    decorated = sane_timeout(dict)
    with pytest.raises((ValueError, TypeError)):
        inspect.signature(decorated)
    for name in ("__defaults__", "__kwdefaults__", "__code__", "__closure__", "__signature__"):
        assert not hasattr(decorated, name)


# -- attributes ------------------------------------------------------------------------------------


def test_an_attribute_stays_on_the_wrapper():
    """A framework that tags a tool does not tag the function."""
    decorated = sane_timeout(undecorated)
    decorated.tag = "mine"
    assert decorated.tag == "mine"
    assert vars(decorated)["tag"] == "mine"
    assert not hasattr(undecorated, "tag")
    del decorated.tag
    assert not hasattr(decorated, "tag")
    with pytest.raises(AttributeError):
        del decorated.tag


def test_attributes_of_the_function_are_seen_and_survive_other_decorators():
    """What stands on the function is read through, and copied on by `functools.wraps`."""

    def function(timeout=None):
        return timeout

    function.marker = 1
    decorated = sane_timeout(function)
    assert decorated.marker == 1
    decorated.marker = 2
    assert function.marker == 1
    above = functools.wraps(decorated)(lambda *args: None)
    assert above.marker == 2
    assert above.__wrapped__ is decorated
    assert inspect.signature(above) == inspect.signature(decorated)


@pytest.mark.parametrize("name", ["__name__", "__doc__", "__annotations__", "__signature__", "__defaults__"])
def test_introspection_can_be_replaced(name):
    """What is set on the wrapper is what it says from then on."""
    decorated = sane_timeout(lambda timeout: timeout)
    replacement = {"__annotations__": {}, "__signature__": inspect.Signature(), "__defaults__": ()}.get(name, "changed")
    setattr(decorated, name, replacement)
    assert getattr(decorated, name) == replacement


# -- travelling ------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("function", [tool, Runner.run, Runner.check, below_another.__wrapped__])
def test_a_wrapper_pickles_by_reference_where_a_name_leads_to_it(function, protocol):
    """The very wrapper comes back, also from under another decorator."""
    assert pickle.loads(pickle.dumps(function, protocol)) is function


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_wrapper_pickles_by_value_where_no_name_leads_to_it(protocol):
    """Function and policy travel together."""
    twin = pickle.loads(pickle.dumps(elsewhere, protocol))
    assert twin is not elsewhere
    assert twin.timeout_policies == {"timeout": TimeoutPolicy(max=300)}
    assert twin("ls", 90000) == elsewhere("ls", 90000)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_methods_and_objects_pickle(protocol):
    """A bound method travels with its instance, a callable object with its state."""
    method = pickle.loads(pickle.dumps(Runner("did").run, protocol))
    assert method("ls", 90000).startswith("did ls 90")
    assert pickle.loads(pickle.dumps(Runner.make, protocol))(90000) == (Runner, 90)
    counting = sane_timeout(Callable())
    counting(90000)
    assert pickle.loads(pickle.dumps(counting, protocol)).seen == [90]


def test_a_copy_of_a_function_is_the_function():
    """As functions do, a wrapper of a function copies to itself."""
    assert copy.copy(tool) is tool
    assert copy.deepcopy({"tool": tool}) == {"tool": tool}


def test_a_copy_of_an_object_has_a_state_of_its_own():
    """A callable object is copied, and its wrapper with it."""
    original = sane_timeout(Callable())
    deep = copy.deepcopy(original)
    assert deep(90000) == [90]
    assert original.seen == []
    assert copy.copy(original).timeout_policies == original.timeout_policies


def make_local():
    suffix = "!"

    @sane_timeout(max=300)
    def local(command: str, timeout: int | None = None) -> str:
        return f"{command} {timeout}{suffix}"

    @sane_timeout
    async def local_coroutine(timeout=None):
        return f"{timeout}{suffix}"

    @sane_timeout
    def local_generator(timeout=None):
        yield f"{timeout}{suffix}"

    @sane_timeout
    async def local_stream(timeout=None):
        yield f"{timeout}{suffix}"

    class Local:
        @sane_timeout
        def method(self, timeout=None):
            return f"{timeout}{suffix}"

    return local, local_coroutine, local_generator, local_stream, Local, sane_timeout(lambda timeout=None: timeout)


CHILD = """
import asyncio, inspect, pickle, sys
local, coroutine, generator, stream, Local, function = pickle.load(sys.stdin.buffer)
async def first(running):
    return await anext(running)
assert local("ls", 90000).startswith("ls 90!\\n\\n[timeoutkit]"), local("ls", 90000)
assert local("ls") == "ls 120!"
assert local.timeout_policies["timeout"].max == 300
assert inspect.iscoroutinefunction(coroutine) and inspect.isgeneratorfunction(generator) and inspect.isasyncgenfunction(stream)
assert asyncio.run(coroutine(90000)).startswith("90!"), asyncio.run(coroutine())
assert next(generator(90000)) == "90!"
assert asyncio.run(first(stream(90000))) == "90!"
assert Local().method(90000).startswith("90!")
assert (function(90000), function()) == (90, 120)
print("carried")
"""


def test_cloudpickle_carries_what_is_defined_locally():
    """A local function, coroutine function, generator, class or lambda arrives decorated in another process."""
    dump = cloudpickle.dumps(make_local())
    done = subprocess.run([sys.executable, "-c", CHILD], input=dump, capture_output=True, check=False)
    assert (done.stdout.decode().strip(), done.stderr.decode()) == ("carried", "")


# -- among others ----------------------------------------------------------------------------------


def test_a_cache_above_and_below():
    """`functools.lru_cache` keys on what it is given, in either order."""
    calls = []

    def function(timeout=None):
        calls.append(timeout)
        return timeout

    below = sane_timeout(functools.lru_cache(function))
    assert [below(30), below(30), below("30s"), below(timeout=30)] == [30] * 4
    above = functools.lru_cache(sane_timeout(function))
    assert [above(31), above(31)] == [31, 31]
    assert calls == [30, 30, 31]


def test_single_dispatch_above():
    """`functools.singledispatch` takes a wrapper as an implementation and as the function."""
    dispatched = functools.singledispatch(sane_timeout(lambda value, timeout=None: timeout))

    @dispatched.register
    @sane_timeout
    def _(value: int, timeout: float = 5.0) -> float:
        return timeout

    assert (dispatched("x", 90000), dispatched(1), dispatched(1, 90000)) == (90, 5.0, 90.0)
    above = sane_timeout(dispatched)
    assert (above("x", 90000), above(1), above(1, 90000)) == (90, 120.0, 90.0)


def test_autospec_keeps_the_signature():
    """A mock made from a wrapper accepts what the wrapper accepts."""
    with mock.patch(f"{__name__}.tool", autospec=True) as spec:
        spec("ls", timeout=5)
        spec.assert_called_once_with("ls", timeout=5)
        with pytest.raises(TypeError):
            spec()
    with mock.patch.object(Runner, "run", autospec=True) as spec:
        Runner().run("ls")
        assert spec.call_count == 1


@pytest.mark.parametrize("make", [mock.Mock, mock.MagicMock, lambda: mock.create_autospec(undecorated)])
def test_a_mock_can_be_decorated(make):
    """A mock that stands for a tool is called with the corrected value."""
    function = make()
    sane_timeout(function)(command="ls", timeout=90000)
    function.assert_called_once_with(command="ls", timeout=90)


def test_an_async_mock_can_be_decorated():
    """A mock of a coroutine function stays one."""
    function = mock.AsyncMock(return_value="out")
    assert asyncio.run(sane_timeout(function)(timeout=90000)).startswith("out\n\n[timeoutkit]")
    function.assert_awaited_once_with(timeout=90)


def test_the_wrapper_lists_its_own_attributes():
    """`dir` shows what stands on the function and what stands on the wrapper."""
    assert {"timeout_policies", "__wrapped__", "__code__"} <= set(dir(tool))


def test_a_thread_runs_a_decorated_function():
    """`asyncio.to_thread` and executors take it as any function."""
    assert asyncio.run(asyncio.to_thread(tool, "ls", 90000)).startswith("ls 90\n")


def test_threads_never_mix_corrections():
    """Each of many concurrent calls gets its own value and its own note."""
    decorated = sane_timeout(lambda command, timeout: f"{command} {timeout}")
    barrier = threading.Barrier(32)

    def call(number):
        barrier.wait()
        return [decorated(number, (10 + number) * 1000) for _ in range(50)]

    with ThreadPoolExecutor(32) as pool, capture_corrections() as corrections:
        results = list(pool.map(call, range(32)))
    for number, notes in enumerate(results):
        used = TimeoutPolicy().normalize((10 + number) * 1000)[0]
        assert all(note.startswith(f"{number} {used}\n") and f'"timeout": {used} was' in note for note in notes)
    assert len(corrections) == 32 * 50


def test_tasks_never_mix_corrections():
    """Concurrent coroutines in one event loop keep theirs apart too."""

    @sane_timeout
    async def decorated(command, timeout):
        await asyncio.sleep(0)
        return f"{command} {timeout}"

    async def main():
        return await asyncio.gather(*(decorated(number, (10 + number) * 1000) for number in range(500)))

    for number, note in enumerate(asyncio.run(main())):
        assert note.startswith(f"{number} {TimeoutPolicy().normalize((10 + number) * 1000)[0]}\n")


def test_an_exit_stack_and_a_partial_method():
    """The other ways in which the standard library calls a function."""

    class Holder:
        run = functools.partialmethod(sane_timeout(lambda self, command, timeout=None: timeout), "ls")

    assert Holder().run(timeout=90000) == 90
    received = []
    with contextlib.ExitStack() as stack:
        stack.callback(sane_timeout(lambda timeout=None: received.append(timeout)), timeout=90000)
    assert received == [90]


def test_a_method_of_any_kind_is_found_by_its_name():
    """The wrapper inside a class method is pickled by reference as well."""
    assert pickle.loads(pickle.dumps(Runner.make.__func__)) is Runner.make.__func__
    assert address_of(Runner.make.__func__) == (__name__, "Runner.make", 0)
    assert address_of(below_another.__wrapped__) == (__name__, "below_another", 1)


@pytest.mark.parametrize("name", ["Nowhere", "Nowhere.run", "Runner.nowhere", "tool.nowhere.run"])
def test_a_name_that_leads_nowhere_is_no_address(name):
    """A function that was named otherwise is pickled by value."""

    def function(timeout=None): ...

    function.__qualname__ = name
    assert address_of(sane_timeout(function)) is None


def test_a_deep_copy_shares_what_it_is_copied_with():
    """An object and its wrapper are copied as one."""
    original = Callable()
    twin, decorated = copy.deepcopy([original, sane_timeout(original)])
    assert decorated.__wrapped__ is twin
    assert twin is not original


def test_the_code_is_that_of_the_function_in_name_and_place():
    """Tools that read the code object of a tool find the function's own lines."""
    names = ("co_name", "co_qualname", "co_filename", "co_firstlineno")
    for function in (tool, Runner.run, sane_timeout(undecorated)):
        assert [getattr(function.__code__, name) for name in names] == [
            getattr(function.__wrapped__.__code__, name) for name in names
        ]


def test_what_was_never_set_cannot_be_deleted():
    """The error names the attribute."""
    with pytest.raises(AttributeError, match=r"^nothing$"):
        del sane_timeout(undecorated).nothing


def test_each_attribute_of_the_wrapper_is_its_own():
    """None of what is computed when it is first asked stands in for another."""
    decorated = sane_timeout(undecorated)
    assert isinstance(decorated.__signature__, inspect.Signature)
    assert set(decorated.__annotations__) == {"command", "timeout", "return"}
    assert decorated.__doc__.startswith("Run a command.")
    assert (decorated.__name__, decorated.__defaults__, decorated.__kwdefaults__) == ("undecorated", (120,), None)
    decorated.__name__ = "other"
    assert (decorated.__name__, decorated.__defaults__) == ("other", (120,))


BY_ROOM = [
    # a function that collects positional arguments, those of a call, whether the default is put in
    (lambda *args, **options: options, (), True), (lambda *args, **options: options, ("a",), False),
    (lambda command, *args, **options: options, ("ls",), True),
    (lambda command, *args, **options: options, ("ls", 5), False),
    (lambda command, /, other=1, *args, **options: options, ("ls", 5), True),
    (lambda command, **options: options, ("ls",), True),
    (functools.partial(lambda *args, timeout=None: {"timeout": timeout}), ("a", "b"), True),
    (functools.partial(lambda command, timeout=None, *args: {"timeout": timeout}), ("ls",), True),
    (functools.partial(lambda *args, **options: options), ("a",), False),
]  # fmt: skip


@pytest.mark.parametrize(("function", "args", "put_in"), BY_ROOM, ids=range(len(BY_ROOM)))
def test_a_default_is_put_in_where_the_timeout_cannot_be_among_the_rest(function, args, put_in):
    """What `*args` takes may hold it already."""
    assert sane_timeout(function)(*args) == ({"timeout": 120} if put_in else {})
    assert sane_timeout(keep=(None,))(function)(*args) == ({"timeout": 120} if put_in else {})


@pytest.mark.parametrize("function", [undecorated, lambda *, timeout=None: timeout], ids=["positional", "keyword"])
def test_a_default_is_not_judged_with_each_call(monkeypatch, function):
    """What is put in for a missing value is settled when a function is decorated."""
    judged, correct = [], Argument.correct
    monkeypatch.setattr(Argument, "correct", lambda self, value: (judged.append(value), correct(self, value))[1])
    decorated = sane_timeout(function)
    judged.clear()
    decorated(*["ls"] * (function is undecorated))
    assert judged == []


def test_the_call_is_named_as_the_function():
    """An error of a wrong call names what was called, and so does a profile."""
    for function in (tool, Runner.run):
        call = function.__call__
        assert (call.__name__, call.__qualname__) == (function.__name__, function.__qualname__)


def test_on_the_wrapper_stands_what_stands_on_the_function():
    """Its attributes, the function and the policies, and no copy of what may change on the function."""

    def function(timeout=None):
        """Run."""

    function.marker = 1
    decorated = sane_timeout(function)
    stands = {"marker": 1, "__wrapped__": function, "timeout_policies": {"timeout": TimeoutPolicy()}}
    # wrapt in pure Python keeps its own state there as well
    assert vars(decorated).items() >= stands.items()
    assert not vars(decorated).keys() & {"__module__", "__doc__", "__name__"}
    assert vars(functools.wraps(decorated)(lambda *args: None))["marker"] == 1


Whole = int


class Waiter:
    """A callable object whose annotation is a text."""

    def __call__(self, timeout=None, wait: "Whole" = 5):
        return timeout, wait


@pytest.mark.parametrize("carried", [copy.copy, copy.deepcopy, lambda wrapper: pickle.loads(pickle.dumps(wrapper))])
def test_a_copy_corrects_the_same_parameter_in_the_same_type(carried):
    """It is found again by its name, and its annotation where it was written."""
    twin = carried(sane_timeout(param="wait")(Waiter()))
    assert twin(90000, "1.2s") == (90000, 2)
    assert twin.timeout_policies == {"wait": TimeoutPolicy(default=5)}
