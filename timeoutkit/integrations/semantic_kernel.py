"""Semantic Kernel: every function of a kernel, called by a model, by a template or by a program.

All of them pass `KernelFunction.invoke`. A text gains the note there; any other value is what a program asked for, so
its note waits in the metadata of the result until that becomes a message for a model. The error of a call that a model
made is turned into a text by the kernel, which forgets it: the note is told there. What a model is sent of the
functions is their metadata, chosen in one place for chat completions, and formatted by name in each agent service.
"""

from collections.abc import Iterator
from contextvars import ContextVar
from copy import copy
from typing import Any

from timeoutkit._notes import KEY, attach_note
from timeoutkit._patch import Seam
from timeoutkit._toolcall import Rules, ToolCall, amended, paragraph, tool_call

_AGENT_SERVICES = (
    "open_ai.assistant_thread_actions:kernel_function_metadata_to_function_call_format",
    "open_ai.responses_agent_thread_actions:kernel_function_metadata_to_response_function_call_format",
    "azure_ai.agent_thread_actions:kernel_function_metadata_to_function_call_format",
    "azure_ai.azure_ai_agent:kernel_function_metadata_to_function_call_format",
)


def seams(rules: Rules) -> Iterator[Seam]:
    """Open what invokes a function, what makes a message of its result, and what a model is sent of it."""
    yield from _calls(rules)

    def chosen(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        def with_contracts(kernel: Any, *others: Any, **named: Any) -> Any:
            config = wrapped(kernel, *others, **named)
            methods = {id(one.metadata): _method(one) for plugin in kernel.plugins.values() for one in plugin}
            config.available_functions = [
                _amended(rules, metadata, methods.get(id(metadata))) for metadata in config.available_functions or []
            ]
            return config

        return with_contracts(*args, **kwargs)

    def formatted(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        return (lambda metadata: wrapped(_amended(rules, metadata)))(*args, **kwargs)

    behavior = "semantic_kernel.connectors.ai.function_choice_behavior:FunctionChoiceBehavior"
    yield Seam(f"{behavior}._check_and_get_config", chosen, ("kernel",))
    for service in _AGENT_SERVICES:
        yield Seam(f"semantic_kernel.agents.{service}", formatted, ("metadata",))


def _calls(rules: Rules) -> Iterator[Seam]:
    failure = ContextVar("failure", default="")

    async def invoke(wrapped: Any, function: Any, args: Any, kwargs: Any) -> Any:
        async def corrected(kernel: Any, arguments: Any = None, *others: Any, **named: Any) -> Any:
            call, used = _corrected(rules, function, arguments, named)
            try:
                result = await wrapped(kernel, used, *others, **named)
            except Exception as error:
                failure.set(call.note(error))
                call.noted(error, attach_note, error)
                raise
            failure.set("")  # of a call inside of this one
            return call.noted(result, _with_note)

        return await corrected(*args, **kwargs)

    def invoke_stream(wrapped: Any, function: Any, args: Any, kwargs: Any) -> Any:
        def corrected(kernel: Any, arguments: Any = None, *others: Any, **named: Any) -> Any:
            return wrapped(kernel, _corrected(rules, function, arguments, named)[1], *others, **named)

        return corrected(*args, **kwargs)

    async def invoke_for_a_model(wrapped: Any, _kernel: Any, args: Any, kwargs: Any) -> Any:
        async def told(context: Any) -> Any:
            failure.set("")
            await wrapped(context)
            if note := failure.get():
                context.function_result = _with_note(context.function_result, note)

        return await told(*args, **kwargs)

    def message(wrapped: Any, _cls: Any, args: Any, kwargs: Any) -> Any:
        content = wrapped(*args, **kwargs)
        note = content.metadata.get(KEY)
        return content.model_copy(update={"result": paragraph(str(content.result), note)}) if note else content

    yield Seam("semantic_kernel.functions.kernel_function:KernelFunction.invoke", invoke, ("kernel", "arguments"))
    yield Seam(
        "semantic_kernel.functions.kernel_function:KernelFunction.invoke_stream", invoke_stream, ("kernel", "arguments")
    )
    yield Seam("semantic_kernel.kernel:Kernel._inner_auto_function_invoke_handler", invoke_for_a_model, ("context",))
    contents = "semantic_kernel.contents.function_result_content:FunctionResultContent"
    yield Seam(f"{contents}.from_function_call_content_and_result", message)


def _corrected(rules: Rules, function: Any, arguments: Any, named: Any) -> tuple[ToolCall, Any]:
    """Correct the arguments, which come as an object of their own kind, or by name."""
    from semantic_kernel.functions import KernelArguments

    given = KernelArguments(**named) if arguments is None else arguments
    call = tool_call(rules, function.name, given, lambda: (_schema(function.metadata), _method(function)))
    if call.arguments is given:
        return call, given
    used = copy(given)
    used.update(call.arguments)
    return call, used


def _method(function: Any) -> Any:
    return getattr(function, "method", None)


def _schema(metadata: Any) -> dict[str, Any]:
    """Make the schema that a model is given, with the defaults, which that leaves out."""
    shown = [one for one in metadata.parameters if one.include_in_function_choices]
    defaults = {one.name: {"default": one.default_value} for one in shown if one.default_value is not None}
    return {"properties": {one.name: {**(one.schema_data or {}), **defaults.get(one.name, {})} for one in shown}}


def _amended(rules: Rules, metadata: Any, method: Any = None) -> Any:
    schema = _schema(metadata)
    used = amended(rules, metadata.name, schema, method)
    if used is schema:
        return metadata
    parameters = [_with_schema(one, schema, used) for one in metadata.parameters]
    return metadata.model_copy(update={"parameters": parameters})


def _with_schema(parameter: Any, before: Any, after: Any) -> Any:
    own = after["properties"].get(parameter.name)
    changed = own is not before["properties"].get(parameter.name)
    return parameter.model_copy(update={"schema_data": own}) if changed else parameter


def _with_note(result: Any, note: str) -> Any:
    if isinstance(result.value, str):
        return result.model_copy(update={"value": paragraph(result.value, note)})
    return result.model_copy(update={"metadata": {**result.metadata, KEY: note}})
