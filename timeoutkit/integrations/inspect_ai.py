"""Inspect: every tool call that a model makes, in any agent or solver.

`call_tool` runs each of them, before approval and validation. Where it raises, `tool_call_error` decides what the model
reads, most often a fixed text, so the note of a failure is told there, in the task of that same call. What a model is
sent of the tools comes from `prepare_tools`, by the name under which `generate` calls it.
"""

from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from timeoutkit._correction import TimeoutValueError
from timeoutkit._notes import attach_note
from timeoutkit._patch import Seam
from timeoutkit._toolcall import Rules, ToolCall, amended, paragraph, tool_call


def seams(rules: Rules) -> Iterator[Seam]:
    """Open what runs a call, what tells of its failure, and what a model is sent of the tools."""
    running: ContextVar[ToolCall | None] = ContextVar("running", default=None)

    async def call_tool(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        async def corrected(tools: Any, message: Any, message_id: Any, asked: Any, *others: Any, **named: Any) -> Any:
            running.set(None)  # a call inside of another inherits that one's context
            call = _refusing(rules, tools, asked)
            running.set(call)
            used = asked if call.arguments is asked.arguments else replace(asked, arguments=call.arguments)
            called = await wrapped(tools, message, message_id, used, *others, **named)
            return call.noted(called, _with_text)

        return await corrected(*args, **kwargs)

    def tool_call_error(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        def noted(error: Any, *others: Any, **named: Any) -> Any:
            told = wrapped(error, *others, **named)
            call = running.get()
            return told if call is None else call.noted(told, lambda _, note: _with_message(told, error, note), error)

        return noted(*args, **kwargs)

    async def prepare_tools(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        prepared = await wrapped(*args, **kwargs)
        functions = {tool.name: tool.tool for tool in prepared.tdefs}
        return prepared._replace(
            base_tools=[_amended(rules, info, functions.get(info.name)) for info in prepared.base_tools]
        )

    calls = "inspect_ai.model._call_tools"
    yield Seam(f"{calls}:call_tool", call_tool, ("tools", "message", "message_id", "call"))
    yield Seam(f"{calls}:tool_call_error", tool_call_error, ("ex",))
    yield Seam("inspect_ai.model._model:prepare_tools", prepare_tools, ("tools",))


def _refusing(rules: Rules, tools: Any, asked: Any) -> ToolCall:
    """Correct a call; what a strict policy refuses the model reads, any other `ValueError` would end the sample."""
    from inspect_ai.tool._tool import ToolParsingError

    try:
        return tool_call(rules, asked.function, asked.arguments, lambda: _schema_and_function(tools, asked.function))
    except TimeoutValueError as refused:
        raise ToolParsingError(str(refused)) from refused


def _schema_and_function(tools: Any, name: str) -> tuple[Any, Any]:
    tool = next((tool for tool in tools if tool.name == name), None)
    return (None, None) if tool is None else (tool.parameters.model_dump(exclude_none=True), tool.tool)


def _amended(rules: Rules, info: Any, function: Any) -> Any:
    schema = info.parameters.model_dump(exclude_none=True)
    used = amended(rules, info.name, schema, function)
    return info if used is schema else info.model_copy(update={"parameters": type(info.parameters)(**used)})


def _with_text(called: Any, note: str) -> Any:
    """Add a content to a list of them; anything else the model reads as its text."""
    from inspect_ai.model import ContentText
    from inspect_ai.model._call_tools import tool_result_content_list

    contents = tool_result_content_list(called.result)
    if contents is None:
        return called._replace(result=paragraph(str(called.result), note))
    return called._replace(result=[*contents, ContentText(text=note)])


def _with_message(told: Any, error: Any, note: str) -> Any:
    """Add to what the model reads of a failure; one that ends the sample is read by people."""
    if told is None:
        attach_note(error, note)
        return None
    return told._replace(error=replace(told.error, message=paragraph(told.error.message, note)))
