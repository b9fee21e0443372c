"""Every tool call is corrected, whichever agent or solver makes it."""

import asyncio

from inspect_ai.model import ChatMessageAssistant, execute_tools
from inspect_ai.tool import ToolCall, tool

import timeoutkit

timeoutkit.install("inspect-ai")


@tool
def run_shell():
    async def execute(command: str, timeout: int | None = None) -> str:
        """Run a shell command.

        Args:
            command: the command line
            timeout: how long to wait
        """
        return f"ran within {timeout} s"

    return execute


call = ToolCall(id="1", function="run_shell", arguments={"command": "make", "timeout": 90000})
done = asyncio.run(execute_tools([ChatMessageAssistant(content="", tool_calls=[call])], [run_shell()]))
print(done.messages[0].content)
