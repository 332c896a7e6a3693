"""What attackers know of a language: all that they may have, as one model.

A bundle's masses and bigrams are public, and so is any text that can be bought. The models of each
source are stacked: the one nearest to what is typed comes first, and leaves what it doesn't know to
the next one (Katz 1987). How far each is trusted is fitted on text that none of them was learned
from.
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
"""Words of a language that an attacker is expected to have."""

GAINS: Mapping[str, Mapping[str, float]] = {
    "frequencies": {"all": 0.07, "content": 0.10, "ordinary": 0.10},
    "sentence": {"all": 0.07, "content": 0.20, "ordinary": 0.20},
    "informed": {"all": 0.15, "content": 0.29, "ordinary": 0.29},
}
"""What ten times as many words of a language add to an attacker's log odds, by what they guess.

Never less for who knows more: what is expected of them is then never less, either.
With these, what 3,000 to 300,000 words reach leads to what five million reach on IMDB's reviews:
``benchmarks/results/attackers.md``, "By the amount of language". Most ordinary words are content
words: they gain as much.
"""

_HOLD_OUT_ONE_IN = 5  # of much text fewer
_MOST_HELD_OUT = 200_000  # words
_PIECE_TOKENS = 20  # of texts that are too few to hold some out


@dataclass(frozen=True)
class Knowledge:
    """What attackers know of a language.

    Attributes:
        bigrams: of all sources.
        trigrams: over these, of the sources that are texts.
        own_tokens: words that it was learned from, of the source of what is typed.
        public_tokens: words of public text.
        bundle_tokens: of the bundle's text, as far as they say what as many of the source would.
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
        """Words of text that it was learned from."""
        return self.own_tokens + self.public_tokens + self.bundle_tokens

    def expected(self, success: Estimate, attacker: str, over: str) -> Estimate:
        """Return what ``success`` would be with ``ENOUGH`` words of the language.

        The log odds of success grow in proportion to the logarithm of the words.

        Args:
            success: measured with this knowledge.
            attacker: whose; one who isn't in ``GAINS`` knows no language.
            over: which words count: ``all``, ``content`` or ``ordinary``.
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
    """Learn what attackers know of a bundle's language.

    Args:
        masses: of the bundle.
        own: ids int32[t] of texts of the source that is attacked, but not those that are.
        public: of other texts.
        seed: of the texts that are held out.
        bundle_tokens: words of the text that the masses are of; 0 if they are of none.
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

    with ThreadPoolExecutor(1) as pool:  # on another core
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
    """Return what a bundle says of its language, as a model; it knows no unknown words."""
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
    """Return the models as one; each leaves to the next what it isn't trusted in."""
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
    """Return what ``Knowledge.forms`` has, of some texts.

    Args:
        texts: that attackers know.
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
        texts: of one source.
        tokens: about how many are attacked, if half of the texts has as many.
        longest: tokens of a text; longer ones are cut.
        seed: of the choice.
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
