"""The wrapper: a wrapt proxy, called through a function made for it, that speaks for itself."""

import copy
import sys
from collections.abc import Callable
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, Signature
from types import CellType, CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, NamedTuple

import wrapt

from timeoutkit._address import address_of, from_address
from timeoutkit._annotation import signature_of
from timeoutkit._argument import MISSING, Argument, split_defaults
from timeoutkit._call import make_call
from timeoutkit._delivery import declared_type
from timeoutkit._docstring import with_contract, words_of
from timeoutkit._kinds import OnCorrection
from timeoutkit._policy import TimeoutPolicy
from timeoutkit._signature import (
    Advertise,
    Target,
    advertised_signature,
    find_target,
    name_of,
)


class Settings(NamedTuple):
    """Everything that a wrapper needs besides its function; it travels with the function by value."""

    param: str | tuple[str, str]
    policy: TimeoutPolicy
    callee_unit: str | None
    notes: bool
    advertise: Advertise
    schema_bounds: bool
    on_correction: OnCorrection


class _Own:
    """An attribute of the wrapper's own: computed when first asked, replaced when set."""

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self._compute = compute
        self._name = compute.__name__.strip("_")

    def __get__(self, wrapper: Any, owner: Any = None) -> Any:
        if wrapper is None:
            return self
        own = wrapper._self_own
        if self._name not in own:
            own[self._name] = self._compute(wrapper)
        return own[self._name]

    def __set__(self, wrapper: Any, value: Any) -> None:
        wrapper._self_own[self._name] = value


if TYPE_CHECKING:

    class _Proxy:
        """What wrapt gives, as far as it is used here: its stubs leave out what belongs to the proxy itself."""

        __wrapped__: Any
        __self_dict__: dict[str, Any]

        def __init__(self, wrapped: Any, wrapper: Any) -> None: ...
        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
        def __self_setattr__(self, name: str, value: Any) -> None: ...

else:
    _Proxy = wrapt.FunctionWrapper


class TimeoutWrapper(_Proxy):
    # no docstring, annotations or name of the class: a read of them on the class must find what stands below

    __slots__ = ("__call__", "_self_argument", "_self_own", "_self_settings", "_self_target")

    def __init__(
        self, function: Callable[..., Any], signature: Signature | None, target: Target, settings: Settings
    ) -> None:
        super().__init__(function, callable)  # wrapt's own call is replaced, and asks for one
        policy, name = settings.policy, name_of(function)
        declared = None if target.key else declared_type(target.annotation)
        self._self_target = target
        self._self_settings = settings
        self._self_own: dict[str, Any] = {}
        self._self_argument = Argument(
            target.shown, target.key, policy, name, declared, settings.callee_unit or policy.unit
        )
        call = make_call(function, signature, target, self._self_argument, settings.notes, settings.on_correction)
        self.__self_setattr__("__call__", call)
        for name in ("__module__", "__doc__"):  # copies that wrapt leaves of what stands on the function
            self.__self_dict__.pop(name, None)
        self.__self_dict__.update(_attributes_of(function), __wrapped__=function)
        self.timeout_policies = {**_policies_of(function), settings.param: policy}

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    # a proxied hash would let a cache take the wrapper for its function
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def _self_step_aside(self) -> None:
        """Let every call through untouched, and say what the function says."""
        self.__self_setattr__("__call__", self.__wrapped__)
        self._self_settings = self._self_settings._replace(advertise=False)
        self._self_own.clear()

    # -- introspection -----------------------------------------------------------------------------

    @_Own
    def __signature__(self) -> Signature:
        signature = signature_of(self.__wrapped__)
        if signature is None:
            raise AttributeError("__signature__")
        _, policy, _, _, advertise, schema_bounds, _ = self._self_settings
        words = words_of(self.__wrapped__.__doc__, self._self_target.name)
        return advertised_signature(signature, self._self_target, policy, advertise, schema_bounds, words)

    @_Own
    def __annotations__(self) -> dict[str, Any]:  # pyright: ignore[reportIncompatibleVariableOverride]
        return {**getattr(self.__wrapped__, "__annotations__", {}), **self._self_stated()}

    if sys.version_info >= (3, 14):  # pragma: no cover  (measured on an older version)

        def __annotate__(self, format: int) -> dict[str, Any]:
            import annotationlib

            if format == annotationlib.Format.VALUE_WITH_FAKE_GLOBALS:
                raise NotImplementedError
            stated = self._self_stated()
            if format == annotationlib.Format.STRING:
                stated = annotationlib.annotations_to_string(stated)
            return {**annotationlib.get_annotations(self.__wrapped__, format=format), **stated}

    def _self_stated(self) -> dict[str, Any]:
        """Give the annotation that states the contract, by the parameter's name."""
        stated = self._self_settings.advertise and not self._self_target.key
        parameter = self.__signature__.parameters.get(self._self_target.name) if stated else None
        return {} if parameter is None or parameter.annotation is MISSING else {parameter.name: parameter.annotation}

    @_Own
    def __doc__(self) -> str | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        doc: str | None = self.__wrapped__.__doc__
        if not self._self_settings.advertise or self._self_target.key:
            return doc
        return with_contract(doc, self._self_target.name, self._self_settings.policy.describe())

    @_Own
    def __defaults__(self) -> tuple[Any, ...] | None:
        return self._self_split_defaults()[0]

    @_Own
    def __kwdefaults__(self) -> dict[str, Any] | None:
        return self._self_split_defaults()[1]

    def _self_split_defaults(self) -> tuple[tuple[Any, ...] | None, dict[str, Any] | None]:
        if not hasattr(self.__wrapped__, "__defaults__"):
            raise AttributeError("__defaults__")
        parameters = self.__signature__.parameters.values()
        return split_defaults(parameters, {p.name: p.default for p in parameters if p.default is not MISSING})

    @_Own
    def __name__(self) -> str:
        name: str = self.__wrapped__.__name__
        return name

    # -- attributes --------------------------------------------------------------------------------

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]  # pyright: ignore[reportIncompatibleVariableOverride]
        own: dict[str, Any] = self.__self_dict__
        return own

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("__qualname__", "__module__"):  # the proxy would write them through
            self.__self_dict__[name] = value
        else:
            self.__self_setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        if name not in self.__self_dict__:
            raise AttributeError(name)
        del self.__self_dict__[name]

    def __dir__(self) -> list[str]:
        return sorted({*dir(self.__wrapped__), *self.__self_dict__})

    # -- travelling --------------------------------------------------------------------------------

    def __copy__(self) -> "TimeoutWrapper":
        return self._self_around(copy.copy(self.__wrapped__))

    def __deepcopy__(self, memo: dict[int, Any]) -> "TimeoutWrapper":
        return self._self_around(copy.deepcopy(self.__wrapped__, memo))

    def _self_around(self, function: Any) -> "TimeoutWrapper":
        """Wrap a copy in the same way; a function is its own copy, and so is its wrapper."""
        if function is self.__wrapped__:
            return self
        return wrap(function, self._self_settings)

    # cloudpickle takes a proxy for a function and rebuilds that from its code and closure, so these are the call's own

    @_Own
    def __code__(self) -> CodeType:
        call: Any = self.__call__
        return _code_of_call(call.__code__, self.__wrapped__.__code__)

    @_Own
    def __closure__(self) -> tuple[CellType, ...] | None:
        if not hasattr(self.__wrapped__, "__closure__"):
            raise AttributeError("__closure__")
        call: Any = self.__call__
        closure: tuple[CellType, ...] | None = call.__closure__
        return closure

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        address = address_of(self)
        if address is not None:
            return from_address, address
        return wrap, (self.__wrapped__, self._self_settings)


class UnboundWrapper(TimeoutWrapper):  # pyright: ignore[reportIncompatibleVariableOverride]
    # around what does not become a method when it is read from an instance: a class, a builtin, an object

    __slots__ = ()

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self


def _policies_of(function: Any) -> dict[Any, TimeoutPolicy]:
    policies = getattr(function, "timeout_policies", None)
    return policies if isinstance(policies, dict) else {}  # a mock has every attribute


def _attributes_of(function: Any) -> dict[str, Any]:
    return dict(vars(function)) if isinstance(function, FunctionType) else {}


def wrap(
    function: Any, settings: Settings, signature: Signature | None = None, target: Target | None = None
) -> TimeoutWrapper:
    """Wrap a function with a policy that is settled already."""
    if target is None:
        signature = signature_of(function)
        target = find_target(function, signature, settings.param)
    kind = type(function)
    binds = hasattr(kind, "__get__") and kind is not UnboundWrapper
    return (TimeoutWrapper if binds else UnboundWrapper)(function, signature, target, settings)


_KIND_FLAGS = CO_COROUTINE | CO_GENERATOR | CO_ASYNC_GENERATOR


def _code_of_call(call: CodeType, function: CodeType) -> CodeType:
    """Give the code of the call the kind, name and place of the function's."""
    return call.replace(
        co_flags=call.co_flags | (function.co_flags & _KIND_FLAGS),
        co_name=function.co_name,
        co_qualname=function.co_qualname,
        co_filename=function.co_filename,
        co_firstlineno=function.co_firstlineno,
    )
