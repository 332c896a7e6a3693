"""brrkit's counting: lists, candidates for them, settings for counts, estimates from reports.

The names in ``__all__`` are the public API. All other modules are private, and may change with any
version. Public names are imported at their first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from brrkit_toolchain.facade import lazy_names

if TYPE_CHECKING:
    from brrkit_counting.calibrate import CountsCalibration, calibrate_counts
    from brrkit_counting.candidates import Candidate, find_candidates
    from brrkit_counting.estimate.counts.changes import Change, Changes
    from brrkit_counting.estimate.differences import Difference, PopulationComparison
    from brrkit_counting.estimate.from_files import Frequencies, estimate_frequencies
    from brrkit_counting.estimate.options import EstimateOptions, FrequencyOptions
    from brrkit_counting.estimate.origin import Origin
    from brrkit_counting.estimate.periods import Periods, PeriodShare, estimate_periods
    from brrkit_counting.estimate.shares import FrequencyEstimate, Share
    from brrkit_counting.estimate.spark import estimate_frame
    from brrkit_counting.estimate.text.likelihood import Fit
    from brrkit_counting.lists import ListResult, build_list

__all__ = [
    "Candidate",
    "Change",
    "Changes",
    "CountsCalibration",
    "Difference",
    "EstimateOptions",
    "Fit",
    "Frequencies",
    "FrequencyEstimate",
    "FrequencyOptions",
    "ListResult",
    "Origin",
    "PeriodShare",
    "Periods",
    "PopulationComparison",
    "Share",
    "build_list",
    "calibrate_counts",
    "estimate_frame",
    "estimate_frequencies",
    "estimate_periods",
    "find_candidates",
]

MODULES = {
    "calibrate": ("CountsCalibration", "calibrate_counts"),
    "candidates": ("Candidate", "find_candidates"),
    "estimate.counts.changes": ("Change", "Changes"),
    "estimate.differences": ("Difference", "PopulationComparison"),
    "estimate.from_files": ("Frequencies", "estimate_frequencies"),
    "estimate.options": ("EstimateOptions", "FrequencyOptions"),
    "estimate.origin": ("Origin",),
    "estimate.shares": ("FrequencyEstimate", "Share"),
    "estimate.text.likelihood": ("Fit",),
    "estimate.periods": ("PeriodShare", "Periods", "estimate_periods"),
    "estimate.spark": ("estimate_frame",),
    "lists": ("ListResult", "build_list"),
}
__getattr__ = lazy_names(__name__, MODULES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
