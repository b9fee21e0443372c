"""Pydantic AI: runs with a function in the model's place; results and prompts of one request are one text."""

import asyncio
import contextlib
import json

from pydantic_ai import Agent, FunctionToolset, WrapperToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel
from pydantic_ai.realtime import RealtimeModel
from pydantic_ai.realtime.codec import RealtimeConnection, ToolCall
from pydantic_ai.realtime.lifecycle import InferredLifecycle

from install.told import Told

FAILURES = "raised"


class Scripted:
    """Calls the tool once per arguments, all in one turn, then ends; keeps what it was told."""

    def __init__(self, tool, *calls):
        self.name = tool.__name__
        self.calls = calls
        self.schema = None
        self.parts = []

    def __call__(self, messages, info):
        self.schema = self.schema or info.function_tools[0].parameters_json_schema
        self.parts = messages[-1].parts
        if len(messages) > 1:
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart(self.name, arguments) for arguments in self.calls])

    def told(self):
        """Give each result with the prompt that follows for it: the notes of typed results, in their order."""
        texts = [part.model_response_str() for part in self.parts if isinstance(part, ToolReturnPart)]
        prompts = [part.content for part in self.parts if isinstance(part, UserPromptPart)]
        assert len(prompts) in (0, len(texts))
        beside = ["\n\n".join([prompt] if isinstance(prompt, str) else prompt) for prompt in prompts]
        return Told(self.schema, ["\n\n".join(both) for both in zip(texts, beside, strict=True)] if beside else texts)


async def loop(tools, *calls):
    """Run an agent."""
    model = Scripted(tools[0], *calls)
    await Agent(FunctionModel(model), tools=tools).run("hi")
    return model.told()


def _with(run, **agent):
    async def entry(tool, arguments):
        model = Scripted(tool, arguments)
        options = {key: make(tool) for key, make in agent.items()} or {"tools": [tool]}
        await run(Agent(FunctionModel(model), **options))
        return model.told().texts[0]

    return entry


async def _run(agent):
    await agent.run("hi")


async def _run_sync(agent):
    def run():
        with asyncio.Runner() as runner:  # closes the loop that a thread has not
            asyncio.set_event_loop(runner.get_loop())
            agent.run_sync("hi")

    await asyncio.to_thread(run)


async def _iter(agent):
    async with agent.iter("hi") as run:
        async for _node in run:
            pass


async def _stream(tool, arguments):
    model = Scripted(tool, arguments)

    async def deltas(messages, info):
        for part in model(messages, info).parts:
            if isinstance(part, TextPart):
                yield part.content
            else:
                text = part.args_as_json_str()
                yield {0: DeltaToolCall(part.tool_name, text[:9])}
                yield {0: DeltaToolCall(json_args=text[9:])}

    async with Agent(FunctionModel(stream_function=deltas), tools=[tool]).run_stream("hi") as run:
        await run.get_output()
    return model.told().texts[0]


async def _delegate(tool, arguments):
    inner = Scripted(tool, arguments)
    agent = Agent(FunctionModel(inner), tools=[tool])

    async def delegate():
        return (await agent.run("hi")).output

    outer = Scripted(delegate, {})
    await Agent(FunctionModel(outer), tools=[delegate]).run("hi")
    assert outer.told().texts == ["done"]
    return inner.told().texts[0]


class _Connection(RealtimeConnection):
    """A session in which the model calls the tool once, and which ends when that is answered."""

    def __init__(self, model):
        self.model = model
        self.lifecycle = InferredLifecycle()
        self.answered = asyncio.Event()

    async def send(self, content):
        with self.lifecycle.sending(content):
            self.model.text = "\n\n".join([content.output, *(content.content or ())])
        self.answered.set()
        return self.lifecycle.take_pending()

    async def frames(self):
        yield self.lifecycle.frame_for([ToolCall("1", tool_name="run_shell", args=json.dumps(self.model.arguments))])
        await self.answered.wait()


class _Realtime(RealtimeModel):
    model_name, system = "none", "none"

    def __init__(self, arguments):
        super().__init__()
        self.arguments = arguments

    @contextlib.asynccontextmanager
    async def connect(self, *, messages, model_settings, model_request_parameters):
        self.schema = model_request_parameters.function_tools[0].parameters_json_schema
        yield _Connection(self)


async def realtime(tool, arguments):
    """Let the model of a realtime session call `run_shell`."""
    model = _Realtime(arguments)
    async with Agent(tools=[tool]).realtime(model).session() as session:
        async for _event in session:
            pass
    return Told(model.schema, [model.text])


async def _realtime(tool, arguments):
    return (await realtime(tool, arguments)).texts[0]


class _Unchanged(WrapperToolset):
    pass


ENTRIES = {
    "run_sync": _with(_run_sync),
    "iter": _with(_iter),
    "run_stream": _stream,
    "realtime": _realtime,
    "sub_agent": _delegate,
    "toolset": _with(_run, toolsets=lambda tool: [FunctionToolset([tool])]),
    "wrapped_toolset": _with(_run, toolsets=lambda tool: [_Unchanged(FunctionToolset([tool]))]),
}
