"""The page of the documentation, made from the table."""

from pathlib import Path

from matrix.table import FRAMEWORKS, Framework

PAGE = Path(__file__).parents[3] / "docs" / "frameworks.md"

_HEAD = """\
# Agent frameworks

A function decorated with `@sane_timeout` is a tool like any other in these frameworks. What a model writes reaches the
decorator as it was written, the function receives seconds that it can use, and the note stands in what the model reads.
In each of them the timeout's entry in the schema states the contract as text: unit, an example, bounds and default.
A function and its wrappers never share what a framework caches of a function.

This page is made from the table that the tests assert, each row in an environment of its own:
`python tests/frameworks/run.py` runs them, `python tests/frameworks/run.py --write-docs` writes this page.

"""

_COLUMNS = ("Framework", "Bounds", "Docstring", "Sync", "Async", "Method", "What does not work, and why")

_FOOT = """
- **Bounds**: where `schema_bounds=True` shows as `minimum` and `maximum` (numbers), or changes nothing, as the framework
  keeps only the text. Without the option no schema carries such a keyword, also after the framework's own conversion to
  the strict form of OpenAI, Anthropic, Gemini or Bedrock: their strict modes refuse it.
- **Docstring**: your own words about the timeout stand beside the contract: kept as the framework shows them anyway, or
  added where it does not read docstrings.
- **Sync**, **Async**, **Method**: plain functions, coroutine functions and bound methods as tools.

## Claude Agent SDK

A handler takes all its arguments in one mapping, and the schema is yours to write: take the timeout's from the policy.
The SDK checks arguments against it before the handler is called. `policy.json_schema()` allows numbers, so a text or
null would be refused there; widen its type to all that the policy reads. With `bounds=True` a value out of bounds would
be refused, not corrected.

```python
from claude_agent_sdk import tool
from timeoutkit import TimeoutPolicy, sane_timeout

policy = TimeoutPolicy(max=300)


@tool("run_shell", "Run a shell command.", {
    "type": "object",
    "properties": {
        "command": {"type": "string"},
        "timeout": {**policy.json_schema(), "type": ["number", "string", "null"]},
    },
    "required": ["command"],
})
@sane_timeout(param=("args", "timeout"), policy=policy)
async def run_shell(args):
    return {"content": [{"type": "text", "text": f"ran within {args['timeout']} s"}]}
```
"""


def page() -> str:
    """Make the whole page."""
    lines = [_COLUMNS, ["---"] * len(_COLUMNS), *map(cells, FRAMEWORKS.values())]
    return _HEAD + "".join(f"{row(line)}\n" for line in lines) + _FOOT


def cells(framework: Framework) -> list[str]:
    """State the facts of one framework."""
    calls = [_calls(framework, kind) for kind in ("sync", "async", "method")]
    own_schema = "handler" in framework.kinds
    bounds, words = ("as written", "not read") if own_schema else (framework.bounds, framework.words)
    return [framework.title, bounds, words, *calls, " ".join(framework.limits)]


def row(texts: list[str] | tuple[str, ...]) -> str:
    """Write a row of the table."""
    return f"| {' | '.join(texts)} |".replace("|  |", "| |")


def _calls(framework: Framework, kind: str) -> str:
    if "handler" in framework.kinds:
        return "no" if kind == "sync" else "handler"
    return "yes" if kind in framework.kinds + framework.elsewhere else "no"
