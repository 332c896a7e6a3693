"""brrkit's reference runtime: open a bundle, privatize words, on NumPy and a TFLite interpreter.

::

    from brrkit import WordBundle, Privatizer

    privatizer = Privatizer(WordBundle.open("bundle"))  # as calibrated
    print(privatizer.text("book me a flight to boston"))
"""

from brrkit.budget import PrivacyBudget
from brrkit.bundle import WordBundle
from brrkit.errors import (
    BrrError,
    BudgetError,
    BudgetFileError,
    BundleError,
    MemoryFileError,
    OutOfVocabularyError,
    ParameterError,
)
from brrkit.memory import Memory
from brrkit.privatizer import Privatizer
from brrkit.setting import Estimate, Measured, Setting

__all__ = [
    "BrrError",
    "BudgetError",
    "BudgetFileError",
    "BundleError",
    "Estimate",
    "Measured",
    "Memory",
    "MemoryFileError",
    "OutOfVocabularyError",
    "ParameterError",
    "PrivacyBudget",
    "Privatizer",
    "Setting",
    "WordBundle",
]
