"""LangChain: a tool as its agents call it, with a tool call; three providers' conversions."""

from langchain_anthropic.chat_models import convert_to_anthropic_tool
from langchain_core.tools import tool as make_tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_google_genai._function_utils import convert_to_genai_function_declarations


async def call(tool, arguments):
    """Call with a tool call, as the tool node does."""
    made = make_tool(tool)
    message = await made.ainvoke({"type": "tool_call", "id": "1", "name": "run_shell", "args": arguments})
    return convert_to_openai_tool(made)["function"]["parameters"], message.content


def strict(tool):
    """Convert for OpenAI, Anthropic and Gemini."""
    made = make_tool(tool)
    (declaration,) = convert_to_genai_function_declarations([made])[0].function_declarations
    return {
        "openai": convert_to_openai_tool(made, strict=True)["function"]["parameters"],
        "anthropic": convert_to_anthropic_tool(made, strict=True)["input_schema"],
        "gemini": declaration.model_dump(mode="json", exclude_none=True),
    }
