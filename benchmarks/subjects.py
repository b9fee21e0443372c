"""The functions that are decorated: they do nothing, so that a call costs what its wrapper costs."""

import itertools
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

OWN_DEFAULT = 30


def run_shell(command: str, timeout: int = OWN_DEFAULT) -> str:  # noqa: ARG001
    """Give the command back."""
    return command


async def run_shell_soon(command: str, timeout: int = OWN_DEFAULT) -> str:  # noqa: ARG001
    """Give the command back, awaited."""
    return command


class Shell:
    """Holds the method."""

    def run(self, command: str, timeout: int = OWN_DEFAULT) -> str:  # noqa: ARG002
        """Give the command back."""
        return command


def copy_of(function: Callable[..., Any], annotation: Any) -> FunctionType:
    """Copy a function so that its timeout is annotated as a contender states bounds."""
    assert isinstance(function, FunctionType)
    copied = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)
    copied.__qualname__ = function.__qualname__
    copied.__annotations__ = {**function.__annotations__, "timeout": annotation}
    return copied


_numbers = itertools.count(1)


def unseen_functions(annotation: Any) -> Iterator[Any]:
    """Make functions without end, no two with the same code, name or signature."""
    for number in _numbers:
        yield _made(f"tool_{number}", [f"command_{number}: str"], annotation)


def function_with(parameters: int, annotation: Any) -> Any:
    """Make a function with so many parameters."""
    others = [f"option_{number}: int = {number}" for number in range(parameters - 2)]
    return _made(f"tool_with_{parameters}", ["command: str", *others], annotation)


def call_with(parameters: int) -> str:
    """Write the call that passes every one of so many parameters by keyword."""
    options = "".join(f", option_{number}={number}" for number in range(parameters - 2))
    return f'f(command="ls", timeout=30{options})'


def _made(name: str, parameters: list[str], annotation: Any) -> Any:
    command, *others = parameters
    declared = ", ".join([command, f"timeout: Timeout = {OWN_DEFAULT}", *others])
    namespace: dict[str, Any] = {"Timeout": annotation, "__name__": __name__}
    exec(f"def {name}({declared}) -> str:\n    return {command.partition(':')[0]}\n", namespace)
    return namespace[name]
