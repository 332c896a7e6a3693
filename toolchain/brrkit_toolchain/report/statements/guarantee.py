"""The guarantee of a setting on a bundle: as a privacy loss, as odds, and as a posterior.

By Bayes' rule, a release changes the odds of one typed word against another by a factor of at most
e^loss. With the loss between any two words, this also holds for the odds of a word against all
others. Losses of several releases add up (``docs/explanation/proofs.md``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, exp, floor, log

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.budget import cost_of
from brrkit.counts import RandomizedResponse
from brrkit.hamming import HammingIndex
from brrkit.setting import CountsSetting, Frames, Setting
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.privacy_loss.distances import metric_of
from brrkit_toolchain.channel.privacy_loss.passing import PassingLoss, passing_loss
from brrkit_toolchain.channel.privacy_loss.shuffled import ShufflingGuarantee, shuffling_guarantee
from brrkit_toolchain.rounding import exact

YEAR = 365
"""Days."""

_NEIGHBOR_SAMPLE = 500
_ROUNDED = 1e-15  # relative; more than the error of a few floating-point operations
_REPORTERS, _DELTA = 100_000, 1e-6  # for the shown central guarantee


@dataclass(frozen=True)
class CountsLoss:
    """The bundle's setting for counts, and its guarantee.

    Attributes:
        setting: the setting in the manifest.
        loss: privacy loss of a report between any two words, exact and rounded up.
        shuffled: central guarantee of a reporter with ``setting.words_a_day`` of the reports.
        reporters: number of reporters whose reports, equally many each, are shuffled together.
    """

    setting: CountsSetting
    loss: float
    shuffled: ShufflingGuarantee
    reporters: int

    @property
    def day(self) -> Fraction:
        """The largest privacy loss of a person's day of reports."""
        return exact(self.loss) * self.setting.words_a_day


@dataclass(frozen=True)
class Guarantee:
    """The guarantee of a setting on a bundle; losses are natural logarithms, distances in bits.

    Attributes:
        words: number of words of the vocabulary that don't pass; losses are between these.
        epsilon: largest privacy loss of a word per bit: the certified epsilon if there is one, or
            else the setting's.
        cap: cap of the loss between any two words; None without a cap.
        nearest: median distance between a word and its nearest other word; task bits are weighted.
        average: mean distance between two words, P_avg.
        farthest: largest distance between two words: P_max if all pairs were visited, or else the
            length of a code.
        counts: the guarantee for counts; None if the bundle recommends no setting for counts.
        lists: number of vocabulary words on each of the policy's lists, by name.
        passing: the policy's passing words; None if no word passes.
        frames: frames for sending text; None if the bundle has none.
    """

    words: int
    epsilon: float
    cap: float | None
    nearest: float
    average: float
    farthest: float
    counts: CountsLoss | None
    lists: Mapping[str, int] = field(default_factory=dict)
    passing: PassingLoss | None = None
    frames: Frames | None = None

    def loss(self, bits: float) -> Fraction:
        """Return the largest privacy loss between two words at this distance."""
        loss = exact(self.epsilon) * exact(bits)
        return loss if self.cap is None else min(loss, exact(self.cap))

    @property
    def any_two(self) -> Fraction:
        """The largest privacy loss between any two words."""
        return self.loss(self.farthest)

    @property
    def against_any(self) -> Fraction:
        """The largest privacy loss between a word and any other, including passing words."""
        return self.any_two + (exact(self.passing.loss) if self.passing else 0)

    def framed(self, days: int) -> Fraction:
        """The largest privacy loss of the given days of text in frames, whatever was typed."""
        return days * (self.frames.words_a_day if self.frames else 0) * self.against_any

    @property
    def even(self) -> float:
        """The smallest loss that can make one word more probable than all others together.

        For an attacker who assumed that all words were equally likely.
        """
        return log(self.words - 1)

    def believed(self, loss: float | Fraction) -> float:
        """Return the largest posterior of a word, for an attacker with a uniform prior.

        Args:
            loss: privacy loss of the release, between this word and any other.
        """
        return believed(self.words, loss)

    def words_within(self, limit: float) -> int:
        """Return the number of words that a budget with this limit pays for, by its arithmetic."""
        return floor(exact(limit) * 10**9) // cost_of(self.epsilon)


def believed(choices: int, loss: float | Fraction) -> float:
    """Return an attacker's largest posterior of one choice, by Bayes' rule; rounded up.

    Args:
        choices: number of choices, all equally likely to the attacker before.
        loss: privacy loss of the release, between this choice and any other.
    """
    return min(1.0, (1 + _ROUNDED) / (1 + (choices - 1) * exp(-loss)))


def limits_in(days: int, period: int = 1) -> int:
    """Return the largest number of periods with releases in the given days; one began before."""
    return ceil(days / period) + 1


def guarantee_of(bundle: WordBundle, setting: Setting, *, seed: int = 0) -> Guarantee:
    """Return the guarantee of a setting on a bundle.

    Args:
        bundle: an opened bundle of two words or more.
        setting: a valid setting for it; its certificate isn't checked.
        seed: seed of the sample of words whose nearest words are sought.

    Raises:
        BundleError: the manifest has no distances of the codes.
    """
    distances, codes = metric_of(setting, bundle), Channel(bundle, setting).codes
    # The largest distance in a sample isn't a bound, but the length of a code is.
    farthest = distances.maximum if distances.exact else float(64 * codes.shape[1])
    passing = passing_loss(bundle.policy)
    return Guarantee(
        words=len(bundle) - (passing.words if passing else 0),
        epsilon=setting.certified_epsilon or setting.epsilon,
        cap=setting.parameters.get("cap"),
        nearest=_nearest(codes, seed),
        average=distances.average,
        farthest=farthest,
        counts=counts_loss(bundle),
        lists={each.name: len(each.members) for each in bundle.policy.lists},
        passing=passing,
        frames=bundle.frames,
    )


def _nearest(codes: NDArray[np.uint64], seed: int) -> float:
    generator = np.random.default_rng(seed)
    ids = generator.choice(len(codes), min(_NEIGHBOR_SAMPLE, len(codes)), replace=False)
    _, distances = HammingIndex(codes).nearest(codes[ids], 2)
    return float(np.median(distances[:, 1]))


def counts_loss(bundle: WordBundle) -> CountsLoss | None:
    """Return the guarantee of a bundle's setting for counts; None if it recommends none."""
    setting = bundle.counts
    if setting is None:
        return None
    symbols, each = len(bundle) + 1, setting.words_a_day
    response = RandomizedResponse.of(setting.cap, symbols)
    central = shuffling_guarantee(response.kept, symbols, _REPORTERS * each, each, _DELTA)
    return CountsLoss(setting, response.loss, central, _REPORTERS)
