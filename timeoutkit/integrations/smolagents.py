"""smolagents: the tools of an agent that calls them, of one that writes code, and called by a program.

`ToolCallingAgent.execute_tool_call` has the arguments before they are validated; its note goes into the observation, so
that the output stays what the tool gave. Code calls the tool itself, and computes with what it gets: there the note is
a line in the logs of that run, as everything is that happened besides. A program that calls a tool reads no note, only
an error's. Code that is executed elsewhere (Docker, E2B) runs a copy of the tool's source: nothing reaches it.
"""

from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import Any

from timeoutkit._annotation import signature_of
from timeoutkit._correction import TimeoutValueError
from timeoutkit._notes import attach_note
from timeoutkit._patch import Seam
from timeoutkit._toolcall import Rules, ToolCall, amended, paragraph, tool_call


def seams(rules: Rules) -> Iterator[Seam]:
    """Open both kinds of agents, the tool itself, and the three forms in which models are told of tools."""
    yield from _calls(rules)
    yield from _code(rules)

    def told(wrapped: Any, tool: Any, args: Any, kwargs: Any) -> Any:
        return wrapped.__func__(_told(rules, tool), *args, **kwargs)

    def json_schema(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        return (lambda tool: wrapped(_told(rules, tool)))(*args, **kwargs)

    yield Seam("smolagents.models:get_tool_json_schema", json_schema, ("tool",))
    yield Seam("smolagents.tools:Tool.to_tool_calling_prompt", told)
    yield Seam("smolagents.tools:Tool.to_code_prompt", told)


def _calls(rules: Rules) -> Iterator[Seam]:
    done: ContextVar[ToolCall | None] = ContextVar("done", default=None)

    def execute_tool_call(wrapped: Any, agent: Any, args: Any, kwargs: Any) -> Any:
        def corrected(tool_name: str, arguments: Any) -> Any:
            given = agent._substitute_state_variables(arguments)
            call = _refusing(rules, agent, tool_name, given)
            try:
                result = wrapped(tool_name, _with_changes(arguments, given, call))
            except Exception as error:
                call.noted(error, _with_message, error)
                raise
            done.set(call)
            return result

        return corrected(*args, **kwargs)

    def tool_output(wrapped: Any, output: Any, args: Any, kwargs: Any) -> None:
        wrapped(*args, **kwargs)
        call = done.get()
        if call is not None:
            done.set(None)
            call.noted(output, _with_observation)

    agent = "smolagents.agents:ToolCallingAgent"
    yield Seam(f"{agent}.execute_tool_call", execute_tool_call, ("tool_name", "arguments"))
    yield Seam("smolagents.agents:ToolOutput.__init__", tool_output, ("observation",))


def _code(rules: Rules) -> Iterator[Seam]:
    heard: ContextVar[dict[str, str] | None] = ContextVar("heard", default=None)

    def call_tool(wrapped: Any, tool: Any, args: Any, kwargs: Any) -> Any:
        def corrected(*inputs: Any, sanitize_inputs_outputs: bool = False, **named: Any) -> Any:
            run = partial(wrapped, sanitize_inputs_outputs=sanitize_inputs_outputs)
            if sanitize_inputs_outputs and not inputs:  # by `execute_tool_call`, which has corrected them
                return run(**named)
            given = _by_name(tool, inputs, named)
            call = tool_call(rules, tool.name, given, lambda: (_schema(tool), tool.forward))
            try:
                result = run(*inputs, **named) if call.arguments is given else run(**call.arguments)
            except Exception as error:
                _hear(heard.get(), call.note(error), error)
                raise
            _hear(heard.get(), call.note())
            return result

        return corrected(*args, **kwargs)

    def run_code(wrapped: Any, _executor: Any, args: Any, kwargs: Any) -> Any:
        notes: dict[str, str] = {}
        before = heard.set(notes)
        try:
            return ToolCall(None, {}, notes).noted(wrapped(*args, **kwargs), _with_log)
        except Exception as error:
            ToolCall(None, {}, notes).noted(error, _with_message)
            raise
        finally:
            heard.reset(before)

    def timeout(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        limited, notes = wrapped(*args, **kwargs), heard.get()

        def decorator(function: Any) -> Any:
            def in_its_thread(*given: Any) -> Any:
                heard.set(notes)  # which starts with an empty context
                return function(*given)

            return limited(in_its_thread)

        return decorator

    executor = "smolagents.local_python_executor"
    yield Seam("smolagents.tools:Tool.__call__", call_tool, ("sanitize_inputs_outputs",))
    yield Seam(f"{executor}:LocalPythonExecutor.__call__", run_code, ("code_action",))
    yield Seam(f"{executor}:timeout", timeout)


def _refusing(rules: Rules, agent: Any, name: str, arguments: Any) -> ToolCall:
    """Correct a call; what a strict policy refuses is an error that the agent goes on from."""
    from smolagents.utils import AgentToolCallError

    tool = agent.tools.get(name) if isinstance(arguments, dict) else None
    try:
        return tool_call(
            rules, name, arguments, lambda: (None, None) if tool is None else (_schema(tool), tool.forward)
        )
    except TimeoutValueError as refused:
        raise AgentToolCallError(str(refused), agent.logger) from refused


def _with_changes(arguments: Any, given: Any, call: ToolCall) -> Any:
    """Change what was corrected only: the agent puts in the values of its variables itself."""
    if call.arguments is given:
        return arguments
    return {**arguments, **{name: used for name, used in call.arguments.items() if used is not given.get(name)}}


def _by_name(tool: Any, args: Any, kwargs: Any) -> Any:
    """Give what is passed to each input, or nothing where that cannot be known; a single dictionary may be all."""
    if not args:
        return kwargs
    if len(args) == 1 and not kwargs and isinstance(args[0], dict) and args[0].keys() <= tool.inputs.keys():
        return args[0]
    signature = signature_of(tool.forward)
    names = [name for name in (signature.parameters if signature else ()) if name in tool.inputs]
    return {**dict(zip(names, args, strict=False)), **kwargs} if len(args) <= len(names) else None


def _schema(tool: Any) -> dict[str, Any]:
    return {"properties": tool.inputs}


class _Told:
    """A tool as a model is told of it."""

    def __init__(self, tool: Any, inputs: Any) -> None:
        self.inputs = inputs
        self._tool = tool

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tool, name)


def _told(rules: Rules, tool: Any) -> Any:
    if not hasattr(tool, "forward"):  # an agent that is managed
        return tool
    inputs = amended(rules, tool.name, _schema(tool), tool.forward)["properties"]
    return tool if inputs is tool.inputs else _Told(tool, inputs)


def _hear(notes: dict[str, str] | None, note: str, error: Exception | None = None) -> None:
    if note and notes is not None:
        notes[note] = note
    elif note and error is not None:
        attach_note(error, note)


def _with_observation(output: Any, note: str) -> Any:
    output.observation = paragraph(output.observation, note)
    return output


def _with_message(error: Any, note: str) -> Any:
    error.args = (paragraph(str(error), note), *error.args[1:])
    error.message = error.args[0]
    return error


def _with_log(output: Any, note: str) -> Any:
    return replace(output, logs=f"{output.logs}{note}\n")
