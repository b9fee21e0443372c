"""Every tool is corrected, whether an agent of a crew calls it or a flow runs it."""

from crewai.tools import tool

import timeoutkit

timeoutkit.install("crewai")


@tool
def run_shell(command: str, timeout: int | None = None) -> str:
    """Run a shell command."""
    return f"ran within {timeout} s"


print(run_shell.run(command="make", timeout=90000))
