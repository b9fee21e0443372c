"""The figures of a run as tables to read."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchmarks.bars import Ratio
from benchmarks.calls import CALLS, WIDE_CALLS
from benchmarks.contenders import CONTENDERS
from benchmarks.run import Figures

_ONCE = ("decorating", "import", "memory")
_UNITS = {"decorating": "µs", "import": "ms", "memory": "bytes"}
_SCALES = {"decorating": 1e6, "import": 1e3, "memory": 1.0}
_CALL_SCALE = 1e9


def show(figures: Figures, held: Sequence[Ratio], console: Console) -> None:
    """Print every table."""
    console.print(_figures("One call, in ns", figures, tuple(CALLS)))
    console.print(_figures("One call with every parameter by keyword, in ns", figures, [*WIDE_CALLS, "each further"]))
    console.print("From 16 keywords on, the interpreter itself packs them into a dictionary.\n", style="dim")
    console.print(_figures("Paid once", figures, _ONCE))
    console.print("import of empty wrapt: wrapt and annotated_types, which timeoutkit needs as well.\n", style="dim")
    console.print(_bars(held))


def _figures(title: str, figures: Figures, cases: Sequence[str]) -> Table:
    table = Table("", title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
    for case in cases:
        table.add_column(f"{case} {_UNITS.get(case, '')}".replace(" parameters", ""), justify="right")
    for name in CONTENDERS:
        cells = [_cell(figures[case], case, name) for case in cases]
        if any(cells):
            table.add_row(name, *cells, style="bold" if name == "timeoutkit" else "")
    return table


def _cell(figures: dict[str, float], case: str, name: str) -> str:
    return f"{figures[name] * _SCALES.get(case, _CALL_SCALE):,.0f}" if name in figures else ""


def _bars(held: Sequence[Ratio]) -> Table:
    table = Table(title="timeoutkit against its bars", box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
    for heading in ("case", "as a ratio of"):
        table.add_column(heading)
    for heading in ("ratio", "bar", ""):
        table.add_column(heading, justify="right")
    for one in held:
        other = one.other if one.other_case == one.case else f"{one.other}, {one.other_case}"
        verdict = Text("holds", "green") if one.holds else Text("MISSES", "bold red")
        table.add_row(one.case, other, f"{one.ratio:.2f}", f"{one.bar:.2f}", verdict)
    return table
