"""The ratios that must hold, within one run."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

Samples = Mapping[str, Mapping[str, Sequence[float]]]
"""What was measured: case -> contender -> one sample for each round."""


class Bar(NamedTuple):
    """The most that one of ours may cost, in terms of one of another's."""

    case: str
    most: float
    other: str
    other_case: str | None = None
    """Where it is not the same case."""


BARS: tuple[Bar, ...] = (
    Bar("keyword", 0.35, "empty wrapt"),
    Bar("keyword", 0.28, "validate_call"),
    Bar("keyword", 0.45, "beartype"),
    Bar("keyword", 1.0, "guard by hand"),
    Bar("position", 0.8, "guard by hand"),
    Bar("method", 0.65, "empty wrapt"),
    Bar("corrected", 4.0, "validate_call", "keyword"),
    Bar("import", 1.25, "empty wrapt"),
    Bar("decorating", 0.8, "validate_call"),
    Bar("each further", 1.0, "guard by hand"),
)


class Ratio(NamedTuple):
    """A bar and where the run stands to it."""

    case: str
    other: str
    other_case: str
    ratio: float
    bar: float
    holds: bool


def ratios(samples: Samples) -> list[Ratio]:
    """Hold the samples of a run against every bar."""
    return [_held(bar, samples) for bar in BARS]


def _held(bar: Bar, samples: Samples) -> Ratio:
    other_case = bar.other_case or bar.case
    # round by round: what slows the machine for a while slows both
    rounds = zip(samples[bar.case]["timeoutkit"], samples[other_case][bar.other], strict=True)
    ratio = median(ours / theirs for ours, theirs in rounds)
    return Ratio(bar.case, bar.other, other_case, ratio, bar.most, ratio <= bar.most)
