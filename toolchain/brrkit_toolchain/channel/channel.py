"""A setting on a bundle: draws, exact probabilities, normalizers, certificate."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.mechanisms import MECHANISMS, Mechanism, check_name, create_mechanism
from brrkit.mechanisms.exponential import BIGRAM, UNIFORM, check_radius
from brrkit.mechanisms.vickrey import DEFAULT_T
from brrkit.setting import DEFAULT_MECHANISM, Certificate, Setting
from brrkit_toolchain.channel.drawing.bigram_base import BigramGains
from brrkit_toolchain.channel.drawing.full_size import Laplace, Mahalanobis, VectorVickrey
from brrkit_toolchain.channel.drawing.on_codes import BatchedMechanism, WeightedMechanism, releaser
from brrkit_toolchain.channel.drawing.stand_ins import stand_in_shares
from brrkit_toolchain.channel.evidence import (
    Evidence,
    drawn_evidence,
    euclidean_levels,
    hamming_levels,
    weighted_evidence,
)
from brrkit_toolchain.channel.linear import Linear, linear_map
from brrkit_toolchain.channel.privacy_loss.certificates import certificate, loss_per_bit
from brrkit_toolchain.channel.surroundings import Surroundings
from brrkit_toolchain.channel.typed_as import TypedAs
from brrkit_toolchain.codes.packing import unpack

LAPLACE = "laplace"
"""Madlib, the full-size mechanism to which the device's mechanisms are compared."""

FULL_SIZE: dict[str, Any] = {
    LAPLACE: Laplace,
    "mahalanobis": Mahalanobis,
    "laplace-vickrey": VectorVickrey,
}
"""Full-size mechanisms, by name. They take (vectors float32[n, d], epsilon, generator, parameter if
any)."""

_FULL_SIZE_PARAMETERS = {"mahalanobis": "lambda_", "laplace-vickrey": "t"}


def label(name: str) -> str:
    """Return the name of a mechanism for tables and plots."""
    return "Madlib (Laplace)" if name == LAPLACE else name


def default_parameters(name: str, bits: int) -> dict[str, Any]:
    """Return the runtime's default values of the parameters that tables name."""
    known: dict[str, dict[str, Any]] = {
        "vickrey": {"t": DEFAULT_T},
        "exponential": {"radius": check_radius(None, bits)},
    }
    return known.get(name, {})


_ESTIMATION_DRAWS = 200_000

Scans = dict[tuple[bool, int, bytes], Surroundings]
"""Results of scans, by whether all words count equally, the length of a code, and the words."""

_SCANS_OF_ALL_WORDS: WeakKeyDictionary[WordBundle, Scans] = WeakKeyDictionary()


@dataclass(frozen=True)
class Channel:
    """K(y|x), the probability that the word y is released for the word x, at one setting.

    Attributes:
        bundle: an opened bundle.
        setting: setting of a mechanism from ``brrkit.mechanisms.MECHANISMS`` or ``FULL_SIZE``;
            epsilon is per unit of the mechanism's own metric.
        vectors: float32[n, d] of the same words; only full-size mechanisms need them.
        progress: show bars on standard error, if that is a terminal.
        scans: results of scans, shared by all channels from ``at``.

    Raises:
        ParameterError: there is no such mechanism, it needs vectors, or epsilon or a parameter is
            invalid for it.
    """

    bundle: WordBundle
    setting: Setting
    vectors: NDArray[np.float32] | None = None
    progress: bool = False
    scans: Scans = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        check_name(self.setting.mechanism, (*MECHANISMS, *FULL_SIZE))
        if self.on_codes:
            _ = self.mechanism
            return
        name, taken = self.setting.mechanism, _FULL_SIZE_PARAMETERS.get(self.setting.mechanism)
        for given in self.setting.parameters:
            if given != taken:
                accepts = f"it takes {taken}" if taken else "it takes none"
                raise ParameterError(f"mechanism {name!r} has no parameter {given!r}; {accepts}")
        if self.vectors is None:
            raise ParameterError(f"mechanism {name!r} works on vectors; give the embeddings")

    @property
    def on_codes(self) -> bool:
        """Whether the mechanism is the device's, and not one on float vectors."""
        return self.setting.mechanism in MECHANISMS

    @cached_property
    def mechanism(self) -> Mechanism:
        """The runtime's mechanism."""
        return create_mechanism(self.bundle, self.setting)

    @property
    def weighted(self) -> WeightedMechanism | None:
        """The mechanism, if its probabilities have a formula."""
        if not self.on_codes:
            return None
        return self.mechanism if isinstance(self.mechanism, WeightedMechanism) else None

    @property
    def codes(self) -> NDArray[np.uint64]:
        """The codes uint64[n, ...] for the mechanism's distance, with weighted task bits."""
        return self.bundle.codes if self.weighted is None else self.weighted.codes

    @property
    def weights(self) -> NDArray[np.int64]:
        """W int64[bits + 1], by distance; only for weighted mechanisms."""
        assert self.weighted is not None
        return self.weighted.weights

    @cached_property
    def typed(self) -> TypedAs:
        """The words that words are typed as, and the passing words, by the bundle's policy.

        Full-size mechanisms have no policy.
        """
        return TypedAs.of(self.bundle) if self.on_codes else TypedAs.nothing(len(self.bundle))

    def at(self, setting: Setting) -> Channel:
        """Return the channel of another setting on the same bundle; scans are shared."""
        return replace(self, setting=setting)

    def releaser(self, generator: np.random.Generator) -> BatchedMechanism:
        """Return a mechanism that releases many words at a time, with ``generator``'s numbers."""
        if self.on_codes:
            return releaser(self.bundle, self.mechanism, generator.bytes)
        made: BatchedMechanism = FULL_SIZE[self.setting.mechanism](
            self.vectors, self.setting.epsilon, generator, **self.setting.parameters
        )
        return made

    @property
    def everything(self) -> Surroundings:
        """The surroundings of all words, by the base measure of a text's first word.

        They are scanned once for all channels of a bundle.
        """
        scans = _SCANS_OF_ALL_WORDS.setdefault(self.bundle, {})
        return self._around(np.arange(len(self.bundle)), scans)

    def around(self, words: NDArray[np.intp]) -> Surroundings:
        """Return the surroundings of some ``words`` [m]; only for weighted mechanisms.

        They are scanned once for all settings of one base measure.
        """
        return self._around(words, self.scans)

    def _around(self, words: NDArray[np.intp], scans: Scans) -> Surroundings:
        weighted = self.weighted
        assert weighted is not None
        # A text's first word is drawn as by the base ``unigram``.
        key = weighted.base == UNIFORM, self.codes.shape[1], words.tobytes()
        if key not in scans:
            scans[key] = Surroundings(
                self.codes, words, weighted.measure(), self.progress, self.typed
            )
        return scans[key]

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """The normalizers N int64[n], exact; only for weighted mechanisms."""
        return self.everything.totals(self.weights)

    @property
    def inside(self) -> dict[str, float]:
        """The probability that a list's word is released as a word of the list, by the list's name.

        The word is typed by itself. Only for weighted mechanisms.
        """
        assert self.weighted is not None
        measure, found = self.weighted.measure(), {}
        for name, head in self.typed.heads.items():
            members = self.typed.of_list(name)
            (shares,) = self.around(np.array([head])).probabilities(self.weights)
            away = unpack(self.codes[members] ^ self.codes[head]).sum(axis=1)
            found[name] = float(measure[members] @ shares[away])
        return found

    @property
    def stand_ins(self) -> NDArray[np.float64]:
        """The probability float64[n] that each word replaces an unknown word."""
        return stand_in_shares(self.bundle.masses)

    @property
    def evidence(self) -> Evidence:
        """The likelihoods of an output, for attackers; only for weighted mechanisms."""
        assert self.weighted is not None
        gains = BigramGains.of(self.weighted.model) if self.weighted.base == BIGRAM else None
        return weighted_evidence(self.everything, self.weights, self.stand_ins, gains)

    def release_and_evidence(
        self, generator: np.random.Generator
    ) -> tuple[BatchedMechanism, Evidence]:
        """Return a mechanism that releases words, and the likelihoods of an output for attackers.

        The evidence is exact if there is a formula, and otherwise estimated from draws.
        """
        release = self.releaser(generator)
        if self.weighted is not None:
            return release, self.evidence
        if self.on_codes or self.vectors is None:
            levels = hamming_levels(self.codes)
        else:
            levels = euclidean_levels(self.vectors)
        inputs = generator.integers(0, len(self.bundle), _ESTIMATION_DRAWS)
        as_drawn = np.ones(len(inputs), np.bool_)  # coins let none pass, as with stand-ins
        outputs = release(self.typed.ids[inputs], None, as_drawn)
        return release, drawn_evidence(levels, self.stand_ins, inputs, outputs, self.typed)

    @cached_property
    def linear(self) -> Linear:
        """The map from typed to released frequencies; only for weighted mechanisms."""
        assert self.weighted is not None
        codes, measure = np.array(self.codes), self.weighted.measure()
        return linear_map(codes, self.weights, measure, self.stand_ins, self.typed)

    @cached_property
    def loss(self) -> float | None:
        """The setting's privacy loss per bit on the bundle's vocabulary, rounded up.

        None for the base ``bigram``: its loss depends on the previous word, and only ``epsilon`` is
        proven. Only for weighted mechanisms.
        """
        assert self.weighted is not None
        if self.weighted.base == BIGRAM:
            return None
        return loss_per_bit(self.codes, self.weights, self.totals, progress=self.progress)

    @property
    def certificate(self) -> Certificate | None:
        """The certificate of a setting of ``exponential``, as from ``certify``."""
        if self.loss is None:
            return None
        return certificate(self.setting, self.bundle.digest, self.loss)


def certify(bundle: WordBundle, setting: Setting, *, progress: bool = False) -> Certificate | None:
    """Certify the privacy loss of a setting of ``exponential`` on ``bundle``.

    Args:
        bundle: an opened bundle.
        setting: a setting of ``exponential``.
        progress: show bars on standard error, if that is a terminal.

    Returns:
        The certificate. Its ``certified_epsilon`` is the loss per bit of Hamming distance, rounded
        up to four digits, but at least ``epsilon / 2`` and at most ``epsilon``. None for the base
        ``bigram``, for which only ``epsilon`` is proven.

    Raises:
        ParameterError: a parameter is out of range, or the mechanism isn't ``exponential``.
    """
    if setting.mechanism != DEFAULT_MECHANISM:
        raise ParameterError("only the mechanism 'exponential' has a certificate; use that one")
    return Channel(bundle, setting, progress=progress).certificate
