"""What holds in one framework only is tested there only."""

import os
from pathlib import Path

_HERE = f"test_{os.environ.get('TIMEOUTKIT_FRAMEWORK')}.py"
collect_ignore = [path.name for path in Path(__file__).parent.glob("test_*.py") if path.name != _HERE]
