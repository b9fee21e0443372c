"""What `install` does in Inspect alone: its kinds of results and tools, and what ends a sample."""

import asyncio

import pytest
from inspect_ai.model import ChatMessageAssistant, ContentText, execute_tools
from inspect_ai.tool import ToolCall, ToolDef, ToolError
from inspect_ai.tool._tool_params import ToolParams
from inspect_ai.util._json import JSONSchema
from install.drivers.inspect_ai import made_of, texts_of
from install.here import RECEIVED, converse, install, tool_of

from timeoutkit import TimeoutPolicy

NOTE = '[timeoutkit] "timeout": 90 was used.'


@pytest.fixture(autouse=True)
def installed():
    RECEIVED.clear()
    with install() as patch:
        yield patch


def execute(tool, *calls, **options):
    """Execute the calls of one message, and give the messages of the tools."""
    made = [
        ToolCall(id=str(at), function="run_shell", arguments=arguments, **options) for at, arguments in enumerate(calls)
    ]
    done = asyncio.run(execute_tools([ChatMessageAssistant(content="", tool_calls=made)], [tool]))
    return done.messages


def text_of(tool, arguments, **options):
    return texts_of(execute(tool, arguments, **options))[0]


def test_arguments_that_could_not_be_parsed():
    """The model reads the framework's own error, and the tool is not run."""
    assert text_of(made_of(tool_of("async")), {}, parse_error="no JSON") == "no JSON"
    assert RECEIVED == []


def test_other_arguments_that_are_refused():
    """The note stands below what the framework says of another argument."""
    text = text_of(made_of(tool_of("async")), {"command": 7, "timeout": 90000})
    assert text.startswith("Found 1 validation error")
    assert NOTE in text


def test_a_list_of_contents_gains_one_more():
    """A tool that returns contents keeps them, and the note is a content of its own."""

    async def run_shell(command: str, timeout: int | None = None) -> list[ContentText]:
        """Run.

        Args:
            command: the command line
            timeout: how long to wait
        """
        return [ContentText(text="one"), ContentText(text="two")]

    first, second, third = execute(made_of(run_shell), {"command": "ls", "timeout": 90000})[0].content
    assert (first.text, second.text) == ("one", "two")
    assert third.text.startswith(NOTE)


def test_a_tools_own_error():
    """The model reads what a tool says in a `ToolError`, and below it the note."""
    text = text_of(made_of(tool_of("async", ToolError("no such command"))), {"command": "ls", "timeout": 90000})
    assert text.startswith(f"no such command\n\n{NOTE}")


def test_what_a_strict_policy_refuses(installed):
    """The model reads the refusal, which does not end the sample, and the tool is not run."""
    installed.undo()
    with install(tools={"run_shell": TimeoutPolicy(max=60, mode="strict")}):
        text = text_of(made_of(tool_of("async")), {"command": "ls", "timeout": 90000})
    assert "timeout" in text
    assert "60" in text
    assert RECEIVED == []


def test_a_refusal_inside_of_a_corrected_call(installed):
    """The inner call reads nothing of the outer one's note."""
    installed.undo()
    read = []

    async def run_outer(command: str, timeout: int | None = None) -> str:
        """Run.

        Args:
            command: the command line
            timeout: how long to wait
        """
        call = ToolCall(id="1", function="run_shell", arguments={"command": "ls", "timeout": 90000})
        message = ChatMessageAssistant(content="", tool_calls=[call])
        read.extend(texts_of((await execute_tools([message], [made_of(tool_of("async"))])).messages))
        return "ran"

    outer = ToolDef(run_outer, name="run_outer").as_tool()
    call = ToolCall(id="0", function="run_outer", arguments={"command": "ls", "timeout": 90000})
    with install(tools={"run_shell": TimeoutPolicy(max=60, mode="strict")}):
        done = asyncio.run(execute_tools([ChatMessageAssistant(content="", tool_calls=[call])], [outer]))
    assert "[timeoutkit]" in done.messages[0].content
    assert "[timeoutkit]" not in read[0]


def _parameters(**properties):
    return ToolParams(properties={name: JSONSchema(**stated) for name, stated in properties.items()})


ODD = {
    "no parameters": _parameters(),
    "a list": _parameters(timeout={"type": "array", "description": "pair"}),
    "a union": _parameters(timeout={"anyOf": [{"type": "integer"}, {"type": "object"}], "description": "one or more"}),
    "a flag": _parameters(timeout={"type": "boolean", "description": "whether to wait"}),
}


@pytest.mark.parametrize("odd", ODD)
def test_a_tool_without_such_a_timeout(odd):
    """What is not a limit in time passes untouched, and its schema too."""
    seen = []

    async def run_shell(**kwargs) -> str:
        seen.append(kwargs)
        return "ran"

    run_shell.__annotations__["kwargs"] = object
    tool = ToolDef(run_shell, name="run_shell", description="Run.", parameters=ODD[odd])
    given = (
        {"timeout": {"a list": [1, 2], "a union": {"s": 1}, "a flag": True}.get(odd)} if odd in list(ODD)[1:] else {}
    )
    assert text_of(tool, given) == "ran"
    assert seen == [given]


def test_a_definition_made_before_is_left_as_it_was(installed):
    """Its own parameters are the very same while installed and after."""
    installed.undo()
    tool = ToolDef(made_of(tool_of("async")))
    before = tool.parameters.model_dump()
    with install():
        text_of(tool, {"command": "ls", "timeout": 90000})
    assert RECEIVED == [90]
    assert tool.parameters.model_dump() == before


def test_many_calls_at_once():
    """Of twenty calls that run at once each reads the note that is its own."""
    values = [90000, 30] * 10
    messages = execute(made_of(tool_of("async")), *({"command": "ls", "timeout": value} for value in values))
    assert [NOTE in text for text in texts_of(messages)] == [value == 90000 for value in values]


def test_undone_in_the_middle(installed):
    """A call that is running ends as it began; the next is not corrected."""

    async def run_shell(command: str, timeout: int | None = None) -> str:
        """Run.

        Args:
            command: the command line
            timeout: how long to wait
        """
        RECEIVED.append(timeout)
        installed.undo()
        return "ran"

    tool = made_of(run_shell, parallel=False)
    written = {"command": "ls", "timeout": 90000}
    first, second = texts_of(execute(tool, written, written))
    assert RECEIVED == [90, 90000]
    assert NOTE in first
    assert second == "ran"


def test_a_method_that_is_a_definition():
    """A bound method is corrected as a function is."""

    class Host:
        async def run_shell(self, command: str, timeout: int | None = None) -> str:
            """Run.

            Args:
                command: the command line
                timeout: how long to wait
            """
            RECEIVED.append(timeout)
            return "ran"

    assert NOTE in text_of(ToolDef(Host().run_shell, name="run_shell"), {"command": "ls", "timeout": 90000})
    assert RECEIVED == [90]


def test_the_limit_of_a_correction_that_was_not_long_enough():
    """A corrected call that ran into its limit has one note, of the correction."""
    text = converse(tool_of("async", TimeoutError("late")), {"timeout": 90000}).texts[0]
    assert text.startswith(f"Command timed out before completing.\n\n{NOTE}")
    assert text.count("[timeoutkit]") == 1
