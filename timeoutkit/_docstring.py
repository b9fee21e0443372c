"""The contract inside a docstring: in the parameter's own entry, the rest of the text as it stands."""

import re
from typing import NamedTuple

from timeoutkit._policy import followed_by

_GOOGLE_SECTION = re.compile(r"[ \t]*(?:(?:Keyword |Other )?(?:Args|Arguments|Parameters|Params)):[ \t]*$")
_NUMPY_SECTION = re.compile(r"[ \t]*(?:Other )?Parameters[ \t]*$")
_NUMPY_UNDERLINE = re.compile(r"[ \t]*-{3,}[ \t]*$")
_SPHINX_ENTRY = re.compile(r"[ \t]*:(?:param|parameter|arg|argument|key|keyword)\b([^:]*):")

_ENTRY_NAME = re.compile(r"[ \t]*:?[^:]*:")
"""What comes before the words of an entry, where they start on its own line."""


class _Place(NamedTuple):
    """Where the contract goes: into the entry at `header`, or as `entry` after the line `last`."""

    header: int | None
    last: int
    entry: list[str]


def with_contract(doc: str | None, param: str, contract: str) -> str:
    r"""Add the contract to the entry of `param` in a Google, NumPy or Sphinx docstring.

    A section without that entry gains one; a docstring without a section gains a last line.

    >>> print(with_contract("Run.\n\nArgs:\n    timeout: how long", "timeout", "Timeout in seconds."))
    Run.
    <BLANKLINE>
    Args:
        timeout: how long. Timeout in seconds.
    """
    if not doc or not doc.strip():
        return f"{param}: {contract}"
    lines = doc.split("\n")
    place = (
        _in_google(lines, param, contract) or _in_numpy(lines, param, contract) or _in_sphinx(lines, param, contract)
    )
    if place is None:
        return _with_last_line(doc, lines, f"{param}: {contract}")
    if place.header is None:
        lines[place.last + 1 : place.last + 1] = place.entry
    else:
        _amend(lines, place.header, contract)
    return "\n".join(lines)


def words_of(doc: str | None, param: str) -> str:
    r"""Give what a docstring says of a parameter, nothing where it has no entry for it.

    >>> words_of("Run.\n\nArgs:\n    timeout (int): how long\n        to wait", "timeout")
    'how long to wait'
    """
    lines = (doc or "").split("\n")
    place = _in_google(lines, param, "") or _in_numpy(lines, param, "") or _in_sphinx(lines, param, "")
    if place is None or place.header is None:
        return ""
    first = lines[place.header]
    said = [_ENTRY_NAME.sub("", first, count=1)] if _is_described(first) else []
    said += lines[place.header + 1 : _end(lines, place.header) + 1]
    return " ".join(line.strip() for line in said if line.strip())


def _in_google(lines: list[str], param: str, contract: str) -> _Place | None:
    for start, line in enumerate(lines):
        if not _GOOGLE_SECTION.match(line) or (last := _end(lines, start)) == start:
            continue
        inner = _indent(next(line for line in lines[start + 1 :] if line.strip()))
        entry = re.compile(rf"{inner}{re.escape(param)}[ \t]*(?:\([^)]*\))?[ \t]*:")
        header = _first(lines, entry, start + 1, last)
        return _Place(header, last, [f"{inner}{param}: {contract}"])
    return None


def _in_numpy(lines: list[str], param: str, contract: str) -> _Place | None:
    underlines = [number for number, line in enumerate(lines) if _NUMPY_UNDERLINE.match(line)]
    for position, underline in enumerate(underlines):
        if not underline or not _NUMPY_SECTION.match(lines[underline - 1]):
            continue
        margin = _indent(lines[underline])
        following = underlines[position + 1 : position + 2]
        last = _last_text(lines, following[0] - 2 if following else len(lines) - 1)
        entry = re.compile(rf"{margin}{re.escape(param)}[ \t]*(?::.*)?$")
        header = _first(lines, entry, underline + 1, last)
        return _Place(header, last, [f"{margin}{param}", f"{margin}    {contract}"])
    return None


def _in_sphinx(lines: list[str], param: str, contract: str) -> _Place | None:
    entries = [(number, found[1].split()) for number, line in enumerate(lines) if (found := _SPHINX_ENTRY.match(line))]
    if not entries:
        return None
    header = next((number for number, words in entries if words and words[-1] == param), None)
    last = entries[-1][0]
    return _Place(header, _end(lines, last), [f"{_indent(lines[last])}:param {param}: {contract}"])


def _amend(lines: list[str], header: int, contract: str) -> None:
    """Add the contract after the last words of an entry."""
    last = _end(lines, header)
    text = lines[last].rstrip()
    if last == header and not _is_described(text):
        lines.insert(header + 1, f"{_indent(text)}    {contract}")
    else:
        lines[last] = followed_by(text, contract)


def _is_described(header: str) -> bool:
    """Tell whether the description starts on the entry's own line, as it does but in the NumPy style."""
    return ":" in header and not re.fullmatch(r"[ \t]*\w+[ \t]+:.*|[ \t]*\w+", header)


def _first(lines: list[str], entry: re.Pattern[str], start: int, last: int) -> int | None:
    return next((number for number in range(start, last + 1) if entry.match(lines[number])), None)


def _end(lines: list[str], header: int) -> int:
    """Find the last line with text of the block that is indented below `header`."""
    depth, last = len(_indent(lines[header])), header
    for number in range(header + 1, len(lines)):
        if lines[number].strip():
            if len(_indent(lines[number])) <= depth:
                break
            last = number
    return last


def _last_text(lines: list[str], last: int) -> int:
    while last > 0 and not lines[last].strip():
        last -= 1
    return last


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _with_last_line(doc: str, lines: list[str], line: str) -> str:
    body = doc.rstrip()
    margin = min((_indent(line) for line in lines[1:] if line.strip()), key=len, default="")
    return f"{body}\n\n{margin}{line}{doc[len(body) :]}"
