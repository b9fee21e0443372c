"""opendot, a program with a loop of its own, whose `run_shell` nobody can name: made anew in a method of each toolbox.

`Toolbox.call` is what can be named, and every call of a tool passes it, its arguments as a mapping. A retrofit of
`subprocess:run`, which the tool calls in the end, corrects as well, but the note would stand in a result that only
opendot sees.
"""

import asyncio
import json
import os

import pytest

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it would download that when it is imported

import litellm
from litellm.types.utils import GenericStreamingChunk
from opendot.agent.config import AgentConfig
from opendot.agent.loop import Agent
from opendot.tools import local

from timeoutkit import retrofit

TARGET = "opendot.tools.local:Toolbox.call"
PLACE = {"param": ("args", "timeout"), "keep": (0,)}
"""Where the timeout stands, and the value that opendot itself takes for its default."""
NOTE = '[timeoutkit] "timeout": 90 was used. timeout is in seconds (up to 600), not milliseconds.'


class Scripted(litellm.CustomLLM):
    """A provider whose model calls `run_shell` once."""

    def __init__(self, arguments):
        super().__init__()
        self.arguments = arguments

    async def astreaming(self, *_arguments, messages, **_named):
        called = messages[-1]["role"] == "tool"
        function = {"name": "run_shell", "arguments": json.dumps(self.arguments)}
        yield GenericStreamingChunk(
            text="done" if called else "",
            tool_use=None if called else {"id": "1", "type": "function", "function": function, "index": 0},
            is_finished=True,
            finish_reason="stop" if called else "tool_calls",
            index=0,
            usage=None,
        )


@pytest.fixture
def within(monkeypatch, tmp_path):
    """Collect the timeouts that processes are run with."""
    monkeypatch.setenv("OPENDOT_HOME", str(tmp_path / "home"))
    seen = []
    run = local.subprocess.run
    monkeypatch.setattr(
        local.subprocess, "run", lambda *args, **named: (seen.append(named["timeout"]), run(*args, **named))[1]
    )
    return seen


@pytest.fixture
def toolbox(tmp_path):
    return local.Toolbox(str(tmp_path))


def test_what_a_model_reads(within, tmp_path, monkeypatch):
    """Through the whole loop of its agent, a model that writes milliseconds gets seconds, and is told so."""
    provider = Scripted({"command": "echo $((6*7))", "timeout": 90000})
    monkeypatch.setattr(litellm, "custom_provider_map", [{"provider": "scripted", "custom_handler": provider}])

    async def run():
        one = Agent(AgentConfig(model="scripted/model", workdir=str(tmp_path)))
        events = [event async for event in one.run("go")]
        assert events[-1].type == "final"
        return next(message["content"] for message in one.messages if message["role"] == "tool")

    with retrofit(TARGET, **PLACE):
        text = asyncio.run(run())
    assert text == f"42\n\n[exit 0]\n\n{NOTE}"
    assert within == [90]


@pytest.mark.parametrize(
    ("written", "received", "noted"),
    [
        ({"timeout": 90000}, 90, True),
        ({"timeout": "45s"}, 45, False),
        ({"timeout": 7200}, 600, True),
        ({"timeout": 30}, 30, False),
        ({"timeout": 0}, 120, False),
        ({"timeout": None}, 120, False),
        ({}, 120, False),
    ],
    ids=repr,
)
def test_a_value(toolbox, within, written, received, noted):
    """The target corrects a toolbox that was there before; what means opendot's own default still does."""
    with retrofit(TARGET, **PLACE):
        text = toolbox.call("run_shell", {"command": "echo", **written})
    assert within == [received]
    assert ("[timeoutkit]" in text) == noted


def test_other_tools_pass(toolbox, tmp_path):
    """A tool without a timeout is called and answers as it does without."""
    (tmp_path / "notes.txt").write_text("one\n")
    plain = toolbox.call("read_file", {"path": "notes.txt"})
    with retrofit(TARGET, **PLACE):
        assert toolbox.call("read_file", {"path": "notes.txt"}) == plain


def test_the_function_itself_is_no_target(toolbox):
    """Two toolboxes have two functions, and a module has none of that name."""
    assert toolbox._tools["run_shell"].run.__qualname__ == "Toolbox._build.<locals>.run_shell"
    with pytest.raises(AttributeError, match="has no attribute 'run_shell'"):
        retrofit("opendot.tools.local:run_shell")


def test_what_it_calls_in_the_end(toolbox, within):
    """The process is what a target below corrects as well, and then the model is not told."""
    with retrofit("subprocess:run"):
        text = toolbox.call("run_shell", {"command": "echo", "timeout": 90000})
    assert within == [90]
    assert "[timeoutkit]" not in text
