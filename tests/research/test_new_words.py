"""What finds new words: parameters that keep what they promise, and reports drawn as clients'."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from research.new_words import central, peer
from research.new_words.central import (
    DELTA,
    rate_and_threshold,
    sampled,
    threshold_alone,
    trusted,
    voted,
    votes_needed,
)
from research.new_words.compared import ALONE, Typed, cells

WORDS = ("selfie", "self", "emoji", "brrr", "rare")
COUNTS = np.array([60_000, 30_000, 20_000, 9_000, 3])


@pytest.mark.parametrize("epsilon", [1.0, 2.0, 4.0])
def test_sampling_and_a_threshold_keep_epsilon_and_delta(epsilon: float) -> None:
    """Exactly, for a word that n phones typed or n - 1: what is below the threshold is one."""
    rate, threshold = rate_and_threshold(epsilon)
    released = np.arange(threshold, 4_001)
    for n in (*range(1, 200), 500, 2_000, 4_000):
        more, fewer = (
            np.append(binom.cdf(threshold - 1, m, rate), binom.pmf(released, m, rate))
            for m in (n, n - 1)
        )
        for one, other in ((more, fewer), (fewer, more)):
            assert np.maximum(one - np.exp(epsilon) * other, 0).sum() <= DELTA


def test_brave_has_the_same_rate_and_threshold_at_epsilon_1() -> None:
    rate, threshold = rate_and_threshold(1.0)
    assert rate == pytest.approx(0.105, abs=0.0005)
    assert threshold == 20


def test_votes_are_those_of_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(central, "DELTA", 2.3e-12)
    assert votes_needed() == 15


def test_frequent_words_are_found_and_words_that_nobody_typed_are_not() -> None:
    generator = np.random.default_rng(0)
    counts = np.append(COUNTS, 0)
    words = (*WORDS, "typed by none")
    assert threshold_alone(counts).tolist() == [0, 1, 2, 3]
    assert sampled(counts, 1.0, generator).tolist() == [0, 1, 2, 3]
    assert trusted(counts, 1.0, generator).tolist() == [0, 1, 2, 3]
    # A prefix of another word is a word of its own.
    assert voted(words, counts, 4.0, generator).tolist() == [0, 1, 2, 3]
    assert voted(words, counts // 100, 0.1, generator).tolist() == []


def test_the_sum_of_reports_is_drawn_as_clients_make_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeded: 400 sums each; means within 6 standard errors, variances within a third."""
    rows, width, epsilon, phones = 2, 4, 1.5, (40, 10)
    monkeypatch.setattr(peer, "ROWS", rows)
    monkeypatch.setattr(peer, "WIDTH", width)
    hashes = [lambda string, row=row: (ord(string) + row) % width for row in range(rows)]
    odds = np.exp(epsilon / 2)
    scale = (odds + 1) / (odds - 1)
    typed = peer.Typed(["a", "b"], phones, seed=0)

    def sketch() -> Any:
        return SimpleNamespace(
            hash_funcs=hashes, epsilon=epsilon, c=scale, n=0, sketch_matrix=np.zeros((rows, width))
        )

    def by_clients() -> Any:
        made = sketch()
        for string in typed.each():
            row = typed.generator.integers(rows)
            bits = np.full(width, -1)
            bits[hashes[row](string)] = 1
            bits[typed.generator.random(width) < 1 / (1 + odds)] *= -1
            made.sketch_matrix[row] += rows * (scale / 2 * bits + 0.5)
            made.n += 1
        return made

    def drawn() -> Any:
        made = sketch()
        typed.fill(made, str, typed.counts)
        return made

    both = [np.array([make().sketch_matrix for _ in range(400)]) for make in (by_clients, drawn)]
    means, variances = ([side(sums, axis=0) for sums in both] for side in (np.mean, np.var))
    assert (abs(means[0] - means[1]) < 6 * np.sqrt(sum(variances) / 400)).all()
    assert variances[1] == pytest.approx(variances[0], rel=1 / 3)
    assert drawn().n == sum(phones)


def test_rows_tell_true_words_from_false_ones() -> None:
    typed = Typed(WORDS, np.array([5, 4, 3, 0, 1]))
    row = typed.row("any", 1.0, ["self", "brrr", "nonsense"])
    assert (row.phones, row.first, row.found, row.false) == (13, (1, 1), 1, 2)


def test_a_threshold_alone_stands_in_the_columns_of_every_epsilon() -> None:
    stored = {"clients": None, "first": (3, 7), "found": 9, "false": 0, "search": None}
    line = cells([{"protocol": ALONE, "phones": 100_000, "epsilon": None, **stored}])
    assert line == [[ALONE, "100,000", "3", "3", "3", "7", "7", "7", "9", "0", "–"]]
