"""An older release has an environment of its own, where nothing else is run."""

import os

collect_ignore_glob = [] if os.environ.get("TIMEOUTKIT_FRAMEWORK", "").endswith("_older") else ["*"]
