"""These tests are collected only in the environment of a framework, which `run.py` makes and names."""

import os

collect_ignore_glob = [] if "TIMEOUTKIT_FRAMEWORK" in os.environ else ["*"]
