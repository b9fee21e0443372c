"""How methods become functions of a Semantic Kernel plugin."""

import asyncio
import json

import pytest
from matrix.tools import RECEIVED
from semantic_kernel import Kernel
from semantic_kernel.contents import ChatHistory, FunctionCallContent
from semantic_kernel.functions import kernel_function

from timeoutkit import sane_timeout


class Shell:
    """A plugin."""

    @kernel_function
    @sane_timeout
    def below(self, command: str, timeout: int | None = None) -> str:
        """Run a shell command."""
        RECEIVED.append(timeout)
        return "ran"

    @sane_timeout
    @kernel_function
    def above(self, command: str, timeout: int | None = None) -> str:
        """Run a shell command."""
        RECEIVED.append(timeout)
        return "ran"


@pytest.mark.parametrize("name", ["below", "above"])
def test_a_method_of_a_plugin(name):
    """A method is corrected, and noted, with either decorator above the other."""
    RECEIVED.clear()
    kernel, history = Kernel(), ChatHistory()
    kernel.add_plugin(Shell(), "shell")
    call = FunctionCallContent(
        id="1", name=f"shell-{name}", arguments=json.dumps({"command": "ls", "timeout": "90000"})
    )
    asyncio.run(kernel.invoke_function_call(call, history))
    assert RECEIVED == [90]
    assert '"timeout": 90 was used' in str(history.messages[-1].items[0].result)
