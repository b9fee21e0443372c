"""What a scripted model was given."""

from typing import Any, NamedTuple


class Told(NamedTuple):
    """What a model is given in one run.

    Args:
        schema: of the tool's arguments.
        texts: what it reads of each call, in order; the parts of one message joined by an empty line.
    """

    schema: Any
    texts: list[str]
