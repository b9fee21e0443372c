"""Strands Agents: the tools of an agent, whoever calls them.

A model's calls, `agent.tool.run_shell(...)` and background tasks all end in the terminal of a chain of middleware. What
that yields last is the result, which carries what the tool raised. The registry gives the schemas to the model, in
copies made anew for each turn. What a model fills in as a structured output is its answer, no call.
"""

from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from timeoutkit._patch import Seam
from timeoutkit._toolcall import Rules, ToolCall, amended, tool_call


def seams(rules: Rules) -> Iterator[Seam]:
    """Open the end of the chain of middleware, and the registry."""

    def make_terminal(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        terminal = wrapped(*args, **kwargs)
        is_rejected = kwargs.get("preset_result") or any(args[1:])  # nothing is called, so there is nothing to tell
        return terminal if is_rejected else _corrected(rules, terminal)

    def get_all_tools_config(wrapped: Any, registry: Any, args: Any, kwargs: Any) -> Any:
        tools = {**registry.dynamic_tools, **registry.registry}
        return {name: _told(rules, tools.get(name), spec) for name, spec in wrapped(*args, **kwargs).items()}

    yield Seam("strands.tools.executors._executor:_make_execute_tool_terminal", make_terminal)
    yield Seam("strands.tools.registry:ToolRegistry.get_all_tools_config", get_all_tools_config)


def _corrected(rules: Rules, terminal: Any) -> Any:
    async def corrected(ctx: Any) -> Any:
        use = ctx.tool_use
        call = tool_call(rules, use["name"], use.get("input", {}), lambda: _schema_and_function(ctx.tool))
        used = replace(ctx, tool_use={**use, "input": call.arguments})
        async with aclosing(terminal(used)) as events:
            async for event in events:
                yield _noted(event, call)

    return corrected


def _told(rules: Rules, tool: Any, spec: Any) -> Any:
    """Amend what the tool itself states: what the framework made of it calls any property without a type a string."""
    from strands.tools.tools import normalize_schema

    schema, function = _schema_and_function(tool)
    told = amended(rules, spec["name"], schema, function)
    return spec if told is schema else {**spec, "inputSchema": {"json": normalize_schema(told)}}


def _schema_and_function(tool: Any) -> tuple[Any, Any]:
    if tool is None or tool.tool_type == "structured_output":
        return None, None
    stated = tool.tool_spec["inputSchema"]
    return stated.get("json", stated), getattr(tool, "_tool_func", None)


def _noted(event: Any, call: ToolCall) -> Any:
    return call.noted(event, _with_block, event.exception) if hasattr(event, "tool_result") else event


def _with_block(event: Any, note: str) -> Any:
    result = event.tool_result
    return type(event)({**result, "content": [*result["content"], {"text": note}]}, exception=event.exception)
