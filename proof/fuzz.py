"""Part 3: what reads other people's input, under a fuzzer."""

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from rich.progress import track

from proof.claims import Claim, Effort
from proof.commands import ROOT, console
from proof.fuzzer import engine

NAMES = ("parse_duration", "normalize_arguments", "infer_policies")
SLOW = 0.05
"""Seconds that no input of up to 4 KiB may take, while its lines are watched."""
_GRACE = 60
_REACHED = re.compile(r"cov: (\d+)")


def prove(effort: Effort) -> Iterator[Claim]:
    """Fuzz every target at the same time."""
    with tempfile.TemporaryDirectory() as folder:
        running = {name: _started(name, effort.fuzz_seconds, Path(folder, name)) for name in NAMES}
        for _ in track(range(effort.fuzz_seconds), f"fuzzing with {engine()}", console=console, transient=True):
            time.sleep(1)
        for name, (process, log) in running.items():
            yield _claim(name, *_ended(process, log))


def _started(name: str, seconds: int, folder: Path) -> tuple[subprocess.Popen[str], IO[str]]:
    corpus = folder / "corpus"
    corpus.mkdir(parents=True)
    log = (folder / "log").open("w+", encoding="utf-8", errors="replace")
    command = [sys.executable, "-m", "proof.fuzzer", name, str(seconds), str(corpus)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True)
    return process, log


def _ended(process: subprocess.Popen[str], log: IO[str]) -> tuple[dict[str, Any], str]:
    try:
        told, _ = process.communicate(timeout=_GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        told, _ = process.communicate()
    with log:
        log.seek(0)
        said = log.read()
    lines = [text for text in told.splitlines() if text.startswith("{")]
    seen: dict[str, Any] = json.loads(lines[-1]) if lines else {"failure": {"input": "", "error": "it hung or crashed"}}
    if seen["failure"]:
        kept = [text for text in said.splitlines() if not text.startswith(("#", "\t"))]
        console.print("\n".join(kept[-30:]), markup=False, highlight=False)
    return seen, said


def _claim(name: str, seen: dict[str, Any], said: str) -> Claim:
    what = f"{name}: never raises, never slow, keeps the type, settles at once"
    bar = f"no failure, {SLOW * 1000:.0f} ms"
    if seen["failure"]:
        return Claim(what, f"{seen['failure']['error']} for {seen['failure']['input']}", bar, holds=False)
    reached = _REACHED.findall(said)
    guided = f", {reached[-1]} branches reached" if reached else ", unguided"
    figure = f"{seen['runs']:,} inputs by {engine()}{guided}, the slowest {seen['slowest'] * 1000:.1f} ms"
    return Claim(what, figure, bar, seen["slowest"] <= SLOW)
