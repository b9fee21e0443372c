"""Part 6: one tool under ten thousand calls at once, each with its own value and its own note."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from typing import Any

from proof.claims import Claim, Effort
from proof.commands import console
from timeoutkit import Correction, TimeoutPolicy, sane_timeout
from timeoutkit.testing import capture_corrections

CALLS = 10_000
POLICY = TimeoutPolicy(default=30, max=600, hint="Use background=true.")
_TURNS = 3
"""Turns of the loop that a call takes at most, so that they end in another order than they began."""


def prove(_effort: Effort) -> Iterator[Claim]:
    """Hold every result against what the policy alone says of its value."""
    values = [value_of(number) for number in range(CALLS)]
    with console.status(f"{CALLS:,} calls at once ..."), capture_corrections() as told:
        results, at_once = asyncio.run(_all(values))
    wrong = sum(result != _expected(number, values[number]) for number, result in enumerate(results))
    expected, seen = Counter(_reports(values)), Counter(map(_report_of, told))
    lost = (expected - seen).total() + (seen - expected).total()
    yield Claim(
        f"{CALLS:,} concurrent calls of one async tool get their own value and note",
        f"{at_once:,} in flight at once, {len(told):,} corrected, {wrong} mixed, {lost} reports lost or made twice",
        f"{CALLS:,} at once, 0, 0",
        (at_once, wrong, lost) == (CALLS, 0, 0),
    )


def value_of(number: int) -> Any:
    """Give a value of one of eight kinds, so that neighbours differ."""
    amount = number // 8 % 500 + 10
    return (amount, amount * 1000, f"{amount}s", -amount, None, f"{amount + 600} s", amount + 0.5, "soon")[number % 8]


async def _all(values: list[Any]) -> tuple[list[str], int]:
    begun, everybody = 0, asyncio.Event()

    @sane_timeout(policy=POLICY)
    async def run_shell(command: str, timeout: float = 30) -> str:
        nonlocal begun
        begun += 1
        if begun == len(values):
            everybody.set()
        await everybody.wait()  # nobody returns before the last has begun
        for _ in range(int(command) % _TURNS):
            await asyncio.sleep(0)
        return f"{command} within {timeout:g}"

    calls = (run_shell(command=str(number), timeout=value) for number, value in enumerate(values))
    return await asyncio.wait_for(asyncio.gather(*calls), 120), begun


def _expected(number: int, value: Any) -> str:
    used, correction = POLICY.normalize(value)
    result = f"{number} within {used:g}"
    return f"{result}\n\n{correction.note}" if correction else result


def _reports(values: list[Any]) -> Iterator[tuple[str, str]]:
    for value in values:
        _, correction = POLICY.normalize(value)
        if correction is not None:
            yield _report_of(correction)


def _report_of(correction: Correction) -> tuple[str, str]:
    return correction.given, correction.note
