"""What `install` does in CrewAI alone: its cache, its hooks, its text protocol, and direct runs."""

import asyncio
import functools
import json

import pytest
from crewai.hooks import clear_all_tool_call_hooks, register_before_tool_call_hook, unregister_before_tool_call_hook
from crewai.tools import BaseTool
from crewai.tools import tool as make_tool
from crewai.tools.structured_tool import CrewStructuredTool
from install.drivers.crewai import Script, agent_of, crew_of, observed
from install.here import RECEIVED, install, tool_of
from pydantic import BaseModel

from timeoutkit import TimeoutPolicy, sane_timeout

NOTE = '[timeoutkit] "timeout": 90 was used. timeout is in seconds (up to 600), not milliseconds.'
CONTRACT = "Timeout in seconds, e.g. 30; at most 600; default 120; not milliseconds."
WRITTEN = {"command": "ls", "timeout": 90000}


@pytest.fixture(autouse=True)
def installed():
    RECEIVED.clear()
    with install() as patch:
        yield patch


def script_of(*turns, native=True):
    """Make a model that makes these calls of `run_shell`, turn after turn."""
    return Script(model="script", native=native, turns=[[("run_shell", call) for call in turn] for turn in turns])


def texts_of(tool, *turns, **options):
    """Let an agent call a tool natively, and give what it reads."""
    llm = script_of(*turns)
    crew_of(agent_of(llm, tool, **options)).kickoff()
    return llm.texts()


def shell(result="ran", kind="sync"):
    return make_tool("run_shell")(tool_of(kind, result))


def test_arguments_that_are_no_json():
    """The model reads the framework's own error, and the tool is not run."""
    (text,) = texts_of(shell(), ['{"timeout": 90000'])
    assert text.startswith("Error: Failed to parse tool arguments as JSON")
    assert "[timeoutkit]" not in text
    assert RECEIVED == []


@pytest.mark.parametrize("native", [True, False])
def test_the_cache_holds_no_note(native):
    """What is read again from the cache has the note of its own call, or none; the tool runs once."""
    llm = script_of([WRITTEN], [{"command": "pwd"}], [{"command": "ls", "timeout": 90}], native=native)
    crew_of(agent_of(llm, shell(), cache=True)).kickoff()
    if native:
        assert [NOTE in text for text in llm.texts()] == [True, False, False]
    else:
        assert str(llm.messages).count("[timeoutkit]") == 1
    assert RECEIVED == [90, 120]


def test_a_wrong_value_again_is_noted_again():
    """A call that is answered from the cache was corrected all the same."""
    texts = texts_of(shell(), [WRITTEN], [WRITTEN], cache=True)
    assert [NOTE in text for text in texts] == [True, True]
    assert RECEIVED == [90]


def test_the_note_below_what_is_read_by_text():
    """In the text protocol the model reads the result as it is, and the note below it."""
    llm = script_of([WRITTEN], native=False)
    crew_of(agent_of(llm, shell())).kickoff()
    assert observed(llm).strip().startswith(f"ran\n\n{NOTE}")


@pytest.mark.parametrize("native", [True, False])
def test_a_limit_is_told(native):
    """A call that ran into its limit says the limit, though only the words of its error are read."""
    llm = script_of([{"command": "ls", "timeout": 30}], native=native)
    crew_of(agent_of(llm, shell(TimeoutError("late")))).kickoff()
    assert str(llm.messages).count("was used, and it ran out") == 1
    assert set(RECEIVED) == {30}


def test_a_limit_that_was_not_met_again():
    """Where the framework tries once more and succeeds, no limit is told."""

    @make_tool("run_shell")
    def flaky(command: str, timeout: int | None = None) -> str:
        """Run a shell command."""
        RECEIVED.append(timeout)
        if len(RECEIVED) == 1:
            raise TimeoutError("late")
        return "ran"

    llm = script_of([{"command": "ls", "timeout": 30}], native=False)
    crew_of(agent_of(llm, flaky)).kickoff()
    assert observed(llm).strip().startswith("ran")
    assert "[timeoutkit]" not in str(llm.messages)


def test_the_text_protocol_states_the_contract(installed):
    """The description within the prompt has the contract in its schema, and only while installed."""
    for tool in (shell(), shell().to_structured_tool()):
        with install():
            assert tool.formatted_description.count(CONTRACT) == 1
        assert CONTRACT not in tool.formatted_description
        installed = install()
    installed.undo()


def test_another_hook_that_blocks():
    """A call that another hook blocks is not corrected, and has no note."""

    def block(_context):
        return False

    register_before_tool_call_hook(block)
    try:
        (text,) = texts_of(shell(), [WRITTEN])
    finally:
        unregister_before_tool_call_hook(block)
    assert text == "Tool execution blocked by hook. Tool: run_shell"
    assert shell().run(**WRITTEN) == f"ran\n\n{NOTE}"


def test_another_hook_that_changes_the_arguments():
    """What another hook makes of the arguments is corrected too."""

    def longer(context):
        context.tool_input["timeout"] = 120000

    register_before_tool_call_hook(longer)
    try:
        (text,) = texts_of(shell(), [{"command": "ls", "timeout": 30}])
    finally:
        unregister_before_tool_call_hook(longer)
    assert '"timeout": 120 was used' in text


def test_hooks_that_are_cleared():
    """Whoever clears all hooks does not clear this."""
    clear_all_tool_call_hooks()
    (text,) = texts_of(shell(), [WRITTEN])
    assert text == f"ran\n\n{NOTE}"


def test_what_a_strict_policy_refuses(installed):
    """The model reads the refusal, the tool is not run, and it is reported once."""
    installed.undo()
    reported = []
    with install(tools={"run_shell": TimeoutPolicy(max=60, mode="strict")}, on_correction=reported.append):
        (text,) = texts_of(shell(), [WRITTEN])
    assert text.startswith("Error executing tool")
    assert "60" in text
    assert (RECEIVED, len(reported)) == ([], 1)


def test_what_is_only_observed_is_reported_once(installed):
    """A call passes two places, and is reported from one."""
    installed.undo()
    reported = []
    with install(tools={"run_shell": TimeoutPolicy(max=60, mode="observe")}, on_correction=reported.append):
        assert texts_of(shell(), [WRITTEN]) == ["ran"]
    assert (RECEIVED, len(reported)) == ([90000], 1)


class Arguments(BaseModel):
    command: str
    timeout: int | None = None


class Shell(BaseTool):
    name: str = "run_shell"
    description: str = "Run a shell command."
    args_schema: type[BaseModel] = Arguments

    def _run(self, command: str, timeout: int | None = None) -> str:
        RECEIVED.append(timeout)
        return "ran"

    async def _arun(self, command: str, timeout: int | None = None) -> str:
        return self._run(command, timeout)


class Decorated(Shell):
    @sane_timeout(max=3600)
    def _run(self, command: str, timeout: int | None = None) -> str:
        RECEIVED.append(timeout)
        return "ran"


class Host:
    def run_shell(self, command: str, timeout: int | None = None) -> str:
        """Run a shell command."""
        RECEIVED.append(timeout)
        return "ran"


def partial():
    """Make a partial, which has no name of its own."""
    bound = functools.partial(Host.run_shell, Host())
    bound.__name__, bound.__doc__, bound.__annotations__ = "run_shell", "Run.", Arguments.__annotations__
    return bound


MADE = {
    "a class": Shell,
    "a method": lambda: make_tool("run_shell")(Host().run_shell),
    "a partial": lambda: make_tool("run_shell")(partial()),
    "a structured tool": lambda: CrewStructuredTool.from_function(tool_of("sync")),
}


@pytest.mark.parametrize("made", list(MADE)[:3])
def test_a_tool_made_in_another_way(made):
    """However a tool is made, an agent's call of it is corrected once."""
    assert texts_of(MADE[made](), [WRITTEN]) == [f"ran\n\n{NOTE}"]
    assert RECEIVED == [90]


def test_a_method_that_is_decorated_in_its_class():
    """A tool whose `_run` is decorated keeps its own policy, and has one note."""
    (text,) = texts_of(Decorated(), [{"command": "ls", "timeout": 3600}])
    assert (text, RECEIVED) == ("ran", [3600])
    (text,) = texts_of(Decorated(), [{"command": "ls", "timeout": 90000000}])
    assert text.count("[timeoutkit]") == 1


def test_direct_runs():
    """Sync or not, a direct run is corrected, and a text has the note."""
    assert Shell().run(**WRITTEN) == f"ran\n\n{NOTE}"
    assert asyncio.run(Shell().arun(**WRITTEN)) == f"ran\n\n{NOTE}"
    assert MADE["a structured tool"]().invoke(dict(WRITTEN)) == f"ran\n\n{NOTE}"
    assert RECEIVED == [90, 90, 90]


def test_a_direct_run_by_position():
    """Arguments by position are a program's own, which the framework does not validate either."""
    assert Shell().run("ls", 90000) == "ran"
    assert RECEIVED == [90000]


def test_a_direct_run_that_raises():
    """The exception keeps its message and gains the note as its own."""
    with pytest.raises(ValueError, match="broken") as raised:
        shell(ValueError("broken")).run(**WRITTEN)
    assert (str(raised.value), raised.value.__notes__) == ("broken", [NOTE])


def test_a_tool_that_runs_another():
    """A call inside of a call has its own note, and leaves the outer one's alone."""
    inner = make_tool("inner")(tool_of("sync"))
    read = []

    @make_tool("run_shell")
    def outer(command: str, timeout: int | None = None) -> str:
        """Run a shell command."""
        read.append(inner.run(command=command, timeout=60000))
        return "outer"

    assert texts_of(outer, [WRITTEN]) == [f"outer\n\n{NOTE}"]
    assert [text.count('"timeout": 60 was used') for text in read] == [1]


def nothing() -> str:
    """Run."""
    return "ran"


class Wait(BaseModel):
    seconds: int


def union(timeout: int | list[int]) -> str:
    """Run."""
    return f"ran {timeout}"


def model(timeout: Wait) -> str:
    """Run."""
    return f"ran {timeout}"


def flag(timeout: bool) -> str:
    """Run."""
    return f"ran {timeout}"


ODD = [
    (nothing, {}, "ran"),
    (union, {"timeout": [90000]}, "ran [90000]"),
    (model, {"timeout": {"seconds": 90000}}, "ran {'seconds': 90000}"),
    (flag, {"timeout": True}, "ran True"),
]


@pytest.mark.parametrize(("function", "arguments", "read"), ODD)
def test_a_tool_without_such_a_timeout(installed, function, arguments, read):
    """What is not a limit in time passes untouched, and its schema too."""

    def loop():
        llm = script_of([arguments])
        crew_of(agent_of(llm, make_tool("run_shell")(function))).kickoff()
        return llm.tools, llm.texts()

    tools, texts = loop()
    installed.undo()
    assert texts == [read]
    assert (tools, texts) == loop()


def test_an_agent_made_before(installed):
    """It is corrected while installed, and after that it is as it was."""
    installed.undo()
    llm = script_of()
    crew = crew_of(agent_of(llm, shell()), cache=False)
    for inside in (False, True, False):
        llm.turns, llm.tools = [[("run_shell", WRITTEN)]], []
        patch = install()
        if not inside:
            patch.undo()
        crew.kickoff()
        patch.undo()
        assert (NOTE in llm.texts()[-1]) == inside
        assert (CONTRACT in json.dumps(llm.tools)) == inside
    assert RECEIVED == [90000, 90, 90000]


def test_many_calls_at_once():
    """Of twenty calls of one turn each reads the note that is its own."""
    calls = [{"command": str(at), "timeout": 90000 if at % 2 else 30} for at in range(20)]
    assert [NOTE in text for text in texts_of(shell(), calls)] == [call["timeout"] == 90000 for call in calls]
