"""What `install` does for a client whose server is another process, and for a low-level server, in version 2.

All that is here of a client holds in version 1 as well: its tests are taken over there.
"""

import asyncio
import json
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from install.here import RECEIVED, install
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import PaginatedRequestParams

from timeoutkit import TimeoutPolicy, TimeoutValueError

SERVER = Path(__file__).parent.parent / "install" / "stdio_server.py"
COUNT = 6
"""The tools of that server, each on a page of its own."""
NOTE = '[timeoutkit] "timeout": 90 was used.'
CONTRACT = "how long. Timeout in seconds, e.g. 30; at most 600; default 120; not milliseconds."


@pytest.fixture(autouse=True)
def installed():
    with install() as patch:
        yield patch


@asynccontextmanager
async def connected():
    """Connect to the server in a process of its own."""
    server = StdioServerParameters(command=sys.executable, args=["-I", str(SERVER)])
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        yield session


async def listed(session):
    """List every page of the tools: their schemas by name."""
    tools, cursor = [], None
    while len(tools) < COUNT:
        page = await session.list_tools(params=PaginatedRequestParams(cursor=cursor))
        tools += page.tools
        cursor = page.model_dump(by_alias=True).get("nextCursor")
    return {tool.name: tool.model_dump(by_alias=True)["inputSchema"] for tool in tools}


async def read(session, name="run_shell", **arguments):
    """Call a tool: the arguments that the server received, and the notes below."""
    result = await session.call_tool(name, arguments)
    received, *notes = [block.text for block in result.content]
    return json.loads(received), notes


async def listings(session):
    """Ask the server how often it was asked for a page, by a call of which the session knows the tool."""
    return (await read(session, "listings"))[0]


def test_a_tool_of_any_server():
    """A server that knows nothing of timeoutkit is called with what the rules make of a value, and the note is read."""

    async def run():
        async with connected() as session:
            await listed(session)
            return await read(session, command="ls", timeout=90000)

    received, notes = asyncio.run(run())
    assert received == {"command": "ls", "timeout": 90}
    assert len(notes) == 1
    assert notes[0].startswith(NOTE)


def test_every_page_of_a_listing_is_amended():
    """Whatever page a tool is on, its schema has the contract, and tools without a timeout stay as they are."""

    async def run():
        async with connected() as session:
            return await listed(session)

    schemas = asyncio.run(run())
    assert schemas["run_shell"]["properties"]["timeout"]["description"] == CONTRACT
    assert schemas["fail"]["properties"]["timeout"]["description"] == CONTRACT
    assert schemas["fetch"]["properties"]["timeout_ms"]["description"].endswith("not seconds.")
    assert "Timeout in" not in json.dumps([schemas["sleep"], schemas["listings"]])


def test_a_call_before_any_listing():
    """The tools are listed once before the first call, which is corrected already."""

    async def run():
        async with connected() as session:
            first = await read(session, command="ls", timeout=90000)
            second = await read(session, command="ls", timeout=0)
            return first, second, await listings(session)

    (first, notes), (second, _), count = asyncio.run(run())
    assert (first["timeout"], second["timeout"]) == (90, 120)
    assert len(notes) == 1
    assert count == 3  # a page for the first tool, two more for the one that counts them


def test_a_listing_made_before_install(installed):
    """A session that listed its tools before is corrected all the same."""
    installed.undo()

    async def run():
        async with connected() as session:
            before = await listed(session)
            with install():
                return before, await read(session, command="ls", timeout=90000)

    before, (received, notes) = asyncio.run(run())
    assert before["run_shell"]["properties"]["timeout"]["description"] == "how long"
    assert (received["timeout"], len(notes)) == (90, 1)


def test_undone_in_the_middle_of_a_session(installed):
    """From then on the server receives what is written, and lists what it is."""

    async def run():
        async with connected() as session:
            await read(session, command="ls", timeout=90000)
            installed.undo()
            return await read(session, command="ls", timeout=90000), await listed(session)

    (received, notes), schemas = asyncio.run(run())
    assert (received["timeout"], notes) == (90000, [])
    assert schemas["run_shell"]["properties"]["timeout"]["description"] == "how long"


def test_a_session_that_is_connected_again():
    """A new session lists for itself, and is corrected as the first."""

    async def run():
        for _ in range(2):
            async with connected() as session:
                yield await read(session, command="ls", timeout=90000)

    async def collected():
        return [told async for told in run()]

    assert [(received["timeout"], len(notes)) for received, notes in asyncio.run(collected())] == [(90, 1)] * 2


@pytest.mark.parametrize(
    ("written", "used", "noted"), [(30, 30000, True), (45000, 45000, False), (0, 120000, True), (None, None, False)]
)
def test_a_timeout_in_milliseconds(written, used, noted):
    """The unit in a name counts, and a tool that runs no command has no limit forced upon it."""

    async def run():
        async with connected() as session:
            return await read(session, "fetch", url="http://localhost", timeout_ms=written)

    received, notes = asyncio.run(run())
    assert received["timeout_ms"] == used
    assert len(notes) == noted


def test_a_result_that_says_that_it_failed():
    """It stays an error, and the note stands below it."""

    async def run():
        async with connected() as session:
            return await session.call_tool("fail", {"command": "ls", "timeout": 90000})

    result = asyncio.run(run()).model_dump(by_alias=True)
    assert result["isError"] is True
    assert [block["text"][: len(NOTE)] for block in result["content"][1:]] == [NOTE]


def test_a_call_that_the_server_refuses():
    """A protocol error is raised as without, and says the note after its own message."""

    async def run():
        async with connected() as session:
            with pytest.raises(Exception, match="refused") as raised:
                await read(session, "refuse", command="ls", timeout=90000)
            return raised.value

    error = asyncio.run(run())
    assert str(error) == error.error.message
    assert str(error).startswith(f"refused\n\n{NOTE}")


@pytest.mark.parametrize("name", ["sleep", "unknown", "listings"])
def test_a_tool_without_a_timeout_that_is_known(name):
    """A reference, a tool that is not listed and one without parameters pass as they are."""

    async def run():
        async with connected() as session:
            return await session.call_tool(name, {"command": "ls", "timeout": 90000})

    assert "[timeoutkit]" not in str(asyncio.run(run()))


def test_no_arguments_stay_none():
    """Without arguments none are sent, unless a default is due."""

    async def run():
        async with connected() as session:
            return (await session.call_tool("fetch")).content, (await session.call_tool("run_shell")).content

    fetch, run_shell = asyncio.run(run())
    assert [block.text for block in fetch] == ["null"]
    assert [block.text for block in run_shell] == ['{"timeout": 120}']


def test_calls_at_once():
    """Twenty calls at once, before any listing, are corrected each by itself."""

    async def run():
        async with connected() as session:
            timeouts = [90000 if number % 2 else 30 for number in range(20)]
            return await asyncio.gather(*(read(session, command="ls", timeout=timeout) for timeout in timeouts))

    told = asyncio.run(run())
    assert [(received["timeout"], len(notes)) for received, notes in told] == [(30, 0), (90, 1)] * 10


def test_a_strict_policy_refuses(installed):
    """The host is told at once, and the server is not called."""
    installed.undo()

    async def run():
        async with connected() as session:
            with pytest.raises(TimeoutValueError):
                await read(session, command="ls", timeout=90000)
            return await read(session, command="ls", timeout=30)

    with install(tools={"run_shell": TimeoutPolicy(mode="strict")}):
        assert asyncio.run(run()) == ({"command": "ls", "timeout": 30}, [])


def low_level_server(lists=True, result=None):
    """Make a server of version 2 by hand: it says what it received, in a text or in the result that is given."""
    from mcp.server.lowlevel import Server
    from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool

    properties = {"command": {"type": "string"}, "timeout": {"type": "integer", "description": "how long"}}
    tool = Tool(name="run_shell", input_schema={"type": "object", "properties": properties})

    async def list_tools(_context, _params):
        return ListToolsResult(tools=[tool])

    async def call_tool(_context, params):
        if params.arguments.get("command") == "sleep":
            raise TimeoutError("too late")
        RECEIVED.append(params.arguments["timeout"])
        text = json.dumps(params.arguments)
        return result or CallToolResult(content=[TextContent(type="text", text=text)])

    return Server("shell", on_list_tools=list_tools if lists else None, on_call_tool=call_tool)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("lists_first", [True, False])
def test_low_level_server(installed, mode, lists_first):
    """Made before, it is called with what the rules make of a value, one note is read, and undone nothing is left."""
    from mcp import Client

    installed.undo()
    server = low_level_server()

    async def run():
        async with Client(server, mode=mode) as client:
            schemas = [(await client.list_tools()).tools[0].input_schema] if lists_first else []
            return await read(client, command="ls", timeout=90000), schemas

    before = asyncio.run(run())
    with install():
        (received, notes), schemas = asyncio.run(run())
    assert received == {"command": "ls", "timeout": 90}
    assert [note[: len(NOTE)] for note in notes] == [NOTE]
    assert [schema["properties"]["timeout"]["description"] for schema in schemas] == [CONTRACT] * lists_first
    assert asyncio.run(run()) == before
    assert before[0] == ({"command": "ls", "timeout": 90000}, [])


def test_low_level_server_that_lists_nothing():
    """Without a schema nothing is known of a tool, and it is called as it is written."""
    from mcp import Client

    async def run():
        async with Client(low_level_server(lists=False)) as client:
            with pytest.raises(Exception, match="Method not found"):  # by the SDK's own listing, after the call
                await read(client, command="ls", timeout=90000)

    RECEIVED.clear()
    asyncio.run(run())
    assert RECEIVED == [90000]


@pytest.mark.parametrize(("timeout", "said"), [(90000, "was used."), (90, "was used, and it ran out.")])
def test_low_level_server_whose_handler_raises(timeout, said):
    """On a connection that sends what was raised, the note is sent with it."""
    from mcp import Client

    async def run():
        async with Client(low_level_server(), mode="legacy") as client:
            with pytest.raises(Exception, match="too late") as raised:
                await read(client, command="sleep", timeout=timeout)
            return raised.value.message

    assert asyncio.run(run()).startswith(f'too late\n\n[timeoutkit] "timeout": 90 {said}')


def test_low_level_server_that_gives_a_mapping():
    """A result that is a mapping gains a block in a copy."""
    from mcp import Client

    result = {"content": [{"type": "text", "text": "{}"}]}

    async def run():
        async with Client(low_level_server(result=result), mode="legacy") as client:
            return await read(client, command="ls", timeout=90000)

    assert len(asyncio.run(run())[1]) == 1
    assert len(result["content"]) == 1
