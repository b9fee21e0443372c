"""What the demonstration runs: a real shell tool, called as models call it."""

import subprocess
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Call = Mapping[str, Any]
"""The arguments of a call, as a model wrote them."""

OMITTED: Call = {"command": "echo ok"}
ZERO: Call = {**OMITTED, "timeout": 0}
NEGATIVE: Call = {**OMITTED, "timeout": -1}
SECONDS: Call = {**OMITTED, "timeout": 30}
MILLISECONDS: Call = {**OMITTED, "timeout": 90000}
TEXT: Call = {**OMITTED, "timeout": "30s"}
TOO_LONG: Call = {**OMITTED, "timeout": 7200}
CALLS = (OMITTED, ZERO, NEGATIVE, SECONDS, MILLISECONDS, TEXT, TOO_LONG)
# subprocess kills the shell alone: with exec that is the command itself, and nothing of it stays behind
HANGING: Call = {"command": "exec sleep 60", "timeout": 7200}

_received: list[Any] = []


def run_shell(command: str, timeout: int | None = None) -> str:
    """Run a command in the shell and return its output."""
    _received.append(timeout)
    return subprocess.run(command, shell=True, capture_output=True, text=True, timeout=timeout).stdout


class Answer(NamedTuple):
    """What came of a call."""

    received: Any
    """The timeout that the tool itself was called with."""
    seconds: float
    """How long the call took."""
    text: str
    """What the model reads: the output, or the error with its notes, as a host would send it."""


def ask(tool: Callable[..., str], call: Call) -> Answer:
    """Call a tool as a host does, and keep what there is to see."""
    start = time.perf_counter()
    try:
        text = tool(**call)
    except subprocess.TimeoutExpired as error:
        text = "\n".join([str(error), *getattr(error, "__notes__", ())])
    return Answer(_received.pop(), time.perf_counter() - start, text)
