"""The house: floors, doors, and what an import costs."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import timeoutkit
import timeoutkit.testing

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "timeoutkit"
FLOORS = [
    [
        "_duration",
        "_engine",
        "_address",
        "_program",
        "_audit/logs",
        "_audit/objects",
        "_audit/search",
        "_audit/secrets",
        "_audit/tools",
    ],
    ["_correction", "_delivery", "_environment"],
    ["_policy"],
    ["_annotation", "_argument", "_arguments", "_docstring", "_notes", "_audit/findings", "_audit/records"],
    ["_compiled", "_kinds", "_signature", "_audit/calls"],
    ["_call", "_audit/audit"],
    ["_wrapper", "_audit/data"],
    ["_decorator", "_patch", "_toolcall"],
    ["_retrofit", "integrations"],
    ["_install"],
    ["testing"],
    ["_demo", "_audit/report", "_audit/run"],
    ["_cli"],
    ["__init__", "__main__", "_audit/__init__"],
]
ROOMS = sorted(path.relative_to(PACKAGE).with_suffix("").as_posix() for path in PACKAGE.rglob("*.py"))
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
FLOOR |= {room: FLOOR["integrations"] for room in ROOMS if room.startswith("integrations/")}
WRAPT_FROM = FLOOR["_wrapper"]
STANDARD_LIBRARY_UP_TO = FLOOR["_policy"]


def imports_of(room):
    """Give the modules that a room imports, lazily or not, a name from the package as its module."""
    found = set()
    for node in ast.walk(ast.parse((PACKAGE / f"{room}.py").read_text())):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found |= (
                {f"timeoutkit.{name.name}" for name in node.names} if node.module == "timeoutkit" else {node.module}
            )
    return found


def test_every_room_has_a_floor():
    """A new module is given its place."""
    assert set(ROOMS) <= set(FLOOR)


@pytest.mark.parametrize("room", ROOMS)
def test_imports_run_only_downward(room):
    """A room imports from lower floors only, rooms of one floor do not import each other."""
    for module in imports_of(room):
        if module.startswith("timeoutkit."):
            imported = "/".join(module.split(".")[1:])
            assert FLOOR.get(imported, FLOOR["__init__"] - 1) < FLOOR[room], f"{room} imports {imported}"


@pytest.mark.parametrize("room", [room for room in ROOMS if room.startswith("integrations/")])
def test_no_integration_imports_its_framework(room):
    """A framework's module is imported where the framework is not installed."""
    top_level = ast.parse((PACKAGE / f"{room}.py").read_text()).body
    imported = [node for node in top_level if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {(getattr(node, "module", None) or node.names[0].name).split(".")[0] for node in imported}
    assert names <= {*sys.stdlib_module_names, "timeoutkit", "wrapt"}


@pytest.mark.parametrize("room", [room for room in ROOMS if FLOOR[room] <= STANDARD_LIBRARY_UP_TO])
def test_the_lower_floors_need_only_the_standard_library(room):
    """Another project could vendor durations, records and policies."""
    outside = {module.split(".")[0] for module in imports_of(room)} - set(sys.stdlib_module_names) - {"timeoutkit"}
    assert outside == set()


@pytest.mark.parametrize("room", [room for room in ROOMS if FLOOR[room] < WRAPT_FROM])
def test_only_the_upper_floors_import_wrapt(room):
    """The rules do not depend on how a function is wrapped."""
    assert "wrapt" not in imports_of(room)


def test_an_import_brings_no_heavy_library():
    """typeguard, pydantic, numpy and rich are imported only by who uses them."""
    code = "import sys, timeoutkit; print(*{'typeguard', 'pydantic', 'numpy', 'rich'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_door_exports_what_it_lists():
    """`__all__` is sorted and complete, and the version is that of the package."""
    assert timeoutkit.__all__ == sorted(timeoutkit.__all__)
    public = {name for name, value in vars(timeoutkit).items() if name[0] != "_" and not inspect.ismodule(value)}
    assert public == set(timeoutkit.__all__)
    assert re.fullmatch(r"\d+\.\d+\.\d+", timeoutkit.__version__)
    with pytest.raises(AttributeError, match="module 'timeoutkit' has no attribute 'timeout'"):
        timeoutkit.timeout


@pytest.mark.parametrize("name", timeoutkit.__all__)
def test_a_public_name_documents_itself_with_an_example(name):
    """Every public object has a docstring with an example that runs."""
    assert ">>>" in inspect.getdoc(getattr(timeoutkit, name))


@pytest.mark.parametrize("path", sorted(Path(__file__).parent.rglob("test_*.py")), ids=lambda path: path.name)
def test_every_test_says_what_it_states(path):
    """A test has a docstring of one sentence."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            assert (ast.get_docstring(node) or "").endswith("."), f"{path.name}::{node.name}"


FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def test_functions_fit_a_screen():
    """No function of the package is longer than a screen, without the functions that it holds."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, FUNCTIONS):
                inner = sum(one.end_lineno - one.lineno + 1 for one in node.body if isinstance(one, FUNCTIONS))
                documented = len((ast.get_docstring(node) or "").splitlines())
                signature = node.body[0].lineno - node.lineno
                length = node.end_lineno - node.lineno + 1 - documented - signature - inner
                assert length <= 40, f"{path.name}: {node.name} has {length} lines"
