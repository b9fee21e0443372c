"""What only Celery has."""

import pytest
from celery.exceptions import SoftTimeLimitExceeded, TimeLimitExceeded
from decorated import CORRECTED, NOTE, run
from kombu.exceptions import EncodeError

from timeoutkit import TimeoutPolicy, effective_timeout

PATIENCE = 60


@pytest.fixture(params=["celery_json", "celery_pickle"])
def tasks(request, engine):
    return engine(request.param).handle.tasks


def test_a_task_with_a_time_limit_of_its_own(tasks):
    """The limits of the task and the timeout of the call do not meet."""
    sent = tasks["limited"].delay("ls", timeout=90000)
    assert sent.get(timeout=PATIENCE) == CORRECTED


def test_a_soft_time_limit_gains_the_note(tasks):
    """A call that runs into its soft limit fails as ever; its traceback tells what was used."""
    sent = tasks["softly_limited"].delay("ls", timeout=90000)
    with pytest.raises(SoftTimeLimitExceeded):
        sent.get(timeout=PATIENCE)
    assert sent.traceback.rstrip().endswith(NOTE)


def test_a_hard_time_limit_kills(tasks):
    """A call that runs into its hard limit is killed, note and all; the worker goes on."""
    with pytest.raises(TimeLimitExceeded):
        tasks["hard_limited"].delay("ls", timeout=90000).get(timeout=PATIENCE)
    assert tasks["module_level"].delay("ls", timeout=90000).get(timeout=PATIENCE) == CORRECTED


def test_a_lost_note_is_in_the_traceback(tasks):
    """Where the exception arrives without its note, the result's traceback has it."""
    sent = tasks["fail"].delay("ls", timeout=90000)
    sent.get(timeout=PATIENCE, propagate=False)
    assert sent.traceback.rstrip().endswith(f"ls within 90 s\n{NOTE}")


def test_a_bound_task_has_its_task(tasks):
    """The task itself stays the first argument."""
    sent = tasks["bound"].delay("ls", timeout=90000)
    assert sent.get(timeout=PATIENCE) == f"ls within 90 s of bound, attempt 1\n\n{NOTE}"


def test_a_retry_is_corrected_again(tasks):
    """Celery sends the same arguments again; the result has one note."""
    sent = tasks["retried"].delay("ls", timeout=90000)
    assert sent.get(timeout=PATIENCE) == f"ls within 90 s, attempt 3\n\n{NOTE}"


@pytest.mark.parametrize("name", ["ours_above", "ours_above_bound"])
def test_ours_above_the_task(tasks, name):
    """With ours above `@app.task` it is the same task, sent or called."""
    sent = tasks[name].delay("ls", timeout=90000)
    assert sent.get(timeout=PATIENCE) == CORRECTED
    assert tasks[name]("ls", timeout=90000) == CORRECTED


def test_a_task_called_here(tasks):
    """A task that is called, or applied eagerly, is corrected in this process."""
    assert tasks["module_level"]("ls", timeout=90000) == CORRECTED
    assert tasks["module_level"].apply(("ls",), {"timeout": 90000}).get() == CORRECTED
    assert effective_timeout(tasks["module_level"], "ls", timeout=90000) == 90


def test_the_worker_has_the_policies(tasks):
    """A task is carried by its name: the worker's own function states the contract."""
    contract = {"timeout": TimeoutPolicy().describe()}
    assert tasks["contracts"].delay("module_level").get(timeout=PATIENCE) == contract


def test_a_pickle_carries_a_decorated_function(engine):
    """With the pickle serializer a decorated function can be an argument and a result."""
    tasks = engine("celery_pickle").handle.tasks
    assert tasks["is_run"].delay(run).get(timeout=PATIENCE) is True
    assert tasks["echo"].delay(run).get(timeout=PATIENCE) is run


def test_a_coroutine_function_is_not_awaited(tasks):
    """Celery does not await what a task gives, decorated or bare, and fails for want of a result to send."""
    for name in ("run_async", "bare_run_async"):
        with pytest.raises(EncodeError, match="coroutine"):
            tasks[name].delay("ls", timeout=30).get(timeout=PATIENCE)
