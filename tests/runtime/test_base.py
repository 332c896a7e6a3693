"""The exponential mechanism's base measures and its cap, and the word released before."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from brrkit import Memory, OutOfVocabularyError, ParameterError, Privatizer, Stream, WordBundle
from brrkit.exact import weight_table
from brrkit.mechanisms import create_mechanism
from brrkit.mechanisms.exponential import BASES, Exponential
from brrkit.parts import _Scratch
from brrkit.setting import Setting

ChiSquare = Callable[[Sequence[int], Sequence[float]], float]

# Some words are near one another, two have one code, and one is far away from all.
CODES = [0, 0b1, 0b11, 0b111, 0b10000, 0b110000, 0b11, 2**64 - 1]
MASSES = [40, 16, 9, 3, 77, 1, 20, 5]  # bytes, as those of gains
BIGRAMS = {(0, 1): 50, (0, 5): 90, (3, 3): 70, (7, 0): 1, (7, 2): 33, (7, 6): 40}
HISTORIES = [None, *range(len(CODES))]
SECRET = "hunter2secret"


def size(byte: int) -> int:
    """Return m(v) as spec/bundle-format.md has it."""
    return byte if byte < 16 else (8 + byte % 8) * 2 ** (byte // 8 - 1)


def distance(first: int, second: int) -> int:
    return (CODES[first] ^ CODES[second]).bit_count()


def base_measure(base: str, before: int | None) -> list[int]:
    """Return mu of each word, and nothing of the runtime's."""
    if base == "uniform":
        return [1] * len(CODES)
    measure = [size(mass) for mass in MASSES]
    for (history, after), gain in BIGRAMS.items():
        if base == "bigram" and history == before:
            measure[after] += size(gain)
    return measure


def expected_weights(
    base: str, before: int | None, word: int, epsilon: float, radius: int, cap: float | None
) -> list[int]:
    """Return mu(y) * W[d(word, y)] of each word y."""
    most = max(sum(base_measure(base, history)) for history in HISTORIES)
    table = weight_table(epsilon, 64, most, radius, cap)
    measure = base_measure(base, before)
    return [measure[y] * table[distance(word, y)] for y in range(len(CODES))]


@pytest.fixture
def bundle(bundle_of: Callable[..., WordBundle]) -> WordBundle:
    return bundle_of(CODES, masses=MASSES, bigrams=BIGRAMS)


@pytest.fixture
def without_bigrams(bundle_of: Callable[..., WordBundle]) -> WordBundle:
    return bundle_of(CODES, masses=MASSES)


def exponential(bundle: WordBundle, epsilon: float = 1.0, **parameters: Any) -> Exponential:
    mechanism = create_mechanism(bundle, Setting(epsilon, parameters=parameters))
    assert isinstance(mechanism, Exponential)
    return mechanism


# --- parameters


def test_the_default_base_is_the_last_that_a_bundle_has(
    bundle: WordBundle, without_bigrams: WordBundle
) -> None:
    assert exponential(bundle).base == "bigram"
    assert exponential(without_bigrams).base == "unigram"


def test_a_bundle_without_bigrams_has_no_language(without_bigrams: WordBundle) -> None:
    with pytest.raises(
        ParameterError, match=r"^base 'bigram' needs .* 'unigram', or build the .* --text$"
    ):
        exponential(without_bigrams, base="bigram")
    assert exponential(without_bigrams, base="unigram").base == "unigram"


@pytest.mark.parametrize(
    "base", ["", "Unigram", "words", "language", 1, True, ["unigram"], b"unigram"]
)
def test_unknown_bases(bundle: WordBundle, base: Any) -> None:
    with pytest.raises(ParameterError, match="choose one of: uniform, unigram, bigram"):
        exponential(bundle, base=base)


@pytest.mark.parametrize(
    "cap", [0, -1, 9e-10, 88.00001, float("nan"), float("inf"), "x", [9], {}, 10**400]
)
def test_a_cap_out_of_range(bundle: WordBundle, cap: Any) -> None:
    with pytest.raises(ParameterError, match="cap must be a number from 1e-09 to 88"):
        exponential(bundle, cap=cap)


@pytest.mark.parametrize("cap", [1e-9, 1, 9.25, 88])
def test_a_cap_is_a_number_or_none(bundle: WordBundle, cap: float) -> None:
    assert exponential(bundle, cap=cap).cap == cap
    assert type(exponential(bundle, cap=cap).cap) is float
    assert exponential(bundle).cap is None


def test_what_draws_alike_has_one_setting(bundle_of: Callable[..., WordBundle]) -> None:
    """The table says which sum it is for; the last byte, whether all words are alike."""
    alike = bundle_of(CODES)  # of mass 1: the tables of uniform and unigram are the same
    uniform, unigram = (exponential(alike, base=base).setting for base in ("uniform", "unigram"))
    assert (uniform[0], uniform[1][:-1]) == (unigram[0], unigram[1][:-1])
    assert (uniform[1][32:], unigram[1][32:]) == (b"\0", b"\1")
    assert exponential(alike, base="unigram", cap=5).setting != unigram


# --- exact probabilities


@pytest.mark.parametrize("cap", [None, 6.0])
@pytest.mark.parametrize("base", BASES)
def test_the_distribution_is_base_times_weight(
    bundle: WordBundle, base: str, cap: float | None
) -> None:
    privatizer = Privatizer(
        bundle, Setting(0.7, parameters={"radius": 2, "base": base, "cap": cap})
    )
    for before in HISTORIES:
        for word in range(len(CODES)):
            weights = expected_weights(base, before, word, 0.7, 2, cap)
            expected = {f"w{y}": Fraction(weight, sum(weights)) for y, weight in enumerate(weights)}
            history = None if before is None else f"w{before}"
            assert privatizer.distribution(f"w{word}", before=history) == expected


def test_a_distribution_s_history_is_a_word_of_the_vocabulary(bundle: WordBundle) -> None:
    with pytest.raises(OutOfVocabularyError) as caught:
        Privatizer(bundle, Setting(1.0)).distribution("w0", before=SECRET)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("base", BASES)
def test_every_history_s_measure(bundle: WordBundle, base: str) -> None:
    mechanism = exponential(bundle, base=base)
    for before in HISTORIES:
        assert mechanism.measure(before).tolist() == base_measure(base, before)


def integers(*numbers: int) -> Callable[[int], bytes]:
    """Return a source of these numbers, and no more."""
    left = list(numbers)
    return lambda count: left.pop(0).to_bytes(count, "little")


@pytest.mark.parametrize("before", HISTORIES)
@pytest.mark.parametrize("base", BASES)
def test_a_draw_is_exact_at_every_boundary(
    bundle: WordBundle, base: str, before: int | None
) -> None:
    mechanism = exponential(bundle, 0.3, radius=2, base=base, cap=30.0)
    measure = base_measure(base, before)
    for word in (0, 3):
        weights = expected_weights(base, before, word, 0.3, 2, 30.0)
        start = 0
        for d in sorted({distance(word, y) for y in range(len(CODES))}):
            there = [y for y in range(len(CODES)) if distance(word, y) == d]
            end = start + sum(weights[y] for y in there)
            mass = 0
            for y in there:
                for first in (start, end - 1):
                    for second in (mass, mass + measure[y] - 1):
                        source = integers(first, second)
                        code = bundle.codes[word : word + 1]
                        assert mechanism(code, source, before).tolist() == [y]
                mass += measure[y]
            start = end
        rejected = integers(start, 0, 0)  # the sum itself
        assert mechanism(bundle.codes[word : word + 1], rejected, before).size == 1


# The ends of epsilon, where weights hardly fall or soon are 1, and between them a table without a
# radius, which makes the bound tight, and one with a step from gentle to steep among the words.
@pytest.mark.parametrize("cap", [None, 2.5])
@pytest.mark.parametrize(("epsilon", "radius"), [(1e-9, None), (0.7, 0), (3.0, 2), (22.18, 25)])
@pytest.mark.parametrize("base", ["unigram", "bigram"])
def test_metric_privacy_after_every_word(
    bundle: WordBundle, base: str, epsilon: float, radius: int | None, cap: float | None
) -> None:
    """p(y | w, h) <= e^min(epsilon d(w, w'), cap) p(y | w', h) for all y, w, w' and h, exactly."""
    mechanism = exponential(bundle, epsilon, radius=radius, base=base, cap=cap)
    with localcontext() as context:
        context.prec = 50
        for before in HISTORIES:
            rows = [mechanism.distribution(code, before) for code in bundle.codes]
            for first, second in combinations(range(len(CODES)), 2):
                bound = (Decimal(epsilon) * distance(first, second)).exp()
                if cap is not None:
                    bound = min(bound, Decimal(cap).exp())
                for high, low in ((first, second), (second, first)):
                    worst = max(p / q for p, q in zip(rows[high], rows[low], strict=True))
                    assert Decimal(worst.numerator) / worst.denominator <= bound


def test_a_cap_binds(bundle_of: Callable[..., WordBundle]) -> None:
    """Of two words that are all 64 bits apart: half of the cap each, and no more than e^cap."""
    bundle = bundle_of([0, 2**64 - 1])

    def ratio(cap: float | None) -> float:
        mechanism = exponential(bundle, 2.0, radius=0, base="uniform", cap=cap)
        near, far = (mechanism.distribution(code) for code in bundle.codes)
        return float(near[0] / far[0])

    assert ratio(None) > np.exp(40)
    assert ratio(6.0) == pytest.approx(np.exp(3))


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("words", [1, 2, 3, 5])
def test_a_vocabulary_in_parts_is_drawn_from_as_one(
    bundle: WordBundle, base: str, words: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same bytes give the same words, also where the last part has fewer words.

    So they do where what follows the word before begins the next part, as far away as the word.
    """
    codes = bundle.codes[random.Random(1).choices(range(len(CODES)), k=1600)]
    whole = exponential(bundle, 0.3, base=base)(codes, random.Random(3).randbytes)
    monkeypatch.setattr("brrkit.parts._NUMBERED_PART", words)
    monkeypatch.setattr("brrkit.parts._SCRATCH", _Scratch())
    parts = exponential(bundle, 0.3, base=base)
    assert len(parts._parts._parts) == -(-len(CODES) // words)
    assert np.array_equal(parts(codes, random.Random(3).randbytes), whole)
    assert len(set(whole.tolist())) > 6  # of 8: one's mass is 1


# --- what is drawn in the long run

DRAWS = 18_000
EPSILON = 0.2
FLAT = [26, 18, 27, 24, 18, 25, 24, 26]
FLAT_BIGRAMS = {(0, 1): 35, (0, 5): 38, (3, 3): 37, (3, 6): 36, (7, 0): 36}


@pytest.fixture
def flat(bundle_of: Callable[..., WordBundle]) -> WordBundle:
    """Return words none of which is rare: every output is seen often enough."""
    codes = [*CODES[:-1], 0b1110000]
    return bundle_of(codes, masses=FLAT, bigrams=FLAT_BIGRAMS)


def flat_probabilities(bundle: WordBundle, base: str, before: int, word: int) -> list[float]:
    """Return Pr[y | word, before] from the definition, in floating point."""
    codes = bundle.codes[:, 0].tolist()
    measure = [1.0 if base == "uniform" else size(mass) for mass in FLAT]
    for (history, after), gain in FLAT_BIGRAMS.items():
        if base == "bigram" and history == before:
            measure[after] += size(gain)
    weights = [
        m * np.exp(-EPSILON / 2 * (codes[word] ^ code).bit_count())
        for m, code in zip(measure, codes, strict=True)
    ]
    return [float(weight / sum(weights)) for weight in weights]


def excess(mechanism: Any, bundle: WordBundle, base: str, chi_square: ChiSquare) -> float:
    """Return by how much the worst of the histories' frequencies are others, as ``chi_square``.

    One text is released that repeats a word, and each output is taken with the one before it.
    """
    source = random.Random(9).randbytes
    word = 2
    released = mechanism(np.tile(bundle.codes[word], (DRAWS, 1)), source).tolist()
    counts = np.zeros((len(FLAT), len(FLAT)), np.int64)
    for before, after in pairwise(released):
        counts[before, after] += 1
    return max(
        chi_square(counts[before].tolist(), flat_probabilities(bundle, base, before, word))
        for before in range(len(FLAT))
    )


@pytest.mark.parametrize("base", BASES)
def test_long_run_frequencies_are_the_distribution(
    flat: WordBundle, base: str, chi_square: ChiSquare
) -> None:
    """Eight chi-square tests, whose false-alarm rate would be below 10^-7 each without a seed."""
    mechanism = exponential(flat, EPSILON, radius=0, base=base)
    assert excess(mechanism, flat, base, chi_square) < 1


class NextWordsHistory(Exponential):
    """Takes the bigrams of another word than the one released before."""

    def _following(self, before: int | None) -> Any:
        return super()._following(None if before is None else (before + 1) % len(FLAT))


class AnotherNormalizer(Exponential):
    """Draws the distance as if nothing had been released before."""

    def _histogram(self, distances: Any, following: Any) -> Any:
        _, cumulative = super()._histogram(distances, super()._following(None))
        masses, _ = super()._histogram(distances, following)
        return masses, cumulative


class TypedHistory(Exponential):
    """Takes the bigrams of the word that was typed before, which is the same at every place."""

    def _following(self, before: int | None) -> Any:
        return super()._following(None if before is None else 2)


@pytest.mark.parametrize("broken", [NextWordsHistory, AnotherNormalizer, TypedHistory])
def test_another_history_is_caught(
    flat: WordBundle, broken: type[Exponential], chi_square: ChiSquare
) -> None:
    mechanism = broken(flat, EPSILON, radius=0, base="bigram")
    assert excess(mechanism, flat, "bigram", chi_square) > 1


@pytest.mark.parametrize("base", ["unigram", "bigram"])
def test_masses_that_are_ignored_are_caught(
    flat: WordBundle, base: str, chi_square: ChiSquare
) -> None:
    mechanism = exponential(flat, EPSILON, radius=0, base=base)
    mechanism._masses[:] = 1
    assert excess(mechanism, flat, base, chi_square) > 1


# --- texts


@pytest.fixture
def chained(bundle_of: Callable[..., WordBundle]) -> WordBundle:
    """Return words each of which is followed by the next, but once in 10^9 times or so.

    So what is released tells after which word it was drawn.
    """
    count = 40
    bigrams = {(word, (word + 1) % count): 255 for word in range(count)}
    return bundle_of(range(count), bigrams=bigrams)


def follows(released: Sequence[str]) -> list[bool]:
    """Tell of each word but the first whether it is the next one's after the one before."""
    ids = [int(word.removeprefix("w")) for word in released]
    return [after == (before + 1) % 40 for before, after in pairwise(ids)]


def seeded(seed: int = 0) -> Callable[[int], bytes]:
    return random.Random(seed).randbytes


TYPED = ["w3", "unknown", "w30", "w3", "w11", "w8", "w39", "w0"]


def test_the_words_of_a_text_follow_one_another(chained: WordBundle) -> None:
    for release in ("words", "text", "texts", "stream"):
        privatizer = Privatizer(chained, Setting(0.1), random=seeded())
        released = {
            "words": lambda p: p.words(TYPED),
            "text": lambda p: p.text(" ".join(TYPED)).split(" "),
            "texts": lambda p: p.texts([" ".join(TYPED)])[0].split(" "),
            "stream": lambda p: list(map(p.stream().word, TYPED)),
        }[release](privatizer)
        assert follows(released) == [True] * (len(TYPED) - 1), release


def test_each_text_begins_anew(chained: WordBundle) -> None:
    """Each first word is drawn as a text's first; in 40 texts of 2 words few follow by chance."""
    privatizer = Privatizer(chained, Setting(0.1), random=seeded())
    texts = privatizer.texts(["w3 w9"] * 40)
    joined = follows(" ".join(texts).split(" "))
    assert all(joined[0::2])
    assert sum(joined[1::2]) < 10
    calls = [privatizer.word("w3") for _ in range(40)]
    assert sum(follows([word for word in calls if word])) < 10
    streams = [privatizer.stream().word("w3") for _ in range(40)]
    assert sum(follows([word for word in streams if word])) < 10


def test_a_stream_is_its_words_with_the_same_random_bytes(bundle: WordBundle) -> None:
    for base in BASES:
        typed = ["w1", "W2", "w5", "w5", "w0", "w7"] * 5
        at_once = Privatizer(
            bundle, Setting(0.5, parameters={"base": base}), random=seeded(1)
        ).words(typed)
        stream = Privatizer(
            bundle, Setting(0.5, parameters={"base": base}), random=seeded(1)
        ).stream()
        assert [stream.word(word) for word in typed] == at_once


def test_a_stream_goes_on_after_a_word(chained: WordBundle) -> None:
    privatizer = Privatizer(chained, Setting(0.1), random=seeded())
    for before in range(40):
        assert Stream(privatizer, before).word("w3") == f"w{(before + 1) % 40}"


def test_a_word_that_is_dropped_leaves_the_history(chained: WordBundle) -> None:
    typed = ["w3", "unknown", "w30", SECRET, SECRET, "w11"]
    privatizer = Privatizer(chained, Setting(0.1), oov="drop", random=seeded())
    assert follows(privatizer.words(typed)) == [True, True]
    stream = privatizer.stream()
    released = [stream.word(word) for word in typed]
    assert [word is None for word in released] == [word in ("unknown", SECRET) for word in typed]
    assert follows([word for word in released if word]) == [True, True]


def test_a_stream_holds_no_typed_word(chained: WordBundle) -> None:
    privatizer = Privatizer(chained, Setting(0.1), random=seeded())
    stream = privatizer.stream()
    assert vars(stream) == {"_privatizer": privatizer, "_before": None}
    before = dict(vars(privatizer))
    for typed in (SECRET, "w3", "zorblaxian"):
        released = stream.word(typed)
        assert released is not None
        held = {"_privatizer": privatizer, "_before": chained.vocabulary.find(released)}
        assert vars(stream) == held
    assert vars(privatizer) == before


def test_an_error_leaves_a_stream_as_it_was(chained: WordBundle) -> None:
    stream = Privatizer(chained, Setting(0.1), oov="error", random=seeded()).stream()
    first = stream.word("w3")
    with pytest.raises(OutOfVocabularyError) as caught:
        stream.word(SECRET)
    assert SECRET not in str(caught.value)
    second = stream.word("w3")
    assert first is not None and second is not None
    assert follows([first, second]) == [True]


@pytest.mark.parametrize("typed", [None, 7, b"the", ["the"]])
def test_a_stream_takes_strings(chained: WordBundle, typed: Any) -> None:
    with pytest.raises(ParameterError, match=r"^word takes a string$"):
        Privatizer(chained, Setting(0.1)).stream().word(typed)


class Spy:
    """A mechanism that notes after which words it is asked to draw."""

    def __init__(self, mechanism: Exponential) -> None:
        self._mechanism = mechanism
        self.setting, self.epsilon = mechanism.setting, mechanism.epsilon
        self.effective_epsilon = mechanism.effective_epsilon
        self.histories: list[int | None] = []

    def __call__(self, codes: Any, random: Any, before: int | None = None) -> Any:
        self.histories.append(before)
        return self._mechanism(codes, random, before)


def test_a_memory_s_first_draw_has_no_history(chained: WordBundle, tmp_path: Path) -> None:
    """The word's first draw is the same wherever it comes; what is released follows the text."""
    memory = Memory(3600, tmp_path / "key")
    privatizer = Privatizer(
        chained, Setting(0.1), memory=memory, second_epsilon=0.1, random=seeded()
    )
    assert isinstance(privatizer.mechanism, Exponential)
    spy = privatizer.mechanism = Spy(privatizer.mechanism)
    stream = privatizer.stream()
    released = [stream.word(word) for word in TYPED]
    assert follows([word for word in released if word]) == [True] * (len(TYPED) - 1)
    assert follows(privatizer.words(TYPED)) == [True] * (len(TYPED) - 1)
    assert spy.histories == [None] * (2 * len(TYPED))


def test_one_text_in_pieces_is_one_text(bundle: WordBundle) -> None:
    """The mechanism goes on from ``before``: a piece's last word is the next one's history."""
    mechanism = exponential(bundle, 0.5)
    codes = bundle.codes[[1, 2, 5, 5, 0, 7, 3, 3]]
    at_once = mechanism(codes, seeded(3))
    source = seeded(3)

    def pieces() -> Iterator[int]:
        before: int | None = None
        for code in codes:
            before = int(mechanism(code[None], source, before)[0])
            yield before

    assert list(pieces()) == at_once.tolist()
