"""The page of the documentation."""

from matrix.here import FRAMEWORK
from matrix.page import PAGE, cells, row


def test_the_page_states_the_facts():
    """The framework's row says what the other tests assert; `run.py --write-docs` writes it anew."""
    assert row(cells(FRAMEWORK)) in PAGE.read_text().splitlines()
