"""The findings of an audit as data, and the line that puts each of them right."""

import json
import math
from collections.abc import Iterable
from typing import Any

from timeoutkit._audit.audit import Audit
from timeoutkit._audit.findings import STEPS, Finding, Odd, Worst
from timeoutkit._duration import written


def as_data(
    audit: Audit, findings: Iterable[Finding], *, skipped: int = 0, interrupted: bool = False
) -> dict[str, Any]:
    """Give the report as JSON-ready data."""
    return {
        "files": audit.files,
        "skipped_files": skipped,
        "lines": audit.lines,
        "lines_parsed": audit.parsed,
        "calls": audit.calls,
        "tools": audit.tools,
        "interrupted": interrupted,
        "findings": [_finding_data(one) for one in findings],
        "problems": [
            {"file": file, "problem": kind, "times": problem.times, "first_line": problem.first or None}
            for file, kinds in audit.problems.items()
            for kind, problem in kinds.items()
        ],
    }


def _finding_data(one: Finding) -> dict[str, Any]:
    return {
        "tool": one.tool,
        "param": one.param,
        "written_by": list(one.shapes),
        "unit": one.policy.unit,
        "unit_from": one.unit_from,
        "policy": {name: getattr(one.policy, name) for name in ("default", "min", "max", "ms_threshold")},
        "calls": one.calls,
        "without_timeout": one.without,
        "arguments_unreadable": one.unread,
        "wrong": one.wrong,
        "reasons": dict(one.reasons),
        "histogram": [
            {"up_to_seconds": None if math.isinf(step) else step, "label": label, "calls": calls}
            for (step, label), calls in zip(STEPS, one.histogram, strict=True)
            if calls
        ],
        "worst": [_worst_data(worst) for worst in one.worst],
        "hours_removed": round(one.hours_removed, 3),
        "fix": fix(one),
    }


def _worst_data(worst: Worst) -> dict[str, Any]:
    seconds = worst.seconds
    return {
        "value": worst.value.kind if isinstance(worst.value, Odd) else _finite(worst.value),
        "seconds": None if seconds is None else _finite(seconds),
        "reason": worst.reason,
        "used": worst.used,
        "calls": worst.calls,
        "file": worst.place.file,
        "line": worst.place.line,
        **({} if worst.place.command is None else {"command": worst.place.command}),
    }


def _finite(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def fix(one: Finding) -> str:
    """Write the line that puts a tool right, with the unit filled in."""
    policy = one.policy
    given = [f"{name}={_literal(getattr(policy, name))}" for name in ("default", "max") if name in policy.given]
    fields = [f'unit="{policy.unit}"', *given]
    return f"@sane_timeout({', '.join([f'param={json.dumps(one.param)}', *fields])})"


def _literal(amount: Any) -> str:
    return "None" if amount is None else written(amount)
