"""A server's tools are corrected on both sides of the wire; a client session corrects the tools of any server."""

import asyncio

from mcp.server.mcpserver import MCPServer

import timeoutkit

timeoutkit.install("mcp")

server = MCPServer("shell")


@server.tool()
def run_shell(command: str, timeout: int | None = None) -> str:
    return f"ran within {timeout} s"


print(asyncio.run(server.call_tool("run_shell", {"command": "make", "timeout": 90000})))
