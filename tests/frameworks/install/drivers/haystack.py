"""Haystack: an agent, and tools invoked by a program, with a chat generator that says what it was told to."""

import asyncio
import inspect
from typing import Any

from haystack import Pipeline, component
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.tools import AgentTool, ComponentTool, Toolset
from haystack.tools import create_tool_from_function as make_tool

from install.told import Told

FAILURES = "told"


@component
class Scripted:
    """A generator that calls tools in its first turn, and ends."""

    def __init__(self, *calls):
        self.calls = [ToolCall(name, arguments, id=str(at)) for at, (name, arguments) in enumerate(calls)]
        self.given = []

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], tools: list | None = None, streaming_callback: Any = None):
        self.given.append((list(messages), [(tool.tool_spec["parameters"], tool.parameters) for tool in tools or []]))
        is_first = len(self.given) == 1
        return {"replies": [ChatMessage.from_assistant("done", tool_calls=self.calls if is_first else None)]}


def read_by(generator):
    """Give the texts that a model read of its calls, the parts of one joined by an empty line."""
    messages, _ = generator.given[-1]
    return [text_of(result) for message in messages for result in message.tool_call_results]


def text_of(told):
    """Flatten a tool result."""
    return told.result if isinstance(told.result, str) else "\n\n".join(part.text for part in told.result)


GO = [ChatMessage.from_user("go")]


async def loop(tools, *calls):
    """Run an agent, all calls in one turn."""
    generator = Scripted(*((tools[0].__name__, arguments) for arguments in calls))
    await Agent(chat_generator=generator, tools=[make_tool(tool) for tool in tools]).run_async(GO)
    _, ((schema, parameters), *_) = generator.given[0]
    assert schema == parameters
    return Told(schema, read_by(generator))


async def read_of_run(tools, arguments, name="run_shell", **options):
    """Run an agent, and give what its model read."""
    generator = Scripted((name, arguments))
    await Agent(chat_generator=generator, tools=tools).run_async(GO, **options)
    return read_by(generator)[0]


def _is_async(tool):
    return inspect.iscoroutinefunction(tool)


async def _blocking(tool, arguments):
    if _is_async(tool):  # which an agent awaits in a loop only
        return await read_of_run([make_tool(tool)], arguments)
    generator = Scripted(("run_shell", arguments))
    await asyncio.to_thread(Agent(chat_generator=generator, tools=[make_tool(tool)]).run, GO)
    return read_by(generator)[0]


async def _streaming(tool, arguments):
    chunks = []

    async def heard(chunk):
        chunks.append(chunk)

    text = await read_of_run([make_tool(tool)], arguments, streaming_callback=heard)
    assert [text_of(chunk.tool_call_result) for chunk in chunks if chunk.tool_call_result] == [text]
    return text


async def _toolset(tool, arguments):
    return await read_of_run(Toolset([make_tool(tool)]), arguments)


async def _at_run_time(tool, arguments):
    generator = Scripted(("run_shell", arguments))
    await Agent(chat_generator=generator).run_async(GO, tools=[make_tool(tool)])
    return read_by(generator)[0]


async def _direct(tool, arguments):
    one = make_tool(tool)
    return await one.invoke_async(**arguments) if _is_async(tool) else one.invoke(**arguments)


async def _direct_in_a_thread(tool, arguments):
    return await make_tool(tool).invoke_async(**arguments)


async def _component(tool, arguments):
    @component
    class Shell:
        @component.output_types(output=str)
        def run(self, command: str, timeout: int | None = None):
            output = tool(command, timeout)
            return {"output": asyncio.run(output) if inspect.iscoroutine(output) else output}

    return await read_of_run([ComponentTool(Shell(), name="run_shell")], arguments)


async def _agent_tool(tool, arguments):
    below = Scripted(("run_shell", arguments))
    worker = Agent(chat_generator=below, tools=[make_tool(tool)])
    asked = {"messages": [{"role": "user", "content": "go"}]}
    await read_of_run([AgentTool(worker, name="worker", description="Works.")], asked, "worker")
    return read_by(below)[0]


async def _pipeline(tool, arguments):
    generator, pipeline = Scripted(("run_shell", arguments)), Pipeline()
    pipeline.add_component("agent", Agent(chat_generator=generator, tools=[make_tool(tool)]))
    await pipeline.run_async({"agent": {"messages": GO}})
    return read_by(generator)[0]


ENTRIES = {
    "blocking": _blocking,
    "streaming": _streaming,
    "toolset": _toolset,
    "at_run_time": _at_run_time,
    "direct": _direct,
    "direct_in_a_thread": _direct_in_a_thread,
    "component": _component,
    "agent_tool": _agent_tool,
    "pipeline": _pipeline,
}
