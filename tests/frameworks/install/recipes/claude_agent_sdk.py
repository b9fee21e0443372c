"""Tools of servers in this process are corrected there, and Claude Code's own Bash by hooks of each session."""

import asyncio

from claude_agent_sdk import create_sdk_mcp_server, tool
from claude_agent_sdk._internal.sdk_mcp_bridge import SdkMcpBridge

import timeoutkit

timeoutkit.install("claude-agent-sdk")


@tool("run_shell", "Run a shell command.", {"command": str, "timeout": int})
async def run_shell(args):
    return {"content": [{"type": "text", "text": f"ran within {args['timeout']} s"}]}


async def as_claude_code_does():
    server = SdkMcpBridge("shell", create_sdk_mcp_server("shell", tools=[run_shell])["instance"])
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "claude-code", "version": "2"}}
    call = {"name": "run_shell", "arguments": {"command": "make", "timeout": 90000}}
    for number, (method, params) in enumerate([("initialize", about), ("tools/call", call)]):
        answer = await server.handle({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    await server.aclose()
    return answer


print(asyncio.run(as_claude_code_does()))
