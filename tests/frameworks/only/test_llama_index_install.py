"""What `install` does in LlamaIndex alone: its kinds of tools, what becomes of errors, and answers that are no tools."""

import asyncio
import functools
import subprocess
import sys
from typing import Any

import pytest
from install.drivers.llama_index import DONE, Model, text_of, texts_of, tool_of, turn
from install.here import RECEIVED, install
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.program import FunctionCallingProgram
from llama_index.core.tools import AsyncBaseTool, FunctionTool, ToolMetadata, ToolOutput
from llama_index.core.tools.tool_spec.base import BaseToolSpec
from llama_index.core.workflow import Context
from pydantic import BaseModel, Field

from timeoutkit import TimeoutPolicy

NOTE = '[timeoutkit] "timeout": 90 was used. timeout is in seconds (up to 600), not milliseconds.'
LIMIT = '[timeoutkit] "timeout": 30 was used, and it ran out. timeout is in seconds (up to 600).'
WRITTEN = {"command": "ls", "timeout": 90000}


@pytest.fixture(autouse=True)
def installed():
    RECEIVED.clear()
    with install() as patch:
        yield patch


class Arguments(BaseModel):
    command: str
    timeout: int | None = None


class Own(AsyncBaseTool):
    """A tool that is no function."""

    def __init__(self, raises: Exception | None = None) -> None:
        self._raises = raises

    metadata = ToolMetadata(description="Run.", name="run_shell", fn_schema=Arguments)

    def call(self, **arguments: Any) -> ToolOutput:
        RECEIVED.append(arguments["timeout"])
        if self._raises:
            raise self._raises
        return ToolOutput(tool_name="run_shell", content="ran", raw_input=arguments, raw_output="ran")

    async def acall(self, **arguments: Any) -> ToolOutput:
        return self.call(**arguments)


class Host(BaseToolSpec):
    spec_functions = ["run_shell"]

    def run_shell(self, command: str, timeout: int | None = None) -> str:
        RECEIVED.append(timeout)
        return "ran"

    @classmethod
    def of_class(cls, command: str, timeout: int | None = None) -> str:
        return cls().run_shell(command, timeout)


async def _with_context(ctx: Context, command: str, timeout: int = Field(default=20, description="how long")) -> str:
    assert await ctx.store.get("nothing", default="") == ""
    return Host().run_shell(command, timeout)


WAYS = {
    "a class": Own(),
    "a method": Host().run_shell,
    "a class method": FunctionTool.from_defaults(Host.of_class, name="run_shell"),
    "a specification": Host().to_tool_list()[0],
    "a partial": FunctionTool.from_defaults(functools.partial(Host().run_shell), name="run_shell"),
    "partial parameters": FunctionTool.from_defaults(Host().run_shell, partial_params={"command": "ls"}),
    "a schema": FunctionTool.from_defaults(Host().run_shell, fn_schema=Arguments),
    "a context": FunctionTool.from_defaults(async_fn=_with_context, name="run_shell"),
}


AGENTS = {
    "agent": lambda tools, model: FunctionAgent(tools=tools, llm=model),
    "workflow": lambda tools, model: AgentWorkflow.from_tools_or_functions(tools, llm=model),
}


def converse(tool, *calls, agent="agent"):
    """Let the model call a tool in one turn; give what it reads of each, and the tools that it was given."""

    async def run():
        model = Model(turn(*calls), DONE)
        await AGENTS[agent]([tool], model).run("go")
        return texts_of(model), model.given[0][0]

    return asyncio.run(run())


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_define_a_tool(way, agent):
    """However it is made, a tool is corrected, and its model is told the contract."""
    written = {"timeout": 90000} if way == "partial parameters" else WRITTEN
    texts, given = converse(WAYS[way], written, agent=agent)
    assert RECEIVED == [90]
    assert [text.partition(" was used")[0] for text in texts] == ['ran\n\n[timeoutkit] "timeout": 90']
    assert "not milliseconds" in str(given)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_class_that_raises(agent):
    """A tool that is no function says its limit in the same way."""
    texts, _ = converse(Own(raises=TimeoutError("slow")), {"command": "ls", "timeout": 30}, agent=agent)
    assert texts == [f"slow\n\n{LIMIT}"]


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("tool", [Own(), Host().run_shell], ids=["class", "function"])
def test_a_refused_call(installed, agent, tool):
    """A strict policy is an error that the model reads, and the tool is not called."""
    installed.undo()
    with install(tools={"run_shell": TimeoutPolicy(mode="strict")}):
        (text,), _ = converse(tool, WRITTEN, agent=agent)
    assert "90000" in text
    assert RECEIVED == []


def test_an_error_of_a_tool_called_directly():
    """It is raised as before, with the note."""
    error = ValueError("broken")

    def run_shell(command: str, timeout: int | None = None) -> str:
        raise error

    with pytest.raises(ValueError, match="broken") as raised:
        tool_of(run_shell).call(**WRITTEN)
    assert raised.value is error
    assert (str(error), error.__notes__) == ("broken", [NOTE])


def test_an_error_that_is_raised_again_and_again():
    """An exception object that a tool raises twice has the note of the second call, or none."""
    error = ValueError("broken")

    def run_shell(command: str, timeout: int | None = None) -> str:
        raise error

    noted, _ = converse(tool_of(run_shell), WRITTEN)
    plain, _ = converse(tool_of(run_shell), {"command": "ls", "timeout": 30})
    assert (noted, plain) == ([f"broken\n\n{NOTE}"], ["broken"])


def test_arguments_by_position():
    """Code that calls a tool by position is not a model, and nothing is filled in beside what it gave."""
    assert tool_of(Host().run_shell)("ls", 7200).content == "ran"
    assert RECEIVED == [7200]


OVERRIDES = {"text": "ran", "output": ToolOutput(tool_name="run_shell", content="ran", raw_input={}, raw_output=7)}


@pytest.mark.parametrize("override", OVERRIDES)
def test_an_output_of_a_callback(override):
    """The note is in the output that is read, and not in what the callback gave."""
    tool = FunctionTool.from_defaults(Host().run_shell, callback=lambda _result: OVERRIDES[override])
    for _ in range(2):
        assert text_of(tool.call(**WRITTEN)) == f"ran\n\n{NOTE}"


def test_the_raw_output():
    """What is not for the model has no note."""
    assert tool_of(Host().run_shell).call(**WRITTEN).raw_output == "ran"


class Server(BaseModel):
    """What a text says of a server."""

    command: str
    timeout: int


def test_an_answer_with_a_form():
    """What a model fills in to be parsed is no call of a tool: it is as it was written, and so is its form."""
    model = Model(turn({"command": "serve", "timeout": 90000}, name="Server"))
    program = FunctionCallingProgram.from_defaults(Server, prompt_template_str="Read.", llm=model)
    assert program() == Server(command="serve", timeout=90000)
    assert "not milliseconds" not in str(model.given[0][0])


MALFORMED = ["", "90000", "[]", "{timeout: 90000}", '{"timeout": 90000}}', "null"]


@pytest.mark.parametrize("written", MALFORMED)
def test_malformed_arguments(installed, written):
    """What the model reads of arguments that are no JSON object is the framework's own."""
    assert converse(Host().run_shell, written)[0] == _without(installed, Host().run_shell, written)


def _without(installed, tool, written):
    installed.undo()
    return converse(tool, written)[0]


class Nothing(BaseModel):
    pass


class Limit(BaseModel):
    seconds: int


class Reference(BaseModel):
    timeout: Limit


class Unrelated(BaseModel):
    timeout: Limit | int


@pytest.mark.parametrize("schema", [None, Nothing, Reference, Unrelated])
def test_a_schema_without_a_timeout(installed, schema, caplog):
    """It is given to the model as without, the arguments arrive as written, and nothing is logged."""

    def run_shell(**arguments: Any) -> str:
        RECEIVED.append(arguments)
        return "ran"

    metadata = ToolMetadata(name="run_shell", description="Run.", fn_schema=schema)
    tool = FunctionTool.from_defaults(run_shell, tool_metadata=metadata)
    texts, given = converse(tool, {"timeout": 90000})
    assert (texts, RECEIVED) == (["ran"], [{"timeout": 90000}])
    assert caplog.records == []
    installed.undo()
    assert given == [metadata.to_openai_tool()]


def test_many_calls_at_once():
    """Each of twenty calls has its own value and its own note."""

    def run_shell(command: str, timeout: int) -> str:
        return f"ran within {timeout}"

    amounts = [*range(37, 54), 55, 56, 57]  # 54000 is 15 hours
    texts, _ = converse(run_shell, *({"command": "ls", "timeout": 1000 * amount} for amount in amounts))
    assert [text.partition("\n")[0] for text in texts] == [f"ran within {amount}" for amount in amounts]
    assert [text.count("[timeoutkit]") for text in texts] == [1] * 20


def test_an_agent_made_before(installed):
    """It is corrected while installed, and as before when undone."""
    installed.undo()
    model = Model()
    agent = FunctionAgent(tools=[Host().run_shell], llm=model)

    async def run():
        model.turns = [turn({"command": "ls", "timeout": 7200}), DONE]
        model.given.clear()
        await agent.run("go")
        return texts_of(model), model.given[0][0]

    before = asyncio.run(run())
    with install():
        assert asyncio.run(run()) != before
    assert asyncio.run(run()) == before
    assert RECEIVED == [7200, 600, 7200]


def test_undone_in_the_middle_of_a_call(installed):
    """The call ends with its note, and the next is as before."""

    def run_shell(command: str, timeout: int) -> str:
        installed.undo()
        return f"ran within {timeout}"

    assert converse(run_shell, WRITTEN)[0] == [f"ran within 90\n\n{NOTE}"]
    assert converse(run_shell, WRITTEN)[0] == ["ran within 90000"]


@pytest.mark.parametrize(
    "module", ["llama_index.core.tools", "llama_index.core.agent.workflow", "llama_index.core.llms"]
)
def test_whatever_is_imported_first(module):
    """Installed before, it is in place after any import."""
    script = f"import timeoutkit; patch = timeoutkit.install('llama-index'); import {module}; assert patch.applied"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
