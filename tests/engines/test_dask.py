"""What only Dask has."""

import dask
import pytest
from dask.base import tokenize
from decorated import CORRECTED, FUNCTIONS, Runner, renamed, run, undecorated

from timeoutkit import sane_timeout


@pytest.fixture
def client(engine):
    return engine("dask").handle


def test_a_coroutine_function_is_awaited_by_the_worker(client):
    """Dask knows a decorated coroutine function as one."""
    assert client.submit(FUNCTIONS["run_async"], "ls", timeout=90000).result(60) == CORRECTED


def test_map_and_delayed(client):
    """The other ways in which Dask takes a function."""
    assert client.gather(client.map(run, ["ls", "ls"], timeout=90000)) == [CORRECTED] * 2
    assert dask.delayed(FUNCTIONS["local"])("ls", timeout=90000).compute(scheduler=client) == CORRECTED


def test_a_method_of_an_actor(client):
    """An actor's method is corrected where the actor lives."""
    actor = client.submit(Runner, "s", actor=True).result(60)
    assert actor.run("ls", timeout=90000).result(60) == CORRECTED


def test_above_delayed_only_the_value_is_corrected():
    """With ours above `dask.delayed`, there is no result yet that could carry the note."""
    above = sane_timeout(param="timeout")(dask.delayed(undecorated))
    assert above("ls", timeout=90000).compute(scheduler="sync") == "ls within 90 s"


def test_no_cache_takes_it_for_the_bare_function():
    """Dask's keys tell a decorated function from the bare one and from another policy, and are stable."""
    functions = [undecorated, renamed, sane_timeout(max=60)(undecorated)]
    assert len({tokenize(function) for function in functions}) == 3
    assert tokenize(renamed) == tokenize(renamed)
