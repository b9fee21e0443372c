"""A tool invoker of Haystack, which was a component of its own once."""

from haystack.components.tools import ToolInvoker
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.tools import create_tool_from_function

import timeoutkit

timeoutkit.install("haystack")


def run_shell(command: str, timeout: int | None = None) -> str:
    """Run a command."""
    return f"ran within {timeout} s"


asked = ChatMessage.from_assistant(tool_calls=[ToolCall("run_shell", {"command": "make", "timeout": 90000})])
told = ToolInvoker(tools=[create_tool_from_function(run_shell)]).run([asked])["tool_messages"]
print(told[0].tool_call_result.result)
