"""What only Ray has."""

import pytest
import ray
from decorated import CORRECTED, NOTE, Runner, run, run_async

from timeoutkit import effective_timeout, sane_timeout


@pytest.fixture(autouse=True)
def _running(engine):
    engine("ray")


def get(reference):
    return ray.get(reference, timeout=60)


@ray.remote
@sane_timeout
def below(command: str, timeout: int | None = None) -> str:
    return f"{command} within {timeout} s"


@ray.remote
class Actor:
    @sane_timeout
    def run(self, command: str, timeout: int | None = None) -> str:
        return f"{command} within {timeout} s"

    @sane_timeout
    async def run_async(self, command: str, timeout: int | None = None) -> str:
        return f"{command} within {timeout} s"

    @sane_timeout
    @ray.method(num_returns=1)
    def above_method(self, command: str, timeout: int | None = None) -> str:
        return f"{command} within {timeout} s"

    @ray.method(num_returns=1)
    @sane_timeout
    def below_method(self, command: str, timeout: int | None = None) -> str:
        return f"{command} within {timeout} s"

    @sane_timeout
    def fail(self, command: str, timeout: int | None = None) -> str:
        raise ConnectionError(f"{command} within {timeout} s")


@pytest.fixture(scope="module")
def actor(engine):
    engine("ray")
    return Actor.remote()


def test_a_task_below_remote():
    """With `@ray.remote` above ours the task is corrected, also with other options."""
    assert get(below.remote("ls", timeout=90000)) == CORRECTED
    assert get(below.options(num_cpus=1).remote("ls", 90000)) == CORRECTED
    assert get(below.remote("ls")) == "ls within 120 s"


def test_a_task_above_remote():
    """With ours above `@ray.remote` it is the same task."""

    @sane_timeout
    @ray.remote(max_retries=0)
    def above(command: str, timeout: int | None = None) -> str:
        return f"{command} within {timeout} s"

    assert get(above.remote("ls", timeout=90000)) == CORRECTED
    assert get(above.options(num_cpus=1).remote("ls", 90000)) == CORRECTED
    assert get(above.remote("ls")) == "ls within 120 s"
    assert effective_timeout(above, "ls", timeout=90000) == 90


@pytest.mark.parametrize("method", ["run", "run_async", "above_method", "below_method"])
def test_a_method_of_an_actor(actor, method):
    """A method is corrected, sync or async, with ours above or below `ray.method`."""
    assert get(getattr(actor, method).remote("ls", timeout=90000)) == CORRECTED
    assert get(getattr(actor, method).remote("ls", 90000)) == CORRECTED
    assert get(getattr(actor, method).remote("ls")) == "ls within 120 s"


def test_an_actor_of_a_class_that_workers_import():
    """A class that knows nothing of Ray becomes an actor with its methods corrected."""
    actor = ray.remote(Runner).remote("s")
    assert get(actor.run.remote("ls", timeout=90000)) == CORRECTED


def test_the_exception_of_an_actor_keeps_its_note(actor):
    """The note is in the exception, in its cause and in its text."""
    with pytest.raises(ConnectionError) as caught:
        get(actor.fail.remote("ls", timeout=90000))
    assert caught.value.__notes__ == caught.value.cause.__notes__ == [NOTE]
    assert str(caught.value).rstrip().endswith(NOTE)


def test_a_generator_streams():
    """A decorated generator is a streaming task, nothing is added to the stream."""

    @ray.remote
    @sane_timeout
    def stream(timeout=None):
        yield timeout
        yield timeout

    assert [get(item) for item in stream.remote(timeout=90000)] == [90, 90]


def test_an_actor_is_decorated_at_its_init():
    """Ray makes a subclass of an actor's class, so `__init__` is what can be decorated."""

    @ray.remote
    class Timed:
        @sane_timeout
        def __init__(self, timeout=None):
            self.timeout = timeout

        def get(self):
            return self.timeout

    assert get(Timed.remote(timeout=90000).get.remote()) == 90


def test_a_task_calls_another_that_it_was_given():
    """A decorated function inside an argument arrives decorated."""

    @ray.remote
    def call_all(functions, timeout):
        return [function("ls", timeout=timeout) for function in functions]

    assert get(call_all.remote([run, Runner("s").run], 90000)) == [CORRECTED, CORRECTED]


def test_a_coroutine_function_is_refused_as_the_bare_one():
    """Ray takes coroutine functions as methods of actors only, and says so of a decorated one too."""
    with pytest.raises(ValueError, match="'async def' should not be used for remote tasks"):
        ray.remote(run_async)
