"""What `install` does for tools that are not decorated, through each framework's real loop with a scripted model."""

import asyncio
import json
import subprocess
import sys

import pytest
from install.here import (
    ERRORS,
    FRAMEWORK,
    INSTALLED,
    RECEIVED,
    RESULTS,
    converse,
    driver,
    install,
    read_of,
    tool_of,
)

from timeoutkit import TimeoutPolicy, sane_timeout

KINDS = [kind for kind in FRAMEWORK.kinds if kind in ("sync", "async")] or ["async"]
NOTE = '[timeoutkit] "timeout": {} was used. timeout is in seconds'
LIMIT = '[timeoutkit] "timeout": {} was used, and it ran out. timeout is in seconds (up to 600).'
CONTRACT = "Timeout in seconds, e.g. 30; at most 600; default 120; not milliseconds."
VALUES = [
    # what the model writes, what the function receives, whether a note is due
    ({}, 120, False),
    ({"timeout": 30}, 30, False),
    ({"timeout": 90000}, 90, True),
    ({"timeout": 0}, 120, True),
    ({"timeout": "30s"}, 30, False),
    ({"timeout": 7200}, 600, True),
    ({"timeout": None}, 120, False),
]


@pytest.fixture
def installed():
    with install() as patch:
        yield patch


def without_note(text):
    """Take the one note out of what a model reads, with what sets it apart."""
    before, mark, after = text.partition("[timeoutkit]")
    assert mark, text
    assert "[timeoutkit]" not in after, text
    return before.rstrip()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("written", "received", "noted"), VALUES, ids=repr)
def test_a_raw_value(installed, kind, written, received, noted):
    """An undecorated tool receives what the rules make of the value, and the model reads a note when one is due."""
    text = read_of(tool_of(kind), **written)
    assert (RECEIVED, [type(value) for value in RECEIVED]) == ([received], [int])
    assert (NOTE.format(received) in text) == noted
    assert "ran" in text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("result", RESULTS)
def test_the_note_stands_outside_of_the_result(kind, result):
    """Whatever a tool returns, the model reads the very same as without, and below it the note."""
    plain = read_of(tool_of(kind, RESULTS[result]), timeout=30)
    with install():
        assert read_of(tool_of(kind, RESULTS[result]), timeout=30) == plain
        noted = read_of(tool_of(kind, RESULTS[result]), timeout=90000)
    assert NOTE.format(90) in noted
    assert without_note(noted) == plain.rstrip()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("error", ERRORS)
def test_the_note_stands_in_what_is_read_of_a_failure(kind, error):
    """A tool that raises is told of as without, and below it stands the note."""
    plain = read_of(tool_of(kind, ERRORS[error]), timeout=90)
    with install():
        noted = read_of(tool_of(kind, ERRORS[error]), timeout=90000)
    assert NOTE.format(90) in noted
    assert without_note(noted) == plain.rstrip()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("error", ERRORS)
def test_a_call_that_ran_into_its_limit_says_the_limit(installed, kind, error):
    """Without a correction only what ran into its own limit is told, with what may be asked for."""
    text = read_of(tool_of(kind, ERRORS[error]), timeout=30)
    assert (LIMIT.format(30) in text) == ("limit" in error)
    assert ("[timeoutkit]" in text) == ("limit" in error)


@pytest.mark.parametrize("kind", KINDS)
def test_a_failure_goes_where_it_went(installed, kind):
    """What the framework does with a tool's exception stays as it was: told to the model, or raised."""
    if driver.FAILURES == "told":
        assert converse(tool_of(kind, ValueError("broken")), {"timeout": 90000}).texts
    else:
        with pytest.raises(Exception, match="broken"):
            converse(tool_of(kind, ValueError("broken")), {"timeout": 90000})


@pytest.mark.parametrize("kind", KINDS)
def test_the_schema_gains_the_contract(installed, kind):
    """The model is told the unit, the bounds and the default of an undecorated tool."""
    assert CONTRACT in json.dumps(converse(tool_of(kind), {}).schema)


@pytest.mark.parametrize("kind", KINDS)
def test_a_decorated_tool_keeps_its_own_policy(installed, kind):
    """It is corrected by its decorator, and there is one note."""
    tool = sane_timeout(max=3600)(tool_of(kind))
    text = read_of(tool, timeout=3600)
    assert RECEIVED == [3600]
    assert "[timeoutkit]" not in text
    text = read_of(tool, timeout=90000000)
    assert RECEIVED == [3600]
    assert text.count("[timeoutkit]") == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_policy_by_tool_name(kind):
    """`tools` says what a tool may ask, and the model is told so."""
    with install(tools={"run_shell": TimeoutPolicy(max=45)}):
        text = read_of(tool_of(kind), timeout=60)
    assert RECEIVED == [45]
    assert '"timeout": 45 was used. timeout is in seconds (up to 45).' in text


@pytest.mark.parametrize("kind", KINDS)
def test_undone_everything_is_as_before(kind):
    """The tool receives what the model wrote, reads nothing of ours, and the schema is the framework's."""
    tool = tool_of(kind)
    before = converse(tool, {"timeout": 7200})
    with install():
        converse(tool, {"timeout": 7200})
    after = converse(tool, {"timeout": 7200})
    assert RECEIVED == [7200]
    assert after == before


def test_installed_twice_is_installed_once(installed):
    """A second time changes nothing, and one undo takes it back."""
    with install():
        assert read_of(tool_of(KINDS[0]), timeout=90000).count("[timeoutkit]") == 1
    assert not installed.applied
    assert "[timeoutkit]" not in read_of(tool_of(KINDS[0]), timeout=90000)


def test_every_call_of_one_turn_has_its_own_note(installed):
    """Calls made at once are corrected each by itself."""
    texts = converse(tool_of(KINDS[0]), {"timeout": 90000}, {"timeout": 30}, {"timeout": 0}).texts
    assert sorted(RECEIVED) == [30, 90, 120]
    assert [NOTE.format(used) in text for used, text in zip((90, 30, 120), texts, strict=True)] == [True, False, True]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entry", driver.ENTRIES)
def test_every_way_to_the_tool_is_corrected(installed, kind, entry):
    """Called directly, in a batch or through a sub-agent, it is the same correction."""
    RECEIVED.clear()
    text = asyncio.run(driver.ENTRIES[entry](tool_of(kind), {"command": "ls", "timeout": 90000}))
    assert RECEIVED == [90]
    assert str(text).count("[timeoutkit]") == 1


_BEFORE = """
import timeoutkit
patch = timeoutkit.install({name!r})
assert not patch.applied
from install.here import RECEIVED, read_of, tool_of
assert patch.applied
assert "[timeoutkit]" in read_of(tool_of({kind!r}), timeout=90000)
assert RECEIVED == [90], RECEIVED
patch.undo()
"""


def test_installed_before_the_framework_is_imported():
    """It waits for the import, and imports nothing of the framework itself."""
    script = _BEFORE.format(name=INSTALLED, kind=KINDS[0])
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
