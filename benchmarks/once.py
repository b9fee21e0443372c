"""What is paid once: decorating a function, importing the library, memory."""

import os
import subprocess
import sys
import tracemalloc
from itertools import islice
from pathlib import Path
from time import perf_counter

from benchmarks.contenders import CONTENDERS, Contender
from benchmarks.subjects import unseen_functions
from benchmarks.timing import Sample

_IMPORT = "from time import perf_counter as now; start = now(); {}; print(now() - start)"
_ROOT = Path(__file__).parent.parent
_DECORATED = [name for name, one in CONTENDERS.items() if name != "bare function" and not one.needs_source]


def decoration_samples(functions: int) -> dict[tuple[str, str], Sample]:
    """Make the samples of decorating so many functions never seen before."""
    return {("decorating", name): _decorating(CONTENDERS[name], functions) for name in _DECORATED}


def _decorating(contender: Contender, functions: int) -> Sample:
    unseen, decorated = unseen_functions(contender.annotation), []

    def sample() -> float:
        made = list(islice(unseen, functions))
        start = perf_counter()
        decorated.extend([contender.decorate(function) for function in made])
        return (perf_counter() - start) / functions

    return sample


def import_samples() -> dict[tuple[str, str], Sample]:
    """Make the samples of importing a contender in a fresh process."""
    return {("import", name): _importing(one.imports) for name, one in CONTENDERS.items() if one.imports}


def _importing(statement: str) -> Sample:
    return lambda: _measured("-c", _IMPORT.format(statement))


def _measured(*arguments: str) -> float:
    """Run a fresh interpreter that prints one number."""
    # without compiled files of its own an import would time the compiler
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, *arguments]
    return float(subprocess.run(command, cwd=_ROOT, env=environment, stdout=subprocess.PIPE, check=True).stdout)


def memory(functions: int) -> dict[str, float]:
    """Measure the bytes that each contender holds for one of so many decorated functions, each in a fresh process."""
    return {name: _measured("-m", "benchmarks.once", name, str(functions)) for name in _DECORATED}


def _bytes_each(contender: Contender, functions: int) -> float:
    unseen = unseen_functions(contender.annotation)
    contender.decorate(next(unseen))  # what is made with the first is not paid by the others
    made = list(islice(unseen, functions))
    tracemalloc.start()
    decorated = [contender.decorate(function) for function in made]
    return tracemalloc.get_traced_memory()[0] / len(decorated)


if __name__ == "__main__":
    print(_bytes_each(CONTENDERS[sys.argv[1]], int(sys.argv[2])))
