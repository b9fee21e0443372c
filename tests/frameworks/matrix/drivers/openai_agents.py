"""OpenAI Agents SDK: a whole run with a model that calls the tool once."""

import json

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, function_tool
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText


class _Caller(Model):
    """Calls the tool, then ends; keeps what it was told."""

    def __init__(self, arguments):
        self._arguments = json.dumps(arguments)

    async def get_response(self, *, input, tools, **_others):
        if isinstance(input, str) or len(input) == 1:
            self.schema = tools[0].params_json_schema
            answer = ResponseFunctionToolCall(
                arguments=self._arguments, call_id="1", name="run_shell", type="function_call"
            )
        else:
            self.told = input[-1]["output"]
            text = ResponseOutputText(text="done", type="output_text", annotations=[])
            answer = ResponseOutputMessage(id="2", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse(output=[answer], usage=Usage(), response_id=None)

    def stream_response(self, **_others):
        raise NotImplementedError


async def call(tool, arguments):
    """Run an agent; its tools are strict unless told otherwise."""
    model = _Caller(arguments)
    agent = Agent("agent", model=model, tools=[function_tool(tool)])
    await Runner.run(agent, "hi", run_config=RunConfig(tracing_disabled=True))
    return model.schema, model.told


def strict(tool):
    """Convert for OpenAI."""
    return {"openai": function_tool(tool, strict_mode=True).params_json_schema}
