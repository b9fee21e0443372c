"""Tools of agents and of workflows, and those called directly, are corrected alike; here as an agent calls one."""

import asyncio

from llama_index.core.tools import FunctionTool
from llama_index.core.tools.calling import acall_tool

import timeoutkit

timeoutkit.install("llama-index")


def run_shell(command: str, timeout: int | None = None) -> str:
    """Run a shell command."""
    return f"ran within {timeout} s"


output = asyncio.run(acall_tool(FunctionTool.from_defaults(run_shell), {"command": "make", "timeout": 90000}))
print(output.content)
