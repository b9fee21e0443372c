"""The pages of the documentation."""

from install import page as install_page
from matrix.here import FRAMEWORK, NAME
from matrix.page import PAGE, cells, row


def test_the_page_states_the_facts():
    """The framework's row says what the other tests assert; `run.py --write-docs` writes it anew."""
    assert row(cells(FRAMEWORK)) in PAGE.read_text().splitlines()


def test_the_page_about_install_has_the_recipe():
    """The framework's recipe stands there as it was run; `run.py --write-docs` writes it anew."""
    assert install_page.section(NAME) in install_page.PAGE.read_text()
