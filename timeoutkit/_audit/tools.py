"""Tools of well-known agents: what their timeouts mean."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class KnownTool(NamedTuple):
    """A tool of a well-known agent."""

    agent: str
    param: str
    fields: Mapping[str, Any]
    """Of the policy, as far as the agent settles them."""


def _known(agent: str, param: str, **fields: Any) -> KnownTool:
    return KnownTool(agent, param, MappingProxyType(fields))


KNOWN_TOOLS: dict[str, tuple[KnownTool, ...]] = {
    "Bash": (_known("Claude Code", "timeout", unit="ms", default=120_000, max=600_000),),
    "TaskOutput": (_known("Claude Code", "timeout", unit="ms", default=30_000, max=600_000),),
    "bash": (_known("pi", "timeout", unit="s"),),
    "shell": (_known("Codex", "timeout_ms", unit="ms"), _known("Codex", "timeout", unit="ms")),
    "shell_command": (_known("Codex", "timeout_ms", unit="ms"),),
    "exec_command": (_known("Codex", "yield_time_ms", unit="ms", min=0, keep=(0,)),),
    "write_stdin": (_known("Codex", "yield_time_ms", unit="ms", min=0, keep=(0,)),),
}
"""A tool's name -> its timeouts, the most usual first."""


def known_tool(tool: str, param: str) -> KnownTool | None:
    """Find what is known of a parameter of a tool.

    >>> known_tool("Bash", "timeout").fields["max"]
    600000
    """
    return next((known for known in KNOWN_TOOLS.get(tool, ()) if known.param == param), None)
