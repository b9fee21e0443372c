"""Installing into frameworks, with a small framework of our own; tests/frameworks has the real ones."""

import importlib
import sys
import textwrap
import types
import warnings

import pytest

from timeoutkit import TimeoutPolicy, install, integrations
from timeoutkit._patch import Seam
from timeoutkit._toolcall import paragraph, tool_call

SCHEMA = {"properties": {"command": {"type": "string"}, "timeout": {"type": "integer"}}}
SOURCE = """
def call(name, arguments):
    return f"ran within {arguments.get('timeout')} s"
"""


def seams(rules):
    def call(wrapped, _instance, args, _kwargs):
        name, arguments = args
        corrected = tool_call(rules, name, arguments, lambda: (SCHEMA, None))
        return corrected.noted(wrapped(name, corrected.arguments), paragraph)

    yield Seam("small.loop:call", call, ("name", "arguments"))


@pytest.fixture
def small(tmp_path, monkeypatch):
    """Make a framework that is not imported yet, and give what imports its loop."""
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "__init__.py").write_text("")
    (tmp_path / "small" / "loop.py").write_text(textwrap.dedent(SOURCE))
    monkeypatch.syspath_prepend(tmp_path)
    twin = types.ModuleType("twin")
    twin.seams = seams
    monkeypatch.setitem(sys.modules, "timeoutkit.integrations.small", twin)
    monkeypatch.setitem(integrations.FRAMEWORKS, "small", integrations.Framework("small", "small-framework", "1.0"))
    yield lambda: importlib.import_module("small.loop")
    for name in [name for name in sys.modules if name.partition(".")[0] == "small"]:
        del sys.modules[name]


NOTED = 'ran within 90 s\n\n[timeoutkit] "timeout": 90 was used. timeout is in seconds (up to 600), not milliseconds.'


def test_a_framework_that_is_there_is_opened_at_once(small):
    """Its calls are corrected, and what it gives says so."""
    loop = small()
    with install("small") as patch:
        assert patch.applied
        assert loop.call("run_shell", {"timeout": 90000}) == NOTED
    assert loop.call("run_shell", {"timeout": 90000}) == "ran within 90000 s"
    assert not patch.applied


def test_a_framework_that_is_not_imported_is_opened_when_it_is(small):
    """Installing imports nothing of it."""
    with install("small") as patch:
        assert "small" not in sys.modules
        assert not patch.applied
        loop = small()
        assert patch.applied
        assert loop.call("run_shell", {"timeout": 90000}) == NOTED


def test_no_package_is_imported_that_the_program_did_not_ask_for(small, tmp_path, monkeypatch):
    """A module deep in the framework is looked for, and nothing above it runs."""
    (tmp_path / "small" / "deep").mkdir()
    (tmp_path / "small" / "deep" / "__init__.py").write_text("raise ImportError('an extra is missing')")
    (tmp_path / "small" / "deep" / "place.py").write_text("")
    twin = sys.modules["timeoutkit.integrations.small"]
    monkeypatch.setattr(twin, "seams", lambda rules: [*seams(rules), Seam("small.deep.place:call", print)])
    with install("small") as patch:
        assert small().call("run_shell", {"timeout": 90000}) == NOTED
        assert patch.applied
    assert "small.deep" not in sys.modules


def test_undone_before_the_import_it_never_happens(small):
    """An import that comes later finds nothing to do."""
    install("small").undo()
    assert small().call("run_shell", {"timeout": 90000}) == "ran within 90000 s"


def test_undone_after_a_part_of_it_was_imported_the_rest_stays_closed(small):
    """A module that is imported after the undoing is left alone."""
    patch = install("small")
    importlib.import_module("small")
    patch.undo()
    assert small().call("run_shell", {"timeout": 90000}) == "ran within 90000 s"


def test_whoever_held_on_to_the_function_is_let_through_after_the_undoing(small):
    """A name that was imported while it was installed calls the function as it is."""
    loop = small()
    with install("small"):
        kept = loop.call
    assert kept("run_shell", {"timeout": 90000}) == "ran within 90000 s"


def test_installed_twice_it_is_installed_once(small):
    """With the same options it is the same; one undo takes it back."""
    loop = small()
    patch = install("small")
    with install("small"):
        assert loop.call("run_shell", {"timeout": 90000}) == NOTED
    assert not patch.applied


def test_other_options_are_refused(small):
    """The error names the framework, and the first is still there."""
    small()
    with (
        install("small") as patch,
        pytest.raises(ValueError, match="small is installed already, with other options: undo that first"),
    ):
        install("small", tools={"run_shell": TimeoutPolicy(max=5)})
    assert not patch.applied


def test_names_are_read_as_people_write_them(small):
    """Case and underscores do not matter."""
    small()
    with install("Small") as patch:
        assert patch.applied


def test_an_unknown_framework_is_refused():
    """The error lists what is known."""
    with pytest.raises(ValueError, match="no framework is known as 'langchian': write one of mcp, fastmcp, langchain"):
        install("langchian")


def test_a_framework_that_is_not_there_is_refused_by_name_only(small, monkeypatch):
    """Who names it is told what to install; without names it is left out."""
    monkeypatch.setitem(integrations.FRAMEWORKS, "nowhere", integrations.Framework("no.where", "nowhere", "1.0"))
    with pytest.raises(ModuleNotFoundError, match=r"there is no 'no.where': pip install nowhere"):
        install("small", "nowhere")
    small()
    with install() as patch:
        assert patch.applied


MOVED = [
    ("def other(name, arguments): ...", "small.loop has no attribute 'call'"),
    ("def call(name, args): ...", "small.loop:call takes no arguments"),
    (None, "there is no module small.loop"),
]


@pytest.mark.parametrize("imported_first", [True, False])
@pytest.mark.parametrize(("source", "problem"), MOVED)
def test_a_seam_that_has_moved_is_one_warning(small, tmp_path, source, problem, imported_first):
    """It names the version that was expected, and the framework stays as it is."""
    path = tmp_path / "small" / "loop.py"
    path.unlink() if source is None else path.write_text(source)
    if imported_first and source:
        small()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        patch = install("small")
        importlib.import_module("small")
        if source:
            small()
    assert [str(warning.message).partition(" (")[0] for warning in caught] == [
        "install('small') was written for small-framework 1.0, and small-framework is different"
    ]
    assert problem in str(caught[0].message)
    assert not patch.applied
    assert not hasattr(getattr(sys.modules.get("small.loop"), "call", None), "__wrapped__")


def test_two_seams_that_have_moved_are_one_warning(small, tmp_path, monkeypatch):
    """The second says nothing that the first did not."""
    (tmp_path / "small" / "other.py").write_text("")
    (tmp_path / "small" / "loop.py").write_text("")
    twin = sys.modules["timeoutkit.integrations.small"]
    monkeypatch.setattr(twin, "seams", lambda rules: [*seams(rules), Seam("small.other:call", print)])
    patch = install("small")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        importlib.import_module("small.other")
        small()
    assert len(caught) == 1
    assert not patch.applied


def test_a_module_that_breaks_is_a_warning(small, monkeypatch):
    """Whatever goes wrong while opening a framework, its import does not fail."""
    monkeypatch.setitem(sys.modules, "timeoutkit.integrations.small", types.ModuleType("empty"))
    install("small")
    with pytest.warns(UserWarning, match="install\\('small'\\) was written for"):
        small()


def test_every_correction_goes_to_the_callback(small):
    """The one that was given."""
    told, loop = [], small()
    with install("small", on_correction=told.append):
        loop.call("run_shell", {"timeout": 90000})
    assert [str(correction) for correction in told] == ["run_shell: timeout=90000 read as milliseconds, 90 used"]


@pytest.mark.parametrize("name", ["small-agents", "small_agents", "Small_Agents"])
def test_a_framework_with_a_hyphen_is_read_in_any_way(small, monkeypatch, name):
    """Its module is the one with an underscore."""
    twin = sys.modules["timeoutkit.integrations.small"]
    monkeypatch.setitem(sys.modules, "timeoutkit.integrations.small_agents", twin)
    known = integrations.Framework("small", "small-framework", "1.0")
    monkeypatch.setitem(integrations.FRAMEWORKS, "small-agents", known)
    loop = small()
    with install(name):
        assert loop.call("run_shell", {"timeout": 90000}) == NOTED


def test_the_warning_names_the_version_that_was_found(small, monkeypatch):
    """It is read from what is installed; what can be done comes last."""
    known = integrations.Framework("small", "pytest", "1.0")
    monkeypatch.setitem(integrations.FRAMEWORKS, "small", known)
    monkeypatch.setitem(sys.modules, "timeoutkit.integrations.small", types.ModuleType("empty"))
    install("small")
    message = f"^install\\('small'\\) was written for pytest 1.0, and pytest {pytest.__version__} is different \\("
    fix = r"\. It runs on, and its timeouts are not corrected: update timeoutkit, or decorate its tools with sane_timeout\.$"
    with pytest.warns(UserWarning, match=f"{message}.*{fix}"):
        small()


def test_undone_twice_is_undone_once(small):
    """A second time does nothing."""
    small()
    patch = install("small")
    patch.undo()
    patch.undo()
    assert not patch.applied


def test_a_policy_of_another_kind_is_refused():
    """The error says what to write."""
    message = r"^tools={'run_shell': ...} takes a TimeoutPolicy, not int: write TimeoutPolicy\(max=300\)$"
    with pytest.raises(TypeError, match=message):
        install(tools={"run_shell": 300})


def test_a_seam_in_a_package_that_is_not_imported_is_looked_for(small, tmp_path, monkeypatch):
    """A framework of two packages is opened in both."""
    (tmp_path / "small_annex.py").write_text(textwrap.dedent(SOURCE))
    twin = sys.modules["timeoutkit.integrations.small"]
    around = next(seams(None)).around
    monkeypatch.setattr(twin, "seams", lambda rules: [*seams(rules), Seam("small_annex:call", around)])
    small()
    with install("small") as patch:
        assert patch.applied
    monkeypatch.delitem(sys.modules, "small_annex", raising=False)


def test_a_seam_that_lacks_parameters_names_each(small, tmp_path):
    """All that is missing is said."""
    (tmp_path / "small" / "loop.py").write_text("def call(): ...")
    small()
    with pytest.warns(UserWarning, match="small.loop:call takes no arguments and no name"):
        install("small")
