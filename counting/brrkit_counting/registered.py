"""What commands of the toolchain ask for: ``brrkit_toolchain.counting`` says what each is."""

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
    """Return the index of the list that a file of strings makes, as ``brr list`` writes it."""
    from brrkit_counting.lists import make_list

    return make_list(strings, writing, as_is=as_is, progress=progress).index


def list_page(bundle: WordBundle, verification: Verification | None) -> str:
    """Return the report page of a list."""
    from brrkit_counting.pages.list_page import render_list

    return render_list(bundle, verification)


def calibration() -> CalibrationJob[CountsCalibration]:
    """Return what ``brr calibrate --for counts`` does."""
    from brrkit_counting.cli import calibrate

    return calibrate
