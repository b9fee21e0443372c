"""LlamaIndex: an agent that calls functions, with a scripted model."""

import asyncio
import inspect
import json
import uuid

from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ReActAgent
from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.llms import ChatMessage
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.tools import FunctionTool
from llama_index.core.tools.calling import acall_tool, call_tool

from install.told import Told

FAILURES = "told"


class Model(MockFunctionCallingLLM):
    """It says what is scripted, turn by turn, and gives tools as the models of OpenAI do."""

    turns: list
    given: list = []
    """The tools and the messages of each turn."""

    def __init__(self, *turns):
        super().__init__(turns=list(turns), response_generator=self._answer)

    def _answer(self, messages, tools=(), **_named):
        self.given.append((tools, list(messages)))
        return self.turns.pop(0)

    def _prepare_chat_with_tools(self, tools, chat_history=None, **_named):
        return {"messages": chat_history, "tools": [tool.metadata.to_openai_tool() for tool in tools]}


ASKED = ChatMessage(role="user", content="go")
DONE = ChatMessage(role="assistant", content="done")


def turn(*calls, name="run_shell"):
    """Give a model's message that calls a tool with arguments, each a mapping or JSON text."""
    return ChatMessage(
        role="assistant",
        blocks=[ToolCallBlock(tool_call_id=uuid.uuid4().hex, tool_name=name, tool_kwargs=each) for each in calls],
    )


def tool_of(tool):
    """Make a tool of a function."""
    return FunctionTool.from_defaults(**{"async_fn" if inspect.iscoroutinefunction(tool) else "fn": tool})


def text_of(message):
    """Flatten what a message or an output says."""
    return "\n\n".join(block.text for block in message.blocks)


def texts_of(model):
    """Give what the model reads of each call, in the order of the calls; the first that is done is read first."""
    messages = model.given[-1][1]
    read = {one.additional_kwargs["tool_call_id"]: text_of(one) for one in messages if one.role == "tool"}
    asked = [block for one in messages for block in one.blocks if isinstance(block, ToolCallBlock)]
    return [read[block.tool_call_id] for block in asked]


async def loop(tools, *calls):
    """Run an agent to its end."""
    model = Model(turn(*calls), DONE)
    await FunctionAgent(tools=tools, llm=model).run("go")
    return Told(model.given[0][0][0]["function"]["parameters"], texts_of(model))


async def _without_streaming(tool, arguments):
    model = Model(turn(arguments), DONE)
    await FunctionAgent(tools=[tool], llm=model, streaming=False).run("go")
    return texts_of(model)


async def _workflow(tool, arguments):
    model = Model(turn(arguments), DONE)
    await AgentWorkflow.from_tools_or_functions([tool], llm=model).run("go")
    return texts_of(model)


async def _handoff(tool, arguments):
    model = Model(turn({"to_agent": "shell", "reason": "it can"}, name="handoff"), turn(arguments), DONE)
    front = FunctionAgent(name="front", description="asks", tools=[], llm=model, can_handoff_to=["shell"])
    shell = FunctionAgent(name="shell", description="runs", tools=[tool], llm=model)
    await AgentWorkflow(agents=[front, shell], root_agent="front").run("go")
    return texts_of(model)[-1]


async def _sub_agent(tool, arguments):
    inner = Model(turn(arguments), DONE)

    async def delegate() -> str:
        """Let another agent do it."""
        return str(await FunctionAgent(tools=[tool], llm=inner).run("go"))

    await FunctionAgent(tools=[delegate], llm=Model(turn({}, name="delegate"), DONE)).run("go")
    return texts_of(inner)


async def _react(tool, arguments):
    asked = f"Thought: I need it.\nAction: run_shell\nAction Input: {json.dumps(arguments)}"
    model = Model(*(ChatMessage(role="assistant", content=text) for text in (asked, "Thought: so.\nAnswer: done")))
    await ReActAgent(tools=[tool], llm=model).run("go")
    return text_of(model.given[-1][1][-1])


async def _predict_and_call(tool, arguments):
    return str(await Model(turn(arguments)).apredict_and_call([tool_of(tool)], chat_history=[ASKED]))


ENTRIES = {
    "call": lambda tool, arguments: asyncio.to_thread(tool_of(tool).call, **arguments),
    "__call__": lambda tool, arguments: asyncio.to_thread(tool_of(tool), **arguments),
    "acall": lambda tool, arguments: tool_of(tool).acall(**arguments),
    "call_tool": lambda tool, arguments: asyncio.to_thread(call_tool, tool_of(tool), arguments),
    "acall_tool": lambda tool, arguments: acall_tool(tool_of(tool), arguments),
    "predict_and_call": _predict_and_call,
    "without_streaming": _without_streaming,
    "workflow": _workflow,
    "handoff": _handoff,
    "sub_agent": _sub_agent,
    "react": _react,
}
