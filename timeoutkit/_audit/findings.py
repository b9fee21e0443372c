"""What the values written for one parameter come to: how many are wrong, by what, and what they would have cost."""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from timeoutkit._duration import convert, read
from timeoutkit._policy import TIMER_SECONDS, TimeoutPolicy

WRONG = ("not_positive", "read_as_ms", "read_as_s", "suspicious", "above_max", "below_min", "unreadable")
"""What a value can be wrong by, as the reasons of a correction; none at all is not wrong."""

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
STEPS: tuple[tuple[float, str], ...] = (
    (0, "0 or less"),
    (0.001, "1 ms"),
    (0.01, "10 ms"),
    (0.1, "100 ms"),
    (1, "1 s"),
    (3, "3 s"),
    (10, "10 s"),
    (30, "30 s"),
    (_MINUTE, "1 min"),
    (2 * _MINUTE, "2 min"),
    (5 * _MINUTE, "5 min"),
    (10 * _MINUTE, "10 min"),
    (30 * _MINUTE, "30 min"),
    (_HOUR, "1 h"),
    (3 * _HOUR, "3 h"),
    (10 * _HOUR, "10 h"),
    (_DAY, "1 day"),
    (3 * _DAY, "3 days"),
    (10 * _DAY, "10 days"),
    (math.inf, "longer"),
)
"""The logarithmic axis of the histogram: a step takes what is at most so many seconds, and longer than the last."""
_EDGES = [seconds for seconds, _ in STEPS]
_MOST_WORST = 5


class Place(NamedTuple):
    """Where a call stands."""

    file: str
    line: int
    command: str | None
    """What it was to run; `None` where that is not to be shown."""


@dataclass(slots=True)
class Seen:
    """How often a value was written, and where first."""

    place: Place
    count: int = 0


class Odd(NamedTuple):
    """Stands for a value that no duration can be read from: only its kind is kept."""

    kind: str


class Worst(NamedTuple):
    """A value that a call should not have had."""

    value: Any
    seconds: float | None
    """How long that is, `None` where it is no duration."""
    reason: str
    used: int | float
    """What the policy makes of it, in the unit of the parameter."""
    calls: int
    place: Place
    """The first of these calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was written for one parameter of one tool."""

    tool: str
    param: str
    shapes: tuple[str, ...]
    """Who writes calls as these are written."""
    policy: TimeoutPolicy
    unit_from: str
    """How the unit is known: `"told"`, `"name"`, `"schema"`, the name of an agent, or `"assumed"`."""
    calls: int
    without: int
    """Calls without any timeout."""
    unread: int
    """Calls whose arguments cannot be read."""
    reasons: Mapping[str, int]
    """What is wrong -> in how many calls."""
    histogram: tuple[int, ...]
    """Calls by `STEPS`."""
    worst: tuple[Worst, ...]
    hours_removed: float
    """Of ceiling, that the policy would have removed."""

    @property
    def wrong(self) -> int:
        """Count the calls that the policy would have corrected."""
        return sum(self.reasons.values())


@dataclass(slots=True)
class Verdict:
    """The values of one parameter, judged one by one."""

    policy: TimeoutPolicy
    reasons: Counter[str] = field(default_factory=Counter)
    histogram: list[int] = field(default_factory=lambda: [0] * len(STEPS))
    seconds_removed: float = 0
    _worst: list[tuple[float, Worst]] = field(default_factory=list)

    def judge(self, value: Any, seen: Seen) -> None:
        """Judge a value, as often as it was written."""
        reading = None if isinstance(value, Odd) else read(value, self.policy.unit)
        amount = math.nan if reading is None else convert(reading.amount, self.policy.unit, "s")
        used, reason = self.policy.judge([] if reading is None else value)
        if not math.isnan(amount):
            self.histogram[bisect_left(_EDGES, amount)] += seen.count
        if reason in WRONG:
            self.reasons[reason] += seen.count
            self._weigh(value, None if math.isnan(amount) else amount, reason, used, seen)

    def _weigh(self, value: Any, seconds: float | None, reason: str, used: int | float, seen: Seen) -> None:
        """Compare how long a call could have waited with how long it should."""
        ceiling = min(max(seconds or 0, 0), TIMER_SECONDS)
        difference = ceiling - convert(used, self.policy.unit, "s")
        self.seconds_removed += max(difference, 0) * seen.count
        self._worst.append((abs(difference), Worst(value, seconds, reason, used, seen.count, seen.place)))

    def worst(self) -> Iterable[Worst]:
        """Give the values that are furthest from what they should be."""
        ordered = sorted(self._worst, key=lambda one: (-one[0], -one[1].calls, one[1].place[:2]))
        return [worst for _, worst in ordered[:_MOST_WORST]]
