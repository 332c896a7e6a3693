"""The probability that attackers recognize a released text, such as a quote, among their texts.

They know the mechanism's probabilities, and assume that all texts are equally likely.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from brrkit import ParameterError, WordBundle
from brrkit.setting import Estimate, Setting
from brrkit_toolchain.attackers.texts.from_files import TextFiles
from brrkit_toolchain.attackers.texts.text_attack import LONGEST, known_ids, released_before
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.drawing.frames import framed
from brrkit_toolchain.channel.in_force import setting_in_force
from brrkit_toolchain.confidence import proportion
from brrkit_toolchain.embeddings import Embeddings
from brrkit_toolchain.embeddings.of_bundle import given_vectors
from brrkit_toolchain.io.progress import Progress
from brrkit_toolchain.language.texts import TextIds, ids_of, read_texts

LENGTHS = ((1, 2), (3, 5), (6, 9), (10, 14), (15, 20), (21, LONGEST))
"""Smallest and largest lengths, in words, of texts that are measured together."""

_RELEASED = 100  # released texts in each of LENGTHS
_FEWEST_RELEASED = 10
_MOST_TEXTS = 20_000  # largest number of texts to compare a released text with
_TINY = 1e-30

Ids = NDArray[np.int32]


@dataclass(frozen=True)
class Recognition:
    """The probability that released texts are recognized.

    Attributes:
        others: number of other texts among which a text is recognized.
        frame_words: number of words in a released frame; None for whole texts.
        success: probability that a text is recognized, by the smallest and largest number of its
            words. The other texts have the same length, but for frames any length. Lengths with too
            few texts in the file are left out.
        exact: whether the attackers know the mechanism's exact probabilities. Otherwise they
            estimate them, and their success is a lower bound.
    """

    others: int
    frame_words: int | None
    success: Mapping[tuple[int, int], Estimate]
    exact: bool


def measure_recognition(
    bundle: WordBundle,
    text: str | os.PathLike[str] | TextFiles,
    others: int,
    setting: Setting | None = None,
    *,
    frame_words: int | None = None,
    embeddings: str | os.PathLike[str] | Embeddings | None = None,
    seed: int = 0,
    progress: bool = False,
) -> Recognition:
    """Measure how often a released text is recognized among itself and ``others``, by length.

    Args:
        bundle: an opened bundle.
        text: file of texts; equal texts count once.
        others: number of other texts; 1 or more.
        setting: a setting, as for ``measure_words``.
        frame_words: number of words in a frame, as for ``measure_writers``.
        embeddings: embeddings, as for ``measure_words``.
        seed: seed of the released texts, and of the releases.
        progress: show a bar on standard error, if that is a terminal.

    Raises:
        ParameterError: as for ``measure_words``; or the file can't be read, or has too few texts of
            every length.
        BundleError: the manifest doesn't state the bundle's embeddings.
        EmbeddingsError: the embeddings can't be read.
    """
    if others < 1:
        raise ParameterError(f"the others must be 1 or more, not {others}")
    setting = setting_in_force(bundle, setting)
    vectors = given_vectors(bundle, embeddings, progress)
    files = TextFiles.of(text)
    generator = np.random.default_rng(seed)
    texts = _different(bundle, files, progress)
    texts = [texts[i] for i in generator.permutation(len(texts))[:_MOST_TEXTS]]
    lengths = np.array(list(map(len, texts)))
    chosen = {
        (low, high): places[:_RELEASED]
        for low, high in LENGTHS
        if len(places := _comparable(lengths, low, high, others, whole=frame_words is None))
        >= _FEWEST_RELEASED
    }
    if not chosen:
        raise ParameterError(
            f"{files.text}: has fewer than {_FEWEST_RELEASED} different texts with {others:,} "
            "others of the same length; give more texts, or recognize among fewer"
        )
    release, evidence = Channel(bundle, setting, vectors).release_and_evidence(generator)
    size, found = len(bundle), {}
    candidates = _Candidates(texts, lengths, frame_words, size)
    with Progress(
        total=sum(map(len, chosen.values())),
        desc="Recognized texts",
        progress=progress,
    ) as bar:
        for words, places in chosen.items():
            right = []
            for place in places.tolist():
                ids = texts[place]
                if frame_words is not None:
                    ids = framed([ids], frame_words, size, generator.bytes)[0].astype(np.int32)
                one = np.zeros(len(ids), np.intp)
                inputs = known_ids(ids, evidence.stand_ins, int(generator.integers(2**32)))
                outputs = release(inputs, one, ids == size)
                read = evidence.likelihoods(outputs, released_before(outputs, one))
                right.append(candidates.picked(place, np.log(np.maximum(read, _TINY)), others))
                bar.update()
            share = float(np.mean(right))
            variance = float(np.var(right, ddof=1)) / len(right)
            found[words] = proportion(share, variance, len(right))
    return Recognition(others, frame_words, found, evidence.exact)


def _different(bundle: WordBundle, files: TextFiles, progress: bool) -> list[Ids]:
    """Return the words of each different text of a file, in their released form."""
    read = read_texts(Path(files.text), files.column, progress=progress)
    found = (each.start(LONGEST).typed_as for each in ids_of(read, TextIds(bundle.tokenizer)))
    return list({ids.tobytes(): ids for ids in found}.values())


def _comparable(
    lengths: NDArray[np.intp], low: int, high: int, others: int, *, whole: bool
) -> NDArray[np.intp]:
    """Return the places of texts with a length in a range and enough others to compare with."""
    alike = np.bincount(lengths)[lengths] if whole else np.full(len(lengths), len(lengths))
    places: NDArray[np.intp] = np.flatnonzero(
        (lengths >= low) & (lengths <= high) & (alike > others)
    )
    return places


class _Candidates:
    """The texts with which a released text is compared."""

    def __init__(
        self,
        texts: Sequence[Ids],
        lengths: NDArray[np.intp],
        frame_words: int | None,
        unknown: int,
    ) -> None:
        self._lengths, self._whole = lengths, frame_words is None
        if frame_words is None:
            self._by_length: dict[int, tuple[NDArray[np.intp], NDArray[np.int32]]] = {}
            for length in np.unique(lengths).tolist():
                places = np.flatnonzero(lengths == length)
                self._by_length[length] = places, np.stack([texts[i] for i in places.tolist()])
            return
        self._counts = -(-lengths // frame_words)
        self._pieces = np.full((int(self._counts.sum()), frame_words), unknown, np.int32)
        starts = np.cumsum(self._counts) - self._counts
        for start, count, text in zip(starts.tolist(), self._counts.tolist(), texts, strict=True):
            self._pieces[start : start + count].ravel()[: len(text)] = text
        self._starts = starts

    def picked(self, place: int, log: NDArray[np.float32], others: int) -> float:
        """Return the probability that a text is recognized among itself and random others.

        Args:
            place: place of the released text.
            log: float32[t, n + 1], the log likelihood of each word at each place of the release.
            others: number of others.
        """
        rows = np.arange(len(log))
        if self._whole:
            places, texts = self._by_length[int(self._lengths[place])]
            scores = log[rows, texts].sum(axis=1)
            own = scores[np.flatnonzero(places == place)[0]]
        else:
            pieces = log[rows, self._pieces].sum(axis=1).astype(np.float64)
            most = pieces.max()
            scores = most + np.log(
                np.add.reduceat(np.exp(pieces - most), self._starts) / self._counts + _TINY
            )
            own = scores[place]
        better = int((scores > own + 1e-4).sum())
        level = int((scores > own - 1e-4).sum()) - better
        return _first_of(len(scores) - 1, others, better, level - 1)


def _first_of(candidates: int, others: int, better: int, level: int) -> float:
    """Return the probability that a text is first among itself and ``others``, drawn at random.

    Args:
        candidates: number of candidates.
        others: number of candidates to draw.
        better: number of candidates that come before it.
        level: number of equally good candidates, which come before or after it at random.
    """

    def none_of(some: NDArray[np.int64]) -> NDArray[np.float64]:
        left = candidates - some
        logs = (
            gammaln(left + 1.0)
            - gammaln(np.maximum(left - others, 0) + 1.0)
            - gammaln(candidates + 1.0)
            + gammaln(candidates - others + 1.0)
        )
        found: NDArray[np.float64] = np.where(left >= others, np.exp(logs), 0.0)
        return found

    # In a random order of equally good candidates, each number of them before it is equally likely.
    return float(none_of(better + np.arange(level + 1)).mean())
