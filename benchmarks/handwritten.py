"""The guard that a careful engineer writes by hand, with a value in range as its quick way through."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

MAX = 600


def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Correct the timeout of every call, however it is passed; no note, no report, no other types."""
    parameters = inspect.signature(function).parameters
    default = parameters["timeout"].default
    position = list(parameters).index("timeout")

    @functools.wraps(function)
    def guard(*args: Any, **kwargs: Any) -> Any:
        if "timeout" in kwargs:
            timeout = kwargs["timeout"]
            if type(timeout) is not int or not 0 < timeout <= MAX:
                kwargs["timeout"] = _corrected(timeout, default)
        elif position < len(args):
            timeout = args[position]
            if type(timeout) is not int or not 0 < timeout <= MAX:
                args = (*args[:position], _corrected(timeout, default), *args[position + 1 :])
        else:
            kwargs["timeout"] = default
        return function(*args, **kwargs)

    return guard


def _corrected(timeout: Any, default: int) -> int:
    if not isinstance(timeout, (int, float)) or isinstance(timeout, bool) or not timeout > 0:
        return default
    if timeout > MAX and timeout % 1000 == 0:
        timeout /= 1000
    return int(min(timeout, MAX))
