"""IMDB's reviews, and what one release of them keeps and shows.

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
"""The words that success is counted over."""

_IMDB = Path("text") / "imdb_labelled_50k.tsv.gz"
_ATTACKERS = knowing_no_more("sentence")
STARTS = 60
"""Words of a review that the classifier gets."""


@dataclass(frozen=True)
class Reviews:
    """What is typed, and what the attackers know of the language.

    Attributes:
        typed: reviews of the test half, to be attacked.
        knows: what attackers know: the bundle's language and the training half.
        training: the first words of some reviews of the training half, with their sentiment.
        testing: the same of the test half.
    """

    typed: Sequence[TypedText]
    knows: Knowledge
    training: Texts
    testing: Texts


@dataclass(frozen=True)
class Release:
    """What came out.

    Attributes:
        attacked: ids [t] for each word of the attacked reviews.
        classified: ids for each word of ``training`` and then ``testing``; None if they weren't
            released.
        channel: what the attackers know of the mechanism.
    """

    attacked: NDArray[np.int64]
    classified: NDArray[np.int64] | None
    channel: Evidence


@dataclass(frozen=True)
class Measured:
    """What a release keeps and shows. Mappings are by ``OVER``.

    Attributes:
        sentence: how often the attacker who reads is right at the first guess.
        isolated: how often the one who sees a word alone is.
        cosine: mean cosine of released to typed vectors, their mean removed.
        worst: of the sentence attacker, over the worst 1% of words; None if too few are frequent.
        perplexity: of what is released, under the language model.
        sentiment: accuracy of the classifier; None if nothing was released for it.
    """

    sentence: Mapping[str, Estimate]
    isolated: Mapping[str, float]
    cosine: Mapping[str, float]
    worst: float | None
    perplexity: float
    sentiment: float | None


def halves(tokenizer: Tokenizer) -> tuple[list[TypedText], list[TypedText]] | None:
    """Return the training and the test half as ids; None where ``BRR_DATA`` hasn't the reviews."""
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
    """Read IMDB's reviews from ``BRR_DATA``; None if they aren't there.

    Arguments as for ``split_reviews``; the attackers learn from the whole training half.
    """
    found = split_reviews(bundle, tokens, texts, 0)
    return None if found is None else found[0]


def split_reviews(
    bundle: WordBundle, tokens: int, texts: int, kept: int = 2, starts: int | None = STARTS
) -> tuple[Reviews, list[NDArray[np.int32]]] | None:
    """Read them, and keep a part of the training half from the attackers.

    Args:
        bundle: whose words they are looked up in.
        tokens: about how many words are attacked.
        texts: that the classifier is trained on, and as many that it is tested on.
        kept: one in so many reviews of the training half is returned as ids, for a mechanism to
            learn from, and the attackers don't have it; 0 for none.
        starts: words of a review that the classifier gets; None for all.
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
    """Return a mechanism's input: words drawn in proportion to the masses for unknown ones."""
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
    """Judge the attackers who know no more than the one who reads.

    Args:
        knows: what they know.
        evidence: of the mechanism.
        typed: texts.
        outputs: what came out for each of their tokens [t].
        among: which tokens are of each class; what is behind those of ``typed`` doesn't count.
        classes: those to count over.

    Returns:
        What each guesses right of each token, as ``judge_texts`` has it; and how often each is
        right at the first guess, or those before them, by class.
    """
    numbers = np.repeat(np.arange(len(typed)), [len(text.ids) for text in typed])
    right = np.concatenate(
        judge_texts(
            TextAttackers(knows, _ATTACKERS),
            [text.ids for text in typed],
            split_by_text(outputs, typed),
            split_by_text(released_before(outputs, numbers), typed),
            evidence.likelihoods,
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
    """Return the parts of ``values``, one for each token, that are of each text."""
    return np.split(values, np.cumsum([len(text.ids) for text in typed])[:-1])


def measure(
    reviews: Reviews, typed: Sequence[TypedText], release: Release, vectors: NDArray[np.float32]
) -> Measured:
    """Return what ``release`` keeps and shows.

    Args:
        reviews: the language, and what is classified.
        typed: reviews that ``release.attacked`` is of.
        release: what came out.
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
    """Return the accuracy of sentiment, of reviews whose words became ``outputs``."""
    training, testing = reviews.training, reviews.testing
    split = len(training.ids)
    classifier = Classifier(Texts(outputs[:split], training.offsets, training.labels), vectors)
    return classifier.accuracy(Texts(outputs[split:], testing.offsets, testing.labels))
