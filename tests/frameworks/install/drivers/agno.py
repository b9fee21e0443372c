"""Agno: an agent with its run loop, whose model says what it was told to."""

import json
from copy import deepcopy

from agno.agent import Agent
from agno.models.base import Model
from agno.models.response import ModelResponse
from agno.team import Team
from agno.tools import Toolkit

from install.told import Told

FAILURES = "told"


class Scripted(Model):
    """A model that calls tools in its first turn, and ends with what it reads of them."""

    def __init__(self, *calls):
        super().__init__(id="scripted")
        self.calls = calls
        self.tools = None
        self.texts = []

    def invoke(self, messages, tools=None, **_named):
        self.tools = self.tools or deepcopy(tools)
        self.texts = [message.content for message in messages if message.role == "tool"]
        if self.texts:
            return ModelResponse(role="assistant", content="\n\n".join(self.texts))
        calls = [
            {"id": str(index), "type": "function", "function": {"name": name, "arguments": _json(arguments)}}
            for index, (name, arguments) in enumerate(self.calls)
        ]
        return ModelResponse(role="assistant", tool_calls=calls)

    async def ainvoke(self, *arguments, **named):
        return self.invoke(*arguments, **named)

    def invoke_stream(self, *arguments, **named):
        yield self.invoke(*arguments, **named)

    async def ainvoke_stream(self, *arguments, **named):
        yield self.invoke(*arguments, **named)

    def _parse_provider_response(self, response, **_named):
        return response

    def _parse_provider_response_delta(self, response):
        return response


def _json(arguments):
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def agent(tools, *calls, **options):
    """Make an agent whose model calls tools by their names."""
    return Agent(model=Scripted(*calls), tools=tools, telemetry=False, **options)


async def loop(tools, *calls):
    """Run an agent, all calls in one turn."""
    one = agent(tools, *((tools[0].__name__, arguments) for arguments in calls))
    await one.arun("go")
    return Told(one.model.tools[0]["function"]["parameters"], one.model.texts)


async def _streaming(tool, arguments):
    one = agent([tool], ("run_shell", arguments))
    async for _ in one.arun("go", stream=True):
        pass
    return one.model.texts[0]


async def _toolkit(tool, arguments):
    one = agent([Toolkit(tools=[tool])], ("run_shell", arguments))
    await one.arun("go")
    return one.model.texts[0]


async def _team(tool, arguments):
    one = Team([], model=Scripted(("run_shell", arguments)), tools=[tool], telemetry=False)
    await one.arun("go")
    return one.model.texts[0]


async def _team_member(tool, arguments):
    member = agent([tool], ("run_shell", arguments), name="worker", id="worker")
    delegated = ("delegate_task_to_member", {"member_id": "worker", "task": "go"})
    one = Team([member], model=Scripted(delegated), telemetry=False)
    await one.arun("go")
    return one.model.texts[0]


async def _after_confirmation(tool, arguments):
    one = agent([Toolkit(tools=[tool], requires_confirmation_tools=["run_shell"])], ("run_shell", arguments))
    paused = await one.arun("go")
    for requirement in paused.active_requirements:
        requirement.confirm()
    await one.acontinue_run(run_response=paused)
    return one.model.texts[0]


ENTRIES = {
    "streaming": _streaming,
    "toolkit": _toolkit,
    "team": _team,
    "team_member": _team_member,
    "after_confirmation": _after_confirmation,
}
