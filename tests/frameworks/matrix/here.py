"""The framework of this environment."""

import asyncio
import importlib
import inspect
import os
from typing import Any

from matrix.table import FRAMEWORKS
from matrix.tools import RECEIVED

NAME = os.environ["TIMEOUTKIT_FRAMEWORK"]
FRAMEWORK = FRAMEWORKS[NAME]
driver = importlib.import_module(f"matrix.drivers.{NAME}")


def call(tool: Any, **arguments: Any) -> tuple[dict[str, Any], str]:
    """Call a tool through the framework: the schema that the model sees, and the text that it reads."""
    RECEIVED.clear()
    answer = driver.call(tool, {"command": "ls", **arguments})
    return asyncio.run(answer) if inspect.iscoroutine(answer) else answer


def schema_of(tool: Any) -> dict[str, Any]:
    """Give the schema of a tool's arguments as the model sees it."""
    return call(tool)[0]
