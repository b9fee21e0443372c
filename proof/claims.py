"""One thing that is shown: its figure, its bar, and whether it holds."""

from typing import NamedTuple


class Claim(NamedTuple):
    """A row of the table."""

    what: str
    figure: str
    bar: str = ""
    holds: bool | None = None
    """`None` where it was not run."""


class Effort(NamedTuple):
    """How much is run."""

    fuzz_seconds: int = 120
    orders: int = 3
    """Random orders in which the suite runs."""
    twice: bool = True
    """Whether the suite also runs twice in one process."""
    seeds: int = 5
    """Seeds with which the properties are tried."""
    soaked: int = 1_000_000
    """Calls of the soak."""


FULL = Effort()
QUICK = Effort(fuzz_seconds=60, orders=1, twice=False, seeds=1, soaked=100_000)


def not_run(what: str, why: str) -> Claim:
    """Say honestly that something was not run."""
    return Claim(what, f"not run: {why}")
