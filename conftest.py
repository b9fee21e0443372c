"""What every test has: a clean environment, and the names that the doctests use."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import hypothesis
import pytest

import timeoutkit
from timeoutkit.testing import capture_corrections

# how long an example takes says more of the machine than of the code
hypothesis.settings.register_profile("timeoutkit", deadline=None)
hypothesis.settings.load_profile("timeoutkit")


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DEFAULT", "MAX", "MS_THRESHOLD"):
        monkeypatch.delenv(f"TIMEOUTKIT_{name}", raising=False)


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace: dict[str, object]) -> None:
    @timeoutkit.sane_timeout
    def run_shell(command: str, timeout: int | None = None) -> str:
        return f"ran {command} within {timeout} s"

    public = {name: getattr(timeoutkit, name) for name in timeoutkit.__all__}
    doctest_namespace.update(public, run_shell=run_shell, capture_corrections=capture_corrections)


@pytest.fixture
def run() -> Callable[[Any], Any]:
    """Give the result of a call, awaited where it is a coroutine."""

    async def awaited(coroutine: Any) -> Any:
        return await coroutine

    return lambda result: asyncio.run(awaited(result)) if inspect.iscoroutine(result) else result
