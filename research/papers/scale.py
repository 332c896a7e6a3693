"""How large an experiment is."""

from __future__ import annotations

import math
from dataclasses import dataclass

from brrkit.errors import ParameterError

NAMES = {"smoke": 0.025, "small": 0.08, "medium": 0.3, "paper": 1.0}
"""Named scales, as shares of the paper's number of texts."""

_TEXTS = 12_500  # half of IMDB's training or testing texts (BRR, section 6)
_TOKENS = 240  # about the mean length of an IMDB review
_TRIALS = 10  # BRR, figure 1
_DRAWS = 100_000
_TIMED = 1_000


@dataclass(frozen=True)
class Scale:
    """=Sizes for a share of the paper's size.

    Attributes:
        texts: largest number of texts in each part of the data.
        tokens: number of first tokens of each text; None for all.
        trials: number of independent repetitions.
        draws: number of words released by each mechanism in the inference experiment.
        timed: number of words released, one at a time, by each mechanism in the storage experiment.
        coarse: whether to use only every other one of an experiment's own privacy losses.
    """

    texts: int
    tokens: int | None
    trials: int
    draws: int
    timed: int
    coarse: bool

    @classmethod
    def parse(cls, text: str, trials: int | None = None) -> Scale:
        """Return the scale of a name from ``NAMES`` or of a number from 0.001 to 1.

        Texts grow with the share; everything else with its root.

        Args:
            text: the name or number.
            trials: instead of the scale's own.

        Raises:
            ParameterError: it is neither.
        """
        try:
            share = NAMES[text] if text in NAMES else float(text)
        except ValueError:
            share = math.nan
        if not 0.001 <= share <= 1:
            raise ParameterError(
                f"the scale is neither {', '.join(NAMES)} nor a number from 0.001 to 1; choose one"
            )
        root = math.sqrt(share)
        return cls(
            texts=round(_TEXTS * share),
            tokens=None if share == 1 else max(10, round(_TOKENS * root)),
            trials=trials or max(2, round(_TRIALS * root)),
            draws=max(1_000, round(_DRAWS * root)),
            timed=max(50, round(_TIMED * root)),
            coarse=share < NAMES["small"] / 2,
        )
