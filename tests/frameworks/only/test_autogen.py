"""What AutoGen does with strict tools and with tools that it dumps."""

import asyncio
import functools

import pytest
from autogen_core import CancellationToken
from autogen_core.tools import FunctionTool

from timeoutkit import sane_timeout


def run(tool, **arguments):
    """Run a tool of AutoGen."""
    return asyncio.run(tool.run_json({"command": "ls", **arguments}, CancellationToken()))


def test_a_strict_tool():
    """A strict tool has no defaults; with `default=None` none is advertised, and values are corrected as ever."""

    def run_shell(command: str, timeout: int) -> str:
        return f"ran within {timeout}"

    with pytest.raises(ValueError, match="Default arguments are not allowed"):
        _ = FunctionTool(sane_timeout(run_shell), description="Run.", strict=True).schema
    tool = FunctionTool(sane_timeout(default=None)(run_shell), description="Run.", strict=True)
    assert tool.schema["parameters"]["required"] == ["command", "timeout"]
    assert run(tool, timeout="30s") == "ran within 30"


def by_hand(function):
    """Decorate with a closure."""

    @functools.wraps(function)
    def wrapper(command, timeout=None):
        return function(command, min(timeout, 600))

    return wrapper


@sane_timeout
def corrected(command: str, timeout: int | None = None) -> str:
    """Run a shell command."""
    return f"ran within {timeout}"


@by_hand
def clipped(command: str, timeout: int | None = None) -> str:
    """Run a shell command."""
    return f"ran within {timeout}"


@pytest.mark.filterwarnings("ignore:.*dynamically:UserWarning")
@pytest.mark.parametrize("function", [corrected, clipped], ids=["sane_timeout", "closure"])
def test_a_dumped_tool(function):
    """A dumped tool comes back without its decorator, whichever that was."""
    tool = FunctionTool(function, description="Run.")
    assert run(tool, timeout=7200).startswith("ran within 600")
    assert run(FunctionTool.load_component(tool.dump_component()), timeout=7200) == "ran within 7200"
