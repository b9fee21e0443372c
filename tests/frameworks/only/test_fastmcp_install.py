"""What `install` does for a FastMCP server in ways of its own, and together with the MCP SDK below it."""

import asyncio
import functools
from typing import Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server import create_proxy
from fastmcp.server.middleware import Middleware
from fastmcp.server.middleware.error_handling import ErrorHandlingMiddleware
from fastmcp.tools import Tool
from fastmcp.tools.tool_transform import ArgTransform
from install.here import RECEIVED, tool_of

import timeoutkit
from timeoutkit import TimeoutPolicy, sane_timeout

MARK = "[timeoutkit]"
NOTE = '[timeoutkit] "timeout": {} was used.'
LIMIT = '[timeoutkit] "timeout": 30 was used, and it ran out.'
LATE = TimeoutError("too late")


@pytest.fixture(autouse=True)
def installed():
    with timeoutkit.install("fastmcp") as patch:
        yield patch


@pytest.fixture
def with_mcp():
    with timeoutkit.install("mcp"):
        yield


def server_of(tool, **options):
    server = FastMCP("shell", **options)
    server.tool(tool)
    return server


def read(server, timeout, lists=True, name="run_shell"):
    """Call over the wire: what is read."""
    RECEIVED.clear()

    async def run():
        async with Client(server) as client:
            if lists:
                await client.list_tools()
            result = await client.call_tool_mcp(name, {"command": "ls", "timeout": timeout})
        return "\n\n".join(block.text for block in result.content)

    return asyncio.run(run())


def mounted(server):
    outer = FastMCP("outer")
    outer.mount(server)
    return outer


PLACES = {"itself": lambda server: server, "mounted": mounted, "proxied": create_proxy}


@pytest.mark.usefixtures("with_mcp")
@pytest.mark.parametrize("lists", [True, False])
@pytest.mark.parametrize("place", PLACES)
def test_together_with_the_mcp_sdk(place, lists):
    """The client's session below corrects nothing a second time, whether it listed the tools or not: one note."""
    text = read(PLACES[place](server_of(tool_of("sync"))), 90000, lists)
    assert RECEIVED == [90]
    assert NOTE.format(90) in text
    assert text.count(MARK) == 1


@pytest.mark.usefixtures("with_mcp")
@pytest.mark.parametrize("place", PLACES)
def test_together_with_the_mcp_sdk_a_limit_is_told_once(place):
    """A call that ran into its limit says so once, through however many servers it came."""
    text = read(PLACES[place](server_of(tool_of("sync", LATE))), 30)
    assert LIMIT in text
    assert text.count(MARK) == 1


@pytest.mark.parametrize("place", ["itself", "mounted"])
@pytest.mark.parametrize("masks", [True, False])
@pytest.mark.parametrize(("timeout", "said"), [(90000, NOTE.format(90)), (30, LIMIT)])
def test_the_note_is_said_of_what_is_masked(place, masks, timeout, said):
    """A server that hides what a tool raised does not hide the note."""
    text = read(PLACES[place](server_of(tool_of("async", LATE), mask_error_details=masks)), timeout)
    assert ("too late" in text) != masks
    assert said in text
    assert text.count(MARK) == 1


def test_an_error_raised_again_has_no_note_of_an_earlier_call():
    """The same exception, raised by a call without a correction, says nothing of the call before."""
    server = server_of(tool_of("async", ValueError("broken")))
    assert MARK in read(server, 90000)
    assert MARK not in read(server, 30)


class InATask(Middleware):
    """A middleware that goes on in a task of its own, as `asyncio.wait_for` does."""

    async def on_call_tool(self, context, call_next):
        """Go on."""
        return await asyncio.create_task(call_next(context))


@pytest.mark.parametrize(
    "middleware", [InATask(), ErrorHandlingMiddleware(), ErrorHandlingMiddleware(transform_errors=False)]
)
def test_middleware(middleware):
    """A failure's note comes through what a middleware does with it."""
    server = server_of(tool_of("async", LATE))
    server.add_middleware(middleware)
    with pytest.raises(Exception, match="it ran out") as raised:
        asyncio.run(server.call_tool("run_shell", {"command": "ls", "timeout": 30}))
    assert str(raised.value).count(MARK) == 1


def test_the_limit_of_the_framework_is_not_that_of_the_call():
    """Where FastMCP's own limit on a tool ran out, nothing is said of the call's."""

    async def run_shell(command: str, timeout: int | None = None) -> str:
        await asyncio.sleep(60)
        return command

    server = FastMCP("shell")
    server.tool(run_shell, timeout=0.05)
    text = read(server, 30)
    assert "timed out after 0.05s" in text
    assert MARK not in text


def test_a_parameter_that_is_renamed():
    """A tool whose transformed form names its timeout otherwise is corrected where it runs."""
    renamed = Tool.from_tool(Tool.from_function(tool_of("sync")), transform_args={"timeout": ArgTransform(name="wait")})
    server = FastMCP("shell")
    server.add_tool(renamed)
    RECEIVED.clear()
    result = asyncio.run(server.call_tool("run_shell", {"command": "ls", "wait": 90000}))
    assert RECEIVED == [90]
    assert [NOTE.format(90) in block.text for block in result.content] == [False, True]


def test_a_decorated_tool_whose_description_is_transformed():
    """It keeps its own policy, though its schema does not tell it any more."""
    decorated = Tool.from_function(sane_timeout(max=3600)(tool_of("sync")))
    server = FastMCP("shell")
    server.add_tool(Tool.from_tool(decorated, transform_args={"timeout": ArgTransform(description="how long")}))
    assert MARK not in read(server, 3600)
    assert RECEIVED == [3600]


class Shell:
    """Tools that are methods."""

    def method(self, command: str, timeout: int | None = None) -> str:
        RECEIVED.append(timeout)
        return command

    @classmethod
    def of_the_class(cls, command: str, timeout: int | None = None) -> str:
        RECEIVED.append(timeout)
        return command

    @staticmethod
    async def static(command: str, timeout: int | None = None) -> str:
        RECEIVED.append(timeout)
        return command

    def __call__(self, command: str, timeout: int | None = None) -> str:
        RECEIVED.append(timeout)
        return command


FUNCTIONS = [Shell().method, Shell.of_the_class, Shell.static, Shell(), functools.partial(Shell.static, command="ls")]


@pytest.mark.parametrize("function", FUNCTIONS, ids=["method", "class method", "static method", "object", "partial"])
def test_tools_of_every_kind(function):
    """Methods, objects and partial functions are corrected as functions are."""
    server = FastMCP("shell")
    server.add_tool(Tool.from_function(function, name="run_shell"))
    assert read(server, 90000).count(MARK) == 1
    assert RECEIVED == [90]


def plain() -> str:
    return "ran"


def unrelated(command: str, timeout: int | list[int] | None = None) -> str:
    RECEIVED.append(timeout)
    return command


def about(timeout: dict[str, Any]) -> str:
    RECEIVED.append(timeout)
    return "ran"


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (plain, {}),
        (unrelated, {"command": "ls", "timeout": 90000}),
        (unrelated, {"command": "ls", "timeout": [90000]}),
        (about, {"timeout": {"seconds": 90000}}),
    ],
)
def test_what_is_no_timeout_passes_untouched(installed, function, arguments):
    """No parameters, a union of unrelated types or an object: neither the schema nor a call is changed."""
    server = server_of(function)

    async def run():
        async with Client(server) as client:
            schema = (await client.list_tools())[0].input_schema
            return schema, (await client.call_tool_mcp(function.__name__, arguments)).content

    RECEIVED.clear()
    told = asyncio.run(run())
    received = RECEIVED.copy()
    installed.undo()
    RECEIVED.clear()
    assert asyncio.run(run()) == told
    assert received == RECEIVED


def test_arguments_that_the_framework_refuses():
    """Another argument's error is FastMCP's own, with the note of what was corrected."""

    async def run():
        server = server_of(tool_of("sync"))
        with pytest.raises(Exception, match="command") as raised:
            await server.call_tool("run_shell", {"timeout": 90000})
        return str(raised.value)

    text = asyncio.run(run())
    assert "Missing required argument" in text
    assert text.count(MARK) == 1


def test_calls_at_once():
    """Twenty calls at once are corrected each by itself."""
    server = server_of(tool_of("async"))

    async def run():
        timeouts = [90000 if number % 2 else 30 for number in range(20)]
        calls = (server.call_tool("run_shell", {"command": "ls", "timeout": timeout}) for timeout in timeouts)
        return [len(result.content) for result in await asyncio.gather(*calls)]

    assert asyncio.run(run()) == [1, 2] * 10


def test_undone_in_the_middle_of_a_call(installed):
    """A call that is under way ends as it began, and the next one is FastMCP's own."""

    async def run_shell(command: str, timeout: int | None = None) -> str:
        installed.undo()
        RECEIVED.append(timeout)
        return command

    server = server_of(run_shell)
    assert read(server, 90000).count(MARK) == 1
    assert read(server, 90000).count(MARK) == 0
    assert RECEIVED == [90000]


def test_a_strict_policy_refuses(installed):
    """The model reads why, and the tool is not called."""
    installed.undo()
    with timeoutkit.install("fastmcp", tools={"run_shell": TimeoutPolicy(mode="strict")}):
        assert "timeout=90000 is refused" in read(server_of(tool_of("sync")), 90000)
    assert RECEIVED == []


def test_a_server_that_is_listed_directly():
    """`list_tools` gives tools with the contract, and those of the server stay as they are."""
    server = server_of(tool_of("sync"))
    listed = asyncio.run(server.list_tools())[0].parameters["properties"]["timeout"]
    own = asyncio.run(server.get_tool("run_shell")).parameters["properties"]["timeout"]
    assert "not milliseconds" in listed["description"]
    assert "not milliseconds" not in own["description"]


def test_a_tool_that_raises_a_tool_error():
    """What a tool says itself to the model is kept, and the note stands below it."""
    assert read(server_of(tool_of("sync", ToolError("no shell"))), 90000).startswith("no shell\n\n" + NOTE.format(90))
