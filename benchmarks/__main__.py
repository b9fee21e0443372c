"""`python -m benchmarks`: measure everything in one run, and hold it against the bars."""

import argparse
import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.bars import ratios
from benchmarks.chart import chart
from benchmarks.run import FULL, QUICK, Figures, measure
from benchmarks.tables import show

_MEASURED = ("timeoutkit", "wrapt", "pydantic", "beartype", "typeguard", "pint")


def main() -> int:
    """Run the benchmark."""
    options = _parser().parse_args()
    effort = QUICK if options.quick else FULL
    figures, samples = measure(effort)
    held = ratios(samples)
    if options.svg:
        options.svg.write_text(chart("One call with a timeout in range, by keyword", figures["keyword"]), "utf-8")
    if options.json:
        print(json.dumps(_as_data(figures, [one._asdict() for one in held], effort._asdict()), indent=2))
    else:
        console = Console(width=None if sys.stdout.isatty() else 100)
        console.print(f"Python {platform.python_version()}, least of {effort.rounds} rounds\n", style="dim")
        show(figures, held, console)
    return int(options.check and not all(one.holds for one in held))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="What a decorated function costs.")
    parser.add_argument("--json", action="store_true", help="print data instead of tables")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="also write the chart of the README")
    parser.add_argument("--quick", action="store_true", help="a few calls only: shows that all works, measures nothing")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a ratio is above its bar")
    return parser


def _as_data(figures: Figures, held: list[dict[str, Any]], effort: dict[str, Any]) -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "versions": {name: version(name) for name in _MEASURED},
        "effort": effort,
        "units": {"memory": "bytes", "everything else": "seconds"},
        "figures": figures,
        "ratios": held,
    }


if __name__ == "__main__":
    sys.exit(main())
