"""JSON out of bytes: the values that stand in a log, however long, broken or deep it is, in bounded memory."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, Protocol

from timeoutkit._audit.objects import MOST, Objects
from timeoutkit._audit.search import finder

_CHUNK = 1 << 20


class Stream(Protocol):
    """What a log is read from."""

    def readline(self, size: int, /) -> bytes:
        """Read to the end of the line, or as many bytes."""
        ...

    def read1(self, size: int, /) -> bytes:
        """Read at most as many bytes, those that are there; none at the end."""
        ...

    def peek(self, size: int, /) -> bytes:
        """Look at what comes next."""
        ...


class Record(NamedTuple):
    """One JSON value of a log."""

    line: int
    value: Any


# -- one value -------------------------------------------------------------------------------------

_fast: Callable[[bytes | str], Any] | None = None


def parse(text: bytes | str) -> Any:
    """Read one JSON value, what is not UTF-8 in it replaced.

    Raises:
        ValueError: where it is none; `RecursionError` where it is too deep.
    """
    try:
        return (_fast or _load_fast())(text)
    except ValueError:  # orjson takes neither NaN nor a lone surrogate
        decoded = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        return json.loads(decoded, parse_int=_whole)


def _load_fast() -> Callable[[bytes | str], Any]:
    global _fast
    try:
        from orjson import loads
    except ImportError:
        loads = partial(json.loads, parse_int=_whole)
    _fast = loads
    return loads


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < 400 else float(digits)


def _parsed(text: bytes) -> list[Any]:
    """Read a value, none where there is none to read."""
    try:
        return [parse(text)]
    except (ValueError, RecursionError):
        return []


# -- a log -----------------------------------------------------------------------------------------

BROKEN = "broken"
PARTS = "in parts"
TEXT = "not JSON"
RECODED = "not UTF-8"
BINARY = "binary"
DAMAGED = "damaged"

_BRACE, _CLOSING_BRACE = b"{}"
_LOOKED_AT = 8192
_OPENERS = (b"[", b"{", b",")
"""No JSON value ends so: a first line that does is the first of many."""


class Problem(NamedTuple):
    """A kind of problem in one log: how often it was met, and on which lines first and last."""

    times: int
    first: int
    last: int


class Reader:
    """Reads the values of one log, and keeps account of what it met.

    Args:
        hint: bytes without which no value is wanted; looked for first, as that is fast.
        wanted: what is found in a line, or in an object of a larger text, that is worth parsing.
    """

    def __init__(self, hint: bytes, wanted: re.Pattern[bytes]) -> None:
        self._hint = hint
        self._wanted = wanted
        self.lines = 0
        self.parsed = 0
        """The lines that were parsed; of a text of many lines, the objects."""
        self.problems: dict[str, Problem] = {}

    def note(self, kind: str, line: int = 0) -> None:
        """Count a problem, once a line."""
        line = line or self.lines
        known = self.problems.setdefault(kind, Problem(0, line, 0))
        if known.last != line or not line:
            self.problems[kind] = Problem(known.times + 1, known.first, line)

    def read(self, stream: Stream) -> Iterator[Record]:
        """Give the values of a stream that are wanted, each with its line; raise only what the stream raises."""
        if b"\0" in stream.peek(_CHUNK)[:_LOOKED_AT]:
            self.note(BINARY)
            return
        first = stream.readline(MOST).removeprefix(b"\xef\xbb\xbf")
        if first.rstrip()[-1:] in _OPENERS:
            yield from self._read_text(chain([first], iter(partial(stream.read1, _CHUNK), b"")))
        else:
            yield from self._read_line(first, stream)
            yield from self._read_lines(stream)

    def _read_lines(self, stream: Stream) -> Iterator[Record]:
        """Read in chunks: what lies between two calls is only looked through, not cut into lines."""
        rest = b""
        for chunk in iter(partial(stream.read1, _CHUNK), b""):
            start = 0
            if rest:
                start = chunk.find(b"\n") + 1
                if not start and len(rest) < MOST:
                    rest += chunk
                    continue
                start = start or len(chunk)
                yield from self._read_line(rest + chunk[:start], stream)
            end = max(chunk.rfind(b"\n") + 1, start)
            yield from self._look_through(chunk, start, end)
            rest = chunk[end:]
        if rest:
            yield from self._read_line(rest, stream)

    def _look_through(self, chunk: bytes, start: int, end: int) -> Iterator[Record]:
        find, wanted = finder(chunk, self._hint), self._wanted.search
        hit, line = find(start, end), self.lines
        while start < end:
            stop = chunk.find(b"\n", start)
            line += 1
            if start <= hit < stop:
                if wanted(chunk, hit, stop):
                    self.lines = line
                    yield from self._parse(chunk[start:stop])
                hit = find(stop, end)
            elif chunk[stop - 1] != _CLOSING_BRACE or chunk[start] != _BRACE:
                self.lines = line
                self._check_ends(chunk[start:stop])
            start = stop + 1
        self.lines = line

    def _read_line(self, line: bytes, stream: Stream) -> Iterator[Record]:
        """Read a line by itself, as far as it is here."""
        self.lines += bool(line)
        if len(line) >= MOST and line[-1:] != b"\n":
            self.parsed += 1
            yield from self._salvage(self._rest_of_line(line, stream))
        elif self._is_wanted(line):
            yield from self._parse(line)
        else:
            self._check_ends(line)

    def _is_wanted(self, text: bytes) -> bool:
        return self._hint in text and self._wanted.search(text) is not None

    def _parse(self, line: bytes) -> Iterable[Record]:
        self.parsed += 1
        try:
            return [Record(self.lines, (_fast or _load_fast())(line))]
        except (ValueError, RecursionError):
            return self._read_leniently(line)

    def _read_leniently(self, line: bytes) -> Iterator[Record]:
        values = _parsed(line)
        if values:
            self._check_text(line)
            yield Record(self.lines, values[0])
        else:
            yield from self._salvage([line])

    def _check_text(self, line: bytes) -> None:
        try:
            line.decode()
        except ValueError:
            self.note(RECODED)

    def _check_ends(self, line: bytes) -> None:
        """Find a line that was cut off, or is no JSON, without parsing it."""
        text = line.strip()
        opens, closes = text[:1] in (b"{", b"["), text[-1:] in (b"}", b"]")
        if text and opens != closes and text.count(b"{") != text.count(b"}"):
            self.note(BROKEN)
        elif text and not closes:
            self.note(TEXT)

    def _rest_of_line(self, start: bytes, stream: Stream) -> Iterator[bytes]:
        yield start
        for part in iter(partial(stream.readline, _CHUNK), b""):
            yield part
            if part.endswith(b"\n"):
                break

    def _salvage(self, parts: Iterable[bytes]) -> Iterator[Record]:
        """Take what can be read out of a line that is no JSON value, or too long to be read whole."""
        objects, found = Objects(), 0
        starts = b""
        for part in parts:
            starts = starts or part.lstrip()[:1]
            for _, text in objects.feed(part.removesuffix(b"\n")):
                found += 1
                yield from self._value_of(self.lines, text)
        for _, text in objects.finish():
            yield from self._value_of(self.lines, text)
        if objects.broken or not found:
            self.note(BROKEN if starts in (b"{", b"[") or found else TEXT)
        elif starts in (b"{", b"["):
            self.note(PARTS)

    def _read_text(self, chunks: Iterable[bytes]) -> Iterator[Record]:
        """Read JSON that is written over many lines."""
        objects = Objects(1)
        for chunk in chunks:
            yield from self._values_of(objects.feed(chunk))
        yield from self._values_of(objects.finish())
        self.lines = objects.line or 0
        for line in objects.broken:
            self.note(BROKEN, line)

    def _values_of(self, found: Iterable[tuple[int, bytes]]) -> Iterator[Record]:
        for line, text in found:
            self.parsed += self._hint in text
            yield from self._value_of(line, text)

    def _value_of(self, line: int, text: bytes) -> Iterator[Record]:
        if not self._is_wanted(text):
            return
        values = _parsed(text)
        if values:
            yield Record(line, values[0])
        else:
            self.note(BROKEN, line)
