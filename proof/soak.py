"""Part 6: the memory of a million calls, in a process of its own: `python -m proof.soak CALLS`."""

import gc
import json
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rich.progress import track

from proof.claims import Claim, Effort
from proof.commands import ROOT, console
from timeoutkit import sane_timeout
from timeoutkit.testing import capture_corrections

SHARES = (10, 50, 100)
"""Percent of the calls after which the memory is read."""
BAR = 16
"""KB that may be added from the first reading to the last."""
_BLOCK = 1000
_KB = 1024


def prove(effort: Effort) -> Iterator[Claim]:
    """Show what is held after a tenth, a half and all of the calls."""
    command = [sys.executable, "-m", "proof.soak", str(effort.soaked)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = track(process.stdout, f"{effort.soaked:,} calls", total=100, console=console, transient=True)
        readings = [Reading(*json.loads(line)) for line in lines]
    yield _claim(effort.soaked, [readings[share - 1] for share in SHARES])


class Reading(NamedTuple):
    """What is held on the way."""

    corrected: int
    """Calls so far."""
    ours: int
    """Bytes that Python allocated."""
    process: int
    """Bytes of the whole process that are in memory, 0 where the system does not say."""


def _claim(calls: int, readings: list[Reading]) -> Claim:
    grown = (readings[-1].ours - readings[0].ours) / _KB
    told = ", ".join(f"{share} %: {one.ours / _KB:,.0f} KB" for share, one in zip(SHARES, readings, strict=True))
    whole = ", ".join(f"{one.process / _KB / _KB:.1f}" for one in readings)
    return Claim(
        f"{calls:,} calls, {readings[-1].corrected:,} of them corrected, captured by the thousand: memory is flat",
        f"{told} allocated ({grown:+,.1f} KB); process {whole} MB",
        f"at most +{BAR} KB",
        grown <= BAR,
    )


@sane_timeout(max=3600)
def run_shell(command: str, timeout: float = 30) -> str:
    """Give the command back."""
    return f"{command} within {timeout:g}"


def value_of(number: int) -> Any:
    """Give a value, in range or not, that hardly ever comes again; the last are as long as the first."""
    number = number * 7919 % 1_000_003
    thousands = (number % 3595 + 5) * 1000
    return (number % 3600 + 0.5, thousands, f"{number} s", -number - 1, None, number / 7)[number % 6]


def soak(calls: int) -> None:
    """Call, and print what is held after every hundredth of the calls."""
    corrected, each = 0, calls // 100
    tracemalloc.start()
    for percent in range(100):
        for start in range(percent * each, (percent + 1) * each, _BLOCK):
            with capture_corrections() as corrections:
                for number in range(start, min(start + _BLOCK, (percent + 1) * each)):
                    run_shell("ls", timeout=value_of(number))
            corrected += len(corrections)
        del corrections
        gc.collect()
        print(json.dumps(Reading(corrected, tracemalloc.get_traced_memory()[0], _resident())), flush=True)


def _resident() -> int:
    status = Path("/proc/self/status")
    return _KB * int(status.read_text().partition("VmRSS:")[2].split()[0]) if status.exists() else 0


if __name__ == "__main__":
    soak(int(sys.argv[1]))
