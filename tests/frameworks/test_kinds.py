"""Kinds of function that the framework cannot call."""

import pytest
from matrix.here import FRAMEWORK, call
from matrix.tools import KINDS, closure, decorated

IMPOSSIBLE = [kind for kind in ("sync", "async", "method") if kind not in (*FRAMEWORK.kinds, *FRAMEWORK.elsewhere)]


def outcome(tool):
    """Give what the model would read, or the kind of error that comes before that."""
    try:
        return call(tool, timeout=30)[1]
    except Exception as error:
        return type(error)


@pytest.mark.skipif(not IMPOSSIBLE, reason="it calls every kind of function")
@pytest.mark.parametrize("kind", IMPOSSIBLE)
def test_a_kind_that_cannot_be_called(kind):
    """Neither the function itself nor a closure made by hand gets through either."""
    tool = decorated(KINDS[kind]())
    assert outcome(tool) == outcome(closure(tool)) == outcome(KINDS[kind]())
    assert outcome(tool) != "ran"
