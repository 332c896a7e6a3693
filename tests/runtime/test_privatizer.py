"""What an app calls: words and text in, privatized words out."""

from __future__ import annotations

import hashlib
import io
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import brrkit.privatizer as privatizer_module
from brrkit import (
    BrrError,
    BudgetError,
    BundleError,
    Memory,
    OutOfVocabularyError,
    ParameterError,
    PrivacyBudget,
    Privatizer,
    WordBundle,
    hamming,
)
from brrkit.mechanisms import MECHANISMS, create_mechanism
from brrkit.mechanisms.exponential import BASES
from brrkit.randomness import RandomSource, uniform_below
from brrkit.setting import CountsSetting, Setting
from brrkit.vocabulary import Vocabulary

SECRET = "hunter2secret"
NO_FLIP = np.int32(2**31 - 1).tobytes()


def no_noise(size: int) -> bytes:
    return NO_FLIP * (size // 4)


def no_source(size: int) -> bytes:
    raise AssertionError("drew random bytes")


def seeded(seed: int = 0) -> Callable[[int], bytes]:
    return random.Random(seed).randbytes


@pytest.fixture
def plain(bundle64: WordBundle) -> Privatizer:
    """Return a privatizer that releases what it is given: only for looking at the rest of it."""
    return Privatizer(bundle64, Setting(1.0, "brr"), random=no_noise, oov="drop")


# --- semantics


def test_words_come_back_in_order(plain: Privatizer, bundle64: WordBundle) -> None:
    words = [bundle64.vocabulary.word(i) for i in (5, 0, 5, 77, len(bundle64) - 1)]
    assert plain.words(words) == words
    assert [plain.word(word) for word in words] == words
    assert plain.words(tuple(words)) == words


@pytest.mark.parametrize("remembers", [False, True])
@pytest.mark.parametrize(
    ("name", "base"),
    [("brr", None), ("vickrey", None), *(("exponential", base) for base in BASES)],
)
def test_equal_words_share_nothing(
    bundle64: WordBundle,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    base: str | None,
    remembers: bool,
) -> None:
    """The time of a text would tell how many different words it has."""
    done: Counter[str] = Counter()

    def counted(module: Any, function: str) -> None:
        original = getattr(module, function)

        def counting(*arguments: Any) -> Any:
            done[function] += 1
            return original(*arguments)

        monkeypatch.setattr(module, function, counting)

    counted(hamming, "_scan")
    counted(Vocabulary, "find")
    privatizer = Privatizer(
        bundle64,
        Setting(1.0, name, {} if base is None else {"base": base}),
        memory=Memory(1e6, tmp_path / "key") if remembers else None,
    )
    of_words = []
    for words in (["london"] * 20, [bundle64.vocabulary.word(i) for i in range(20)]):
        done.clear()
        privatizer.words(words)
        of_words.append(dict(done))
    assert of_words[0] == of_words[1]
    assert of_words[0]["_scan"] == (40 if remembers else 20)
    assert of_words[0]["find"] == 20


@pytest.mark.parametrize("empty", [[], ()])
@pytest.mark.parametrize("name", MECHANISMS)
def test_nothing_in_nothing_out(bundle64: WordBundle, name: str, empty: Any) -> None:
    privatizer = Privatizer(bundle64, Setting(1.0, name), random=no_source)
    assert privatizer.words(empty) == []
    for text in ("", "  ", "\n", "?! … 👍", "'"):
        assert privatizer.text(text) == ""


@pytest.mark.parametrize("name", ["words", "texts"])
@pytest.mark.parametrize("bad", [SECRET, ["the", None], [7], [b"hunter2secret"], [["the"]]])
def test_only_a_list_of_strings_is_one(bundle64: WordBundle, name: str, bad: Any) -> None:
    privatizer = Privatizer(bundle64, Setting(1.0), random=no_source)
    with pytest.raises(ParameterError, match=f"^{name} takes a list of strings; use") as caught:
        getattr(privatizer, name)(bad)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("bad", [None, 7, b"hunter2secret", [SECRET]])
def test_a_word_is_a_string(bundle64: WordBundle, bad: Any) -> None:
    privatizer = Privatizer(bundle64, Setting(1.0), random=no_source)
    with pytest.raises(ParameterError, match=r"^word takes a string$"):
        privatizer.word(bad)


def test_text_is_its_words(plain: Privatizer) -> None:
    assert plain.text("The,  of\tAND…\nto!") == "the of and to"


TYPED = ["the of and", "THE OF AND", "The, of—and!", "\tthe\r\nof\u00a0and\n", "“the” 'of' (and)"]


@pytest.mark.parametrize("typed", TYPED)
@pytest.mark.parametrize("name", MECHANISMS)
def test_case_and_punctuation_change_nothing(bundle64: WordBundle, name: str, typed: str) -> None:
    expected = Privatizer(bundle64, Setting(0.5, name), random=seeded()).text(TYPED[0])
    assert Privatizer(bundle64, Setting(0.5, name), random=seeded()).text(typed) == expected


@pytest.mark.parametrize("name", MECHANISMS)
def test_outputs_are_the_vocabulary_s_words_joined_by_spaces(
    bundle64: WordBundle, name: str
) -> None:
    known = set(bundle64.vocabulary)
    typed = f"The {SECRET} of ½ 3.14 — Don’t İ 世界 e-mail’s"
    text = Privatizer(bundle64, Setting(5.0, name)).text(typed)
    assert set(text.split(" ")) <= known
    assert "  " not in text
    assert text == text.strip()


def test_a_typed_word_is_normalized_but_not_cut(bundle64: WordBundle) -> None:
    erring = Privatizer(bundle64, Setting(1.0, "brr"), random=no_noise, oov="error")
    assert erring.word("THE") == "the"
    for typed in ("the of", " the", "the.", "", "thé"):
        with pytest.raises(OutOfVocabularyError):
            erring.word(typed)


def test_words_and_texts_are_looked_up_alike(bundle_of: Callable[..., WordBundle]) -> None:
    bundle = bundle_of([1, 2, 4, 8, 16], ["do", "n't", "it", "o'clock", "can"])
    privatizer = Privatizer(bundle, Setting(1.0, "brr"), random=no_noise, oov="error")
    typed = ["Don’t", "It's", "'O'CLOCK'", "can't", "o’clock", "n't"]
    words = ["do", "it", "o'clock", "can", "o'clock", "n't"]
    assert privatizer.text(" ... ".join(typed)) == " ".join(words)
    assert privatizer.words(typed) == words
    assert [privatizer.word(token) for token in typed] == words
    for unknown in ("o'brien", "O’TOOLE", "o", "it'll've'em", "won't"):
        for release in (privatizer.word, privatizer.text):
            with pytest.raises(OutOfVocabularyError):
                release(unknown)


NAMES = ["john", "zbigniew"]


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("known", [[], ["john"], NAMES, [*NAMES, "'s"], ["zbigniew's", "'s"]])
def test_whether_a_name_is_known_doesn_t_show_in_the_number_of_words(
    name: str, known: list[str], bundle_of: Callable[..., WordBundle]
) -> None:
    words = ["the", "book", *known]
    bundle = bundle_of([3 * 5**i for i in range(len(words))], words)
    privatizer = Privatizer(bundle, Setting(0.5, name))
    for text in ("John's book", "Zbigniew's book", "O'Brien's book", "o'toole's  ’book’"):
        counts = {len(privatizer.text(text).split(" ")) for _ in range(300)}
        assert counts == {2}, text


@pytest.mark.parametrize("typed", ["", " ", "...", "'", "hello world", "the,", " the", "the of"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_what_isn_t_a_token_is_one_unknown_word(
    bundle64: WordBundle, name: str, typed: str
) -> None:
    outputs = {
        Privatizer(bundle64, Setting(1.0, name), random=seeded()).word(word)
        for word in (typed, SECRET)
    }
    assert len(outputs) == 1
    assert outputs != {None}


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("epsilon", [1e-9, 0.3, 22.18])
def test_epsilons(bundle: WordBundle, name: str, epsilon: float) -> None:
    privatizer = Privatizer(bundle, Setting(epsilon, name))
    assert privatizer.epsilon == epsilon
    assert 0 < privatizer.effective_epsilon <= epsilon


def test_parameters_reach_the_mechanism(bundle64: WordBundle) -> None:
    privatizer: Any = Privatizer(bundle64, Setting(1.0, "vickrey", {"t": [0.1, 0.2, 0.3], "k": 3}))
    assert privatizer.mechanism.k == 3
    assert Privatizer(
        bundle64, Setting(1.0, parameters={"radius": 64})
    ).effective_epsilon == pytest.approx(1 / 8)
    for wrong in (
        Setting(1.0, parameters={"t": 0.5}),
        Setting(1.0, "vickrey", {"T": 1}),
        Setting(1.0, "x"),
    ):
        with pytest.raises(ParameterError):
            Privatizer(bundle64, wrong)


UNIFORM = {"radius": 3, "base": "uniform"}


def recommending(bundle: WordBundle, **setting: Any) -> WordBundle:
    """Return ``bundle`` with a recommended setting, as ``WordBundle.open`` lets it through."""
    fields = {"mechanism": "vickrey", "epsilon": 0.625, "parameters": {"t": 0.25}, "goal": "x"}
    return replace(bundle, manifest={**bundle.manifest, "recommended": {**fields, **setting}})


def test_without_a_setting_the_recommended_one_is_used(bundle64: WordBundle) -> None:
    bundle = recommending(bundle64)
    words = [bundle.vocabulary.word(i) for i in range(200)]
    given = Privatizer(bundle, Setting(0.625, "vickrey", {"t": 0.25}), random=seeded())
    privatizer = Privatizer(bundle, random=seeded())
    assert privatizer.epsilon == 0.625
    assert privatizer.words(words) == given.words(words)
    listed = recommending(bundle64, parameters={"t": [0.5, 0.1, 0]})
    given = Privatizer(bundle64, Setting(0.625, "vickrey", {"t": [0.5, 0.1, 0]}), random=seeded())
    assert Privatizer(listed, random=seeded()).words(words) == given.words(words)
    flat = recommending(bundle64, mechanism="exponential", parameters={"radius": 20})
    given = Privatizer(bundle64, Setting(0.625, parameters={"radius": 20}), random=seeded())
    assert Privatizer(flat, random=seeded()).words(words) == given.words(words)


def test_a_given_setting_takes_nothing_of_the_recommended_one(bundle64: WordBundle) -> None:
    words = [bundle64.vocabulary.word(i) for i in range(200)]
    released = Privatizer(recommending(bundle64), Setting(0.5), random=seeded()).words(words)
    default = Privatizer(bundle64, Setting(0.5, parameters={"radius": 8}), random=seeded())
    assert released == default.words(words)


def test_the_default_is_the_exponential_mechanism_with_an_eighth_of_the_bits(
    bundle64: WordBundle, bundle256: WordBundle
) -> None:
    for bundle, radius in ((bundle64, 8), (bundle256, 32)):
        words = [bundle.vocabulary.word(i) for i in range(200)]
        released, given, other = (
            Privatizer(bundle, Setting(0.5, parameters=parameters), random=seeded()).words(words)
            for parameters in (
                {},
                {"radius": radius},
                {"radius": 2 * radius},
            )
        )
        assert released == given
        assert released != other


def test_without_a_setting_and_a_recommended_one(bundle64: WordBundle) -> None:
    with pytest.raises(
        ParameterError, match=r"the bundle recommends no setting; .* 'brr calibrate"
    ):
        Privatizer(bundle64)


@pytest.mark.parametrize("number", [0.5, 1, "0.5", {"epsilon": 0.5}, CountsSetting(0.5)])
def test_what_is_no_setting_is_refused(bundle64: WordBundle, number: Any) -> None:
    with pytest.raises(ParameterError, match=r"setting must be a Setting: Setting\(epsilon=0\.6\)"):
        Privatizer(bundle64, number)


@pytest.mark.parametrize(
    ("setting", "what"),
    [
        ({"mechanism": "new"}, "there is no such mechanism; choose one of: brr"),
        ({"mechanism": "brr"}, "mechanism 'brr' has no parameter 't'; it takes none"),
        ({"parameters": {"t": 1.5}}, "t must be a number from 0 to 1"),
        ({"parameters": {"bundle": 1}}, "mechanism 'vickrey' has no parameter 'bundle'"),
        ({"parameters": {"k": 3}}, "k is 3, but t gives 2 candidates"),
    ],
)
def test_a_setting_that_can_t_be_run(
    bundle64: WordBundle, setting: dict[str, Any], what: str
) -> None:
    """A given one is the caller's fault; a recommended one the bundle's, whose field is named."""
    bundle = recommending(bundle64, **setting)
    with pytest.raises(BundleError) as caught:
        Privatizer(bundle)
    message = str(caught.value)
    assert message.startswith(f"{bundle.path / 'manifest.json'}: field 'recommended': {what}")
    assert "\n" not in message
    Privatizer(bundle, Setting(0.5))  # a given one doesn't need it
    given = {"epsilon": 0.625, "mechanism": "vickrey", "parameters": {"t": 0.25}, **setting}
    with pytest.raises(ParameterError, match=f"^{re.escape(what)}"):
        Privatizer(bundle64, Setting(**given))


def certified(
    bundle: WordBundle, epsilon: float, certified_epsilon: float, **setting: Any
) -> WordBundle:
    """Return ``bundle`` with a recommended setting that has a certificate."""
    certificate = {
        "certified_epsilon": certified_epsilon,
        "index": bundle.digest,
        **setting.pop("certificate", {}),
    }
    fields = {"mechanism": "exponential", "parameters": UNIFORM, **setting}
    return recommending(bundle, epsilon=epsilon, certificate=certificate, **fields)


@pytest.mark.parametrize("loss", [0.25, 0.31830988618379067, 0.5])  # epsilon / 2 to epsilon
def test_a_certificate_changes_no_weights(bundle: WordBundle, loss: float) -> None:
    privatizer = Privatizer(certified(bundle, 0.5, loss))
    given = Privatizer(bundle, Setting(privatizer.epsilon, parameters=UNIFORM))
    assert privatizer.mechanism.setting == given.mechanism.setting
    word = bundle.vocabulary.word(7)
    assert privatizer.distribution(word) == given.distribution(word)
    assert privatizer.epsilon == given.epsilon == 0.5
    assert privatizer.effective_epsilon == given.effective_epsilon
    assert privatizer.certified_epsilon == loss
    assert given.certified_epsilon == given.effective_epsilon


def test_what_a_bundle_recommends_rebuilt_by_hand_is_the_same(bundle64: WordBundle) -> None:
    for bundle in (
        recommending(bundle64),
        recommending(bundle64, mechanism="brr", parameters={}),
        certified(bundle64, 0.5, 0.3),
    ):
        setting = bundle.recommended
        assert setting is not None
        recommended = Privatizer(bundle)
        assert recommended.setting == setting
        by_hand = Setting(setting.epsilon, setting.mechanism, setting.parameters)
        rebuilt = Privatizer(bundle, by_hand)
        assert rebuilt.mechanism.setting == recommended.mechanism.setting
        assert str(by_hand) == str(setting)


def test_a_budget_counts_the_certified_epsilon(bundle64: WordBundle, tmp_path: Path) -> None:
    words = [bundle64.vocabulary.word(i) for i in (1, 2)]
    for memory in (None, Memory(60, tmp_path / "memory")):
        budget = PrivacyBudget(1, 3600, tmp_path / f"budget{memory is None}.json")
        privatizer = Privatizer(certified(bundle64, 0.5, 0.375), budget=budget, memory=memory)
        privatizer.words(words)
        assert budget.remaining() == 0.25
        with pytest.raises(BudgetError):
            privatizer.word(bundle64.vocabulary.word(3))


def test_a_budget_counts_the_effective_epsilon(bundle64: WordBundle, tmp_path: Path) -> None:
    budget = PrivacyBudget(25, 3600, tmp_path / "budget.json")
    privatizer = Privatizer(bundle64, Setting(20, "brr"), budget=budget)
    assert privatizer.certified_epsilon == privatizer.effective_epsilon < 19.99 < privatizer.epsilon
    privatizer.word("the")
    assert budget.remaining() == pytest.approx(25 - privatizer.effective_epsilon, abs=2e-9)


def test_a_setting_by_hand_has_no_certificate(bundle64: WordBundle) -> None:
    bundle = certified(bundle64, 0.5, 0.3)
    given = Privatizer(bundle, Setting(0.5, parameters=UNIFORM))
    assert given.certified_epsilon == given.effective_epsilon > 0.49


def test_second_draws_have_twice_the_parameter(bundle64: WordBundle, tmp_path: Path) -> None:
    bundle = certified(bundle64, 0.5, 0.45)
    for second in (None, 0.8):  # twice the first, by default
        memory = Memory(60, tmp_path / "memory")
        privatizer = Privatizer(bundle, memory=memory, second_epsilon=second)
        expected = Privatizer(bundle64, Setting(second or 1.0, parameters=UNIFORM))
        assert privatizer._second is not None
        assert privatizer._second.setting == expected.mechanism.setting


def test_a_certificate_is_given_with_its_setting(bundle64: WordBundle) -> None:
    given = Privatizer(bundle64, certified(bundle64, 0.5, 0.3).recommended)
    assert (given.certified_epsilon, given.epsilon) == (0.3, 0.5)


def test_a_certificate_knows_its_setting_in_any_order(bundle64: WordBundle) -> None:
    bundle = certified(bundle64, 1, 0.75, parameters={**UNIFORM, "cap": 9})
    assert bundle.recommended is not None
    same = {"cap": 9.0, "base": "uniform", "radius": 3}
    given = Privatizer(bundle64, replace(bundle.recommended, epsilon=1, parameters=same))
    assert given.certified_epsilon == 0.75


@pytest.mark.parametrize(
    "changed",
    [
        {"epsilon": 0.51},
        {"epsilon": 0.49},
        {"parameters": {**UNIFORM, "radius": 4}},
        {"parameters": {**UNIFORM, "base": "unigram"}},
        {"parameters": {**UNIFORM, "cap": 9.0}},
    ],
)
def test_a_certificate_is_of_no_other_setting(
    bundle64: WordBundle, changed: dict[str, Any]
) -> None:
    recommended = certified(bundle64, 0.5, 0.3).recommended
    assert recommended is not None
    other = replace(recommended, **changed)
    with pytest.raises(ParameterError, match=r"^its certificate belongs to another setting"):
        Privatizer(bundle64, other)
    assert Privatizer(bundle64, replace(other, certificate=None)).epsilon == other.epsilon


_RANGE = "certified_epsilon isn't from epsilon / 2 to epsilon"


@pytest.mark.parametrize(
    ("setting", "what"),
    [
        (
            {"certificate": {"index": "0" * 64}},
            "its certificate belongs to another index.safetensors",
        ),
        ({"certified_epsilon": 0.24999999999999997}, _RANGE),
        ({"certified_epsilon": 0.5000000000000001}, _RANGE),
        ({"certified_epsilon": -1e300}, _RANGE),
        ({"certified_epsilon": 10**30}, _RANGE),
        ({"parameters": {"radius": 3}}, "base 'bigram' has no certificate"),  # the default
        ({"mechanism": "brr", "parameters": {}}, "is for mechanism 'exponential', not 'brr'"),
        ({"mechanism": "vickrey", "parameters": {}}, "is for mechanism 'exponential', not 'vick"),
    ],
)
def test_a_certificate_that_isn_t_for_this(
    bundle64: WordBundle, setting: dict[str, Any], what: str
) -> None:
    bundle = certified(bundle64, **{"epsilon": 0.5, "certified_epsilon": 0.3, **setting})
    with pytest.raises(BundleError) as caught:
        Privatizer(bundle)
    message = str(caught.value)
    assert message.startswith(f"{bundle.path / 'manifest.json'}: field 'recommended': ")
    assert what in message
    assert message.endswith("; write it again with 'brr calibrate --write'")
    assert "\n" not in message
    Privatizer(bundle, Setting(0.5))


@pytest.mark.parametrize("oov", ["keep", "", "RANDOM", None, 1, True])
def test_unknown_policies(bundle64: WordBundle, oov: Any) -> None:
    with pytest.raises(ParameterError, match="choose one of: random, drop, error"):
        Privatizer(bundle64, Setting(1.0), oov=oov)


# --- the stream of random bytes


@pytest.mark.parametrize("name", MECHANISMS)
def test_words_take_the_documented_stream(bundle: WordBundle, name: str) -> None:
    """First an id for each unknown word, in order, then whatever the mechanism takes."""
    until = bundle.masses.cumulative.tolist()
    last = len(bundle) - 1
    # The sum of all masses isn't a power of two: the third is drawn again.
    drawn = [until[7] - 1, until[last] - 1, until[last], until[0]]
    numbers = b"".join((number + (1 << 60)).to_bytes(8, "little") for number in drawn)
    stream = numbers + np.random.default_rng(1).bytes(100_000)
    typed = ["qzx1", "the", "qzx2", "of", "qzx3"]
    source = io.BytesIO(stream)
    outputs = Privatizer(bundle, Setting(0.5, name), random=source.read).words(typed)

    the, of = (bundle.vocabulary.find(word) or 0 for word in ("the", "of"))
    codes = bundle.codes[[7, the, last, of, 1]]
    expected = io.BytesIO(stream[len(numbers) :])
    ids = create_mechanism(bundle, Setting(0.5, name))(codes, expected.read)
    assert outputs == [bundle.vocabulary.word(i) for i in ids.tolist()]
    assert source.tell() == len(numbers) + expected.tell()


# --- words out of vocabulary


@pytest.mark.parametrize("name", MECHANISMS)
def test_unknown_words_are_all_alike(bundle64: WordBundle, name: str) -> None:
    """The same random bytes give the same output, so the output says nothing about the word."""
    for seed in range(20):
        outputs = {
            Privatizer(bundle64, Setting(22.18, name), random=seeded(seed)).word(word)
            for word in (SECRET, "qzxv'jkwq", "", "\ud800", "x" * 10_000, "世界", "the of")
        }
        assert len(outputs) == 1


# Six words near one another, and one that is nearest to half of all codes.
LOPSIDED = [0, 0b1, 0b11, 0b111, 0b1000, 0b11000, 2**64 - 1]
MASSES = [3, 1, 4, 2, 5, 1, 15]
EVERY = [
    ("brr", {}),
    ("vickrey", {"t": 0.0}),
    *(("exponential", {"radius": 0, "base": base}) for base in ("uniform", "unigram")),
]


@pytest.fixture
def lopsided(bundle_of: Callable[..., WordBundle]) -> WordBundle:
    return bundle_of(LOPSIDED, masses=MASSES)


def draw_uniformly(cumulative: NDArray[np.int64], source: RandomSource) -> int:
    """Draw what takes an unknown word's place as if all words had one mass: broken."""
    return uniform_below(len(cumulative), source)


def times_drawn(bundle: WordBundle, name: str, parameters: dict[str, Any]) -> list[int]:
    """Return how many of the numbers below the sum of masses give each word."""
    calls: list[Callable[[Privatizer], str | None]] = [
        lambda privatizer: privatizer.word(SECRET),
        lambda privatizer: privatizer.stream().word(SECRET),
        lambda privatizer: privatizer.words([SECRET])[0],
        lambda privatizer: privatizer.text(SECRET),
        lambda privatizer: privatizer.texts([SECRET])[0],
    ]
    drawn: Counter[str | None] = Counter()
    for number in range(bundle.masses.total):
        released = set()
        for call in calls:
            # The noise of zeros changes nothing at this epsilon.
            given = io.BytesIO(number.to_bytes(8, "little") + bytes(300))
            setting = Setting(22.18, name, parameters)
            released.add(call(Privatizer(bundle, setting, random=given.read)))
        assert len(released) == 1
        drawn.update(released)
    return [drawn[word] for word in bundle.vocabulary]


@pytest.mark.parametrize(("name", "parameters"), EVERY)
def test_unknown_words_become_words_by_their_masses(
    name: str,
    parameters: dict[str, Any],
    lopsided: WordBundle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Exactly: each number that may be drawn is, and as many give a word as it has mass."""
    assert times_drawn(lopsided, name, parameters) == MASSES
    beyond = lopsided.masses.total.to_bytes(8, "little") + (3).to_bytes(8, "little")
    source = io.BytesIO(beyond + bytes(300))
    again = Privatizer(lopsided, Setting(22.18, name, parameters), random=source.read)
    assert again.word(SECRET) == "w1"  # the first number is drawn again
    monkeypatch.setattr(privatizer_module, "draw_by", draw_uniformly)
    assert times_drawn(lopsided, name, parameters) != MASSES


def random_codes(
    bundle: WordBundle, privatizer: Privatizer, source: Callable[[int], bytes], count: int
) -> list[str]:
    """Return what comes out when unknown words get random codes in place of words."""
    codes = np.random.default_rng(4).integers(0, 2**64, (count, bundle.codes.shape[1]), np.uint64)
    ids = privatizer.mechanism(codes, source)
    return [bundle.vocabulary.word(i) for i in ids.tolist()]


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_unknown_words_come_out_as_a_mixture_of_all_words_by_their_masses(
    epsilon: float,
    lopsided: WordBundle,
    chi_square: Callable[..., float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The exponential mechanism has exact probabilities; what is broken must fail the same test."""
    setting = Setting(epsilon, parameters={"radius": 1, "base": "uniform"})
    privatizer = Privatizer(lopsided, setting, random=seeded(3))
    words = list(lopsided.vocabulary)
    rows = [privatizer.distribution(word) for word in words]
    mixture = [
        float(sum(row[word] * mass for row, mass in zip(rows, MASSES, strict=True)) / sum(MASSES))
        for word in words
    ]

    def excess(released: list[str]) -> float:
        return chi_square([released.count(word) for word in words], mixture)

    assert excess(privatizer.words([SECRET] * 20_000)) < 1
    assert excess(random_codes(lopsided, privatizer, seeded(5), 20_000)) > 2
    monkeypatch.setattr(privatizer_module, "draw_by", draw_uniformly)
    assert excess(privatizer.words([SECRET] * 20_000)) > 2


def test_drop_leaves_unknown_words_out(plain: Privatizer) -> None:
    assert plain.words(["the", SECRET, "of", ""]) == ["the", "of"]
    assert plain.words([SECRET]) == []
    assert plain.word(SECRET) is None
    assert plain.text(f"the {SECRET} OF {SECRET}") == "the of"


def test_random_keeps_the_number_of_words(bundle64: WordBundle) -> None:
    privatizer = Privatizer(bundle64, Setting(1.0))
    assert len(privatizer.words(["the", SECRET, "of", ""])) == 4
    assert len(privatizer.text(f"the {SECRET} {SECRET}-{SECRET}").split()) == 4


def test_error_refuses_before_anything_is_drawn(bundle64: WordBundle) -> None:
    privatizer = Privatizer(bundle64, Setting(1.0), oov="error", random=no_source)
    with pytest.raises(OutOfVocabularyError, match="word 3 of 4 is out of vocabulary"):
        privatizer.words(["the", "of", SECRET, "and"])
    with pytest.raises(OutOfVocabularyError, match="word 2 of 2"):
        privatizer.text(f"THE {SECRET}!")


# --- many texts

TEXTS = ["The of, and", "", f"to {SECRET} in {SECRET}", "?!", "the the"]


@pytest.mark.parametrize("oov", ["random", "drop"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_texts_are_each_text_with_the_same_random_bytes(
    bundle64: WordBundle, tmp_path: Path, name: str, oov: str
) -> None:
    memory = Memory(3600, tmp_path / "key")
    for options in ({}, {"memory": memory, "budget": PrivacyBudget(99, 60, tmp_path / "state")}):
        many, one = (
            Privatizer(bundle64, Setting(0.5, name), oov=oov, random=seeded(), **options)
            for _ in range(2)
        )
        assert many.texts(TEXTS) == [one.text(text) for text in TEXTS]
        assert many.texts([]) == []


def test_all_texts_are_paid_for_or_none_is_released(bundle64: WordBundle, tmp_path: Path) -> None:
    state = tmp_path / "state"
    budget = PrivacyBudget(4.5, 3600, state)  # 9 words
    refused = Privatizer(bundle64, Setting(0.5), budget=budget, random=no_source)
    with pytest.raises(BudgetError, match=r"costs .* is left"):
        refused.texts([*TEXTS, "of"])
    assert not state.exists()
    paid = Privatizer(bundle64, Setting(0.5), budget=budget)
    assert [len(text.split()) for text in paid.texts(TEXTS)] == [3, 0, 4, 0, 2]
    assert budget.remaining() == 0


def test_an_unknown_word_of_one_text_refuses_all(bundle64: WordBundle, tmp_path: Path) -> None:
    budget = PrivacyBudget(10, 3600, tmp_path / "state")
    privatizer = Privatizer(bundle64, Setting(0.5), oov="error", budget=budget, random=no_source)
    with pytest.raises(OutOfVocabularyError, match="word 5 of 9 is out of vocabulary"):
        privatizer.texts(TEXTS)
    assert budget.remaining() == 10 - 9 * 0.5  # whatever was unknown


# --- what an object shows of itself


def test_a_privatizer_shows_its_setting(bundle64: WordBundle, tmp_path: Path) -> None:
    memory = Memory(3600, tmp_path / "key")
    begin = "exponential, epsilon=0.5"
    shown = {
        f"{begin}, radius=8, base='bigram', cap=None, task_weight=1, oov='random'": Privatizer(
            bundle64, Setting(0.5)
        ),
        f"{begin}, radius=3, base='unigram', cap=9.0, task_weight=1, oov='drop'": Privatizer(
            bundle64,
            Setting(0.5, parameters={"radius": 3, "base": "unigram", "cap": 9}),
            oov="drop",
        ),
        "brr, epsilon=0.5, second_epsilon=1.0, oov='random'": Privatizer(
            bundle64, Setting(0.5, "brr"), memory=memory
        ),
        "vickrey, epsilon=0.625, t=0.25, oov='error'": Privatizer(
            recommending(bundle64), oov="error"
        ),
        "vickrey, epsilon=0.5, t=[0.5, 2.0], oov='random'": Privatizer(
            bundle64, Setting(0.5, "vickrey", {"t": [0.5, 2]})
        ),
    }
    for text, privatizer in shown.items():
        assert privatizer.text("the of")
        assert repr(privatizer) == f"<Privatizer {text}>"
        assert privatizer in {privatizer}
        assert privatizer != Privatizer(bundle64, Setting(0.5))


# --- errors say nothing about what was typed


def test_no_error_repeats_what_was_typed(bundle64: WordBundle, tmp_path: Path) -> None:
    spent = PrivacyBudget(0.5, 60, tmp_path / "state")
    broken = PrivacyBudget(5, 60, tmp_path / "missing" / "state")
    erring = Privatizer(bundle64, Setting(1.0), oov="error")
    attempts: list[Callable[[], Any]] = [
        lambda: erring.word(SECRET),
        lambda: erring.words([SECRET]),
        lambda: erring.words(SECRET),
        lambda: erring.text(f"the {SECRET}"),
        lambda: erring.distribution(SECRET),
        lambda: Privatizer(bundle64, Setting(1.0)).distribution(SECRET),
        lambda: Privatizer(bundle64, Setting(1.0), budget=spent).word(SECRET),
        lambda: Privatizer(bundle64, Setting(1.0), budget=broken).word(SECRET),
        lambda: bundle64.neighbors(SECRET),
        lambda: bundle64.neighbors(SECRET, 0),
    ]
    for attempt in attempts:
        with pytest.raises(BrrError) as caught:
            attempt()
        error: BaseException | None = caught.value
        while error:
            assert SECRET not in "".join(map(str, error.args))
            error = error.__cause__ or error.__context__


# --- distribution


@pytest.mark.parametrize("name", ["brr", "vickrey"])
def test_only_the_exponential_mechanism_has_a_distribution(bundle64: WordBundle, name: str) -> None:
    with pytest.raises(ParameterError, match="only the mechanism 'exponential'"):
        Privatizer(bundle64, Setting(1.0, name)).distribution("the")


def test_distribution_is_exact_and_draws_nothing(bundle64: WordBundle) -> None:
    privatizer = Privatizer(bundle64, Setting(1.0, parameters={"radius": 0}), random=no_source)
    probabilities = privatizer.distribution("THE")
    assert len(probabilities) == len(bundle64)
    assert all(type(p) is Fraction and p > 0 for p in probabilities.values())
    assert sum(probabilities.values()) == 1
    assert max(probabilities, key=probabilities.__getitem__) == "the"
    assert privatizer.distribution("'the's'") == probabilities
    with pytest.raises(OutOfVocabularyError):
        privatizer.distribution(SECRET)


# --- budget


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_refused_release_draws_nothing(bundle64: WordBundle, tmp_path: Path, name: str) -> None:
    state = tmp_path / "state"
    budget = PrivacyBudget(1.0, 3600, state)

    def limited(source: Callable[[int], bytes]) -> Privatizer:
        return Privatizer(bundle64, Setting(0.25, name), budget=budget, random=source)

    assert len(limited(seeded()).words(["the", SECRET, "of"])) == 3
    before = state.read_bytes()
    privatizer = limited(no_source)
    for release in (
        lambda: privatizer.words(["the", "of"]),
        lambda: privatizer.text(f"the {SECRET}"),
    ):
        with pytest.raises(BudgetError):
            release()
    assert state.read_bytes() == before
    assert privatizer.words([]) == []
    assert limited(seeded()).word("the")
    assert budget.remaining() == 0


@pytest.mark.parametrize("oov", ["random", "drop", "error"])
def test_every_word_costs_whatever_becomes_of_it(
    bundle64: WordBundle, tmp_path: Path, oov: str
) -> None:
    """What is left out, or refused, shows that it was unknown: five calls once cost nothing."""
    budget = PrivacyBudget(10, 3600, tmp_path / "state")
    privatizer = Privatizer(bundle64, Setting(0.5), oov=oov, budget=budget)
    calls: list[Callable[[], object]] = [
        lambda: privatizer.words(["the", SECRET, "of"]),
        lambda: privatizer.text(f"The {SECRET}'s of"),
        lambda: [privatizer.word(SECRET)] * 3,
        lambda: privatizer.word("of"),
        lambda: privatizer.words([""]),
    ]
    spent = 0.0
    for call, words in zip(calls, (3, 3, 1, 1, 1), strict=True):
        try:
            call()
        except OutOfVocabularyError:
            assert oov == "error"
        spent += words * 0.5
        assert budget.remaining() == 10 - spent


def test_the_budget_is_asked_before_the_vocabulary(bundle64: WordBundle, tmp_path: Path) -> None:
    """A refusal says the same of known and of unknown words."""
    budget = PrivacyBudget(1, 3600, tmp_path / "state")
    privatizer = Privatizer(bundle64, Setting(0.75), oov="error", budget=budget, random=no_source)
    messages = set()
    for words in (["the", "of"], [SECRET, "of"], [SECRET, SECRET]):
        with pytest.raises(BudgetError) as caught:
            privatizer.words(words)
        messages.add(str(caught.value))
    assert len(messages) == 1


def test_the_budget_is_told_what_epsilon_is_per(
    bundle64: WordBundle, bundle256: WordBundle
) -> None:
    told = []

    class Told:
        def spend(self, epsilon: float, words: int, *, unit: str) -> None:
            told.append((epsilon, words, unit))

    for bundle in (bundle64, bundle256):
        budget: Any = Told()
        privatizer = Privatizer(bundle, Setting(0.5), budget=budget)
        privatizer.words(["the", SECRET])
        index = (bundle.path / "index.safetensors").read_bytes()
        unit = hashlib.sha256(index).hexdigest()
        assert told.pop() == (privatizer.certified_epsilon, 2, unit)


def test_the_cost_is_stored_before_the_first_random_byte(
    bundle64: WordBundle, tmp_path: Path
) -> None:
    budget = PrivacyBudget(10, 3600, tmp_path / "state")
    seen = []

    def source(size: int) -> bytes:
        seen.append(PrivacyBudget(10, 3600, tmp_path / "state").remaining())
        return bytes(size)

    Privatizer(bundle64, Setting(1.0), budget=budget, random=source).words([SECRET, "the"])
    assert seen[0] == 8
    assert set(seen) == {8}


# --- threads and processes


@pytest.mark.parametrize("name", ["brr", "exponential"])
def test_threads_share_a_privatizer(
    bundle256: WordBundle, name: str, in_8_threads: Callable[[Callable[[int], None]], None]
) -> None:
    """At a noise that changes no word, every thread must get its own words back.

    brr gets numbers that flip nothing; zeros make the exponential mechanism draw the nearest word.
    """
    source = no_noise if name == "brr" else bytes
    parameters: Any = {"radius": 0} if name == "exponential" else {}
    privatizer = Privatizer(bundle256, Setting(22.18, name, parameters), random=source)
    vocabulary = list(bundle256.vocabulary)
    assert len(np.unique(bundle256.codes, axis=0)) == len(bundle256)
    wrong: list[list[str]] = []

    def work(thread: int) -> None:
        for step in range(20):
            words = vocabulary[thread * 100 + step :][: 1 + (thread + step) % 9]
            if (outputs := privatizer.words(words)) != words:
                wrong.append(outputs)

    in_8_threads(work)
    assert wrong == []


FORK = """
import os, sys
from brrkit import Privatizer, Setting, WordBundle

bundle = WordBundle.open(sys.argv[1])
privatizer = Privatizer(bundle, Setting(0.1, sys.argv[2]))
text = lambda: ",".join(privatizer.words(["the", "qqqq"] * 30))
print(text())
sys.stdout.flush()
for child in range(2):
    if os.fork() == 0:
        os.write(1, (text() + chr(10)).encode())
        os._exit(0)
for child in range(2):
    assert os.wait()[1] == 0
print(text())
"""


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.false_alarm(1e-9)
def test_forked_children_release_different_words(
    run_python: Callable[..., str], bundles: Path, name: str
) -> None:
    """No output of these 60 draws has probability above 1/2: a false alarm is below 6 * 2^-60."""
    outputs = run_python(FORK, bundles / "256", name).split("\n")[:-1]
    assert len(outputs) == 4
    assert len(set(outputs)) == 4
