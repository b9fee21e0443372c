"""The MCP SDK, version 1 and 2: the tools of a server, and those that a client calls of any server.

A server's tools pass `ToolManager.call_tool`, over the wire and called directly. A low-level server has only handlers,
which version 2 looks up for each request. Schemas are known from the last listing of the tools; where there was none,
they are listed before a tool's first call, as a client session otherwise does after it.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from typing import Any
from weakref import WeakKeyDictionary

from timeoutkit._notes import attach_note
from timeoutkit._patch import Seam
from timeoutkit._toolcall import Rules, amended, paragraph, tool_call


def seams(rules: Rules) -> Iterator[Seam]:
    """Open the tool manager of the server, the low-level server and the session of the client."""
    is_version_2 = find_spec("mcp.server.mcpserver") is not None
    yield from _tool_manager(rules, "mcp.server.mcpserver" if is_version_2 else "mcp.server.fastmcp")
    if is_version_2:
        yield from _low_level_server(rules)
    yield from _client(rules)


def _tool_manager(rules: Rules, package: str) -> Iterator[Seam]:
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

    yield Seam(f"{package}.tools.tool_manager:ToolManager.call_tool", call_tool, ("name", "arguments"))
    yield Seam(f"{package}.tools.tool_manager:ToolManager.list_tools", list_tools)


def _low_level_server(rules: Rules) -> Iterator[Seam]:
    listing = _Listing(rules)

    def get_request_handler(wrapped: Any, server: Any, args: Any, kwargs: Any) -> Any:
        async def list_tools(context: Any, params: Any) -> Any:
            return listing.amended(server, await entry.handler(context, params))

        async def call_tool(context: Any, params: Any) -> Any:
            async def page(cursor: Any) -> Any:
                lister = wrapped("tools/list")
                return listing.amended(server, await lister.handler(context, lister.params_type(cursor=cursor)))

            async def run(arguments: Any) -> Any:
                return await entry.handler(context, params.model_copy(update={"arguments": arguments}))

            schema = await listing.schema(server, params.name, page)
            return await _called(rules, params.name, params.arguments, schema, run)

        def opened(method: str) -> Any:
            return {"tools/list": list_tools, "tools/call": call_tool}.get(method)

        entry, handler = wrapped(*args, **kwargs), opened(*args, **kwargs)
        return entry if entry is None or handler is None else replace(entry, handler=handler)

    yield Seam("mcp.server.lowlevel.server:Server.get_request_handler", get_request_handler, ("method",))


def _client(rules: Rules) -> Iterator[Seam]:
    listing = _Listing(rules)

    async def list_tools(wrapped: Any, session: Any, args: Any, kwargs: Any) -> Any:
        return listing.amended(session, await wrapped(*args, **kwargs))

    async def call_tool(wrapped: Any, session: Any, args: Any, kwargs: Any) -> Any:
        async def corrected(name: str, arguments: Any = None, *others: Any, **named: Any) -> Any:
            async def run(used: Any) -> Any:
                return await wrapped(name, used, *others, **named)

            async def page(cursor: Any) -> Any:
                from mcp.types import PaginatedRequestParams

                further = {} if cursor is None else {"params": PaginatedRequestParams(cursor=cursor)}
                return await session.list_tools(**further)

            schema = await listing.schema(session, name, page)
            return await _called(rules, name, arguments, schema, run)

        return await corrected(*args, **kwargs)

    yield Seam("mcp.client.session:ClientSession.list_tools", list_tools)
    yield Seam("mcp.client.session:ClientSession.call_tool", call_tool, ("name", "arguments"))


async def _called(rules: Rules, name: str, arguments: Any, schema: Any, run: Callable[[Any], Awaitable[Any]]) -> Any:
    """Call a tool of which nothing is known but its schema."""
    given = {} if arguments is None else arguments
    call = tool_call(rules, name, given, lambda: (schema, None))
    try:
        result = await run(arguments if call.arguments is given else call.arguments)
    except Exception as error:
        # what ran out by a protocol error is the time of the session, not that of the tool
        call.noted(error, _with_message, None if hasattr(error, "error") else error)
        raise
    return call.noted(result, _with_block)


class _Listing:
    """The schemas of the tools of each server or session, as it listed them last: without our contract in them."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._schemas: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()

    def amended(self, owner: Any, result: Any) -> Any:
        """Give what was listed with the contract in it, and remember it without."""
        with suppress(Exception):  # a low-level handler may give anything
            tools = [self._amended(owner, tool) for tool in result.tools]
            return result.model_copy(update={"tools": tools})
        return result

    def _amended(self, owner: Any, tool: Any) -> Any:
        field = "input_schema" if hasattr(tool, "input_schema") else "inputSchema"
        schema = self._schemas.setdefault(owner, {})[tool.name] = getattr(tool, field)
        return tool.model_copy(update={field: amended(self._rules, tool.name, schema)})

    async def schema(self, owner: Any, name: str, page: Callable[[Any], Awaitable[Any]]) -> Any:
        """Give the schema of a tool, for which the tools are listed once if it was not yet."""
        if name not in self._schemas.get(owner, ()):
            with suppress(Exception):
                await self._look(owner, name, page)
            self._schemas.setdefault(owner, {}).setdefault(name, None)
        return self._schemas[owner][name]

    async def _look(self, owner: Any, name: str, page: Callable[[Any], Awaitable[Any]]) -> None:
        cursor = None
        for _ in range(100):  # a server may have ever more pages
            result = await page(cursor)
            cursor = getattr(result, "next_cursor" if hasattr(result, "next_cursor") else "nextCursor")
            if not cursor or name in self._schemas.get(owner, ()):
                return


def _schema_and_function(manager: Any, name: str) -> tuple[Any, Any]:
    tool = manager.get_tool(name)
    return (None, None) if tool is None else (tool.parameters, tool.fn)


def _with_message(error: Any, note: str) -> Any:
    """Add the note to what an error says; of a protocol error it is the message that is sent, and `args` differ."""
    if hasattr(error, "error"):
        told = error.error.message
        error.error.message = paragraph(told, note)
        error.args = tuple(error.error.message if part == told else part for part in error.args)
    else:
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
