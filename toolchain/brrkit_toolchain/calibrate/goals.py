"""What a setting has to reach. A goal's words are what a bundle's manifest says of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from brrkit.errors import ParameterError
from brrkit.exact import as_number
from brrkit_toolchain.measure.attack import PRIORS, Prior


def _check(name: str, value: float, most: float = 1) -> None:
    if not 0 < as_number(value) < most:
        upper = "" if most == inf else f" and below {most}"
        raise ParameterError(f"{name} must be a number above 0{upper}, not {value:g}")


def _check_prior(prior: str) -> None:
    if prior not in PRIORS:
        raise ParameterError(f"there is no such prior; choose one of: {', '.join(PRIORS)}")


@dataclass(frozen=True)
class AttackSuccess:
    """The best possible attacker is right at most so often; with what keeps most meaning.

    Attributes:
        target: how often they may name the typed word. The default, two words in ten, is a place
            to start from, not a recommendation for every use.
        worst: how often they may name the least protected words, for ``exponential`` only: of the
            others it isn't computed. None for about twice ``target``; in running text, where the
            most frequent words are named whatever the setting is, for the default radius.
        prior: how often they expect each word.

    Raises:
        ParameterError: a number is out of range, or there is no such prior.
    """

    target: float = 0.2
    worst: float | None = None
    prior: Prior = "uniform"

    def __post_init__(self) -> None:
        _check("attack_success", self.target)
        if self.worst is not None:
            _check("worst", self.worst)
        _check_prior(self.prior)

    def __str__(self) -> str:
        worst = "" if self.worst is None else f", worst {self.worst:g}"
        return f"attack-success {self.target:g}{worst}, prior {self.prior}"


@dataclass(frozen=True)
class Unchanged:
    """At most this share of typed words come out as themselves.

    Attributes:
        target: the share.
        prior: of the attacker whose success is measured beside.

    Raises:
        ParameterError: the share is out of range, or there is no such prior.
    """

    target: float
    prior: Prior = "uniform"

    def __post_init__(self) -> None:
        _check("unchanged", self.target)
        _check_prior(self.prior)

    def __str__(self) -> str:
        return f"unchanged {self.target:g}"


@dataclass(frozen=True)
class UtilityLoss:
    """Replaced words cost at most so much (Xu et al. 2021, equation 2); attributes as above."""

    target: float
    prior: Prior = "uniform"

    def __post_init__(self) -> None:
        _check("utility_loss", self.target)
        _check_prior(self.prior)

    def __str__(self) -> str:
        return f"utility-loss {self.target:g}"


@dataclass(frozen=True)
class MadlibEpsilon:
    """The estimated privacy loss is that of the full-size mechanism at this epsilon.

    Attributes as above.
    """

    target: float
    prior: Prior = "uniform"

    def __post_init__(self) -> None:
        _check("madlib_epsilon", self.target, inf)
        _check_prior(self.prior)

    def __str__(self) -> str:
        return f"madlib-epsilon {self.target:g}"


Goal = AttackSuccess | Unchanged | UtilityLoss | MadlibEpsilon
