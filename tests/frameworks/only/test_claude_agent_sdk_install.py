"""What `install` does for the tools of Claude Code, and for servers in this process in ways of their own."""

import asyncio
import re

import pytest
from claude_agent_sdk import ClaudeAgentOptions, HookMatcher, create_sdk_mcp_server
from claude_agent_sdk import tool as make_tool
from claude_agent_sdk._internal.transport.subprocess_cli import SubprocessCLITransport
from install.drivers.claude_agent_sdk import ClaudeCode, calling, not_listing, server_made_by_hand, server_of, session
from install.here import RECEIVED, tool_of

import timeoutkit
from timeoutkit import TimeoutPolicy, sane_timeout

MARK = "[timeoutkit]"


@pytest.fixture(autouse=True)
def installed():
    with timeoutkit.install("claude-agent-sdk") as patch:
        yield patch


def ran(arguments):
    """Run a tool of Claude Code."""
    RECEIVED.append(arguments)
    return "ran", False


def ran_out(arguments):
    """Run a tool of Claude Code that runs out of time."""
    RECEIVED.append(arguments)
    return "Exit code 143\nCommand timed out after 30s", True


def used(arguments, tool="Bash", runs=ran, transport_options=None, **options):
    """Let Claude Code use a tool of its own: the arguments that it ran with, and what the model reads."""
    RECEIVED.clear()

    async def script(claude):
        claude.texts = [await claude.use(tool, arguments, runs)]

    claude = ClaudeCode(script)
    if transport_options:
        claude._options = SubprocessCLITransport(prompt="", options=transport_options)._options
    asyncio.run(session(claude, **options))
    return RECEIVED.copy(), claude.texts[0]


def read(server, arguments, name="run_shell"):
    """Let the model call a tool of a server in this process: what it reads."""
    RECEIVED.clear()

    async def script(claude):
        claude.texts = [await claude.use(f"mcp__shell__{name}", arguments)]

    return asyncio.run(session(ClaudeCode(script, ["shell"]), mcp_servers={"shell": server})).texts[0]


@pytest.mark.parametrize("tool", ["Bash", "PowerShell"])
@pytest.mark.parametrize(
    ("written", "received", "noted"),
    [
        (30, 30_000, True),
        (600, 600_000, True),
        (45_000, 45_000, False),
        (120_000, 120_000, False),
        (7_200_000, 600_000, True),
        (0, 120_000, True),
    ],
)
def test_a_shell_of_claude_code(tool, written, received, noted):
    """A timeout that was meant in seconds, or is too long, is corrected by the hooks of the session, with a note."""
    runs, text = used({"command": "ls", "timeout": written}, tool)
    assert runs == [{"command": "ls", "timeout": received}]
    assert text.count(MARK) == noted
    assert (f'"timeout": {received} was used. timeout is in milliseconds' in text) == noted


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Bash", {"command": "ls"}),
        ("Bash", {"command": "make", "timeout": 7_200_000, "run_in_background": True}),
        ("BashOutput", {"timeout": 30}),
        ("mcp__files__search", {"timeout": 90_000}),
        ("Read", {"file_path": "timeout.txt"}),
    ],
)
def test_what_is_left_to_claude_code(tool, arguments):
    """No timeout, one that is allowed in the background, and tools whose schema is not known stay as they are."""
    assert used(arguments, tool) == ([arguments], "ran")


def test_a_longer_limit_of_the_user(monkeypatch):
    """The limit that the user allows Claude Code, in the environment or in the options, is kept."""
    assert used({"timeout": 1_800_000})[0] == [{"timeout": 600_000}]
    options = ClaudeAgentOptions(env={"BASH_MAX_TIMEOUT_MS": "1200000"})
    assert used({"timeout": 1_800_000}, transport_options=options)[0] == [{"timeout": 1_200_000}]
    monkeypatch.setenv("BASH_MAX_TIMEOUT_MS", "1800000")
    assert used({"timeout": 1_800_000})[0] == [{"timeout": 1_800_000}]


def test_a_shell_that_ran_into_its_limit():
    """The model reads what was used and how much it may ask, below Claude Code's own words."""
    _, text = used({"command": "make", "timeout": 30_000}, runs=ran_out)
    assert text == (
        "Exit code 143\nCommand timed out after 30s\n\n"
        '[timeoutkit] "timeout": 30000 was used, and it ran out. timeout is in milliseconds (1000 to 600000).'
    )


def test_a_shell_that_failed_otherwise():
    """Of another failure nothing is said."""
    assert used({"command": "make", "timeout": 30_000}, runs=lambda _: ("Exit code 2", True))[1] == "Exit code 2"


def test_a_policy_by_the_name_that_claude_code_uses(installed, caplog):
    """Tools of servers elsewhere, whose schema is not seen, are corrected where `tools` names them."""
    installed.undo()
    with timeoutkit.install("claude-agent-sdk", tools={"mcp__files__search": TimeoutPolicy(max=60)}):
        runs, text = used({"timeout": 90_000}, "mcp__files__search")
        assert used({"text": "x"}, "mcp__files__search") == ([{"text": "x"}], "ran")
        assert used({"timeout": 30}, "Bash")[0] == [{"timeout": 30_000}]
    assert runs == [{"timeout": 60}]
    assert text.count(MARK) == 1
    assert caplog.messages == []


@pytest.mark.parametrize("name", ["run_shell", "mcp__shell__run_shell"])
def test_a_policy_for_a_server_in_this_process(installed, name):
    """It may be stated by the tool's own name, or by that of Claude Code; there is one note."""
    installed.undo()
    with timeoutkit.install("claude-agent-sdk", tools={name: TimeoutPolicy(max=3600)}):
        text = read(server_of(tool_of("async")), {"command": "ls", "timeout": 7200})
    assert RECEIVED == [3600]
    assert text.count(MARK) == 1


def test_a_strict_policy_refuses(installed):
    """The model reads why, and the tool does not run."""
    installed.undo()
    strict = {name: TimeoutPolicy(mode="strict", unit=unit) for name, unit in (("Bash", "ms"), ("run_shell", "s"))}
    with timeoutkit.install("claude-agent-sdk", tools=strict):
        runs, text = used({"timeout": 30})
        assert (runs, "timeout=30 is refused" in text) == ([], True)
        assert "timeout=90000 is refused" in read(server_of(tool_of("async")), {"command": "ls", "timeout": 90_000})
    assert RECEIVED == []


def test_the_hooks_of_the_user_are_kept():
    """They are asked besides ours, and what they say goes out."""
    asked = []

    async def hook(given, _tool_use_id, _context):
        asked.append(given["tool_input"])
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}

    hooks = {"PreToolUse": [HookMatcher(matcher="Bash", hooks=[hook])], "Stop": [HookMatcher(hooks=[hook])]}
    events = []

    async def script(claude):
        events.extend(claude._hooks)
        claude.texts = [await claude.hook("PreToolUse", "Bash", tool_input={"timeout": 30})]

    claude = asyncio.run(session(ClaudeCode(script), hooks=hooks))
    assert asked == [{"timeout": 30}]
    assert claude.texts[0]["permissionDecision"] == "deny"
    assert claude.texts[0]["updatedInput"] == {"timeout": 30_000}
    assert events == ["PreToolUse", "Stop", "PostToolUseFailure"]
    assert [len(matchers) for matchers in hooks.values()] == [1, 1]


def test_undone_in_the_middle_of_a_session(installed):
    """The hooks that the session announced say nothing any more, and the server receives what is written."""

    async def script(claude):
        for undo in (installed.undo, lambda: None):
            claude.texts.append(await claude.use("Bash", {"timeout": 30}, ran))
            claude.texts.append(await claude.use("mcp__shell__run_shell", {"command": "ls", "timeout": 90_000}))
            undo()

    claude = ClaudeCode(script, ["shell"])
    RECEIVED.clear()
    asyncio.run(session(claude, mcp_servers={"shell": server_of(tool_of("async"))}))
    assert [MARK in text for text in claude.texts] == [True, True, False, False]
    assert RECEIVED == [{"timeout": 30_000}, 90, {"timeout": 30}, 90_000]


def test_installed_in_the_middle_of_a_session(installed):
    """A server is corrected from then on, though its tools were listed before; hooks come with the next session."""
    installed.undo()
    opened = []

    async def script(claude):
        opened.append(timeoutkit.install("claude-agent-sdk"))
        claude.texts.append(await claude.use("mcp__shell__run_shell", {"command": "ls", "timeout": 90_000}))
        claude.texts.append(await claude.use("Bash", {"timeout": 30}, ran))

    claude = ClaudeCode(script, ["shell"])
    asyncio.run(session(claude, mcp_servers={"shell": server_of(tool_of("async"))}))
    opened[0].undo()
    assert [MARK in text for text in claude.texts] == [True, False]


@pytest.mark.parametrize("result", ["ran", TimeoutError("too late"), ValueError("broken")], ids=repr)
@pytest.mark.parametrize("timeout", [30, 90_000])
def test_together_with_the_mcp_sdk(result, timeout):
    """The server below corrects nothing a second time, and what is read is the same as without."""
    alone = read(server_of(tool_of("async", result)), {"command": "ls", "timeout": timeout})
    with timeoutkit.install("mcp"):
        assert read(server_of(tool_of("async", result)), {"command": "ls", "timeout": timeout}) == alone
    assert alone.count(MARK) == (timeout == 90_000 or isinstance(result, TimeoutError))


def made_with(schema, handler=None):
    """Make a server of one tool with a schema of any kind."""

    async def run_shell(arguments):
        RECEIVED.append(arguments)
        return {"content": [{"type": "text", "text": "ran"}]}

    return create_sdk_mcp_server("shell", tools=[make_tool("run_shell", "Run.", schema)(handler or run_shell)])


@pytest.mark.parametrize(
    "timeout",
    [{"$ref": "#/$defs/Limit"}, {"anyOf": [{"type": "integer"}, {"type": "array"}]}, {"type": "boolean"}, None],
    ids=repr,
)
def test_what_is_no_timeout_passes_untouched(timeout):
    """A reference, a union of unrelated types, a boolean and no property at all: nothing is changed or said."""
    properties = {} if timeout is None else {"command": {}, "timeout": timeout}
    schema = {"type": "object", "properties": properties, "$defs": {"Limit": {}}}
    arguments = {"timeout": True if timeout == {"type": "boolean"} else 90_000}
    assert read(made_with(schema), arguments) == "ran"
    assert RECEIVED == [arguments]


def test_a_schema_of_types():
    """A schema that is written as types is corrected before it is enforced."""
    assert MARK in read(made_with({"command": str, "timeout": int}), {"command": "ls", "timeout": "90000"})
    assert RECEIVED == [{"command": "ls", "timeout": 90}]


def test_arguments_that_the_server_refuses():
    """Another argument's error is the SDK's own, with the note of what was corrected."""
    text = read(made_with({"command": str, "timeout": int}), {"timeout": 90_000})
    assert text.startswith("Input validation error: 'command' is a required property\n\n[timeoutkit]")
    assert RECEIVED == []


def test_a_tool_that_is_not_there():
    """The SDK says so, and nothing is said of ours."""
    assert read(made_with({"timeout": int}), {"timeout": 90_000}, "other") == "Tool 'other' not found"


@pytest.mark.parametrize("timeout", [3600, 90_000_000])
def test_a_decorated_handler_keeps_its_own_policy(timeout):
    """Though its schema does not tell it, its handler corrects, and alone."""

    @sane_timeout(param=("args", "timeout"), max=3600)
    async def run_shell(args):
        RECEIVED.append(args)
        return {"content": [{"type": "text", "text": "ran"}]}

    text = read(made_with({"command": str, "timeout": int}, run_shell), {"command": "ls", "timeout": timeout})
    assert RECEIVED == [{"command": "ls", "timeout": 3600}]
    assert text.count(MARK) == (timeout != 3600)


SERVERS = {"of the SDK": server_of, "made by hand": server_made_by_hand}


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("begin", [lambda claude: claude, not_listing], ids=["listed", "not listed"])
def test_calls_at_once(server, begin):
    """Twenty calls at once are corrected each by itself, also where the tools were not listed before."""
    calls = [{"command": "ls", "timeout": 90_000 if number % 2 else 30} for number in range(20)]
    tool = tool_of("async")
    claude = asyncio.run(session(begin(calling(tool, *calls)), mcp_servers={"shell": SERVERS[server](tool)}))
    assert [len(re.findall(r"\[timeoutkit\]", text)) for text in claude.texts] == [0, 1] * 10


def test_a_server_made_by_hand_that_fails():
    """The message of a protocol error has the note below it."""
    text = read(server_made_by_hand(tool_of("async", ValueError("broken"))), {"command": "ls", "timeout": 90_000})
    assert text.startswith("broken\n\n[timeoutkit]")
