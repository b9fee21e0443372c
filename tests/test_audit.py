"""The audit: calls found by their shape, judged, and reported; and whatever a log may hold besides."""

import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from timeoutkit import TimeoutPolicy
from timeoutkit.__main__ import main
from timeoutkit._audit import calls as _calls
from timeoutkit._audit import objects as _objects
from timeoutkit._audit import records as _records
from timeoutkit._audit import search as _search
from timeoutkit._audit.audit import Audit
from timeoutkit._audit.data import as_data
from timeoutkit._audit.findings import STEPS
from timeoutkit._audit.logs import logs_at, opened
from timeoutkit._audit.secrets import without_secrets
from timeoutkit._audit.tools import KNOWN_TOOLS

SAMPLES = Path(__file__).parent / "audit"
PROGRAM = (sys.executable, "-m", "timeoutkit", "audit")
SETTINGS = (
    "COLUMNS",
    "FORCE_COLOR",
    "NO_COLOR",
    "TERM",
    "TIMEOUTKIT_DEFAULT",
    "TIMEOUTKIT_MAX",
    "TIMEOUTKIT_MS_THRESHOLD",
)


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch):
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)


def environment(**settings):
    return {name: value for name, value in os.environ.items() if name not in SETTINGS} | settings


def audited(*texts, units=None, options=None, show_commands=False):
    """Audit texts, each as a log, and give the report as data."""
    audit = Audit(units, options, show_commands=show_commands)
    for number, text in enumerate(texts):
        data = text if isinstance(text, bytes) else text.encode()
        audit.read(f"log{number}", io.BufferedReader(io.BytesIO(data)))
    return as_data(audit, audit.findings())


def sampled(name):
    """Audit a sample."""
    audit = Audit()
    ((log,), _) = logs_at(str(SAMPLES / name))
    with opened(log) as stream:
        audit.read(name, stream)
    return as_data(audit, audit.findings())


def called(timeout=..., tool="run_shell", command="make", **arguments):
    """Write a line with one tool call, as Anthropic's API does."""
    written = {"command": command, **({} if timeout is ... else {"timeout": timeout}), **arguments}
    return json.dumps({"content": [{"type": "tool_use", "id": "toolu_1", "name": tool, "input": written}]}) + "\n"


def only(report):
    (finding,) = report["findings"]
    return finding


def told(capsys, *arguments, code=0):
    """Run the command, and give what it says."""
    assert main(["audit", *map(str, arguments)]) == code
    return capsys.readouterr()


# -- formats ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "tool", "param", "written_by", "unit", "unit_from", "calls", "without", "value", "line", "reason", "used"),
    [
        ("anthropic.json", "run_job", "timeout", ["Anthropic"], "ms", "schema", 1, 0, 60, 39, "read_as_s", 60000),
        ("atif.json", "run_in_terminal", "timeout", ["ATIF"], "s", "assumed", 1, 0, 100000, 23, "read_as_ms", 100),
        ("claude_code.jsonl", "Bash", "timeout", ["Anthropic"], "ms", "Claude Code", 2, 1, 300, 4, "read_as_s", 300000),
        ("codex.jsonl", "shell", "timeout_ms", ["OpenAI responses"], "ms", "name", 1, 0, 120, 3, "read_as_s", 120000),
        ("gemini.json", "run_command", "timeoutMs", ["Gemini"], "ms", "name", 1, 0, 45, 17, "read_as_s", 45000),
        ("in_text.jsonl", "run_code", "timeout", ["Anthropic"], "s", "assumed", 1, 0, 30000, 1, "read_as_ms", 30),
        ("langchain.json", "terminal", "timeout", ["LangChain"], "s", "assumed", 1, 0, -1, 31, "not_positive", 120),
        ("mcp.log", "execute", "timeout", ["MCP"], "s", "schema", 1, 0, 0, 3, "not_positive", 120),
        ("openai_chat.jsonl", "run_shell", "timeout", ["OpenAI"], "s", "assumed", 3, 1, 90000, 1, "read_as_ms", 90),
        ("pi.jsonl", "bash", "timeout", ["pi"], "s", "pi", 1, 0, 180000, 3, "read_as_ms", 180),
    ],
)  # fmt: skip
def test_every_format_is_read(
    name, tool, param, written_by, unit, unit_from, calls, without, value, line, reason, used
):
    """The call is found in the true shape of its format, with the place where it stands, and its unit."""
    finding = next(one for one in sampled(name)["findings"] if (one["tool"], one["param"]) == (tool, param))
    (worst,) = finding["worst"]
    assert set(written_by) <= set(finding["written_by"])
    assert (finding["unit"], finding["unit_from"]) == (unit, unit_from)
    assert (finding["calls"], finding["without_timeout"]) == (calls, without)
    assert (worst["value"], worst["line"], worst["reason"], worst["used"]) == (value, line, reason, used)
    assert finding["reasons"] == {reason: 1}


def test_every_sample_is_tested():
    """No sample lies there unread."""
    named = re.findall(r'^        \("([a-z_]+\.[a-z]+)", "', Path(__file__).read_text(), re.MULTILINE)
    assert {path.name for path in SAMPLES.iterdir()} - {"report.txt"} == set(named)


def test_a_call_written_in_two_shapes_counts_once():
    """LangChain writes each call as its own and as OpenAI's."""
    assert sampled("langchain.json")["calls"] == 1


def test_arguments_that_are_no_json_are_counted():
    """The call is there, what it asked for is not known."""
    report = sampled("openai_chat.jsonl")
    assert (report["calls"], only(report)["arguments_unreadable"]) == (3, 1)


@pytest.mark.parametrize(
    "call",
    [
        {"function_call": {"name": "run_shell", "arguments": '{"timeout": 0}'}},
        {"tool_calls": [{"id": "1", "function": {"name": "run_shell", "arguments": {"timeout": 0}}}]},
        {"toolCalls": [{"id": "1", "name": "run_shell", "args": {"timeout": 0}}]},
        {"toolUse": {"toolUseId": "1", "name": "run_shell", "input": {"timeout": 0}}},
        {"type": "mcp_tool_use", "name": "run_shell", "input": {"timeout": 0}},
        {"function_call": {"name": "run_shell", "args": {"timeout": 0}}},
        {
            "body": json.dumps(
                [{"response": json.dumps({"functionCall": {"name": "run_shell", "args": {"timeout": 0}}})}]
            )
        },
        {"body": '\n{\n "type": "tool_use", "name": "run_shell", "input": {"timeout": 0}}'},
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_other_spellings_of_these_shapes_are_read(call, indent):
    """The shape decides, on one line or on many, not who wrote it."""
    assert only(audited(json.dumps({"deep": [{"in": call}]}, indent=indent)))["reasons"] == {"not_positive": 1}


@pytest.mark.parametrize(
    "value",
    [
        {"name": "run_shell", "arguments": {"timeout": 0}},
        {"method": "prompts/get", "params": {"name": "run_shell", "arguments": {"timeout": "0"}}},
        {"type": "tool_use", "name": 7, "input": {"timeout": 0}},
        {"tool_calls": ["run_shell"], "name": "x"},
        {"delta": {"tool_calls": [{"index": 0, "function": {"name": "run_shell", "arguments": ""}}]}},
        {"type": "content_block_start", "content_block": {"type": "tool_use", "name": "run_shell", "input": {}}},
        {"type": {"name": "tool_use"}, "name": "run_shell", "input": {"timeout": 0}},
        {"text": 'the "name" of it, {"type": "tool_use", "name'},
    ],
)
def test_what_only_looks_like_a_call_is_none(value):
    """Neither is the piece of a call that a stream carries."""
    assert audited(json.dumps(value))["calls"] == 0


def test_a_call_within_the_arguments_of_another_is_no_call():
    """A file that is written may hold anything."""
    written = json.loads(called(0))
    assert audited(called(5, tool="Write", content=[written], text=called(0)))["calls"] == 1


# -- units and policies ----------------------------------------------------------------------------


def test_a_unit_that_is_told_wins():
    """Over the name, the schema and the known tool."""
    finding = only(audited(called(300, tool="Bash"), units={("Bash", "timeout"): "s"}))
    assert (finding["unit"], finding["unit_from"], finding["wrong"]) == ("s", "told", 0)


def test_a_schema_may_stand_after_the_calls():
    """The log is judged when it was read to its end."""
    schema = {"properties": {"timeout": {"type": "number", "description": "Limit in milliseconds", "maximum": 5000}}}
    finding = only(audited(called(9000), json.dumps({"name": "run_shell", "input_schema": schema})))
    assert (finding["unit"], finding["unit_from"], finding["policy"]["max"]) == ("ms", "schema", 5000)
    assert finding["reasons"] == {"above_max": 1}


@pytest.mark.parametrize(
    "definition",
    [
        {"name": "t", "input_schema": {}}, {"name": "t", "inputSchema": {}}, {"name": "t", "inputSchema": {"json": {}}},
        {"type": "function", "function": {"name": "t", "parameters": {}}}, {"name": "t", "parametersJsonSchema": {}},
    ],
)  # fmt: skip
def test_every_form_of_a_schema_is_read(definition):
    """The unit comes from the description of the parameter."""
    schema = json.dumps({"properties": {"timeout": {"type": "integer", "description": "in ms"}}})
    text = json.dumps({"tools": [definition]}).replace("{}", schema)
    assert only(audited(text, called(5000, tool="t")))["unit_from"] == "schema"


def test_a_tool_without_a_limit_is_not_judged():
    """Of a tool that runs commands it is said that none of its calls has one."""
    assert audited(called(tool="read", command="x").replace("command", "path"))["findings"] == []
    assert only(audited(called()))["without_timeout"] == 1
    assert audited(called(tool="read", idle_timeout=5).replace("command", "path"))["findings"] == []


@pytest.mark.parametrize("value", [None, "", "none", "null"])
def test_a_value_that_says_none_is_no_timeout(value):
    """It counts as left out."""
    finding = only(audited(called(value), called(5)))
    assert (finding["calls"], finding["without_timeout"], finding["wrong"]) == (2, 1, 0)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (True, "unreadable"), ("soon", "unreadable"), ([5], "unreadable"), ({}, "unreadable"), ("9" * 5000, "unreadable"),
        (-1, "not_positive"), ("-5s", "not_positive"), (0.0, "not_positive"), (7200, "above_max"), ("2h", "above_max"),
        (90000, "read_as_ms"), ("90000", "read_as_ms"), (90000.0, "read_as_ms"), (10**30 + 1, "above_max"),
    ],
)  # fmt: skip
def test_a_value_is_judged_as_the_decorator_would(value, reason):
    """The reasons are those of a correction."""
    assert only(audited(called(value)))["reasons"] == {reason: 1}


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5000])
def test_numbers_that_json_does_not_know_are_read(number):
    """Python and JavaScript write them all the same."""
    assert only(audited(called(1).replace(": 1}", f": {number}}}")))["wrong"] == 1


def test_equal_values_of_different_kinds_are_kept_apart():
    """1, true and "1" are not one value."""
    finding = only(audited(called(1) + called(True) + called("1") + called(1.0)))
    assert (finding["calls"], finding["reasons"]) == (4, {"unreadable": 1})


@pytest.mark.parametrize(
    ("arguments", "used"),
    [
        ([], 600), (["--max", "60"], 60), (["--max", "5m"], 300), (["--ms-threshold", "1000"], 7.2),
        (["--max", "none", "--ms-threshold", "7200"], 7.2), (["--max", "1h"], 3600),
    ],
)  # fmt: skip
def test_another_policy_can_be_tried(capsys, tmp_path, arguments, used):
    """A bare number is in seconds, whatever the unit of the tool."""
    log = tmp_path / "log.jsonl"
    log.write_text(called(7200))
    assert only(json.loads(told(capsys, log, "--json", *arguments).out))["worst"][0]["used"] == used
    log.write_text(called(7_200_000, tool="Bash"))
    if "--max" in arguments and "none" not in arguments:
        assert only(json.loads(told(capsys, log, "--json", *arguments).out))["worst"][0]["used"] == used * 1000


def test_the_hours_removed_are_the_difference():
    """Between the ceiling as written, at most what a timer holds, and as used."""
    assert only(audited(called(36_100) * 2 + called(0)))["hours_removed"] == pytest.approx(
        2 * (36_100 - 600) / 3600, abs=0.01
    )
    assert only(audited(called(10**30)))["hours_removed"] == pytest.approx((2_147_483 - 600) / 3600, abs=0.01)


def test_the_axis_of_the_histogram_is_logarithmic():
    """From one second up each step is two to four times the last, and each value stands on its own."""
    edges = [seconds for seconds, _ in STEPS if 1 <= seconds < float("inf")]
    assert all(2 <= b / a <= 4 for a, b in pairwise(edges))
    steps = only(audited("".join(called(value) for value in (0, 1, 30, 31, 120, "1h"))))["histogram"]
    assert [(step["label"], step["calls"]) for step in steps] == [
        ("0 or less", 1), ("1 s", 1), ("30 s", 1), ("1 min", 1), ("2 min", 1), ("1 h", 1),
    ]  # fmt: skip


def test_very_many_values_take_bounded_memory(monkeypatch):
    """Further ones are rounded, and judged as before."""
    monkeypatch.setattr("timeoutkit._audit.audit._MOST_VALUES", 10)
    values = [*range(1, 11), *range(601, 1000), *range(20_001, 20_400), *range(30_000, 90_000, 1000), "90.5s", "91.5s"]
    audit = Audit()
    audit.read("log", io.BufferedReader(io.BytesIO("".join(map(called, values)).encode())))
    (finding,) = audit.findings()
    assert finding.calls == len(values)
    assert finding.reasons == {"above_max": 798 + 3, "read_as_ms": 57}
    assert len(audit._tools["run_shell"].values["timeout"]) < 500


# -- bad input -------------------------------------------------------------------------------------


def problems(report):
    return {(one["problem"], one["times"], one["first_line"]) for one in report["problems"]}


@pytest.mark.parametrize(
    ("text", "calls", "problem"),
    [
        (called(1) + called(2)[:-20], 1, ("broken", 1, 2)),
        (called(1) + '{"cut": "' + "\n" + called(2), 2, ("broken", 1, 2)),
        (called(1) + 'ut": 1}}\n' + called(2), 2, ("broken", 1, 2)),
        (json.dumps({"a": [json.loads(called(1)), json.loads(called(2))]})[:-30], 1, ("broken", 1, 1)),
        ("hello\n" + called(1), 1, ("not JSON", 1, 1)),
        (called(1).encode() + called(2, command="@").encode().replace(b"@", b"\xff\xfe"), 2, ("not UTF-8", 1, 2)),
        (b"\x00\x01\x02" + called(1).encode(), 0, ("binary", 1, None)),
        ("\n\n" + called(1) + "\n   \n", 1, None),
        (called(1).rstrip() + called(2), 2, ("in parts", 1, 1)),
        ("2025-11-03 [info] [x] {it's} " + called(1), 1, None),
        (called(1).rstrip(), 1, None),
        (called(1).replace("\n", "\r\n") * 2, 2, None),
        ("\ufeff" + called(1), 1, None),
        (called(1, command="\ud800"), 1, None),
        ("", 0, None),
        (json.dumps([json.loads(called(1))] * 3, indent=2), 3, None),
        (json.dumps([json.loads(called(1))] * 3, indent=2)[:-60], 2, ("broken", 1, 35)),
        ('{\n"a": [' + called(1) + ',"a\nb",' + called(2) + "]}\n", 2, ("broken", 1, 3)),
        ('{\n"a": {}, "b": { \n }, "c": ' + called(1) + "}", 1, None),
    ],
)  # fmt: skip
def test_bad_input_loses_nothing(text, calls, problem):
    """Every whole call is read, and what is wrong is counted and named with its first line."""
    report = audited(text)
    assert report["calls"] == calls
    assert problems(report) == (set() if problem is None else {problem})


@pytest.mark.parametrize(("opening", "closing"), [('{"a":', "}"), ("[", "]"), ('{"a":[', "]}")])
def test_json_ten_thousand_deep_is_read(opening, closing):
    """The call at its bottom is found."""
    report = audited(opening * 10_000 + called(0).strip() + closing * 10_000 + "\n" + called(0))
    assert (report["calls"], only(report)["reasons"]) == (2, {"not_positive": 2})
    too_deep_for_json = sys.version_info < (3, 14)
    assert problems(report) == ({("in parts", 1, 1)} if too_deep_for_json else set())


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
@pytest.mark.parametrize(
    "text",
    [
        called(0, command='a "quoted" \\ {text} [x]') * 3,
        json.dumps(
            [json.loads(called(0, command='\\"{[')), {}, [], json.loads(called(0)), json.loads(called(0))], indent=1
        ),
    ],
)
def test_where_a_chunk_ends_makes_no_difference(monkeypatch, text, size):
    """Be it within a text, an escape or a line."""
    monkeypatch.setattr(_records, "_CHUNK", size)
    report = audited(text)
    assert (report["calls"], report["problems"]) == (3, [])
    assert report["lines"] == len(text.splitlines())


def make_small(monkeypatch):
    """Let a few thousand bytes be too large."""
    monkeypatch.setattr(_records, "MOST", 4000)
    monkeypatch.setattr(_objects, "MOST", 4000)
    monkeypatch.setattr(_objects, "_LONGEST_TEXT", 1000)
    monkeypatch.setattr(_records, "_CHUNK", 500)


@pytest.mark.parametrize("tool", ["Bash", "x" * 500])
def test_what_is_too_large_is_read_in_parts(monkeypatch, tool):
    """A long line is not held, nor a long text in it; the calls in it are found, and their line."""
    make_small(monkeypatch)
    many = json.dumps({"messages": [json.loads(called(0, tool=tool)) for _ in range(50)]}) + "\n"
    long = json.dumps([{"text": 'a \\"{" ' * 5000}, json.loads(called(0, tool=tool, command='x\\"' * 5000))]) + "\n"
    report = audited(called(5) + many + called(5) + long + called(5))
    assert report["lines"] == 5
    assert {one["tool"]: one["calls"] for one in report["findings"]} == {tool[:100]: 51, "run_shell": 3}
    assert problems(report) == {("in parts", 2, 2)}


def test_arguments_that_are_too_large_are_unreadable(monkeypatch):
    """They are no call without a timeout."""
    make_small(monkeypatch)
    arguments = json.dumps({"command": "x" * 9000, "timeout": 5})
    report = audited(json.dumps({"function_call": {"name": "Bash", "arguments": arguments}}))
    assert (only(report)["calls"], only(report)["arguments_unreadable"], only(report)["without_timeout"]) == (1, 1, 0)


@pytest.mark.parametrize("text", [called(0) * 3, json.dumps(json.loads(called(0)), indent=1)])
def test_without_the_fast_libraries_the_findings_are_the_same(monkeypatch, text):
    """What they do is to save time."""
    usual = audited(text)
    monkeypatch.setitem(sys.modules, "orjson", None)
    monkeypatch.setattr(_records, "_fast", None)
    monkeypatch.setattr(_search, "_memmem", lambda: None)
    assert audited(text) == usual
    assert _records._fast is not None
    assert audited("[" * 10_000 + '"name"' + "]" * 10_000)["calls"] == 0


@pytest.mark.parametrize("broken", [OSError, AttributeError])
def test_the_search_does_without_the_c_library(monkeypatch, broken):
    """Where there is none, and where bytes may move in memory."""

    def refuse(name):
        raise broken

    monkeypatch.setattr(_search.ctypes, "CDLL", refuse)
    assert _search._memmem.__wrapped__() is None
    monkeypatch.setattr(_search.sys.implementation, "name", "pypy")
    assert _search._memmem.__wrapped__() is None


@pytest.mark.parametrize(("start", "end", "found"), [(0, 9, 5), (5, 9, 5), (6, 9, -1), (0, 8, -1), (3, 3, -1)])
def test_the_search_finds_what_bytes_find_does(start, end, found):
    """Between two positions."""
    assert _search.finder(b"tool name", b"name")(start, end) == b"tool name".find(b"name", start, end) == found
    assert _search.finder(b"", b"name")(0, 0) == -1


# -- files -----------------------------------------------------------------------------------------


def test_a_folder_is_read_with_everything_below_it(capsys, tmp_path):
    """Compressed logs too; a file that vanished is named, as is one that is cut off, and others are passed by."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "one.jsonl").write_text(called(0))
    packed = gzip.compress(called(0).encode() * 10_000)
    (tmp_path / "two.jsonl.gz").write_bytes(packed)
    (tmp_path / "three.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    (tmp_path / "gone.json").symlink_to(tmp_path / "nowhere")
    (tmp_path / "blob.log").write_bytes(bytes(100))
    (tmp_path / "notes.md").write_text(called(0))
    os.mkfifo(tmp_path / "pipe.jsonl")
    report = json.loads(told(capsys, tmp_path, "--json").out)
    assert {(Path(one["file"]).name, one["problem"]) for one in report["problems"]} == {
        ("three.jsonl.gz", "damaged"), ("gone.json", "No such file or directory"), ("blob.log", "binary"),
    }  # fmt: skip
    assert 10_001 < report["calls"] < 20_001
    assert report["files"] == 4
    assert report["skipped_files"] == 1


def test_a_path_that_is_not_there_is_exit_code_2(capsys, tmp_path):
    """It is named on stderr, and whatever else was named is still read."""
    (tmp_path / "log.jsonl").write_text(called(0))
    captured = told(capsys, tmp_path / "log.jsonl", tmp_path / "nowhere", code=2)
    assert captured.err == f"timeoutkit audit: error: {tmp_path / 'nowhere'}: No such file or directory\n"
    assert captured.out.startswith("1 tool call of 1 tool in 1 file (1 line). 1 call with a wrong timeout")
    assert told(capsys, tmp_path / "nowhere", code=2).out == ""


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_exit_code_2(capsys, tmp_path):
    """Where it was named itself."""
    log = tmp_path / "log.jsonl"
    log.touch(0)
    assert "Permission denied" in told(capsys, log, code=2).out


def test_an_empty_folder_holds_nothing(capsys, tmp_path):
    """That is no error."""
    assert told(capsys, tmp_path).out == "0 tool calls of 0 tools in 0 files (0 lines). There is nothing to judge.\n"


def test_without_a_path_the_usual_places_are_read(capsys, tmp_path, monkeypatch):
    """It says what it found at each, and names the logs with a tilde."""
    monkeypatch.setenv("HOME", str(tmp_path))
    place = tmp_path / ".claude" / "projects" / "one"
    place.mkdir(parents=True)
    (place / "session.jsonl").write_text(called(300, tool="Bash"))
    captured = told(capsys)
    assert captured.err.splitlines() == [
        "~/.claude/projects: 1 log", "~/.codex/sessions: not there", "~/.pi/agent/sessions: not there",
    ]  # fmt: skip
    assert "      ~/.claude/projects/one/session.jsonl:1\n" in captured.out


def test_without_a_path_and_without_logs_it_says_so(capsys, tmp_path, monkeypatch):
    """The exit code is 2."""
    monkeypatch.setenv("HOME", str(tmp_path))
    captured = told(capsys, code=2)
    assert captured.err.endswith("timeoutkit audit: error: there are no logs at the usual places: name a PATH\n")
    assert captured.out == ""


def test_standard_input_is_read():
    """Compressed or not."""
    for text in (called(0).encode(), gzip.compress(called(0).encode())):
        done = subprocess.run([*PROGRAM, "-", "--json"], input=text, capture_output=True, env=environment())
        assert json.loads(done.stdout)["findings"][0]["worst"][0]["file"] == "standard input"
        assert (done.returncode, done.stderr) == (0, b"")


# -- the report ------------------------------------------------------------------------------------


def test_the_report_is_as_it_should_be(capsys, monkeypatch):
    """All samples at once, as a person reads them in a pipe."""
    monkeypatch.chdir(SAMPLES)
    written = told(capsys, *sorted(path.name for path in SAMPLES.iterdir() if path.suffix != ".txt")).out
    assert written == (SAMPLES / "report.txt").read_text()


@pytest.mark.parametrize(
    ("calls", "arguments", "sentence"),
    [
        (called(60000), "--max none", "60000 is 16.7 hours, perhaps meant 1 minute"),
        (called("0.5s", tool="Bash"), "", "'0.5s' is 500 milliseconds, would be 1000 ms (1 second)"),
        (called(10**15), "", "1000000000000000 is centuries, likely meant 600 s (10 minutes)"),
        (called(-5), "--default none", "-5 would be 600 s (10 minutes)"),
        (called([5]), "", "a list would be 120 s (2 minutes)"),
        (called(0) * 1200, "", "1,200 calls, first "),
        (called(60000), "--max none", "perhaps in milliseconds instead of seconds"),
        (called("0.5s", tool="Bash"), "", "below the minimum of 1000 ms (1 second)"),
        (called(5, tool="read").replace("timeout", "depth").replace("command", "path"), "", "None of these tools takes a timeout."),
        ("".join(called(0, tool=f"tool_{n:02}") for n in range(25)), "", "and 5 more parameters: --json shows them all"),
        ("".join(called(0, tool=f"tool_{n:02}") for n in range(25)), "", "# tool_00, tool_01, tool_02"),
    ],
)  # fmt: skip
def test_the_report_says_it_in_words(capsys, tmp_path, calls, arguments, sentence):
    """How long a value is, what was likely meant, and how much more there is."""
    (tmp_path / "log.jsonl").write_text(calls)
    assert sentence in told(capsys, tmp_path, *arguments.split()).out


def test_what_is_wrong_with_many_files_is_cut_short(capsys, tmp_path):
    """All of it is in the data."""
    for number in range(12):
        (tmp_path / f"{number}.jsonl").write_text("{")
        (tmp_path / f"{number}.md").touch()
    out = told(capsys, tmp_path).out
    assert "  and 2 more: --json names them all\n" in out
    assert "Passed by, as the name is not that of a log: " in out
    assert len(json.loads(told(capsys, tmp_path, "--json").out)["problems"]) == 12


def test_where_nothing_is_wrong_there_is_nothing_to_do(capsys, tmp_path):
    """The report ends there."""
    (tmp_path / "log.jsonl").write_text(called(5))
    assert told(capsys, tmp_path).out == (
        "1 tool call of 1 tool in 1 file (1 line). 0 calls with a wrong timeout, 0 calls without any.\n"
    )


@pytest.mark.parametrize("limit", [0, 1, 2, 3])
def test_it_fails_over_a_number_of_wrong_calls(capsys, tmp_path, limit):
    """A missing timeout is not wrong."""
    (tmp_path / "log.jsonl").write_text(called(0) + called(90000) + called() + called(5))
    told(capsys, tmp_path, "--fail-over", limit, code=int(limit < 2))
    told(capsys, tmp_path, code=0)


@pytest.mark.parametrize(
    "arguments", [["--fail-over", "-1"], ["--fail-over", "x"], ["--unit", "x"], ["--unit", "a.b=x"]]
)
def test_an_option_that_cannot_be_is_exit_code_2(capsys, arguments):
    """The usage and what is wrong go to stderr."""
    with pytest.raises(SystemExit) as caught:
        main(["audit", *arguments])
    assert caught.value.code == 2
    assert re.search(r"\ntimeoutkit audit: error: argument ", capsys.readouterr().err)


def test_a_policy_that_cannot_be_is_exit_code_2(capsys):
    """In one line, before anything is read."""
    captured = told(capsys, SAMPLES, "--default", "900", "--max", "600", code=2)
    assert captured.err == "timeoutkit audit: error: default=900 is above max=600: raise max or lower default\n"


def test_a_unit_for_a_call_that_is_not_there_is_named(capsys):
    """It may be a slip of the pen."""
    captured = told(
        capsys,
        SAMPLES / "pi.jsonl",
        "--unit",
        "bash.timeuot=ms",
        "--unit",
        "a.b.c=ms",
        "--unit",
        "bash.timeout=seconds",
    )
    assert captured.err == (
        "timeoutkit audit: --unit bash.timeuot: no call has that\ntimeoutkit audit: --unit a.b.c: no call has that\n"
    )
    assert "bash timeout: seconds (as you told)" in captured.out


def test_the_environment_counts_and_warns_once(capsys, monkeypatch):
    """As it does for the decorator."""
    monkeypatch.setenv("TIMEOUTKIT_MAX", "60")
    monkeypatch.setenv("TIMEOUTKIT_DEFAULT", "lots")
    captured = told(capsys, SAMPLES / "pi.jsonl", "--json")
    assert only(json.loads(captured.out))["policy"]["max"] == 60
    assert len(captured.err.splitlines()) == 1


def test_commands_are_printed_only_when_asked_for(capsys, tmp_path):
    """And then without what looks like a secret; no other argument is ever printed."""
    log = tmp_path / "log.jsonl"
    log.write_text(called("meet me at noon", command="deploy --token=abc123def456 now", secret="rosebud"))
    for arguments in ((), ("--json",)):
        assert not re.search("deploy|abc123|rosebud|noon", told(capsys, log, *arguments).out)
        shown = told(capsys, log, "--show-commands", *arguments).out
        assert "deploy --token=[cut] now" in shown
        assert not re.search("abc123|rosebud|noon", shown)


def test_a_command_is_shown_on_one_bounded_line(capsys, tmp_path):
    """A list of words is written as a shell takes it."""
    log = tmp_path / "log.jsonl"
    log.write_text(called(0, command=["bash", "-c", "echo \x1b[31m" + "x y " * 500]) + called(-1, tool="b", command=7))
    (line,) = [line for line in told(capsys, log, "--show-commands").out.splitlines() if "bash" in line]
    assert line.startswith("      bash -c 'echo \\x1b[31mx y")
    assert len(line) < 230


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("export OPENAI_API_KEY=sk-abcdefghijkl", "abcdefghijkl"), ("curl -H 'Authorization: Bearer abc.def-1'", "abc.def"),
        ("curl -H 'X-Api-Key: hunter22'", "hunter22"), ("mysql --password hunter22 db", "hunter22"),
        ("mysql -uroot -phunt!er22", "hunt!er22"), ("curl -u me:hunter22 x", "hunter22"), ("git clone https://me:hunter22@example.org/x", "hunter22"),
        ("echo ghp_abcdefghijklmnop", "abcdefgh"), ("aws AKIAABCDEFGHIJKLMNOP", "ABCDEFGH"),
        ('{"password": "hunter 22"}', "hunter 22"), ("DB_PASSWORD='hunter 22' run", "hunter"),
        ("x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc y", "eyJ"), ("id 0123456789abcdef0123456789abcdef", "abcdef"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----", "MIIB"),
    ],
)  # fmt: skip
def test_what_looks_like_a_secret_is_cut(text, secret):
    """Whatever it is called."""
    assert secret not in without_secrets(text)
    assert "[cut]" in without_secrets(text)


@pytest.mark.parametrize(
    "text", ["make test -j8", "pytest -p no:randomly tests/test_a.py", "cd /usr/lib/python3.12/site-packages && ls -la"]
)
def test_what_is_no_secret_stays(text):
    """A command is to be recognised."""
    assert without_secrets(text) == text


def test_names_from_a_log_do_nothing_to_a_terminal(capsys, tmp_path):
    """Neither that of a tool nor that of a file."""
    (tmp_path / "a\x1b[31m\udcff.jsonl").write_text(called(0, tool="t\x1b[2J\n\ud800") + "{\n")
    out = told(capsys, tmp_path).out
    assert "\x1b" not in out
    assert r"t\x1b[2J\n\ud800 timeout" in out


@pytest.mark.parametrize("tool", ["a", 'quo"te', "uni·code"])
@pytest.mark.parametrize("timeout", [0, 90000])
def test_the_line_to_paste_works(tool, timeout):
    """Above a function of one's own it puts right what the report found."""
    fix = only(audited(called(timeout, tool=tool)))["fix"]
    namespace = {}
    exec(f"from timeoutkit import sane_timeout\n{fix}\ndef run(command, timeout=None): return timeout", namespace)
    assert namespace["run"]("make", timeout) == {0: 120, 90000: 90}[timeout]


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("settings", [{}, {"NO_COLOR": "1"}])
def test_the_report_fits_a_terminal(width, settings):
    """Only a line to be pasted is longer, and there is no colour where none is wanted."""
    written = on_terminal(width, str(SAMPLES), **settings)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", written)
    assert all(len(line) <= width for line in plain.splitlines() if not line.startswith("  @"))
    assert bool(re.search(r"\x1b\[[0-9;]*3[0-9]m", written)) == (not settings)


def on_terminal(width, *arguments, **settings):
    """Run the command on a terminal of its own, and give what it wrote there."""
    openpty = pytest.importorskip("pty").openpty
    ours, its = openpty()
    settings = environment(TERM="xterm-256color", COLUMNS=str(width), **settings)
    process = subprocess.Popen([*PROGRAM, *arguments], stdout=its, stderr=its, env=settings)
    os.close(its)
    written = b""
    while part := _read(ours):
        written += part
    os.close(ours)
    assert process.wait(60) == 0
    return written.decode().replace("\r\n", "\n")


def _read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # how Linux says that the other side is closed
        return b""


def test_a_long_log_shows_how_far_it_is(tmp_path):
    """On a terminal, and nowhere else."""
    log = tmp_path / "log.jsonl"
    log.write_text(called(0) * 3 + ('{"text": "' + "x" * 1_000_000 + '"}\n') * 80)
    assert "/80.0 MB" in on_terminal(80, str(log))
    done = subprocess.run([*PROGRAM, log], capture_output=True, text=True, env=environment())
    assert (done.stderr, "3 tool calls" in done.stdout) == ("", True)


def test_an_interrupt_prints_what_there_is_so_far():
    """The exit code is 130, as ever."""
    listening = "signal.signal(signal.SIGINT, signal.default_int_handler)"  # a shell's background jobs ignore it
    code = f"import signal, sys; {listening}; from timeoutkit.__main__ import main; sys.exit(main(['audit', '-']))"
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    for _ in range(3):
        process.stdin.write(called(0).encode() * 1000)
        process.stdin.flush()
    while b"\n" not in _waiting(process):
        pass
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out.decode().startswith("Interrupted: this is what was read so far.\n")
    assert re.search(r"[1-9][0-9,]* tool calls of 1 tool", out.decode())
    assert errors == b""


def _waiting(process):
    """Wait until the process has read everything and sleeps."""
    status = Path(f"/proc/{process.pid}/wchan")
    if not status.exists():
        pytest.skip("needs /proc")
    return b"\n" if "pipe" in status.read_text() else b""


def test_the_help_fits_and_says_the_exit_codes(capsys, monkeypatch):
    """On a common terminal."""
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(["audit", "--help"])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines[lines.index("exit code:") + 1 :]] == ["0", "1", "2", "130"]


# -- explain ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "used"),
    [
        ("300 --tool Bash", "300000 ms (5 minutes)"), ("960000 --tool Bash", "600000 ms (10 minutes)"),
        ("0 --tool Bash", "120000 ms (2 minutes)"), ("0 --tool Bash --default 5000", "5000 ms (5 seconds)"),
        ("90000 --tool bash", "90 s (1.5 minutes)"), ("5 --tool shell", "5000 ms (5 seconds)"),
    ],
)  # fmt: skip
def test_explain_knows_the_tools_of_agents(capsys, arguments, used):
    """Their unit and bounds hold, unless an option says otherwise."""
    assert main(["explain", *arguments.split()]) == 0
    assert re.search(r"^used +(.*)$", capsys.readouterr().out, re.MULTILINE)[1] == used


def test_every_known_tool_is_a_policy():
    """With the unit that its agent means."""
    units = {name: {TimeoutPolicy(**known.fields).unit for known in tools} for name, tools in KNOWN_TOOLS.items()}
    assert units["Bash"] == {"ms"}
    assert units["bash"] == {"s"}
    assert units["shell"] == {"ms"}


def test_the_hint_is_in_whatever_is_worth_parsing():
    """Else it could not be looked for first."""
    assert _calls.HINT in _calls.WORTH_PARSING.pattern
