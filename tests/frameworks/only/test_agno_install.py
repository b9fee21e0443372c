"""What is special to Agno: its kinds of tool, what else gets a tool's result, and its own shell."""

import asyncio
import functools
import importlib
import logging

import pytest
from agno.exceptions import RetryAgentRun
from agno.models.base import Model
from agno.tools import Toolkit, tool
from agno.tools.coding import CodingTools
from agno.tools.function import Function, FunctionCall, ToolResult
from install.drivers.agno import Scripted, agent
from install.here import RECEIVED, install

from timeoutkit import TimeoutPolicy, retrofit, sane_timeout

NOTE = '[timeoutkit] "timeout": 90 was used.'
LIMIT = '[timeoutkit] "timeout": 30 was used, and it ran out. timeout is in seconds (up to 600).'
CONTRACT = "Timeout in seconds, e.g. 30; at most 600; default 120; not milliseconds."
CALL = ("run_shell", {"command": "ls", "timeout": 90000})


@pytest.fixture
def installed():
    with install() as patch:
        yield patch


@pytest.fixture(autouse=True)
def _received():
    RECEIVED.clear()


def read(one):
    """Run an agent, and give what its model read of its one call."""
    one.run("go")
    (text,) = one.model.texts
    return text


def run_shell(command: str, timeout: int | None = None) -> str:
    """Run a shell command."""
    RECEIVED.append(timeout)
    return "ran"


class Shell(Toolkit):
    def __init__(self):
        super().__init__(name="shell", tools=[self.run_shell])

    def run_shell(self, command: str, timeout: int | None = None) -> str:
        """Run a shell command."""
        return run_shell(command, timeout)

    @classmethod
    def of_the_class(cls, command: str, timeout: int | None = None) -> str:
        """Run a shell command."""
        return run_shell(command, timeout)


@tool(name="run_shell")
def hooked(command: str, fc: FunctionCall, timeout: int | None = None) -> str:
    """Run a shell command."""
    return run_shell(command, fc.arguments["timeout"])


@tool(name="run_shell")
def generator(command: str, timeout: int | None = None):
    """Run a shell command."""
    yield "it "
    yield run_shell(command, timeout)


@tool(name="run_shell")
def with_media(command: str, timeout: int | None = None) -> ToolResult:
    """Run a shell command."""
    return ToolResult(content=run_shell(command, timeout))


@tool(name="run_shell")
def untyped(command, timeout=None):
    """Run a shell command."""
    return run_shell(command, timeout)


PROPERTIES = {"command": {"type": "string"}, "timeout": {"type": "number"}}


def with_schema(parameters, function=run_shell):
    """Make a tool with a schema written by hand."""
    return Function(
        name="run_shell",
        description="Run a shell command.",
        parameters=parameters,
        entrypoint=function,
        skip_entrypoint_processing=True,
    )


TOOLS = {
    "a function": run_shell,
    "a toolkit": Shell(),
    "a class method": Function.from_callable(Shell.of_the_class, name="run_shell"),
    "a partial": functools.update_wrapper(functools.partial(run_shell), run_shell),
    "a decorated tool": tool(run_shell),
    "with its call": hooked,
    "a generator": generator,
    "a result with media": with_media,
    "untyped": untyped,
    "a schema by hand": with_schema({"properties": PROPERTIES}),
}


@pytest.mark.parametrize("stream", [False, True], ids=["run", "stream"])
@pytest.mark.parametrize("one", TOOLS.values(), ids=TOOLS)
def test_every_kind_of_tool(installed, one, stream):
    """However a tool is made, a blocking run corrects it, notes it, and its schema has the contract."""
    caller = agent([one], CALL)
    events = caller.run("go", stream=stream)
    assert list(events) if stream else events
    (text,) = caller.model.texts
    assert text.removeprefix("it ").startswith(f"ran\n\n{NOTE}")
    assert RECEIVED == [90]
    assert CONTRACT in caller.model.tools[0]["function"]["parameters"]["properties"]["timeout"]["description"]


ODD = {
    "no schema": {},
    "no properties": {"type": "object"},
    "a reference": {"properties": {"timeout": {"$ref": "#/$defs/Limit"}}, "$defs": {"Limit": {"type": "integer"}}},
    "unrelated types": {"properties": {"timeout": {"anyOf": [{"type": "integer"}, {"type": "array"}]}}},
}


@pytest.mark.parametrize("schema", ODD.values(), ids=ODD)
def test_a_schema_that_says_too_little(schema):
    """It is told as without, and the value passes untouched."""
    before = agent([with_schema(schema)], CALL)
    plain = read(before)
    with install():
        caller = agent([with_schema(schema)], CALL)
        assert read(caller) == plain
    assert caller.model.tools == before.model.tools
    assert RECEIVED == [90000, 90000]


def test_a_decorated_function_with_a_schema_by_hand(installed):
    """The function speaks for itself, where its schema does not."""
    one = with_schema({"properties": PROPERTIES}, sane_timeout(max=3600)(run_shell))
    caller = agent([one], ("run_shell", {"command": "ls", "timeout": 3600}))
    assert read(caller) == "ran"
    assert RECEIVED == [3600]
    assert caller.model.tools[0]["function"]["parameters"] == {"properties": PROPERTIES}


def test_a_tool_of_the_provider(installed):
    """A definition that is no function of this process is handed on as it is."""
    caller = agent([{"type": "web_search", "timeout": 90000}, run_shell], CALL)
    assert NOTE in read(caller)
    assert {"type": "web_search", "timeout": 90000} in caller.model.tools


@pytest.mark.parametrize("written", ['{"command": ls, "timeout": 90000', '["ls", 90000]'])
def test_malformed_arguments(written):
    """What is no JSON object is the framework's own error, word for word, and the tool is not called."""
    plain = read(agent([run_shell], ("run_shell", written)))
    with install():
        assert read(agent([run_shell], ("run_shell", written))) == plain
    assert RECEIVED == []


@pytest.mark.parametrize("written", ["", "[]", "{}"])
def test_no_arguments_at_all(installed, written):
    """A call without arguments, however it is written, has the default put in."""

    @tool(name="run_shell")
    def ready(command: str = "ls", timeout: int | None = None) -> str:
        """Run a shell command."""
        return run_shell(command, timeout)

    assert read(agent([ready], ("run_shell", written))) == "ran"
    assert RECEIVED == [120]


def test_arguments_that_do_not_fit(installed):
    """A call that the framework refuses has its own error, and the note of what was corrected."""
    text = read(agent([run_shell], ("run_shell", {"timeout": 90000})))
    assert "Missing required argument" in text
    assert text.count(NOTE) == 1


def test_a_tool_that_asks_for_another_try(installed):
    """An exception that steers the run does so, and the message of its call has the note."""

    @tool(name="run_shell")
    def steering(command: str, timeout: int | None = None) -> str:
        """Run a shell command."""
        raise RetryAgentRun("write the whole path")

    assert read(agent([steering], CALL)).startswith(f"write the whole path\n\n{NOTE}")


def test_a_hook_that_runs_into_a_limit(installed):
    """A limit that was not the tool's own is not told as that of the call."""

    def too_late():
        raise TimeoutError("the log is down")

    @tool(name="run_shell", pre_hook=too_late)
    def failing(command: str, timeout: int | None = None) -> str:
        """Run a shell command."""
        raise ValueError("broken")

    assert read(agent([failing], ("run_shell", {"command": "ls", "timeout": 30}))) == "broken"


def test_a_failure_is_logged_as_before(installed, caplog, monkeypatch):
    """What the framework says of a tool's exception still comes with its traceback."""
    monkeypatch.setattr(logging.getLogger("agno"), "propagate", True)

    def run_shell(command: str, timeout: int | None = None) -> str:
        """Run a shell command."""
        raise TimeoutError("too late")

    assert read(agent([run_shell], ("run_shell", {"command": "ls", "timeout": 30}))) == f"too late\n\n{LIMIT}"
    assert any(record.exc_info and record.exc_info[0] is TimeoutError for record in caplog.records)


def test_a_refused_call():
    """A strict policy's refusal is the failed result of that call, and the run goes on."""
    with install(tools={"run_shell": TimeoutPolicy(mode="strict")}):
        caller = agent([run_shell], CALL)
        answer = caller.run("go")
    assert "timeout is in seconds" in answer.content
    assert answer.tools[0].tool_call_error
    assert RECEIVED == []


@pytest.mark.parametrize("run", [lambda one: one.run("go"), lambda one: asyncio.run(one.arun("go"))])
def test_many_calls_at_once(installed, run):
    """Each of many calls of one turn, also in threads of their own, has its own correction and its own note."""
    seconds = range(91, 111)
    caller = agent([run_shell], *(("run_shell", {"command": "ls", "timeout": 1000 * one}) for one in seconds))
    run(caller)
    assert sorted(RECEIVED) == list(seconds)
    notes = [text.partition("[timeoutkit]")[2] for text in caller.model.texts]
    assert [note.split(".")[0] for note in notes] == [f' "timeout": {one} was used' for one in seconds]


def test_what_else_gets_the_result(installed, tmp_path):
    """The user, hooks and the cache get what the tool returned; only the model reads the note."""
    seen = []

    def watching(function_name, function_call, arguments):
        seen.append((arguments["timeout"], function_call(**arguments)))
        return seen[-1][1]

    @tool(name="run_shell", show_result=True, cache_results=True, cache_dir=str(tmp_path), tool_hooks=[watching])
    def shown(command: str, timeout: int | None = None) -> dict:
        """Run a shell command."""
        return {"output": run_shell(command, timeout)}

    for _ in range(2):
        caller = agent([shown], CALL)
        answer = caller.run("go")
        assert answer.content.startswith("{'output': 'ran'}{'output': 'ran'}\n\n[timeoutkit]")
    assert seen == [(90, {"output": "ran"})] * 2
    assert RECEIVED == [90]
    (cached,) = tmp_path.rglob("*.json")
    assert "timeoutkit" not in cached.read_text()


def test_a_call_without_a_message(installed):
    """What was to be told of it is not told of another call, where the memory is used again."""
    made = Function.from_callable(run_shell)
    FunctionCall(function=made, arguments=CALL[1]).execute()
    others = [FunctionCall(function=made, error="rejected") for _ in range(10)]
    messages = [Scripted().create_function_call_result(one, success=False) for one in others]
    assert RECEIVED == [90]
    assert {message.content for message in messages} == {"rejected"}


def test_what_is_stored_of_a_tool(installed):
    """A tool that is saved with its agent has the schema of its own."""
    made = Function.from_callable(run_shell)
    assert CONTRACT in str(Scripted()._format_tools([made]))
    assert CONTRACT not in str(made.to_dict())


def test_an_agent_that_was_there_before():
    """Installing and undoing reach it between two runs."""
    one = agent([run_shell], CALL)
    texts = []
    with install():
        texts.append(read(one))
    texts.append(read(one))
    assert RECEIVED == [90, 90000]
    assert [NOTE in text for text in texts] == [True, False]


def test_undone_in_the_middle_of_a_run():
    """A call that began corrected ends, the next one is as it was written, and nothing of ours is left."""
    before = {holder: dict(vars(holder)) for holder in (FunctionCall, Model)}
    patch = install()

    @tool(name="run_shell")
    def undoing(command: str, timeout: int | None = None) -> str:
        """Run a shell command."""
        patch.undo()
        return run_shell(command, timeout)

    agent([undoing], CALL, CALL).run("go")
    assert RECEIVED == [90, 90000]
    assert {holder: dict(vars(holder)) for holder in before} == before
    assert importlib.import_module("agno.tools.function").log_exception.__module__ == "agno.utils.log"


# -- the shell that people use ---------------------------------------------------------------------


def coding(tmp_path):
    return CodingTools(base_dir=tmp_path, enable_run_shell=True, restrict_to_base_dir=False)


ECHO = ("run_shell", {"command": "echo $((6*7))", "timeout": 90000})


def test_the_shell_of_the_coding_tools(installed, tmp_path):
    """`CodingTools.run_shell` runs within the corrected limit, and the model reads the note."""
    text = read(agent([coding(tmp_path)], ECHO))
    assert text.startswith("Exit code: 0\n42\n")
    assert NOTE in text


def test_retrofit_of_the_shell_of_the_coding_tools(tmp_path, monkeypatch):
    """The method is the target: every toolkit made from then on is corrected, and its schema has the contract."""
    within = []
    module = importlib.import_module("agno.tools.coding")
    run = module.subprocess.run
    monkeypatch.setattr(
        module.subprocess, "run", lambda *args, **named: (within.append(named["timeout"]), run(*args, **named))[1]
    )
    with retrofit("agno.tools.coding:CodingTools.run_shell"):
        one = agent([coding(tmp_path)], ECHO)
        text = read(one)
        called = coding(tmp_path).run_shell("echo $((6*7))", timeout=90000)
        as_text = read(agent([coding(tmp_path)], ("run_shell", {"command": "echo", "timeout": "30s"})))
    assert text.startswith("Exit code: 0\n42\n")
    assert called == text
    assert NOTE in text
    assert as_text.startswith("Exit code: 0")
    assert "not milliseconds" in str(one.model.tools)
    coding(tmp_path).run_shell("echo", timeout=90000)
    assert within == [90, 90, 30, 90000]
