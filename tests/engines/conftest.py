"""Decorated functions in real engines: collected only where `TIMEOUTKIT_ENGINES` is set, with the extra `engines`."""

import functools
import os
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

HERE = str(Path(__file__).parent)
collect_ignore = ["celery_app.py", "decorated.py", "engines.py"]
collect_ignore_glob = ["*"]

if "TIMEOUTKIT_ENGINES" in os.environ:
    collect_ignore_glob.clear()
    # what travels is imported from here, in this process and in those of the engines, however they are started
    sys.path.insert(0, HERE)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [HERE, os.environ.get("PYTHONPATH")]))


@pytest.fixture(scope="session")
def engine():
    """Give an engine by its name, started when it is first asked for and stopped at the end."""
    from engines import ENGINES

    with ExitStack() as stack:
        yield functools.cache(lambda name: stack.enter_context(ENGINES[name]()))


@pytest.fixture
def call(request, engine):
    """Call a function by its name in `decorated.FUNCTIONS`, in the engine that the test names."""
    return engine(request.param).call
