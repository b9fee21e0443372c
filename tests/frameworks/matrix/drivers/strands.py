"""Strands Agents: a tool call as its executor makes it."""

from strands import tool as make_tool
from strands.models._strict_schema import ensure_strict_json_schema


async def call(tool, arguments):
    """Call as the executor does, with the tool use of a model."""
    made = make_tool(tool)
    use = {"toolUseId": "1", "name": "run_shell", "input": arguments}
    events = [event async for event in made.stream(use, {})]
    content = events[-1].tool_result["content"]
    return made.tool_spec["inputSchema"]["json"], "\n".join(block["text"] for block in content)


def strict(tool):
    """Convert for OpenAI and Bedrock."""
    schema = make_tool(tool).tool_spec["inputSchema"]["json"]
    return {
        "bedrock": ensure_strict_json_schema(schema),
        "openai": ensure_strict_json_schema(schema, require_all_properties=True),
    }
