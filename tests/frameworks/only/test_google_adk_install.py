"""What `install` does in Google ADK alone: its kinds of tools and results, callbacks, and calls outside of an agent."""

import asyncio
import functools
import subprocess
import sys

import pytest
from google.adk.agents import LlmAgent, RunConfig
from google.adk.agents.run_config import ToolThreadPoolConfig
from google.adk.features import FeatureName
from google.adk.features._feature_registry import temporary_feature_override
from google.adk.plugins import ReflectAndRetryToolPlugin
from google.adk.tools import BaseTool, FunctionTool, LongRunningFunctionTool
from google.adk.workflow import Workflow
from google.genai import types
from install.drivers.google_adk import live, run, scripted
from install.here import RECEIVED, install

from timeoutkit import TimeoutPolicy, sane_timeout
from timeoutkit.testing import capture_corrections

NOTE = '[timeoutkit] "timeout": 90 was used. timeout is in seconds (up to 600), not milliseconds.'
LIMIT = '[timeoutkit] "timeout": 30 was used, and it ran out. timeout is in seconds (up to 600).'
WRITTEN = {"command": "ls", "timeout": 90000}


@pytest.fixture(autouse=True)
def installed():
    RECEIVED.clear()
    with install() as patch:
        yield patch


def run_shell(command: str, timeout: int | None = None) -> str:
    """Run."""
    RECEIVED.append(timeout)
    return "ran"


def told(tool, *calls, plugins=(), run_config=None, **agent):
    """Let an agent call a tool, and give its model, which was told of it."""
    model = scripted(tool, *calls)
    asyncio.run(
        run(LlmAgent(name="agent", model=model, tools=[tool], **agent), plugins=list(plugins), run_config=run_config)
    )
    return model


def returning(result):
    """Make a tool that returns this, or raises it."""

    def run_shell(command: str, timeout: int | None = None):
        RECEIVED.append(timeout)
        if isinstance(result, BaseException):
            raise result
        return result

    return run_shell


class Shell(BaseTool):
    """A tool written by hand, its parameters in Gemini's own types."""

    parameters = types.Schema(
        type=types.Type.OBJECT,
        properties={
            "command": types.Schema(type=types.Type.STRING),
            "timeout": types.Schema(type=types.Type.INTEGER, nullable=True, maximum=600),
        },
    )

    def __init__(self):
        super().__init__(name="run_shell", description="Run.")
        self.declaration = types.FunctionDeclaration(
            name="run_shell", description="Run.", parameters=self.parameters.model_copy(deep=True)
        )

    def _get_declaration(self):
        return self.declaration

    async def run_async(self, *, args, tool_context):
        return run_shell(**args)


class Host:
    def run_shell(self, command: str, timeout: int | None = None) -> str:
        return run_shell(command, timeout)

    @classmethod
    def of_class(cls, command: str, timeout: int | None = None) -> str:
        return run_shell(command, timeout)

    def __call__(self, command: str, timeout: int | None = None) -> str:
        return run_shell(command, timeout)


WAYS = {
    "a class in Gemini's own types": Shell(),
    "a method": Host().run_shell,
    "a class method": Host.of_class,
    "a callable object": FunctionTool(Host()),
    "a partial": FunctionTool(functools.partial(run_shell)),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_define_a_tool(way):
    """However it is made, a tool is corrected, and its model is told the contract."""
    model = told(WAYS[way], WRITTEN)
    assert RECEIVED == [90]
    assert model.responses == [{"result": "ran", "timeout_note": NOTE}]
    assert "not milliseconds" in str(model.declaration)


def test_a_declaration_that_is_shared(installed):
    """The one that the tool holds is not changed."""
    tool = Shell()
    assert "not milliseconds" in str(told(tool, WRITTEN).declaration)
    assert tool.declaration.parameters == Shell.parameters


def test_declarations_in_gemini_s_own_types():
    """A function tool is corrected, and says its contract, where JSON schemas are switched off."""
    with temporary_feature_override(FeatureName.JSON_SCHEMA_FOR_FUNC_DECL, False):
        model = told(run_shell, WRITTEN)
    assert RECEIVED == [90]
    assert "not milliseconds" in model.declaration.parameters.properties["timeout"].description


UNTOUCHED = {
    "no parameters": {},
    "no properties": {"parameters_json_schema": {"type": "object"}},
    "a reference": {
        "parameters_json_schema": {
            "type": "object",
            "properties": {"timeout": {"$ref": "#/$defs/Limit"}},
            "$defs": {"Limit": {"type": "object"}},
        }
    },
    "unrelated types": {
        "parameters_json_schema": {
            "type": "object",
            "properties": {"timeout": {"anyOf": [{"type": "object"}, {"type": "integer"}]}},
        }
    },
    "no properties in Gemini's own types": {"parameters": {"type": "OBJECT"}},
    "a reference in Gemini's own types": {
        "parameters": {"type": "OBJECT", "properties": {"timeout": {"ref": "#/$defs/Limit"}}}
    },
    "unrelated types of Gemini's own": {
        "parameters": {
            "type": "OBJECT",
            "properties": {"timeout": {"any_of": [{"type": "OBJECT"}, {"type": "INTEGER"}]}},
        }
    },
    "no type of Gemini's own": {
        "parameters": {"type": "OBJECT", "properties": {"timeout": {"type": "TYPE_UNSPECIFIED"}}}
    },
}


@pytest.mark.parametrize("kind", UNTOUCHED)
def test_a_schema_without_a_timeout(kind, caplog):
    """It is given to the model as without, the arguments arrive as written, and nothing is logged."""
    given = []

    class Tool(Shell):
        def _get_declaration(self):
            return types.FunctionDeclaration(name="run_shell", **UNTOUCHED[kind])

        async def run_async(self, *, args, tool_context):
            given.append(args)

    tool = Tool()
    assert told(tool, {"timeout": 90000}).declaration == tool._get_declaration()
    assert given == [{"timeout": 90000}]
    assert [record for record in caplog.records if record.name == "timeoutkit"] == []


RESULTS = {
    "a text": ("ran", {"result": "ran", "timeout_note": NOTE}),
    "a mapping": ({"output": "ran"}, {"output": "ran", "timeout_note": NOTE}),
    "a mapping with such a key": ({"timeout_note": "mine"}, {"timeout_note": "mine"}),
    "a list": (["ran"], {"result": ["ran"], "timeout_note": NOTE}),
    "nothing": (None, {"result": None, "timeout_note": NOTE}),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_a_result_of_any_kind(kind):
    """The note is a key beside the result, and what the tool returned is not changed."""
    result, response = RESULTS[kind]
    before = repr(result)
    assert told(returning(result), WRITTEN).responses == [response]
    assert repr(result) == before


def test_a_picture():
    """It travels as before, and the note is in the response that is left."""
    part = types.Part.from_bytes(data=b"picture", mime_type="image/png")
    assert told(returning(part), WRITTEN).responses == [{"timeout_note": NOTE}]


def test_a_tool_that_answers_later():
    """A long-running tool that returns nothing yet has no response, so no note."""
    assert told(LongRunningFunctionTool(returning(None)), WRITTEN).responses == []
    assert RECEIVED == [90]


def _answers(tool, args, tool_context, error):
    return {"error": str(error)}


ANSWERED = {
    "a callback": {"on_tool_error_callback": _answers},
    "a plugin": {"plugins": [ReflectAndRetryToolPlugin()]},
}


@pytest.mark.parametrize("who", ANSWERED)
@pytest.mark.parametrize(
    ("error", "timeout", "note"), [(ValueError("broken"), 90000, NOTE), (TimeoutError("slow"), 30, LIMIT)], ids=repr
)
def test_an_error_that_is_answered(who, error, timeout, note):
    """What the model reads of it has the note beside it."""
    (response,) = told(returning(error), {"command": "ls", "timeout": timeout}, **ANSWERED[who]).responses
    assert response["timeout_note"] == note
    assert str(response).count("[timeoutkit]") == 1


def test_an_error_that_leaves():
    """The exception that is raised has the note, once."""
    with pytest.raises(ValueError, match="broken") as raised:
        told(returning(ValueError("broken")), WRITTEN)
    assert (str(raised.value), raised.value.__notes__) == ("broken", [NOTE])


def test_a_callback_that_answers_for_the_tool():
    """A call that is answered before the tool is run has no note."""
    assert told(run_shell, WRITTEN, before_tool_callback=lambda **_: {"result": "known"}).responses == [
        {"result": "known"}
    ]
    assert RECEIVED == []


def test_a_callback_that_writes_a_timeout():
    """It is corrected as what the model wrote is."""

    def write(tool, args, tool_context):
        args["timeout"] = 7200

    told(run_shell, WRITTEN, before_tool_callback=write)
    assert RECEIVED == [600]


def test_a_strict_policy_is_told(installed):
    """A refused call does not reach the tool, and the model reads why."""
    installed.undo()
    with install(tools={"run_shell": TimeoutPolicy(mode="strict", max=600)}):
        (response,) = told(run_shell, WRITTEN).responses
    assert RECEIVED == []
    assert "seconds" in response["error"]


def test_a_decorated_tool_that_does_not_say_so():
    """Its own policy holds, and its declaration stays as its author wants it."""
    model = told(sane_timeout(max=3600, advertise=False)(run_shell), {"command": "ls", "timeout": 3600})
    assert RECEIVED == [3600]
    assert "Timeout in" not in str(model.declaration)


@pytest.mark.parametrize("way", WAYS)
def test_a_thread_pool(way):
    """A tool that runs in a thread is corrected, with one note."""
    config = RunConfig(tool_thread_pool_config=ToolThreadPoolConfig(max_workers=2))
    assert told(WAYS[way], WRITTEN, run_config=config).responses == [{"result": "ran", "timeout_note": NOTE}]


def test_a_live_session():
    """A session is told the contract when it connects."""
    model = asyncio.run(live(run_shell, WRITTEN))
    assert "not milliseconds" in str(model.declaration)
    assert model.responses == [{"result": "ran", "timeout_note": NOTE}]


def test_a_streaming_tool_of_a_live_session():
    """It is corrected, and the note is in the answer that comes at once, not in the stream."""

    async def run_shell(command: str, timeout: int | None = None):
        """Run."""
        RECEIVED.append(timeout)
        yield "ran"

    streamed, pending = sorted(asyncio.run(live(run_shell, WRITTEN, answers=2)).responses, key=len)
    assert RECEIVED == [90]
    assert streamed == {"result": "ran"}
    assert pending.keys() == {"status", "timeout_note"}


@pytest.mark.parametrize("kind", ["a call", "a workflow"])
def test_a_program_that_calls_the_tool(kind):
    """It is corrected and reported, and the result, which is that program's data, has no note."""
    tool, results = FunctionTool(run_shell), []

    def keep(node_input: str):
        results.append(node_input)

    def start():
        return WRITTEN

    with capture_corrections() as corrections:
        if kind == "a call":
            results.append(asyncio.run(tool.run_async(args=WRITTEN, tool_context=None)))
        else:
            asyncio.run(run(Workflow(name="shell", edges=[("START", start, tool, keep)])))
    assert (RECEIVED, results) == ([90], ["ran"])
    assert [one.reason for one in corrections] == ["read_as_ms"]
    assert WRITTEN["timeout"] == 90000


def test_a_program_whose_call_fails():
    """The exception that the program is given has the note."""
    with pytest.raises(TimeoutError) as raised:
        asyncio.run(
            FunctionTool(returning(TimeoutError("slow"))).run_async(
                args={"command": "ls", "timeout": 30}, tool_context=None
            )
        )
    assert raised.value.__notes__ == [LIMIT]


def test_a_tool_that_calls_another():
    """The one that the model called has no timeout; the other is corrected for the program that calls it."""
    inner = FunctionTool(run_shell)

    async def delegate() -> str:
        return await inner.run_async(args=WRITTEN, tool_context=None)

    assert told(delegate, {}).responses == [{"result": "ran"}]
    assert RECEIVED == [90]


def test_many_calls_at_once():
    """Each of twenty calls has its own value and its own note."""

    async def run_shell(command: str, timeout: int) -> str:
        await asyncio.sleep(0)
        return f"ran within {timeout}"

    calls = [{"command": "ls", "timeout": 1000 * seconds} for seconds in range(73, 93)]
    responses = told(run_shell, *calls).responses
    assert [one["result"] for one in responses] == [f"ran within {seconds}" for seconds in range(73, 93)]
    assert [one["timeout_note"] for one in responses] == [NOTE.replace("90", str(each)) for each in range(73, 93)]


def test_a_call_in_observation_is_reported_once(installed):
    """A function tool in a conversation passes two seams, and is looked at by one."""
    installed.undo()
    with (
        capture_corrections() as corrections,
        install(tools={"run_shell": TimeoutPolicy(mode="observe", max=600)}),
    ):
        told(run_shell, WRITTEN)
    assert RECEIVED == [90000]
    assert len(corrections) == 1


_BEFORE = """
import timeoutkit
from timeoutkit.testing import capture_corrections
timeoutkit.install("google-adk", tools={"run_shell": timeoutkit.TimeoutPolicy(mode="observe", max=600)})
import asyncio
from install.drivers.google_adk import live

def run_shell(command: str, timeout: int = 30):
    return "ran"

with capture_corrections() as corrections:
    asyncio.run(live(run_shell, {"command": "ls", "timeout": 90000}))
assert len(corrections) == 1, corrections
"""


def test_a_live_call_is_reported_once_however_it_was_imported():
    """Installed before the import, the second name of the seam is already open."""
    done = subprocess.run([sys.executable, "-c", _BEFORE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_agent_made_before(installed):
    """It is corrected while installed, and as before when undone."""
    installed.undo()
    tool = FunctionTool(run_shell)
    asked = {"command": "ls", "timeout": 7200}
    before = told(tool, asked)
    with install():
        told(tool, asked)
    after = told(tool, asked)
    assert RECEIVED == [7200, 600, 7200]
    assert (after.responses, after.declaration) == (before.responses, before.declaration)


def test_undone_in_the_middle_of_a_call(installed):
    """The call ends with its note, and the next is as before."""

    def run_shell(command: str, timeout: int) -> str:
        installed.undo()
        return f"ran within {timeout}"

    assert told(run_shell, WRITTEN).responses == [{"result": "ran within 90", "timeout_note": NOTE}]
    assert told(run_shell, WRITTEN).responses == [{"result": "ran within 90000"}]


@pytest.mark.parametrize(
    "module",
    [
        "google.adk",
        "google.adk.agents",
        "google.adk.runners",
        "google.adk.flows.llm_flows.functions",
        "google.adk.flows.llm_flows.tools._live_caller",
    ],
)
def test_whatever_is_imported_first(module):
    """Installed before, it is in place after any import."""
    script = f"import timeoutkit; patch = timeoutkit.install('google-adk'); import {module}; assert patch.applied"
    done = subprocess.run(
        [sys.executable, "-Werror::UserWarning", "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
