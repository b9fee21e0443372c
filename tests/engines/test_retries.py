"""Retries by tenacity and stamina, with ours above or below them."""

import inspect

import pytest
import stamina
import tenacity
from decorated import NOTE

from timeoutkit import TimeoutPolicy, sane_timeout
from timeoutkit.testing import capture_corrections

RETRIES = {
    "tenacity": tenacity.retry(stop=tenacity.stop_after_attempt(3), wait=tenacity.wait_none(), reraise=True),
    "stamina": stamina.retry(on=ConnectionError, attempts=3, wait_initial=0, wait_jitter=0, wait_max=0),
}
ORDERS = {
    "ours above": lambda retry, function: sane_timeout(retry(function)),
    "ours below": lambda retry, function: retry(sane_timeout(function)),
}
CORRECTIONS = {"ours above": 1, "ours below": 3}
"""Corrections of a call that takes three attempts: each attempt is given what stands above it."""

in_either_order = pytest.mark.parametrize("order", ORDERS)
with_each = pytest.mark.parametrize("retry", RETRIES)


def failing(times):
    """Make a function, and a coroutine function, that fail so many times before they answer."""
    received = []

    def plain(command: str, timeout: int | None = None) -> str:
        received.append(timeout)
        if len(received) <= times:
            raise ConnectionError(f"attempt {len(received)}")
        return f"{command} within {timeout} s"

    async def coroutine(command: str, timeout: int | None = None) -> str:
        return plain(command, timeout)

    return plain, coroutine, received


@with_each
@in_either_order
@pytest.mark.parametrize("kind", [0, 1], ids=["plain", "coroutine"])
def test_every_attempt_gets_the_corrected_value(retry, order, kind, run):
    """All attempts are made with the corrected value, and the result has one note."""
    *functions, received = failing(times=2)
    function = ORDERS[order](RETRIES[retry], functions[kind])
    with capture_corrections() as corrections:
        result = run(function("ls", timeout=90000))
    assert result == f"ls within 90 s\n\n{NOTE}"
    assert received == [90, 90, 90]
    assert len(corrections) == CORRECTIONS[order]


@with_each
@in_either_order
@pytest.mark.parametrize("kind", [0, 1], ids=["plain", "coroutine"])
def test_the_last_failure_has_one_note(retry, order, kind, run):
    """Where no attempt succeeds, the exception that is raised has the note, once."""
    *functions, _ = failing(times=9)
    with pytest.raises(ConnectionError, match="attempt 3") as caught:
        run(ORDERS[order](RETRIES[retry], functions[kind])("ls", timeout=90000))
    assert caught.value.__notes__ == [NOTE]


@with_each
@in_either_order
def test_other_calls_pass_without_a_note(retry, order):
    """A value in range passes as it is, a missing one becomes the default, in every attempt."""
    plain, _, received = failing(times=2)
    function = ORDERS[order](RETRIES[retry], plain)
    assert function("ls", timeout=30) == "ls within 30 s"
    assert function("ls") == "ls within 120 s"
    assert received == [30, 30, 30, 120]


@with_each
@in_either_order
def test_the_contract_is_stated(retry, order):
    """Signature, policies and kind are those of a decorated function, whichever stands above."""
    plain, coroutine, _ = failing(times=0)
    function = ORDERS[order](RETRIES[retry], plain)
    assert inspect.signature(function) == inspect.signature(sane_timeout(plain))
    assert function.timeout_policies == {"timeout": TimeoutPolicy()}
    assert inspect.iscoroutinefunction(ORDERS[order](RETRIES[retry], coroutine))


def test_a_retry_error_has_the_note_where_ours_is_above():
    """Without `reraise`, tenacity raises an error of its own; below, the last attempt's exception has the note."""
    retry = tenacity.retry(stop=tenacity.stop_after_attempt(2), wait=tenacity.wait_none())
    for order, noted in (
        ("ours above", lambda error: error),
        ("ours below", lambda error: error.last_attempt.exception()),
    ):
        plain, *_ = failing(times=9)
        with pytest.raises(tenacity.RetryError) as caught:
            ORDERS[order](retry, plain)("ls", timeout=90000)
        assert noted(caught.value).__notes__ == [NOTE]
