"""The integers that a runtime computes from a bundle's settings, for the checker of the proofs.

A line is a name and integers, and each group of lines begins with its subject:
``proofs/README.md``, "The checker".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from brrkit.bundle import WordBundle
from brrkit.counts import RandomizedResponse
from brrkit.errors import ParameterError
from brrkit.mechanisms.brr import BRR
from brrkit.mechanisms.exponential import BIGRAM, UNIFORM, Exponential
from brrkit.mechanisms.vickrey import Vickrey
from brrkit.policy import Passing
from brrkit.resolve import resolve, resolve_counts

Line = tuple[str, list[int]]
"""A name and integers."""


def tables_of(bundle: WordBundle) -> str:
    """Return the integers computed from the settings that ``bundle`` recommends, as text.

    ``brr verify --proof --tables FILE`` checks this text from any runtime. All runtimes return the
    same.

    Raises:
        ParameterError: the bundle recommends no setting, or no theorem covers the mechanism.
        BundleError: the recommended setting isn't one that this version can run.
    """
    return "".join(map(written, groups_of(bundle)))


def groups_of(bundle: WordBundle) -> Iterator[list[Line]]:
    """Yield the lines about each recommended setting, and about passing words.

    Raises:
        ParameterError: the bundle recommends no setting, or no theorem covers the mechanism.
        BundleError: the recommended setting isn't one that this version can run.
    """
    if bundle.recommended is None and bundle.counts is None:
        raise ParameterError("the bundle recommends no setting; calibrate it first")
    if bundle.recommended is not None:
        setting, mechanism = resolve(bundle)
        if isinstance(mechanism, Exponential):
            yield exponential_lines(bundle, mechanism)
        elif isinstance(mechanism, BRR | Vickrey):
            yield flip_lines(setting.epsilon, mechanism.threshold)
        else:
            raise ParameterError(f"no theorem covers the mechanism {setting.mechanism!r}")
        if bundle.policy.passing is not None:
            yield passing_lines(bundle.policy.passing)
    if bundle.counts is not None:
        cap = resolve_counts(bundle).cap
        yield counts_lines(cap, RandomizedResponse.of(cap, len(bundle) + 1))


def written(lines: Sequence[Line]) -> str:
    """Return lines in the form that the checker reads."""
    return "".join(f"{' '.join([name, *map(str, numbers)])}\n" for name, numbers in lines)


def exponential_lines(bundle: WordBundle, mechanism: Exponential) -> list[Line]:
    """Return the lines about ``exponential``, as the runtime computes it."""
    masses = bundle.masses
    alike = mechanism.base == UNIFORM
    lines = [
        ("exponential", []),
        ("epsilon", _fraction(mechanism.epsilon)),
        ("bits", [bundle.word_bits, bundle.task_bits, mechanism.task_weight]),
        ("weights", mechanism.weights.tolist()),
        ("masses", [1] * len(bundle) if alike else masses.words.tolist()),
    ]
    if mechanism.cap is not None:
        lines.append(("cap", _fraction(mechanism.cap)))
    if mechanism.base == BIGRAM:
        columns = (masses.before.unpack(), masses.after.unpack(), masses.gains)
        pairs = zip(*(column.tolist() for column in columns), strict=True)
        for before, group in groupby(pairs, itemgetter(0)):
            lines.append(("gains", [before, *(number for pair in group for number in pair[1:])]))
    return lines


def flip_lines(epsilon: float, threshold: int) -> list[Line]:
    """Return the lines about the randomizer."""
    return [("flips", []), ("epsilon", _fraction(epsilon)), ("threshold", [threshold])]


def counts_lines(cap: float, response: RandomizedResponse) -> list[Line]:
    """Return the lines about ``Counts``."""
    return [
        ("counts", []),
        ("cap", _fraction(cap)),
        ("symbols", [response.symbols]),
        ("keep", [response.threshold]),
    ]


def passing_lines(passing: Passing) -> list[Line]:
    """Return the lines about passing words."""
    return [("passing", []), ("threshold", [passing.threshold])]


def _fraction(number: float) -> list[int]:
    return list(float(number).as_integer_ratio())
