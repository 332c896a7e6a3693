"""What comes out for every word, at one setting: the channel that every question asks.

``channel`` has it whole. ``on_codes`` draws from the device's mechanisms with the runtime's
distributions: a corpus is privatized and a setting is measured by the same code; ``full_size`` has
mechanisms on float vectors, to measure beside. ``surroundings`` computes what has a formula,
``evidence`` is what attackers make of an output, ``linear`` carries frequencies through, and
``certificates`` say what is lost.
"""

from .channel import FULL_SIZE, LAPLACE, Channel, certify, default_parameters, label
from .on_codes import BatchedMechanism

__all__ = [
    "FULL_SIZE",
    "LAPLACE",
    "BatchedMechanism",
    "Channel",
    "certify",
    "default_parameters",
    "label",
]
