"""Frameworks cache what they read of a function; a wrapper is never taken for its function."""

import itertools

import pytest
from matrix.here import FRAMEWORK, call
from matrix.tools import KINDS, RECEIVED, decorated


@pytest.mark.parametrize("kind", FRAMEWORK.kinds)
@pytest.mark.parametrize("order", [*itertools.permutations(("itself", "short", "long"))], ids="-".join)
def test_a_function_and_its_wrappers(kind, order):
    """A function and two wrappers of it keep their own schema and behaviour, in whatever order they are registered."""
    function = KINDS[kind]()
    tools = {"itself": function, "short": decorated(function, max=60), "long": decorated(function, max="2h")}
    expected = {"itself": ("", 5400), "short": ("at most 60;", 60), "long": ("at most 7200;", 5400)}
    for _ in range(2):
        for name in order:
            schema, _ = call(tools[name], timeout=5400)
            words, received = expected[name]
            stated = str(schema["properties"]["timeout"])
            assert RECEIVED == [received]
            assert words in stated
            assert ("at most" in stated) == bool(words)
