"""What an attacker makes of released texts, against the sum over all texts of eight words."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

from brrkit import ParameterError, Privatizer, WordBundle
from brrkit.masses import LEVELS
from brrkit.setting import Setting
from brrkit_toolchain import guess_texts
from brrkit_toolchain.attackers.texts.text_attack import LONGEST
from brrkit_toolchain.bundle.writer import masses_of
from brrkit_toolchain.language.model import LanguageModel

if TYPE_CHECKING:
    from conftest import Brr

SETTING = Setting(0.3, parameters={"base": "bigram"})
WORDS = [f"w{i}" for i in range(8)]
RELEASED = "w1 w6 w2"
SECRET = "xqzqvblorf"


@pytest.fixture
def talking(eight: WordBundle) -> WordBundle:
    """The eight words, of which each but the last gains after the one before it."""
    masses = np.arange(60, 92, 4).astype(np.uint8)
    follow = np.arange(1, 8)
    model = LanguageModel(masses, follow - 1, follow, np.full(7, 90, np.uint8))
    return replace(eight, masses=masses_of(model))


def language(bundle: WordBundle) -> NDArray[np.float64]:
    """Return Pr[x | h] [9, 8] as the bundle has it; the last h is a text's start."""
    own = LEVELS[bundle.masses.words].astype(float)
    rows = np.tile(own, (9, 1))
    for h in range(8):
        after, gains = bundle.masses.following(h)
        rows[h, after] += gains
    return rows / rows.sum(axis=1, keepdims=True)


def by_all_texts(bundle: WordBundle) -> NDArray[np.float64]:
    """Return Pr[x_t | y] [3, 8] by the definition."""
    privatizer = Privatizer(bundle, SETTING)
    histories = (None, "w1", "w6")
    seen = [
        [float(privatizer.distribution(x, before=h)[y]) for x in WORDS]
        for y, h in zip(RELEASED.split(), histories, strict=True)
    ]
    follows, result = language(bundle), np.zeros((3, 8))
    for text in product(range(8), repeat=3):
        probability, before = 1.0, 8
        for place, x in enumerate(text):
            probability *= follows[before, x] * seen[place][x]
            before = x
        for place, x in enumerate(text):
            result[place, x] += probability
    return result / result.sum(axis=1, keepdims=True)


def test_guesses_are_the_likeliest_words(talking: WordBundle) -> None:
    expected = by_all_texts(talking)
    (found,) = guess_texts(talking, [RELEASED], SETTING)
    assert [guess.word for guess in found] == [WORDS[x] for x in expected.argmax(axis=1)]
    assert [guess.probability for guess in found] == pytest.approx(expected.max(axis=1), rel=1e-4)


def test_texts_are_read_by_themselves(talking: WordBundle) -> None:
    together = guess_texts(talking, [RELEASED, "", "w3"], SETTING)
    assert together[0] == guess_texts(talking, [RELEASED], SETTING)[0]
    assert together[1] == []
    assert together[2] == guess_texts(talking, ["w3"], SETTING)[0]


def test_a_long_text_is_read_in_parts(talking: WordBundle) -> None:
    """Where a draw doesn't depend on the word before it, a part is a text of its own."""
    setting = replace(SETTING, parameters={"base": "unigram"})
    words = [WORDS[i % 5] for i in range(2 * LONGEST + 3)]
    parts = [words[:LONGEST], words[LONGEST : 2 * LONGEST], words[2 * LONGEST :]]
    (whole,) = guess_texts(talking, [" ".join(words)], setting)
    assert whole == [*chain(*guess_texts(talking, list(map(" ".join, parts)), setting))]


def test_a_word_that_was_not_released(eight: WordBundle) -> None:
    with pytest.raises(ParameterError, match="text 2, word 2: not a word of the bundle") as error:
        guess_texts(eight, ["w1", f"w1 {SECRET}"], Setting(0.3))
    assert SECRET not in str(error.value)
    with pytest.raises(ParameterError, match="give a list"):
        guess_texts(eight, "w1", Setting(0.3))


def test_the_command(brr: Brr, sample_bundle: Path) -> None:
    setting = ("--epsilon", 3)  # so large that a word comes out as itself
    outcome = brr("guess", sample_bundle, *setting, stdin=b"the london river\n\nyears\n")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == "the london river\n\nyears\n"
    outcome = brr("guess", sample_bundle, *setting, "--json", stdin=b"london\n")
    ((guess,),) = json.loads(outcome.out)
    assert guess["word"] == "london"
    assert 0.9 < guess["probability"] <= 1


def test_the_command_repeats_no_word(brr: Brr, sample_bundle: Path) -> None:
    outcome = brr("guess", sample_bundle, "--epsilon", 1, stdin=f"the {SECRET}\n".encode())
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith("Error: text 1, word 2: ")
    assert SECRET not in outcome.err
