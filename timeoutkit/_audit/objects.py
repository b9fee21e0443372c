"""Objects out of a JSON text of any length, in bounded memory: the largest that can be read whole."""

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

MOST = 8 << 20
"""Bytes of one line or one object that is read whole; a larger one is read in parts."""
_LONGEST_TEXT = MOST // 4
_DEEPEST = 100
LINE_KEY = "timeoutkit:line"
"""Stands for the line where an object begins, in one that was taken out of a larger text."""

_BETWEEN = re.compile(rb'(?:[^"{}\[\]]++|"(?:[^"\\\n]++|\\.)*+")*+', re.DOTALL)
"""Runs up to a bracket, or to a text that does not end; it matches anywhere."""
_IN_TEXT = re.compile(rb"(?:[^\"\\\n]++|\\.)*+", re.DOTALL)
_SPACE = re.compile(rb"\s*")
_QUOTE, _BACKSLASH, _NEW_LINE = b'"\\\n'
_OPENING, _CLOSING = b"{[", b"}]"
Found = tuple[int, bytes]
"""An object, and the line where it begins."""


@dataclass(slots=True)
class _Open:
    """An object, or a list, that is not closed yet."""

    start: int
    line: int
    is_object: bool
    inside: list[tuple[int, int, int]] = field(default_factory=list)
    """Line, start and end of each object in it that is closed."""


class Objects:
    """Takes the objects out of a text that comes in pieces: the largest that can be read whole.

    Args:
        line: of the text's first line, where each object is to say on which it begins; `None` for a single line.
    """

    def __init__(self, line: int | None = None) -> None:
        self.line = line
        self.broken: list[int] = []
        """The lines where the text could not go on as it did."""
        self._data = b""
        self._position = 0
        self._copied = 0
        """What lies between this and the position belongs to the kept text, but was not copied there yet."""
        self._kept = bytearray()
        self._open: list[_Open] = []
        self._given_up = 0
        """How many are open around those that are kept: too large, or too deep, to be read whole."""
        self._skips_text = False

    def feed(self, piece: bytes) -> Iterator[Found]:
        """Take one more piece of the text, and give the objects that end in it."""
        self._data = self._data[self._position :] + piece
        self._position = self._copied = 0
        waits = False
        while self._position < len(self._data) and not waits:
            if self._skips_text:
                waits = self._skip()
            elif not self._open and not self._given_up:
                self._find()
            else:
                yield from self._walk()
                waits = yield from self._meet()
        self._copy()
        while self._open and len(self._kept) > MOST:
            yield from self._give_up()

    def finish(self) -> Iterator[Found]:
        """Give the objects that stand in others that were never closed."""
        if self._open or self._given_up:
            yield from self._resume()

    def _find(self) -> None:
        """Go to the next object, past any text around it."""
        found = self._data.find(b"{", self._position)
        end = len(self._data) if found < 0 else found
        self._count(self._position, end)
        self._position = self._copied = end
        if found >= 0:
            self._enter(end)

    def _walk(self) -> Iterator[Found]:
        """Go on from bracket to bracket, up to a text that does not end here, or to the end of everything."""
        data, match = self._data, _BETWEEN.match
        while self._open or self._given_up:
            found = match(data, self._position)
            end = found.end() if found else self._position
            if self.line is not None:
                self._count(self._position, end)
            self._position = end
            mark = data[end] if end < len(data) else _QUOTE
            if mark in _OPENING:
                self._enter(end)
                if len(self._open) > _DEEPEST:
                    self._copy()
                    yield from self._give_up()
            elif mark in _CLOSING:
                yield from self._leave(end)
            else:
                return

    def _meet(self) -> Generator[Found, None, bool]:
        """Treat a text that has no end yet: wait for it, skip it, or see that it has none."""
        start, size = self._position, len(self._data)
        if start == size or not (self._open or self._given_up):
            return False
        found = _IN_TEXT.match(self._data, start + 1)
        end = found.end() if found else size
        if end < size and self._data[end] == _NEW_LINE:
            yield from self._resume()
            self._position = self._copied = end
            return False
        self._copy()
        if size - start <= _LONGEST_TEXT:
            return True
        self._skips_text = True
        if self._open:
            self._kept += b'"...'
        self._position = self._copied = start + 1
        return False

    def _skip(self) -> bool:
        """Skip a long text; tell whether its end has yet to come."""
        found = _IN_TEXT.match(self._data, self._position)
        end = found.end() if found else self._position
        self._position = self._copied = end
        if end == len(self._data) or self._data[end] == _BACKSLASH:
            return True
        self._skips_text = False
        if self._open:
            self._kept += b'"'
        self._position = self._copied = end + (self._data[end] == _QUOTE)
        return False

    def _count(self, start: int, end: int) -> None:
        if self.line is not None:
            self.line += self._data.count(b"\n", start, end)

    def _copy(self) -> None:
        if self._open:
            self._kept += self._data[self._copied : self._position]
        self._copied = self._position

    def _enter(self, end: int) -> None:
        if not self._open:
            self._copied = end
        start = len(self._kept) + end - self._copied
        self._open.append(_Open(start, self.line or 0, self._data[end] == _OPENING[0]))
        self._position = end + 1

    def _leave(self, end: int) -> Iterator[Found]:
        if not self._open:
            self._given_up -= 1
            self._position = self._copied = end + 1
            return
        left = self._open.pop()
        if left.is_object and self.line is not None:
            self._mark(left)
        self._position = end + 1
        stop = len(self._kept) + self._position - self._copied
        inside = [(left.line, left.start, stop)] if left.is_object else left.inside
        if self._open:
            self._open[-1].inside.extend(inside)
            return
        self._kept += self._data[self._copied : self._position]
        self._copied = self._position
        yield from self._texts(inside)
        self._kept.clear()

    def _mark(self, left: _Open) -> None:
        """Let an object say on which line it begins."""
        self._kept += self._data[self._copied : self._position]
        self._copied = self._position
        found = _SPACE.match(self._kept, left.start + 1)
        is_empty = found is not None and found.end() == len(self._kept)
        self._kept += b'%s"%s":%d' % (b"" if is_empty else b",", LINE_KEY.encode(), left.line)

    def _texts(self, inside: list[tuple[int, int, int]]) -> Iterator[Found]:
        for line, start, end in inside:
            yield line, bytes(self._kept[start:end])

    def _give_up(self) -> Iterator[Found]:
        """Let go of the outermost, which cannot be read whole, and keep what is in it."""
        outermost = self._open.pop(0)
        self._given_up += 1
        yield from self._texts(outermost.inside)
        base = self._open[0].start if self._open else len(self._kept)
        del self._kept[:base]
        for one in self._open:
            one.start -= base
            one.inside = [(line, start - base, end - base) for line, start, end in one.inside]

    def _resume(self) -> Iterator[Found]:
        """Give what is complete in a text that is not, and begin anew."""
        self._copy()
        self.broken.append(self.line or 0)
        for one in self._open:
            yield from self._texts(one.inside)
        self._open.clear()
        self._kept.clear()
        self._given_up = 0
