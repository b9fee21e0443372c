"""A model's calls of a tool are corrected, and those that the program makes itself."""

from strands import Agent, tool

import timeoutkit

timeoutkit.install("strands")


@tool
def run_shell(command: str, timeout: int | None = None) -> str:
    """Run a shell command."""
    return f"ran within {timeout} s"


agent = Agent(tools=[run_shell])  # with a model: agent("Build the project")
print(agent.tool.run_shell(command="make", timeout=90000))
