"""The command line: a parser, and a function for each command."""

import argparse
import json
import math
import re
import shutil
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from rich.console import Console
from rich.text import Text

from timeoutkit._decorator import sane_timeout
from timeoutkit._demo import CALLS, HANGING, MILLISECONDS, ZERO, Call, ask, run_shell
from timeoutkit._duration import UNITS, UNREADABLE, Reading, convert, read, short, shown, written
from timeoutkit._policy import DEFAULT_SECONDS, MAX_SECONDS, Outcome, TimeoutPolicy

Command = Callable[[argparse.Namespace], int]
"""Does what its arguments say, and gives the exit code."""

_NOTE = "cyan"
"""The style of what a model reads."""


def run(argv: Sequence[str] | None = None) -> int:
    """Run the command that the arguments name, and give its exit code."""
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
    fields = {name: value for name, value in vars(arguments).items() if name not in ("command", "value")}
    try:
        with _plain_warnings("explain"):
            policy = TimeoutPolicy.from_env(**fields)
    except ValueError as error:
        print(f"timeoutkit explain: error: {error}", file=sys.stderr)
        return 2
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
def _plain_warnings(command: str) -> Iterator[None]:
    """Show a warning as one line on stderr: there is no line of the user's code to point at."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        print(f"timeoutkit {command}: {warning.message}", file=sys.stderr)
