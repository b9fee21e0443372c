"""What is changed in other people's code, and taken back."""

import difflib
import inspect
import sys
import threading
from collections.abc import Callable
from types import MemberDescriptorType, MethodType
from typing import Any, NamedTuple, Protocol, Self

import wrapt

from timeoutkit._annotation import signature_of

MISSING: Any = object()
lock = threading.RLock()
"""Held while other people's code is changed, whoever changes it."""


class Part(Protocol):
    """One of the things that a patch changed."""

    @property
    def applied(self) -> bool:
        """Whether it is in place."""
        ...

    def undo(self) -> None:
        """Take it back; a second time does nothing."""


class Patch:
    """What was changed in other people's code; `undo()`, or the end of a `with` block, takes it back.

    >>> import subprocess
    >>> with retrofit("subprocess:run", max=300) as patch:
    ...     patch.applied
    True
    >>> patch.applied
    False
    """

    def __init__(self, *parts: Part) -> None:
        self._parts = parts

    @property
    def applied(self) -> bool:
        """Whether all of it is in place: not before the module of each target is imported, nor after `undo()`."""
        return all(part.applied for part in self._parts)

    def undo(self) -> None:
        """Take it back without a trace; a second time does nothing."""
        for part in reversed(self._parts):
            part.undo()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.undo()


class Place:
    """One attribute of one module, class or object, and what is put there.

    `applied` says whether it is in place, `undone` whether it was taken back, for good.

    Args:
        target: such as `"requests:Session.request"`.
        decorate: gives what replaces the attribute.
        step_aside: lets the replacement pass every call through, where somebody else holds on to it.
        failed: told of an error in the middle of somebody's import, where it cannot be raised.
    """

    def __init__(
        self,
        target: str,
        decorate: Callable[[Any], Any],
        step_aside: Callable[[Any], object],
        failed: Callable[[Exception], object],
    ) -> None:
        self.module, _, self.path = target.partition(":")
        self.applied = False
        self._decorate, self._step_aside, self._failed = decorate, step_aside, failed
        self.undone = False
        self._parent: Any = None
        self._before: Any = MISSING
        self._decorated: Any = None

    def apply(self) -> None:
        """Put the replacement where the attribute is, once the module is there."""
        with lock:
            if self.applied or self.undone:  # an import hook cannot be withdrawn
                return
            self._parent, original = _resolved(self.module, self.path)
            self._before = _own(self._parent, self._name)
            self._decorated = self._decorate(original)
            setattr(self._parent, self._name, self._decorated)
            self.applied = True

    def apply_when_imported(self) -> None:
        """Apply now, or as soon as the module is imported."""
        if self.module in sys.modules:
            self.apply()
        else:
            wrapt.register_post_import_hook(lambda _module: self._apply_to_import(), self.module)

    def _apply_to_import(self) -> None:
        try:
            self.apply()
        except Exception as error:
            self.undone = True  # whoever tries again is told, not given this one
            self._failed(error)

    def undo(self) -> None:
        """Put the attribute back; under another's patch, relink that or step aside."""
        with lock:
            self.undone = True
            if not self.applied:
                return
            self.applied = False
            current = _own(self._parent, self._name)
            if current is self._decorated:
                self._put_back()
            else:
                _relink(current, self._decorated)
            self._step_aside(self._decorated)

    def _put_back(self) -> None:
        if self._before is MISSING:
            delattr(self._parent, self._name)
        else:
            setattr(self._parent, self._name, self._before)

    @property
    def _name(self) -> str:
        return self.path.rpartition(".")[2]


class Seam(NamedTuple):
    """Where a framework is opened: a function that is called with the raw arguments, or gives a schema.

    Args:
        target: such as `"mcp.client.session:ClientSession.call_tool"`.
        around: called instead, in the way of wrapt: `around(wrapped, instance, args, kwargs)`.
        needs: the parameters of the target that `around` names.
    """

    target: str
    around: Callable[[Any, Any, Any, Any], Any]
    needs: tuple[str, ...] = ()

    def place(self, failed: Callable[[Exception], object]) -> Place:
        """Make the place where the seam is opened; undone, what is left of it lets every call through."""

        def opened(original: Any) -> Any:
            function = inside(original)
            signature = signature_of(function)
            missing = set(self.needs) - set(signature.parameters if signature else ())
            if missing:
                raise AttributeError(f"{self.target} takes no {' and no '.join(sorted(missing))}")
            return wrapt.FunctionWrapper(original, self.around, enabled=lambda: place.applied)

        place = Place(self.target, opened, lambda _replacement: None, failed)
        return place


def _resolved(module: str, path: str) -> tuple[Any, Any]:
    """Find the parent and the attribute, a method as the class holds it."""
    parent: Any = sys.modules[module]
    *above, name = path.split(".")
    for step in above:
        parent = _found(parent, step)
    if inspect.isclass(parent):
        _found(parent, name)
        return parent, inspect.getattr_static(parent, name)
    return parent, _found(parent, name)


def _found(parent: Any, name: str) -> Any:
    try:
        return getattr(parent, name)
    except AttributeError:
        near = difflib.get_close_matches(name, dir(parent)) or [key for key in dir(parent) if key[0] != "_"][:5]
        shown = getattr(parent, "__name__", type(parent).__name__)
        raise AttributeError(f"{shown} has no attribute {name!r}: did you mean {' or '.join(near)}?") from None


def _own(parent: Any, name: str) -> Any:
    """Give what a parent holds itself, in its dictionary or in a slot."""
    held = getattr(parent, "__dict__", {})
    if name in held:
        return held[name]
    is_slot = isinstance(inspect.getattr_static(type(parent), name, None), MemberDescriptorType)
    return getattr(parent, name, MISSING) if is_slot else MISSING


def inside(decorated: Any) -> Any:
    """Find the wrapper inside a class method, a static method or a bound method."""
    held: bool = issubclass(type(decorated), (classmethod, staticmethod, MethodType))
    return decorated.__func__ if held else decorated


def _relink(above: Any, decorated: Any) -> None:
    """Take our wrapper out from under others, where a wrapt proxy holds it."""
    ours: Any = inside(decorated)
    while above is not None and above is not MISSING:
        inner: Any = getattr(above, "__wrapped__", None)
        if inner is ours and issubclass(type(above), wrapt.FunctionWrapper):
            above.__wrapped__ = ours.__wrapped__
            return
        above = inner
