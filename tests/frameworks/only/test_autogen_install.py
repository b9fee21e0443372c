"""What `install` does in AutoGen beside what it does in every framework."""

import asyncio
import functools
import json
import subprocess

import pytest
from autogen_core import AgentId, CancellationToken, FunctionCall, SingleThreadedAgentRuntime
from autogen_core.tool_agent import ToolAgent, ToolExecutionException
from autogen_core.tools import BaseTool, FunctionTool, StaticStreamWorkbench, StaticWorkbench, ToolOverride
from install.drivers.autogen import agent, made, read_by, scripted
from install.here import RECEIVED, install, tool_of
from pydantic import BaseModel

from timeoutkit import TimeoutPolicy, TimeoutValueError

CONTRACT = "Timeout in seconds, e.g. 30; at most 600; default 120; not milliseconds."


@pytest.fixture(autouse=True)
def installed():
    RECEIVED.clear()
    with install() as patch:
        yield patch


def read(*arguments, tools=(), **options):
    """Run an agent with calls of one turn, and give what its model read, and the tools that it was sent."""
    model = scripted(*(("run_shell", one) for one in arguments))
    asyncio.run(agent(model, tools=[*tools], **options).run(task="go"))
    return read_by(model), model.create_calls[0]["tools"]


@pytest.mark.parametrize("text", ['{"timeout": 90000', "[90000]", "90000"])
def test_arguments_that_are_no_object(installed, text):
    """What the model reads of a text that is malformed, or no object, is the same as without."""
    with_install, _ = read(text, tools=[tool_of("async")])
    installed.undo()
    without, _ = read(text, tools=[tool_of("async")])
    assert with_install == without
    assert RECEIVED == []


class Limit(BaseModel):
    """What becomes a reference in the schema."""

    seconds: int


def nothing() -> str:
    """Do something."""
    RECEIVED.append(None)
    return "ran"


def referring(timeout: Limit) -> str:
    """Do something."""
    RECEIVED.append(timeout.model_dump())
    return "ran"


def any_kind(timeout: list[int] | float = 0) -> str:
    """Do something."""
    RECEIVED.append(timeout)
    return "ran"


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (nothing, {}),
        (referring, {"timeout": {"seconds": 90000}}),
        (any_kind, {"timeout": [0]}),
        (any_kind, {"timeout": -1}),
    ],
)
def test_a_tool_without_a_limit_passes(function, arguments):
    """A tool that has no parameters, a reference or unrelated types gets what the model wrote, and no contract."""
    texts, schemas = read(arguments, tools=[FunctionTool(function, "Do something.", name="run_shell")])
    assert texts == ["ran"]
    assert RECEIVED == [arguments.get("timeout")]
    assert "not milliseconds" not in json.dumps(schemas)


def run_shell(command: str, timeout: int | None = None) -> str:
    """Run a shell command."""
    RECEIVED.append(timeout)
    return "ran"


class Shell:
    """Methods, and what they make."""

    def method(self, command: str, timeout: int | None = None) -> str:
        return run_shell(command, timeout)

    @classmethod
    def of_the_class(cls, command: str, timeout: int | None = None) -> str:
        return cls().method(command, timeout)


@pytest.mark.parametrize(
    "function",
    [Shell().method, Shell.of_the_class, functools.partial(Shell().method, timeout=None), tool_of("async")],
    ids=["method", "class method", "partial", "coroutine function"],
)
def test_however_a_tool_is_made(function):
    """Methods and partial functions are corrected as functions are, and told of with the contract."""
    tool = FunctionTool(function, "Run.", name="run_shell")
    texts, schemas = read({"command": "ls", "timeout": 90000}, tools=[tool])
    assert RECEIVED == [90]
    assert '"timeout": 90 was used' in texts[0]
    assert CONTRACT in json.dumps(schemas)


class Arguments(BaseModel):
    """What a tool takes."""

    command: str
    timeout: int | None = None


class Written(BaseTool[Arguments, BaseModel]):
    """A tool that is a class."""

    def __init__(self):
        super().__init__(Arguments, str, "run_shell", "Run a shell command.")

    async def run(self, args, cancellation_token):
        RECEIVED.append(args.timeout)
        return "ran"


@pytest.mark.parametrize("workbench", [StaticWorkbench, StaticStreamWorkbench])
def test_a_workbench_with_another_name_for_the_tool(workbench):
    """The tool is told of and called by that name, and corrected."""
    held = workbench([Written()], {"run_shell": ToolOverride(name="bash")})
    result = asyncio.run(held.call_tool("bash", {"command": "ls", "timeout": 90000}))
    assert [part.content[:12] for part in result.result] == ["ran", "[timeoutkit]"]
    assert CONTRACT in json.dumps(asyncio.run(held.list_tools()))


def test_an_agent_that_was_there_before(installed):
    """Its tools are corrected while it is installed, and their own schemas never change."""
    installed.undo()
    tool = made(tool_of("async"))
    model, schema = scripted(("run_shell", {"command": "ls", "timeout": 90000})), tool.schema
    one = agent(model, tools=[tool])
    with install():
        asyncio.run(one.run(task="go"))
        assert tool.schema == schema
    assert RECEIVED == [90]
    assert CONTRACT in json.dumps(model.create_calls[0]["tools"])


def test_many_calls_at_once():
    """Each has its own note."""
    texts, _ = read(*({"command": "ls", "timeout": 1000 * at} for at in range(101, 121)), tools=[tool_of("sync")])
    assert sorted(RECEIVED) == list(range(101, 121))
    assert [f'"timeout": {at} was used' in text for at, text in zip(range(101, 121), texts, strict=True)] == [True] * 20


def run_json(function, **arguments):
    """Run a tool as a program does."""
    return asyncio.run(made(function).run_json({"command": "ls", **arguments}, CancellationToken()))


def test_a_program_that_runs_a_tool():
    """It gets the tool's own value, and reads the note in the message of an error."""
    assert run_json(tool_of("sync", 7), timeout=90000) == 7
    with pytest.raises(ValueError, match=r"^broken\n\n\[timeoutkit\] "):
        run_json(tool_of("sync", ValueError("broken")), timeout=90000)


async def told_by_a_tool_agent(function):
    """Give what a tool agent tells whoever called it of a failure."""
    runtime = SingleThreadedAgentRuntime()
    await ToolAgent.register(runtime, "tools", lambda: ToolAgent("Tools.", [made(function)]))
    runtime.start()
    call = FunctionCall("1", '{"command": "ls", "timeout": 30}', "run_shell")
    with pytest.raises(ToolExecutionException) as raised:
        await runtime.send_message(call, AgentId("tools", "default"))
    await runtime.stop()
    return raised.value.content


def test_a_tool_agent_tells_what_the_error_says():
    """The note is in the message, or beside it where an error makes its message of other things."""
    told = asyncio.run(told_by_a_tool_agent(tool_of("async", TimeoutError("too late"))))
    assert told.startswith('Error: too late\n\n[timeoutkit] "timeout": 30 was used, and it ran out')
    with pytest.raises(subprocess.TimeoutExpired) as raised:
        run_json(tool_of("sync", subprocess.TimeoutExpired("ls", 30)), timeout=30)
    assert '"timeout": 30 was used, and it ran out' in raised.value.__notes__[0]


def test_texts_of_other_values_have_no_note():
    """Only the value that was just got has one, and once."""

    async def texts():
        tool = made(tool_of("async", {"output": "ran"}))
        value = await tool.run_json({"command": "ls", "timeout": 90000}, CancellationToken())
        return [tool.return_value_as_string(one) for one in (dict(value), value, value)]

    assert ["[timeoutkit]" in text for text in asyncio.run(texts())] == [False, True, False]


def test_what_a_strict_policy_refuses(installed):
    """An agent reads the error; a program gets it."""
    installed.undo()
    with install(tools={"run_shell": TimeoutPolicy(mode="strict")}):
        texts, _ = read({"command": "ls", "timeout": 90000}, tools=[tool_of("sync")])
        with pytest.raises(TimeoutValueError):
            run_json(tool_of("sync"), timeout=90000)
    assert "seconds" in texts[0]
    assert RECEIVED == []


def test_a_workbench_that_is_dumped(installed):
    """It is the same as without."""
    held = StaticWorkbench([made(any_kind), made(run_shell)])
    dumped = held.dump_component()
    installed.undo()
    assert held.dump_component() == dumped
