"""Version 1 has its server at another place; everything else is the same."""

import asyncio

from mcp.server.fastmcp import FastMCP

import timeoutkit

timeoutkit.install("mcp")

server = FastMCP("shell")


@server.tool()
def run_shell(command: str, timeout: int | None = None) -> str:
    return f"ran within {timeout} s"


print(asyncio.run(server.call_tool("run_shell", {"command": "make", "timeout": 90000})))
