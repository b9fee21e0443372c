"""What holds for every policy, every value and every signature."""

import inspect
import math
import string
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from timeoutkit import TimeoutPolicy, attach_note, parse_duration, sane_timeout
from timeoutkit._correction import REASONS
from timeoutkit._duration import UNITS, convert, read, shown
from timeoutkit.testing import capture_corrections


class Hostile:
    """Raises from everything that it can."""

    def __repr__(self):
        raise RuntimeError("no")

    __str__ = __eq__ = __ne__ = __hash__ = __float__ = __int__ = __index__ = __bool__ = __len__ = __iter__ = __repr__
    __lt__ = __le__ = __gt__ = __ge__ = __format__ = __getattr__ = total_seconds = item = __repr__

    @property
    def __class__(self):
        raise RuntimeError("no")


class HostileInt(int):
    """A number that raises from its own arithmetic."""

    def __add__(self, other):
        raise RuntimeError("no")

    __mul__ = __mod__ = __float__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __str__ = __repr__ = __index__ = (
        __add__
    )
    __hash__ = int.__hash__


class HostileText(str):
    """A text that raises from its own methods."""

    def strip(self):
        raise RuntimeError("no")

    lower = startswith = __len__ = __getitem__ = __eq__ = __str__ = __repr__ = strip
    __hash__ = str.__hash__


class HostileDuration(timedelta):
    """A duration that raises when asked."""

    def total_seconds(self):
        raise RuntimeError("no")


HOSTILE = {
    "object": Hostile(),
    "number": HostileInt(90000),
    "text": HostileText("30s"),
    "duration": HostileDuration(seconds=5),
    "class": Hostile,
    "tuple": (Hostile(), HostileInt(90000)),
}
numbers = st.one_of(
    st.integers(), st.floats(), st.decimals(), st.fractions(), st.booleans(), st.integers(-(10**400), 10**400)
)
durations = st.timedeltas()
spelled = st.builds(
    "{}{}{}".format,
    st.floats(0, 1e6) | st.integers(0, 10**7),
    st.sampled_from(["", " "]),
    st.sampled_from(["ms", "s", "min", "h"]),
)
texts = st.one_of(
    st.text(), st.text(string.digits + "smhdMS.,_:-+ePT "), spelled, st.from_regex(r"[0-9.,_]{1,30}(s|ms)?")
)
json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
anything = st.one_of(
    numbers, durations, texts, json_values, st.binary(), st.tuples(numbers, json_values), st.builds(object)
)


@st.composite
def policies(draw, modes=("correct",)):
    """Policies of every unit, with bounds that make sense."""
    unit = draw(st.sampled_from(list(UNITS)))
    longest = convert(2_147_483, "s", unit)
    amounts = st.integers(1, int(longest)) if longest > 10_000 else st.floats(1e-3, longest)
    least, default, most = sorted(draw(st.tuples(amounts, amounts, amounts)))
    fields = {"min": least, "default": default, "max": most}
    given_fields = {name: fields[name] for name in draw(st.sets(st.sampled_from(list(fields))))}
    if draw(st.integers(0, 9)) == 0:
        given_fields |= {"max": None}
    keep = draw(st.sampled_from([(), (0,), (0, -1), (-1, None)]))
    return TimeoutPolicy(
        unit=unit, keep=keep, rescale=draw(st.booleans()), mode=draw(st.sampled_from(modes)), **given_fields
    )


def allowed(policy, used):
    return policy.min <= used <= policy.ceiling and used > 0


@given(policies(), anything)
@settings(max_examples=500)
def test_no_value_raises_and_every_result_is_allowed(policy, value):
    """The result lies within the bounds, is kept, is missing, or is the program's own object."""
    used, correction = policy.normalize(value)
    _, outcome = policy.judge(value) if type(value) is not tuple else (None, "own")
    if outcome in ("in_range", *REASONS):
        assert type(used) in (int, float)
        assert allowed(policy, used)
    elif outcome == "own":
        assert used is value or type(value) is tuple
    elif outcome == "missing":
        assert used is None or used == policy.default
    assert (correction is not None) == (outcome in REASONS) or type(value) is tuple


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("mode", ["correct", "strict", "observe"])
@given(policies())
def test_no_object_raises_whatever_its_methods_do(name, mode, policy):
    """An object whose own methods raise is judged like any other, and a function is called with the outcome."""
    value = HOSTILE[name]
    policy = TimeoutPolicy(unit=policy.unit, keep=policy.keep, mode=mode)
    policy.settle(value, "timeout")
    shown(value)
    if mode != "strict":
        calls = []
        sane_timeout(policy=policy)(lambda timeout: calls.append(timeout))(value)
        assert len(calls) == 1


@given(policies(), anything)
def test_normalizing_twice_changes_nothing(policy, value):
    """What is used is used again, with nothing more to correct."""
    used, _ = policy.normalize(value)
    again, correction = policy.normalize(used)
    assert again is used or again == used
    assert correction is None or correction.reason == "suspicious"


@given(policies(), st.data())
def test_a_value_in_range_is_equal_to_what_was_given(policy, data):
    """Nothing in range is touched."""
    value = data.draw(st.floats(float(policy.min) or 1e-6, float(policy.ceiling)))
    if allowed(policy, value):
        used, correction = policy.normalize(value)
        assert used == value
        assert correction is None or correction.reason == "suspicious"


@given(policies(), st.tuples(durations, durations))
def test_explicit_durations_are_monotone(policy, pair):
    """Of two durations that name their unit the longer one is never used for less."""
    shorter, longer = sorted(pair)
    if shorter > timedelta(0):
        assert policy.normalize(shorter)[0] <= policy.normalize(longer)[0]


@given(policies(), anything)
def test_a_note_is_one_short_line(policy, value):
    """A note has no line break and is bounded, and so is the line for people."""
    _, correction = policy.normalize(value)
    if correction is not None:
        assert correction.note.isprintable()
        assert len(correction.note) < 300
        assert str(correction).isprintable()
        assert len(str(correction)) < 300


@given(policies(modes=("observe",)), anything)
def test_observing_changes_no_value(policy, value):
    """In observe mode the very value goes on."""
    used, _ = policy.normalize(value)
    assert used is value or type(value) is tuple


@given(anything)
def test_any_value_is_read_and_shown(value):
    """Reading and showing are total."""
    reading = read(value, "s")
    assert reading is None or type(reading.amount) in (int, float)
    assert len(shown(value)) < 100 * 8
    assert shown(value).isprintable()


@given(st.text())
def test_parsing_a_text_gives_seconds_or_a_value_error(text):
    """Nothing but a ValueError comes from a text."""
    try:
        seconds = parse_duration(text)
    except ValueError:
        seconds = 0.0
    assert math.isfinite(seconds)


@given(st.decimals(0, 10**6, places=3), st.sampled_from(list(UNITS)), st.sampled_from(list(UNITS)))
def test_a_conversion_there_and_back_is_the_same(amount, unit, other):
    """Decimal figures survive a conversion."""
    assert convert(convert(float(amount), unit, other), other, unit) == pytest.approx(float(amount), rel=1e-15)
    assert convert(float(amount), "s", "ms") == Fraction(Decimal(amount)) * 1000


@given(anything)
def test_any_value_reaches_a_decorated_function_as_declared(value):
    """Whatever is passed, an int parameter receives an int within bounds, or the program's own object."""
    received = sane_timeout(_identity)(value)
    assert (type(received) is int and 0 < received <= 600) or received is value or type(value) is tuple


def _identity(timeout: int):
    return timeout


@given(st.text() | json_values)
def test_attaching_to_a_text_keeps_the_text(result):
    """A text that gains a note starts as it did, or stays valid JSON with one more key."""
    attached = attach_note(result, "[timeoutkit] note")
    if isinstance(attached, str) and attached is not result and not result.lstrip().startswith("{"):
        assert attached.startswith(result)


# -- signatures ------------------------------------------------------------------------------------

KINDS = list(inspect._ParameterKind)


@st.composite
def signatures(draw):
    """Every layout of parameters with a timeout somewhere among them."""
    names = draw(st.lists(st.sampled_from(["a", "_b", "_function", "int", "type", "self"]), unique=True, max_size=4))
    position = draw(st.integers(0, len(names)))
    names.insert(position, "timeout")
    kinds = sorted(
        draw(st.tuples(*[st.sampled_from([k for k in KINDS if k not in (KINDS[2], KINDS[4])])] * len(names)))
    )
    parameters, has_default = [], False
    for name, kind in zip(names, kinds, strict=True):
        has_default = has_default or draw(st.booleans()) if kind <= KINDS[1] else draw(st.booleans())
        default = draw(st.sampled_from([30, None])) if has_default else inspect.Parameter.empty
        parameters.append(inspect.Parameter(name, kind, default=default))
    if draw(st.booleans()):
        parameters.insert(sum(kind <= KINDS[1] for kind in kinds), inspect.Parameter("args", KINDS[2]))
    if draw(st.booleans()):
        parameters.append(inspect.Parameter("kwargs", KINDS[4]))
    return inspect.Signature(parameters)


def function_of(signature):
    names = {}
    body = ", ".join(f"{p.name!r}: {p.name}" for p in signature.parameters.values())
    exec(f"def tool{signature}: return {{{body}}}", names)
    return names["tool"]


@st.composite
def calls(draw, signature):
    """A call that fits the signature, each argument by position or by keyword where it may be."""
    args, kwargs, by_position = [], {}, True
    for parameter in signature.parameters.values():
        value = draw(st.integers(1, 600))
        if parameter.kind is KINDS[2]:
            if by_position:
                args += draw(st.lists(st.integers(), max_size=2))
        elif parameter.kind is KINDS[4]:
            kwargs |= draw(st.dictionaries(st.sampled_from(["x", "y"]), st.integers(), max_size=2))
        elif parameter.kind is KINDS[3] or not by_position or (parameter.kind is KINDS[1] and draw(st.booleans())):
            by_position = False
            if parameter.kind is KINDS[0]:
                continue
            if parameter.default is parameter.empty or draw(st.booleans()):
                kwargs[parameter.name] = value
        else:
            args.append(value)
    return args, kwargs


def outcome(function, args, kwargs):
    try:
        return function(*args, **kwargs)
    except TypeError as error:
        return str(error)


@given(st.data())
@settings(max_examples=300)
def test_a_decorated_call_equals_the_plain_call_when_in_range(data):
    """For every signature and every layout of arguments the function receives what it would without us."""
    signature = data.draw(signatures())
    function = function_of(signature)
    decorated = sane_timeout(default=None)(function)
    args, kwargs = data.draw(calls(signature))
    with capture_corrections() as corrections:
        assert outcome(decorated, args, kwargs) == outcome(function, args, kwargs)
    assert corrections == []


@given(st.data())
@settings(max_examples=300)
def test_the_advertised_signature_accepts_what_the_call_accepts(data):
    """What can be bound to the advertised signature can be called, and the reverse."""
    signature = data.draw(signatures())
    decorated = sane_timeout(function_of(signature))
    args, kwargs = data.draw(calls(signature))
    kwargs.pop("timeout", None)
    try:
        inspect.signature(decorated).bind(*args, **kwargs)
    except TypeError:
        if "timeout" in inspect.signature(decorated).parameters and _omissible_by_keyword(decorated):
            with pytest.raises(TypeError):
                decorated(*args, **kwargs)
    else:
        assert isinstance(decorated(*args, **kwargs), dict)


def _omissible_by_keyword(decorated):
    """A required timeout before required parameters can be omitted where those are passed by keyword."""
    return inspect.signature(decorated).parameters["timeout"].default is not inspect.Parameter.empty
