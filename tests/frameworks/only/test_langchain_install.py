"""What `install` does in LangChain alone: its kinds of tools and results, and what becomes of errors."""

import asyncio
import contextlib
import functools
import subprocess
import sys
from typing import Annotated, Any

import pytest
from install.drivers.langchain import ASKED, agent_of, node_of, text_of, texts_of, tool_call
from install.here import RECEIVED, install
from langchain.agents.middleware import ToolErrorMiddleware, ToolRetryMiddleware
from langchain.tools import InjectedToolCallId, ToolRuntime
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langchain_core.tools import tool as make_tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.types import Command
from pydantic import BaseModel
from pydantic.v1 import BaseModel as BaseModelV1

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


class ArgumentsV1(BaseModelV1):
    command: str
    timeout: int | None = None


class Shell(BaseTool):
    name: str = "run_shell"
    description: str = "Run."
    args_schema: type[BaseModel] = Arguments

    def _run(self, command: str, timeout: int | None = None) -> str:
        RECEIVED.append(timeout)
        return "ran"


class Bare(Shell):
    args_schema: Any = None


class Host:
    def run_shell(self, command: str, timeout: int | None = None) -> str:
        """Run."""
        RECEIVED.append(timeout)
        return "ran"

    @classmethod
    def of_class(cls, command: str, timeout: int | None = None) -> str:
        """Run."""
        return cls().run_shell(command, timeout)


def _on(host: Host, command: str, timeout: int | None = None) -> str:
    return host.run_shell(command, timeout)


def _injected(command: str, call: Annotated[str, InjectedToolCallId], runtime: ToolRuntime, timeout: int = 20) -> str:
    """Run."""
    RECEIVED.append(timeout)
    return f"ran {bool(call)} {bool(runtime.state)}"


WAYS = {
    "a class": Shell(),
    "a class without a schema": Bare(),
    "a method": make_tool(Host().run_shell),
    "a class method": make_tool(Host.of_class),
    "a model of pydantic 1": StructuredTool(
        name="run_shell", description="Run.", args_schema=ArgumentsV1, func=Host().run_shell
    ),
    "injected arguments": make_tool("run_shell")(_injected),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_define_a_tool(way):
    """However it is made, a tool is corrected, and its model is told the contract."""
    agent, given = agent_of([WAYS[way]], tool_call(WRITTEN, WAYS[way].name))
    (text,) = texts_of(agent.invoke(ASKED))
    assert RECEIVED == [90]
    assert text.startswith("ran")
    assert text.endswith(NOTE)
    assert "not milliseconds" in str(given[0][0])


def test_a_partial():
    """An agent refuses it before Python 3.14, with or without `install`; called directly, it is corrected."""
    partial = functools.partial(_on, Host())
    tool = StructuredTool(name="run_shell", description="Run.", args_schema=Arguments, func=partial)
    with pytest.raises(TypeError, match="partial") if sys.version_info < (3, 14) else contextlib.nullcontext():
        agent_of([tool])
    assert text_of(tool.invoke(tool_call(WRITTEN))) == f"ran\n\n{NOTE}"


RESULTS = {
    "a message": lambda call_id: ToolMessage("ran", tool_call_id=call_id),
    "a message of blocks": lambda call_id: ToolMessage([{"type": "text", "text": "ran"}], tool_call_id=call_id),
    "a command": lambda call_id: Command(update={"messages": [ToolMessage("ran", tool_call_id=call_id)]}),
    "several": lambda call_id: [Command(update={}), ToolMessage("ran", tool_call_id=call_id)],
    "blocks": lambda _: [{"type": "text", "text": "ran"}],
}


@pytest.mark.parametrize("kind", RESULTS)
def test_results_of_the_framework_s_own(kind):
    """A tool that makes messages or commands itself has the note in the message of its call."""

    @make_tool
    def run_shell(command: str, call: Annotated[str, InjectedToolCallId], timeout: int | None = None):
        """Run."""
        return RESULTS[kind](call)

    agent, _ = agent_of([run_shell], tool_call(WRITTEN))
    assert texts_of(agent.invoke(ASKED)) == [f"ran\n\n{NOTE}"]


def test_a_command_without_a_message():
    """A command that tells the model nothing stays as it is."""

    @make_tool
    def run_shell(command: str, timeout: int | None = None):
        """Run."""
        RECEIVED.append(timeout)
        return Command(goto="elsewhere")

    assert run_shell.invoke(tool_call(WRITTEN)) == Command(goto="elsewhere")
    assert RECEIVED == [90]


def test_an_artifact():
    """What is not for the model has no note."""

    @make_tool(response_format="content_and_artifact")
    def run_shell(command: str, timeout: int | None = None):
        """Run."""
        return "ran", {"seconds": timeout}

    message = run_shell.invoke(tool_call(WRITTEN))
    assert (message.content, message.artifact) == (f"ran\n\n{NOTE}", {"seconds": 90})


def _failing(error):
    @make_tool
    def run_shell(command: str, timeout: int | None = None) -> str:
        """Run."""
        raise error

    return run_shell


def test_an_error_that_nobody_handles():
    """An agent raises it as before, with the note on the exception."""
    agent, _ = agent_of([_failing(ValueError("broken"))], tool_call(WRITTEN))
    with pytest.raises(ValueError, match="broken") as raised:
        agent.invoke(ASKED)
    assert (str(raised.value), raised.value.__notes__[0]) == ("broken", NOTE)


def test_an_error_of_a_call_without_an_id():
    """Called directly, the tool raises it with the note."""
    with pytest.raises(ValueError, match="broken") as raised:
        _failing(ValueError("broken")).invoke(WRITTEN)
    assert (str(raised.value), raised.value.__notes__) == ("broken", [NOTE])


HANDLED = {
    "the usual text": (True, "Error: ValueError('broken')\n Please fix your mistakes."),
    "a text": ("It failed.", "It failed."),
    "a function": (lambda error: f"no: {error}", "no: broken"),
    "a kind": (ValueError, "Error: ValueError('broken')\n Please fix your mistakes."),
}


@pytest.mark.parametrize("how", HANDLED)
def test_an_error_that_a_tool_node_handles(how):
    """Whatever text it makes of the error, the note is below that."""
    setting, text = HANDLED[how]
    node = node_of([_failing(ValueError("broken"))], handle_tool_errors=setting)
    answer = node.invoke({"messages": [AIMessage("", tool_calls=[tool_call(WRITTEN)])]})
    assert texts_of(answer) == [f"{text}\n\n{NOTE}"]


def test_arguments_that_do_not_fit():
    """The framework's own message about another argument has the note below."""
    agent, _ = agent_of([_failing(ValueError("broken"))], tool_call({"timeout": 90000}))
    (text,) = texts_of(agent.invoke(ASKED))
    assert text.startswith("Error invoking tool 'run_shell'")
    assert text.endswith(f"\n\n{NOTE}")


MIDDLEWARE = {
    "errors": lambda: ToolErrorMiddleware(lambda error, _request: [{"type": "text", "text": str(error)}]),
    "retries": lambda: ToolRetryMiddleware(max_retries=2, initial_delay=0, on_failure=str),
}


@pytest.mark.parametrize("which", MIDDLEWARE)
def test_an_error_that_a_middleware_handles(which):
    """There is one note, however often it was tried."""
    agent, _ = agent_of(
        [_failing(TimeoutError("slow"))], tool_call({**WRITTEN, "timeout": 30}), middleware=[MIDDLEWARE[which]()]
    )
    assert texts_of(asyncio.run(agent.ainvoke(ASKED))) == [f"slow\n\n{LIMIT}"]


def test_a_refused_call(installed):
    """A strict policy is an error as the tool's own are, and the tool is not called."""
    installed.undo()
    node = node_of([Shell()], handle_tool_errors=True)
    with install(tools={"run_shell": TimeoutPolicy(mode="strict")}):
        (text,) = texts_of(node.invoke({"messages": [AIMessage("", tool_calls=[tool_call(WRITTEN)])]}))
    assert text.startswith("Error: TimeoutValueError(")
    assert RECEIVED == []


def test_an_error_that_the_tool_handles():
    """A tool with `handle_tool_error` that ran into its limit says the limit."""

    @make_tool
    def run_shell(command: str, timeout: int | None = None) -> str:
        """Run."""
        raise ToolException("slow") from TimeoutError()

    run_shell.handle_tool_error = True
    message = run_shell.invoke(tool_call({**WRITTEN, "timeout": 30}))
    assert (message.content, message.status) == (f"slow\n\n{LIMIT}", "error")


def test_a_message_made_later_of_another_call():
    """The note of a call that failed is told of that call only."""
    with pytest.raises(ValueError, match="broken"):
        _failing(ValueError("broken")).invoke(tool_call(WRITTEN))
    try:
        raise KeyError
    except KeyError:
        assert ToolMessage("other", tool_call_id="other").content == "other"


@make_tool
def ping() -> str:
    """Ping."""
    return "pong"


UNTOUCHED = {
    "no properties": {"type": "object"},
    "a reference": {
        "type": "object",
        "properties": {"timeout": {"$ref": "#/$defs/Limit"}},
        "$defs": {"Limit": {"type": "object"}},
    },
    "unrelated types": {
        "type": "object",
        "properties": {"timeout": {"anyOf": [{"type": "object"}, {"type": "integer"}]}},
    },
}


@pytest.mark.parametrize("kind", UNTOUCHED)
def test_a_schema_without_a_timeout(kind, caplog):
    """It is given to the model as without, the arguments arrive as written, and nothing is logged."""
    tool = StructuredTool(
        name="run_shell",
        description="Run.",
        args_schema={"title": "run_shell", **UNTOUCHED[kind]},
        func=lambda **arguments: RECEIVED.append(arguments),
    )
    tool.invoke(tool_call({"timeout": 90000}))
    assert RECEIVED == [{"timeout": 90000}]
    assert "not milliseconds" not in str(convert_to_openai_tool(tool))
    assert caplog.records == []


def test_a_tool_without_arguments():
    """It runs as before."""
    assert text_of(ping.invoke(tool_call({}, "ping"))) == "pong"


def test_a_text_as_the_only_argument():
    """A text given to a tool of one argument is that argument, not JSON to be read."""

    @make_tool
    def run_shell(command: str, timeout: int | None = None) -> str:
        """Run."""
        return f"{command} {timeout}"

    assert run_shell.invoke('{"timeout": 90000}') == '{"timeout": 90000} None'


def test_many_calls_at_once():
    """Each of twenty calls has its own value and its own note."""

    @make_tool
    def run_shell(command: str, timeout: int) -> str:
        """Run."""
        return f"ran within {timeout}"

    amounts = [*range(37, 54), 55, 56, 57]  # 54000 is 15 hours
    agent, _ = agent_of([run_shell], *(tool_call({"command": "ls", "timeout": 1000 * amount}) for amount in amounts))
    for texts in (texts_of(agent.invoke(ASKED)), texts_of(asyncio.run(agent.ainvoke(ASKED)))):
        assert [text.partition("\n")[0] for text in texts] == [f"ran within {amount}" for amount in amounts]
        assert [text.count("[timeoutkit]") for text in texts] == [1] * 20


def test_an_agent_made_before(installed):
    """It is corrected while installed, and as before when undone."""
    installed.undo()
    agent, given = agent_of([Shell()], tool_call({"command": "ls", "timeout": 7200}))
    before = [agent.invoke(ASKED)["messages"][-2].content, given[0][0]]
    with install():
        agent.invoke(ASKED)
    after = [agent.invoke(ASKED)["messages"][-2].content, given[-1][0]]
    assert RECEIVED == [7200, 600, 7200]
    assert after == before


def test_undone_in_the_middle_of_a_call(installed):
    """The call ends with its note, and the next is as before."""

    @make_tool
    def run_shell(command: str, timeout: int) -> str:
        """Run."""
        installed.undo()
        return f"ran within {timeout}"

    assert text_of(run_shell.invoke(tool_call(WRITTEN))) == f"ran within 90\n\n{NOTE}"
    assert text_of(run_shell.invoke(tool_call(WRITTEN))) == "ran within 90000"


@pytest.mark.parametrize(
    "module", ["langchain_core.tools.base", "langgraph.graph", "langgraph.prebuilt", "langchain.agents"]
)
def test_whatever_is_imported_first(module):
    """Installed before, it is in place after any import."""
    script = f"import timeoutkit; patch = timeoutkit.install('langchain'); import {module}; assert patch.applied"
    done = subprocess.run(
        [sys.executable, "-Werror::UserWarning", "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
