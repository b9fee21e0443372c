"""Objects of engines, such as a task, that hold a function and send it away around any wrapper of the object."""

from types import FunctionType, MethodType
from typing import Any

_HELD = {"remote": "_function", "delay": "run"}
"""The method that sends the function away -> the attribute that holds it: Ray's, and Celery's."""


def held_by(task: Any) -> str | None:
    """Find the attribute in which an engine's object holds the function that it was made of, if it is one."""
    if isinstance(task, (FunctionType, type)):
        return None
    for sender, attribute in _HELD.items():
        held, send = getattr(task, attribute, None), getattr(task, sender, None)
        made_of = getattr(task, "__wrapped__", None), getattr(send, "__wrapped__", None)
        if isinstance(held, (FunctionType, MethodType)) and held in made_of:
            return attribute
    return None
