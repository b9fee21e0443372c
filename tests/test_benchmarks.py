"""The benchmark runs and gives its data; what it measures is no matter here."""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("beartype")
pytest.importorskip("pint")

ROOT = Path(__file__).parent.parent
CONTENDERS = {"bare function", "timeoutkit", "guard by hand", "empty wrapt", "validate_call", "beartype", "pint wraps"}
DECORATED = CONTENDERS - {"bare function"} | {"bind per call"}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Run the benchmark once, a few calls only."""
    svg = tmp_path_factory.mktemp("chart") / "chart.svg"
    command = [sys.executable, "-m", "benchmarks", "--quick", "--json", "--check", "--svg", str(svg)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout), svg


@pytest.mark.parametrize(
    ("case", "contenders"),
    [
        ("keyword", CONTENDERS | {"typeguard", "bind per call"}),
        ("position", CONTENDERS | {"typeguard", "bind per call"}),
        ("method", CONTENDERS | {"typeguard", "bind per call"}),
        ("coroutine", CONTENDERS | {"typeguard", "bind per call"}),
        ("omitted", CONTENDERS | {"typeguard", "bind per call"}),
        ("None", {"timeoutkit", "guard by hand", "bind per call"}),
        ("corrected", {"timeoutkit", "guard by hand", "bind per call"}),
        ("2 parameters", CONTENDERS | {"bind per call"}),
        ("20 parameters", CONTENDERS | {"bind per call"}),
        ("each further", CONTENDERS | {"bind per call"}),
        ("decorating", DECORATED),
        ("import", {"timeoutkit", "empty wrapt", "validate_call", "beartype", "typeguard", "pint wraps"}),
        ("memory", DECORATED),
    ],
)
def test_every_case_is_measured_for_every_contender_that_can_serve_it(run, case, contenders):
    """The data hold a figure for each, and for no other."""
    _, data, _ = run
    assert data["figures"][case].keys() == contenders
    assert all(isinstance(figure, float) for figure in data["figures"][case].values())


def test_every_bar_is_held_against_a_ratio(run):
    """A ratio stands beside its bar, with whether it holds."""
    _, data, _ = run
    assert len(data["ratios"]) == 10
    for one in data["ratios"]:
        assert one["other"] in data["figures"][one["other_case"]]
        assert one["holds"] == (one["ratio"] <= one["bar"])


def test_check_fails_exactly_where_a_bar_is_missed(run):
    """The exit code of `--check` is that of the ratios."""
    returncode, data, _ = run
    assert returncode == int(not all(one["holds"] for one in data["ratios"]))


def test_the_chart_names_every_contender(run):
    """The chart is an SVG with one bar for each figure of a call by keyword."""
    _, data, svg = run
    root = ElementTree.parse(svg).getroot()
    texts = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert data["figures"]["keyword"].keys() <= texts
    assert len(list(root.iter("{http://www.w3.org/2000/svg}rect"))) == len(data["figures"]["keyword"])
