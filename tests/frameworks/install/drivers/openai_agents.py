"""OpenAI Agents SDK: a whole run, with the SDK's own scripted model."""

import asyncio
import json

from agents import Agent, FunctionTool, RunConfig, Runner, function_tool, handoff
from agents.realtime import RealtimeAgent, RealtimeModel, RealtimeModelToolCallEvent, RealtimeRunner
from agents.testing import ScriptedModel, assistant_message, function_call

from install.told import Told

FAILURES = "told"
QUIET = RunConfig(tracing_disabled=True)


def scripted(*calls):
    """Make a model that calls tools in its first turn, and then ends."""
    made = [
        function_call(name, given if isinstance(given, str) else json.dumps(given), call_id=str(index))
        for index, (name, given) in enumerate(calls)
    ]
    return ScriptedModel([made, [assistant_message("done")]])


def texts_of(model):
    """Give what the model reads of its calls."""
    results = [item for item in model.calls[-1].input if item.get("type") == "function_call_output"]
    return [_text(item["output"]) for item in sorted(results, key=lambda item: item["call_id"])]


def _text(output):
    return output if isinstance(output, str) else "\n\n".join(part["text"] for part in output)


async def loop(tools, *calls):
    """Run an agent; its tools are strict unless told otherwise."""
    model = scripted(*((tools[0].__name__, arguments) for arguments in calls))
    agent = Agent("agent", model=model, tools=[function_tool(tool) for tool in tools])
    await Runner.run(agent, "hi", run_config=QUIET)
    return Told(model.calls[0].tools[0].params_json_schema, texts_of(model))


async def run(made, name, arguments, run_config=QUIET):
    """Run an agent with a tool of one's own making, and give what its model reads."""
    model = scripted((name, arguments))
    await Runner.run(Agent("agent", model=model, tools=[made]), "hi", run_config=run_config)
    return texts_of(model)[0]


async def _sync(tool, arguments):
    model = scripted((tool.__name__, arguments))
    agent = Agent("agent", model=model, tools=[function_tool(tool)])

    def run_sync():
        Runner.run_sync(agent, "hi", run_config=QUIET)
        asyncio.get_event_loop().close()  # it makes one in a thread that has none, and leaves it open

    await asyncio.to_thread(run_sync)
    return texts_of(model)[0]


async def _streamed(tool, arguments):
    model = scripted((tool.__name__, arguments))
    result = Runner.run_streamed(Agent("agent", model=model, tools=[function_tool(tool)]), "hi", run_config=QUIET)
    async for _event in result.stream_events():
        pass
    return texts_of(model)[0]


async def _agent_as_tool(tool, arguments):
    inner = scripted((tool.__name__, arguments))
    agent = Agent("inner", model=inner, tools=[function_tool(tool)])
    await run(agent.as_tool("inner", "Runs commands."), "inner", {"input": "hi"})
    return texts_of(inner)[0]


async def _handoff(tool, arguments):
    inner = scripted((tool.__name__, arguments))
    agent = Agent("inner", model=inner, tools=[function_tool(tool)])
    outer = ScriptedModel([[function_call("transfer_to_inner", "{}", call_id="to_inner")]])
    await Runner.run(Agent("outer", model=outer, handoffs=[handoff(agent)]), "hi", run_config=QUIET)
    return texts_of(inner)[0]


async def _approved(tool, arguments):
    model = scripted((tool.__name__, arguments))
    agent = Agent("agent", model=model, tools=[function_tool(tool, needs_approval=True)])
    asked = await Runner.run(agent, "hi", run_config=QUIET)
    state = asked.to_state()
    for interruption in asked.interruptions:
        state.approve(interruption)
    await Runner.run(agent, state, run_config=QUIET)
    return texts_of(model)[0]


async def _approved_by_function(tool, arguments):
    async def needed(_context, _arguments, _id):
        return False

    return await run(function_tool(tool, needs_approval=needed), tool.__name__, arguments)


async def _not_strict(tool, arguments):
    return await run(function_tool(tool, strict_mode=False), tool.__name__, arguments)


async def _by_hand(tool, arguments):
    made = function_tool(tool)

    async def invoke(context, written):
        return await made.on_invoke_tool(context, written)

    again = FunctionTool(made.name, made.description, made.params_json_schema, invoke)
    return await run(again, tool.__name__, arguments)


class _Realtime(RealtimeModel):
    """A realtime model that calls a tool as soon as it is connected, and keeps what it is sent."""

    def __init__(self, name, arguments):
        self._event = RealtimeModelToolCallEvent(name=name, call_id="1", arguments=json.dumps(arguments))
        self._listeners = []
        self.sent = []

    def add_listener(self, listener):
        self._listeners.append(listener)

    def remove_listener(self, listener):
        self._listeners.remove(listener)

    async def connect(self, _options):
        for listener in self._listeners:
            await listener.on_event(self._event)

    async def send_event(self, event):
        self.sent.append(event)

    async def close(self):
        pass


async def _realtime(tool, arguments):
    model = _Realtime(tool.__name__, arguments)
    agent = RealtimeAgent("agent", tools=[function_tool(tool)])
    async with await RealtimeRunner(agent, model=model, config={"async_tool_calls": False}).run():
        return model.sent[-1].output


ENTRIES = {
    "sync": _sync,
    "realtime": _realtime,
    "streamed": _streamed,
    "agent_as_tool": _agent_as_tool,
    "handoff": _handoff,
    "approved": _approved,
    "approved_by_function": _approved_by_function,
    "not_strict": _not_strict,
    "by_hand": _by_hand,
}
