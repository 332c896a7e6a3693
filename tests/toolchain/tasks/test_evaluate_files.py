"""What the experiments read and keep: labeled texts, lexicons, raw results."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from bundle_tools import error_of

from brrkit_toolchain.language.lexicon import tokenizer_of
from brrkit_toolchain.tasks.corpus import read_corpus
from brrkit_toolchain.tasks.dataset import Dataset, read_dataset
from brrkit_toolchain.utility.evaluate.parts import split


class TestDataset:
    def test_csv_with_quotes(self, tmp_path: Path) -> None:
        file = tmp_path / "reviews.csv"
        file.write_text('id,text,label\n1,"good, ""very""\ngood",pos\n2,bad,neg\n3,, pos \n')
        dataset = read_dataset(file, "text", "label")
        assert dataset.texts == ['good, "very"\ngood', "bad"]
        assert dataset.classes == ("neg", "pos")
        assert dataset.labels.tolist() == [1, 0]
        assert (dataset.testing, dataset.empty, dataset.name) == (None, 1, "reviews.csv")

    def test_tsv_keeps_quotes(self, tmp_path: Path) -> None:
        file = tmp_path / "reviews.tsv.gz"
        file.write_bytes(gzip.compress(b'label\ttext\nb\t"so called\na\t"art"\n'))
        dataset = read_dataset(file, "text", "label")
        assert dataset.texts == ['"so called', '"art"']
        assert dataset.labels.tolist() == [1, 0]

    def test_split_column(self, tmp_path: Path) -> None:
        file = tmp_path / "reviews.csv"
        file.write_text("text,label,part\nx,a,train\ny,b,Test\nz,a,dev\n")
        dataset = read_dataset(file, "text", "label", "part")
        assert dataset.texts == ["x", "y"]
        assert dataset.testing is not None
        assert dataset.testing.tolist() == [False, True]

    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            (b"review,label\nx,a\ny,b\n", "no column 'text' among its 2 fields"),
            (b"text,label\nx,a\ny,a\n", "1 classes in 2 texts"),
            (b"text,label\nx,a\ny\n", "line 3 has 1 columns, but the first line names 2"),
            (b"text,label\nx,a\ny,\n", "line 3 has nothing in column 'label'"),
        ],
    )
    def test_bad_content(self, tmp_path: Path, content: bytes, expected: str) -> None:
        file = tmp_path / "reviews.csv"
        file.write_bytes(content)
        message = error_of(read_dataset, file, "text", "label")
        assert message.startswith(f"{file}: ")
        assert expected in message

    def test_split_column_without_a_part(self, tmp_path: Path) -> None:
        file = tmp_path / "reviews.csv"
        file.write_text("text,label,part\nx,a,train\ny,b,train\n")
        assert "no row has 'test'" in error_of(read_dataset, file, "text", "label", "part")

    @pytest.mark.parametrize("name", ["reviews.txt", "absent.csv", "damaged.csv.gz"])
    def test_bad_file(self, tmp_path: Path, name: str) -> None:
        for there in ("reviews.txt", "damaged.csv.gz"):
            (tmp_path / there).write_bytes(gzip.compress(b"text,label\nx,a\ny,b\n")[:-9])
        assert error_of(read_dataset, tmp_path / name, "text", "label").startswith(str(tmp_path))


class TestCorpus:
    TEXTS = Dataset(
        ["Good film!", "xyz", "bad bad unknown FILM", "it's good"],
        np.array([1, 0, 0, 1]),
        ("neg", "pos"),
        None,
        0,
        "some.csv",
        "",
    )
    WORDS = ("film", "good", "bad", "it", "'s")

    def test_ids(self) -> None:
        corpus = read_corpus(self.TEXTS, tokenizer_of(self.WORDS), progress=False)
        assert corpus.ids.tolist() == [1, 0, 2, 2, 0, 3, 1]  # "it's" is one word
        assert corpus.offsets.tolist() == [0, 2, 5, 7]
        assert corpus.labels.tolist() == [1, 0, 1]
        assert corpus.unknown == 1
        assert corpus.counts(6).tolist() == [2, 2, 2, 1, 0, 0]

    def test_first_words_of_some_texts(self) -> None:
        corpus = read_corpus(self.TEXTS, tokenizer_of(self.WORDS), progress=False)
        texts = corpus.start(np.array([2, 0]), 1)
        assert (texts.ids.tolist(), texts.offsets.tolist()) == ([3, 1], [0, 1, 2])
        assert texts.labels.tolist() == [1, 1]
        texts = corpus.start(np.array([1, 0]), None)
        assert (texts.ids.tolist(), texts.offsets.tolist()) == ([2, 2, 0, 1, 0], [0, 3, 5])

    def test_no_known_word(self) -> None:
        assert "some.csv: no text has a word" in error_of(
            read_corpus, self.TEXTS, tokenizer_of(("other",))
        )

    def test_split_is_disjoint_and_keeps_to_the_split_column(self) -> None:
        testing = np.arange(100) % 3 == 0
        texts = Dataset(
            ["film"] * 100, np.arange(100) // 3 % 2, ("a", "b"), testing, 0, "some.csv", ""
        )
        corpus = read_corpus(texts, tokenizer_of(self.WORDS), progress=False)
        parts = split(corpus, 15, np.random.default_rng(0))
        used = np.concatenate([parts.train, parts.validation, parts.test, parts.reserve])
        assert len(used) == len(set(used.tolist())) == 60
        assert not testing[parts.train].any()
        assert not testing[parts.validation].any()
        assert testing[parts.test].all()
        assert testing[parts.reserve].all()

    @pytest.mark.parametrize(
        ("labels", "expected"), [([0, 1] * 15, "too few"), ([0] * 99 + [1], "only one class")]
    )
    def test_split_of_too_little(self, labels: list[int], expected: str) -> None:
        texts = Dataset(
            ["film"] * len(labels), np.array(labels), ("a", "b"), None, 0, "some.csv", ""
        )
        corpus = read_corpus(texts, tokenizer_of(self.WORDS), progress=False)
        assert expected in error_of(split, corpus, 50, np.random.default_rng(0))
