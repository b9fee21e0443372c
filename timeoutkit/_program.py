"""Somebody's program, run in this process as the interpreter would run it."""

import importlib.machinery
import importlib.util
import pkgutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any, NamedTuple


class ProgramError(Exception):
    """There is nothing to run; the message says what was looked for."""


class _Main(NamedTuple):
    """The code of a `__main__`, and what the interpreter says of it."""

    code: CodeType
    attributes: dict[str, Any]


def run_program(argv: Sequence[str], prepare: Callable[[], object]) -> None:
    """Run a script, a directory or zip file with a `__main__`, or `-m module`.

    Args:
        argv: what would stand after `python`.
        prepare: called where the program's own modules can be imported already, before any of it runs.

    Raises:
        ProgramError: where there is nothing to run.
        BaseException: what the program raises.
    """
    is_module = argv[0] == "-m"
    name, *arguments = argv[1:] if is_module else argv
    container = None if is_module or not Path(name).exists() else pkgutil.get_importer(str(Path(name).absolute()))
    if not sys.flags.safe_path:
        sys.path[0] = str(_place(name, is_module, container is not None))
    sys.argv = [name, *arguments]
    prepare()
    if is_module:
        _execute(lambda: _module(name))
    else:
        _execute(lambda: _script(name) if container is None else _of_spec(container.find_spec("__main__"), name))


def _place(name: str, is_module: bool, is_container: bool) -> Path:
    """Give what stands first on the path of modules."""
    if is_module:
        return Path.cwd()
    return Path(name).absolute() if is_container else Path(name).resolve().parent


def _execute(load: Callable[[], _Main]) -> None:
    """Execute a program as `__main__`; what it raises is shown as if we were not there."""
    try:
        code, attributes = load()
        module = ModuleType("__main__")
        vars(module).update(_of_this_version(attributes), __builtins__=sys.modules["builtins"])
        sys.modules["__main__"] = module
        exec(code, vars(module))
    except (ProgramError, SystemExit):
        raise
    except BaseException as error:
        shown, hook = _of_the_program(error.__traceback__), sys.excepthook
        sys.excepthook = lambda kind, error, _traceback: hook(kind, error.with_traceback(shown), shown)
        raise


def _of_this_version(attributes: dict[str, Any]) -> dict[str, Any]:
    """Give what this version of Python says of a `__main__`."""
    annotations: dict[str, Any] = {"__annotations__": {}} if sys.version_info < (3, 14) else {}
    unknown = {"__cached__"} if sys.version_info >= (3, 15) else set[str]()
    return annotations | {name: value for name, value in attributes.items() if name not in unknown}


def _of_the_program(traceback: TracebackType | None) -> TracebackType | None:
    while traceback and traceback.tb_frame.f_code.co_filename in (__file__, "<frozen importlib.util>"):
        traceback = traceback.tb_next
    return traceback


def _script(name: str) -> _Main:
    path = str(Path(name).absolute())
    loader = importlib.machinery.SourceFileLoader("__main__", path)
    try:
        source = loader.get_data(path)
    except OSError as error:
        raise ProgramError(f"can't open {path}: {error.strerror}") from None
    code = compile(source, path, "exec", dont_inherit=True)
    return _Main(code, {"__file__": path, "__loader__": loader, "__cached__": None})


def _module(name: str) -> _Main:
    spec = _spec_of(name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = _spec_of(f"{name}.__main__")
    main = _of_spec(spec, name)
    sys.argv[0] = main.attributes["__file__"]
    return main


def _spec_of(name: str) -> Any:
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            return None
        raise  # what the module's own package imports is not there


def _of_spec(spec: Any, name: str) -> _Main:
    if spec is None or spec.loader is None or (code := spec.loader.get_code(spec.name)) is None:
        raise ProgramError(f"there is no {name!r} to run")
    said = {"__file__": spec.origin, "__loader__": spec.loader, "__cached__": spec.cached}
    return _Main(code, {**said, "__spec__": spec, "__package__": spec.parent})
