"""What is special to the Agent Framework: middleware, approvals, raw results, and what a tool is shown as."""

import asyncio
import functools
import json
import subprocess

import pytest
from agent_framework import (
    SKIP_PARSING,
    Agent,
    Content,
    FunctionTool,
    Message,
    MiddlewareTermination,
    function_middleware,
)
from agent_framework import tool as make_tool
from install.drivers.agent_framework import Scripted, text_of
from install.here import RECEIVED, install, read_of, tool_of
from pydantic import BaseModel

from timeoutkit import TimeoutPolicy

CONTRACT = "Timeout in seconds, e.g. 30; at most 600; default 120; not milliseconds."
NOTE = '[timeoutkit] "timeout": 90 was used.'


@pytest.fixture
def installed():
    with install() as patch:
        yield patch


@pytest.fixture(autouse=True)
def _received():
    RECEIVED.clear()


def run(made, arguments, **options):
    """Let the model call a tool, and give what it reads."""
    client = Scripted((made.name, arguments))
    asyncio.run(Agent(client=client, tools=[made], **options).run("hi"))
    (text,) = client.texts
    return text


# -- arguments -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("written", ["{", '"ls"', "[1]", '{"timeout": 90000'])
def test_malformed_arguments_are_the_frameworks_own_matter(written):
    """The model reads the same as without, and nothing of ours."""
    made = make_tool(tool_of("sync"))
    plain = run(made, written)
    with install():
        assert run(made, written) == plain
    assert RECEIVED == []
    assert "[timeoutkit]" not in plain


@pytest.mark.parametrize("written", ["", "{}"])
def test_no_arguments_at_all(installed, written):
    """The default is put in."""

    def run_shell(command: str = "ls", timeout: int | None = None) -> str:
        RECEIVED.append(timeout)
        return "ran"

    made = make_tool(run_shell)
    run(made, written)
    asyncio.run(made.invoke())
    assert RECEIVED == [120, 120]


SCHEMAS = {
    "nothing": {},
    "no properties": {"type": "object"},
    "odd properties": {"type": "object", "properties": {"timeout": True}},
    "a reference": {
        "type": "object",
        "properties": {"command": {}, "timeout": {"$ref": "#/$defs/Limit"}},
        "$defs": {"Limit": {"type": "integer"}},
    },
    "a union": {"type": "object", "properties": {"timeout": {"anyOf": [{"type": "integer"}, {"type": "object"}]}}},
}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_schema_that_says_no_number(installed, schema):
    """Such a tool is called with what the model wrote, and its schema is shown as it is."""

    def odd(**arguments) -> str:
        RECEIVED.append(arguments)
        return "ran"

    made = FunctionTool(name="odd", func=odd, input_model=SCHEMAS[schema])
    client = Scripted(("odd", {"timeout": 90000}))
    asyncio.run(Agent(client=client, tools=[made]).run("hi"))
    assert (client.texts, RECEIVED) == (["ran"], [{"timeout": 90000}])
    assert client.schema == SCHEMAS[schema]


def test_twenty_calls_at_once(installed):
    """Each is corrected by itself."""
    amounts = [None, 30, 90000, 0] * 5
    client = Scripted(*(("run_shell", {"command": "ls", "timeout": amount}) for amount in amounts))
    asyncio.run(Agent(client=client, tools=[tool_of("sync")]).run("hi"))
    assert sorted(RECEIVED) == [30] * 5 + [90] * 5 + [120] * 10
    assert ["[timeoutkit]" in text for text in client.texts] == [False, False, True, True] * 5


class Shell:
    @make_tool
    def run_shell(self, command: str, timeout: int | None = None) -> str:
        RECEIVED.append(timeout)
        return "ran"

    def plain(self, command: str, timeout: int | None = None) -> str:
        RECEIVED.append(timeout)
        return "ran"

    @classmethod
    def of_the_class(cls, command: str, timeout: int | None = None) -> str:
        RECEIVED.append(timeout)
        return "ran"

    def with_host(self, host: str, command: str, timeout: int | None = None) -> str:
        RECEIVED.append(timeout)
        return "ran"


class Arguments(BaseModel):
    command: str
    timeout: int | None = None


TOOLS = {
    "a decorated method": Shell().run_shell,
    "a method": make_tool(Shell().plain),
    "a class method": make_tool(Shell.of_the_class),
    "a partial": make_tool(functools.partial(Shell().with_host, "localhost"), name="run_shell"),
    "a model": make_tool(Shell().plain, schema=Arguments),
    "a schema": make_tool(Shell().plain, schema=Arguments.model_json_schema()),
}


@pytest.mark.parametrize("written", [90000, "1.5min"])
@pytest.mark.parametrize("made", TOOLS)
def test_a_tool_of_another_kind(installed, made, written):
    """Whatever a tool is made from, its call is corrected."""
    text = run(TOOLS[made], {"command": "ls", "timeout": written})
    assert (RECEIVED, [type(value) for value in RECEIVED]) == ([90], [int])
    assert text.count("[timeoutkit]") == (written == 90000)


# -- middleware and approvals --------------------------------------------------------------------------------------


def test_a_middleware_sees_the_corrected_call_and_the_plain_result(installed):
    """It is given arguments in range, and what the tool returned."""
    seen = []

    @function_middleware
    async def watching(context, call_next):
        seen.append(context.arguments["timeout"])
        await call_next()
        seen.append(text_of(context.result))

    text = run(make_tool(tool_of("sync")), {"command": "ls", "timeout": 90000}, middleware=[watching])
    assert seen == [90, "ran"]
    assert text.count(NOTE) == 1


def test_a_middleware_that_changes_other_arguments(installed):
    """What was corrected before it is still told."""

    @function_middleware
    async def changing(context, call_next):
        context.arguments = {**context.arguments, "command": "pwd"}
        await call_next()

    text = run(make_tool(tool_of("sync")), {"command": "ls", "timeout": 90000}, middleware=[changing])
    assert text.count(NOTE) == 1


def test_a_middleware_that_writes_a_timeout(installed):
    """What it makes of the arguments passes the same rules."""

    @function_middleware
    async def changing(context, call_next):
        context.arguments = {**context.arguments, "timeout": "2h"}
        await call_next()

    run(make_tool(tool_of("sync")), {"command": "ls", "timeout": 30}, middleware=[changing])
    assert RECEIVED == [600]


def test_a_middleware_that_calls_another_tool(installed):
    """Each call is told of its own, also where one of them fails."""
    read = []

    @function_middleware
    async def calling(_context, call_next):
        read.append(text_of(await make_tool(tool_of("sync")).invoke(command="pwd", timeout=7200)))
        await call_next()

    failing = make_tool(tool_of("sync", TimeoutError("too late")))
    text = run(failing, {"command": "ls", "timeout": 30}, middleware=[calling])
    assert '"timeout": 600 was used.' in read[0]
    assert '"timeout": 30 was used, and it ran out.' in text
    assert RECEIVED == [600, 30]


def test_a_tool_that_calls_another(installed):
    """The note is in what the tool reads, and nothing is told of its own call."""
    inner = make_tool(tool_of("sync"))
    read = []

    async def outer() -> str:
        read.append(text_of(await inner.invoke(command="ls", timeout=90000)))
        return "done"

    assert run(make_tool(outer), {}) == "done"
    assert NOTE in read[0]


def test_a_tool_that_calls_itself(installed):
    """The inner call is told of in its own result."""
    read = []

    async def run_shell(command: str, timeout: int) -> str:
        RECEIVED.append(timeout)
        if command == "make":
            read.append(text_of(await made.invoke(command="ls", timeout=7200)))
        return "ran"

    made = make_tool(run_shell)
    assert "[timeoutkit]" not in run(made, {"command": "make", "timeout": 30})
    assert '"timeout": 600 was used.' in read[0]
    assert RECEIVED == [30, 600]


def test_a_middleware_that_ends_the_loop(installed):
    """The result in the history has the note, for whoever reads that next."""

    @function_middleware
    async def ending(_context, call_next):
        await call_next()
        raise MiddlewareTermination

    client = Scripted(("run_shell", {"command": "ls", "timeout": 90000}))
    agent = Agent(client=client, tools=[tool_of("sync")], middleware=[ending])
    response = asyncio.run(agent.run("hi"))
    (result,) = (content for content in response.messages[-1].contents if content.type == "function_result")
    assert NOTE in result.result
    assert NOTE in result.items[-1].text


def test_what_is_approved_is_asked_for_once(installed):
    """Beside a middleware the corrected arguments are the approved ones, not changed ones to be approved again."""

    @function_middleware
    async def passing(_context, call_next):
        await call_next()

    client = Scripted(("run_shell", {"command": "ls", "timeout": 90000}))
    made = make_tool(tool_of("sync"), approval_mode="always_require")
    agent = Agent(client=client, tools=[made], middleware=[passing])

    async def approved():
        session = agent.create_session()
        (request,) = (await agent.run("hi", session=session)).user_input_requests
        answer = request.to_function_approval_response(approved=True)
        return await agent.run(Message(role="user", contents=[answer]), session=session)

    assert asyncio.run(approved()).user_input_requests == []
    assert RECEIVED == [90]
    assert client.texts[0].count(NOTE) == 1


# -- results and failures ------------------------------------------------------------------------------------------


def test_contents_gain_a_content(installed):
    """A result of contents keeps them as they are."""

    def run_shell(command: str, timeout: int) -> list[Content]:
        return [Content.from_text("ran"), Content.from_uri("https://example.org/1.png", media_type="image/png")]

    contents = asyncio.run(make_tool(run_shell).invoke(arguments={"command": "ls", "timeout": 90000}))
    assert [content.type for content in contents] == ["text", "uri", "text"]
    assert contents[-1].text.startswith(NOTE)


@pytest.mark.parametrize("parser", [None, SKIP_PARSING], ids=["by call", "by tool"])
@pytest.mark.parametrize("value", ["ran", ["ran"], {"output": "ran"}], ids=repr)
def test_a_raw_value_has_no_note(installed, value, parser):
    """Who asks for the function's own value gets that; the correction itself is made."""
    made = make_tool(tool_of("sync", value), result_parser=parser)
    skip = {} if parser else {"skip_parsing": True}
    assert asyncio.run(made.invoke(arguments={"command": "ls", "timeout": 90000}, **skip)) == value
    assert RECEIVED == [90]


@pytest.mark.parametrize("error", [ValueError("broken"), subprocess.TimeoutExpired("ls", 30)], ids=["broken", "limit"])
def test_a_direct_call_that_raises(installed, error):
    """The exception is the tool's own, and has the note."""
    made = make_tool(tool_of("async", error))
    with pytest.raises(type(error)) as raised:
        asyncio.run(made.invoke(arguments={"command": "ls", "timeout": 90000}))
    (note,) = raised.value.__notes__
    assert NOTE in note or '"timeout": 90 was used, and it ran out.' in note


@pytest.mark.parametrize("detailed", [False, True])
def test_a_refusal_is_told_as_wrong_arguments(detailed):
    """A strict policy refuses, the tool is not called, and the model reads why, once."""
    made = make_tool(tool_of("sync"))
    with install(tools={"run_shell": TimeoutPolicy(mode="strict")}):
        client = Scripted((made.name, {"command": "ls", "timeout": 90000}))
        client.function_invocation_configuration["include_detailed_errors"] = detailed
        asyncio.run(Agent(client=client, tools=[made]).run("hi"))
    (text,) = client.texts
    assert RECEIVED == []
    assert text.startswith("Error: Argument parsing failed.")
    assert text.count("90000") == 1


def test_a_refused_direct_call_is_raised():
    """It is the framework's error for wrong arguments, made from ours."""
    made = make_tool(tool_of("sync"))
    with install(tools={"run_shell": TimeoutPolicy(mode="strict")}), pytest.raises(TypeError, match="90000"):
        asyncio.run(made.invoke(arguments={"command": "ls", "timeout": 90000}))


# -- what the model is shown ---------------------------------------------------------------------------------------


def test_a_tools_specification_has_the_contract(installed):
    """A host with a loop of its own shows the same to its model; what is stored is the tool's own."""
    made = make_tool(tool_of("sync"))
    assert CONTRACT in json.dumps(made.to_json_schema_spec())
    assert CONTRACT not in json.dumps(made.to_dict())
    assert CONTRACT not in json.dumps(made.parameters())


def test_a_run_outlives_its_patch():
    """Undone in the middle of a call, that call ends as it began and the next is as before."""
    patch = install()

    def run_shell(command: str, timeout: int) -> str:
        patch.undo()
        RECEIVED.append(timeout)
        return "ran"

    made = make_tool(run_shell)
    assert NOTE in run(made, {"command": "ls", "timeout": 90000})
    assert "[timeoutkit]" not in run(made, {"command": "ls", "timeout": 90000})
    assert RECEIVED == [90, 90000]


def test_an_agent_from_before(installed):
    """Undone and installed again, an agent is corrected whenever it was made."""
    installed.undo()
    client = Scripted(("run_shell", {"command": "ls", "timeout": 90000}))
    agent = Agent(client=client, tools=[tool_of("sync")])
    with install():
        asyncio.run(agent.run("hi"))
        assert CONTRACT in json.dumps(client.schema)
    assert RECEIVED == [90]


def test_a_tool_that_was_called_by_its_object(installed):
    """Calling a tool as a function is Python calling Python: nothing is looked at."""
    make_tool(tool_of("sync"))(command="ls", timeout=90000)
    assert RECEIVED == [90000]


def test_the_loop_reads_one_note_of_a_limit(installed):
    """What the tool raised is told by the loop, not by the call in it as well."""
    text = read_of(tool_of("async", TimeoutError("too late")), timeout=30)
    assert text.count("[timeoutkit]") == 1
