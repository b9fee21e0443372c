"""CrewAI: every tool that an agent calls, natively or by text, and every tool that a flow or a program runs.

An agent's call passes the hooks before the cache is asked and after it was filled, so no note is ever cached. What runs
the hooks is opened, rather than two of them registered: anybody may clear those, and they cannot tell that another one
blocked the call. A hook reads of a failure only its words; what a tool raised is seen where the tool is run, which is
also the only place that a direct run passes.
"""

import json
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from timeoutkit._correction import TimeoutValueError
from timeoutkit._notes import attach_note
from timeoutkit._patch import Seam
from timeoutkit._toolcall import Rules, ToolCall, amended, paragraph, tool_call


class _Running:
    """A call from its start to its end: of an agent, inside of an `outer` one perhaps, or a direct run."""

    def __init__(self, rules: Rules, tool: Any, arguments: Any, outer: Any = None, *, direct: bool = False) -> None:
        self.name = getattr(tool, "name", "")
        self.given, self.outer, self._direct = arguments, outer, direct
        self.call = ToolCall(arguments, {}, {})
        self.refused: TimeoutValueError | None = None
        self.error: Exception | None = None
        try:
            self.call = tool_call(rules, self.name, arguments, lambda: (_schema(tool), _function(tool)))
        except TimeoutValueError as refused:  # a hook cannot say why it blocks a call: the run raises it
            self.refused = refused

    def used(self, arguments: Any) -> Any:
        """Give what the tool is run with; an agent's arguments are put right before."""
        if self.refused is not None:
            raise self.refused
        return self.call.arguments if self._direct else arguments

    def returned(self, result: Any) -> Any:
        """Note the result of a direct run; an agent's would be cached."""
        self.error = None
        return self.call.noted(result, attach_note) if self._direct else result

    def raised(self, error: Exception) -> None:
        """Remember what an agent is told of by its words alone."""
        self.error = error
        if self._direct:
            self.call.noted(error, attach_note, error)


def seams(rules: Rules) -> Iterator[Seam]:
    """Open what runs the hooks, what runs a tool, and what an agent is sent of the tools, in either way."""
    running: ContextVar[_Running | None] = ContextVar("running", default=None)

    def dispatch(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        def hooked(point: Any, ctx: Any, *others: Any, **named: Any) -> Any:
            try:
                result = wrapped(point, ctx, *others, **named)
            finally:
                if point == "post_tool_call":
                    running.set(_ended(ctx, running.get()))
            if point == "pre_tool_call":  # and no hook blocked it
                running.set(_begun(rules, ctx, running.get()))
            return result

        return hooked(*args, **kwargs)

    yield Seam("crewai.hooks.tool_hooks:dispatch", dispatch, ("point", "ctx"))
    yield from _runs(rules, running)
    yield from _schemas(rules)


def _begun(rules: Rules, context: Any, outer: _Running | None) -> _Running:
    one = _Running(rules, context.tool, context.tool_input, outer)
    if one.call.arguments is not context.tool_input:
        context.tool_input.update(one.call.arguments)  # the framework goes on with this very dictionary
    return one


def _ended(context: Any, innermost: _Running | None) -> _Running | None:
    """Tell the note of the call that ends; one that was blocked has not begun."""
    one = innermost
    while one is not None and one.given is not context.tool_input:
        one = one.outer
    if one is None:
        return innermost
    context.tool_result = one.call.noted(context.tool_result, paragraph, one.error)
    outer: _Running | None = one.outer
    return outer


def _runs(rules: Rules, running: ContextVar[_Running | None]) -> Iterator[Seam]:
    def of(tool: Any, arguments: Any) -> _Running:
        one = running.get()
        known = one is not None and one.name == getattr(tool, "name", None)
        return one if one is not None and known else _Running(rules, tool, arguments, direct=True)

    def by_name(tool: Any, args: Any, kwargs: Any) -> Any:
        if args:  # by position, not even the framework validates them
            return _Running(rules, None, kwargs, direct=True), args, kwargs
        one = of(tool, kwargs)
        return one, args, one.used(kwargs)

    def by_input(tool: Any, args: Any, kwargs: Any) -> Any:
        def found(input: Any, *others: Any, **named: Any) -> Any:
            one = of(tool, input)
            return one, (one.used(input), *others), named

        return found(*args, **kwargs)

    for kind in ("BaseTool", "Tool"):
        yield Seam(f"crewai.tools.base_tool:{kind}.run", _run(by_name))
        yield Seam(f"crewai.tools.base_tool:{kind}.arun", _arun(by_name))
    yield Seam("crewai.tools.structured_tool:CrewStructuredTool.invoke", _run(by_input), ("input",))
    yield Seam("crewai.tools.structured_tool:CrewStructuredTool.ainvoke", _arun(by_input), ("input",))


def _run(begun: Callable[..., Any]) -> Callable[..., Any]:
    def run(wrapped: Any, tool: Any, args: Any, kwargs: Any) -> Any:
        one, args, kwargs = begun(tool, args, kwargs)
        try:
            return one.returned(wrapped(*args, **kwargs))
        except Exception as error:
            one.raised(error)
            raise

    return run


def _arun(begun: Callable[..., Any]) -> Callable[..., Any]:
    async def run(wrapped: Any, tool: Any, args: Any, kwargs: Any) -> Any:
        one, args, kwargs = begun(tool, args, kwargs)
        try:
            return one.returned(await wrapped(*args, **kwargs))
        except Exception as error:
            one.raised(error)
            raise

    return run


def _schemas(rules: Rules) -> Iterator[Seam]:
    def converted(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        schemas, functions, tools = wrapped(*args, **kwargs)
        return [_amended(rules, one, tools[one["function"]["name"]]) for one in schemas], functions, tools

    def described(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        def with_contracts(name: Any, args_schema: Any, description: Any) -> Any:
            return _amended_text(rules, name, args_schema, wrapped(name, args_schema, description))

        return with_contracts(*args, **kwargs)

    yield Seam("crewai.utilities.agent_utils:convert_tools_to_openai_schema", converted)
    for module in ("structured_tool", "base_tool"):
        yield Seam(f"crewai.tools.{module}:format_description_for_llm", described, ("name", "args_schema"))


def _schema(tool: Any) -> Any:
    args_schema = getattr(tool, "args_schema", None)
    return args_schema.model_json_schema() if args_schema else None


def _function(tool: Any) -> Any:
    """Find the function of a tool in either of its two forms, or the method that stands for it."""
    tool = getattr(tool, "_original_tool", None) or tool
    return getattr(tool, "func", None) or getattr(tool, "_run", None)


def _amended(rules: Rules, converted: Any, tool: Any) -> Any:
    function = converted["function"]
    used = amended(rules, tool.name, function["parameters"], _function(tool))
    return {**converted, "function": {**function, "parameters": used}}


def _amended_text(rules: Rules, name: str, args_schema: Any, text: str) -> str:
    """Replace the schema within a description, as the framework wrote it."""
    from crewai.utilities.pydantic_schema_utils import generate_model_description

    if args_schema is None:
        return text
    schema: Any = generate_model_description(args_schema)["json_schema"]["schema"]
    return text.replace(json.dumps(schema, indent=2), json.dumps(amended(rules, name, schema), indent=2), 1)
