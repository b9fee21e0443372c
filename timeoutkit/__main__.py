"""The door of the command line: it answers for what a shell can do to a program."""

import os
import sys
from collections.abc import Callable, Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command of `timeoutkit`, and give its exit code."""
    try:
        done = _run(argv)
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    except BrokenPipeError:
        # what is still in the buffer has to go somewhere when the interpreter ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return done() if callable(done) else done  # a program of somebody's answers for itself


def _run(argv: Sequence[str] | None) -> int | Callable[[], int]:
    try:
        from timeoutkit._cli import run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "rich":
            raise
        print('timeoutkit: the command line needs rich: pip install "timeoutkit[cli]"', file=sys.stderr)
        return 2
    try:
        return run(argv)
    finally:
        print(end="", flush=True)  # a pipe closed by its reader is to be noticed here


if __name__ == "__main__":
    sys.exit(main())
