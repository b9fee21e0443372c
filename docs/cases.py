"""The table of cases as a directive: the rows that one rule decides, read from the file that the tests assert."""

import datetime
import decimal
import fractions
import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from timeoutkit import TimeoutPolicy

TABLE = Path(__file__).parent.parent / "tests" / "cases" / "normalize.jsonl"
_NAMES = {"datetime": datetime, "decimal": decimal, "fractions": fractions, "float": float}


class Case(NamedTuple):
    """One row of the table: a value, and what a policy makes of it."""

    policy: str
    """The fields of the policy as code, empty for the built-in one."""
    given: str
    """The value as Python writes it."""
    amount: float
    """What is used, in the policy's unit; 0 where a missing value stays missing."""
    used: str
    rule: str
    """What decided: a reason, or `in_range` or `missing` where there is nothing to correct."""


def cases() -> Iterator[Case]:
    """Read the table."""
    for line in TABLE.read_text().splitlines():
        row: dict[str, Any] = json.loads(line)
        policy = TimeoutPolicy(**row["policy"])
        fields = ", ".join(f"{name}={value!r}" for name, value in row["policy"].items())
        used = "stays missing" if row["used"] is None else f"{row['used']} {policy.unit}"
        rule = policy.judge(eval(row["given"], dict(_NAMES)))[1]
        given = f'"{row["given"][1:-1]}"' if row["given"].startswith("'") else row["given"]
        yield Case(fields.replace("'", '"'), given, row["used"] or 0, used, rule)


class Cases(SphinxDirective):
    """`{cases} above_max`: the rows of the table that this rule decides, those of one policy together."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Make the table, or fail where no row is of this rule."""
        self.env.note_dependency(str(TABLE))
        rows = [case for case in cases() if case.rule == self.arguments[0]]
        if not rows:
            raise self.error(f"no case is of the rule {self.arguments[0]!r}")
        return [_table(rows)]


def _table(rows: list[Case]) -> nodes.table:
    body = nodes.tbody()
    rows = sorted(rows, key=lambda case: (case.policy, case.amount))
    for policy, of_policy in groupby(rows, key=lambda case: case.policy):
        body += _rows_of_one_policy(policy, list(of_policy))
    group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in (31, 46, 23)), cols=3)
    group += nodes.thead("", nodes.row("", *(_cell([nodes.Text(title)]) for title in ("policy", "written", "used"))))
    group += body
    return nodes.table("", group, classes=["cases", "colwidths-given"])


def _rows_of_one_policy(policy: str, rows: list[Case]) -> Iterator[nodes.row]:
    """Put values of which the same becomes into one row, and the policy beside all of its rows."""
    used = dict.fromkeys(case.used for case in rows)
    for number, one in enumerate(used):
        row = nodes.row()
        if number == 0:
            fields = _codes(policy.split(", ")) if policy else [nodes.Text("built-in")]
            row += _cell(fields, morerows=len(used) - 1)
        row += _cell(_codes(case.given for case in rows if case.used == one))
        row += _cell([nodes.Text(one)])
        yield row


def _codes(texts: Iterable[str]) -> list[nodes.Node]:
    """Give each text as code, with a space between them where the line may break."""
    found: list[nodes.Node] = []
    for text in texts:
        found += [nodes.Text(" "), nodes.literal("", text)]
    return found[1:]


def _cell(content: list[nodes.Node], **attributes: int) -> nodes.entry:
    return nodes.entry("", nodes.paragraph("", "", *content), **attributes)


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("cases", Cases)
    return {"parallel_read_safe": True}
