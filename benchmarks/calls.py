"""What a call costs, of every kind and with ever more parameters."""

from collections.abc import Callable
from typing import Any, NamedTuple

from benchmarks.contenders import CONTENDERS, Contender
from benchmarks.subjects import Shell, call_with, copy_of, function_with, run_shell, run_shell_soon
from benchmarks.timing import Sample, timed_call

PARAMETERS = (2, 5, 10, 20)


class Call(NamedTuple):
    """One kind of call, written in terms of `f`."""

    written: str
    decorated: Callable[[Contender], Any]
    awaited: bool = False
    wrong: bool = False
    """Whether the value has to be corrected."""


def _function(contender: Contender) -> Any:
    return contender.decorate(copy_of(run_shell, contender.annotation))


def _coroutine_function(contender: Contender) -> Any:
    return contender.decorate(copy_of(run_shell_soon, contender.annotation))


def _instance(contender: Contender) -> Any:
    return type("Decorated", (), {"run": contender.decorate(copy_of(Shell.run, contender.annotation))})()


def _with(parameters: int) -> Callable[[Contender], Any]:
    return lambda contender: contender.decorate(function_with(parameters, contender.annotation))


CALLS: dict[str, Call] = {
    "keyword": Call('f("ls", timeout=30)', _function),
    "position": Call('f("ls", 30)', _function),
    "method": Call('f.run("ls", timeout=30)', _instance),
    "coroutine": Call('f("ls", timeout=30)', _coroutine_function, awaited=True),
    "omitted": Call('f("ls")', _function),
    "None": Call('f("ls", timeout=None)', _function, wrong=True),
    "corrected": Call('f("ls", timeout=90000)', _function, wrong=True),
}
WIDE_CALLS: dict[str, Call] = {f"{number} parameters": Call(call_with(number), _with(number)) for number in PARAMETERS}


def call_samples(seconds: float) -> dict[tuple[str, str], Sample]:
    """Make the sample of every contender in every call that it can serve, by (case, contender)."""
    return {
        (case, name): timed_call(call.written, call.decorated(contender), seconds, awaited=call.awaited)
        for case, call in (CALLS | WIDE_CALLS).items()
        for name, contender in CONTENDERS.items()
        if (contender.corrects or not call.wrong) and not (contender.needs_source and case in WIDE_CALLS)
    }
