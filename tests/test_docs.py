"""The pages say what is so: each block of code in them runs, in one namespace for a page."""

import contextlib
import datetime
import decimal
import doctest
import fractions
import importlib.util
import io
import json
import os
import re
import shlex
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest

import timeoutkit
import timeoutkit.testing
from timeoutkit import TimeoutPolicy

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = {path.stem: path.read_text() for path in sorted(DOCS.glob("*.md"))}
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
NOT_RUN = {
    ("auditing", "$ python -m timeoutkit audit"): "it reads the logs of whoever runs it",
    ("frameworks", "from claude_agent_sdk"): "the framework has an environment of its own, where a test runs it",
    ("install", ""): "each framework has an environment of its own, where its recipe is run",
    ("start", "$ pip install"): "nothing is installed by a test",
}
"""Where a block begins so on that page, it does not run here, and why."""


class Block(NamedTuple):
    """A block of code on a page."""

    page: str
    language: str
    text: str
    line: int
    """The line before its first one."""


def blocks(page):
    """Give the blocks of a page in order; directives are none."""
    for found in BLOCK.finditer(PAGES[page]):
        yield Block(page, found[1], found[2], PAGES[page].count("\n", 0, found.start(2)))


def runs_elsewhere(block):
    return any(block.page == page and block.text.startswith(start) for page, start in NOT_RUN)


def run_python(block, names):
    """Execute the block, and give what it prints."""
    code = compile("\n" * block.line + block.text, str(DOCS / f"{block.page}.md"), "exec", dont_inherit=True)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, names)
    return printed.getvalue()


def run_pycon(block, names):
    """Compare what each line of the session gives with what is shown."""
    place = str(DOCS / f"{block.page}.md")
    session = doctest.DocTestParser().get_doctest(block.text, names, block.page, place, block.line)
    session.globs = names  # the next block goes on from here
    doctest.DebugRunner().run(session, clear_globs=False)


def run_console(block):
    """Run each command, and compare what it prints with what is shown, if anything is."""
    for session in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, shown = session.partition("\n")
        assert command.startswith("python -m timeoutkit "), f"{block.page}: {command}"
        arguments = [sys.executable, *shlex.split(command, comments=True)[1:]]
        done = subprocess.run(arguments, capture_output=True, text=True, check=True)
        assert not shown or done.stdout == shown


@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_a_page_runs(page):
    """Each block runs after the ones above it, and gives what is shown."""
    names = {"__name__": f"docs.{page}"}
    printed = None
    with mock.patch.dict(os.environ):
        for block in blocks(page):
            if runs_elsewhere(block):
                continue
            match block.language:
                case "python":
                    printed = run_python(block, names)
                case "pycon":
                    run_pycon(block, names)
                case "console":
                    run_console(block)
                case "text":
                    assert printed == block.text, f"{page}.md:{block.line}"
                case other:
                    pytest.fail(f"{page}.md:{block.line}: what is a block of {other}?")


@pytest.mark.parametrize(("page", "start"), NOT_RUN)
def test_what_is_not_run_is_there(page, start):
    """The list of blocks that do not run names no block that is gone."""
    assert any(block.text.startswith(start) for block in blocks(page))


def anchors(text):
    """Give the anchors of a page's headings, as GitHub and MyST make them."""
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", [*DOCS.glob("*.md"), *ROOT.glob("*.md")], ids=lambda path: path.name)
def test_a_link_leads_somewhere(path):
    """Links between the files of this repository resolve, with the heading that they name."""
    for target, heading in LINK.findall(path.read_text()):
        if "://" in target:
            continue
        found = path if not target else path.parent / target
        assert found.is_file(), target
        assert not heading or heading in anchors(found.read_text()), f"{target}#{heading}"


def test_every_page_is_in_the_contents():
    """A page can be found from the first one."""
    contents = re.findall(r"^```\{toctree\}\n(.*?)^```$", PAGES["index"], re.MULTILINE | re.DOTALL)
    listed = [line for one in contents for line in one.splitlines() if line and line[0] != ":"]
    assert sorted(listed) == sorted(PAGES.keys() - {"index"})


def test_the_rules_show_every_case():
    """Each row of the table of cases stands under some rule."""
    names = {"datetime": datetime, "decimal": decimal, "fractions": fractions, "float": float}
    rows = map(json.loads, (ROOT / "tests" / "cases" / "normalize.jsonl").read_text().splitlines())
    rules = {TimeoutPolicy(**row["policy"]).judge(eval(row["given"], names))[1] for row in rows}
    shown = re.findall(r"^```\{cases\} (\w+)$", PAGES["rules"], re.MULTILINE)
    assert sorted(shown) == sorted(rules)


def test_the_api_shows_every_public_name():
    """What is exported is documented."""
    shown = re.findall(r"^\.\. auto(?:function|class|exception):: (\w+)", PAGES["api"], re.MULTILINE)
    assert sorted(shown) == sorted([*timeoutkit.__all__, *timeoutkit.testing.__all__])


def test_the_note_of_a_call_that_ran_out():
    """The one note that no block on the pages makes is worded as shown."""
    assert TimeoutPolicy().limit_note("timeout", 600) in PAGES["retrofit"]


def lines_of_the_picture(svg):
    """Read the text of the picture, line by line, without how long each call took."""
    lines = {}
    for line, text in re.findall(r'clip-path="url\(#demo-line-(\d+)\)">(.*?)</text>', svg):
        lines[int(line)] = lines.get(int(line), "") + unescape(text)
    return [re.sub(r"\d\.\d\d s", "", line.replace("\xa0", " ")).split() for line in lines.values()]


def test_the_picture_shows_what_the_demo_prints():
    """The picture of the demo is one of this version's."""
    spec = importlib.util.spec_from_file_location("picture", DOCS / "picture.py")
    picture = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(picture)
    now = lines_of_the_picture(picture.picture(picture.demo()))
    assert len(now) > 20
    assert lines_of_the_picture(picture.PICTURE.read_text()) == now, "run python docs/picture.py"
