"""Tool calls and tool definitions in the JSON of a log, found by their shape."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from timeoutkit._audit.objects import LINE_KEY
from timeoutkit._audit.records import parse

HINT = b"name"
"""Whatever is called, or defined, has a name."""
WORTH_PARSING = re.compile(rb'name\\*"')
"""What a text with a call, or a definition, holds; in JSON that stands in a text, quotes are escaped."""
_LONGEST_NAME = 100


class Call(NamedTuple):
    """A call of a tool, as a model wrote it."""

    tool: str
    shape: str
    """The name of what writes calls so."""
    arguments: Mapping[str, Any] | None
    """`None` where they cannot be read."""
    line: int
    id: str | None


class Definition(NamedTuple):
    """A tool, as a model is told of it."""

    tool: str
    schema: Mapping[str, Any]
    """Of its parameters."""


def find(value: Any, line: int) -> list[Call | Definition]:
    """Find every call and every definition in a JSON value, also in JSON that stands in its texts.

    A call that the value holds in two shapes, as LangChain writes it, counts once.
    """
    calls: list[Call] = []
    definitions: list[Definition] = []
    stack = [value]
    while stack:
        value = stack.pop()
        kind = type(value)
        inner: Iterable[Any] = value
        if kind is dict:
            line = value.get(LINE_KEY, line)
            inner = value.values() if _TELLING.isdisjoint(value) else _look_at(value, line, calls)
            if not _SCHEMAS.isdisjoint(value):
                definitions += _definitions(value)
        elif kind is str:
            inner = _read(value)
        nested = [
            one
            for one in inner
            if (kind := type(one)) is dict or kind is list or (kind is str and one[:1] in _STARTS and _holds_json(one))
        ]
        if nested:
            nested.reverse()
            stack += nested
    return [*definitions, *(_once(calls) if len(calls) > 1 else calls)]


_STARTS = frozenset("{[ \n\r\t")


def _holds_json(text: str) -> bool:
    return "name" in text and text.lstrip()[:1] in ("{", "[")


def _read(text: Any) -> list[Any]:
    """Read JSON that stands in a text, nothing where it is none."""
    try:
        return [parse(text)]
    except (ValueError, RecursionError):
        return []


def _once(calls: list[Call]) -> list[Call]:
    """Leave out what stands there again under the same id."""
    seen: dict[tuple[str, str], list[Any]] = {}
    found = []
    for call in calls:
        known = seen.setdefault((call.id, call.tool), []) if call.id is not None else []
        if call.arguments not in known:
            known.append(call.arguments)
            found.append(call)
    return found


# -- calls -----------------------------------------------------------------------------------------

_TYPES = {
    "tool_use": ("Anthropic", "input"),
    "server_tool_use": ("Anthropic", "input"),
    "mcp_tool_use": ("Anthropic", "input"),
    "function_call": ("OpenAI responses", "arguments"),
    "toolCall": ("pi", "arguments"),
    "tool_call": ("LangChain", "args"),
}
"""What a call says of itself by `type` -> who writes so, and the key of the arguments."""
_LISTS = ("tool_calls", "toolCalls")
_SINGLE = ("functionCall", "function_call", "toolUse")
_STREAMED = ("delta", "content_block")
"""Where a stream carries the pieces of calls; the whole ones stand elsewhere."""
_SCHEMAS = frozenset(("input_schema", "inputSchema", "parameters", "parametersJsonSchema", "parameters_json_schema"))
_HOLDERS = frozenset((*_LISTS, *_SINGLE, *_STREAMED, "method"))
_TELLING = frozenset(("type", *_HOLDERS))
"""An object without any of these keys is no call and holds none itself."""
_ARGUMENTS = (("arguments", "OpenAI"), ("args", "Gemini"), ("input", "Bedrock"))
_IDS = ("id", "call_id", "tool_call_id", "toolUseId")


def _look_at(node: dict[str, Any], line: int, calls: list[Call]) -> Iterable[Any]:
    """Add the calls that an object is or holds, and give what else is in it."""
    kind = node.get("type")
    if type(kind) is str and kind in _TYPES:
        shape, key = _TYPES[kind]
        if key in node and type(node.get("name")) is str:
            calls.append(_call(shape, node["name"], node[key], node, line))
            return ()
    return node.values() if _HOLDERS.isdisjoint(node) else _look_into(node, line, calls)


def _look_into(node: dict[str, Any], line: int, calls: list[Call]) -> list[Any]:
    rest: list[Any] = []
    for key, value in node.items():
        if key in _LISTS and type(value) is list:
            for item in value:
                call = _listed(item, key, line)
                (rest if call is None else calls).append(item if call is None else call)
        elif call := _single(node, key, value, line):
            calls.append(call)
        elif key not in _STREAMED:
            rest.append(value)
    return rest


def _listed(item: Any, key: str, line: int) -> Call | None:
    """Read an element of `tool_calls`."""
    if type(item) is not dict:
        return None
    function = item.get("function")
    if type(function) is dict and type(function.get("name")) is str:
        return _call("OpenAI", function["name"], function.get("arguments"), item, line)
    if type(item.get("function_name")) is str:
        return _call("ATIF", item["function_name"], item.get("arguments"), item, line)
    return _named(item, line, "LangChain" if key == "tool_calls" and "args" in item else None)


def _single(node: dict[str, Any], key: str, value: Any, line: int) -> Call | None:
    """Read a call that stands alone under a key."""
    if key in _SINGLE:
        return _named(value, line)
    if key == "params" and node.get("method") == "tools/call":
        return _named(value, line, "MCP")
    return None


def _named(node: Any, line: int, shape: str | None = None) -> Call | None:
    """Read an object that is a call by where it stands."""
    if type(node) is not dict or type(node.get("name")) is not str:
        return None
    key, usual = next(((key, shape) for key, shape in _ARGUMENTS if key in node), ("args", "Gemini"))
    return _call(shape or usual, node["name"], node.get(key), node, line)


def _call(shape: str, name: str, written: Any, node: dict[str, Any], line: int) -> Call:
    if type(written) is str:
        written = next(iter(_read(written)), "") if written.strip() else None
    if written is None:
        written = {}
    if type(written) is not dict:
        written = None
    elif LINE_KEY in written:
        written = _without_lines(written)
    return Call(name[:_LONGEST_NAME], shape, written, node.get(LINE_KEY, line), _id(node))


def _id(node: dict[str, Any]) -> str | None:
    for key in _IDS:
        if type(value := node.get(key)) is str and value:
            return value
    return None


def _without_lines(value: Any) -> Any:
    if type(value) is dict:
        return {key: _without_lines(one) for key, one in value.items() if key != LINE_KEY}
    return [_without_lines(one) for one in value] if type(value) is list else value


# -- definitions -----------------------------------------------------------------------------------


def _definitions(node: dict[str, Any]) -> Iterator[Definition]:
    name = node.get("name")
    for key in _SCHEMAS & node.keys():
        schema = node[key]
        if type(schema) is dict and type(schema.get("json")) is dict:  # Bedrock
            schema = schema["json"]
        if type(name) is str and type(schema) is dict and type(schema.get("properties")) is dict:
            yield Definition(name[:_LONGEST_NAME], schema)
