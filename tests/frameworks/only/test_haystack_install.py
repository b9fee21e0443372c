"""What `install` does in Haystack beside what it does in every framework."""

import asyncio
import functools
import json
from copy import deepcopy

import pytest
from haystack.components.agents import Agent, State
from haystack.components.generators.chat import OpenAIChatGenerator, OpenAIResponsesChatGenerator
from haystack.dataclasses import TextContent
from haystack.hooks import hook
from haystack.tools import Tool
from haystack.tools import create_tool_from_function as make_tool
from haystack.tools.errors import ToolInvocationError
from haystack.utils import Secret
from install.drivers.haystack import GO, Scripted, read_by
from install.here import RECEIVED, install, tool_of
from pydantic import BaseModel

from timeoutkit import TimeoutPolicy

CONTRACT = "Timeout in seconds, e.g. 30; at most 600; default 120; not milliseconds."
CALL = {"command": "ls", "timeout": 90000}


@pytest.fixture(autouse=True)
def installed():
    RECEIVED.clear()
    with install() as patch:
        yield patch


def run(tool, *calls, **options):
    """Run an agent with calls of one turn, and give it with its generator and its result."""
    generator = Scripted(*(("run_shell", arguments) for arguments in calls or [CALL]))
    result = Agent(chat_generator=generator, tools=[tool], **options).run(GO)
    return generator, result


def tool_with(parameters, **options):
    """Make a tool with a schema by hand."""

    def anything(**named):
        RECEIVED.append(named)
        return "ran"

    return Tool("run_shell", "Run.", parameters, **{"function": anything, **options})


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"type": "object"},
        {"properties": {"timeout": {"$ref": "#/$defs/Limit"}}, "$defs": {"Limit": {"type": "integer"}}},
        {"properties": {"timeout": {"anyOf": [{"type": "array"}, {"type": "number"}]}}},
    ],
    ids=["no schema", "no properties", "a reference", "unrelated types"],
)
def test_a_tool_without_a_limit_passes(parameters):
    """It gets what the model wrote, and the model is sent the very schema."""
    generator, _ = run(tool_with(parameters))
    assert RECEIVED == [CALL]
    assert read_by(generator) == ["ran"]
    assert generator.given[0][1][0][1] is parameters


def run_shell(command: str, timeout: int | None = None) -> str:
    """Run a shell command."""
    RECEIVED.append(timeout)
    return "ran"


class Shell:
    """Methods."""

    def method(self, command: str, timeout: int | None = None) -> str:
        """Run a shell command."""
        return run_shell(command, timeout)

    @classmethod
    def of_the_class(cls, command: str, timeout: int | None = None) -> str:
        """Run a shell command."""
        return run_shell(command, timeout)


@pytest.mark.parametrize("function", [Shell().method, Shell.of_the_class])
def test_methods(function):
    """Methods are corrected as functions are."""
    generator, _ = run(make_tool(function, name="run_shell"))
    assert RECEIVED == [90]
    assert '"timeout": 90 was used' in read_by(generator)[0]


def test_a_partial_function():
    """It is corrected by the schema that was written for it."""
    parameters = {"properties": {"command": {"type": "string"}, "timeout": {"type": "integer"}}}
    run(tool_with(parameters, function=functools.partial(run_shell)))
    assert RECEIVED == [90]


@pytest.mark.parametrize("generator", [OpenAIChatGenerator, OpenAIResponsesChatGenerator])
@pytest.mark.parametrize("strict", [False, True])
def test_a_generator_that_has_the_tools(generator, strict):
    """Without an agent too, the provider is sent the contract, and the tool is not changed."""
    tool = make_tool(run_shell)
    before = deepcopy(tool.parameters)
    one = generator(api_key=Secret.from_token("none"), tools=[tool], tools_strict=strict)
    request = one._prepare_api_call(messages=GO, tools=None)
    assert CONTRACT in json.dumps(request["tools"])
    assert tool.parameters == before


def test_the_state_has_what_the_tool_returned():
    """The note stands in the message only, and nothing of ours on the call that is kept."""
    tool = tool_with(
        make_tool(run_shell).parameters,
        function=lambda **_: {"output": "ran"},
        outputs_to_state={"output": {"source": "output"}},
        outputs_to_string={"source": "output"},
    )
    generator, result = run(tool, state_schema={"output": {"type": str}})
    assert result["output"] == "ran"
    assert read_by(generator)[0].startswith("ran\n\n[timeoutkit] ")
    assert [vars(call).keys() for call in generator.calls] == [{"tool_name", "arguments", "id", "extra"}]
    assert generator.calls[0].arguments == CALL


def test_a_result_that_has_parts():
    """The note is a part of its own."""
    parameters = make_tool(run_shell).parameters
    tool = tool_with(parameters, function=lambda **_: [TextContent("ran")], outputs_to_string={"raw_result": True})
    generator, _ = run(tool)
    (told,) = generator.given[-1][0][-1].tool_call_results
    assert [part.text[:12] for part in told.result] == ["ran", "[timeoutkit]"]


def test_a_limit_that_comes_from_the_state():
    """What the model cannot fill in is the program's own."""
    tool = make_tool(run_shell, inputs_from_state={"limit": "timeout"})
    generator = Scripted(("run_shell", {"command": "ls"}))
    Agent(chat_generator=generator, tools=[tool], state_schema={"limit": {"type": int}}).run(GO, limit=90000)
    assert RECEIVED == [90000]
    assert read_by(generator) == ["ran"]


def test_a_tool_that_invokes_another():
    """What it invokes itself is corrected, and told to it alone."""
    inner, read = make_tool(run_shell), []

    def outer(command: str, timeout: int | None = None) -> str:
        """Run it in another."""
        read.append(inner.invoke(command=command, timeout=-1))
        return "done"

    generator, _ = run(make_tool(outer, name="run_shell"), {"command": "ls", "timeout": 30})
    assert RECEIVED == [120]
    assert read[0].startswith("ran\n\n[timeoutkit] ")
    assert read_by(generator) == ["done"]


def test_a_failure_that_is_raised():
    """An agent that raises it raises it with the note, and with the tool's own error as its cause."""
    with pytest.raises(ToolInvocationError, match=r"Error: broken\n\n\[timeoutkit\] ") as raised:
        run(make_tool(tool_of("sync", ValueError("broken"))), raise_on_tool_invocation_failure=True)
    assert raised.value.tool_name == "run_shell"
    assert repr(raised.value.__cause__) == "ValueError('broken')"


def test_what_a_strict_policy_refuses(installed):
    """An agent reads it as a failure of the tool, and goes on."""
    installed.undo()
    with install(tools={"run_shell": TimeoutPolicy(mode="strict")}):
        generator, result = run(make_tool(run_shell))
    assert result["last_message"].text == "done"
    assert "seconds" in read_by(generator)[0]
    assert RECEIVED == []


def test_hooks_see_the_tools():
    """A hook may copy the tools that it is given, and gets them as they are."""
    tool, seen = make_tool(run_shell), []

    @hook
    def look(state: State) -> None:
        seen.extend(state.get("tools"))

    run(tool, hooks={"before_tool": [look]})
    assert seen == [tool]
    assert isinstance(seen[0], Tool)


class Shared(BaseModel):
    """A value that is no text."""

    output: str


@pytest.mark.parametrize(("result", "noted"), [("ran", True), (7, False), (Shared(output="ran"), False)])
def test_a_program_that_invokes_a_tool(result, noted):
    """It gets the note as from a decorated function: in a text, not in a value that has no place for one."""
    value = make_tool(tool_of("sync", result)).invoke(**CALL)
    assert ("[timeoutkit]" in str(value)) == noted
    assert RECEIVED == [90]


def test_many_calls_at_once():
    """Each has its own note."""
    calls = [{"command": "ls", "timeout": 1000 * at} for at in range(101, 121)]
    generator, _ = run(make_tool(run_shell), *calls)
    assert sorted(RECEIVED) == list(range(101, 121))
    told = zip(range(101, 121), read_by(generator), strict=True)
    assert [f'"timeout": {at} was used' in text for at, text in told] == [True] * 20


def test_an_agent_that_was_there_before(installed):
    """Its tools are corrected while it is installed, also where that ends in the middle of a call."""

    async def undoing(command: str, timeout: int | None = None) -> str:
        """Run a shell command."""
        installed_later.undo()
        return run_shell(command, timeout)

    installed.undo()
    generator = Scripted(("run_shell", CALL), ("run_shell", CALL))
    agent = Agent(chat_generator=generator, tools=[make_tool(undoing, name="run_shell")], tool_concurrency_limit=1)
    installed_later = install()
    asyncio.run(agent.run_async(GO))
    assert RECEIVED == [90, 90000]
    assert [text.partition("\n")[0] for text in read_by(generator)] == ["ran", "ran"]
