"""An agent of Agno with a scripted model."""

import json

from agno.agent import Agent
from agno.models.base import Model
from agno.models.response import ModelResponse

import timeoutkit

timeoutkit.install("agno")
CALL = {"name": "run_shell", "arguments": json.dumps({"command": "make", "timeout": 90000})}


class Scripted(Model):
    def invoke(self, messages, **_):
        told = [message.content for message in messages if message.role == "tool"]
        if told:
            return ModelResponse(role="assistant", content=told[0])
        return ModelResponse(role="assistant", tool_calls=[{"id": "1", "type": "function", "function": CALL}])

    async def ainvoke(self, *args, **kwargs): ...
    def invoke_stream(self, *args, **kwargs): ...
    async def ainvoke_stream(self, *args, **kwargs): ...

    def _parse_provider_response(self, response, **_):
        return response

    parse_provider_response = _parse_provider_response_delta = parse_provider_response_delta = _parse_provider_response


def run_shell(command: str, timeout: int | None = None) -> str:
    """Run a command."""
    return f"ran within {timeout} s"


print(Agent(model=Scripted(id="scripted"), tools=[run_shell], telemetry=False).run("make it").content)
