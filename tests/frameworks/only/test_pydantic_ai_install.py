"""What `install` does in Pydantic AI alone: JSON text, retries and failures, its kinds of results and toolsets."""

import asyncio
import functools
import subprocess
import sys

import pytest
from install.drivers.pydantic_ai import Scripted, realtime
from install.here import RECEIVED, install
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, FunctionToolset, RunContext, Tool, ToolReturn
from pydantic_ai.capabilities import Hooks
from pydantic_ai.exceptions import ModelRetry, ToolFailed
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults

from timeoutkit import TimeoutPolicy, sane_timeout

NOTE = '[timeoutkit] "timeout": 90 was used. timeout is in seconds (up to 600), not milliseconds.'
LIMIT = '[timeoutkit] "timeout": 30 was used, and it ran out. timeout is in seconds (up to 600).'
WRITTEN = {"command": "ls", "timeout": 90000}


@pytest.fixture(autouse=True)
def installed():
    RECEIVED.clear()
    with install() as patch:
        yield patch


def run_shell(command: str, timeout: int | None = None) -> str:
    """Run."""
    RECEIVED.append(timeout)
    return "ran"


def run(tool, *calls, agent=None, **options):
    """Let an agent call a tool, and give what the model is told."""
    model = Scripted(run_shell, *calls)
    agent = agent or Agent(tools=[tool], **options)
    asyncio.run(agent.run("hi", model=FunctionModel(model)))
    return model


def returning(result):
    """Make a tool that returns this, or raises it."""

    def run_shell(command: str, timeout: int | None = None):
        RECEIVED.append(timeout)
        if isinstance(result, BaseException):
            raise result
        return result

    return run_shell


TEXTS = {
    '{"command": "ls", "timeout": 90000}': 90,
    '{"command": "ls", "timeout": "30s"}': 30,
    '{"command": "ls"}': 120,
}


@pytest.mark.parametrize("text", TEXTS)
def test_arguments_as_json_text(text):
    """They are corrected as a mapping is."""
    run(run_shell, text)
    assert RECEIVED == [TEXTS[text]]


@pytest.mark.parametrize("text", ['{"command": "ls", "timeout": 90000', "[90000]", "90000"])
def test_arguments_that_are_no_object(text):
    """The model reads the framework's own error, with nothing of ours."""
    (told,) = run(run_shell, text).told().texts
    assert RECEIVED == []
    assert '"error"' in told
    assert "[timeoutkit]" not in told


@pytest.mark.parametrize("arguments", [None, "", {}, "{}"])
def test_no_arguments_at_all(arguments):
    """A tool that needs none receives its default."""

    def run_shell(command: str = "ls", timeout: int | None = None) -> str:
        RECEIVED.append(timeout)
        return command

    run(run_shell, arguments)
    assert RECEIVED == [120]


TOLD = {
    "a retry": (ModelRetry("broken"), "broken"),
    "a failure": (ToolFailed("broken"), "broken"),
    "a failure with data": (ToolFailed({"code": 1}), '{"code":1}'),
}


@pytest.mark.parametrize("kind", TOLD)
def test_a_failure_that_the_model_is_told(kind):
    """The note stands below what it is told of a retry or a failure."""
    error, said = TOLD[kind]
    (part,) = run(returning(error), WRITTEN).parts
    assert part.model_response_str(wrap_if_error=False) == f"{said}\n\n{NOTE}"


def test_a_retry_after_the_tool_s_own_limit():
    """The model is told the limit, where the retry was made from a timeout."""

    def run_shell(command: str, timeout: int | None = None):
        try:
            raise TimeoutError
        except TimeoutError as error:
            raise ModelRetry("slow") from error

    (part,) = run(run_shell, {"command": "ls", "timeout": 30}).parts
    assert part.content == f"slow\n\n{LIMIT}"


def test_a_limit_of_the_framework_s_own():
    """Where `Tool(timeout=...)` ran out, nothing is said of the argument."""

    async def run_shell(command: str, timeout: int | None = None):
        await asyncio.sleep(5)

    (part,) = run(Tool(run_shell, timeout=0.01), {"command": "ls", "timeout": 30}).parts
    assert part.content == "Timed out after 0.01 seconds."


def test_a_timeout_raised_from_none():
    """It is the tool's own limit, and leaves with the note."""

    def run_shell(command: str, timeout: int | None = None):
        raise TimeoutError("slow") from None

    with pytest.raises(TimeoutError, match="slow") as raised:
        run(run_shell, {"command": "ls", "timeout": 30})
    assert raised.value.__notes__ == [LIMIT]


def test_another_argument_does_not_fit():
    """Below the framework's errors stands the note."""
    (part,) = run(run_shell, {"timeout": 90000}).parts
    assert part.outcome == "retried"
    assert part.content.startswith('[{"type":"missing"')
    assert part.content.endswith(f"\n\n{NOTE}")


def test_a_strict_policy_is_told(installed):
    """A refused call does not reach the tool, and the model is asked to try again."""
    installed.undo()
    with install(tools={"run_shell": TimeoutPolicy(mode="strict", max=600)}):
        (part,) = run(run_shell, {"command": "ls", "timeout": 90000}).parts
    assert RECEIVED == []
    assert part.outcome == "retried"
    assert "seconds" in part.content


PICTURE = BinaryContent(b"picture", media_type="image/png")
RESULTS = {
    "a text in a return": (ToolReturn("ran"), f"ran\n\n{NOTE}", None),
    "a text and more for the model": (ToolReturn("ran", content="more"), f"ran\n\n{NOTE}", "more"),
    "a value and more for the model": (ToolReturn(7, content="more"), 7, ["more", NOTE]),
    "a value and several": (ToolReturn(7, content=["more", PICTURE]), 7, ["more", PICTURE, NOTE]),
    "a list": (["ran", 7], ["ran", 7], [NOTE]),
    "a picture": (PICTURE, PICTURE, [NOTE]),
    "nothing": (None, None, [NOTE]),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_a_result_of_any_kind(kind):
    """A text gains a paragraph; beside any other value the note is a part of its own."""
    result, content, prompt = RESULTS[kind]
    returned, *prompts = run(returning(result), WRITTEN).parts
    assert returned.content == content
    assert [part.content for part in prompts] == ([] if prompt is None else [prompt])


def test_what_else_a_return_carries():
    """It stays, and the tool's own object is not changed."""
    result = ToolReturn(7, metadata={"key": 1})
    returned, prompt = run(returning(result), WRITTEN).parts
    assert (returned.metadata, prompt.content) == ({"key": 1}, [NOTE])
    assert result.content is None


class Host:
    def run_shell(self, command: str, timeout: int | None = None) -> str:
        return run_shell(command, timeout)

    @classmethod
    def of_class(cls, command: str, timeout: int | None = None) -> str:
        return run_shell(command, timeout)


def with_context(ctx: RunContext[None], command: str, timeout: int | None = None) -> str:
    return run_shell(command, timeout)


class Arguments(BaseModel):
    command: str
    timeout: int | None = None


def of_model(arguments: Arguments) -> str:
    return run_shell(arguments.command, arguments.timeout)


WAYS = {
    "a method": Host().run_shell,
    "a class method": Tool(Host.of_class, name="run_shell"),
    "a partial": functools.update_wrapper(functools.partial(run_shell), run_shell),
    "with a context": Tool(with_context, name="run_shell"),
    "a model as the only argument": Tool(of_model, name="run_shell"),
    "a prepared tool": Tool(run_shell, prepare=lambda ctx, tool: tool),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_define_a_tool(way):
    """However it is made, a tool is corrected, and its model is told the contract."""
    model = run(WAYS[way], WRITTEN)
    assert RECEIVED == [90]
    assert model.told().texts == [f"ran\n\n{NOTE}"]
    assert "not milliseconds" in str(model.schema)


@pytest.mark.parametrize("schema", ["prefixed", "renamed", "prepared", "filtered"])
def test_a_tool_of_another_name(schema):
    """A toolset that changes its tools is corrected by the name and the schema that the model knows."""
    tools = FunctionToolset([run_shell])
    changed, name = {
        "prefixed": (tools.prefixed("my"), "my_run_shell"),
        "renamed": (tools.renamed({"execute": "run_shell"}), "execute"),
        "prepared": (tools.prepared(lambda ctx, defs: defs), "run_shell"),
        "filtered": (tools.filtered(lambda ctx, one: True), "run_shell"),
    }[schema]
    model = Scripted(run_shell, WRITTEN)
    model.name = name
    asyncio.run(Agent(FunctionModel(model), toolsets=[changed]).run("hi"))
    assert RECEIVED == [90]
    assert model.told().texts == [f"ran\n\n{NOTE}"]
    assert "not milliseconds" in str(model.schema)


def test_a_decorated_tool_that_does_not_say_so():
    """Its own policy holds, and its schema stays as its author wants it, also in a realtime session."""
    tool = sane_timeout(max=3600, advertise=False)(run_shell)
    schemas = [
        run(tool, {"command": "ls", "timeout": 3600}).schema,
        asyncio.run(realtime(tool, {"command": "ls", "timeout": 3600})).schema,
    ]
    assert RECEIVED == [3600, 3600]
    assert "Timeout in" not in str(schemas)


def test_the_schema_of_a_realtime_session():
    """A session is told the contract when it connects."""
    told = asyncio.run(realtime(run_shell, WRITTEN))
    assert "not milliseconds" in str(told.schema)


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
    given = []
    tool = Tool.from_schema(lambda **arguments: given.append(arguments), "run_shell", "Run.", UNTOUCHED[kind])
    assert run(tool, {"timeout": 90000}).schema == UNTOUCHED[kind]
    assert given == [{"timeout": 90000}]
    assert caplog.records == []


def test_hooks_of_the_user_s_own():
    """They see what the model wrote, and what the tool returned."""
    seen = []
    hooks = Hooks()

    @hooks.on.before_tool_validate
    async def before(ctx, *, call, tool_def, args):
        seen.append(args["timeout"])
        return args

    @hooks.on.after_tool_execute
    async def after(ctx, *, call, tool_def, args, result):
        seen.append((args["timeout"], result))
        return result

    model = run(run_shell, WRITTEN, capabilities=[hooks])
    assert seen == [90000, (90, "ran")]
    assert model.told().texts == [f"ran\n\n{NOTE}"]


def test_a_tool_that_calls_another():
    """To a program that calls through the manager a text is data; the note is beside it."""
    results = []

    async def delegate(ctx: RunContext[None]):
        part = ToolCallPart("run_shell", WRITTEN)
        results.append(await ctx.tool_manager.handle_call(part, wrap_validation_errors=False))

    model = Scripted(delegate, {})
    asyncio.run(Agent(FunctionModel(model), tools=[delegate, run_shell]).run("hi"))
    assert RECEIVED == [90]
    assert results == [ToolReturn("ran", content=[NOTE])]


def test_a_call_that_waits_for_approval():
    """It is kept as the model wrote it, and corrected when it is approved."""
    model = Scripted(run_shell, WRITTEN)
    tool = Tool(run_shell, requires_approval=True)
    agent = Agent(FunctionModel(model), tools=[tool], output_type=[str, DeferredToolRequests])
    asked = asyncio.run(agent.run("hi"))
    (call,) = asked.output.approvals
    assert (call.args, RECEIVED) == (WRITTEN, [])
    approved = DeferredToolResults(approvals={call.tool_call_id: True})
    asyncio.run(agent.run(message_history=asked.all_messages(), deferred_tool_results=approved))
    assert RECEIVED == [90]
    assert model.told().texts == [f"ran\n\n{NOTE}"]


def test_many_calls_at_once():
    """Each of twenty calls has its own value and its own note."""

    async def run_shell(command: str, timeout: int) -> str:
        await asyncio.sleep(0)
        return f"ran within {timeout}"

    calls = [{"command": "ls", "timeout": 1000 * seconds} for seconds in range(73, 93)]
    texts = run(run_shell, *calls).told().texts
    assert [text.split("\n")[0] for text in texts] == [f"ran within {seconds}" for seconds in range(73, 93)]
    assert [text.split('"timeout": ')[1].split(" ")[0] for text in texts] == [str(seconds) for seconds in range(73, 93)]


def test_an_agent_made_before(installed):
    """It is corrected while installed, and as before when undone."""
    installed.undo()
    agent = Agent(tools=[run_shell])
    asked = {"command": "ls", "timeout": 7200}
    before = run(None, asked, agent=agent).told()
    with install():
        run(None, asked, agent=agent)
    after = run(None, asked, agent=agent).told()
    assert RECEIVED == [7200, 600, 7200]
    assert after == before


def test_undone_in_the_middle_of_a_call(installed):
    """The call ends with its note, and the next is as before."""

    def run_shell(command: str, timeout: int) -> str:
        installed.undo()
        return f"ran within {timeout}"

    agent = Agent(tools=[run_shell])
    assert run(None, WRITTEN, agent=agent).told().texts == [f"ran within 90\n\n{NOTE}"]
    assert run(None, WRITTEN, agent=agent).told().texts == ["ran within 90000"]


def test_the_history_keeps_what_the_model_wrote():
    """Only what the tool receives is corrected."""
    result = asyncio.run(Agent(FunctionModel(Scripted(run_shell, WRITTEN)), tools=[run_shell]).run("hi"))
    calls = [part.args for message in result.all_messages() for part in message.parts if isinstance(part, ToolCallPart)]
    assert calls == [WRITTEN]


@pytest.mark.parametrize("module", ["pydantic_ai", "pydantic_ai.realtime", "pydantic_ai.tool_manager"])
def test_whatever_is_imported_first(module):
    """Installed before, it is in place after any import."""
    script = f"import timeoutkit; patch = timeoutkit.install('pydantic-ai'); import {module}; assert patch.applied"
    done = subprocess.run(
        [sys.executable, "-Werror::UserWarning", "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
