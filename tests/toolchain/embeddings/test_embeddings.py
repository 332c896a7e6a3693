"""Reading embeddings: formats, compressions, which words are kept."""

from __future__ import annotations

import gzip
import hashlib
import io
import lzma
import os
import subprocess
import sys
import textwrap
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gensim.downloader
import numpy as np
import pytest
from bundle_tools import data_path
from gensim.models import FastText, KeyedVectors
from gensim.models.fasttext import load_facebook_vectors, save_facebook_model
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from brrkit_toolchain.embeddings import Embeddings, read_embeddings

WORDS = ["the", "of", "naïve", "1984", "naïveté", "nan", "inf", "don't"]
VECTORS = np.random.default_rng(7).normal(size=(len(WORDS), 12)).astype(np.float32)


def text_row(word: str, vector: NDArray[np.float32]) -> str:
    return " ".join([word, *map(str, vector.tolist())]) + "\n"


def glove_text(words: list[str], vectors: NDArray[np.float32]) -> bytes:
    return "".join(map(text_row, words, vectors)).encode()


def word2vec_text(words: list[str], vectors: NDArray[np.float32]) -> bytes:
    return f"{len(words)} {vectors.shape[1]}\n".encode() + glove_text(words, vectors)


def word2vec_binary(words: list[str], vectors: NDArray[np.float32], end: bytes = b"\n") -> bytes:
    header = f"{len(words)} {vectors.shape[1]}\n".encode()
    rows = vectors.astype("<f4")
    return header + b"".join(
        word.encode() + b" " + row.tobytes() + end for word, row in zip(words, rows, strict=True)
    )


def zipped(content: bytes, *names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names or ("inside.txt",):
            archive.writestr(name, content)
    return buffer.getvalue()


Read = Callable[..., Embeddings]
COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "zip": zipped,
}
FORMATS = {
    "glove text": glove_text,
    "word2vec text": word2vec_text,
    "word2vec binary": word2vec_binary,
}


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Write content to a file whose name tells nothing about it, and read that."""

    def write_and_read(content: bytes | str, **options: Any) -> Embeddings:
        path = tmp_path / "embeddings.dat"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_embeddings(path, **options)

    return write_and_read


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_and_compression(tmp_path: Path, name: str, compression: str) -> None:
    content = COMPRESSIONS[compression](FORMATS[name](WORDS, VECTORS))
    path = tmp_path / "misleading.bin.gz"
    path.write_bytes(content)

    result = read_embeddings(str(path))

    assert result.words == tuple(WORDS)
    assert np.array_equal(result.vectors, VECTORS)
    assert result.vectors.dtype == np.float32
    assert result.vectors.flags.c_contiguous
    assert result.format == name
    assert result.skipped == {}
    assert result.source.name == "misleading.bin.gz"
    assert result.source.sha256 == hashlib.sha256(content).hexdigest()


@pytest.fixture(scope="module", params=[{"min_n": 2, "max_n": 4}, {"max_n": 0}], ids=str)
def fasttext_bin(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fasttext") / "model.bin"
    corpus = [["naïve", "cat", "sat", "</s>"], ["cat", "and", "dog"], ["CAT", "cat", "..."]]
    model = FastText(
        corpus, vector_size=7, min_count=1, bucket=50, epochs=1, workers=1, **request.param
    )
    save_facebook_model(model, str(path))
    return path


@pytest.mark.parametrize("compression", ["plain", "zip"])
def test_fasttext_binary(tmp_path: Path, fasttext_bin: Path, compression: str) -> None:
    path = tmp_path / "model"
    path.write_bytes(COMPRESSIONS[compression](fasttext_bin.read_bytes()))

    result = read_embeddings(path)

    expected = load_facebook_vectors(str(fasttext_bin))
    assert result.format == "fasttext binary"
    assert set(result.words) == {"cat", "naïve", "sat", "and", "dog"}
    assert result.words[0] == "cat"
    assert np.allclose(result.vectors, [expected[w] for w in result.words], atol=1e-7)
    assert result.skipped == {
        "marker such as </s>": 1,
        "no word character": 1,
        "duplicate after lower-casing": 1,
    }


@pytest.mark.parametrize("binary", [False, True])
def test_files_written_by_gensim(tmp_path: Path, binary: bool) -> None:
    vectors = KeyedVectors(VECTORS.shape[1])
    vectors.add_vectors(WORDS, VECTORS)
    vectors.save_word2vec_format(str(tmp_path / "vectors"), binary=binary, write_header=True)

    result = read_embeddings(tmp_path / "vectors")

    assert result.format == f"word2vec {'binary' if binary else 'text'}"
    assert set(result.words) == set(WORDS)
    order = [WORDS.index(word) for word in result.words]
    assert np.array_equal(result.vectors, VECTORS[order])


# Eight dimensions: a binary row of one or two numbers may read as text.
_MATRICES = st.lists(
    st.lists(
        st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=8, max_size=8
    ).filter(any),
    min_size=2,
    max_size=6,
)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    words=st.lists(
        st.from_regex(r"[a-zæ-ö0-9']{0,5}[a-z]", fullmatch=True), min_size=6, unique=True
    ),
    matrix=_MATRICES,
    name=st.sampled_from(sorted(FORMATS)),
)
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], matrix: list[list[float]], name: str
) -> None:
    path = tmp_path_factory.mktemp("round_trip") / "file"
    vectors = np.array(matrix, np.float32)
    path.write_bytes(FORMATS[name](words[: len(matrix)], vectors))

    result = read_embeddings(path)

    assert result.words == tuple(words[: len(matrix)])
    assert np.array_equal(result.vectors, vectors)
    assert result.format == name


GOOD = "the 1 2 3\nof 4 5 6\n"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b"New York 7 8 9", "whitespace or control characters"),
        (b"at name@domain.com 7 8 9", "whitespace or control characters"),
        ("a\u00a0b 7 8 9".encode(), "whitespace or control characters"),
        ("a\u2028b 7 8 9".encode(), "whitespace or control characters"),
        (b"a\x00b 7 8 9", "whitespace or control characters"),
        (b"a\x7fb 7 8 9", "whitespace or control characters"),
        (b"a\rb 7 8 9", "whitespace or control characters"),
        (b"caf\xe9 7 8 9", "stray unicode"),
        ("caf\ufffd 7 8 9".encode(), "stray unicode"),
        (b"\xed\xa0\x80 7 8 9", "stray unicode"),
        (b" 7 8 9", "empty word"),
        (b"... 7 8 9", "no word character"),
        ("😀 7 8 9".encode(), "no word character"),
        (b"u.s. 7 8 9", "with signs that texts are cut at"),
        (b"new_york 7 8 9", "with signs that texts are cut at"),
        (b"0.05 7 8 9", "with signs that texts are cut at"),
        (b"the, 7 8 9", "with signs that texts are cut at"),
        (b"&amp; 7 8 9", "with signs that texts are cut at"),
        (b"ENTITY/Of 7 8 9", "with signs that texts are cut at"),
        ("▁of 7 8 9".encode(), "with signs that texts are cut at"),
        (b"1 2 7 8 9", "whitespace or control characters"),
        (b"and 7 nan 9", "vector with NaN or infinity"),
        (b"and 7 1e39 9", "vector with NaN or infinity"),
        (b"</s> 7 8 9", "marker such as </s>"),
        (b"<unk> 7 8 9", "marker such as </s>"),
        (b"The 7 8 9", "duplicate after lower-casing"),
        (b"zero 0 0.0 -0", "all-zero vector"),
    ],
)
@pytest.mark.parametrize("header", [b"", b"3 3\n"], ids=["glove", "word2vec"])
def test_unusable_words_are_skipped_and_counted(
    read: Read, header: bytes, row: bytes, reason: str
) -> None:
    first, second = GOOD.encode().splitlines(keepends=True)
    result = read(header + first + row + b"\n" + second)

    assert result.words == ("the", "of")
    assert np.array_equal(result.vectors, [[1, 2, 3], [4, 5, 6]])
    assert result.skipped == {reason: 1}


def test_words_are_normalized_and_the_first_usable_one_wins(
    read: Read,
) -> None:
    result = read("DON’T 1 2\nÉTÉ 0 0\nÉté 3 4\ndon't 5 6\nété 7 8\n")
    assert result.words == ("don't", "été")
    assert np.array_equal(result.vectors, [[1, 2], [3, 4]])
    assert result.skipped == {"duplicate after lower-casing": 2, "all-zero vector": 1}


@pytest.mark.parametrize(
    "content",
    [
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", " \n"),
        GOOD.replace(" ", "\t"),
        GOOD.rstrip("\n"),
        GOOD + "\n\n",
        "\n" + GOOD,
        "\ufeff" + GOOD,
        "\ufeff2 3\n" + GOOD,
        "2 3\r\n" + GOOD.replace("\n", " \r\n"),
        "the +1 2.0e0 3.\nof 4e0 5 .6e1\n",
    ],
)
def test_harmless_variations(read: Read, content: str) -> None:
    result = read(content)
    assert result.words == ("the", "of")
    assert np.array_equal(result.vectors, [[1, 2, 3], [4, 5, 6]])


def test_two_numbers_are_a_header_only_if_both_are_positive_integers(
    read: Read,
) -> None:
    assert read("5 0.5\n6 0.25\n").words == ("5", "6")
    assert read("0 7\n6 8\n").words == ("0", "6")


def test_binary_number_with_the_byte_of_a_newline(read: Read) -> None:
    vectors = VECTORS.copy()
    vectors[0, 0] = np.frombuffer(b"\n333", "<f4")[0]
    result = read(word2vec_binary(WORDS, vectors, end=b""))
    assert result.format == "word2vec binary"
    assert np.array_equal(result.vectors, vectors)


def test_rows_across_blocks(read: Read) -> None:
    # About 3 MB: several reads of a megabyte each, with rows across their borders.
    vectors = np.random.default_rng(1).normal(size=(1500, 500)).astype(np.float32)
    for name, write in FORMATS.items():
        count = 1500 if name == "word2vec binary" else 300
        words = [f"word{i}" for i in range(count)]
        content = write(words, vectors[:count])
        assert len(content) > 2_900_000
        result = read(content)
        assert result.words == tuple(words)
        assert np.array_equal(result.vectors, vectors[:count])


class TestVocabularySize:
    def test_keeps_the_first_usable_words(self, read: Read) -> None:
        result = read("the 1\n... 1\nThe 1\nof 2\nand 3\nTHE 4\n", vocabulary_size=2)
        assert result.words == ("the", "of")
        assert result.vectors.shape == (2, 1)
        assert result.skipped == {"no word character": 1, "duplicate after lower-casing": 1}

    def test_further_rows_take_the_place_of_words_that_are_cut(self, read: Read) -> None:
        """Each batch of the text has all rows; the words that are cut are asked for anew."""
        asked: list[list[str]] = []

        def cut(words: Sequence[str]) -> list[str]:
            asked.append(list(words))
            return [word for word in words if word in ("b", "d")]

        rows = "".join(f"{word} {number}\n" for number, word in enumerate("abcbdefg", 1))
        result = read(rows, vocabulary_size=4, cut=cut)
        assert result.words == ("a", "c", "e", "f")
        assert result.vectors.tolist() == [[1], [3], [6], [7]]
        assert result.skipped == {
            "duplicate after lower-casing": 1,
            "cut into more frequent words": 2,
        }
        assert asked == [["a", "b", "c", "d"], ["a", "c", "e", "f"]]
        assert read(rows, cut=cut).words == ("a", "c", "e", "f", "g")

    @pytest.mark.parametrize("bad", ["and 1 2", "and 1 2 x", "and 1 2 3 4"])
    def test_reads_no_further(self, read: Read, bad: str) -> None:
        assert read(GOOD + bad, vocabulary_size=2).words == ("the", "of")

    def test_of_binary_files(self, read: Read, fasttext_bin: Path) -> None:
        content = word2vec_binary(WORDS, VECTORS)
        assert read(content[:-20], vocabulary_size=3).words == ("the", "of", "naïve")
        assert read(content, vocabulary_size=10**9).words == tuple(WORDS)
        assert len(read_embeddings(fasttext_bin, vocabulary_size=2).words) == 2


def test_word_list(read: Read, tmp_path: Path) -> None:
    listed = tmp_path / "list.txt"
    listed.write_text("\ufeffDON’T\r\n\n  of \nmissing\n", encoding="utf-8")
    result = read("the 1\ndon't 2\nThe 3\nof 4\n", word_list=listed)
    assert result.words == ("don't", "of")
    assert result.vectors.tolist() == [[2], [4]]
    assert result.skipped == {"not in the word list": 2}


def test_member_of_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "glove.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("d/other.txt", "a 1\nb 2\n")
        archive.writestr("wanted.txt", GOOD)
    result = read_embeddings(f"{path}:wanted.txt")
    assert result.words == ("the", "of")
    assert result.source.name == "glove.zip:wanted.txt"
    assert result.source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert read_embeddings(f"{path}:d/other.txt").words == ("a", "b")


def test_gensim_data_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "glove-toy-3.gz"
    path.write_bytes(gzip.compress(GOOD.encode()))

    def load(name: str, return_path: bool = False) -> str:
        assert (name, return_path) == ("glove-toy-3", True)
        print("[====] 100%")
        return str(path)

    monkeypatch.setattr(gensim.downloader, "load", load)
    monkeypatch.chdir(tmp_path)
    result = read_embeddings("glove-toy-3")
    assert result.words == ("the", "of")
    assert result.source.name == "glove-toy-3"
    assert result.source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert capsys.readouterr().out == ""
    Path("glove-toy-3").write_text(GOOD + "file 7 8 9\n")  # a file comes before a data set
    assert read_embeddings("glove-toy-3").words == ("the", "of", "file")


def test_peak_memory_stays_near_the_matrix(tmp_path: Path) -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("peak memory is read from /proc")
    rows, dimensions = 40_000, 100
    numbers = " ".join(f"{0.0123 * (j + 1):.4f}" for j in range(dimensions))
    path = tmp_path / "large.txt"
    lines = [f"w{i} {numbers}\n" for i in range(rows)]
    path.write_text("".join(lines))
    (tmp_path / "small.txt").write_text("".join(lines[:2_000]))  # enough to load the compiler
    # VmHWM and not getrusage: that one inherits the peak of this process.
    script = """
        import re, sys
        from pathlib import Path
        from brrkit_toolchain.embeddings import read_embeddings

        def peak():
            return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

        read_embeddings(sys.argv[1])
        before = peak()
        assert read_embeddings(sys.argv[2]).vectors.shape[0] == 40_000
        print(1024 * (peak() - before))
    """
    growth = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), tmp_path / "small.txt", path],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    ).stdout
    matrix = 4 * rows * dimensions
    assert matrix <= int(growth) < 3.2 * matrix


def test_real_glove() -> None:
    result = read_embeddings(data_path("embeddings/glove.6B.300d.7361words.txt.gz"))
    assert result.format == "glove text"
    assert result.vectors.shape == (7119, 300)
    assert result.skipped == {"no word character": 25, "with signs that texts are cut at": 217}
    the = result.vectors[result.words.index("the")]
    assert np.array_equal(the[:3], np.array([0.04656, 0.21318, -0.0074364], np.float32))


def test_real_word2vec_text() -> None:
    path = data_path("embeddings/wikipedia-imdb.300d.50k.vec.gz")
    result = read_embeddings(path, vocabulary_size=3000)
    assert result.format == "word2vec text"
    assert result.vectors.shape == (3000, 300)
    assert result.words[0] == "the"
