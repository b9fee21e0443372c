"""Good and bad calls, for the type checkers only: a bad one is an error that is expected on its line."""

from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from typing import Annotated, assert_type

from timeoutkit import (
    Correction,
    Patch,
    TimeoutPolicy,
    attach_note,
    effective_timeout,
    infer_policies,
    install,
    normalize_arguments,
    parse_duration,
    retrofit,
    sane_timeout,
)
from timeoutkit.testing import capture_corrections


@sane_timeout
def bare(command: str, timeout: int = 30) -> str:
    return command


@sane_timeout(param="timeout", unit="s", default="30s", min=1, max=timedelta(minutes=5), keep={-1: "no limit"})
async def with_options(command: str, timeout: Annotated[float, TimeoutPolicy(max=300)]) -> bytes:
    return command.encode()


@sane_timeout(policy=TimeoutPolicy(max=None))
def generator(timeout: float) -> Iterator[int]:
    yield 1


@sane_timeout()
async def stream(timeout: float) -> AsyncIterator[int]:
    yield 1


class Tool:
    @sane_timeout
    def method(self, command: str, timeout: float = 5) -> int:
        return 1

    @classmethod
    @sane_timeout(max=5)
    def make(cls, timeout: float = 5) -> "Tool":
        return cls()

    @sane_timeout
    async def soon(self, command: str, timeout: float = 5) -> list[int]:
        return [1]

    @sane_timeout
    @staticmethod
    def check(timeout: float = 5) -> bool:
        return True


async def good() -> None:
    assert_type(bare("ls", timeout=5), str)
    assert_type(await with_options("ls", 5), bytes)
    assert_type(next(generator(5)), int)
    assert_type(await anext(aiter(stream(5))), int)
    assert_type(Tool().method("ls"), int)
    assert_type(await Tool().soon("ls"), list[int])
    assert_type(Tool.make(5), Tool)
    assert_type(Tool.check(), bool)
    assert_type(effective_timeout(bare, "ls"), float | None)
    assert_type(parse_duration("5s"), float)
    assert_type(TimeoutPolicy().max, float | None)
    assert_type(TimeoutPolicy().min, float)
    assert_type(normalize_arguments({"timeout": 5}, infer_policies({})), tuple[dict[str, int], list[Correction]])
    assert_type(normalize_arguments("{}", {}), tuple[str, list[Correction]])
    with retrofit("subprocess:run", max=300) as patch, capture_corrections() as corrections:
        assert_type(patch, Patch)
        assert_type(corrections, list[Correction])
    attach_note("text", "note")
    with install("mcp", tools={"run_shell": TimeoutPolicy(max=300)}, on_correction=print) as patch:
        assert_type(patch.applied, bool)


async def bad() -> None:
    bare()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    bare(5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    bare("ls", time=5)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    await with_options("ls")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    Tool().method()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    Tool.make("5")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Tool.check(5, 5)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    await Tool().soon(5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    install(5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    install(tools={"run_shell": 600})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]
    normalize_arguments({}, {"timeout": 5})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]
    sane_timeout(unit="seconds")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    sane_timeout(maximum=5)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    TimeoutPolicy(5)  # type: ignore[call-arg, arg-type]  # pyright: ignore[reportCallIssue]
    TimeoutPolicy(mode="lenient")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    TimeoutPolicy().max = 5  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
