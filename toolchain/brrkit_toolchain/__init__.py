"""brrkit's toolchain: from pretrained embeddings to a calibrated, verified bundle, and beyond.

The names in ``__all__`` are the public API. All other modules are private, and may change with any
version. Public names are imported at their first use, so the import of this package is cheap.

Functions that use a bundle take an opened ``brrkit.WordBundle``. Functions that check or write one
take the path of its directory. No function prints, or shows a progress bar, unless asked to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from brrkit_toolchain.facade import lazy_names

if TYPE_CHECKING:
    from brrkit_toolchain.attackers.closed_list import AmongAttack, measure_among
    from brrkit_toolchain.attackers.one_word import Attack
    from brrkit_toolchain.attackers.texts.from_files import TextFiles, measure_text
    from brrkit_toolchain.attackers.texts.guess_words import Guess, guess_texts
    from brrkit_toolchain.attackers.texts.success import Success
    from brrkit_toolchain.attackers.texts.text_attack import TextAttack
    from brrkit_toolchain.attackers.writers.named import WriterAttack, measure_writers
    from brrkit_toolchain.attackers.writers.recognized import Recognition, measure_recognition
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
    from brrkit_toolchain.bundle.plan import BuildPlan
    from brrkit_toolchain.bundle.recommend import write_recommended
    from brrkit_toolchain.bundle.sources import BundleSources
    from brrkit_toolchain.bundle.verify import Check, Verification, verify_bundle
    from brrkit_toolchain.calibrate.goals import (
        AttackSuccess,
        TextAttackSuccess,
        Unchanged,
        WriterSuccess,
    )
    from brrkit_toolchain.calibrate.parameters import FixedParameters
    from brrkit_toolchain.calibrate.search import Calibration, calibrate_words
    from brrkit_toolchain.calibrate.tasks import WeightTrial
    from brrkit_toolchain.calibrate.texts import TextCalibration, calibrate_text
    from brrkit_toolchain.channel import certify
    from brrkit_toolchain.channel.posterior_vectors import posterior_vectors
    from brrkit_toolchain.channel.privacy_loss.distances import PairStatistics
    from brrkit_toolchain.channel.privacy_loss.shuffled import ShufflingGuarantee
    from brrkit_toolchain.embeddings import EmbeddingsError
    from brrkit_toolchain.io.errors import OutputError
    from brrkit_toolchain.language.coverage import UnknownWords
    from brrkit_toolchain.language.filled import FilledVectors
    from brrkit_toolchain.lists.check import ListCheck, NearWord, check_list, suggest_words
    from brrkit_toolchain.privatize.plan import CorpusPlan
    from brrkit_toolchain.privatize.run import privatize_file
    from brrkit_toolchain.privatize.spark import privatize_frame
    from brrkit_toolchain.report import ReportOptions, write_report_page
    from brrkit_toolchain.tasks.labeled import Task
    from brrkit_toolchain.utility.evaluate.evaluation import Evaluation, Scores
    from brrkit_toolchain.utility.evaluate.from_file import evaluate_file
    from brrkit_toolchain.utility.evaluate.labeled_data import LabeledData
    from brrkit_toolchain.utility.mechanism import Measurement, measure_words
    from brrkit_toolchain.utility.support import Support
    from brrkit_toolchain.utility.task_accuracy import TaskAccuracy, measure_tasks

__all__ = [
    "AmongAttack",
    "Attack",
    "AttackSuccess",
    "Audit",
    "AuditError",
    "BuildPlan",
    "BuildResult",
    "BundleSources",
    "Calibration",
    "Check",
    "CorpusPlan",
    "EmbeddingsError",
    "Evaluation",
    "FilledVectors",
    "FixedParameters",
    "Guess",
    "LabeledData",
    "ListCheck",
    "Measurement",
    "NearWord",
    "OutputError",
    "PairStatistics",
    "PairTest",
    "Part",
    "Recognition",
    "ReportOptions",
    "Scores",
    "ShufflingGuarantee",
    "Success",
    "Support",
    "Task",
    "TaskAccuracy",
    "TextAttack",
    "TextAttackSuccess",
    "TextCalibration",
    "TextFiles",
    "Unchanged",
    "UnknownWords",
    "Verification",
    "WeightTrial",
    "WriterAttack",
    "WriterSuccess",
    "audit_factory",
    "audit_mechanism",
    "audit_setting",
    "audit_vectors",
    "build_bundle",
    "calibrate_text",
    "calibrate_words",
    "certify",
    "check_list",
    "evaluate_file",
    "guess_texts",
    "measure_among",
    "measure_recognition",
    "measure_tasks",
    "measure_text",
    "measure_words",
    "measure_writers",
    "posterior_vectors",
    "privatize_file",
    "privatize_frame",
    "suggest_words",
    "verify_bundle",
    "write_recommended",
    "write_report_page",
]

MODULES = {
    "attackers.closed_list": ("AmongAttack", "measure_among"),
    "attackers.texts.from_files": ("TextFiles", "measure_text"),
    "attackers.texts.guess_words": ("Guess", "guess_texts"),
    "attackers.texts.success": ("Success",),
    "attackers.texts.text_attack": ("TextAttack",),
    "attackers.writers.named": ("WriterAttack", "measure_writers"),
    "attackers.writers.recognized": ("Recognition", "measure_recognition"),
    "audit": (
        *("Audit", "AuditError", "PairTest", "Part"),
        *("audit_factory", "audit_mechanism", "audit_setting", "audit_vectors"),
    ),
    "bundle.build": ("BuildResult", "build_bundle"),
    "channel": ("certify",),
    "bundle.plan": ("BuildPlan",),
    "bundle.recommend": ("write_recommended",),
    "calibrate.goals": ("AttackSuccess", "TextAttackSuccess", "Unchanged", "WriterSuccess"),
    "calibrate.parameters": ("FixedParameters",),
    "calibrate.search": ("Calibration", "calibrate_words"),
    "calibrate.tasks": ("WeightTrial",),
    "calibrate.texts": ("TextCalibration", "calibrate_text"),
    "privatize.plan": ("CorpusPlan",),
    "privatize.run": ("privatize_file",),
    "privatize.spark": ("privatize_frame",),
    "embeddings": ("EmbeddingsError",),
    "io.errors": ("OutputError",),
    "language.coverage": ("UnknownWords",),
    "language.filled": ("FilledVectors",),
    "lists.check": ("ListCheck", "NearWord", "check_list", "suggest_words"),
    "channel.privacy_loss.shuffled": ("ShufflingGuarantee",),
    "attackers.one_word": ("Attack",),
    "channel.privacy_loss.distances": ("PairStatistics",),
    "utility.evaluate.evaluation": ("Evaluation", "Scores"),
    "utility.evaluate.from_file": ("evaluate_file",),
    "utility.evaluate.labeled_data": ("LabeledData",),
    "utility.mechanism": ("Measurement", "measure_words"),
    "utility.support": ("Support",),
    "utility.task_accuracy": ("TaskAccuracy", "measure_tasks"),
    "report": ("ReportOptions", "write_report_page"),
    "tasks.labeled": ("Task",),
    "channel.posterior_vectors": ("posterior_vectors",),
    "bundle.sources": ("BundleSources",),
    "bundle.verify": ("Check", "Verification", "verify_bundle"),
}
__getattr__ = lazy_names(__name__, MODULES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
