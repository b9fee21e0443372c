"""Pydantic AI: the tools of every run, of a realtime session, and those that one tool calls through the manager.

Every call passes the `ToolManager` twice: its raw arguments are validated first, for all calls of a turn, and later
each is executed. The context of a call, made for it alone, links the two. Hooks and toolsets of the user's own lie
inside, so they see what the model wrote, and what the tool returned. A request is told of the tools where its
parameters are made, not in the manager, from which calls are corrected by the schema as it was.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from weakref import finalize

from timeoutkit._correction import TimeoutValueError
from timeoutkit._notes import attach_note
from timeoutkit._patch import Seam
from timeoutkit._toolcall import Rules, ToolCall, amended, paragraph, tool_call


def seams(rules: Rules) -> Iterator[Seam]:
    """Open the tool manager, and where a request or a session is told of its tools."""
    yield from _calls(rules)

    async def request(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        async def told(ctx: Any, *others: Any, **named: Any) -> Any:
            return _amended(rules, await wrapped(ctx, *others, **named), ctx.deps.tool_manager.tools)

        return await told(*args, **kwargs)

    def session(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        def told(*, tool_manager: Any, model_request_parameters: Any, **named: Any) -> Any:
            parameters = _amended(rules, model_request_parameters, tool_manager.tools or {})
            return wrapped(tool_manager=tool_manager, model_request_parameters=parameters, **named)

        return told(*args, **kwargs)

    yield Seam("pydantic_ai._agent_graph:_prepare_request_parameters", request, ("ctx",))
    needs = ("tool_manager", "model_request_parameters")
    yield Seam("pydantic_ai.agent.abstract:_RealtimeSessionResolution.__init__", session, needs)


def _calls(rules: Rules) -> Iterator[Seam]:
    calls: dict[int, ToolCall] = {}  # by the context's identity: it has no hash

    async def validate(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        async def corrected(call: Any, tool: Any, ctx: Any, *, args_override: Any = None, **named: Any) -> Any:
            given = (call.args if args_override is None else args_override) or {}
            one = _tool_call(rules, call.tool_name, given, tool)
            calls[id(ctx)] = one
            finalize(ctx, calls.pop, id(ctx), None)
            return await wrapped(call, tool, ctx, args_override=one.arguments, **named)

        return await corrected(*args, **kwargs)

    async def execute(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        async def told(validated: Any, *, wrap_validation_errors: bool = True) -> Any:
            call = calls.get(id(validated.ctx)) or ToolCall({}, {}, {})
            try:
                result = await wrapped(validated, wrap_validation_errors=wrap_validation_errors)
            except Exception as error:
                call.noted(error, _with_note, _of_the_tool(error))
                raise
            # without the wrapping it is a program that called, to which a text is data
            return call.noted(result, _with_paragraph if wrap_validation_errors else _with_content)

        return await told(*args, **kwargs)

    manager = "pydantic_ai.tool_manager:ToolManager"
    yield Seam(f"{manager}._validate_tool_args", validate, ("call", "tool", "ctx", "args_override"))
    yield Seam(f"{manager}.execute_tool_call", execute, ("validated", "wrap_validation_errors"))


def _tool_call(rules: Rules, name: str, arguments: Any, tool: Any) -> ToolCall:
    from pydantic_ai.exceptions import ModelRetry

    try:
        return tool_call(rules, name, arguments, lambda: (tool.tool_def.parameters_json_schema, _function(tool)))
    except TimeoutValueError as refused:  # any other error would end the run
        raise ModelRetry(str(refused)) from refused


def _amended(rules: Rules, parameters: Any, tools: Any) -> Any:
    def of(one: Any) -> Any:
        schema = amended(rules, one.name, one.parameters_json_schema, _function(tools.get(one.name)))
        return replace(one, parameters_json_schema=schema)

    return replace(parameters, function_tools=[of(one) for one in parameters.function_tools])


def _function(tool: Any) -> Any:
    """Find the function of a tool, below the toolsets that combine others."""
    while hasattr(tool, "source_tool"):
        tool = tool.source_tool
    return getattr(getattr(getattr(tool, "call_func", None), "__self__", None), "function", None)


def _of_the_tool(error: Any) -> Any:
    """Give the error, unless a limit of the framework's own may have run out: of that it makes a retry `from None`."""
    from pydantic_ai.exceptions import ModelRetry

    retry = error.__cause__ or error
    hidden = isinstance(retry, ModelRetry) and retry.__cause__ is None and retry.__suppress_context__
    return None if hidden else error


def _with_paragraph(result: Any, note: str) -> Any:
    if type(result) is str:
        return paragraph(result, note)
    if type(getattr(result, "return_value", None)) is str:
        return replace(result, return_value=paragraph(result.return_value, note))
    return _with_content(result, note)


def _with_content(result: Any, note: str) -> Any:
    """Tell beside the result, in a part of its own."""
    from pydantic_ai.messages import ToolReturn

    told = result if isinstance(result, ToolReturn) else ToolReturn(result)
    before = [told.content] if isinstance(told.content, str) else told.content or ()
    return replace(told, content=[*before, note])


def _with_note(error: Any, note: str) -> Any:
    """Put the note into what the model is told of a failure, or on the exception that leaves the run."""
    part = getattr(error, "tool_retry", None) or getattr(error, "tool_failed", None)
    if part is None:
        return attach_note(error, note)
    part.content = paragraph(part.model_response_str(wrap_if_error=False), note)
    return error
