"""The report of an audit, for people: on a terminal, or in a pipe."""

import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from timeoutkit._audit.audit import Audit
from timeoutkit._audit.data import fix
from timeoutkit._audit.findings import STEPS, Finding, Odd, Worst
from timeoutkit._audit.records import BINARY, BROKEN, DAMAGED, PARTS, RECODED, TEXT
from timeoutkit._duration import UNIT_NAMES, convert, short, shown, written
from timeoutkit._policy import TimeoutPolicy

_BAR = 30
_MOST_NAMED = 10
_MOST_SHOWN = 20
_CENTURY = 3.2e9
_WIDE = 1000
"""Columns of a pipe, where nothing is wrapped."""

_KINDS = {
    BROKEN: "cut off or broken; what was whole in it was read",
    PARTS: "not one JSON value; its parts were read",
    TEXT: "no JSON",
    RECODED: "not UTF-8; read with replacements",
    BINARY: "not text; not read",
    DAMAGED: "damaged; read up to there",
}
_REASONS = {
    "not_positive": "not positive",
    "read_as_ms": "in milliseconds instead of {unit}",
    "read_as_s": "in seconds instead of {unit}",
    "suspicious": "perhaps in milliseconds instead of {unit}",
    "above_max": "above the maximum of {max}",
    "below_min": "below the minimum of {min}",
    "unreadable": "unreadable",
}
_UNITS_FROM = {
    "told": "as you told",
    "name": "by its name",
    "schema": "by its schema in the logs",
    "assumed": "assumed: nothing in the logs says so",
}


def show(
    console: Console, audit: Audit, findings: list[Finding], *, skipped: Sequence[str] = (), interrupted: bool = False
) -> None:
    """Print the report."""
    say = _Printer(console)
    if interrupted:
        say.line("Interrupted: this is what was read so far.", "bold yellow")
    say.line(_summary(audit, findings))
    _show_problems(say, audit)
    if skipped:
        say.line()
        say.line(f"Passed by, as the name is not that of a log: {_named(skipped)}", "dim")
    if len(findings) > 1:
        _show_table(say, findings)
    telling = [one for one in findings if one.wrong or one.without or one.unread]
    for one in telling[:_MOST_SHOWN]:
        _show_finding(say, one)
    if len(telling) > _MOST_SHOWN:
        say.line()
        say.line(f"and {len(telling) - _MOST_SHOWN:,} more parameters: --json shows them all")
    _show_advice(say, findings)


class _Printer:
    """Prints lines, wrapped at the width of a terminal, never in a pipe."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.width = max(console.width, 40) if console.is_terminal else sys.maxsize

    def line(self, text: str = "", style: str = "", *, indent: str = "", label: str = "") -> None:
        """Print a text; it goes on below its own beginning."""
        start = indent + label
        wrapped = textwrap.fill(
            plain(text),
            self.width,
            initial_indent=start,
            subsequent_indent=" " * len(start),
            break_on_hyphens=False,
        )
        self.console.print(Text(wrapped or start.rstrip(), style))


def _summary(audit: Audit, findings: list[Finding]) -> str:
    text = f"{_count(audit.calls, 'tool call')} of {_count(audit.tools, 'tool')} in {_count(audit.files, 'file')}"
    text += f" ({_count(audit.lines, 'line')})."
    if not audit.calls:
        return f"{text} There is nothing to judge."
    if not findings:
        return f"{text} None of these tools takes a timeout."
    wrong, without = sum(one.wrong for one in findings), sum(one.without for one in findings)
    hours = sum(one.hours_removed for one in findings)
    text += f" {_count(wrong, 'call')} with a wrong timeout, {_count(without, 'call')} without any."
    return text + (f" {_hours(hours)} of ceiling would have been removed." if hours >= 0.05 else "")


def _show_problems(say: _Printer, audit: Audit) -> None:
    named = [(file, kind, one) for file, kinds in audit.problems.items() for kind, one in kinds.items()]
    if not named:
        return
    say.line()
    say.line("Not read as it stands:", "bold")
    for file, kind, one in named[:_MOST_NAMED]:
        where = f"{_count(one.times, 'line')}, first line {one.first:,}: " if one.first else ""
        say.line(f"{file}: {where}{_KINDS.get(kind, kind)}", "yellow", indent="  ")
    if len(named) > _MOST_NAMED:
        say.line(f"and {len(named) - _MOST_NAMED:,} more: --json names them all", "yellow", indent="  ")


def _show_table(say: _Printer, findings: list[Finding]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("tool and parameter", overflow="fold")
    for heading in ("unit", "calls", "without", "wrong", "hours removed"):
        table.add_column(heading, justify="left" if heading == "unit" else "right", no_wrap=True)
    for one in findings:
        unit = one.policy.unit + ("?" if one.unit_from == "assumed" else "")
        numbers = (f"{number:,}" if number else "-" for number in (one.calls, one.without, one.wrong))
        hours = f"{one.hours_removed:,.1f}" if one.hours_removed >= 0.05 else "-"
        table.add_row(plain(f"{one.tool} {one.param}"), unit, *numbers, hours)
    say.line()
    if not say.console.is_terminal:
        say.console.width = _WIDE
    say.console.print(table, soft_wrap=False)


def _show_finding(say: _Printer, one: Finding) -> None:
    unit = UNIT_NAMES[one.policy.unit]
    say.line()
    say.line(f"{one.tool} {one.param}: {unit} ({_source(one)})", "bold")
    for count, what in _counts(one):
        say.line(what, indent="  ", label=f"{count:>7,}  ")
    if one.hours_removed >= 0.05:
        say.line(f"{_hours(one.hours_removed)} of ceiling that the policy would have removed", indent="  ")
    if any(one.histogram):
        say.line()
        _show_histogram(say, one)
    if one.worst:
        say.line()
        for worst in one.worst:
            _show_worst(say, one, worst)


def _source(one: Finding) -> str:
    return _UNITS_FROM.get(one.unit_from, f"known: {one.unit_from}")


def _counts(one: Finding) -> Iterator[tuple[int, str]]:
    policy = one.policy
    yield one.calls, "call" if one.calls == 1 else "calls"
    if one.without:
        yield one.without, "without a timeout"
    words = {
        "unit": UNIT_NAMES[policy.unit],
        "max": _amount(policy.ceiling, policy),
        "min": _amount(policy.min, policy),
    }
    for reason, count in one.reasons.items():
        yield count, _REASONS[reason].format(**words)
    if one.unread:
        yield one.unread, "whose arguments cannot be read"


def _show_histogram(say: _Printer, one: Finding) -> None:
    """Draw the calls by how long they could wait, on a logarithmic axis from the first step that is used."""
    most = max(one.histogram)
    used = [number for number, count in enumerate(one.histogram) if count and number] or [0]
    for number, count in enumerate(one.histogram):
        if (number == 0 and count) or used[0] <= number <= used[-1]:
            bar = "█" * max(round(count / most * _BAR), 1 if count else 0)
            label = STEPS[number][1] if number in (0, len(STEPS) - 1) else f"to {STEPS[number][1]}"
            say.console.print(
                Text.assemble(f"  {label:>10}", (f"  {bar}" if bar else "", "cyan"), f" {count:,}" * bool(count))
            )


def _show_worst(say: _Printer, one: Finding, worst: Worst) -> None:
    where = f"{worst.place.file}:{worst.place.line}"
    often = "" if worst.calls == 1 else f"{worst.calls:,} calls, first "
    say.line(f"{_given(worst)} {_meaning(one, worst)}", "red", indent="  ")
    say.line(f"{often}{where}", indent="      ")
    if worst.place.command is not None:
        say.line(worst.place.command, "dim", indent="      ")


def _given(worst: Worst) -> str:
    if isinstance(worst.value, Odd):
        return worst.value.kind
    return shown(worst.value) if isinstance(worst.value, str) else written(worst.value)


def _meaning(one: Finding, worst: Worst) -> str:
    """Say how long a value is, and what was likely meant."""
    used = _amount(worst.used, one.policy)
    length = "" if worst.seconds is None or worst.seconds <= 0 else f"is {_long(worst.seconds)}, "
    if worst.reason in ("read_as_ms", "read_as_s"):
        return f"{length}likely meant {used}"
    if worst.reason == "suspicious":
        return f"{length}perhaps meant {_long(worst.seconds / 1000 if worst.seconds else 0)}"
    return f"{length}would be {used}"


def _show_advice(say: _Printer, findings: list[Finding]) -> None:
    """End with what to do."""
    wanting = [one for one in findings if one.wrong or one.without]
    if not wanting:
        return
    say.line()
    say.line("What to do", "bold")
    assumed = [one for one in wanting if one.unit_from == "assumed"]
    if assumed:
        example = f"--unit {assumed[0].tool}.{assumed[0].param}=ms"
        say.line(f"Where seconds were assumed and that is wrong, say so: {example}")
    say.line("Above the function of the tool:")
    say.line("from timeoutkit import sane_timeout", "cyan", indent="  ")
    for line, tools in _grouped(wanting).items():
        say.line(f"# {_named(tools)}", "dim", indent="  ")
        say.console.print(Text(f"  {plain(line)}", "cyan"))
    say.line("Or, for the tools of an agent framework, without touching them:")
    say.line("import timeoutkit; timeoutkit.install()", "cyan", indent="  ")
    agents = sorted({one.unit_from for one in wanting} - _UNITS_FROM.keys())
    if agents:
        say.line(f"The own tools of {' and '.join(agents)} cannot be decorated from outside; yours like them can.")


def _grouped(findings: Iterable[Finding]) -> dict[str, list[str]]:
    """Give each line with the tools that it is for."""
    lines: dict[str, list[str]] = {}
    for one in findings:
        lines.setdefault(fix(one), []).append(one.tool)
    return lines


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


# -- words -----------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """Escape whatever could do something to a terminal."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _hours(hours: float) -> str:
    return f"{hours:,.1f} hours"


def _amount(amount: int | float, policy: TimeoutPolicy) -> str:
    """Write an amount in its unit, and in the one that suits it where that says more."""
    seconds = convert(amount, policy.unit, "s")
    plainly, suitably = f"{written(amount)} {policy.unit}", short(seconds)
    return plainly if seconds < 60 and policy.unit == "s" else f"{plainly} ({suitably})"


def _long(seconds: float) -> str:
    return short(seconds) if seconds < _CENTURY else "centuries"
