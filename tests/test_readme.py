"""The README says what is so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from timeoutkit import TimeoutPolicy

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
ROWS = re.findall(r"^\| (.*?) \| ([\d, ]+) \|", README, re.MULTILINE)


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.splitlines()[0])
def test_a_block_of_code_runs(block):
    """Every block of Python runs as it stands."""
    subprocess.run([sys.executable, "-W", "error", "-c", block], check=True, capture_output=True)


def test_the_first_example_prints_what_it_shows():
    """The output under the first example is its output."""
    shown = re.search(r"```text\n(.*?)```", README, re.DOTALL)[1]
    done = subprocess.run([sys.executable, "-c", PYTHON[0]], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == shown.strip()


@pytest.mark.parametrize(("written", "received"), ROWS)
def test_a_row_of_the_table_of_rules(written, received):
    """Each value in the table becomes what the table says."""
    from datetime import timedelta

    policy = TimeoutPolicy(unit="ms" if "milliseconds parameter" in written else "s")
    names = {"timedelta": timedelta, "inf": float("inf"), "NaN": float("nan")}
    values = [eval(value, names) for value in re.findall(r"`(.*?)`", written)]
    expected = [int(number) for number in received.split(",")]
    expected *= len(values) if len(expected) == 1 else 1
    assert [policy.normalize(value)[0] for value in values] == expected


def test_the_commands_are_those_that_ci_runs():
    """CI takes the test command from the README, where there is exactly one."""
    assert len(re.findall(r"^\$ .*bin/tox$", README, re.MULTILINE)) == 1
