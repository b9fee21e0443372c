"""What is fuzzed: each a check of one input that holds for every input."""

import copy
import json
import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from hypothesis import strategies as st

from timeoutkit import Correction, TimeoutPolicy, TimeoutValueError, infer_policies, normalize_arguments, parse_duration

POLICIES: tuple[dict[str, TimeoutPolicy], ...] = (
    {"timeout": TimeoutPolicy(max=600), "timeout_ms": TimeoutPolicy(unit="ms", max=600_000)},
    {"timeout": TimeoutPolicy(default=None, max=None, keep=(0, -1)), "t": TimeoutPolicy(unit="min", rescale=False)},
)
SEEDS = ("30", "1.5", "30s", "500 ms", "1m30s", "1 minute 10 seconds", "PT1M30S", "00:01:10", "30_000", "1e3s", "-inf")
TEXTS = (
    '{"timeout": 90000, "command": "ls"}',
    '{"timeout": "30s", "timeout_ms": 0, "a": [1.5, {"b": null}]}',
    '{"timeout": null, "t": -1, "note": "\\u00e9\\n", "n": 1e30}',
)
WORDS = (
    "ns",
    "µs",
    "ms",
    "sec",
    "min",
    "hours",
    "days",
    "PT",
    "P1D",
    ":00",
    "_000",
    ",000",
    "e400",
    "e-400",
    ".5",
    "inf",
)
JSON_WORDS = (
    '"timeout": ',
    '"timeout_ms": ',
    '"t": ',
    ', "a": ',
    "null",
    "NaN",
    "1e400",
    "-0.0",
    "\\ud800",
    "[",
    "{}",
    '"90 s"',
)


def durations(text: str) -> None:
    """Reading gives finite seconds or a `ValueError`, and reading those again gives the same."""
    try:
        seconds = parse_duration(text)
    except ValueError:
        return
    assert type(seconds) is float, f"a {type(seconds).__name__} is no float"
    assert math.isfinite(seconds), f"{seconds} is not finite"
    assert parse_duration(f"{seconds!r}s") == seconds, "read again it is another duration"


def arguments(text: str) -> None:
    """The text of a call stays a text, JSON stays JSON, and nothing but the timeouts is another."""
    for policies in POLICIES:
        used, corrections = normalize_arguments(text, policies)
        _corrected(corrections)
        assert type(used) is str, f"a {type(used).__name__} is no text"
        if used is not text:
            before, after = json.loads(text), json.loads(used)
            assert type(before) is type(after) is dict, "what is no object was changed"
            _same_but(policies, before, after)
            assert _is_utf8(used) or not _is_utf8(text), "it can no longer be encoded"
            assert _is_json(used) or not _is_json(text), "it is no longer JSON"
        again, more = normalize_arguments(used, policies)
        assert again == used, "corrected again it is another text"
        assert {one.reason for one in more} <= {"suspicious"}, f"corrected again: {more}"
    _strict(text, {"timeout": TimeoutPolicy(mode="strict")})


def schemas(drawn: tuple[Any, Any, str]) -> None:
    """A schema gives policies for its own properties; a call is corrected as its text is, and never mutated."""
    schema, given, tool = drawn
    policies = infer_policies(schema, tool=tool)
    assert type(policies) is dict
    assert all(isinstance(policy, TimeoutPolicy) for policy in policies.values())
    before = copy.deepcopy(given)
    used, corrections = normalize_arguments(given, policies)
    _corrected(corrections)
    assert repr(given) == repr(before), "the arguments were mutated"
    assert type(used) is type(given), f"a {type(used).__name__} is no {type(given).__name__}"
    if isinstance(given, dict):
        _same_but(policies, given, used)
        as_text, as_told = normalize_arguments(json.dumps(given), policies)
        assert repr(json.loads(as_text)) == repr(used), "its text is corrected otherwise"
        assert as_told == corrections, "its text is told otherwise"
    again, more = normalize_arguments(used, policies)
    assert repr(again) == repr(used), f"corrected again it is another: {again!r}"
    assert {one.reason for one in more} <= {"suspicious"}, f"corrected again: {more}"


def _corrected(corrections: Any) -> None:
    assert type(corrections) is list
    for one in corrections:
        assert type(one) is Correction
        assert one.note.isprintable()
        assert len(one.note) < 300, "the note is long"


def _strict(text: str, policies: dict[str, TimeoutPolicy]) -> None:
    with suppress(TimeoutValueError):
        normalize_arguments(text, policies)


def _same_but(policies: dict[str, TimeoutPolicy], before: dict[str, Any], after: dict[str, Any]) -> None:
    others = [{name: value for name, value in one.items() if name not in policies} for one in (before, after)]
    assert repr(others[0]) == repr(others[1]), "another argument was changed"


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_json(text: str) -> bool:
    """Tell whether it is JSON by the standard, in which there is neither NaN nor Infinity."""

    def no_constant(name: str) -> float:
        raise ValueError(name)

    try:
        json.loads(text, parse_constant=no_constant)
    except ValueError:
        return False
    return True


# -- what they are given ---------------------------------------------------------------------------

_NAMES = (
    "timeout",
    "timeout_ms",
    "timeoutSeconds",
    "command_timeout",
    "yield_time_ms",
    "timeout_in_minutes",
    "command",
)
_TYPES = ("integer", "number", "string", "null", "boolean", "array")
_KEYS = ("type", "anyOf", "oneOf", "default", "minimum", "maximum", "description", "enum", "const", "$ref")
_numbers = st.integers() | st.floats(allow_nan=False) | st.sampled_from([0, -1, 30, 300, 1000, 90000, 5_000_000, 0.5])
_texts = st.text(max_size=20) | st.sampled_from(SEEDS)
_json = st.recursive(
    st.none() | st.booleans() | _numbers | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS) | _texts, inner, max_size=3),
    max_leaves=8,
)
_names = st.sampled_from(_NAMES) | _texts
_types = st.sampled_from(_TYPES) | st.lists(st.sampled_from(_TYPES), max_size=3)
_likely = {
    "type": _types,
    "default": _numbers,
    "minimum": _numbers,
    "maximum": _numbers,
    "description": st.sampled_from(["Timeout in ms", "seconds to wait", "in minutes", ""]) | _texts,
    "anyOf": st.lists(st.fixed_dictionaries({"type": _types}), max_size=3),
}
_stated = (
    st.fixed_dictionaries({}, optional=_likely) | st.dictionaries(st.sampled_from(_KEYS), _json, max_size=4) | _json
)
_schemas = st.fixed_dictionaries({"properties": st.dictionaries(_names, _stated, max_size=5)}) | _json
_arguments = st.dictionaries(_names, _numbers | _json, max_size=5) | _json.filter(lambda value: type(value) is not str)


class Target(NamedTuple):
    """A check and what makes its inputs."""

    check: Callable[[Any], None]
    inputs: st.SearchStrategy[Any]
    seeds: tuple[str, ...] = ()
    """Where the input is a text: some to begin with, which the fuzzer changes byte by byte."""
    words: tuple[str, ...] = ()
    """What it may put in, beside bytes."""


TARGETS: dict[str, Target] = {
    "parse_duration": Target(durations, _texts, SEEDS, WORDS),
    "normalize_arguments": Target(arguments, _arguments.map(json.dumps) | st.text(), TEXTS, JSON_WORDS),
    "infer_policies": Target(schemas, st.tuples(_schemas, _arguments, _texts)),
}
