"""Google ADK: a whole run with a model that calls the tool once; conversions for Gemini and Anthropic."""

import copy

from google.adk.agents import LlmAgent
from google.adk.integrations.openai._openai_schema import enforce_strict_openai_schema
from google.adk.models import BaseLlm, LlmResponse
from google.adk.models.anthropic_llm import function_declaration_to_tool_param
from google.adk.runners import InMemoryRunner
from google.adk.tools import FunctionTool
from google.adk.tools._gemini_schema_util import _to_gemini_schema
from google.genai import types


class _Caller(BaseLlm):
    """Calls the tool, then ends; keeps what it was told."""

    arguments: dict
    seen: list

    async def generate_content_async(self, llm_request, stream=False):
        told = llm_request.contents[-1].parts[0].function_response
        self.seen.append((llm_request.config.tools[0].function_declarations[0], told and told.response))
        call = types.FunctionCall(name="run_shell", args=self.arguments)
        part = types.Part(text="done") if told else types.Part(function_call=call)
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


async def call(tool, arguments):
    """Run an agent."""
    model = _Caller(model="none", arguments=arguments, seen=[])
    runner = InMemoryRunner(LlmAgent(name="agent", model=model, tools=[tool]))
    await runner.run_debug("hi", quiet=True)
    declaration, response = model.seen[-1]
    return declaration.parameters_json_schema, str(response.get("result", response))


def strict(tool):
    """Convert for OpenAI, Anthropic and Gemini."""
    declaration = FunctionTool(tool)._get_declaration()
    schema = declaration.parameters_json_schema
    openai = copy.deepcopy(schema)
    enforce_strict_openai_schema(openai)
    gemini = types.Schema.from_json_schema(
        json_schema=types.JSONSchema.model_validate(schema), raise_error_on_unsupported_field=True
    )
    return {
        "openai": openai,
        "anthropic": function_declaration_to_tool_param(declaration)["input_schema"],
        "gemini": gemini.model_dump(mode="json", exclude_none=True),
        "gemini, of the ADK": _to_gemini_schema(schema).model_dump(mode="json", exclude_none=True),
    }
