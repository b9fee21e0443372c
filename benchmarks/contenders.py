"""Who is measured: each decorates a function whose timeout is in seconds, up to 600."""

import inspect
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import pint
import wrapt
from annotated_types import Interval
from beartype import beartype
from beartype.vale import Is
from pydantic import validate_call
from typeguard import typechecked

from benchmarks.handwritten import MAX, guarded
from benchmarks.replaced import bound_each_time
from timeoutkit import sane_timeout


class Contender(NamedTuple):
    """One way to decorate a function."""

    decorate: Callable[[Any], Any]
    annotation: Any = int
    """How the bounds are stated, where the contender reads them from the annotation."""
    imports: str = ""
    """The import that it needs."""
    needs_source: bool = False
    """Whether it can only decorate what stands in a file."""
    corrects: bool = False
    """Whether it corrects a wrong value; the others refuse it or pass it on."""


@wrapt.decorator
def _empty(function: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
    return function(*args, **kwargs)


_units: Any = pint.UnitRegistry()


def _in_seconds(function: Any) -> Any:
    units = [_units.second if name == "timeout" else None for name in inspect.signature(function).parameters]
    # without `strict` a bare number is taken as it is, as it is by the others
    return _units.wraps(None, units, strict=False)(function)


CONTENDERS: dict[str, Contender] = {
    "bare function": Contender(lambda function: function),
    "timeoutkit": Contender(sane_timeout(max=MAX), imports="import timeoutkit", corrects=True),
    "guard by hand": Contender(guarded, corrects=True),
    "empty wrapt": Contender(_empty, imports="import wrapt, annotated_types"),
    "validate_call": Contender(
        validate_call, Annotated[int, Interval(gt=0, le=MAX)], imports="from pydantic import validate_call"
    ),
    "beartype": Contender(
        beartype, Annotated[int, Is[lambda timeout: 0 < timeout <= MAX]], imports="from beartype import beartype"
    ),
    "typeguard": Contender(typechecked, imports="from typeguard import typechecked", needs_source=True),
    "pint wraps": Contender(_in_seconds, imports="import pint"),
    "bind per call": Contender(bound_each_time, corrects=True),
}
"""By name; "bind per call" is the simpler implementation that the compiled call replaced."""
