"""The MCP SDK, version 1: a client connected to a server in memory, whose texts are what a model reads."""

from mcp.server.fastmcp import FastMCP
from mcp.shared.memory import create_connected_server_and_client_session as connected

from install.told import Told

FAILURES = "told"


async def loop(tools, *calls):
    """Call over the protocol, as a host with a model does."""
    server = FastMCP("shell")
    for tool in tools:
        server.add_tool(tool)
    async with connected(server) as client:
        schema = (await client.list_tools()).tools[0].inputSchema
        results = [await client.call_tool(tools[0].__name__, arguments) for arguments in calls]
    return Told(schema, [_text(result.content) for result in results])


async def _direct(tool, arguments):
    server = FastMCP("shell")
    server.add_tool(tool)
    content, _structured = await server.call_tool(tool.__name__, arguments)
    return _text(content)


def _text(content):
    return "\n\n".join(block.text for block in content)


ENTRIES = {"direct": _direct}
