"""What an agent's code calls is corrected too: the note is in the logs, and the code computes with the tool's output."""

from smolagents import LocalPythonExecutor, tool

import timeoutkit

timeoutkit.install("smolagents")


@tool
def run_shell(command: str, timeout: int | None = None) -> str:
    """Run a shell command.

    Args:
        command: the command line
        timeout: how long to wait
    """
    return f"ran within {timeout} s"


executor = LocalPythonExecutor([])
executor.send_tools({"run_shell": run_shell})
print(executor("run_shell('make', timeout=90000)"))
