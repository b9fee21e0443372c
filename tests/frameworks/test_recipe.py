"""The recipe of each framework on the page about `install`."""

import subprocess
import sys
from pathlib import Path

from matrix.here import NAME

RECIPE = Path(__file__).parent / "install" / "recipes" / f"{NAME}.py"


def test_the_recipe_runs_as_it_stands():
    """Pasted into a file it runs, and prints a result with its note."""
    # -P: the recipe has the framework's own name, and must not be imported as that
    done = subprocess.run([sys.executable, "-P", str(RECIPE)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "ran within 90 s" in done.stdout
    assert done.stdout.count('"timeout": 90 was used.') == 1 or done.stdout.count('\\"timeout\\": 90 was used.') == 1
