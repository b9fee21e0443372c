"""Other people's code: decorating what cannot be edited, and taking it back."""

import difflib
import importlib.util
import inspect
import sys
import threading
import warnings
from types import MethodType
from typing import Any, Self, cast

import wrapt

from timeoutkit._decorator import Options, options_of
from timeoutkit._wrapper import TimeoutWrapper

_MISSING: Any = object()
_lock = threading.RLock()


class Patch:
    """What was changed in other people's code; `undo()`, or the end of a `with` block, takes it back.

    >>> import subprocess
    >>> with retrofit("subprocess:run", max=300) as patch:
    ...     patch.applied
    True
    >>> patch.applied
    False
    """

    def __init__(self, *parts: "_Place") -> None:
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


class _Place:
    """One attribute of one module, class or object."""

    def __init__(self, target: str, options: Options) -> None:
        self.target = target
        self.module, _, self.path = target.partition(":")
        self.options = options
        self.applied = False
        self._undone = False
        self._parent: Any = None
        self._before: Any = _MISSING
        self._decorated: Any = None

    def apply(self) -> None:
        """Put the decorated function where the other one is, once the module is there."""
        with _lock:
            if self.applied or self._undone:  # an import hook cannot be withdrawn
                return
            self._parent, original = _resolved(self.module, self.path)
            self._before = _own_attributes(self._parent).get(self._name, _MISSING)
            self._decorated = self.options.decorate(original)
            setattr(self._parent, self._name, self._decorated)
            self.applied = True

    def apply_when_imported(self) -> None:
        """Apply now, or as soon as the module is imported."""
        if self.module in sys.modules:
            self.apply()
            return
        wrapt.register_post_import_hook(lambda _module: self._apply_to_import(), self.module)

    def _apply_to_import(self) -> None:
        """Apply in the middle of somebody's import, where an error of ours has no place."""
        try:
            self.apply()
        except Exception as error:
            warnings.warn(f"retrofit({self.target!r}) was not applied: {error}", stacklevel=2)

    def undo(self) -> None:
        """Put the function back; under another's patch, relink that or step aside."""
        with _lock:
            self._undone = True
            if _places.get(self.target) is self:
                del _places[self.target]
            if not self.applied:
                return
            self.applied = False
            ours = _wrapper_of(self._decorated)
            current = _own_attributes(self._parent).get(self._name, _MISSING)
            if current is self._decorated:
                self._put_back()
            else:
                _relink(current, ours)
            ours._self_step_aside()

    def _put_back(self) -> None:
        if self._before is _MISSING:
            delattr(self._parent, self._name)
        else:
            setattr(self._parent, self._name, self._before)

    @property
    def _name(self) -> str:
        return self.path.rpartition(".")[2]


_places: dict[str, _Place] = {}


def retrofit(*targets: str, **options: Any) -> Patch:
    """Decorate functions in place that cannot be edited, now or as soon as their module is imported.

    A missing value stays missing unless `default` is given: nobody in the process gets a limit that was not
    asked for. A value that means nothing becomes the function's own positive default, else the maximum.
    A name that another module imported from there earlier (`from subprocess import run`) is not reached.

    Args:
        *targets: such as `"subprocess:run"` or `"requests:Session.request"`.
        **options: of `sane_timeout`.

    Returns:
        What was changed; applied again with the same options it is the same patch.

    Raises:
        AttributeError: where the name does not resolve; it says what does.
        ModuleNotFoundError: where there is no such module to import.
        ValueError: where a target was patched with other options, or is not written as "module:name".

    >>> patch = retrofit("subprocess:run", max=300)
    >>> patch.undo()
    """
    settled = options_of(**options)._replace(stays_missing=True)
    parts: list[_Place] = []
    with _lock:
        try:
            parts += (_placed(target, settled) for target in targets)
        except BaseException:  # all of it or nothing
            Patch(*parts).undo()
            raise
    return Patch(*parts)


def _placed(target: str, options: Options) -> _Place:
    known = _places.get(target)
    if known is not None:
        if known.options != options:
            raise ValueError(f"{target} is patched already, with {_shown(known.options)}: undo that first")
        return known
    module, separator, path = target.partition(":")
    if not (separator and module and path):
        raise ValueError(f'{target!r} is not a target: write "package.module:Class.method"')
    if importlib.util.find_spec(module.partition(".")[0]) is None:
        raise ModuleNotFoundError(f"{target}: there is no module {module.partition('.')[0]!r}: install it first")
    place = _Place(target, options)
    place.apply_when_imported()
    _places[target] = place
    return place


def _shown(options: Options) -> str:
    stated = {**options.fields, **({"param": options.param} if options.param else {})}
    return ", ".join(f"{name}={value!r}" for name, value in stated.items()) or "no options"


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


def _own_attributes(parent: Any) -> Any:
    return getattr(parent, "__dict__", {})


def _wrapper_of(decorated: Any) -> TimeoutWrapper:
    """Find our wrapper inside a class method, a static method or a bound method."""
    inside = isinstance(decorated, (classmethod, staticmethod)) or type(decorated) is MethodType
    wrapper: Any = decorated.__func__ if inside else decorated
    return cast("TimeoutWrapper", wrapper)


def _relink(above: Any, ours: TimeoutWrapper) -> None:
    """Take our wrapper out from under others, where a wrapt proxy holds it."""
    while above is not None and above is not _MISSING:
        inner = getattr(above, "__wrapped__", None)
        if inner is ours and issubclass(type(above), wrapt.FunctionWrapper):
            above.__wrapped__ = ours.__wrapped__
            return
        above = inner
