"""A server's tools are corrected over the wire, called directly, mounted in another server or proxied."""

import asyncio

from fastmcp import FastMCP

import timeoutkit

timeoutkit.install("fastmcp")

server = FastMCP("shell")


@server.tool
def run_shell(command: str, timeout: int | None = None) -> str:
    return f"ran within {timeout} s"


print(asyncio.run(server.call_tool("run_shell", {"command": "make", "timeout": 90000})).content)
