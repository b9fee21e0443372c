"""The tool that every framework is given, as people write one, in each kind of function that it may be."""

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

from timeoutkit import sane_timeout

RECEIVED: list[Any] = []
"""The timeouts that the tool was called with, emptied by whoever looks."""
WORDS = "how long to wait"
"""The tool's own description of its timeout."""


def sync_tool(result: Any = "ran") -> Callable[..., Any]:
    """Make a new plain function."""
    declared = type(result)

    def run_shell(command: str, timeout: int | None = None) -> declared:
        """Run a shell command.

        Args:
            command: the command line
            timeout: how long to wait
        """
        RECEIVED.append(timeout)
        return result

    return run_shell


def async_tool(result: Any = "ran") -> Callable[..., Any]:
    """Make a new coroutine function."""
    declared = type(result)

    async def run_shell(command: str, timeout: int | None = None) -> declared:
        """Run a shell command.

        Args:
            command: the command line
            timeout: how long to wait
        """
        RECEIVED.append(timeout)
        return result

    return run_shell


def method() -> Callable[..., Any]:
    """Make a new class, and give a method of an instance."""

    class Shell:
        def run_shell(self, command: str, timeout: int | None = None) -> str:
            """Run a shell command.

            Args:
                command: the command line
                timeout: how long to wait
            """
            RECEIVED.append(timeout)
            return "ran"

    return Shell().run_shell


def handler() -> Callable[..., Any]:
    """Make a new coroutine function that takes all its arguments in one mapping."""

    async def run_shell(args: dict[str, Any]) -> dict[str, Any]:
        """Run a shell command."""
        RECEIVED.append(args.get("timeout"))
        return {"content": [{"type": "text", "text": "ran"}]}

    return run_shell


KINDS = {"sync": sync_tool, "async": async_tool, "method": method, "handler": handler}


def decorated(tool: Callable[..., Any], **options: Any) -> Any:
    """Decorate a tool of any kind."""
    param = ("args", "timeout") if "args" in tool.__annotations__ else "timeout"
    return sane_timeout(param=param, **options)(tool)


def closure(tool: Any) -> Any:
    """Wrap the function of a decorated tool by hand, with all that a framework reads of it: as good as it gets."""
    if inspect.ismethod(tool):
        return types.MethodType(closure(tool.__func__), tool.__self__)
    function = tool.__wrapped__

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    async def async_wrapper(*args: Any, **kwargs: Any) -> Any:
        return await function(*args, **kwargs)

    made: Any = functools.wraps(function)(async_wrapper if inspect.iscoroutinefunction(function) else wrapper)
    made.__signature__ = inspect.signature(tool)
    made.__annotations__, made.__doc__ = tool.__annotations__, tool.__doc__
    return made
