"""One call of a tool in somebody's framework: its raw arguments put right, and what the model is told of it."""

import json
import subprocess
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from timeoutkit._annotation import signature_of
from timeoutkit._arguments import infer_policies, normalize_arguments, stated_policies
from timeoutkit._correction import TimeoutValueError, logger, report
from timeoutkit._policy import TimeoutPolicy, states_contract

R = TypeVar("R")


class Rules(NamedTuple):
    """What `install` was told."""

    tools: Mapping[str, TimeoutPolicy] = {}
    """Policies by the tool's name; any other tool's is inferred from its schema."""
    on_correction: Callable[[Any], object] | None = None


class ToolCall:
    """One call: `arguments` as they are used, and what is to be told of it.

    A framework's twin shows the note outside of what the tool returned, by a function of its own that gives the
    framework's result with a note in it.
    """

    def __init__(self, arguments: Any, policies: Mapping[str, TimeoutPolicy], notes: Mapping[str, str]) -> None:
        self.arguments = arguments
        self._policies = policies
        self._notes = notes

    def noted(self, result: R, add: Callable[[R, str], R], error: BaseException | None = None) -> R:
        """Give the result with the note, or the result itself where there is nothing to tell.

        Args:
            result: of the framework's own kind, also one that says that the call failed.
            add: gives such a result with a note in it.
            error: what the tool raised; where it ran into its limit, the model is told the limit.
        """
        note = self.note(error)
        if not note:
            return result
        try:
            return add(result, note)
        except Exception as failure:
            _say_once(f"a note was not shown: {failure!r}")
            return result

    def note(self, error: BaseException | None = None) -> str:
        """Give the note of a call that returned, or raised this error; empty where there is nothing to tell."""
        try:
            limits = self._limits() if is_timeout(error) else {}
        except Exception:  # malformed or endless JSON, a mapping that fails: the tool's own error is what counts
            limits = {}
        return "\n".join({**limits, **self._notes}.values())

    def _limits(self) -> dict[str, str]:
        arguments = json.loads(self.arguments) if isinstance(self.arguments, str) else self.arguments
        used = {name: arguments.get(name) for name in self._policies} if isinstance(arguments, Mapping) else {}
        return {
            name: self._policies[name].limit_note(name, amount)
            for name, amount in used.items()
            if isinstance(amount, (int, float))
        }


def tool_call(rules: Rules, tool: str, arguments: Any, look: Callable[[], tuple[Any, Any]]) -> ToolCall:
    """Put the raw arguments of a call right, before the framework validates them.

    Args:
        rules: what `install` was told.
        tool: its name.
        arguments: a mapping or JSON text, never mutated; anything else stays as it is.
        look: gives the tool's JSON schema, and its function or `None`; an error in it is logged, once.

    Raises:
        TimeoutValueError: where a policy is strict and refuses the call.
    """
    try:
        policies = _policies(rules, tool, *look())
        used, corrections = normalize_arguments(arguments, policies, function=tool)
    except TimeoutValueError as refused:
        report(refused.correction, rules.on_correction)
        raise
    except Exception as error:
        _say_once(f"{tool}: its timeouts were not looked at: {error!r}")
        return ToolCall(arguments, {}, {})
    for correction in corrections:
        report(correction, rules.on_correction)
    notes = {one.param: one.note for one in corrections if one.applied or one.reason == "suspicious"}
    return ToolCall(used, policies, notes)


def amended(rules: Rules, tool: str, schema: R, function: Any = None) -> R:
    """Give a tool's schema with the contract of its timeouts in it, or the schema itself where it has none.

    Args:
        rules: what `install` was told.
        tool: its name.
        schema: the JSON schema of its parameters, never mutated.
        function: of the tool, if it is known; what is decorated speaks for itself, here and in another process.
    """
    try:
        policies = _policies(rules, tool, schema, function)
        return _with_contracts(schema, policies) if policies else schema
    except Exception as error:
        _say_once(f"{tool}: its schema was not amended: {error!r}")
        return schema


def _with_contracts(schema: Any, policies: Mapping[str, TimeoutPolicy]) -> Any:
    properties = dict(schema["properties"])
    for name, policy in policies.items():
        own = dict(properties[name])
        if own.get("default", ...) is None or policy.stated_default is not None:
            own.pop("default", None)  # what is put in for a missing value is what is said
        properties[name] = policy.json_schema(into=own)
    return {**schema, "properties": properties}


def paragraph(text: str, note: str) -> str:
    """Put a note below a text."""
    return f"{text}\n\n{note}"


def _policies(rules: Rules, tool: str, schema: Any, function: Any) -> dict[str, TimeoutPolicy]:
    stated = rules.tools.get(tool)
    schema = _with_own_defaults(schema, function)
    found = infer_policies(schema, tool=tool) if stated is None else stated_policies(schema, stated)
    if stated is not None and not found:
        _say_once(f"{tool}: it has no timeout to which tools={{{tool!r}: ...}} applies")
    decorated = set(_decorated_parameters(function))
    return {
        name: policy
        for name, policy in found.items()
        if name not in decorated and not states_contract(schema["properties"][name].get("description"))
    }


def _with_own_defaults(schema: Any, function: Any) -> Any:
    """Add the function's own defaults to a schema that leaves them out."""
    signature = signature_of(function) if callable(function) else None
    if signature is None or not isinstance(schema, Mapping) or not isinstance(schema.get("properties"), Mapping):
        return schema
    properties = dict(schema["properties"])
    for name, own in signature.parameters.items():
        if isinstance(properties.get(name), Mapping) and type(own.default) in (int, float):
            properties[name] = {"default": own.default, **properties[name]}
    return {**schema, "properties": properties}


def _decorated_parameters(function: Any) -> Iterator[Any]:
    """Walk the parameters that `sane_timeout` corrects already, below other decorators and bound methods."""
    for _ in range(100):
        policies = getattr(function, "timeout_policies", None)
        if isinstance(policies, dict):
            yield from (name[-1] if isinstance(name, tuple) else name for name in policies)
        inner = (getattr(function, name, None) for name in ("__wrapped__", "func"))
        function = next((one for one in inner if callable(one)), None)
        if function is None:
            return


def is_timeout(error: BaseException | None) -> bool:
    """Tell whether a call ran into its limit, by its error or by what that was made from."""
    for _ in range(20):
        if error is None:
            return False
        if isinstance(error, (TimeoutError, subprocess.TimeoutExpired)):
            return True
        error = error.__cause__ or error.__context__
    return False


_said: set[str] = set()


def _say_once(message: str) -> None:
    if message not in _said and len(_said) < 1000:
        _said.add(message)
        logger.warning("%s", message)
