"""Tools for the tests of code that uses timeoutkit."""

from timeoutkit._correction import capture_corrections

__all__ = ["capture_corrections"]
