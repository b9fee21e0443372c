"""CrewAI: a crew whose model is a script, called natively or by text; its messages are what a model reads."""

import asyncio
import inspect
import json
import os

os.environ["CREWAI_DISABLE_TELEMETRY"] = "true"

from crewai import Agent, BaseLLM, Crew, Task
from crewai.flow.flow import Flow, start
from crewai.tools import tool as make_tool
from crewai.tools.structured_tool import CrewStructuredTool

from install.told import Told

FAILURES = "told"


class Script(BaseLLM):
    """Plays turns, each a list of calls, and keeps what it is given."""

    native: bool = True
    turns: list = []
    messages: list = []
    tools: list = []

    def supports_function_calling(self):
        return self.native

    def call(self, messages, tools=None, **_options):
        self.messages = list(messages)
        self.tools = self.tools or tools or []
        calls = self.turns.pop(0) if self.turns else []
        if not self.native:
            return self._text(calls)
        return [
            {
                "id": str(at),
                "type": "function",
                "function": {
                    "name": name,
                    "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
                },
            }
            for at, (name, arguments) in enumerate(calls)
        ] or "done"

    async def acall(self, messages, tools=None, **options):
        return self.call(messages, tools, **options)

    def _text(self, calls):
        for name, arguments in calls:
            return f"Thought: now\nAction: {name}\nAction Input: {json.dumps(arguments)}"
        return "Thought: I now know the final answer\nFinal Answer: done"

    def texts(self):
        return [message["content"] for message in self.messages if message["role"] == "tool"]


def agent_of(llm, *tools, role="worker", **options):
    """Make an agent with no more of it than it needs."""
    return Agent(role=role, goal="Work.", backstory="Works.", llm=llm, tools=list(tools), max_retry_limit=0, **options)


def crew_of(*agents, **options):
    """Make a crew whose first agent has the task."""
    task = Task(description="go", expected_output="anything", agent=agents[0])
    return Crew(agents=list(agents), tasks=[task], verbose=False, **options)


async def loop(tools, *calls):
    """Run a crew until the model calls no more tool."""
    made = [make_tool(tool.__name__)(tool) for tool in tools]
    llm = Script(model="script", turns=[[(tools[0].__name__, arguments) for arguments in calls]])
    await asyncio.to_thread(crew_of(agent_of(llm, *made)).kickoff)
    return Told(llm.tools[0]["function"]["parameters"], llm.texts())


async def _by_text(tool, arguments):
    llm = Script(model="script", native=False, turns=[[("run_shell", arguments)]])
    crew = crew_of(agent_of(llm, make_tool("run_shell")(tool)))
    await asyncio.to_thread(crew.kickoff)
    return observed(llm)


def observed(llm):
    """Give what follows the call that the model wrote."""
    written = "\n".join(str(message["content"]) for message in llm.messages)
    return written.split("Action Input: {", 1)[1].split("Observation:", 1)[1]


async def _by_text_async(tool, arguments):
    llm = Script(model="script", native=False, turns=[[("run_shell", arguments)]])
    await crew_of(agent_of(llm, make_tool("run_shell")(tool))).akickoff()
    return observed(llm)


async def _native_async(tool, arguments):
    llm = Script(model="script", turns=[[("run_shell", arguments)]])
    await crew_of(agent_of(llm, make_tool("run_shell")(tool))).akickoff()
    return llm.texts()[0]


async def _agent_alone(tool, arguments):
    llm = Script(model="script", turns=[[("run_shell", arguments)]])
    await agent_of(llm, make_tool("run_shell")(tool)).kickoff_async("go")
    return llm.texts()[0]


async def _agent_alone_by_text(tool, arguments):
    llm = Script(model="script", native=False, turns=[[("run_shell", arguments)]])
    await agent_of(llm, make_tool("run_shell")(tool)).kickoff_async("go")
    return observed(llm)


async def _coworker(tool, arguments):
    llm = Script(model="script", turns=[[("run_shell", arguments)]])
    worker = agent_of(llm, make_tool("run_shell")(tool))
    delegation = {"task": "go", "context": "none", "coworker": "worker"}
    boss = Script(model="script", turns=[[("delegate_work_to_coworker", delegation)]])
    await asyncio.to_thread(crew_of(agent_of(boss, role="boss", allow_delegation=True), worker).kickoff)
    return llm.texts()[0]


async def _run(tool, arguments):
    return await asyncio.to_thread(make_tool("run_shell")(tool).run, **arguments)


async def _arun(tool, arguments):
    made = make_tool("run_shell")(tool)
    return await (made.arun(**arguments) if inspect.iscoroutinefunction(tool) else _run(tool, arguments))


async def _invoke(tool, arguments):
    structured = CrewStructuredTool.from_function(tool)
    return await asyncio.to_thread(structured.invoke, json.dumps(arguments))


async def _ainvoke(tool, arguments):
    return await CrewStructuredTool.from_function(tool).ainvoke(arguments)


async def _flow(tool, arguments):
    class Runs(Flow):
        @start()
        def begin(self):
            return make_tool("run_shell")(tool).run(**arguments)

    return await Runs().kickoff_async()


ENTRIES = {
    "native_async": _native_async,
    "by_text": _by_text,
    "by_text_async": _by_text_async,
    "agent_alone": _agent_alone,
    "agent_alone_by_text": _agent_alone_by_text,
    "coworker": _coworker,
    "run": _run,
    "arun": _arun,
    "invoke": _invoke,
    "ainvoke": _ainvoke,
    "flow": _flow,
}
