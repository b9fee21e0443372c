"""The OpenAI Agents SDK: function tools, in a run or a realtime session, and the local shell tool.

Raw arguments pass `_invoke_function_tool_with_metadata` and `coerce_shell_call`, each looked up under two names. The
note is added where a result becomes what the model reads: hooks, guardrails and the application are given what the
tool returned. Between the two the SDK turns errors into texts, so the running call keeps them. Schemas are amended on
their way into a model, in copies of the tools.
"""

import copy
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import wrapt

from timeoutkit._correction import TimeoutValueError
from timeoutkit._notes import attach_note
from timeoutkit._patch import Seam
from timeoutkit._toolcall import Rules, ToolCall, amended, paragraph, tool_call

_LOOP = "agents.run_internal"
_REALTIME = "agents.realtime"
_SHELL = {"properties": {"command": {}, "timeout_ms": {"type": "integer"}}}
"""What the shell tool takes, as far as it matters: its schema is the provider's."""


@dataclass
class _Running:
    id: str
    call: ToolCall
    error: BaseException | None = None


_running: ContextVar[_Running | None] = ContextVar("timeoutkit_openai_agents", default=None)


def seams(rules: Rules) -> Iterator[Seam]:
    """Open the calls of function tools and of the shell, their results, and what a model is shown."""
    yield from _function_tools(rules)
    yield from _shell(rules)
    yield from _results()
    yield from _schemas(rules)


def _function_tools(rules: Rules) -> Iterator[Seam]:
    async def invoke(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        async def corrected(*, function_tool: Any, context: Any, arguments: Any, **others: Any) -> Any:
            given = arguments or "{}"
            try:
                call = tool_call(rules, function_tool.name, given, lambda: _schema_and_function(function_tool))
            except TimeoutValueError as refused:
                return await _failed(function_tool, context, refused)
            _running.set(_Running(context.tool_call_id, call))
            if call.arguments is not given:
                arguments = call.arguments
                context._function_tool_arguments = None  # parsed for the approval, from what the model wrote
            try:
                return await wrapped(function_tool=function_tool, context=context, arguments=arguments, **others)
            except Exception as error:
                call.noted(error, attach_note, _limit_of_the_tool(error))
                raise

        return await corrected(*args, **kwargs)

    needs = ("function_tool", "context", "arguments")
    yield Seam(f"{_LOOP}.tool_execution:_invoke_function_tool_with_metadata", invoke, needs)
    yield Seam("agents.tool:_invoke_function_tool_with_metadata", invoke, needs)


def _schema_and_function(tool: Any) -> tuple[Any, Any]:
    return tool.params_json_schema, getattr(tool, "__wrapped__", None)


async def _failed(tool: Any, context: Any, refused: TimeoutValueError) -> Any:
    """Tell a refusal as if the tool had raised it, and why: the SDK's own words are for errors that nobody knows."""
    from agents.tool import _FunctionToolInvocationResult as Result
    from agents.tool import maybe_invoke_function_tool_failure_error_function as formatted

    text = await formatted(function_tool=tool, context=context, error=refused)
    if text is None:
        raise refused
    if str(refused) not in text:
        text = paragraph(text, str(refused))
    return Result(text, is_sdk_generated_error=tool._use_default_failure_error_function)


def _limit_of_the_tool(error: Exception) -> Exception | None:
    """Leave out the limit that the SDK itself holds a tool to: that is not the one in the arguments."""
    from agents.exceptions import ToolTimeoutError

    return None if isinstance(error, ToolTimeoutError) else error


def _shell(rules: Rules) -> Iterator[Seam]:
    from agents.run_internal.tool_execution import get_mapping_or_attr as get

    def coerce(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        payload = args[0] if args else kwargs["tool_call"]
        action = get(payload, "action")
        written = [get(action, name) for name in ("timeout_ms", "timeoutMs", "timeout")]
        given = {"timeout_ms": next(filter(None, written), 0 if 0 in written else None)}
        call = tool_call(rules, "shell", given, lambda: (_SHELL, None))
        _running.set(_Running(get(payload, "call_id"), call))
        if action is None or call.arguments is given:
            return wrapped(payload)
        data = wrapped(_with(payload, "action", _with(action, "timeout_ms", call.arguments["timeout_ms"])))
        data.raw = payload
        return data

    yield Seam(f"{_LOOP}.tool_actions:coerce_shell_call", coerce, ("tool_call",))
    yield Seam(f"{_LOOP}.turn_resolution:coerce_shell_call", coerce, ("tool_call",))


def _with(payload: Any, name: str, value: Any) -> Any:
    if isinstance(payload, Mapping):
        return {**payload, name: value}
    changed = copy.copy(payload)
    setattr(changed, name, value)
    return changed


def _results() -> Iterator[Seam]:
    def keep_error(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        if running := _running.get():
            running.error = kwargs["error"] if "error" in kwargs else args[0]
        return wrapped(*args, **kwargs)

    def output_item(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        item = wrapped(*args, **kwargs)
        running = _running.get()
        of_this_call = running is not None and running.id == item["call_id"]
        return _told(item, _with_part) if of_this_call and not kwargs.get("output_json_schema") else item

    def realtime_output(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        return _told(wrapped(*args, **kwargs), paragraph)

    def shell_output(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        entries = wrapped(*args, **kwargs)
        return _told(entries, _with_entry, _ran_out(entries))

    yield Seam("agents.tool:maybe_invoke_function_tool_failure_error_function", keep_error, ("error",))
    yield Seam("agents.items:ItemHelpers.tool_call_output_item", output_item, ("output_json_schema",))
    yield Seam(f"{_REALTIME}.session:_serialize_tool_output", realtime_output)
    yield Seam(f"{_LOOP}.tool_actions:format_shell_error", keep_error, ("error",))
    yield Seam(f"{_LOOP}.tool_actions:normalize_shell_output_entries", shell_output)


def _told(result: Any, add: Any, error: BaseException | None = None) -> Any:
    running = _running.get()
    return running.call.noted(result, add, running.error or error) if running else result


def _with_part(item: Any, note: str) -> Any:
    if item.get("caller", {}).get("type") == "program":  # it parses what it reads
        return item
    text = item["output"]
    parts = paragraph(text, note) if isinstance(text, str) else [*text, {"type": "input_text", "text": note}]
    return {**item, "output": parts}


def _with_entry(entries: Any, note: str) -> Any:
    return [*entries, {"stdout": note, "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]


def _ran_out(entries: Any) -> TimeoutError | None:
    """Tell whether a command ran into its limit, which executors say without raising anything."""
    outcomes = (entry.get("outcome") for entry in entries)
    return TimeoutError() if any(isinstance(one, dict) and one.get("type") == "timeout" for one in outcomes) else None


def _schemas(rules: Rules) -> Iterator[Seam]:
    def get_model(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        return _Model(wrapped(*args, **kwargs), rules)

    def session_tools(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        return _showing(rules, wrapped, args, kwargs)

    yield Seam(f"{_LOOP}.run_loop:get_model", get_model)
    yield Seam(f"{_REALTIME}.openai_realtime:OpenAIRealtimeWebSocketModel._tools_to_session_tools", session_tools)


class _Model(wrapt.ObjectProxy[Any]):
    """A model that is shown the amended tools; those of the run keep the schema they are called by."""

    def __init__(self, model: Any, rules: Rules) -> None:
        super().__init__(model)
        self._self_rules = rules

    def get_response(self, *args: Any, **kwargs: Any) -> Any:
        return _showing(self._self_rules, self.__wrapped__.get_response, args, kwargs)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        return _showing(self._self_rules, self.__wrapped__.stream_response, args, kwargs)


def _showing(rules: Rules, function: Any, args: Any, kwargs: Any) -> Any:
    """Call with amended tools, wherever among the arguments they are."""
    from agents.tool import FunctionTool

    def amend(given: Any) -> Any:
        if not isinstance(given, list) or not any(isinstance(one, FunctionTool) for one in given):
            return given
        return [_amended(rules, one) if isinstance(one, FunctionTool) else one for one in given]

    return function(*map(amend, args), **{name: amend(one) for name, one in kwargs.items()})


def _amended(rules: Rules, tool: Any) -> Any:
    schema, function = _schema_and_function(tool)
    shown = amended(rules, tool.name, schema, function)
    if shown is schema:
        return tool
    copied = object.__new__(type(tool))  # copying it by its own means makes its schema anew
    copied.__dict__ |= {**tool.__dict__, "params_json_schema": _without_defaults_of_ours(schema, shown)}
    return copied


def _without_defaults_of_ours(schema: Any, shown: Any) -> Any:
    """Leave the default to the description: some providers refuse a strict schema that has one."""
    own = schema["properties"]
    properties = {
        name: one if one is own[name] or "default" in own[name] else {k: v for k, v in one.items() if k != "default"}
        for name, one in shown["properties"].items()
    }
    return {**shown, "properties": properties}
