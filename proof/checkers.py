"""Part 4: what the type checkers say."""

import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from proof.claims import Claim, Effort
from proof.commands import python

_FOUND = re.compile(r"^(?:Found )?(\d+) errors?\b|^Success: (no issues) found in (\d+ source files)", re.MULTILINE)

_KNOWN = re.compile(r"Symbols exported by .*: (\d+)\n\s*With known type: (\d+)")
_SCORE = re.compile(r"Type completeness score: (\S+)")


def prove(_effort: Effort) -> Iterator[Claim]:
    """Run each, and read its figure."""
    for name, options in (("mypy", ()), ("pyright", ("--pythonpath", sys.executable))):
        done = python("-m", name, *options, what=name)
        yield Claim(f"{name} (strict where it can be) finds nothing", found(done.text), "no error", done.ok)
    yield _complete()


def found(text: str) -> str:
    """Give the count that a checker ends with."""
    last = list(_FOUND.finditer(text))[-1:]
    return "no outcome" if not last else f"no error in {last[0][3]}" if last[0][2] else f"{last[0][1]} errors"


def _complete() -> Claim:
    with tempfile.TemporaryDirectory() as folder:
        # a checkout that is installed in place is no typed package to pyright
        site = Path(folder, "site")
        installed = ("-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", site, ".")
        python(*installed, what="install the package")
        command = ("-m", "pyright", "--verifytypes", "timeoutkit", "--ignoreexternal")
        done = python(*command, what="how complete the types are", cwd=Path(folder), env={"PYTHONPATH": str(site)})
    known, score = _KNOWN.search(done.text), _SCORE.search(done.text)
    figure = f"{score[1]}, {known[2]} of {known[1]} exported symbols" if known and score else "no outcome"
    return Claim("the public types are complete (pyright --verifytypes)", figure, "100%", done.ok)
