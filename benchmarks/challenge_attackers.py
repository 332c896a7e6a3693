"""=Our attackers of a challenge.

Attackers who *learn* only run the privatizer, which may be any, on public texts and on words, any
number of times. Attackers who *compute* know the probabilities of brrkit's mechanism.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.challenge import (
    TEXTS,
    WORDS,
    WRITERS,
    Answers,
    Challenge,
    Release,
    words_of,
)
from brrkit import WordBundle
from brrkit.setting import Setting
from brrkit_toolchain import guess_texts
from brrkit_toolchain.attackers.texts.text_attack import released_before
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.language.texts import TextIds

COPIES = 12
"""Number of releases of each known text, and of each word, for learning."""

FREQUENT = 600
"""Number of first words of the vocabulary that are released alone for learning."""

_BACKGROUND = 5.0  # released words of all texts that are added to those of a text
_LONGEST = 64  # largest distinguished length of a text, in words
_SPREAD = 0.5  # texts of each length that are added to a writer's texts


def learned(challenge: Challenge, release: Release, bundle: WordBundle) -> Answers:
    """Return the guesses of attackers who learn.

    Args:
        challenge: challenge drawn with ``release``.
        release: the privatizer.
        bundle: bundle with the words to guess.
    """
    texts = [each.text for each in challenge.known]
    copies = [
        [each.split() for each in released]
        for released in zip(*(release(texts) for _ in range(COPIES)), strict=True)
    ]
    return {
        WORDS: _words(challenge, copies, release, bundle),
        TEXTS: _assigned(_text_scores(challenge.released, copies)),
        WRITERS: _writers(challenge, copies),
    }


def computed(
    challenge: Challenge, release: Release, bundle: WordBundle, setting: Setting
) -> Answers:
    """Return the guesses of attackers who compute; they learn the writer of a set.

    Args:
        challenge: challenge drawn with ``bundle`` and ``setting``.
        release: privatizer with these.
        bundle: an opened bundle.
        setting: a setting for it.
    """
    guessed = guess_texts(bundle, challenge.secret, setting)
    return {
        **learned(challenge, release, bundle),
        WORDS: [[guess.word for guess in each] for each in guessed],
        TEXTS: _assigned(_exact_scores(challenge, bundle, setting)),
    }


def _words(
    challenge: Challenge,
    copies: Sequence[Sequence[Sequence[str]]],
    release: Release,
    bundle: WordBundle,
) -> list[list[str]]:
    """Return the likeliest typed word for each released word, by the releases of words."""
    vocabulary, shares = bundle.vocabulary, bundle.masses.words / bundle.masses.words.sum()
    became: dict[str, Counter[str]] = defaultdict(Counter)
    for written, released in zip(challenge.known, copies, strict=True):
        typed = words_of(written.text, bundle.tokenizer)
        for each in released:
            if len(each) == len(typed):
                for word, output in zip(typed, each, strict=True):
                    became[word][output] += 1
    alone = [vocabulary.word(i) for i in range(min(FREQUENT, len(bundle)))]
    for _ in range(COPIES):
        for word, outputs in zip(alone, release(alone), strict=True):
            became[word].update(outputs.split()[:1])
    best: dict[str, tuple[float, str]] = {}
    for word, counts in became.items():
        found = vocabulary.find(word)
        share = float(shares[found]) if found is not None else 1 / len(bundle)
        for output, count in counts.items():
            best[output] = max(best.get(output, (0.0, "")), (share * count / counts.total(), word))
    return [[best.get(word, (0, word))[1] for word in text.split()] for text in challenge.secret]


def _text_scores(
    released: Sequence[str], copies: Sequence[Sequence[Sequence[str]]]
) -> NDArray[np.float64]:
    """Return log probabilities [released, known], by the words and lengths of copies."""
    bags = [Counter(word for each in known for word in each) for known in copies]
    background = Counter(word for bag in bags for word in bag.elements())
    total, kinds = background.total(), len(background) + 1
    scores = np.zeros((len(released), len(copies)))
    for i, text in enumerate(released):
        words = text.split()
        usual = np.array([(background[word] + 1) / (total + kinds) for word in words])
        for j, (bag, known) in enumerate(zip(bags, copies, strict=True)):
            own = np.array([bag[word] for word in words])
            shares = (own + _BACKGROUND * usual) / (bag.total() + _BACKGROUND)
            as_long = sum(len(each) == len(words) for each in known)
            scores[i, j] = np.log(shares).sum() + np.log((as_long + 0.5) / (len(known) + 1))
    return scores


def _exact_scores(
    challenge: Challenge, bundle: WordBundle, setting: Setting
) -> NDArray[np.float64]:
    """Return exact log probabilities [released, known]; -1e9 if the numbers of words differ."""
    _, evidence = Channel(bundle, setting).release_and_evidence(np.random.default_rng(0))
    convert = TextIds(bundle.tokenizer)
    known = [convert(each.text).ids for each in challenge.known]
    scores = np.full((len(challenge.released), len(known)), -1e9)
    for i, text in enumerate(challenge.released):
        outputs = np.array([bundle.vocabulary.find(word) for word in text.split()], np.int64)
        before = released_before(outputs, np.zeros(len(outputs), np.intp))
        weights = np.log(np.maximum(evidence.likelihoods(outputs, before), 1e-30))
        for j, ids in enumerate(known):
            if len(ids) == len(outputs):
                scores[i, j] = weights[np.arange(len(ids)), ids].sum()
    return scores


def _assigned(scores: NDArray[np.float64]) -> list[list[str]]:
    """Return a known text for each released text: the likeliest one-to-one assignment."""
    from scipy.optimize import linear_sum_assignment

    _, known = linear_sum_assignment(scores, maximize=True)
    return [[str(each)] for each in known]


def _writers(challenge: Challenge, copies: Sequence[Sequence[Sequence[str]]]) -> list[list[str]]:
    """Return the likeliest writer of each set, by its words and its texts' lengths."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    texts = [" ".join(each) for known in copies for each in known]
    writers = [written.writer for written in challenge.known for _ in range(COPIES)]
    model = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), min_df=2, token_pattern=r"\S+", sublinear_tf=True),
        LogisticRegression(C=10, max_iter=200),
    )
    model.fit(texts, writers)
    names = list(model[-1].classes_)
    lengths = np.full((len(names), _LONGEST + 1), _SPREAD)
    for text, writer in zip(texts, writers, strict=True):
        lengths[names.index(writer), min(len(text.split()), _LONGEST)] += 1 / COPIES
    log = np.log(lengths / lengths.sum(axis=1, keepdims=True))
    found = []
    for each in challenge.sets:
        as_long = [min(len(text.split()), _LONGEST) for text in each]
        scores = model.predict_log_proba(list(each)).sum(axis=0) + log[:, as_long].sum(axis=1)
        found.append([str(names[int(scores.argmax())])])
    return found
