"""The claims as a table to read."""

from collections.abc import Mapping, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from proof.claims import Claim
from proof.parts import PARTS

_VERDICTS = {True: ("yes", "green"), False: ("NO", "bold red"), None: ("not run", "dim")}


def show(claims: Mapping[str, Sequence[Claim]], console: Console) -> None:
    """Print every claim by its part, and how many hold."""
    table = Table(title="What was shown", box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
    for heading, ratio in (("part", 2), ("what was shown", 7), ("the figure", 8), ("the bar", 4), ("holds", 2)):
        table.add_column(heading, overflow="fold", ratio=ratio)
    for name in PARTS:
        for number, claim in enumerate(claims.get(name, ())):
            table.add_row(
                "" if number else name, Text(claim.what), Text(claim.figure), Text(claim.bar), _verdict(claim)
            )
        table.add_section()
    console.print(table)
    console.print(summary(claims))


def summary(claims: Mapping[str, Sequence[Claim]]) -> str:
    """Count what holds, what does not, and what was not run."""
    verdicts = [claim.holds for part in claims.values() for claim in part]
    return f"{verdicts.count(True)} hold, {verdicts.count(False)} do not hold, {verdicts.count(None)} not run"


def line(claim: Claim) -> Text:
    """Write a claim as one line, for who waits for the table."""
    told = f": {claim.figure}" if claim.figure else ""
    return Text.assemble(_verdict(claim), f"  {claim.what}{told}")


def _verdict(claim: Claim) -> Text:
    return Text(*_VERDICTS[claim.holds])
