"""Instances for the audit: a dozen words from a bundle, placed where violations are visible.

At an epsilon where epsilon * d is about 1, a sample can show events with losses near the claim:

* the words' own codes or vectors, with the bundle's nearest pairs;
* codes that differ in a few bits, or vectors in a plane. Codes of real words are tens of bits
  apart, and noise in hundreds of dimensions hardly ever points from one word to another. So no
  event there comes near the bound e^(epsilon d). Here simple events have about the loss
  epsilon * d;
* far codes, in a row from one end to the other, for outcomes that are cut off;
* one word against a crowd of all other words in one place, where the normalizer of the exponential
  mechanism differs by as much as its proof allows;
* the same with a large epsilon and a small cap, for a mechanism with a cap.

Their words have bigrams and unequal masses, to detect a base measure that depends on the typed
words.

A mechanism with a radius treats all words within it nearly alike, so for it the near codes lie
around the radius.

At an epsilon so small that no output may depend on the input at all (``QUIET``): a dozen words,
including clitics, for texts and kinds of words; the whole vocabulary, for words that come back; and
thousands of made-up, equivalent words. Two draws of these seldom agree unless they share noise.

At an epsilon so large that most words stay: there the known word that replaces an unknown word is
visible.

For a bundle with a policy: the words' own codes again, some of them on a list, and some passing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit import ParameterError, Privatizer, WordBundle
from brrkit.bundle import INDEX, MANIFEST, PARITY, RANDOMIZER
from brrkit.hamming import weigh_codes
from brrkit.policy import NO_POLICY
from brrkit.setting import Setting
from brrkit.tokenizer import tokenize
from brrkit_toolchain.bundle.writer import encode_index, encode_manifest, write_bundle
from brrkit_toolchain.codes.packing import unpack
from brrkit_toolchain.language.model import LanguageModel

WORDS = 12
"""Number of words in every instance except the whole vocabulary and the flat one."""

QUIET = 1e-3
"""Largest loss between two words of a quiet instance: epsilon times the diameter."""

_LOUD = 8.0
"""Loss between the two nearest words of the loud instance."""

_FREQUENT = 4  # most frequent words in an instance, as in lists of stop words
_NEAR = 4  # words of the nearest pairs in an instance, at most
_SEARCHED = 1_024  # words searched for the nearest pairs
_PAIRS = 32  # at most 18 are read: 15 among the first 6 words chosen, and 3 with another word

# A cube of three bits, and four neighbors of its origin. In the cube, "bit i is as in x" is an
# event whose loss is exactly epsilon between words that differ in this bit. The neighbors make the
# origin's surroundings denser than those of the other corners, which reveals a missing normalizer.
# Ties go to the lower rank, so the neighbors take nothing from the other corners.
_PATTERNS = (*range(8), 8, 16, 32, 64)
_PATTERN_BITS = 7

# With a radius r, some of the cube's corners (d = 0 to 3), and all of them r bits away (d = r to
# r + 3).
_INSIDE = (0, 1, 3, 7)

# Places of the far codes, as shares of the number of bits.
_FAR = (0, 1 / 32, 1 / 16, 1 / 8, 3 / 16, 1 / 4, 1 / 3, 3 / 8, 1 / 2, 5 / 8, 3 / 4, 1)

# One word this far from all others, at a loss of _CROWD_LOSS, which best reveals weights that are
# too steep.
_CROWD_BITS = 4
_CROWD_LOSS = 3.0

# With a radius: two words that differ in one bit, a crowd at the radius from the first, and one
# word at the radius from the second. This is the first step down, at the loss that best reveals it.
_EDGE_LOSS = 1.0

# With a cap of _CAP: one word that differs from all others in all bits, at this loss without a cap.
_CAPPED_LOSS = 16.0
_CAP = 1.0

# With these masses, the first word of a crowd has about a tenth of the others' mass, almost as with
# equal masses. After each word, half of all mass belongs to two words, which reveals histories: one
# that
# differs by word, and one with little mass otherwise, which reveals a wrong normalizer.
_MASSES = np.resize(np.array([4, 1, 8, 2], np.uint8), WORDS)
_LIGHT = 1
_PAIRS_OF_WORDS = sorted(
    {(before, _LIGHT) for before in range(WORDS)}
    | {(before, (5 * before + 4) % WORDS) for before in range(WORDS)}
)
_BEFORE, _AFTER = np.array(_PAIRS_OF_WORDS, np.uint32).T
_GAIN = 24  # the byte of 32
_LANGUAGE = LanguageModel(_MASSES, _BEFORE, _AFTER, np.full(len(_BEFORE), _GAIN, np.uint8))

# With these words in the vocabulary, code may split contractions by mistake.
_CLITICS = ("do", "n't", "'s")

# For a bundle with a policy: a list of words with one code and of forms, and passing words. The
# probability of passing is high enough to show if they pass more often, or if other words pass.
MEMBERS = (4, 5, 6, 7)
FORMS = ("qzxvlisted", "zbigniewlisted")
PASSING = (0, 1)
PASSING_PROBABILITY = 0.75
_POLICY = {
    "lists": [{"name": "listed", "members": list(MEMBERS), "forms": list(FORMS)}],
    "passing": {"words": list(PASSING), "probability": PASSING_PROBABILITY},
}

# All words have equal masses, and the same word is likelier after each of them, so no output
# depends on the history.
_FLAT = 10_000
_FLAT_LANGUAGE = LanguageModel(
    np.ones(_FLAT, np.uint8),
    np.arange(_FLAT, dtype=np.uint32),
    np.zeros(_FLAT, np.uint32),
    np.ones(_FLAT, np.uint8),
)

_FLAT_VECTORS = 1_000  # on a circle

_LARGEST_WHOLE = 5_000  # words with vectors; full-size noise takes a millisecond a word

_PLANE = [(column, row) for column in range(1, 5) for row in range(1, 4)]


@dataclass(frozen=True)
class Instance:
    """Words with distances, and the epsilon at which they are audited.

    Attributes:
        name: the instance's name.
        words: the words, in rank order.
        distances: float64[n, n], in the metric of the claim; [0, 0] for more than ``WORDS`` words.
        epsilon: epsilon per unit of distance; for a setting with a certificate, its
            ``certified_epsilon``.
        diameter: largest distance between two words.
        cap: largest privacy loss between two words at any distance.
        bundle: the directory of the bundle, if the metric is Hamming.
        setting: the audited setting; None for the audited mechanism at ``epsilon``.
        vectors: float32[n, d], if the metric is Euclidean, or all pairs are equally far apart.
        delta: delta of the claim, if it is (epsilon, delta) between any two vectors.
    """

    name: str
    words: tuple[str, ...]
    distances: NDArray[np.float64]
    epsilon: float
    diameter: float
    cap: float = math.inf
    bundle: Path | None = None
    setting: Setting | None = None
    vectors: NDArray[np.float32] | None = None
    delta: float | None = None


@dataclass(frozen=True)
class Instances:
    """All instances of an audit.

    Attributes:
        near: words for which simple events have the loss epsilon * d.
        own: words with their own codes or vectors.
        quiet: like ``near``, at an epsilon where nothing may depend on the input.
        whole: the vocabulary of the bundle at such an epsilon, without passing words.
        flat: many words in random places, at such an epsilon.
        loud: like ``own``, at an epsilon where most words stay.
        far: a row of codes; None for the Euclidean metric.
        crowd: the first word against all others; None for the Euclidean metric.
        beside: like ``crowd``, with words for texts; None for the Euclidean metric.
        capped: like ``crowd``, but with another distance and a cap; None for a mechanism without
            one.
        listed: like ``loud``, with a list; None for a bundle without a policy.
        passing: like ``own``, with passing words; None for a bundle without a policy.
        setting: some words in the bundle itself; None if no setting of it is audited.
    """

    near: Instance
    own: Instance
    quiet: Instance
    whole: Instance
    flat: Instance
    loud: Instance
    far: Instance | None = None
    crowd: Instance | None = None
    beside: Instance | None = None
    capped: Instance | None = None
    listed: Instance | None = None
    passing: Instance | None = None
    setting: Instance | None = None

    def __iter__(self) -> Iterator[Instance]:
        every = (
            self.near,
            self.own,
            self.quiet,
            self.whole,
            self.flat,
            self.loud,
            self.far,
            self.crowd,
            self.beside,
            self.capped,
            self.listed,
            self.passing,
            self.setting,
        )
        return (instance for instance in every if instance is not None)


def code_instances(
    bundle: WordBundle,
    folder: Path,
    radius: int = 0,
    cap: float | None = None,
    task_weight: int = 1,
) -> Instances:
    """Cut small bundles from ``bundle``, with its randomizer, and write them into ``folder``.

    Args:
        bundle: the bundle whose words are used.
        folder: folder for the small bundles.
        radius: radius of the mechanism in bits; 0 without a radius.
        cap: cap of the mechanism in nats; None without a cap.
        task_weight: weight of a differing task bit.

    Raises:
        ParameterError: the bundle has too few words.
    """
    bits, task_bits = bundle.bits, bundle.task_bits

    def apart(codes: NDArray[np.uint64]) -> NDArray[np.float64]:
        return hamming_distances(weigh_codes(codes, task_bits, task_weight))

    largest = bundle.word_bits + task_weight * task_bits
    ids = _choose_words(apart(bundle.codes[:_SEARCHED]), len(bundle))
    words = tuple(map(bundle.vocabulary.word, ids))
    own = bundle.codes[ids]
    # Bits far apart, so that every part of the code is audited.
    places = np.linspace(0, bits - 1, _PATTERN_BITS).astype(int)
    row = np.random.default_rng(0).permutation(bundle.word_bits)
    places = np.concatenate([places, row[~np.isin(row, places)]])
    away = ((1 << min(radius, bundle.word_bits - _PATTERN_BITS)) - 1) << _PATTERN_BITS
    if away:
        patterns = [*_INSIDE, *(corner | away for corner in range(8))]
        crowded, loss = [0, 1, 1 | away, *[away] * (WORDS - 3)], _EDGE_LOSS
    else:
        patterns = list(_PATTERNS)
        crowded = [0] + [(1 << _CROWD_BITS) - 1] * (WORDS - 1)
        loss = _CROWD_LOSS / _CROWD_BITS
    near = _flipped(own[0], places, patterns)
    far = _flipped(own[0], row, [(1 << round(share * len(row))) - 1 for share in _FAR])
    crowd = _flipped(own[0], places if away else row, crowded)
    capped = _flipped(own[0], row, [0] + [(1 << len(row)) - 1] * (WORDS - 1))
    typed = list(bundle.vocabulary)
    every = tuple(typed[i] for i in _not_passing(bundle, range(len(bundle))))
    # One token each, so that they can form texts.
    tokens = (w for w in (*words, *every) if tokenize(w) == [w] and w not in _CLITICS)
    made_up = (f"word{i}" for i in range(WORDS))
    quiet = (*islice(dict.fromkeys(chain(tokens, made_up)), WORDS - len(_CLITICS)), *_CLITICS)

    listed = own.copy()
    listed[list(MEMBERS)] = own[MEMBERS[0]]

    most = math.inf if cap is None else cap
    flat = np.random.default_rng(0).integers(0, 1 << 64, (_FLAT, bits // 64), np.uint64)

    def write(
        name: str,
        words: tuple[str, ...],
        codes: NDArray[np.uint64],
        epsilon: float = 0,
        cap: float = most,
        language: LanguageModel = _LANGUAGE,
        policy: Mapping[str, Any] | None = None,
    ) -> Instance:
        output = folder / name.replace(" ", "-")
        files = {
            INDEX: encode_index(words, codes, language),
            RANDOMIZER: bundle.graph,
            PARITY: b"{}",  # golden cases are for other readers
        }
        fields: dict[str, Any] = {
            "bits": bits,
            "vocabulary_size": len(words),
            "bigrams": len(language.gains),
        }
        if task_bits:
            fields["task_bits"] = task_bits
        if policy is not None:
            fields["policy"] = policy
        write_bundle(output, {MANIFEST: encode_manifest(fields, files), **files})
        distances = apart(codes) if len(words) <= WORDS else np.empty((0, 0))
        epsilon = epsilon or _epsilon(distances)
        return Instance(name, words, distances, epsilon, largest, cap, bundle=output)

    def with_policy(name: str, epsilon: float) -> Instance | None:
        if bundle.policy == NO_POLICY:
            return None
        return write(name, words, listed, epsilon, policy=_POLICY)

    return Instances(
        near=write("near codes", words, near),
        own=write("own codes", words, own),
        quiet=write("quiet", quiet, near, QUIET / largest),
        whole=Instance(
            "whole vocabulary",
            every,
            np.empty((0, 0)),
            QUIET / largest,
            largest,
            most,
            bundle=bundle.path.resolve(),
        ),
        flat=write(
            "flat",
            tuple(f"word{i}" for i in range(_FLAT)),
            flat,
            QUIET / largest,
            language=_FLAT_LANGUAGE,
        ),
        loud=write("loud", words, own, _LOUD * _epsilon(apart(own))),
        far=write("far codes", words, far, 1 / largest),
        crowd=write("crowd", words, crowd, loss),
        beside=write("beside", quiet, crowd, loss),
        capped=None if cap is None else write("cap", words, capped, _CAPPED_LOSS / len(row), _CAP),
        listed=with_policy("listed words", _LOUD * _epsilon(apart(listed))),
        passing=with_policy("passing words", _epsilon(apart(listed))),
    )


def setting_instance(bundle: WordBundle, name: str, setting: Setting, progress: bool) -> Instance:
    """Choose words of ``bundle`` that show whether a setting keeps its guarantee there.

    With a certificate, the guarantee is ``certified_epsilon``, and half of the words are in near
    pairs with the largest differences between normalizers, on which the certificate depends.

    Raises:
        ParameterError: the bundle has too few words.
    """
    privatizer = Privatizer(bundle, setting)
    cap = setting.parameters.get("cap")
    codes = weigh_codes(bundle.codes, bundle.task_bits, setting.parameters.get("task_weight", 1))
    ids = dict.fromkeys(_choose_words(hamming_distances(codes[:_SEARCHED]), len(bundle)))
    if setting.certificate is not None:
        from brrkit_toolchain.channel import Channel  # the workers need no compiler
        from brrkit_toolchain.channel.privacy_loss.certificates import steepest_pairs

        totals = Channel(bundle, setting, progress=progress).totals
        pairs = steepest_pairs(codes, totals, progress=progress)
        steep = chain.from_iterable(pairs[bits] for bits in sorted(pairs)[: WORDS // 4])
        ids = dict.fromkeys(chain(steep, ids))
    chosen = _not_passing(bundle, dict.fromkeys(chain(ids, range(len(bundle)))))[:WORDS]
    return Instance(
        name,
        tuple(map(bundle.vocabulary.word, chosen)),
        hamming_distances(codes[chosen]),
        privatizer.certified_epsilon,
        64 * codes.shape[1],
        math.inf if cap is None else cap,
        bundle=bundle.path.resolve(),
        setting=setting,
    )


def _not_passing(bundle: WordBundle, ids: Iterable[int]) -> list[int]:
    """Return ``ids`` without those of passing words, which may be released as typed."""
    passing = bundle.policy.passing
    return [i for i in ids if passing is None or i not in passing.words]


def vector_instances(words: Sequence[str], vectors: NDArray[np.float32]) -> Instances:
    """Cut a dozen words from embeddings, once with their vectors, once placed in a plane.

    Args:
        words: words, the most frequent first.
        vectors: float32[n, d] of the words.

    Raises:
        ParameterError: there are too few words.
    """
    ids = _choose_words(euclidean_distances(vectors[:_SEARCHED]), len(words))
    chosen = tuple(words[i] for i in ids)

    def place(name: str, places: NDArray[np.float32], loss: float = 0) -> Instance:
        distances = euclidean_distances(places)
        diameter = float(distances.max())
        epsilon = loss / diameter if loss else _epsilon(distances)
        return Instance(name, chosen, distances, epsilon, diameter, vectors=places)

    plane = np.array(_PLANE, np.float32)
    own = place("own vectors", vectors[ids])
    angles = np.arange(_FLAT_VECTORS) * 2 * np.pi / _FLAT_VECTORS
    circle = np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)
    whole = vectors[:_LARGEST_WHOLE]
    radius = np.linalg.norm(whole - whole.mean(axis=0, dtype=np.float64), axis=1).max()
    return Instances(
        near=place("plane", plane),
        own=own,
        quiet=place("quiet", plane, QUIET),
        whole=Instance(
            "whole vocabulary",
            tuple(words[:_LARGEST_WHOLE]),
            np.empty((0, 0)),
            QUIET / (2 * float(radius)),
            2 * float(radius),
            vectors=whole,
        ),
        flat=Instance(
            "flat",
            tuple(f"word{i}" for i in range(_FLAT_VECTORS)),
            np.empty((0, 0)),
            QUIET / 2,
            2,
            vectors=circle,
        ),
        loud=replace(own, name="loud", epsilon=_LOUD * own.epsilon),
    )


def hamming_distances(codes: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return the distances float64[n, n] of ``codes`` uint64[n, bits / 64]."""
    bits = unpack(codes).astype(np.float32)
    ones = bits.sum(axis=1, dtype=np.float64)
    distances: NDArray[np.float64] = ones[:, None] + ones - 2 * (bits @ bits.T).astype(np.float64)
    return distances


def euclidean_distances(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the distances float64[n, n] of ``vectors`` float32[n, d]."""
    rows = vectors.astype(np.float64)
    distances = np.zeros((len(rows), len(rows)))
    for i, row in enumerate(rows):
        distances[i, i:] = distances[i:, i] = np.linalg.norm(rows[i:] - row, axis=1)
    return distances


def _flipped(
    code: NDArray[np.uint64], places: Sequence[int] | NDArray[np.int64], patterns: Sequence[int]
) -> NDArray[np.uint64]:
    """Return ``code`` with the bits of each pattern flipped, its bit i at ``places[i]``."""
    codes = np.repeat(code[None], len(patterns), axis=0)
    for bit, place in enumerate(places):
        changed = np.array([pattern >> bit & 1 for pattern in patterns], np.uint64)
        codes[:, int(place) // 64] ^= changed << np.uint64(int(place) % 64)
    return codes


def _choose_words(distances: NDArray[np.float64], size: int) -> list[int]:
    """Return ids in rank order: the most frequent, the nearest pairs, and some from all ranks.

    Args:
        distances: [m, m] between the m most frequent words.
        size: size of the whole vocabulary.
    """
    if size < WORDS:
        raise ParameterError(
            f"an audit needs {WORDS} words, but the bundle has {size}; use a larger one"
        )
    pairs = np.column_stack(np.triu_indices(len(distances), k=1))
    apart = distances[pairs[:, 0], pairs[:, 1]]
    apart[apart == 0] = np.inf
    # There are half a million pairs, so only those that may be read are sorted.
    (near,) = np.nonzero(apart <= np.partition(apart, _PAIRS)[_PAIRS])
    chosen = dict.fromkeys(range(_FREQUENT))
    for pair in pairs[near[np.argsort(apart[near], kind="stable")]]:
        if len(chosen) > _FREQUENT + _NEAR - 2:
            break
        chosen |= dict.fromkeys(pair.tolist())
    # Try every rank in the end, so that a small bundle gives enough words, too.
    ranks = np.geomspace(_FREQUENT + 1, size, WORDS - len(chosen)).astype(int) - 1
    for rank in [*ranks.tolist(), *range(size)]:
        if len(chosen) < WORDS:
            chosen[rank] = None
    return sorted(chosen)


def _epsilon(distances: NDArray[np.float64]) -> float:
    apart = distances[distances > 0]
    if not apart.size:
        raise ParameterError("all words have the same code; rebuild the bundle")
    return float(1 / apart.min())
