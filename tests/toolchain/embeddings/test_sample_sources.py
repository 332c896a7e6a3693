"""What the sample is made from: how texts are chosen, words ordered, and vectors joined."""

from __future__ import annotations

import lzma
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from brrkit_toolchain.embeddings.sample.spellings import learn
from brrkit_toolchain.embeddings.sample.text import (
    CHAT,
    CHAT_ROOM,
    HELD_OUT_ONE_IN,
    SENTENCES,
    SOURCES,
    everyday,
)
from brrkit_toolchain.embeddings.sample.train import as_frequent, combine, components
from brrkit_toolchain.embeddings.sample.words import FREQUENCIES, Usage, is_word

LINES: Mapping[str, Sequence[str]] = {
    SENTENCES: ["Tom is late.", "I am late."],
    CHAT: ["even one", "odd one", "even two", "odd two"],
    CHAT_ROOM: ["sudo rm x", "nick27: hello there", "cat /etc/hosts", "soem thing tmorrow xqzzy"],
    "goemotions": ["Some people can't receive it tomorrow lol"] * 40,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for source in SOURCES:
        lines = LINES.get(source.name, ["what people ask, again and again"] * 100)
        with lzma.open(tmp_path / f"{source.name}.txt.xz", "wt", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
    with lzma.open(tmp_path / FREQUENCIES, "wt", encoding="utf-8") as file:
        file.write("the\t0.05\nseldom\t0.0001\nrecieve\t0.00001\nund\u00fc\t0.1\n")
    return tmp_path


class TestTexts:
    def test_what_others_type(self, folder: Path) -> None:
        counted, held_out = everyday(folder)
        texts = counted + held_out
        assert {"I am late.", "even one", "even two", "hello there"} <= {*texts}
        for absent in ("Tom", "odd", "sudo", "/etc", "nick27"):
            assert not any(absent in text for text in texts)

    def test_some_of_what_is_said_again_and_again(self, folder: Path) -> None:
        requests = [source for source in SOURCES if source.one_in > 1 and source.name != CHAT_ROOM]
        counted, held_out = everyday(folder)
        asked = sum(text.startswith("what people") for text in counted + held_out)
        once = sum(source.name not in LINES and source.one_in == 1 for source in SOURCES)
        assert asked == 100 * once + sum(-(-100 // source.one_in) for source in requests)

    def test_some_are_held_out(self, folder: Path) -> None:
        counted, held_out = everyday(folder)
        assert len(counted) / HELD_OUT_ONE_IN < len(held_out) + len(SOURCES)
        assert len(held_out) < len(counted) / HELD_OUT_ONE_IN + len(SOURCES)


class TestWords:
    def test_order(self, folder: Path) -> None:
        words = Usage(folder).words()
        assert words.index("the") < words.index("seldom")
        assert words.index("people") < words.index("seldom")

    def test_words_of_a_chat_room_alone_are_none(self, folder: Path) -> None:
        assert not {"xqzzy", "soem"} & {*Usage(folder).words()}

    @pytest.mark.parametrize("word", ["i", "don't", "7", "lol", "y'all"])
    def test_is_a_word(self, word: str) -> None:
        assert is_word(word)

    @pytest.mark.parametrize(
        "token", ["tom's", "7pm", "1987", "sooo", "und\u00fc", "x-ray", "o'hara"]
    )
    def test_is_none(self, token: str) -> None:
        assert not is_word(token)


def test_spellings_by_rules(folder: Path) -> None:
    found = learn(Usage(folder), frozenset({"peple"}), {"lol": "haha"})
    assert found["apostrophe"] == {"cant": "can't"}
    assert found["transposed"] == {"recieve": "receive"}
    assert "pple" in found["without vowels"]
    assert "lol" not in {word for own in found.values() for word in own}
    assert not any("peple" in own for own in found.values())  # printed


class TestVectors:
    @staticmethod
    def tables(
        generator: np.random.Generator,
    ) -> tuple[list[str], dict[str, NDArray[np.float32]], dict[str, NDArray[np.float32]]]:
        """Return 400 words, and two tables of which each is a linear map of the same."""
        words = [f"w{number}" for number in range(400)]
        hidden = generator.normal(size=(400, 6)).astype(np.float32)
        maps = generator.normal(size=(2, 6, 12)).astype(np.float32)
        one, other = ({w: row @ m for w, row in zip(words, hidden, strict=True)} for m in maps)
        return words, one, other

    def test_what_one_table_lacks_comes_from_the_other(self) -> None:
        words, one, other = self.tables(np.random.default_rng(0))
        whole = combine(words, [(one, 1.0), (other, 1.0)])
        lacking = {word: vector for word, vector in other.items() if word not in words[:40]}
        filled = combine(words, [(one, 1.0), (lacking, 1.0)])
        assert np.abs(filled[40:] - whole[40:]).max() < 0.2
        left, right = whole[:40, 12:], filled[:40, 12:]
        norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
        assert np.median((left * right).sum(axis=1) / norms) > 0.9

    def test_weights(self) -> None:
        words, one, other = self.tables(np.random.default_rng(0))
        joined = combine(words, [(one, 4.0), (other, 1.0)])
        lengths = np.square(joined[:, :12]).sum() / np.square(joined[:, 12:]).sum()
        assert lengths == pytest.approx(4, rel=1e-3)

    def test_what_is_much_rarer_in_a_table_isnt_taken(self) -> None:
        words = [f"w{number}" for number in range(2_000)]
        table = {
            word: np.ones(2, np.float32) for word in [*words[1:1_900], words[0], *words[1_900:]]
        }
        assert as_frequent(table, words).keys() == {*words} - {"w0"}

    def test_components_lie_across_one_another(self) -> None:
        rows = np.random.default_rng(0).normal(size=(500, 200)).astype(np.float32)
        kept = components(rows)
        products = np.cov(kept.T)
        assert kept.shape == (500, 128)
        assert np.abs(products - np.diag(np.diag(products))).max() < 1e-3
