"""Agno: the function calls of agents, teams and their members.

Every call is executed by its `FunctionCall`, which holds the raw arguments, and swallows what a tool raises except for
the log. The model's message for a call is made later, elsewhere: there the note goes, so what the tool returned stays
as it is for hooks, caches, the code mode and the user. Schemas are amended on their way to the model, never where they
are stored.
"""

import weakref
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from timeoutkit._correction import TimeoutValueError
from timeoutkit._patch import Seam
from timeoutkit._toolcall import Rules, ToolCall, amended, paragraph, tool_call

_logged: ContextVar[list[Any] | None] = ContextVar("_logged", default=None)
"""What the framework logs during one call."""


def seams(rules: Rules) -> Iterator[Seam]:
    """Open the execution of a call, the log of its failure, its message, and the list of tools."""
    noted: dict[int, tuple[ToolCall, BaseException | None]] = {}

    def execute(wrapped: Any, function_call: Any, args: Any, kwargs: Any) -> Any:
        with _corrected(rules, function_call, noted) as refused:
            return refused or wrapped(*args, **kwargs)

    async def aexecute(wrapped: Any, function_call: Any, args: Any, kwargs: Any) -> Any:
        with _corrected(rules, function_call, noted) as refused:
            return refused or await wrapped(*args, **kwargs)

    def create_result(wrapped: Any, _model: Any, args: Any, kwargs: Any) -> Any:
        def created(function_call: Any, *others: Any, **named: Any) -> Any:
            message = wrapped(function_call, *others, **named)
            call, error = noted.pop(id(function_call), (None, None))
            return message if call is None else call.noted(message, _with_note, error)

        return created(*args, **kwargs)

    def format_tools(wrapped: Any, _model: Any, args: Any, kwargs: Any) -> Any:
        def formatted(tools: Any) -> Any:
            functions = {tool.name: tool.entrypoint for tool in tools or () if hasattr(tool, "entrypoint")}
            return [_told(rules, tool, functions) for tool in wrapped(tools)]

        return formatted(*args, **kwargs)

    yield Seam("agno.tools.function:FunctionCall.execute", execute)
    yield Seam("agno.tools.function:FunctionCall.aexecute", aexecute)
    yield Seam("agno.tools.function:log_exception", _log_exception)
    yield Seam("agno.models.base:Model.create_function_call_result", create_result, ("function_call",))
    yield Seam("agno.models.base:Model._format_tools", format_tools, ("tools",))


@contextmanager
def _corrected(rules: Rules, function_call: Any, noted: Any) -> Generator[Any]:
    """Correct a call, and keep what its message will need; give the result of a call that is refused."""
    function = function_call.function
    given = function_call.arguments or {}
    try:
        call = tool_call(rules, function.name, given, lambda: (function.parameters, function.entrypoint))
    except TimeoutValueError as refused:
        yield _failed(function_call, str(refused))
        return
    function_call.arguments = call.arguments
    logged: list[Any] = []
    token = _logged.set(logged)
    try:
        yield None
    finally:
        _logged.reset(token)
        error = next((one for one in logged if function_call.error and str(one) == function_call.error), None)
        if call.note(error):
            noted[id(function_call)] = call, error
            weakref.finalize(function_call, noted.pop, id(function_call), None)


def _failed(function_call: Any, message: str) -> Any:
    from agno.tools.function import FunctionExecutionResult

    function_call.error = message
    return FunctionExecutionResult(status="failure", error=message)


def _log_exception(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
    logged = _logged.get()
    if logged is not None:
        logged.extend(one for one in args if isinstance(one, BaseException))
    return wrapped(*args, **kwargs)


def _told(rules: Rules, tool: Any, functions: Any) -> Any:
    stated = tool.get("function")
    if not isinstance(stated, dict) or stated.get("name") not in functions:
        return tool
    name, parameters = stated["name"], stated.get("parameters")
    return {**tool, "function": {**stated, "parameters": amended(rules, name, parameters, functions[name])}}


def _with_note(message: Any, note: str) -> Any:
    message.content = paragraph(message.content, note)
    return message
