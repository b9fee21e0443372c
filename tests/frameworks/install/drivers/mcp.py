"""The MCP SDK, version 2: a client connected to a server in memory, whose texts are what a model reads."""

from mcp import Client
from mcp.server.mcpserver import MCPServer

from install.told import Told

FAILURES = "told"


async def loop(tools, *calls):
    """Call over the protocol, as a host with a model does."""
    server = MCPServer("shell")
    for tool in tools:
        server.add_tool(tool)
    async with Client(server) as client:
        schema = (await client.list_tools()).tools[0].input_schema
        results = [await client.call_tool(tools[0].__name__, arguments) for arguments in calls]
    return Told(schema, [_text(result) for result in results])


async def _direct(tool, arguments):
    server = MCPServer("shell")
    server.add_tool(tool)
    return _text(await server.call_tool(tool.__name__, arguments))


def _text(result):
    return "\n\n".join(block.text for block in result.content)


ENTRIES = {"direct": _direct}
