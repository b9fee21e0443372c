"""The MCP SDK, version 2: a client connected to a server in memory."""

from mcp import Client
from mcp.server.mcpserver import MCPServer


async def call(tool, arguments):
    """Call over the protocol."""
    server = MCPServer("shell")
    server.add_tool(tool)
    async with Client(server) as client:
        schema = (await client.list_tools()).tools[0].input_schema
        result = await client.call_tool("run_shell", arguments)
    return schema, "\n".join(block.text for block in result.content)
