"""Part 3: twice as long an input takes at most twice the time."""

import gc
import json
from collections.abc import Callable, Iterator
from itertools import repeat
from time import thread_time
from typing import Any, NamedTuple

from rich.progress import track

from proof.claims import Claim, Effort
from proof.commands import console
from timeoutkit import TimeoutPolicy, attach_note, infer_policies, normalize_arguments, parse_duration

BAR = 2.3
"""Times the time for twice the input: 2, and what caches of the machine add; a quadratic reader has 4."""
DOUBLINGS = 5
_COUNTED = 3
"""The last of them: before, what every call costs hides how the time grows."""
_ROUNDS = 5
_TRIES = 3
_SAMPLE = 0.001
"""Seconds of one sample at least."""
_NOTE = "[timeoutkit] a note"
_POLICIES = {"timeout": TimeoutPolicy()}


class Reader(NamedTuple):
    """What reads, and inputs of any length that would be slow if anything were."""

    read: Callable[[Any], object]
    least: int
    """The shortest length that is measured; each doubling follows."""
    shapes: dict[str, Callable[[int], Any]]


def prove(_effort: Effort) -> Iterator[Claim]:
    """Measure every reader, and give the shape of input with which its time grows fastest."""
    for name, reader in READERS.items():
        grown = {
            shape: _growth(reader.read, [make(reader.least * 2**number) for number in range(DOUBLINGS + 1)])
            for shape, make in track(reader.shapes.items(), name, console=console, transient=True)
        }
        worst = max(grown, key=lambda shape: grown[shape].ratio)
        slowest = max(one.seconds for one in grown.values())
        longest = reader.least * 2**DOUBLINGS
        yield Claim(
            f"{name}: twice the input takes at most twice the time, {DOUBLINGS} doublings, {len(grown)} shapes",
            f"{grown[worst].ratio:.2f} times ({worst}); {slowest * 1000:.1f} ms for {longest:,} at most",
            f"{BAR} times",
            grown[worst].ratio <= BAR,
        )


class Growth(NamedTuple):
    """How the time grows."""

    ratio: float
    """For one doubling, over those that count."""
    seconds: float
    """For the longest."""


def _growth(read: Callable[[Any], object], inputs: list[Any]) -> Growth:
    """Measure, and again where the bar is missed: a busy machine only ever adds time."""
    least = [float("inf")] * len(inputs)
    for _ in range(_TRIES):
        least = [min(pair) for pair in zip(least, _seconds(read, inputs), strict=True)]
        ratio = (least[-1] / least[-1 - _COUNTED]) ** (1 / _COUNTED)
        if ratio <= BAR:
            break
    return Growth(ratio, least[-1])


def _seconds(read: Callable[[Any], object], inputs: list[Any]) -> list[float]:
    """Take every input once a round, and give the least of each: of this thread's own time."""
    times = [max(1, int(_SAMPLE / max(_once(read, value, 1), 1e-7))) for value in inputs]
    gc.collect()
    gc.disable()
    try:
        taken = [[_once(read, *one) for one in zip(inputs, times, strict=True)] for _ in range(_ROUNDS)]
    finally:
        gc.enable()
    return [min(column) for column in zip(*taken, strict=True)]


def _once(read: Callable[[Any], object], value: Any, times: int) -> float:
    start = thread_time()
    for _ in repeat(None, times):
        read(value)
    return (thread_time() - start) / times


def _duration(text: str) -> None:
    try:
        parse_duration(text)
    except ValueError:
        return


def _filled(*parts: str) -> Callable[[int], str]:
    """Make a text of this length: what it begins with, what is repeated, what it ends with."""
    start, middle, end = parts

    def make(length: int) -> str:
        return start + (middle * length)[: length - len(start) - len(end)] + end

    return make


def _object(name: str, value: Callable[[int], Any]) -> Callable[[int], str]:
    return lambda size: json.dumps({name: value(size), "timeout": 90000})


def _schema(properties: Callable[[int], dict[str, Any]]) -> Callable[[int], dict[str, Any]]:
    return lambda size: {"type": "object", "properties": {"command": {"type": "string"}, **properties(size)}}


READERS: dict[str, Reader] = {
    "parse_duration": Reader(
        _duration,
        312,
        {
            "digits": _filled("", "1", "s"),
            "digits that end in no unit": _filled("", "1", "?"),
            "zeros": _filled("", "0", "1s"),
            "decimals": _filled("0.", "1", "s"),
            "groups": _filled("1", ",000", "!"),
            "an exponent": _filled("1e", "1", "s"),
            "points": _filled("1", ".1", "s"),
            "spaces": _filled("1", " ", "s"),
            "letters": _filled("1", "s", ""),
            "a part again and again": _filled("", "1s ", ""),
            "ISO": _filled("P", "1", "DT1H"),
            "a clock": _filled("", "1", ":00:00"),
        },
    ),
    "attach_note": Reader(
        lambda text: attach_note(text, _NOTE),
        5_000,
        {
            "plain text": _filled("", "some output\n", ""),
            "spaces": _filled("", " ", ""),
            "spaces and a word": _filled("", " ", "nul"),
            "a JSON object": lambda length: json.dumps({"output": "x" * length}),
            "many keys": lambda length: json.dumps({f"key {number}": number for number in range(length // 16)}),
            "lists": lambda length: json.dumps({"a": [[]] * (length // 4)}),
            "spaces in an object": _filled("{", " ", "}"),
            "braces": _filled("", "{", ""),
            "closing braces": _filled('{"a": 1', "}", ""),
            "almost JSON": _filled('{"a": "', "x", '"'),
            "escapes": _filled('{"a": "', "\\n", '"}'),
            "digits": _filled("", "1", ""),
        },
    ),
    "infer_policies": Reader(
        infer_policies,
        100,
        {
            "properties": _schema(lambda size: {f"option_{number}": {"type": "string"} for number in range(size)}),
            "what is almost a timeout": _schema(lambda size: {f"{number}_timeout_ms": {} for number in range(size)}),
            "a long name": _schema(lambda size: {"aB_" * size * 10 + "timeout": {"type": "number"}}),
            "a name of letters": _schema(lambda size: {"a" * size * 10 + "_1": {"type": "number"}}),
            "a description": _schema(lambda size: {"timeout": {"description": "wait " * size * 10}}),
            "members": _schema(lambda size: {"timeout": {"anyOf": [{"type": "integer"}] * size}}),
            "types": _schema(lambda size: {"timeout": {"type": ["integer", "null"] * size}}),
            "what is no type": _schema(lambda size: {"timeout": {"type": [["integer"]] * size}}),
        },
    ),
    "normalize_arguments": Reader(
        lambda text: normalize_arguments(text, _POLICIES),
        5_000,
        {
            "a long text": _object("command", lambda length: "x" * length),
            "escapes": _object("command", lambda length: "\n" * (length // 2)),
            "other letters": _object("command", lambda length: "é" * (length // 6)),
            "many arguments": _object("more", lambda length: {f"{number}": number for number in range(length // 12)}),
            "lists": _object("more", lambda length: [[]] * (length // 4)),
            "numbers": _object("more", lambda length: [1.5] * (length // 5)),
            "a long timeout": lambda length: json.dumps({"timeout": "1" * length}),
            "a timeout of spaces": lambda length: json.dumps({"timeout": " " * length + "1"}),
            "what is no JSON": _filled('{"timeout": 0, "a": [', "[],", ""),
        },
    ),
    "normalize_arguments, policies": Reader(
        lambda given: normalize_arguments(given, dict.fromkeys(given, _POLICIES["timeout"])),
        100,
        {
            "in range": lambda size: {f"timeout_{number}": 30 for number in range(size)},
            "corrected": lambda size: {f"timeout_{number}": 90000 for number in range(size)},
        },
    ),
}
