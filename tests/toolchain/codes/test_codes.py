from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from bundle_tools import data_path
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit_toolchain.codes import METHODS, Codes, autoencoder, make_codes
from brrkit_toolchain.codes.autoencoder import Parameters
from brrkit_toolchain.codes.packing import pack, unpack
from brrkit_toolchain.embeddings import read_embeddings
from brrkit_toolchain.utility.neighbors import neighbor_overlap, read_word_pairs, word_similarity

Doubles = NDArray[np.float64]

GLOVE_300 = "embeddings/glove.6B.300d.7361words.txt.gz"
GLOVE_50 = "embeddings/glove.6B.50d.top9163.txt.gz"

# What the paper's C program reaches on GLOVE_300, the best of 5 and 40 epochs. Correlations
# with MEN, SimLex and WS353, then NN@10.
ORIGINAL = {64: (0.628, 0.209, 0.503, 0.296), 128: (0.675, 0.312, 0.567, 0.438)}
# What a correlation may be below that. BLAS computes otherwise on another machine, as from
# another seed, and with few pairs the correlations of seeds have a large standard deviation: of the
# autoencoder, SimLex 0.023, on average 0.107 above ORIGINAL; WS353 (198 pairs) 0.029, 0.074 above.
# MEN's is 0.007, 0.069 above, and NN@10's 0.002, 0.093 above. (Six seeds.)
TOLERANCE = (0.0, 0.06, 0.14, 0.0)


def clustered(words: int = 200, dimensions: int = 128, seed: int = 7) -> NDArray[np.float32]:
    """Return vectors in clusters of 10, off the origin."""
    generator = np.random.default_rng(seed)
    centers = generator.standard_normal((words // 10, dimensions)).repeat(10, axis=0)
    noise = generator.standard_normal((words, dimensions))
    return (centers + 1.3 * noise + 0.5).astype(np.float32)


def make(
    vectors: NDArray[np.float32],
    method: str,
    bits: int = 128,
    seed: int = 0,
    effort: str = "low",
) -> Codes:
    return make_codes(vectors, bits=bits, method=method, effort=effort, seed=seed, progress=False)


@cache
def made(method: str) -> NDArray[np.uint64]:
    """Return the codes of ``clustered()`` with seed 0, for all tests to compare with."""
    codes = make(clustered(), method)
    assert codes.method == method
    assert all(type(value) in {int, float, str} for value in codes.settings.values())
    assert codes.packed.shape == (200, 2)
    assert codes.packed.dtype == np.uint64
    assert codes.packed.flags.c_contiguous
    return codes.packed


# Packing


@pytest.mark.parametrize("bits", [64, 192, 512])
def test_packing_round_trip(bits: int) -> None:
    matrix = np.random.default_rng(1).integers(0, 2, (17, bits)).astype(np.bool_)
    packed = pack(matrix)
    assert packed.shape == (17, bits // 64)
    assert packed.dtype == np.uint64
    unpacked = unpack(packed)
    assert unpacked.dtype == np.bool_
    np.testing.assert_array_equal(unpacked, matrix)


def test_every_bit_has_its_place() -> None:
    packed = pack(np.eye(192, dtype=np.bool_))
    octets = packed.astype("<u8").tobytes()
    for j in range(192):
        assert [int(word) for word in packed[j]] == [
            1 << (j % 64) if word == j // 64 else 0 for word in range(3)
        ]
        assert octets[24 * j + j // 8] == 1 << (j % 8)


def test_packing_takes_any_memory_layout() -> None:
    matrix = np.random.default_rng(2).integers(0, 2, (128, 10)).astype(np.bool_)
    np.testing.assert_array_equal(pack(matrix.T), pack(matrix.T.copy()))
    words = pack(matrix.T)
    np.testing.assert_array_equal(unpack(words[::2]), matrix.T[::2])


# Every method


@pytest.mark.parametrize("method", METHODS)
def test_another_seed_gives_other_codes(method: str) -> None:
    vectors = clustered()
    untouched = vectors.copy()
    other = make(vectors, method, seed=6).packed
    assert (made(method) != other).any(axis=1).mean() > 0.9
    np.testing.assert_array_equal(vectors, untouched)


@pytest.mark.parametrize("method", METHODS)
def test_only_seed_and_directions_count(method: str) -> None:
    """A seed gives the same codes again, and lengths change nothing."""
    vectors = clustered()
    powers_of_two = np.random.default_rng(0).integers(-3, 4, len(vectors))
    longer = np.ldexp(vectors, powers_of_two[:, None])  # exact: no rounding differs
    np.testing.assert_array_equal(made(method), make(longer, method).packed)


@pytest.mark.parametrize("method", METHODS)
def test_words_of_a_cluster_get_similar_codes(method: str) -> None:
    vectors = clustered()
    codes = made(method)
    overlap = neighbor_overlap(vectors, codes)
    assert overlap > 0.3  # chance: 10 of 199
    if method != "lsh":
        assert overlap > neighbor_overlap(vectors, made("lsh")) + 0.1
    balance = unpack(codes).mean(axis=0)
    assert balance.min() > 0.2
    assert balance.max() < 0.8


@pytest.mark.parametrize("method", METHODS)
def test_two_words(method: str) -> None:
    codes = make(clustered(dimensions=64)[[0, 100]], method, bits=64)
    assert codes.packed.shape == (2, 1)
    assert codes.packed[0] != codes.packed[1]


@pytest.mark.parametrize("bits", [-64, 0, 1, 32, 63, 65, 100, 513, 576])
def test_bits_out_of_range(bits: int) -> None:
    with pytest.raises(ParameterError, match=rf"bits: {bits} is not a multiple of 64"):
        make(clustered(), "lsh", bits=bits)


@pytest.mark.parametrize("shape", [(0, 8), (1, 8), (8,)])
def test_too_few_words(shape: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError, match="at least 2 rows"):
        make(np.ones(shape, np.float32), "lsh")


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e30])
def test_numbers_that_cannot_be_used(value: float) -> None:
    vectors = clustered()
    vectors[3, 4] = value
    with pytest.raises(ParameterError, match="vectors:"):
        make(vectors, "lsh")


@pytest.mark.parametrize("method", METHODS)
def test_words_that_do_not_differ(method: str) -> None:
    with pytest.raises(ParameterError, match="same code"):
        make(np.ones((20, 64), np.float32), method, bits=64)


# The autoencoder


def autoencoder_loss(learned: Parameters, at: Parameters, x: Doubles, neighbors: Doubles) -> float:
    """Return the loss, with codes that move from those of ``at`` by the slope of a tanh."""
    settings = autoencoder.SETTINGS
    width = settings["slope_width"]
    z, there = x @ learned.weights.T, x @ at.weights.T
    code = np.where(there >= 0, 0.5, -0.5)
    code += width * (np.tanh(z / width) - np.tanh(there / width))
    decoded = np.tanh(code @ learned.weights + learned.bias)
    excess = learned.weights.T @ learned.weights - np.eye(x.shape[1])
    scores = code @ code.T * (4 / len(learned.weights)) * np.exp(learned.log_gain)
    np.fill_diagonal(scores, -np.inf)
    logarithms = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    np.fill_diagonal(logarithms, 0)
    return float(
        ((decoded - x) ** 2).mean() / settings["scale"] ** 2
        + settings["orthogonality"] * (excess**2).mean()
        - settings["neighbors"] * (neighbors * logarithms).sum(axis=1).mean()
    )


@pytest.mark.parametrize("place", range(3))
def test_gradients_are_those_of_the_loss(place: int) -> None:
    """Of W, of c and of the gain, each in a random direction, against differences."""
    generator = np.random.default_rng(place)
    x = generator.normal(0, 0.35, (20, 6))
    at = Parameters(generator.normal(0, 0.4, (8, 6)), generator.normal(0, 0.1, 6), np.array(1.5))
    neighbors = autoencoder._softmax(3 * x @ x.T)
    direction = generator.normal(0, 1, at.arrays[place].shape)

    def moved(by: float) -> float:
        arrays = list(at.arrays)
        arrays[place] = arrays[place] + by * direction
        return autoencoder_loss(Parameters(*arrays), at, x, neighbors)

    found = autoencoder.gradients(at, x, neighbors).arrays[place]
    difference = (moved(1e-5) - moved(-1e-5)) / 2e-5
    assert np.vdot(found, direction) == pytest.approx(difference, rel=1e-5)


def test_autoencoder_makes_more_bits_than_dimensions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brrkit_toolchain.codes.autoencoder.STEPS", 38)
    codes = make(clustered(words=60, dimensions=50), "autoencoder", bits=512)
    assert codes.packed.shape == (60, 8)
    assert codes.settings["steps"] == 3


# Real embeddings, with a training each: more bits run the same lines, and
# benchmarks/results/codes.md has them.


read = cache(read_embeddings)


def measured(method: str, bits: int, effort: str = "medium") -> list[float]:
    """Return what ORIGINAL has for these codes of GLOVE_300."""
    glove = read(data_path(GLOVE_300))
    pairs = read_word_pairs(data_path("wordsim"))
    codes = make(glove.vectors, method, bits=bits, effort=effort).packed
    assert method != "neighborhood" or len(np.unique(codes, axis=0)) == len(codes)
    similarity = word_similarity(glove.words, glove.vectors, codes, pairs)
    spearman = [similarity[name].codes for name in ("MEN", "SimLex", "WS353")]
    return [*spearman, neighbor_overlap(glove.vectors, codes)]


@pytest.mark.nightly("test_methods_in_order_on_few_dimensions")
@pytest.mark.false_alarm(1e-9)  # 6.3 standard deviations or more
def test_autoencoder_is_as_good_as_the_original(monkeypatch: pytest.MonkeyPatch) -> None:
    """With three fifths of the training, too."""
    monkeypatch.setattr("brrkit_toolchain.codes.autoencoder.STEPS", 300)
    ours = measured("autoencoder", 64)
    assert (ours >= np.subtract(ORIGINAL[64], TOLERANCE)).all(), ours
    assert ours[-1] > ORIGINAL[64][-1] + 0.075


def test_neighborhood_is_as_good_as_the_original_with_twice_the_bits() -> None:
    """With a twelfth of the training, too."""
    ours = measured("neighborhood", 64, "low")
    assert (ours >= np.subtract(ORIGINAL[128], TOLERANCE)).all(), ours
    assert ours[-1] > ORIGINAL[128][-1] + 0.04


def test_methods_in_order_on_few_dimensions() -> None:
    vectors = read_embeddings(data_path(GLOVE_50)).vectors
    learned, random = (
        neighbor_overlap(vectors, make(vectors, method).packed) for method in ("autoencoder", "lsh")
    )
    assert learned > random + 0.05
