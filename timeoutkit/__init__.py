"""Timeouts that models and people fill in wrongly, corrected before the call and explained in the result."""

from timeoutkit._arguments import infer_policies, normalize_arguments
from timeoutkit._correction import Correction, TimeoutValueError
from timeoutkit._decorator import effective_timeout, sane_timeout
from timeoutkit._duration import parse_duration
from timeoutkit._install import install
from timeoutkit._notes import attach_note
from timeoutkit._patch import Patch
from timeoutkit._policy import TimeoutPolicy
from timeoutkit._retrofit import retrofit

__all__ = [
    "Correction",
    "Patch",
    "TimeoutPolicy",
    "TimeoutValueError",
    "attach_note",
    "effective_timeout",
    "infer_policies",
    "install",
    "normalize_arguments",
    "parse_duration",
    "retrofit",
    "sane_timeout",
]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version

        return version("timeoutkit")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
