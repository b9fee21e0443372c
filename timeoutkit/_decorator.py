"""The decorator, and the question what a decorated function would do."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MethodType
from typing import Any, NamedTuple, TypeVar, overload

from timeoutkit._annotation import signature_of
from timeoutkit._argument import MISSING
from timeoutkit._duration import UNITS
from timeoutkit._engine import held_by
from timeoutkit._kinds import OnCorrection
from timeoutkit._policy import UNSET, Duration, Mode, TimeoutPolicy, Unit
from timeoutkit._signature import Advertise, find_target, policy_for
from timeoutkit._wrapper import Settings, TimeoutWrapper, wrap

F = TypeVar("F")


class Options(NamedTuple):
    """What a decorator was told."""

    param: str | tuple[str, str] | None
    fields: dict[str, Any]
    callee_unit: str | None
    notes: bool
    advertise: Advertise
    schema_bounds: bool
    on_correction: OnCorrection
    stays_missing: bool = False
    """Whether a missing value stays missing unless a default is given, or is the function's own."""

    def decorate(self, function: Any) -> Any:
        """Decorate any callable, or raise a TypeError that says what to write instead."""
        if isinstance(function, (classmethod, staticmethod)):
            return type(function)(self.decorate(function.__func__))
        if type(function) is MethodType:
            return MethodType(self.decorate(function.__func__), function.__self__)
        if not callable(function):
            raise TypeError(f"sane_timeout decorates a callable, not {type(function).__name__}: {_instead(function)}")
        signature = signature_of(function)
        target = find_target(function, signature, self.param)
        policy = policy_for(function, target, self.fields, self.callee_unit, self.stays_missing)
        place = target.name if target.key is None else (target.name, target.key)
        return wrap(function, Settings(place, policy, *self[2:-1]), signature, target)


@overload
def sane_timeout(function: F, /) -> F: ...
@overload
def sane_timeout(
    *,
    param: str | tuple[str, str] | None = None,
    policy: TimeoutPolicy | None = None,
    unit: Unit = ...,
    default: Duration | None = ...,
    min: Duration = ...,
    max: Duration | None = ...,
    rescale: bool = ...,
    ms_threshold: Duration | None = ...,
    mode: Mode = ...,
    keep: Any = ...,
    hint: str = ...,
    callee_unit: Unit | None = None,
    notes: bool = True,
    advertise: Advertise = True,
    schema_bounds: bool = False,
    on_correction: OnCorrection = None,
) -> Callable[[F], F]: ...
def sane_timeout(
    function: Any = None,
    /,
    *,
    param: str | tuple[str, str] | None = None,
    policy: TimeoutPolicy | None = None,
    unit: Any = UNSET,
    default: Any = UNSET,
    min: Any = UNSET,
    max: Any = UNSET,
    rescale: Any = UNSET,
    ms_threshold: Any = UNSET,
    mode: Any = UNSET,
    keep: Any = UNSET,
    hint: Any = UNSET,
    callee_unit: Unit | None = None,
    notes: bool = True,
    advertise: Advertise = True,
    schema_bounds: bool = False,
    on_correction: OnCorrection = None,
) -> Any:
    """Correct the timeout of every call of a function, and tell the caller in the result.

    Any callable can be decorated: functions, coroutine functions, generators, methods, classes, builtins.
    The function is only called differently: nothing is cancelled, killed or run in a thread.

    Args:
        function: to decorate; the decorator may also be written with options, or with empty brackets.
        param: the parameter to correct. Not given: the one annotated with a `TimeoutPolicy`, else `timeout`,
            else the only one that is named as a timeout with a unit (`timeout_ms`).
            `("args", "timeout")` is the key `timeout` of the mapping passed as `args`.
        policy: what the timeout may be; or give its fields here, which are described at `TimeoutPolicy`.
        unit: of the argument; not given: from the annotation, else from the name, else seconds.
        default: not given: the function's own positive default, else the environment, else 120 s.
        min: see `TimeoutPolicy`.
        max: see `TimeoutPolicy`.
        rescale: see `TimeoutPolicy`.
        ms_threshold: see `TimeoutPolicy`.
        mode: see `TimeoutPolicy`.
        keep: see `TimeoutPolicy`.
        hint: see `TimeoutPolicy`.
        callee_unit: the unit in which the function takes the timeout, where it is not the caller's.
        notes: whether corrections are attached to results and exceptions.
        advertise: whether the decorated function's signature and docstring state the contract;
            `"docs"` keeps the declared type.
        schema_bounds: whether the advertised schema states `minimum` and `maximum`.
        on_correction: called with every `Correction`; an error in it is logged, never raised.

    Returns:
        The decorated function; `timeout_policies` says its policies, `__wrapped__` is the function itself.

    Raises:
        TypeError: where the function cannot be decorated; it says what to write instead.
        ValueError: where the policy contradicts itself or the annotation.

    >>> @sane_timeout(max=300)
    ... def run(command: str, timeout: float = 30) -> str:
    ...     return f"ran {command} within {timeout:g} s"
    >>> print(run("ls", timeout=90000))
    ran ls within 90 s
    <BLANKLINE>
    [timeoutkit] "timeout": 90 was used. timeout is in seconds (up to 300), not milliseconds.
    """
    fields = {
        name: value
        for name, value in (
            ("unit", unit), ("default", default), ("min", min), ("max", max), ("rescale", rescale),
            ("ms_threshold", ms_threshold), ("mode", mode), ("keep", keep), ("hint", hint),
        )
        if value is not UNSET
    }  # fmt: skip
    options = options_of(
        param=param,
        policy=policy,
        callee_unit=callee_unit,
        notes=notes,
        advertise=advertise,
        schema_bounds=schema_bounds,
        on_correction=on_correction,
        **fields,
    )
    return partial(_decorated, options) if function is None else _decorated(options, function)


def _decorated(options: Options, function: Any) -> Any:
    """Decorate a function, inside the object of an engine where such an object holds it."""
    held = held_by(function)
    if held is None:
        return options.decorate(function)
    decorated = options.decorate(getattr(function, held))
    setattr(function, held, decorated)
    function.__wrapped__ = decorated
    function.timeout_policies = decorated.timeout_policies
    return function


def options_of(
    *,
    param: str | tuple[str, str] | None = None,
    policy: TimeoutPolicy | None = None,
    callee_unit: str | None = None,
    notes: bool = True,
    advertise: Advertise = True,
    schema_bounds: bool = False,
    on_correction: OnCorrection = None,
    **fields: Any,
) -> Options:
    """Check what a decorator is told, as far as that can be done without a function."""
    if policy is not None and not isinstance(policy, TimeoutPolicy):
        raise TypeError(f"policy takes a TimeoutPolicy, not {type(policy).__name__}: write TimeoutPolicy(max=300)")
    if policy is not None and fields:
        shown = ", ".join(f"{name}=..." for name in fields)
        raise TypeError(f"policy and {shown} were both given: write TimeoutPolicy({shown}) or leave policy out")
    if callee_unit is not None and callee_unit not in UNITS:
        raise ValueError(f"callee_unit={callee_unit!r} is not a unit: write one of {', '.join(map(repr, UNITS))}")
    if advertise not in (True, False, "docs"):
        raise ValueError(f'advertise={advertise!r} is not known: write True, "docs" or False')
    if policy is not None:
        fields = {"unit": policy.unit, **policy.given_fields()}
    return Options(param, fields, callee_unit, notes, advertise, schema_bounds, on_correction)


def _instead(function: object) -> str:
    if isinstance(function, property):
        return "decorate the property's function"
    if isinstance(function, str):
        return f"write @sane_timeout(param={function!r})"
    return "put @sane_timeout above the function"


def effective_timeout(function: Any, /, *args: Any, **kwargs: Any) -> float | None:
    """Tell what a decorated function would use for a call, without calling it.

    A host can size its own deadline by it.

    Args:
        function: decorated with `sane_timeout`; of a stack, the outermost decorator answers.
        *args: of the call.
        **kwargs: of the call.

    Returns:
        The timeout in seconds; `None` where none is used, or a value that the function gives its own meaning.

    Raises:
        TypeError: where the function is not decorated.
        TimeoutValueError: in `"strict"` mode, where the call would be refused.

    >>> effective_timeout(run_shell, "ls", timeout=90000)
    90.0
    """
    wrapper, args, kwargs = _wrapper_in(function, args, kwargs)
    target = wrapper._self_target
    value = kwargs.get(target.name, MISSING)
    if value is MISSING and target.position is not None and target.position < len(args):
        value = args[target.position]
    if value is MISSING and target.key is not None:
        value = getattr(target.parameter, "default", MISSING)
    if target.key is not None:
        if not isinstance(value, Mapping):
            return None
        value = value.get(target.key, MISSING)
    seconds: float | None = wrapper._self_argument.seconds(value, getattr(target.parameter, "default", MISSING))
    return seconds


def _wrapper_in(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """Find the outermost wrapper, below other decorators, bound methods and partials, and the whole call of it."""
    found: Any = function
    while found is not None:
        if issubclass(type(found), TimeoutWrapper):
            return found, args, kwargs
        if type(found) is MethodType:
            args = (found.__self__, *args)
            found = found.__func__
        elif type(found) is partial:
            args, kwargs = (*found.args, *args), {**found.keywords, **kwargs}
            found = found.func
        else:
            found = getattr(found, "__wrapped__", None)
    raise TypeError(f"{function!r} is not decorated: put @sane_timeout above it")
