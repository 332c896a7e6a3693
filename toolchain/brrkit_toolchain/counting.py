"""The interface to the package that counts, through which the toolchain's commands use it.

That package builds on the toolchain, which imports nothing from it. An entry point names its
registered module.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from brrkit import WordBundle
from brrkit.errors import BrrError
from brrkit.setting import CountsSetting, Setting
from brrkit.writing import Writing

if TYPE_CHECKING:
    from brrkit_toolchain.bundle.verify import Verification
    from brrkit_toolchain.cli.calibrate.options import CalibrateOptions

GROUP = "brrkit.counting"
"""The group of entry points of a package that counts; exactly one is registered."""


class FoundSetting(Protocol):
    """A result of ``brr calibrate``."""

    @property
    def setting(self) -> Setting | CountsSetting: ...  # noqa: D102


F = TypeVar("F", bound=FoundSetting)


class CalibrationJob(Protocol[F]):
    """A module with the work of ``brr calibrate`` for words, for a text, or for counts.

    Attributes:
        REFUSED: names of refused options, with the reasons.
        USED: sentence about the use of a written setting.
    """

    REFUSED: Mapping[str, str]
    USED: str

    def find(self, bundle: WordBundle, options: CalibrateOptions, /) -> F:
        """Return the result."""
        ...

    def to_json(self, bundle: WordBundle, found: F, /) -> dict[str, Any]:
        """Return the result as JSON types."""
        ...

    def show(self, bundle: WordBundle, found: F, /) -> None:
        """Print the result."""
        ...


class Counting(Protocol):
    """The registered module, with these functions."""

    def list_index(self, strings: Path, writing: Writing, *, as_is: bool, progress: bool) -> bytes:
        """Return the index of the list made from a file of strings."""
        ...

    def list_page(self, bundle: WordBundle, verification: Verification | None) -> str:
        """Return the report page of a list."""
        ...

    def calibration(self) -> CalibrationJob[Any]:
        """Return the module for ``brr calibrate --for counts``."""
        ...


def counting() -> Counting:
    """Return the registered module.

    Raises:
        BrrError: nothing is registered, because the installation is incomplete.
    """
    registered = next(iter(entry_points(group=GROUP)), None)
    if registered is None:
        raise BrrError(
            "the package brrkit_counting isn't installed; run: pip install --force-reinstall brrkit"
        )
    return cast(Counting, registered.load())
