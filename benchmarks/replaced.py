"""The simpler implementation that the compiled call replaced, kept so that the gain stays proven."""

import inspect
from typing import Any

import wrapt

from timeoutkit import TimeoutPolicy, attach_note

_POLICY = TimeoutPolicy(default=30, max=600)


@wrapt.decorator
def bound_each_time(function: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
    """Bind every call to the signature, judge the timeout, call, attach the note."""
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    bound.arguments["timeout"], correction = _POLICY.normalize(bound.arguments["timeout"])
    result = function(*bound.args, **bound.kwargs)
    return result if correction is None else attach_note(result, correction.note)
