"""Part 1: the property tests, and how many examples each run of them tries."""

import random
import re
from collections.abc import Iterator

from proof.claims import Claim, Effort
from proof.commands import ROOT, python

_NAMED = re.compile(r"^(tests/\S+\.py::\w+).*:$", re.MULTILINE)
_COUNTED = re.compile(r"^ +- (\d+) passing.*?, (\d+) failing", re.MULTILINE)


def prove(effort: Effort) -> Iterator[Claim]:
    """Run them with one random seed after another."""
    files = [path for path in sorted((ROOT / "tests").glob("test_*.py")) if "import given" in path.read_text("utf-8")]
    seeds = [random.randrange(10**6) for _ in range(effort.seeds)]
    told = []
    for seed in seeds:
        options = (f"--hypothesis-seed={seed}", "--hypothesis-show-statistics", "-q", "-p", "no:cacheprovider")
        told.append(python("-m", "pytest", *files, *options, what=f"properties, seed {seed}"))
    properties, passing, failing = counted("\n".join(done.text for done in told))
    yield Claim(
        "properties that hold for all that hypothesis makes",
        f"{properties} properties, {passing:,} examples, {failing} failing; seeds {', '.join(map(str, seeds))}",
        "no failing example",
        all(done.ok for done in told) and properties > 0 and not failing,
    )


def counted(statistics: str) -> tuple[int, int, int]:
    """Count the properties, the examples that pass, and those that fail."""
    examples = [(int(passing), int(failing)) for passing, failing in _COUNTED.findall(statistics)]
    properties = set(_NAMED.findall(statistics))
    return len(properties), sum(passing for passing, _ in examples), sum(failing for _, failing in examples)
