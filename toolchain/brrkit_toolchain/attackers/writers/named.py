"""The probability that attackers name the writer of texts, given other texts of each writer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.setting import Estimate, Setting
from brrkit_toolchain.attackers.texts.from_files import TextFiles
from brrkit_toolchain.attackers.texts.text_attack import known_ids
from brrkit_toolchain.attackers.writers.labeled_texts import WritersTexts, read_writers
from brrkit_toolchain.attackers.writers.models import Ids, length_scores, word_scores
from brrkit_toolchain.channel import BatchedMechanism, Channel
from brrkit_toolchain.channel.drawing.frames import framed
from brrkit_toolchain.channel.in_force import setting_in_force
from brrkit_toolchain.confidence import mean_over_clusters
from brrkit_toolchain.embeddings import Embeddings
from brrkit_toolchain.embeddings.of_bundle import given_vectors
from brrkit_toolchain.io.progress import Progress
from brrkit_toolchain.language.texts import TypedText

TEXTS = (1, 5, 20, 100)
"""Numbers of texts from which a writer is named."""

ATTACKERS = ("lengths", "words", "both", "typed")
"""``lengths`` sees how many words each released text has; ``words`` reads the words, and has other
released texts of each writer; ``both`` does both; ``typed`` also has other typed texts of each
writer, and releases them."""

LEARNED = 200
"""Largest number of texts of each writer that attackers have."""

_ATTACKED = 100  # largest number of attacked texts of each writer; at most half of them
_ROUNDS = 4  # repetitions with other attacked texts, and other releases
_OWN_RELEASES = 8  # releases of each typed text by the attacker who has it
_AS_TYPED = "as_typed"


@dataclass(frozen=True)
class WriterAttack:
    """The probability that writers are identified.

    Attributes:
        column: column with the writer of each text.
        writers: number of writers.
        texts: number of their texts.
        left_out: number of writers with fewer than 20 texts, or beyond the 100 who wrote most.
        frame_words: number of words in a released frame; None for whole texts.
        success: probability that attackers name the writer, by attacker (``ATTACKERS``), then by
            the number of texts of one writer, if a writer has as many to attack. The intervals are
            over writers. More knowledge never weakens an attacker.
        typed: the same for an attacker who reads the unprivatized texts.
    """

    column: str
    writers: int
    texts: int
    left_out: int
    frame_words: int | None
    success: Mapping[str, Mapping[int, Estimate]]
    typed: Mapping[int, Estimate]

    @property
    def chance(self) -> float:
        """The probability of a right guess without any text."""
        return 1 / self.writers

    @property
    def most(self) -> tuple[int, Estimate]:
        """The largest measured number of texts, and the best attacker's success from them."""
        return max(self.success["typed"].items())


def measure_writers(
    bundle: WordBundle,
    text: str | os.PathLike[str] | TextFiles,
    writer: str,
    setting: Setting | None = None,
    *,
    frame_words: int | None = None,
    embeddings: str | os.PathLike[str] | Embeddings | None = None,
    seed: int = 0,
    progress: bool = False,
) -> WriterAttack:
    """Measure how often attackers identify the writer of released texts, at one setting.

    They choose among the writers of the table, and have other texts of each.

    Args:
        bundle: an opened bundle.
        text: table of texts; a ``TextFiles`` names the column of the texts.
        writer: column with the writer of each text, or with another secret of a text, such as the
            writer's gender.
        setting: a setting, as for ``measure_words``.
        frame_words: number of words in a frame, one frame a text; None for whole texts.
        embeddings: embeddings, as for ``measure_words``.
        seed: seed of the attacked texts, and of the releases.
        progress: show a bar on standard error, if that is a terminal.

    Raises:
        ParameterError: as for ``measure_words``; or the table can't be read, lacks a column, or has
            fewer than two writers of 20 texts.
        BundleError: the manifest doesn't state the bundle's embeddings.
        EmbeddingsError: the embeddings can't be read.
    """
    setting = setting_in_force(bundle, setting)
    vectors = given_vectors(bundle, embeddings, progress)
    texts = read_writers(bundle, TextFiles.of(text), writer)
    channel = Channel(bundle, setting, vectors)
    return attack_writers(
        channel, texts, writer, frame_words=frame_words, seed=seed, progress=progress
    )


def attack_writers(
    channel: Channel,
    texts: WritersTexts,
    column: str,
    *,
    frame_words: int | None = None,
    seed: int = 0,
    progress: bool = False,
) -> WriterAttack:
    """Release ``texts`` through ``channel``, and measure each attacker's success at naming writers.

    Args:
        channel: channel of the setting.
        texts: texts of at least two writers.
        column: column with the writers.
        frame_words: as for ``measure_writers``.
        seed: as for ``measure_writers``.
        progress: as for ``measure_writers``.
    """
    size = len(channel.bundle)
    named: dict[str, dict[int, list[tuple[NDArray[np.float64], NDArray[np.intp]]]]] = {}
    with Progress(total=_ROUNDS, desc=f"Writers ({column})", progress=progress) as bar:
        for number in range(_ROUNDS):
            generator = np.random.default_rng([seed, number])
            release = _Releases(channel.releaser(generator), channel.stand_ins, generator)
            learned, attacked = _split(texts.writers, generator)
            typed = [texts.texts[i] for i in learned], [texts.texts[i] for i in attacked]
            of = texts.writers[learned], texts.writers[attacked]

            def sent(part: Sequence[TypedText], by: _Releases = release) -> Ids:
                return by(part, frame_words)

            for name, scores in _scores(typed, of[0], size, sent):
                for count in TEXTS:
                    right = _right(scores, of[1], count)
                    named.setdefault(name, {}).setdefault(count, []).append(right)
            bar.update()
    found = {
        name: {count: each for count, parts in by_count.items() if (each := _estimate(parts))}
        for name, by_count in named.items()
    }
    return WriterAttack(
        column,
        len(texts),
        len(texts.texts),
        texts.left_out,
        frame_words,
        _best_so_far({name: found[name] for name in ATTACKERS}),
        found[_AS_TYPED],
    )


class _Releases:
    """Releases texts, whole or in frames."""

    def __init__(
        self,
        release: BatchedMechanism,
        stand_ins: NDArray[np.float64],
        generator: np.random.Generator,
    ) -> None:
        self._release, self._stand_ins, self._generator = release, stand_ins, generator

    def __call__(self, texts: Sequence[TypedText], frame_words: int | None) -> Ids:
        unknown = len(self._stand_ins)
        ids: Ids = [text.typed_as for text in texts]
        if frame_words is not None:
            ids = list(framed(ids, frame_words, unknown, self._generator.bytes))
        lengths = list(map(len, ids))
        typed_as = np.concatenate(ids).astype(np.int32)
        inputs = known_ids(typed_as, self._stand_ins, int(self._generator.integers(2**32)))
        places = np.repeat(np.arange(len(ids)), lengths)
        released = self._release(inputs, places, typed_as == unknown)
        return np.split(released, np.cumsum(lengths)[:-1])


def _scores(
    typed: tuple[Sequence[TypedText], Sequence[TypedText]],
    writers: NDArray[np.intp],
    size: int,
    sent: Callable[[Sequence[TypedText]], Ids],
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield each attacker's scores [texts, writers] of the attacked texts.

    Args:
        typed: the attackers' texts, and the texts to attack.
        writers: writers of the attackers' texts.
        size: size of the vocabulary.
        sent: function that releases texts.
    """
    learned, attacked = sent(typed[0]), sent(typed[1])
    lengths = length_scores(learned, writers, attacked)
    words = word_scores(learned, writers, attacked, size)
    yield "lengths", lengths
    yield "words", words
    yield "both", words + lengths
    own = [text for _ in range(_OWN_RELEASES) for text in sent(typed[0])]
    of_own = np.tile(writers, _OWN_RELEASES)
    yield "typed", word_scores(own, of_own, attacked, size) + lengths
    known, read = ([text.ids for text in part] for part in typed)
    yield (
        _AS_TYPED,
        word_scores(known, writers, read, size + 1) + length_scores(known, writers, read),
    )


def _split(
    writers: NDArray[np.intp], generator: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the texts that attackers have, and those that they attack, in random order."""
    learned, attacked = [], []
    for writer in range(int(writers.max()) + 1):
        own = generator.permutation(np.flatnonzero(writers == writer))
        count = min(_ATTACKED, len(own) // 2)
        attacked.append(own[:count])
        learned.append(own[count:][:LEARNED])
    return np.concatenate(learned), np.concatenate(attacked)


def _right(
    scores: NDArray[np.float64], writers: NDArray[np.intp], count: int
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the probability of naming the writer of each group of ``count`` texts, and the writer.

    Among equally likely writers, attackers guess at random.
    """
    right, of = [], []
    for writer in range(scores.shape[1]):
        own = scores[writers == writer]
        groups = own[: len(own) // count * count].reshape(-1, count, scores.shape[1]).sum(axis=1)
        best = np.isclose(groups, groups.max(axis=1, keepdims=True), rtol=1e-12, atol=1e-9)
        right.append(best[:, writer] / np.maximum(best.sum(axis=1), 1))
        of.append(np.full(len(groups), writer))
    return np.concatenate(right), np.concatenate(of)


def _estimate(
    parts: Sequence[tuple[NDArray[np.float64], NDArray[np.intp]]],
) -> Estimate | None:
    """Return the mean over all rounds, with an interval over writers; None without a group.

    The rounds attack the same texts, so together they count as one trial.
    """
    right, of = (np.concatenate(each) for each in zip(*parts, strict=True))
    return mean_over_clusters(right, of, len(right) / len(parts)) if len(right) else None


def _best_so_far(
    found: Mapping[str, Mapping[int, Estimate]],
) -> dict[str, Mapping[int, Estimate]]:
    """Return the success; that of ``both`` and ``typed`` is at least that of weaker attackers."""
    result = dict(found)
    for name, others in (("both", ("lengths", "words")), ("typed", ("both",))):
        result[name] = {
            count: max(
                (own, *(result[other][count] for other in others)), key=lambda each: each.value
            )
            for count, own in found[name].items()
        }
    return result
