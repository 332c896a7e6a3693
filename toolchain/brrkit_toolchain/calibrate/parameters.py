"""What a search for a setting of ``exponential`` doesn't choose."""

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
        base: ``uniform``, ``unigram`` or ``bigram``; by default the last that the bundle has.
        cap: what the loss between any two words never exceeds. By default, under a limit on an
            attacker, the smallest that costs at most 2% of what is kept; else there is none.
        task_weight: how many times a differing task bit counts, from 0 to 16. By default 1; for a
            text, where the bundle has texts to measure its tasks with, the one that keeps most of
            the words' other meaning and enough of what the tasks can have.
    """

    base: str | None = None
    cap: float | None = None
    task_weight: int | None = None

    def checked(self, bundle: WordBundle) -> FixedParameters:
        """Return them with the base and the cap that are in force on ``bundle``.

        Raises:
            ParameterError: one is unknown or out of range, or ``bundle`` hasn't the base.
        """
        base = check_base(self.base, bundle.masses)
        return replace(self, base=base, cap=None if self.cap is None else check_cap(self.cap))

    @property
    def parameters(self) -> dict[str, Any]:
        """Those that aren't None, as a setting has them."""
        return {name: value for name, value in asdict(self).items() if value is not None}
