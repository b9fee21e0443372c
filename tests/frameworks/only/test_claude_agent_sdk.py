"""How the Claude Agent SDK calls a handler, and what it refuses before."""

import asyncio
import re

import pytest
from matrix.drivers.claude_agent_sdk import call, input_schema, served
from matrix.page import PAGE
from matrix.tools import RECEIVED, closure, decorated, handler

from timeoutkit import sane_timeout


def called(tool, timeout, **timeout_schema):
    """Call a tool whose schema describes the timeout so; what the handler received, and what the model reads."""
    RECEIVED.clear()
    schema = input_schema(tool)
    schema["properties"]["timeout"] = timeout_schema
    _, text = asyncio.run(call(tool, {"command": "ls", "timeout": timeout}, schema))
    return RECEIVED.copy(), text


@pytest.mark.parametrize("timeout", ["30s", "30", None])
def test_a_schema_of_numbers_refuses_texts(timeout):
    """A text or null never reaches a handler whose schema is the policy's own, decorated or not."""
    tool = decorated(handler())
    stated = tool.timeout_policies["args", "timeout"].json_schema()
    for handled in (tool, closure(tool), tool.__wrapped__):
        received, text = called(handled, timeout, **stated)
        assert received == []
        assert text.startswith("Input validation error")


def test_a_schema_of_numbers_lets_numbers_through():
    """A number is corrected, however wrong it is."""
    tool = decorated(handler())
    assert called(tool, 90000, **tool.timeout_policies["args", "timeout"].json_schema())[0] == [90]


def test_bounds_are_enforced():
    """A value out of bounds that stand in the schema never reaches the handler, decorated or not."""
    tool = decorated(handler())
    stated = tool.timeout_policies["args", "timeout"].json_schema(bounds=True)
    for handled in (tool, closure(tool), tool.__wrapped__):
        received, text = called(handled, 7200, **stated)
        assert received == []
        assert "600" in text


def test_a_method_as_handler():
    """A coroutine method is a handler too."""

    class Shell:
        @sane_timeout(param=("args", "timeout"))
        async def run_shell(self, args):
            return {"content": [{"type": "text", "text": f"ran within {args['timeout']} s"}]}

    _, text = asyncio.run(call(Shell().run_shell, {"command": "ls", "timeout": "30s"}))
    assert text == "ran within 30 s"


def test_a_plain_function_is_no_handler():
    """The SDK awaits what a handler gives, so a plain function fails, decorated or not."""

    def run_shell(args: dict):
        return {"content": [{"type": "text", "text": "ran"}]}

    tool = decorated(run_shell)
    texts = {asyncio.run(call(handled, {"command": "ls"}))[1] for handled in (tool, closure(tool), run_shell)}
    assert len(texts) == 1
    assert "await" in texts.pop()


@pytest.mark.parametrize(("written", "used"), [(90000, 90), ("30s", 30), (None, 120)])
def test_the_example_of_the_page(written, used):
    """The handler in the documentation is called with every value corrected."""
    names = {}
    exec(re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[1], names)
    _, text = asyncio.run(served(names["run_shell"], {"command": "ls", "timeout": written}))
    assert text.startswith(f"ran within {used} s")
