"""LlamaIndex: a function's tool is called by `FunctionTool.call` or `acall`, from agents and directly.

Agents make an output of what a tool raised, with the exception in it: there its note goes into the output. Tools of
other classes have no call in common, so they are corrected where an agent calls them. Every model is given schemas by
`ToolMetadata.get_parameters_dict`, also that of an answer: what has the form of a tool only to be parsed is left alone.
"""

from collections.abc import Iterator
from typing import Any

import wrapt

from timeoutkit._notes import attach_note
from timeoutkit._patch import Seam
from timeoutkit._toolcall import Rules, ToolCall, amended, tool_call

_NOTE = "_timeoutkit_note"
"""Where an exception keeps the note of the call that raised it last."""
_ANSWER = "_timeoutkit_answer"
"""What tells that a tool is the form of an answer."""


def seams(rules: Rules) -> Iterator[Seam]:
    """Open the tools of functions, the outputs that are made of errors, and the schema."""

    def call(wrapped: Any, instance: Any, args: Any, kwargs: Any) -> Any:
        begun = _begun(rules, instance, args, kwargs)
        try:
            output = wrapped(*args, **begun.arguments)
        except Exception as error:
            _remember(begun, error)
            raise
        return begun.noted(output, _with_block)

    async def acall(wrapped: Any, instance: Any, args: Any, kwargs: Any) -> Any:
        begun = _begun(rules, instance, args, kwargs)
        try:
            output = await wrapped(*args, **begun.arguments)
        except Exception as error:
            _remember(begun, error)
            raise
        return begun.noted(output, _with_block)

    def parameters(wrapped: Any, instance: Any, args: Any, kwargs: Any) -> Any:
        schema = wrapped(*args, **kwargs)
        return schema if hasattr(instance, _ANSWER) else amended(rules, instance.name, schema)

    yield Seam("llama_index.core.tools.function_tool:FunctionTool.call", call)
    yield Seam("llama_index.core.tools.function_tool:FunctionTool.acall", acall)
    yield Seam("llama_index.core.tools.types:ToolOutput.__init__", _make_output, ("exception",))
    yield Seam("llama_index.core.tools.types:ToolMetadata.get_parameters_dict", parameters)
    yield Seam("llama_index.core.program.function_program:get_function_tool", _mark_answer)
    yield from _other_tools(acall)


def _other_tools(acall: Any) -> Iterator[Seam]:
    class Corrected(wrapt.ObjectProxy[Any]):
        def acall(self, *args: Any, **kwargs: Any) -> Any:
            return acall(self.__wrapped__.acall, self.__wrapped__, args, kwargs)

    def call_tool(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        from llama_index.core.tools import FunctionTool

        def corrected(ctx: Any, tool: Any, tool_input: Any) -> Any:
            return wrapped(ctx, tool if isinstance(tool, FunctionTool) else Corrected(tool), tool_input)

        return corrected(*args, **kwargs)

    agents = "llama_index.core.agent.workflow"
    needs = ("ctx", "tool", "tool_input")
    yield Seam(f"{agents}.base_agent:BaseWorkflowAgent._call_tool", call_tool, needs)
    yield Seam(f"{agents}.multi_agent_workflow:AgentWorkflow._call_tool", call_tool, needs)


def _begun(rules: Rules, tool: Any, args: Any, kwargs: Any) -> ToolCall:
    if args or hasattr(tool.metadata, _ANSWER):  # by position calls code, not a model
        return ToolCall(kwargs, {}, {})
    return tool_call(rules, tool.metadata.name, kwargs, lambda: (_schema(tool), getattr(tool, "real_fn", tool.acall)))


def _schema(tool: Any) -> Any:
    model = tool.metadata.fn_schema
    return {"properties": {}} if model is None else model.model_json_schema()


def _remember(call: ToolCall, error: Exception) -> None:
    vars(error)[_NOTE] = call.note(error)
    call.noted(error, attach_note, error)


def _make_output(wrapped: Any, instance: Any, args: Any, kwargs: Any) -> None:
    wrapped(*args, **kwargs)
    if note := getattr(kwargs.get("exception"), _NOTE, ""):
        instance.blocks = _with_block(instance, note).blocks


def _mark_answer(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
    tool = wrapped(*args, **kwargs)
    setattr(tool.metadata, _ANSWER, True)  # made for this one answer
    return tool


def _with_block(output: Any, note: str) -> Any:
    from llama_index.core.llms import TextBlock

    return output.model_copy(update={"blocks": [*output.blocks, TextBlock(text=note)]})
