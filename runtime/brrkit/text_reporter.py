"""A device's daily reports of text: a fixed number of frames with a fixed number of words.

``spec/reports.md``, "Frames", specifies the format and the draws. ``docs/explanation/proofs.md``,
"Frames", bounds the privacy loss of a person's day.
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

_UNKNOWN = ""  # in no vocabulary


class TextReporter:
    """Collects a day's frames of text. Their number is fixed, whatever is typed.

    Texts are cut into pieces of one frame's length. Fillers, which are releases of unknown words,
    complete the last piece of a text. A day begins with frames of fillers only. Each piece replaces
    one of them until none is left. Later pieces replace an earlier piece, or are dropped (reservoir
    sampling: Vitter 1985, algorithm R). The amount and times of typing therefore change only the
    words in frames. Each word is released when it is typed, and nothing typed is kept. Frames are
    kept only in this process's memory. Don't use it in several threads at once.

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
            setting: a setting for ``Privatizer``; without it, the bundle's recommended setting.
            frames: number of words in a frame, and of frames for a day; without it, the bundle's
                (``brr calibrate --frames --write``).
            budget: counts ``Privatizer.certified_epsilon`` for each word of a day's frames when the
                day begins, and nothing else. Use it for nothing else, and let it allow two days in
                each of its periods; otherwise its refusals depend on typing.
            random: source of random bytes for words, sample and ids. Don't set it in production.

        Raises:
            ParameterError: a value is unknown or out of range; or the setting or the frames are
                missing, in the bundle, too.
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
        """Pay for a day and fill its frames, unless a day has begun. Other methods do so, too.

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
        """End the text in progress, and release ``text`` as a separate text.

        Args:
            text: the text, as typed. A text without words adds nothing.
            marks: parts of the text that are one token each, as for ``Privatizer.text``.

        Raises:
            ParameterError: ``text`` isn't a string; or a mark is empty or outside the text, or
                names a list that the policy lacks.
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
        """Release the typed ``word`` as the next word of the text in progress.

        Raises:
            ParameterError: ``word`` isn't a string.
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
            start: start of the period that the batches name, such as ``2026-11-16T00:00:00Z``.
            end: end of this period.

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
        """Put ``frame`` into the day's sample, or drop it."""
        self._seen += 1
        place = place_of(self._seen, self._frames.a_day, self._random)
        if place < self._frames.a_day:
            self._sample[place] = frame
