"""Inspect: the tool calls of a message, executed."""

from inspect_ai.model import ChatMessageAssistant, execute_tools
from inspect_ai.model._openai import openai_chat_tool_param
from inspect_ai.tool import ToolCall, ToolDef, ToolInfo
from inspect_ai.tool import tool as register


def _made(tool):
    @register(name="run_shell")
    def make():
        return tool

    return make()


async def call(tool, arguments):
    """Execute the call of a message."""
    made = _made(tool)
    call = ToolCall(id="1", function="run_shell", arguments=arguments)
    result = await execute_tools([ChatMessageAssistant(content="", tool_calls=[call])], [made])
    message = result.messages[0]
    return ToolDef(made).parameters.model_dump(exclude_none=True), str(message.error or message.content)


def strict(tool):
    """Convert for OpenAI."""
    made = ToolDef(_made(tool))
    info = ToolInfo(name=made.name, description=made.description, parameters=made.parameters)
    return {"openai": openai_chat_tool_param(info)["function"]["parameters"]}
