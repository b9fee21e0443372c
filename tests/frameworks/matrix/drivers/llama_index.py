"""LlamaIndex: a tool call as its agents make it."""

import inspect

from llama_index.core.tools import FunctionTool
from llama_index.core.tools.calling import acall_tool


def _made(tool):
    given = {"async_fn": tool} if inspect.iscoroutinefunction(tool) else {"fn": tool}
    return FunctionTool.from_defaults(**given)


async def call(tool, arguments):
    """Call as the agent does."""
    made = _made(tool)
    output = await acall_tool(made, arguments)
    return made.metadata.get_parameters_dict(), output.content


def strict(tool):
    """Convert for OpenAI."""
    return {"openai": _made(tool).metadata.to_openai_tool()["function"]["parameters"]}
