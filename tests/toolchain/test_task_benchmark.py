"""What ``python -m benchmarks tasks-sentiment`` computes besides what the toolchain does."""

from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np
import pytest

from benchmarks.tasks import Point, bits_of, kept_label, read_off
from brrkit import WordBundle
from brrkit_toolchain.codes.packing import pack, unpack


def test_a_label_is_kept_as_randomized_response_has_it() -> None:
    # Of three classes at e^epsilon = 4 the label stays with 4/6; any other gets 1/6.
    assert kept_label(1.0, 3, log(4)) == pytest.approx(4 / 6)
    assert kept_label(0.0, 3, log(4)) == pytest.approx(1 / 6)
    assert kept_label(0.7, 3, log(4)) == pytest.approx(0.7 * 4 / 6 + 0.3 / 6)


def test_bits_of_one_task_are_kept() -> None:
    sample, few = WordBundle.sample(), 100
    own = np.array(sample.codes[:few, :1])
    codes = np.hstack([own, np.full((few, 1), -1).astype(np.uint64)])
    tasks = [
        {"name": "a", "classes": [{"bits": [0, 1]}, {"bits": [5]}]},
        {"name": "b", "classes": [{"bits": [2]}, {"bits": [63]}]},
    ]
    bundle = replace(
        sample,
        codes=codes,
        manifest={**sample.manifest, "bits": 128, "task_bits": 64, "tasks": tasks},
    )
    kept = unpack(bits_of(bundle, ["a"]).codes)
    assert (pack(kept[:, :64].astype(np.bool_)) == own).all()
    assert (np.flatnonzero(kept[0, 64:]) == [0, 1, 5]).all()
    assert (kept[:, 64:] == kept[0, 64:]).all()


def test_a_point_is_read_off_between_two() -> None:
    low = Point(0.5, 0.2, 0.1, 0.3, 0.2, 2.0, 0.7, 0.6, 0.5)
    high = replace(low, epsilon=0.8, all=0.4, cosine=0.5, perplexity=8.0)
    assert read_off([low, high], 0.2).epsilon == pytest.approx(0.5)
    assert read_off([low, high], 0.4).perplexity == pytest.approx(8.0)
    between = read_off([low, high], 0.29)
    assert between.all == pytest.approx(0.29)
    assert 0.5 < between.epsilon < 0.8
    assert 0.3 < between.cosine < 0.5
    assert between.vectors == pytest.approx(0.7)
