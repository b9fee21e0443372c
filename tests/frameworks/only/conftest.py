"""What holds in one framework only is tested there only: `test_<framework>.py` and `test_<framework>_install.py`."""

import os
from pathlib import Path

_NAME = os.environ.get("TIMEOUTKIT_FRAMEWORK")
_HERE = (f"test_{_NAME}.py", f"test_{_NAME}_install.py")
collect_ignore = [path.name for path in Path(__file__).parent.glob("test_*.py") if path.name not in _HERE]
