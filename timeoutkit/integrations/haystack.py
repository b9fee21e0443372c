"""Haystack: every tool, run by an agent or invoked by a program.

All of them pass `Tool.invoke`, or `invoke_async`, which make one error of every failure: its message, with the note, is
what a model reads. What a tool returned is also stored in an agent's state, so there the note waits on the model's call
until that becomes a message; a program gets it as a decorated function gives it. Models are told of tools by an agent,
or by a generator that has them: each flattens its toolsets first.
"""

from collections.abc import Iterator
from contextvars import ContextVar
from copy import deepcopy
from typing import Any

import wrapt

from timeoutkit._correction import TimeoutValueError
from timeoutkit._notes import attach_note
from timeoutkit._patch import Seam
from timeoutkit._toolcall import Rules, ToolCall, amended, paragraph, tool_call

_NOTED = "_timeoutkit"
"""Where a call of the model, which has no such field, holds what is to be told of it."""


def seams(rules: Rules) -> Iterator[Seam]:
    """Open the tools, the step of an agent that runs them, and wherever tools are made ready for a model."""
    asking: ContextVar[Any] = ContextVar("asking", default=None)
    yield from _tools(rules, asking)
    yield from _agent(asking)

    def flatten(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        return [_told(rules, tool) for tool in wrapped(*args, **kwargs)]

    for module in ("agents.agent", "generators.chat.openai", "generators.chat.openai_responses"):
        yield Seam(f"haystack.components.{module}:flatten_tools_or_toolsets", flatten)


def _tools(rules: Rules, asking: ContextVar[Any]) -> Iterator[Seam]:
    def invoke(wrapped: Any, tool: Any, _args: Any, kwargs: Any) -> Any:
        asked, call = _started(rules, tool, kwargs, asking)
        try:
            result = wrapped(**call.arguments)
        except Exception as error:
            call.noted(error, _with_message, error)
            raise
        return _ended(result, asked, call)

    async def invoke_async(wrapped: Any, tool: Any, _args: Any, kwargs: Any) -> Any:
        if tool.async_function is None:  # it is invoked in a thread
            return await wrapped(**kwargs)
        asked, call = _started(rules, tool, kwargs, asking)
        try:
            result = await wrapped(**call.arguments)
        except Exception as error:
            call.noted(error, _with_message, error)
            raise
        return _ended(result, asked, call)

    yield Seam("haystack.tools.tool:Tool.invoke", invoke)
    yield Seam("haystack.tools.tool:Tool.invoke_async", invoke_async)


def _agent(asking: ContextVar[Any]) -> Iterator[Seam]:
    def invoked(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        before = asking.set(kwargs.get("tool_call"))  # the thread gets a copy of this context
        try:
            return wrapped(*args, **kwargs)
        finally:
            asking.reset(before)

    def invoked_async(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        async def run() -> Any:  # in a task of its own
            asking.set(kwargs.get("tool_call"))
            return await wrapped(*args, **kwargs)()

        return run

    def finalize(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        def noted(result: Any, tool_call: Any, *others: Any, **named: Any) -> Any:
            call = getattr(tool_call, "__dict__", {}).pop(_NOTED, None)
            message = wrapped(result, tool_call, *others, **named)
            return message if call is None else call.noted(message, _with_text)

        return noted(*args, **kwargs)

    calling = "haystack.components.agents.tool_calling"
    yield Seam(f"{calling}:_make_context_bound_invoke", invoked, ("tool_call",))
    yield Seam(f"{calling}:_make_bounded_invoke_async", invoked_async, ("tool_call",))
    yield Seam(f"{calling}:_finalize_tool_result", finalize, ("result", "tool_call"))


def _started(rules: Rules, tool: Any, arguments: Any, asking: ContextVar[Any]) -> tuple[Any, ToolCall]:
    """Correct a call; an agent goes on from what a strict policy refuses only as from a failure of the tool."""
    from haystack.tools.errors import ToolInvocationError

    asked = asking.get()
    asking.set(None)  # what the tool itself invokes was not asked for by the model
    function = tool.function or tool.async_function
    try:
        return asked, tool_call(rules, tool.name, arguments, lambda: (tool.parameters, function))
    except TimeoutValueError as refused:
        raise ToolInvocationError(str(refused), tool_name=tool.name) from refused


def _ended(result: Any, asked: Any, call: ToolCall) -> Any:
    def wait(result: Any, _note: str) -> Any:
        vars(asked)[_NOTED] = call
        return result

    return call.noted(result, attach_note if asked is None else wait)


class _Told(wrapt.ObjectProxy[Any]):
    """A tool as a model is told of it; whatever is done with it is done with the tool itself."""

    def __init__(self, tool: Any, parameters: Any) -> None:
        super().__init__(tool)
        self._self_parameters = parameters

    @property
    def parameters(self) -> Any:
        return self._self_parameters

    @property
    def tool_spec(self) -> Any:
        return {**self.__wrapped__.tool_spec, "parameters": self.parameters}

    def __deepcopy__(self, memo: Any) -> Any:
        return deepcopy(self.__wrapped__, memo)


def _told(rules: Rules, tool: Any) -> Any:
    parameters = amended(rules, tool.name, tool.parameters, tool.function or tool.async_function)
    return tool if parameters is tool.parameters else _Told(tool, parameters)


def _with_message(error: Exception, note: str) -> Exception:
    error.args = (paragraph(str(error), note), *error.args[1:])
    return error


def _with_text(message: Any, note: str) -> Any:
    """Add a part where a result has parts; not all generators take parts where it has none."""
    from haystack.dataclasses import ChatMessage, TextContent

    told = message.tool_call_result
    is_text = isinstance(told.result, str)
    result = paragraph(told.result, note) if is_text else [*told.result, TextContent(text=note)]
    return ChatMessage.from_tool(result, told.origin, told.error, message.meta)
