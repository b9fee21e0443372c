"""Semantic Kernel: a function call of a chat, invoked; conversions for OpenAI, Anthropic and Gemini."""

import json

from semantic_kernel import Kernel
from semantic_kernel.connectors.ai.anthropic.services import utils as anthropic
from semantic_kernel.connectors.ai.function_calling_utils import kernel_function_metadata_to_function_call_format
from semantic_kernel.connectors.ai.google.google_ai.services import utils as google
from semantic_kernel.contents import ChatHistory, FunctionCallContent
from semantic_kernel.functions import KernelFunctionFromMethod, kernel_function


async def call(tool, arguments):
    """Invoke as the chat completion does."""
    kernel, history = Kernel(), ChatHistory()
    function = kernel.add_function("shell", kernel_function(tool))
    call = FunctionCallContent(id="1", name="shell-run_shell", arguments=json.dumps(arguments))
    await kernel.invoke_function_call(call, history)
    schema = kernel_function_metadata_to_function_call_format(function.metadata)["function"]["parameters"]
    return schema, str(history.messages[-1].items[0].result)


def strict(tool):
    """Convert for OpenAI, Anthropic and Gemini."""
    metadata = KernelFunctionFromMethod(kernel_function(tool), "shell").metadata
    return {
        "openai": kernel_function_metadata_to_function_call_format(metadata)["function"]["parameters"],
        "anthropic": anthropic.kernel_function_metadata_to_function_call_format(metadata)["input_schema"],
        "gemini": google.kernel_function_metadata_to_google_ai_function_call_format(metadata)["parameters"],
    }
