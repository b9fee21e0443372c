"""What the model sees of the contract."""

import json

import pytest
from matrix.here import FRAMEWORK, driver, schema_of
from matrix.tools import KINDS, WORDS, decorated

BOUNDS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
FUNCTIONS = [kind for kind in FRAMEWORK.kinds if kind != "handler"]


def timeout_in(schema):
    """Give the part of a schema that describes the timeout, as text."""
    return json.dumps(schema["properties"]["timeout"])


def keywords_in(schema):
    """Give all keys of a schema, however deep."""
    if isinstance(schema, list):
        return set().union(*map(keywords_in, schema))
    if not isinstance(schema, dict):
        return set()
    return {key for key, value in schema.items() if value is not None}.union(*map(keywords_in, schema.values()))


@pytest.mark.parametrize("kind", FRAMEWORK.kinds)
def test_the_schema_states_the_contract(kind):
    """The timeout's own entry says its unit, its maximum and its default, whatever the framework takes them from."""
    stated = timeout_in(schema_of(decorated(KINDS[kind](), max=300, default=45)))
    assert "Timeout in seconds, e.g. 30; at most 300; default 45; not milliseconds." in stated


@pytest.mark.parametrize("kind", FRAMEWORK.kinds)
def test_the_rest_of_the_schema_stays(kind):
    """The other parameter looks as it does without the decorator, and the timeout is required only if it was."""
    with_contract, without = schema_of(decorated(KINDS[kind]())), schema_of(KINDS[kind]())
    assert with_contract["properties"]["command"] == without["properties"]["command"]
    assert list(with_contract["properties"]) == list(without["properties"])
    assert with_contract["required"] == without["required"]


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_the_words_of_the_docstring(kind):
    """The tool's own description of its timeout is shown beside the contract, by whatever way the framework reads it."""
    without, with_contract = (
        WORDS in timeout_in(schema_of(tool)) for tool in (KINDS[kind](), decorated(KINDS[kind]()))
    )
    shown = {(False, False): "not shown", (True, False): "replaced", (True, True): "kept", (False, True): "added"}
    assert shown[without, with_contract] == FRAMEWORK.words


@pytest.mark.parametrize("kind", FRAMEWORK.kinds)
def test_no_bounds_by_default(kind):
    """By default no bound stands in the schema as a number, where providers refuse it and clients enforce it."""
    assert not keywords_in(schema_of(decorated(KINDS[kind](), min=5, max=300))) & BOUNDS


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_bounds_on_request(kind):
    """`schema_bounds=True` adds `minimum` and `maximum` where the framework takes the schema from pydantic."""
    schema = schema_of(decorated(KINDS[kind](), min=5, max=300, schema_bounds=True))
    shown = {"numbers": {"minimum": 5, "maximum": 300}, "text": {}}[FRAMEWORK.bounds]
    timeout = schema["properties"]["timeout"]
    assert {key: timeout[key] for key in BOUNDS if key in timeout} == shown
    assert keywords_in(schema) & BOUNDS == set(shown)


CONVERSIONS = sorted(driver.strict(decorated(KINDS[FUNCTIONS[0]]()))) if hasattr(driver, "strict") else []


@pytest.mark.skipif(not CONVERSIONS, reason="the framework ships no strict conversion")
@pytest.mark.parametrize("provider", CONVERSIONS)
def test_no_bounds_after_a_strict_conversion(provider):
    """After the framework's own conversion to a provider's strict form there is no bound as a number either."""
    schema = driver.strict(decorated(KINDS[FUNCTIONS[0]](), min=5, max=300))[provider]
    assert not keywords_in(schema) & BOUNDS
    assert "Timeout in seconds, e.g. 30; 5 to 300" in json.dumps(schema)


@pytest.mark.skipif(not CONVERSIONS or FRAMEWORK.bounds == "text", reason="no bounds as numbers to convert")
def test_bounds_survive_a_strict_conversion():
    """With `schema_bounds=True` some conversion does hand the bounds on, which is why that is not the default."""
    schemas = driver.strict(decorated(KINDS[FUNCTIONS[0]](), min=5, max=300, schema_bounds=True))
    assert keywords_in(list(schemas.values())) & BOUNDS
