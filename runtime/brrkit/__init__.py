"""brrkit's reference runtime: open a bundle, privatize words, on NumPy and a TFLite interpreter.

::

    from brrkit import Privatizer, WordBundle

    privatizer = Privatizer(WordBundle.sample())  # as calibrated; yours: WordBundle.open("bundle")
    print(privatizer.text("will it rain in boston on monday"))
"""

from brrkit.budget import PrivacyBudget
from brrkit.bundle import Neighbor, WordBundle
from brrkit.counts import Counts
from brrkit.errors import (
    BrrError,
    BudgetError,
    BudgetFileError,
    BundleError,
    MemoryFileError,
    OutOfVocabularyError,
    ParameterError,
    RandomnessError,
)
from brrkit.marks import Mark
from brrkit.memory import Memory
from brrkit.policy import Passing, Policy, SecretList
from brrkit.privatizer import Privatizer, Stream
from brrkit.reporter import Reporter
from brrkit.session import Session
from brrkit.setting import Certificate, CountsSetting, Estimate, Frames, Measured, Setting, Shares
from brrkit.tables import tables_of
from brrkit.text_reporter import TextReporter
from brrkit.writing import Writing

__all__ = [
    "BrrError",
    "BudgetError",
    "BudgetFileError",
    "BundleError",
    "Certificate",
    "Counts",
    "CountsSetting",
    "Estimate",
    "Frames",
    "Mark",
    "Measured",
    "Memory",
    "MemoryFileError",
    "Neighbor",
    "OutOfVocabularyError",
    "ParameterError",
    "Passing",
    "Policy",
    "PrivacyBudget",
    "Privatizer",
    "RandomnessError",
    "Reporter",
    "SecretList",
    "Session",
    "Setting",
    "Shares",
    "Stream",
    "TextReporter",
    "WordBundle",
    "Writing",
    "tables_of",
]
