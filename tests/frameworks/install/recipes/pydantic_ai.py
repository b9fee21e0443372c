"""Every run of every agent is corrected, also of agents made before; here with a function in the model's place."""

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

import timeoutkit

timeoutkit.install("pydantic-ai")


def run_shell(command: str, timeout: int | None = None) -> str:
    return f"ran within {timeout} s"


def model(messages, _info):
    if len(messages) == 1:
        return ModelResponse([ToolCallPart("run_shell", {"command": "make", "timeout": 90000})])
    return ModelResponse([TextPart(messages[-1].parts[0].content)])


print(Agent(FunctionModel(model), tools=[run_shell]).run_sync("Build it.").output)
