"""What comes out for every word, at one setting: the channel that every question asks.

``channel`` has it whole. ``drawing`` releases many words at once, and ``privacy_loss`` says what is
lost. ``surroundings`` computes what has a formula, ``evidence`` is what attackers make of an
output, ``linear`` carries frequencies through, ``posterior_vectors`` are what a classifier reads.
``manifest_info`` reads what a bundle states of all this.
"""

from .channel import FULL_SIZE, LAPLACE, Channel, certify, default_parameters, label
from .drawing.on_codes import BatchedMechanism

__all__ = [
    "FULL_SIZE",
    "LAPLACE",
    "BatchedMechanism",
    "Channel",
    "certify",
    "default_parameters",
    "label",
]
