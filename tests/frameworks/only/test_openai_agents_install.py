"""What is special to the OpenAI Agents SDK: arguments as text, results that are not texts, and the shell tool."""

import asyncio
import json

import pytest
from agents import (
    Agent,
    FunctionTool,
    ModelBehaviorError,
    ProgrammaticToolCallingTool,
    Runner,
    ShellCallOutcome,
    ShellCommandOutput,
    ShellResult,
    ShellTool,
    ToolOutputText,
    ToolTimeoutError,
    function_tool,
)
from agents.models.chatcmpl_converter import Converter
from agents.realtime.openai_realtime import OpenAIRealtimeWebSocketModel
from agents.run_internal import tool_actions, turn_resolution
from agents.testing import ScriptedModel, assistant_message, function_call
from install.drivers.openai_agents import QUIET, run, scripted, texts_of
from install.here import RECEIVED, install, read_of, tool_of
from openai.types.responses.response_function_shell_tool_call import Action, ResponseFunctionShellToolCall
from openai.types.responses.response_function_tool_call import CallerProgram
from pydantic import BaseModel

from timeoutkit import TimeoutPolicy

CONTRACT = "Timeout in seconds, e.g. 30; at most 600; default 120; not milliseconds."
NOTE = '[timeoutkit] "timeout": 90 was used.'


@pytest.fixture
def installed():
    with install() as patch:
        yield patch


@pytest.fixture(autouse=True)
def _received():
    RECEIVED.clear()


def called(made, arguments, **options):
    """Give what the model reads of a call of a tool."""
    return asyncio.run(run(made, made.name, arguments, **options))


# -- arguments -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("written", ["{", '"ls"', "[1]", "null", '{"timeout": 90000'])
def test_malformed_arguments_are_the_sdks_own_matter(written):
    """The model reads the same as without, and nothing of ours."""
    made = function_tool(tool_of("sync"))
    plain = called(made, written)
    with install():
        assert called(made, written) == plain
    assert RECEIVED == []
    assert "[timeoutkit]" not in plain


def test_no_arguments_at_all(installed):
    """An empty text stands for no arguments, and the default is put in."""
    called(function_tool(_optional, name_override="run_shell"), "")
    assert RECEIVED == [120]


def _optional(command: str = "ls", timeout: int | None = None) -> str:
    RECEIVED.append(timeout)
    return "ran"


SCHEMAS = {
    "nothing": {},
    "no properties": {"type": "object"},
    "odd properties": {"type": "object", "properties": {"timeout": True}},
    "a reference": {
        "type": "object",
        "properties": {"command": {}, "timeout": {"$ref": "#/$defs/Limit"}},
        "$defs": {"Limit": {"type": "integer"}},
    },
    "a union": {"type": "object", "properties": {"timeout": {"anyOf": [{"type": "integer"}, {"type": "object"}]}}},
}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_schema_that_says_no_number(installed, schema):
    """Such a tool is called with what the model wrote, and its schema is shown as it is."""
    written = []

    async def invoke(_context, arguments):
        written.append(arguments)
        return "ran"

    made = FunctionTool("odd", "An odd tool.", SCHEMAS[schema], invoke, strict_json_schema=False)
    model = scripted(("odd", '{"timeout":  90000}'))
    asyncio.run(Runner.run(Agent("agent", model=model, tools=[made]), "hi", run_config=QUIET))
    assert (texts_of(model), written) == (["ran"], ['{"timeout":  90000}'])
    assert model.calls[0].tools[0] is made


def test_what_an_approval_sees_is_what_the_model_wrote(installed):
    """A function that approves is asked before the correction, and its parsed arguments are not used."""
    asked = []

    async def needed(_context, arguments, _id):
        asked.append(arguments["timeout"])
        return False

    text = called(function_tool(tool_of("sync"), needs_approval=needed), {"command": "ls", "timeout": 90000})
    assert (asked, RECEIVED) == ([90000], [90])
    assert NOTE in text


def test_twenty_calls_at_once(installed):
    """Each is corrected by itself."""
    amounts = [None, 30, 90000, 0] * 5
    model = scripted(*(("run_shell", {"command": "ls", "timeout": amount}) for amount in amounts))
    agent = Agent("agent", model=model, tools=[function_tool(tool_of("async"))])
    asyncio.run(Runner.run(agent, "hi", run_config=QUIET))
    assert sorted(RECEIVED) == [30] * 5 + [90] * 5 + [120] * 10
    assert sum("[timeoutkit]" in text for text in texts_of(model)) == 10


class Shell:
    def run_shell(self, command: str, timeout: int | None = None) -> str:
        RECEIVED.append(timeout)
        return "ran"

    @classmethod
    def of_the_class(cls, command: str, timeout: int | None = None) -> str:
        RECEIVED.append(timeout)
        return "ran"


FUNCTIONS = {
    "a method": Shell().run_shell,
    "a class method": Shell.of_the_class,
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_of_another_kind(installed, function):
    """Whatever a tool is made from, its call is corrected."""
    text = called(function_tool(FUNCTIONS[function], name_override="run_shell"), {"command": "ls", "timeout": 90000})
    assert RECEIVED == [90]
    assert text.count("[timeoutkit]") == 1


# -- results -------------------------------------------------------------------------------------------------------


def test_parts_gain_a_part(installed):
    """A result of content parts keeps them as they are."""

    def run_shell(command: str, timeout: int) -> list[ToolOutputText]:
        return [ToolOutputText(text="ran"), ToolOutputText(text="well")]

    text = called(function_tool(run_shell), {"command": "ls", "timeout": 90000})
    assert text.startswith(f"ran\n\nwell\n\n{NOTE}")


def test_the_application_is_given_what_the_tool_returned(installed):
    """A run that ends with a tool's result has that as its output, and what a model reads of it has the note."""
    model = scripted(("run_shell", {"command": "ls", "timeout": 90000}))
    tools = [function_tool(tool_of("sync", {"output": "ran"}))]
    agent = Agent("agent", model=model, tools=tools, tool_use_behavior="stop_on_first_tool")
    result = asyncio.run(Runner.run(agent, "hi", run_config=QUIET))
    assert result.final_output == "{'output': 'ran'}"
    assert result.new_items[-1].output == {"output": "ran"}
    assert NOTE in result.to_input_list()[-1]["output"]


class Answer(BaseModel):
    output: str


def test_a_result_with_a_schema_has_no_note(installed):
    """Nothing fits beside a payload that is validated; the correction itself is made."""

    def run_shell(command: str, timeout: int) -> Answer:
        RECEIVED.append(timeout)
        return Answer(output="ran")

    made = function_tool(run_shell, output_type=Answer)
    assert json.loads(called(made, {"command": "ls", "timeout": 90000})) == {"output": "ran"}
    assert RECEIVED == [90]


def test_a_program_reads_no_note(installed):
    """What the model's program calls gives that program what it returned."""
    program = {"type": "program", "id": "1", "call_id": "program_1", "code": "run_shell()", "fingerprint": "1"}
    call = function_call("run_shell", {"command": "ls", "timeout": 90000}, call_id="1")
    call.caller = CallerProgram(type="program", caller_id="program_1")
    made = function_tool(tool_of("sync"), allowed_callers=["programmatic"])
    model = ScriptedModel([[program, call], [assistant_message("done")]])
    agent = Agent("agent", model=model, tools=[made, ProgrammaticToolCallingTool()])
    asyncio.run(Runner.run(agent, "hi", run_config=QUIET))
    assert (texts_of(model), RECEIVED) == (["ran"], [90])


def test_an_error_that_leaves_the_run_carries_the_note(installed):
    """Without an error function a failure is raised, and what it was made from has the note."""
    made = function_tool(tool_of("sync", ValueError("broken")), failure_error_function=None)
    with pytest.raises(Exception, match="broken") as raised:
        called(made, {"command": "ls", "timeout": 90000})
    assert raised.value.__cause__.__notes__[0].startswith(NOTE)


@pytest.mark.parametrize("behavior", ["error_as_result", "raise_exception"])
def test_the_sdks_own_limit_is_not_the_tools(installed, behavior):
    """A call that ran into `function_tool(timeout=)` did not run into the limit that the model asked for."""

    async def run_shell(command: str, timeout: int) -> None:
        await asyncio.sleep(10)

    made = function_tool(run_shell, timeout=0.01, timeout_behavior=behavior)
    if behavior == "error_as_result":
        assert "[timeoutkit]" not in called(made, {"command": "ls", "timeout": 30})
    else:
        with pytest.raises(ToolTimeoutError) as raised:
            called(made, {"command": "ls", "timeout": 30})
        assert not hasattr(raised.value, "__notes__")


def test_a_refusal_is_told_as_a_failure_of_the_tool():
    """A strict policy refuses, the tool is not called, and the run goes on."""
    corrections = []
    with install(tools={"run_shell": TimeoutPolicy(mode="strict")}, on_correction=corrections.append):
        text = read_of(tool_of("sync"), timeout=90000)
    assert RECEIVED == []
    assert text.startswith("An error occurred while running the tool.")
    assert "90000" in text
    assert len(corrections) == 1


def test_a_refusal_is_raised_where_failures_are():
    """A tool without an error function raises the refusal as it would raise its own error."""
    made = function_tool(tool_of("sync"), failure_error_function=None)
    with install(tools={"run_shell": TimeoutPolicy(mode="strict")}), pytest.raises(Exception, match="90000"):
        called(made, {"command": "ls", "timeout": 90000})


# -- what the model is shown ---------------------------------------------------------------------------------------


def test_a_strict_schema_gains_no_default(installed):
    """The contract is in words there, as some providers refuse a strict schema with a default."""
    made = function_tool(tool_of("sync"))
    loose = function_tool(tool_of("sync"), strict_mode=False, name_override="loose")
    model = scripted()
    asyncio.run(Runner.run(Agent("agent", model=model, tools=[made, loose]), "hi", run_config=QUIET))
    strict, other = (tool.params_json_schema["properties"]["timeout"] for tool in model.calls[0].tools)
    assert "default" not in strict
    assert other["default"] == 120
    assert CONTRACT in strict["description"]
    assert CONTRACT in other["description"]


def test_a_default_of_the_tools_own_stays(installed):
    """What the SDK shows of a strict tool's default, it shows as before."""

    def run_shell(command: str, timeout: int = 60) -> str:
        return "ran"

    model = scripted()
    agent = Agent("agent", model=model, tools=[function_tool(run_shell)])
    asyncio.run(Runner.run(agent, "hi", run_config=QUIET))
    assert model.calls[0].tools[0].params_json_schema["properties"]["timeout"]["default"] == 60


def test_a_realtime_session_is_shown_the_contract(installed):
    """The session's tools are amended on their way into the session."""
    (shown,) = OpenAIRealtimeWebSocketModel()._tools_to_session_tools([function_tool(tool_of("sync"))], [])
    assert CONTRACT in json.dumps(shown.parameters)


def test_the_models_of_the_sdk_read_the_copy(installed):
    """What a model is given converts as any other tool, and the run's own tool has its schema."""
    made = function_tool(tool_of("sync"))
    model = scripted()
    asyncio.run(Runner.run(Agent("agent", model=model, tools=[made]), "hi", run_config=QUIET))
    (shown,) = model.calls[0].tools
    assert CONTRACT in json.dumps(Converter.tool_to_openai(shown))
    assert CONTRACT not in json.dumps(Converter.tool_to_openai(made))


def test_a_run_outlives_its_patch():
    """Undone in the middle of a run, the next turn is shown the tool itself and is called as before."""
    made = function_tool(tool_of("sync"))
    patch = install()

    def turn(_call):
        patch.undo()
        return [function_call("run_shell", {"command": "ls", "timeout": 90000}, call_id="2")]

    first = function_call("run_shell", {"command": "ls", "timeout": 90000}, call_id="1")
    model = ScriptedModel([[first], {"responder": turn}, [assistant_message("done")]])
    asyncio.run(Runner.run(Agent("agent", model=model, tools=[made]), "hi", run_config=QUIET))
    assert RECEIVED == [90, 90000]
    assert model.calls[-1].tools[0] is made
    assert [NOTE in text for text in texts_of(model)] == [True, False]


# -- the shell tool ------------------------------------------------------------------------------------------------

SHELL_VALUES = [
    # what the call says, what the executor receives, whether a note is due
    ({"timeout_ms": 30000}, 30000, False),
    ({"timeout_ms": 30}, 30000, True),
    ({"timeout_ms": 0}, 120000, True),
    ({"timeout_ms": "30s"}, 30000, False),
    ({"timeout_ms": 30.5}, 30500, True),
    ({"timeout_ms": -1}, 120000, True),
    ({"timeout_ms": 7200000}, 600000, True),
    ({}, 120000, False),
    ({"timeoutMs": 7200000}, 600000, True),
    ({"timeout": 7200000}, 600000, True),
    ({"timeout_ms": 0, "timeout": 45000}, 45000, False),
]


def shell_called(call, result="ran", **options):
    """Give what the model reads of a shell call, whose executor returns or raises the result."""

    def executor(request):
        RECEIVED.append(request.data.action.timeout_ms)
        assert request.data.raw == call
        if isinstance(result, Exception):
            raise result
        return result

    model = ScriptedModel([[call], [assistant_message("done")]])
    agent = Agent("agent", model=model, tools=[ShellTool(executor, **options)])
    result_ = asyncio.run(Runner.run(agent, "hi", run_config=QUIET))
    while result_.interruptions:
        state = result_.to_state()
        state.approve(result_.interruptions[0])
        result_ = asyncio.run(Runner.run(agent, state, run_config=QUIET))
    (output,) = (item for item in model.calls[-1].input if item.get("type") == "shell_call_output")
    return output["output"]


def shell_call(**action):
    """Make a call as an adapter may pass it on, with values that the API's own type does not allow."""
    made = Action.construct(commands=["ls"], **action)
    return ResponseFunctionShellToolCall.construct(
        type="shell_call", id="1", call_id="1", status="completed", action=made
    )


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.parametrize(("written", "received", "noted"), SHELL_VALUES, ids=repr)
def test_the_shells_timeout(installed, written, received, noted):
    """It is in milliseconds under any of its names, and the note is an output of its own."""
    entries = shell_called(shell_call(**written))
    assert RECEIVED == [received]
    assert entries[0]["stdout"] == "ran"
    notes = [f'[timeoutkit] "timeout_ms": {received} was used.' in entry["stdout"] for entry in entries[1:]]
    assert notes == [True] * noted


@pytest.mark.parametrize("module", [tool_actions, turn_resolution], ids=["executed", "resumed"])
def test_a_shell_call_is_corrected_in_a_copy(installed, module):
    """What the model wrote stays as it is, whether it is of the API's type or a mapping."""
    coerced = module.coerce_shell_call
    call = shell_call(timeout_ms=30)
    plain = call.to_dict()
    assert coerced(call).action.timeout_ms == coerced(plain).action.timeout_ms == 30000
    assert coerced(plain).raw is plain
    assert call.action.timeout_ms == plain["action"]["timeout_ms"] == 30


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_an_approved_shell_call(installed):
    """The policy that approves, and the call that is resumed, see the corrected limit."""
    asked = []

    async def needed(_context, action, _id):
        asked.append(action.timeout_ms)
        return True

    assert len(shell_called(shell_call(timeout_ms="2h"), needs_approval=needed)) == 2
    assert (set(asked), RECEIVED) == ({600000}, [600000])


def test_an_agent_with_a_shell_inside_of_a_tool(installed):
    """The call of the tool is told of its own timeout, the call of the shell of another."""
    told = []

    async def run_shell(command: str, timeout: int) -> str:
        inner = ScriptedModel([[shell_call(timeout_ms=7200000)], [assistant_message("done")]])
        agent = Agent("inner", model=inner, tools=[ShellTool(lambda _request: "ran")])
        await Runner.run(agent, "hi", run_config=QUIET)
        told.extend(inner.calls[-1].input[-1]["output"])
        return "ran"

    text = called(function_tool(run_shell), {"command": "ls", "timeout": 90000})
    assert text.startswith(f"ran\n\n{NOTE}")
    assert '"timeout_ms": 600000 was used.' in told[-1]["stdout"]


TIMED_OUT = ShellResult(output=[ShellCommandOutput(stdout="so far", outcome=ShellCallOutcome(type="timeout"))])
LIMIT = '[timeoutkit] "timeout_ms": 30000 was used, and it ran out.'


@pytest.mark.parametrize("result", [TIMED_OUT, TimeoutError("too late")], ids=["outcome", "raised"])
def test_a_shell_command_that_ran_into_its_limit(installed, result):
    """The model is told the limit, whichever way the executor says so."""
    entries = shell_called(shell_call(timeout_ms=30000), result)
    assert LIMIT in entries[-1]["stdout"]


def test_a_shell_that_fails_otherwise(installed):
    """Another failure is told as without."""
    assert len(shell_called(shell_call(timeout_ms=30000), ValueError("broken"))) == 1


@pytest.mark.parametrize("call", [{"call_id": "1"}, {"call_id": "1", "action": {}}], ids=["no action", "no commands"])
def test_a_shell_call_without_commands(installed, call):
    """It is refused by the SDK in its own words."""
    with pytest.raises(ModelBehaviorError, match="action"):
        tool_actions.coerce_shell_call(call)


def test_the_shell_without_us():
    """Undone, the shell is called as before."""
    install().undo()
    assert len(shell_called(shell_call(timeout_ms=30))) == 1
    assert RECEIVED == [30]
