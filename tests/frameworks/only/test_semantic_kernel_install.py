"""What `install` does in Semantic Kernel alone: its kinds of functions and values, filters, and agent services."""

import asyncio
import functools
import importlib
import json

import pytest
from install.drivers.semantic_kernel import agent_of, kernel_of, plugin_of
from install.here import RECEIVED, install, tool_of
from pydantic import BaseModel
from semantic_kernel import Kernel
from semantic_kernel.contents import ChatHistory, FunctionCallContent
from semantic_kernel.exceptions import KernelInvokeException
from semantic_kernel.filters import FilterTypes
from semantic_kernel.functions import KernelArguments, kernel_function

from timeoutkit import TimeoutPolicy
from timeoutkit.integrations.semantic_kernel import _AGENT_SERVICES

NOTE = '[timeoutkit] "timeout": 90 was used. timeout is in seconds (up to 600), not milliseconds.'
CONTRACT = "Timeout in seconds, e.g. 30; at most 600; default 120; not milliseconds."
WRITTEN = {"command": "ls", "timeout": 90000}


@pytest.fixture(autouse=True)
def installed():
    RECEIVED.clear()
    with install() as patch:
        yield patch


def told(kernel, arguments, name="shell-run_shell"):
    """Give what a model reads of a call that it made."""
    history = ChatHistory()
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    asyncio.run(kernel.invoke_function_call(FunctionCallContent(id="1", name=name, arguments=text), history))
    return str(history.messages[-1].items[0].result)


def run(kernel, **arguments):
    return asyncio.run(kernel.invoke(function_name="run_shell", plugin_name="shell", **arguments))


def test_arguments_that_are_no_json():
    """The model reads the framework's own error, and the function is not run."""
    text = told(kernel_of(tool_of("sync")), '{"timeout": 90000')
    assert text.startswith("The tool call arguments are malformed")
    assert "[timeoutkit]" not in text
    assert RECEIVED == []


def test_an_argument_that_is_not_there():
    """What the framework says of a call that it does not make is left as it is."""
    text = told(kernel_of(tool_of("sync")), {"timeout": 90000})
    assert "command" in text
    assert "[timeoutkit]" not in text


@pytest.mark.parametrize("value", [{"output": "ran"}, ["ran"], 7, None])
def test_what_a_program_gets_keeps_its_type(value):
    """A value that is no text is the very same, and the note is in the metadata of the result."""
    result = run(kernel_of(tool_of("sync", value)), **WRITTEN)
    assert result.value == value
    assert type(result.value) is type(value)
    assert result.metadata["timeout_note"] == NOTE


def test_what_a_program_gets_raised():
    """The exception keeps its message and gains the note as its own."""
    with pytest.raises(KernelInvokeException) as raised:
        run(kernel_of(tool_of("sync", ValueError("broken"))), **WRITTEN)
    cause = raised.value.__cause__
    assert (str(cause), cause.__notes__) == ("broken", [NOTE])


def test_arguments_of_a_program_are_left_as_they_were():
    """They are copied with the settings they carry, never changed."""
    arguments = KernelArguments(**WRITTEN)
    asyncio.run(kernel_of(tool_of("sync")).invoke(function_name="run_shell", plugin_name="shell", arguments=arguments))
    assert RECEIVED == [90]
    assert dict(arguments) == WRITTEN


def test_a_default_of_its_own():
    """A function keeps the default that it declares, which the framework's schema leaves out, and the model is told."""

    def run_shell(command: str, timeout: int = 30) -> str:
        RECEIVED.append(timeout)
        return "ran"

    agent, service = agent_of(plugin_of(run_shell), calls=[("shell-run_shell", {"command": "ls"})])
    asyncio.run(agent.get_response("go"))
    assert RECEIVED == [30]
    assert "default 30;" in service.tools[0]["function"]["parameters"]["properties"]["timeout"]["description"]


class Wait(BaseModel):
    seconds: int


def nothing() -> str:
    return "ran"


def union(timeout: int | list[int]) -> str:
    return f"ran {timeout}"


def model(timeout: Wait) -> str:
    return f"ran {timeout.seconds}"


def flag(timeout: bool) -> str:
    return f"ran {timeout}"


ODD = [
    (nothing, {}, "ran"),
    (union, {"timeout": [90000]}, "ran [90000]"),
    (model, {"timeout": {"seconds": 90000}}, "ran 90000"),
    (flag, {"timeout": True}, "ran True"),
]


@pytest.mark.parametrize(("function", "arguments", "read"), ODD)
def test_a_function_without_such_a_timeout(installed, function, arguments, read):
    """What is not a limit in time passes untouched, and its schema too."""

    def loop():
        agent, service = agent_of(plugin_of(function), calls=[(f"shell-{function.__name__}", arguments)])
        asyncio.run(agent.get_response("go"))
        return service.tools, service.texts

    tools, texts = loop()
    installed.undo()
    assert texts == [read]
    assert (tools, texts) == loop()


class Shell:
    @kernel_function
    def run_shell(self, command: str, timeout: int | None = None) -> str:
        RECEIVED.append(timeout)
        return "ran"

    @staticmethod
    @kernel_function
    def static(command: str, timeout: int | None = None) -> str:
        RECEIVED.append(timeout)
        return "ran"


@pytest.mark.parametrize("name", ["run_shell", "static"])
def test_a_method_of_a_plugin(name):
    """Methods are corrected as functions are."""
    kernel = Kernel()
    kernel.add_plugin(Shell(), "shell")
    assert told(kernel, WRITTEN, f"shell-{name}") == f"ran\n\n{NOTE}"
    assert RECEIVED == [90]


def test_a_partial():
    """A partial is corrected as its function is."""

    def run_in(where: str, command: str, timeout: int | None = None) -> str:
        RECEIVED.append(timeout)
        return "ran"

    bound = functools.partial(run_in, "here")
    bound.__name__ = "run_shell"
    assert NOTE in told(kernel_of(bound), WRITTEN)
    assert RECEIVED == [90]


def test_a_generator_is_corrected_and_keeps_its_protocol():
    """A function that streams receives the corrected timeout, and nothing is added to its stream."""

    async def run_shell(command: str, timeout: int | None = None):
        RECEIVED.append(timeout)
        yield "one"
        yield "two"

    async def streamed():
        kernel = kernel_of(run_shell)
        function = kernel.get_function("shell", "run_shell")
        return [part async for part in function.invoke_stream(kernel, KernelArguments(**WRITTEN))]

    assert asyncio.run(streamed()) == ["one", "two"]
    assert RECEIVED == [90]


def test_a_failure_inside_of_a_call_that_succeeds():
    """The model reads nothing of an inner call that failed and was caught."""

    @kernel_function(name="inner")
    def inner(command: str, timeout: int | None = None) -> str:
        raise TimeoutError("late")

    async def run_shell(command: str) -> str:
        try:
            await kernel.invoke(function_name="inner", plugin_name="other", **WRITTEN)
        except KernelInvokeException:
            return "ran anyway"

    kernel = kernel_of(run_shell)
    kernel.add_function("other", inner)
    assert told(kernel, {"command": "ls"}) == "ran anyway"


def test_a_filter_of_the_users_own():
    """A filter that changes the arguments is before us, and a filter sees the value as it was."""
    seen = []

    async def longer(context, next):
        context.arguments["timeout"] = 120000
        await next(context)
        seen.append(context.function_result.value)

    kernel = kernel_of(tool_of("sync", {"output": "ran"}))
    kernel.add_filter(FilterTypes.AUTO_FUNCTION_INVOCATION, longer)
    assert '"timeout": 120 was used' in told(kernel, WRITTEN)
    assert (RECEIVED, seen) == ([120], [{"output": "ran"}])


def test_what_a_strict_policy_refuses(installed):
    """The model reads the refusal, and the function is not run."""
    installed.undo()
    with install(tools={"run_shell": TimeoutPolicy(max=60, mode="strict")}):
        text = told(kernel_of(tool_of("sync")), WRITTEN)
    assert text.startswith("An error occurred while invoking the function shell-run_shell")
    assert "60" in text
    assert RECEIVED == []


@pytest.mark.parametrize("service", _AGENT_SERVICES)
def test_what_an_agent_service_sends_of_a_function(installed, service):
    """Each formats the metadata by a name of its own, which states the contract and leaves the metadata as it is."""
    module, _, name = service.partition(":")
    module = importlib.import_module(f"semantic_kernel.agents.{module}")
    metadata = kernel_of(tool_of("sync")).get_full_list_of_function_metadata()[0]
    before = metadata.model_copy(deep=True)
    assert CONTRACT in json.dumps(getattr(module, name)(metadata))
    assert metadata == before
    installed.undo()
    assert CONTRACT not in json.dumps(getattr(module, name)(metadata))


def test_an_agent_made_before(installed):
    """It is corrected while installed, and after that it is as it was."""
    installed.undo()
    calls = [("shell-run_shell", WRITTEN)]
    agent, service = agent_of(plugin_of(tool_of("sync")), calls=calls)
    for inside in (False, True, False):
        service.turns, service.tools = [list(calls)], []
        patch = install()
        if not inside:
            patch.undo()
        asyncio.run(agent.get_response("go"))
        patch.undo()
        assert (NOTE in service.texts[0]) == inside
        assert (CONTRACT in json.dumps(service.tools)) == inside
    assert RECEIVED == [90000, 90, 90000]


def test_many_calls_at_once():
    """Of twenty calls of one turn each reads the note that is its own."""
    values = [90000, 30] * 10
    calls = [("shell-run_shell", {"command": "ls", "timeout": value}) for value in values]
    agent, service = agent_of(plugin_of(tool_of("async")), calls=calls)
    asyncio.run(agent.get_response("go"))
    assert [NOTE in text for text in service.texts] == [value == 90000 for value in values]
