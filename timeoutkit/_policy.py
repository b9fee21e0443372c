"""The policy: what a timeout may be, and what becomes of one that is not."""

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeVar, cast

from timeoutkit._correction import REASONS, Correction, Reason, TimeoutValueError, contract, limit_note, note
from timeoutkit._delivery import Deliver, declared_type, delivery
from timeoutkit._duration import (
    FORMS,
    MAX_SHOWN,
    SPELLED,
    UNIT_NAMES,
    UNITS,
    convert,
    is_missing,
    is_text,
    read,
    shown,
    whole,
    written,
)
from timeoutkit._environment import read_environment

Unit = Literal["ns", "us", "ms", "s", "min", "h", "d"]
Mode = Literal["correct", "strict", "observe"]
Duration = int | float | str | timedelta
Outcome = Literal["kept", "missing", "own", "in_range"] | Reason
"""Which rule decided a value; the ones that are no `Reason` need no correction."""

DEFAULT_SECONDS: Final = 120
MAX_SECONDS: Final = 600
TIMER_SECONDS: Final = 2_147_483
"""What a timer of 32-bit milliseconds holds."""
_MAX_ELEMENTS: Final = 16

_MODES = ("correct", "strict", "observe")
UNTOUCHED = ("kept", "own")
"""The outcomes whose value goes on as it is."""


P = TypeVar("P", bound="TimeoutPolicy")


class _Unset:
    """The value of a field that was not given, where `None` has a meaning."""

    def __repr__(self) -> str:
        return "<not given>"


UNSET: Any = _Unset()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TimeoutPolicy:
    """What a timeout may be: unit, bounds, default, and the values that keep a meaning of their own.

    The options of `sane_timeout`, metadata inside `Annotated`, the source of the JSON schema, all in one.
    Fields take numbers in the unit, texts (`"10m"`) or `timedelta`; they are kept as numbers in the unit.

    Args:
        unit: of the argument and of the fields below: `"ns" "us" "ms" "s" "min" "h" "d"`.
        default: used when the value is missing or means nothing; `None`: a missing value stays missing.
            Not given: 120 s, held within `min` and `max`.
        min: the smallest value passed on; 0: any positive value. Not given: 0, or 1 s in a milliseconds
            policy whose `default` and `max` are both at least 1 s.
        max: the largest value passed on; `None`: no maximum (then 2147483 s, what a 32-bit timer holds).
            Not given: 600 s, or the larger of `default` and `min` if that is more.
        rescale: whether a wrong unit may be inferred.
        ms_threshold: in a seconds policy, a bare number at or above it is always milliseconds.
        mode: `"correct"`; `"strict"`: raise `TimeoutValueError`; `"observe"`: only report.
        keep: values to which the function gives a meaning of its own, passed through: `(0, -1)` or
            `{0: "poll once", -1: "no limit"}`.
        hint: a sentence for the note of a capped value.

    Raises:
        ValueError: where a field cannot be used, or two that were given contradict each other.

    >>> TimeoutPolicy(max="10m").normalize("2 min")
    (120, None)
    """

    unit: Unit = "s"
    default: float | None = UNSET
    min: float = UNSET
    max: float | None = UNSET
    rescale: bool = True
    ms_threshold: float | None = None
    mode: Mode = "correct"
    keep: Any = ()
    hint: str = ""
    given: frozenset[str] = field(init=False, repr=False, compare=False, default=frozenset())
    """The names of the fields that were given; the others were filled in."""
    ceiling: float = field(init=False, repr=False, compare=False, default=0)
    """The largest value ever passed on: `max`, or what a timer holds where there is none."""
    bounds: str = field(init=False, repr=False, compare=False, default="")
    """The bounds for a sentence: `" (up to 600)"`, `" (1 to 600)"`, or nothing."""
    infers: bool = field(init=False, repr=False, compare=False, default=False)
    """Whether seconds can be told from milliseconds: not where the maximum lies above one hour, or is none."""

    if TYPE_CHECKING:  # fields are given in any form and read as numbers

        def __init__(
            self,
            *,
            unit: Unit = "s",
            default: Duration | None = ...,
            min: Duration = ...,
            max: Duration | None = ...,
            rescale: bool = True,
            ms_threshold: Duration | None = None,
            mode: Mode = "correct",
            keep: Iterable[Any] | Mapping[Any, str] = (),
            hint: str = "",
        ) -> None: ...

    def __post_init__(self) -> None:
        self._set("given", frozenset(name for name, usual in _USUAL.items() if getattr(self, name) != usual))
        if not is_text(self.unit) or self.unit not in UNITS:
            raise ValueError(f"unit={self.unit!r} is not a unit: write {_unit_to_write(self.unit)}")
        if self.mode not in _MODES:
            raise ValueError(f'mode={self.mode!r} is not a mode: write "correct", "strict" or "observe"')
        for name in ("default", "min", "max", "ms_threshold"):
            self._set(name, _amount(name, getattr(self, name), self.unit))
        self._set("keep", _kept_values(self.keep))
        self._check()
        self._fill()
        self._set("ceiling", _longest(self.unit) if self.max is None else self.max)
        self._set("bounds", _bounds(self.min, self.max))
        bare_seconds = self.unit == "s" and self.rescale and self.ms_threshold is None
        self._set("infers", bare_seconds and self.max is not None and self.max <= 3600)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in _USUAL if name in self.given)
        return f"TimeoutPolicy({fields})"

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _check(self) -> None:
        for low, high in (("min", "max"), ("min", "default"), ("default", "max")):
            least, most = getattr(self, low), getattr(self, high)
            if _is_number(least) and _is_number(most) and least > most:
                raise ValueError(f"{low}={least} is above {high}={most}: raise {high} or lower {low}")
        if self.ms_threshold is None:
            return
        if self.unit != "s":
            raise ValueError(f'ms_threshold={self.ms_threshold} needs unit="s", not unit={self.unit!r}: leave it out')
        if not self.rescale:
            raise ValueError(f"ms_threshold={self.ms_threshold} contradicts rescale=False: leave one out")

    def _fill(self) -> None:
        """Settle the fields that were not given so that they never contradict the ones that were."""
        default: Any = self.default
        least: Any = self.min
        most: Any = self.max
        second = convert(1, "s", self.unit)
        usual, usual_max = DEFAULT_SECONDS * second, MAX_SECONDS * second
        if most is UNSET:
            most = max(whole(usual_max), *(v for v in (default, least) if _is_number(v)), 0)
        if default is UNSET:
            low = least if _is_number(least) else 0
            default = whole(min(max(usual, low), math.inf if most is None else most))
        if least is UNSET:
            long = all(v is None or v >= second for v in (default, most))
            least = second if self.unit == "ms" and long else 0
        self._set("default", default)
        self._set("min", least)
        self._set("max", most)

    @classmethod
    def from_env(cls, prefix: str = "TIMEOUTKIT", **given: Any) -> Self:
        """Make a policy from the environment and the fields given here, the environment read now.

        A variable that cannot be used is a warning, and what is built in stands.

        Args:
            prefix: of the variables `<prefix>_DEFAULT`, `<prefix>_MAX` and `<prefix>_MS_THRESHOLD`, which hold
                seconds (`600`) or a spelled out duration (`"10m"`).
            **given: fields of the policy; what is given here stands, except that `<prefix>_MAX` lowers it.

        >>> TimeoutPolicy.from_env(max=300).max
        300
        """
        return cls.resolved(given, prefix=prefix)

    @classmethod
    def resolved(
        cls, given: Mapping[str, Any], own_default: int | float | None = None, prefix: str = "TIMEOUTKIT"
    ) -> Self:
        """Make a policy from what code says, what the function implies and what the operator set."""
        policy = made(cls, given)
        settled = policy.given_fields()
        environment = read_environment(prefix, policy.unit)
        implied = environment.get("default") if own_default is None else own_default
        if implied is not None and "default" not in given:
            settled["default"] = policy._within_given(implied)
        if "max" in environment:
            settled |= policy._lowered(settled, environment["max"])
        if "ms_threshold" in environment and policy.unit == "s" and policy.rescale and policy.ms_threshold is None:
            settled["ms_threshold"] = environment["ms_threshold"]
        return made(cls, settled)

    def given_fields(self) -> dict[str, Any]:
        """Give the fields that were given, with their values in the unit: the start of another policy.

        `dataclasses.replace` would also keep what was filled in, and a new `max` may then contradict the default.

        >>> house = TimeoutPolicy(max="10m", hint="Use background=true for longer jobs.")
        >>> TimeoutPolicy(**house.given_fields() | {"max": 60}).default
        60
        """
        return {name: getattr(self, name) for name in self.given}

    def _within_given(self, amount: int | float) -> int | float:
        low = self.min if "min" in self.given else 0
        high = self.ceiling if "max" in self.given else _longest(self.unit)
        return min(max(amount, low), high)

    def _lowered(self, settled: Mapping[str, Any], limit: int | float) -> dict[str, Any]:
        """Lower what code says to the operator's maximum, which never raises it."""
        most = min(limit, self.ceiling if "max" in self.given else _longest(self.unit))
        lowered = {name: min(settled[name], most) for name in ("default", "min") if _is_number(settled.get(name))}
        return lowered | {"max": most}

    # -- the rules ---------------------------------------------------------------------------------

    def normalize(self, value: object, *, param: str = "timeout") -> tuple[Any, Correction | None]:
        """Judge one value: pure, and total in `"correct"` mode.

        Args:
            value: anything at all, as a caller passed it; a number is in the policy's unit.
            param: the parameter's name, for the correction.

        Returns:
            The value to use, in the policy's unit, and what was corrected, if anything.

        Raises:
            TimeoutValueError: in `"strict"` mode, where the value would have been corrected.

        >>> value, correction = TimeoutPolicy(max=300).normalize(90000)
        >>> value, correction.reason
        (90, 'read_as_ms')
        """
        used, correction = self.settle(value, param)
        if correction is not None and self.refuses(correction):
            raise self.refusal(correction)
        return used, correction

    def settle(
        self, value: object, param: str, function: str | None = None, deliver: Deliver | None = None
    ) -> tuple[Any, Correction | None]:
        """Judge one value, each number of a tuple by itself, and raise in no mode."""
        if type(value) is not tuple:
            return self.settle_one(value, param, function, deliver)
        if len(value) > _MAX_ELEMENTS:
            return value, None
        settled = [
            self.settle_one(element, param, function, None) if _is_number(element) else (element, None)
            for element in value
        ]
        first = next((correction for _, correction in settled if correction is not None), None)
        return tuple(used for used, _ in settled), first

    def settle_one(
        self, value: object, param: str, function: str | None, deliver: Deliver | None
    ) -> tuple[Any, Correction | None]:
        """Judge one value that is no tuple."""
        used, outcome = self.judge(value)
        delivered: Any = used
        stated: Any = used
        if deliver is not None and used is not None and outcome not in UNTOUCHED:
            delivered, stated = deliver(used)
        if outcome not in REASONS:
            return (value if self.mode == "observe" else delivered), None
        correction = self._correction(param, value, stated, cast("Reason", outcome), function)
        return (delivered if correction.applied or outcome == "suspicious" else value), correction

    def judge(self, value: object) -> tuple[Any, Outcome]:
        """Apply the rules in order, the first that applies wins; say which did."""
        if type(value) is int and 0 < value < MAX_SHOWN and not self.keep:  # what is wrong is mostly a plain number
            return self._bounded(value, False)
        reading = read(value, self.unit)
        if reading is None:
            amount, explicit = math.nan, False
        else:
            amount, explicit = reading
        if self.keep and (found := self._kept(value, amount)):
            return found[0], "kept"
        if amount > 0:
            return self._bounded(whole(amount), explicit)
        if amount <= 0:
            return self._instead, "not_positive"
        if is_missing(value):
            return self.default, "missing"
        return (value, "own") if reading is None else (self._instead, "unreadable")

    def _bounded(self, amount: int | float, explicit: bool) -> tuple[int | float, Outcome]:
        rescales = self.rescale and not explicit
        if rescales and self.ms_threshold is not None and self.ms_threshold <= amount < math.inf:
            return self._held(convert(amount, "ms", "s")), "read_as_ms"
        if amount > self.ceiling:
            if rescales and self._looks_like_ms(amount):
                return self._held(convert(amount, "ms", "s")), "read_as_ms"
            return self.ceiling, "above_max"
        if amount < self.min:
            if rescales and self._looks_like_s(amount):
                return self._held(convert(amount, "s", "ms")), "read_as_s"
            return self.min, "below_min"
        return amount, "suspicious" if rescales and self._suspicious(amount) else "in_range"

    @property
    def passes_below(self) -> int | float | None:
        """The amount from which even a value in range is looked at again; `None` where `ceiling` is the limit."""
        if self.unit != "s" or not self.rescale:
            return None
        if self.ms_threshold is not None:
            return self.ms_threshold if self.ms_threshold <= self.ceiling else None
        return None if self.infers else 10_000

    @property
    def _instead(self) -> Any:
        return self.ceiling if self.default is None else self.default

    def _held(self, amount: int | float) -> int | float:
        if amount > self.ceiling:
            return self.ceiling
        return max(amount, self.min)

    def _looks_like_ms(self, amount: int | float) -> bool:
        if not self.infers or amount % 1000:
            return False
        return amount >= 5000 and amount / 1000 >= self.min and not _whole_hours(amount)

    def _looks_like_s(self, amount: int | float) -> bool:
        return self.unit == "ms" and amount < 1000 and amount * 1000 >= self.min

    def _suspicious(self, amount: int | float) -> bool:
        if self.unit != "s" or self.ms_threshold is not None or self.infers:
            return False
        return amount >= 10_000 and amount % 1000 == 0 and not _whole_hours(amount)

    def _kept(self, value: object, amount: int | float) -> tuple[Any] | None:
        for kept, _ in self.kept:
            if kept is None:
                if is_missing(value):
                    return (None,)
            elif is_text(kept):
                if is_text(value) and str.__eq__(value, kept):
                    return (kept,)
            elif kept == amount:
                return (kept if is_text(value) or _is_number(value) else value,)
        return None

    @property
    def kept(self) -> tuple[tuple[Any, str], ...]:
        """Every kept value with its text, empty where it has none."""
        return tuple(item if isinstance(item, tuple) else (item, "") for item in self.keep)

    # -- the words ---------------------------------------------------------------------------------

    def _correction(
        self, param: str, value: object, used: int | float, reason: Reason, function: str | None
    ) -> Correction:
        observed = self.mode == "observe" and reason != "suspicious"
        text = note(param, used, self.unit, reason, self.bounds, observed)
        if self.hint and reason == "above_max":
            text = f"{text} {self.hint}"
        applied = self.mode == "correct"
        return Correction._make((param, shown(value), used, self.unit, reason, applied, function, text))

    def refuses(self, correction: Correction) -> bool:
        """Tell whether the call is refused: in `"strict"` mode, except for what is only suspicious."""
        return self.mode == "strict" and correction.reason != "suspicious"

    def refusal(self, correction: Correction) -> TimeoutValueError:
        """Make the error that a refused call raises."""
        return TimeoutValueError(correction, contract(correction.param, self.unit, self.bounds, correction.reason))

    def limit_note(self, param: str, used: int | float) -> str:
        """Write the note of a call that ran into its limit."""
        return limit_note(param, used, self.unit, self.bounds)

    def describe(self) -> str:
        """Say the contract in one sentence, for a schema or a docstring.

        >>> TimeoutPolicy().describe()
        'Timeout in seconds, e.g. 30; at most 600; default 120; not milliseconds.'
        """
        clauses = [f"Timeout in {UNIT_NAMES[self.unit]}, e.g. {written(self._example)}"]
        if self.max is None:
            clauses += [f"at least {written(self.min)}"] if self.min else []
        else:
            clauses.append(
                f"{written(self.min)} to {written(self.max)}" if self.min else f"at most {written(self.max)}"
            )
        clauses += [] if self.stated_default is None else [f"default {written(self.stated_default)}"]
        clauses += [f"{kept}: {text}" for kept, text in self.kept if text]
        return "; ".join([*clauses, "not milliseconds." if self.unit == "s" else "not seconds."])

    @property
    def stated_default(self) -> float | None:
        """What is said to be used for a missing value."""
        return self.default

    @property
    def _example(self) -> int | float:
        usual = convert(30, "s", self.unit) if UNITS[self.unit] <= 1 else 1
        return self._held(whole(usual))

    def json_schema(self, bounds: bool = False, *, into: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Make the schema of the argument.

        Args:
            bounds: also state `minimum` and `maximum` as numbers; a client that validates them rejects
                what would have been corrected, and some providers' strict modes refuse them.
            into: a property written by hand, which keeps its own keys; its description gains the contract.

        >>> TimeoutPolicy().json_schema()["default"]
        120
        >>> TimeoutPolicy().json_schema(into={"type": "integer", "description": "How long"})["type"]
        'integer'
        """
        own = dict(into or {})
        schema: dict[str, Any] = {} if _SAY_THE_TYPE & own.keys() else {"type": "number"}
        if self.stated_default is not None:
            schema["default"] = self.stated_default
        if bounds:
            schema |= {"minimum": self.min} if self.min else {}
            schema |= {} if self.max is None else {"maximum": self.max}
        return {**schema, **own, "description": followed_by(own.get("description"), self.describe())}

    # -- pydantic, by duck typing: a core schema is a plain dictionary ------------------------------

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> dict[str, Any]:
        """Correct the field on validation."""
        deliver = delivery(declared_type(source), self.unit, self.unit, self.ceiling)

        def corrected(value: Any) -> Any:
            used, correction = self.settle(value, "timeout", None, deliver)
            if correction is not None and self.refuses(correction):
                raise self.refusal(correction)
            return used

        return {
            "type": "function-before",
            "function": {"type": "no-info", "function": corrected},
            "schema": handler(source),
        }

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        """State the contract in words; type and default are the field's own."""
        return {**handler(core_schema), "description": self.describe()}


TimeoutPolicy.__module__ = "timeoutkit"
_SAY_THE_TYPE = {"type", "anyOf", "oneOf", "allOf", "enum", "const", "$ref"}
_USUAL = {one.name: one.default for one in fields(TimeoutPolicy) if one.init}


def states_contract(text: object) -> bool:
    """Tell whether a description states the contract of a policy: whoever stated it keeps to it."""
    if not isinstance(text, str) or "Timeout in " not in text or ", e.g. " not in text:
        return False
    return "; not milliseconds." in text or "; not seconds." in text


def followed_by(text: object, contract: str) -> str:
    """Put the contract after what somebody says of the parameter."""
    said = text.rstrip() if isinstance(text, str) else ""
    if not said:
        return contract
    return f"{said} {contract}" if said.endswith((".", "!", "?", ":")) else f"{said}. {contract}"


def made(cls: type[P], fields: Mapping[str, Any]) -> P:
    """Make a policy, the same one for the same fields: a program decorates many functions alike."""
    if "keep" in fields:  # a tuple hides whether 1 or True is in it
        return cls(**fields)
    return cast("P", _made(cast("Hashable", cls), tuple(fields), *fields.values()))


@lru_cache(maxsize=256, typed=True)
def _made(cls: Any, names: tuple[str, ...], *values: Any) -> Any:
    return cls(**dict(zip(names, values, strict=True)))


def _is_number(value: object) -> bool:
    return issubclass(type(value), (int, float)) and type(value) is not bool


def _bounds(least: int | float, most: int | float | None) -> str:
    if most is None:
        return f" (at least {written(least)})" if least else ""
    return f" ({written(least)} to {written(most)})" if least else f" (up to {written(most)})"


def _longest(unit: str) -> int | float:
    return whole(convert(TIMER_SECONDS, "s", unit))


def _whole_hours(amount: int | float) -> bool:
    return amount % 3600 == 0 and amount <= 86_400


def _unit_to_write(unit: object) -> str:
    meant = SPELLED.get(unit.lower()) if isinstance(unit, str) else None
    return f'"{meant}"' if meant else ", ".join(f'"{name}"' for name in UNITS)


def _amount(name: str, value: object, unit: str) -> Any:
    """Read one field as a number in the unit."""
    if value is UNSET or (value is None and name != "min"):
        return value
    reading = read(value, unit)
    if reading is None or not math.isfinite(reading.amount):
        raise ValueError(f"{name}={shown(value)} is not a duration: write it as one of {FORMS}")
    amount = whole(reading.amount)
    if amount < 0 or (amount == 0 and name != "min"):
        kept = f", or keep=({amount},), default=None if the function gives it a meaning" if name == "default" else ""
        least = "0 or more" if name == "min" else "a positive number of"
        raise ValueError(f"{name}={amount} is not positive: write {least} {UNIT_NAMES[unit]}{kept}")
    longest = _longest(unit)
    if name != "ms_threshold" and amount > longest:
        no_limit = "; for no maximum write max=None" if name == "max" else ""
        raise ValueError(f"{name}={amount} is more than a timer holds, {longest} {UNIT_NAMES[unit]}{no_limit}")
    return amount


def _kept_values(keep: object) -> tuple[Any, ...]:
    if isinstance(keep, (str, bytes)) or not isinstance(keep, Iterable):
        raise ValueError(f"keep={shown(keep)} is not a group of values: write keep=({shown(keep)},)")
    values = tuple(keep.items()) if isinstance(keep, Mapping) else tuple(keep)
    for item in values:
        value = item[0] if isinstance(item, tuple) and item else item
        if not (value is None or is_text(value) or _is_number(value)):
            raise ValueError(f"keep holds {shown(value)}: it takes numbers, texts and None")
    return values
