"""What is privatized of a corpus, and how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brrkit.errors import ParameterError
from brrkit.privatizer import PASS, RELEASE, RESTS
from brrkit.setting import Frames, Setting, check_frames


@dataclass(frozen=True)
class CorpusPlan:
    """What is privatized of a corpus, and how.

    Attributes:
        columns: names of the columns whose texts are replaced by privatized ones. A file of lines
            has none; of other formats one has to be named.
        keep: names of the columns that stay as they are, UNPRIVATIZED. All others are left out.
        setting: as for ``brrkit.Privatizer``; by default the one that the bundle recommends.
        oov: what becomes of words outside the vocabulary.
        marks: name of a column that says which parts of a row's text are secret, as JSON: a list of
            ``[start, end]`` or ``[start, end, "names"]`` for each ``brrkit.Mark``, which counts
            code points; empty or null for none. It is left out, and needs one column of texts.
        rest: what becomes of a text outside its marks: ``release`` or ``pass``, as of
            ``brrkit.Privatizer.text``. With ``pass`` what no mark covers is written UNPRIVATIZED.
        frame_words: words of a frame, from 1 to 64: each text becomes one, of a piece of it that is
            drawn. By default it is released whole.

    Raises:
        ParameterError: ``columns`` or ``keep`` is one text, the marks are of no one column, or
            frames are of no such number of words, or don't go with ``rest`` or ``oov``.
    """

    columns: Sequence[str] = ()
    keep: Sequence[str] = ()
    setting: Setting | None = None
    oov: str = "random"
    marks: str | None = None
    rest: str = RELEASE
    frame_words: int | None = None

    def __post_init__(self) -> None:
        if self.rest not in RESTS:
            raise ParameterError(f"rest must be one of: {', '.join(RESTS)}")
        if self.marks is None and self.rest == PASS:
            raise ParameterError("rest: without marks nothing would be privatized; give marks")
        if self.frame_words is not None:
            check_frames(Frames(self.frame_words, 1))
            if self.rest == PASS or self.oov != "random":
                raise ParameterError(
                    "a frame has a fixed number of words: release the rest of a text, and give "
                    "unknown words the policy 'random'"
                )
        if self.marks is not None and len(self.columns) != 1:
            raise ParameterError("marks: they belong to one column of texts; name only that column")
        if isinstance(self.columns, str) or isinstance(self.keep, str):
            raise ParameterError("columns and keep must be lists of names, not strings; give lists")
