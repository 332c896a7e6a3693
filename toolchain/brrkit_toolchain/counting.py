"""What the toolchain asks of the package that counts: its own commands reach lists and counts, too.

That package is built on the toolchain, which imports nothing of it: an entry point names what it
registers.
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
"""The entry points of what a package registers that counts; one is."""


class FoundSetting(Protocol):
    """What ``brr calibrate`` found."""

    @property
    def setting(self) -> Setting | CountsSetting: ...  # noqa: D102


F = TypeVar("F", bound=FoundSetting)


class CalibrationJob(Protocol[F]):
    """What ``brr calibrate`` does for words, for a text, or for counts: a module with these.

    Attributes:
        REFUSED: names of options that it doesn't take, and why.
        USED: where a written setting is in force.
    """

    REFUSED: Mapping[str, str]
    USED: str

    def find(self, bundle: WordBundle, options: CalibrateOptions, /) -> F:
        """Return what was found."""
        ...

    def to_json(self, bundle: WordBundle, found: F, /) -> dict[str, Any]:
        """Return it as JSON's types."""
        ...

    def show(self, bundle: WordBundle, found: F, /) -> None:
        """Print it."""
        ...


class Counting(Protocol):
    """What is registered: a module with these functions."""

    def list_index(self, strings: Path, writing: Writing, *, as_is: bool, progress: bool) -> bytes:
        """Return the index of the list that a file of strings makes."""
        ...

    def list_page(self, bundle: WordBundle, verification: Verification | None) -> str:
        """Return the report page of a list."""
        ...

    def calibration(self) -> CalibrationJob[Any]:
        """Return what ``brr calibrate --for counts`` does."""
        ...


def counting() -> Counting:
    """Return what is registered.

    Raises:
        BrrError: nothing is: the installation isn't whole.
    """
    registered = next(iter(entry_points(group=GROUP)), None)
    if registered is None:
        raise BrrError(
            "the package that counts isn't installed; run: pip install --force-reinstall brrkit"
        )
    return cast(Counting, registered.load())
