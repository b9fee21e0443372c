"""`python -m benchmarks.audit`: an audit against `json.loads` of every line, on a log as agents write it."""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from time import perf_counter
from typing import Any

from timeoutkit._audit.audit import Audit
from timeoutkit._audit.logs import logs_at, opened

BAR = 4
"""Times as fast as `json.loads` of every line."""
_EVERY = 10
"""One line in so many holds a tool call."""
_POOL = 5_000
"""Different lines; a log repeats them."""
_MEGABYTE = 1_000_000
_LONG_LINE = 200 * _MEGABYTE
_TIMEOUTS = (None, 120_000, 300_000, 30, 0, 600_000, 900_000, "2m")
_CODE = """\
    def run(self, command: str, timeout: float = 120) -> str:
        \"\"\"Run a command in the shell.\"\"\"
        done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=timeout)
        return done.stdout if done.returncode == 0 else f"failed:\\t{done.stderr!r}"
tests/test_shell.py::test_a_command_that_hangs_is_stopped PASSED                      [ 41%]
error[E0308]: mismatched types: expected `Option<Duration>`, found integer
  --> src/tool/shell.rs:118:34
-rw-r--r-- 1 ada ada  4096 Nov  3 09:12 "/home/ada/project/docs/how to.md"
The shell tool waits without end where the timeout is left out, so the whole run stands still until someone looks.
"""


def lines(seed: int = 0) -> Iterator[bytes]:
    """Write lines as Claude Code does: tool calls, their results, and what the model says."""
    chance = random.Random(seed)
    code = _CODE.splitlines(keepends=True)
    for number in range(_POOL):
        text = "".join(f"{line:>6}→{chance.choice(code)}" for line in range(1, chance.randint(4, 40)))
        yield json.dumps(_line(number, text, chance), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _line(number: int, text: str, chance: random.Random) -> dict[str, Any]:
    place = {"parentUuid": f"{number:032x}", "isSidechain": False, "cwd": "/home/ada/project", "version": "2.0.14"}
    if number % _EVERY == 0:
        timeout = chance.choice(_TIMEOUTS)
        arguments = {"command": chance.choice(_CODE.splitlines()), **({} if timeout is None else {"timeout": timeout})}
        content = [{"type": "tool_use", "id": f"toolu_{number:024}", "name": "Bash", "input": arguments}]
    elif number % 2:
        content = [{"tool_use_id": f"toolu_{number:024}", "type": "tool_result", "content": text, "is_error": False}]
        message = {"role": "user", "content": content}
        return {**place, "type": "user", "message": message, "toolUseResult": {"stdout": text, "interrupted": False}}
    else:
        content = [{"type": "text", "text": text}]
    usage = {"input_tokens": 4, "cache_read_input_tokens": 12_030, "output_tokens": 61, "service_tier": "standard"}
    message = {"role": "assistant", "model": "claude-sonnet-4-5", "content": content, "usage": usage}
    return {**place, "type": "assistant", "message": message, "timestamp": "2025-11-03T09:12:05.114Z"}


def write(path: Path, size: int) -> int:
    """Write a log of at least so many bytes, and give the number of tool calls in it."""
    block = b"".join(lines())
    blocks = -(-size // len(block))
    with path.open("wb") as file:
        file.writelines(repeat(block, blocks))
    return blocks * len(range(0, _POOL, _EVERY))


def write_long_line(path: Path) -> int:
    """Write a single line with long texts and a tool call at its end."""
    text = json.dumps(_CODE * 1000).encode()
    with path.open("wb") as file:
        file.write(b'{"results":[')
        file.writelines(repeat(text + b",", _LONG_LINE // len(text)))
        file.write(b'{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"timeout":0}}]}\n')
    return 1


def parse_every_line(path: Path) -> dict[str, Any]:
    """Do what is measured against."""
    with path.open("rb") as file:
        return {"lines": sum(1 for _ in map(json.loads, file))}


def audit(path: Path) -> dict[str, Any]:
    """Do what the command line does."""
    done = Audit()
    with opened(logs_at(str(path))[0][0]) as stream:
        done.read(path.name, stream)
    return {"lines": done.lines, "parsed": done.parsed, "calls": done.calls, "problems": len(done.problems)}


_PEAK = """\
import sys
from pathlib import Path
from benchmarks.audit import audit, held
before = held()
calls = audit(Path(sys.argv[1]))["calls"]
print(calls, before, held())
"""


def held() -> int:
    """Give the bytes of memory that this process held at most."""
    status = Path("/proc/self/status")
    if status.exists():
        return 1024 * int(status.read_text().partition("VmHWM:")[2].split()[0])
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def peak(path: Path) -> tuple[int, float, float]:
    """Audit in a process of its own: the calls found, and the megabytes that it held before and at most."""
    done = subprocess.run([sys.executable, "-c", _PEAK, str(path)], capture_output=True, text=True, check=True)
    calls, before, most = map(int, done.stdout.split())
    return calls, before / _MEGABYTE, most / _MEGABYTE


def measure(folder: Path, size: int, rounds: int) -> dict[str, Any]:
    """Measure both side by side, by turns, and the memory of the audit."""
    log, long_line = folder / "session.jsonl", folder / "long_line.jsonl"
    written, megabytes = write(log, size), log.stat().st_size / _MEGABYTE
    taken: dict[str, list[float]] = {"json.loads": [], "audit": []}
    for _ in range(rounds):
        for name, work in (("json.loads", parse_every_line), ("audit", audit)):
            start = perf_counter()
            found = work(log)
            taken[name].append(perf_counter() - start)
    assert found["calls"] == written, f"{found['calls']} of {written} calls"
    seconds = {name: min(times) for name, times in taken.items()}
    write_long_line(long_line)
    return {
        "megabytes": megabytes,
        "lines": found["lines"],
        "calls": found["calls"],
        "share_of_lines_parsed": found["parsed"] / found["lines"],
        "megabytes_per_second": {name: megabytes / least for name, least in seconds.items()},
        "times_as_fast": seconds["json.loads"] / seconds["audit"],
        "memory": {
            path.name: dict(zip(("calls", "before", "peak"), peak(path), strict=True)) for path in (log, long_line)
        },
    }


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.audit", description="How fast logs are audited.")
    parser.add_argument("--size", type=int, default=500, metavar="MB", help="of the log (default: 500)")
    parser.add_argument("--rounds", type=int, default=3, help="the least of so many counts (default: 3)")
    parser.add_argument("--json", action="store_true", help="print data")
    parser.add_argument("--check", action="store_true", help=f"exit with 1 where it is under {BAR} times as fast")
    options = parser.parse_args()
    size = options.size * _MEGABYTE
    with tempfile.TemporaryDirectory() as folder:
        if shutil.disk_usage(folder).free < 2 * size + _LONG_LINE:
            parser.error(f"{folder} has not enough room: set TMPDIR to a folder that has, or --size")
        figures = measure(Path(folder), size, options.rounds)
    print(json.dumps(figures, indent=2) if options.json else _told(figures))
    return int(options.check and figures["times_as_fast"] < BAR)


def _told(figures: dict[str, Any]) -> str:
    speed = figures["megabytes_per_second"]
    told = [
        f"{figures['megabytes']:.0f} MB, {figures['lines']:,} lines, {figures['calls']:,} tool calls, all found",
        f"json.loads of every line {speed['json.loads']:8.0f} MB/s",
        f"audit                    {speed['audit']:8.0f} MB/s, {figures['share_of_lines_parsed']:.1%} of lines parsed",
        f"times as fast            {figures['times_as_fast']:8.2f}      bar: {BAR}",
    ]
    for name, one in figures["memory"].items():
        told.append(f"memory, {name:<17}{one['peak']:8.0f} MB, of which {one['before']:.0f} before it begins")
    return "\n".join(told)


if __name__ == "__main__":
    sys.exit(main())
