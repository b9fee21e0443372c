"""What only the standard library's processes and joblib have."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import joblib
from decorated import CORRECTED, call_inherited, run


def test_a_forked_process_inherits_a_local_function(engine):
    """Nothing is pickled where a process is forked, so a local function works there too."""
    assert engine("executor").handle.submit(call_inherited, "ls", timeout=90000).result(60) == CORRECTED


def test_a_pool_maps_and_an_executor_starts_with_it():
    """`map` takes it as any function, and so does an `initializer`."""
    with ProcessPoolExecutor(1, get_context("spawn"), initializer=run, initargs=("ls", 90000)) as pool:
        assert list(pool.map(run, ["ls"] * 2, [90000] * 2)) == [CORRECTED] * 2


def test_joblib_keeps_calls_apart(engine):
    """Many calls in two processes come back each with its own value."""
    engine("loky")
    calls = [joblib.delayed(run)(str(number), timeout=number * 1000) for number in range(20, 36)]
    used = [int(text.split()[2]) for text in joblib.Parallel(n_jobs=2, backend="loky")(calls)]
    assert used == list(range(20, 36))
