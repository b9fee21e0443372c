"""Part 2: the mutants that the suite kills, read from what `tox run -e mutation` wrote."""

import json
from collections.abc import Iterator

from proof.claims import Claim, Effort, not_run
from proof.commands import ROOT

RESULT = ROOT / "build" / "mutation.json"
"""`{"killed": 1234, "survived": 5}`; other keys are not looked at."""
BAR = 0.95
_WHAT = "mutants of the core that the suite kills"


def prove(_effort: Effort) -> Iterator[Claim]:
    """Read the result of the last run."""
    if RESULT.exists():
        result = json.loads(RESULT.read_text("utf-8"))
        yield claim(result["killed"], result["survived"])
    else:
        yield not_run(_WHAT, "write the result with: tox run -e mutation")


def claim(killed: int, survived: int) -> Claim:
    """Hold the share against the bar."""
    made = killed + survived
    share = killed / made if made else 0.0
    return Claim(_WHAT, f"{killed:,} of {made:,} ({share:.1%})", f"{BAR:.0%}", share >= BAR)
