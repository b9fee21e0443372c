"""An agent of Strands with a scripted model."""

import json

from strands import Agent, tool
from strands.models import Model

import timeoutkit

timeoutkit.install("strands")


class Scripted(Model):
    def update_config(self, **_): ...

    def get_config(self):
        return {}

    async def structured_output(self, *_, **__):
        raise NotImplementedError

    async def stream(self, messages, *_, **__):
        told = [block["toolResult"] for block in messages[-1]["content"] if "toolResult" in block]
        start = {"start": {} if told else {"toolUse": {"name": "run_shell", "toolUseId": "1"}}}
        use = {"toolUse": {"input": json.dumps({"command": "make", "timeout": 90000})}}
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": start}
        yield {"contentBlockDelta": {"delta": {"text": told[0]["content"][0]["text"]} if told else use}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if told else "tool_use"}}


@tool
def run_shell(command: str, timeout: int | None = None) -> str:
    """Run a command."""
    return f"ran within {timeout} s"


print(Agent(model=Scripted(), tools=[run_shell], callback_handler=None)("make it"), end="")
