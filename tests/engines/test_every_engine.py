"""What holds in every engine: a decorated function arrives decorated, and its note comes back with the result."""

import os

import pytest
from decorated import CORRECTED, FUNCTIONS, NOTE, TRAVELLERS, run

from timeoutkit import TimeoutPolicy, TimeoutValueError
from timeoutkit.testing import capture_corrections

POOLS = ["spawn_pool", "fork_pool", "executor", "loky", "dask", "ray"]
ENGINES = [*POOLS, "celery_json", "celery_pickle"]
NOT_CARRIED = {
    ("spawn_pool", "local"),
    ("fork_pool", "local"),
    ("executor", "local"),
    ("ray", "method"),
    ("celery_json", "method"),
    ("celery_pickle", "method"),
}
"""What an engine carries neither decorated nor bare."""
NOTES_DROPPED = ["celery_json"]
NOTES_KEPT = [engine for engine in ENGINES if engine not in NOTES_DROPPED]


def over_engines(names):
    """Make a test for each engine."""
    return pytest.mark.parametrize("call", names, indirect=True)


in_every_engine = over_engines(ENGINES)
in_every_pool = over_engines(POOLS)


def over(pairs):
    """Make a test for each pair of an engine and a function."""
    return pytest.mark.parametrize(("call", "name"), sorted(pairs), indirect=["call"])


carried = over({(engine, name) for engine in ENGINES for name in TRAVELLERS} - NOT_CARRIED)


def failure_of(call, name):
    with pytest.raises(Exception) as caught:
        call(name, "ls", timeout=30)
    return caught.type, str(caught.value).replace("TimeoutWrapper", "function")


@in_every_engine
def test_a_call_runs_in_another_process(call):
    """What these tests see has left this process and come back."""
    assert call("process") != os.getpid()


@carried
def test_a_value_is_corrected_and_the_note_comes_back(call, name):
    """The function receives the corrected value, by keyword and by position, and its note comes back."""
    assert call(name, "ls", timeout=90000) == CORRECTED
    assert call(name, "ls", 90000) == CORRECTED


@carried
def test_other_calls_pass_without_a_note(call, name):
    """A value in range passes as it is, a missing one becomes the default."""
    assert call(name, "ls", timeout=30) == "ls within 30 s"
    assert call(name, "ls") == "ls within 120 s"


@over(NOT_CARRIED)
def test_what_an_engine_refuses_it_refuses_bare(call, name):
    """An engine refuses a decorated function only where it refuses the bare one, with the same words."""
    assert failure_of(call, name) == failure_of(call, f"bare_{name}")


@in_every_engine
def test_an_exception_keeps_its_type_and_message(call):
    """What the function raised arrives as that."""
    with pytest.raises(ConnectionError, match="ls within 90 s"):
        call("fail", "ls", timeout=90000)


@over_engines(NOTES_KEPT)
def test_an_exception_keeps_its_note(call):
    """The note of an exception arrives, once."""
    with pytest.raises(ConnectionError) as caught:
        call("fail", "ls", timeout=90000)
    assert caught.value.__notes__ == [NOTE]


@over_engines(NOTES_DROPPED)
def test_an_exception_may_lose_its_note_on_the_way(call):
    """Where an engine sends only the type and the arguments of an exception, the note stays behind."""
    with pytest.raises(ConnectionError) as caught:
        call("fail", "ls", timeout=90000)
    assert not hasattr(caught.value, "__notes__")


@in_every_engine
def test_a_refusal_says_what_was_meant(call):
    """A strict policy's error arrives with its words and its correction."""
    with pytest.raises(TimeoutValueError, match=r"refuse: timeout=90000 is refused: .*\. Write 90\.") as caught:
        call("refuse", "ls", timeout=90000)
    assert (caught.value.correction.used, caught.value.correction.reason) == (90, "read_as_ms")


@in_every_pool
def test_a_correction_is_reported_where_the_function_runs(call):
    """The logger, `on_correction` and `capture_corrections` are those of the other process; the record can be sent."""
    with capture_corrections() as here:
        there = call("corrections", run, "ls", timeout=90000)
    assert [(correction.given, correction.reason) for correction in there] == [("90000", "read_as_ms")]
    assert here == []


@in_every_pool
def test_a_function_of_a_module_arrives_as_the_one_that_is_there(call):
    """What is carried by reference is the worker's own wrapper, with its policies."""
    assert call("is_run", run) is True
    assert call("policies", run) == {"timeout": TimeoutPolicy()}


@over_engines(["loky", "dask", "ray"])
def test_a_local_function_arrives_with_its_policies(call):
    """What is carried by value brings its policies."""
    assert call("policies", FUNCTIONS["local"]) == {"timeout": TimeoutPolicy()}


@in_every_pool
def test_a_coroutine_function_is_awaited_where_it_arrives(call):
    """A decorated coroutine function, sent as an argument, is one there too."""
    assert call("awaited", FUNCTIONS["run_async"], "ls", timeout=90000) == CORRECTED
