"""The compiled call: a plain function with the parameters of the one that it calls.

A value in range goes straight through, with no binding and no allocation.
"""

import itertools
import linecache
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from inspect import Parameter
from types import CodeType
from typing import Any, cast

from timeoutkit._argument import MISSING, split_defaults
from timeoutkit._correction import Correction
from timeoutkit._policy import TimeoutPolicy

Correct = Callable[[Any], tuple[Any, Correction | None]]
Corrected = Callable[..., Any]

_SOURCE = """\
def bind({function}, {correct}, {corrected}, {type}, {int}, {float}):
    def call({parameters}):
        if {in_range}:
            return {function}({arguments})
        timeout, {correction} = {correct}(timeout)
        if {correction} is None:
            return {function}({arguments})
        return {corrected}({correction}, {arguments})
    return call
"""
_OURS = ("function", "correct", "corrected", "type", "int", "float", "correction")
_STARS: dict[object, str] = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}
_sources = itertools.count(1)

NEVER = "False"
"""The test that sends every value to be judged."""


def range_test(policy: TimeoutPolicy, declared: type | None) -> str:
    """Write the test for a value that the function receives as it is, with the bounds as constants."""
    low = f"{policy.min!r} <= " if policy.min else "0 < "
    high = f" < {policy.passes_below!r}" if policy.passes_below is not None else f" <= {policy.ceiling!r}"
    bounds = f"{low}timeout{high}"
    if declared in (int, float):
        return f"{{type}}(timeout) is {{{declared.__name__}}} and {bounds}"
    # without a declared type a whole float becomes an int
    return f"({{type}}(timeout) is {{int}} or {{type}}(timeout) is {{float}} and timeout % 1) and {bounds}"


def compiled_call(
    function: Callable[..., Any],
    parameters: Sequence[Parameter],
    target: str,
    defaults: Mapping[str, Any],
    in_range: str,
    correct: Correct,
    corrected: Corrected,
) -> Callable[..., Any]:
    """Compile the call for the signature of a plain function.

    To compile is most of the cost of decorating, so it is done once for all signatures of one shape,
    with placeholders for the names, which are put in afterwards.

    Args:
        function: the function to call.
        parameters: of its signature.
        target: the name of the parameter to correct.
        defaults: of the target, instead of what it has in the signature.
        in_range: the test for a value to pass on as it is, see `range_test`.
        correct: what to make of any other value.
        corrected: the call with a correction.
    """
    defaults = {**{p.name: p.default for p in parameters if p.default is not MISSING}, **defaults}
    names = {f"argument_{number}": p.name for number, p in enumerate(parameters) if p.name != target}
    names["timeout"] = target
    bind = _bind_for(_source(parameters, target, in_range))
    call: Any = bind(function, correct, corrected, type, int, float)
    call.__code__ = _renamed(call.__code__, names)
    call.__defaults__, call.__kwdefaults__ = split_defaults(parameters, defaults)
    return cast("Callable[..., Any]", call)


@lru_cache(maxsize=1024)
def _bind_for(source: str) -> Callable[..., Any]:
    """Compile a source once, readable in tracebacks."""
    filename = f"<timeoutkit call {next(_sources)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {}
    exec(compile(source, filename, "exec"), namespace)
    bind: Callable[..., Any] = namespace["bind"]
    return bind


def _source(parameters: Sequence[Parameter], target: str, in_range: str) -> str:
    named = [("timeout" if p.name == target else f"argument_{n}", p.kind) for n, p in enumerate(parameters)]
    ours = {name: f"_{name}" for name in _OURS}
    return _SOURCE.format(
        **ours,
        parameters=", ".join(_declared(named)),
        arguments=", ".join(_passed(named)),
        in_range=in_range.format(**ours),
    )


def _declared(named: Sequence[tuple[str, Any]]) -> Iterator[str]:
    """Write the parameter list; the defaults are set on the function, by reference."""
    before = None
    for name, kind in named:
        if before is Parameter.POSITIONAL_ONLY and kind is not before:
            yield "/"
        if kind is Parameter.KEYWORD_ONLY and before not in (kind, Parameter.VAR_POSITIONAL):
            yield "*"
        yield f"{_STARS.get(kind, '')}{name}"
        before = kind
    if before is Parameter.POSITIONAL_ONLY:
        yield "/"


def _passed(named: Sequence[tuple[str, Any]]) -> Iterator[str]:
    for name, kind in named:
        yield f"{name}={name}" if kind is Parameter.KEYWORD_ONLY else f"{_STARS.get(kind, '')}{name}"


def _renamed(code: CodeType, names: Mapping[str, str]) -> CodeType:
    """Put the names of the function in: those of its parameters, and those that it is called by."""

    def renamed(constant: Any) -> Any:
        if type(constant) is tuple:
            return tuple(map(renamed, constant))
        return names.get(constant, constant) if type(constant) is str else constant

    return code.replace(co_varnames=renamed(code.co_varnames), co_consts=renamed(code.co_consts))
