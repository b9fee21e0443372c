"""Google ADK: runs with a scripted model; what it reads of a call are the values of the function response."""

import asyncio
import contextlib
import json
from typing import Any

from google.adk.agents import LiveRequestQueue, LlmAgent, RunConfig
from google.adk.agents.run_config import StreamingMode
from google.adk.apps import App
from google.adk.models import BaseLlm, LlmResponse
from google.adk.models.base_llm_connection import BaseLlmConnection
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.runners import InMemoryRunner
from google.adk.tools import AgentTool, BaseTool, FunctionTool, LongRunningFunctionTool
from google.genai import types
from pydantic import BaseModel

from install.told import Told

FAILURES = "raised"


class Scripted(BaseLlm):
    """Makes its calls, all in one turn, then ends; keeps what it was told."""

    calls: list
    declaration: Any = None
    responses: list = []

    async def generate_content_async(self, llm_request, stream=False):
        told = [part.function_response for part in llm_request.contents[-1].parts if part.function_response]
        self.declaration = self.declaration or llm_request.config.tools[0].function_declarations[0]
        self.responses = [one.response for one in told] or self.responses
        calls = [types.Part(function_call=types.FunctionCall(name=name, args=args)) for name, args in self.calls]
        parts = [types.Part(text="done")] if told or not calls else calls
        yield LlmResponse(content=types.Content(role="model", parts=parts))

    @property
    def texts(self):
        """What it reads of each call: the values of the response, below each other."""
        return ["\n\n".join(map(_text, one.values())) for one in self.responses]


def _text(value):
    if isinstance(value, BaseModel):
        return value.model_dump_json()
    return value if isinstance(value, str) else json.dumps(value)


def scripted(tool, *calls):
    """Make a model that calls a tool with each of these arguments."""
    name = tool.name if isinstance(tool, BaseTool) else tool.__name__
    return Scripted(model="none", calls=[(name, arguments) for arguments in calls])


async def run(agent, **options):
    """Run an agent, with a prompt."""
    app = App(name="shell", root_agent=agent, plugins=options.pop("plugins", []))
    async with InMemoryRunner(app=app) as runner:
        await runner.run_debug("hi", quiet=True, **options)


async def loop(tools, *calls):
    """Run an agent."""
    model = scripted(tools[0], *calls)
    await run(LlmAgent(name="agent", model=model, tools=tools))
    return Told(model.declaration.parameters_json_schema, model.texts)


def _as(make=lambda tool: tool, agent=None, **options):
    async def entry(tool, arguments):
        made = make(tool)
        model = scripted(made, arguments)
        await run(LlmAgent(name="agent", model=model, tools=[made], **(agent or {})), **options)
        return model.texts[0]

    return entry


async def _sync(tool, arguments):
    model = scripted(tool, arguments)
    runner = InMemoryRunner(LlmAgent(name="agent", model=model, tools=[tool]))
    session = await runner.session_service.create_session(app_name=runner.app_name, user_id="user")
    prompt = types.Content(role="user", parts=[types.Part(text="hi")])
    await asyncio.to_thread(lambda: list(runner.run(user_id="user", session_id=session.id, new_message=prompt)))
    return model.texts[0]


async def _agent_tool(tool, arguments):
    model = scripted(tool, arguments)
    inner = AgentTool(LlmAgent(name="inner", model=model, tools=[tool]))
    await run(LlmAgent(name="outer", model=scripted(inner, {"request": "hi"}), tools=[inner]))
    return model.texts[0]


async def _transfer(tool, arguments):
    model = scripted(tool, arguments)
    inner = LlmAgent(name="inner", description="runs commands", model=model, tools=[tool])
    outer = Scripted(model="none", calls=[("transfer_to_agent", {"agent_name": "inner"})])
    await run(LlmAgent(name="outer", model=outer, sub_agents=[inner]))
    return model.texts[0]


class _Connection(BaseLlmConnection):
    """A live session, which ends when the calls are answered."""

    def __init__(self, model):
        self.model = model
        self.answered = asyncio.Semaphore(0)

    async def send_history(self, history):
        pass

    async def send_content(self, content):
        if told := [part.function_response for part in content.parts if part.function_response]:
            self.model.responses = self.model.responses + [one.response for one in told]
            self.answered.release()

    async def send_realtime(self, blob):
        pass

    async def receive(self):
        calls = [types.Part(function_call=types.FunctionCall(name=name, args=args)) for name, args in self.model.calls]
        yield LlmResponse(content=types.Content(role="model", parts=calls))
        for _answer in range(self.model.answers):
            await self.answered.acquire()
        yield LlmResponse(turn_complete=True)

    async def close(self):
        pass


class _Live(Scripted):
    answers: int

    @contextlib.asynccontextmanager
    async def connect(self, llm_request):
        self.declaration = llm_request.config.tools[0].function_declarations[0]
        yield _Connection(self)


async def live(tool, arguments, answers=1):
    """Let the model of a live session call a tool, which answers so often."""
    model = _Live(model="none", answers=answers, calls=[(tool.__name__, arguments)])
    runner = InMemoryRunner(LlmAgent(name="agent", model=model, tools=[tool]))
    session = await runner.session_service.create_session(app_name=runner.app_name, user_id="user")
    queue = LiveRequestQueue()
    async with contextlib.aclosing(
        runner.run_live(user_id="user", session_id=session.id, live_request_queue=queue)
    ) as events:
        async for event in events:
            if event.turn_complete:
                break
    return model


async def _live(tool, arguments):
    return (await live(tool, arguments)).texts[0]


class _Looks(BasePlugin):
    async def before_tool_callback(self, *, tool, tool_args, tool_context):
        assert tool_args["timeout"] == 90000

    async def after_tool_callback(self, *, tool, tool_args, tool_context, result):
        assert "[timeoutkit]" not in str(result)


def _before(tool, args, tool_context):
    assert args["timeout"] == 90000


def _after(tool, args, tool_context, tool_response):
    assert args["timeout"] == 90
    assert "[timeoutkit]" not in str(tool_response)


ENTRIES = {
    "function_tool": _as(FunctionTool),
    "long_running": _as(LongRunningFunctionTool),
    "callbacks": _as(agent={"before_tool_callback": _before, "after_tool_callback": _after}),
    "plugin": _as(plugins=[_Looks(name="looks")]),
    "streaming": _as(run_config=RunConfig(streaming_mode=StreamingMode.SSE)),
    "sync_run": _sync,
    "live": _live,
    "sub_agent": _agent_tool,
    "transfer": _transfer,
}
