"""The contract in a docstring: in the parameter's own entry, the rest as it stands."""

import inspect

import pytest

from timeoutkit import TimeoutPolicy, sane_timeout
from timeoutkit._docstring import with_contract, words_of

GOOGLE = """Run a command.

    Long story.

    Args:
        command: the command line
            over two lines
        timeout (int, optional): how long to wait
            for the command
        cwd: where

    Returns:
        What it printed.
    """
GOOGLE_AMENDED = GOOGLE.replace("for the command", "for the command. CONTRACT")
NUMPY = """Run a command.

    Parameters
    ----------
    command : str
        The command line.
    timeout : int, optional
        How long to wait.

        A second paragraph.
    cwd : str

    Returns
    -------
    str
        What it printed.
    """
SPHINX = """Run a command.

    :param command: the command line
    :param int timeout: how long to wait
        for the command
    :param cwd: where
    :returns: what it printed
    """

AMENDED = [
    ("google", GOOGLE, GOOGLE_AMENDED),
    ("numpy", NUMPY, NUMPY.replace("A second paragraph.", "A second paragraph. CONTRACT")),
    ("sphinx", SPHINX, SPHINX.replace("for the command", "for the command. CONTRACT")),
    ("google one line", "Run.\n\nArgs:\n    timeout: how long.", "Run.\n\nArgs:\n    timeout: how long. CONTRACT"),
    ("google without text", "Run.\n\nArgs:\n    timeout:", "Run.\n\nArgs:\n    timeout: CONTRACT"),
    ("google without the entry", "Run.\n\nArgs:\n    command: it\n\nReturns:\n    x",
     "Run.\n\nArgs:\n    command: it\n    timeout: CONTRACT\n\nReturns:\n    x"),
    ("numpy without a description", "Run.\n\nParameters\n----------\ntimeout : int\ncwd : str",
     "Run.\n\nParameters\n----------\ntimeout : int\n    CONTRACT\ncwd : str"),
    ("numpy without a type", "Run.\n\nParameters\n----------\ntimeout\n    How long",
     "Run.\n\nParameters\n----------\ntimeout\n    How long. CONTRACT"),
    ("numpy without the entry", "Run.\n\nParameters\n----------\ncwd : str\n    Where.\n\nReturns\n-------\nstr",
     "Run.\n\nParameters\n----------\ncwd : str\n    Where.\ntimeout\n    CONTRACT\n\nReturns\n-------\nstr"),
    ("sphinx without the entry", "Run.\n\n:param cwd: where\n:returns: x",
     "Run.\n\n:param cwd: where\n:param timeout: CONTRACT\n:returns: x"),
    ("numpy with other sections first", "Run.\n\nNotes\n-----\nOf it.\n\nParameters\n----------\ntimeout\n    How long",
     "Run.\n\nNotes\n-----\nOf it.\n\nParameters\n----------\ntimeout\n    How long. CONTRACT"),
    ("no section", "Run a command.", "Run a command.\n\ntimeout: CONTRACT"),
    ("no section, indented", "Run a command.\n\n    More.\n    ", "Run a command.\n\n    More.\n\n    timeout: CONTRACT\n    "),
    ("empty", "  ", "timeout: CONTRACT"),
    ("none", None, "timeout: CONTRACT"),
    ("a section without entries", "Run.\n\nArgs:\n", "Run.\n\nArgs:\n\ntimeout: CONTRACT\n"),
    ("another parameter's name in the text", "Run.\n\nArgs:\n    cwd: not timeout: really\n    timeout: x",
     "Run.\n\nArgs:\n    cwd: not timeout: really\n    timeout: x. CONTRACT"),
    ("a longer name", "Run.\n\nArgs:\n    timeout_grace: y\n    timeout: x",
     "Run.\n\nArgs:\n    timeout_grace: y\n    timeout: x. CONTRACT"),
    ("an entry before the section", "Run.\n    timeout: not this\nArgs:\n    timeout: x",
     "Run.\n    timeout: not this\nArgs:\n    timeout: x. CONTRACT"),
    ("numpy with an entry before the section", "Run.\n\ntimeout : not this\n\nParameters\n----------\ntimeout\n    How long",
     "Run.\n\ntimeout : not this\n\nParameters\n----------\ntimeout\n    How long. CONTRACT"),
    ("numpy with the next section at once", "Run.\n\nParameters\n----------\ncwd : str\n    Where.\nReturns\n-------\nstr",
     "Run.\n\nParameters\n----------\ncwd : str\n    Where.\ntimeout\n    CONTRACT\nReturns\n-------\nstr"),
    ("numpy to the last line", "Run.\n\nParameters\n----------\ncwd : str",
     "Run.\n\nParameters\n----------\ncwd : str\ntimeout\n    CONTRACT"),
    ("no section, indented at once", "Run.\n    More.", "Run.\n    More.\n\n    timeout: CONTRACT"),
    ("no section, with tabs and spaces", "Run.\n\n\t\tMore.\n Less.", "Run.\n\n\t\tMore.\n Less.\n\n timeout: CONTRACT"),
]  # fmt: skip


@pytest.mark.parametrize(("doc", "amended"), [row[1:] for row in AMENDED], ids=[row[0] for row in AMENDED])
def test_a_docstring_gains_the_contract(doc, amended):
    """The entry of the parameter ends in the contract; nothing else is reflowed."""
    assert with_contract(doc, "timeout", "CONTRACT") == amended


@pytest.mark.parametrize("doc", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_a_cleaned_docstring_is_amended_in_the_same_place(doc):
    """Python 3.13 removes the indentation of docstrings, the others leave it."""
    amended = with_contract(doc, "timeout", "CONTRACT")
    assert inspect.cleandoc(amended) == with_contract(inspect.cleandoc(doc), "timeout", "CONTRACT")


@pytest.mark.parametrize(
    ("doc", "words"),
    [
        (GOOGLE, "how long to wait for the command"),
        (NUMPY, "How long to wait. A second paragraph."),
        (SPHINX, "how long to wait for the command"),
        ("Run.\n\nArgs:\n    timeout: in seconds: many", "in seconds: many"),
        ("Run.\n\nArgs:\n    timeout:", ""),
        ("Run.\n\nParameters\n----------\ntimeout : int\ncwd : str", ""),
        ("Run.\n\nArgs:\n    command: it", ""),
        ("Run.", ""),
        (None, ""),
    ],
    ids=str,
)
def test_the_words_about_a_parameter_are_found(doc, words):
    """What a docstring says of the parameter, as one line."""
    assert words_of(doc, "timeout") == words
    assert words_of(inspect.cleandoc(doc or ""), "timeout") == words


def test_the_words_of_the_docstring_come_before_the_contract_in_the_annotation():
    """A framework that reads the annotation and not the docstring shows both."""

    @sane_timeout
    def tool(timeout: int) -> str:
        """Run.

        Args:
            timeout: how long to wait
        """

    text = inspect.signature(tool).parameters["timeout"].annotation.__metadata__[0]
    assert text == f"how long to wait. {TimeoutPolicy().describe()}"


def test_a_decorated_function_documents_its_own_parameter():
    """The contract stands under the name of the parameter, with the function's own policy."""

    @sane_timeout(max=5000)
    def tool(timeout_ms: int) -> str:
        """Run."""

    assert tool.__doc__.endswith(
        "timeout_ms: Timeout in milliseconds, e.g. 5000; 1000 to 5000; default 5000; not seconds."
    )
    assert inspect.getdoc(tool) == inspect.cleandoc(tool.__doc__)
