"""AutoGen: every tool, run by a workbench, by a tool agent or by a program.

All of them pass `run_json`, or `run_json_stream`, with the arguments before they are validated. A workbench runs the
tool in a task of its own and forgets its error, so the arguments that it hands on bring back what is to be told, as a
part of its result beside the tool's own. Whoever else runs a tool makes a text for the model of the very value that it
got, and there the note stands. Models are given what a workbench lists. Its workbench for MCP is `install("mcp")`.
"""

from collections.abc import Generator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from typing import Any

from timeoutkit._notes import attach_note
from timeoutkit._patch import Seam
from timeoutkit._toolcall import Rules, ToolCall, amended, paragraph, tool_call

_TOOL = "autogen_core.tools._base:BaseTool"
_STREAM_TOOL = "autogen_core.tools._base:BaseStreamTool"
_WORKBENCH = "autogen_core.tools._static_workbench:StaticWorkbench"
_STREAM_WORKBENCH = "autogen_core.tools._static_workbench:StaticStreamWorkbench"


def seams(rules: Rules) -> Iterator[Seam]:
    """Open the tools and the workbenches that hold them."""
    yield from _tools(rules)
    yield from _workbenches(rules)


def _tools(rules: Rules) -> Iterator[Seam]:
    last: ContextVar[tuple[Any, ToolCall] | None] = ContextVar("last", default=None)

    async def run_json(wrapped: Any, tool: Any, args: Any, kwargs: Any) -> Any:
        async def corrected(args: Any, *others: Any, **named: Any) -> Any:
            last.set(None)
            with _followed(rules, tool, args) as call:
                result = await wrapped(call.arguments, *others, **named)
            if not isinstance(args, _Asked):
                last.set((result, call))
            return result

        return await corrected(*args, **kwargs)

    def run_json_stream(wrapped: Any, tool: Any, args: Any, kwargs: Any) -> Any:
        async def corrected(args: Any, *others: Any, **named: Any) -> Any:
            last.set(None)
            result = None
            with _followed(rules, tool, args) as call:
                async with aclosing(wrapped(call.arguments, *others, **named)) as results:
                    async for result in results:
                        yield result
            if not isinstance(args, _Asked):
                last.set((result, call))

        return corrected(*args, **kwargs)

    def return_value_as_string(wrapped: Any, _tool: Any, args: Any, kwargs: Any) -> Any:
        def noted(value: Any) -> Any:
            result, call = last.get() or (None, None)
            text = wrapped(value)
            if call is None or result is not value:
                return text
            last.set(None)
            return call.noted(text, paragraph)

        return noted(*args, **kwargs)

    yield Seam(f"{_TOOL}.run_json", run_json, ("args",))
    yield Seam(f"{_STREAM_TOOL}.run_json_stream", run_json_stream, ("args",))
    yield Seam(f"{_TOOL}.return_value_as_string", return_value_as_string, ("value",))


def _workbenches(rules: Rules) -> Iterator[Seam]:
    async def call_tool(wrapped: Any, _workbench: Any, args: Any, kwargs: Any) -> Any:
        async def noted(name: str, arguments: Any = None, *others: Any, **named: Any) -> Any:
            asked = _asked(arguments)
            return _noted(await wrapped(name, asked, *others, **named), asked)

        return await noted(*args, **kwargs)

    def call_tool_stream(wrapped: Any, _workbench: Any, args: Any, kwargs: Any) -> Any:
        async def noted(name: str, arguments: Any = None, *others: Any, **named: Any) -> Any:
            asked = _asked(arguments)
            async with aclosing(wrapped(name, asked, *others, **named)) as events:
                async for event in events:
                    yield _noted(event, asked)

        return noted(*args, **kwargs)

    async def list_tools(wrapped: Any, workbench: Any, args: Any, kwargs: Any) -> Any:
        schemas = await wrapped(*args, **kwargs)
        return [_amended(rules, tool, schema) for tool, schema in zip(workbench._tools, schemas, strict=True)]

    yield Seam(f"{_WORKBENCH}.call_tool", call_tool, ("name", "arguments"))
    yield Seam(f"{_STREAM_WORKBENCH}.call_tool_stream", call_tool_stream, ("name", "arguments"))
    yield Seam(f"{_WORKBENCH}.list_tools", list_tools)


class _Asked(dict[str, Any]):
    """Arguments on their way through a workbench, and what became of them."""

    call: ToolCall | None = None
    error: Exception | None = None

    def __bool__(self) -> bool:
        return True  # a workbench replaces what is empty


def _asked(arguments: Any) -> Any:
    given = arguments or {}
    return _Asked(given) if isinstance(given, Mapping) else given


def _noted(event: Any, asked: Any) -> Any:
    """Tell of it in the result; what a tool streams before that is not for the model."""
    from autogen_core.tools import ToolResult

    if not isinstance(asked, _Asked) or asked.call is None or not isinstance(event, ToolResult):
        return event
    return asked.call.noted(event, _with_part, asked.error)


@contextmanager
def _followed(rules: Rules, tool: Any, arguments: Any) -> Generator[ToolCall]:
    """Correct the arguments for one run, and see to what is told of its failure."""
    call = tool_call(rules, tool.name, arguments, lambda: _schema_and_function(tool))
    asked = arguments if isinstance(arguments, _Asked) else None
    if asked is not None:
        asked.call = call
    try:
        yield call
    except Exception as error:
        if asked is None:
            call.noted(error, _with_message, error)
        else:
            asked.error = error
        raise


def _schema_and_function(tool: Any) -> tuple[Any, Any]:
    return tool.schema.get("parameters"), getattr(tool, "_func", None)


def _amended(rules: Rules, tool: Any, schema: Any) -> Any:
    stated = schema.get("parameters")
    used = amended(rules, tool.name, stated, getattr(tool, "_func", None))
    return schema if used is stated else {**schema, "parameters": used}


def _with_part(result: Any, note: str) -> Any:
    from autogen_core.tools import TextResultContent

    return result.model_copy(update={"result": [*result.result, TextResultContent(content=note)]})


def _with_message(error: Exception, note: str) -> Exception:
    """Say it in the message, which a tool agent passes on; some errors make theirs anew, of other things."""
    error.args = (paragraph(str(error), note), *error.args[1:])
    return error if note in str(error) else attach_note(error, note)
