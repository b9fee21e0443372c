"""The engines: a context manager for each starts it, gives it, and stops it with all its processes."""

import logging
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from decorated import FUNCTIONS, call_forked

PATIENCE = 60
"""Seconds to wait for an engine before giving up."""


class Engine(NamedTuple):
    """A running engine."""

    call: Callable[..., Any]
    """Calls a function of `decorated.FUNCTIONS`, by its name, and waits for the result."""
    handle: Any = None
    """Where the engine's own interface begins."""


# -- processes -------------------------------------------------------------------------------------


@contextmanager
def spawn_pool() -> Iterator[Engine]:
    with get_context("spawn").Pool(1) as pool:
        yield Engine(lambda name, *args, **kwargs: pool.apply(FUNCTIONS[name], args, kwargs))


@contextmanager
def fork_pool() -> Iterator[Engine]:
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:

        def call(name: str, *args: Any, **kwargs: Any) -> Any:
            return pool.submit(call_forked, FUNCTIONS[name], *args, **kwargs).result(PATIENCE)

        yield Engine(call)


@contextmanager
def executor() -> Iterator[Engine]:
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:

        def call(name: str, *args: Any, **kwargs: Any) -> Any:
            return pool.submit(FUNCTIONS[name], *args, **kwargs).result(PATIENCE)

        yield Engine(call, pool)


@contextmanager
def loky() -> Iterator[Engine]:
    from joblib import Parallel, delayed
    from joblib.externals.loky import get_reusable_executor

    def call(name: str, *args: Any, **kwargs: Any) -> Any:
        return Parallel(n_jobs=2, backend="loky", timeout=PATIENCE)([delayed(FUNCTIONS[name])(*args, **kwargs)])[0]

    yield Engine(call)
    get_reusable_executor().shutdown(wait=True, kill_workers=True)


# -- clusters --------------------------------------------------------------------------------------


@contextmanager
def dask() -> Iterator[Engine]:
    from dask import config
    from distributed import Client, LocalCluster

    workers = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with tempfile.TemporaryDirectory(prefix="dask") as directory, config.set(temporary_directory=directory):
        with LocalCluster(**workers) as cluster, Client(cluster) as client:

            def call(name: str, *args: Any, **kwargs: Any) -> Any:
                return client.submit(FUNCTIONS[name], *args, **kwargs).result(PATIENCE)

            yield Engine(call, client)


@contextmanager
def ray() -> Iterator[Engine]:
    # a token of the environment, else ray would leave one in the home directory
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_TOKEN": secrets.token_hex()}
    import ray

    def call(name: str, *args: Any, **kwargs: Any) -> Any:
        return ray.get(ray.remote(FUNCTIONS[name]).remote(*args, **kwargs), timeout=PATIENCE)

    with tempfile.TemporaryDirectory(prefix="ray") as directory:
        quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": logging.ERROR}
        ray.init(num_cpus=2, _node_ip_address="127.0.0.1", _temp_dir=directory, **quiet)
        try:
            yield Engine(call)
        finally:
            ray.shutdown()


# -- Celery ----------------------------------------------------------------------------------------


@contextmanager
def celery(serializer: str) -> Iterator[Engine]:
    """Run a worker and the Redis that it needs; both take and give what the serializer makes."""
    import celery_app

    with tempfile.TemporaryDirectory(prefix="celery") as directory, _redis(Path(directory)) as address:
        app = celery_app.make_app(address, serializer)

        def call(name: str, *args: Any, **kwargs: Any) -> Any:
            return app.tasks[name].apply_async(args, kwargs).get(timeout=PATIENCE)

        worker = [sys.executable, celery_app.__file__, address, serializer]
        with _running(worker, Path(directory, "worker.log")) as process, app:
            _wait_until(lambda: app.control.ping(timeout=1), process)
            yield Engine(call, app)


@contextmanager
def _redis(directory: Path) -> Iterator[str]:
    """Run a server that keeps nothing, on a free port, and give its address."""
    program = shutil.which("redis-server")
    assert program, "redis-server is missing: apt-get install -y redis-server"
    port = _free_port()
    options = {"port": port, "bind": "127.0.0.1", "save": "", "appendonly": "no", "dir": directory}
    arguments = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    with _running([program, *arguments], directory / "redis.log") as process:
        _wait_until(lambda: _listens(port), process)
        yield f"redis://127.0.0.1:{port}/0"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def _running(command: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program, and end it with all that it started; where it does not come up, show its log."""
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        yield process
    except Exception:
        print(log.read_text())
        raise
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_until(answers: Callable[[], Any], process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not answers():
        assert process.poll() is None, f"{process.args} ended with {process.returncode}"
        assert time.monotonic() < deadline, f"{process.args} did not answer within {PATIENCE} s"
        time.sleep(0.1)


ENGINES: dict[str, Callable[[], AbstractContextManager[Engine]]] = {
    "spawn_pool": spawn_pool,
    "fork_pool": fork_pool,
    "executor": executor,
    "loky": loky,
    "dask": dask,
    "ray": ray,
    "celery_json": partial(celery, "json"),
    "celery_pickle": partial(celery, "pickle"),
}
