"""FastMCP: the tools of a server, over the wire, called directly, mounted, proxied and transformed.

A server runs every tool by `Tool._run`, once: that of a mounted server runs there. `FunctionTool.run` is called on a
tool by hand, and by tools that were transformed from it. What a tool raises may be masked on its way out, so its note
is added where that leaves the server. Every listing, also that of a search, is made by `FastMCP.list_tools`.
"""

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from timeoutkit._notes import attach_note
from timeoutkit._patch import Seam
from timeoutkit._toolcall import Rules, amended, paragraph, tool_call

_notes: ContextVar[list[str] | None] = ContextVar("notes", default=None)
"""Of the call that a server is making, in case that it fails."""


def seams(rules: Rules) -> Iterator[Seam]:
    """Open the tools, and the server for what it says of them."""

    async def list_tools(wrapped: Any, _server: Any, args: Any, kwargs: Any) -> Any:
        return [_amended(rules, tool) for tool in await wrapped(*args, **kwargs)]

    yield Seam("fastmcp.tools.base:Tool._run", _run(rules, tells_limits=True), ("arguments",))
    # what ran out in there was told by `_run`, with what was corrected
    yield Seam("fastmcp.tools.function_tool:FunctionTool.run", _run(rules, tells_limits=False), ("arguments",))
    yield Seam("fastmcp.server.server:FastMCP.call_tool", _call_tool)
    yield Seam("fastmcp.server.server:FastMCP.list_tools", list_tools)


def _run(rules: Rules, *, tells_limits: bool) -> Callable[[Any, Any, Any, Any], Any]:
    async def run(wrapped: Any, tool: Any, args: Any, kwargs: Any) -> Any:
        async def corrected(arguments: Any) -> Any:
            call = tool_call(rules, tool.name, arguments, lambda: (tool.parameters, _function(tool)))
            try:
                result = await wrapped(call.arguments)
            except Exception as error:
                call.noted(error, _tell, error if tells_limits and _is_of_the_tool(error) else None)
                raise
            return call.noted(result, _with_block)

        return await corrected(*args, **kwargs)

    return run


async def _call_tool(wrapped: Any, _server: Any, args: Any, kwargs: Any) -> Any:
    from fastmcp.exceptions import FastMCPError

    notes: list[str] = []
    outer = _notes.set(notes)
    try:
        return await wrapped(*args, **kwargs)
    except FastMCPError as error:
        for note in notes:
            error.args = (paragraph(str(error), note),)
        raise
    finally:
        _notes.reset(outer)


def _tell(error: Exception, note: str) -> Exception:
    """Leave the note to the server that makes the call, or else on the exception."""
    notes = _notes.get()
    if notes is None:
        return attach_note(error, note)  # type: ignore[no-any-return]
    notes.append(note)
    return error


def _is_of_the_tool(error: Any) -> bool:
    """Tell a tool's own error from that of the protocol, by which FastMCP says that its own limit on a tool ran out."""
    return not hasattr(error, "error")


def _amended(rules: Rules, tool: Any) -> Any:
    parameters = amended(rules, tool.name, tool.parameters, _function(tool))
    return tool if parameters is tool.parameters else tool.model_copy(update={"parameters": parameters})


def _function(tool: Any) -> Any:
    """Find the function below what a tool was transformed from."""
    while hasattr(tool, "parent_tool"):
        tool = tool.parent_tool
    return getattr(tool, "fn", None)


def _with_block(result: Any, note: str) -> Any:
    from mcp.types import TextContent

    return result.model_copy(update={"content": [*result.content, TextContent(type="text", text=note)]})
