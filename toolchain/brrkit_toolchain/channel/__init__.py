"""The channel: the output probabilities of every word, at one setting.

``channel`` has the whole channel. ``drawing`` releases many words at once, and ``privacy_loss``
computes privacy losses. ``surroundings`` computes results with a formula, ``evidence`` gives
attackers the likelihood of an output, and ``linear`` maps frequencies of typed words to those of
released words. ``posterior_vectors`` gives vectors to classifiers. ``manifest_info`` reads a
bundle's statements about all this.
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
