"""A neural attacker: a network that reads the released words around a word, and guesses it.

It knows the exact channel: it adds log Pr[y | x] and the log frequency of x to its prediction from
the neighbors, over the likeliest words by these two. So it only needs to learn the language. It is
trained on typed text that the attackers release themselves, anew in each pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import progress
from brrkit_toolchain.attackers.texts.text_attack import known_ids
from brrkit_toolchain.channel import BatchedMechanism
from brrkit_toolchain.channel.evidence import Evidence

CANDIDATES = 96
"""Number of an output's likeliest words, among which the network chooses."""

DILATIONS = (1, 2, 4, 1)
"""Dilations of the layers, which together see the 8 words on each side."""

_EMBEDDING = 64
_WIDTH = 160
_PIECE = 128  # words of a text that are read together in training
_PIECES = 8  # of a step
_RATE = 2e-3
_ROWS_RATE = 0.05  # of the rows of embeddings
_WARM = 100  # steps
_SAID = 250  # steps between two lines of progress

Ids = NDArray[np.int32]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Candidates:
    """The likeliest words for each output.

    Attributes:
        words: int32[n, k], sorted.
        logs: float32[n, k], their log Pr[y | x] Pr[x], up to a constant for each row.
        stand_ins: float64[n], probability that each word replaces an unknown word.
    """

    words: Ids
    logs: Floats
    stand_ins: NDArray[np.float64]


def find_candidates(
    channel: Evidence, frequencies: NDArray[np.float64], count: int = CANDIDATES
) -> Candidates:
    """Return the ``count`` likeliest words of each output, by channel and frequency alone."""
    outputs, prior = len(channel.scales), frequencies.astype(np.float32)
    words = np.empty((outputs, count), np.int32)
    logs = np.empty((outputs, count), np.float32)
    for start in range(0, outputs, 64):
        rows = channel.likelihoods(np.arange(start, min(start + 64, outputs))) * prior
        chosen = np.sort(np.argpartition(rows, -count, axis=1)[:, -count:], axis=1)
        part = slice(start, start + len(rows))
        words[part] = chosen
        logs[part] = _logs(np.take_along_axis(rows, chosen, axis=1))
    return Candidates(words, logs, channel.stand_ins)


def _logs(weights: Floats) -> Floats:
    """Return the logs of rows, the largest of each being 0."""
    result: Floats = np.log(np.maximum(weights / weights.max(axis=1, keepdims=True), 1e-30))
    return result


class Network:
    """A stack of convolutions over embeddings of the outputs, and an embedding of each word."""

    def __init__(self, vectors: Floats, candidates: Candidates, seed: int) -> None:
        """Start from public ``vectors`` float32[n, d]; an output has its words' mean vector."""
        import tensorflow as tf

        self._tf = tf
        self._candidates = candidates
        generator = np.random.default_rng(seed)
        known = _principal(vectors, _EMBEDDING)
        words = np.vstack([known, np.zeros((1, _EMBEDDING), np.float32)])  # the unknown one
        weights = np.exp(candidates.logs)
        weights /= weights.sum(axis=1, keepdims=True)
        expected = np.empty_like(known)
        for start in range(0, len(known), 1_024):
            part = slice(start, start + 1_024)
            expected[part] = np.einsum("yk,yke->ye", weights[part], words[candidates.words[part]])

        def matrix(rows: int, columns: int, gain: float = 1.0) -> Any:
            values = generator.standard_normal((rows, columns)) * gain / np.sqrt(rows)
            return tf.Variable(values.astype(np.float32))

        self._tables = [
            tf.Variable(np.vstack([expected, 0 * words[:1]]) / expected.std()),  # last: no output
            tf.Variable(words),
            tf.Variable(np.zeros((len(words), 1), np.float32)),
        ]
        self._squares = [tf.Variable(tf.fill(table.shape, 0.01)) for table in self._tables]
        self._first = matrix(_EMBEDDING, _WIDTH)
        self._layers = [
            (
                tf.Variable(tf.ones(_WIDTH)),
                matrix(3 * _WIDTH, _WIDTH),
                tf.Variable(tf.zeros(_WIDTH)),
                matrix(_WIDTH, _WIDTH, 0.5),
            )
            for _ in DILATIONS
        ]
        self._last = matrix(_WIDTH, _EMBEDDING, 0.1)
        self._dense = [self._first, *(v for layer in self._layers for v in layer), self._last]
        self._words = tf.constant(candidates.words)
        self._logs = tf.constant(candidates.logs)

    def _read(self, outputs: Any) -> Any:
        """Return the network's prediction at each place, float32[b, t, e]; n means no text."""
        tf = self._tf
        there = tf.cast(outputs < len(self._candidates.words), tf.float32)[..., None]
        x = tf.gather(self._tables[0], outputs) @ self._first * there
        length = tf.shape(outputs)[1]
        for dilation, (scale, around, bias, out) in zip(DILATIONS, self._layers, strict=True):
            h = x * scale * tf.math.rsqrt(tf.reduce_mean(x * x, axis=-1, keepdims=True) + 1e-6)
            h = tf.pad(h, [[0, 0], [dilation, dilation], [0, 0]])
            beside = [h[:, i * dilation : i * dilation + length] for i in range(3)]
            x += tf.nn.relu(tf.concat(beside, axis=-1) @ around + bias) @ out * there
        x *= tf.math.rsqrt(tf.reduce_mean(x * x, axis=-1, keepdims=True) + 1e-6)
        return x @ self._last

    def train(
        self, texts: Sequence[Ids], release: BatchedMechanism, steps: int, seed: int
    ) -> list[float]:
        """Train on ``texts`` as typed and as released by ``release``; return losses, in nats.

        Args:
            texts: ids of each text.
            release: the mechanism.
            steps: number of steps, of ``_PIECES`` pieces each.
            seed: seed of the order.
        """
        tf = self._tf
        adam = tf.keras.optimizers.Adam(_RATE, beta_2=0.98)
        adam.build(self._dense)

        @tf.function  # type: ignore[untyped-decorator]
        def step(typed: Any, outputs: Any, rate: Any) -> Any:
            at = tf.where(outputs < len(self._candidates.words))
            shown = tf.gather_nd(outputs, at)
            words = tf.gather(self._words, shown)
            same = tf.cast(words == tf.gather_nd(typed, at)[:, None], tf.float32)
            with tf.GradientTape() as tape:
                expected = tf.gather_nd(self._read(outputs), at)
                logits = tf.gather(self._logs, shown) + self._score(expected, words)
                found = tf.reduce_sum(same, axis=1)  # 0 if it isn't among the candidates
                losses = tf.reduce_logsumexp(logits, axis=1) * found - tf.reduce_sum(
                    logits * same, 1
                )
                loss = tf.reduce_sum(losses) / tf.reduce_sum(found)
            *rows, dense = tape.gradient(loss, [*self._tables, self._dense])
            dense, _ = tf.clip_by_global_norm(dense, 1.0)
            adam.learning_rate.assign(_RATE * rate)
            adam.apply(dense, self._dense)
            for table, squares, gradient in zip(self._tables, self._squares, rows, strict=True):
                tf.raw_ops.ResourceSparseApplyAdagradV2(
                    var=table.handle,
                    accum=squares.handle,
                    lr=_ROWS_RATE * rate,
                    epsilon=1e-6,
                    grad=gradient.values,
                    indices=gradient.indices,
                )
            return loss

        losses: list[float] = []
        for number, (typed, outputs) in zip(
            range(steps), self._pieces(texts, release, seed), strict=False
        ):
            rate = min((number + 1) / _WARM, 1.0) * (1 - number / steps) ** 0.5
            losses.append(float(step(typed, outputs, tf.constant(rate, tf.float32))))
            if (number + 1) % _SAID == 0:
                progress(f"step {number + 1:,}: {np.mean(losses[-_SAID:]):.4f} nats a word")
        return losses

    def _score(self, expected: Any, words: Any) -> Any:
        tf = self._tf
        return tf.einsum("te,tke->tk", expected, tf.gather(self._tables[1], words)) + tf.squeeze(
            tf.gather(self._tables[2], words), -1
        )

    def _pieces(
        self, texts: Sequence[Ids], release: BatchedMechanism, seed: int
    ) -> Iterator[tuple[Ids, Ids]]:
        """Yield pieces of texts as typed and as released, int32[b, t] each, without end."""
        nothing = len(self._candidates.words)
        generator = np.random.default_rng(seed)
        while True:
            order = generator.permutation(len(texts))
            for start in range(0, len(order) - _PIECES + 1, _PIECES):
                typed = np.full((_PIECES, _PIECE), nothing, np.int32)
                there = np.zeros((_PIECES, _PIECE), np.bool_)
                for row, number in enumerate(order[start : start + _PIECES]):
                    text = texts[number]
                    first = generator.integers(0, max(1, len(text) - _PIECE + 1))
                    piece = text[first : first + _PIECE]
                    typed[row, : len(piece)] = piece
                    there[row, : len(piece)] = True
                outputs = np.full((_PIECES, _PIECE), nothing, np.int32)
                drawn = int(generator.integers(1 << 31))
                known = known_ids(typed[there], self._candidates.stand_ins, drawn)
                outputs[there] = release(known)
                yield typed, outputs

    def logits(self, outputs: NDArray[np.int64]) -> tuple[Ids, Floats]:
        """Return the candidates int32[t, k] of a text's ``outputs`` [t], and their log odds."""
        expected = self._read(self._tf.constant(outputs[None].astype(np.int32)))[0]
        words = self._candidates.words[outputs]
        return words, self._candidates.logs[outputs] + self._score(expected, words).numpy()


def _principal(vectors: Floats, dimensions: int) -> Floats:
    """Return the first principal components, with a mean square of 1 / ``dimensions``."""
    centered = vectors - vectors.mean(axis=0)
    _, basis = np.linalg.eigh(centered.T @ centered)
    found = centered @ basis[:, : -dimensions - 1 : -1]
    result: Floats = (found / (found.std() * np.sqrt(dimensions))).astype(np.float32)
    return result
