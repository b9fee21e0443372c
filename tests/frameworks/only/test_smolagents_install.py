"""What `install` does in smolagents beside what it does in every framework."""

import json

import pytest
from install.drivers.smolagents import agent, code_agent, read_by
from install.here import RECEIVED, install, tool_of
from PIL import Image
from smolagents import Tool
from smolagents import tool as make_tool
from smolagents.agents import ToolOutput

from timeoutkit import TimeoutPolicy, TimeoutValueError

CALL = ("run_shell", {"command": "ls", "timeout": 90000})


@pytest.fixture(autouse=True)
def installed():
    RECEIVED.clear()
    with install() as patch:
        yield patch


class Shell(Tool):
    """A tool that is a class, whose inputs stand in another order than those of its method."""

    name = "run_shell"
    description = "Run a shell command."
    inputs = {
        "timeout": {"type": "integer", "description": "how long to wait", "nullable": True},
        "command": {"type": "string", "description": "the command line"},
    }
    output_type = "string"

    def forward(self, command, timeout=30):
        RECEIVED.append((command, timeout))
        return "ran"


class Kept:
    """A method that becomes a tool."""

    def run_shell(self, command: str, timeout: int | None = None) -> str:
        """Run a shell command.

        Args:
            command: the command line
            timeout: how long to wait
        """
        RECEIVED.append((command, timeout))
        return "ran"


def test_malformed_arguments_are_one_text():
    """A text that is no JSON is passed on as ever, nothing is said of it, and what it leaves out is not unlimited."""
    one = agent([make_tool(Kept().run_shell)], [("run_shell", '{"timeout": 90000')])
    one.run("go")
    assert read_by(one) == "ran"
    assert RECEIVED == [('{"timeout": 90000', 120)]


def nothing() -> str:
    """Do something."""
    RECEIVED.append(None)
    return "ran"


def any_kind(timeout: list[int] | str | None = None) -> str:
    """Do something.

    Args:
        timeout: of any kind
    """
    RECEIVED.append(timeout)
    return "ran"


@pytest.mark.parametrize(
    ("function", "arguments"), [(nothing, {}), (any_kind, {"timeout": "90000"}), (any_kind, {"timeout": [0]})]
)
def test_a_tool_without_a_limit_passes(function, arguments):
    """A tool that has no parameters, or one of unrelated types, gets what the model wrote, and no contract."""
    one = agent([make_tool(function)], [(function.__name__, arguments)])
    one.run("go")
    assert read_by(one) == "ran"
    assert RECEIVED == [arguments.get("timeout")]
    assert "not milliseconds" not in json.dumps(one.model.given[0][1])


@pytest.mark.parametrize("made", [Shell, lambda: make_tool(Kept().run_shell)], ids=["class", "method"])
@pytest.mark.parametrize("code", ["run_shell('ls', 90000)", "run_shell('ls', timeout=90000)"])
def test_code_passes_by_position(made, code):
    """The inputs are those of the method that is called, however they are passed."""
    one = code_agent([made()], code)
    one.run("go")
    assert RECEIVED == [("ls", 90)]
    assert read_by(one).count('"timeout": 90 was used') == 1


@pytest.mark.parametrize("code", ["run_shell('ls')", "run_shell(command='ls')", "run_shell({'command': 'ls'})"])
def test_the_default_of_the_function_is_kept(code):
    """A default that smolagents leaves out of the schema is used, and told."""
    one = code_agent([Shell()], code)
    one.run("go")
    assert RECEIVED == [("ls", 30)]
    assert "default 30; not milliseconds." in one.system_prompt


def test_code_computes_with_what_the_tool_returned():
    """The note of a call is one line in the logs, however often it is due; the value is the tool's."""
    code = "results = [run_shell('ls', 90000) for _ in range(3)]\nprint('printed')\nfinal_answer(results)"
    one = code_agent([make_tool(tool_of("sync"))], code)
    assert one.run("go") == ["ran", "ran", "ran"]
    logs = one.memory.steps[-1].observations
    assert logs.startswith("Execution logs:\nprinted\n[timeoutkit] ")
    assert logs.count("[timeoutkit]") == 1


def test_code_that_fails():
    """The note stands in the error that the model reads, and in the logs where the code went on."""
    tool = make_tool(tool_of("sync", TimeoutError("too late")))
    one = code_agent([tool], "run_shell('ls', 30)")
    one.run("go")
    assert '"timeout": 30 was used, and it ran out' in read_by(one).partition("Code execution failed")[2]
    one = code_agent([tool], "try:\n    run_shell('ls', 30)\nexcept Exception as error:\n    print(error)")
    one.run("go")
    assert "too late\n[timeoutkit] " in read_by(one)


def test_a_program_that_calls_a_tool():
    """It gets the tool's own value, and reads the note of an error."""
    assert make_tool(tool_of("sync"))("ls", 90000) == "ran"
    assert RECEIVED == [90]
    with pytest.raises(TimeoutError) as raised:
        make_tool(tool_of("sync", TimeoutError("too late")))("ls", timeout=30)
    assert str(raised.value) == "too late"
    assert '"timeout": 30 was used, and it ran out' in raised.value.__notes__[0]


@pytest.mark.parametrize("result", ["ran", 7, {"output": "ran"}])
def test_the_output_stays_what_the_tool_returned(result):
    """Only the observation has the note."""
    one = agent([make_tool(tool_of("sync", result))], [CALL])
    first = next(step for step in list(one.run("go", stream=True)) if isinstance(step, ToolOutput))
    assert first.output == result
    assert first.observation.startswith(f"{result}\n\n[timeoutkit] ")


def test_an_image():
    """An image is stored as ever, and its note is read."""

    def draw(timeout: int | None = None) -> Image.Image:
        """Draw.

        Args:
            timeout: how long to wait
        """
        return Image.new("RGB", (1, 1))

    one = agent([make_tool(draw)], [("draw", {"timeout": -1})])
    one.run("go")
    assert read_by(one).startswith("Stored 'image.png' in memory.\n\n[timeoutkit] ")


def test_a_variable_of_the_agent():
    """A limit that is given as the name of a variable is the variable's value."""
    one = agent([make_tool(Kept().run_shell)], [("run_shell", {"command": "what", "timeout": "limit"})])
    one.run("go", additional_args={"limit": 90000, "what": "limit"})
    assert RECEIVED == [("limit", 90)]


def test_what_a_strict_policy_refuses(installed):
    """An agent reads the error and goes on; code raises it."""
    installed.undo()
    with install(tools={"run_shell": TimeoutPolicy(mode="strict")}):
        one = agent([make_tool(tool_of("sync"))], [CALL])
        assert one.run("go") == "done"
        with pytest.raises(TimeoutValueError):
            make_tool(tool_of("sync"))("ls", 90000)
    assert "seconds" in read_by(one)
    assert RECEIVED == []


@pytest.mark.parametrize("made", [lambda tool: agent([tool]), lambda tool: code_agent([tool], "1")])
def test_an_agent_that_was_there_before(installed, made):
    """Its prompt tells the contract as long as it is installed, and its tool is not changed."""
    installed.undo()
    tool = make_tool(tool_of("sync"))
    one, before = made(tool), json.dumps(tool.inputs)
    prompt = one.system_prompt
    with install():
        assert "default 120; not milliseconds." in one.system_prompt
    assert one.system_prompt == prompt
    assert json.dumps(tool.inputs) == before


def alone(command: str, timeout: int = 30) -> str:
    """Run a command.

    Args:
        command: the command line
        timeout: how long to wait
    """
    return command


def test_a_tool_that_is_exported(installed):
    """Its code is the same as without."""
    tool = make_tool(alone)
    code = tool.to_dict()["code"]
    installed.undo()
    assert tool.to_dict()["code"] == code


def test_many_calls_at_once():
    """Each has its own note."""
    calls = [("run_shell", {"command": "ls", "timeout": 1000 * at}) for at in range(101, 121)]
    one = agent([make_tool(tool_of("sync"))], calls)
    one.run("go")
    assert sorted(RECEIVED) == list(range(101, 121))
    notes = [line for line in read_by(one).splitlines() if line.startswith("[timeoutkit]")]
    assert [f'"timeout": {at} was used' in note for at, note in zip(range(101, 121), notes, strict=True)] == [True] * 20
