"""Tasks: labeled texts, what words say of classes, and the bits that say it."""

from __future__ import annotations

import csv
import os
import random
from collections.abc import Callable, Sequence
from hashlib import sha256
from itertools import combinations
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bundle_tools import index_of, rewrite, toy_embeddings

from brrkit import BrrError, BundleError, Privatizer, WordBundle
from brrkit.bundle import INDEX, PARITY
from brrkit.setting import Setting
from brrkit_toolchain import BuildPlan, BundleSources, Task, build_bundle, verify_bundle
from brrkit_toolchain.bundle.verify import golden
from brrkit_toolchain.codes.packing import unpack
from brrkit_toolchain.language.lexicon import tokenizer_of
from brrkit_toolchain.language.model import LEAST
from brrkit_toolchain.tasks import TASKS
from brrkit_toolchain.tasks.bits import bit_lists, levels, light
from brrkit_toolchain.tasks.corpus import Texts
from brrkit_toolchain.tasks.held_out import divide, read_held_out, spread
from brrkit_toolchain.tasks.labeled import LabeledTexts, read_labeled
from brrkit_toolchain.tasks.learn import learn_tasks
from brrkit_toolchain.tasks.scores import (
    SHRINKAGES,
    UNIT,
    Scores,
    count_texts,
    incidence,
    learn_scores,
    log_ratios,
    shrunk,
)
from brrkit_toolchain.utility.task_accuracy import WORDS as STARTS
from brrkit_toolchain.utility.task_accuracy import task_texts

if TYPE_CHECKING:
    from conftest import Brr

WORDS = [f"w{i}" for i in range(60)]
TELLING = {"bad": range(10, 14), "good": range(20, 24), "other": range(30, 34)}
"""Words of each class; w0 to w9 are in texts of any, and those from w40 on in none."""

DIGESTS = [
    "427d3ca0f5b84975951820efd7c1c3e8afcbdc0fe3df72199eab76f3b5db8d0d",
    "f2a16ad87053b9b99b317024c09f8f934aee2c9abaa6273de409c6d07584923c",
]
"""Of the task bits and held-out texts of ``rows`` and ``stars``."""

Row = tuple[str, str]


def rows(classes: Sequence[str] = ("bad", "good"), each: int = 40) -> list[Row]:
    """Return labeled texts: two words that tell the class, and six that don't."""
    source = random.Random("labelled texts")
    made = []
    for number in range(each * len(classes)):
        label = classes[number % len(classes)]
        ids = [*source.sample(TELLING[label], 2), *(source.randrange(10) for _ in range(6))]
        made.append((" ".join(f"w{i}" for i in source.sample(ids, 8)), label))
    return made


def stars(each: int = 30) -> list[Row]:
    """Return texts with numbers: the words of bad ones have 1, those of good ones 5."""
    numbers = {"bad": "1", "good": "5.0", "other": "3"}
    return [(text, numbers[label]) for text, label in rows(("bad", "other", "good"), each)]


def write(path: Path, content: Sequence[Row], header: Row = ("text", "label")) -> Path:
    """Write a CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *content])
    return path


def read(path: Path, **columns: str) -> LabeledTexts:
    (found,) = read_labeled([Task(path, **columns)], tokenizer_of(WORDS))
    return found


def says(path: Path, *parts: str, **columns: str) -> None:
    """Check that reading a task is refused in one line that names the file."""
    with pytest.raises(BrrError) as caught:
        read(path, **columns)
    message = str(caught.value)
    assert path.name in message.partition(": ")[0]
    assert "\n" not in message
    for part in parts:
        assert part in message


class TestLabeledTexts:
    def test_classes(self, tmp_path: Path) -> None:
        found = read(write(tmp_path / "reviews.v2.csv", rows()))
        assert (found.name, found.source, found.kind) == ("reviews.v2", "reviews.v2.csv", "classes")
        assert found.classes == ("bad", "good")
        assert len(found) == 80
        assert found.shares.tolist() == [[1, 0], [0, 1]] * 40
        first = rows()[0][0].split()
        assert found.corpus.ids[:8].tolist() == [int(word[1:]) for word in first]

    def test_numbers(self, tmp_path: Path) -> None:
        found = read(write(tmp_path / "stars.csv", stars(10)))
        assert (found.kind, found.classes) == ("number", ("low", "high"))
        assert found.numbers is not None
        assert found.numbers.tolist() == [1, 3, 5]
        assert found.corpus.labels[:3].tolist() == [0, 1, 2]
        # Of 30 texts, 10 each: none below and 10 alike; 10 below and 10 alike; and so on, doubled.
        assert found.shares[:3].tolist() == [[50, 10], [30, 30], [10, 50]]

    @pytest.mark.parametrize("labels", [("0", "1"), ("1", "1.0", "2"), ("nan", "1", "2")])
    def test_few_or_no_numbers_are_classes(self, tmp_path: Path, labels: tuple[str, ...]) -> None:
        content = [(f"w{i % 10}", labels[i % len(labels)]) for i in range(60)]
        found = read(write(tmp_path / "t.csv", content))
        assert (found.kind, found.classes) == ("classes", tuple(sorted(labels)))

    @pytest.mark.parametrize(
        ("content", "parts"),
        [
            ([], ["'label'", "at least 2"]),
            ([("w1", "a")] * 50, ["'label'", "1 classes", "at least 2"]),
            ([("w1", f"c{i % 201}") for i in range(4_000)], ["'label'", "201 classes", "200"]),
            (
                [("w1", "a")] * 10 + [("w1", "b")] * 9,
                ["1 of its 2 classes", "than 10 texts", "one only 9"],
            ),
            ([("w99", "a"), ("w98", "b")] * 10, ["no text has a word"]),
            ([("w1", "c" * 101), ("w2", "b")] * 10, ["longer than 100", "'label'"]),
            ([("w1", str(i)) for i in range(9)], ["'label'", "9 texts", "at least 10"]),
            ([("w1", "1"), ("w99", "2"), ("w98", "3")] * 10, ["10 texts", "different numbers"]),
        ],
    )
    def test_errors(self, tmp_path: Path, content: list[Row], parts: list[str]) -> None:
        says(write(tmp_path / "t.csv", content), *parts)

    def test_missing(self, tmp_path: Path) -> None:
        path = write(tmp_path / "t.csv", rows())
        says(path, "'stars'", label_column="stars")
        says(path, "'body'", text_column="body")
        says(tmp_path / "none.csv", "can't be read")
        says(tmp_path / "t.txt", "this suffix states no table format")


def texts_of(*texts: Sequence[int]) -> Texts:
    """Return texts of these ids."""
    offsets = np.cumsum([0, *map(len, texts)])
    return Texts(np.concatenate(texts).astype(np.intp), offsets, np.zeros(len(texts), np.intp))


class TestScores:
    def test_log_ratios_by_hand(self) -> None:
        # Of four texts three are of class 0. Word 0 is in two of these, twice in one; word 1 in
        # all; word 2 in the one of class 1; word 3 in none.
        has = incidence(texts_of([0, 0, 1], [1, 0], [1], [1, 2]), 4)
        counts = count_texts(has, np.array([[1, 0], [1, 0], [1, 0], [0, 1]]))
        assert counts.texts.tolist() == [2, 4, 1, 0]
        assert counts.shares.tolist() == [[2, 0], [3, 1], [0, 1], [0, 0]]
        expected = [
            [log(2.75 / (3 * 0.75)), log(0.25 / (3 * 0.25))],
            [log(3.75 / (5 * 0.75)), log(1.25 / (5 * 0.25))],
            [log(0.75 / (2 * 0.75)), log(1.25 / (2 * 0.25))],
            [0, 0],
        ]
        ratios = log_ratios(counts)
        assert ratios == pytest.approx(np.array(expected), abs=1e-12)
        scores = shrunk(ratios, counts.texts, 2)
        assert scores.tolist() == [
            [round(UNIT * n / (n + 2) * r) for r in row]
            for n, row in zip([2, 4, 1, 0], expected, strict=True)
        ]

    def test_held_out_texts_choose_the_shrinkage(self) -> None:
        # Word 0 is in eight texts, all of class 0; word 1 in many, most of class 1. Where both are
        # in a text, the rare word decides only if its score isn't shrunk much.
        taught = [*[[0]] * 8, *[[1]] * 100, *[[1, 2]] * 30, *[[2]] * 150]
        shares = np.repeat([[1, 0], [0, 1], [1, 0]], [8, 100, 180], axis=0)
        ratios = log_ratios(count_texts(incidence(texts_of(*taught), 3), shares))
        chosen = {}
        for of_class in (0, 1):
            texts = texts_of(*taught, *[[0, 1]] * 30)
            asked = np.concatenate([shares, [[1 - of_class, of_class]] * 30])
            aside = np.arange(len(asked)) >= len(taught)
            chosen[of_class] = learn_scores(texts, asked, 4, aside)
            assert chosen[of_class].values[3].tolist() == [0, 0]
        share = (ratios[1, 1] - ratios[1, 0]) / (ratios[0, 0] - ratios[0, 1])
        decides = [s for s in SHRINKAGES if 8 / (8 + s) * (130 + s) / 130 > share]
        assert 0 < len(decides) < len(SHRINKAGES)
        assert chosen[0].shrinkage == decides[0]
        assert chosen[1].shrinkage == next(s for s in SHRINKAGES if s not in decides)


class TestBits:
    @pytest.mark.parametrize(("classes", "each"), [(2, 16), (5, 12), (10, 6)])
    def test_few_classes_have_their_own(self, classes: int, each: int) -> None:
        lists = bit_lists(classes)
        assert {len(bits) for bits in lists} == {each}
        used = [bit for bits in lists for bit in bits]
        assert len(set(used)) == len(used) == classes * each
        assert set(used) <= set(range(64))

    @pytest.mark.parametrize(("classes", "shared"), [(11, 1), (64, 1), (65, 2), (512, 2)])
    def test_lists_of_many_classes_share_few(self, classes: int, shared: int) -> None:
        lists = bit_lists(classes)
        assert {len(set(bits)) for bits in lists} == {8}
        assert {bit for bits in lists for bit in bits} <= set(range(64))
        assert max(len({*a} & {*b}) for a, b in combinations(lists, 2)) == shared

    def test_too_many_classes(self) -> None:
        with pytest.raises(BrrError, match="513 classes in total"):
            bit_lists(513)

    def test_evidence_is_written_as_a_thermometer(self) -> None:
        lists = [[3, 5, 4, 0], [1, 2, 6, 7]]
        values = np.array([[4000, -4000], [2600, 600], [0, 0], [480, 520], [9000, -9000]])
        # Of 100 words of texts, 99 have a score of 4,000 at most.
        found = levels(Scores(values, np.array([9, 40, 49, 1, 1]), 1), lists)
        assert found.tolist() == [[4, 0], [3, 1], [0, 0], [0, 1], [4, 0]]
        bits = np.zeros((5, 64), np.bool_)
        light(bits, found, lists)
        assert [np.flatnonzero(row).tolist() for row in bits] == [
            [0, 3, 4, 5],
            [1, 3, 4, 5],
            [],
            [1],
            [0, 3, 4, 5],
        ]

    def test_noise_does_not_light_all_bits(self) -> None:
        values = np.array([[UNIT // 50, 0], [UNIT // 4, 0], [0, UNIT // 8]])
        found = levels(Scores(values, np.array([1000, 1, 1]), 1), [list(range(8))] * 2)
        assert found.tolist() == [[1, 0], [8, 0], [0, 4]]


class TestHeldOut:
    def test_parts_are_disjoint_and_have_each_class(self) -> None:
        labels = np.random.default_rng(1).integers(0, 3, 1_000)
        parts = divide(labels)
        sizes = [len(part) for part in (parts.learning, parts.training, parts.testing)]
        assert sizes == [750, 125, 125]
        together = np.concatenate([parts.learning, parts.training, parts.testing])
        assert sorted(together.tolist()) == list(range(1_000))
        all_of_them = np.bincount(labels)
        for part, share in ((parts.learning, 0.75), (parts.training, 0.125)):
            assert np.abs(np.bincount(labels[part]) - share * all_of_them).max() <= 2

    def test_no_more_than_4000_that_are_spread(self) -> None:
        parts = divide(np.arange(20_000) % 2)
        assert (len(parts.training), len(parts.testing)) == (2_000, 2_000)
        assert np.flatnonzero(spread(3, 9)).tolist() == [2, 5, 8]
        assert not spread(0, 5).any()
        assert spread(5, 5).all()


class TestLearned:
    def test_the_same_bytes_on_every_machine(self, tmp_path: Path) -> None:
        tasks = [
            Task(write(tmp_path / "moods.csv", rows())),
            Task(write(tmp_path / "stars.csv", stars())),
        ]
        made = learn_tasks(tasks, tokenizer_of(WORDS))
        digests = [sha256(part).hexdigest() for part in (made.packed.tobytes(), made.held_out)]
        assert digests == DIGESTS


@pytest.fixture
def build(tmp_path: Path) -> Callable[..., Path]:
    (tmp_path / "toy.txt").write_bytes(toy_embeddings(len(WORDS)))

    def run(name: str, *tasks: Task) -> Path:
        build_bundle(tmp_path / "toy.txt", tmp_path / name, BuildPlan(method="lsh", tasks=tasks))
        return tmp_path / name

    return run


def task_bits_of(bundle: WordBundle) -> dict[str, set[int]]:
    """Return which task bits each word lights, by word."""
    lit = unpack(bundle.codes)[:, bundle.word_bits :]
    return {
        bundle.vocabulary.word(i): set(np.flatnonzero(row).tolist()) for i, row in enumerate(lit)
    }


class TestBundle:
    def test_words_that_tell_a_class_light_its_bits(
        self, build: Callable[..., Path], tmp_path: Path
    ) -> None:
        task = Task(write(tmp_path / "moods.csv", rows(("bad", "good", "other"))))
        folder = build("bundle", task)
        bundle = WordBundle.open(folder)
        assert (bundle.bits, bundle.task_bits) == (128, 64)
        (stated,) = bundle.manifest["tasks"]
        assert (stated["name"], stated["kind"], stated["texts"]) == ("moods", "classes", 120)
        lit = task_bits_of(bundle)
        for each in stated["classes"]:
            telling = {f"w{i}" for i in TELLING[each["name"]]}
            assert set(each["words"][:4]) == telling
            assert len(each["bits"]) == 16
            own = set(each["bits"])
            assert all(len(lit[word]) >= 12 and lit[word] <= own for word in telling), lit
        assert not any(lit[f"w{i}"] for i in range(40, 60))  # in no labeled text
        assert all(len(lit[f"w{i}"]) <= 8 for i in range(10)), lit
        assert Privatizer(bundle, Setting(2.0, parameters={"task_weight": 3})).words(["w1"])

    def test_without_tasks_nothing_changes(
        self, build: Callable[..., Path], tmp_path: Path
    ) -> None:
        plain = build("plain")
        with_task = build("kept", Task(write(tmp_path / "t.csv", rows())))
        assert not (plain / TASKS).exists()
        without, manifest = WordBundle.open(plain), WordBundle.open(with_task).manifest
        assert {"task_bits", "tasks"} == manifest.keys() - without.manifest.keys()
        assert np.array_equal(without.codes, WordBundle.open(with_task).codes[:, :1])

    def test_held_out_texts(self, build: Callable[..., Path], tmp_path: Path) -> None:
        content = rows(each=100)
        content[0] = (" ".join(["w1"] * 300), content[0][1])
        tasks = [
            Task(write(tmp_path / "moods.csv", content)),
            Task(write(tmp_path / "stars.csv", stars(40)), name="rating"),
        ]
        folder = build("bundle", *tasks)
        known = {(tuple(text.split()), label) for text, label in content}
        known_stars = {(tuple(text.split()), float(label)) for text, label in stars(40)}
        for number, of_task, size in ((0, known, 25), (1, known_stars, 15)):
            names = WordBundle.open(folder).manifest["tasks"][number]["classes"]
            for part in read_held_out(folder, number, len(WORDS)):
                assert len(part.labels) == size
                for i, label in enumerate(part.labels.tolist()):
                    ids = part.ids[part.offsets[i] : part.offsets[i + 1]].tolist()
                    said = label if number else names[label]["name"]
                    assert (tuple(WORDS[i] for i in ids), said) in of_task

    def test_damaged_held_out_texts(self, build: Callable[..., Path], tmp_path: Path) -> None:
        folder = build("bundle", Task(write(tmp_path / "t.csv", rows())))
        for number, words in ((1, len(WORDS)), (0, 10)):
            with pytest.raises(BundleError, match="not labeled texts"):
                read_held_out(folder, number, words)
        whole = (folder / TASKS).read_bytes()
        (folder / TASKS).write_bytes(whole[:-40])
        with pytest.raises(BundleError, match="not labeled texts"):
            read_held_out(folder, 0, len(WORDS))
        (folder / TASKS).unlink()
        with pytest.raises(BundleError, match="isn't there"):
            read_held_out(folder, 0, len(WORDS))
        # Whatever byte is another: it is read, or refused in one line.
        refused = 0
        for place in range(0, len(whole), 29):
            for value in (8, whole[place] ^ 1):
                damaged = whole[:place] + bytes([value]) + whole[place + 1 :]
                (folder / TASKS).write_bytes(damaged)
                try:
                    read_held_out(folder, 0, len(WORDS))
                except BundleError as error:
                    assert str(error).endswith(f"{TASKS}: not labeled texts; rebuild the bundle")
                    refused += 1
        assert refused > len(whole) // 58

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
    def test_a_pipe_is_not_waited_for(self, build: Callable[..., Path], tmp_path: Path) -> None:
        folder = build("bundle", Task(write(tmp_path / "t.csv", rows())))
        for name in (TASKS, PARITY):
            (folder / name).unlink()
            os.mkfifo(folder / name)
        with pytest.raises(BundleError, match="not labeled texts; rebuild the bundle"):
            read_held_out(folder, 0, len(WORDS))
        outcome = verify_bundle(folder)
        failed = {each.name: each.detail for each in outcome.checks if not each.passed}
        assert "not a regular file" in failed["files"]

    def test_whole_texts_are_classified(self, build: Callable[..., Path], tmp_path: Path) -> None:
        """What tells the class is behind the words that the classifier on codes reads."""
        content = [
            (" ".join(["w0"] * STARTS + [f"w{10 + 10 * (i % 2)}"] * 5), "ab"[i % 2])
            for i in range(400)
        ]
        folder = build("bundle", Task(write(tmp_path / "t.csv", content)))
        texts = task_texts(WordBundle.open(folder))
        assert texts is not None
        (found,) = texts.measure(lambda ids, _texts=None: ids.astype(np.int64))
        assert found.typed.value == found.released.value == found.reached.value == 1
        assert found.typed_codes.value == found.released_codes.value == found.frequent == 0.5

    def test_words_of_few_texts_show_nothing(
        self, build: Callable[..., Path], tmp_path: Path
    ) -> None:
        """Who reads the bundle tells the label of no text by a word that only it has."""
        labels = ("bad", "good")
        some = rows()
        # w40 to w54 are in one to four texts each, all of one class; w55 in many.
        content = [
            (f"{text} w{40 + (number % 15 if number < 40 else 15)}", label)
            for number, (text, label) in enumerate(sorted(some, key=lambda row: row[1]))
        ]
        task = Task(write(tmp_path / "t.csv", content))
        (labeled,) = read_labeled([task], tokenizer_of(WORDS))
        learned = labeled.corpus.start(divide(labeled.corpus.labels).learning, None)
        texts = np.bincount(incidence(learned, len(WORDS)).indices, minlength=len(WORDS))
        told = {}
        for least in (1, LEAST):
            made = learn_tasks([task], tokenizer_of(WORDS), least=least)
            bits = unpack(made.packed)
            own = [bits[:, each["bits"]].sum(axis=1) for each in made.described[0]["classes"]]
            rare = [i for i in range(40, 55) if 0 < texts[i] < LEAST]
            assert len(rare) > 10
            told[least] = [labels[int(own[1][i] > own[0][i])] for i in rare if bits[i].any()]
            named = {word for each in made.described[0]["classes"] for word in each["words"]}
            if least == LEAST:
                assert not named & {f"w{i}" for i in rare}
                assert not bits[texts < LEAST].any()
            assert bits[10].any()
        assert told[1] == ["bad"] * len(told[1]) != []
        assert told[LEAST] == []
        folder = build("bundle", task)
        assert WordBundle.open(folder).manifest["tasks"][0]["least"] == LEAST

    def test_many_classes(self, build: Callable[..., Path], tmp_path: Path) -> None:
        content = [(f"w{i % 20} w{20 + i % 7}", f"c{i % 20}") for i in range(400)]
        folder = build("bundle", Task(write(tmp_path / "t.csv", content)))
        bundle = WordBundle.open(folder)
        lit = task_bits_of(bundle)
        for number, each in enumerate(bundle.manifest["tasks"][0]["classes"]):
            word = each["name"].replace("c", "w")
            assert each["words"][0] == word
            assert lit[word] == set(each["bits"]), number


class TestVerify:
    @pytest.fixture
    def kept(self, build: Callable[..., Path], tmp_path: Path) -> tuple[Path, Task]:
        task = Task(write(tmp_path / "t.csv", rows()))
        return build("bundle", task), task

    @staticmethod
    def failed(folder: Path, *tasks: Task) -> dict[str, str]:
        with pytest.MonkeyPatch.context() as patch:  # test_right checks these, which take longest
            patch.setattr(golden, "golden_cases", lambda *_: "left out")
            outcome = verify_bundle(folder, BundleSources(tasks=tasks))
        return {check.name: check.detail for check in outcome.checks if not check.passed}

    def test_right(self, kept: tuple[Path, Task], tmp_path: Path) -> None:
        folder, task = kept
        outcome = verify_bundle(folder, BundleSources(tmp_path / "toy.txt", tasks=[task]))
        assert [check.name for check in outcome.checks if not check.passed] == []
        (folder / TASKS).unlink()
        (files, *_) = verify_bundle(folder).checks
        assert files.passed
        assert files.detail.endswith(f"; without {TASKS}, as shipped")

    def test_damaged(self, kept: tuple[Path, Task]) -> None:
        content = (kept[0] / TASKS).read_bytes()
        (kept[0] / TASKS).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        assert TASKS in self.failed(kept[0])["files"]

    def test_other_texts(self, kept: tuple[Path, Task], tmp_path: Path) -> None:
        folder, task = kept
        other = Task(write(tmp_path / "u.csv", rows(each=41)))
        assert "isn't t.csv" in self.failed(folder, other)["tasks"]
        assert "has 1 tasks, but 2 are given" in self.failed(folder, task, task)["tasks"]
        renamed = Task(task.path, name="another")
        assert "another description" in self.failed(folder, renamed)["tasks"]

    def test_other_bits(self, build: Callable[..., Path], tmp_path: Path) -> None:
        task = Task(write(tmp_path / "t.csv", rows()))
        folder = build("bundle", task)
        opened = WordBundle.open(folder)
        codes = opened.codes.copy()
        codes[3, 1] ^= np.uint64(1 << 6)
        rewrite(folder, {INDEX: index_of(WORDS, codes)})
        assert "other task bits" in self.failed(folder, task)["tasks"]


class TestCommand:
    def test_build_inspect_verify(self, brr: Brr, tmp_path: Path) -> None:
        (tmp_path / "toy.txt").write_bytes(toy_embeddings(len(WORDS)))
        moods = write(tmp_path / "moods.csv", rows(), ("text", "mood"))
        rating = write(tmp_path / "rating.csv", stars(), ("text", "stars"))
        tasks: list[Any] = ["--task", moods, "--label", "mood", "--task", rating, "--label"]
        tasks += ["stars", "--text-column", "text"]
        folder = tmp_path / "bundle"
        source = ["--embeddings", tmp_path / "toy.txt", "--method", "lsh"]
        built = brr("build", *source, "--output", folder, *tasks)
        assert built.code == 0, built.err
        shown = brr("inspect", folder).out
        for out in (built.out, shown):
            assert "moods: 2 classes, learned from 60 of the 80 texts in moods.csv" in out
            assert "rating: a number, learned from 68 of the 90 texts in rating.csv" in out
            assert "    low: w1" in out
            assert out.count("(16 bits)") == 4
        left = (TASKS, "parity.json")
        shipped = sum(p.stat().st_size for p in folder.iterdir() if p.name not in left)
        assert f"{shipped / 1e6:.2f} MB on the device" in shown
        assert brr("verify", folder, *tasks).code == 0
        assert brr("verify", folder, *tasks[:4]).code == 1

    def test_options_that_do_not_fit(
        self, brr: Brr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        write(tmp_path / "t.csv", rows())
        task = ["--task", "t.csv"]
        for given, says in (
            (["--label", "a"], "--label is given 1 times and --task 0 times"),
            ([*task, "--label", "a", "--label", "b"], "--label is given 2 times"),
            ([*task, *task], "two tasks are called 't'"),
            ([*task, *["--task-name", "u"] * 2], "--task-name is given 2 times"),
            ([*task, "--bits", "512"], "512 and 64 for tasks"),
        ):
            outcome = brr("build", "--vocabulary-size", 50, "--method", "lsh", *given)
            assert outcome.code in (1, 2)
            assert says in outcome.err
            assert not (tmp_path / "bundle").exists()
