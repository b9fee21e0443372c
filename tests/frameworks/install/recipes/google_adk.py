"""The tools of every agent are corrected, and the note is a key of the function response; here with a scripted model."""

import asyncio

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai.types import Content, Part

import timeoutkit

timeoutkit.install("google-adk")


def run_shell(command: str, timeout: int | None = None) -> str:
    return f"ran within {timeout} s"


class Model(BaseLlm):
    async def generate_content_async(self, request, stream=False):
        answer = request.contents[-1].parts[0].function_response
        call = Part.from_function_call(name="run_shell", args={"command": "make", "timeout": 90000})
        part = Part(text=str(answer.response)) if answer else call
        yield LlmResponse(content=Content(role="model", parts=[part]))


agent = LlmAgent(name="agent", model=Model(model="none"), tools=[run_shell])
asyncio.run(InMemoryRunner(agent).run_debug("Build it."))
