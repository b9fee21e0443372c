"""The name under which a wrapper stands, by which it is pickled."""

import importlib
import sys
from typing import Any

Address = tuple[str, str, int]
"""Module, qualified name, and how many wrappers lie above it there."""
_MAX_DEPTH = 100


def address_of(wrapper: Any) -> Address | None:
    """Find the name that leads to a wrapper, itself or under other decorators."""
    module, name = wrapper.__module__, getattr(wrapper, "__qualname__", None)
    if name is None or "<locals>" in name:
        return None
    found = _named(module, name)
    for depth in range(_MAX_DEPTH):
        if found is wrapper:
            return module, name, depth
        found = getattr(found, "__wrapped__", None)
    return None


def from_address(module: str, name: str, depth: int) -> Any:
    """Find the wrapper again, in another process too."""
    importlib.import_module(module)
    found = _named(module, name)
    for _ in range(depth):
        found = found.__wrapped__
    return found


def _named(module: str, name: str) -> Any:
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return getattr(found, "__func__", found)
