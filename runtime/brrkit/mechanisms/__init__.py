"""Mechanisms: a code goes in, the id of a word comes out.

Each module holds one. To add another, write its module and add a line to ``MECHANISMS``;
``Privatizer``, the CLI and ``brr verify`` take it from there. If it has parameters of its own, its
class describes them in ``parameters``, a tuple of ``Parameter``, and its objects have an attribute
of each one's name: the CLI makes options of these, and what shows a ``Privatizer`` shows them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from brrkit.bundle import WordBundle, check_codes
from brrkit.errors import ParameterError
from brrkit.mechanisms.brr import BRR
from brrkit.mechanisms.exponential import Exponential
from brrkit.mechanisms.vickrey import Vickrey
from brrkit.randomness import RandomSource
from brrkit.setting import Setting


class Mechanism(Protocol):
    """What ``Privatizer`` needs of a mechanism.

    Attributes:
        epsilon: as requested, per bit of Hamming distance.
        effective_epsilon: what the integers really give, rounded up; never more than ``epsilon``.
        setting: the mechanism's name, and the integers that decide its draws, as bytes: see
            ``spec/state-files.md``. Two mechanisms of a bundle with one setting are the
            same.
    """

    epsilon: float
    effective_epsilon: float
    setting: tuple[bytes, bytes]

    def __call__(
        self, codes: NDArray[np.uint64], random: RandomSource, before: int | None = None
    ) -> NDArray[np.intp]:
        """Return the id of the released word, for each of ``codes`` uint64[m, bits / 64].

        They are of one text, and ``before`` is what was released before them in it: a mechanism
        whose base is ``bigram`` takes that into account.
        """
        ...


@runtime_checkable
class ExactMechanism(Mechanism, Protocol):
    """A mechanism whose distribution has a formula; of others it can only be sampled."""

    def distribution(self, code: NDArray[np.uint64], before: int | None = None) -> list[Fraction]:
        """Return the exact probability of every word, by id, for a ``code`` uint64[bits / 64]."""
        ...


MECHANISMS: dict[str, Callable[..., Mechanism]] = {
    "brr": BRR,
    "vickrey": Vickrey,
    "exponential": Exponential,
}


def check_name(name: str, known: Iterable[str] = MECHANISMS) -> None:
    """Check that a mechanism is ``known``.

    Raises:
        ParameterError: it isn't.
    """
    if name not in known:
        raise ParameterError(f"there is no such mechanism; choose one of: {', '.join(known)}")


def create_mechanism(bundle: WordBundle, setting: Setting) -> Mechanism:
    """Return the mechanism of a setting on ``bundle``, whatever its certificate says.

    Raises:
        ParameterError: the mechanism's name, epsilon, or a parameter isn't one that it takes, or
            the bundle is a list.
    """
    check_codes(bundle)
    name = setting.mechanism
    check_name(name)
    factory = MECHANISMS[name]
    signature = inspect.signature(factory).parameters
    taken = list(signature)[2:]  # after epsilon
    for parameter in setting.parameters:
        if parameter not in taken:
            accepts = f"it takes {', '.join(taken)}" if taken else "it takes none"
            raise ParameterError(f"mechanism {name!r} has no parameter {parameter!r}; {accepts}")
    return factory(bundle, setting.epsilon, **setting.parameters)
