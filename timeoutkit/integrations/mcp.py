"""The MCP SDK, version 1 and 2: the tools of a server, and those that a client calls of any server.

A server's tools pass `ToolManager.call_tool`, over the wire and called directly. A client session knows the schemas
from the last listing of the tools.
"""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any
from weakref import WeakKeyDictionary

from timeoutkit._notes import attach_note
from timeoutkit._patch import Seam
from timeoutkit._toolcall import Rules, amended, paragraph, tool_call


def seams(rules: Rules) -> Iterator[Seam]:
    """Open the tool manager of the server and the session of the client."""
    manager = "mcp.server.mcpserver" if find_spec("mcp.server.mcpserver") else "mcp.server.fastmcp"

    async def call_tool(wrapped: Any, instance: Any, args: Any, kwargs: Any) -> Any:
        async def corrected(name: str, arguments: Any, *others: Any, **named: Any) -> Any:
            call = tool_call(rules, name, arguments, lambda: _schema_and_function(instance, name))
            try:
                result = await wrapped(name, call.arguments, *others, **named)
            except Exception as error:
                call.noted(error, _with_message, error)
                raise
            return call.noted(result, _with_block)

        return await corrected(*args, **kwargs)

    def list_tools(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        return [
            tool.model_copy(update={"parameters": amended(rules, tool.name, tool.parameters, tool.fn)})
            for tool in wrapped(*args, **kwargs)
        ]

    yield Seam(f"{manager}.tools.tool_manager:ToolManager.call_tool", call_tool, ("name", "arguments"))
    yield Seam(f"{manager}.tools.tool_manager:ToolManager.list_tools", list_tools)
    yield from _client(rules)


def _client(rules: Rules) -> Iterator[Seam]:
    listed: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()

    async def list_tools(wrapped: Any, instance: Any, args: Any, kwargs: Any) -> Any:
        result = await wrapped(*args, **kwargs)
        known = listed.setdefault(instance, {})
        tools = []
        for tool in result.tools:
            field = _input_schema(tool)
            known[tool.name] = getattr(tool, field)
            tools.append(tool.model_copy(update={field: amended(rules, tool.name, known[tool.name])}))
        return result.model_copy(update={"tools": tools})

    async def call_tool(wrapped: Any, instance: Any, args: Any, kwargs: Any) -> Any:
        async def corrected(name: str, arguments: Any = None, *others: Any, **named: Any) -> Any:
            given = {} if arguments is None else arguments
            call = tool_call(rules, name, given, lambda: (listed.get(instance, {}).get(name), None))
            used = arguments if call.arguments is given else call.arguments
            return call.noted(await wrapped(name, used, *others, **named), _with_block)

        return await corrected(*args, **kwargs)

    yield Seam("mcp.client.session:ClientSession.list_tools", list_tools)
    yield Seam("mcp.client.session:ClientSession.call_tool", call_tool, ("name", "arguments"))


def _input_schema(tool: Any) -> str:
    return "input_schema" if hasattr(tool, "input_schema") else "inputSchema"


def _schema_and_function(manager: Any, name: str) -> tuple[Any, Any]:
    tool = manager.get_tool(name)
    return (None, None) if tool is None else (tool.parameters, tool.fn)


def _with_message(error: Exception, note: str) -> Exception:
    error.args = (paragraph(str(error), note),)
    return error


def _with_block(result: Any, note: str) -> Any:
    """Add a content block to a result in any of its kinds: of version 2, of version 1, or not converted yet."""
    from mcp.types import TextContent

    block = TextContent(type="text", text=note)
    if isinstance(result, tuple):
        content, structured = result
        return [*content, block], structured
    if isinstance(result, list):
        return [*result, block]
    if hasattr(result, "content"):
        return result.model_copy(update={"content": [*result.content, block]})
    return attach_note(result, note)
