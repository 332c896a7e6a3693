"""The privacy and the cost of a mechanism, measured at any setting of its parameters."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.setting import Estimate, Setting
from brrkit_toolchain.attackers.one_word import (
    WORD_ATTACKERS,
    Attack,
    WordAttacker,
    drawn_attack,
    make_prior,
    weighted_successes,
)
from brrkit_toolchain.channel import BatchedMechanism, Channel
from brrkit_toolchain.channel.channel import Scans
from brrkit_toolchain.channel.in_force import setting_in_force
from brrkit_toolchain.channel.privacy_loss.distances import PairStatistics, loss_at, metric_of
from brrkit_toolchain.confidence import mean, mean_proportion
from brrkit_toolchain.embeddings import Embeddings
from brrkit_toolchain.embeddings.of_bundle import given_vectors
from brrkit_toolchain.io.progress import Progress
from brrkit_toolchain.language.word_sample import (
    DRAWS,
    SAMPLE,
    WordSample,
    chosen_words,
    sample_words,
)
from brrkit_toolchain.utility.support import Support, effective_support, mean_support, word_support
from brrkit_toolchain.utility.word_loss import Loss, code_loss

_DRAWS_AT_A_TIME = 1 << 16  # words noised together; the same numbers flip the bits at every setting
_ATTACK_DRAWS = 10_000


@dataclass(frozen=True)
class Outcome:
    """Results for the words of a sample.

    Attributes:
        support: means of N_w and S_w.
        utility_loss: L_M (Vickrey, equation 2).
    """

    support: Support
    utility_loss: Estimate


@dataclass(frozen=True)
class MechanismEvaluator:
    """Measures mechanisms at any setting, with the same words and random numbers at each.

    Differences between settings are therefore not noise. A mechanism with known weights is
    computed, not sampled, and its intervals are only over the words of the sample.

    Attributes:
        bundle: an opened bundle.
        sample: the input words, each as a text of one word.
        vectors: float32[n, d], for full-size mechanisms.
        draws: number of releases of each token, at least two.
        loss: d_L; by default the Hamming distance, divided by the number of bits.
        seed: seed of the draws.
        progress: show bars on standard error.
    """

    bundle: WordBundle
    sample: WordSample
    vectors: NDArray[np.float32] | None = None
    draws: int = DRAWS
    loss: Loss | None = None
    seed: int = 0
    progress: bool = False

    def outcome(self, setting: Setting) -> Outcome:
        """Measure N_w, S_w and L_M of a setting."""
        channel = self.channel(setting)
        if channel.weighted is not None:
            return self._computed(channel)
        tokens = self.sample.tokens
        outputs = self._outputs(channel)
        loss = code_loss(self.bundle.codes) if self.loss is None else self.loss
        losses = np.asarray(loss(tokens[:, None], outputs), np.float64)
        return Outcome(
            mean_support(tokens, outputs, len(self.bundle)),
            mean(losses.mean(axis=1) if len(tokens) > 1 else losses[0]),
        )

    def words(self, setting: Setting) -> list[Support]:
        """Measure N_w and S_w of each of the sample's ``words``, on the draws of ``outcome``."""
        channel = self.channel(setting)
        if channel.weighted is not None:
            typed, weights = channel.around(self.sample.words), channel.weights
            agreement, several = typed.repeats(weights, self.draws)
            columns = typed.unchanged(weights), several, 1 / agreement
            return [
                Support(
                    Estimate.exact(stays),
                    Estimate.exact(distinct),
                    Estimate.exact(many),
                    self.draws,
                )
                for stays, distinct, many in np.column_stack(columns).tolist()
            ]
        outputs = self._outputs(channel)
        return [
            word_support(int(word), outputs[self.sample.tokens == word].ravel(), len(self.bundle))
            for word in self.sample.words
        ]

    def attack(self, setting: Setting, attacker: WordAttacker) -> Attack:
        """Measure the best attack success for an attacker's prior, over all words.

        If it isn't computed, it is enclosed from 10,000 draws.
        """
        (found,) = self.attacks([setting], attacker)
        return found

    def attacks(self, settings: Sequence[Setting], attacker: WordAttacker) -> list[Attack]:
        """Measure the best attack success at settings of one mechanism with different epsilons."""
        prior = make_prior(attacker, len(self.bundle))
        channels = [self.channel(setting) for setting in settings]
        if channels[0].weighted is not None:
            return [found.attack for found in weighted_successes(channels, prior)]
        return [self._drawn_attack(channel, prior) for channel in channels]

    def _drawn_attack(self, channel: Channel, prior: NDArray[np.float64]) -> Attack:
        generator = np.random.default_rng([self.seed, 2])
        inputs = generator.choice(len(self.bundle), _ATTACK_DRAWS, p=prior)
        return drawn_attack(channel.releaser(generator), inputs, prior)

    @cached_property
    def _scans(self) -> Scans:
        return {}

    def channel(self, setting: Setting) -> Channel:
        """Return the channel of a setting."""
        return Channel(self.bundle, setting, self.vectors, scans=self._scans)

    def _computed(self, channel: Channel) -> Outcome:
        rows, typed = self.sample.rows, channel.around(self.sample.words)
        weights = channel.weights
        agreement, distinct = typed.repeats(weights, self.draws)
        support = Support(
            mean_proportion(typed.unchanged(weights)[rows], None),
            mean(distinct[rows]),
            effective_support(mean_proportion(agreement[rows], None), len(self.bundle)),
            self.draws,
        )
        if self.loss is None:
            losses = typed.distance(weights) / typed.bits
        else:
            costs = typed.losses(self.loss) * typed.probabilities(weights)
            losses = typed.drawn * costs.sum(axis=1)  # passing words lose nothing
        return Outcome(support, mean(losses[rows]))

    def _outputs(self, channel: Channel) -> NDArray[np.int64]:
        """Return the outputs [T, D] for each token."""
        generator = np.random.default_rng([self.seed, 0])
        inputs = np.repeat(self.sample.tokens, self.draws)
        return self.release(channel.releaser(generator), inputs).reshape(-1, self.draws)

    def release(self, mechanism: BatchedMechanism, inputs: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the output for each of the inputs [N]."""
        starts = range(0, len(inputs), _DRAWS_AT_A_TIME)
        bar = Progress(starts, desc="Draws", unit=" batches", progress=self.progress)
        return np.concatenate(
            [mechanism(inputs[start : start + _DRAWS_AT_A_TIME]) for start in bar]
        )


@dataclass(frozen=True)
class Measurement:
    """A mechanism's privacy and cost at one setting.

    Attributes:
        setting: the setting; its epsilon is per unit of the metric.
        metric: distances in the metric, which give epsilon its meaning.
        support: means of N_w and S_w over the words.
        utility_loss: L_M for the Hamming distance from input to output, divided by the number of
            bits.
        attacks: attack success from one word, by attacker.
        words: N_w and S_w of each different word, if asked for.
        sample: number of typed words, and of different ones.
    """

    setting: Setting
    metric: PairStatistics
    support: Support
    utility_loss: Estimate
    attacks: dict[WordAttacker, Attack]
    words: dict[str, Support]
    sample: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        """Return JSON types; the setting's mechanism, epsilon and parameters come first."""
        fields = asdict(self)
        del fields["setting"]
        return {
            "mechanism": self.setting.mechanism,
            "epsilon": self.setting.epsilon,
            "parameters": dict(self.setting.parameters),
            **fields,
            "estimated_loss": self.estimated_loss,
            "largest_privacy_loss": self.largest_privacy_loss,
        }

    @property
    def estimated_loss(self) -> float:
        """The estimate epsilon * P_avg of the privacy loss (BRR, section 5), at most the cap."""
        return self.loss_at(self.metric.average)

    @property
    def largest_privacy_loss(self) -> float:
        """The bound epsilon * P_max of the privacy loss (BRR, equation 8), at most the cap."""
        return self.loss_at(self.metric.maximum)

    def loss_at(self, distance: float, epsilon: float | None = None) -> float:
        """Return the bound on the privacy loss at a distance, by an epsilon or the setting's."""
        epsilon = self.setting.epsilon if epsilon is None else epsilon
        return loss_at(epsilon, distance, self.setting.parameters.get("cap"))


def measure_words(
    bundle: WordBundle,
    setting: Setting | None = None,
    *,
    embeddings: str | os.PathLike[str] | Embeddings | None = None,
    words: Sequence[str] | None = None,
    sample: int = SAMPLE,
    draws: int = DRAWS,
    seed: int = 0,
    progress: bool = False,
) -> Measurement:
    """Measure the privacy and the cost of a mechanism at one setting.

    Args:
        bundle: an opened bundle.
        setting: setting of ``exponential``, ``brr`` or ``vickrey``; with ``embeddings`` also of the
            full-size ``laplace``, ``mahalanobis`` and ``laplace-vickrey``, whose epsilon is per
            unit of their own distance. None: the bundle's recommended setting.
        embeddings: the bundle's embeddings, for full-size mechanisms: a file, or the result of
            ``embeddings.of_bundle.read_matching``.
        words: words to measure, together and each by itself. By default, a sample.
        sample: number of words to draw, by Zipf's law on the ranks; at least 2.
        draws: number of releases of each word, at least 2.
        seed: seed of the sample and the draws.
        progress: show bars on standard error, if that is a terminal.

    Raises:
        ParameterError: the mechanism or a parameter is unknown or out of range, the bundle
            recommends no setting, or it was built from other embeddings.
        OutOfVocabularyError: one of ``words`` isn't in the vocabulary.
        BundleError: the manifest has no usable distances, or doesn't state the embeddings.
        EmbeddingsError: the embeddings can't be read.
    """
    setting = setting_in_force(bundle, setting)
    if words is None:
        typed = sample_words(np.arange(len(bundle)), sample, seed, draws)
    else:
        typed = chosen_words(bundle, words, draws)
    vectors = given_vectors(bundle, embeddings, progress)
    evaluator = MechanismEvaluator(
        bundle, typed, vectors, draws=draws, seed=seed, progress=progress
    )
    Channel(bundle, setting, vectors)  # checks
    metric = metric_of(setting, bundle, vectors)
    outcome = evaluator.outcome(setting)
    each: dict[str, Support] = {}
    if words is not None:
        spelled = [bundle.vocabulary.word(i) for i in typed.words.tolist()]
        each = dict(zip(spelled, evaluator.words(setting), strict=True))
    return Measurement(
        setting,
        metric,
        outcome.support,
        outcome.utility_loss,
        {attacker: evaluator.attack(setting, attacker) for attacker in WORD_ATTACKERS},
        each,
        {"typed": len(typed.tokens), "words": len(typed.words)},
    )
