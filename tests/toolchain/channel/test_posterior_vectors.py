"""``brr vectors``: the posterior mean of what was typed, for each released word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bundle_tools import distributions, rewrite, text_embeddings
from gensim.models import KeyedVectors
from numpy.typing import NDArray

from benchmarks.vectors import kary_means
from brrkit import ParameterError, WordBundle
from brrkit.masses import LEVELS
from brrkit.mechanisms.exponential import Exponential
from brrkit.setting import Setting
from brrkit_toolchain import posterior_vectors
from brrkit_toolchain.bundle.writer import masses_of
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.channel.linear import linear_map
from brrkit_toolchain.channel.posterior_vectors import posterior_means
from brrkit_toolchain.embeddings.writer import write_word2vec
from brrkit_toolchain.language.model import LanguageModel

if TYPE_CHECKING:
    from conftest import Brr

SETTING = ("--epsilon", 0.6, "--radius", 12, "--base", "unigram", "--cap", 9)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Other vectors of the ``eight`` words than they were built from, in another order."""
    folder = tmp_path_factory.mktemp("other")
    words = ["other", *(f"w{i}" for i in (3, 7, 0, 1, 2, 6, 5, 4)), "after"]
    (folder / "other.vec").write_bytes(text_embeddings(words, given_vectors()))
    return folder / "other.vec"


def given_vectors() -> NDArray[np.float64]:
    return np.random.default_rng(5).standard_normal((10, 5)).round(3)


def vectors_of(bundle: WordBundle) -> NDArray[np.float64]:
    """Return what ``file`` has for each id of the ``eight``."""
    rows = {f"w{word}": row for row, word in enumerate((3, 7, 0, 1, 2, 6, 5, 4), start=1)}
    return given_vectors()[[rows[bundle.vocabulary.word(i)] for i in range(8)]]


def dense(
    channel: NDArray[np.float64], shares: NDArray[Any], vectors: NDArray[np.floating[Any]]
) -> NDArray[np.float64]:
    """Return the posterior means, from the matrix Pr[y | x] float64[n, n] of rows x."""
    joint = shares[:, None] * channel
    means: NDArray[np.float64] = (joint / joint.sum(axis=0)).T @ vectors
    return means


@pytest.mark.parametrize(
    "parameters",
    [
        {"base": "uniform"},
        {"radius": 0, "base": "unigram"},
        {"radius": 16, "base": "unigram", "cap": 7.0},
    ],
    ids=["uniform", "unigram", "cap"],
)
def test_it_is_the_mean_of_the_dense_posterior(
    eight: WordBundle, file: Path, parameters: dict[str, Any]
) -> None:
    mechanism = Exponential(eight, 0.4, **parameters)
    shares = LEVELS[eight.masses.words]
    expected = dense(distributions(mechanism, eight.codes), shares, vectors_of(eight))
    found = posterior_vectors(eight, file, setting=Setting(0.4, parameters=parameters))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    # Neither of what it could be mistaken for.
    alike = dense(distributions(mechanism, eight.codes), np.ones(8), vectors_of(eight))
    assert np.abs(alike - expected).max() > 0.01
    assert np.abs(vectors_of(eight) - expected).max() > 0.01


def test_the_base_bigram_is_that_of_a_first_word(eight: WordBundle, file: Path) -> None:
    masses = np.array([90, 80, 70, 60, 50, 40, 30, 20], np.uint8)
    model = LanguageModel(
        masses, np.array([2], np.uint32), np.array([4], np.uint32), np.array([120], np.uint8)
    )
    bundle = replace(eight, masses=masses_of(model))
    mechanism = Exponential(bundle, 0.4)
    assert mechanism.base == "bigram"
    expected = dense(distributions(mechanism, bundle.codes), LEVELS[masses], vectors_of(bundle))
    found = posterior_vectors(bundle, file, setting=Setting(0.4))
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("dimensions", [1, 16, 37])
def test_every_dimension_is_the_same_sum(dimensions: int) -> None:
    generator = np.random.default_rng(1)
    codes = generator.integers(1 << 63, size=(30, 1), dtype=np.uint64)
    codes[:15] = codes[0] ^ np.arange(15, dtype=np.uint64)[:, None]  # near one another
    shares = generator.random(30)
    vectors = generator.standard_normal((30, dimensions)).astype(np.float32)
    mechanism = Exponential(bundle_of(codes), 0.3, 4)
    alike = np.full(30, 1 / 30)
    channel = linear_map(codes, mechanism.weights, mechanism.measure(), alike)
    expected = dense(distributions(mechanism, codes), shares, vectors)
    found = posterior_means(channel, shares / shares.sum(), vectors)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_the_closed_form_of_the_benchmark(eight: WordBundle) -> None:
    channel = np.full((8, 8), 0.8 / 8) + 0.2 * np.eye(8)
    vectors = vectors_of(eight).astype(np.float32)
    expected = dense(channel, LEVELS[eight.masses.words], vectors)
    np.testing.assert_allclose(kary_means(eight, vectors), expected, rtol=1e-5, atol=1e-6)


class TestCommand:
    def test_gensim_reads_it(self, brr: Brr, eight: WordBundle, file: Path, tmp_path: Path) -> None:
        output = tmp_path / "vectors.txt"
        done = brr("vectors", eight.path, "--embeddings", file, "--output", output, *SETTING)
        assert (done.code, done.err) == (0, "")
        assert done.out == f"Wrote {output}: 8 words x 5\n"
        read = KeyedVectors.load_word2vec_format(str(output))
        assert read.index_to_key == [eight.vocabulary.word(i) for i in range(8)]
        expected = posterior_vectors(
            eight,
            file,
            setting=Setting(0.6, parameters={"radius": 12, "base": "unigram", "cap": 9}),
        )
        np.testing.assert_allclose(read.vectors, expected, rtol=1e-5)

    def test_errors(self, brr: Brr, eight: WordBundle, file: Path, tmp_path: Path) -> None:
        output, short = tmp_path / "vectors.txt", tmp_path / "short.vec"
        output.write_text("before")
        for lines, options, says in (
            (None, ("--radius", 3), "need an epsilon"),
            (None, (), "recommends no"),
            (None, ("--epsilon", 1, "--base", "bigram"), "base 'bigram' needs bigrams"),
            (["w0 1 2", "w1 2 1", "x 3 3"], SETTING, "short.vec: lacks 6 of the 8 words"),
            ([f"w{i} 1 0" for i in range(7)] + ["w7 0 0"], SETTING, "lacks 1 of the 8 words"),
            (["w0 1 2", "w1 nan 1"], SETTING, "(skipped: 1 vector with NaN or infinity)"),
        ):
            short.write_text("\n".join(lines or []) + "\n")
            source = file if lines is None else short
            done = brr("vectors", eight.path, "--embeddings", source, "--output", output, *options)
            assert (done.code, done.err.count("\n")) == (1, 1)
            assert says in done.err
            assert output.read_text() == "before"
            assert sorted(tmp_path.iterdir()) == [short, output]

    def test_a_mechanism_without_a_formula(
        self, eight: WordBundle, file: Path, bundle: Path
    ) -> None:
        setting = {"mechanism": "brr", "epsilon": 1.0, "parameters": {}, "goal": "x"}
        rewrite(bundle, edit=lambda fields: fields.update(recommended=setting))
        with pytest.raises(ParameterError, match="only the mechanism 'exponential'"):
            posterior_vectors(WordBundle.open(bundle), file)


def test_six_digits(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    write_word2vec(path, ["naïve", "b"], np.array([[1 / 3, -2e-9], [0, 7]], np.float32))
    assert path.read_bytes() == "2 2\nnaïve 0.333333 -2e-09\nb 0 7\n".encode()
