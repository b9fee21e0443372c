"""The parts of the proof, each a module of its own with a function `prove`."""

from collections.abc import Iterator, Sequence
from importlib import import_module

from proof.claims import Claim, Effort, not_run

PARTS: dict[str, str] = {
    "properties": "the property tests, with how many examples",
    "suite": "the suite in random order, in parallel, twice in one process; the lines and branches that it runs",
    "mutants": "the mutants that the suite kills, as `tox run -e mutation` left them",
    "fuzz": "a coverage-guided fuzzer on what reads other people's input",
    "growth": "the time that twice as long an input takes",
    "checkers": "mypy, pyright, and how complete the public types are",
    "load": "one tool under 10,000 calls at once",
    "soak": "the memory of a million calls",
    "supply": "the built package: reproducible, complete, and usable by a newcomer",
}
"""Each part, and what it is about."""


def shown(name: str, effort: Effort) -> Iterator[Claim]:
    """Run one part; one that breaks down shows nothing, and says so."""
    try:
        yield from import_module(f"proof.{name}").prove(effort)
    except Exception as error:
        yield Claim(PARTS[name], f"broke down: {type(error).__name__}: {error}", holds=False)


def skipped(names: Sequence[str]) -> dict[str, list[Claim]]:
    """Give a row for every part that is not among these."""
    return {name: [not_run(about, "not asked for")] for name, about in PARTS.items() if name not in names}
