"""What an annotation says of a timeout, and the annotation that states the contract."""

import inspect
import math
import sys
import types
import typing
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from inspect import Signature
from typing import Annotated, Any

from annotated_types import Ge, GroupedMetadata, Gt, Le, Lt
from annotated_types import Unit as UnitMark

from timeoutkit._delivery import declared_type, leaf_types
from timeoutkit._duration import SPELLED, UNIT_NAMES
from timeoutkit._policy import TimeoutPolicy, followed_by

UNRESOLVED: Any = typing.NoReturn
"""Stands for an annotation that cannot be resolved: nothing can be shown to satisfy it."""


_signature: Callable[[Any], Signature] = inspect.signature
if sys.version_info >= (3, 14):  # pragma: no cover  (measured on an older version)
    import annotationlib

    # annotations are evaluated when they are read, and not all of their names need be there then
    _signature = partial(inspect.signature, annotation_format=annotationlib.Format.FORWARDREF)


def signature_of(function: Any) -> Signature | None:
    """Read a signature, `None` for a builtin without one; a name that is not there stays a `ForwardRef`."""
    try:
        return _signature(function)
    except (ValueError, TypeError):
        return None


def resolve(annotation: Any, function: Any) -> Any:
    """Evaluate an annotation where its function was defined, `UNRESOLVED` where that cannot be done."""

    def holder() -> None: ...

    holder.__annotations__ = {"it": annotation}
    try:
        origin = _innermost(function)
        names = {**getattr(origin, "__globals__", {}), **_closure(origin)}
        return typing.get_type_hints(holder, globalns=names, include_extras=True)["it"]
    except Exception:  # evaluating runs whatever was written there
        return UNRESOLVED


def result_type(function: Any) -> Any:
    """Find the declared type of what a call gives, awaited if need be; `Any` where none is declared."""
    signature = signature_of(function)
    if signature is None or signature.return_annotation is Signature.empty or isinstance(function, type):
        return Any
    declared = resolve(signature.return_annotation, function)
    awaited = typing.get_args(declared) if typing.get_origin(declared) in _AWAITABLE else ()
    return awaited[-1] if awaited else declared


_AWAITABLE = (Awaitable, Coroutine)


def _innermost(function: Any) -> Any:
    function = inspect.unwrap(function)
    if isinstance(function, partial):
        return _innermost(function.func)
    return function if hasattr(function, "__globals__") else type(function).__call__


def _closure(function: Any) -> dict[str, Any]:
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None)
    found = {}
    for name, cell in zip(code.co_freevars if code else (), cells or (), strict=False):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # a name of the enclosing function that is not set yet
            continue
    return found


def metadata_of(annotation: Any) -> Iterator[Any]:
    """Walk all metadata of an annotation, through unions, groups opened."""
    if typing.get_origin(annotation) is Annotated:
        yield from metadata_of(annotation.__origin__)
        yield from _opened(annotation.__metadata__)
    else:
        for member in typing.get_args(annotation):
            yield from metadata_of(member)


def _opened(metadata: Iterable[Any]) -> Iterator[Any]:
    for item in metadata:
        if isinstance(item, GroupedMetadata):
            yield from _opened(item)
        else:
            yield item


def policy_fields(annotation: Any) -> dict[str, Any]:
    """Read the fields of a policy from the metadata of an annotation.

    Raises:
        ValueError: where two pieces of metadata contradict each other, or one cannot be used.
    """
    return _gathered(metadata_of(annotation), whole_numbers=declared_type(annotation) is int)


def _gathered(metadata: Iterable[Any], *, whole_numbers: bool) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for item in metadata:
        for name, value in _fields_of(item, whole_numbers).items():
            if found.setdefault(name, value) != value:
                raise ValueError(f"{name}={found[name]} and {name}={value} in one annotation: keep one")
    return found


def _fields_of(item: Any, whole_numbers: bool) -> dict[str, Any]:
    match item:
        case AdvertisedPolicy():
            return {}  # what another decorator says to callers is not said to this one
        case TimeoutPolicy():
            return {"unit": item.unit, **item.given_fields()}
        case UnitMark():
            unit = SPELLED.get(str(item.unit).lower())
            if unit is None:
                raise ValueError(f"Unit({item.unit!r}) is not a unit of time: write Unit('s') or Unit('ms')")
            return {"unit": unit}
        case Ge():
            return {"min": item.ge}
        case Le():
            return {"max": item.le}
        case Gt():
            return {"min": item.gt if item.gt == 0 else _next(item.gt, math.inf, whole_numbers)}
        case Lt():
            return {"max": _next(item.lt, -math.inf, whole_numbers)}
    return {}


def _next(bound: Any, towards: float, whole_numbers: bool) -> Any:
    """Give the nearest value inside an exclusive bound."""
    if not whole_numbers:
        return math.nextafter(bound, towards)
    return math.floor(bound) + 1 if towards > 0 else math.ceil(bound) - 1


def has_policy(annotation: Any) -> bool:
    """Tell whether an annotation holds a policy."""
    return any(
        isinstance(item, TimeoutPolicy) and not isinstance(item, AdvertisedPolicy) for item in metadata_of(annotation)
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AdvertisedPolicy(TimeoutPolicy):
    """A policy in an advertised signature: it states the contract and lets raw values through.

    The decorator behind the signature corrects them and makes the note.
    """

    schema_bounds: bool = False
    words: str = ""
    """What the user says of the parameter."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> dict[str, Any]:
        """Accept anything and pass it on raw."""
        return {"type": "any"}

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        """State the contract, after the user's own words."""
        return self.json_schema(self.schema_bounds, into={"description": self.words})


def advertised_annotation(
    annotation: Any, policy: TimeoutPolicy, schema_bounds: bool, words: str = "", *, lax: bool = True
) -> Any:
    """Make the annotation that states the contract, other metadata kept.

    What it says of the parameter comes first, else `words`: some frameworks read only the one or the other.
    With `lax` it lets any raw value through; else the declared type stays.
    """
    metadata = list(metadata_of(annotation))
    texts = [item for item in metadata if isinstance(item, str)] or [words]
    others = [item for item in metadata if not _is_read(item) and not isinstance(item, str)]
    said = _own_words(texts[0], metadata)
    described = followed_by(said, policy.describe())
    others = [*texts[1:], *others]
    if not lax:
        return Annotated[_plain(annotation), described, *others]
    marked = AdvertisedPolicy(**policy.given_fields(), schema_bounds=schema_bounds, words=said)
    return Annotated[int | float | str | None, described, marked, *others]


def _own_words(text: str, metadata: list[Any]) -> str:
    """Leave out the contract of another decorator, in whose place ours is put."""
    for item in metadata:
        if isinstance(item, AdvertisedPolicy):
            text = text.replace(item.describe(), "").rstrip()
    return text


def _is_read(item: Any) -> bool:
    return isinstance(item, (TimeoutPolicy, UnitMark, Gt, Ge, Lt, Le))


def _plain(annotation: Any) -> Any:
    return typing.Union[tuple(leaf_types(annotation))]  # noqa: UP007  (a tuple is not written with |)


# -- typeguard -------------------------------------------------------------------------------------


def checker_lookup(origin_type: Any, _args: tuple[Any, ...], extras: tuple[Any, ...]) -> Any:
    """Give typeguard the check of an annotated timeout; registered as `typeguard.checker_lookup`."""
    stated = [item for item in _opened(extras) if _is_read(item)]
    if any(isinstance(item, AdvertisedPolicy) for item in stated):
        return None
    if not any(isinstance(item, (TimeoutPolicy, UnitMark)) and _fields_of_time(item) for item in stated):
        return None
    return _check_timeout(TimeoutPolicy(**_gathered(stated, whole_numbers=origin_type is int)))


def _fields_of_time(item: Any) -> bool:
    return isinstance(item, TimeoutPolicy) or str(item.unit).lower() in SPELLED


def _check_timeout(policy: TimeoutPolicy) -> Callable[..., None]:
    from typeguard import TypeCheckError, check_type_internal

    def check(value: Any, origin_type: Any, args: tuple[Any, ...], memo: Any) -> None:
        check_type_internal(value, _unannotated(origin_type, args), memo)
        if policy.judge(value)[1] not in ("in_range", "missing", "kept", "own", "suspicious"):
            raise TypeCheckError(f"is not a timeout in {UNIT_NAMES[policy.unit]}{policy.bounds}")

    return check


def _unannotated(origin_type: Any, args: tuple[Any, ...]) -> Any:
    if origin_type in (typing.Union, types.UnionType):
        return typing.Union[args]  # noqa: UP007  (a tuple is not written with |)
    return origin_type[args] if args else origin_type
