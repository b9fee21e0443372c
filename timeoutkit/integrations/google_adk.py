"""Google ADK: the tools of every agent, of any class, in turns and live sessions, and function tools by themselves.

A call is corrected where its tool is run, after the callbacks and plugins of the user's own, in the copy of the
arguments that is made for it. The note is a key of the function response, beside `result` or beside the keys of a
tool that returns a mapping, put there when callbacks have seen what the tool returned. What calls a function tool
outside of a conversation, such as a node of a workflow, is a program, to which the result is data: no note in it.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextvars import ContextVar
from typing import Any

from timeoutkit._correction import TimeoutValueError
from timeoutkit._notes import KEY, attach_note
from timeoutkit._patch import Seam
from timeoutkit._toolcall import Rules, ToolCall, amended, tool_call

_running: ContextVar[Any] = ContextVar("running", default=None)
"""The call of a conversation that is run: it comes to the function tool too, or to one seam by both names."""


def seams(rules: Rules) -> Iterator[Seam]:
    """Open where a call is run, by both of its names, the function tool, and where a request is told of its tools."""

    async def execute(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        async def told(invocation_context: Any, prepared_call: Any, agent: Any, *, tool_runner: Any) -> Any:
            if _running.get() is prepared_call:
                return await wrapped(invocation_context, prepared_call, agent, tool_runner=tool_runner)
            run = _Run(rules, prepared_call.tool, prepared_call.function_args, lambda _used: tool_runner())
            token = _running.set(prepared_call)
            try:
                event = await wrapped(invocation_context, prepared_call, agent, tool_runner=run)
            finally:
                _running.reset(token)
            return event and run.call.noted(event, _with_key, run.error)

        return await told(*args, **kwargs)

    async def run_async(wrapped: Any, instance: Any, args: Any, kwargs: Any) -> Any:
        if getattr(_running.get(), "tool", None) is instance:
            return await wrapped(*args, **kwargs)

        async def corrected(*, args: Any, **named: Any) -> Any:
            return await _Run(rules, instance, dict(args), lambda used: wrapped(args=used, **named))()

        return await corrected(*args, **kwargs)

    async def request(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        async def told(invocation_context: Any, llm_request: Any) -> None:
            await wrapped(invocation_context, llm_request)
            groups = llm_request.config.tools or []
            groups[:] = [_group(rules, one, llm_request.tools_dict) for one in groups]

        await told(*args, **kwargs)

    package = "google.adk.flows.llm_flows.tools"
    for module in ("_caller", "_live_caller"):
        needs = ("invocation_context", "prepared_call", "agent", "tool_runner")
        yield Seam(f"{package}.{module}:_execute_single_prepared_call", execute, needs)
    yield Seam("google.adk.tools.function_tool:FunctionTool.run_async", run_async, ("args",))
    yield Seam(f"{package}._agent_tools:process_agent_tools", request, ("invocation_context", "llm_request"))


class _Run:
    """Runs the tool of one call, with its arguments put right where they are: callbacks that follow see them too."""

    def __init__(self, rules: Rules, tool: Any, arguments: Any, run: Callable[[Any], Awaitable[Any]]) -> None:
        self.call = ToolCall({}, {}, {})
        self.error: Exception | None = None
        self._rules, self._tool, self._arguments, self._run = rules, tool, arguments, run

    async def __call__(self) -> Any:
        try:
            self.call = tool_call(self._rules, self._tool.name, self._arguments, self._look)
        except TimeoutValueError as refused:
            return {"error": str(refused)}
        self._arguments.update(self.call.arguments)
        try:
            return await self._run(self._arguments)
        except Exception as error:
            self.error = error  # which a callback may answer
            self.call.noted(error, attach_note, error)
            raise

    def _look(self) -> tuple[Any, Any]:
        return _schema(self._tool._get_declaration()), getattr(self._tool, "func", None)


def _schema(declaration: Any) -> Any:
    if declaration is None or declaration.parameters is None:
        return declaration and declaration.parameters_json_schema
    return _json_schema(declaration.parameters.model_dump(exclude_none=True))


def _json_schema(stated: Any) -> Any:
    """Say what is stated in Gemini's own types as JSON schema does, as far as a timeout is read from it."""
    schema = {{"any_of": "anyOf", "ref": "$ref"}.get(key, key): value for key, value in stated.items()}
    if "type" in schema:
        schema["type"] = schema["type"].lower()
    if "anyOf" in schema:
        schema["anyOf"] = [_json_schema(one) for one in schema["anyOf"]]
    if "properties" in schema:
        schema["properties"] = {name: _json_schema(one) for name, one in schema["properties"].items()}
    return schema


def _group(rules: Rules, group: Any, tools: Any) -> Any:
    declarations = getattr(group, "function_declarations", None)
    if not declarations:
        return group
    declarations = [_amended(rules, one, tools.get(one.name)) for one in declarations]
    return group.model_copy(update={"function_declarations": declarations})


def _amended(rules: Rules, declaration: Any, tool: Any) -> Any:
    before = _schema(declaration)
    after = amended(rules, declaration.name, before, getattr(tool, "func", None))
    if after is before:
        return declaration
    if declaration.parameters is None:
        return declaration.model_copy(update={"parameters_json_schema": after})
    copied = declaration.model_copy(deep=True)
    for name, stated in copied.parameters.properties.items():
        stated.description = after["properties"][name].get("description")
    return copied


def _with_key(event: Any, note: str) -> Any:
    """Put the note into the response, which is this call's own, in a copy of a mapping that may be the tool's."""
    response = event.content.parts[0].function_response
    response.response = {**response.response, KEY: note, **response.response}
    return event
