"""The benchmark of mechanisms at equal attack: what it reads off, and what it knows of packages."""

from __future__ import annotations

from collections.abc import Callable
from math import exp

import numpy as np
import pytest

from benchmarks.list_channel import list_channel
from benchmarks.read_off import GOALS, around_goals, not_reached, read_off
from benchmarks.reviews import Measured
from brrkit.setting import Estimate


def measured(content: float, everything: float, cosine: float = 0.0) -> Measured:
    sentence = {"content": content, "all": everything}
    return Measured(
        sentence={over: Estimate(value, value, value) for over, value in sentence.items()},
        isolated=sentence,
        cosine=dict.fromkeys(sentence, cosine),
        worst=None,
        perplexity=100 * cosine or 1.0,
        sentiment=1 - cosine,
    )


def test_values_are_read_off_between_the_strengths_around_a_goal() -> None:
    """Odds of 1/3 and 3 are as far from even ones, in logarithms."""
    curve = [(1.0, measured(0.01, 0.02)), (2.0, measured(0.25, 0.5, 0.4))]
    curve.append((4.0, measured(0.75, 0.9, 0.6)))
    point = read_off("some", curve, "content", 0.5)
    assert point is not None
    assert point.epsilon == pytest.approx(3.0)
    assert point.values["cosine"] == pytest.approx(0.5)
    assert point.values["sentiment"] == pytest.approx(0.5)
    assert point.values["perplexity"] == pytest.approx((40 * 60) ** 0.5)
    assert point.values["worst 1%"] is None
    other = read_off("some", curve, "all", 0.5)
    assert other is not None
    assert other.epsilon == pytest.approx(2.0)


@pytest.mark.parametrize("goal", [0.1, 0.4])
def test_a_goal_that_no_strength_has_is_told(goal: float) -> None:
    curve = [(1.0, measured(0.2, 0.2)), (2.0, measured(0.3, 0.3))]
    assert read_off("some", curve, "content", goal) is None
    told = not_reached("some", curve, "content", goal)
    assert "from 0.200 at epsilon 1 to 0.300 at 2" in told


def rising(middle: float) -> Callable[[int], Measured]:
    """Return what has the same success over all words, the higher the step."""
    return lambda step: measured(*[1 / (1 + exp(middle - step))] * 2)


@pytest.mark.parametrize(("middle", "steps"), [(1.5, (-1, 2)), (-0.7, (-3, 0)), (9.0, (0, 3))])
def test_strengths_are_taken_until_no_goal_lies_beyond(
    middle: float, steps: tuple[int, int]
) -> None:
    found = around_goals(rising(middle))
    assert (min(found), max(found)) == steps
    assert len(found) == steps[1] - steps[0] + 1
    goals = sorted({goal for each in GOALS.values() for goal in each})
    if middle < 9:
        assert found[min(found)].sentence["all"].value <= goals[0]
        assert found[max(found)].sentence["all"].value >= goals[-1]


def test_the_linear_map_a_list_is_two_sided_geometric_noise() -> None:
    """By the definition: the difference of two geometric numbers is added to a word's place."""
    epsilon, words = 0.7, 400
    places = np.random.default_rng(0).permutation(words)
    numbers = exp(-epsilon) ** np.arange(300) * (1 - exp(-epsilon))
    noise = np.correlate(numbers, numbers, "full")  # from -299 to 299
    output = int(np.flatnonzero(places == words // 2)[0])
    expected = noise[299 + places[output] - places]
    found = list_channel(epsilon, places, np.full(words, 1 / words)).likelihoods(
        np.array([output])
    )[0, :words]
    np.testing.assert_allclose(found / found.sum(), expected / expected.sum(), atol=1e-7)
