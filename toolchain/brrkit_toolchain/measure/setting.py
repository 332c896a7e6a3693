"""Everything that is measured of a mechanism at one setting of its parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from brrkit import WordBundle
from brrkit.setting import Estimate
from brrkit_toolchain.measure.adversary import (
    InferenceError,
    exact_inference_error,
    inference_error,
)
from brrkit_toolchain.measure.attack import PRIORS, Attack, Prior, drawn_attack, make_prior
from brrkit_toolchain.measure.confidence import mean, mean_proportion
from brrkit_toolchain.measure.distribution import WeightedDistribution
from brrkit_toolchain.measure.limits import AllWords
from brrkit_toolchain.measure.losses import Loss, code_loss
from brrkit_toolchain.measure.metric import Metric, metric_of
from brrkit_toolchain.measure.sample import WordSample
from brrkit_toolchain.measure.support import Support, effective_support, mean_support, word_support
from brrkit_toolchain.simulate import ON_CODES, BatchedMechanism, simulate

_BATCH = 4_096
_ATTACKED = 10_000  # draws that an attack is judged by


@dataclass(frozen=True)
class Outcome:
    """What comes out for the words of a sample.

    Attributes:
        support: means of N_w and S_w.
        utility_loss: L_M (Vickrey, equation 2).
    """

    support: Support
    utility_loss: Estimate


class Meter(Protocol):
    """Measures one mechanism on one sample, at any setting, with the same random numbers."""

    def outcome(self, epsilon: float, **parameters: Any) -> Outcome:
        """Measure N_w, S_w and L_M."""
        ...

    def words(self, epsilon: float, **parameters: Any) -> list[Support]:
        """Measure N_w and S_w of each of the sample's ``words``."""
        ...

    def attack(self, epsilon: float, prior: Prior, **parameters: Any) -> Attack:
        """Measure the best possible attacker's success; all words are possible."""
        ...

    def inference_error(self, epsilon: float, **parameters: Any) -> InferenceError:
        """Measure E_M, of an attacker who draws his guess; his prior is the sample's."""
        ...


class DrawnMeter:
    """Measures any mechanism by its draws."""

    def __init__(
        self,
        make: Callable[..., BatchedMechanism],
        vocabulary: int,
        sample: WordSample,
        draws: int,
        loss: Loss,
        seed: int,
        progress: bool,
    ) -> None:
        """Keep what is measured.

        Args:
            make: makes the mechanism from (epsilon, generator, parameters).
            vocabulary: number of words.
            sample: the words that go in.
            draws: releases of each token, at least two.
            loss: d_L of equation 2.
            seed: every setting is measured with the same random numbers, so that differences
                between settings aren't noise.
            progress: show a bar on standard error.
        """
        self._make = make
        self._vocabulary = vocabulary
        self._sample = sample
        self._draws = draws
        self._loss = loss
        self._seed = seed
        self._progress = progress

    def outcome(self, epsilon: float, **parameters: Any) -> Outcome:
        """Measure N_w, S_w and L_M."""
        tokens = self._sample.tokens
        outputs = self._outputs(epsilon, parameters)
        losses = np.asarray(self._loss(tokens[:, None], outputs), np.float64)
        return Outcome(
            mean_support(tokens, outputs, self._vocabulary),
            mean(losses.mean(axis=1) if len(tokens) > 1 else losses[0]),
        )

    def words(self, epsilon: float, **parameters: Any) -> list[Support]:
        """Measure N_w and S_w of each word, on the draws of ``outcome``."""
        outputs = self._outputs(epsilon, parameters)
        return [
            word_support(int(word), outputs[self._sample.tokens == word].ravel(), self._vocabulary)
            for word in self._sample.words
        ]

    def attack(self, epsilon: float, prior: Prior, **parameters: Any) -> Attack:
        """Enclose the success, from 10,000 draws of the whole vocabulary."""
        generator = np.random.default_rng([self._seed, 2])
        typed = make_prior(prior, self._vocabulary)
        inputs = generator.choice(self._vocabulary, _ATTACKED, p=typed)
        mechanism = self._make(epsilon, generator, **parameters)
        return drawn_attack(mechanism, inputs, typed)

    def inference_error(self, epsilon: float, **parameters: Any) -> InferenceError:
        """Measure E_M, from as many draws as ``outcome`` makes."""
        generator = np.random.default_rng([self._seed, 1])
        inputs = self._sample.typed(len(self._sample.tokens) * self._draws, generator)
        return inference_error(inputs, self._release(inputs, generator, epsilon, parameters))

    def _outputs(self, epsilon: float, parameters: dict[str, Any]) -> NDArray[np.int64]:
        """Return what comes out [T, D] for each token."""
        generator = np.random.default_rng([self._seed, 0])
        inputs = np.repeat(self._sample.tokens, self._draws)
        return self._release(inputs, generator, epsilon, parameters).reshape(-1, self._draws)

    def _release(
        self,
        inputs: NDArray[np.intp],
        generator: np.random.Generator,
        epsilon: float,
        parameters: dict[str, Any],
    ) -> NDArray[np.int64]:
        mechanism = self._make(epsilon, generator, **parameters)
        starts = range(0, len(inputs), _BATCH)
        bar = tqdm(starts, desc="Draws", unit=" batches", disable=None if self._progress else True)
        return np.concatenate([mechanism(inputs[start : start + _BATCH]) for start in bar])


class ExactMeter:
    """Measures a mechanism by its weights; intervals are over words only."""

    def __init__(
        self,
        weights: Callable[..., list[int]],
        codes: NDArray[np.uint64],
        sample: WordSample,
        draws: int,
        loss: Loss,
    ) -> None:
        """Scan the codes for the words of the sample.

        Args:
            weights: of the mechanism, as in ``OnCodes``.
            codes: uint64[n, bits / 64].
            sample: the words that go in.
            draws: for S_w's number of different outputs.
            loss: d_L of equation 2.
        """
        self._weights = weights
        self._vocabulary = len(codes)
        self._sample = sample
        self._draws = draws
        self._exact = WeightedDistribution(weights, codes, sample.words, loss)
        self._all = AllWords(codes)

    def outcome(self, epsilon: float, **parameters: Any) -> Outcome:
        """Compute N_w, S_w and L_M."""
        rows, exact = self._sample.rows, self._exact
        unchanged, agreement = (
            exact.unchanged(epsilon, **parameters),
            exact.agreement(epsilon, **parameters),
        )
        distinct = exact.distinct(epsilon, self._draws, **parameters)
        support = Support(
            mean_proportion(unchanged[rows], None),
            mean(distinct[rows]),
            effective_support(mean_proportion(agreement[rows], None), self._vocabulary),
            self._draws,
        )
        return Outcome(support, mean(exact.utility_loss(epsilon, **parameters)[rows]))

    def words(self, epsilon: float, **parameters: Any) -> list[Support]:
        """Compute N_w and S_w of each word."""
        unchanged = self._exact.unchanged(epsilon, **parameters).tolist()
        distinct = self._exact.distinct(epsilon, self._draws, **parameters).tolist()
        effective = (1 / self._exact.agreement(epsilon, **parameters)).tolist()
        return [
            Support(
                Estimate.exact(stays), Estimate.exact(several), Estimate.exact(many), self._draws
            )
            for stays, several, many in zip(unchanged, distinct, effective, strict=True)
        ]

    def attack(self, epsilon: float, prior: Prior, **parameters: Any) -> Attack:
        """Compute the success."""
        weights = self._weights(epsilon, self._all.bits, self._vocabulary, **parameters)
        return self._all.success_of(weights, prior).attack

    def inference_error(self, epsilon: float, **parameters: Any) -> InferenceError:
        """Compute E_M."""
        columns = self._exact.columns(epsilon, **parameters)
        error = exact_inference_error(self._sample.prior, columns)
        return InferenceError(Estimate.exact(error), 0.0)


def make_meter(
    name: str,
    sample: WordSample,
    *,
    codes: NDArray[np.uint64],
    vectors: NDArray[np.float32] | None = None,
    draws: int,
    loss: Loss,
    seed: int = 0,
    progress: bool = True,
) -> Meter:
    """Return what measures the mechanism ``name``; exactly, if its distribution is known.

    Args:
        name: of ``brrkit_toolchain.simulate``.
        sample: the words that go in.
        codes: uint64[n, bits / 64].
        vectors: float32[n, d], for the full-size mechanisms.
        draws: releases of each token, at least two.
        loss: d_L.
        seed: of the draws.
        progress: show a bar on standard error.
    """
    if name in ON_CODES and (weights := ON_CODES[name].weights) is not None:
        return ExactMeter(weights, codes, sample, draws, loss)

    def make(epsilon: float, generator: np.random.Generator, **parameters: Any) -> BatchedMechanism:
        return simulate(name, epsilon, generator, codes=codes, vectors=vectors, **parameters)

    return DrawnMeter(make, len(codes), sample, draws, loss, seed, progress)


@dataclass(frozen=True)
class Measurement:
    """A mechanism's privacy and cost at one setting.

    Attributes:
        mechanism: its name.
        epsilon: per unit of the metric.
        parameters: of the mechanism.
        metric: the distances that epsilon is to be read beside.
        support: means of N_w and S_w over the words.
        utility_loss: L_M for the Hamming distance from input to output, divided by the bits.
        attacks: the best possible attacker's success, by prior.
        words: N_w and S_w of each different word, if asked for.
    """

    mechanism: str
    epsilon: float
    parameters: dict[str, Any]
    metric: Metric
    support: Support
    utility_loss: Estimate
    attacks: dict[Prior, Attack]
    words: dict[str, Support]

    @property
    def estimated_loss(self) -> float:
        """The estimate epsilon * P_avg of the privacy loss (BRR, section 5)."""
        return self.epsilon * self.metric.average

    @property
    def largest_privacy_loss(self) -> float:
        """The bound epsilon * P_max of the privacy loss (BRR, equation 8)."""
        return self.epsilon * self.metric.maximum


def measure_setting(
    bundle: WordBundle,
    name: str,
    epsilon: float,
    sample: WordSample,
    *,
    vectors: NDArray[np.float32] | None = None,
    draws: int = 100,
    seed: int = 0,
    each_word: bool = False,
    progress: bool = True,
    **parameters: Any,
) -> Measurement:
    """Measure the mechanism ``name`` at one setting.

    Args:
        bundle: an opened bundle.
        name: of ``brrkit_toolchain.simulate``.
        epsilon: per unit of the mechanism's metric.
        sample: the words that go in.
        vectors: float32[n, d] of the bundle's words, for the full-size mechanisms.
        draws: releases of each token, at least two.
        seed: of the draws.
        each_word: measure every word by itself too.
        progress: show a bar on standard error.
        **parameters: of the mechanism.

    Raises:
        ParameterError: the mechanism or a parameter is unknown or out of range.
        BundleError: the manifest has no usable distances.
    """
    codes = bundle.codes
    generator = np.random.default_rng(seed)
    simulate(name, epsilon, generator, codes=codes, vectors=vectors, **parameters)  # checks them
    metric = metric_of(name, bundle, vectors, parameters)
    meter = make_meter(
        name,
        sample,
        codes=codes,
        vectors=vectors,
        draws=draws,
        loss=code_loss(codes),
        seed=seed,
        progress=progress,
    )
    outcome = meter.outcome(epsilon, **parameters)
    words = [bundle.vocabulary.word(i) for i in sample.words.tolist()]
    return Measurement(
        name,
        epsilon,
        parameters,
        metric,
        outcome.support,
        outcome.utility_loss,
        {prior: meter.attack(epsilon, prior, **parameters) for prior in PRIORS},
        dict(zip(words, meter.words(epsilon, **parameters), strict=True)) if each_word else {},
    )
