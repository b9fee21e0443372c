"""LangChain and LangGraph: every tool is run by `BaseTool.run` or `arun`, whoever calls it.

An exception leaves the tool, and whoever catches it makes a message of it: a tool node, a middleware, code of the
user's own. What they have in common is the message, made with the id of the call while the exception is handled.
Models are given schemas by the conversion to OpenAI's form, from which most providers make their own.
"""

import dataclasses
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from timeoutkit._notes import attach_note
from timeoutkit._patch import Seam
from timeoutkit._toolcall import Rules, ToolCall, amended, paragraph, tool_call

_failed: dict[str, str] = {}
"""The notes of calls that raised, by the id of the call, until a message is made of it."""
_handled: ContextVar[BaseException | None] = ContextVar("timeoutkit_langchain_handled", default=None)
"""What a tool raised and handled itself, in the run that is going on."""


def seams(rules: Rules) -> Iterator[Seam]:
    """Open the run of a tool, the two ways in which its errors become results, and the conversion of its schema."""

    def run(wrapped: Any, instance: Any, args: Any, kwargs: Any) -> Any:
        def corrected(tool_input: Any, *others: Any, tool_call_id: Any = None, **named: Any) -> Any:
            call = _begun(rules, instance, tool_input, tool_call_id)
            try:
                result = wrapped(call.arguments, *others, tool_call_id=tool_call_id, **named)
            except Exception as error:
                _remember(call, error, tool_call_id)
                raise
            return call.noted(result, _with_note, _taken())

        return corrected(*args, **kwargs)

    async def arun(wrapped: Any, instance: Any, args: Any, kwargs: Any) -> Any:
        async def corrected(tool_input: Any, *others: Any, tool_call_id: Any = None, **named: Any) -> Any:
            call = _begun(rules, instance, tool_input, tool_call_id)
            try:
                result = await wrapped(call.arguments, *others, tool_call_id=tool_call_id, **named)
            except Exception as error:
                _remember(call, error, tool_call_id)
                raise
            return call.noted(result, _with_note, _taken())

        return await corrected(*args, **kwargs)

    def described(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        def corrected(tool: Any) -> Any:
            function = wrapped(tool)
            parameters = amended(rules, tool.name, function["parameters"], _function(tool))
            return {**function, "parameters": parameters}

        return corrected(*args, **kwargs)

    yield Seam("langchain_core.tools.base:BaseTool.run", run, ("tool_input", "tool_call_id"))
    yield Seam("langchain_core.tools.base:BaseTool.arun", arun, ("tool_input", "tool_call_id"))
    yield Seam("langchain_core.tools.base:_handle_tool_error", _handle, ("e",))
    yield Seam("langchain_core.messages.tool:ToolMessage.__init__", _make_message)
    yield Seam("langchain_core.utils.function_calling:_format_tool_to_openai_function", described, ("tool",))


def _begun(rules: Rules, tool: Any, tool_input: Any, tool_call_id: Any) -> ToolCall:
    _failed.pop(tool_call_id, None)
    _handled.set(None)
    if isinstance(tool_input, str):  # a tool's one argument itself, not the JSON text of all
        return ToolCall(tool_input, {}, {})
    return tool_call(rules, tool.name, tool_input, lambda: (_schema(tool), _function(tool)))


def _schema(tool: Any) -> Any:
    schema = tool.tool_call_schema
    if isinstance(schema, dict):
        return schema
    of_its_version = getattr(schema, "model_json_schema", None) or schema.schema  # pydantic 2 or 1
    return of_its_version()


def _function(tool: Any) -> Any:
    return getattr(tool, "func", None) or getattr(tool, "coroutine", None) or tool._run


def _remember(call: ToolCall, error: Exception, tool_call_id: Any) -> None:
    """Keep the note for a message, as the exception may be another one once it has come out of a thread."""

    def add(error: Exception, note: str) -> Exception:
        error.add_note(note)
        _failed[tool_call_id] = note
        if len(_failed) > 100:  # nobody may ever make messages of them
            del _failed[next(iter(_failed))]
        return error

    call.noted(error, add, error)


def _make_message(wrapped: Any, instance: Any, args: Any, kwargs: Any) -> None:
    wrapped(*args, **kwargs)
    if sys.exc_info()[1] is not None and (note := _failed.pop(instance.tool_call_id, None)):
        instance.content = _below(instance.content, note)


def _handle(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
    def seen(e: BaseException, **named: Any) -> Any:
        _handled.set(e)
        return wrapped(e, **named)

    return seen(*args, **kwargs)


def _taken() -> BaseException | None:
    error = _handled.get()
    _handled.set(None)  # it would hold on to every frame that it passed
    return error


def _with_note(result: Any, note: str) -> Any:
    """Add the note to a message, to one of several or of a command, or to what was asked for without a tool call."""
    from langchain_core.messages.tool import ToolMessage, ToolOutputMixin

    if isinstance(result, ToolMessage):
        return result.model_copy(update={"content": _below(result.content, note)})
    if isinstance(result, ToolOutputMixin):  # a command of LangGraph
        command: Any = result
        messages = _with_note(command.update["messages"], note)
        return dataclasses.replace(command, update={**command.update, "messages": messages})
    messages = [one for one in result if isinstance(one, ToolOutputMixin)] if isinstance(result, list) else []
    if not messages:
        return attach_note(result, note)
    first = next((one for one in messages if isinstance(one, ToolMessage)), messages[0])
    return [_with_note(one, note) if one is first else one for one in result]


def _below(content: Any, note: str) -> Any:
    return paragraph(content, note) if isinstance(content, str) else [*content, {"type": "text", "text": note}]
