"""Coroutine functions, generators and exceptions keep their protocol."""

import asyncio
import functools
import inspect
import pickle
import traceback

import pytest

from timeoutkit import TimeoutPolicy, TimeoutValueError, attach_note, sane_timeout
from timeoutkit._argument import Argument
from timeoutkit._compiled import range_test
from timeoutkit._duration import shown
from timeoutkit._kinds import CorrectedCall, kind_of
from timeoutkit.testing import capture_corrections

NOTE = '[timeoutkit] "timeout": 90 was used. timeout is in seconds (up to 600), not milliseconds.'


@sane_timeout
def plain(timeout=None):
    return "out"


@sane_timeout
async def coroutine(timeout=None):
    return "out"


@sane_timeout
def generator(timeout=None):
    received = yield timeout
    try:
        yield received
    except KeyError as error:
        yield f"caught {error}"
    return "the end"


@sane_timeout
async def stream(timeout=None):
    received = yield timeout
    try:
        yield received
    except KeyError as error:
        yield f"caught {error}"


class AsyncTool:
    """An object whose call is a coroutine function."""

    async def __call__(self, timeout=None):
        return "out"


@pytest.mark.parametrize(
    ("function", "is_kind"),
    [
        (coroutine, inspect.iscoroutinefunction),
        (generator, inspect.isgeneratorfunction),
        (stream, inspect.isasyncgenfunction),
        (sane_timeout(functools.partial(coroutine.__wrapped__)), inspect.iscoroutinefunction),
        (plain, inspect.isfunction),
        (plain, inspect.isroutine),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_function_stays_of_its_kind(function, is_kind):
    """Frameworks that ask what a function is get the answer of the function itself."""
    assert is_kind(function)
    assert inspect.iscoroutinefunction(function) == (is_kind is inspect.iscoroutinefunction)


@pytest.mark.parametrize("value", [30, 90000])
def test_every_kind_returns_its_own_object(value):
    """A call gives a coroutine, a generator or an async generator, corrected or not."""
    result = coroutine(value)
    assert inspect.iscoroutine(result)
    result.close()
    assert inspect.isgenerator(generator(value))
    assert inspect.isasyncgen(stream(value))


@pytest.mark.parametrize(
    "function",
    [plain, coroutine, sane_timeout(AsyncTool()), sane_timeout(lambda timeout: coroutine.__wrapped__(timeout))],
)
@pytest.mark.parametrize(("value", "result"), [(30, "out"), (90000, f"out\n\n{NOTE}"), ("90s", "out")])
def test_sync_and_async_twins_agree(function, value, result, run):
    """The same value gives the same note, however the function is run."""
    with capture_corrections() as corrections:
        assert run(function(value)) == result
    assert len(corrections) == (value == 90000)


def test_a_coroutine_that_is_never_started_leaves_nothing_behind():
    """A task that is cancelled before its first step does not warn of a coroutine that was never awaited."""

    async def main():
        task = asyncio.ensure_future(coroutine(90000))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    coroutine(90000).close()


@pytest.mark.parametrize(("value", "received"), [(30, 30), (90000, 90)])
def test_a_generator_keeps_its_protocol(value, received):
    """`send`, `throw`, `close` and the return value are the function's own, and nothing is added to the stream."""
    running = generator(value)
    assert next(running) == received
    assert running.send("sent") == "sent"
    assert running.throw(KeyError("key")) == "caught 'key'"
    with pytest.raises(StopIteration) as stop:
        next(running)
    assert stop.value.value == "the end"
    closed = generator(value)
    next(closed)
    closed.close()
    with pytest.raises(StopIteration):
        next(closed)


@pytest.mark.parametrize(("value", "received"), [(30, 30), (90000, 90)])
def test_an_async_generator_keeps_its_protocol(value, received):
    """`asend`, `athrow` and `aclose` are the function's own, and nothing is added to the stream."""

    async def main():
        running = stream(value)
        assert await anext(running) == received
        assert await running.asend("sent") == "sent"
        assert await running.athrow(KeyError("key")) == "caught 'key'"
        with pytest.raises(StopAsyncIteration):
            await anext(running)
        closed = stream(value)
        await anext(closed)
        await closed.aclose()
        with pytest.raises(StopAsyncIteration):
            await anext(closed)
        return [item async for item in stream(value)]

    assert asyncio.run(main()) == [received, None]


def test_closing_an_async_generator_closes_the_functions_own():
    """What the function does when it is closed is done when the caller closes."""
    closed = []

    @sane_timeout
    async def source(timeout):
        try:
            while True:
                yield timeout
        finally:
            closed.append(timeout)

    async def main():
        running = source(90000)
        async for _ in running:
            break
        await running.aclose()
        return list(closed)

    assert asyncio.run(main()) == [90]


class Failure(Exception):
    """An error of the user's own."""


@sane_timeout
def failing(timeout=None, error=None):
    raise error


@sane_timeout
async def failing_coroutine(timeout=None, error=None):
    raise error


@sane_timeout
def failing_generator(timeout=None, error=None):
    raise error
    yield


@sane_timeout
async def failing_stream(timeout=None, error=None):
    raise error
    yield


async def first_of(running):
    return await anext(running)


def drive(result, run):
    if inspect.isgenerator(result):
        return next(result)
    return run(first_of(result) if inspect.isasyncgen(result) else result)


@pytest.mark.parametrize("function", [failing, failing_coroutine, failing_generator, failing_stream])
@pytest.mark.parametrize(("value", "notes"), [(30, []), (90000, [NOTE])])
def test_an_exception_is_the_same_but_for_a_note(function, value, notes, run):
    """The very object is raised, with its arguments and traceback, and says what timeout was used."""
    error = Failure("a", 1)
    with pytest.raises(Failure) as caught:
        drive(function(value, error), run)
    assert caught.value is error
    assert error.args == ("a", 1)
    assert error.__cause__ is None
    assert getattr(error, "__notes__", []) == notes
    assert traceback.extract_tb(error.__traceback__)[-1].name == function.__name__


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3), asyncio.CancelledError()], ids=shown)
def test_an_interruption_is_left_alone(error, run):
    """What is no error of the function gains no note."""
    with pytest.raises(type(error)) as caught:
        failing(90000, error)
    assert caught.value is error
    assert not hasattr(error, "__notes__")


def test_an_exception_that_takes_no_notes_is_raised_all_the_same():
    """An exception may refuse attributes."""

    class Closed(Exception):
        """Takes nothing."""

        def add_note(self, note):
            raise TypeError("closed")

    with pytest.raises(Closed):
        failing(90000, Closed())


def test_a_traceback_shows_the_source_of_the_compiled_call():
    """The frame of the compiled call can be read, and hides none of the function's."""
    with pytest.raises(Failure) as caught:
        failing(30, Failure())
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert [frame.name for frame in frames][-2:] == ["call", "failing"] or frames[-2].name == "failing"
    assert frames[-2].line.startswith("return _function(timeout, argument_1)")


def test_a_context_manager_made_from_a_generator():
    """`contextlib.contextmanager` works above and below."""
    import contextlib

    def session(timeout=None):
        yield timeout

    for manager in (contextlib.contextmanager(sane_timeout(session)), sane_timeout(contextlib.contextmanager(session))):
        with manager(timeout=90000) as received:
            assert received == 90
        with pytest.raises(Failure), manager(timeout=90000):
            raise Failure


class Held:
    """A class in which another decorated class is an attribute."""

    Answer = sane_timeout(type("Answer", (), {"__init__": lambda self, timeout=30: setattr(self, "timeout", timeout)}))


def test_a_decorated_class_is_the_same_read_from_an_instance():
    """It does not become a method."""
    assert Held().Answer is Held.Answer
    assert Held().Answer(timeout=90000).timeout == 90


class Task:
    """A task in the way of an engine: it holds its function, and sends that away. tests/engines has real ones."""

    def __init__(self, function):
        self.run = self.__wrapped__ = function

    def delay(self, *args, **kwargs):
        return self.run(*args, **kwargs)


def test_a_task_is_decorated_inside():
    """It would send its function away around any wrapper of the task."""

    def work(timeout: int = 30) -> int:
        return timeout

    task = Task(work)
    assert sane_timeout(task) is task
    assert task.delay(timeout=90000) == 90
    assert task.timeout_policies["timeout"].default == 30


class RemoteFunction:
    """An engine's object that holds its function privately, and whose sender is made of the function."""

    def __init__(self, function):
        self._function = function
        self.remote = functools.wraps(function)(lambda *args, **kwargs: self._function(*args, **kwargs))


def test_a_remote_function_is_decorated_inside():
    """What tells is that the sender was made of what is held."""

    def work(timeout: int = 30) -> int:
        return timeout

    remote = RemoteFunction(work)
    assert sane_timeout(remote) is remote
    assert remote.remote(timeout=90000) == 90


def test_an_object_that_holds_another_function_is_no_task():
    """An object with methods of the same names is decorated as any object."""

    class Runner:
        def __init__(self):
            self.run = lambda timeout: timeout

        def delay(self): ...

        def __call__(self, timeout=30):
            return timeout

    runner = Runner()
    decorated = sane_timeout(runner)
    assert decorated is not runner
    assert decorated(timeout=90000) == 90


@sane_timeout
def keyword_generator(*, timeout=None):
    yield timeout


@sane_timeout
async def keyword_stream(*, timeout=None):
    yield timeout


@pytest.mark.parametrize("function", [generator, stream, keyword_generator, keyword_stream])
def test_the_correction_of_a_stream_is_reported_when_it_starts(function, run):
    """A generator of either kind reports the correction with its first step, once."""
    with capture_corrections() as corrections:
        running = function(timeout=90000)
        assert corrections == []
        assert drive(running, run) == 90
        assert [str(correction).partition(": ")[2] for correction in corrections] == [
            "timeout=90000 read as milliseconds, 90 used"
        ]


@pytest.mark.parametrize("function", [coroutine, generator, stream])
def test_a_strict_function_of_any_kind_refuses_when_it_starts(function, run):
    """The refusal is raised where the function would begin."""
    running = sane_timeout(mode="strict")(function.__wrapped__)(90000)
    with pytest.raises(TimeoutValueError):
        drive(running, run)


@pytest.mark.parametrize("options", [{"notes": False}, {"mode": "observe"}], ids=str)
def test_a_coroutine_without_notes_gives_the_very_result(options, run):
    """Notes are off in both kinds alike."""
    told = []
    tool = sane_timeout(**options, on_correction=told.append)(coroutine.__wrapped__)
    assert run(tool(90000)) == "out"
    assert len(told) == 1


class Unregistrable(Exception):
    """An error for which a registered attachment fails."""


def test_an_attachment_that_fails_leaves_the_error():
    """The function's own error is raised, whatever is registered for it."""

    @attach_note.register
    def _(result: Unregistrable, note: str):
        raise RuntimeError("no")

    with pytest.raises(Unregistrable):
        failing(90000, Unregistrable())


def test_a_corrected_call_travels_with_its_options():
    """What an engine pickles of a call has the same function, policy, notes and callback."""
    call = CorrectedCall(len, TimeoutPolicy(max=300), False, print)
    twin = pickle.loads(pickle.dumps(call))
    assert [getattr(twin, name) for name in ("function", "policy", "notes", "on_correction")] == [
        len, TimeoutPolicy(max=300), False, print,
    ]  # fmt: skip


TESTS = [
    # the fields of a policy, the declared type, the test for what passes as it is
    ({}, int, "{type}(timeout) is {int} and 0 < timeout <= 600"),
    ({"min": 5}, float, "{type}(timeout) is {float} and 5 <= timeout <= 600"),
    ({"max": 7200}, int, "{type}(timeout) is {int} and 0 < timeout < 10000"),
    ({"ms_threshold": 60}, int, "{type}(timeout) is {int} and 0 < timeout < 60"),
    ({"ms_threshold": 600}, int, "{type}(timeout) is {int} and 0 < timeout < 600"),
    ({"ms_threshold": 700}, int, "{type}(timeout) is {int} and 0 < timeout <= 600"),
    ({"max": None, "rescale": False}, int, "{type}(timeout) is {int} and 0 < timeout <= 2147483"),
    ({}, None,
     "({type}(timeout) is {int} or {type}(timeout) is {float} and timeout % 1) and 0 < timeout <= 600"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "declared", "test"), TESTS, ids=str)
def test_the_test_for_what_passes_as_it_is(fields, declared, test):
    """It has the bounds as constants, and leaves out what may be meant otherwise."""
    assert range_test(TimeoutPolicy(**fields), declared) == test


def declared(kind):
    def tool(timeout):
        return timeout

    tool.__annotations__ = {"timeout": kind}
    return tool


IN_RANGE = [
    (declared(int), 30), (declared(float), 30.5), (lambda timeout: timeout, 30), (lambda timeout: timeout, 30.5),
    (lambda timeout=5: timeout, 30), (lambda *, timeout=None: timeout, 30), (lambda **options: options["timeout"], 30),
    (lambda *args, timeout=None: timeout, 30),
]  # fmt: skip


@pytest.mark.parametrize(("function", "value"), IN_RANGE, ids=range(len(IN_RANGE)))
def test_a_value_in_range_is_not_judged(monkeypatch, function, value):
    """It goes straight through, with nothing in between."""
    judged, correct = [], Argument.correct
    monkeypatch.setattr(Argument, "correct", lambda self, value: (judged.append(value), correct(self, value))[1])
    decorated = sane_timeout(function)
    judged.clear()
    assert decorated(timeout=value) is value
    assert judged == []
    decorated(timeout=90000)
    assert judged == [90000]


def test_a_task_says_what_it_runs():
    """What it wraps is the decorated function, as what it holds."""

    def work(timeout: int = 30) -> int:
        return timeout

    task = sane_timeout(Task(work))
    assert task.__wrapped__ is task.run
    assert task.run.__wrapped__ is work


class GeneratorTool:
    """An object whose call is a generator function."""

    def __call__(self, timeout=None):
        yield timeout


class StreamTool:
    """An object whose call is an async generator function."""

    async def __call__(self, timeout=None):
        yield timeout


KINDS = [
    (plain.__wrapped__, "plain"), (coroutine.__wrapped__, "coroutine"), (generator.__wrapped__, "generator"),
    (stream.__wrapped__, "async_generator"), (AsyncTool(), "coroutine"), (GeneratorTool(), "generator"),
    (StreamTool(), "async_generator"), (AsyncTool().__call__, "coroutine"), (AsyncTool, "plain"), (dict, "plain"), (len, "plain"),
    (functools.partial(coroutine.__wrapped__), "coroutine"), (functools.partial(generator.__wrapped__), "generator"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "kind"), KINDS, ids=range(len(KINDS)))
def test_a_callable_is_of_the_kind_of_its_call(function, kind):
    """An object is of the kind of what its class calls."""
    assert kind_of(function) == kind


@pytest.mark.parametrize(("tool", "first"), [(GeneratorTool(), 90), (StreamTool(), 90)])
def test_an_object_that_streams_is_corrected(tool, first, run):
    """It gives what its call gives."""
    with capture_corrections() as corrections:
        assert drive(sane_timeout(tool)(90000), run) == first
    assert len(corrections) == 1
