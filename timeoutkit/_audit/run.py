"""Runs an audit over the logs that a user names, and shows how far it is."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

from timeoutkit._audit.audit import Audit
from timeoutkit._audit.logs import READ_ERRORS, STANDARD_INPUT, USUAL_PLACES, Log, logs_at, opened
from timeoutkit._audit.records import DAMAGED

_LONG = 64 << 20
"""Bytes from which on it is worth showing how far it is."""


class Found:
    """The logs at some paths.

    Args:
        paths: files, folders or `-`; none: wherever the usual agents keep their logs.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self.logs: list[Log] = []
        self.others: list[str] = []
        """Files of a folder that are no logs by their name."""
        self.missing: list[str] = []
        """What cannot be looked at, each with the reason."""
        self.places: list[str] = []
        """What was found at each of the usual places."""
        for path in paths:
            self._look(path)
        if not paths:
            self._look_at_usual_places()

    def _look(self, path: str) -> int:
        try:
            logs, others = logs_at(path)
        except OSError as error:
            self.missing.append(f"{path}: {error.strerror}")
            return 0
        self.logs += logs
        self.others += others
        return len(logs)

    def _look_at_usual_places(self) -> None:
        for place in USUAL_PLACES:
            path = Path(place).expanduser()
            number = self._look(str(path)) if path.is_dir() else None
            self.places.append(
                f"{place}: " + ("not there" if number is None else f"{number:,} {'log' if number == 1 else 'logs'}")
            )


OnRead = Callable[[int], object]
"""Is told how many bytes were read."""


def read_all(audit: Audit, logs: Iterable[Log], on_read: OnRead) -> Iterator[str]:
    """Read every log, and give the path of each that cannot be opened."""
    for log in logs:
        try:
            with opened(log, on_read) as stream:
                audit.read(log.name, stream)
        except READ_ERRORS as error:
            reason = error.strerror if isinstance(error, OSError) else None
            audit.note(log.name, reason or DAMAGED)
            if reason:
                yield log.path


@contextmanager
def progress(logs: Iterable[Log]) -> Generator[OnRead]:
    """Show on a terminal how much is read, where that takes long."""
    console = Console(stderr=True)
    endless = any(log.path == STANDARD_INPUT for log in logs)
    total = sum(log.size for log in logs)
    if not console.is_terminal or (total < _LONG and not endless):
        yield bool
        return
    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None if endless else total)
        yield lambda number: bar.advance(task, number)
