"""What mechanisms keep of the words.

The runtime draws anew in each run; what is in the manifest is seeded.
"""

from __future__ import annotations

import itertools
from dataclasses import asdict
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bundle_tools import ENCYCLOPEDIA

from brrkit import Privatizer, WordBundle
from brrkit.exact import EPSILON_MAX, EPSILON_MIN
from brrkit.setting import Setting
from brrkit_toolchain.channel.privacy_loss.distances import measure_distances
from brrkit_toolchain.embeddings import read_embeddings
from brrkit_toolchain.utility.curves import ESTIMATED_LOSSES, measure_utility
from brrkit_toolchain.utility.retention import epsilon_of_estimated_loss, release_utility


def test_utility_by_hand() -> None:
    # The mean is (1, 1); without it these are right, up, left, down.
    vectors = np.array([[2, 1], [1, 2], [0, 1], [1, 0]], np.float32)
    inputs = np.array([0, 0, 0, 1])
    outputs = np.array([0, 1, 2, 1])  # itself, a right angle, the opposite, itself
    utility = release_utility(vectors, inputs, outputs)
    assert utility.unchanged == 0.5
    assert utility.cosine == pytest.approx((1 + 0 - 1 + 1) / 4)


def test_epsilon_of_loss() -> None:
    assert epsilon_of_estimated_loss(44, 128) == 44 / 128
    assert epsilon_of_estimated_loss(1e9, 2) == EPSILON_MAX
    assert epsilon_of_estimated_loss(1e-12, 2) == EPSILON_MIN
    assert epsilon_of_estimated_loss(44, 0) == EPSILON_MAX  # all codes are equal


@pytest.fixture(scope="module")
def source() -> np.ndarray:
    return read_embeddings(ENCYCLOPEDIA, vocabulary_size=2_000, progress=False).vectors


MEASURED: dict[str, dict[str, Any]] = {"brr": {}, "vickrey": {}, "exponential": {"base": "uniform"}}
"""Mechanisms of the manifest, and the parameters that aren't their default ones."""


def test_manifest_says_what_the_runtime_does(sample_bundle: Path, source: np.ndarray) -> None:
    """36 numbers within 6 standard errors, each outside with a probability of 2 * 10^-9."""
    bundle = WordBundle.open(sample_bundle)
    stated = bundle.manifest["utility"]
    average = bundle.manifest["distances"]["hamming"]["average"]
    ids = np.arange(len(bundle))
    words = [bundle.vocabulary.word(i) for i in ids]
    assert stated["estimated_losses"] == list(ESTIMATED_LOSSES)
    assert set(stated["mechanisms"]) == {"laplace", "brr", "vickrey", "exponential"}
    assert stated["words"] == 1_000
    for name, parameters in MEASURED.items():
        for estimated_loss, point in zip(ESTIMATED_LOSSES, stated["mechanisms"][name], strict=True):
            released = Privatizer(
                bundle, Setting(estimated_loss / average, name, parameters)
            ).words(words)
            outputs = np.array([bundle.vocabulary.find(word) for word in released])
            utility = release_utility(source, ids, outputs)
            error = sqrt(0.25 / 1_000 + 0.25 / len(ids))
            assert abs(utility.unchanged - point["unchanged"]) < 6 * error
            assert abs(utility.cosine - point["cosine"]) < 6 * error


def test_what_is_kept_grows_with_the_loss(sample_bundle: Path) -> None:
    stated = WordBundle.open(sample_bundle).manifest["utility"]["mechanisms"]
    for points in stated.values():
        cosines = [point["cosine"] for point in points]
        assert cosines[-1] > cosines[0] + 0.3
        assert all(b > a - 0.05 for a, b in itertools.pairwise(cosines))


def test_same_seed_same_numbers(sample_bundle: Path, source: np.ndarray) -> None:
    bundle = WordBundle.open(sample_bundle)
    distances = measure_distances(source, bundle.codes, seed=3, progress=False)
    first, other = (
        measure_utility(source, bundle.codes, distances, seed=seed, progress=False)
        for seed in (3, 4)
    )
    assert asdict(first)["mechanisms"] == bundle.manifest["utility"]["mechanisms"]
    assert asdict(other)["mechanisms"] != bundle.manifest["utility"]["mechanisms"]


def test_two_words() -> None:
    vectors = np.array([[1, 0], [0, 1]], np.float32)
    codes = np.array([[0], [0]], np.uint64)
    distances = measure_distances(vectors, codes, progress=False)
    curves = measure_utility(vectors, codes, distances, progress=False)
    assert curves.words == 2
    assert [point.unchanged for point in curves.mechanisms["brr"]] == [0.5] * len(ESTIMATED_LOSSES)
