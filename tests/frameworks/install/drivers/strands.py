"""Strands Agents: an agent with its event loop, whose model says what it was told to."""

import asyncio
import json
from copy import deepcopy

from strands import Agent
from strands import tool as make_tool
from strands.models import Model
from strands.multiagent import GraphBuilder, Swarm
from strands.tools.executors import SequentialToolExecutor
from strands_tools import batch

from install.told import Told

FAILURES = "told"


class Scripted(Model):
    """A model that calls tools in its first turn, and ends with what it reads of them."""

    def __init__(self, *uses):
        self.uses = uses
        self.specs = None

    def update_config(self, **_config):
        pass

    def get_config(self):
        return {}

    async def structured_output(self, *_arguments, **_named):
        raise NotImplementedError

    async def stream(self, messages, tool_specs=None, *_others, **_named):
        results = [block["toolResult"] for block in messages[-1]["content"] if "toolResult" in block]
        self.specs = self.specs or deepcopy(tool_specs)
        yield {"messageStart": {"role": "assistant"}}
        for index, (name, arguments) in enumerate([] if results else self.uses):
            yield {"contentBlockStart": {"start": {"toolUse": {"name": name, "toolUseId": str(index)}}}}
            text = arguments if isinstance(arguments, str) else json.dumps(arguments)
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": text}}}}
            yield {"contentBlockStop": {}}
        if results or not self.uses:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "\n\n".join(text_of(result) for result in results)}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if results or not self.uses else "tool_use"}}


def agent(tools, *uses, **options):
    """Make an agent whose model calls tools by their names."""
    return Agent(model=Scripted(*uses), tools=tools, callback_handler=None, **options)


def read_by(one):
    """Give the texts that the model of an agent read of its calls."""
    results = [block["toolResult"] for message in one.messages for block in message["content"] if "toolResult" in block]
    return [text_of(result) for result in sorted(results, key=lambda result: result["toolUseId"])]


def text_of(result):
    """Flatten a tool result as a provider sends it."""
    return "\n\n".join(block.get("text") or json.dumps(block["json"], default=str) for block in result["content"])


async def loop(tools, *calls):
    """Run the loop of an agent, all calls in one turn."""
    made = [make_tool(tool) for tool in tools]
    one = agent(made, *((made[0].tool_name, arguments) for arguments in calls))
    await one.invoke_async("go")
    return Told(one.model.specs[0]["inputSchema"]["json"], read_by(one))


async def _direct(tool, arguments):
    one = agent([make_tool(tool)])
    return text_of(one.tool.run_shell(**arguments))


async def _blocking(tool, arguments):
    one = agent([make_tool(tool)], ("run_shell", arguments))
    await asyncio.to_thread(one, "go")
    return read_by(one)[0]


async def _streaming(tool, arguments):
    one = agent([make_tool(tool)], ("run_shell", arguments))
    async for _ in one.stream_async("go"):
        pass
    return read_by(one)[0]


async def _one_after_the_other(tool, arguments):
    one = agent([make_tool(tool)], ("run_shell", arguments), tool_executor=SequentialToolExecutor())
    await one.invoke_async("go")
    return read_by(one)[0]


async def _batch(tool, arguments):
    invocations = {"invocations": [{"name": "run_shell", "arguments": arguments}]}
    one = agent([make_tool(tool), batch], ("batch", invocations))
    await one.invoke_async("go")
    return read_by(one)[0]


async def _agent_as_tool(tool, arguments):
    below = agent([make_tool(tool)], ("run_shell", arguments), name="worker")
    one = agent([below.as_tool()], ("worker", {"input": "go"}))
    await one.invoke_async("go")
    return read_by(one)[0]


async def _graph(tool, arguments):
    graph = GraphBuilder().set_max_node_executions(1)
    graph.add_node(agent([make_tool(tool)], ("run_shell", arguments)), "worker")
    return str((await graph.build().invoke_async("go")).results["worker"].result)


async def _swarm(tool, arguments):
    swarm = Swarm([agent([make_tool(tool)], ("run_shell", arguments), name="worker")])
    return str((await swarm.invoke_async("go")).results["worker"].result)


async def _background(tool, arguments):
    one = agent([make_tool(tool)], ("run_shell", arguments), background_tasks={"always": ["run_shell"]})
    await one.invoke_async("go")
    return read_by(one)[-1]


ENTRIES = {
    "direct": _direct,
    "blocking": _blocking,
    "streaming": _streaming,
    "one_after_the_other": _one_after_the_other,
    "batch": _batch,
    "agent_as_tool": _agent_as_tool,
    "graph": _graph,
    "swarm": _swarm,
    "background": _background,
}
