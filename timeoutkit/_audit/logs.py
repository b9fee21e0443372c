"""The log files themselves: where they are, and how they are opened."""

import gzip
import os
import stat
import sys
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, Any, NamedTuple

USUAL_PLACES = ("~/.claude/projects", "~/.codex/sessions", "~/.pi/agent/sessions")
"""Where the usual agents keep their logs."""
SUFFIXES = (".json", ".jsonl", ".ndjson", ".log", ".txt", ".gz")
"""Of the files that are read in a folder; a file that is named itself may have any."""
READ_ERRORS = (OSError, EOFError, zlib.error)
"""What reading an opened log may raise."""
STANDARD_INPUT = "-"
_BUFFER = 1 << 16
_GZIP = b"\x1f\x8b"


class Log(NamedTuple):
    """One log to be read."""

    name: str
    """As it is shown, with `~` for the home directory."""
    path: str
    size: int


def logs_at(path: str) -> tuple[list[Log], list[str]]:
    """List the logs at a path, and the files of a folder that are none by their name.

    Raises:
        OSError: where there is nothing at the path, or it cannot be looked at.
    """
    if path == STANDARD_INPUT:
        return [Log("standard input", path, 0)], []
    place = Path(path)
    size = place.stat().st_size
    if not place.is_dir():
        return [Log(_shown(path), path, size)], []
    next(place.iterdir(), None)  # a folder that cannot be looked at is an error; one further down is passed by
    files = list(_files_below(path))
    logs = [Log(_shown(file), file, size) for file, size in files if file.lower().endswith(SUFFIXES)]
    return logs, [_shown(file) for file, _ in files if not file.lower().endswith(SUFFIXES)]


def _files_below(folder: str) -> Iterator[tuple[str, int]]:
    for parent, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = Path(parent, name)
            try:
                found = path.stat()
            except OSError:  # it vanished, or is a broken link: opening it will say so
                yield str(path), 0
                continue
            if stat.S_ISREG(found.st_mode):  # a pipe would wait for its writer
                yield str(path), found.st_size


def _shown(path: str) -> str:
    home = str(Path.home())
    return f"~{path[len(home) :]}" if path.startswith(home + os.sep) else path


class _Counted(RawIOBase):
    """A file that tells how much of it is read."""

    def __init__(self, file: IO[bytes], on_read: Callable[[int], object]) -> None:
        self._file: Any = file
        self._on_read = on_read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        number = int(self._file.readinto(buffer) or 0)
        self._on_read(number)
        return number


@contextmanager
def opened(log: Log, on_read: Callable[[int], object] = bool) -> Generator[Any]:
    """Open a log, decompressed if need be; `on_read` is told how many bytes of the file were read.

    Raises:
        OSError: where it cannot be opened.
    """
    if log.path == STANDARD_INPUT:
        yield _unpacked(_Counted(sys.stdin.buffer, on_read))
        return
    with Path(log.path).open("rb", buffering=0) as file:
        yield _unpacked(_Counted(file, on_read))


def _unpacked(file: _Counted) -> Any:
    stream: Any = BufferedReader(file, _BUFFER)
    if not stream.peek(2).startswith(_GZIP):
        return stream
    return BufferedReader(gzip.GzipFile(fileobj=stream), _BUFFER)
