"""Decorating in place what cannot be edited, and taking it back."""

import functools
import http.server
import importlib
import inspect
import subprocess
import sys
import textwrap
import threading
import types
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
import requests
import wrapt

from timeoutkit import Patch, TimeoutPolicy, retrofit
from timeoutkit.testing import capture_corrections

SOURCE = """
def run(command, timeout=None):
    return timeout

def wait(timeout=30):
    return timeout

class Base:
    def method(self, timeout=None):
        return timeout

    @classmethod
    def make(cls, timeout=None):
        return cls.__name__, timeout

    @staticmethod
    def check(timeout=None):
        return timeout

class Tool(Base):
    pass

class Slotted:
    __slots__ = ()

    def method(self, timeout=None):
        return timeout

instance = Tool()
"""


@pytest.fixture
def name(tmp_path, monkeypatch):
    """Give the name of a module that can be imported, and is not yet."""
    name = f"victim_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(textwrap.dedent(SOURCE))
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    sys.modules.pop(name, None)


@pytest.fixture
def module(name):
    """Give that module, imported."""
    return importlib.import_module(name)


TARGETS = [
    ("run", lambda m: m.run("ls", 90000), 90),
    ("run", lambda m: m.run("ls", timeout=90000), 90),
    ("Base.method", lambda m: m.Base().method(90000), 90),
    ("Base.method", lambda m: m.Tool().method(90000), 90),
    ("Tool.method", lambda m: m.Tool().method(90000), 90),
    ("Tool.method", lambda m: m.Base().method(90000), 90000),
    ("Base.make", lambda m: m.Tool.make(90000), ("Tool", 90)),
    ("Tool.make", lambda m: m.Tool.make(90000), ("Tool", 90)),
    ("Tool.make", lambda m: m.Tool().make(timeout=90000), ("Tool", 90)),
    ("Tool.make", lambda m: m.Base.make(90000), ("Base", 90000)),
    ("Base.check", lambda m: m.Tool.check(90000), 90),
    ("Base.check", lambda m: m.Base().check(90000), 90),
    ("instance.method", lambda m: m.instance.method(90000), 90),
    ("instance.method", lambda m: m.Tool().method(90000), 90000),
    ("Slotted.method", lambda m: m.Slotted().method(90000), 90),
]


def everything(module):
    """Give all that stands in a module and its classes."""
    holders = [module, module.Base, module.Tool, module.Slotted, module.instance]
    return [dict(vars(holder)) for holder in holders if hasattr(holder, "__dict__")]


@pytest.mark.parametrize(("path", "call", "result"), TARGETS, ids=[row[0] for row in TARGETS])
def test_a_target_is_decorated_and_put_back(module, path, call, result):
    """Functions, methods of every kind, inherited ones and those of one object; undo leaves no trace."""
    before = everything(module)
    patch = retrofit(f"{module.__name__}:{path}")
    assert patch.applied
    assert call(module) == result
    patch.undo()
    patch.undo()
    assert not patch.applied
    assert everything(module) == before
    assert call(module) in (90000, ("Tool", 90000), ("Base", 90000))


@pytest.mark.parametrize(("path", "call", "result"), TARGETS, ids=[row[0] for row in TARGETS])
def test_a_target_that_is_not_imported_yet(name, path, call, result):
    """The patch waits for the import, and an undo before it is one too."""
    undone = retrofit(f"{name}:{path}")
    undone.undo()
    with retrofit(f"{name}:{path}") as patch:
        assert not patch.applied
        module = importlib.import_module(name)
        assert patch.applied
        assert call(module) == result
    untouched = types.ModuleType(name)
    exec(SOURCE, untouched.__dict__)
    assert call(module) == call(untouched)


def test_a_missing_value_stays_missing(module):
    """Nobody gets a limit that was not asked for; a value that means nothing gets the own default, or the maximum."""
    with retrofit(f"{module.__name__}:run", f"{module.__name__}:wait"):
        assert module.run("ls") is None
        assert module.run("ls", None) is None
        assert module.run("ls", 0) == 600
        assert module.wait() == 30
        assert module.wait(0) == 30
    with retrofit(f"{module.__name__}:run", default=45):
        assert module.run("ls") == 45


def test_the_environments_default_does_not_reach_a_retrofit(module, monkeypatch):
    """The default of the operator is for tools that were decorated on purpose, the maximum is for all."""
    monkeypatch.setenv("TIMEOUTKIT_DEFAULT", "45")
    monkeypatch.setenv("TIMEOUTKIT_MAX", "60")
    with retrofit(f"{module.__name__}:run"):
        assert module.run("ls") is None
        assert module.run("ls", 600) == 60


def test_the_same_options_are_the_same_patch(module):
    """Applied twice it is one patch; other options are an error that names the first."""
    target = f"{module.__name__}:run"
    first, again = retrofit(target, max=300), retrofit(target, max=300)
    assert not hasattr(module.run.__wrapped__, "timeout_policies")
    with pytest.raises(ValueError, match=f"{target} is patched already, with max=300: undo that first"):
        retrofit(target, max=60)
    again.undo()
    assert not first.applied
    later = retrofit(target, policy=TimeoutPolicy(max=60))
    first.undo()
    assert later.applied
    assert module.run("ls", 600) == 60
    later.undo()


def test_all_targets_or_none(module):
    """Where one target fails the others are put back."""
    before = everything(module)
    with pytest.raises(AttributeError):
        retrofit(f"{module.__name__}:run", f"{module.__name__}:nothing")
    assert everything(module) == before


@pytest.mark.parametrize(
    ("target", "error", "message"),
    [
        ("subprocess:runn", AttributeError, "subprocess has no attribute 'runn': did you mean run?"),
        ("subprocess:Popen.wayt", AttributeError, "Popen has no attribute 'wayt': did you mean wait or _wait?"),
        ("subprocess:Poppen.wait", AttributeError, "subprocess has no attribute 'Poppen': did you mean Popen?"),
        ("subprocess", ValueError, "'subprocess' is not a target: write \"package.module:Class.method\""),
        ("nosuchmodule:run", ModuleNotFoundError, "there is no module 'nosuchmodule': install it first"),
        ("subprocess:PIPE", TypeError, "sane_timeout decorates a callable, not int"),
        ("subprocess:list2cmdline", TypeError, "list2cmdline(seq) has no parameter 'timeout'"),
    ],
)
def test_a_target_that_does_not_resolve_says_what_does(target, error, message):
    """The error has the nearest names, or what to write."""
    with pytest.raises(error) as caught:
        retrofit(target)
    assert message in str(caught.value)


def test_a_target_that_turns_out_wrong_never_breaks_an_import(name):
    """In the middle of somebody's import a mistake of ours is a warning."""
    patch = retrofit(f"{name}:nothing")
    with pytest.warns(UserWarning, match=r"was not applied: .* has no attribute 'nothing'"):
        importlib.import_module(name)
    assert not patch.applied


def wrapt_patch(module):
    wrapt.wrap_function_wrapper(
        module, "run", lambda wrapped, instance, args, kwargs: ("above", wrapped(*args, **kwargs))
    )


def plain_patch(module):
    below = module.run

    @functools.wraps(below)
    def above(*args, **kwargs):
        return "above", below(*args, **kwargs)

    module.run = above


@pytest.mark.parametrize("patch_above", [wrapt_patch, plain_patch])
def test_undo_under_a_patch_of_others(module, patch_above):
    """What lies above stays, ours is taken out from under it or lets everything through."""
    original = module.run
    patch = retrofit(f"{module.__name__}:run")
    patch_above(module)
    assert module.run("ls", 90000) == ("above", 90)
    patch.undo()
    with capture_corrections() as corrections:
        assert module.run("ls", 90000) == ("above", 90000)
    assert corrections == []
    if patch_above is wrapt_patch:
        assert module.run.__wrapped__ is original


def test_undo_between_patches_of_others(module):
    """A patch below ours stays where it is."""
    wrapt_patch(module)
    patch = retrofit(f"{module.__name__}:run")
    wrapt_patch(module)
    assert module.run("ls", 90000) == ("above", ("above", 90))
    patch.undo()
    assert module.run("ls", 90000) == ("above", ("above", 90000))


def test_a_name_taken_before_the_undo_lets_everything_through(module):
    """Who imported the patched function by name gets the function's own behaviour back."""
    patch = retrofit(f"{module.__name__}:run")
    taken = module.run
    patch.undo()
    assert taken("ls", 90000) == 90000
    assert taken.__doc__ is None


def test_threads_that_patch_and_undo(module):
    """Patching and undoing from many threads ends where it began."""
    before = everything(module)
    target = f"{module.__name__}:run"

    def work(_):
        for _ in range(20):
            with retrofit(target):
                module.run("ls", 90000)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert everything(module) == before


# -- real targets ----------------------------------------------------------------------------------


def test_subprocess_run():
    """Everybody who calls `subprocess.run` gets a corrected timeout, and no timeout where none was given."""
    original = subprocess.run
    with retrofit("subprocess:run", max=300) as patch, capture_corrections() as corrections:
        assert isinstance(patch, Patch)
        done = subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True, check=True, timeout=90000)
        assert done.stdout.strip() == b"1"
        subprocess.run([sys.executable, "-c", ""], check=True)
        with pytest.raises(subprocess.TimeoutExpired):
            subprocess.run([sys.executable, "-c", "import time; time.sleep(60)"], check=True, timeout="200ms")
    assert [correction.reason for correction in corrections] == ["read_as_ms"]
    assert subprocess.run is original


@pytest.fixture(scope="module")
def url():
    """Serve one empty answer on this machine."""

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("given", "received"), [((3.05, 90000), (3.05, 90)), (90000, 90), (None, None), ((0, None), (600, None))]
)
def test_requests(url, monkeypatch, given, received):
    """Each element of the connect and read pair is corrected by itself."""
    seen = []
    send = requests.Session.send
    monkeypatch.setattr(
        requests.Session, "send", lambda self, *a, **k: (seen.append(k["timeout"]), send(self, *a, **k))[1]
    )
    with retrofit("requests:Session.request"), requests.Session() as session:
        assert session.get(url, timeout=given).status_code == 204
        assert requests.get(url, timeout=given).status_code == 204
    assert seen == [received, received]


@pytest.mark.parametrize(("given", "read"), [(90000.0, 90), (httpx.Timeout(5, read=90000), 90000), (None, None)])
def test_httpx(url, given, read):
    """A number is corrected, an `httpx.Timeout` is the program's own."""
    with retrofit("httpx:Client.request"), httpx.Client(trust_env=False) as client:
        response = client.get(url, timeout=given)
    assert response.request.extensions["timeout"]["read"] == read


@pytest.mark.parametrize(
    ("target", "error", "message"),
    [
        (":run", ValueError, "':run' is not a target: write \"package.module:Class.method\""),
        ("subprocess:", ValueError, "'subprocess:' is not a target: write \"package.module:Class.method\""),
        ("", ValueError, "'' is not a target: write \"package.module:Class.method\""),
        ("nosuchmodule.part:run", ModuleNotFoundError,
         "nosuchmodule.part:run: there is no module 'nosuchmodule': install it first"),
        ("subprocess:run:now", AttributeError, "subprocess has no attribute 'run:now'"),
    ],
)  # fmt: skip
def test_a_target_that_is_written_wrongly_says_how_to_write_it(target, error, message):
    """The error names the part that is wrong."""
    with pytest.raises(error) as caught:
        retrofit(target)
    assert str(caught.value).startswith(message)


STATED = [
    ({}, "no options"), ({"min": 1, "max": 300}, "min=1, max=300"), ({"param": "timeout"}, "param='timeout'"),
    ({"param": "timeout", "max": 300}, "max=300, param='timeout'"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "text"), STATED, ids=[row[1] for row in STATED])
def test_the_error_of_a_second_patch_lists_the_options_of_the_first(module, options, text):
    """All that was stated is said, the parameter too."""
    target = f"{module.__name__}:run"
    with (
        retrofit(target, **options),
        pytest.raises(ValueError, match=f"^{target} is patched already, with {text}: undo that first$"),
    ):
        retrofit(target, max=60)


def test_the_warning_of_a_target_that_turns_out_wrong_names_it(name):
    """It is named as it was written."""
    retrofit(f"{name}:nothing")
    with pytest.warns(UserWarning, match=rf"^retrofit\('{name}:nothing'\) was not applied: {name} has no attribute"):
        importlib.import_module(name)


def test_undo_under_two_patches_of_others(module):
    """Ours is taken out from under both, and both stay."""
    original = module.run
    patch = retrofit(f"{module.__name__}:run")
    wrapt_patch(module)
    wrapt_patch(module)
    patch.undo()
    assert module.run("ls", 90000) == ("above", ("above", 90000))
    assert module.run.__wrapped__.__wrapped__ is original


def test_a_patched_function_is_as_one_that_is_decorated(module):
    """Its results are noted, its docstring states the contract, and its schema has no bounds."""
    module.run = lambda command, timeout=None: f"{command} {timeout}"
    with retrofit(f"{module.__name__}:run"):
        assert module.run("ls", 90000).startswith("ls 90\n\n[timeoutkit]")
        assert module.run.__doc__.startswith("timeout: Timeout in seconds")
        assert inspect.signature(module.run).parameters["timeout"].annotation.__metadata__[1].schema_bounds is False


def test_a_name_that_resembles_none_is_answered_with_those_that_there_are(module):
    """The first public names are listed."""
    module._hidden = module.__hidden__ = 1
    with pytest.raises(AttributeError) as caught:
        retrofit(f"{module.__name__}:qqqqqqqq")
    assert str(caught.value) == (
        f"{module.__name__} has no attribute 'qqqqqqqq': did you mean Base or Slotted or Tool or instance or run?"
    )


def test_the_error_names_an_object_by_its_class(module):
    """An object has no name of its own."""
    with pytest.raises(AttributeError, match=r"^Tool has no attribute 'methud': did you mean method"):
        retrofit(f"{module.__name__}:instance.methud")


def test_a_target_that_turned_out_wrong_can_be_tried_again(name):
    """Who tries again is told the error, now that the module is there."""
    retrofit(f"{name}:nothing")
    with pytest.warns(UserWarning, match="was not applied"):
        importlib.import_module(name)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        retrofit(f"{name}:nothing")


def test_what_an_object_holds_in_a_slot_is_put_back(module):
    """It is corrected, and then it is what it was."""

    class Slots:
        __slots__ = ("run",)

    module.slotted = Slots()
    module.slotted.run = original = lambda timeout=None: timeout
    with retrofit(f"{module.__name__}:slotted.run"):
        assert module.slotted.run(90000) == 90
    assert module.slotted.run is original


def test_a_name_taken_before_the_undo_says_what_the_function_says(module):
    """Its signature, annotations and docstring are the function's own again."""
    patch = retrofit(f"{module.__name__}:run")
    taken = module.run
    patch.undo()
    assert inspect.signature(taken) == inspect.signature(module.run)
    assert (taken.__annotations__, taken.__doc__) == ({}, None)
