"""The Claude Agent SDK: the tools of servers in this process, and those that Claude Code runs itself.

Whatever Claude Code asks of a server in this process is a JSON message that passes `SdkMcpBridge.handle`, before the
tool's schema is enforced. What Claude Code runs itself is reached by the official hooks, which a session announces
once, when it begins: `Query` gets ours besides the user's. They answer only below `Query._handle_control_request`, so
that they are of no effect once that is closed again.
"""

import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import ContextVar
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from timeoutkit._correction import TimeoutValueError
from timeoutkit._patch import Seam
from timeoutkit._toolcall import Rules, ToolCall, amended, is_timeout, paragraph, tool_call

_SHELLS = ("Bash", "PowerShell")
"""The tools of Claude Code that take a timeout: in milliseconds, and a missing one is as the user set it there."""
_RAN_OUT = "timeoutkit/ran_out"
_open: ContextVar[bool] = ContextVar("open", default=False)


def seams(rules: Rules) -> Iterator[Seam]:
    """Open the bridge to servers in this process, and the hooks of each session."""
    servers: WeakKeyDictionary[Any, _Server] = WeakKeyDictionary()

    async def handle(wrapped: Any, bridge: Any, args: Any, kwargs: Any) -> Any:
        server = servers.setdefault(bridge, _Server(rules, bridge.name))
        return await server.handle(wrapped, bridge, *args, **kwargs)

    def failed(wrapped: Any, _module: Any, args: Any, kwargs: Any) -> Any:
        result = wrapped(*args, **kwargs)  # where the exception of the tool ends
        return result.model_copy(update={"meta": {_RAN_OUT: True}}) if is_timeout(sys.exception()) else result

    def begin(wrapped: Any, _query: Any, args: Any, kwargs: Any) -> Any:
        def begun(
            transport: Any,
            is_streaming_mode: Any,
            can_use_tool: Any = None,
            hooks: Any = None,
            *rest: Any,
            **named: Any,
        ) -> Any:
            ours = _Hooks(rules, transport).added(hooks or {})
            return wrapped(transport, is_streaming_mode, can_use_tool, ours, *rest, **named)

        return begun(*args, **kwargs)

    async def answer(wrapped: Any, _query: Any, args: Any, kwargs: Any) -> Any:
        before = _open.set(True)
        try:
            return await wrapped(*args, **kwargs)
        finally:
            _open.reset(before)

    yield Seam("claude_agent_sdk._internal.sdk_mcp_bridge:SdkMcpBridge.handle", handle, ("message",))
    yield Seam("claude_agent_sdk:_tool_error_result", failed)
    yield Seam("claude_agent_sdk._internal.query:Query.__init__", begin, ("transport", "can_use_tool", "hooks"))
    yield Seam("claude_agent_sdk._internal.query:Query._handle_control_request", answer)


class _Server:
    """A server in this process, as Claude Code talks to it."""

    def __init__(self, rules: Rules, name: str) -> None:
        self._rules, self._name = rules, name
        self._schemas: dict[str, Any] = {}

    async def handle(self, send: Any, bridge: Any, message: Any) -> Any:
        """Hand a message on to the server, and give what it answers."""
        method, params = message.get("method"), message.get("params")
        if method == "tools/list":
            return self._amended(await send(message))
        if method == "tools/call" and isinstance(params, dict) and isinstance(params.get("name"), str):
            return await self._called(send, bridge, message)
        return await send(message)

    async def _called(self, send: Any, bridge: Any, message: Any) -> Any:
        name, given = message["params"]["name"], message["params"].get("arguments") or {}
        known = _made(bridge, name) or (await self._schema(send, name), None)
        try:
            call = tool_call(self._rules, self._known_as(name), given, lambda: known)
        except TimeoutValueError as refused:
            content = [{"type": "text", "text": str(refused)}]
            return {"jsonrpc": "2.0", "id": message.get("id"), "result": {"content": content, "isError": True}}
        if call.arguments is not given:
            message = {**message, "params": {**message["params"], "arguments": call.arguments}}
        answer = await send(message)
        return call.noted(answer, _with_block, TimeoutError() if _ran_out(answer) else None)

    async def _schema(self, send: Any, name: str) -> Any:
        if name not in self._schemas:  # a session that listed the tools before
            with suppress(Exception):
                self._amended(await send({"jsonrpc": "2.0", "id": f"timeoutkit {uuid4()}", "method": "tools/list"}))
        return self._schemas.get(name)

    def _amended(self, answer: Any) -> Any:
        with suppress(Exception):  # a server that is written by hand may answer anything
            tools = [self._with_contract(tool) for tool in answer["result"]["tools"]]
            return {**answer, "result": {**answer["result"], "tools": tools}}
        return answer

    def _with_contract(self, tool: Any) -> Any:
        name, schema = tool["name"], tool["inputSchema"]
        self._schemas[name] = schema
        return {**tool, "inputSchema": amended(self._rules, self._known_as(name), schema)}

    def _known_as(self, name: str) -> str:
        """Give the name by which `tools` knows a tool: that of Claude Code, or else its own."""
        full = f"mcp__{self._name}__{name}"
        return full if full in self._rules.tools else name


class _Hooks:
    """What a session asks before Claude Code runs a tool itself, and after that failed."""

    def __init__(self, rules: Rules, transport: Any) -> None:
        self._rules, self._transport = rules, transport

    def added(self, hooks: Any) -> dict[str, Any]:
        """Give the hooks of a session with ours."""
        matcher = "|".join((*_SHELLS, *self._rules.tools))
        ours = {"PreToolUse": self._before, "PostToolUseFailure": self._after_failure}
        added = {
            event: [*hooks.get(event, ()), {"matcher": matcher, "hooks": [_while_open(hook)]}]
            for event, hook in ours.items()
        }
        return {**hooks, **added}

    def _before(self, tool: Any, given: Any, _error: Any) -> dict[str, Any]:
        try:
            call = self._call(tool, given)
        except TimeoutValueError as refused:
            return {"permissionDecision": "deny", "permissionDecisionReason": str(refused)}
        return ({} if call.arguments is given else {"updatedInput": call.arguments}) | _context(call.note())

    def _after_failure(self, tool: Any, given: Any, error: Any) -> dict[str, Any]:
        return _context(self._call(tool, given).note(TimeoutError())) if "timed out after" in str(error) else {}

    def _call(self, tool: Any, given: Any) -> ToolCall:
        return tool_call(self._rules, tool, given, lambda: (self._schema(tool, given), None))

    def _schema(self, tool: Any, given: Any) -> Any:
        """Say what is known of a tool whose schema is nowhere seen: of a shell its unit, else what `tools` says."""
        if tool in _SHELLS:
            return {"properties": {"timeout": {"description": "in milliseconds", "maximum": self._longest(given)}}}
        return {"properties": {name: {} for name in given if "timeout" in name.lower() and tool in self._rules.tools}}

    def _longest(self, given: Any) -> int:
        if given.get("run_in_background"):
            return 7_200_000
        own = getattr(getattr(self._transport, "_options", None), "env", {})
        return int({**os.environ, **own}.get("BASH_MAX_TIMEOUT_MS", 600_000))


def _while_open(hook: Callable[[Any, Any, Any], dict[str, Any]]) -> Callable[[Any, Any, Any], Any]:
    async def answered(event: Any, _tool_use_id: Any, _context: Any) -> dict[str, Any]:
        given = event.get("tool_input")
        has_timeout = isinstance(given, dict) and any("timeout" in name.lower() for name in given)
        output = hook(event.get("tool_name"), given, event.get("error")) if _open.get() and has_timeout else {}
        return {"hookSpecificOutput": {"hookEventName": event.get("hook_event_name"), **output}} if output else {}

    return answered


def _context(note: str) -> dict[str, str]:
    return {"additionalContext": note} if note else {}


def _made(bridge: Any, name: Any) -> tuple[Any, Any] | None:
    """Find a tool's schema and function in what `create_sdk_mcp_server` closed over; a server made by hand has none."""
    with suppress(Exception):
        server = bridge._server
        handlers = server._request_handlers if hasattr(server, "_request_handlers") else server.request_handlers
        for entry in handlers.values():
            if inner := _closed_over(getattr(entry, "handler", entry)):
                return inner["schemas"][name], inner["tools_by_name"][name].handler
    return None


def _closed_over(function: Any) -> Any:
    inner = inspect.getclosurevars(function).nonlocals
    if "tools_by_name" in inner:
        return inner
    return next(filter(None, (_closed_over(one) for one in inner.values() if inspect.isfunction(one))), {})


def _ran_out(answer: Any) -> bool:
    """Take the mark out of a result that the tool ran into its limit."""
    with suppress(Exception):
        marks = answer["result"]["_meta"]
        ran_out = bool(marks.pop(_RAN_OUT, False))
        if not marks:
            del answer["result"]["_meta"]
        return ran_out
    return False


def _with_block(answer: Any, note: str) -> Any:
    if "error" in answer:
        return {**answer, "error": {**answer["error"], "message": paragraph(answer["error"]["message"], note)}}
    content = [*answer["result"]["content"], {"type": "text", "text": note}]
    return {**answer, "result": {**answer["result"], "content": content}}
