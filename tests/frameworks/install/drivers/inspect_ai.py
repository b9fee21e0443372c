"""Inspect: `generate_loop` and the `react` agent with the mock model, whose tool messages are what a model reads."""

from tempfile import TemporaryDirectory

from inspect_ai import Task, eval_async
from inspect_ai.agent import as_tool, handoff, react
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ModelOutput, ModelUsage, execute_tools, get_model
from inspect_ai.model._call_tools import call_tools
from inspect_ai.tool import ToolCall, ToolDef, ToolSource
from inspect_ai.tool import tool as register

from install.told import Told

FAILURES = "raised"


def made_of(tool, parallel=True):
    """Register a function as a tool."""

    @register(name="run_shell", parallel=parallel)
    def make():
        return tool

    return make()


def script_of(*turns):
    """Make a model that plays the turns, each a list of calls, and keeps what it was given last."""
    given = {"turn": 0}

    def play(messages, tools, *_):
        given.update(messages=list(messages), tools=given.get("tools") or list(tools), turn=given["turn"] + 1)
        calls = turns[given["turn"] - 1] if given["turn"] <= len(turns) else [("submit", {"answer": "done"})]
        made = [
            ToolCall(id=f"{given['turn']}.{at}", function=name, arguments=arguments)
            for at, (name, arguments) in enumerate(calls)
        ]
        message = ChatMessageAssistant(content="", tool_calls=made or None)
        output = ModelOutput.from_message(message, stop_reason="tool_calls" if made else "stop")
        output.usage = ModelUsage()  # else the mock counts tokens, with a table from the network
        return output

    return get_model("mockllm/model", custom_outputs=play, memoize=False), given


def texts_of(messages):
    """Give what is read of each call, in order."""
    return [_text(one) for one in messages if isinstance(one, ChatMessageTool) and one.function == "run_shell"]


def _text(message):
    """Give what providers send: the error's message instead of the content, where there is one."""
    if message.error:
        return message.error.message
    contents = [message.content] if isinstance(message.content, str) else [part.text for part in message.content]
    return "\n\n".join(contents)


async def loop(tools, *calls):
    """Generate until the model calls no more tool."""
    made = [made_of(tool) for tool in tools]
    model, given = script_of([("run_shell", arguments) for arguments in calls], [])
    await model.generate_loop("go", tools=made)
    return Told(given["tools"][0].parameters.model_dump(exclude_none=True), texts_of(given["messages"]))


async def _execute_tools(tool, arguments, made=None, execute=execute_tools):
    call = ToolCall(id="1", function="run_shell", arguments=arguments)
    done = await execute([ChatMessageAssistant(content="", tool_calls=[call])], [made or made_of(tool)])
    return texts_of(done.messages)[0]


async def _definition(tool, arguments):
    return await _execute_tools(tool, arguments, ToolDef(made_of(tool)))


async def _source(tool, arguments):
    class Source(ToolSource):
        async def tools(self):
            return [made_of(tool)]

    return await _execute_tools(tool, arguments, Source())


async def _call_tools(tool, arguments):
    call = ToolCall(id="1", function="run_shell", arguments=arguments)
    return _text((await call_tools(ChatMessageAssistant(content="", tool_calls=[call]), [made_of(tool)]))[0])


async def _serial(tool, arguments):
    return await _execute_tools(tool, arguments, made_of(tool, parallel=False))


async def _evaluate(model, *tools):
    task = Task(solver=react(tools=list(tools)))
    with TemporaryDirectory() as logs:
        await eval_async(task, model=model, log_dir=logs)


async def _react(tool, arguments):
    model, given = script_of([("run_shell", arguments)])
    await _evaluate(model, made_of(tool))
    return texts_of(given["messages"])[0]


def _sub_agent(tool, arguments):
    model, given = script_of([("run_shell", arguments)])
    return react(name="worker", description="Works.", tools=[made_of(tool)], model=model), given


async def _agent_as_tool(tool, arguments):
    sub, given = _sub_agent(tool, arguments)
    model, _ = script_of([("worker", {"input": "go"})])
    await _evaluate(model, as_tool(sub))
    return texts_of(given["messages"])[0]


async def _handoff(tool, arguments):
    sub, given = _sub_agent(tool, arguments)
    model, _ = script_of([("transfer_to_worker", {})])
    await _evaluate(model, handoff(sub))
    return texts_of(given["messages"])[0]


ENTRIES = {
    "execute_tools": _execute_tools,
    "call_tools": _call_tools,
    "a_definition": _definition,
    "a_source": _source,
    "serial": _serial,
    "react": _react,
    "agent_as_tool": _agent_as_tool,
    "handoff": _handoff,
}
