"""AutoGen: an assistant agent with a replayed model, and the tool agent of its core."""

import json

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_agentchat.tools import AgentTool, TeamTool
from autogen_core import AgentId, CancellationToken, FunctionCall, SingleThreadedAgentRuntime
from autogen_core.models import CreateResult, FunctionExecutionResultMessage, ModelInfo, RequestUsage, UserMessage
from autogen_core.tool_agent import ToolAgent, tool_agent_caller_loop
from autogen_core.tools import BaseStreamTool, FunctionTool, StaticWorkbench
from autogen_ext.models.replay import ReplayChatCompletionClient
from pydantic import BaseModel

from install.told import Told

FAILURES = "told"
CAN_CALL = ModelInfo(vision=False, function_calling=True, json_output=True, family="unknown", structured_output=True)


def scripted(*calls):
    """Make a model that calls in its first turn, with arguments or their text, and ends."""
    made = [
        FunctionCall(str(at), arguments if isinstance(arguments, str) else json.dumps(arguments), name)
        for at, (name, arguments) in enumerate(calls)
    ]
    turn = CreateResult(finish_reason="function_calls", content=made, usage=RequestUsage(0, 0), cached=False)
    return ReplayChatCompletionClient([turn, "done"], model_info=CAN_CALL)


def agent(model, name="one", **options):
    """Make an agent whose model is called again after its tools."""
    return AssistantAgent(name, model, max_tool_iterations=2, **options)


def read_by(model):
    """Give the texts that a model read of its calls."""
    messages = [one for one in model.create_calls[-1]["messages"] if isinstance(one, FunctionExecutionResultMessage)]
    return [result.content for message in messages for result in message.content]


async def loop(tools, *calls):
    """Run an agent, all calls in one turn."""
    model = scripted(*((tools[0].__name__, arguments) for arguments in calls))
    await agent(model, tools=tools).run(task="go")
    return Told(model.create_calls[0]["tools"][0]["parameters"], read_by(model))


async def _streaming(tool, arguments):
    model = scripted(("run_shell", arguments))
    async for _ in agent(model, tools=[tool]).run_stream(task="go"):
        pass
    return read_by(model)[0]


async def _workbench(tool, arguments):
    model = scripted(("run_shell", arguments))
    await agent(model, workbench=StaticWorkbench([made(tool)])).run(task="go")
    return read_by(model)[0]


async def _call_tool(tool, arguments):
    return (await StaticWorkbench([made(tool)]).call_tool("run_shell", arguments)).to_text()


async def _direct(tool, arguments):
    one = made(tool)
    return one.return_value_as_string(await one.run_json(arguments, CancellationToken()))


async def _tool_agent(tool, arguments):
    one, model, runtime = made(tool), scripted(("run_shell", arguments)), SingleThreadedAgentRuntime()
    await ToolAgent.register(runtime, "tools", lambda: ToolAgent("Tools.", [one]))
    runtime.start()
    asked = [UserMessage(content="go", source="user")]
    await tool_agent_caller_loop(runtime, AgentId("tools", "default"), model, asked, [one])
    await runtime.stop()
    return read_by(model)[0]


async def _agent_tool(tool, arguments):
    below = scripted(("run_shell", arguments))
    worker = AgentTool(agent(below, "worker", tools=[tool]))
    await agent(scripted(("worker", {"task": "go"})), tools=[worker]).run(task="go")
    return read_by(below)[0]


async def _team_tool(tool, arguments):
    below = scripted(("run_shell", arguments))
    team = RoundRobinGroupChat([agent(below, "worker", tools=[tool])], max_turns=1)
    worker = TeamTool(team, name="team", description="Works.")
    await agent(scripted(("team", {"task": "go"})), tools=[worker]).run(task="go")
    return read_by(below)[0]


def made(tool):
    """Make a tool object."""
    return FunctionTool(tool, description="Run a shell command.")


class Command(BaseModel):
    """What a streaming tool takes."""

    command: str
    timeout: int | None = None


class Streaming(BaseStreamTool[Command, TextMessage, BaseModel]):
    """A tool that streams."""

    def __init__(self, tool):
        super().__init__(Command, str, "run_shell", "Run a shell command.")
        self._tool = tool

    async def run(self, args, cancellation_token):
        return await made(self._tool).run(args, cancellation_token)

    async def run_stream(self, args, cancellation_token):
        yield TextMessage(content="busy", source="run_shell")
        yield await self.run(args, cancellation_token)


async def _stream_tool(tool, arguments):
    model = scripted(("run_shell", arguments))
    await agent(model, tools=[Streaming(tool)]).run(task="go")
    return read_by(model)[0]


async def _direct_stream(tool, arguments):
    one = Streaming(tool)
    values = [value async for value in one.run_json_stream(arguments, CancellationToken())]
    return one.return_value_as_string(values[-1])


ENTRIES = {
    "streaming": _streaming,
    "workbench": _workbench,
    "call_tool": _call_tool,
    "direct": _direct,
    "tool_agent": _tool_agent,
    "agent_tool": _agent_tool,
    "team_tool": _team_tool,
    "stream_tool": _stream_tool,
    "direct_stream": _direct_stream,
}
