"""Functions that commands of the toolchain call: ``brrkit_toolchain.counting`` describes each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from brrkit import WordBundle
from brrkit.writing import Writing
from brrkit_toolchain.bundle.verify import Verification
from brrkit_toolchain.counting import CalibrationJob

if TYPE_CHECKING:
    from brrkit_counting.calibrate import CountsCalibration


def list_index(strings: Path, writing: Writing, *, as_is: bool, progress: bool) -> bytes:
    """Return the index that ``brr list`` writes for a file of strings."""
    from brrkit_counting.lists import make_list

    return make_list(strings, writing, as_is=as_is, progress=progress).index


def list_page(bundle: WordBundle, verification: Verification | None) -> str:
    """Return the report page of a list."""
    from brrkit_counting.pages.list_page import render_list

    return render_list(bundle, verification)


def calibration() -> CalibrationJob[CountsCalibration]:
    """Return the job of ``brr calibrate --for counts``."""
    from brrkit_counting.cli import calibrate

    return calibrate
