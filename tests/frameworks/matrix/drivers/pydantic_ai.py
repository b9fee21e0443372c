"""Pydantic AI: a whole run with a model that calls the tool once; three providers' conversions."""

from pydantic_ai import Agent, Tool
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.profiles.google import GoogleJsonSchemaTransformer, GoogleOpenAPISchemaTransformer
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer
from pydantic_ai.providers.anthropic import AnthropicJsonSchemaTransformer


async def call(tool, arguments):
    """Run an agent."""
    seen = []

    def model(messages, info):
        seen.append((info.function_tools[0].parameters_json_schema, str(getattr(messages[-1].parts[0], "content", ""))))
        answer = ToolCallPart("run_shell", arguments) if len(seen) == 1 else TextPart("done")
        return ModelResponse(parts=[answer])

    await Agent(FunctionModel(model), tools=[tool]).run("hi")
    return seen[-1]


def strict(tool):
    """Convert for OpenAI, Anthropic and Gemini."""
    schema = Tool(tool).function_schema.json_schema
    return {
        "openai": OpenAIJsonSchemaTransformer(schema, strict=True).walk(),
        "anthropic": AnthropicJsonSchemaTransformer(schema, strict=True).walk(),
        "gemini": GoogleJsonSchemaTransformer(schema, strict=True).walk(),
        "gemini live": GoogleOpenAPISchemaTransformer(schema, strict=True).walk(),
    }
