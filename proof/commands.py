"""Commands that are run to the end, with a sign of life meanwhile."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

ROOT = Path(__file__).parent.parent
console = Console(stderr=True)
"""For progress: what is shown goes to the standard output."""
_TOLD = 2500


class Done(NamedTuple):
    """What became of a command."""

    ok: bool
    text: str
    """Its standard output and errors."""


def run(
    *command: str | Path, what: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None, seconds: float = 1800
) -> Done:
    """Run a command, and show the end of what it said where it fails."""
    with console.status(f"{what} ..."):
        done = subprocess.run(
            [str(part) for part in command],
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=seconds,
        )
    if done.returncode:
        console.print(f"{what}: exit code {done.returncode}", style="red", markup=False)
        console.print(done.stdout[-_TOLD:], markup=False, highlight=False)
    return Done(done.returncode == 0, done.stdout)


def python(*arguments: str | Path, what: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> Done:
    """Run this Python."""
    return run(sys.executable, *arguments, what=what, cwd=cwd, env=env)
