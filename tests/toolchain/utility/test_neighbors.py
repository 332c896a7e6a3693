from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from bundle_tools import data_path
from numpy.typing import NDArray
from scipy import stats

from brrkit.errors import ParameterError
from brrkit_toolchain.codes.packing import pack, unpack
from brrkit_toolchain.utility import neighbors
from brrkit_toolchain.utility.neighbors import (
    find_word_pairs,
    measure_quality,
    neighbor_overlap,
    read_word_pairs,
    spearman,
    word_similarity,
)

Floats = NDArray[np.float32]
Codes = NDArray[np.uint64]


def thermometer(*levels: int) -> Codes:
    """Return 64-bit codes whose Hamming distances are the differences of ``levels``."""
    return np.array([[(1 << level) - 1] for level in levels], np.uint64)


def at_degrees(*angles: float) -> Floats:
    radians = np.radians(angles)
    return np.stack([np.cos(radians), np.sin(radians)], axis=1).astype(np.float32)


# Neighbors


def test_overlap_by_hand() -> None:
    # Nearest by cosine: 0-1, 1-0, 2-1, 3-2. By code: 0-1, 1-0, 2-3, 3-2. Length doesn't count.
    vectors = at_degrees(0, 10, 30, 60) * np.array([[9], [0.1], [40], [1]], np.float32)
    codes = thermometer(0, 5, 20, 21)
    assert neighbor_overlap(vectors, codes, k=1) == 3 / 4
    # Two nearest by cosine: 0-12, 1-02, 2-10, 3-21. By code: 0-12, 1-02, 2-31, 3-21.
    assert neighbor_overlap(vectors, codes, k=2) == 7 / 8


def test_a_word_crowded_out_by_twins_is_not_its_own_neighbor() -> None:
    # Of equal distances the lower rank is nearest: 0 and 1, with 2 instead of the word itself.
    codes = thermometer(0, 0, 0, 0, 0, 0)
    # By cosine: 0-12, 1-02, 2-13, 3-24, 4-35, 5-43.
    vectors = at_degrees(0, 1, 2.1, 3.3, 4.6, 6)
    assert neighbor_overlap(vectors, codes, k=2) == (2 + 2 + 1 + 0 + 0 + 0) / 12


def test_overlap_equals_brute_force() -> None:
    generator = np.random.default_rng(0)
    vectors = generator.standard_normal((150, 12)).astype(np.float32)
    codes = pack(vectors @ generator.standard_normal((12, 64)) > 0)
    bits = unpack(codes)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    shared = []
    for word in range(150):
        by_cosine = np.argsort(-(unit @ unit[word]), kind="stable")
        by_code = np.argsort((bits != bits[word]).sum(axis=1), kind="stable")
        near, near_code = (
            [int(o) for o in order if o != word][:10] for order in (by_cosine, by_code)
        )
        shared.append(len(set(near) & set(near_code)) / 10)
    assert neighbor_overlap(vectors, codes) == pytest.approx(np.mean(shared))
    assert neighbor_overlap(vectors[:10], codes[:10]) == 1  # everybody is a neighbor


def test_queries_are_drawn_by_the_seed() -> None:
    generator = np.random.default_rng(1)
    vectors = generator.standard_normal((500, 16)).astype(np.float32)
    codes = pack(vectors @ generator.standard_normal((16, 64)) > 0)
    first, again, other = (
        neighbor_overlap(vectors, codes, queries=50, seed=seed) for seed in (4, 4, 5)
    )
    assert first == again
    assert first != other
    assert abs(first - neighbor_overlap(vectors, codes, queries=500)) < 0.1


# Similarity to human judgments


@pytest.fixture
def few_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbors, "_FEWEST_PAIRS", 3)


WORDS = ("north", "nne", "ne", "east")
VECTORS = at_degrees(0, 20, 45, 90)
CODES = thermometer(0, 3, 30, 10)
PAIRS = [("north", "nne", 9.0), ("north", "ne", 5.0), ("north", "east", 1.0)]


@pytest.mark.usefixtures("few_pairs")
def test_correlation_by_hand() -> None:
    measured = word_similarity(WORDS, VECTORS, CODES, {"winds": PAIRS})["winds"]
    assert measured.float32 == pytest.approx(1)
    # Distances 3, 30, 10 against ranks 1, 2, 3: 1 - 6 * (0 + 1 + 1) / (3 * 8).
    assert measured.codes == pytest.approx(0.5)
    assert measured.pairs == 3


def test_correlation_of_ranks_with_ties() -> None:
    generator = np.random.default_rng(0)
    distances = generator.integers(0, 20, 300)
    scores = distances + generator.normal(size=300).round(1) * 9
    expected = stats.spearmanr(-distances, scores).statistic
    assert spearman(-distances, scores) == pytest.approx(expected, rel=1e-12)


@pytest.mark.usefixtures("few_pairs")
def test_only_pairs_of_known_words_count() -> None:
    pairs = {
        "some": [*PAIRS, ("north", "zephyr", 10.0), ("zephyr", "mistral", 0.0)],
        "too few": PAIRS[:2],
        "none": [("zephyr", "mistral", 1.0)],
    }
    measured = word_similarity(WORDS, VECTORS, CODES, pairs)
    assert set(measured) == {"some"}
    assert measured["some"] == word_similarity(WORDS, VECTORS, CODES, {"some": PAIRS})["some"]


@pytest.mark.usefixtures("few_pairs")
@pytest.mark.parametrize("constant", ["scores", "codes", "vectors"])
def test_no_correlation_where_nothing_varies(constant: str) -> None:
    pairs = [(a, b, 1.0) for a, b, _ in PAIRS] if constant == "scores" else PAIRS
    codes = thermometer(0, 9, 9, 9) if constant == "codes" else CODES
    vectors = at_degrees(0, 0, 0, 0) if constant == "vectors" else VECTORS
    assert word_similarity(WORDS, vectors, codes, {"winds": pairs}) == {}


def test_a_correlation_needs_thirty_pairs() -> None:
    assert word_similarity(WORDS, VECTORS, CODES, {"winds": PAIRS * 9}) == {}
    assert word_similarity(WORDS, VECTORS, CODES, {"winds": PAIRS * 10})["winds"].pairs == 30


@pytest.mark.usefixtures("few_pairs")
def test_quality_is_both_and_becomes_json() -> None:
    measured = measure_quality(WORDS, VECTORS, CODES, {"winds": PAIRS}, seed=2)
    assert measured.nn10 == neighbor_overlap(VECTORS, CODES, seed=2)
    fields = json.loads(json.dumps(asdict(measured), allow_nan=False))
    assert set(fields) == {"nn10", "similarity"}
    assert fields["similarity"]["winds"] == pytest.approx({"codes": 0.5, "float32": 1, "pairs": 3})


# Files of word pairs


def test_columns_by_spaces_or_tabs(tmp_path: Path) -> None:
    (tmp_path / "A.txt").write_bytes(b"sun  sunlight 50.0\r\nTiger\tCat\t7.35\textra\r\n\r\n")
    (tmp_path / "b.txt").write_text("Don’t ÉTÉ 1e1\n", encoding="utf-8")
    assert read_word_pairs(tmp_path) == {
        "A": [("sun", "sunlight", 50.0), ("tiger", "cat", 7.35)],
        "b": [("don't", "été", 10.0)],
    }


def test_files_of_another_kind_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("a b 1\nc d 2\ne f nan\n")
    (tmp_path / "analogies.txt").write_text(": capitals\nAthens Greece Baghdad Iraq\n" * 3)
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "binary.txt").write_bytes(bytes(range(256)) * 4)
    (tmp_path / "readme.md").write_text("a b 1\n")
    (tmp_path / "mostly.txt").write_text("word1 word2 score\na b 1\nc d 2\n")
    assert read_word_pairs(tmp_path) == {
        "good": [("a", "b", 1.0), ("c", "d", 2.0)],
        "mostly": [("a", "b", 1.0), ("c", "d", 2.0)],
    }


def test_no_word_pairs(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="no file of 'word word score' lines"):
        read_word_pairs(tmp_path)
    with pytest.raises(ParameterError, match="not a folder"):
        read_word_pairs(tmp_path / "missing")


def test_word_pairs_beside_embeddings(tmp_path: Path) -> None:
    file = tmp_path / "embeddings" / "some.vec"
    assert find_word_pairs(file) is None
    (tmp_path / "wordsim").mkdir()
    assert find_word_pairs(file) == tmp_path / "wordsim"
    (tmp_path / "embeddings" / "wordsim").mkdir(parents=True)
    assert find_word_pairs(str(file)) == tmp_path / "embeddings" / "wordsim"


def test_published_word_pairs() -> None:
    pairs = read_word_pairs(data_path("wordsim"))
    sizes = {name: len(judged) for name, judged in pairs.items()}
    assert sizes == {"MEN": 3000, "RW": 2034, "SimLex": 999, "SimVerb": 3500, "WS353": 353}
    assert pairs["MEN"][0] == ("sun", "sunlight", 50.0)
    assert ("tiger", "tiger", 10.0) in pairs["WS353"]
