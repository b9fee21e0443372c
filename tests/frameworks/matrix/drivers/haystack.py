"""Haystack: a tool, invoked; the strict conversion of its OpenAI generator."""

from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.tools import create_tool_from_function
from haystack.utils import Secret


async def call(tool, arguments):
    """Invoke as the agent does."""
    made = create_tool_from_function(tool)
    return made.tool_spec["parameters"], str(await made.invoke_async(**arguments))


def strict(tool):
    """Convert for OpenAI."""
    generator = OpenAIChatGenerator(api_key=Secret.from_token("none"), tools_strict=True)
    request = generator._prepare_api_call(messages=[], tools=[create_tool_from_function(tool)])
    return {"openai": request["tools"][0]["function"]["parameters"]}
