"""Attackers' knowledge of a language: all their sources, as one model.

A bundle's masses and bigrams are public, and so is any text for sale. The models of all sources are
stacked: the source most similar to the typed text comes first, and passes unseen words on to the
next source (Katz 1987). The trust in each is fitted on held-out text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from math import log10

import numpy as np
from scipy import sparse
from scipy.special import expit, logit

from brrkit.masses import LEVELS, Masses
from brrkit.setting import Estimate
from brrkit_toolchain.attackers.texts.interpolation import (
    Ids,
    Interpolation,
    equivalent_tokens,
    fit_interpolation,
)
from brrkit_toolchain.channel.drawing.bigram_base import BigramGains
from brrkit_toolchain.language.bigrams import Bigrams, learn_bigrams
from brrkit_toolchain.language.texts import TypedText
from brrkit_toolchain.language.trigrams import Trigrams, learn_trigrams

ENOUGH = 10_000_000
"""Number of words of a language that an attacker is expected to have."""

GAINS: Mapping[str, Mapping[str, float]] = {
    "frequencies": {"all": 0.07, "content": 0.10, "ordinary": 0.10},
    "sentence": {"all": 0.07, "content": 0.20, "ordinary": 0.20},
    "informed": {"all": 0.15, "content": 0.29, "ordinary": 0.29},
}
"""Gain in an attacker's log odds from ten times as many words of a language, by the guessed words.

The gain never decreases with an attacker's knowledge, so their expected success doesn't, either.
With these gains, the results of 3,000 to 300,000 words predict those of five million on IMDB's
reviews: ``benchmarks/results/attackers.md``, "Attack success by known text". Most ordinary words
are content words, so their gain is the same.
"""

_HOLD_OUT_ONE_IN = 5  # for long text, one in a larger number
_MOST_HELD_OUT = 200_000  # words
_PIECE_TOKENS = 20  # length of the pieces into which texts are cut if there are too few to hold out


@dataclass(frozen=True)
class Knowledge:
    """Attackers' knowledge of a language.

    Attributes:
        bigrams: bigrams of all sources.
        trigrams: trigrams on top of these, from the sources that are texts.
        own_tokens: number of words of the typed texts' own source from which it was learned.
        public_tokens: number of words of public text.
        bundle_tokens: number of words of the own source that are worth as much as the bundle's
            text.
        forms: by the head of a list of the bundle's policy, the share of the words outside the
            vocabulary that are its forms.
    """

    bigrams: Bigrams
    trigrams: Trigrams
    own_tokens: int
    public_tokens: int
    bundle_tokens: int = 0
    forms: Mapping[int, float] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        """The number of words of text from which it was learned."""
        return self.own_tokens + self.public_tokens + self.bundle_tokens

    def expected(self, success: Estimate, attacker: str, over: str) -> Estimate:
        """Return the expected ``success`` with ``ENOUGH`` words of the language.

        The log odds of success grow linearly with the logarithm of the number of words.

        Args:
            success: attack success, measured with this knowledge.
            attacker: name of the attacker; one who isn't in ``GAINS`` knows no language.
            over: the words that count: ``all``, ``content`` or ``ordinary``.
        """
        missing = max(0.0, log10(ENOUGH / max(1, self.tokens)))
        gain = GAINS.get(attacker, {}).get(over, 0.0) * missing
        value, low, high = (
            float(expit(logit(each) + gain)) for each in (success.value, success.low, success.high)
        )
        return Estimate(value, low, high)


def learn_knowledge(
    masses: Masses,
    own: Sequence[Ids],
    public: Sequence[Ids] = (),
    seed: int = 0,
    *,
    bundle_tokens: int = 0,
) -> Knowledge:
    """Learn attackers' knowledge of a bundle's language.

    Args:
        masses: masses of the bundle.
        own: ids int32[t] of texts from the attacked source, without the attacked texts.
        public: ids int32[t] of other texts.
        seed: seed of the choice of held-out texts.
        bundle_tokens: number of words of the masses' text; 0 if they are from no text.
    """
    size = len(masses)
    others = [learn_bigrams(public, size)] if public else []
    others.append(bundle_bigrams(masses))
    pieces = [own[i] for i in np.random.default_rng(seed).permutation(len(own)).tolist()]
    if len(own) < _HOLD_OUT_ONE_IN:
        pieces = [
            text[i : i + _PIECE_TOKENS] for text in own for i in range(0, len(text), _PIECE_TOKENS)
        ]
    every = max(_HOLD_OUT_ONE_IN, sum(map(len, own)) // _MOST_HELD_OUT)
    kept = [text for number, text in enumerate(pieces) if number % every]

    def learn_all() -> tuple[Bigrams, Trigrams]:
        model = learn_bigrams(own, size)
        return model, learn_trigrams([*own, *public], model)

    with ThreadPoolExecutor(1) as pool:  # uses a second core
        learned = pool.submit(learn_all)
        models, held_out = [learn_bigrams(kept, size), *others], pieces[::every]
        fitted = fit_interpolation(models, held_out)
        alike = equivalent_tokens(models, held_out) if bundle_tokens else 0.0
    of_own, trigrams = learned.result()
    bigrams = _stack([of_own, *others], fitted)
    return Knowledge(
        bigrams,
        replace(trigrams, language=bigrams),
        sum(map(len, own)),
        sum(map(len, public)),
        int(min(float(bundle_tokens), alike)),
    )


def bundle_bigrams(masses: Masses) -> Bigrams:
    """Return a bundle's masses and bigrams as a model, without unknown words."""
    gains, size = BigramGains.of(masses), len(masses)
    own = LEVELS[masses.words].astype(np.float64)
    before = np.repeat(np.arange(size), np.diff(gains.starts))
    totals = np.append(own.sum() + np.bincount(before, gains.gains, size), [own.sum()] * 2)
    seen = sparse.csr_array(
        (gains.gains / totals[before], (before, gains.after)), shape=(size + 2, size + 1)
    )
    words = np.append(own / own.sum(), 0)
    return Bigrams(words, words, own.sum() / totals, seen, 0)


def _stack(models: Sequence[Bigrams], fitted: Interpolation) -> Bigrams:
    """Return the models as one; each passes untrusted probability on to the next."""
    left = np.ones(len(models[0].backoff))
    seen = sparse.csr_array(models[0].seen.shape)
    for model, trusted in zip(models, fitted.trust, strict=True):
        scaled = sparse.diags_array(left * trusted) @ model.seen
        seen = sparse.csr_array(seen + scaled)
        left = left * (1 - trusted * (1 - model.backoff))
    seen.sort_indices()
    return Bigrams(
        np.average([model.words for model in models], axis=0, weights=fitted.words),
        np.average([model.continuation for model in models], axis=0, weights=fitted.continuations),
        left,
        seen,
        sum(model.tokens for model in models),
    )


def shares_of_forms(texts: Sequence[TypedText], unknown: int) -> dict[int, float]:
    """Return ``Knowledge.forms`` from some texts.

    Args:
        texts: texts that attackers know.
        unknown: the id of unknown words.
    """
    outside = np.concatenate(
        [np.empty(0, np.int32), *(text.typed_as[text.ids == unknown] for text in texts)]
    )
    heads, counts = np.unique(outside[outside != unknown], return_counts=True)
    return dict(zip(heads.tolist(), (counts / max(1, len(outside))).tolist(), strict=True))


def split_texts(
    texts: Sequence[TypedText], tokens: int, longest: int, seed: int = 0
) -> tuple[list[TypedText], list[TypedText]]:
    """Return randomly chosen ``texts`` to attack, and the others, to learn the language from.

    Args:
        texts: texts of one source.
        tokens: approximate number of attacked tokens, if half of the texts have as many.
        longest: largest number of tokens in a text; longer texts are cut.
        seed: seed of the choice.
    """
    half = sum(len(text.ids) for text in texts) / 2
    chosen: list[TypedText] = []
    attacked, used = 0, 0
    order = np.random.default_rng(seed).permutation(len(texts)).tolist()
    for place, number in enumerate(order):
        if attacked >= tokens or used >= half:
            return chosen, [texts[i] for i in order[place:]]
        text = texts[number]
        chosen.append(text.start(longest))
        attacked += len(chosen[-1].ids)
        used += len(text.ids)
    return chosen, []
