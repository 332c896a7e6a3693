"""IMDB's reviews, with the utility and the attack success of one release.

The words of some reviews of the test half are attacked; the attackers know the language from the
training half. A classifier of sentiment is trained on released reviews of the training half and
tested on released ones of the test half.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from brrkit import BrrError, WordBundle
from brrkit.setting import Estimate
from brrkit.tokenizer import Tokenizer
from brrkit_toolchain.attackers.texts.attackers_by_name import (
    TextAttackers,
    judge_texts,
    knowing_no_more,
)
from brrkit_toolchain.attackers.texts.knowledge import Knowledge, learn_knowledge
from brrkit_toolchain.attackers.texts.success import (
    best_so_far,
    reading_of,
    success_over,
    word_classes,
    worst_words_success,
)
from brrkit_toolchain.attackers.texts.text_attack import known_ids, released_before, sample_texts
from brrkit_toolchain.channel.drawing.stand_ins import stand_in_shares
from brrkit_toolchain.channel.evidence import Evidence
from brrkit_toolchain.language.texts import TextIds, TypedText, ids_of
from brrkit_toolchain.tasks.corpus import Texts
from brrkit_toolchain.tasks.dataset import Dataset, read_dataset
from brrkit_toolchain.utility.evaluate.classifier import Classifier
from brrkit_toolchain.utility.retention import release_utility

OVER = ("content", "all")
"""Sets of words over which success is measured."""

_IMDB = Path("text") / "imdb_labelled_50k.tsv.gz"
_ATTACKERS = knowing_no_more("sentence")
STARTS = 60
"""Number of a review's first words for the classifier."""


@dataclass(frozen=True)
class Reviews:
    """=The typed reviews, and the attackers' knowledge of the language.

    Attributes:
        typed: reviews of the test half to attack.
        knows: the attackers' knowledge: the bundle's language and the training half.
        training: the first words of some reviews of the training half, with their sentiment.
        testing: the same for the test half.
    """

    typed: Sequence[TypedText]
    knows: Knowledge
    training: Texts
    testing: Texts


@dataclass(frozen=True)
class Release:
    """=A release.

    Attributes:
        attacked: ids [t] of the outputs for each word of the attacked reviews.
        classified: ids of the outputs for each word of ``training`` and then ``testing``; None if
            they weren't released.
        channel: the attackers' knowledge of the mechanism.
    """

    attacked: NDArray[np.int64]
    classified: NDArray[np.int64] | None
    channel: Evidence


@dataclass(frozen=True)
class Measured:
    """=The utility and the attack success of a release. Mappings are by ``OVER``.

    Attributes:
        sentence: first-guess success of the sentence attacker.
        isolated: first-guess success of the isolated attacker.
        cosine: mean cosine of released and typed vectors, after subtraction of the mean.
        worst: the sentence attacker's success on the worst 1% of words; None if too few are
            frequent.
        perplexity: perplexity of the release, under the language model.
        sentiment: accuracy of the classifier; None if nothing was released for it.
    """

    sentence: Mapping[str, Estimate]
    isolated: Mapping[str, float]
    cosine: Mapping[str, float]
    worst: float | None
    perplexity: float
    sentiment: float | None


def halves(tokenizer: Tokenizer) -> tuple[list[TypedText], list[TypedText]] | None:
    """Return the training and the test half as ids; None if ``BRR_DATA`` lacks the reviews."""
    dataset = imdb()
    if dataset is None:
        return None
    assert dataset.testing is not None
    texts = ids_of(dataset.texts, TextIds(tokenizer))
    training, test = (
        [text for text, testing in zip(texts, dataset.testing, strict=True) if testing == side]
        for side in (False, True)
    )
    return training, test


def imdb() -> Dataset | None:
    file = Path(os.environ.get("BRR_DATA", "../shared/data")) / _IMDB
    try:
        return read_dataset(file, "text", "sentiment", "split")
    except BrrError:
        return None


def read_reviews(bundle: WordBundle, tokens: int, texts: int) -> Reviews | None:
    """Read IMDB's reviews from ``BRR_DATA``; None if they are missing.

    The arguments are those of ``split_reviews``. The attackers learn from the whole training half.
    """
    found = split_reviews(bundle, tokens, texts, 0)
    return None if found is None else found[0]


def split_reviews(
    bundle: WordBundle, tokens: int, texts: int, kept: int = 2, starts: int | None = STARTS
) -> tuple[Reviews, list[NDArray[np.int32]]] | None:
    """Read the reviews, and withhold a part of the training half from the attackers.

    Args:
        bundle: bundle for looking up the words.
        tokens: approximate number of attacked words.
        texts: number of texts that train the classifier, and of texts that test it.
        kept: one in this number of reviews of the training half is returned as ids, for a mechanism
            to learn from, and withheld from the attackers; 0 for none.
        starts: number of a review's first words for the classifier; None for all.
    """
    dataset = imdb()
    if dataset is None:
        return None
    assert dataset.testing is not None
    convert = TextIds(bundle.tokenizer)
    ids = [convert(text) for text in dataset.texts]
    half = {
        side: [i for i in range(len(ids)) if dataset.testing[i] == side and len(ids[i].ids)]
        for side in (False, True)
    }

    def some(side: bool) -> Texts:
        chosen = np.random.default_rng(1).permutation(half[side])[:texts]
        known = [ids[i].ids[ids[i].ids < len(bundle)][:starts] for i in chosen]
        ends = np.cumsum([len(text) for text in known])
        return Texts(np.concatenate(known).astype(np.intp), np.r_[0, ends], dataset.labels[chosen])

    public = half[False][::kept] if kept else []
    language = sorted(set(half[False]) - set(public))
    reviews = Reviews(
        sample_texts([ids[i] for i in half[True]], tokens),
        learn_knowledge(bundle.masses, [ids[i].ids for i in language]),
        some(False),
        some(True),
    )
    return reviews, [ids[i].ids for i in public]


def inputs_of(typed: Sequence[TypedText], bundle: WordBundle) -> NDArray[np.intp]:
    """Return a mechanism's input, with unknown words replaced by words drawn by their masses."""
    ids = np.concatenate([text.ids for text in typed])
    return known_ids(ids, stand_in_shares(bundle.masses), seed=0)


def judge(
    knows: Knowledge,
    evidence: Evidence,
    typed: Sequence[TypedText],
    outputs: NDArray[np.intp],
    among: Mapping[str, NDArray[np.bool_]],
    classes: Sequence[str] = OVER,
) -> tuple[NDArray[np.float32], list[dict[str, Estimate]]]:
    """Judge the sentence attacker, and those who know less.

    Args:
        knows: their knowledge of the language.
        evidence: their knowledge of the mechanism.
        typed: typed texts.
        outputs: outputs for each of their tokens [t].
        among: tokens of each class; those after the tokens of ``typed`` don't count.
        classes: classes to measure.

    Returns:
        The result of ``judge_texts`` for each attacker and token; and by class, the first-guess
        success of each attacker, or of a weaker one if that is larger.
    """
    numbers = np.repeat(np.arange(len(typed)), [len(text.ids) for text in typed])
    right = np.concatenate(
        judge_texts(
            TextAttackers(knows, _ATTACKERS),
            [text.ids for text in typed],
            split_by_text(outputs, typed),
            split_by_text(released_before(outputs, numbers), typed),
            evidence.remembering(outputs),
        )
    )
    found = best_so_far(
        [
            {
                over: one
                for over in classes
                if (
                    one := success_over(
                        right[:, i, reading_of(over)], numbers, among[over][: len(right)]
                    )
                )
            }
            for i in range(len(_ATTACKERS))
        ]
    )
    return right, [{over: one.top1 for over, one in each.items()} for each in found]


def split_by_text(values: NDArray[np.int64], typed: Sequence[TypedText]) -> list[NDArray[np.int64]]:
    """Return the part of ``values``, one for each token, of each text."""
    return np.split(values, np.cumsum([len(text.ids) for text in typed])[:-1])


def measure(
    reviews: Reviews, typed: Sequence[TypedText], release: Release, vectors: NDArray[np.float32]
) -> Measured:
    """Return the utility and the attack success of ``release``.

    Args:
        reviews: the language, and the classified reviews.
        typed: the reviews released as ``release.attacked``.
        release: the release.
        vectors: float32[n, d] of the vocabulary.
    """
    ids = np.concatenate([text.ids for text in typed])
    numbers = np.repeat(np.arange(len(typed)), [len(text.ids) for text in typed])
    digits = np.concatenate([text.digits for text in typed])
    among = word_classes(ids, digits, reviews.knows.bigrams.words)
    right, found = judge(reviews.knows, release.channel, typed, release.attacked, among)
    isolated, sentence = found[0], found[-1]
    released = split_by_text(release.attacked, typed)
    known = ids < len(vectors)
    return Measured(
        sentence,
        {over: estimate.value for over, estimate in isolated.items()},
        {
            over: release_utility(
                vectors, ids[among[over] & known], release.attacked[among[over] & known]
            ).cosine
            for over in OVER
        },
        worst_words_success(right[:, -1, 0], numbers, ids),
        reviews.knows.bigrams.perplexity([text.astype(np.int32) for text in released]),
        None if release.classified is None else accuracy(reviews, release.classified, vectors),
    )


def accuracy(reviews: Reviews, outputs: NDArray[np.int64], vectors: NDArray[np.float32]) -> float:
    """Return the accuracy of sentiment for reviews with the released words ``outputs``."""
    training, testing = reviews.training, reviews.testing
    split = len(training.ids)
    classifier = Classifier(Texts(outputs[:split], training.offsets, training.labels), vectors)
    return classifier.accuracy(Texts(outputs[split:], testing.offsets, testing.labels))
