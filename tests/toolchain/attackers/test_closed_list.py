"""Attackers who know that the word is one of a list: exact in small, read from files, printed."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from benchmarks.repeated import together
from brrkit import ParameterError, Privatizer, WordBundle
from brrkit.mechanisms.exponential import Exponential
from brrkit.setting import Setting
from brrkit_toolchain import measure_among
from brrkit_toolchain.attackers import closed_list
from brrkit_toolchain.attackers.closed_list import RELEASES, WordList, attack_among, read_list
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.channel.evidence import START

if TYPE_CHECKING:
    from conftest import Brr

WORDS = ["w0", "w2", "w5", "w7"]  # w2 and w5 share a code


def best(bundle: WordBundle, words: list[str], releases: int, **setting: Any) -> float:
    """Return the success by the definition, over all that can come out, from exact fractions."""
    privatizer = Privatizer(bundle, Setting(setting.pop("epsilon"), parameters=setting))
    rows = [privatizer.distribution(word) for word in words]
    outputs = list(bundle.vocabulary)
    table = np.array([[float(row.get(output, 0)) for output in outputs] for row in rows])
    total = 0.0
    for history in product(range(len(outputs)), repeat=releases):
        total += table[:, list(history)].prod(axis=1).max()
    return total / len(words)


def listed(bundle: WordBundle, words: list[str], name: str = "list") -> WordList:
    ids = [bundle.vocabulary.find(word) for word in words]
    return WordList(name, np.sort(np.array(ids, np.intp)), 0)


@pytest.mark.parametrize("base", ["uniform", "unigram"])
def test_it_is_the_best_attackers_success(eight: WordBundle, base: str) -> None:
    """One release is exact; of 2 and 5 the seeded mean is within 4 standard errors."""
    setting = {"epsilon": 0.06, "base": base, "radius": 2}
    tried = Setting(0.06, parameters={"base": base, "radius": 2})
    (found,) = attack_among(eight, [listed(eight, WORDS)], tried)
    assert (found.words, found.chance, found.exact) == (4, 0.25, True)
    one = found.success[1]
    assert one.low == one.value == one.high
    assert one.value == pytest.approx(best(eight, WORDS, 1, **setting), abs=1e-12)
    for releases in (2, 5):
        truth = best(eight, WORDS, releases, **setting)
        assert found.success[releases].value == pytest.approx(truth, abs=4 * 0.5 / 4_000**0.5)
    # A list of w2 and w5, which nothing tells apart, is guessed by chance however often.
    (same,) = attack_among(eight, [listed(eight, ["w2", "w5"])], tried)
    assert {estimate.value for estimate in same.success.values()} == {0.5}


def test_a_word_among_many_is_less_probable_at_every_distance() -> None:
    """Word 0 has 40 near words, word 1 none: an output half way is the latter's."""
    near = [1 << bit for bit in range(40)]
    half_way = [sum(1 << 40 + bit for bit in bits) for bits in combinations(range(8), 4)]
    codes = np.array([[0], [0xFF << 40], *([c] for c in near), *([c] for c in half_way)], np.uint64)
    bundle, words = bundle_of(codes), WordList("list", np.array([0, 1], np.intp), 0)
    (found,) = attack_among(bundle, [words], Setting(0.4, parameters={"radius": 0}))
    mechanism = Exponential(bundle, 0.4, radius=0)
    first, second = (
        np.array([float(p) for p in mechanism.distribution(codes[i], None)]) for i in (0, 1)
    )
    assert found.success[1].value == pytest.approx(np.maximum(first, second).sum() / 2, abs=1e-9)
    twice = np.maximum(np.outer(first, first), np.outer(second, second)).sum() / 2
    assert found.success[2].value == pytest.approx(twice, abs=4 * 0.5 / 4_000**0.5)


def test_more_releases_say_more(eight: WordBundle) -> None:
    (found,) = attack_among(eight, [listed(eight, WORDS)], Setting(0.06))
    values = [found.success[releases] for releases in RELEASES]
    assert all(few.value < many.low for few, many in pairwise(values))
    assert values[-1].high < 0.76 + 0.01  # of w2 and w5 one guess in two is right


def test_the_base_bigram_is_of_a_texts_first_word() -> None:
    bundle = WordBundle.sample()
    recommended = bundle.recommended
    assert recommended is not None
    assert recommended.parameters["base"] == "bigram"
    words = [bundle.vocabulary.word(rank) for rank in (500, 2_000, 8_000)]
    (found,) = attack_among(bundle, [listed(bundle, words)], recommended)
    setting = {"epsilon": recommended.epsilon, **recommended.parameters}
    assert found.success[1].value == pytest.approx(best(bundle, words, 1, **setting), abs=1e-9)


def test_a_sampled_mechanism_gives_a_lower_bound(eight: WordBundle) -> None:
    """Nobody tells words apart without privacy loss; almost everybody without noise."""
    (found,) = attack_among(eight, [listed(eight, WORDS)], Setting(1e-6, "vickrey"))
    assert not found.exact
    assert all(share.low <= 0.25 <= share.high for share in found.success.values())
    (found,) = attack_among(eight, [listed(eight, WORDS)], Setting(22.0, "brr"))
    assert found.success[20].value == pytest.approx(0.75, abs=4 * 0.5 / 4_000**0.5)


def test_a_list_does_not_hang_on_others(eight: WordBundle) -> None:
    first, second = listed(eight, WORDS, "a"), listed(eight, ["w1", "w3", "w6"], "b")
    both = attack_among(eight, [first, second], Setting(0.5), seed=3)
    assert both == (
        *attack_among(eight, [first], Setting(0.5), seed=3),
        *attack_among(eight, [second], Setting(0.5), seed=3),
    )
    assert both[:1] != attack_among(eight, [first], Setting(0.5), seed=4)
    assert attack_among(eight, [], Setting(0.5)) == ()


class TestFiles:
    def test_blank_lines_repetitions_capitals_and_unknown_words(
        self, eight: WordBundle, tmp_path: Path
    ) -> None:
        file = tmp_path / "list.txt"
        file.write_text("\ufeffw3\n\n  W1 \r\nw3\nnever\nnever seen\n \nw1", encoding="utf-8")
        found = read_list(file, eight)
        assert (found.name, found.ids.tolist(), found.unknown) == ("list.txt", [1, 3], 2)

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            (b"w1\nnever\nw1\n", "1 of its words are in the bundle's vocabulary; give a list"),
            (b"w1\n\xff\n", "line 2 of the word list isn't UTF-8; convert the text first"),
            (b"w1\nw2\nw3\nw4\n", "4 of its words are in the bundle's vocabulary; give a list"),
        ],
    )
    def test_errors_name_the_file(
        self, eight: WordBundle, tmp_path: Path, monkeypatch: Any, content: bytes, says: str
    ) -> None:
        monkeypatch.setattr(closed_list, "MOST_WORDS", 3)
        file = tmp_path / "list.txt"
        file.write_bytes(content)
        with pytest.raises(ParameterError) as raised:
            read_list(file, eight)
        assert str(raised.value).startswith(f"{file}: {says}")
        assert "never" not in str(raised.value)


class TestCommand:
    @pytest.fixture
    @staticmethod
    def lists(sample_bundle: Path, tmp_path: Path) -> Path:
        vocabulary = WordBundle.open(sample_bundle).vocabulary
        words = [vocabulary.word(i) for i in range(100, 130)]
        (tmp_path / "places.txt").write_text("\n".join([*words[:10], "atlantis"]))
        (tmp_path / "names.txt").write_text("\n".join(words[10:]))
        return tmp_path

    def test_prints_what_the_function_returns(
        self, brr: Brr, sample_bundle: Path, lists: Path
    ) -> None:
        options = ["--among", lists / "places.txt", "--among", lists / "names.txt", "--sample", 9]
        command = ["measure", sample_bundle, "--epsilon", 0.4, "--radius", 6, *options]
        printed = brr(*command)
        assert (printed.code, printed.err) == (0, "")
        bundle = WordBundle.open(sample_bundle)
        files = [lists / "places.txt", lists / "names.txt"]
        found = measure_among(bundle, files, Setting(0.4, parameters={"radius": 6}))
        assert [(each.words, each.unknown) for each in found] == [(10, 1), (20, 0)]
        table = printed.out.partition("attackers who know that the word is on a list")[2]
        assert "estimated" not in table
        head, *rows = [line.split() for line in table.splitlines()[1:]]
        assert head == ["list", "words", "unknown", "chance", "1", "2", "5", "20"]
        for row, each in zip(rows, found, strict=True):
            sizes = [each.name, str(each.words), str(each.unknown)]
            assert row[:5] == [*sizes, f"{each.chance:.3f}", f"{each.success[1].value:.3f}"]
            several = [each.success[releases] for releases in (2, 5, 20)]
            assert row[5::2] == [f"{success.value:.3f}" for success in several]
            assert row[6::2] == [f"{each.low:.3f}-{each.high:.3f}" for each in several]
        stored = json.loads(brr(*command, "--json").out)["among"]
        expected = [asdict(each) | {"chance": each.chance} for each in found]
        assert stored == json.loads(json.dumps(expected))

    def test_beside_words_and_a_sampled_mechanism(
        self, brr: Brr, sample_bundle: Path, lists: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(closed_list, "_DRAWN_HISTORIES", 200)
        options = ["--mechanism", "brr", "--epsilon", 0.6, "--words", "the,london"]
        outcome = brr("measure", sample_bundle, *options, "--among", lists / "names.txt")
        assert (outcome.code, outcome.err) == (0, "")
        assert "london" in outcome.out
        assert "without a memory (lower bounds, because the channel is estimated):" in outcome.out

    def test_a_list_that_is_not_there(self, brr: Brr, sample_bundle: Path) -> None:
        outcome = brr("measure", sample_bundle, "--epsilon", 1, "--among", "none.txt")
        assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)
        assert "none.txt: the word list can't be read" in outcome.err


def test_releases_of_a_text_multiply(eight: WordBundle) -> None:
    """What ``benchmarks repeated`` gives the attacker who reads a text released twice."""
    rng = np.random.default_rng(0)
    _, channel = Channel(eight, Setting(0.3)).release_and_evidence(rng)
    outputs = np.array([[1, 4, 6], [0, 4, 2]])
    before = np.array([[START, 1, 4], [START, 0, 4]])
    product_of = channel.likelihoods(outputs[0]) * channel.likelihoods(outputs[1])
    found = together(channel, outputs.T, before.T)
    assert found.shape == (3, 9)
    assert found.max(axis=1).tolist() == [1.0] * 3
    expected = product_of / product_of.max(axis=1, keepdims=True)
    assert found == pytest.approx(expected, rel=1e-5)
