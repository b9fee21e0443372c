"""Timing that a noisy machine disturbs little: everything takes its turn in every round."""

import asyncio
import gc
from collections.abc import Callable, Iterable, Mapping
from itertools import repeat
from time import perf_counter
from typing import Any, TypeVar

Key = TypeVar("Key")
Sample = Callable[[], float]
"""One measurement: seconds for one operation."""

_LOOP = """\
{defined} loop(f, number):
    start = perf_counter()
    for _ in repeat(None, number):
        {call}
    return perf_counter() - start
"""


def interleaved(samples: Mapping[Key, Sample], rounds: Iterable[object]) -> dict[Key, list[float]]:
    """Take every sample once a round, so that a slow moment of the machine meets all of them."""
    taken: dict[Key, list[float]] = {key: [] for key in samples}
    gc.collect()
    gc.disable()
    try:
        for depth, _ in enumerate(rounds):
            for key, sample in samples.items():
                taken[key].append(_deeper(depth, sample))
    finally:
        gc.enable()
    return taken


def _deeper(frames: int, sample: Sample) -> float:
    """Take a sample some frames deeper in the stack.

    The interpreter keeps frames in blocks: a call that happens to begin a new block costs ten times as much,
    at that one depth. No contender should meet that in every round.
    """
    return _deeper(frames - 1, sample) if frames else sample()


def timed_call(call: str, function: Any, seconds: float, *, awaited: bool = False) -> Sample:
    """Make the sample of a call written in terms of `f`, which takes about so many seconds.

    Each has code of its own: the interpreter specialises code for what it calls.
    """
    defined, call = ("async def", f"await {call}") if awaited else ("def", call)
    namespace: dict[str, Any] = {"perf_counter": perf_counter, "repeat": repeat}
    exec(_LOOP.format(defined=defined, call=call), namespace)
    loop = namespace["loop"]

    def elapsed(number: int) -> float:
        return float(asyncio.run(loop(function, number)) if awaited else loop(function, number))

    number = 1
    # more than once, as the first call of some makes what the others use
    while min(elapsed(number) for _ in range(3)) < seconds:
        number *= 2
    return lambda: elapsed(number) / number
