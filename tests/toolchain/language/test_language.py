"""The language model of a bundle: counts of a public text, pruned and rounded to bytes."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import json
import lzma
import shutil
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bundle_tools import contents, leftovers, rewrite, text_embeddings
from numpy.typing import NDArray

from brrkit import ParameterError, WordBundle
from brrkit.bundle import INDEX, MANIFEST
from brrkit.masses import LEVELS
from brrkit_toolchain.bundle.build import build_bundle
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.bundle.sources import BundleSources
from brrkit_toolchain.bundle.verify import verify_bundle
from brrkit_toolchain.bundle.writer import encode_index, masses_of, model_of
from brrkit_toolchain.language import model as model_module
from brrkit_toolchain.language.learn import learn_language
from brrkit_toolchain.language.lexicon import tokenizer_of
from brrkit_toolchain.language.model import (
    Counts,
    Frequent,
    LanguageModel,
    count,
    frequent,
    model_of_counts,
    model_of_ranks,
)

if TYPE_CHECKING:
    from conftest import Brr

SIZE = 30
NONE = SIZE  # of a word
SECRET = "qzvypassphrase"


def texts(seed: int = 0, number: int = 400) -> list[NDArray[np.int32]]:
    """Return texts of words in which some pairs are frequent, with unknown words among them."""
    generator = np.random.default_rng(seed)
    shares = 1 / (np.arange(SIZE + 1) + 1.0)
    made = []
    for _ in range(number):
        text = generator.choice(SIZE + 1, 20, p=shares / shares.sum()).astype(np.int32)
        follows = np.flatnonzero((text[:-1] < 6) & (generator.random(19) < 0.5))
        text[follows + 1] = text[follows] + 7
        made.append(text)
    return made


def counted_plainly(some: list[NDArray[np.int32]]) -> tuple[Counter[int], Counter[tuple[int, int]]]:
    words = Counter(int(word) for text in some for word in text if word < SIZE)
    pairs = Counter(
        (int(a), int(b)) for text in some for a, b in pairwise(text) if a < SIZE and b < SIZE
    )
    return words, pairs


def having_plainly(some: list[NDArray[np.int32]]) -> tuple[Counter[int], Counter[tuple[int, int]]]:
    """Return how many texts have each word, and each pair."""
    apart = [counted_plainly([text]) for text in some]
    return Counter(word for words, _ in apart for word in words), Counter(
        pair for _, pairs in apart for pair in pairs
    )


def same(left: LanguageModel, right: LanguageModel) -> bool:
    names = ("masses", "before", "after", "gains")
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in names)


@pytest.fixture(scope="module")
def counts() -> Counts:
    return count(texts(), SIZE)


@pytest.fixture(scope="module")
def shown(counts: Counts) -> Frequent:
    return frequent(counts, 5)


class TestCounts:
    @pytest.mark.parametrize("batch", [1, 30, 1 << 22])
    def test_words_and_bigrams_are_counted(
        self, batch: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """However many are counted at a time; none reaches from text to text."""
        monkeypatch.setattr(model_module, "_TOKENS_AT_ONCE", batch)
        some = [*texts(), np.zeros(0, np.int32), np.array([NONE], np.int32)]
        found = count(some, SIZE)
        words, pairs = counted_plainly(some)
        having, pairs_having = having_plainly(some)
        assert found.words.tolist() == [words[word] for word in range(SIZE)]
        assert found.word_texts.tolist() == [having[word] for word in range(SIZE)]
        assert max(having.values()) < max(words.values())
        ordered = sorted(pairs)
        assert found.pairs.tolist() == [a * SIZE + b for a, b in ordered]
        assert found.times.tolist() == [pairs[pair] for pair in ordered]
        assert found.pair_texts.tolist() == [pairs_having[pair] for pair in ordered]
        assert found.times.tolist() != found.pair_texts.tolist()

    def test_many_texts_of_a_large_vocabulary(self) -> None:
        """A pair and the number of its text are one integer: so many would exceed 63 bits."""
        size, number = 1 << 24, 40_000
        assert size**2 * number > 2**63
        found = count([np.full(3, size - 1, np.int32)] * number, size)
        assert (found.words[-1], found.word_texts[-1]) == (3 * number, number)
        assert found.pairs.tolist() == [size**2 - 1]
        assert found.times.tolist() == [2 * number]
        assert found.pair_texts.tolist() == [number]


class TestFrequent:
    @pytest.mark.parametrize("least", [1, 2, 5, 40])
    def test_what_too_few_texts_have_is_left_out(self, least: int) -> None:
        """However often one text has it."""
        some = [*texts(number=30), np.array([28, 29] * 50, np.int32)]
        found = frequent(count(some, SIZE), least)
        (words, pairs), (having, pairs_having) = counted_plainly(some), having_plainly(some)
        assert found.words.tolist() == [
            words[word] if having[word] >= least else 0 for word in range(SIZE)
        ]
        assert dict(zip(found.pairs.tolist(), found.times.tolist(), strict=True)) == {
            a * SIZE + b: pairs[a, b] for a, b in pairs if pairs_having[a, b] >= least
        }
        assert (28 * SIZE + 29 in found.pairs) == (least == 1)

    @pytest.mark.parametrize("times", [0, 1, 4, 1_000])
    @pytest.mark.parametrize("in_texts", [1, 4])
    def test_a_rare_word_s_count_leaves_no_trace(self, times: int, in_texts: int) -> None:
        """Neither in its own mass and pairs, nor in what others are compared with."""
        rare = SIZE  # one more word
        some = [np.where(text == NONE, SIZE + 1, text).astype(np.int32) for text in texts()]
        expected = model_of_counts(frequent(count(some, SIZE + 1), 5))
        for text in range(in_texts):
            some[text] = np.concatenate([some[text], np.full(times, rare, np.int32)])
        found = count(some, SIZE + 1)
        assert found.words[rare] == times * in_texts
        assert same(model_of_counts(frequent(found, 5)), expected)

    def test_a_rare_pair_s_count_leaves_no_trace(self) -> None:
        """Of frequent words, whose own counts are shown: as if other words were between them."""
        apart = np.array([20, NONE, 25, NONE] * 100, np.int32)
        models = []
        for phrase in (apart, apart[apart != NONE]):
            found = count([*texts(), *[phrase] * 3], SIZE)
            shown = frequent(found, 20)
            assert (shown.words[[20, 25]] > 300).all()
            often = found.times[found.pairs == 20 * SIZE + 25].sum()
            assert (often >= 300) == (phrase is not apart)
            models.append(model_of_counts(shown))
        assert same(*models)


class TestBytes:
    def test_a_mass_becomes_the_nearest_level(self) -> None:
        generator = np.random.default_rng(1)
        masses = np.concatenate([np.exp(generator.uniform(0, 23, 2000)), LEVELS[1:]])
        found = model_module._bytes_of(masses.astype(float))
        assert found.min() > 0
        best = np.abs(LEVELS[1:, None] - masses).min(axis=0)
        assert np.abs(LEVELS[found] - masses).tolist() == best.tolist()

    @pytest.mark.parametrize("size", [2, 1000, 50_000])
    def test_masses_of_ranks_fall_as_zipf_s(self, size: int) -> None:
        model = model_of_ranks(size)
        masses = LEVELS[model.masses]
        assert len(model.gains) == len(model.before) == len(model.after) == 0
        assert np.all(np.diff(masses) <= 0)
        assert masses[-1] == 2
        expected = 2 * (size - 1 + 2.7) / (np.arange(size) + 2.7)
        # Half of the step to the next level.
        assert np.all(np.abs(masses - expected) <= np.maximum(0.5, expected / 16) + 1e-6)


class TestPruning:
    def test_masses_are_in_the_order_of_the_counts(self, shown: Frequent) -> None:
        masses = LEVELS[model_of_counts(shown).masses]
        order = np.argsort(-shown.words, kind="stable")
        assert np.all(np.diff(masses[order]) <= 0)
        assert masses.min() == 2

    def test_those_that_gain_most_are_kept(self, shown: Frequent) -> None:
        """What was put into the texts: a word below 6, and the one 7 further."""
        model = model_of_counts(shown, most=6)
        assert model.before.tolist() == [0, 1, 2, 3, 4, 5]
        assert (model.after - model.before).tolist() == [7] * 6

    @pytest.mark.parametrize("least", [1, 5, 12, 100])
    def test_rare_bigrams_are_never_kept(self, counts: Counts, least: int) -> None:
        model = model_of_counts(frequent(counts, least), most=10_000)
        _, pairs = having_plainly(texts())
        kept = zip(model.before.tolist(), model.after.tolist(), strict=True)
        assert all(pairs[pair] >= least for pair in kept)
        assert len(model.gains) > (20 if least == 1 else 0)


MANY = 2_000


@pytest.fixture(scope="module")
def small() -> Counts:
    """Of a text so small that it has most words of the vocabulary in too few texts."""
    generator = np.random.default_rng(5)
    shares = 1 / (np.arange(MANY) + 2.7)
    shares[[2, 40]] = 0  # frequent elsewhere
    ids = generator.choice(MANY, 4_000, p=shares / shares.sum()).astype(np.int32)
    return count(np.split(ids, 400), MANY)


class TestRareWords:
    @pytest.mark.parametrize("least", [1, 5, 20])
    def test_they_have_the_mass_of_their_rank(self, small: Counts, least: int) -> None:
        shown = frequent(small, least)
        rare = shown.words == 0
        assert 500 < rare.sum() < MANY
        masses = LEVELS[model_of_counts(shown).masses]
        ranks = 1 / (np.arange(MANY) + 2.7)
        of_ranks = np.minimum(ranks * shown.words.sum() / ranks[~rare].sum(), least)
        expected = np.where(rare, of_ranks, shown.words)
        expected *= 2 / expected.min()
        # Half of the step to the next level.
        assert np.all(np.abs(masses - expected) <= np.maximum(0.5, expected / 16) + 1e-6)
        assert np.all(np.diff(masses[rare]) <= 0)

    @pytest.mark.parametrize("least", [1, 5, 20])
    def test_none_is_above_a_frequent_one(self, small: Counts, least: int) -> None:
        shown = frequent(small, least)
        masses = LEVELS[model_of_counts(shown).masses]
        assert masses[shown.words == 0].max() <= masses[shown.words > 0].min()

    @pytest.mark.parametrize("size", [2, 1_000, 1 << 20])
    @pytest.mark.parametrize("times", [1, 1_000, 10**9])
    @pytest.mark.parametrize("rank", [0, -1])
    def test_sums_stay_within_the_format(self, size: int, times: int, rank: int) -> None:
        """Of a text of one word and its pair with itself."""
        words = np.zeros(size, np.int64)
        words[rank] = times
        pair = (rank % size) * (size + 1)
        shown = Frequent(1, words, np.array([pair]), np.array([max(1, times - 1)]))
        assert masses_of(model_of_counts(shown)).damage() is None


def conditional(model: LanguageModel, before: int) -> NDArray[np.float64]:
    """Return what a device makes of a model after a word: shares [n]."""
    measure = LEVELS[model.masses].astype(float)
    here = model.before == before
    measure[model.after[here]] += LEVELS[model.gains[here]]
    return np.asarray(measure / measure.sum())


class TestGains:
    @pytest.mark.parametrize("before", [0, 5])
    def test_what_follows_a_word_has_the_probability_of_the_text(
        self, counts: Counts, before: int
    ) -> None:
        """Katz's: a kept bigram has its discounted share and what backs off, others share the rest.

        The smallest masses are rounded to a quarter, and shares by what all together are off.
        """
        model = model_of_counts(frequent(counts, 5), most=100)
        words, pairs = counted_plainly(texts())
        _, having = having_plainly(texts())
        unigram = np.array([words[y] for y in range(SIZE)]) / words.total()
        seen = {
            b: (times - 0.75) / words[a]
            for (a, b), times in pairs.items()
            if a == before and having[a, b] >= 5
        }
        backoff = 1 - sum(seen.values())
        kept = model.after[model.before == before].tolist()
        expected = np.zeros(SIZE)
        for after in kept:
            expected[after] = seen[after] + backoff * unigram[after]
        others = np.setdiff1d(np.arange(SIZE), kept)
        left = 1 - expected.sum()
        expected[others] = left * unigram[others] / unigram[others].sum()
        assert before + 7 in kept
        assert expected[before + 7] > 0.4
        assert conditional(model, before) == pytest.approx(expected, rel=0.3)

    def test_a_word_that_every_word_follows_often_enough(self) -> None:
        """Nothing is left for the words that don't follow it: there are none."""
        steps = np.random.default_rng(4).choice(3, 5000, p=[0.1, 0.8, 0.1])
        found = count([(np.cumsum(steps) % 3).astype(np.int32)], 3)
        assert len(found.times) == 9
        model = model_of_counts(frequent(found, 1))
        for before in range(3):
            assert int(conditional(model, before).argmax()) == (before + 1) % 3
            assert conditional(model, before).max() < 0.9

    def test_a_word_that_only_one_follows(self) -> None:
        """Nearly all of the mass is the gain's, and it is finite."""
        some = [np.array([0, 1] * 50, np.int32)] + [np.arange(SIZE, dtype=np.int32)] * 3
        model = model_of_counts(frequent(count(some, SIZE), 1))
        assert conditional(model, 0)[1] > 0.9
        assert conditional(model, 0).min() > 0


# --- learning from files

WORDS = [f"w{i}" for i in range(SIZE)]


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return [" ".join([*WORDS, SECRET][word] for word in text) for text in texts()]


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


class TestLearning:
    @pytest.mark.parametrize("pack", [bytes, gzip.compress])
    def test_lines_are_texts(
        self, lines: list[str], tmp_path: Path, pack: Callable[[bytes], bytes]
    ) -> None:
        """Compressed ones, too: the digest is that of the file."""
        path = write(tmp_path / "public.txt", pack("\n".join(lines).encode()))
        model, stated = learn_language(tokenizer_of(WORDS), path, None, 5)
        assert same(model, model_of_counts(frequent(count(texts(), SIZE), 5)))
        assert stated == {
            "masses": "text",
            "text": {
                "name": "public.txt",
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
                "tokens": counted_plainly(texts())[0].total(),
                "least": 5,
            },
        }

    def test_the_words_of_rarer_ones_aren_t_stated(self, lines: list[str], tmp_path: Path) -> None:
        path = write(tmp_path / "public.txt", "\n".join(lines).encode())
        (words, _), (having, _) = counted_plainly(texts()), having_plainly(texts())
        least = sorted(having.values())[SIZE // 2]
        _, stated = learn_language(tokenizer_of(WORDS), path, None, least)
        tokens = sum(times for word, times in words.items() if having[word] >= least)
        assert stated["text"]["tokens"] == tokens < words.total()

    @pytest.mark.parametrize(
        ("name", "content", "column", "message"),
        [
            ("t.txt", b"w1 w2 w3\n" * 300, None, "has 900 words .*; at least 1,000 are"),
            ("t.txt", b"", None, "has 0 words of the vocabulary"),
            ("t.txt", b"w1 w2 w3 " * 900, None, "has 0 words of the vocabulary that 5 texts have"),
            ("t.txt", b"w1 foreign words\n" * 1000, None, "67% of its words aren't in the voc"),
            ("t.txt", b"w1\n" * 1000, "body", "a text file has no columns; name none"),
            ("t.csv", b"body\n" + b"w1\n" * 1000, None, "name the one that contains the texts"),
            ("t.txt", b"\xff\xfe w1\n", None, "line 1 isn't UTF-8"),
            ("t.txt.bz2", bz2.compress(b"w1\n"), None, "this suffix states no format"),
            ("t.txt.xz", lzma.compress(b"w1 w2\n" * 900)[:-9], None, "can be read up to line"),
        ],
    )
    def test_what_is_no_text_of_the_language(
        self, tmp_path: Path, name: str, content: bytes, column: str | None, message: str
    ) -> None:
        path = write(tmp_path / name, content)
        with pytest.raises(ParameterError, match=message) as caught:
            learn_language(tokenizer_of(WORDS), path, column, 5)
        assert str(caught.value).startswith(f"{path}: ")


# --- through the commands


@pytest.fixture(scope="module")
def made(lines: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with embeddings, a text, and the bundle of both. Not to be changed."""
    folder = tmp_path_factory.mktemp("language")
    vectors = np.random.default_rng(0).standard_normal((SIZE, 6)).round(3)
    (folder / "words.vec").write_bytes(text_embeddings(WORDS, vectors))
    (folder / "public.txt").write_text("\n".join(lines))
    plan = BuildPlan(bits=64, method="lsh", text=folder / "public.txt")
    build_bundle(folder / "words.vec", folder / "bundle", plan)
    return folder


def building(made: Path, output: Path) -> list[object]:
    """Return the arguments of a build of the embeddings."""
    return ["build", "--embeddings", made / "words.vec", "--method", "lsh", "--output", output]


class TestBuild:
    def test_a_text_makes_a_language(self, brr: Brr, made: Path, tmp_path: Path) -> None:
        done = brr(*building(made, tmp_path / "bundle"), "--text", made / "public.txt")
        assert done.code == 0, done.err
        warning, *_ = done.err.splitlines()
        assert str(made / "public.txt") in warning
        assert "word pairs occur, so use only public text" in warning
        built, other = contents(tmp_path / "bundle"), contents(made / "bundle")
        assert built[INDEX] == other[INDEX]
        opened = WordBundle.open(tmp_path / "bundle")
        assert opened.masses.bigrams == opened.manifest["bigrams"] > 5
        tokens, bigrams = opened.manifest["base"]["text"]["tokens"], opened.masses.bigrams
        line = (
            f"language    learned from {tokens:,} words of public.txt; {bigrams} word pairs; shows "
            "only what occurs in at least 5 texts\n"
        )
        assert line in done.out
        assert line in brr("inspect", tmp_path / "bundle").out
        assert not any(SECRET.encode() in content for content in built.values())

    def test_without_a_text_there_is_no_warning(self, brr: Brr, made: Path, tmp_path: Path) -> None:
        done = brr(*building(made, tmp_path / "bundle"))
        assert (done.code, done.err) == (0, "")
        assert "language    from the words' ranks, without word pairs" in done.out
        masses = WordBundle.open(tmp_path / "bundle").masses
        assert masses.bigrams == 0
        assert np.array_equal(masses.words, model_of_ranks(SIZE).masses)

    def test_least_leaves_out_what_is_rarer(self, brr: Brr, made: Path, tmp_path: Path) -> None:
        options = ("--text", made / "public.txt", "--least", 40)
        assert brr(*building(made, tmp_path / "bundle"), *options).code == 0
        masses = WordBundle.open(tmp_path / "bundle").masses
        _, pairs = having_plainly(texts())
        kept = zip(masses.before.unpack().tolist(), masses.after.unpack().tolist(), strict=True)
        assert all(pairs[pair] >= 40 for pair in kept)
        assert 0 < masses.bigrams < WordBundle.open(made / "bundle").masses.bigrams

    def test_what_few_texts_have_leaves_no_trace(
        self, made: Path, lines: list[str], tmp_path: Path
    ) -> None:
        """Byte for byte, where the manifest has no digest of the text."""
        others = [line.replace("w29", "w3").replace("w28", "w2") for line in lines]
        built = []
        for name, more in (("without", []), ("with", ["w29 w28 w29", "w29 w28 " * 1_000] * 2)):
            (tmp_path / name).mkdir()
            text = write(tmp_path / name / "typed.txt", "\n".join([*others, *more]).encode())
            options: dict[str, Any] = {"bits": 64, "method": "lsh", "text_digest": False}
            build_bundle(
                made / "words.vec", tmp_path / name / "bundle", BuildPlan(text=text, **options)
            )
            built.append(contents(tmp_path / name / "bundle"))
        assert built[0] == built[1]

    def test_the_digest_of_a_text_is_left_out(self, brr: Brr, made: Path, tmp_path: Path) -> None:
        options = ("--text", made / "public.txt", "--no-text-digest", "--json")
        done = brr(*building(made, tmp_path / "bundle"), *options)
        assert done.code == 0, done.err
        assert json.loads(done.out)["manifest"]["base"]["text"] == {
            "name": "public.txt",
            "least": 5,
        }
        digest = hashlib.sha256((made / "public.txt").read_bytes()).hexdigest()
        assert not any(digest.encode() in file for file in contents(tmp_path / "bundle").values())
        built, other = contents(tmp_path / "bundle"), contents(made / "bundle")
        assert built[INDEX] == other[INDEX]
        line = f"from public.txt; {WordBundle.open(tmp_path / 'bundle').masses.bigrams} word pairs"
        assert line in brr("inspect", tmp_path / "bundle").out

    def test_excluded_words_are_unknown(self, brr: Brr, made: Path, tmp_path: Path) -> None:
        (tmp_path / "never.txt").write_text("W3\n\nw8 \nabsent\n")
        options = ("--exclude", tmp_path / "never.txt", "--text", made / "public.txt")
        done = brr(*building(made, tmp_path / "bundle"), *options)
        assert done.code == 0, done.err
        assert "2 excluded" in done.out
        vocabulary = WordBundle.open(tmp_path / "bundle").vocabulary
        left = [word for word in WORDS if word not in ("w3", "w8")]
        assert [vocabulary.word(i) for i in range(len(vocabulary))] == left
        assert vocabulary.find("w3") is None

    def test_a_wrong_option_writes_nothing(
        self, brr: Brr, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "short.txt").write_text("w1 w2\n")
        (tmp_path / "foreign.txt").write_text(f"w1 {SECRET} {SECRET}\n" * 1000)
        (tmp_path / "table.csv").write_text("body\nw1\n")
        (tmp_path / "empty.txt").write_text("\n")
        before = leftovers(tmp_path)
        for option, given, message in (
            ("--text", "missing.txt", "missing.txt: can't be read"),
            ("--text", "text.doc", ".txt, .csv, .tsv, .jsonl, .ndjson"),
            ("--text", "short.txt", "at least 1,000 are needed to learn"),
            ("--text", "foreign.txt", "give --text of its language"),
            ("--text", "table.csv", "name the one that contains the texts"),
            ("--column", "body", "give --text, or no --column"),
            ("--least", "0", "least must be at least 1"),
            ("--exclude", "empty.txt", "the word list is empty"),
            ("--exclude", "missing.txt", "missing.txt: the word list can't be read"),
        ):
            done = brr(*building(made, tmp_path / "bundle"), option, given)
            assert done.code != 0
            assert message in done.err.splitlines()[-1]
            assert SECRET not in done.err
            assert leftovers(tmp_path) == before


class TestVerify:
    def test_the_text_reproduces_masses_and_bigrams(self, brr: Brr, made: Path) -> None:
        done = brr("verify", made / "bundle", "--text", made / "public.txt")
        assert done.code == 0, done.out + done.err
        assert "rebuilt language" in done.out
        assert f"reproduced: {SIZE} masses and " in done.out

    def outcome(self, bundle: Path, text: Path, column: str | None = None) -> dict[str, str]:
        checks = verify_bundle(bundle, BundleSources(text=text, column=column)).checks
        return {check.name: check.detail for check in checks if not check.passed}

    def test_another_text(self, made: Path, tmp_path: Path) -> None:
        content = (made / "public.txt").read_bytes()
        other = write(tmp_path / "public.txt", content.replace(b"w1", b"w2", 1))
        assert (
            "isn't public.txt, which the manifest names"
            in self.outcome(made / "bundle", other)["text"]
        )

    def test_without_a_digest_the_counts_are_compared(
        self, brr: Brr, made: Path, tmp_path: Path
    ) -> None:
        options = ("--text", made / "public.txt", "--no-text-digest")
        assert brr(*building(made, tmp_path / "bundle"), *options).code == 0
        done = brr("verify", tmp_path / "bundle", "--text", made / "public.txt")
        assert done.code == 0, done.out + done.err
        assert "public.txt: the manifest has no SHA-256 of it; only its counts can be" in done.out
        assert f"reproduced: {SIZE} masses and " in done.out
        words = (made / "public.txt").read_text().replace("w1 ", "w2 ")
        other = write(tmp_path / "other.txt", words.encode())
        failed = self.outcome(tmp_path / "bundle", other)
        assert failed == {"rebuilt language": "not reproduced: the text gives other masses"}

    def test_other_numbers_of_words(self, made: Path, tmp_path: Path) -> None:
        bundle = shutil.copytree(made / "bundle", tmp_path / "bundle")
        rewrite(bundle, edit=lambda fields: fields["base"]["text"].update(tokens=7))
        failed = self.outcome(bundle, made / "public.txt")["rebuilt language"]
        assert failed.startswith("the text has ")

    def test_a_bundle_of_ranks(self, brr: Brr, made: Path, tmp_path: Path) -> None:
        assert brr(*building(made, tmp_path / "bundle")).code == 0
        (said,) = self.outcome(tmp_path / "bundle", made / "public.txt").values()
        assert "names no text" in said

    @pytest.mark.parametrize("what", ["masses", "bigrams"])
    def test_other_counts_than_the_text_s(self, made: Path, tmp_path: Path, what: str) -> None:
        """As by somebody who makes the digests fit, and the golden cases."""
        opened = WordBundle.open(made / "bundle")
        kept = model_of(opened)
        changed = (kept.masses if what == "masses" else kept.gains).copy()
        changed[3] += 1
        language = LanguageModel(
            changed if what == "masses" else kept.masses,
            kept.before,
            kept.after,
            kept.gains if what == "masses" else changed,
        )
        index = encode_index(WORDS, opened.codes, language)
        bundle = shutil.copytree(made / "bundle", tmp_path / "bundle")
        failures = self.outcome(rewrite(bundle, {INDEX: index}), made / "public.txt")
        assert failures["rebuilt language"] == f"not reproduced: the text gives other {what}"

    @pytest.mark.parametrize("base", [None, {"text": 7}, {"text": {"name": "x"}}])
    def test_a_manifest_that_says_nothing_of_it(
        self, brr: Brr, made: Path, tmp_path: Path, base: object
    ) -> None:
        bundle = shutil.copytree(made / "bundle", tmp_path / "bundle")
        rewrite(bundle, edit=lambda fields: fields.update(base=base))
        assert json.loads((bundle / MANIFEST).read_bytes())["base"] == base
        assert brr("inspect", bundle).code == 0
        (said,) = self.outcome(bundle, made / "public.txt").values()
        assert "names no text" in said
