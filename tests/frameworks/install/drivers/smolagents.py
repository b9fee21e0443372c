"""smolagents: the agent that calls tools, and the one that writes code, whose model says what it was told to."""

import asyncio
import json
import re

from smolagents import CodeAgent, ToolCallingAgent
from smolagents import tool as make_tool
from smolagents.agents import ToolOutput
from smolagents.models import (
    ChatMessage,
    ChatMessageStreamDelta,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    ChatMessageToolCallStreamDelta,
    MessageRole,
    Model,
)

from install.told import Told

FAILURES = "told"
AROUND = re.compile(r"(?:Observation|(?:Call id: \w+\n)?Error):\n(.*?)(?:\nNow let's retry: [^\n]*\n)?", re.DOTALL)


class Scripted(Model):
    """A model that plays its turns, each a text, or a list of calls, and answers in the end."""

    def __init__(self, *turns):
        super().__init__()
        self.turns = [*turns, [("final_answer", {"answer": "done"})]]
        self.given = []

    def _next(self, messages, **options):
        self.given.append((messages, self._prepare_completion_kwargs(messages, **options)))
        turn = self.turns.pop(0)
        return (turn, []) if isinstance(turn, str) else ("", turn)

    def generate(self, messages, **options):
        text, calls = self._next(messages, **options)
        made = [
            ChatMessageToolCall(id=f"call_{at:02}", type="function", function=ChatMessageToolCallFunction(*call[::-1]))
            for at, call in enumerate(calls)
        ]
        return ChatMessage(MessageRole.ASSISTANT, content=text, tool_calls=made or None)

    def generate_stream(self, messages, **options):
        _, calls = self._next(messages, **options)
        for at, call in enumerate(calls):
            function = ChatMessageToolCallFunction(json.dumps(call[1]), call[0])
            yield ChatMessageStreamDelta(
                tool_calls=[ChatMessageToolCallStreamDelta(at, f"call_{at:02}", "function", function)]
            )


def agent(tools, *turns, kind=ToolCallingAgent, **options):
    """Make an agent whose model plays these turns."""
    return kind(tools=tools, model=Scripted(*turns), verbosity_level=0, **options)


def read_by(one):
    """Give what the model of an agent read of its first turn, without what the framework says around it."""
    messages, _ = one.model.given[1]
    texts = [message.content[0]["text"] for message in messages if message.role == MessageRole.TOOL_RESPONSE]
    return "\n\n".join(AROUND.fullmatch(text)[1] for text in texts)


async def loop(tools, *calls):
    """Run the loop of an agent, all calls in one turn; their observations are one message."""
    made = [make_tool(tool) for tool in tools]
    one = agent(made, [("run_shell", arguments) for arguments in calls])
    steps = await asyncio.to_thread(lambda: list(one.run("go", stream=True)))
    schema = one.model.given[0][1]["tools"][0]["function"]["parameters"]
    if len(calls) == 1:
        return Told(schema, [read_by(one)])
    outputs = [step for step in steps if isinstance(step, ToolOutput) and not step.is_final_answer]
    texts = [output.observation for output in sorted(outputs, key=lambda output: output.id)]
    assert read_by(one) == "\n".join(texts)
    return Told(schema, texts)


async def _blocking(tool, arguments):
    one = agent([make_tool(tool)], [("run_shell", arguments)])
    one.run("go")
    return read_by(one)


async def _streaming(tool, arguments):
    one = agent([make_tool(tool)], [("run_shell", arguments)], stream_outputs=True)
    for _ in one.run("go", stream=True):
        pass
    return read_by(one)


async def _managed(tool, arguments):
    below = agent([make_tool(tool)], [("run_shell", arguments)], name="worker", description="Works.")
    agent([], [("worker", {"task": "go"})], managed_agents=[below]).run("go")
    return read_by(below)


async def _managed_by_code(tool, arguments):
    below = agent([make_tool(tool)], [("run_shell", arguments)], name="worker", description="Works.")
    code_agent([], "worker('go')", managed_agents=[below]).run("go")
    return read_by(below)


def code_agent(tools, code, **options):
    """Make an agent whose model writes this code."""
    turns = [f"<code>\n{text}\n</code>" for text in (code, "final_answer('done')")]
    return agent(tools, *turns, kind=CodeAgent, **options)


def _written(template, **options):
    async def entry(tool, arguments):
        one = code_agent([make_tool(tool)], template.format(**arguments), **options)
        one.run("go")
        return read_by(one)

    return entry


ENTRIES = {
    "blocking": _blocking,
    "streaming": _streaming,
    "managed_agent": _managed,
    "managed_by_code": _managed_by_code,
    "code": _written("run_shell(command={command!r}, timeout={timeout})"),
    "code_by_position": _written("print(run_shell({command!r}, {timeout}))"),
    "code_with_a_dictionary": _written("run_shell({{'command': {command!r}, 'timeout': {timeout}}})"),
    "code_without_a_limit": _written("run_shell({command!r}, {timeout})", executor_kwargs={"timeout_seconds": None}),
}
