"""brrkit's toolchain: from pretrained embeddings to a calibrated, verified bundle, and beyond.

What this module names in ``__all__`` is the public API. Modules below it are private: they may
change with any version. What it names is imported when it is used: an import of the toolchain
itself costs nothing.

A function takes a bundle that it uses as an opened ``brrkit.WordBundle``, and one that it judges or
writes as the path of its directory. None prints, or draws a progress bar, unless it is asked to.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from brrkit_toolchain.api import (
        calibrate_text,
        calibrate_words,
        guess_texts,
        measure_among,
        measure_tasks,
        measure_text,
        measure_words,
    )
    from brrkit_toolchain.attack.among import AmongAttack
    from brrkit_toolchain.attack.guessed import Guess
    from brrkit_toolchain.attack.success import Success
    from brrkit_toolchain.attack.text import TextAttack
    from brrkit_toolchain.audit import (
        Audit,
        AuditError,
        PairTest,
        Part,
        audit_factory,
        audit_mechanism,
        audit_setting,
        audit_vectors,
    )
    from brrkit_toolchain.bundle.build import BuildResult, build_bundle
    from brrkit_toolchain.bundle.listing import ListResult, build_list
    from brrkit_toolchain.bundle.recommend import write_recommended
    from brrkit_toolchain.bundle.verify import Check, Verification, verify_bundle
    from brrkit_toolchain.channel import certify
    from brrkit_toolchain.choose.counts import CountsCalibration, calibrate_counts
    from brrkit_toolchain.choose.search import Calibration
    from brrkit_toolchain.choose.tasks import Weighed
    from brrkit_toolchain.choose.texts import TextCalibration
    from brrkit_toolchain.corpus.run import privatize_file
    from brrkit_toolchain.corpus.spark import privatize_frame
    from brrkit_toolchain.embeddings import EmbeddingsError
    from brrkit_toolchain.estimate.changes import Change, Changes
    from brrkit_toolchain.estimate.compare import Difference, PopulationComparison
    from brrkit_toolchain.estimate.estimate import FrequencyEstimate, Share
    from brrkit_toolchain.estimate.from_files import Frequencies, Origin, estimate_frequencies
    from brrkit_toolchain.estimate.likelihood import Fit
    from brrkit_toolchain.estimate.periods import Periods, PeriodShare, estimate_periods
    from brrkit_toolchain.estimate.shuffled import Shuffled
    from brrkit_toolchain.estimate.spark import estimate_frame
    from brrkit_toolchain.estimate.vectors import posterior_vectors
    from brrkit_toolchain.io.errors import OutputError
    from brrkit_toolchain.language.candidates import Candidate, find_candidates
    from brrkit_toolchain.language.coverage import UnknownWords
    from brrkit_toolchain.measure.attack import Attack
    from brrkit_toolchain.measure.distances import PairStatistics
    from brrkit_toolchain.measure.evaluate.evaluation import Evaluation, Scores
    from brrkit_toolchain.measure.evaluate.from_file import evaluate_file
    from brrkit_toolchain.measure.mechanism import Measurement
    from brrkit_toolchain.measure.support import Support
    from brrkit_toolchain.measure.tasks import TaskAccuracy
    from brrkit_toolchain.report import write_report_page
    from brrkit_toolchain.tasks.labelled import Task

__all__ = [
    "AmongAttack",
    "Attack",
    "Audit",
    "AuditError",
    "BuildResult",
    "Calibration",
    "Candidate",
    "Change",
    "Changes",
    "Check",
    "CountsCalibration",
    "Difference",
    "EmbeddingsError",
    "Evaluation",
    "Fit",
    "Frequencies",
    "FrequencyEstimate",
    "Guess",
    "ListResult",
    "Measurement",
    "Origin",
    "OutputError",
    "PairStatistics",
    "PairTest",
    "Part",
    "PeriodShare",
    "Periods",
    "PopulationComparison",
    "Scores",
    "Share",
    "Shuffled",
    "Success",
    "Support",
    "Task",
    "TaskAccuracy",
    "TextAttack",
    "TextCalibration",
    "UnknownWords",
    "Verification",
    "Weighed",
    "audit_factory",
    "audit_mechanism",
    "audit_setting",
    "audit_vectors",
    "build_bundle",
    "build_list",
    "calibrate_counts",
    "calibrate_text",
    "calibrate_words",
    "certify",
    "estimate_frame",
    "estimate_frequencies",
    "estimate_periods",
    "evaluate_file",
    "find_candidates",
    "guess_texts",
    "measure_among",
    "measure_tasks",
    "measure_text",
    "measure_words",
    "posterior_vectors",
    "privatize_file",
    "privatize_frame",
    "verify_bundle",
    "write_recommended",
    "write_report_page",
]

_MODULES = {
    "attack.among": ("AmongAttack",),
    "attack.guessed": ("Guess",),
    "attack.success": ("Success",),
    "attack.text": ("TextAttack",),
    "audit": (
        *("Audit", "AuditError", "PairTest", "Part"),
        *("audit_factory", "audit_mechanism", "audit_setting", "audit_vectors"),
    ),
    "bundle.build": ("BuildResult", "build_bundle"),
    "bundle.listing": ("ListResult", "build_list"),
    "channel": ("certify",),
    "bundle.recommend": ("write_recommended",),
    "choose.search": ("Calibration",),
    "choose.tasks": ("Weighed",),
    "choose.texts": ("TextCalibration",),
    "api": (
        *("calibrate_text", "calibrate_words", "guess_texts"),
        *("measure_among", "measure_tasks", "measure_text", "measure_words"),
    ),
    "choose.counts": ("CountsCalibration", "calibrate_counts"),
    "corpus.run": ("privatize_file",),
    "corpus.spark": ("privatize_frame",),
    "embeddings": ("EmbeddingsError",),
    "io.errors": ("OutputError",),
    "language.candidates": ("Candidate", "find_candidates"),
    "language.coverage": ("UnknownWords",),
    "estimate.changes": ("Change", "Changes"),
    "estimate.compare": ("Difference", "PopulationComparison"),
    "estimate.estimate": ("FrequencyEstimate", "Share"),
    "estimate.from_files": ("Frequencies", "Origin", "estimate_frequencies"),
    "estimate.likelihood": ("Fit",),
    "estimate.periods": ("PeriodShare", "Periods", "estimate_periods"),
    "estimate.shuffled": ("Shuffled",),
    "estimate.spark": ("estimate_frame",),
    "measure.attack": ("Attack",),
    "measure.distances": ("PairStatistics",),
    "measure.evaluate.evaluation": ("Evaluation", "Scores"),
    "measure.evaluate.from_file": ("evaluate_file",),
    "measure.mechanism": ("Measurement",),
    "measure.support": ("Support",),
    "measure.tasks": ("TaskAccuracy",),
    "report": ("write_report_page",),
    "tasks.labelled": ("Task",),
    "estimate.vectors": ("posterior_vectors",),
    "bundle.verify": ("Check", "Verification", "verify_bundle"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import what is used.

    Raises:
        AttributeError: there is nothing of this name.
    """
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
