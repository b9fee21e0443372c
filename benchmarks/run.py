"""One run, in which everything is measured side by side."""

from collections.abc import Iterable
from statistics import median
from typing import NamedTuple

from rich.console import Console
from rich.progress import track

from benchmarks.bars import Samples
from benchmarks.calls import call_samples
from benchmarks.once import decoration_samples, import_samples, memory
from benchmarks.timing import Sample, interleaved

Figures = dict[str, dict[str, float]]
"""What a run comes to: case -> contender -> seconds, or bytes for memory."""


class Effort(NamedTuple):
    """How long to measure."""

    rounds: int = 160
    seconds: float = 0.0005
    """That one sample of a call takes: short, so that some are never interrupted."""
    unseen: int = 3
    """Functions decorated in one sample."""
    imports: int = 21
    """Fresh processes for each import."""
    functions: int = 10_000
    """Functions held while their memory is measured."""


FULL = Effort()
QUICK = Effort(rounds=2, seconds=0.00001, unseen=1, imports=1, functions=10)


def measure(effort: Effort) -> tuple[Figures, Samples]:
    """Measure everything, and give the samples of all that is timed as well."""
    calls = _taken(
        call_samples(effort.seconds) | decoration_samples(effort.unseen),
        _shown(effort.rounds, "calls and decorating"),
    )
    calls["each further"] = _each_further(calls)
    imports = _taken(import_samples(), _shown(effort.imports, "imports"))
    figures = {case: {name: min(taken) for name, taken in samples.items()} for case, samples in calls.items()}
    # the difference of two samples, and a whole process, are disturbed in both directions
    for case, samples in (("each further", calls["each further"]), ("import", imports["import"])):
        figures[case] = {name: median(taken) for name, taken in samples.items()}
    return {**figures, "memory": memory(effort.functions)}, {**calls, **imports}


def _taken(samples: dict[tuple[str, str], Sample], rounds: Iterable[int]) -> dict[str, dict[str, list[float]]]:
    by_case: dict[str, dict[str, list[float]]] = {}
    for (case, contender), taken in interleaved(samples, rounds).items():
        by_case.setdefault(case, {})[contender] = taken
    return by_case


def _each_further(calls: Samples) -> dict[str, list[float]]:
    """Give the cost of one more parameter: up to 10, as the interpreter itself packs 16 keywords into a dictionary."""
    few, many = calls["2 parameters"], calls["10 parameters"]
    return {name: [(m - f) / 8 for m, f in zip(many[name], few[name], strict=True)] for name in many}


def _shown(rounds: int, what: str) -> Iterable[int]:
    return track(range(rounds), what, console=Console(stderr=True), transient=True)
