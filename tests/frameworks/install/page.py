"""The page about `install`, made from the recipes, which are run as they stand there."""

import ast
from pathlib import Path

from matrix.table import FRAMEWORKS

PAGE = Path(__file__).parents[3] / "docs" / "install.md"
RECIPES = Path(__file__).parent / "recipes"

_HEAD = """\
# Install into a framework

`timeoutkit.install("langchain")` corrects every tool call of a framework, for tools that you need not touch: the raw
arguments before the framework validates them, with a note in what the model reads, outside of what the tool returned,
also where the tool failed, and with the contract in the schema that the model sees. `timeoutkit.install()` does so for
every framework below that is there, now or when it is imported. `undo()` on what it returns takes it all back.

Which arguments are timeouts is read from a tool's schema. Say otherwise by the tool's name:
`timeoutkit.install("mcp", tools={"run_shell": TimeoutPolicy(max=300)})`. A tool decorated with `@sane_timeout` keeps its
own policy. Where a release of a framework has moved what is opened here, one warning names the release that was
expected, and the framework runs on as it is. What is not reached stands below each program.

Each of these programs runs as it stands, and prints `ran within 90 s` and the note:
`[timeoutkit] "timeout": 90 was used. timeout is in seconds (up to 600), not milliseconds.`

This page is made from `tests/frameworks/install/recipes/` by `python tests/frameworks/run.py --write-docs`.
"""


def page() -> str:
    """Make the whole page."""
    return _HEAD + "".join(map(section, FRAMEWORKS))


def section(name: str) -> str:
    """Make the part of one framework: what its recipe says of it, and the recipe."""
    source = (RECIPES / f"{name}.py").read_text()
    docstring = ast.parse(source).body[0]
    code = "\n".join(source.splitlines()[docstring.end_lineno :]).strip()
    framework = FRAMEWORKS[name]
    limits = "".join(f"- {limit}\n" for limit in framework.not_reached)
    said = ast.get_docstring(ast.parse(source))
    return f"\n## {framework.title}\n\n{said}\n\n```python\n{code}\n```\n" + (limits and f"\n{limits}")
