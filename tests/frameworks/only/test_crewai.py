"""What CrewAI requires."""

from matrix.here import schema_of
from matrix.tools import decorated, sync_tool


def test_every_argument_is_required():
    """The schema requires the timeout, with the decorator as without."""
    for tool in (decorated(sync_tool()), sync_tool()):
        assert schema_of(tool)["required"] == ["command", "timeout"]
