"""`timeoutkit run`: an unchanged program, run as the interpreter runs it."""

import re
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

CORRECTED = (sys.executable, "-m", "timeoutkit", "run", "--")
FACTS = """
import sys
names = {name: repr(value) for name, value in globals().items() if name.startswith("__") and name != "__builtins__"}
print(sorted(names.items()), type(__builtins__), sys.argv, sys.path[0])
print(sys.modules["__main__"].__dict__ is globals())
"""
PROGRAM = """
import multiprocessing, os, signal, sys, time

def negative(number):
    return -number

def fail():
    raise ValueError("broken")

if __name__ == "__main__":
    what = sys.argv[1]
    if what == "fail":
        fail()
    if what == "text":
        sys.exit("bye")
    if what == "code":
        sys.exit(3)
    if what == "interrupt":
        signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background may ignore it
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)
    if what == "end":
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(5)
    if what == "hook":
        sys.excepthook = lambda kind, error, traceback: print(kind, error, traceback.tb_frame.f_code.co_name)
        fail()
    if what == "spawn":
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            print(pool.map(negative, [1, 2]))
    if what == "input":
        print(sys.stdin.read())
"""


@pytest.fixture
def place(tmp_path):
    """Make a directory with programs of each kind."""
    (tmp_path / "facts.py").write_text(FACTS)
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text("def f(:\n")
    for package in ("package", "directory"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__main__.py").write_text(FACTS)
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "lacking").mkdir()
    (tmp_path / "lacking" / "__init__.py").write_text("import nowhere_to_be_found\n")
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        archive.writestr("__main__.py", FACTS)
    return tmp_path


def ran(place, *command, **options):
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False, input="given", **options)
    without_runpy = re.sub(r'  File "<frozen runpy>".*\n', "", done.stderr)  # how -m itself is run
    return done.returncode, re.sub(r" at 0x\w+", "", done.stdout), re.sub(r" at 0x\w+", "", without_runpy)


PROGRAMS = [
    "facts.py", "facts.py -30s --help -- -m x", "directory a", "archive.zip a", "package/__main__.py a",
    "-m package a --install x", "-m facts -h", "program.py fail", "-m program fail", "program.py text",
    "program.py code", "program.py interrupt", "program.py end", "program.py hook", "program.py spawn",
    "-m program spawn", "program.py input", "wrong.py", "-m wrong", "-m lacking",
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_runs_as_python_runs_it(place, program):
    """Output, traceback, exit code, arguments, `__main__` and what is known of it are the interpreter's."""
    plain = ran(place, sys.executable, *program.split())
    assert ran(place, *CORRECTED, *program.split()) == plain
    assert plain[1] or plain[2] or plain[0] in (3, -signal.SIGTERM)


@pytest.mark.parametrize("flags", ["-P", "-I"])
def test_the_flags_of_the_interpreter_count(place, flags):
    """Where nothing is put before the path of modules, nothing is."""
    plain = ran(place, sys.executable, flags, "facts.py")
    assert ran(place, sys.executable, flags, *CORRECTED[1:], "facts.py") == plain


def test_the_dashes_may_be_left_out(place):
    """What follows the options is the program."""
    plain = ran(place, sys.executable, "-m", "facts", "-h")
    assert ran(place, *CORRECTED[:-1], "-m", "facts", "-h") == plain


def test_the_script_of_the_package_runs_a_program_as_well(place):
    """`timeoutkit run` is `python -m timeoutkit run`."""
    script = str(Path(sys.executable).with_name("timeoutkit"))
    assert ran(place, script, "run", "facts.py", "a") == ran(place, sys.executable, "facts.py", "a")


NOTHING_TO_RUN = [
    ("nowhere.py", "can't open .*nowhere.py: No such file or directory"),
    ("-m nowhere", "there is no 'nowhere' to run"),
    ("-m nowhere.below", "there is no 'nowhere.below' to run"),
    ("-m package.nowhere", "there is no 'package.nowhere' to run"),
    ("empty", "there is no 'empty' to run"),
    ("", "there is no program: write timeoutkit run -- script.py"),
    ("-m", "there is no program: write timeoutkit run -- script.py"),
]


@pytest.mark.parametrize(("program", "message"), NOTHING_TO_RUN)
def test_there_is_nothing_to_run(place, program, message):
    """One line says what was looked for."""
    (place / "empty").mkdir()
    code, output, error = ran(place, *CORRECTED, *program.split())
    assert (code, output) == (2, "")
    assert re.fullmatch(f"timeoutkit run: error: {message}\n", error)


def test_named_functions_are_corrected(place):
    """A retrofit reaches what the program calls, its own modules too."""
    (place / "own.py").write_text("def wait(timeout=30):\n    print('waited', timeout)\n")
    (place / "script.py").write_text(
        "import own, subprocess\nown.wait(90000)\nprint(subprocess.run(['true'], timeout=0).returncode)\n"
    )
    command = [*CORRECTED[:-1], "--retrofit", "subprocess:run", "--retrofit", "own:wait", "--", "script.py"]
    assert ran(place, *command) == (0, "waited 90\n0\n", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--retrofit subprocess:runn", "subprocess has no attribute 'runn': did you mean run"),
        ("--retrofit subprocess", "'subprocess' is not a target"),
        ("--install nothing", "no framework is known as 'nothing': write one of mcp, "),
    ],
)
def test_what_cannot_be_corrected_is_said_before_the_program_runs(place, options, message):
    """The error is one line, and nothing of the program has happened."""
    code, output, error = ran(place, *CORRECTED[:-1], *options.split(), "--", "facts.py")
    assert (code, output) == (2, "")
    assert error.startswith(f"timeoutkit run: error: {message}")
