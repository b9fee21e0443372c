"""Whole frameworks: every tool call corrected at the one place where raw arguments pass, and taken back."""

import importlib
import importlib.metadata
import importlib.util
import sys
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.machinery import PathFinder
from itertools import accumulate
from typing import Any

import wrapt

from timeoutkit._correction import Correction
from timeoutkit._patch import Patch, Place, lock
from timeoutkit._policy import TimeoutPolicy
from timeoutkit._toolcall import Rules
from timeoutkit.integrations import FRAMEWORKS, Framework


def install(
    *frameworks: str,
    tools: Mapping[str, TimeoutPolicy] | None = None,
    on_correction: Callable[[Correction], object] | None = None,
) -> Patch:
    """Correct the timeouts of every tool call in whole frameworks, now or as soon as they are imported.

    Raw arguments are corrected before the framework validates them, the note goes into what the model reads, outside
    of what the tool returned, also where the tool failed, and the tool's schema gains the contract. A tool decorated
    with `sane_timeout` keeps its own policy. Which arguments are timeouts is read from the schema: `infer_policies`.

    Args:
        *frameworks: such as `"langchain"` or `"mcp"`; none: every known one that is there.
        tools: policies by the tool's name, instead of what its schema says.
        on_correction: called with every `Correction`; an error in it is logged, never raised.

    Returns:
        What was changed; installed again with the same options it is the same patch.

    Raises:
        ModuleNotFoundError: where a framework that is named is not there to be imported.
        TypeError: where `tools` holds anything but a policy.
        ValueError: where a framework is not known, or is installed already with other options.

    >>> patch = install()
    >>> patch.undo()
    """
    names = [_known(name) for name in frameworks] or [name for name, one in FRAMEWORKS.items() if _is_there(one)]
    rules = Rules(_checked(tools or {}), on_correction)
    for one in (FRAMEWORKS[name] for name in names):
        if not _is_there(one):
            raise ModuleNotFoundError(f"there is no {one.package!r}: pip install {one.distribution}")
    with lock:
        for name in names:
            _check_same(name, rules)
        return Patch(*(_opened(name, rules) for name in names))


class _Opened:
    """One framework, opened at its seams: at all of them, or at none."""

    def __init__(self, name: str, rules: Rules) -> None:
        self.rules = rules
        self.undone = False
        self._name = name
        self._framework = FRAMEWORKS[name]
        self._places: list[Place] = []

    @property
    def applied(self) -> bool:
        """Whether the framework is imported, and open wherever it is."""
        return bool(self._places) and all(one.applied or one.module not in sys.modules for one in self._places)

    def open_when_imported(self) -> None:
        """Open now, or as soon as the framework's package is imported."""
        if self._framework.package in sys.modules:
            self._open()
        else:
            wrapt.register_post_import_hook(lambda _package: self._open(), self._framework.package)

    def _open(self) -> None:
        with lock:
            if self._places or self.undone:
                return
            try:
                twin = importlib.import_module(f"timeoutkit.integrations.{self._name.replace('-', '_')}")
                self._places = [seam.place(self._moved) for seam in twin.seams(self.rules)]
                for place in self._places:
                    _check_is_there(place.module)
                    place.apply_when_imported()
            except Exception as error:  # this may be the middle of somebody's import
                self._moved(error)

    def _moved(self, error: Exception) -> None:
        """Say once that this is another version than expected, and leave it as it is."""
        self.undo()
        found = self._framework.distribution
        with suppress(importlib.metadata.PackageNotFoundError):
            found += " " + importlib.metadata.version(found)
        warnings.warn(
            f"install({self._name!r}) was written for {self._framework.distribution} {self._framework.versions}, and"
            f" {found} is different ({error}). It runs on, and its timeouts are not corrected:"
            " update timeoutkit, or decorate its tools with sane_timeout.",
            stacklevel=2,
        )

    def undo(self) -> None:
        """Close every seam."""
        self.undone = True
        for place in reversed(self._places):
            place.undo()
        self._places = []


_installed: dict[str, _Opened] = {}


def _checked(tools: Mapping[str, Any]) -> dict[str, TimeoutPolicy]:
    for tool, policy in tools.items():
        if not isinstance(policy, TimeoutPolicy):
            given = type(policy).__name__
            raise TypeError(f"tools={{{tool!r}: ...}} takes a TimeoutPolicy, not {given}: write TimeoutPolicy(max=300)")
    return dict(tools)


def _known(name: str) -> str:
    usual = name.lower().replace("_", "-")
    if usual not in FRAMEWORKS:
        raise ValueError(f"no framework is known as {name!r}: write one of {', '.join(FRAMEWORKS)}")
    return usual


def _is_there(framework: Framework) -> bool:
    if framework.package in sys.modules:
        return True
    with suppress(ImportError, ValueError):
        return importlib.util.find_spec(framework.package) is not None
    return False


def _check_is_there(module: str) -> None:
    """Look for a module without importing the packages above it, which may be slow, or lack what they need."""
    path: Any = None
    for name in accumulate(module.split("."), "{}.{}".format):
        if name in sys.modules:
            path = getattr(sys.modules[name], "__path__", None)
        elif (spec := PathFinder.find_spec(name, path)) is not None:
            path = spec.submodule_search_locations
        else:
            raise ModuleNotFoundError(f"there is no module {module}")


def _check_same(name: str, rules: Rules) -> None:
    earlier = _installed.get(name)
    if earlier is not None and not earlier.undone and earlier.rules != rules:
        raise ValueError(f"{name} is installed already, with other options: undo that first")


def _opened(name: str, rules: Rules) -> _Opened:
    earlier = _installed.get(name)
    if earlier is not None and not earlier.undone:
        return earlier
    _installed[name] = opened = _Opened(name, rules)
    opened.open_when_imported()
    return opened
