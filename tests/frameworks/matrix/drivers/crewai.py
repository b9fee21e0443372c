"""CrewAI: the function that a native tool call runs; conversions for OpenAI, Anthropic and Bedrock."""

from crewai.tools import tool as make_tool
from crewai.utilities import pydantic_schema_utils as conversions
from crewai.utilities.agent_utils import convert_tools_to_openai_schema


def _converted(tool):
    schemas, functions, _ = convert_tools_to_openai_schema([make_tool("run_shell")(tool)])
    return schemas[0]["function"]["parameters"], functions["run_shell"]


def call(tool, arguments):
    """Call as the executor of a native tool call does."""
    schema, function = _converted(tool)
    return schema, str(function(**arguments))


def strict(tool):
    """Convert for OpenAI, Anthropic and Bedrock."""
    schema, _ = _converted(tool)
    return {
        "openai": conversions.sanitize_tool_params_for_openai_strict(schema),
        "anthropic": conversions.sanitize_tool_params_for_anthropic_strict(schema),
        "bedrock": conversions.sanitize_tool_params_for_bedrock_strict(schema),
    }
