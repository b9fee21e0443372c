"""Parts 2 and 5: the suite in any order, side by side, twice in one process, and what of the core it runs."""

import json
import random
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from proof.claims import Claim, Effort, not_run
from proof.commands import Done, python

_PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
_COUNT = re.compile(r"^=*\s*((?:\d+ \w+, )*\d+ \w+) in [\d.]+s", re.MULTILINE)
_TWICE = """\
import sys, pytest
codes = [pytest.main(sys.argv[1:]) for _ in range(2)]
sys.exit(any(codes))
"""
_APART = "_audit"
"""What stands beside the core: it reads logs and corrects nothing."""


def prove(effort: Effort) -> Iterator[Claim]:
    """Run the suite; the first time the lines that it runs are counted."""
    with tempfile.TemporaryDirectory() as folder:
        env = {"COVERAGE_FILE": str(Path(folder, "coverage"))}
        yield _in_random_order("-m", "coverage", "run", env=env)
        yield from _covered(Path(folder, "coverage.json"), env)
    for _ in range(effort.orders - 1):
        yield _in_random_order()
    what = "the suite passes twice in one process"
    yield _twice(what) if effort.twice else not_run(what, "takes two minutes more")


def _in_random_order(*under: str, env: Mapping[str, str] | None = None) -> Claim:
    seed = random.randrange(10**6)
    command = (*under, *_PYTEST, "-n", "auto", f"--randomly-seed={seed}")
    done = python(*command, what=f"the suite in order {seed}", env=env)
    what = "the suite passes in random order, in parallel"
    return Claim(what, f"{outcome(done)}; order {seed}", "no failure", done.ok)


def _twice(what: str) -> Claim:
    done = python("-c", _TWICE, *_PYTEST[2:], what="the suite twice in one process")
    return Claim(what, outcome(done), "no failure", done.ok)


def outcome(done: Done) -> str:
    """Give what pytest says at its end, of every run."""
    return "; ".join(_COUNT.findall(done.text)) or "no outcome"


def _covered(path: Path, env: Mapping[str, str]) -> Iterator[Claim]:
    """Read what was run of the core, by file."""
    python("-m", "coverage", "combine", "-q", what="combine", env=env)
    python("-m", "coverage", "json", "-q", "-o", path, what="coverage", env=env)
    files = json.loads(path.read_text("utf-8"))["files"]
    core = {name: data for name, data in files.items() if _APART not in Path(name).parts}
    for what, had, of in (
        ("lines", "covered_lines", "num_statements"),
        ("branches", "covered_branches", "num_branches"),
    ):
        yield _share(f"{what} of the core that the suite runs", core, had, of)


def _share(what: str, files: Mapping[str, Any], had: str, of: str) -> Claim:
    covered, all_of = (sum(data["summary"][key] for data in files.values()) for key in (had, of))
    missed = [Path(name).name for name, data in files.items() if data["summary"][had] < data["summary"][of]]
    rest = f", not all of {', '.join(missed)}" if missed else ""
    return Claim(what, f"{covered:,} of {all_of:,} ({covered / all_of:.2%}){rest}", "100 %", covered == all_of > 0)
