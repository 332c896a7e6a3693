"""Task bits: what they and their weight do to the mechanism, and what a bundle may say of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from brrkit import BundleError, ParameterError, Privatizer, WordBundle
from brrkit.bundle import MANIFEST, manifest_digest
from brrkit.exact import weight_table
from brrkit.hamming import weigh_codes
from brrkit.mechanisms.exponential import Exponential
from brrkit.setting import Setting

WEIGHTS = [0, 1, 2, 5, 16]


def setting(weight: int | None, **parameters: Any) -> Setting:
    given = {} if weight is None else {"task_weight": weight}
    return Setting(0.5, parameters={"base": "uniform", **given, **parameters})


def bits_of(bundle: WordBundle) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the bits int64[n, bits] of every code."""
    codes = np.ascontiguousarray(bundle.codes).view(np.uint8)
    return np.unpackbits(codes, axis=1, bitorder="little").astype(np.int64)


@pytest.mark.parametrize("weight", WEIGHTS)
def test_a_task_bit_counts_so_many_times(task_bundle: WordBundle, weight: int) -> None:
    bits = bits_of(task_bundle)
    counted = np.r_[np.full(64, 1), np.full(64, weight)]
    distances = np.abs(bits - bits[7]) @ counted
    table = weight_table(0.5, 64 + 64 * weight, len(task_bundle), radius=8)
    weights = [table[d] for d in distances]
    total = sum(weights)
    mechanism = Exponential(task_bundle, 0.5, base="uniform", task_weight=weight)
    found = mechanism.distribution(task_bundle.codes[7])
    assert found == [Fraction(each, total) for each in weights]


@pytest.mark.parametrize("weight", [None, 1])
def test_by_default_they_count_once(task_bundle: WordBundle, weight: int | None) -> None:
    given = Privatizer(task_bundle, setting(weight))
    assert given.mechanism.setting == Exponential(task_bundle, 0.5, base="uniform").setting
    mechanism = given.mechanism
    assert isinstance(mechanism, Exponential)
    assert mechanism.codes is task_bundle.codes
    assert mechanism.radius == 8  # an eighth of the bits without the task bits


def test_draws_go_by_the_weighted_distance(task_bundle: WordBundle) -> None:
    """With so heavy task bits nothing comes out that differs in one, and without some does."""
    task = bits_of(task_bundle)[:, 64:]
    ids = np.zeros(200, np.intp)
    source = np.random.default_rng(0)
    heavy = Exponential(task_bundle, 2.0, base="uniform", task_weight=16)
    outputs = heavy(task_bundle.codes[ids], source.bytes)
    assert (task[outputs] == task[0]).all()
    light = Exponential(task_bundle, 0.2, base="uniform", task_weight=0)
    outputs = light(task_bundle.codes[ids], source.bytes)
    assert not (task[outputs] == task[0]).all()


@pytest.mark.parametrize("weight", WEIGHTS)
def test_two_weights_are_two_settings(task_bundle: WordBundle, weight: int) -> None:
    own = Exponential(task_bundle, 0.5, task_weight=weight).setting
    others = [Exponential(task_bundle, 0.5, task_weight=w).setting for w in WEIGHTS if w != weight]
    assert own not in others


@pytest.mark.parametrize("weight", [-1, 17, 1.0, "2", True])
def test_weights_out_of_range(task_bundle: WordBundle, weight: Any) -> None:
    with pytest.raises(ParameterError, match="task_weight must be an integer from 0 to 16"):
        Privatizer(task_bundle, setting(weight))


def test_no_weight_without_task_bits(bundle64: WordBundle) -> None:
    with pytest.raises(ParameterError, match="build it with tasks"):
        Privatizer(bundle64, setting(1))


def test_a_radius_is_of_the_other_bits(task_bundle: WordBundle) -> None:
    Privatizer(task_bundle, setting(2, radius=64))
    with pytest.raises(ParameterError, match="radius must be an integer from 0 to 64"):
        Privatizer(task_bundle, setting(2, radius=65))


def test_weighed_codes_are_not_copied_where_all_count_once() -> None:
    codes = np.arange(6, dtype=np.uint64).reshape(3, 2)
    assert weigh_codes(codes, 64, 1) is codes
    assert weigh_codes(codes, 0, 5) is codes
    assert weigh_codes(codes, 64, 3).tolist() == [[0, 1, 1, 1], [2, 3, 3, 3], [4, 5, 5, 5]]
    assert weigh_codes(codes, 64, 0).tolist() == [[0], [2], [4]]


@pytest.fixture
def changed(bundles: Path, tmp_path: Path) -> Callable[[dict[str, Any]], Path]:
    """Return a copy of the bundle ``tasks`` with other fields in its manifest."""

    def change(fields: dict[str, Any]) -> Path:
        folder = tmp_path / "changed"
        shutil.copytree(bundles / "tasks", folder)
        manifest = {**json.loads((folder / MANIFEST).read_bytes()), **fields}
        text = json.dumps(manifest).encode()
        digest = manifest_digest(text, manifest["sha256"])
        (folder / MANIFEST).write_bytes(text.replace(manifest["sha256"].encode(), digest.encode()))
        return folder

    return change


@pytest.mark.parametrize("task_bits", [0, 1, 63, 65, 128, 192, -64, 64.0, "64", None, True])
def test_impossible_task_bits(changed: Callable[[dict[str, Any]], Path], task_bits: Any) -> None:
    with pytest.raises(BundleError, match="field 'task_bits' is missing or wrong"):
        WordBundle.open(changed({"task_bits": task_bits}))


@pytest.mark.parametrize("weight", [-1, 17, 1.0, "1", None])
def test_impossible_recommended_weights(
    changed: Callable[[dict[str, Any]], Path], weight: Any
) -> None:
    stated = {"mechanism": "exponential", "epsilon": 0.5, "goal": "a goal"}
    with pytest.raises(BundleError, match="field 'recommended'"):
        WordBundle.open(changed({"recommended": stated | {"parameters": {"task_weight": weight}}}))


def test_a_recommended_weight_is_used(changed: Callable[[dict[str, Any]], Path]) -> None:
    stated = {"mechanism": "exponential", "epsilon": 0.5, "goal": "a goal"}
    bundle = WordBundle.open(changed({"recommended": stated | {"parameters": {"task_weight": 3}}}))
    mechanism = Privatizer(bundle).mechanism
    assert isinstance(mechanism, Exponential)
    assert mechanism.task_weight == 3
    assert len(mechanism.weights) == 64 + 3 * 64 + 1
