"""Texts: the runtime against the reference, and the number of words whatever the vocabulary."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bundle_tools import index_of
from hypothesis import given, settings
from hypothesis import strategies as st
from written import WRITINGS, Case, random_case

from brrkit import Privatizer, WordBundle, characters, normal_form, tokenizer
from brrkit.bundle import INDEX, MANIFEST, PARITY, RANDOMIZER
from brrkit.mechanisms import MECHANISMS
from brrkit.normal_form import normalize, renormalized
from brrkit.setting import Setting
from brrkit.tokenizer import MOST_TIMES, look_up, tokenize
from brrkit.writing import ENGLISH
from brrkit_toolchain.bundle import reference
from brrkit_toolchain.bundle.parity_inputs import golden_texts
from brrkit_toolchain.bundle.writer import encode_manifest
from brrkit_toolchain.language.model import model_of_ranks

CLITICS, SPELLINGS = ENGLISH.endings, ENGLISH.word_of
LETTERS = st.text("abdelmnorstvzßéÉİ", min_size=1, max_size=3)
PIECES = st.one_of(LETTERS, st.sampled_from([*CLITICS, *SPELLINGS, "'", "''", "o'", "’", "ʼ"]))
TOKENS = st.lists(PIECES, min_size=1, max_size=5).map("".join)
TEXTS = st.lists(st.one_of(TOKENS, st.sampled_from(" .,-"), st.characters()), max_size=12).map(
    "".join
)
VOCABULARIES = st.lists(TOKENS.map(normalize), min_size=2, max_size=8, unique=True)


def lexicon_of(words: Sequence[str], writing: dict[str, Any] | None = None) -> reference.Lexicon:
    return reference.Lexicon.of(words, model_of_ranks(len(words)).masses.tolist(), writing)


def blocks() -> Iterator[range]:
    """Yield all code points, but of those unassigned, or for private use, a sixteenth."""
    for start in range(0, 0x110000, 256):
        if not ((0x33 <= start >> 12 < 0xE0 or start >= 0xF0000) and start >> 8 & 15):
            yield range(start, start + 256)


def test_every_code_point_is_the_reference_s() -> None:
    """Fails for any difference in the tables."""
    english = lexicon_of(["the"])
    for block in blocks():
        text = "".join(f"x{chr(code_point)}" for code_point in block) + "x"
        assert normalize(text) == reference.normalize(text), block
        assert tokenize(text) == reference.tokenize(text, english), block


@settings(max_examples=300)
@given(TEXTS, VOCABULARIES)
def test_tokens_and_their_words_are_the_reference_s(text: str, words: list[str]) -> None:
    english = lexicon_of(words)
    tokens = tokenize(text)
    assert tokens == reference.tokenize(text, english)
    ids = {word: word_id for word_id, word in enumerate(words)}
    for token in [*tokens, text, *text.split(" ")]:  # any string can be given as a word
        expected = reference.look_up(token, english)
        assert look_up(token, ids.get) == (None if expected is None else ids[expected])


@cache
def cases(language: str) -> list[Case]:
    source = random.Random(language)
    return [random_case(source, language) for _ in range(250)]


@pytest.mark.parametrize("language", WRITINGS)
def test_every_language_is_cut_and_looked_up_as_the_reference_does(language: str) -> None:
    for case in cases(language):
        lexicon = reference.Lexicon.of(case.words, case.masses, case.writing)
        tokenizer = case.tokenizer()
        tokens = reference.tokenize(case.text, lexicon)
        words = [reference.look_up(token, lexicon) for token in tokens]
        ids = [None if word is None else case.words.index(word) for word in words]
        assert tokenizer.read(case.text) == list(zip(tokens, ids, strict=True)), case
        assert tokenizer.tokenize(case.text) == tokens
        assert [tokenizer.look_up(token) for token in tokens] == ids, case


@pytest.mark.parametrize("language", WRITINGS)
def test_a_part_of_a_normalized_text_is_normalized_again(language: str) -> None:
    """Also where that changes it: heaps of marks, what is replaced, a sigma that is last now."""
    source = random.Random(language)
    for earlier, case in pairwise(cases(language)):
        tokenizer = case.tokenizer()
        text = tokenizer.normalize(earlier.text + case.text)
        start, end = sorted(source.choices(range(len(text) + 1), k=2))
        part = text[start:end]
        assert renormalized(part, tokenizer.writing) == tokenizer.normalize(part), ascii(part)


def test_of_a_normalized_text_nothing_is_lower_cased_again() -> None:
    for code_point in chain.from_iterable(blocks()):
        once = normalize(f"x{chr(code_point)}")
        assert normalize(once) == once == renormalized(once, ENGLISH)


@pytest.mark.parametrize("language", WRITINGS)
def test_tokens_are_tokens_and_words_are_kept(language: str) -> None:
    """What is cut isn't cut again, and a word of the vocabulary stands for itself."""
    for case in cases(language):
        tokenizer = case.tokenizer()
        once = tokenizer.normalize(case.text)
        if once.count("'") > MOST_TIMES or tokenizer.normalize(once) != once:
            continue  # more words before others than are taken off, or heaps of marks
        for token in tokenizer.tokenize(case.text):
            if tokenizer.normalize(token) == token:  # not where marks have lost what they were on
                assert tokenizer.tokenize(token) == [token], case
        for word_id, word in enumerate(case.words):
            assert tokenizer.look_up(word) == word_id
            assert tokenizer.normalize(word) == word
            if len(word) <= 32:
                assert tokenizer.tokenize(word) in ([word], tokenizer.tokenize(f" {word}."))


@given(TOKENS, VOCABULARIES)
def test_what_a_token_stands_for_is_what_is_left_of_it(token: str, words: list[str]) -> None:
    """Stated without a loop: the word, clitics, apostrophes around them, or a form of these."""
    ids = {word: word_id for word_id, word in enumerate(words)}
    token = normalize(token)
    found = look_up(token, ids.get)
    if token in ids:
        assert found == ids[token]
    elif found is not None:
        clitics = "|".join(CLITICS)
        made_of = f"'*{re.escape(words[found])}({clitics})*'*"
        bare = token.strip("'")
        forms = [token, *(re.sub(r"(.)\1\1+", cut, bare) for cut in (r"\1\1", r"\1"))]
        is_made_of_it = any(re.fullmatch(made_of, form) for form in forms)
        assert words[found] in SPELLINGS.values() or is_made_of_it


@pytest.fixture(scope="session")
def bundle_of(sample_bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Make a bundle of any words, with random codes."""
    folder = tmp_path_factory.mktemp("any-words")
    graph = (sample_bundle / RANDOMIZER).read_bytes()

    def make(words: list[str]) -> WordBundle:
        codes = np.random.default_rng(0).integers(0, 2**64, (len(words), 1), np.uint64)
        files = {INDEX: index_of(words, codes), RANDOMIZER: graph, PARITY: b"{}"}
        manifest = encode_manifest({"bits": 64, "vocabulary_size": len(words), "bigrams": 0}, files)
        for name, content in {MANIFEST: manifest, **files}.items():
            (folder / name).unlink(missing_ok=True)  # the last one is still mapped
            (folder / name).write_bytes(content)
        return WordBundle.open(folder)

    return make


@settings(max_examples=100)
@given(text=TEXTS, words=VOCABULARIES, mechanism=st.sampled_from(list(MECHANISMS)))
def test_as_many_words_come_out_as_tokens_went_in(
    bundle_of: Any, text: str, words: list[str], mechanism: str
) -> None:
    """Whatever the vocabulary: the count tells nothing but the text's own number of tokens."""
    privatizer = Privatizer(bundle_of(words), Setting(1.0, mechanism))
    tokens = reference.tokenize(text, lexicon_of(words))
    released = privatizer.text(text).split()  # no word of these vocabularies has a space in it
    assert len(released) == len(tokens)
    assert set(released) <= set(words)
    assert len(privatizer.words(tokens)) == len(tokens)
    assert privatizer.word(text) in words


def test_the_help_says_what_drop_and_error_reveal(brr: Any) -> None:
    told = " ".join(brr("privatize", "--help-all").out.split())
    assert "drop and error REVEAL, with certainty, which words were unknown" in told
    assert "costs budget like any other" in told


class TestGoldenTexts:
    """A wrong table or rule in a runtime changes what it makes of a golden text."""

    WORDS = ("the", "don't", "can", "do", "n't", "'s", "dogs")

    GOLDEN = tuple(golden_texts(lexicon_of(WORDS), WORDS))

    def right(self, first: str = "") -> bool:
        """Tell whether all texts are right, those with the character ``first`` before the others.

        A fault that is about the character is found sooner so.
        """
        ids = {word: word_id for word_id, word in enumerate(self.WORDS)}
        for entry in sorted(self.GOLDEN, key=lambda entry: first not in entry["text"]):
            tokens = tokenizer.tokenize(entry["text"])
            found = [tokenizer.look_up(token, ids.get) for token in tokens]
            words = [None if word_id is None else self.WORDS[word_id] for word_id in found]
            if (tokens, words) != (entry["tokens"], entry["words"]):
                return False
        return True

    def test_the_runtime_is_right(self) -> None:
        assert self.right()

    def test_every_range_of_separators(self, monkeypatch: pytest.MonkeyPatch) -> None:
        tested = 0
        for place, (first, last) in enumerate(characters.SEPARATORS):
            for changed, bounds in (
                (first - 1, (first - 1, last)),
                (first, (first + 1, last)),
                (last, (first, last - 1)),
                (last + 1, (first, last + 1)),
            ):
                if changed in {-1, 0xD800, 0x110000} or normalize(chr(changed)) != chr(changed):
                    continue  # no such character in a text, or none that is cut at
                table = [*characters.SEPARATORS]
                table[place] = bounds
                ranges = characters.character_class(tuple((a, b) for a, b in table if a <= b))
                pattern = re.compile(f"[^{ranges}]+")
                monkeypatch.setattr(tokenizer, "_run", lambda joiners, found=pattern: found)
                assert not self.right(chr(changed)), hex(changed)
                tested += 1
        assert tested > 190

    def lowered(self, monkeypatch: pytest.MonkeyPatch, table: dict[int, str]) -> None:
        monkeypatch.setattr(normal_form, "_changes", lambda replaced: table)

    def test_every_letter_that_has_a_lower_case(self, monkeypatch: pytest.MonkeyPatch) -> None:
        separators = reference.tokenizer.code_points(reference.SEPARATORS)
        for code_point in normal_form._LOWERED:
            assert code_point not in separators
            letter = chr(code_point)
            if letter == "'" or unicodedata.normalize("NFC", letter) != letter:
                continue  # it doesn't change, or composing has changed it before
            if code_point in normal_form._PLAIN:
                continue  # nor does it reach what lowers
            table = {c: to for c, to in normal_form._LOWERED.items() if c != code_point}
            self.lowered(monkeypatch, table)
            assert not self.right(letter), hex(code_point)

    def test_every_letter_that_has_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Full mappings, and platforms that lower more than the blocks."""
        for extra in (
            {0x0130: "i\u0307"},
            {0x2C60: "ⱡ"},
            {0x10400: "𐐨"},
            {0x00DF: "ss"},
            {0xA640: "ꙁ"},
        ):
            self.lowered(monkeypatch, normal_form._LOWERED | extra)
            assert not self.right(), extra

    @pytest.mark.parametrize(
        ("name", "wrong"),
        [
            ("_compose", lambda text: text),
            ("_compose", lambda text: unicodedata.normalize("NFC", text)),
            ("_compose", lambda text: unicodedata.normalize("NFKC", text)),
            ("_final_sigma", lambda text: text),
            ("_final_sigma", lambda text: text.replace("σ", "ς")),
        ],
    )
    def test_composing(self, monkeypatch: pytest.MonkeyPatch, name: str, wrong: Any) -> None:
        monkeypatch.setattr(normal_form, name, wrong)
        assert not self.right()
