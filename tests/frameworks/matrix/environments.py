"""One environment per framework, made with uv and kept until its requirements change."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path

from matrix.table import Framework, Other

ROOT = Path(__file__).parents[3]
CACHE = ROOT / ".frameworks"

# no test needs the network; these keep the frameworks from using it unasked
_OFFLINE = {
    "AGNO_TELEMETRY": "false",
    "CREWAI_TRACING_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "HAYSTACK_TELEMETRY_ENABLED": "false",
    "HF_HUB_OFFLINE": "1",
    "OTEL_SDK_DISABLED": "true",
}
_LIMIT = 600
_NOT_OURS = ("TIMEOUTKIT_", "PYTEST_", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")


class Environment:
    """The environment of one framework.

    Args:
        name: of the framework in the table.
        framework: what to install, and which tests to run.
        python: the version of Python, as uv takes it.
    """

    def __init__(self, name: str, framework: Framework | Other, python: str) -> None:
        self.name = name
        self.path = CACHE / name
        self._python = python
        self._tests = framework.tests
        self._packages = ["pytest", *framework.packages]
        self._stamp = self.path / "requirements.json"

    def prepare(self, fresh: bool) -> None:
        """Make the environment, unless one with these requirements is there; raises CalledProcessError."""
        stamp = json.dumps([self._python, self._packages, _own_requirements()])
        if not fresh and self._stamp.exists() and self._stamp.read_text() == stamp:
            return
        shutil.rmtree(self.path, ignore_errors=True)
        _uv("venv", "--python", self._python, str(self.path))
        _uv("pip", "install", "--python", str(self.path), "--editable", str(ROOT), *self._packages)
        self._stamp.write_text(stamp)

    def test(self, tests: Path, report: Path) -> str:
        """Run the tests, their results into a JUnit report; gives what pytest printed."""
        command = [str(_interpreter(self.path)), "-m", "pytest", "-c", str(tests / "pytest.ini")]
        try:
            run = subprocess.run(
                [*command, str(tests / self._tests), "-q", f"--junitxml={report}"], env=self._variables(), cwd=tests, text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=_LIMIT,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"stopped, as it had not ended after {_LIMIT} s"
        return run.stdout

    def version(self) -> str:
        """Give the installed version of the framework itself."""
        name = self._packages[1].split("[")[0].split("<")[0].split(">")[0].split("==")[0]
        found = distributions(name=name, path=[str(path) for path in self.path.glob("[Ll]ib*/**/site-packages")])
        return next((one.version for one in found), "")

    def _variables(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_OURS)}
        own = {"TIMEOUTKIT_FRAMEWORK": self.name, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        return {**kept, **_OFFLINE, **own}


def _interpreter(environment: Path) -> Path:
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _own_requirements() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [*project["dependencies"], json.dumps(project.get("entry-points", {}))]


def _uv(*arguments: str) -> None:
    subprocess.run(
        [*uv(), "--quiet", *arguments], check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def uv() -> list[str]:
    """Find uv; exits with what to do where there is none."""
    if shutil.which("uv"):
        return ["uv"]
    if importlib.util.find_spec("uv"):
        return [sys.executable, "-m", "uv"]
    sys.exit("uv makes the environments, and there is none: pip install uv")
