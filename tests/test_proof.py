"""The proof runs and prints its table; what it shows is no matter here."""

import importlib
import io
import json
import subprocess
import sys
from email.message import Message
from pathlib import Path

import pytest
from rich.console import Console

ROOT = Path(__file__).parent.parent
STATISTICS = """\
tests/test_properties.py::test_any[one-two]:

  - during generate phase (0.25 seconds):
    - 100 passing, 0 failing, and 7 invalid test cases

tests/test_properties.py::test_any[three]:

  - during reuse phase (0.01 seconds):
    - 2 passing, 1 failing, and 0 invalid test cases
  - during generate phase (0.25 seconds):
    - 1,100 passing test cases
    - 50 passing examples, 0 failing examples, 1 invalid examples

tests/test_arguments.py::test_other:
"""


@pytest.fixture
def part(monkeypatch):
    """Give a module of the proof, which is not installed."""
    monkeypatch.syspath_prepend(ROOT)
    return lambda name: importlib.import_module(f"proof.{name}")


def proof(*arguments):
    command = [sys.executable, "-m", "proof", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_help_names_every_part(part):
    """Each part is told with what it is about."""
    told = proof("--help").stdout
    assert all(f"  {name} " in told and about in told for name, about in part("parts").PARTS.items())


def test_an_unknown_part_is_refused():
    """A typing error is no proof."""
    done = proof("fuzzz")
    assert done.returncode == 2
    assert "there is no part 'fuzzz': write some of properties, " in done.stderr


@pytest.mark.parametrize("quick", [True, False])
def test_without_a_part_all_are_run(part, monkeypatch, capsys, quick):
    """`--quick` leaves out no part, it runs less of each."""
    main, claims, asked = part("__main__"), part("claims"), {}
    monkeypatch.setattr(main, "shown", lambda name, effort: asked.setdefault(name, effort) and [])
    assert main.main(["--quick"] if quick else []) == 0
    assert asked == dict.fromkeys(part("parts").PARTS, claims.QUICK if quick else claims.FULL)


def test_one_part_is_run_and_the_others_are_not(part):
    """The table has a row for each part, and says honestly which were not run."""
    done = proof("--quick", "--json", "load")
    told = json.loads(done.stdout)
    assert list(told) == list(part("parts").PARTS)
    assert done.returncode == 0
    assert [claim["holds"] for claim in told["load"]] == [True]
    assert {claim["holds"] for name in told if name != "load" for claim in told[name]} == {None}


@pytest.mark.parametrize(
    ("verdicts", "code"), [((True,), 0), ((True, None), 0), ((True, False), 1), ((False, None), 1)]
)
def test_what_does_not_hold_is_the_exit_code(part, monkeypatch, capsys, verdicts, code):
    """Only what was run and does not hold is a failure."""
    main, Claim = part("__main__"), part("claims").Claim
    monkeypatch.setattr(main, "shown", lambda name, effort: [Claim("all", "1", "1", holds) for holds in verdicts])
    assert main.main(["fuzz"]) == code
    table = capsys.readouterr().out
    assert f"{verdicts.count(True)} hold, {verdicts.count(False)} do not hold" in table


def test_the_table_shows_figure_bar_and_verdict(part):
    """A figure is shown as it is, also where it looks like markup."""
    Claim, out = part("claims").Claim, io.StringIO()
    claims = {"fuzz": [Claim("reads", "[bold] 3", "at most 4", True), Claim("settles", "5", "4", False)]}
    part("table").show(claims, Console(file=out, width=140))
    rows = [line.split("  ") for line in out.getvalue().splitlines()]
    cells = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert ["fuzz", "reads", "[bold] 3", "at most 4", "yes"] in cells
    assert ["settles", "5", "4", "NO"] in cells


def test_a_part_that_breaks_down_does_not_hold(part, monkeypatch):
    """An error is a row of its own, and the other parts go on."""
    monkeypatch.setattr(part("load"), "prove", lambda effort: 1 / 0)
    [claim] = part("parts").shown("load", part("claims").QUICK)
    assert claim.holds is False
    assert "ZeroDivisionError" in claim.figure


def test_every_part_is_a_module(part):
    """What the table names can be run."""
    assert all(callable(part(name).prove) for name in part("parts").PARTS)


def test_examples_are_counted(part):
    """A property is counted once, whatever its parameters; examples of every phase are."""
    assert part("properties").counted(STATISTICS) == (2, 152, 1)


@pytest.mark.parametrize(("killed", "survived", "holds"), [(95, 5, True), (94, 6, False), (0, 0, False)])
def test_mutants_are_read_from_their_result(part, monkeypatch, tmp_path, killed, survived, holds):
    """The share of those killed is held against the bar; without a result nothing is claimed."""
    mutants, quick = part("mutants"), part("claims").QUICK
    monkeypatch.setattr(mutants, "RESULT", tmp_path / "result.json")
    assert [claim.holds for claim in mutants.prove(quick)] == [None]
    mutants.RESULT.write_text(json.dumps({"killed": killed, "survived": survived, "more": []}))
    assert [claim.holds for claim in mutants.prove(quick)] == [holds]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Success: no issues found in 60 source files\n", "no error in 60 source files"),
        ("a.py:1: error: no\nFound 3 errors in 2 files (checked 60 source files)\n", "3 errors"),
        ("0 errors, 0 warnings, 0 informations \n", "0 errors"),
        ("1 error, 0 warnings, 0 informations \n", "1 errors"),
        ("crashed", "no outcome"),
    ],
)
def test_the_count_of_a_type_checker_is_read(part, said, found):
    """Each says it in words of its own."""
    assert part("checkers").found(said) == found


def test_the_outcome_of_every_run_of_the_suite_is_read(part):
    """Twice in one process has two ends."""
    Done, said = (
        part("commands").Done,
        "...\n2 failed, 3 passed, 1 skipped in 5.51s\n===== 4 passed in 61.02s (0:01:01) =====\n",
    )
    assert part("suite").outcome(Done(True, said)) == "2 failed, 3 passed, 1 skipped; 4 passed"


@pytest.mark.parametrize(
    ("tries", "ratio"),
    [
        ([[9, 9, 1, 4, 16, 64]], 4.0),
        ([[9, 9, 1, 2, 4, 8]], 2.0),
        ([[9, 9, 1, 2, 9, 27], [9, 9, 1.5, 9, 4, 8]], 2.0),
    ],
    ids=["quadratic", "linear", "disturbed"],
)
def test_the_growth_of_a_reader_is_that_of_its_last_doublings(part, monkeypatch, tries, ratio):
    """A quadratic one is noticed, and what disturbs a measurement once is not."""
    growth = part("growth")
    left = iter([*tries, *tries[-1:] * 2])
    monkeypatch.setattr(growth, "_seconds", lambda read, inputs: next(left))
    assert growth._growth(len, [""] * 6).ratio == pytest.approx(ratio)


def test_missing_metadata_is_named(part):
    """Fields and classifiers that are not there are told by name."""
    metadata = Message()
    for field in part("supply")._COMPLETE:
        metadata[field] = "Programming Language :: Python :: 3.11"
    assert part("supply").lacking(metadata) == ["3.12", "3.13"]
    del metadata["Author"]
    assert "Author" in part("supply").lacking(metadata)


def test_a_fuzzer_tells_what_it_saw(tmp_path):
    """A target in a process of its own ends in time, with the count of its inputs."""
    command = [sys.executable, "-m", "proof.fuzzer", "parse_duration", "1", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["runs"] > 0
    assert done.returncode == int(seen["failure"] is not None)


def test_a_fuzzer_ends_with_what_raises():
    """The failing input is told, with its error."""
    code = "from proof.fuzzer import Watch\nwatch = Watch(lambda value: 1 / len(value), 60)\n"
    command = [sys.executable, "-c", code + "watch.see('a'); watch.see(''); watch.see('b')"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    seen = json.loads(done.stdout)
    assert (done.returncode, seen["runs"], seen["failure"]["input"]) == (1, 2, "''")
    assert "ZeroDivisionError" in seen["failure"]["error"]


def test_a_fuzzer_remembers_what_is_slow(part, monkeypatch):
    """The least of several looks counts, as a machine only ever adds time."""
    fuzzer, clock, costs = part("fuzzer"), [0.0], iter([9.0, 5.0, 6.0, 7.0, 1.0])
    monkeypatch.setattr(fuzzer, "thread_time", lambda: clock[0])
    watch = fuzzer.Watch(lambda value: clock.append(clock.pop() + next(costs)), 60)
    watch.see("slow")
    watch.see("quick")
    assert (watch.runs, watch.slowest, watch.slowest_input) == (2, 5.0, "'slow'")


@pytest.mark.parametrize("target", ["parse_duration", "normalize_arguments"])
def test_the_seeds_of_a_target_pass(part, target):
    """The fuzzer begins with inputs that are in order."""
    one = part("targets").TARGETS[target]
    for seed in one.seeds:
        one.check(seed)


def test_a_soak_reads_the_memory_after_every_hundredth():
    """A short soak in a process of its own prints a hundred readings."""
    command = [sys.executable, "-m", "proof.soak", "1000"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    readings = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(readings) == 100
    assert all(corrected > 0 and ours > 0 for corrected, ours, _ in readings)
