"""The attack success of the best possible attacker on one word.

They know the vocabulary, the codes, the mechanism, its setting and the frequency pi of each word.
Given the output y, they guess the word x with the largest pi(x) Pr[M(x) = y]. Nobody, with any
computer, has a higher attack success:

    sum over y of max over x of pi(x) Pr[M(x) = y],

known as Bayes vulnerability (Smith 2009). Among equally probable words, they guess the most
frequent one, which has the lowest id. The attack success on a *word* is the probability that they
guess it, given that it was typed. The least protected words are the 1% of the vocabulary with the
largest attack success.

For a mechanism with known weights (``exponential``), all of this is computed, over all pairs of
words. Other mechanisms are only sampled, and the attack success is enclosed:

* **From below** by an attacker who has only seen draws. They guess the output itself, unless
  another word gave it significantly more often in one half of the draws. The other half measures
  their attack success. This is a real attacker, so the best possible attacker is at least as good.
* **From above** by the smaller of two bounds that hold for every attacker. (1) The output is a
  (random) function of the noised input, so an attacker who sees the noised input is at least as
  good. Their posterior is known exactly, so their hits are counted. (2) The attack success computed
  from the *observed* shares of N draws is too large on average, since the mean of a maximum isn't
  below the maximum of the means; and each draw changes it by at most 1 / N. So by McDiarmid's
  inequality, the true attack success exceeds it by sqrt(ln(1 / delta) / (2 N)) with a probability
  of at most delta.

  Each bound may fail with half of the permitted probability, so the smaller one holds even if both
  come from the same draws.

Under a uniform prior, the nearest word to the noised input is also the most probable one. Then brr
and laplace release the best guess itself, and both bounds meet at the share of unchanged words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
"""One in this number of words counts as least protected."""

WordAttacker = Literal["isolated", "frequencies"]
"""Attackers who see one released word. ``isolated`` assumes that all words are equally likely, and
``frequencies`` knows the words' frequencies, by Zipf's law on the ranks."""

WORD_ATTACKERS: tuple[WordAttacker, ...] = ("isolated", "frequencies")

_MISS_OF_EACH_BOUND = (1 - CONFIDENCE) / 2


def make_prior(attacker: WordAttacker, words: int) -> NDArray[np.float64]:
    """Return an attacker's prior pi [n] for n words in rank order."""
    return np.full(words, 1 / words) if attacker == "isolated" else zipf(np.arange(words))


@dataclass(frozen=True)
class Attack:
    """The attack success of the best possible attacker.

    Attributes:
        success: probability that they recover the typed word. If it isn't exact, an attacker who
            learned from draws reached ``value``, ``low`` is the lower end of its interval, and no
            attacker exceeds ``high``, with 95% confidence.
        worst: mean attack success on the least protected words, with equal weights; None if it
            wasn't computed.
    """

    success: Estimate
    worst: float | None


@dataclass(frozen=True)
class WordSuccess:
    """The attack success of the best possible attacker, by word.

    Attributes:
        words: [n], attack success on each word, given that it was typed.
        prior: [n], probability of each typed word; sums to 1.
        right: [n], probability that each word is released, and that the guess is then right.
        drawn: [n], the same if a released passing word isn't guessed because of its coin.
        passing: bool[n], whether each word is a passing word: nobody's secret.
    """

    words: NDArray[np.float64]
    prior: NDArray[np.float64]
    right: NDArray[np.float64]
    drawn: NDArray[np.float64]
    passing: NDArray[np.bool_]

    @property
    def mean(self) -> float:
        """The attack success over all words."""
        return float(self.prior @ self.words)

    @property
    def worst(self) -> float:
        """The mean attack success on the least protected words, without passing words."""
        return least_protected(self.words[~self.passing])

    @property
    def attack(self) -> Attack:
        """The mean and the worst attack success, both exact."""
        return Attack(Estimate.exact(self.mean), self.worst)


def least_protected(words: NDArray[np.float64]) -> float:
    """Return the mean of the largest 1% of ``words`` [n], at least one word."""
    count = ceil(len(words) / LEAST_PROTECTED)
    return float(np.partition(words, len(words) - count)[-count:].mean())


def weighted_success(
    channel: Channel, prior: NDArray[np.float64], *, progress: bool = False
) -> WordSuccess:
    """Compute the attack success against a weighted mechanism, over all pairs of words.

    Args:
        channel: channel of the mechanism.
        prior: [n], probability of each typed word.
        progress: show a bar on standard error.
    """
    (found,) = weighted_successes([channel], prior, progress=progress)
    return found


def weighted_successes(
    channels: Sequence[Channel], prior: NDArray[np.float64], *, progress: bool = False
) -> list[WordSuccess]:
    """Compute the attack success at each setting of a weighted mechanism, with one scan for all.

    Args:
        channels: channels of the same codes.
        prior: [n], probability of each typed word.
        progress: show a bar on standard error.
    """
    passing, found = channels[0].everything.typed.passing, []
    outputs = np.arange(len(prior))
    for drawn, right, named in best_guesses(channels, prior, outputs, progress=progress):
        hits = np.bincount(named, right, minlength=len(prior))
        words = np.divide(hits, prior, out=np.zeros_like(hits), where=prior > 0)
        found.append(WordSuccess(words, prior, right, drawn, passing))
    return found


def best_guesses(
    channels: Sequence[Channel],
    prior: NDArray[np.float64],
    outputs: NDArray[np.intp],
    *,
    progress: bool = False,
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]]:
    """Yield, for each channel, two joint probabilities and the best guess for all ``outputs`` [m].

    The first is the probability that the word that would be guessed without coins is typed and the
    output is drawn for it. The second is the same for the best guess, with coins.

    Args:
        channels: channels of weighted mechanisms, with the same codes.
        prior: [n], probability of each typed word.
        outputs: ids of the outputs.
        progress: show a bar on standard error.
    """
    codes, typed = channels[0].codes, channels[0].everything.typed
    guesses = most_probable(
        codes[outputs],
        codes[typed.ids],
        np.array([channel.weights for channel in channels], np.float64),
        np.array([prior * (1 - typed.shares) / channel.totals for channel in channels]),
        progress=progress,
    )
    for channel, best, named in zip(channels, *guesses, strict=True):
        drawn = best * channel.everything.measure[outputs]
        if not typed.threshold:
            yield drawn, drawn, named
            continue
        itself = prior[outputs] * channel.everything.unchanged(channel.weights)[outputs]
        likelier = typed.passing[outputs] & (itself > drawn)
        yield drawn, np.where(likelier, itself, drawn), np.where(likelier, outputs, named)


def max_posteriors(channel: Channel, found: Sequence[WordSuccess]) -> list[float]:
    """Return each attacker's largest posterior probability, after the most revealing output.

    A passing word is nobody's secret, so its coin is left out.

    Args:
        channel: channel of the mechanism.
        found: results of ``weighted_success`` for it, one for each attacker.
    """
    priors = np.column_stack([np.append(each.prior, 0.0) for each in found])
    out = channel.linear.forward(priors)  # one scan of the codes for all attackers
    return [
        min(1.0, float((each.drawn / released).max()))
        for each, released in zip(found, out.T, strict=True)
    ]


@runtime_checkable
class ReleasesNoisedInput(BatchedMechanism, Protocol):
    """A mechanism that adds noise to its input, and releases a function of the result."""

    def release_and_guess(
        self, ids: NDArray[np.intp], prior: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return an output [m] for each of ``ids`` [m], and the most probable input [m].

        The input is guessed from a noised input, which may be the output's own or another draw.
        """
        ...


def drawn_attack(
    mechanism: BatchedMechanism, inputs: NDArray[np.intp], prior: NDArray[np.float64]
) -> Attack:
    """Enclose the attack success against a sampled mechanism; the module's docstring says how.

    Args:
        mechanism: mechanism on n words.
        inputs: ids [N], drawn from the prior; N >= 2.
        prior: [n], probability of each typed word.
    """
    if isinstance(mechanism, ReleasesNoisedInput):
        outputs, guesses = mechanism.release_and_guess(inputs, prior)
        bound = min(observed_bound(inputs, outputs), informed_bound(inputs, guesses))
    else:
        outputs = mechanism(inputs)
        bound = observed_bound(inputs, outputs)
    learned = learned_success(inputs, outputs)
    high = max(learned.value, bound)
    return Attack(Estimate(learned.value, learned.low, high), None)


def learned_success(inputs: NDArray[np.intp], outputs: NDArray[np.int64]) -> Estimate:
    """Return the attack success of an attacker who learned from every second draw, on the others.

    Args:
        inputs: ids [N], independent draws from the prior; N >= 2.
        outputs: ids [N] of their outputs.
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


def informed_bound(inputs: NDArray[np.intp], guesses: NDArray[np.int64]) -> float:
    """Return an upper bound on the share of right ``guesses`` [N] (Clopper, Pearson 1934)."""
    hits = int((inputs == guesses).sum())
    if hits == len(inputs):
        return 1.0
    return float(betaincinv(hits + 1, len(inputs) - hits, 1 - _MISS_OF_EACH_BOUND))


def observed_bound(inputs: NDArray[np.intp], outputs: NDArray[np.int64]) -> float:
    """Return an upper bound on any attack success from draws alone, for any mechanism.

    Args:
        inputs: ids [N], independent draws from the prior.
        outputs: ids [N] of their outputs.
    """
    _, _, counts = _most_frequent(inputs, outputs)
    share = int(counts.sum()) / len(inputs)
    return min(1.0, share + sqrt(log(1 / _MISS_OF_EACH_BOUND) / (2 * len(inputs))))


def _most_frequent(
    inputs: NDArray[np.intp], outputs: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return each output, its most frequent input (the first of equals), and their joint count."""
    cells, counts = np.unique(outputs * (inputs.max() + 1) + inputs, return_counts=True)
    given, typed = np.divmod(cells, inputs.max() + 1)
    order = np.lexsort((-counts, given))  # stable: the first of equal inputs stays first
    _, first = np.unique(given[order], return_index=True)
    chosen = order[first]
    return given[chosen], typed[chosen], counts[chosen]
