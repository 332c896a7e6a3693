"""brrkit's reference runtime: open a bundle, privatize words, on NumPy and a TFLite interpreter.

::

    from brr_runtime import WordBundle, Privatizer

    privatizer = Privatizer(WordBundle.open("bundle"))  # as calibrated
    print(privatizer.text("book me a flight to boston"))
"""

from brr_runtime.budget import PrivacyBudget
from brr_runtime.bundle import WordBundle
from brr_runtime.errors import (
    BrrError,
    BudgetError,
    BundleError,
    MemoryFileError,
    OutOfVocabularyError,
    ParameterError,
)
from brr_runtime.memory import Memory
from brr_runtime.privatizer import Privatizer
from brr_runtime.setting import Estimate, Measured, Setting

__all__ = [
    "BrrError",
    "BudgetError",
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
