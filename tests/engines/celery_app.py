"""The Celery application: `python celery_app.py ADDRESS SERIALIZER` is its worker."""

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from celery import Celery, current_app
from decorated import FUNCTIONS

from timeoutkit import sane_timeout


def make_app(address: str, serializer: str) -> Celery:
    """Make the application, all functions of `decorated` its tasks by the names that they have there."""
    app = Celery("timeoutkit", broker=address, backend=address, set_as_current=False)
    app.conf.update(
        task_serializer=serializer,
        result_serializer=serializer,
        accept_content=[serializer],
        broker_connection_retry_on_startup=True,
        worker_hijack_root_logger=False,
    )
    task = partial(app.task, shared=False)  # what is shared belongs to every application in the process
    for name, function in FUNCTIONS.items():
        task(name=name)(function)
    _add_tasks(task)
    return app


def _add_tasks(task: Callable[..., Any]) -> None:
    """Add what only Celery has."""

    @task(name="limited", soft_time_limit=20, time_limit=30)
    @sane_timeout
    def limited(command: str, timeout: int | None = None) -> str:
        return f"{command} within {timeout} s"

    @task(name="softly_limited", soft_time_limit=1)
    @sane_timeout
    def softly_limited(command: str, timeout: int | None = None) -> str:
        time.sleep(30)
        return command

    @task(name="hard_limited", time_limit=1)
    @sane_timeout
    def hard_limited(command: str, timeout: int | None = None) -> str:
        time.sleep(30)
        return command

    @task(name="bound", bind=True)
    @sane_timeout
    def bound(self, command: str, timeout: int | None = None) -> str:
        return f"{command} within {timeout} s of {self.name}, attempt {self.request.retries + 1}"

    @task(name="retried", bind=True, autoretry_for=(ConnectionError,), default_retry_delay=0, max_retries=2)
    @sane_timeout
    def retried(self, command: str, timeout: int | None = None) -> str:
        if self.request.retries < 2:
            raise ConnectionError(f"{command} within {timeout} s")
        return f"{command} within {timeout} s, attempt {self.request.retries + 1}"

    @sane_timeout
    @task(name="ours_above")
    def ours_above(command: str, timeout: int | None = None) -> str:
        return f"{command} within {timeout} s"

    @sane_timeout
    @task(name="ours_above_bound", bind=True)
    def ours_above_bound(self, command: str, timeout: int | None = None) -> str:
        return f"{command} within {timeout} s"

    @task(name="contracts")
    def contracts(name: str) -> dict[str, str]:
        """Say what the task of a name, as the worker has it, states of its timeouts."""
        policies = current_app.tasks[name].run.timeout_policies
        return {param: policy.describe() for param, policy in policies.items()}


if __name__ == "__main__":
    os.environ["C_FORCE_ROOT"] = "1"  # a container's only user may take pickles here
    address, serializer = sys.argv[1:]
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=WARNING"]
    make_app(address, serializer).worker_main(["worker", "--concurrency=1", *quiet])
