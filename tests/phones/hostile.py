"""Record every bundle that the runtime's tests open, and what became of it, for other runtimes.

    python tests/phones/hostile.py bundles output

``bundles`` is what ``BRR_TEST_BUNDLES`` names. The tests of ``tests/runtime/test_bundle.py``,
``test_task_bits.py`` and ``test_list_bundle.py`` stay the one list of what must be refused: each
``WordBundle.open`` in them leaves a numbered copy of its directory in ``output``, and a line in
``output/cases.jsonl``: the test, whether hashes were verified, and the message of the error, if
any.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from brrkit import BundleError, WordBundle

FILES = ("manifest.json", "index.safetensors", "randomizer.tflite")
TESTS = [
    Path(__file__).parents[1] / "runtime" / f"test_{name}.py"
    for name in ("bundle", "task_bits", "list_bundle")
]
_COPIED = 1 << 22  # bytes; longer files are sparse


class Recorder:
    """A plugin of pytest that stands between the tests and ``WordBundle.open``."""

    def __init__(self, output: Path) -> None:
        self.output = output
        self.cases: list[dict[str, Any]] = []
        self.test = ""
        self._open = WordBundle.open

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.test = item.name

    def open(self, path: str | Path, *, verify_hashes: bool = True) -> WordBundle:
        """Open a bundle, and write down how that went."""
        folder = Path(path)
        recorded = os.path.isdir(path)  # noqa: PTH112 (unlike Path's, it never raises)
        number = len(self.cases)
        if recorded:
            copy(folder, self.output / str(number))
        error = None
        try:
            return self._open(path, verify_hashes=verify_hashes)
        except BundleError as raised:
            error = str(raised).replace(str(folder), "BUNDLE")
            raise
        finally:
            if recorded:
                self.cases.append(
                    {
                        "bundle": str(number),
                        "test": self.test,
                        "verify_hashes": verify_hashes,
                        "error": error,
                    }
                )


def copy(source: Path, target: Path) -> None:
    """Copy what a device has of a bundle."""
    target.mkdir(parents=True)
    for name in FILES:
        if (source / name).is_dir():
            (target / name).mkdir()
        elif (source / name).is_fifo():
            os.mkfifo(target / name)
        elif (source / name).is_file():
            with (source / name).open("rb") as file:
                (target / name).write_bytes(file.read(_COPIED))
            os.truncate(target / name, (source / name).stat().st_size)


def main() -> int:
    """Run the tests."""
    bundles, output = sys.argv[1:]
    os.environ["BRR_TEST_BUNDLES"] = bundles
    recorder = Recorder(Path(output))
    WordBundle.open = recorder.open  # type: ignore[method-assign,assignment]
    # What is about the path, or about time, can't be recorded.
    options = ["-q", "--no-header", *map(str, TESTS), "-k", "not replaced and not messages"]
    result = pytest.main(options, [recorder])
    refused = sum(case["error"] is not None for case in recorder.cases)
    lines = "".join(json.dumps(case) + "\n" for case in recorder.cases)
    (recorder.output / "cases.jsonl").write_text(lines, "utf-8")
    print(f"Recorded {len(recorder.cases)} bundles, {refused} of them refused.")
    return int(result)


if __name__ == "__main__":
    sys.exit(main())
