"""A mechanism checks its own integers: with others than the proofs allow, nothing is released."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import frozen
import pytest

from brrkit import (
    BundleError,
    Counts,
    CountsSetting,
    ParameterError,
    Privatizer,
    WordBundle,
    tables_of,
)
from brrkit import counts as counts_module
from brrkit.mechanisms import brr, exponential
from brrkit.premises import check_flips, check_keep, check_weights
from brrkit.setting import Setting

FAIL = "the integers computed for this setting fail the premises of the proofs"


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        (
            "weights",
            lambda case: check_weights(
                [*map(int, case["weights"].split())],
                case["epsilon"],
                case["largest"],
                int(case["total"]),
                case["cap"],
            ),
        ),
        ("flips", lambda case: check_flips(case["threshold"], case["epsilon"])),
        ("keep", lambda case: check_keep(int(case["threshold"]), case["cap"], case["symbols"])),
    ],
)
def test_what_meets_the_premises(kind: str, check: Callable[[frozen.Case], None]) -> None:
    cases = frozen.read("tables")[kind]
    assert {case["holds"] for case in cases} == {True, False}
    for case in cases:
        with nullcontext() if case["holds"] else pytest.raises(ParameterError, match=FAIL):
            check(case)
            assert case["holds"], case


def test_nothing_is_released_with_wrong_integers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each mechanism's are off by one, towards less privacy."""

    def off(module: Any, name: str, by: int) -> None:
        computed = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given: computed(*given) + by)

    def wrong(*given: Any) -> list[int]:
        return [weight - (place == 40) for place, weight in enumerate(table(*given))]

    table = exponential.weight_table
    bundle = frozen.bundle("spaced")
    makers: dict[str, Callable[[], object]] = {
        "exponential": lambda: Privatizer(bundle, Setting(1.0)),
        "brr": lambda: Privatizer(bundle, Setting(1.0, "brr")),
        "vickrey": lambda: Privatizer(bundle, Setting(1.0, "vickrey")),
        "counts": lambda: Counts(bundle, CountsSetting(4.0)),
    }
    for make in makers.values():
        make()
    monkeypatch.setattr(exponential, "weight_table", wrong)
    off(brr, "flip_threshold", -1)
    off(counts_module, "keep_threshold", 1)
    for make in makers.values():
        with pytest.raises(ParameterError, match=FAIL):
            make()


def test_a_recommended_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exponential, "weight_table", lambda *given: [1] * (given[1] + 1))
    with pytest.raises(BundleError, match=f"manifest.json: field 'recommended': {FAIL}"):
        tables_of(WordBundle.sample())
