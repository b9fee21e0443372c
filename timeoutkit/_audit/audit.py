"""What models wrote for timeouts: from logs to findings, in memory that does not grow with the logs."""

import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from timeoutkit._arguments import infer_policies
from timeoutkit._audit.calls import HINT, WORTH_PARSING, Call, Definition, find
from timeoutkit._audit.findings import Finding, Odd, Place, Seen, Verdict
from timeoutkit._audit.records import Problem, Reader, Stream
from timeoutkit._audit.secrets import without_secrets
from timeoutkit._audit.tools import KNOWN_TOOLS, known_tool
from timeoutkit._duration import is_missing, read, unit_in_name
from timeoutkit._policy import TimeoutPolicy

_COMMANDS = ("command", "cmd", "code", "script", "keystrokes")
"""Names of what a tool runs, if it runs something."""
_LONGEST_TEXT = 60
_LONGEST_COMMAND = 200
_MOST_VALUES = 10_000
"""Different values of one parameter that are kept exactly; further ones are rounded."""


class _Stated(NamedTuple):
    """What a schema says of a parameter."""

    unit: str | None
    bounds: Mapping[str, Any]


@dataclass(slots=True)
class _Tool:
    """The calls of one tool."""

    calls: int = 0
    without: int = 0
    unread: int = 0
    runs_commands: bool = False
    shapes: set[str] = field(default_factory=set)
    values: dict[str, dict[Any, Seen]] = field(default_factory=dict)
    """Parameter -> what was written for it."""


class Audit:
    """Reads logs one after the other, and judges what models wrote in them.

    Args:
        units: told by the user: (tool, parameter) -> unit.
        options: fields of another policy than the built-in one; durations name their unit.
        show_commands: whether what calls were to run is kept, without what looks like a secret.
    """

    def __init__(
        self,
        units: Mapping[tuple[str, str], str] | None = None,
        options: Mapping[str, Any] | None = None,
        *,
        show_commands: bool = False,
    ) -> None:
        self._units = dict(units or {})
        self._options = dict(options or {})
        self._show_commands = show_commands
        self._tools: dict[str, _Tool] = {}
        self._schemas: dict[str, dict[str, _Stated]] = {}
        self.files = 0
        self.lines = 0
        self.parsed = 0
        """The lines that were parsed: the others can hold no tool call."""
        self.problems: dict[str, dict[str, Problem]] = {}
        """File -> kind -> how often and where."""

    @property
    def calls(self) -> int:
        """Count all tool calls, also of tools that take no timeout."""
        return sum(tool.calls for tool in self._tools.values())

    @property
    def tools(self) -> int:
        """Count the tools that were called."""
        return sum(tool.calls > 0 for tool in self._tools.values())

    def note(self, file: str, kind: str) -> None:
        """Name a file that cannot be read, or not to its end."""
        self.problems.setdefault(file, {})[kind] = Problem(1, 0, 0)

    def read(self, file: str, stream: Stream) -> None:
        """Read one log; what was read stays, also where the stream raises."""
        reader = Reader(HINT, WORTH_PARSING)
        self.files += 1
        try:
            for line, value in reader.read(stream):
                for found in find(value, line):
                    if isinstance(found, Definition):
                        self._schemas.setdefault(found.tool, _stated(found))
                    else:
                        self._count(found, file)
        finally:
            self.lines += reader.lines
            self.parsed += reader.parsed
            if reader.problems:
                self.problems.setdefault(file, {}).update(reader.problems)

    def _count(self, call: Call, file: str) -> None:
        tool = self._tools.get(call.tool) or self._tools.setdefault(call.tool, _Tool())
        tool.calls += 1
        tool.shapes.add(call.shape)
        if call.arguments is None:
            tool.unread += 1
            return
        limited = False
        for name, value in call.arguments.items():
            if name in _COMMANDS:
                tool.runs_commands = True
            elif _is_limit(name, call.tool):
                values = tool.values.setdefault(name, {})
                if type(value) is int or not is_missing(value):
                    limited = True
                    self._see(values, value if type(value) is int else _key(value), call, file)
        tool.without += not limited

    def _see(self, values: dict[Any, Seen], key: Any, call: Call, file: str) -> None:
        seen = values.get(key)
        if seen is None and len(values) >= _MOST_VALUES:
            key = _rounded(key)
            seen = values.get(key)
        if seen is None:
            command = _command(call.arguments or {}) if self._show_commands else None
            seen = values[key] = Seen(Place(file, call.line, command))
        seen.count += 1

    # -- findings ----------------------------------------------------------------------------------

    def findings(self) -> list[Finding]:
        """Judge everything that was read, the worst first."""
        found = [
            self._judge(name, tool, param, is_main=not number)
            for name, tool in self._tools.items()
            for number, param in enumerate(self._params(name, tool))
        ]
        return sorted(found, key=lambda one: (-one.wrong, -one.without, one.tool, one.param))

    def unused_units(self) -> list[str]:
        """Name the parameters whose unit was told and that no call has."""
        return [
            f"{name}.{param}"
            for name, param in self._units
            if name not in self._tools or param not in self._params(name, self._tools[name])
        ]

    def _params(self, name: str, tool: _Tool) -> list[str]:
        """List the parameters of a tool that limit a call, the most usual first."""
        counts = {param: sum(seen.count for seen in values.values()) for param, values in tool.values.items()}
        if counts:
            return sorted(counts, key=lambda param: -counts[param])
        known = [*self._schemas.get(name, ()), *(one.param for one in KNOWN_TOOLS.get(name, ()))]
        return known[:1] or (["timeout"] if tool.runs_commands else [])

    def _judge(self, name: str, tool: _Tool, param: str, *, is_main: bool) -> Finding:
        policy, unit_from = self._policy(name, param)
        values = tool.values.get(param, {})
        verdict = Verdict(policy)
        for value, seen in values.items():
            verdict.judge(value, seen)
        return Finding(
            tool=name,
            param=param,
            shapes=tuple(sorted(tool.shapes)),
            policy=policy,
            unit_from=unit_from,
            calls=tool.calls if is_main else sum(seen.count for seen in values.values()),
            without=tool.without if is_main else 0,
            unread=tool.unread if is_main else 0,
            reasons={**verdict.reasons},
            histogram=tuple(verdict.histogram),
            worst=tuple(verdict.worst()),
            hours_removed=verdict.seconds_removed / 3600,
        )

    def _policy(self, tool: str, param: str) -> tuple[TimeoutPolicy, str]:
        stated = self._schemas.get(tool, {}).get(param, _Stated(None, {}))
        known = known_tool(tool, param)
        known_unit = known.fields["unit"] if known else None
        sources = {
            "told": self._units.get((tool, param)),
            "name": unit_in_name(param),
            "schema": stated.unit,
            known.agent if known else "": known_unit,
            "assumed": "s",
        }
        unit_from, unit = next((source, unit) for source, unit in sources.items() if unit)
        bounds = stated.bounds if unit_from in ("name", "schema") else {}
        if known and unit == known_unit:
            bounds = bounds or {name: value for name, value in known.fields.items() if name != "unit"}
        return self._made(unit, bounds), unit_from

    def _made(self, unit: Any, bounds: Mapping[str, Any]) -> TimeoutPolicy:
        """Make a policy of what the user tries and what the tool states, which may contradict that, or itself."""
        options = {name: value for name, value in self._options.items() if name != "ms_threshold" or unit == "s"}
        try:
            return TimeoutPolicy.from_env(**{"unit": unit, **bounds, **options})
        except ValueError:
            return TimeoutPolicy.from_env(unit=unit, **options)


@lru_cache(8192)
def _is_limit(param: str, tool: str) -> bool:
    return len(param) <= _LONGEST_TEXT and bool(infer_policies({"properties": {param: {}}}, tool=tool))


_BOUNDS = (("default", "default"), ("min", "minimum"), ("max", "maximum"))


def _stated(definition: Definition) -> dict[str, _Stated]:
    """Read what the schema of a tool says of its timeouts."""
    found = {}
    for param, policy in infer_policies(definition.schema, tool=definition.tool).items():
        schema = definition.schema["properties"][param]
        says = policy.unit != "s" or "sec" in str(schema.get("description", "")).lower()
        bounds = {field: schema.get(key) for field, key in _BOUNDS}
        found[param] = _Stated(policy.unit if says else None, {k: v for k, v in bounds.items() if _is_positive(v)})
    return found


def _is_positive(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value < math.inf


def _key(value: Any) -> Any:
    """Give what a value is counted by: numbers and durations as they are, of anything else only the kind."""
    if type(value) is float and not math.isnan(value):
        return value
    if type(value) is not str:
        return Odd(_KINDS.get(type(value), "not a number"))
    reading = read(value, "s") if len(value) <= _LONGEST_TEXT else None
    return Odd("a text") if reading is None or math.isnan(reading.amount) else value


_KINDS: dict[type, str] = {bool: "a boolean", list: "a list", dict: "an object"}


def _rounded(key: Any) -> Any:
    """Round an amount to three figures, whole thousands apart from others, as that is what tells milliseconds."""
    reading = None if isinstance(key, Odd) else read(key, "s")
    if reading is None or not math.isfinite(reading.amount):
        return key if isinstance(key, Odd) else Odd("an unusual number")
    amount = float(f"{reading.amount:.3g}")
    if amount % 1000 == 0 and reading.amount % 1000:
        amount += 1
    return f"{amount}s" if reading.explicit else amount


def _command(arguments: Mapping[str, Any]) -> str | None:
    """Give what a call was to run on one line, bounded."""
    for name in _COMMANDS:
        command = arguments.get(name)
        if isinstance(command, list):
            command = shlex.join(str(part) for part in command[:50])
        if isinstance(command, str):
            text = without_secrets(command[: 10 * _LONGEST_COMMAND])
            return text if len(text) <= _LONGEST_COMMAND else f"{text[:_LONGEST_COMMAND]}..."
    return None
