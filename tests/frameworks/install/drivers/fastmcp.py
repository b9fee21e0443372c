"""FastMCP: a client connected to a server in memory, whose texts are what a model reads."""

from fastmcp import Client, FastMCP
from fastmcp.server import create_proxy
from fastmcp.server.transforms.search import BM25SearchTransform
from fastmcp.tools import Tool

from install.told import Told

FAILURES = "told"


def _server(*tools, **options):
    server = FastMCP("shell", **options)
    for tool in tools:
        server.tool(tool)
    return server


async def loop(tools, *calls):
    """Call over the protocol, as a host with a model does."""
    async with Client(_server(*tools)) as client:
        schema = (await client.list_tools())[0].input_schema
        results = [await client.call_tool_mcp(tools[0].__name__, arguments) for arguments in calls]
    return Told(schema, [_text(result) for result in results])


def _text(result):
    return "\n\n".join(block.text for block in result.content)


async def _over_the_wire(server, name, arguments):
    async with Client(server) as client:
        return _text(await client.call_tool_mcp(name, arguments))


async def _direct(tool, arguments):
    return _text(await _server(tool).call_tool(tool.__name__, arguments))


async def _without_middleware(tool, arguments):
    return _text(await _server(tool).call_tool(tool.__name__, arguments, run_middleware=False))


async def _tool_object(tool, arguments):
    return _text(await Tool.from_function(tool).run(arguments))


async def _transformed(tool, arguments):
    server = FastMCP("shell")
    server.add_tool(Tool.from_tool(Tool.from_function(tool), name="renamed"))
    return await _over_the_wire(server, "renamed", arguments)


async def _mounted(tool, arguments):
    server = FastMCP("outer")
    server.mount(_server(tool), namespace="inner")
    return await _over_the_wire(server, f"inner_{tool.__name__}", arguments)


async def _proxied(tool, arguments):
    return await _over_the_wire(create_proxy(_server(tool)), tool.__name__, arguments)


async def _searched(tool, arguments):
    server = _server(tool, transforms=[BM25SearchTransform()])
    return await _over_the_wire(server, "call_tool", {"name": tool.__name__, "arguments": arguments})


ENTRIES = {
    "direct": _direct,
    "without_middleware": _without_middleware,
    "tool_object": _tool_object,
    "transformed": _transformed,
    "mounted": _mounted,
    "proxied": _proxied,
    "searched": _searched,
}
