"""Run the tests of the agent frameworks, each in an environment of its own.

    python tests/frameworks/run.py                    all of them
    python tests/frameworks/run.py mcp langchain      some
    python tests/frameworks/run.py --write-docs       write the pages of the documentation

Environments are made with uv, from the newest releases, and kept in .frameworks/ until their requirements change.
"""

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from install import page as install_page
from matrix import page as decorator_page
from matrix.environments import CACHE, Environment, uv
from matrix.table import FRAMEWORKS, OTHERS

TESTS = Path(__file__).parent
ALL = FRAMEWORKS | OTHERS


class Outcome(NamedTuple):
    """What came of one framework."""

    name: str
    version: str
    passed: int
    failed: int
    seconds_to_install: float
    seconds_to_test: float
    output: str
    """Of what went wrong."""


def main() -> int:
    """Run what was asked for; 1 if anything falls short."""
    options = _options()
    if options.list:
        print("\n".join(f"{name:18}{', '.join(one.packages)}" for name, one in ALL.items()))
        return 0
    if options.write_docs:
        for one in (decorator_page, install_page):
            one.PAGE.write_text(one.page())
        return 0
    uv()
    names = list(dict.fromkeys(options.framework)) or list(ALL)
    with ThreadPoolExecutor(options.jobs) as pool:
        started = [pool.submit(_outcome, name, options.python, options.fresh) for name in names]
        for number, one in enumerate(as_completed(started), 1):
            _report(one.result(), number, len(names))
    outcomes = [one.result() for one in started]
    _print_table(outcomes)
    return 1 if any(one.failed or not one.passed for one in outcomes) else 0


def _options() -> argparse.Namespace:
    summary, _, usage = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="run.py", description=summary, epilog=usage, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("framework", nargs="*", metavar="FRAMEWORK", help="a name out of --list; all if none is given")
    parser.add_argument("--list", action="store_true", help="list the frameworks and what is installed for each")
    parser.add_argument("--fresh", action="store_true", help="make the environments anew, from the newest releases")
    parser.add_argument("--python", default="3.11", metavar="VERSION", help="the Python to use (3.11)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="environments at a time (2)")
    parser.add_argument(
        "--write-docs", action="store_true", help="write docs/frameworks.md and docs/install.md, and end"
    )
    options = parser.parse_args()
    unknown = [name for name in options.framework if name not in ALL]
    if unknown:
        parser.error(f"no framework is named {unknown[0]}: choose from {', '.join(ALL)}")
    return options


def _outcome(name: str, python: str, fresh: bool) -> Outcome:
    environment = Environment(name, ALL[name], python)
    begun = time.monotonic()
    try:
        environment.prepare(fresh)
    except subprocess.CalledProcessError as error:
        return Outcome(name, "", 0, 1, time.monotonic() - begun, 0, error.stdout)
    installed = time.monotonic()
    report = CACHE / f"{name}.xml"
    report.unlink(missing_ok=True)
    output = environment.test(TESTS, report)
    passed, failed = _counted(report)
    times = installed - begun, time.monotonic() - installed
    return Outcome(name, environment.version(), passed, failed, *times, output if failed else "")


def _counted(report: Path) -> tuple[int, int]:
    """Count the tests that passed and that did not; a run that left no report is one that did not."""
    if not report.exists():
        return 0, 1
    suite = ElementTree.parse(report).getroot().find("testsuite")
    total, skipped, *short = (int(suite.get(name)) for name in ("tests", "skipped", "failures", "errors"))
    return total - skipped - sum(short), sum(short) or int(total == 0)


def _report(outcome: Outcome, number: int, total: int) -> None:
    if outcome.failed:
        print(outcome.output)
    verdict = f"{outcome.failed} failed" if outcome.failed else f"{outcome.passed} passed"
    print(
        f"[{number:2}/{total}] {outcome.name:18} {verdict:>10}   "
        f"installed in {outcome.seconds_to_install:.1f} s, tested in {outcome.seconds_to_test:.1f} s",
        flush=True,
    )


def _print_table(outcomes: list[Outcome]) -> None:
    print(f"\n{'framework':18} {'version':>12} {'passed':>7} {'failed':>7}")
    for one in outcomes:
        print(f"{one.name:18} {one.version:>12} {one.passed:7} {one.failed:7}")
    passed, failed = (sum(getattr(one, name) for one in outcomes) for name in ("passed", "failed"))
    print(f"\n{passed} passed, {failed} failed")


if __name__ == "__main__":
    sys.exit(main())
