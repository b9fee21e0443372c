"""Claude Agent SDK: a client connected to its server in memory; its handlers take one mapping."""

from claude_agent_sdk import create_sdk_mcp_server
from claude_agent_sdk import tool as make_tool
from mcp import Client


def input_schema(tool):
    """Write the schema by hand, the timeout's from the policy, with the types that it corrects besides numbers."""
    policies = getattr(tool, "timeout_policies", {})
    timeout = {"type": ["number", "string", "null"]}
    if policies:
        timeout = {**policies["args", "timeout"].json_schema(), **timeout}
    return {
        "type": "object",
        "properties": {"command": {"type": "string"}, "timeout": timeout},
        "required": ["command"],
    }


async def call(tool, arguments, schema=None):
    """Make a tool of a handler, and call it."""
    return await served(make_tool("run_shell", "Run a shell command.", schema or input_schema(tool))(tool), arguments)


async def served(made, arguments):
    """Call over the protocol, as Claude Code does."""
    server = create_sdk_mcp_server("shell", tools=[made])["instance"]
    async with Client(server) as client:
        schema = (await client.list_tools()).tools[0].input_schema
        result = await client.call_tool("run_shell", arguments)
    return schema, "\n".join(block.text for block in result.content)
