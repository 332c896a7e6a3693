"""How often the best possible attacker names the word that was typed.

They know the vocabulary, the codes, the mechanism, its setting and how often each word is typed,
pi. Given the output y they name the word x with the largest pi(x) Pr[M(x) = y], and nobody, with
any computer, is right more often: their success is

    sum over y of max over x of pi(x) Pr[M(x) = y],

known as Bayes vulnerability (Smith 2009). Of equally probable words they name the most frequent,
the one with the lowest id. The success of a *word* is how often they name it, given that it was
typed; the least protected words are the hundredth of the vocabulary whose success is largest.

Of a mechanism with known weights (``exponential``) all of this is computed, over all pairs of
words. The others are only drawn from, and the success is enclosed:

* **From below** by an attacker who has only seen draws. They name the output itself, unless in one
  half of the draws another word gave it significantly more often, and is judged by the other half:
  so this is a real attacker, and the best possible one isn't worse.
* **From above** by what holds for everybody, the smaller of two bounds. (1) An attacker who sees
  the noised input, of which the output is a (random) function, can do all that one who sees the
  output can; their posterior is known exactly, so their hits are counted. (2) The success computed
  from the *observed* shares of N draws is too large on average, since the mean of a maximum isn't
  below the maximum of the means; and it changes by at most 1 / N with each draw. So by McDiarmid's
  inequality the true one exceeds it by sqrt(ln(1 / delta) / (2 N)) with a probability of at most
  delta.

Under a uniform prior the nearest word to the noised input is also the most probable one. There brr
and laplace release the best guess itself, and both sides meet at the share of unchanged words.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from brrkit.setting import Estimate
from brrkit_toolchain.channel import BatchedMechanism, Channel
from brrkit_toolchain.codes.scans import most_probable
from brrkit_toolchain.confidence import CONFIDENCE, proportion
from brrkit_toolchain.language.word_sample import zipf

LEAST_PROTECTED = 100
"""One word in this number counts as least protected."""

WordAttacker = Literal["isolated", "frequencies"]
"""Who sees one released word. ``isolated`` assumes that all words are equally likely, and
``frequencies`` knows how often words are typed, by Zipf's law on the ranks."""

WORD_ATTACKERS: tuple[WordAttacker, ...] = ("isolated", "frequencies")

_MISS_OF_EACH_BOUND = (1 - CONFIDENCE) / 2


def make_prior(attacker: WordAttacker, words: int) -> NDArray[np.float64]:
    """Return what an attacker believes of n words in rank order, pi [n]."""
    return np.full(words, 1 / words) if attacker == "isolated" else zipf(np.arange(words))


@dataclass(frozen=True)
class Attack:
    """The best possible attacker's success.

    Attributes:
        success: how often they name the typed word. Where it isn't exact, ``value`` is what an
            attacker reached who learned from draws, ``low`` the lower end of its interval, and
            ``high`` what no attacker exceeds, with 95% confidence.
        worst: the mean success of the least protected words, each counting the same; None where
            it isn't computed.
    """

    success: Estimate
    worst: float | None


@dataclass(frozen=True)
class WordSuccess:
    """The best possible attacker's success.

    Attributes:
        words: [n], how often each word is named, given that it was typed.
        prior: [n], how often each word is typed; sums to 1.
        right: [n], how often each word comes out, and the word that is then named was typed.
        drawn: [n], the same where a passing word that came out isn't named for its coin.
        passing: bool[n], which words may come out as typed by the policy: nobody's secret.
    """

    words: NDArray[np.float64]
    prior: NDArray[np.float64]
    right: NDArray[np.float64]
    drawn: NDArray[np.float64]
    passing: NDArray[np.bool_]

    @property
    def mean(self) -> float:
        """How often the typed word is named."""
        return float(self.prior @ self.words)

    @property
    def worst(self) -> float:
        """The mean success of the least protected words but passing ones, each counting alike."""
        return least_protected(self.words[~self.passing])

    @property
    def attack(self) -> Attack:
        """Both, exact."""
        return Attack(Estimate.exact(self.mean), self.worst)


def least_protected(words: NDArray[np.float64]) -> float:
    """Return the mean of the largest hundredth of ``words`` [n], one word at least."""
    count = ceil(len(words) / LEAST_PROTECTED)
    return float(np.partition(words, len(words) - count)[-count:].mean())


def weighted_success(
    channel: Channel, prior: NDArray[np.float64], *, progress: bool = False
) -> WordSuccess:
    """Compute the success against a weighted mechanism, over all pairs of words.

    Args:
        channel: of the mechanism.
        prior: [n].
        progress: show a bar on standard error.
    """
    drawn, right, named = best_guesses(channel, prior, np.arange(len(prior)), progress=progress)
    hits = np.bincount(named, right, minlength=len(prior))
    words = np.divide(hits, prior, out=np.zeros_like(hits), where=prior > 0)
    return WordSuccess(words, prior, right, drawn, channel.everything.typed.passing)


def best_guesses(
    channel: Channel,
    prior: NDArray[np.float64],
    outputs: NDArray[np.intp],
    *,
    progress: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Return how often each of ``outputs`` [m] comes out for the word named then, and that word.

    In front of both how often it is drawn for the word that would be named without coins.

    Args:
        channel: of a weighted mechanism.
        prior: [n].
        outputs: ids.
        progress: show a bar on standard error.
    """
    codes, everything = channel.codes, channel.everything
    typed = everything.typed
    best, named = most_probable(
        codes[outputs],
        codes[typed.ids],
        channel.weights.astype(np.float64),
        prior * (1 - typed.shares) / channel.totals,
        progress=progress,
    )
    drawn = best * everything.measure[outputs]
    if not typed.threshold:
        return drawn, drawn, named
    itself = prior[outputs] * everything.unchanged(channel.weights)[outputs]
    likelier = typed.passing[outputs] & (itself > drawn)
    return drawn, np.where(likelier, itself, drawn), np.where(likelier, outputs, named)


def max_posterior(channel: Channel, found: WordSuccess) -> float:
    """Return how sure the attacker is after the most telling word: the largest posterior.

    That a passing word may be certain is no secret: its coin is left out.

    Args:
        channel: of the mechanism.
        found: what ``weighted_success`` found of it.
    """
    out = channel.linear.forward(np.append(found.prior, 0.0))
    return min(1.0, float((found.drawn / out).max()))


@runtime_checkable
class ReleasesNoisedInput(BatchedMechanism, Protocol):
    """A mechanism that adds noise to its input, and releases a function of the result."""

    def suspects(self, ids: NDArray[np.intp], prior: NDArray[np.float64]) -> NDArray[np.int64]:
        """Add noise to each of ``ids`` [m]; return the most probable input [m] given the result."""
        ...


def drawn_attack(
    mechanism: BatchedMechanism, inputs: NDArray[np.intp], prior: NDArray[np.float64]
) -> Attack:
    """Enclose the success against a mechanism that is drawn from; the module says how.

    Args:
        mechanism: of n words.
        inputs: ids [N], drawn from the prior; N >= 2.
        prior: [n].
    """
    outputs = mechanism(inputs)
    learned = learned_success(inputs, outputs)
    bound = observed_bound(inputs, outputs)
    if isinstance(mechanism, ReleasesNoisedInput):
        bound = min(bound, informed_bound(inputs, mechanism.suspects(inputs, prior)))
    high = max(learned.value, bound)
    return Attack(Estimate(learned.value, learned.low, high), None)


def learned_success(inputs: NDArray[np.intp], outputs: NDArray[np.int64]) -> Estimate:
    """Return the success of an attacker who learned from every second draw, on the others.

    Args:
        inputs: ids [N], independent draws from the prior; N >= 2.
        outputs: ids [N] that came out.
    """
    own = np.bincount(outputs[::2][inputs[::2] == outputs[::2]], minlength=outputs.max() + 1)
    seen, words, counts = _most_frequent(inputs[::2], outputs[::2])
    more_often = counts - own[seen] > 2 * np.sqrt(counts + own[seen])
    named = np.arange(len(own))
    named[seen[more_often]] = words[more_often]
    guesses = named[outputs[1::2]]
    right = float((guesses == inputs[1::2]).mean())
    trials = len(guesses)
    return proportion(right, right * (1 - right) / trials, trials)


def informed_bound(inputs: NDArray[np.intp], suspects: NDArray[np.int64]) -> float:
    """Return an upper bound of the share of right ``suspects`` [N] (Clopper, Pearson 1934)."""
    hits = int((inputs == suspects).sum())
    if hits == len(inputs):
        return 1.0
    return float(betaincinv(hits + 1, len(inputs) - hits, 1 - _MISS_OF_EACH_BOUND))


def observed_bound(inputs: NDArray[np.intp], outputs: NDArray[np.int64]) -> float:
    """Return an upper bound of any attacker's success from draws alone, whatever the mechanism.

    Args:
        inputs: ids [N], independent draws from the prior.
        outputs: ids [N] that came out.
    """
    _, _, counts = _most_frequent(inputs, outputs)
    share = int(counts.sum()) / len(inputs)
    return min(1.0, share + sqrt(log(1 / _MISS_OF_EACH_BOUND) / (2 * len(inputs))))


def _most_frequent(
    inputs: NDArray[np.intp], outputs: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return each output, the input that gave it most often (of equals the first), how often."""
    cells, counts = np.unique(outputs * (inputs.max() + 1) + inputs, return_counts=True)
    given, typed = np.divmod(cells, inputs.max() + 1)
    order = np.lexsort((-counts, given))  # stable: of equals the first input stays first
    _, first = np.unique(given[order], return_index=True)
    chosen = order[first]
    return given[chosen], typed[chosen], counts[chosen]
