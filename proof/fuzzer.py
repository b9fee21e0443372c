"""One target under a fuzzer, in a process of its own: `python -m proof.fuzzer TARGET SECONDS FOLDER`."""

import json
import os
import random
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, thread_time
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from proof.targets import Target

_MOST_BYTES = 4096
_WORTH_A_LOOK = 0.001
"""Seconds: a quicker input is not timed again."""


class Watch:
    """Checks one input after another until the time is up, counted from the first, and then says what was seen."""

    def __init__(self, check: Callable[[Any], None], seconds: float) -> None:
        self.check = check
        self.seconds = seconds
        self.end = 0.0
        self.runs = 0
        self.slowest = 0.0
        self.slowest_input = ""

    def see(self, value: Any) -> None:
        """Check one input."""
        self.end = self.end or monotonic() + self.seconds
        if monotonic() > self.end:
            self.say(None)
        self.runs += 1
        try:
            taken = self._timed(value)
            if taken > max(self.slowest, _WORTH_A_LOOK):
                taken = min(taken, *(self._timed(value) for _ in range(3)))
        except BaseException:
            traceback.print_exc()
            self.say({"input": repr(value)[:1000], "error": traceback.format_exc(limit=0).strip()[:500]})
        if taken > self.slowest:
            self.slowest, self.slowest_input = taken, repr(value)[:200]

    def _timed(self, value: Any) -> float:
        start = thread_time()  # of this thread alone: what else the machine does is no matter
        self.check(value)
        return thread_time() - start

    def say(self, failure: dict[str, str] | None) -> NoReturn:
        """Print what was seen, and end the process: a fuzzer would go on."""
        seen = {"runs": self.runs, "slowest": self.slowest, "slowest_input": self.slowest_input, "failure": failure}
        print(json.dumps(seen), flush=True)
        os._exit(int(failure is not None))


def guided(name: str, seconds: float, folder: Path) -> NoReturn:
    """Let atheris choose the inputs by the code that they reach."""
    atheris: Any = import_module("atheris")  # it has no types
    with atheris.instrument_imports(include=["timeoutkit"]):
        import_module("timeoutkit")
    target: Target = import_module("proof.targets").TARGETS[name]
    watch = Watch(target.check, seconds)
    for number, seed in enumerate(target.seeds):
        (folder / str(number)).write_text(seed, "utf-8")
    words = folder.with_name("words")
    # a dictionary without a word is refused
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in target.words or ("timeout",)), "utf-8")
    reached = (lambda data: watch.see(data.decode("utf-8", "replace"))) if target.seeds else _drawing(watch, target)
    atheris.Setup(
        [
            sys.argv[0],
            str(folder),
            f"-dict={words}",
            f"-max_len={_MOST_BYTES}",
            "-timeout=20",
            f"-artifact_prefix={folder.parent}/",
        ],
        reached,
    )
    atheris.Fuzz()
    watch.say({"input": "", "error": "the fuzzer ended by itself"})


def _escaped(word: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word.encode())


def unguided(name: str, seconds: float) -> NoReturn:
    """Let hypothesis choose, where there is no atheris."""
    target: Target = import_module("proof.targets").TARGETS[name]
    watch = Watch(target.check, seconds)
    draw, chance = _drawing(watch, target), random.Random()
    while True:
        draw(chance.randbytes(chance.randint(1, 600)))


def _drawing(watch: Watch, target: "Target") -> Callable[[bytes], object]:
    """Let hypothesis make an input of bytes."""
    from hypothesis import given

    @given(target.inputs)
    def see(value: Any) -> None:
        watch.see(value)

    return see.hypothesis.fuzz_one_input  # type: ignore[attr-defined, no-any-return]


def engine() -> str:
    """Tell which fuzzer there is."""
    return "atheris" if find_spec("atheris") else "hypothesis"


if __name__ == "__main__":
    _, target_name, duration, corpus = sys.argv
    if engine() == "atheris":
        guided(target_name, float(duration), Path(corpus))
    unguided(target_name, float(duration))
