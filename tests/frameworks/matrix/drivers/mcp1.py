"""The MCP SDK, version 1: a client connected to a server in memory."""

from mcp.server.fastmcp import FastMCP
from mcp.shared.memory import create_connected_server_and_client_session


async def call(tool, arguments):
    """Call over the protocol."""
    server = FastMCP("shell")
    server.add_tool(tool)
    async with create_connected_server_and_client_session(server) as client:
        schema = (await client.list_tools()).tools[0].inputSchema
        result = await client.call_tool("run_shell", arguments)
    return schema, "\n".join(block.text for block in result.content)
