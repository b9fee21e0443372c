"""LangChain: an agent with a scripted model, and the middleware that makes messages of errors."""

import asyncio
import functools
import inspect
import uuid

from langchain.agents import create_agent
from langchain.agents.middleware import ToolErrorMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from install.told import Told

FAILURES = "told"
ASKED = {"messages": [("user", "go")]}
WRITTEN_SCHEMA = {
    "type": "object",
    "properties": {"command": {"type": "string"}, "timeout": {"type": "integer"}},
    "required": ["command"],
}


class Model(BaseChatModel):
    """It calls tools in one turn and then stops, and binds tools as the models of most providers do."""

    turn: AIMessage
    given: list

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **_named):
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    def _generate(self, messages, stop=None, run_manager=None, tools=(), **_named):
        self.given.append((tools, messages))
        message = AIMessage("done") if isinstance(messages[-1], ToolMessage) else self.turn
        return ChatResult(generations=[ChatGeneration(message=message)])


def tool_call(arguments, name="run_shell"):
    """Give a call as a model makes it."""
    return {"type": "tool_call", "id": uuid.uuid4().hex, "name": name, "args": arguments}


def agent_of(tools, *calls, middleware=()):
    """Give an agent, and what its model will be given: tools and messages, turn by turn."""
    model = Model(turn=AIMessage("", tool_calls=list(calls)), given=[])
    return create_agent(model, tools, middleware=middleware), model.given


TOLD = ToolErrorMiddleware(lambda error, _request: str(error))


async def loop(tools, *calls):
    """Run an agent to its end."""
    agent, given = agent_of(tools, *map(tool_call, calls), middleware=[TOLD])
    answer = await agent.ainvoke(ASKED)
    return Told(given[0][0][0]["function"]["parameters"], texts_of(answer))


def texts_of(answer):
    """Give what is read of each call."""
    return [text_of(message) for message in answer["messages"] if isinstance(message, ToolMessage)]


def text_of(message):
    """Flatten what a message says."""
    blocks = [message.content] if isinstance(message.content, str) else message.content
    return "\n\n".join(block if isinstance(block, str) else block["text"] for block in blocks)


def both(tool):
    """Make a tool that can be called in both ways."""

    @functools.wraps(tool)
    def plain(*args, **kwargs):
        result = tool(*args, **kwargs)
        return asyncio.run(result) if inspect.isawaitable(result) else result

    return StructuredTool.from_function(plain, tool if inspect.iscoroutinefunction(tool) else None)


def node_of(tools, **options):
    """Give a graph of a tool node alone."""
    graph = StateGraph(MessagesState).add_node("tools", ToolNode(tools, **options))
    return graph.add_edge("__start__", "tools").compile()


async def _tool_call(tool, arguments):
    return text_of(await asyncio.to_thread(both(tool).invoke, tool_call(arguments)))


async def _async_tool_call(tool, arguments):
    return text_of(await both(tool).ainvoke(tool_call(arguments)))


async def _written_schema(tool, arguments):
    written = both(tool)
    written.args_schema = WRITTEN_SCHEMA
    return text_of(await written.ainvoke(tool_call(arguments)))


async def _tool_node(tool, arguments):
    turn = {"messages": [AIMessage("", tool_calls=[tool_call(arguments)])]}
    (text,) = texts_of(await node_of([tool]).ainvoke(turn))
    return text


async def _sync_agent(tool, arguments):
    agent, _ = agent_of([both(tool)], tool_call(arguments))
    (text,) = texts_of(await asyncio.to_thread(agent.invoke, ASKED))
    return text


async def _streaming_agent(tool, arguments):
    agent, _ = agent_of([tool], tool_call(arguments))
    return [part["tools"] async for part in agent.astream(ASKED, stream_mode="updates") if "tools" in part]


async def _sub_agent(tool, arguments):
    inner, given = agent_of([tool], tool_call(arguments))

    async def delegate() -> str:
        """Let another agent do it."""
        return (await inner.ainvoke(ASKED))["messages"][-1].content

    outer, _ = agent_of([delegate], tool_call({}, "delegate"))
    await outer.ainvoke(ASKED)
    return text_of(given[-1][1][-1])


ENTRIES = {
    "invoke": lambda tool, arguments: asyncio.to_thread(both(tool).invoke, arguments),
    "ainvoke": lambda tool, arguments: both(tool).ainvoke(arguments),
    "run": lambda tool, arguments: asyncio.to_thread(both(tool).run, arguments),
    "arun": lambda tool, arguments: both(tool).arun(arguments),
    "batch": lambda tool, arguments: asyncio.to_thread(both(tool).batch, [arguments]),
    "abatch": lambda tool, arguments: both(tool).abatch([arguments]),
    "stream": lambda tool, arguments: asyncio.to_thread(lambda: [*both(tool).stream(arguments)]),
    "tool_call": _tool_call,
    "async_tool_call": _async_tool_call,
    "written_schema": _written_schema,
    "tool_node": _tool_node,
    "sync_agent": _sync_agent,
    "streaming_agent": _streaming_agent,
    "sub_agent": _sub_agent,
}
