"""Algorithm 2 of Vickrey (Xu et al. 2021): epsilon and t under a utility budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from brrkit.errors import ParameterError

TS = tuple(step / 20 for step in range(1, 21))
"""The values of t that are tried after 0: 0.05, 0.1, ..., 1."""


@dataclass(frozen=True)
class Choice:
    """What Algorithm 2 chose.

    Attributes:
        epsilon: per unit of the mechanism's metric.
        t: Vickrey's parameter.
        utility_loss: L_M (equation 2) there.
        inference_error: E_M (equation 4) there.
    """

    epsilon: float
    t: float
    utility_loss: float
    inference_error: float


def choose_parameters(
    utility_loss: Callable[[float, float], float],
    inference_error: Callable[[float, float], float],
    budget: float,
    smallest: float,
    largest: float,
) -> Choice:
    """Choose epsilon and t by Algorithm 2.

    Epsilon is doubled, at t = 0, until the utility loss is within the budget; among the values of
    t that keep it there, the one with the largest inference error is taken. Like the paper, this
    takes for granted that the loss falls as epsilon grows.

    Args:
        utility_loss: gives L_M at (epsilon, t).
        inference_error: gives E_M there; it is only asked for what is within the budget.
        budget: C, the largest L_M.
        smallest: epsilon_0, where the doubling starts.
        largest: where it ends.

    Raises:
        ParameterError: the budget isn't met at ``largest``.
    """
    epsilon, t = smallest, 0.0
    while (loss := utility_loss(epsilon, t)) > budget:
        if epsilon >= largest:
            raise ParameterError(
                f"a utility loss of {budget:g} can't be reached: at the largest epsilon, "
                f"{largest:g}, it is {loss:.3g}; allow a larger loss"
            )
        epsilon = min(2 * epsilon, largest)
    best = Choice(epsilon, t, loss, inference_error(epsilon, t))
    for t in TS:
        loss = utility_loss(epsilon, t)
        if loss <= budget and (error := inference_error(epsilon, t)) > best.inference_error:
            best = Choice(epsilon, t, loss, error)
    return best
