"""What is privatized of a corpus, and how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brrkit.errors import ParameterError
from brrkit.setting import Setting


@dataclass(frozen=True)
class CorpusPlan:
    """What is privatized of a corpus, and how.

    Attributes:
        columns: names of the columns whose texts are replaced by privatized ones. A file of lines
            has none; of other formats one has to be named.
        keep: names of the columns that stay as they are, UNPRIVATIZED. All others are left out.
        setting: as for ``brrkit.Privatizer``; by default the one that the bundle recommends.
        oov: what becomes of words outside the vocabulary.

    Raises:
        ParameterError: ``columns`` or ``keep`` is one text.
    """

    columns: Sequence[str] = ()
    keep: Sequence[str] = ()
    setting: Setting | None = None
    oov: str = "random"

    def __post_init__(self) -> None:
        if isinstance(self.columns, str) or isinstance(self.keep, str):
            raise ParameterError("columns and keep are lists of names, not one text; give lists")
