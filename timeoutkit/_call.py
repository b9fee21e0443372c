"""The call itself: a plain function compiled for a signature, and a general one where that cannot be.

A value in range goes straight through the compiled call, with no binding and no allocation.
"""

import inspect
import itertools
import linecache
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from inspect import Parameter
from types import CodeType, FunctionType
from typing import Any

from timeoutkit._argument import MISSING, Argument
from timeoutkit._correction import Correction
from timeoutkit._kinds import CorrectedCall, OnCorrection, kind_of
from timeoutkit._policy import TimeoutPolicy
from timeoutkit._signature import Target, is_followed_by_required, name_of, split_defaults, with_keyword

Correct = Callable[[Any], tuple[Any, Correction | None]]
Corrected = Callable[..., Any]

_SOURCE = """\
def bind({function}, {correct}, {corrected}, {type}, {int}, {float}):
    def call({parameters}):
        if {in_range}:
            return {function}({arguments})
        {timeout}, {correction} = {correct}({timeout})
        if {correction} is None:
            return {function}({arguments})
        return {corrected}({correction}, {arguments})
    return call
"""
_NAMES = ("function", "correct", "corrected", "type", "int", "float", "correction")
_FORMS = {
    Parameter.POSITIONAL_ONLY: "{0}",
    Parameter.POSITIONAL_OR_KEYWORD: "{0}",
    Parameter.VAR_POSITIONAL: "*{0}",
    Parameter.KEYWORD_ONLY: "{0}={0}",
    Parameter.VAR_KEYWORD: "**{0}",
}
_NEVER = "False"
"""The test that sends every value to be judged."""
_sources = itertools.count(1)


def make_call(
    function: Any, target: Target, argument: Argument, notes: bool, on_correction: OnCorrection
) -> Callable[..., Any]:
    """Make the plain function that is called instead of `function`, under its name."""
    corrected = getattr(CorrectedCall(function, argument.policy, notes, on_correction), kind_of(function))
    correct = argument.correct_in if target.key else argument.correct
    parameters = _compilable(function, target, argument)
    if parameters is None:
        injects = target.injectable and not argument.stays_missing
        call = _general_call(function, target.name, target.position, injects, correct, corrected)
    else:
        default, in_range = _default_and_test(target, argument)
        call = _compiled_call(function, parameters, target.name, default, in_range, correct, corrected)
    call.__name__ = name_of(function)
    call.__qualname__ = getattr(function, "__qualname__", call.__name__)
    return call


# -- the compiled call -----------------------------------------------------------------------------


def _compilable(function: Any, target: Target, argument: Argument) -> list[Parameter] | None:
    """Give the parameters to compile a call for; `None` where only the caller's own layout is safe.

    That is what has no code of its own: what lies under a decorator may count on how it is called.
    """
    plain = type(function) is FunctionType and not hasattr(function, "__wrapped__")
    if not plain or hasattr(function, "__signature__"):
        return None
    signature = inspect.signature(function)
    if target.parameter is None:
        return (
            None if argument.stays_missing else with_keyword(signature, Parameter(target.name, Parameter.KEYWORD_ONLY))
        )
    if target.key is None and argument.stays_missing and target.parameter.default not in (MISSING, None):
        return None  # the function's own default is not the caller's: it is not to be judged
    if not argument.stays_missing and is_followed_by_required(signature, target):
        return None
    return list(signature.parameters.values())


def _default_and_test(target: Target, argument: Argument) -> tuple[Any, str]:
    """Give what an omitted argument becomes in the compiled call, and the test for what passes as it is."""
    if target.key is not None or (argument.stays_missing and target.parameter is not None):
        default = target.parameter.default if target.parameter else MISSING
    else:
        default = argument.omitted() if argument.is_stable() else MISSING
    same_unit = argument.callee_unit == argument.policy.unit
    if target.key is not None or not same_unit or argument.declared not in (int, float, None):
        return default, _NEVER
    return default, _range_test(argument.policy, argument.declared)


def _compiled_call(
    function: Callable[..., Any],
    parameters: Sequence[Parameter],
    target: str,
    default: Any,
    in_range: str,
    correct: Correct,
    corrected: Corrected,
) -> Callable[..., Any]:
    """Compile the call for the signature of a plain function.

    Args:
        function: the function to call.
        parameters: of its signature.
        target: the name of the parameter to correct.
        default: what an omitted target becomes; `MISSING` where it is required.
        in_range: the test for a value to pass on as it is, see `_range_test`.
        correct: what to make of any other value.
        corrected: the call with a correction.
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
    call: Callable[..., Any] = namespace["bind"](function, correct, corrected, type, int, float)
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


def _range_test(policy: TimeoutPolicy, declared: type | None) -> str:
    """Write the test for a value that the function receives as it is, with the bounds as constants."""
    low = f"{policy.min!r} <= " if policy.min else "0 < "
    high = f" < {policy.passes_below!r}" if policy.passes_below is not None else f" <= {policy.ceiling!r}"
    bounds = f"{low}{{timeout}}{high}"
    if declared in (int, float):
        return f"{{type}}({{timeout}}) is {{{declared.__name__}}} and {bounds}"
    # without a declared type a whole float becomes an int
    number = "({type}({timeout}) is {int} or {type}({timeout}) is {float} and {timeout} % 1)"
    return f"{number} and {bounds}"


@lru_cache(maxsize=1024)
def _code(source: str) -> CodeType:
    """Compile a source once, readable in tracebacks."""
    filename = f"<timeoutkit call {next(_sources)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    return compile(source, filename, "exec")


# -- the general call ------------------------------------------------------------------------------


def _general_call(
    function: Callable[..., Any], name: str, index: int | None, injects: bool, correct: Correct, corrected: Corrected
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
        return corrected(correction, *args, **kwargs)

    return call
