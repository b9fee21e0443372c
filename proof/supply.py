"""Part 7: the package as it is delivered."""

import os
import shutil
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from email.message import Message
from email.parser import Parser
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

from proof.claims import Claim, Effort, not_run
from proof.commands import ROOT, python, run

VERSIONS = ("3.11", "3.12", "3.13")
_EPOCH = "1700000000"
_CACHES = (
    "__pycache__",
    ".venv*",
    ".tox",
    ".git",
    ".frameworks",
    ".*_cache",
    ".hypothesis",
    ".coverage*",
    "dist",
    "build",
)
_PLANTED = (
    "timeoutkit/__pycache__/x.cpython-311.pyc",
    "tests/.pytest_cache/v",
    "tests/.hypothesis/x",
    "dist/x",
    ".coverage",
)
_ALWAYS = {"PKG-INFO", "pyproject.toml", ".gitignore"}
_COMPLETE = (
    "Name",
    "Version",
    "Summary",
    "License-Expression",
    "License-File",
    "Requires-Python",
    "Author",
    "Keywords",
    "Classifier",
    "Requires-Dist",
    "Provides-Extra",
    "Description-Content-Type",
)
"""Fields of the metadata that must be there."""
NEWCOMER = """\
import subprocess
from timeoutkit import sane_timeout

@sane_timeout(max=300)
def run_shell(command: str, timeout: float = 30) -> str:
    return subprocess.run(command, shell=True, capture_output=True, text=True, timeout=timeout).stdout.strip()

print(run_shell("echo hello", timeout=90000))
"""
EXPECTED = 'hello\n\n[timeoutkit] "timeout": 90 was used. timeout is in seconds (up to 300), not milliseconds.\n'


def prove(_effort: Effort) -> Iterator[Claim]:
    """Build, look inside, and use it as a newcomer would."""
    with tempfile.TemporaryDirectory() as folder:
        first, second = (_built(Path(folder, *place)) for place in (("a",), ("another", "and longer", "place")))
        yield _reproducible(first, second)
        wheel, sdist = sorted(first, key=lambda path: path.suffix == ".gz")
        yield _wheel(wheel)
        yield _sdist(sdist)
        yield _metadata(wheel, sdist)
        for version in VERSIONS:
            yield _used(version, wheel, Path(folder, version))


def _built(place: Path) -> list[Path]:
    """Build in a copy of the tree, with what a developer's tree has as well."""
    shutil.copytree(ROOT, place, ignore=shutil.ignore_patterns(*_CACHES))
    for name in _PLANTED if "another" in place.parts else ():
        planted = place / name
        planted.parent.mkdir(parents=True, exist_ok=True)
        planted.write_text("of no use", "utf-8")
    command = ("-m", "build", "--no-isolation", "--outdir", place.parent / f"{place.name} built", place)
    python(*command, what="build", env={"SOURCE_DATE_EPOCH": _EPOCH})
    return sorted((place.parent / f"{place.name} built").iterdir())


def _reproducible(first: list[Path], second: list[Path]) -> Claim:
    what = "wheel and sdist built twice, at two paths, one with caches in the tree, are the same byte by byte"
    same = [path.name for path, other in zip(first, second, strict=True) if path.read_bytes() == other.read_bytes()]
    sizes = ", ".join(f"{path.name} {path.stat().st_size:,} bytes" for path in first)
    return Claim(what, f"{len(same)} of {len(first)} the same: {sizes}", "2 of 2", len(same) == len(first) == 2)


def _wheel(wheel: Path) -> Claim:
    names = ZipFile(wheel).namelist()
    ours = {path.relative_to(ROOT).as_posix() for path in (ROOT / "timeoutkit").rglob("*.py")} | {"timeoutkit/py.typed"}
    package = {name for name in names if name.startswith("timeoutkit/")}
    others = [name for name in names if name not in package and ".dist-info/" not in name]
    wrong = sorted((package ^ ours) | set(others))
    figure = f"{len(names)} files, {_counted('amiss', wrong)}"
    return Claim("the wheel holds the package, py.typed and metadata only", figure, "0 amiss", not wrong)


def _counted(what: str, found: list[str]) -> str:
    return f"{len(found)} {what}" + (f" ({', '.join(found[:3])})" if found else "")


def _sdist(sdist: Path) -> Claim:
    with tarfile.open(sdist) as archive:
        names = [PurePosixPath(*PurePosixPath(name).parts[1:]) for name in archive.getnames()]
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    included = set(settings["tool"]["hatch"]["build"]["targets"]["sdist"]["include"])
    cached = shutil.ignore_patterns(*_CACHES)
    amiss = [str(name) for name in names if name.parts[0] not in included | _ALWAYS or cached("", list(name.parts))]
    lost = [name for name in included if not any(path.parts[0] == name for path in names)]
    figure = f"{len(names)} files, {_counted('amiss', amiss)}, {_counted('lost', lost)}"
    return Claim("the sdist holds what pyproject.toml says, nothing of a cache", figure, "0, 0", not amiss + lost)


def _metadata(wheel: Path, sdist: Path) -> Claim:
    checked = python("-m", "twine", "check", "--strict", wheel, sdist, what="twine")
    with ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
    missing = lacking(metadata)
    figure = f"twine --strict {'passes' if checked.ok else 'fails'}, {_counted('missing', missing)}"
    return Claim("the metadata is complete", figure, "passes, 0", checked.ok and not missing)


def lacking(metadata: Message) -> list[str]:
    """Give the fields that are not there, and the versions of Python that no classifier names."""
    missing = [field for field in _COMPLETE if not metadata[field]]
    classifiers = metadata.get_all("Classifier") or []
    return missing + [one for one in VERSIONS if f"Programming Language :: Python :: {one}" not in classifiers]


def _used(version: str, wheel: Path, place: Path) -> Claim:
    """Install it where there is nothing else, first alone and then with the command line."""
    what = f"installed in a clean environment of Python {version}: a script gets its note, the demo runs"
    base = interpreter(version)
    if base is None:
        return not_run(what, "there is no such Python here")
    run(base, "-m", "venv", place / "env", what=f"environment of {version}")
    own = place / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    script = place / "first.py"
    script.write_text(NEWCOMER, "utf-8")
    clean = {"PYTHONPATH": "", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONUTF8": "1"}

    def there(*arguments: str | Path) -> tuple[bool, str]:
        return run(own, *arguments, what=f"Python {version}", cwd=place, env=clean)

    alone, _ = there("-m", "pip", "install", "-q", wheel)
    _, said = there(script)
    there("-m", "pip", "install", "-q", f"{wheel}[cli]")
    demo, shown = there("-m", "timeoutkit", "demo")
    fits, _ = there("-m", "pip", "check")
    steps = {"install": alone, "script": said == EXPECTED, "demo": demo and "[timeoutkit]" in shown, "pip check": fits}
    failed = [name for name, ok in steps.items() if not ok]
    return Claim(what, f"fails: {', '.join(failed)}" if failed else ", ".join(steps), "all of it", not failed)


def interpreter(version: str) -> str | None:
    """Find a Python of this version: a shim on the path may answer for another, or for none."""
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    for folder in (Path(sys.base_prefix, "bin"), *map(Path, os.get_exec_path())):
        found = folder / f"python{version}"
        if found.exists() and version in run(found, "-c", ask, what=f"Python {version}").text.split():
            return str(found)
    return None
