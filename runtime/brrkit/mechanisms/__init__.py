"""Mechanisms, which return the id of a word for a code.

Each module contains one. To add another, write its module, and add a line to ``MECHANISMS``, where
``Privatizer``, the CLI and ``brr verify`` find it. If it has its own parameters, its class
describes them in ``parameters``, a tuple of ``Parameter``, and its objects have an attribute with
each one's name. These become options of the CLI, and part of a ``Privatizer``'s representation.
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
    """The interface of a mechanism for ``Privatizer``.

    If a mechanism has a method ``prepare``, like ``Exponential``, the result must depend only on
    the arguments: ``brr audit`` calls it once for several draws of a word in a row.

    Attributes:
        epsilon: requested epsilon, per bit of Hamming distance.
        effective_epsilon: privacy loss of the integers, rounded up; never more than ``epsilon``.
        setting: the mechanism's name, and the integers that decide its draws, as bytes: see
            ``spec/state-files.md``. Two mechanisms of a bundle with the same setting are equal.
    """

    epsilon: float
    effective_epsilon: float
    setting: tuple[bytes, bytes]

    def __call__(
        self, codes: NDArray[np.uint64], random: RandomSource, before: int | None = None
    ) -> NDArray[np.intp]:
        """Return the id of the released word, for each of ``codes`` uint64[m, bits / 64].

        The codes belong to one text, and ``before`` is the word released before them in it, on
        which a mechanism with the base ``bigram`` depends.
        """
        ...


@runtime_checkable
class ExactMechanism(Mechanism, Protocol):
    """A mechanism whose distribution has a formula; others can only be sampled."""

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
        ParameterError: it is unknown.
    """
    if name not in known:
        raise ParameterError(f"there is no such mechanism; choose one of: {', '.join(known)}")


def create_mechanism(bundle: WordBundle, setting: Setting) -> Mechanism:
    """Return the mechanism of a setting on ``bundle``, without a check of its certificate.

    Raises:
        ParameterError: the mechanism's name, epsilon, or a parameter is invalid, or the bundle is a
            list.
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
