"""The parameter that is a timeout: finding it, its policy, and the signature that states the contract."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from inspect import Parameter, Signature
from typing import Any, ForwardRef, Literal, NamedTuple

from timeoutkit._annotation import UNRESOLVED, advertised_annotation, has_policy, policy_fields, resolve
from timeoutkit._argument import POSITIONAL
from timeoutkit._delivery import declared_type, leaf_types
from timeoutkit._duration import convert, read, unit_in_name
from timeoutkit._policy import TimeoutPolicy, made

Advertise = bool | Literal["docs"]
USUAL_NAME = "timeout"


class Target(NamedTuple):
    """The argument that a decorator corrects."""

    name: str
    """The parameter's name."""
    key: str | None
    """The key inside the mapping that the parameter takes, if the timeout is in there."""
    parameter: Parameter | None
    """`None` where the function takes it as one of its `**kwargs`, or has no signature."""
    position: int | None
    """The position at which it can be passed, if it can."""
    annotation: Any
    """Its resolved annotation, `Parameter.empty` where there is none."""

    injectable: bool
    """Whether it can be passed by keyword where the caller omits it."""

    @property
    def shown(self) -> str:
        """The argument's name, as the caller knows it."""
        return self.key or self.name


def name_of(function: Any) -> str:
    """Name a callable for an error, a log or a traceback."""
    inner = function.func if isinstance(function, partial) else function
    return str(getattr(inner, "__name__", None) or type(inner).__name__)


def find_target(function: Any, signature: Signature | None, param: str | tuple[str, str] | None) -> Target:
    """Find the argument to correct.

    Raises:
        TypeError: where there is none, or more than one; it names the function, its parameters and the fix.
    """
    parameters = {} if signature is None else dict(signature.parameters)
    annotations = {name: _annotation(function, parameter) for name, parameter in parameters.items()}
    key = None
    if isinstance(param, tuple):
        if len(param) != 2 or not all(isinstance(part, str) for part in param):
            raise TypeError(f'param={param!r} is not a parameter and a key: write param=("args", "timeout")')
        param, key = param
    name = _name(function, signature, param, annotations)
    parameter = parameters.get(name)
    if parameter is not None and parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
        raise TypeError(f"{_written(function, signature)}: {name!r} collects arguments: name the timeout itself")
    annotation = Parameter.empty if parameter is None or key is not None else annotations[name]
    injectable = signature is not None and key is None and getattr(parameter, "kind", None) != Parameter.POSITIONAL_ONLY
    return Target(name, key, parameter, _position(parameters, name), annotation, injectable)


def _annotation(function: Any, parameter: Parameter) -> Any:
    """Resolve an annotation that is still a text, or refers to one."""
    if not isinstance(parameter.annotation, (str, ForwardRef)):
        return parameter.annotation
    return resolve(parameter.annotation, function)


def _name(function: Any, signature: Signature | None, param: str | None, annotations: Mapping[str, Any]) -> str:
    if signature is None:
        return param or USUAL_NAME
    takes_any = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in signature.parameters.values())
    if param is not None:
        if param in annotations or takes_any:
            return param
        raise TypeError(f"{_written(function, signature)} has no parameter {param!r}: {_fix(annotations)}")
    candidates = _candidates(annotations)
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        shown = " or ".join(f"param={name!r}" for name in candidates)
        raise TypeError(f"{_written(function, signature)} has {len(candidates)} timeouts: choose one with {shown}")
    if takes_any:
        return USUAL_NAME
    raise TypeError(f"{_written(function, signature)} has no parameter {USUAL_NAME!r}: {_fix(annotations)}")


def _candidates(annotations: Mapping[str, Any]) -> Sequence[str]:
    """Give the first kind of evidence that there is: a policy, the usual name, a name with a unit."""
    annotated = [name for name, annotation in annotations.items() if has_policy(annotation)]
    if annotated:
        return annotated
    if USUAL_NAME in annotations:
        return [USUAL_NAME]
    return [name for name in annotations if name.startswith(USUAL_NAME) and unit_in_name(name)]


def _written(function: Any, signature: Signature | None) -> str:
    parameters = (
        "..."
        if signature is None
        else ", ".join(str(p.replace(annotation=Parameter.empty)) for p in signature.parameters.values())
    )
    return f"{name_of(function)}({parameters})"


def _fix(annotations: Mapping[str, Any]) -> str:
    names = [repr(name) for name in annotations if name not in ("self", "cls")]
    if not names:
        return "give the function a timeout parameter"
    return f"write @sane_timeout(param=...) with one of {', '.join(names)}"


def _position(parameters: Mapping[str, Parameter], name: str) -> int | None:
    positional = [parameter.name for parameter in parameters.values() if parameter.kind in POSITIONAL]
    return positional.index(name) if name in positional else None


# -- its policy ------------------------------------------------------------------------------------


def policy_for(
    function: Any, target: Target, options: Mapping[str, Any], callee_unit: str | None, stays_missing: bool
) -> TimeoutPolicy:
    """Settle the policy of a target from the decorator's options, the annotation, the name and the environment.

    With `stays_missing` the policy has no default but one that is given, or the function's own.

    Raises:
        ValueError: where a field cannot be used or two contradict each other.
        TypeError: where the function declares a type that no timeout can be delivered in.
    """
    try:
        fields = _merged(target, options)
        own = None if target.key or target.parameter is None else target.parameter.default
        own_default = _own_default(own, callee_unit or fields["unit"], fields)
        if stays_missing and own_default is None:
            fields.setdefault("default", None)
        policy = TimeoutPolicy.resolved(fields, own_default)
        _check_declared(target.annotation, policy, callee_unit or policy.unit)
    except (ValueError, TypeError) as error:
        raise type(error)(f"{name_of(function)}: {target.shown!r}: {error}") from None
    return policy


def _merged(target: Target, options: Mapping[str, Any]) -> dict[str, Any]:
    stated = policy_fields(target.annotation)
    if "unit" in stated and stated["unit"] != options.get("unit", stated["unit"]):
        raise ValueError(
            f"unit={stated['unit']!r} in the annotation, unit={options['unit']!r} in the decorator: keep one"
        )
    unit = options.get("unit") or stated.get("unit") or unit_in_name(target.shown) or "s"
    annotated, decorated = (
        made(TimeoutPolicy, {**fields, "unit": unit}).given_fields() for fields in (stated, options)
    )
    for name in annotated.keys() & decorated.keys():
        if annotated[name] != decorated[name]:
            raise ValueError(
                f"{name}={annotated[name]!r} in the annotation, {name}={decorated[name]!r} in the decorator: keep one"
            )
    return {**annotated, **decorated, "unit": unit}


def _own_default(own: Any, callee_unit: str, fields: dict[str, Any]) -> int | float | None:
    """Read the function's own default in the policy's unit; one of zero or less is kept, as it has a meaning there."""
    if "default" not in fields and own is not Parameter.empty and _is_programs_own(own):
        fields["default"] = None  # it stays what it is
        return None
    reading = None if own is None or isinstance(own, str) else read(own, callee_unit)
    if reading is None or math.isnan(reading.amount) or "default" in fields:
        return None
    if reading.amount > 0:
        return convert(reading.amount, callee_unit, fields["unit"])
    fields["default"] = None
    fields["keep"] = (*TimeoutPolicy(keep=fields.get("keep", ())).keep, own)
    return None


def _is_programs_own(own: Any) -> bool:
    return own is not None and not isinstance(own, str) and read(own, "s") is None


def _is_unknown(annotation: Any) -> bool:
    return annotation is Parameter.empty or annotation is UNRESOLVED


def _check_declared(annotation: Any, policy: TimeoutPolicy, callee_unit: str) -> None:
    if _is_unknown(annotation):
        return
    if all(leaf in (str, type(None)) for leaf in leaf_types(annotation)):
        raise TypeError("it is declared str, but receives a number: declare it int, float or timedelta")
    least, most = (convert(bound, policy.unit, callee_unit) for bound in (policy.min, policy.ceiling))
    if declared_type(annotation) is int and max(math.ceil(least), 1) > math.floor(most):
        raise ValueError(f"no int lies within min={policy.min} and max={policy.max}: declare it float or widen them")


# -- the signature that states the contract --------------------------------------------------------


def advertised_signature(
    signature: Signature, target: Target, policy: TimeoutPolicy, advertise: Advertise, schema_bounds: bool, words: str
) -> Signature:
    """Make the signature that states the contract, as far as it is to be advertised, after the user's own words."""
    docs_only = advertise == "docs"
    if not advertise or target.key or (docs_only and _is_unknown(target.annotation)):
        return signature
    annotation = advertised_annotation(target.annotation, policy, schema_bounds, words, lax=not docs_only)
    omitted = Parameter.empty if docs_only or policy.mode == "observe" else policy.default
    if target.parameter is None:
        default = None if omitted is Parameter.empty else omitted
        added = Parameter(target.name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
        return signature.replace(parameters=with_keyword(signature, added))
    keeps_own = omitted in (None, Parameter.empty) or is_followed_by_required(signature, target)
    default = target.parameter.default if keeps_own else omitted
    stated = target.parameter.replace(annotation=annotation, default=default)
    return signature.replace(parameters=[stated if p.name == target.name else p for p in signature.parameters.values()])


def with_keyword(signature: Signature, added: Parameter) -> list[Parameter]:
    """Put a keyword-only parameter before the one that collects keywords."""
    *others, collector = signature.parameters.values()
    return [*others, added, collector]


def is_followed_by_required(signature: Signature, target: Target) -> bool:
    """Tell whether the target can have no default, as a positional parameter after it has none."""
    after = list(signature.parameters.values())[(target.position or 0) + 1 :] if target.position is not None else []
    return any(p.default is Parameter.empty and p.kind in POSITIONAL for p in after)
