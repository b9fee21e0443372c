"""What a function receives: an amount in the type and the unit that it declares."""

import math
import sys
import types
import typing
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Annotated, Any, Union

from timeoutkit._duration import convert, whole

Deliver = Callable[[int | float], tuple[Any, int | float]]
"""From an amount in the caller's unit to what the function receives, and that restated in the caller's unit."""


def leaf_types(annotation: Any) -> Iterator[Any]:
    """Walk an annotation down to the types that it allows, through `Annotated`, unions and aliases."""
    origin = typing.get_origin(annotation)
    if origin is Annotated:
        yield from leaf_types(annotation.__origin__)
    elif origin in (Union, types.UnionType):
        for member in typing.get_args(annotation):
            yield from leaf_types(member)
    elif sys.version_info >= (3, 12) and isinstance(annotation, typing.TypeAliasType):
        yield from leaf_types(annotation.__value__)
    else:
        yield annotation


def declared_type(annotation: Any) -> type | None:
    """Find the type to deliver: `int`, `float` or `timedelta`; `None` where any number will do."""
    leaves = list(leaf_types(annotation))
    numbers = [kind for kind in (int, float) if any(leaf is kind for leaf in leaves)]
    if len(numbers) == 1:
        return numbers[0]
    return timedelta if not numbers and any(leaf is timedelta for leaf in leaves) else None


def delivery(declared: type | None, unit: str, callee_unit: str, ceiling: int | float) -> Deliver | None:
    """Make the function that delivers an amount; `None` where it would change nothing."""
    if declared is timedelta:
        return lambda amount: (timedelta(seconds=convert(amount, unit, "s")) or timedelta.resolution, amount)
    if declared is None and unit == callee_unit:
        return None

    most = math.floor(convert(ceiling, unit, callee_unit))

    def rounded_up(amount: int | float) -> tuple[int, int | float]:
        delivered = convert(amount, unit, callee_unit)
        if type(delivered) is int:
            return delivered, amount
        rounded = min(math.ceil(delivered), most)
        return rounded, amount if rounded == delivered else whole(convert(rounded, callee_unit, unit))

    def as_number(amount: int | float) -> tuple[int | float, int | float]:
        # a conversion may not turn the smallest amounts into zero
        delivered = convert(amount, unit, callee_unit) or sys.float_info.min
        return float(delivered) if declared is float else whole(delivered), amount

    return rounded_up if declared is int else as_number
