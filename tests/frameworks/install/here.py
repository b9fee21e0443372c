"""The framework of this environment, with an agent in it."""

import asyncio
import copy
import importlib
import subprocess
from typing import Any

from matrix.here import NAME
from matrix.table import FRAMEWORKS
from pydantic import BaseModel

import timeoutkit
from install.told import Told

driver = importlib.import_module(f"install.drivers.{NAME}")
FRAMEWORK = FRAMEWORKS[NAME]
INSTALLED = FRAMEWORK.installed_as or NAME.replace("_", "-")

RECEIVED: list[Any] = []
"""The timeouts that the tool was called with."""


def install(**options: Any) -> timeoutkit.Patch:
    """Install into the framework of this environment."""
    return timeoutkit.install(INSTALLED, **options)


def converse(tool: Any, *calls: dict[str, Any]) -> Told:
    """Let the model call a tool, and see what it is given."""
    RECEIVED.clear()
    return asyncio.run(driver.loop([tool], *({"command": "ls", **arguments} for arguments in calls)))


def read_of(tool: Any, **arguments: Any) -> str:
    """Let the model call a tool once, and give what it reads of that, also where that is an error that is raised."""
    try:
        return converse(tool, arguments).texts[0]
    except Exception as error:
        return "\n\n".join(_said(error))


def _said(error: BaseException) -> list[str]:
    causes = [error.__cause__] if error.__cause__ else []
    inner = [*getattr(error, "exceptions", ()), *causes]
    return [str(error), *getattr(error, "__notes__", ()), *(text for one in inner for text in _said(one))]


class Answer(BaseModel):
    """A result of a tool that is a model."""

    output: str


RESULTS = {"text": "ran", "int": 7, "dict": {"output": "ran"}, "model": Answer(output="ran")}
ERRORS = {
    "an error": ValueError("broken"),
    "its limit": TimeoutError("too late"),
    "the limit of a process": subprocess.TimeoutExpired("ls", 30),
}


def tool_of(kind: str, result: Any = "ran") -> Any:
    """Make a new tool that is not decorated, which returns the result or raises it."""
    declared = str if isinstance(result, BaseException) else type(result)

    def answer(timeout: Any) -> Any:
        RECEIVED.append(timeout)
        if isinstance(result, BaseException):
            raise copy.copy(result)  # some are kept by whoever sees them, with their notes
        return result

    def sync() -> Any:
        def run_shell(command: str, timeout: int | None = None) -> declared:
            """Run a shell command.

            Args:
                command: the command line
                timeout: how long to wait
            """
            return answer(timeout)

        return run_shell

    def coroutine() -> Any:
        async def run_shell(command: str, timeout: int | None = None) -> declared:
            """Run a shell command.

            Args:
                command: the command line
                timeout: how long to wait
            """
            return answer(timeout)

        return run_shell

    return {"sync": sync, "async": coroutine}[kind]()
