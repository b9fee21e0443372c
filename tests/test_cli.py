"""The command line, as a shell runs it and as a person reads it."""

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import entry_points, version

import pytest

from timeoutkit.__main__ import main

PROGRAM = (sys.executable, "-m", "timeoutkit")
SETTINGS = (
    "COLUMNS",
    "FORCE_COLOR",
    "NO_COLOR",
    "PYTHONUNBUFFERED",
    "TERM",
    "TIMEOUTKIT_DEFAULT",
    "TIMEOUTKIT_MAX",
    "TIMEOUTKIT_MS_THRESHOLD",
)
SECONDS = "timeout is in seconds (up to 600)"


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch):
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)


def environment(**settings):
    return {name: value for name, value in os.environ.items() if name not in SETTINGS} | settings


def on_terminal(width, *arguments, **settings):
    """Run the program on a terminal of its own, and give what it wrote there."""
    openpty = pytest.importorskip("pty").openpty
    ours, its = openpty()
    settings = {"TERM": "xterm-256color", "COLUMNS": str(width), **settings}
    process = subprocess.Popen([*PROGRAM, *arguments], stdout=its, stderr=its, env=environment(**settings))
    os.close(its)
    written = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    assert process.wait(60) == 0
    return written.decode().replace("\r\n", "\n")


def _read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # how Linux says that the other side is closed
        return b""


def without_styles(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def explained(capsys, *arguments):
    """Run `explain` and give what it says by label."""
    assert main(["explain", *arguments]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return dict(line.split(maxsplit=1) for line in captured.out.splitlines())


def refused(capsys, *arguments):
    """Run `explain` where it refuses, and give the one line that says why."""
    assert main(["explain", *arguments]) == 2
    captured = capsys.readouterr()
    (line,) = captured.err.splitlines()
    assert captured.out == ""
    return line


# -- demo ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo():
    """Run the demo once, written to what is no terminal."""
    output, errors = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(output), redirect_stderr(errors):
        for name in SETTINGS:
            patch.delenv(name, raising=False)
        assert main(["demo"]) == 0
    assert errors.getvalue() == ""
    return output.getvalue()


def shown_calls(output):
    """Read the table of the demo: call -> timeout received, seconds taken, lines for the model."""
    calls = {}
    for line in output.splitlines():
        if found := re.fullmatch(r"(\{.*\}) +timeout=(\w+) +([0-9.]+) s", line):
            told = []
            calls[found[1]] = (found[2], float(found[3]), told)
        elif line.startswith("  "):
            told.append(line.strip())
    return calls


@pytest.mark.parametrize(
    ("timeout", "received", "told"),
    [
        ({}, "120", []),
        ({"timeout": 0}, "120", [f'[timeoutkit] "timeout": 120 was used. {SECONDS}.']),
        ({"timeout": -1}, "120", [f'[timeoutkit] "timeout": 120 was used. {SECONDS}.']),
        ({"timeout": 30}, "30", []),
        ({"timeout": 90000}, "90", [f'[timeoutkit] "timeout": 90 was used. {SECONDS}, not milliseconds.']),
        ({"timeout": "30s"}, "30", []),
        ({"timeout": 7200}, "600", [f'[timeoutkit] "timeout": 600 was used. {SECONDS}.']),
    ],
)
def test_the_demo_shows_each_call_as_the_model_wrote_it(demo, timeout, received, told):
    """Beside it stand the timeout that the tool received, how long it took, and what the model is told."""
    shown_received, seconds, shown_told = shown_calls(demo)[json.dumps({"command": "echo ok", **timeout})]
    assert (shown_received, shown_told) == (received, told)
    assert seconds < 2


def test_the_demo_ends_a_command_that_really_hangs(demo):
    """The tool's own timer ends it after two seconds, and its error reaches the model with the note."""
    received, seconds, told = shown_calls(demo)['{"command": "exec sleep 60", "timeout": 7200}']
    assert received == "2"
    assert 2 <= seconds < 10
    assert told == [
        "Command 'exec sleep 60' timed out after 2 seconds",
        '[timeoutkit] "timeout": 2 was used. timeout is in seconds (up to 2).',
    ]


def test_the_demo_first_shows_what_happens_without_us(demo):
    """The same tool, not decorated, fails at once for 0 and would wait a day for 90000."""
    first, zero, milliseconds, *_ = demo.splitlines()
    assert first == "Without timeoutkit"
    assert zero.endswith("at once: timed out after 0 seconds")
    assert milliseconds.endswith("lets a hang last 25 hours")


def test_the_demo_ends_with_two_lines_that_work(demo):
    """What is to be pasted into one's own code does what was shown."""
    pasted = "\n".join(demo.splitlines()[-2:])
    namespace = {}
    exec(f"{pasted}\ndef tool(timeout: int): return timeout", namespace)
    assert namespace["tool"](timeout=90000) == 90


def test_the_demo_in_a_pipe_is_plain(demo):
    """There is no colour, and no note is wrapped or cut."""
    assert "\x1b" not in demo
    assert f'  [timeoutkit] "timeout": 90 was used. {SECONDS}, not milliseconds.' in demo.splitlines()


def test_the_demo_fits_a_terminal_of_80_columns(demo):
    """Only the note that is longer than that is wrapped, and a terminal of 24 lines holds everything."""
    lines = without_styles(on_terminal(80, "demo")).splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) == len(demo.splitlines()) + 1 <= 23


# -- explain ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "used", "why"),
    [
        ("90000", "90 s (1.5 minutes)", "As seconds it would be 25 hours; a whole thousand above the maximum"),
        ("3000000", "600 s (10 minutes)", "is milliseconds, held within the bounds."),
        ("30", "30 s", "It is within the bounds, so it is used as it is."),
        ("30s", "30 s", "It is within the bounds"),
        ("0.5", "0.5 s", "It is within the bounds"),
        ("0", "120 s (2 minutes)", "It is not positive, which means nothing here, so the default is used."),
        ("true", "120 s (2 minutes)", "It is not a duration, so the default is used."),
        ("soon", "120 s (2 minutes)", "It is not a duration"),
        ("null", "120 s (2 minutes)", "It says that there is no timeout, so the default is used."),
        ("null --default none", "nothing: it stays missing", "no timeout, and the policy has no default."),
        ("0 --default none", "600 s (10 minutes)", "so the maximum is used."),
        ("0 --default none --max none", "2147483 s (24.9 days)", "so the maximum of a timer is used."),
        ("7200", "600 s (10 minutes)", "It is above the maximum and not clearly milliseconds"),
        ("18000", "600 s (10 minutes)", "not clearly milliseconds"),
        ("2h", "600 s (10 minutes)", "It is above the maximum, so that is used."),
        ("1e400", "600 s (10 minutes)", "It is above the maximum, so that is used."),
        ("90000 --no-rescale", "600 s (10 minutes)", "It is above the maximum, so that is used."),
        ("1e12 --max none", "2147483 s (24.9 days)", "It is above the maximum of a timer, so that is used."),
        ("60000 --max none", "60000 s (16.7 hours)", "but 16.7 hours may be meant as milliseconds."),
        ("5000 --ms-threshold 1000", "5 s", "A bare number of 1000 or more is milliseconds in this policy."),
        ("99000 --ms-threshold 1000 --max 60", "60 s (1 minute)", "in this policy, held within the bounds."),
        ("1 --min 5", "5 s", "It is below the minimum, so the minimum is used."),
        ("300 --unit ms", "300000 ms (5 minutes)", "A bare number under 1000 that is below the minimum is seconds."),
        ("1h --unit min --max 10m", "10 min", "It is above the maximum"),
        ("9" * 5000, "600 s (10 minutes)", "It is above the maximum"),
        ("9" * 300, "600 s (10 minutes)", "It is above the maximum and not clearly milliseconds"),
        ("9" * 300 + "000", "600 s (10 minutes)", "As seconds it would be centuries"),
        ("[" * 50_000, "120 s (2 minutes)", "It is not a duration"),
    ],
)
def test_explain_says_what_is_used_and_why(capsys, arguments, used, why):
    """The value is read as a tool's arguments carry it, and one plain sentence names the rule."""
    told = explained(capsys, *arguments.split())
    assert told["used"] == used
    assert why in told["why"]


@pytest.mark.parametrize(
    ("value", "given"),
    [
        ("90000", "90000"), ('"90000"', "'90000'"), ("1m30s", "'1m30s'"), ("true", "True"), ("", "''"), ("[1]", "<list>"),
        ("\udcff", r"'\udcff'"), ("a\x1b[31mred\nline", r"'a\x1b[31mred\nline'"),
    ],
)  # fmt: skip
def test_explain_shows_how_the_value_was_read(capsys, value, given):
    """A number is a number, a text a text, and nothing of it reaches the terminal unescaped."""
    assert explained(capsys, value)["given"] == given


@pytest.mark.parametrize("value", ["-1", "-0.5", "-.5", "-30s", "-1e5", "-inf", "-Infinity", "-5 minutes", "-1m30s"])
def test_a_negative_value_is_no_option(capsys, value):
    """It needs no "--" before it, with a unit or without, before options and after them."""
    for arguments in ([value, "--max", "60"], ["--max", "60", value], ["--max", "60", "--", value]):
        assert "It is not positive" in explained(capsys, *arguments)["why"]


def test_explain_gives_the_note_and_the_contract(capsys):
    """Both are the very lines that a model reads."""
    told = explained(capsys, "90000", "--max", "5m")
    assert told["note"] == ('[timeoutkit] "timeout": 90 was used. timeout is in seconds (up to 300), not milliseconds.')
    assert told["contract"] == "Timeout in seconds, e.g. 30; at most 300; default 120; not milliseconds."
    assert explained(capsys, "30")["note"] == "none: there is nothing to correct"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("5 --min 10 --max 3", "min=10 is above max=3: raise max or lower min"),
        ("5 --default 900 --max 600", "default=900 is above max=600: raise max or lower default"),
        ("5 --max soon", "max='soon' is not a duration: write it as one of 30"),
        ("5 --max true", "max=True is not a duration"),
        ("5 --max -1", "max=-1 is not positive"),
        ("5 --min -5s", "min=-5 is not positive"),
        ("5 --unit seconds", "unit='seconds' is not a unit: write \"s\""),
        ("5 --unit ms --ms-threshold 5", 'ms_threshold=5 needs unit="s"'),
        ("5 --no-rescale --ms-threshold 5", "ms_threshold=5 contradicts rescale=False"),
    ],
)
def test_a_policy_that_cannot_be_is_one_line(capsys, arguments, message):
    """The line goes to stderr, says what to write instead, and the exit code is 2."""
    assert refused(capsys, *arguments.split()).startswith(f"timeoutkit explain: error: {message}")


def test_explain_reads_the_environment_as_the_decorator_does(capsys, monkeypatch):
    """The operator's maximum counts; a variable that cannot be used is one line on stderr."""
    monkeypatch.setenv("TIMEOUTKIT_MAX", "60")
    assert explained(capsys, "90")["used"] == "60 s (1 minute)"
    monkeypatch.setenv("TIMEOUTKIT_MAX", "lots")
    assert main(["explain", "90"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("timeoutkit explain: TIMEOUTKIT_MAX='lots' is not a positive duration and is ignored")


@pytest.mark.parametrize("width", [80, 120])
def test_explain_wraps_at_the_width_of_a_terminal(capsys, width):
    """Every line fits, continued below its own text, and no word is lost."""
    lines = without_styles(on_terminal(width, "explain", "3000000")).splitlines()
    assert max(map(len, lines)) <= width
    assert " ".join(" ".join(lines).split()) == " ".join(
        f"{label} {text}" for label, text in explained(capsys, "3000000").items()
    )


@pytest.mark.parametrize("columns", ["0", "20", "lots"])
def test_explain_in_a_pipe_wraps_nothing(capsys, monkeypatch, columns):
    """Whatever COLUMNS says, each line is whole and without escape codes."""
    monkeypatch.setenv("COLUMNS", columns)
    told = explained(capsys, "3000000")
    assert list(told) == ["given", "used", "why", "note", "contract"]
    assert told["note"].endswith("(up to 600), not milliseconds.")
    assert "\x1b" not in "".join(told.values())


# -- the program -----------------------------------------------------------------------------------


def test_no_color_is_respected():
    """With NO_COLOR a terminal gets the same text without any colour."""
    coloured, plain = on_terminal(80, "explain", "0"), on_terminal(80, "explain", "0", NO_COLOR="1")
    colour = re.compile(r"\x1b\[[0-9;]*3[0-9]")
    assert colour.search(coloured)
    assert not colour.search(plain)
    assert without_styles(coloured) == without_styles(plain)


def helped(capsys, *arguments):
    with pytest.raises(SystemExit) as caught:
        main([*arguments, "--help"])
    assert caught.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", [(), ("demo",), ("explain",), ("audit",)])
def test_help_fits_80_columns(capsys, monkeypatch, command):
    """Every page of help can be read on a common terminal."""
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, helped(capsys, *command).splitlines())) <= 80


def test_a_broken_installation_is_an_error_of_its_own(monkeypatch):
    """Only what the extra installs is said to be missing."""
    monkeypatch.setitem(sys.modules, "timeoutkit._cli", None)
    with pytest.raises(ModuleNotFoundError, match=r"timeoutkit\._cli"):
        main(["demo"])


def test_help_names_every_command(capsys):
    """The first page says what there is to run."""
    assert re.findall(r"^    ([a-z]+) ", helped(capsys), re.MULTILINE) == ["demo", "explain", "audit", "run"]


def test_the_examples_in_the_help_run(capsys):
    """Each can be copied from the help into a shell."""
    examples = re.findall(r"^  timeoutkit (explain .*)$", helped(capsys, "explain"), re.MULTILINE)
    assert len(examples) >= 3
    assert [main(shlex.split(example)) for example in examples] == [0] * len(examples)


def test_the_version_is_the_packages(capsys):
    """It is read from what is installed."""
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"timeoutkit {version('timeoutkit')}\n"


@pytest.mark.parametrize("arguments", [[], ["explian"], ["explain"], ["explain", "1", "2"], ["explain", "1", "--maxi"]])
def test_a_wrong_command_line_is_exit_code_2(capsys, arguments):
    """The usage and what is wrong go to stderr."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert re.match(r"usage: timeoutkit(.|\n)*\ntimeoutkit.*: error: ", capsys.readouterr().err)


def test_the_installed_script_is_the_same_program():
    """`timeoutkit` and `python -m timeoutkit` are one."""
    (script,) = entry_points(group="console_scripts", name="timeoutkit")
    assert script.load() is main


def test_without_rich_the_program_says_what_to_install():
    """One line, exit code 2."""
    code = "import sys; sys.modules['rich'] = None; from timeoutkit.__main__ import main; sys.exit(main(['demo']))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr == 'timeoutkit: the command line needs rich: pip install "timeoutkit[cli]"\n'


def test_importing_the_package_imports_no_command_line():
    """What only the program needs costs a library's users nothing."""
    code = (
        "import sys, timeoutkit; print({'timeoutkit._cli', 'timeoutkit._demo', 'rich', 'argparse'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


@pytest.mark.parametrize("arguments", [["demo"], ["explain", "90000"], ["--help"]])
def test_a_reader_that_goes_away_is_no_error(arguments):
    """A closed pipe, as `head` leaves it, ends the program without a word."""
    reader, writer = os.pipe()
    os.close(reader)
    result = subprocess.run(
        [*PROGRAM, *arguments], stdout=writer, stderr=subprocess.PIPE, text=True, env=environment(), timeout=60
    )
    os.close(writer)
    assert (result.returncode, result.stderr) == (1, "")


def test_an_interrupt_is_exit_code_130():
    """Ctrl-C while a command hangs ends the program without a traceback."""
    listening = "signal.signal(signal.SIGINT, signal.default_int_handler)"  # a shell's background jobs ignore it
    code = f"import signal, sys; {listening}; from timeoutkit.__main__ import main; sys.exit(main(['demo']))"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    )
    for line in process.stdout:
        if line.startswith("With @sane_timeout(max=2)"):
            break
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.strip() == ""
