"""What is special to Strands: its kinds of tool, its two shells, and where a call that is refused ends."""

import functools
import importlib
import json
import types

import pytest
from install.drivers.strands import agent, read_by
from install.here import RECEIVED, install
from pydantic import BaseModel
from strands import tool
from strands.tools.executors import SequentialToolExecutor
from strands.vended_tools import shell as vended_shell

from timeoutkit import TimeoutPolicy, retrofit, sane_timeout

NOTE = '[timeoutkit] "timeout": 90 was used.'
CONTRACT = "Timeout in seconds, e.g. 30; at most 600; default 120; not milliseconds."


@pytest.fixture
def installed():
    with install() as patch:
        yield patch


@pytest.fixture
def shell_module(monkeypatch):
    """Give the module of the shell of strands-agents-tools, which then asks nobody."""
    monkeypatch.setenv("BYPASS_TOOL_CONSENT", "true")
    monkeypatch.setenv("STRANDS_NON_INTERACTIVE", "true")
    return importlib.import_module("strands_tools.shell")


@pytest.fixture(autouse=True)
def _received():
    RECEIVED.clear()


def run_shell(command: str, timeout: int | None = None) -> str:
    """Run a shell command."""
    RECEIVED.append(timeout)
    return "ran"


def read(one):
    """Run an agent, and give what its model read of its one call."""
    one("go")
    (text,) = read_by(one)
    return text


class Shell:
    @tool
    def run_shell(self, command: str, timeout: int | None = None) -> str:
        """Run a shell command."""
        return run_shell(command, timeout)

    @classmethod
    def of_the_class(cls, command: str, timeout: int | None = None) -> str:
        """Run a shell command."""
        return run_shell(command, timeout)


@tool(name="run_shell", context=True)
def with_context(command: str, tool_context, timeout: int | None = None) -> str:
    """Run a shell command."""
    RECEIVED.append(tool_context.tool_use["input"]["timeout"])
    return "ran"


@tool(name="run_shell")
async def streaming(command: str, timeout: int | None = None):
    """Run a shell command."""
    yield "running"
    yield run_shell(command, timeout)


@tool(name="run_shell")
def untyped(command, timeout=None):
    """Run a shell command."""
    return run_shell(command, timeout)


def module_tool(schema):
    """Make a tool that is a module, with a schema written by hand."""
    module = types.ModuleType("run_shell")
    module.__file__ = "run_shell.py"
    module.TOOL_SPEC = {"name": "run_shell", "description": "Run a shell command.", "inputSchema": schema}

    def called(tool_use, **_state):
        run_shell(**tool_use["input"])
        return {"toolUseId": tool_use["toolUseId"], "status": "success", "content": [{"json": {"output": "ran"}}]}

    module.run_shell = called
    return module


PROPERTIES = {"command": {"type": "string"}, "timeout": {"type": "integer"}}
TOOLS = {
    "a method": Shell().run_shell,
    "a class method": tool(Shell.of_the_class, name="run_shell"),
    "a partial": tool(functools.update_wrapper(functools.partial(run_shell), run_shell)),
    "with context": with_context,
    "streaming": streaming,
    "untyped": untyped,
    "a module": module_tool({"json": {"type": "object", "properties": PROPERTIES}}),
    "a module with a bare schema": module_tool({"type": "object", "properties": PROPERTIES}),
}


@pytest.mark.parametrize("one", TOOLS.values(), ids=TOOLS)
def test_every_kind_of_tool(installed, one):
    """However a tool is made, it is corrected, noted, and its schema has the contract."""
    caller = agent([one], ("run_shell", {"command": "ls", "timeout": 90000}))
    assert NOTE in read(caller)
    assert RECEIVED == [90]
    assert CONTRACT in caller.model.specs[0]["inputSchema"]["json"]["properties"]["timeout"]["description"]


ODD = {
    "no schema": {},
    "no properties": {"type": "object"},
    "a reference": {"properties": {"timeout": {"$ref": "#/$defs/Limit"}}, "$defs": {"Limit": {"type": "integer"}}},
    "unrelated types": {"properties": {"timeout": {"anyOf": [{"type": "integer"}, {"type": "array"}]}}},
}


@pytest.mark.parametrize("schema", ODD.values(), ids=ODD)
def test_a_schema_that_says_too_little(schema):
    """It is told as without, and the value passes untouched."""
    calls = ("run_shell", {"command": "ls", "timeout": 90000})
    before = agent([module_tool({"json": schema})], calls)
    plain = read(before)
    with install():
        caller = agent([module_tool({"json": schema})], calls)
        assert read(caller) == plain
    assert caller.model.specs == before.model.specs
    assert RECEIVED == [90000, 90000]


def test_a_decorated_function_with_a_schema_by_hand(installed):
    """The function speaks for itself, where its schema does not."""
    schema = {"json": {"type": "object", "properties": PROPERTIES}}
    one = tool(inputSchema=schema)(sane_timeout(max=3600)(run_shell))
    caller = agent([one], ("run_shell", {"command": "ls", "timeout": 3600}))
    assert read(caller) == "ran"
    assert RECEIVED == [3600]
    assert "milliseconds" not in str(caller.model.specs[0]["inputSchema"])


def test_malformed_arguments(installed):
    """What is no JSON is an empty call to Strands, and its own error says what is missing."""
    text = read(agent([tool(run_shell)], ("run_shell", '{"command": ls, "timeout": 90000')))
    assert "Validation failed for input parameters" in text
    assert "[timeoutkit]" not in text


def test_an_unknown_tool(installed, caplog):
    """A tool that nobody has is the framework's own error, and nothing is said of it."""
    assert read(agent([tool(run_shell)], ("run_bash", {"timeout": 90000}))) == "Unknown tool: run_bash"
    assert "timeoutkit" not in {record.name for record in caplog.records}


def test_a_structured_output_is_an_answer():
    """What the model fills in is no call: it is told and taken as it is."""

    class Job(BaseModel):
        command: str
        timeout: int

    def answered():
        caller = agent([tool(run_shell)], ("Job", {"command": "ls", "timeout": 90000}))
        return caller("go", structured_output_model=Job).structured_output, caller.model.specs[1]

    plain = answered()
    with install():
        assert answered() == plain
    assert plain[0].timeout == 90000


@pytest.mark.parametrize("options", [{}, {"background_tasks": {"always": ["run_shell"]}}], ids=["at once", "later"])
def test_a_refused_call(options):
    """A strict policy's refusal is the failed result of that call, and the agent goes on."""
    with install(tools={"run_shell": TimeoutPolicy(mode="strict")}):
        caller = agent([tool(run_shell)], ("run_shell", {"command": "ls", "timeout": 90000}), **options)
        caller("go")
    assert "timeout is in seconds" in read_by(caller)[-1]
    assert RECEIVED == []


def test_a_call_that_is_not_made(installed):
    """What Strands rejects before the tool is called has its own error alone."""
    arguments = {"command": "ls", "timeout": 90000, "_background_execution": "maybe"}
    assert read(agent([tool(run_shell)], ("run_shell", arguments), background_tasks=True)) == (
        "'_background_execution' must be a boolean"
    )
    assert RECEIVED == []


def test_many_calls_at_once(installed):
    """Of calls that run in parallel each has its own correction and its own note."""
    calls = [("run_shell", {"command": "ls", "timeout": 1000 * seconds}) for seconds in range(91, 111)]
    caller = agent([tool(run_shell)], *calls)
    caller("go")
    assert sorted(RECEIVED) == list(range(91, 111))
    texts = "".join(read_by(caller))
    assert [texts.count(f'"timeout": {seconds} was used.') for seconds in range(91, 111)] == [1] * 20


def test_an_agent_that_was_there_before():
    """Installing and undoing reach it between two calls, and leave its tool as it was."""
    made = tool(run_shell)
    spec = json.dumps(made.tool_spec)
    one = agent([made])
    with install():
        noted = one.tool.run_shell(command="ls", timeout=90000)
    plain = one.tool.run_shell(command="ls", timeout=90000)
    assert (RECEIVED, len(noted["content"]), plain["content"]) == ([90, 90000], 2, [{"text": "ran"}])
    assert json.dumps(made.tool_spec) == spec


def test_undone_in_the_middle_of_a_call():
    """The call ends as it began, and the next one is as it was written."""
    patch = install()

    @tool(name="run_shell")
    def undoing(command: str, timeout: int | None = None) -> str:
        """Run a shell command."""
        patch.undo()
        return run_shell(command, timeout)

    one = agent([undoing])
    texts = [one.tool.run_shell(command="ls", timeout=90000)["content"][-1]["text"] for _ in range(2)]
    assert RECEIVED == [90, 90000]
    assert [NOTE in text for text in texts] == [True, False]


# -- the shells that people use --------------------------------------------------------------------


def test_the_shell_of_the_sdk(installed):
    """`strands.vended_tools.shell` runs within the corrected limit, and what ran out of it says the limit."""
    late, ran = {"command": "sleep 60", "timeout": 1}, {"command": "echo $((6*7))", "timeout": 90000}
    # in this order: the SDK leaves it to its event loop to reap what it killed
    one = agent([vended_shell], ("shell", late), ("shell", ran), tool_executor=SequentialToolExecutor())
    one("go")
    of_late, of_ran = read_by(one)
    assert of_late.endswith('[timeoutkit] "timeout": 1 was used, and it ran out. timeout is in seconds (up to 600).')
    assert json.loads(of_ran.partition("\n\n")[0])["output"] == "42\n"
    assert NOTE in of_ran


def test_the_shell_of_the_tools(installed, shell_module):
    """`strands_tools.shell`, given as the module that it is, runs within the corrected limit."""
    ran = read(agent([shell_module], ("shell", {"command": "echo $((6*7))", "timeout": 90000})))
    assert "Output: 42" in ran
    assert NOTE in ran


@pytest.mark.filterwarnings("ignore:shell is deprecated")  # said to whoever calls it, which is timeoutkit here
def test_retrofit_of_the_shell_of_the_tools(shell_module, monkeypatch):
    """The function inside of the tool object is the target: the object itself is not what an agent calls."""
    within = []
    execute = shell_module.CommandExecutor.execute_with_pty
    monkeypatch.setattr(
        shell_module.CommandExecutor,
        "execute_with_pty",
        lambda self, *args, **kwargs: (within.append(self.timeout), execute(self, *args, **kwargs))[1],
    )
    arguments = {"command": "echo $((6*7))", "timeout": 90000}
    one = agent([shell_module], ("shell", arguments))
    with retrofit("strands_tools.shell:shell._tool_func"):
        text = read(one)
        called = shell_module.shell(**arguments)
    assert "Output: 42" in text
    assert NOTE in text
    assert called["content"][-1]["text"].startswith(NOTE)
    one.tool.shell(**arguments)
    assert within == [90, 90, 90000]
