"""The command line: a parser, and a function for each command."""

import argparse
import json
import sys
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from rich.console import Console
from rich.text import Text

from timeoutkit import _demo
from timeoutkit._duration import UNITS, convert, read, short, shown, written
from timeoutkit._policy import DEFAULT_SECONDS, MAX_SECONDS, TimeoutPolicy

Commands = Any
"""What `add_subparsers` gives, whose type argparse keeps to itself."""


def run(argv: Sequence[str] | None = None) -> int:
    """Run the command that the arguments name, and give its exit code."""
    arguments = _parser().parse_args(argv)
    exit_code: int = arguments.command(arguments)
    return exit_code
