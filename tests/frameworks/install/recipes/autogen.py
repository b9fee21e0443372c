"""Every agent's tools are corrected; a workbench tells the note in a part of its own, beside what the tool returned."""

import asyncio

from autogen_core.tools import FunctionTool, StaticWorkbench

import timeoutkit

timeoutkit.install("autogen")


async def run_shell(command: str, timeout: int | None = None) -> str:
    return f"ran within {timeout} s"


workbench = StaticWorkbench([FunctionTool(run_shell, description="Run a shell command.")])
print(asyncio.run(workbench.call_tool("run_shell", {"command": "make", "timeout": 90000})).to_text())
