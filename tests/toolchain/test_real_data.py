"""From published embeddings to privatized reviews, where the data is at hand (BRR_DATA)."""

from __future__ import annotations

import csv
import gzip
import json
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bundle_tools import data_path

from brrkit import WordBundle
from brrkit_toolchain.bundle.build import BuildResult, build_bundle

if TYPE_CHECKING:
    from conftest import Brr

pytestmark = pytest.mark.nightly("the same of the sample's words: test_build.py, test_cli.py")

GLOVE = "embeddings/glove.6B.300d.7361words.txt.gz"
REVIEWS = "text/imdb_labelled_50k.tsv.gz"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuildResult:
    output = tmp_path_factory.mktemp("glove") / "bundle"
    return build_bundle(data_path(GLOVE), output, bits=256, method="lsh")


@pytest.fixture(scope="module")
def reviews(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of 25 reviews, one a line, and an empty line."""
    with gzip.open(data_path(REVIEWS), "rt", encoding="utf-8") as lines:
        rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        texts = [row[4] for row in islice(rows, 1, 26)]
    file = tmp_path_factory.mktemp("reviews") / "reviews.txt"
    file.write_text("\n".join([*texts, ""]) + "\n", encoding="utf-8")
    return file


def test_glove_bundle(built: BuildResult) -> None:
    assert built.manifest["vocabulary_size"] > 7_000
    assert built.manifest["source"]["format"] == "glove text"
    assert built.manifest["source"]["dimensions"] == 300
    assert WordBundle.open(built.output).vocabulary.find("the") is not None


def test_word_pairs_beside_the_embeddings_are_measured(built: BuildResult) -> None:
    data_path("wordsim")
    similarity = built.manifest["quality"]["similarity"]
    assert set(similarity) == {"MEN", "RW", "SimLex", "SimVerb", "WS353"}
    # GloVe's published vectors have 0.737 on all of MEN; random hyperplanes lose a little.
    assert similarity["MEN"]["float32"] > 0.7
    assert similarity["MEN"]["codes"] > 0.6


@pytest.mark.parametrize("mechanism", ["brr", "vickrey", "exponential"])
def test_reviews_become_lines_of_vocabulary_words(
    brr: Brr, built: BuildResult, reviews: Path, mechanism: str
) -> None:
    options = ["--epsilon", 0.5, "--mechanism", mechanism]
    outcome = brr("privatize", built.output, "--input", reviews, *options)
    assert (outcome.code, outcome.err) == (0, "")
    texts = reviews.read_text(encoding="utf-8").split("\n")
    lines = outcome.out.split("\n")
    assert len(lines) == len(texts) == 27
    assert lines[-2:] == ["", ""]
    assert all(len(line.split(" ")) > 20 for line in lines[:-2])
    vocabulary = WordBundle.open(built.output).vocabulary
    assert all(vocabulary.find(word) is not None for word in outcome.out.split())


def test_neighbours_of_glove_words(brr: Brr, built: BuildResult) -> None:
    outcome = brr("neighbors", built.output, "hospital", "--json")
    near = {entry["word"] for entry in json.loads(outcome.out)["hospital"]}
    assert near & {"hospitals", "clinic", "patients", "nursing", "doctors", "patient", "medical"}
