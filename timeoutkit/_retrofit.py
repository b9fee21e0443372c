"""Other people's code: decorating what cannot be edited, and taking it back."""

import importlib.util
import warnings
from typing import Any

from timeoutkit._decorator import Options, options_of
from timeoutkit._patch import Patch, Place, inside, lock

_decorated: dict[str, tuple[Place, Options]] = {}


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
        ValueError: where a target was patched with other options, or is not written as `"module:name"`.

    >>> patch = retrofit("subprocess:run", max=300)
    >>> patch.undo()
    """
    settled = options_of(**options)._replace(stays_missing=True)
    parts: list[Place] = []
    with lock:
        earlier = {place for place, _ in _decorated.values()}
        try:
            parts += (_placed(target, settled) for target in targets)
        except BaseException:  # all of it or nothing
            Patch(*(part for part in parts if part not in earlier)).undo()
            raise
    return Patch(*parts)


def _placed(target: str, options: Options) -> Place:
    place, stated = _decorated.get(target, (None, options))
    if place is not None and not place.undone:
        if stated != options:
            raise ValueError(f"{target} is patched already, with {_shown(stated)}: undo that first")
        return place
    module, separator, path = target.partition(":")
    if not (separator and module and path):
        raise ValueError(f'{target!r} is not a target: write "package.module:Class.method"')
    if importlib.util.find_spec(module.partition(".")[0]) is None:
        raise ModuleNotFoundError(f"{target}: there is no module {module.partition('.')[0]!r}: install it first")
    place = Place(target, options.decorate, _step_aside, lambda error: _warn(target, error))
    place.apply_when_imported()
    _decorated[target] = place, options
    return place


def _step_aside(decorated: Any) -> None:
    inside(decorated)._self_step_aside()


def _warn(target: str, error: Exception) -> None:
    warnings.warn(f"retrofit({target!r}) was not applied: {error}", stacklevel=2)


def _shown(options: Options) -> str:
    stated = {**options.fields, **({"param": options.param} if options.param else {})}
    return ", ".join(f"{name}={value!r}" for name, value in stated.items()) or "no options"
