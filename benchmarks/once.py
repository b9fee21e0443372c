"""What is paid once: decorating a function, importing the library, memory."""

import os
import subprocess
import sys
import tracemalloc
from itertools import islice
from time import perf_counter

from benchmarks.contenders import CONTENDERS, Contender
from benchmarks.subjects import unseen_functions
from benchmarks.timing import Sample

_IMPORT = "from time import perf_counter as now; start = now(); import {}; print(now() - start)"


def decoration_samples(functions: int) -> dict[tuple[str, str], Sample]:
    """Make the samples of decorating so many functions never seen before."""
    return {
        ("decorating", name): _decorating(contender, functions)
        for name, contender in CONTENDERS.items()
        if name != "bare function" and not contender.needs_source
    }


def _decorating(contender: Contender, functions: int) -> Sample:
    unseen, decorated = unseen_functions(contender.annotation), []

    def sample() -> float:
        made = list(islice(unseen, functions))
        start = perf_counter()
        for function in made:
            decorated.append(contender.decorate(function))
        return (perf_counter() - start) / functions

    return sample


def import_samples() -> dict[tuple[str, str], Sample]:
    """Make the samples of importing a contender in a fresh process."""
    return {("import", name): _importing(one.imports) for name, one in CONTENDERS.items() if one.imports}


def _importing(modules: str) -> Sample:
    # without compiled files of our own tree the import would time the compiler
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", _IMPORT.format(modules)]
    return lambda: float(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)


def memory(functions: int) -> dict[str, float]:
    """Measure the bytes that each contender holds for one of so many decorated functions, each in a fresh process."""
    return {
        name: float(subprocess.run(
            [sys.executable, "-m", "benchmarks.once", name, str(functions)], capture_output=True, check=True
        ).stdout)
        for name, contender in CONTENDERS.items()
        if name != "bare function" and not contender.needs_source
    }


def _bytes_each(contender: Contender, functions: int) -> float:
    unseen = unseen_functions(contender.annotation)
    contender.decorate(next(unseen))  # what is made with the first is not paid by the others
    made = list(islice(unseen, functions))
    tracemalloc.start()
    decorated = [contender.decorate(function) for function in made]
    return tracemalloc.get_traced_memory()[0] / len(decorated)


if __name__ == "__main__":
    print(_bytes_each(CONTENDERS[sys.argv[1]], int(sys.argv[2])))
