"""Each night only, or a file that is named: research isn't what a day's change is about."""

import os

from toolchain_fixtures import *  # noqa: F403

collect_ignore_glob = [] if os.environ.get("BRR_NIGHTLY") else ["test_*.py"]
