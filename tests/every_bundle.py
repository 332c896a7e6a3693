"""Make the bundles that the tests of every runtime read, by today's code.

python tests/every_bundle.py FOLDER
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import listed
import task_bundle
import written

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.baselines import add_baselines
from brrkit_toolchain import BuildPlan, build_bundle

ROOT = Path(__file__).parents[1]
ENCYCLOPEDIA = ROOT / "tests" / "data" / "encyclopedia.vec.xz"


def main(folder: str) -> None:
    """Write them; what is in the folder goes."""
    add_baselines()  # lsh takes no time
    shutil.rmtree(folder, ignore_errors=True)
    Path(folder).mkdir(parents=True)
    text = shutil.copy(ROOT / "docs" / "explanation" / "proofs.md", f"{folder}.txt")
    by_text = {"text": Path(text), "least": 2, "text_digest": False}
    for bits, options in ((64, by_text), (256, {})):
        plan = BuildPlan(bits=bits, method="lsh", vocabulary_size=2000, **options)
        build_bundle(ENCYCLOPEDIA, Path(folder, str(bits)), plan)
    task_bundle.main(f"{folder}/64", f"{folder}/256", f"{folder}/tasks")
    written.main(folder)
    listed.main(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
