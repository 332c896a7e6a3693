"""Parameters of ``exponential`` that a search for a setting doesn't choose."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from brrkit import WordBundle
from brrkit.exact import check_cap
from brrkit.mechanisms.exponential import check_base


@dataclass(frozen=True)
class FixedParameters:
    """Fixed parameters of ``exponential``; a search chooses those that are None.

    Attributes:
        base: ``uniform``, ``unigram`` or ``bigram``; by default, the last of these that the bundle
            has.
        cap: largest privacy loss between any two words. By default, under a limit on an attacker,
            the smallest cap that costs at most 2% of the utility; otherwise there is no cap.
        task_weight: weight of a differing task bit, from 0 to 16. By default 1. For a text, if the
            bundle has texts to measure its tasks, the default is the weight that keeps most of the
            words' other meaning, and enough of the tasks.
    """

    base: str | None = None
    cap: float | None = None
    task_weight: int | None = None

    def checked(self, bundle: WordBundle) -> FixedParameters:
        """Return the parameters with the base and the cap in force on ``bundle``.

        Raises:
            ParameterError: one is unknown or out of range, or ``bundle`` lacks the base.
        """
        base = check_base(self.base, bundle.masses)
        return replace(self, base=base, cap=None if self.cap is None else check_cap(self.cap))

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that aren't None, in the form of a setting."""
        return {name: value for name, value in asdict(self).items() if value is not None}
