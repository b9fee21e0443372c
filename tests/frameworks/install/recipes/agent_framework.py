"""Every function tool of an agent is corrected, in its loop and called directly."""

import asyncio

from agent_framework import tool

import timeoutkit

timeoutkit.install("agent-framework")


@tool
def run_shell(command: str, timeout: int | None = None) -> str:
    return f"ran within {timeout} s"


for content in asyncio.run(run_shell.invoke(arguments={"command": "make", "timeout": 90000})):
    print(content.text)
