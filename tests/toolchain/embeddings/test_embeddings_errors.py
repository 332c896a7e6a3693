"""Reading embeddings: every bad input gets one clear error."""

from __future__ import annotations

import bz2
import gzip
import io
import logging
import lzma
import os
import pickle
import re
import resource
import struct
import urllib.error
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import gensim.downloader
import numpy as np
import pytest
from gensim.models import FastText
from gensim.models.fasttext import save_facebook_model

from brrkit.errors import BrrError
from brrkit_toolchain.embeddings import EmbeddingsError, read_embeddings

Fails = Callable[..., None]
GOOD = b"the 1 2 3\nof 4 5 6\n"
BINARY = b"2 12\n" + b"".join(
    word + b" " + np.arange(1, 13, dtype="<f4").tobytes() + b"\n" for word in (b"the", b"of")
)


@cache
def random_text(rows: int) -> bytes:
    vectors = np.random.default_rng(3).normal(size=(rows, 50))
    return "".join(f"w{i} {' '.join(map(str, v))}\n" for i, v in enumerate(vectors)).encode()


@pytest.fixture
def fails(tmp_path: Path) -> Fails:
    """Check that reading this content fails with a message that names the file and fits."""

    def check(content: bytes, message: str, **options: Any) -> None:
        path = tmp_path / "bad.file"
        path.write_bytes(content)
        with pytest.raises(EmbeddingsError, match=re.escape(str(path)) + ".*" + message) as raised:
            read_embeddings(path, **options)
        assert isinstance(raised.value, BrrError)
        assert "\n" not in str(raised.value)

    return check


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (GOOD + b"and 7 8\n", "line 3 has 2 numbers where 3 are expected"),
        (GOOD + b"and 7 8 9 10\n", "line 3 has 4 numbers"),
        (GOOD + b"\nand 7 8\n", "line 4 has 2 numbers"),
        (GOOD + b"and 7 x 9\n", "line 3, column 3 isn't a number"),
        (GOOD + b"and  8 9\n", "line 3, column 2 isn't a number"),
        (GOOD + b"and 7 1_0 9\n", "line 3, column 3 isn't a number"),
        (GOOD + b"and 7 8\r 9\n", "line 3, column 3 isn't a number"),
        (GOOD + "and 7 ٣ 9\n".encode(), "line 3, column 3 isn't a number"),
        (GOOD + b"New York 7 x 9\n", "line 3, column 4 isn't a number"),
        (b"a b 1 2\nof 1 2 3\nand 4 5 6\n", "line 1 isn't a row like the others"),
        (b"3 3\n" + GOOD + b"and 7 8\n", "line 4 has 2 numbers"),
        (b"2 3\nthe 1 2\nof 1 2 3\n", "line 2 has 2 numbers"),
        (b"2 300\n" + GOOD, "line 2 has 3 numbers where 300 are expected"),
        (
            b"3 3\n" + GOOD,
            r"line 1 declares 3 rows but there are 2, all whole; .* sed '1s/\.\*/2 3/' FILE > NEW "
            r"\(or read fewer: --vocabulary-size 2 at most\)",
        ),
        (b"3 3\n" + GOOD[:-1], "truncated: line 1 declares 3 rows but there are 2"),
        (b"%d 3\n" % 10**12 + GOOD[:-1], "truncated: line 1 declares 1000000000000 rows"),
        (b"2 %d\n" % 10**12 + GOOD, "line 1 declares 1000000000000 dimensions"),
        (b"1 3\n" + GOOD, "line 1 declares 1 rows but there are more"),
        (GOOD + b"x" * (3 << 20), "line 3 is longer than"),
        (b"", "empty"),
        (b"just some words\nand more of them\n", "not a known embedding format"),
        (b"x" * (3 << 20), "not a known embedding format"),
        (b"9" * 5000 + b" 3\n" + GOOD + GOOD, "line 1 isn't a row like the others"),
        (bytes(range(256)) * 50, "not a known embedding format"),
        (b"the 1 2 3\n", "has 1 usable words, but 2 are needed"),
        (b"the 1\nThe 2\n... 3\n", r"skipped: 1 no word character, 1 duplicate"),
    ],
)
def test_bad_text(fails: Fails, content: bytes, message: str) -> None:
    fails(content, message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("the 1 2\n".encode("utf-16"), "is UTF-16; iconv -f UTF-16 -t UTF-8 FILE > NEW"),
        ("the 1 2\n".encode("utf-16-be"), "is UTF-16; iconv"),
        (b"version https://git-lfs.github.com/spec/v1\nsize 5\n", "is a Git LFS .*; git lfs pull"),
        (bz2.compress(GOOD), "is compressed with bzip2; bunzip2"),
        (b"\x28\xb5\x2f\xfd" + bytes(9), "is compressed with Zstandard; unzstd"),
        (b"a.txt" + bytes(252) + b"ustar" + bytes(250), "is a tar archive; tar -xf FILE"),
        (gzip.compress(b"a.txt" + bytes(252) + b"ustar" + bytes(250), mtime=0), "is a tar archive"),
        (b"\x93NUMPY\x01\x00v\x00{'descr'", "is a NumPy matrix, without words"),
        (pickle.dumps({"the": 1}), r"is a Python pickle, .*KeyedVectors\.load"),
        (b"\x89HDF\r\n\x1a\n", "is HDF5"),
        (b"<!DOCTYPE html>\n<html>", "is a web page; get the file itself"),
        (b'{"the": [0.1, 0.2]}', "is JSON; write 'word 0.1 0.2 ...', one row per line"),
        (b'[["the", 0.1], ["of", 0.2]]', "is JSON"),
        (b'[\n  {\n "word": "the"', "is JSON"),
        (b"the 1 2\rof 3 4\r", r"is lines that end with CR alone; tr '.r' '.n' < FILE > NEW"),
        (b"the,1,2\nof,3,4\n", "separated by commas; tr ',' ' ' < FILE > NEW"),
        (b"2 2\nthe;1;2\nof;3;4\n", "separated by semicolons; tr ';' ' '"),
        (b"word,a,b\nthe,1,2\nof,3,4\n", "separated by commas"),
        (b"the  1  2\nof  3  4\n", r"separated by more than one space; sed 's/\^ \*//"),
        (b" the 1 2\n of 3 4\n", "separated by more than one space"),
        (b"0 the 1 2\n1 of 3 4\n", "a column of numbers before the words; cut -d' ' -f2- FILE"),
        (b"2 2\n0 the 1 2\n1 of 3 4\n", "a column of numbers before the words"),
        (b"# a title of 3 numbers\n" + GOOD, r"line 1 isn't a row .*; tail -n \+2 FILE > NEW"),
        (b"<<<<<<< HEAD\n" + GOOD, "line 1 isn't a row"),
        (b"2 3 0\n" + GOOD, "line 1 isn't a row .* a header that isn't two numbers"),
        (
            struct.pack("<12id3iq", 5, 5, 5, 5, 5, 1, 2, 2, 9, 3, 6, 99, 1e-4, 2, 2, 0, 7)
            + b"the\0",
            "is a FastText model from before 2017",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_files_are_named(fails: Fails, content: bytes, message: str) -> None:
    fails(content, message)


def rows(pattern: str, count: int = 60) -> bytes:
    """Return rows of words that are written into ``pattern``, and one of a plain word."""
    return "".join(f"{pattern.format(f'w{n}')} {n} 1\n" for n in range(count)).encode()


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("/c/en/{}", r"60 of 60 rows .* all begin with /c/en/; .* sed -n 's\|\^/c/en/\|\|p' FILE"),
        ('"{}"', r"all are quoted; take the quotes off: sed"),
        ("'{}'", "all are quoted"),
        ("{}_NOUN", "all end with _NOUN; take the tags off"),
        ("##{}", "all begin with ##; these are a model's pieces of words"),
        ("▁{}", "all begin with ▁; these are a model's pieces"),
        ("Ġ{}", "all begin with Ġ"),
        ("{}@@", "all end with @@"),
        ("ENTITY/{}", "all begin with ENTITY/; these are titles"),
        ("{}_b", r"all contain _; these are phrases; .*--vocabulary-size"),
        ("{}.n.01", r"all end with \.n\.01"),
        ("{}+b", "all have signs that texts are cut at; take a file of plain words"),
    ],
)
def test_most_rows_have_no_word(fails: Fails, pattern: str, message: str) -> None:
    fails(rows(pattern), message)
    fails(rows(pattern) + rows("{}", 59), "60 of 119 rows have no word that a text can contain")


def test_half_of_the_rows_may_have_no_word(tmp_path: Path) -> None:
    (tmp_path / "half.txt").write_bytes(rows("{}_b") + rows("{}"))
    result = read_embeddings(tmp_path / "half.txt")
    assert len(result.words) == 60
    assert result.skipped == {"with signs that texts are cut at": 60}
    (tmp_path / "list.txt").write_text("w1\nw2\n")
    (tmp_path / "most.txt").write_bytes(rows("{}_b") + rows("{}", 9))
    listed = read_embeddings(tmp_path / "most.txt", word_list=tmp_path / "list.txt")
    assert listed.words == ("w1", "w2")


def test_most_rows_are_known_early(fails: Fails) -> None:
    """Of millions of rows the first ones tell."""
    fails(rows("/c/en/{}", 200_000), r" of [1-9]\d,\d{3} rows have no word")


def test_bad_line_far_behind(fails: Fails) -> None:
    # Behind the first blocks of a megabyte.
    fails(random_text(3000) + b"bad 1 2\n", "line 3001 has 2 numbers where 50 are expected")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (BINARY[:-20], "truncated: the header declares 2 rows but there are 1"),
        (b"3" + BINARY[1:], "declares 3 rows but there are 2, all whole; .*--vocabulary-size 2 at"),
        (BINARY[: len(BINARY) // 3], "truncated: .* there are 0"),
        (b"%d" % 10**12 + BINARY[1:-9], "truncated: the header declares 1000000000000 rows"),
        (BINARY.replace(b" 12\n", b" 60000\n"), "truncated"),
        (BINARY + BINARY[5:], "declares 2 rows but more data follows"),
        (BINARY[:57] + b"\x01" * (3 << 20), "row 2 has no word"),
    ],
)
def test_bad_binary(fails: Fails, content: bytes, message: str) -> None:
    fails(content, message)


@pytest.fixture(scope="module")
def fasttext_bin(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("fasttext") / "model.bin"
    corpus = [["cat", "sat"], ["cat", "and", "dog"]]
    model = FastText(corpus, vector_size=7, min_count=1, bucket=50, epochs=1, workers=1)
    save_facebook_model(model, str(path))
    return path.read_bytes()


@pytest.mark.parametrize("end", [4, 6, 63, 70, 100, 130, 160, 500, -10, -1])
def test_truncated_fasttext(fails: Fails, fasttext_bin: bytes, end: int) -> None:
    fails(fasttext_bin[:end], "truncated or damaged")


@pytest.mark.parametrize(
    ("offset", "value", "message"),
    [
        (8, struct.pack("<i", 8), "damaged"),  # dimensions
        (64 + 8, struct.pack("<i", 1), "classifier"),  # labels
        (64 + 20, struct.pack("<q", 5), "classifier"),  # pruned n-grams
        (64 + 4, struct.pack("<i", 2**31 - 1), "damaged"),  # words
        (40, struct.pack("<i", -1), "damaged"),  # buckets
        (44, struct.pack("<i", -5), "n-grams of -5 to "),  # the shortest n-gram
        (48, struct.pack("<i", 2**31 - 1), "to 2147483647 characters"),  # the longest
        (48, struct.pack("<i", -1), "to -1 characters"),
    ],
)
def test_unsupported_fasttext(
    fails: Fails, fasttext_bin: bytes, offset: int, value: bytes, message: str
) -> None:
    fails(fasttext_bin[:offset] + value + fasttext_bin[offset + len(value) :], message)


def test_quantized_fasttext(fails: Fails, fasttext_bin: bytes) -> None:
    flag = fasttext_bin.index(struct.pack("<?2q", False, 54, 7))
    fails(fasttext_bin[:flag] + b"\1" + fasttext_bin[flag + 1 :], "quantized")


def fast_gzip(content: bytes) -> bytes:
    return gzip.compress(content, compresslevel=1, mtime=0)


def fast_xz(content: bytes) -> bytes:
    return lzma.compress(content, preset=0)


def zipped(content: bytes, *names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, content)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "compress", [fast_gzip, fast_xz, lambda c: zipped(c, "only.txt")], ids=["gzip", "xz", "zip"]
)
def test_truncated_or_damaged_compression(fails: Fails, compress: Callable[[bytes], bytes]) -> None:
    whole = compress(random_text(4000))
    for end in (8, *(int(share * len(whole)) for share in (0.1, 0.5, 0.99))):
        fails(whole[:end], "truncated or damaged")
    content = bytearray(compress(random_text(200)))
    middle = len(content) // 2
    content[middle : middle + 40] = b"\xff" * 40
    fails(bytes(content), "truncated or damaged")


def test_encrypted_archive(fails: Fails) -> None:
    content = bytearray(zipped(GOOD, "a.txt"))
    content[content.index(b"PK\x01\x02") + 8] |= 1  # the flag of an encrypted member
    content[6] |= 1
    fails(bytes(content), "encrypted.*unpack it first")


def test_archive_with_no_or_several_members(fails: Fails, tmp_path: Path) -> None:
    fails(zipped(GOOD), "the archive is empty")
    fails(
        zipped(GOOD, "a.txt", "b.txt"),
        f"several members; .* such as {re.escape(str(tmp_path))}.bad.file:a.txt .*: a.txt, b",
    )
    with pytest.raises(EmbeddingsError, match=r"bad\.file:c\.txt: .*no such member.* a\.txt, b"):
        read_embeddings(f"{tmp_path}/bad.file:c.txt")

    (tmp_path / "plain.txt").write_bytes(GOOD)
    with pytest.raises(EmbeddingsError, match=r"plain\.txt isn't a zip archive"):
        read_embeddings(f"{tmp_path}/plain.txt:a.txt")


@pytest.mark.parametrize(
    "name",
    ["missing.txt", "missing.VEC", "some/missing", "./missing", "x\\missing", "missing.zip:a.txt"],
)
def test_missing_file_is_no_data_set(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gensim.downloader, "load", lambda *_, **__: pytest.fail("was asked"))
    with pytest.raises(EmbeddingsError, match=re.escape(name) + ": no such file"):
        read_embeddings(name)


def test_names_of_no_file(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingsError, match="isn't a file; name the embedding file itself"):
        read_embeddings(tmp_path)
    with pytest.raises(EmbeddingsError, match="can't be read"):
        read_embeddings("x" * 5000 + ".txt")
    with pytest.raises(EmbeddingsError, match="no embeddings are named"):
        read_embeddings("")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads anything")
def test_unreadable_file(tmp_path: Path) -> None:
    path = tmp_path / "secret.txt"
    path.write_bytes(GOOD)
    path.chmod(0)
    with pytest.raises(EmbeddingsError, match=r"secret\.txt: can't be read \(Permission denied\)"):
        read_embeddings(path)


@pytest.mark.parametrize(
    "problem",
    [urllib.error.URLError("no network"), ValueError("Incorrect model/corpus name"), Exception()],
)
def test_data_set_that_cannot_be_had(problem: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(*_: object, **__: object) -> None:
        raise problem

    monkeypatch.setattr(gensim.downloader, "load", load)
    with pytest.raises(EmbeddingsError, match=r"glove-toy-3: no such file.*data set.*network") as e:
        read_embeddings("glove-toy-3")
    assert "Incorrect" not in str(e.value)  # gensim's own words name its folders


def test_offline(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def urlopen(*_: object) -> None:
        raise urllib.error.URLError("no network")

    monkeypatch.setattr(gensim.downloader, "urlopen", urlopen)
    monkeypatch.setattr(gensim.downloader, "BASE_DIR", str(tmp_path / "gensim-data"))
    with pytest.raises(EmbeddingsError, match=r"glove-wiki-gigaword-300: no such file.*network"):
        read_embeddings("glove-wiki-gigaword-300")
    assert not caplog.records  # gensim would have logged a traceback
    assert not logging.getLogger("gensim.downloader").disabled


@pytest.mark.parametrize("size", [1, 0, -5])
def test_vocabulary_size(tmp_path: Path, size: int) -> None:
    with pytest.raises(BrrError, match=f"vocabulary_size must be at least 2, not {size}"):
        read_embeddings(tmp_path / "any.txt", vocabulary_size=size)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"words\.txt: the word list can't be read"),
        (b" \n\n", r"words\.txt: the word list is empty"),
        (b"fine\ncaf\xe9\n", r"words\.txt: line 2 of the word list isn't UTF-8"),
        (b"absent\n", r"bad\.file: has none of the words of .*words\.txt"),
        (b"of\n", r"bad\.file: has 1 usable words, .*1 not in the word list"),
    ],
)
def test_bad_word_list(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "words.txt"
    if content is not None:
        path.write_bytes(content)
    (tmp_path / "bad.file").write_bytes(GOOD)
    with pytest.raises(BrrError, match=message):
        read_embeddings(tmp_path / "bad.file", word_list=path)


def test_word_list_is_a_file_of_bounded_size(tmp_path: Path) -> None:
    (tmp_path / "bad.file").write_bytes(GOOD)
    os.mkfifo(tmp_path / "pipe")  # without a writer: whoever waits for one waits for ever
    (tmp_path / "line").write_bytes(b"w" * 70_000)
    with (tmp_path / "large").open("wb") as file:
        file.truncate(1 << 40)
    for name, message in {
        "pipe": "not a regular file",
        "/dev/zero": "not a regular file",
        "large": "more than 67,108,864 bytes",
        "line": "line 1 of the word list has more than 65,536 bytes",
    }.items():
        with pytest.raises(BrrError, match=message):
            read_embeddings(tmp_path / "bad.file", word_list=tmp_path / name, vocabulary_size=2)


def test_fasttext_of_one_long_word_takes_little_memory(fails: Fails, fasttext_bin: bytes) -> None:
    """4,000 letters have 8 million n-grams of 10 GB in all, if their length isn't bounded."""
    bounded = fasttext_bin[:48] + struct.pack("<i", 2**31 - 1) + fasttext_bin[52:]
    first = 64 + struct.calcsize("<3i2q")
    fails(bounded[:first] + b"w" * 4_000 + bounded[first:], "to 2147483647 characters")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    longest = fasttext_bin[:first] + b"w" * 20_000 + fasttext_bin[first:]
    fails(longest, "truncated or damaged")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes
