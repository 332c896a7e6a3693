"""What a device reports of a day of text: a fixed number of frames of a fixed number of words.

The format and the draws are in ``spec/reports.md``, "Frames". What a person's day loses is in
``docs/explanation/proofs.md``, "Frames".
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from brrkit.budget import PrivacyBudget
from brrkit.bundle import WordBundle
from brrkit.errors import ParameterError
from brrkit.marks import Mark
from brrkit.privatizer import Privatizer
from brrkit.randomness import RandomSource
from brrkit.reporter import batch_of, place_of
from brrkit.resolve import resolve_frames
from brrkit.setting import Frames, Setting

_UNKNOWN = ""  # no vocabulary has it


class TextReporter:
    """Collects a day's frames of text: the number that ``frames`` states, whatever is typed.

    Texts are cut into pieces with the words of a frame; releases of unknown words, the fillers,
    fill the last piece of a text. A day begins with frames of fillers only. Each piece replaces one
    of them until none is left; later pieces replace an earlier piece, or are dropped (reservoir
    sampling: Vitter 1985, algorithm R). How much was typed, and when, therefore changes only words.
    Each word is released when it is typed, and nothing typed is kept. Frames are kept only in this
    process's memory. Do not use it in several threads at once.

    Proof: ``docs/explanation/proofs.md``, "Frames".
    """

    def __init__(
        self,
        bundle: WordBundle,
        setting: Setting | None = None,
        *,
        frames: Frames | None = None,
        budget: PrivacyBudget | None = None,
        random: RandomSource = os.urandom,
    ) -> None:
        """Prepare a mechanism on a bundle. It has no memory, which would link frames.

        Args:
            bundle: an opened bundle.
            setting: as ``Privatizer`` takes it; without it, the bundle's recommended setting.
            frames: words of a frame, and frames of a day; without them, the bundle's (``brr
                calibrate --frames --write``).
            budget: counts ``Privatizer.certified_epsilon`` for each word of a day's frames when the
                day begins, and nothing else. Let nothing else spend it, and let it allow two days
                in each of its periods: else its refusals depend on typing.
            random: source of random bytes for words, sample and ids. Leave it alone in
                production.

        Raises:
            ParameterError: a value is unknown or out of range; or there is no setting or there are
                no frames, and the bundle has none.
            BundleError: the recommended setting isn't one that this version can run.
        """
        self._privatizer = Privatizer(bundle, setting, random=random)
        self._bundle = bundle
        self._stated = "recommended" if setting is None else setting.stated
        self._frames = resolve_frames(bundle, frames)
        self._budget = budget
        self._random = random
        self._sample: list[list[str]] = []  # empty: no day has begun
        self._seen = 0
        self._piece: list[str] = []
        self._stream = self._privatizer.stream()

    def begin_day(self) -> None:
        """Pay for a day, and fill its frames, unless one has begun; other methods do so, too.

        Raises:
            BudgetError: the budget doesn't allow the day; nothing was drawn.
        """
        if self._sample:
            return
        frames, privatizer = self._frames, self._privatizer
        if self._budget is not None:
            paid = privatizer.certified_epsilon, frames.words_a_day
            self._budget.spend(*paid, unit=self._bundle.digest)
        fillers = [_UNKNOWN] * frames.words
        self._sample = [privatizer.words(fillers) for _ in range(frames.a_day)]

    def add(self, text: str, marks: Sequence[Mark] = ()) -> None:
        """End the text in progress, and release ``text`` as one of its own.

        Args:
            text: as typed. One without words changes nothing.
            marks: parts of it that are one token each, as of ``Privatizer.text``.

        Raises:
            ParameterError: a mark is empty, outside the text, or of no list of the policy.
            BudgetError: the budget doesn't allow the day; nothing was released.
        """
        if not isinstance(text, str):
            raise ParameterError("add takes a string")
        words = self._privatizer._typed(text, marks)
        self.begin_day()
        self.end()
        for typed in words:
            self._release(typed)
        self.end()

    def word(self, word: str) -> None:
        """Release ``word``, as typed, as the next one of the text in progress.

        Raises:
            BudgetError: the budget doesn't allow the day; nothing was released.
        """
        if not isinstance(word, str):
            raise ParameterError("word takes a string")
        typed = self._privatizer._tokenizer.look_up(word)
        self.begin_day()
        self._release(typed)

    def end(self) -> None:
        """End the text in progress, if there is one."""
        while self._piece:
            self._release(None)

    def batches(self, start: str, end: str) -> list[bytes]:
        """Return the day's frames, each as a batch of JSON, and end the day.

        There is always the same number of frames, each with the same number of words. Their order
        reveals nothing about the order of typing. Send them one at a time, at times that don't
        depend on typing.

        Args:
            start: of the period that the batches name, as ``2026-11-16T00:00:00Z``.
            end: of the period.

        Raises:
            BudgetError: no day had begun, and the budget doesn't allow one.
        """
        self.begin_day()
        self.end()
        sample, self._sample, self._seen = self._sample, [], 0
        find = self._bundle.vocabulary.find
        made = "brr-frames", self._bundle, self._stated, (start, end)
        in_order = sorted(sample, key=lambda frame: [find(word) or 0 for word in frame])
        return [batch_of(*made, frame, self._random) for frame in in_order]

    def _release(self, typed: int | None) -> None:
        """Release the next word of the piece in progress; a full one is a frame."""
        released = self._stream._released(typed)
        assert released is not None  # for mypy: unknown words aren't dropped
        self._piece.append(released)
        if len(self._piece) == self._frames.words:
            self._take(self._piece)
            self._piece, self._stream = [], self._privatizer.stream()

    def _take(self, frame: list[str]) -> None:
        """Let the day's sample take ``frame``, or not."""
        self._seen += 1
        place = place_of(self._seen, self._frames.a_day, self._random)
        if place < self._frames.a_day:
            self._sample[place] = frame
