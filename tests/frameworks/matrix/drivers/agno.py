"""Agno: a function call as its agents make it; conversions for OpenAI, Anthropic and Gemini."""

from agno.tools.function import Function, FunctionCall
from agno.utils.gemini import format_function_definitions
from agno.utils.models.claude import format_tools_for_model


async def call(tool, arguments):
    """Call as the model's response is answered."""
    made = Function.from_callable(tool)
    made.process_entrypoint()
    result = await FunctionCall(function=made, arguments=arguments).aexecute()
    return made.parameters, str(result.result or result.error)


def strict(tool):
    """Convert for OpenAI, Anthropic and Gemini."""
    made = Function.from_callable(tool, strict=True)
    made.process_entrypoint(strict=True)
    definitions = [{"type": "function", "function": made.to_dict()}]
    (declaration,) = format_function_definitions(definitions).function_declarations
    return {
        "openai": made.parameters,
        "anthropic": format_tools_for_model(definitions)[0]["input_schema"],
        "gemini": declaration.parameters.model_dump(mode="json", exclude_none=True),
    }
