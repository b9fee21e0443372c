"""Attaching a note to what a function returned or raised, only where that is safe."""

import copy
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import singledispatch
from typing import Any, NoReturn, TypeGuard

KEY = "timeout_note"


@singledispatch
def attach_note(result: Any, note: str) -> Any:  # noqa: ARG001  (what is registered uses it)
    r"""Attach a note to a result, where its kind has a safe place for one; else return the result itself.

    A text gains a paragraph, or a last key where it is a JSON object; a mapping a key `timeout_note`, in a copy;
    a list of content blocks, or a tool result with such a `content`, one more block, in a copy; an exception a
    note of its own. Anything else is unchanged.
    For a type of your own: `attach_note.register(MyResult)`.

    Args:
        result: what the function returned, or the exception that it raised.
        note: one line for the model.

    Returns:
        The result with the note, or the result itself.

    >>> attach_note("done", "[timeoutkit] a note")
    'done\n\n[timeoutkit] a note'
    >>> attach_note(42, "[timeoutkit] a note")
    42
    """
    return result


@attach_note.register
def _(result: str, note: str) -> str:
    if type(result) is not str:  # a markup, an enum: more than its text
        return result
    parsed = _parsed(result)
    if parsed is _NOT_JSON:
        return f"{result}\n\n{note}"
    return _with_last_key(result, note) if isinstance(parsed, dict) and KEY not in parsed else result


_NOT_JSON = object()
_JSON_START = re.compile(r'\s*(?:[\[{"0-9-]|(?:true|false|null)\s*$)')


def _parsed(text: str) -> Any:
    if not _JSON_START.match(text):  # most output: no need to try
        return _NOT_JSON
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _NOT_JSON


def _with_last_key(text: str, note: str) -> str:
    """Insert the key before the last brace, the rest of the text as it stands."""
    head = text[: text.rindex("}")].rstrip()
    separator = "" if head.endswith("{") else ", "
    return f"{head}{separator}{json.dumps(KEY)}: {json.dumps(note)}{text[len(head) :]}"


@attach_note.register(Mapping)
def _(result: Mapping[Any, Any], note: str) -> Any:
    with suppress(Exception):  # a mapping may refuse to be copied, or to take the key
        if KEY not in result:
            return _with_key(result, note)
    return result


def _with_key(result: Any, note: str) -> Any:
    # any other mapping than a dict may share its storage with what copy.copy makes of it
    copied = copy.copy(result) if isinstance(result, dict) else result.copy()
    if type(copied) is not type(result) or copied is result:
        return result
    blocks = copied.get("content")
    if _are_content(blocks):  # a tool's result: what stands beside its content is not shown to a model
        copied["content"] = _with_block(blocks, note)
    else:
        copied[KEY] = note
    return copied


@attach_note.register(Counter)
def _(result: Counter[Any], _note: str) -> Any:
    return result  # its values are counts


@attach_note.register(list)
def _(result: list[Any], note: str) -> Any:
    typed = _are_content(result) and all("type" in block for block in result)
    return _with_block(result, note) if typed else result


def _are_content(blocks: Any) -> TypeGuard[list[dict[str, Any]]]:
    """Tell whether these are content blocks with a text among them, with types as in MCP or without as in Bedrock."""
    if type(blocks) is not list or not all(isinstance(block, dict) for block in blocks):
        return False
    return any(block.get("type", "text") == "text" and isinstance(block.get("text"), str) for block in blocks)


def _with_block(blocks: list[dict[str, Any]], note: str) -> list[dict[str, Any]]:
    kind = {"type": "text"} if "type" in blocks[0] else {}
    return [*blocks, {**kind, "text": note}]


@attach_note.register
def _(result: BaseException, note: str) -> BaseException:
    with suppress(Exception):  # an exception may refuse attributes
        if note not in getattr(result, "__notes__", ()):
            result.add_note(note)
    return result


def attached(result: Any, note: str, returns: Callable[[], Any]) -> Any:
    """Attach a note, unless what is returned would then break the declared return type.

    `returns` gives that type when asked, `Any` where none is declared; it is asked only if something was attached.
    """
    try:
        attach = attach_note.registry.get(type(result)) or attach_note.dispatch(type(result))
        noted = attach(result, note)
        return noted if noted is result or _fits(noted, returns()) else result
    except Exception:  # a registered attachment of the user's own may fail
        return result


def _fits(result: Any, annotation: Any) -> bool:
    if annotation in (Any, object) or (annotation is str and type(result) is str):
        return True
    if annotation is NoReturn:  # stands for an annotation that cannot be resolved: nothing is known to satisfy it
        return False
    from typeguard import CollectionCheckStrategy, ForwardRefPolicy, TypeCheckError, check_type

    try:
        check_type(
            result,
            annotation,
            forward_ref_policy=ForwardRefPolicy.ERROR,
            collection_check_strategy=CollectionCheckStrategy.ALL_ITEMS,
        )
    except TypeCheckError:
        return False
    return True
