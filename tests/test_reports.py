"""What people reported about timeouts in tools: each lesson, and the test that proves it or why none does."""

import ast
import asyncio
import functools
import importlib.machinery
import inspect
import math
import subprocess
import sys
import threading
import types
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import httpx
import numpy as np
import pydantic
import pytest

from timeoutkit import (
    TimeoutPolicy,
    effective_timeout,
    infer_policies,
    install,
    normalize_arguments,
    retrofit,
    sane_timeout,
)
from timeoutkit._duration import UNITS, shown
from timeoutkit._toolcall import Rules, amended, tool_call
from timeoutkit.testing import capture_corrections

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "reports.md"
GITHUB = "https://github.com/"
HERE = "test_reports.py::"
VALUES = f"{HERE}test_a_reported_value"
"""The test over the table of reported values, whose parameters carry the numbers."""


@dataclass(frozen=True)
class Report:
    """What one report teaches, where it was made, the tests that prove it, and what is not done, and why."""

    lesson: str
    places: str
    tests: tuple[str, ...] = ()
    but: str = ""


def here(*names):
    return tuple(HERE + name for name in names)


REPORTS = {
    "B01": Report("Milliseconds sent to a parameter in seconds are read as such, and the result says so; an omitted value is never unlimited.",
        "earendil-works/pi/issues/9785", (VALUES, *here("test_a_reported_value_is_noted")),
        "The note names what was used and the unit, never the wrong number, which would be learned; the line for logs has that."),
    "B02": Report("Both habits are common: no timeout at all, and one in the wrong unit.",
        "earendil-works/pi/issues/8857", (VALUES,),
        "Ending a command is the function's own work, [never ours](design.md#what-it-never-does)."),
    "B03": Report("The same as B01 and B02, withdrawn in favour of those.",
        "earendil-works/pi/issues/9151", but="There is nothing in it that B01 and B02 do not have."),
    "B04": Report("A default can be put on a tool from outside, whatever the prompt says.",
        "earendil-works/pi/issues/1335", ("test_retrofit.py::test_a_missing_value_stays_missing", *here("test_b36_a_new_default_reaches_the_value_and_the_contract"))),
    "B05": Report("No default fits every command: each tool has its own, and the model is told it.",
        "earendil-works/pi/issues/2987", here("test_b05_tools_of_one_process_keep_their_own_defaults")),
    "B06": Report("One definition serves two tools, in what they say and in what they do.",
        "earendil-works/pi/issues/9798", ("test_decorator.py::test_one_policy_is_shared_by_two_tools", *here("test_b22_what_a_policy_says_is_what_it_does"))),
    "B07": Report("A malformed value becomes the default, never no timeout; what zero means is said explicitly.",
        "earendil-works/pi/pull/9431", (VALUES, "test_rules.py::test_a_kept_value_passes_through")),
    "B09": Report("A tool ends by its own clean timeout before its host's limit aborts it.",
        "usestrix/strix/pull/1165", here("test_b09_a_host_outlasts_what_its_tool_will_use"),
        "There is no option for the host's limit: the host asks `effective_timeout`, or sets `max`."),
    "B10": Report("A cap shows in the result, and two hours are not taken for 7.2 seconds.",
        "openonion/connectonion/issues/1037", (VALUES, *here("test_a_reported_value_is_noted"))),
    "B11": Report("What the function raises passes through as the same object.",
        "openonion/connectonion/pull/1042", ("test_kinds.py::test_an_exception_is_the_same_but_for_a_note",)),
    "B12": Report("Without a maximum garbage is still corrected, and milliseconds can have a threshold of their own.",
        "openonion/connectonion/pull/1050", (VALUES,)),
    "B13": Report("Milliseconds in a parameter of milliseconds are capped, never divided.",
        "anthropics/claude-code/issues/83824", (VALUES,)),
    "B14": Report("A maximum holds for a default as well, whoever states which.",
        "can1357/oh-my-pi/pull/6296", here("test_b14_a_default_is_held_within_the_maximum", "test_b14_a_default_above_the_maximum_is_refused"),
        "With `default=None` the function's own default is left as it is."),
    "B15": Report("120000 seconds were two minutes; a parameter may say its unit in its name.",
        "humanlayer/fold/pull/33", (VALUES, "test_decorator.py::test_the_parameter_is_found_by_its_name"),
        "A function that keeps its old name beside the new one has two parameters: each can have a policy, which of them counts is for the function to say."),
    "B16": Report("The model is told the unit, also where the author's docstring does not say it.",
        "mistralai/mistral-vibe/issues/138", (VALUES, "test_docstring.py::test_a_docstring_gains_the_contract", "test_policy.py::test_the_contract_is_one_sentence")),
    "B17": Report("The contract is in the text, so that it survives being exported again; guessing can be turned off.",
        "1jehuang/jcode/issues/1223", (VALUES, "test_policy.py::test_a_schema_merges_into_a_property_that_exists", "frameworks/test_schema.py::test_the_schema_states_the_contract"),
        "The schema has no key of its own for the unit: what a model reads is the text."),
    "B18": Report("Seconds in a parameter of milliseconds do not kill a build, and a note names the parameter that was wrong.",
        "dimetron/pi-go/pull/184", (VALUES, *here("test_b18_a_note_names_the_parameter_to_change"))),
    "B19": Report("A function may take another unit than its caller writes.",
        "memodb-io/Acontext/pull/320", ("test_decorator.py::test_a_function_may_take_another_unit_than_its_caller_writes", "test_decorator.py::test_an_omitted_argument_is_never_judged")),
    "B21": Report("Who would rather refuse can, and the refusal says unit, range and what was probably meant.",
        "makecindy/cindy/pull/2827", ("test_rules.py::test_strict_mode_refuses_what_would_be_corrected", "test_decorator.py::test_strict_mode_refuses_the_call")),
    "B22": Report("What is said and what is done come from one object; zero is a value, not an absence.",
        "alchemiststudiosDOTai/tunacode/pull/408", (VALUES, *here("test_b22_what_a_policy_says_is_what_it_does"))),
    "B23": Report("The contract has the unit, an example, and the unit that it is not.",
        "code-yeongyu/oh-my-openagent/pull/2315", ("test_policy.py::test_the_contract_is_one_sentence",)),
    "B24": Report("A value from a configuration is judged as any other, and what it may have meant is named.",
        "google-gemini/gemini-cli/issues/1995", (VALUES, "test_notes.py::test_the_wording_of_a_note", "test_environment.py::test_a_variable_that_cannot_be_used_is_a_warning", *here("test_b24_a_variable_that_looks_like_milliseconds_is_a_warning")),
        "The operator's variables are in seconds, or say their unit: one that looks like milliseconds is a warning."),
    "B25": Report("A name with a unit in it is not ambiguous.",
        "openai/codex/pull/2571", ("test_decorator.py::test_the_parameter_is_found_by_its_name", "test_arguments.py::test_a_limit_on_the_call_is_found", *here("test_b25_one_limit_in_two_spellings_gets_no_second_value")),
        "There are no aliases: a function has the parameters that it has."),
    "B26": Report("A `timedelta` says its unit, so it is right in any.",
        "microsoft/playwright-python/issues/2600", (VALUES, "test_duration.py::test_an_explicit_duration_is_the_same_in_every_unit")),
    "B27": Report("A function that declares a `timedelta` receives seconds as such, not days.",
        "lastmile-ai/mcp-agent/pull/740", ("test_decorator.py::test_the_function_receives_the_type_it_declares",)),
    "B28": Report("People can read unit, bounds and default too.",
        "crewAIInc/crewAI/issues/732", ("test_docstring.py::test_a_decorated_function_documents_its_own_parameter", "test_builders.py::test_the_contract_is_in_the_help", "test_cli.py::test_explain_gives_the_note_and_the_contract")),
    "B30": Report("A call without a timeout gets the default.",
        "openai/codex/issues/4775", (VALUES, "test_shapes.py::test_a_shape_called_without_a_timeout")),
    "B31": Report("Default and maximum are set apart, there may be no maximum, and one below the other is refused.",
        "anomalyco/opencode/issues/1721", (VALUES, "test_policy.py::test_a_field_that_is_not_given_follows_the_ones_that_are", "test_policy.py::test_a_policy_that_cannot_be_used_is_refused_when_made")),
    "B32": Report("A retrofit reaches every way to the function.",
        "vm0-ai/vm0/issues/26464", (*here("test_b32_a_retrofit_reaches_callers_of_the_function_too"), "frameworks/test_install.py::test_every_way_to_the_tool_is_corrected")),
    "B33": Report("A value in range that a call states beats every default.",
        "PrimeIntellect-ai/prime-agent/issues/1156", (VALUES, "test_properties.py::test_a_value_in_range_is_equal_to_what_was_given")),
    "B34": Report("Operators set default and maximum by the environment; a zero of theirs is not a zero of the model's.",
        "handochan/aelix-ai/issues/11", (VALUES, "test_environment.py::test_another_prefix_reads_other_variables", "test_environment.py::test_a_variable_that_cannot_be_used_is_a_warning"),
        "A variable of 0 does not turn a limit off, it is a warning: who wants none writes `max=None` where it can be read."),
    "B35": Report("A schema may require the timeout, so that the model chooses, while a call without it still works.",
        "OpenHands/OpenHands/issues/9013", here("test_b35_a_required_timeout_may_still_be_left_out")),
    "B36": Report("Who changes a default changes what is used and what is said of it.",
        "piotr-oles/pi-extensions/issues/74", here("test_b36_a_new_default_reaches_the_value_and_the_contract", "test_b36_an_installed_schema_says_the_default_that_is_used"),
        "What the author wrote in prose stays as it is, before the contract."),
    "B37": Report("Zero and below become the default and leave a note; a schema can state the minimum.",
        "huiliyi37/Tianshu-harness/issues/187", (VALUES, *here("test_a_reported_value_is_noted"), "test_policy.py::test_the_schema_has_a_type_a_description_and_a_default")),
    "B38": Report("Zero is the default however it is written: a float, a text, negative.",
        "vedaant00/opendot/pull/70", (VALUES, *here("test_b41_nothing_expires_at_once_for_a_zero"))),
    "B39": Report("Libraries disagree on what zero means, so it is never passed on.",
        "openai/openai-agents-python/pull/1899", (VALUES, "test_properties.py::test_no_value_raises_and_every_result_is_allowed")),
    "B40": Report("For the standard library zero is not None.",
        "python/cpython/pull/133103", (VALUES, *here("test_b41_nothing_expires_at_once_for_a_zero"))),
    "B41": Report("To one library zero means at once, to another never: neither sees it.",
        "aio-libs-abandoned/async-timeout/issues/27 fsspec/filesystem_spec/pull/643", here("test_b41_nothing_expires_at_once_for_a_zero")),
    "B42": Report("What a decorator is told is checked when it decorates.",
        "pydantic/pydantic-ai/issues/6382", here("test_b42_a_zero_as_an_option_is_refused_at_once", "test_b42_install_refuses_what_is_no_policy")),
    "B43": Report("-1 is not unlimited below a finite maximum, a cap never lengthens, and programs can read what was done.",
        "vybestack/llxprt-code/pull/3050", (VALUES, "test_rules.py::test_a_cap_never_lengthens_a_short_request", "test_notes.py::test_a_correction_is_json_ready")),
    "B44": Report("One function takes every input and never raises.",
        "agentscope-ai/QwenPaw/pull/6874", (VALUES, "test_properties.py::test_no_value_raises_and_every_result_is_allowed", "test_properties.py::test_no_object_raises_whatever_its_methods_do")),
    "B45": Report("What code says beats the environment, and that beats what is built in.",
        "piotr-oles/pi-extensions/pull/58", ("test_environment.py::test_the_environment_completes_and_limits_what_code_says", "test_environment.py::test_the_functions_own_default_beats_the_environment")),
    "B47": Report("A host can ask what a call would use, and a boolean is no number there either.",
        "usestrix/strix/pull/463", ("test_decorator.py::test_a_host_can_ask_what_a_call_would_use", *here("test_b47_what_a_host_is_told_is_what_the_function_gets", "test_b47_a_host_is_told_of_a_key_of_any_mapping", "test_b47_a_host_is_told_of_a_partial"))),
    "B48": Report("The bounds are in the schema's text before the first call; a day is capped, not divided.",
        "can1357/oh-my-pi/issues/6575", (VALUES, "test_policy.py::test_the_contract_is_one_sentence")),
    "B49": Report("A value that was stored earlier is judged, with a record, when it is used.",
        "langwatch/tasks/issues/115", (VALUES, "test_arguments.py::test_nothing_is_mutated_and_the_rest_is_untouched")),
    "B50": Report("Above the maximum the call goes on with the maximum; a text that is no number is not no timeout.",
        "netease-lcap/wave-agent/pull/2235", (VALUES, "test_rules.py::test_an_observed_value_is_read_as_meant_or_capped")),
    "B51": Report("No client refuses what would be corrected: the schema has no hard maximum.",
        "electric-sql/electric/pull/4568", (VALUES, "test_policy.py::test_the_schema_has_a_type_a_description_and_a_default", "frameworks/test_schema.py::test_no_bounds_by_default")),
    "B53": Report("A transport may end a call before the tool's own maximum.",
        "wonderwhy-er/DesktopCommanderMCP/issues/447", but="A tool does not know what carries its calls. Who does sets `max` or `TIMEOUTKIT_MAX` below that, or asks `effective_timeout`."),
    "B54": Report("A note does not promise what the host may not give.",
        "openclaw/openclaw/issues/132765", ("test_notes.py::test_the_wording_of_a_note",), "It says what was used, not how long the call will be let run."),
    "B55": Report("A command may go on after its time is up.",
        "anthropics/claude-code/issues/87439", but="A corrected argument is not a cancelled command: [it never cancels, kills or threads anything](design.md#what-it-never-does)."),
    "B56": Report("A minimum is in the text as well.",
        "TouchAI-org/TouchAI/pull/404", (VALUES, "test_policy.py::test_the_contract_is_one_sentence")),
    "B57": Report("A small value in range is honoured.",
        "massgen/MassGen/issues/743", (VALUES, "test_rules.py::test_a_cap_never_lengthens_a_short_request")),
    "B58": Report("No value overflows a timer of 32-bit milliseconds, whatever the unit.",
        "openclaw/openclaw/issues/12407", (VALUES, *here("test_b58_the_longest_timeout_fits_a_timer"))),
    "B59": Report("Enormous numbers become the maximum, without an overflow.",
        "openai/codex/issues/1020", (VALUES, "test_duration.py::test_a_number_of_any_kind_is_bare")),
    "B61": Report("Even without a maximum there is one that every platform can wait.",
        "tpaviot/pythonocc-core/issues/523", (VALUES, *here("test_b58_the_longest_timeout_fits_a_timer"))),
    "B62": Report("A text with a unit is read, in a call and in the environment, and NaN never reaches a timer.",
        "ihor-sokoliuk/mcp-searxng/pull/171", (VALUES, *here("test_b62_a_variable_is_read_as_an_argument_is"))),
    "B63": Report("NaN and minus infinity become the default, infinity the maximum, also as texts.",
        "NousResearch/hermes-agent/pull/45885 use-agent-os/agent-os/pull/2916", (VALUES, *here("test_a_reported_value_is_noted"))),
    "B64": Report("Models send a timeout to tools that have none.",
        "cline/cline/pull/11064", ("test_decorator.py::test_what_cannot_be_decorated_is_a_type_error", "test_shapes.py::test_a_shape_called_by_keyword"),
        "A tool is given no parameter that it does not have, it could not keep to it; one that collects `**options` is corrected."),
    "B65": Report("A host can correct raw arguments before it formats or compares them.",
        "langchain-ai/deepagents/issues/1586", (VALUES, *here("test_b65_corrected_arguments_are_numbers_to_whoever_shows_them"))),
    "B66": Report("Numbers that are declared as texts arrive with words in them, with fractions, or empty.",
        "langchain4j/langchain4j/pull/5752", (VALUES, "test_properties.py::test_any_value_is_read_and_shown")),
    "B68": Report("A function that declares a float receives one.",
        "microsoft/agent-framework/issues/8515", ("test_decorator.py::test_the_function_receives_the_type_it_declares",)),
    "B69": Report("A default is delivered as any value is, in the type that the function declares.",
        "grll/mcpadapt/issues/91", here("test_b69_a_default_arrives_in_the_declared_type")),
    "B70": Report("Every kind of number is read, and a boolean is none.",
        "pydantic/pydantic-ai/pull/5019", (VALUES, "test_duration.py::test_a_number_of_any_kind_is_bare", "test_duration.py::test_what_says_nothing_is_unreadable")),
    "B71": Report("What one version wants as a `timedelta` and another as seconds is chosen by the annotation.",
        "Netw0rkNoob/VulnClaw/pull/188", ("test_decorator.py::test_the_function_receives_the_type_it_declares", *here("test_b69_a_default_arrives_in_the_declared_type"))),
    "B72": Report("The same when an interface moves from the one to the other.",
        "openai/openai-agents-python/pull/874", ("test_decorator.py::test_the_function_receives_the_type_it_declares",)),
    "B73": Report("A boolean becomes the default, with a note.",
        "urllib3/urllib3/pull/924", (VALUES, *here("test_a_reported_value_is_noted"))),
    "B74": Report("The rule about booleans is short, and a subclass of int that is none is a number.",
        "wolph/portalocker/pull/150", (VALUES, "test_rules.py::test_a_value_in_range_becomes_a_plain_number", "test_notes.py::test_a_note_is_short")),
    "B75": Report("A pair of timeouts, or a library's own object, is the program's own.",
        "psf/requests/issues/2723", ("test_rules.py::test_each_number_of_a_tuple_is_judged_by_itself", "test_rules.py::test_an_object_of_the_program_passes_through", "test_retrofit.py::test_requests", "test_retrofit.py::test_httpx", *here("test_b75_a_default_that_is_the_programs_own_stays")),
        "A list is what JSON carries and no duration: the default."),
    "B78": Report("A schema may allow a number or a text with a unit.",
        "genlayerlabs/genvm/pull/294", (VALUES, "test_policy.py::test_a_schema_merges_into_a_property_that_exists", "test_arguments.py::test_a_limit_on_the_call_is_found")),
    "B79": Report("Models write null for what they leave out: no error, and no note.",
        "microsoft/debug-gym/pull/353", (VALUES, "test_annotation.py::test_an_advertised_signature_lets_raw_values_through_pydantic", "test_toolcall.py::test_the_schema_gains_the_contract_in_a_copy"),
        "What is advertised of a decorated function has the type of a number alone; a null is let through and taken for a missing value. A schema of the tool's own keeps its null."),
    "B81": Report("A decorated function pickles, and a pool of processes takes it.",
        "GrahamDumpleton/wrapt/issues/158", ("test_wrapper.py::test_a_wrapper_pickles_by_reference_where_a_name_leads_to_it", "engines/test_every_engine.py::test_a_value_is_corrected_and_the_note_comes_back")),
    "B82": Report("A tool that is defined locally is carried decorated.",
        "GrahamDumpleton/wrapt/issues/34", ("test_wrapper.py::test_cloudpickle_carries_what_is_defined_locally",)),
    "B84": Report("The advertised signature has the parameters of the function, and no wildcards.",
        "PrefectHQ/fastmcp/issues/313", here("test_b84_a_signature_has_the_functions_own_parameters", "test_b84_a_call_that_works_without_us_works_with_us")),
    "B85": Report("Coroutine functions and generators are known as what they are.",
        "python/cpython/issues/100317", ("test_kinds.py::test_a_function_stays_of_its_kind", *here("test_b85_a_retrofit_keeps_the_kind_of_a_function"))),
    "B87": Report("An async generator is a kind of its own, and nothing is added to a stream.",
        "langfuse/langfuse-python/pull/1233", ("test_kinds.py::test_an_async_generator_keeps_its_protocol", *here("test_b85_a_retrofit_keeps_the_kind_of_a_function"))),
    "B92": Report("`pydantic.validate_call` goes above and below.",
        "pydantic/pydantic/pull/10627", ("test_annotation.py::test_validate_call_above_lets_raw_values_through", "test_annotation.py::test_validate_call_below_validates_what_was_corrected", *here("test_b92_pydantic_validates_above_and_below_of_every_kind"))),
    "B93": Report("A plain function stays plain and runs where it was called.",
        "openai/openai-agents-python/pull/2479", here("test_b93_a_plain_function_runs_in_the_thread_of_its_caller")),
    "B94": Report("A tool that retries takes its timeout more than once.",
        "openai/openai-python/issues/3828", ("engines/test_retries.py::test_every_attempt_gets_the_corrected_value",),
        "The contract does not say how often a function tries: its author's own words do, which stand before it."),
    "B95": Report("Sync and async twins do the same.",
        "camel-ai/camel/issues/4336", (VALUES, "test_kinds.py::test_sync_and_async_twins_agree", *here("test_a_reported_value_is_noted"))),
}  # fmt: skip
NOT_IN_USE = {8, 20, 29, 46, 52, 60, 67, 76, 77, 80, 83, 86, 88, 89, 90, 91}
"""Numbers between the first and the last that no report has."""


# -- the list itself -------------------------------------------------------------------------------


def test_no_report_is_missing():
    """Every number is in the table, in order."""
    assert list(REPORTS) == [f"B{number:02}" for number in range(1, 96) if number not in NOT_IN_USE]


@cache
def functions_of(name):
    tree = ast.parse((TESTS / name).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize("number", REPORTS)
def test_a_lesson_is_proven_or_it_is_said_why_not(number):
    """Every test that a report names is there, and a reported value carries its number."""
    report = REPORTS[number]
    assert report.tests or report.but
    for test in report.tests:
        name, _, function = test.partition("::")
        assert function in functions_of(name), test
    assert (VALUES in report.tests) == (number in {row[0] for row in REPORTED})


INTRODUCTION = """\
# Reports

What people reported about timeouts in tools, what each report teaches, and where that is proven: every test that is
named here stands below `tests/`, and another test asserts that it does. Where a lesson is not followed, or only in part,
the last column says why.

This page is made from the table in `tests/test_reports.py`: running that file writes it anew.

| report | lesson | where it is proven, or why not |
|---|---|---|
"""


def page():
    """Write the table as a page of the documentation."""
    return INTRODUCTION + "".join(line(number, report) for number, report in REPORTS.items())


def line(number, report):
    first, *others = (f"({GITHUB}{place})" for place in report.places.split())
    links = [f"[{number}]{first}", *(f"[and]{other}" for other in others)]
    proven = ", ".join(f"`{test}`" for test in report.tests)
    where = ". ".join(part for part in (proven, report.but) if part)
    return f"| {', '.join(links)} | {report.lesson} | {where} |\n"


def test_the_page_shows_the_table():
    """The page in the documentation is the one that is made from this table."""
    assert PAGE.read_text() == page(), "run python tests/test_reports.py"


# -- reported values -------------------------------------------------------------------------------


class Level(IntEnum):
    """A number with a name."""

    LONG = 30


REPORTED = [
    # the report, the policy, what was written, what is used, the reason if there is anything to say
    ("B01", {}, 180000, 180, "read_as_ms"), ("B01", {}, None, 120, None),
    ("B02", {}, None, 120, None), ("B02", {}, 90000, 90, "read_as_ms"),
    ("B07", {}, "ten", 120, "unreadable"), ("B07", {}, 0, 120, "not_positive"), ("B07", {"keep": (0,)}, 0, 0, None),
    ("B10", {}, 7200, 600, "above_max"),
    ("B12", {"max": None}, 60000, 60000, "suspicious"), ("B12", {"max": None}, "soon", 120, "unreadable"),
    ("B12", {"max": None}, 0, 120, "not_positive"), ("B12", {"max": None, "ms_threshold": 10000}, 90000, 90, "read_as_ms"),
    ("B13", {"unit": "ms"}, 960000, 600000, "above_max"),
    ("B15", {}, 120000, 120, "read_as_ms"), ("B15", {"unit": "ms"}, 120000, 120000, None),
    ("B16", {}, 100000, 100, "read_as_ms"),
    ("B17", {"unit": "ms"}, 120, 120000, "read_as_s"), ("B17", {"unit": "ms", "rescale": False}, 120, 1000, "below_min"),
    ("B17", {"rescale": False}, 90000, 600, "above_max"),
    ("B18", {"unit": "ms", "min": 1000}, 300, 300000, "read_as_s"),
    ("B18", {"unit": "ms", "min": "1m"}, 312, 312000, "read_as_s"), ("B18", {"unit": "ms", "min": "1m"}, 5000, 60000, "below_min"),
    ("B22", {"max": 300}, 0, 120, "not_positive"), ("B22", {"max": 300}, 60000, 60, "read_as_ms"),
    ("B24", {"unit": "ms", "min": 1000}, 60, 60000, "read_as_s"), ("B24", {}, "60000", 60, "read_as_ms"),
    ("B26", {}, timedelta(seconds=5), 5, None), ("B26", {"unit": "ms"}, timedelta(seconds=5), 5000, None),
    ("B30", {}, None, 120, None),
    ("B31", {"max": None}, 36000, 36000, None), ("B31", {"max": "1 d"}, 36000, 36000, None), ("B31", {"default": 30}, None, 30, None),
    ("B33", {"default": 300}, 5, 5, None),
    ("B34", {}, 0, 120, "not_positive"),
    ("B37", {}, 0, 120, "not_positive"), ("B37", {}, -1, 120, "not_positive"),
    ("B38", {}, 0.0, 120, "not_positive"), ("B38", {}, -0.0, 120, "not_positive"), ("B38", {}, -5, 120, "not_positive"),
    ("B38", {}, "-5", 120, "not_positive"), ("B38", {}, "0", 120, "not_positive"), ("B38", {}, "0s", 120, "not_positive"),
    ("B39", {}, 0, 120, "not_positive"), ("B39", {"unit": "ms"}, 0, 120000, "not_positive"),
    ("B40", {}, timedelta(0), 120, "not_positive"),
    ("B43", {}, -1, 120, "not_positive"), ("B43", {"default": 900}, 5, 5, None),
    ("B44", {}, "", 120, None), ("B44", {}, "fast", 120, "unreadable"), ("B44", {}, [30], 120, "unreadable"),
    ("B44", {}, {"seconds": 30}, 120, "unreadable"), ("B44", {}, b"30", 120, "unreadable"),
    ("B48", {"max": 3600}, 86400, 3600, "above_max"), ("B48", {}, 86400, 600, "above_max"),
    ("B49", {"unit": "ms", "max": 60000}, "90000", 60000, "above_max"),
    ("B50", {"unit": "ms"}, 900000, 600000, "above_max"), ("B50", {"unit": "ms"}, 1800000, 600000, "above_max"),
    ("B50", {"unit": "ms"}, 1200000, 600000, "above_max"), ("B50", {"unit": "ms"}, "abc", 120000, "unreadable"),
    ("B51", {}, 601, 600, "above_max"),
    ("B56", {"unit": "ms", "rescale": False}, 500, 1000, "below_min"), ("B56", {"min": 5}, 2, 5, "below_min"),
    ("B57", {"default": 400, "max": 400}, 2, 2, None), ("B57", {}, 0.5, 0.5, None),
    ("B58", {"max": None}, "30 days", 2147483, "above_max"), ("B58", {"unit": "ms", "max": None}, "30 days", 2147483000, "above_max"),
    ("B59", {"unit": "ms"}, 1.2e12, 600000, "above_max"), ("B59", {}, 10**9, 600, "read_as_ms"),
    ("B59", {}, 10**18, 600, "read_as_ms"), ("B59", {}, 10**400, 600, "above_max"),
    ("B61", {"max": None}, 99999999, 2147483, "above_max"),
    ("B62", {}, "10s", 10, None), ("B62", {}, "1.5", 1.5, None), ("B62", {}, "NaN", 120, "unreadable"),
    ("B63", {}, math.nan, 120, "unreadable"), ("B63", {}, math.inf, 600, "above_max"), ("B63", {}, -math.inf, 120, "not_positive"),
    ("B63", {}, "nan", 120, "unreadable"), ("B63", {}, "inf", 600, "above_max"), ("B63", {}, "Infinity", 600, "above_max"),
    ("B65", {}, "10", 10, None),
    ("B66", {}, "30 seconds", 30, None), ("B66", {}, "1.5", 1.5, None), ("B66", {}, "", 120, None),
    ("B70", {}, True, 120, "unreadable"), ("B70", {}, Decimal("1.5"), 1.5, None), ("B70", {}, Fraction(3, 2), 1.5, None),
    ("B70", {}, np.int64(30), 30, None), ("B70", {}, np.float64(90000), 90, "read_as_ms"), ("B70", {}, np.bool_(True), 120, "unreadable"),
    ("B73", {}, True, 120, "unreadable"), ("B73", {}, False, 120, "unreadable"), ("B73", {"keep": (0, 1)}, True, 120, "unreadable"),
    ("B74", {}, Level.LONG, 30, None),
    ("B78", {}, "500ms", 0.5, None), ("B78", {}, "5m", 300, None),
    ("B79", {}, None, 120, None), ("B79", {}, "null", 120, None),
    ("B95", {}, 90000, 90, "read_as_ms"), ("B95", {}, "soon", 120, "unreadable"),
]  # fmt: skip


@dataclass
class Tool:
    """Gives the timeout that it was called with."""

    command: str = "ls"

    def run(self, timeout: float | None = None) -> dict[str, Any]:
        return {"timeout": timeout}

    async def run_async(self, timeout: float | None = None) -> dict[str, Any]:
        return {"timeout": timeout}


def run_shell(timeout: float | None = None) -> dict[str, Any]:
    return {"timeout": timeout}


async def run_shell_async(timeout: float | None = None) -> dict[str, Any]:
    return {"timeout": timeout}


def annotated(policy):
    def run_shell(timeout: Annotated[float, policy]) -> dict[str, Any]:
        return {"timeout": timeout}

    return sane_timeout(run_shell)


SOMEBODY_ELSES = """
def run_shell(timeout=None): return {"timeout": timeout}
async def run_shell_async(timeout=None): return {"timeout": timeout}
def generator(timeout=None): yield timeout
async def stream(timeout=None): yield timeout
def own(timeout=300): return timeout
"""


@pytest.fixture
def module(monkeypatch):
    """Give a module that is somebody else's."""
    module = types.ModuleType("somebody_elses")
    module.__spec__ = importlib.machinery.ModuleSpec(module.__name__, None)
    exec(SOMEBODY_ELSES, module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


def retrofitted(module, name, policy, value):
    fields = policy.given_fields() | {"unit": policy.unit, "default": policy.default}
    with retrofit(f"{module.__name__}:{name}", **fields):
        return getattr(module, name)(value)


WITH_A_RESULT = {
    "function": lambda policy, value, _: sane_timeout(policy=policy)(run_shell)(value),
    "coroutine function": lambda policy, value, _: sane_timeout(policy=policy)(run_shell_async)(timeout=value),
    "method": lambda policy, value, _: sane_timeout(policy=policy)(Tool().run)(timeout=value),
    "coroutine method": lambda policy, value, _: sane_timeout(policy=policy)(Tool().run_async)(value),
    "annotation": lambda policy, value, _: annotated(policy)(value),
    "retrofit": lambda policy, value, module: retrofitted(module, "run_shell", policy, value),
    "retrofit, async": lambda policy, value, module: retrofitted(module, "run_shell_async", policy, value),
}
"""The ways in which a value comes in and a result goes out."""
WITHOUT_A_RESULT = {
    "policy": lambda policy, value, _: {"timeout": policy.normalize(value)[0]},
    "arguments": lambda policy, value, _: normalize_arguments({"timeout": value}, {"timeout": policy})[0],
    "field": lambda policy, value, _: {
        "timeout": pydantic.TypeAdapter(Annotated[float, policy]).validate_python(value)
    },
}
in_every_report = pytest.mark.parametrize(
    ("fields", "written", "used", "reason"), [row[1:] for row in REPORTED], ids=[f"{row[0]}-{shown(row[2])}" for row in REPORTED]
)  # fmt: skip


@in_every_report
def test_a_reported_value(fields, written, used, reason, module, run):
    """Whichever way it comes in, the same is used."""
    policy, doors = TimeoutPolicy(**fields), WITH_A_RESULT | WITHOUT_A_RESULT
    received = {door: run(call(policy, written, module))["timeout"] for door, call in doors.items()}
    assert received == dict.fromkeys(doors, used)


@in_every_report
def test_a_reported_value_is_noted(fields, written, used, reason, module, run):
    """Whichever way it comes in, the result and the records say what was corrected, or nothing."""
    policy = TimeoutPolicy(**fields)
    for door, call in WITH_A_RESULT.items():
        with capture_corrections() as corrections:
            note = run(call(policy, written, module)).get("timeout_note")
        assert [one.reason for one in corrections] == ([reason] if reason else []), door
        assert note == (corrections[0].note if reason else None), door


# -- lessons that are more than a value ------------------------------------------------------------


def contract_of(function):
    """Give what the signature says of the timeout."""
    return inspect.signature(function).parameters["timeout"].annotation.__metadata__[0]


def test_b05_tools_of_one_process_keep_their_own_defaults():
    """Each uses and states its own."""
    quick, slow = (sane_timeout(default=default, max="20m")(run_shell) for default in (10, 900))
    assert (quick()["timeout"], slow()["timeout"]) == (10, 900)
    assert "at most 1200; default 10;" in contract_of(quick)
    assert "at most 1200; default 900;" in contract_of(slow)


@sane_timeout(max=0.001)
async def wait_for_agents(timeout: float) -> str:
    """Wait for what never comes."""
    try:
        async with asyncio.timeout(timeout):
            await asyncio.Event().wait()
    except TimeoutError:
        return f"not ready within {timeout} s"


def test_b09_a_host_outlasts_what_its_tool_will_use():
    """Its deadline is what the tool will use and a margin, so the tool answers by itself."""
    deadline = effective_timeout(wait_for_agents, timeout=7200) + 60
    answer = asyncio.run(asyncio.wait_for(wait_for_agents(timeout=7200), deadline))
    assert answer.startswith('not ready within 0.001 s\n\n[timeoutkit] "timeout": 0.001 was used.')


def five_minutes(timeout: float = 300) -> float:
    return timeout


def five_minutes_in_ms(timeout: int = 300_000) -> float:
    return timeout / 1000


COMMAND = {"command": {"type": "string"}, "timeout": {"type": "integer", "default": 300}}
HELD = {
    "decorator": lambda limit, _: sane_timeout(**limit)(five_minutes)(),
    "policy": lambda limit, _: sane_timeout(policy=TimeoutPolicy(**limit))(five_minutes)(None),
    "another unit": lambda limit, _: sane_timeout(unit="s", callee_unit="ms", **limit)(five_minutes_in_ms)(),
    "question": lambda limit, _: effective_timeout(sane_timeout(**limit)(five_minutes)),
    "retrofit": lambda limit, module: retrofitted_default(module, limit),
}


def retrofitted_default(module, limit):
    with retrofit("somebody_elses:own", **limit):
        return module.own()


@pytest.mark.parametrize("where", HELD)
@pytest.mark.parametrize("by_operator", [True, False], ids=["by the operator", "in code"])
def test_b14_a_default_is_held_within_the_maximum(where, by_operator, module, monkeypatch):
    """A call without a timeout is capped as any other, whoever says the maximum."""
    if by_operator:
        monkeypatch.setenv("TIMEOUTKIT_MAX", "30")
    assert HELD[where]({} if by_operator else {"max": 30}, module) == 30


def test_b14_a_default_above_the_maximum_is_refused():
    """Two statements of code that contradict each other are not settled in silence."""
    with pytest.raises(ValueError, match="default=300 is above max=30: raise max or lower default"):
        sane_timeout(default=300, max=30)(run_shell)


def test_b18_a_note_names_the_parameter_to_change():
    """Of two limits only the wrong one is named, with the unit and the range of its own."""

    @sane_timeout(param="idle_timeout_ms", min="1s")
    @sane_timeout(param="timeout_ms", min="1m")
    def build(timeout_ms: int = 300_000, idle_timeout_ms: int = 60_000) -> str:
        return f"{timeout_ms} {idle_timeout_ms}"

    assert build(timeout_ms=300) == (
        '300000 60000\n\n[timeoutkit] "timeout_ms": 300000 was used. '
        "timeout_ms is in milliseconds (60000 to 600000), not seconds."
    )
    assert build(idle_timeout_ms=5) == (
        '300000 5000\n\n[timeoutkit] "idle_timeout_ms": 5000 was used. '
        "idle_timeout_ms is in milliseconds (1000 to 600000), not seconds."
    )


STATED = [
    {},
    {"default": 30, "max": 300},
    {"unit": "ms"},
    {"min": 5, "max": 3600},
    {"unit": "min", "max": 60, "min": 2},
]


@pytest.mark.parametrize("fields", STATED, ids=str)
def test_b22_what_a_policy_says_is_what_it_does(fields):
    """Default and bounds in the schema, in the text and in the signature are those that are used."""
    policy = TimeoutPolicy(**fields)
    schema, tool = policy.json_schema(bounds=True), sane_timeout(policy=policy)(run_shell)
    assert schema["default"] == policy.normalize(None)[0] == tool()["timeout"] == tool.__defaults__[0]
    assert schema["maximum"] == policy.normalize("1000 days")[0] == tool("1000 days")["timeout"]
    assert schema.get("minimum", 0) == (policy.normalize("1 ns")[0] if policy.min else 0)
    assert schema["description"] == policy.describe() == contract_of(tool)
    assert {str(schema["default"]), str(schema["maximum"])} <= set(schema["description"].replace(";", "").split())


def test_b32_a_retrofit_reaches_callers_of_the_function_too():
    """`subprocess.check_output` calls `subprocess.run`, so one patch corrects both, each once."""
    command = [sys.executable, "-c", "print(1)"]
    with retrofit("subprocess:run", max=300), capture_corrections() as corrections:
        assert subprocess.run(command, capture_output=True, check=True, timeout=90000).stdout.strip() == b"1"
        assert subprocess.check_output(command, timeout=90000).strip() == b"1"
    assert [correction.used for correction in corrections] == [90, 90]


def test_b35_a_required_timeout_may_still_be_left_out():
    """With the declared type kept the model has to choose; who calls without gets the default."""

    @sane_timeout(advertise="docs", default=60)
    def tool(command: str, timeout: int) -> int:
        return timeout

    assert pydantic.TypeAdapter(tool).json_schema()["required"] == ["command", "timeout"]
    assert tool("ls") == tool("ls", None) == 60


def test_b36_a_new_default_reaches_the_value_and_the_contract(module):
    """Put on from outside, it changes what is used and what is said at once, and taken back both are as before."""
    with retrofit("somebody_elses:run_shell", default=10):
        assert module.run_shell()["timeout"] == 10
        assert module.run_shell.__defaults__ == (10,)
        assert "default 10;" in contract_of(module.run_shell)
        assert "default 10;" in module.run_shell.__doc__
    assert module.run_shell()["timeout"] is None
    assert module.run_shell.__doc__ is None


@pytest.mark.parametrize("zero", [0, 0.0, -1, "0", timedelta(0)], ids=shown)
def test_b41_nothing_expires_at_once_for_a_zero(zero):
    """What takes zero for *now* never gets it."""

    @sane_timeout
    async def fetch(timeout: float = 5) -> bool:
        async with asyncio.timeout(timeout):
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        return True

    assert asyncio.run(fetch(timeout=zero))
    assert sane_timeout(subprocess.run)([sys.executable, "-c", ""], timeout=zero).returncode == 0


@pytest.mark.parametrize("options", [{"default": 0}, {"default": -1}, {"max": 0}, {"min": -1}, {"max": True}], ids=str)
def test_b42_a_zero_as_an_option_is_refused_at_once(options, module):
    """Neither a decorator nor a retrofit waits for the first call."""
    with pytest.raises(ValueError, match=r"is not (positive|a duration)"):
        sane_timeout(**options)(run_shell)
    with pytest.raises(ValueError, match=r"is not (positive|a duration)"):
        retrofit("somebody_elses:run_shell", **options)


@pytest.mark.parametrize(
    "written", [None, 0, True, False, 5, 90000, 7200, "10", "30 seconds", math.inf, [5]], ids=shown
)
def test_b47_what_a_host_is_told_is_what_the_function_gets(written, run):
    """A host that sizes its deadline by the answer is right, for plain and for coroutine functions."""
    for function in (run_shell, run_shell_async, Tool().run, Tool().run_async):
        tool = sane_timeout(function)
        assert effective_timeout(tool, written) == run(tool(written))["timeout"]
        assert effective_timeout(tool, timeout=written) == run(tool(timeout=written))["timeout"]


@pytest.mark.parametrize("unit", UNITS)
def test_b58_the_longest_timeout_fits_a_timer(unit):
    """Without a maximum infinity is what 32 bits of milliseconds hold, and this platform can wait that long."""
    longest = sane_timeout(unit=unit, callee_unit="ms", max=None)(lambda timeout: timeout)(math.inf)
    assert 2_147_482_000 < longest <= 2**31 - 1
    done = threading.Event()
    done.set()
    assert sane_timeout(unit=unit, callee_unit="s", max=None)(done.wait)("1000 days") is True


@pytest.mark.parametrize(("text", "seconds"), [("10s", 10), ("600000ms", 600), ("1.5", 1.5), ("PT1M", 60), ("30", 30)])
def test_b62_a_variable_is_read_as_an_argument_is(monkeypatch, text, seconds):
    """The same texts are understood."""
    monkeypatch.setenv("TIMEOUTKIT_DEFAULT", text)
    assert TimeoutPolicy.from_env().default == seconds == TimeoutPolicy().normalize(text)[0]


@pytest.mark.parametrize("arguments", [{"timeout": "10"}, '{"timeout": "10"}'], ids=type)
def test_b65_corrected_arguments_are_numbers_to_whoever_shows_them(arguments):
    """A text that is a number is one before a host formats or compares it."""
    used, _ = normalize_arguments(arguments, {"timeout": TimeoutPolicy()})
    timeout = used["timeout"] if isinstance(used, dict) else float(used.partition(": ")[2].rstrip("}"))
    assert f"{timeout:g} s" == "10 s"
    assert timeout > 5


@pytest.mark.parametrize("declared", [float, timedelta, timedelta | None, float | timedelta], ids=str)
@pytest.mark.parametrize("own", [5, 5.0, timedelta(seconds=5)], ids=shown)
def test_b69_a_default_arrives_in_the_declared_type(declared, own):
    """Whatever kind of number a default is, the function receives what it declares, and the same when it is written."""

    def tool(timeout=own):
        return timeout

    tool.__annotations__ = {"timeout": declared}
    expected = timedelta(seconds=5) if declared in (timedelta, timedelta | None) else 5.0
    decorated = sane_timeout(tool)
    for received in (decorated(), decorated(None), decorated(own), decorated("5s")):
        assert received == expected
        assert type(received) is type(expected)


def any_order(command, /, timeout=5, *, flag=True): ...


SHAPES = [any_order, run_shell, run_shell_async, Tool.run, Tool().run, Tool().run_async]


@pytest.mark.parametrize("function", SHAPES, ids=lambda function: function.__qualname__)
def test_b84_a_signature_has_the_functions_own_parameters(function):
    """Names, kinds and order are those of the function, without a wildcard that it has not."""
    parameters = inspect.signature(sane_timeout(function)).parameters.values()
    own = inspect.signature(function).parameters.values()
    assert [(one.name, one.kind) for one in parameters] == [(one.name, one.kind) for one in own]


KINDS = {
    "run_shell_async": inspect.iscoroutinefunction,
    "generator": inspect.isgeneratorfunction,
    "stream": inspect.isasyncgenfunction,
}


@pytest.mark.parametrize("name", KINDS)
def test_b85_a_retrofit_keeps_the_kind_of_a_function(name, module):
    """What somebody else's function is for `inspect` it stays."""
    with retrofit(f"somebody_elses:{name}"):
        patched = getattr(module, name)
        assert [kind for kind, is_kind in KINDS.items() if is_kind(patched)] == [name]


class Validated:
    """Has methods of both kinds, with pydantic above and below."""

    @pydantic.validate_call
    @sane_timeout
    def above(self, timeout: int | None = None) -> str:
        return f"within {timeout}"

    @sane_timeout
    @pydantic.validate_call
    def below(self, timeout: int | None = None) -> str:
        return f"within {timeout}"

    @pydantic.validate_call
    @sane_timeout
    async def above_async(self, timeout: int | None = None) -> str:
        return f"within {timeout}"

    @sane_timeout
    @pydantic.validate_call
    async def below_async(self, timeout: int | None = None) -> str:
        return f"within {timeout}"


@pytest.mark.parametrize("name", ["above", "below", "above_async", "below_async"])
@pytest.mark.parametrize(
    ("written", "used"), [(90000, 90), ("30s", 30), (0, 120), (None, 120), ("soon", 120), ([5], 120)]
)
def test_b92_pydantic_validates_above_and_below_of_every_kind(name, written, used, run):
    """Nothing that a model writes is refused, whichever stands above."""
    assert run(getattr(Validated(), name)(timeout=written)).partition("\n")[0] == f"within {used}"


@pytest.mark.parametrize("written", [30, 90000, None], ids=shown)
def test_b93_a_plain_function_runs_in_the_thread_of_its_caller(written):
    """It gives its result at once, and no thread is started for it."""
    before = threading.active_count()
    where = sane_timeout(lambda timeout: threading.get_ident())
    assert where(written) == threading.get_ident()
    assert threading.active_count() == before


@pytest.mark.parametrize(
    "written", [types.MappingProxyType({"timeout": 90000}), {"timeout": 90000}, {}, "ls", None], ids=str
)
def test_b47_a_host_is_told_of_a_key_of_any_mapping(written):
    """The answer is what the function gets from any kind of mapping, and nothing of what is none."""
    handler = sane_timeout(param=("args", "timeout"))(lambda args: args)
    used = handler(written)
    assert effective_timeout(handler, written) == (used["timeout"] if hasattr(used, "keys") else None)


def test_b47_a_host_is_told_of_a_partial():
    """What a partial holds is part of the call."""
    tool = functools.partial(sane_timeout(lambda command, timeout: timeout), "ls", timeout=90000)
    assert effective_timeout(tool) == tool() == 90
    assert effective_timeout(tool, timeout=30) == tool(timeout=30) == 30


@pytest.mark.parametrize("policy", [600, {"max": 300}, None], ids=str)
def test_b42_install_refuses_what_is_no_policy(policy):
    """The error comes when it is installed, not in the log of the first call."""
    with pytest.raises(TypeError, match=r"takes a TimeoutPolicy, not .*: write TimeoutPolicy\(max=300\)"):
        install(tools={"run_shell": policy})


@pytest.mark.parametrize("by_operator", [True, False], ids=["by the operator", "by tools="])
def test_b36_an_installed_schema_says_the_default_that_is_used(by_operator, monkeypatch):
    """A default of the tool's own that is lowered is lowered in its schema as well."""
    if by_operator:
        monkeypatch.setenv("TIMEOUTKIT_MAX", "30")
    rules = Rules({} if by_operator else {"run_shell": TimeoutPolicy(max=30)})
    schema = {"properties": {"command": {}, "timeout": {"type": "integer", "default": 300}}}
    used = tool_call(rules, "run_shell", {"command": "ls"}, lambda: (schema, None)).arguments["timeout"]
    assert amended(rules, "run_shell", schema)["properties"]["timeout"]["default"] == used == 30


SPELLINGS = {"properties": {"command": {}, "timeout": {"type": "integer"}, "timeout_ms": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("written", "used"),
    [
        ({"timeout_ms": 300000}, {"timeout_ms": 300000}),
        ({"timeout": 90000}, {"timeout": 90}),
        ({"timeout": 30, "timeout_ms": 300}, {"timeout": 30, "timeout_ms": 300000}),
    ],
    ids=str,
)
def test_b25_one_limit_in_two_spellings_gets_no_second_value(written, used):
    """Where a tool takes the old name beside the new one, no default is put in beside the one that was written."""
    assert normalize_arguments(written, infer_policies(SPELLINGS))[0] == used


@pytest.mark.parametrize("name", ["TIMEOUTKIT_DEFAULT", "TIMEOUTKIT_MAX"])
def test_b24_a_variable_that_looks_like_milliseconds_is_a_warning(monkeypatch, name):
    """It stands, and both readings are named."""
    monkeypatch.setenv(name, "600000")
    with pytest.warns(UserWarning, match=rf"{name}=600000 is 6.9 days: .* write {name}=600000ms, else 600000s"):
        policy = TimeoutPolicy.from_env()
    assert policy.max == 600000
    monkeypatch.setenv(name, "600000s")
    assert TimeoutPolicy.from_env().max == 600000


USE_CLIENT_DEFAULT = object()


@pytest.mark.parametrize("own", [(3.05, 27), httpx.Timeout(5), USE_CLIENT_DEFAULT], ids=["pair", "httpx", "sentinel"])
def test_b75_a_default_that_is_the_programs_own_stays(own):
    """An omitted argument leaves the function its pair, its object or its sentinel; a written one is corrected."""
    tool = sane_timeout(lambda url, timeout=own: timeout)
    assert tool("x") is own
    assert tool("x", own) == own
    assert (tool("x", 90000), tool("x", 0)) == (90, 600)
    assert effective_timeout(tool, "x") is None


def unwrapped(function):
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


def test_b84_a_call_that_works_without_us_works_with_us():
    """Below a decorator that hides the signature, a timeout by position is not passed a second time."""
    tool = sane_timeout(unwrapped(lambda command, timeout=30: timeout))
    assert tool("ls", 20) == 20
    assert tool("ls", timeout=90000) == 90
    assert tool(command="ls") == 120


if __name__ == "__main__":
    PAGE.write_text(page())
