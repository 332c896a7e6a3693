"""Attackers who know that the typed word is on a list, such as illnesses, places or names.

They assume that its words are equally likely, know the mechanism, and see k independent releases
of the word, typed by itself each time and without a memory. For one release of a mechanism with
known weights, the attack success of the best attacker is exact:

    sum over y of max over x in the list of Pr[M(x) = y] / the list's length.

For more releases, it is a mean over drawn histories, in which they guess the word with the largest
product of probabilities. If the channel is estimated from draws, an attacker may know it better.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from brrkit import ParameterError, WordBundle
from brrkit.setting import Estimate, Setting
from brrkit_toolchain.channel import BatchedMechanism, Channel
from brrkit_toolchain.channel.evidence import Evidence
from brrkit_toolchain.channel.in_force import setting_in_force
from brrkit_toolchain.channel.typed_as import TypedAs
from brrkit_toolchain.confidence import proportion
from brrkit_toolchain.embeddings import Embeddings
from brrkit_toolchain.embeddings.of_bundle import given_vectors
from brrkit_toolchain.embeddings.usable_words import read_word_list
from brrkit_toolchain.io.progress import Progress

RELEASES = (1, 2, 5, 20)
"""Numbers of releases of the word."""

MOST_WORDS = 1_000
"""Largest number of words on a list. Their distances to all words take 200 MB of memory at 50,000
words."""

_DRAWN_HISTORIES = 4_000  # typed words; each is released as many times as the last of RELEASES
_HISTORIES_AT_A_TIME = 500


@dataclass(frozen=True)
class WordList:
    """The words from which an attacker chooses.

    Attributes:
        name: name of the file, or a description.
        ids: intp[m], ids of the words, ascending; m >= 2.
        unknown: number of further words, which the vocabulary lacks.
    """

    name: str
    ids: NDArray[np.intp]
    unknown: int


@dataclass(frozen=True)
class AmongAttack:
    """The attack success of attackers who know that the word is on a list.

    Attributes:
        name: name of the list.
        words: number of the list's words in the vocabulary, which are typed and guessed.
        unknown: number of its words outside the vocabulary, which are left out.
        success: attack success, by the number of releases of the word. For one release it is exact
            if ``exact`` is true; otherwise it is a mean over drawn histories, with a 95% interval.
        exact: whether the attackers know the mechanism's exact probabilities. Otherwise they
            estimate them, and their attack success is a lower bound.
    """

    name: str
    words: int
    unknown: int
    success: Mapping[int, Estimate]
    exact: bool

    @property
    def chance(self) -> float:
        """The attack success without a release."""
        return 1 / self.words


def read_list(path: str | os.PathLike[str], bundle: WordBundle) -> WordList:
    """Return the different words of a file, one a line, that ``bundle`` has.

    Raises:
        ParameterError: the file can't be read, isn't a list of words, or has too few or too many
            words of the vocabulary.
    """
    words = read_word_list(Path(path), bundle.writing)
    ids = sorted(i for word in words if (i := bundle.vocabulary.find(word)) is not None)
    if len(ids) < 2:
        raise ParameterError(
            f"{path}: {len(ids)} of its words are in the bundle's vocabulary; give a list with at "
            "least 2 such words"
        )
    if len(ids) > MOST_WORDS:
        raise ParameterError(
            f"{path}: {len(ids):,} of its words are in the bundle's vocabulary; give a list of "
            f"which at most {MOST_WORDS:,} are"
        )
    return WordList(Path(path).name, np.array(ids, np.intp), len(words) - len(ids))


def measure_among(
    bundle: WordBundle,
    lists: Sequence[str | os.PathLike[str]],
    setting: Setting | None = None,
    *,
    embeddings: str | os.PathLike[str] | Embeddings | None = None,
    seed: int = 0,
    progress: bool = False,
) -> tuple[AmongAttack, ...]:
    """Measure the attack success of attackers who know that the typed word is on a list.

    They assume that its words are equally likely, and see independent releases of the word, typed
    by itself each time and without a memory.

    Args:
        bundle: an opened bundle.
        lists: files of words, one a line, each for separate attackers. Words that the bundle lacks
            are only counted.
        setting: a setting, as for ``measure_words``.
        embeddings: the embeddings of the bundle, for full-size mechanisms: a file, or the result of
            ``embeddings.of_bundle.read_matching``.
        seed: seed of the typed words, and of the releases.
        progress: show bars on standard error, if that is a terminal.

    Returns:
        The attack success for each list.

    Raises:
        ParameterError: as for ``measure_words``; or a file can't be read, or has too few or too
            many words of the vocabulary.
        BundleError: the manifest doesn't state the bundle's embeddings.
        EmbeddingsError: the embeddings can't be read.
    """
    if isinstance(lists, str | os.PathLike):
        raise ParameterError("lists must be a list of paths, not one path; give a list")
    setting = setting_in_force(bundle, setting)
    read = [read_list(path, bundle) for path in lists]
    vectors = given_vectors(bundle, embeddings, progress)
    return attack_among(bundle, read, setting, vectors=vectors, seed=seed, progress=progress)


def attack_among(
    bundle: WordBundle,
    lists: Sequence[WordList],
    setting: Setting,
    *,
    vectors: NDArray[np.float32] | None = None,
    seed: int = 0,
    progress: bool = False,
) -> tuple[AmongAttack, ...]:
    """Measure the attack success of attackers who know which of ``lists`` has the word.

    Args:
        bundle: an opened bundle.
        lists: lists, each for separate attackers.
        setting: setting of a device's or full-size mechanism.
        vectors: float32[n, d] of the bundle's words, for full-size mechanisms.
        seed: seed of the typed words, and of the releases.
        progress: show a bar on standard error, if that is a terminal.

    Raises:
        ParameterError: the mechanism or a parameter is unknown or out of range.
    """
    if not lists:
        return ()
    channel = Channel(bundle, setting, vectors)
    _, evidence = channel.release_and_evidence(np.random.default_rng(seed))
    found = []
    with Progress(
        total=len(lists) * _DRAWN_HISTORIES,
        desc="Lists",
        unit=" words",
        progress=progress,
    ) as bar:
        for words in lists:
            # Each list has its own generator, so its result doesn't depend on the other lists.
            generator = np.random.default_rng([seed, 1])
            release = channel.releaser(generator)
            success = _drawn_success(words.ids, release, evidence, generator, bar)
            if channel.weighted is not None:
                success[1] = Estimate.exact(exact_success(channel, words.ids))
            found.append(
                AmongAttack(words.name, len(words.ids), words.unknown, success, evidence.exact)
            )
    return tuple(found)


def exact_success(channel: Channel, words: NDArray[np.intp]) -> float:
    """Return the attack success after one release of a mechanism with known weights.

    Args:
        channel: channel of the mechanism.
        words: ids [m] of the list's words.
    """
    columns = channel.around(words).columns(channel.weights)
    with threadpool_limits(1, "blas"):  # threads that wait for a share of a product take time
        right = sum(float(block.max(axis=0).sum()) for block in columns)
    return min(1.0, right / len(words))


def _drawn_success(
    words: NDArray[np.intp],
    release: BatchedMechanism,
    evidence: Evidence,
    generator: np.random.Generator,
    bar: Progress,
) -> dict[int, Estimate]:
    """Return the attack success for each of ``RELEASES``, over drawn histories."""
    most = RELEASES[-1]
    log = np.log(evidence.table)
    # Distances are symmetric, so a row contains an output's distances from the list's words.
    policy = TypedAs.nothing(len(evidence.scales)) if evidence.typed is None else evidence.typed
    inputs, passing = policy.ids[words], np.flatnonzero(policy.passing[words])
    near = np.minimum(evidence.levels(inputs), len(log) - 1).T.copy()
    scales = np.log(evidence.scales[inputs]) + np.log1p(-policy.shares[words])
    by_coin = np.log([evidence.times_by_coin(word) for word in words[passing].tolist()])
    right: dict[int, list[NDArray[np.float64]]] = {releases: [] for releases in RELEASES}
    for start in range(0, _DRAWN_HISTORIES, _HISTORIES_AT_A_TIME):
        typed = generator.integers(
            len(words), size=min(_HISTORIES_AT_A_TIME, _DRAWN_HISTORIES - start)
        )
        outputs = release(np.repeat(words[typed], most)).reshape(-1, most)
        learned = np.zeros((len(typed), len(words)))
        for release_number in range(most):
            seen = outputs[:, release_number]
            learned += log[near[seen]] + scales
            learned[:, passing] += by_coin * (seen[:, None] == words[passing])
            if release_number + 1 in right:
                right[release_number + 1].append(_chance_of_right(learned, typed))
        bar.update(len(typed))
    return {releases: _mean_success(np.concatenate(parts)) for releases, parts in right.items()}


def _chance_of_right(
    evidence: NDArray[np.float64], typed: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the probability that the guess is right; among equally probable words, it is random.

    Args:
        evidence: [h, m], the logarithm of each word's probability.
        typed: the column [h] of the typed word.
    """
    best = evidence == evidence.max(axis=1, keepdims=True)
    right: NDArray[np.float64] = best[np.arange(len(typed)), typed] / best.sum(axis=1)
    return right


def _mean_success(right: NDArray[np.float64]) -> Estimate:
    """Return the mean of independent ``right`` [h], each from 0 to 1."""
    return proportion(float(right.mean()), float(right.var()) / len(right), len(right))
