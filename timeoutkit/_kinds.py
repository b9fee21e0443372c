"""The call with a correction, by the kind of function: report it, refuse it, or call and note the outcome."""

import inspect
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import CoroutineType
from typing import Any

from timeoutkit._annotation import result_type
from timeoutkit._argument import MISSING
from timeoutkit._correction import Correction, report
from timeoutkit._notes import attach_note, attached
from timeoutkit._policy import TimeoutPolicy

OnCorrection = Callable[[Correction], object] | None

KINDS: dict[str, Callable[[Any], bool]] = {
    "coroutine": inspect.iscoroutinefunction,
    "generator": inspect.isgeneratorfunction,
    "async_generator": inspect.isasyncgenfunction,
}


def kind_of(function: Any) -> str:
    """Tell the kind of a callable; an object is of the kind of its class's `__call__`."""
    asked = [function] if inspect.isfunction(function) else [function, type(function).__call__]
    return next((kind for kind, is_kind in KINDS.items() if any(map(is_kind, asked))), "plain")


class CorrectedCall:
    """Calls a function after a correction; one method for each kind, of that kind itself."""

    __slots__ = ("_attaches", "_returns", "function", "notes", "on_correction", "policy")

    def __init__(
        self,
        function: Callable[..., Any],
        policy: TimeoutPolicy,
        notes: bool,
        on_correction: OnCorrection,
    ) -> None:
        self.function = function
        self.policy = policy
        self.notes = notes
        self.on_correction = on_correction
        self._attaches = notes and policy.mode != "observe"
        self._returns: Any = MISSING

    def __reduce__(self) -> tuple[Any, ...]:
        return CorrectedCall, (self.function, self.policy, self.notes, self.on_correction)

    def plain(self, correction: Correction, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function; where it gives a coroutine, its result is noted when it is awaited."""
        self._begin(correction)
        try:
            result = self.function(*args, **kwargs)
        except Exception as error:
            self._note_error(correction, error)
            raise
        if type(result) is CoroutineType:
            return self._awaited(correction, result)
        return attached(result, correction.note, self._declared_result) if self._attaches else result

    async def coroutine(self, correction: Correction, /, *args: Any, **kwargs: Any) -> Any:
        """Call a coroutine function when awaited."""
        self._begin(correction)
        return await self._awaited(correction, self.function(*args, **kwargs))

    def generator(self, correction: Correction, /, *args: Any, **kwargs: Any) -> Any:
        """Run a generator: nothing is added to what it yields."""
        self._begin(correction)
        try:
            return (yield from self.function(*args, **kwargs))
        except Exception as error:
            self._note_error(correction, error)
            raise

    async def async_generator(self, correction: Correction, /, *args: Any, **kwargs: Any) -> Any:
        """Run an async generator, whatever is sent or thrown passed on."""
        self._begin(correction)
        stream = self.function(*args, **kwargs)
        try:
            item = await anext(stream)
            while True:
                try:
                    sent = yield item
                except GeneratorExit:
                    await stream.aclose()
                    raise
                except BaseException as thrown:
                    item = await stream.athrow(thrown)
                else:
                    item = await stream.asend(sent)
        except StopAsyncIteration:
            return
        except Exception as error:
            self._note_error(correction, error)
            raise

    async def _awaited(self, correction: Correction, result: Awaitable[Any]) -> Any:
        try:
            awaited = await result
        except Exception as error:
            self._note_error(correction, error)
            raise
        return attached(awaited, correction.note, self._declared_result) if self._attaches else awaited

    def _begin(self, correction: Correction) -> None:
        """Report the correction first: the call may never return."""
        report(correction, self.on_correction)
        if self.policy.mode == "strict" and self.policy.refuses(correction):
            raise self.policy.refusal(correction)

    def _note_error(self, correction: Correction, error: Exception) -> None:
        if self._attaches:
            with suppress(Exception):
                attach_note(error, correction.note)

    def _declared_result(self) -> Any:
        if self._returns is MISSING:
            self._returns = result_type(self.function)
        return self._returns
