"""Print how many tests Maven ran, by module, and fail where there were none.

python tests/android/counts.py reports...
"""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree


def main() -> None:
    """Print it."""
    for folder in map(Path, sys.argv[1:]):
        suites = [ElementTree.parse(path).getroot() for path in folder.glob("TEST-*.xml")]
        tests, skipped = (
            sum(int(suite.attrib[name]) for suite in suites) for name in ("tests", "skipped")
        )
        if tests == 0:
            sys.exit(f"{folder}: no tests were run")
        print(f"{folder.parts[-3]}: {tests - skipped} tests passed, {skipped} skipped")


if __name__ == "__main__":
    main()
