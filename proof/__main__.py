"""`python -m proof`: show what holds, each figure beside its bar."""

import argparse
import json
import platform
import sys

from rich.console import Console

from proof.claims import FULL, QUICK, Claim
from proof.commands import console as progress
from proof.parts import PARTS, shown, skipped
from proof.table import line, show


def main(argv: list[str] | None = None) -> int:
    """Run the proof, and give 1 where something does not hold."""
    options = _options(argv)
    names = [name for name in PARTS if name in (options.part or PARTS)]
    claims: dict[str, list[Claim]] = skipped(names)
    for name in names:
        progress.rule(name, align="left", style="dim")
        claims[name] = []
        for claim in shown(name, QUICK if options.quick else FULL):
            claims[name].append(claim)
            progress.print(line(claim))
    if options.json:
        print(json.dumps(_as_data(claims), indent=2))
    else:
        console = Console(width=None if sys.stdout.isatty() else 140)
        console.print(f"\nPython {platform.python_version()}{', quick' if options.quick else ''}", style="dim")
        show(claims, console)
    return int(any(claim.holds is False for part in claims.values() for claim in part))


def _options(argv: list[str] | None) -> argparse.Namespace:
    told = "\n".join(f"  {name:<12}{about}" for name, about in PARTS.items())
    parser = argparse.ArgumentParser(
        prog="python -m proof",
        description="Show what is promised: each figure beside its bar. Exit code 1 where one does not hold.",
        epilog=f"parts:\n{told}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("part", nargs="*", metavar="PART", help="run these only (default: all)")
    parser.add_argument("--quick", action="store_true", help="run less of each, in some four minutes")
    parser.add_argument("--json", action="store_true", help="print data instead of the table")
    options = parser.parse_args(argv)
    for name in options.part:
        if name not in PARTS:
            parser.error(f"there is no part {name!r}: write some of {', '.join(PARTS)}")
    return options


def _as_data(claims: dict[str, list[Claim]]) -> dict[str, list[dict[str, object]]]:
    return {name: [claim._asdict() for claim in claims[name]] for name in PARTS}


if __name__ == "__main__":
    sys.exit(main())
