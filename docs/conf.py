"""How the pages are built: `sphinx-build -W -n --keep-going docs build/docs`."""

import importlib.metadata
import sys
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import roles
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

import timeoutkit

sys.path.insert(0, str(Path(__file__).parent))

project = "timeoutkit"
author = copyright = "The timeoutkit authors"  # noqa: A001  (Sphinx reads it by this name)
release = importlib.metadata.version("timeoutkit")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "cases"]
myst_heading_anchors = 3
nitpick_ignore_regex = [("py:.*", r"(?!timeoutkit\.).*")]
"""Only names of this package can be looked up: the build reads nothing from the network."""

autodoc_member_order = "bysource"
autodoc_typehints = "none"
default_role = "known"

html_theme = "furo"
html_title = f"timeoutkit {release}"
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_show_sphinx = html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5fcc", "color-brand-content": "#0b5fcc"},
    "dark_css_variables": {"color-brand-primary": "#58a6ff", "color-brand-content": "#58a6ff"},
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"


def known(_role: str, rawtext: str, text: str, *_others: object) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """Read what stands between single backticks in a docstring: code, and a link where it is a name of ours."""
    code = nodes.literal(rawtext, text)
    if text not in timeoutkit.__all__:
        return [code], []
    return [pending_xref("", code, refdomain="py", reftype="obj", reftarget=f"timeoutkit.{text}", refwarn=True)], []


def setup(_app: Sphinx) -> None:
    """Make the role of docstrings known."""
    roles.register_local_role("known", known)
