"""What a model writes, what the function receives, and what the model reads of it."""

import pytest
from matrix.here import FRAMEWORK, call
from matrix.tools import KINDS, RECEIVED, decorated

VALUES = [
    # what the model writes, what the function receives, whether a note is due
    ({}, 120, False),
    ({"timeout": 30}, 30, False),
    ({"timeout": 90000}, 90, True),
    ({"timeout": 0}, 120, True),
    ({"timeout": -5}, 120, True),
    ({"timeout": "30s"}, 30, False),
    ({"timeout": "30"}, 30, False),
    ({"timeout": 7200}, 600, True),
    ({"timeout": None}, 120, False),
]


@pytest.mark.parametrize("kind", FRAMEWORK.kinds)
@pytest.mark.parametrize(("written", "received", "noted"), VALUES, ids=repr)
def test_a_raw_value(kind, written, received, noted):
    """The function receives what the rules make of the value, and the model reads a note exactly when one is due."""
    _, text = call(decorated(KINDS[kind]()), **written)
    assert (RECEIVED, [type(value) for value in RECEIVED]) == ([received], [int])
    assert text.startswith("ran")
    assert (f'[timeoutkit] "timeout": {received} was used.' in text) == noted


@pytest.mark.parametrize("kind", FRAMEWORK.kinds)
def test_a_value_in_range_leaves_the_result_alone(kind):
    """Without a correction, the model reads what the undecorated function gives."""
    assert call(decorated(KINDS[kind]()), timeout=30)[1] == call(KINDS[kind](), timeout=30)[1]


@pytest.mark.parametrize("kind", [kind for kind in FRAMEWORK.kinds if kind in ("sync", "async")])
def test_a_mapping_as_result(kind):
    """In a mapping the note is a key of its own, beside what was there."""
    _, text = call(decorated(KINDS[kind]({"output": "ran"})), timeout=90000)
    assert "ran" in text
    assert text.count("timeout_note") == text.count("90 was used") == 1
