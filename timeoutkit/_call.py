"""The call itself: compiled for a signature where that is safe, else a general one."""

import math
from collections.abc import Callable
from inspect import Parameter, Signature
from types import FunctionType
from typing import Any

from timeoutkit._argument import MISSING, POSITIONAL, Argument
from timeoutkit._compiled import NEVER, Correct, Corrected, compiled_call, range_test
from timeoutkit._kinds import CorrectedCall, OnCorrection, kind_of
from timeoutkit._signature import Target, is_followed_by_required, name_of, with_keyword


def make_call(
    function: Any,
    signature: Signature | None,
    target: Target,
    argument: Argument,
    notes: bool,
    on_correction: OnCorrection,
) -> Callable[..., Any]:
    """Make the plain function that is called instead of `function`, under its name."""
    corrected = getattr(CorrectedCall(function, argument.policy, notes, on_correction), kind_of(function))
    correct = argument.correct_in if target.key else argument.correct
    parameters = _compilable(function, signature, target, argument)
    if parameters is None:
        injects = target.injectable and not argument.stays_missing
        room = _room(signature, target) if injects else -1
        call = _general_call(function, target.name, target.position, room, correct, corrected)
    else:
        defaults, in_range = _defaults(target, argument), _test(target, argument)
        call = compiled_call(function, parameters, target.name, defaults, in_range, correct, corrected)
    call.__name__ = name_of(function)
    call.__qualname__ = getattr(function, "__qualname__", call.__name__)
    return call


# -- the compiled call -----------------------------------------------------------------------------


def _compilable(
    function: Any, signature: Signature | None, target: Target, argument: Argument
) -> list[Parameter] | None:
    """Give the parameters to compile a call for; `None` where only the caller's own layout is safe.

    That is what has no code of its own: what lies under a decorator may count on how it is called.
    """
    plain = type(function) is FunctionType and not hasattr(function, "__wrapped__")
    if signature is None or not plain or hasattr(function, "__signature__"):
        return None
    if target.parameter is None:
        if _room(signature, target) < math.inf:
            return None
        added = Parameter(target.name, Parameter.KEYWORD_ONLY)
        return None if argument.stays_missing else with_keyword(signature, added)
    if target.key is None and argument.stays_missing and target.parameter.default not in (MISSING, None):
        return None  # the function's own default is not the caller's: it is not to be judged
    if not argument.stays_missing and is_followed_by_required(signature, target):
        return None
    return list(signature.parameters.values())


def _defaults(target: Target, argument: Argument) -> dict[str, Any]:
    """Give what an omitted argument becomes in the compiled call, where that is not the function's own default."""
    if target.key is not None or argument.stays_missing:
        return {}
    # what would be judged again, and differently, is put in after the judgement
    return {target.name: argument.omitted() if argument.is_stable() else MISSING}


def _test(target: Target, argument: Argument) -> str:
    """Write the test for what passes as it is."""
    same_unit = argument.callee_unit == argument.policy.unit
    if target.key is not None or not same_unit or argument.declared not in (int, float, None):
        return NEVER
    return range_test(argument.policy, argument.declared)


def _room(signature: Signature | None, target: Target) -> float:
    """Tell up to how many positional arguments a missing timeout may be put in: it may be among what `*args` takes."""
    parameters = [] if signature is None else list(signature.parameters.values())
    if target.parameter is not None or all(p.kind is not Parameter.VAR_POSITIONAL for p in parameters):
        return math.inf
    return sum(p.kind in POSITIONAL for p in parameters)


# -- the general call ------------------------------------------------------------------------------


def _general_call(
    function: Callable[..., Any], name: str, index: int | None, room: float, correct: Correct, corrected: Corrected
) -> Callable[..., Any]:
    """Make the call for what has no signature of its own: arguments go on in the caller's own layout.

    With no more positional arguments than there is `room` for, an omitted argument is judged as `MISSING`; else it
    stays omitted.
    """
    missing = MISSING

    def call(*args: Any, **kwargs: Any) -> Any:
        correction = None
        if name in kwargs:
            kwargs[name], correction = correct(kwargs[name])
        elif index is not None and index < len(args):
            value, correction = correct(args[index])
            args = (*args[:index], value, *args[index + 1 :])
        elif len(args) <= room:
            kwargs[name], correction = correct(missing)
        if correction is None:
            return function(*args, **kwargs)
        return corrected(correction, *args, **kwargs)

    return call
