"""What travels: functions that every process can import, by the names under which a test calls them."""

import asyncio
import functools
import multiprocessing
import os
from types import MethodType

from timeoutkit import sane_timeout
from timeoutkit.testing import capture_corrections

NOTE = '[timeoutkit] "timeout": 90 was used. timeout is in seconds (up to 600), not milliseconds.'
CORRECTED = f"ls within 90 s\n\n{NOTE}"


@sane_timeout
def run(command: str, timeout: int | None = None) -> str:
    return f"{command} within {timeout} s"


def undecorated(command: str, timeout: int | None = None) -> str:
    return f"{command} within {timeout} s"


renamed = sane_timeout(undecorated)


def logged(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


@logged
@sane_timeout
def below_another(command: str, timeout: int | None = None) -> str:
    return f"{command} within {timeout} s"


class Runner:
    def __init__(self, unit):
        self.unit = unit

    @sane_timeout
    def run(self, command: str, timeout: int | None = None) -> str:
        return f"{command} within {timeout} {self.unit}"


def make_local(unit):
    @sane_timeout
    def local(command: str, timeout: int | None = None) -> str:
        return f"{command} within {timeout} {unit}"

    return local


@sane_timeout
async def run_async(command: str, timeout: int | None = None) -> str:
    await asyncio.sleep(0)
    return f"{command} within {timeout} s"


@sane_timeout
def fail(command: str, timeout: int | None = None) -> str:
    raise ConnectionError(f"{command} within {timeout} s")


@sane_timeout(mode="strict")
def refuse(command: str, timeout: int | None = None) -> str:
    return f"{command} within {timeout} s"


def bare(function):
    """Give what was decorated, of a method as a method."""
    if isinstance(function, MethodType):
        return MethodType(function.__func__.__wrapped__, function.__self__)
    return function.__wrapped__


# -- what is asked in the other process ------------------------------------------------------------


def process() -> int:
    return os.getpid()


def policies(function):
    return function.timeout_policies


def is_run(function) -> bool:
    return function is run


def echo(value):
    return value


def corrections(function, *args, **kwargs):
    with capture_corrections() as captured:
        function(*args, **kwargs)
    return captured


def awaited(function, *args, **kwargs):
    return asyncio.run(function(*args, **kwargs))


def call_forked(function, *args, **kwargs):
    """Call in the pool of a process that has one thread: forking one with more is not safe."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(function, args, kwargs)


def call_inherited(*args, **kwargs):
    """Call a locally defined function in a forked process, which has it without any pickling."""
    context = multiprocessing.get_context("fork")
    local, results = make_local("s"), context.SimpleQueue()
    child = context.Process(target=lambda: results.put(local(*args, **kwargs)))
    child.start()
    result = results.get()
    child.join()
    return result


TRAVELLERS = {
    "module_level": run,
    "renamed": renamed,
    "below_another": below_another,
    "method": Runner("s").run,
    "local": make_local("s"),
}
FUNCTIONS = {
    **TRAVELLERS,
    **{f"bare_{name}": bare(function) for name, function in {**TRAVELLERS, "run_async": run_async}.items()},
    **{f.__name__: f for f in (run_async, fail, refuse, process, policies, is_run, echo, corrections, awaited)},
}
