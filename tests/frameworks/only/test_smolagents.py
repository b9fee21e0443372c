"""What smolagents exports of a tool."""

import pytest
from matrix.tools import closure
from smolagents import tool as make_tool

from timeoutkit import sane_timeout


@sane_timeout
def run_shell(command: str, timeout: int | None = None) -> str:
    """Run a shell command.

    Args:
        command: the command line
        timeout: how long to wait
    """
    return f"ran within {timeout}"


@pytest.mark.filterwarnings("ignore:.*decorators other than @tool:UserWarning")
@pytest.mark.parametrize("function", [run_shell, closure(run_shell)], ids=["sane_timeout", "closure"])
def test_an_exported_tool(function):
    """The code that is exported is the function's own, without its decorator."""
    code = make_tool(function).to_dict()["code"]
    assert 'return f"ran within {timeout}"' in code
    assert "sane_timeout" not in code
