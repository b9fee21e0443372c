"""Every tool is corrected, run by an agent or invoked by a program, and its note stands below what it returned."""

from haystack.tools import tool

import timeoutkit

timeoutkit.install("haystack")


@tool
def run_shell(command: str, timeout: int | None = None) -> str:
    """Run a shell command."""
    return f"ran within {timeout} s"


print(run_shell.invoke(command="make", timeout=90000))
