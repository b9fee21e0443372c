"""Every function tool of a run is corrected, and so is the local shell tool."""

from agents import Agent, RunConfig, Runner, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call

import timeoutkit

timeoutkit.install("openai-agents")


@function_tool
def run_shell(command: str, timeout: int | None = None) -> str:
    return f"ran within {timeout} s"


call = function_call("run_shell", {"command": "make", "timeout": 90000}, call_id="1")
model = ScriptedModel([[call], [assistant_message("done")]])
Runner.run_sync(Agent("agent", model=model, tools=[run_shell]), "hi", run_config=RunConfig(tracing_disabled=True))
print(model.last_call.input[-1]["output"])
