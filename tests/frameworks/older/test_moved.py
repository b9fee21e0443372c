"""A real older release of a framework, in which what is opened stands elsewhere."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from matrix.table import OTHERS

NAME = os.environ["TIMEOUTKIT_FRAMEWORK"]
DISTRIBUTION, _, RELEASE = OTHERS[NAME].packages[0].partition("==")


def test_an_older_release_is_one_warning_and_runs_on():
    """The warning names both versions, and the program's tool gets what the model wrote."""
    program = Path(__file__).parent / f"{NAME.removesuffix('_older')}.py"
    command = [sys.executable, "-P", "-W", "always:install:UserWarning", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "ran within 90000 s\n"), done.stderr
    assert done.stderr.count("UserWarning: install(") == 1
    assert f"was written for {DISTRIBUTION} " in done.stderr
    assert f"and {DISTRIBUTION} {RELEASE} is different (" in done.stderr
    assert version(DISTRIBUTION) == RELEASE
