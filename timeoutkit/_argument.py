"""One argument of one function: what it becomes on its way from the caller."""

import inspect
import math
from collections.abc import Iterable, Mapping
from typing import Any

from timeoutkit._correction import Correction
from timeoutkit._delivery import delivery
from timeoutkit._duration import convert, read
from timeoutkit._policy import UNTOUCHED, TimeoutPolicy

MISSING: Any = inspect.Parameter.empty
"""Stands for an argument that was not passed."""
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def split_defaults(
    parameters: Iterable[inspect.Parameter], defaults: Mapping[str, Any]
) -> tuple[tuple[Any, ...] | None, dict[str, Any] | None]:
    """Give the defaults as a function holds them: `__defaults__` and `__kwdefaults__`."""
    present = [parameter for parameter in parameters if parameter.name in defaults]
    positional = tuple(defaults[p.name] for p in present if p.kind in POSITIONAL)
    by_keyword = {p.name: defaults[p.name] for p in present if p.kind is inspect.Parameter.KEYWORD_ONLY}
    return positional or None, by_keyword or None


class Argument:
    """Judges the value of one argument, and delivers it in the type and unit of its function.

    Args:
        name: of the argument, as the caller knows it.
        key: where it is one key of a mapping: that key; `None` where it is the parameter itself.
        policy: what it may be.
        function: the function's name, for the correction.
        declared: the type that the function declares, see `declared_type`.
        callee_unit: the unit in which the function takes it.
    """

    __slots__ = ("_deliver", "callee_unit", "declared", "function", "key", "name", "policy")

    def __init__(
        self, name: str, key: str | None, policy: TimeoutPolicy, function: str, declared: type | None, callee_unit: str
    ) -> None:
        self.name = name
        self.key = key
        self.policy = policy
        self.function = function
        self.declared = declared
        self.callee_unit = callee_unit
        self._deliver = delivery(declared, policy.unit, callee_unit, policy.ceiling)

    def __reduce__(self) -> tuple[Any, ...]:
        return Argument, (self.name, self.key, self.policy, self.function, self.declared, self.callee_unit)

    @property
    def stays_missing(self) -> bool:
        """Tell whether an omitted argument is left to the function's own default."""
        return self.policy.default is None or self.policy.mode == "observe"

    def correct(self, value: Any) -> tuple[Any, Correction | None]:
        """Give what the function receives for a value, and what was corrected, if anything; raises in no mode."""
        if value is MISSING:
            return self.omitted(), None
        settle = self.policy.settle if type(value) is tuple else self.policy.settle_one
        return settle(value, self.name, self.function, self._deliver)

    def correct_in(self, arguments: Any) -> tuple[Any, Correction | None]:
        """Correct the key of a mapping, in a copy; a missing key gets the default, anything but a mapping passes."""
        if not isinstance(arguments, Mapping):
            return arguments, None
        if self.key not in arguments and self.stays_missing:
            return arguments, None
        value, correction = self.correct(arguments.get(self.key, MISSING))
        return {**arguments, self.key: value}, correction

    def omitted(self) -> Any:
        """Give what the function receives where the argument is missing."""
        default = self.policy.default
        return default if self._deliver is None or default is None else self._deliver(default)[0]

    def is_stable(self) -> bool:
        """Tell whether what is delivered for an omitted value would pass again as it is."""
        return not self.stays_missing and self.correct(self.omitted()) == (self.omitted(), None)

    def seconds(self, value: Any, own_default: Any) -> float | None:
        """Tell how many seconds the function would use for a value, `None` where that is no amount.

        `own_default` is the function's, which counts where the value is missing and stays so.

        Raises:
            TimeoutValueError: where the policy would refuse the value.
        """
        if value is MISSING and self.stays_missing:
            return _positive_seconds(own_default, self.callee_unit)
        if value is MISSING:
            return _positive_seconds(self._restated(self.policy.default), self.policy.unit)
        if self.policy.mode == "observe":
            return _positive_seconds(value, self.policy.unit)
        correction = self.correct(value)[1]
        if correction is not None and self.policy.refuses(correction):
            raise self.policy.refusal(correction)
        used, outcome = self.policy.judge(value)
        if used is None or outcome in UNTOUCHED:
            return None
        return _positive_seconds(self._restated(used), self.policy.unit)

    def _restated(self, amount: Any) -> Any:
        return amount if self._deliver is None else self._deliver(amount)[1]


def _positive_seconds(value: Any, unit: str) -> float | None:
    reading = read(value, unit)
    if reading is None or not 0 < reading.amount < math.inf:
        return None
    return float(convert(reading.amount, unit, "s"))
