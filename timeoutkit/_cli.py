"""The command line: a parser, and a function for each command."""

import argparse
import json
import math
import re
import shutil
import sys
import textwrap
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from rich.console import Console
from rich.text import Text

from timeoutkit._audit.audit import Audit
from timeoutkit._audit.data import as_data
from timeoutkit._audit.report import plain, show
from timeoutkit._audit.run import Found, progress, read_all
from timeoutkit._audit.tools import KNOWN_TOOLS
from timeoutkit._decorator import sane_timeout
from timeoutkit._demo import CALLS, HANGING, MILLISECONDS, ZERO, Call, ask, run_shell
from timeoutkit._duration import SPELLED, UNITS, UNREADABLE, Reading, convert, read, short, shown, written
from timeoutkit._install import install
from timeoutkit._policy import DEFAULT_SECONDS, MAX_SECONDS, Outcome, TimeoutPolicy
from timeoutkit._program import ProgramError, run_program
from timeoutkit._retrofit import retrofit
from timeoutkit.integrations import FRAMEWORKS

Command = Callable[[argparse.Namespace], int | Callable[[], int]]
"""Does what its arguments say, and gives the exit code, or a program to run that gives it."""

_NOTE = "cyan"
"""The style of what a model reads."""


def run(argv: Sequence[str] | None = None) -> int | Callable[[], int]:
    """Run the command that the arguments name, and give its exit code, or a program to run that gives it."""
    arguments = _parser().parse_args(_with_amounts(sys.argv[1:] if argv is None else argv))
    command: Command = arguments.command
    return command(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="timeoutkit",
        description="Timeouts that models and people fill in wrongly: see what becomes of them.",
        epilog="Each command explains itself: timeoutkit explain --help",
    )
    parser.add_argument("--version", action="version", version=f"timeoutkit {version('timeoutkit')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_demo(commands)
    _add_explain(commands)
    _add_audit(commands)
    _add_run(commands)
    return parser


def _add(commands: Any, name: str, command: Command, **texts: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name, formatter_class=argparse.RawDescriptionHelpFormatter, **texts
    )
    parser.set_defaults(command=command)
    return parser


_NEGATIVE = re.compile(r"-(?:\.?\d|inf)", re.IGNORECASE)


def _with_amounts(argv: Sequence[str]) -> list[str]:
    """Let "-30s" be a value, as argparse lets "-30": what starts with a space is never an option."""
    if argv[:1] == ["run"]:  # what follows is somebody else's
        return list(argv)
    own = argv.index("--") if "--" in argv else len(argv)
    return [f" {text}" if _NEGATIVE.match(text) else text for text in argv[:own]] + list(argv[own:])


# -- demo ------------------------------------------------------------------------------------------


def _add_demo(commands: Any) -> None:
    _add(
        commands,
        "demo",
        _demo,
        help="call a real shell tool as models call it",
        description=(
            "Call a real shell tool with timeouts as models write them. Shows each call, the\n"
            "timeout that the tool received, how long it took, and what the model is told.\n"
            "One of the commands hangs, so the demo takes about two seconds."
        ),
    )


_WITH = "With @sane_timeout, and what the model is told"


def _demo(_arguments: argparse.Namespace) -> int:
    console = _console()
    with _plain_warnings("demo"):
        tool, limited = sane_timeout(run_shell), sane_timeout(max=2)(run_shell)
    _heading(console, "Without timeoutkit")
    failure = ask(run_shell, ZERO).text.rpartition("' ")[2]
    console.print(f"{_written(ZERO)}at once: {failure}", style="red")
    console.print(f"{_written(MILLISECONDS)}lets a hang last {short(MILLISECONDS['timeout'])}", style="red")
    _heading(console, f"{_WITH}{'the tool gets':>16}{'it takes':>10}")
    for call in CALLS:
        _show(console, tool, call)
    _heading(console, "With @sane_timeout(max=2), when the command hangs")
    _show(console, limited, HANGING)
    console.print()
    console.print("from timeoutkit import sane_timeout   # paste this at the top")
    console.print("@sane_timeout                         # and this above your own tool")
    return 0


def _heading(console: Console, text: str) -> None:
    console.print(text, style="bold")


def _written(call: Call) -> str:
    return f"{json.dumps(call):<{len(_WITH)}}"


def _show(console: Console, tool: Callable[..., str], call: Call) -> None:
    """Show a call while it runs, then what came of it, then what the model is told besides the output."""
    console.print(_written(call), end="")
    answer = ask(tool, call)
    console.print(f"{f'timeout={answer.received}':>16}{f'{answer.seconds:.2f} s':>10}")
    for line in filter(None, answer.text.removeprefix("ok").split("\n")):
        _say(console, "  ", line, style=_NOTE)


# -- explain ---------------------------------------------------------------------------------------

_EXAMPLES = """\
examples:
  timeoutkit explain 90000
  timeoutkit explain 300 --unit ms --min 1s
  timeoutkit explain 300 --tool Bash
  timeoutkit explain "1m30s" --max 60
  timeoutkit explain -1 --default 5m

A DURATION is a number in the unit (600) or names its own (10m).
TIMEOUTKIT_DEFAULT, TIMEOUTKIT_MAX and TIMEOUTKIT_MS_THRESHOLD count, as they do
for the decorator.
"""


def _add_explain(commands: Any) -> None:
    parser = _add(
        commands,
        "explain",
        _explain,
        help="say what a policy makes of one value, and why",
        description="Say what a policy makes of one value, which rule decided,\nand what the model would be told.",
        epilog=_EXAMPLES,
    )
    parser.add_argument("value", metavar="VALUE", type=_value, help="as a model wrote it: 90000, 30s, true, null")
    policy = parser.add_argument_group("the policy", argument_default=argparse.SUPPRESS)
    policy.add_argument(
        "--tool", choices=KNOWN_TOOLS, metavar="NAME", help=f"as this one has it: {', '.join(KNOWN_TOOLS)}"
    )
    policy.add_argument("--unit", help=f"of the value and the numbers below: {', '.join(UNITS)} (default: s)")
    for name, text in (
        ("default", f"used when the value means nothing; none: it stays missing (default: {DEFAULT_SECONDS} s)"),
        ("min", "the smallest value passed on (default: 0; mostly 1 s where the unit is ms)"),
        ("max", f"the largest value passed on; none: no maximum (default: {MAX_SECONDS} s)"),
        ("ms-threshold", "a bare number from here on is milliseconds (default: infer it)"),
    ):
        policy.add_argument(f"--{name}", metavar="DURATION", type=_field, help=text)
    policy.add_argument("--no-rescale", dest="rescale", action="store_false", help="never infer a wrong unit")


def _value(text: str) -> Any:
    """Read a value as the arguments of a tool carry it: JSON, else plain text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text.strip()


def _field(text: str) -> Any:
    return None if text == "none" else _value(text)


def _explain(arguments: argparse.Namespace) -> int:
    given = {name: value for name, value in vars(arguments).items() if name not in ("command", "value", "tool")}
    fields = {**(KNOWN_TOOLS[arguments.tool][0].fields if "tool" in arguments else {}), **given}
    try:
        with _plain_warnings("explain"):
            policy = TimeoutPolicy.from_env(**fields)
    except ValueError as error:
        return _refuse("explain", str(error))
    console = _console()
    for label, text in _explanation(policy, arguments.value):
        _say(console, f"{label:<10}", text, style=_NOTE if label == "note" else "")
    return 0


def _explanation(policy: TimeoutPolicy, value: Any) -> Iterator[tuple[str, str]]:
    used, correction = policy.normalize(value)
    yield "given", shown(value)
    yield "used", "nothing: it stays missing" if used is None else _amount(used, policy.unit)
    yield "why", _why(policy, value)
    yield "note", "none: there is nothing to correct" if correction is None else correction.note
    yield "contract", policy.describe()


def _amount(amount: int | float, unit: str) -> str:
    """Write an amount in its unit, and in the one that suits it where that says more."""
    seconds = convert(amount, unit, "s")
    plain, words = written(amount), short(seconds)
    says_more = seconds >= 1 and words.partition(" ")[0] != plain
    return f"{plain} {unit} ({words})" if says_more else f"{plain} {unit}"


_WHY = {
    "missing": "It says that there is no timeout, so the default is used.",
    "stays_missing": "It says that there is no timeout, and the policy has no default.",
    "unreadable": "It is not a duration, so {instead} is used.",
    "not_positive": "It is not positive, which means nothing here, so {instead} is used.",
    "in_range": "It is within the bounds, so it is used as it is.",
    "suspicious": "It is within the bounds and used as it is, but {length} may be meant as milliseconds.",
    "above_max": "It is above {most}, so that is used.",
    "not_clearly_ms": "It is above the maximum and not clearly milliseconds, so the maximum is used.",
    "below_min": "It is below the minimum, so the minimum is used.",
    "read_as_ms": "As seconds it would be {length}; a whole thousand above the maximum is milliseconds{held}.",
    "above_threshold": "A bare number of {threshold} or more is milliseconds in this policy{held}.",
    "read_as_s": "A bare number under 1000 that is below the minimum is seconds{held}.",
}
"""What each rule says of a value."""
_CENTURIES = 10**10


def _why(policy: TimeoutPolicy, value: Any) -> str:
    """Say in one sentence which rule decided."""
    used, outcome = policy.judge(value)
    reading = read(value, policy.unit) or UNREADABLE
    most = "the maximum of a timer" if policy.max is None else "the maximum"
    meant = convert(reading.amount, *(("s", "ms") if outcome == "read_as_s" else ("ms", "s")))
    return _WHY[_rule(policy, reading, outcome)].format(
        instead=most if policy.default is None else "the default",
        most=most,
        length=short(reading.amount) if 0 < reading.amount < _CENTURIES else "centuries",
        threshold=policy.ms_threshold,
        held="" if used == meant else ", held within the bounds",
    )


def _rule(policy: TimeoutPolicy, reading: Reading, outcome: Outcome) -> str:
    """Tell apart the rules that have one outcome."""
    if outcome == "missing" and policy.default is None:
        return "stays_missing"
    if outcome == "read_as_ms" and policy.ms_threshold is not None:
        return "above_threshold"
    infers_ms = policy.unit == "s" and policy.rescale and policy.infers and policy.ms_threshold is None
    if outcome == "above_max" and infers_ms and not reading.explicit and reading.amount < math.inf:
        return "not_clearly_ms"
    return outcome


# -- audit -----------------------------------------------------------------------------------------

_AUDIT = """\
Read the logs of agents, and show which timeouts models really wrote in them.
A PATH is a file (.gz too), a folder, or - for standard input. Without one, the
logs of Claude Code, Codex and pi are read. Commands are not printed.
"""
_AUDIT_EXAMPLES = """\
examples:
  timeoutkit audit
  timeoutkit audit logs/ --unit run_shell.timeout=ms
  timeoutkit audit session.jsonl.gz --max 5m --json
  timeoutkit audit logs/ --fail-over 0

A DURATION is a number of seconds (600) or names its unit (10m).
exit code:
  0    the logs were read
  1    with --fail-over N: over N calls are wrong; a missing timeout is not
  2    a PATH cannot be read, or the command line is wrong
  130  Ctrl-C; what was read so far is printed
"""


def _add_audit(commands: Any) -> None:
    parser = _add(
        commands,
        "audit",
        _audit,
        help="show which timeouts models wrote in the logs of agents",
        description=_AUDIT,
        epilog=_AUDIT_EXAMPLES,
    )
    parser.add_argument("paths", metavar="PATH", nargs="*", help="a file, a folder, or -")
    parser.add_argument("--json", action="store_true", help="print data instead of a report")
    parser.add_argument("--show-commands", action="store_true", help="print commands too, what looks secret cut out")
    parser.add_argument("--fail-over", metavar="N", type=_number, help="exit with 1 over N wrong calls")
    parser.add_argument(
        "--unit",
        metavar="TOOL.PARAM=UNIT",
        type=_told_unit,
        action="append",
        default=[],
        help="such as Bash.timeout=ms",
    )
    policy = parser.add_argument_group("try another policy", argument_default=argparse.SUPPRESS)
    for name, text in (
        ("default", "used where a value means nothing"),
        ("max", "the largest value passed on; none: no maximum"),
        ("ms-threshold", "a bare number of seconds from here on is milliseconds"),
    ):
        policy.add_argument(f"--{name}", metavar="DURATION", type=_field, help=text)


def _number(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError
    return number


def _told_unit(text: str) -> tuple[tuple[str, str], str]:
    place, _, word = text.rpartition("=")
    tool, _, param = place.rpartition(".")
    unit = SPELLED.get(word.lower())
    if not (tool and param and unit):
        raise argparse.ArgumentTypeError(f"{text!r} is not TOOL.PARAM=UNIT: write it as Bash.timeout=ms")
    return (tool, param), unit


def _audit(arguments: argparse.Namespace) -> int:
    options = {name: getattr(arguments, name) for name in ("default", "max", "ms_threshold") if name in arguments}
    try:
        with _plain_warnings("audit"):
            tried = TimeoutPolicy.from_env(**options)
    except ValueError as error:
        return _refuse("audit", str(error))
    # a bare number is in seconds, whatever the unit of the tool
    options = {name: None if value is None else f"{getattr(tried, name)}s" for name, value in options.items()}
    found = Found(arguments.paths)
    for missing in found.missing:
        _refuse("audit", missing)
    if not arguments.paths:
        for place in found.places:
            print(place, file=sys.stderr)
    if not found.logs and (found.missing or not arguments.paths):
        return 2 if found.missing else _refuse("audit", "there are no logs at the usual places: name a PATH")
    audit = Audit(dict(arguments.unit), options, show_commands=arguments.show_commands)
    return _report(arguments, found, audit)


def _report(arguments: argparse.Namespace, found: Found, audit: Audit) -> int:
    failed: list[str] = []
    interrupted = False
    try:
        with progress(found.logs) as on_read:
            failed.extend(read_all(audit, found.logs, on_read))
    except KeyboardInterrupt:
        interrupted = True
    with warnings.catch_warnings(action="ignore"):  # said already, of the policy that is tried
        findings = audit.findings()
    for told in audit.unused_units():
        print(f"timeoutkit audit: --unit {plain(told)}: no call has that", file=sys.stderr)
    if arguments.json:
        print(json.dumps(as_data(audit, findings, skipped=len(found.others), interrupted=interrupted), indent=2))
    else:
        show(_console(), audit, findings, skipped=found.others, interrupted=interrupted)
    if interrupted:
        return 130
    if found.missing or any(path in arguments.paths for path in failed):
        return 2
    wrong = sum(one.wrong for one in findings)
    return int(arguments.fail_over is not None and wrong > arguments.fail_over)


# -- run -------------------------------------------------------------------------------------------

_RUN_EXAMPLES = f"""\
examples:
  timeoutkit run -- agent.py --verbose
  timeoutkit run --install langchain,mcp -- -m my_agent
  timeoutkit run --install all --retrofit subprocess:run -- script.py

frameworks:
{textwrap.fill(", ".join(FRAMEWORKS), 76, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)}

TIMEOUTKIT_DEFAULT, TIMEOUTKIT_MAX and TIMEOUTKIT_MS_THRESHOLD count, as they do
for the decorator. Processes that the program starts are not reached.
"""


def _add_run(commands: Any) -> None:
    parser = _add(
        commands,
        "run",
        _run,
        help="run a Python program with the tool calls of its framework corrected",
        description=(
            "Run a Python program as `python` would, unchanged, with the timeouts in the tool\n"
            "calls of its agent framework corrected, and those of the functions you name."
        ),
        epilog=_RUN_EXAMPLES,
        usage="timeoutkit run [--install NAMES] [--retrofit TARGET] -- SCRIPT [ARG]...",
    )
    parser.add_argument(
        "--install", metavar="NAMES", action="append", default=[],
        help="frameworks, or all of them (the default without --retrofit)",
    )  # fmt: skip
    parser.add_argument(
        "--retrofit", metavar="TARGET", action="append", default=[], help="a function, such as subprocess:run"
    )
    parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    parser.add_argument("program", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)


def _run(arguments: argparse.Namespace) -> int | Callable[[], int]:
    program = arguments.program[arguments.program[:1] == ["--"] :]
    if arguments.module is not None:
        program = ["-m", *arguments.module]
    if not program or program == ["-m"]:
        return _refuse("run", "there is no program: write timeoutkit run -- script.py")
    return lambda: _run_corrected(program, arguments)


def _run_corrected(program: list[str], arguments: argparse.Namespace) -> int:
    try:
        run_program(program, lambda: _correct(arguments.install, arguments.retrofit))
    except (ProgramError, _SetupError) as error:
        return _refuse("run", str(error))
    return 0


class _SetupError(Exception):
    """What was to be corrected cannot be."""


def _correct(frameworks: list[str], targets: list[str]) -> None:
    names = [name for names in frameworks for name in names.split(",") if name]
    try:
        if "all" in names or not (names or targets):
            install()
        elif names:
            install(*names)
        retrofit(*targets)
    except (ValueError, AttributeError, ImportError, TypeError) as error:
        raise _SetupError(str(error)) from None


def _refuse(command: str, message: str) -> int:
    print(f"timeoutkit {command}: error: {plain(message)}", file=sys.stderr)
    return 2


# -- the terminal ----------------------------------------------------------------------------------


def _console() -> Console:
    width = shutil.get_terminal_size().columns  # rich takes COLUMNS=0 at its word
    return Console(width=width, highlight=False, markup=False, emoji=False, soft_wrap=True)


def _say(console: Console, label: str, text: str, style: str = "") -> None:
    """Print a text beside its label; it is wrapped there at a terminal's width, and never in a pipe."""
    width = max(console.width, 2 * len(label) + 20) if console.is_terminal else sys.maxsize
    wrapped = textwrap.fill(text, width, initial_indent=label, subsequent_indent=" " * len(label))
    console.print(Text.assemble((label, "bold"), (wrapped.removeprefix(label), style)))


@contextmanager
def _plain_warnings(command: str) -> Generator[None]:
    """Show a warning as one line on stderr: there is no line of the user's code to point at."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        print(f"timeoutkit {command}: {warning.message}", file=sys.stderr)
