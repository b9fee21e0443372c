"""The Microsoft Agent Framework: function tools, called in a chat client's loop or directly.

Raw arguments pass `FunctionTool._prepare_arguments`, in the loop before any middleware, so that what is approved or
secured is what runs. The note is added where the call ends: to the result that the loop makes, also of a failure, of
which the model is told no more than that, or to that of a direct `invoke`.
"""

import copy
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from timeoutkit._correction import TimeoutValueError
from timeoutkit._notes import attach_note
from timeoutkit._patch import Seam
from timeoutkit._toolcall import Rules, ToolCall, amended, paragraph, tool_call

_TOOLS = "agent_framework._tools"


class _Running:
    """What is known of a call between its arguments and its end."""

    def __init__(self) -> None:
        self.call: ToolCall | None = None
        self.error: BaseException | None = None
        self.tool: Any = None
        self.invoked = False

    def noted(self, result: Any, add: Callable[[Any, str], Any]) -> Any:
        return self.call.noted(result, add, self.error) if self.call else result


_running: ContextVar[_Running | None] = ContextVar("timeoutkit_agent_framework", default=None)


def seams(rules: Rules) -> Iterator[Seam]:
    """Open the preparation of arguments, both ends of a call, and what a chat client is given."""
    yield _arguments(rules)
    yield from _ends()
    yield from _schemas(rules)


def _arguments(rules: Rules) -> Seam:
    from agent_framework._tools import _FunctionArgumentValidationError as Refused

    def prepare(wrapped: Any, tool: Any, args: Any, kwargs: Any) -> Any:
        def corrected(arguments: Any) -> Any:
            given = _as_mapping(tool, arguments)
            running = _running.get() or _Running()
            running.tool = running.tool or tool
            try:
                call = tool_call(rules, tool.name, given, lambda: (tool.parameters(), tool.func))
            except TimeoutValueError as refused:  # only an error of this kind is sure to be told, and it hides why
                running.call = ToolCall(given, {}, {"": str(refused)})
                raise Refused(str(refused)) from refused
            changed = call.arguments is not given
            if changed or running.call is None:  # prepared again after a middleware, what was told stays told
                running.call = call
            return wrapped(call.arguments if changed else arguments)

        return corrected(*args, **kwargs)

    return Seam(f"{_TOOLS}:FunctionTool._prepare_arguments", prepare, ("arguments",))


def _as_mapping(tool: Any, arguments: Any) -> Any:
    if arguments is None:
        return {}
    of_its_model = tool.input_model is not None and isinstance(arguments, tool.input_model)
    return arguments.model_dump(exclude_unset=True, warnings=False) if of_its_model else arguments


def _ends() -> Iterator[Seam]:
    from agent_framework import MiddlewareTermination

    async def auto_invoke(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        running = _Running()
        token = _running.set(running)
        try:
            return running.noted(await wrapped(*args, **kwargs), _with_item)
        except MiddlewareTermination as ended:
            ended.result = running.noted(ended.result, _with_item)
            raise
        finally:
            _running.reset(token)

    async def invoke(wrapped: Any, tool: Any, args: Any, kwargs: Any) -> Any:
        outer = _running.get()
        # a tool may call another one, and so may a middleware before it
        direct = outer is None or outer.invoked or outer.tool not in (None, tool)
        running = _Running() if outer is None or direct else outer
        running.invoked = True
        token = _running.set(running)
        try:
            result = await wrapped(*args, **kwargs)
        except Exception as error:
            running.error = error
            if direct:
                running.noted(error, attach_note)
            raise
        finally:
            _running.reset(token)
        return running.noted(result, _with_content) if direct else result

    yield Seam(f"{_TOOLS}:_auto_invoke_function", auto_invoke)
    yield Seam(f"{_TOOLS}:FunctionTool.invoke", invoke)


def _with_item(result: Any, note: str) -> Any:
    if getattr(result, "type", None) != "function_result" or note in result.result:
        return result
    noted = copy.copy(result)
    noted.items = _with_content(result.items, note)
    noted.result = paragraph(result.result, note)
    return noted


def _with_content(contents: Any, note: str) -> Any:
    """Add a content, unless this is the raw value that the caller asked for."""
    from agent_framework import Content

    parsed = isinstance(contents, list) and all(isinstance(one, Content) for one in contents)
    return [*contents, Content.from_text(note)] if parsed else contents


def _schemas(rules: Rules) -> Iterator[Seam]:
    from agent_framework import FunctionTool

    def shown(tools: Any) -> Any:
        if isinstance(tools, (list, tuple)):
            return [shown(one) for one in tools]
        return _amended(rules, tools) if isinstance(tools, FunctionTool) else tools

    def get_response(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        options = kwargs.get("options")
        if options and "tools" in options:
            kwargs = {**kwargs, "options": {**options, "tools": shown(options["tools"])}}
        return wrapped(*args, **kwargs)

    def specification(wrapped: Any, tool: Any, args: Any, kwargs: Any) -> Any:
        made = wrapped(*args, **kwargs)
        schema = amended(rules, tool.name, made["function"]["parameters"], tool.func)
        return {**made, "function": {**made["function"], "parameters": schema}}

    yield Seam("agent_framework._clients:BaseChatClient.get_response", get_response, ("options",))
    yield Seam(f"{_TOOLS}:FunctionTool.to_json_schema_spec", specification)


def _amended(rules: Rules, tool: Any) -> Any:
    """Give a copy to show: the tool itself is called and stored by the schema that it has."""
    schema = tool.parameters()
    changed = amended(rules, tool.name, schema, tool.func)
    if changed is schema:
        return tool
    copied = copy.copy(tool)
    copied._cached_parameters = changed
    return copied
