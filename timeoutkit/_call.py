"""The call itself: a plain function compiled for a signature, and a general one where that cannot be.

A value in range goes straight through the compiled call, with no binding and no allocation.
"""

import inspect
import itertools
import linecache
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from inspect import Parameter
from types import CodeType
from typing import Any

from timeoutkit._argument import MISSING, POSITIONAL
from timeoutkit._correction import Correction
from timeoutkit._policy import TimeoutPolicy

Correct = Callable[[Any], tuple[Any, Correction | None]]
Deliver = Callable[..., Any]

_SOURCE = """\
def bind({function}, {correct}, {deliver}, {type}, {int}, {float}):
    def call({parameters}):
        if {in_range}:
            return {function}({arguments})
        {timeout}, {correction} = {correct}({timeout})
        if {correction} is None:
            return {function}({arguments})
        return {deliver}({correction}, {arguments})
    return call
"""
_NAMES = ("function", "correct", "deliver", "type", "int", "float", "correction")
_FORMS = {
    Parameter.POSITIONAL_ONLY: "{0}",
    Parameter.POSITIONAL_OR_KEYWORD: "{0}",
    Parameter.VAR_POSITIONAL: "*{0}",
    Parameter.KEYWORD_ONLY: "{0}={0}",
    Parameter.VAR_KEYWORD: "**{0}",
}
_sources = itertools.count(1)


def compiled_call(
    function: Callable[..., Any],
    parameters: Sequence[Parameter],
    target: str,
    default: Any,
    in_range: str,
    correct: Correct,
    deliver: Deliver,
) -> Callable[..., Any]:
    """Compile the call for the signature of a plain function.

    Args:
        function: the function to call.
        parameters: of its signature.
        target: the name of the parameter to correct.
        default: what an omitted target becomes; `MISSING` where it is required.
        in_range: the test for a value to pass on as it is, see `range_test`.
        correct: what to make of any other value.
        deliver: the call with a correction.
    """
    defaults = {p.name: p.default for p in parameters if p.default is not MISSING}
    if default is not MISSING:
        defaults[target] = default
    names = _free_names({parameter.name for parameter in parameters})
    source = _SOURCE.format(
        **names,
        parameters=_declared(parameters, defaults),
        arguments=_passed(parameters),
        timeout=target,
        in_range=in_range.format(**names, timeout=target),
    )
    namespace: dict[str, Any] = {}
    exec(_code(source), namespace)
    call: Callable[..., Any] = namespace["bind"](function, correct, deliver, type, int, float)
    call.__defaults__, call.__kwdefaults__ = split_defaults(parameters, defaults)
    return call


def _free_names(taken: set[str]) -> dict[str, str]:
    """Name what the compiled call needs so that no parameter of the function collides."""
    prefix = "_"
    while any(name.startswith(prefix) for name in taken):
        prefix += "_"
    return {name: f"{prefix}{name}" for name in _NAMES}


def _declared(parameters: Sequence[Parameter], defaults: Mapping[str, Any]) -> str:
    """Write the parameter list; the defaults themselves are set on the function, by reference."""
    bare = [p.replace(annotation=MISSING, default=None if p.name in defaults else MISSING) for p in parameters]
    return str(inspect.Signature(bare))[1:-1]


def _passed(parameters: Sequence[Parameter]) -> str:
    return ", ".join(_FORMS[parameter.kind].format(parameter.name) for parameter in parameters)


def split_defaults(
    parameters: Iterable[Parameter], defaults: Mapping[str, Any]
) -> tuple[tuple[Any, ...] | None, dict[str, Any] | None]:
    """Give the defaults as a function holds them: `__defaults__` and `__kwdefaults__`."""
    present = [parameter for parameter in parameters if parameter.name in defaults]
    positional = tuple(defaults[p.name] for p in present if p.kind in POSITIONAL)
    by_keyword = {p.name: defaults[p.name] for p in present if p.kind is Parameter.KEYWORD_ONLY}
    return positional or None, by_keyword or None


def range_test(policy: TimeoutPolicy, declared: type | None) -> str:
    """Write the test for a value that the function receives as it is, with the bounds as constants."""
    low = f"{policy.min!r} <= " if policy.min else "0 < "
    high = f" < {policy.passes_below!r}" if policy.passes_below is not None else f" <= {policy.ceiling!r}"
    bounds = f"{low}{{timeout}}{high}"
    if declared in (int, float):
        return f"{{type}}({{timeout}}) is {{{declared.__name__}}} and {bounds}"
    # without a declared type a whole float becomes an int
    number = "({type}({timeout}) is {int} or {type}({timeout}) is {float} and {timeout} % 1)"
    return f"{number} and {bounds}"


NEVER = "False"
"""The test that sends every value to be judged."""


def general_call(
    function: Callable[..., Any], name: str, index: int | None, injects: bool, correct: Correct, deliver: Deliver
) -> Callable[..., Any]:
    """Make the call for what has no signature of its own: arguments go on in the caller's own layout.

    With `injects`, an omitted argument is judged as `MISSING`; else it stays omitted.
    """
    missing = MISSING

    def call(*args: Any, **kwargs: Any) -> Any:
        correction = None
        if name in kwargs:
            kwargs[name], correction = correct(kwargs[name])
        elif index is not None and index < len(args):
            value, correction = correct(args[index])
            args = (*args[:index], value, *args[index + 1 :])
        elif injects:
            kwargs[name], correction = correct(missing)
        if correction is None:
            return function(*args, **kwargs)
        return deliver(correction, *args, **kwargs)

    return call


@lru_cache(maxsize=1024)
def _code(source: str) -> CodeType:
    """Compile a source once, readable in tracebacks."""
    filename = f"<timeoutkit call {next(_sources)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    return compile(source, filename, "exec")
