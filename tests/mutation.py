"""Mutation testing: run by `python tests/mutation.py`, which has mutmut load it as a plugin of pytest.

Each mutant is run as if the file had been edited: timeoutkit and the tests are imported anew under it, so that what
they do when they are imported counts too.
"""

import asyncio
import collections
import gc
import inspect
import json
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
COPIED = ("timeoutkit", "tests", "conftest.py", "pyproject.toml", "README.md")
LEAST = 95
RESULT = ROOT / "build" / "mutation.json"
"""What `python -m proof` reads."""
OURS = ("timeoutkit", "conftest", "tests.test_")
REPLACED = "_callers_level"
"""It counts frames, and mutmut puts some in between: the run has one that skips those, and its mutants do not count."""
AUTOUSED = {"_clean_environment", "_doctest_names", "_nothing_said_yet"}


def mutant():
    return os.environ.get("MUTANT_UNDER_TEST", "")


# -- the plugin ------------------------------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    gc.disable()
    for name in [name for name in sys.modules if name.startswith(OURS)]:
        del sys.modules[name]
    try:
        from timeoutkit import _annotation, _environment
    except Exception:
        if mutant().startswith("timeoutkit."):
            os._exit(1)  # killed
        raise
    import typeguard
    from mutmut.mutation import trampoline

    others = [one for one in typeguard.checker_lookup_functions if one.__module__ != _annotation.__name__]
    typeguard.checker_lookup_functions[:] = [_annotation.checker_lookup, *others]
    inside = {os.path.dirname(_environment.__file__), os.path.dirname(trampoline.__file__)}

    def callers_level():
        frame, level = sys._getframe(1), 1
        while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) in inside:
            frame, level = frame.f_back, level + 1
        return level

    setattr(_environment, REPLACED, callers_level)
    early_config.called_at_import = collections.defaultdict(set, {None: taken()})


def taken():
    """Take the names of the functions that were called so far, while mutmut asks which test calls which function."""
    if mutant() != "stats":
        return set()
    from mutmut.state import state

    called = set(state()._stats)
    state()._stats.clear()
    return called


def pytest_configure(config):
    # mutmut gives thousands of tests by name, which pytest would look up one by one
    config.wanted = {one: number for number, one in enumerate(one for one in config.args if "::" in one)}
    if config.wanted:
        config.args = sorted({one.partition("[")[0] for one in config.args})


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    if isinstance(collector, pytest.Module):
        collector.config.called_at_import[collector.path] |= taken()
    return report


def pytest_collection_modifyitems(config, items):
    """Run one row of every table first, then the second rows, and so on."""
    if not config.wanted:
        return
    seen = collections.Counter()
    for item in items:
        item.row = seen[item.function]
        seen[item.function] += 1
    found = [item for item in items if item.nodeid in config.wanted]
    items[:] = sorted(found, key=lambda item: (item.row, config.wanted[item.nodeid]))


def run(result):
    async def awaited(coroutine):
        return await coroutine

    return asyncio.run(awaited(result)) if inspect.iscoroutine(result) else result


def pytest_runtest_protocol(item, nextitem):
    """Run a test without pytest's own work around it, which takes longer; one that fails is run again with it."""
    patch = pytest.MonkeyPatch()
    given = {**(item.callspec.params if hasattr(item, "callspec") else {}), "run": run, "monkeypatch": patch}
    named = set(item._fixtureinfo.initialnames) - AUTOUSED
    marked = {mark.name for mark in item.iter_markers()} - {"parametrize"}
    if not mutant().startswith("timeoutkit.") or named - set(given) or marked:
        return None
    item.session._setupstate.teardown_exact(nextitem)
    sys.modules["timeoutkit._toolcall"]._said.clear()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            item.function(**{name: given[name] for name in named})
    except BaseException:
        return None
    finally:
        patch.undo()
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item):
    """Count what was called when a test's module was imported as called by the test."""
    if mutant() == "stats":
        from mutmut.state import state

        called = item.config.called_at_import
        state()._stats.update(called[None], called[item.path])


def pytest_sessionfinish(session, exitstatus):
    if exitstatus == pytest.ExitCode.INTERRUPTED and session.testsfailed:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED  # a test module that cannot be imported kills as well


# -- the report ------------------------------------------------------------------------------------


def report():
    """Print the rate of each module and what survives; give the rate of all."""
    from mutmut.mutation.diff_apply import get_diff_for_mutant
    from mutmut.stats import status_by_exit_code

    total, survivors, left = collections.Counter(), [], 0
    for path in sorted(Path("mutants/timeoutkit").glob("_*.meta")):
        counts = collections.Counter()
        for name, code in json.loads(path.read_text())["exit_code_by_key"].items():
            if f"{REPLACED}__mutmut" in name:
                continue
            if code is None:
                left += 1
                continue
            killed = status_by_exit_code[code] in ("killed", "timeout")
            counts[killed] += 1
            if not killed:
                diff = get_diff_for_mutant(name, path=Path("timeoutkit") / path.name.removesuffix(".meta"))
                changed = [line for line in diff.splitlines()[2:] if line[:1] in ("+", "-")]
                survivors.append("\n".join([f"{name}: {status_by_exit_code[code]}", *changed]))
        if counts:
            total.update(counts)
            print(f"{path.name.removesuffix('.py.meta'):14}{counts[True]:5} of {counts.total():4}{rate(counts):8.1f} %")
    print("", *survivors, sep="\n")
    if not left:
        RESULT.write_text(json.dumps({"killed": total[True], "survived": total[False]}))
    print(f"\n{total[True]} of {total.total()} mutants killed: {rate(total):.1f} %, at least {LEAST} %")
    return rate(total)


def rate(counts):
    return 100 * counts[True] / counts.total()


def main(arguments):
    """Run mutmut in a copy, where only what was changed is run again."""
    work = ROOT / "build" / "mutation"
    work.mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "frameworks", ".*")
            shutil.copytree(ROOT / name, work / name, dirs_exist_ok=True, ignore=ignored)
        else:
            shutil.copy2(ROOT / name, work / name)
    os.chdir(work)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    mutmut = Path(sys.executable).with_name("mutmut")
    subprocess.run([mutmut, "run", *arguments], check=True, env=environment)
    return report() < LEAST


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
