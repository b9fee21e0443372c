"""Raw arguments of a tool, as a host has them: which of them are timeouts, and what becomes of those."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from timeoutkit._correction import Correction
from timeoutkit._delivery import delivery
from timeoutkit._duration import SPELLED, convert, is_missing, unit_in_name
from timeoutkit._policy import DEFAULT_SECONDS, Outcome, TimeoutPolicy

A = TypeVar("A")

_LIMITS = {
    "timeout",
    "command_timeout",
    "execution_timeout",
    "exec_timeout",
    "run_timeout",
    "shell_timeout",
    "yield_time",
}
"""Names of a limit on the call itself, without a unit."""
_COMMANDS = {"command", "cmd", "code", "script"}
"""Names of what a tool runs, if it runs something."""
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_UNIT_IN_TEXT = re.compile(r"\b(milliseconds?|msecs?|ms|seconds?|secs?|minutes?|mins?)\b", re.IGNORECASE)
_NUMBERS = {"number", "integer"}
_STRING_OR_INFINITY = re.compile(r'"(?:[^"\\]|\\.)*"|Infinity')
_NO_AMOUNT = {"$ref", "enum", "const"}
"""What makes a property another one than any amount."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class InferredPolicy(TimeoutPolicy):
    """A policy for a tool that is known by its schema."""

    injects: bool = True
    """Whether a missing value becomes the default."""
    whole_numbers: bool = False
    """Whether the tool takes integers only."""
    open_ended: bool = False
    """Whether no maximum is known, rather than none wanted: a wrong unit is inferred all the same."""

    def __post_init__(self) -> None:
        super(InferredPolicy, self).__post_init__()
        if self.open_ended and self.max is None and self.unit == "s" and self.rescale and self.ms_threshold is None:
            self._set("infers", True)

    @property
    def stated_default(self) -> float | None:
        return self.default if self.injects else None

    def _bounded(self, amount: int | float, explicit: bool) -> tuple[int | float, Outcome]:
        if amount == self.default:  # what the tool itself says is never mistaken
            return amount, "in_range"
        if self.open_ended and self.max is None and not explicit and amount > 3600 and self._looks_like_ms(amount):
            used = self._held(convert(amount, "ms", "s"))
            # arguments may pass twice: what is used must not be taken for milliseconds again
            return (3600 if used > 3600 and self._looks_like_ms(used) else used), "read_as_ms"
        return super(InferredPolicy, self)._bounded(amount, explicit)


def infer_policies(schema: Mapping[str, Any], *, tool: str = "") -> dict[str, TimeoutPolicy]:
    """Find the timeouts among a tool's parameters by its JSON schema, carefully.

    A parameter is one where its name is that of a limit on the call itself (`timeout`, `timeout_ms`,
    `command_timeout`) and its type allows a number. Its unit comes from the name, the description, a default of
    1000 or more (milliseconds), else it is seconds; bounds and default from the schema, where stated; a default of 0
    or less is a value that the tool gives a meaning. The built-in default and maximum, and those of the environment,
    apply only to tools that run commands.

    Args:
        schema: of the parameters, an object with `properties`.
        tool: the tool's name; one that is about timeouts (`set_timeout`) takes them as its subject.

    Returns:
        A policy for each timeout, by the parameter's name; nothing where there is none, or no schema.

    >>> infer_policies({"properties": {"command": {}, "timeout_ms": {"type": "integer"}}})["timeout_ms"].unit
    'ms'
    """
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping) or "timeout" in tool.lower():
        return {}
    runs_commands = not _COMMANDS.isdisjoint(properties)
    found: dict[str, TimeoutPolicy] = {}
    for name, stated in properties.items():
        if isinstance(name, str) and isinstance(stated, Mapping) and _is_limit(name) and (types := _types(stated)):
            found[name] = _policy(name, stated, types, runs_commands)
    return found


def _is_limit(name: str) -> bool:
    stem = _stem(name)
    return stem in _LIMITS and (stem != "yield_time" or unit_in_name(name) is not None)


def _stem(name: str) -> str:
    """Give the name of a parameter without its unit, in one spelling."""
    words = _WORD_START.sub("_", name).lower()
    return words.rpartition("_")[0].removesuffix("_in") if "_" in words and unit_in_name(words) else words


def _is_yield(name: str) -> bool:
    return name.lower().startswith("yield")


def _types(stated: Mapping[str, Any]) -> set[str]:
    """Give the types that a property allows if a number is one of them, else nothing."""
    if stated.keys() & _NO_AMOUNT:
        return set()
    members = stated.get("anyOf") or stated.get("oneOf") or [stated]
    kinds: list[Any] = []
    for member in members if isinstance(members, list) else []:
        is_amount = isinstance(member, Mapping) and not member.keys() & _NO_AMOUNT
        kind = member.get("type", "number") if is_amount else None
        kinds += kind if isinstance(kind, list) else [kind]
    types = {kind if isinstance(kind, str) else "unknown" for kind in kinds}
    return types if types & _NUMBERS and types <= _NUMBERS | {"null", "string"} else set()


def _policy(name: str, stated: Mapping[str, Any], types: set[str], runs_commands: bool) -> TimeoutPolicy:
    unit = _unit(name, stated)
    fields: dict[str, Any] = {"unit": unit}
    own = {
        field: _positive(stated.get(key))
        for field, key in (("default", "default"), ("min", "minimum"), ("max", "maximum"))
    }
    fields |= {field: amount for field, amount in own.items() if amount is not None}
    meant = _not_positive(stated.get("default"))
    injects = meant is None and (runs_commands or "default" in fields)
    if _is_yield(name):  # what it waits for goes on: a short one, or none, is often meant
        fields["keep"] = (0,)
        fields.setdefault("min", 0)
    elif meant is not None:
        fields["keep"] = (meant,)
    return _inferred(fields, types, injects=injects, limited=runs_commands)


def _inferred(fields: dict[str, Any], types: set[str], *, injects: bool, limited: bool) -> InferredPolicy:
    """Make a policy that has the built-in bounds where it is limited, else only those that are stated."""
    most = fields.get("max")
    whole_numbers = "number" not in types and (most is None or math.floor(most) >= max(1, fields.get("min", 0)))
    unit = fields["unit"]
    usual = convert(DEFAULT_SECONDS, "s", unit)
    try:
        if limited:
            fields = {"unit": unit, **TimeoutPolicy.resolved(fields).given_fields()}
        else:
            held = min(max(usual, fields.get("min", 0)), math.inf if most is None else most)
            fields = {"max": None, "default": held, **fields}
        return InferredPolicy(**fields, injects=injects, whole_numbers=whole_numbers, open_ended=not limited)
    except ValueError:  # a schema may contradict itself: its unit is still its unit
        return InferredPolicy(unit=unit, default=usual, max=None, injects=False, open_ended=True)


def stated_policies(schema: Mapping[str, Any], policy: TimeoutPolicy) -> dict[str, TimeoutPolicy]:
    """Give the timeouts of a tool the policy that somebody stated for it, in the unit that the tool states."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping):
        return {}
    names = infer_policies(schema) or [name for name in properties if "timeout" in name.lower()]
    return {name: _in_unit_of(name, properties[name], policy) for name in names}


def _in_unit_of(name: str, stated: Mapping[str, Any], policy: TimeoutPolicy) -> TimeoutPolicy:
    unit: Any = _stated_unit(name, stated) or policy.unit
    types = _types(stated)
    fields = policy.given_fields() | {"unit": unit}
    if unit != policy.unit:
        fields.pop("ms_threshold", None)
        amounts = {field: fields[field] for field in ("default", "min", "max") if field in fields}
        fields |= {field: amount and convert(amount, policy.unit, unit) for field, amount in amounts.items()}
    resolved = TimeoutPolicy.resolved(fields)
    whole_numbers = bool(types) and "number" not in types
    return InferredPolicy(**{**resolved.given_fields(), "unit": unit}, whole_numbers=whole_numbers)


def _unit(name: str, stated: Mapping[str, Any]) -> Any:
    if unit := _stated_unit(name, stated):
        return unit
    default = _positive(stated.get("default"))
    return "ms" if default is not None and default >= 1000 else "s"


def _stated_unit(name: str, stated: Mapping[str, Any]) -> Any:
    if unit := unit_in_name(name):
        return unit
    described = _UNIT_IN_TEXT.search(str(stated.get("description", ""))[:2000])
    return SPELLED[described[1].lower()] if described else None


def _positive(value: Any) -> int | float | None:
    return value if type(value) in (int, float) and 0 < value < math.inf else None


def _not_positive(value: Any) -> int | float | None:
    return value if type(value) in (int, float) and value <= 0 else None


def normalize_arguments(
    arguments: A, policies: Mapping[str, TimeoutPolicy], *, function: str | None = None
) -> tuple[A, list[Correction]]:
    """Correct the timeouts among a tool's raw arguments, for hosts that run their own loop.

    Args:
        arguments: a mapping, or the text of a JSON object; never mutated.
        policies: what each timeout may be, by the parameter's name, such as from `infer_policies`.
        function: the tool's name, for the corrections.

    Returns:
        Arguments of the same kind, the very ones where nothing changed, and what was corrected; of another
        mapping than a dict, a dict where something changed.
        What is no object, or malformed, is returned as it is.

    Raises:
        TimeoutValueError: where a policy is strict and a value would have been corrected.

    >>> arguments, corrections = normalize_arguments('{"timeout": 90000}', {"timeout": TimeoutPolicy()})
    >>> arguments
    '{"timeout": 90}'
    """
    if isinstance(arguments, str):
        return _normalize_text(arguments, policies, function)
    if not isinstance(arguments, Mapping):
        return arguments, []
    changed: dict[str, Any] = {}
    corrections: list[Correction] = []
    for name, policy in policies.items():
        if arguments.get(name) is None and any(
            arguments.get(other) is not None for other in _spellings(name, policies)
        ):
            continue  # it is given under another name: a default would be a second one
        used, correction = _settled(arguments, name, policy, function)
        if correction is not None:
            corrections.append(correction)
        if used is not arguments.get(name):
            changed[name] = used
    used_arguments: Any = {**arguments, **changed} if changed else arguments
    return used_arguments, corrections


def _spellings(name: str, policies: Mapping[str, TimeoutPolicy]) -> list[str]:
    """Give the other names of the same limit, which differ in the unit: `timeout` and `timeout_ms`."""
    return [other for other in policies if other != name and _stem(other) == _stem(name)]


def _normalize_text(
    text: Any, policies: Mapping[str, TimeoutPolicy], function: str | None
) -> tuple[Any, list[Correction]]:
    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError):
        return text, []
    if not isinstance(arguments, dict):
        return text, []
    used, corrections = normalize_arguments(arguments, policies, function=function)
    return (text if used is arguments else _dumped(used)), corrections


def _dumped(used: Any) -> str:
    text = json.dumps(used, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a pair, which was an escape, cannot be encoded as itself
        text = json.dumps(used)
    if "Infinity" not in text:
        return text
    # a number too large for a float was JSON, its value is not
    return _STRING_OR_INFINITY.sub(lambda found: "1e999" if found[0] == "Infinity" else found[0], text)


def _settled(
    arguments: Mapping[str, Any], name: str, policy: TimeoutPolicy, function: str | None
) -> tuple[Any, Correction | None]:
    value = arguments.get(name)
    inferred = policy if isinstance(policy, InferredPolicy) else None
    if inferred is not None and not inferred.injects and is_missing(value):
        return value, None
    whole_numbers = inferred is not None and inferred.whole_numbers
    deliver = delivery(int, policy.unit, policy.unit, policy.ceiling) if whole_numbers else None
    used, correction = policy.settle(value, name, function, deliver)
    if correction is not None and policy.refuses(correction):
        raise policy.refusal(correction)
    return used, correction
