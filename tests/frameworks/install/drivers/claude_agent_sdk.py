"""Claude Agent SDK: its own session, with a scripted Claude Code on the other side of the control protocol."""

import asyncio
import json

import anyio
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, Transport, create_sdk_mcp_server, query
from claude_agent_sdk import tool as make_tool
from mcp.server.lowlevel import Server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool
from pydantic import BaseModel

from install.told import Told

FAILURES = "told"
TIMEOUT = {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None, "description": "how long to wait"}


class ClaudeCode(Transport):
    """Claude Code, as far as it goes with tools: it lists them, and calls `script` with itself to use them.

    Args:
        script: a coroutine function of this object, which calls `use`.
        servers: names of the servers in this process.
    """

    def __init__(self, script, servers=()):
        self.schemas = {}
        self.texts = []
        self._script, self._servers = script, servers
        self._hooks, self._answers, self._asked = {}, {}, 0
        self._send, self._receive = anyio.create_memory_object_stream(1000)

    async def connect(self):
        """Begin."""

    async def close(self):
        """End."""
        self._send.close()

    async def end_input(self):
        """Take it that nothing more is written, and end as well."""
        self._send.close()

    def is_ready(self):
        """Tell that it listens."""
        return True

    async def read_messages(self):
        """Give what this says, to the end of the session."""
        async with self._receive, anyio.create_task_group() as self._tasks:
            async for message in self._receive:
                yield message
            self._tasks.cancel_scope.cancel()

    async def write(self, data):
        """Take what the SDK says."""
        message = json.loads(data)
        if message["type"] == "control_response":
            answered, _ = self._answers[message["response"]["request_id"]]
            self._answers[message["response"]["request_id"]] = answered, message["response"]
            answered.set()
        elif message["type"] == "control_request":
            self._hooks = message["request"].get("hooks") or self._hooks
            answer = {"subtype": "success", "request_id": message["request_id"], "response": {}}
            await self._send.send({"type": "control_response", "response": answer})
        elif message["type"] == "user":
            self._tasks.start_soon(self._run)

    async def _run(self):
        for server in self._servers:
            await self._ask_server(
                server, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=ABOUT
            )
            for listed in (await self._ask_server(server, "tools/list"))["result"]["tools"]:
                self.schemas[f"mcp__{server}__{listed['name']}"] = listed["inputSchema"]
        await self._script(self)
        ended = dict.fromkeys(("duration_ms", "duration_api_ms", "num_turns"), 1)
        await self._send.send({"type": "result", "subtype": "success", "is_error": False, "session_id": "1", **ended})

    async def _ask_server(self, server, method, **params):
        message = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        return (await self.ask(subtype="mcp_message", server_name=server, message=message))["mcp_response"]

    async def ask(self, **request):
        """Send a control request to the SDK: what it answers."""
        self._asked += 1
        asked, answered = f"asked {self._asked}", anyio.Event()
        self._answers[asked] = answered, None
        await self._send.send({"type": "control_request", "request_id": asked, "request": request})
        await answered.wait()
        response = self._answers.pop(asked)[1]
        assert response["subtype"] == "success", response
        return response["response"]

    async def hook(self, event, tool, **given):
        """Run the hooks of an event for a tool: their outputs together."""
        outputs = {}
        for matcher in self._hooks.get(event, ()):
            if matcher["matcher"] is None or tool in matcher["matcher"].split("|"):
                for callback in matcher["hookCallbackIds"]:
                    event_input = {"hook_event_name": event, "tool_name": tool, "tool_use_id": "1", **given}
                    answer = await self.ask(subtype="hook_callback", callback_id=callback, input=event_input)
                    outputs |= answer.get("hookSpecificOutput", {})
        return outputs

    async def use(self, tool, arguments, runs=None):
        """Use a tool as the model wants to, of a server, or as `runs` gives a text for arguments: what is read."""
        before = await self.hook("PreToolUse", tool, tool_input=arguments)
        arguments = before.get("updatedInput", arguments)
        contexts = [before.get("additionalContext")]
        text, failed = before.get("permissionDecisionReason"), False
        if before.get("permissionDecision") != "deny":
            text, failed = runs(arguments) if runs else await self._call(tool, arguments)
        event = "PostToolUseFailure" if failed else "PostToolUse"
        after = await self.hook(event, tool, tool_input=arguments, **({"error": text} if failed else {}))
        contexts.append(after.get("additionalContext"))
        return "\n\n".join([text, *(context for context in contexts if context)])

    async def _call(self, tool, arguments):
        _, server, name = tool.split("__")
        answer = await self._ask_server(server, "tools/call", name=name, arguments=arguments)
        if "error" in answer:
            return answer["error"]["message"], True
        assert "_meta" not in answer["result"]
        return "\n\n".join(block["text"] for block in answer["result"]["content"]), answer["result"].get("isError")


ABOUT = {"name": "claude-code", "version": "1"}


async def session(claude, **options):
    """Run a session of one prompt to its end."""
    async for _ in query(prompt="Go on.", options=ClaudeAgentOptions(**options), transport=claude):
        pass
    return claude


async def session_of_client(claude, **options):
    """Run a session of one prompt with the other of the SDK's interfaces."""
    async with ClaudeSDKClient(ClaudeAgentOptions(**options), claude) as client:
        await client.query("Go on.")
        async for _ in client.receive_response():
            pass
    return claude


def input_schema(tool):
    """Write the schema by hand, that of a decorated function's timeout from its policy."""
    stated = getattr(tool, "timeout_policies", {}).get("timeout")
    timeout = TIMEOUT if stated is None else {**stated.json_schema(), "type": ["number", "string", "null"]}
    properties = {"command": {"type": "string"}, "timeout": timeout}
    return {"type": "object", "properties": properties, "required": ["command"]}


def server_of(tool):
    """Make a server of a coroutine function, by a handler of one mapping that gives its result as a text."""

    async def handler(arguments):
        return {"content": [{"type": "text", "text": _text(await tool(**arguments))}]}

    made = make_tool(tool.__name__, "Run a shell command.", input_schema(tool))(handler)
    return create_sdk_mcp_server("shell", tools=[made])


def _text(result):
    if isinstance(result, BaseModel):
        return result.model_dump_json()
    return result if isinstance(result, str) else json.dumps(result)


def calling(tool, *calls):
    """Script a model that calls a tool of the server."""

    async def script(claude):
        uses = (claude.use(f"mcp__shell__{tool.__name__}", arguments) for arguments in calls)
        claude.texts = await asyncio.gather(*uses)

    return ClaudeCode(script, ["shell"])


async def loop(tools, *calls):
    """Run a session, with the tool on a server in this process."""
    claude = await session(calling(tools[0], *calls), mcp_servers={"shell": server_of(tools[0])})
    return Told(claude.schemas[f"mcp__shell__{tools[0].__name__}"], claude.texts)


async def _client(tool, arguments):
    claude = await session_of_client(calling(tool, arguments), mcp_servers={"shell": server_of(tool)})
    return claude.texts[0]


def server_made_by_hand(tool):
    """Make a server of a coroutine function without the SDK, with the low-level server of MCP."""

    async def list_tools(_context, _params):
        return ListToolsResult(tools=[Tool(name=tool.__name__, input_schema=input_schema(tool))])

    async def call_tool(_context, params):
        return CallToolResult(content=[TextContent(type="text", text=_text(await tool(**params.arguments)))])

    server = Server("shell", on_list_tools=list_tools, on_call_tool=call_tool)
    return {"type": "sdk", "name": "shell", "instance": server}


async def _server_made_by_hand(tool, arguments):
    return (await session(calling(tool, arguments), mcp_servers={"shell": server_made_by_hand(tool)})).texts[0]


def not_listing(claude):
    """Let Claude Code begin without a listing of the tools."""

    async def without_listing(server, method, ask=claude._ask_server, **params):
        return {"result": {"tools": []}} if method == "tools/list" else await ask(server, method, **params)

    claude._ask_server = without_listing
    return claude


async def _not_listed(tool, arguments):
    servers = {"shell": server_made_by_hand(tool)}
    return (await session(not_listing(calling(tool, arguments)), mcp_servers=servers)).texts[0]


ENTRIES = {"client": _client, "server_made_by_hand": _server_made_by_hand, "not_listed": _not_listed}
