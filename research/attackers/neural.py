"""The gain of a stronger reader over the bigram attacker of ``brr measure --text``.

Text: IMDB's test half, released by ``exponential`` as calibrated for isolated words; all attackers
know the exact channel, and the language from the training half. ``network`` is a neural attacker,
trained on texts that they release by themselves. ``trigrams`` reads the words that the bigram
attacker finds likeliest once more. The last one weighs both, by reviews that were held out.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.report import Finding
from brrkit import BrrError
from brrkit.setting import Setting
from brrkit_toolchain.attackers.texts.readers.batching import ReleasedLanes
from brrkit_toolchain.attackers.texts.readers.lanes import LANES
from brrkit_toolchain.attackers.texts.readers.sentence_reader import SentenceReader
from brrkit_toolchain.attackers.texts.readers.trigram_reader import read_pairs
from brrkit_toolchain.attackers.texts.success import (
    Success,
    content_words,
    judge,
    reading_of,
    success_over,
    word_classes,
)
from brrkit_toolchain.attackers.texts.text_attack import known_ids, sample_texts
from brrkit_toolchain.channel import BatchedMechanism, Channel
from brrkit_toolchain.channel.evidence import Evidence
from brrkit_toolchain.language.bigrams import Bigrams, learn_bigrams
from brrkit_toolchain.language.texts import TextIds, TypedText, ids_of
from brrkit_toolchain.language.trigrams import Trigrams, learn_trigrams
from brrkit_toolchain.tasks.dataset import read_dataset
from research.attackers.network import Floats, Ids, Network, find_candidates

EPSILON, RADIUS = 0.785, 8
"""Of ``exponential``: a success of 0.2 of the attacker who sees isolated words, at 64 bits."""

_IMDB = Path("text") / "imdb_labelled_50k.tsv.gz"
_TOKENS = 5_000
_TESTED = 1_000  # reviews of the test half with the typed words
_HELD_OUT = 100  # reviews of the training half that aren't used for learning
_STEPS = 1_500
_LIKELIEST = 60  # words of a place that trigrams are read for
_WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0)  # weights of the network, in mixtures with trigrams
_OVER = ("all", "content")


def run(bench: Bench) -> Finding:
    """Train the network, and let each attacker guess the same words."""
    title = "neural-attacker: a stronger reader beside the bigram attacker"
    try:
        learned, tested = _read_halves(bench)
    except BrrError:
        return Finding(title, (), (), notes=("skipped: IMDB's reviews aren't there (BRR_DATA)",))
    release, channel = Channel(
        bench.bundle, Setting(EPSILON, parameters={"radius": RADIUS, "base": "uniform"})
    ).release_and_evidence(np.random.default_rng(0))
    order = np.random.default_rng(0).permutation(len(learned))
    texts = [learned[i].ids for i in order[_HELD_OUT:]]
    progress("neural-attacker: language models")
    language = learn_bigrams(texts, len(bench.bundle))
    trigrams = learn_trigrams(texts, language)
    progress("neural-attacker: candidates")
    candidates = find_candidates(channel, language.words)
    network = Network(bench.embeddings.vectors, candidates, seed=0)
    start = time.process_time()
    losses = network.train(texts, release, 20 if bench.quick else _STEPS, seed=0)
    seconds = time.process_time() - start

    readers = Readers(language, trigrams, channel, network)
    progress("neural-attacker: weighing")
    held_out = sample_texts([learned[i] for i in order[:_HELD_OUT]], _TOKENS // 4)
    content = content_words(language.words)
    weight = _weigh(readers(held_out[: 3 if bench.quick else None], release), content)
    progress("neural-attacker: guessing")
    typed = sample_texts(tested, 1_000 if bench.quick else _TOKENS)
    attackers = _judge_all(readers(typed, release), typed, weight, language.words)
    tokens = sum(len(text.ids) for text in typed)
    return Finding(
        title=title,
        columns=("attacker", *(f"{over}, {n}" for over in _OVER for n in ("first", "ten"))),
        rows=[
            [
                name,
                *(
                    f"{guesses.value:.3f} ± {(guesses.high - guesses.low) / 2:.3f}"
                    for found in by_class.values()
                    for guesses in (found.top1, found.top10)
                ),
            ]
            for name, by_class in attackers.items()
        ],
        notes=(
            f"{tokens:,} words of {len(typed):,} reviews; a language of {language.tokens:,} words; "
            "95% intervals over reviews",
            f"network: {len(losses):,} steps, {seconds:,.0f} s of processor time; its loss at the "
            f"end is {np.mean(losses[-100:]):.3f} nats a word",
        ),
        numbers={
            "attackers": {
                name: {over: asdict(found) for over, found in by_class.items()}
                for name, by_class in attackers.items()
            },
            "weight": weight,
            "losses": losses,
            "seconds": seconds,
            "tokens": tokens,
            "language tokens": language.tokens,
        },
    )


def _read_halves(bench: Bench) -> tuple[list[TypedText], list[TypedText]]:
    """Return IMDB's training half and some of its test half; BrrError if they aren't there."""
    file = Path(os.environ.get("BRR_DATA", "../shared/data")) / _IMDB
    reviews = read_dataset(file, "text", "sentiment", "split")
    assert reviews.testing is not None
    order = np.random.default_rng(1).permutation(len(reviews.texts))
    tested = [i for i in order if reviews.testing[i]][:_TESTED]
    learned = [i for i in order if not reviews.testing[i]]
    first, second = (
        ids_of([reviews.texts[i] for i in some], TextIds(bench.bundle.tokenizer))
        for some in (learned, tested)
    )
    return first, second


@dataclass(frozen=True)
class Readers:
    """The attackers, with their knowledge.

    Attributes:
        language: bigram model.
        trigrams: trigram model.
        channel: channel of the mechanism.
        network: network trained on its releases.
    """

    language: Bigrams
    trigrams: Trigrams
    channel: Evidence
    network: Network

    def __call__(
        self, texts: Sequence[TypedText], release: BatchedMechanism
    ) -> Iterator[tuple[int, Ids, dict[str, Floats]]]:
        """Yield of each of ``texts``, released once, its number, its ids [t], and beliefs [t, s].

        A belief is how probable an attacker, by name, finds each word at each place.
        """
        stand_ins, reader = self.channel.stand_ins, SentenceReader(self.language)
        order = sorted(range(len(texts)), key=lambda number: len(texts[number].ids))
        while order:
            group = order[-LANES:]
            del order[-LANES:]
            outputs = [release(known_ids(texts[number].ids, stand_ins, number)) for number in group]
            emissions = [self.channel.likelihoods(each) for each in outputs]
            read = reader(ReleasedLanes.of(emissions, [[len(each)] for each in emissions]))
            for lane, number in enumerate(group):
                ids, emitted = texts[number].ids, emissions[lane]
                beliefs = self._beliefs(outputs[lane], emitted, read[: len(ids), lane])
                yield number, ids, beliefs

    def _beliefs(
        self, outputs: NDArray[np.int64], emissions: Floats, read: Floats
    ) -> dict[str, Floats]:
        alone = emissions * self.language.words.astype(np.float32)
        alone /= alone.sum(axis=1, keepdims=True)
        sentence = read / read.sum(axis=1, keepdims=True)
        likeliest = np.argpartition(sentence, -_LIKELIEST, axis=1)[:, -_LIKELIEST:].astype(np.int32)
        emitted = np.take_along_axis(emissions, likeliest, axis=1)
        possible, logits = self.network.logits(outputs)
        return {
            "frequencies": alone,
            "sentence": sentence,
            "trigrams": _replaced(
                sentence, likeliest, read_pairs(self.trigrams, likeliest, emitted)
            ),
            "network": _replaced(alone, possible, np.exp(logits)),
        }


def _replaced(belief: Floats, words: Ids, weights: NDArray[np.floating]) -> Floats:
    """Return ``belief`` [t, s], with that of some ``words`` [t, k] redistributed by ``weights``."""
    mass = np.take_along_axis(belief, words, axis=1).sum(axis=1, keepdims=True)
    shares = weights / weights.sum(axis=1, keepdims=True) * mass
    result: Floats = belief.copy()
    np.put_along_axis(result, words, shares.astype(np.float32), axis=1)
    return result


def _mixed(beliefs: dict[str, Floats], weight: float) -> Floats:
    """Return the geometric mean of network and trigrams."""
    least = np.float32(1e-30)
    logs = [np.log(np.maximum(beliefs[name], least)) for name in ("network", "trigrams")]
    result: Floats = np.exp(np.float32(weight) * logs[0] + np.float32(1 - weight) * logs[1])
    return result


def _weigh(
    held_out: Iterator[tuple[int, Ids, dict[str, Floats]]], content: NDArray[np.bool_]
) -> float:
    """Return the weight of the network with which the first guess is right most often."""
    right = np.zeros(len(_WEIGHTS))
    for _, ids, beliefs in held_out:
        right += [
            judge(_mixed(beliefs, weight), ids, content)[:, 0, 0].sum() for weight in _WEIGHTS
        ]
    return _WEIGHTS[int(right.argmax())]


def _judge_all(
    read: Iterator[tuple[int, Ids, dict[str, Floats]]],
    typed: Sequence[TypedText],
    weight: float,
    frequencies: NDArray[np.float64],
) -> dict[str, dict[str, Success]]:
    """Return the success of each attacker, by class of words."""
    right: dict[str, dict[int, Floats]] = {}
    both = f"network {weight:g}, trigrams {1 - weight:g}"
    content = content_words(frequencies)
    for number, ids, beliefs in read:
        for name, belief in {**beliefs, both: _mixed(beliefs, weight)}.items():
            right.setdefault(name, {})[number] = judge(belief, ids, content)
    lengths = [len(text.ids) for text in typed]
    known_as = word_classes(
        np.concatenate([text.ids for text in typed]),
        np.concatenate([text.digits for text in typed]),
        frequencies,
    )
    owners = np.repeat(np.arange(len(typed)), lengths)
    return {
        name: {
            over: found
            for over in _OVER
            if (
                found := success_over(
                    np.concatenate([parts[i][:, reading_of(over)] for i in range(len(typed))]),
                    owners,
                    known_as[over],
                )
            )
        }
        for name, parts in right.items()
    }
