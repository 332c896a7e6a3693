"""Reports by the length of a list: drawn reports agree, and nothing exceeds what must be equal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from research.oracles import list_sizes
from research.oracles.list_sizes import OTHERS, SIZED, compared, simulated
from research.oracles.mechanisms import OURS, SUBSET, Pure, subset_selection


@pytest.mark.parametrize("cap", [1.0, 4.0])
@pytest.mark.parametrize("name", [OURS, *OTHERS])
def test_drawn_reports_have_the_errors_and_guesses_that_are_computed(name: str, cap: float) -> None:
    """Seeded. The mean of 10 symbols' 500 squared errors deviates by about 2%."""
    found = simulated(name, cap, 10, 500)
    assert found.error == pytest.approx(1, abs=0.1)
    assert found.guessed == pytest.approx(found.success, abs=5 * 0.5 / found.reports**0.5)


def test_a_wrong_closed_form_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(epsilon: float, k: int) -> Pure:
        right = subset_selection(epsilon, k)
        return replace(right, q=1.2 * right.q, best=right.best**2)

    monkeypatch.setattr(list_sizes, "OTHERS", {SUBSET: wrong})
    found = simulated(SUBSET, 1.0, 10, 500)
    assert found.error > 1.1
    assert abs(found.guessed - found.success) > 5 * 0.5 / found.reports**0.5


@pytest.mark.parametrize("cap", [1.0, 3.0])
def test_nothing_exceeds_what_is_equal(cap: float) -> None:
    rows = list(compared(20, cap))
    ours = {row.equal: row for row in rows if row.oracle == OURS}
    for row in rows:
        frequencies, isolated = ours[row.equal].success
        assert row.epsilon <= cap
        if row.equal != "cap":
            assert row.success[1] <= isolated + 1e-8
        if row.equal == "both":
            assert row.success[0] <= frequencies + 1e-8
    assert {row.oracle for row in rows} == {OURS, SIZED, *OTHERS}


def test_where_nothing_better_is_allowed_others_need_more() -> None:
    """The cap is large for that list: k-ary randomized response is best."""
    rows = [row for row in compared(8, 5) if row.equal == "both"]
    assert all(row.needed[1] >= rows[0].needed[1] * (1 - 1e-9) for row in rows)
