"""Tools of agents, of tool nodes and called directly are corrected alike; here with a tool call as a model makes it."""

from langchain_core.tools import tool

import timeoutkit

timeoutkit.install("langchain")


@tool
def run_shell(command: str, timeout: int | None = None) -> str:
    """Run a shell command."""
    return f"ran within {timeout} s"


asked = {"type": "tool_call", "id": "1", "name": "run_shell", "args": {"command": "make", "timeout": 90000}}
print(run_shell.invoke(asked).content)
