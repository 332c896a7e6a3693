"""The parts of a corpus to privatize, and the parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brrkit.errors import ParameterError
from brrkit.privatizer import PASS, RELEASE, RESTS
from brrkit.setting import Frames, Setting, check_frames


@dataclass(frozen=True)
class CorpusPlan:
    """The parts of a corpus to privatize, and the parameters.

    Attributes:
        columns: names of the columns whose texts are replaced with privatized ones. A file of lines
            has no columns; other formats need at least one.
        keep: names of the columns that stay as they are, UNPRIVATIZED. All others are left out.
        setting: a setting for ``brrkit.Privatizer``; by default, the bundle's recommended setting.
        oov: policy for words outside the vocabulary, as for ``brrkit.Privatizer``.
        marks: name of a column with the secret parts of a row's text, as JSON: a list with
            ``[start, end]`` or ``[start, end, "names"]`` for each ``brrkit.Mark``, in code points;
            empty or null without marks. The output lacks this column. It needs exactly one column
            of texts.
        rest: treatment of a text outside its marks: ``release`` or ``pass``, as for
            ``brrkit.Privatizer.text``. With ``pass``, text outside marks is written UNPRIVATIZED.
        frame_words: number of words in a frame, from 1 to 64. Each text becomes one frame, from a
            random piece of it. By default, texts are released whole.

    Raises:
        ParameterError: ``columns`` or ``keep`` is a string; there are marks, but not exactly one
            column of texts; or ``frame_words`` is out of range, or excludes ``rest`` or ``oov``.
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
