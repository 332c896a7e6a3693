"""What an app calls: words and text in, privatized words out."""

from __future__ import annotations

import io
import math
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from brr_runtime import (
    BrrError,
    BudgetError,
    Bundle,
    BundleError,
    OutOfVocabularyError,
    ParameterError,
    PrivacyBudget,
    Privatizer,
)
from brr_runtime.mechanisms import MECHANISMS, create_mechanism

SECRET = "hunter2secret"
NO_FLIP = np.int32(2**31 - 1).tobytes()


def no_noise(size: int) -> bytes:
    return NO_FLIP * (size // 4)


def no_source(size: int) -> bytes:
    raise AssertionError("drew random bytes")


def seeded(seed: int = 0) -> Callable[[int], bytes]:
    return random.Random(seed).randbytes


@pytest.fixture
def plain(bundle64: Bundle) -> Privatizer:
    """Return a privatizer that releases what it is given: only for looking at the rest of it."""
    return Privatizer(bundle64, 1.0, random=no_noise, oov="drop")


# --- semantics


def test_words_come_back_in_order(plain: Privatizer, bundle64: Bundle) -> None:
    words = [bundle64.vocabulary.word(i) for i in (5, 0, 5, 77, len(bundle64) - 1)]
    assert plain.words(words) == words
    assert [plain.word(word) for word in words] == words
    assert plain.words(tuple(words)) == words


@pytest.mark.parametrize("empty", [[], ()])
@pytest.mark.parametrize("name", MECHANISMS)
def test_nothing_in_nothing_out(bundle64: Bundle, name: str, empty: Any) -> None:
    privatizer = Privatizer(bundle64, 1.0, mechanism=name, random=no_source)
    assert privatizer.words(empty) == []
    for text in ("", "  ", "\n", "?! … 👍", "'"):
        assert privatizer.text(text) == ""


def test_a_string_isn_t_a_list_of_words(bundle64: Bundle) -> None:
    with pytest.raises(ParameterError, match="use text for a string") as caught:
        Privatizer(bundle64, 1.0, random=no_source).words(SECRET)
    assert SECRET not in str(caught.value)


def test_text_is_its_words(plain: Privatizer) -> None:
    assert plain.text("The,  of\tAND…\nto!") == "the of and to"


TYPED = ["the of and", "THE OF AND", "The, of—and!", "\tthe\r\nof\u00a0and\n", "“the” 'of' (and)"]


@pytest.mark.parametrize("typed", TYPED)
@pytest.mark.parametrize("name", MECHANISMS)
def test_case_and_punctuation_change_nothing(bundle64: Bundle, name: str, typed: str) -> None:
    expected = Privatizer(bundle64, 0.5, mechanism=name, random=seeded()).text(TYPED[0])
    assert Privatizer(bundle64, 0.5, mechanism=name, random=seeded()).text(typed) == expected


@pytest.mark.parametrize("name", MECHANISMS)
def test_outputs_are_the_vocabulary_s_words_joined_by_spaces(bundle64: Bundle, name: str) -> None:
    known = {bundle64.vocabulary.word(i) for i in range(len(bundle64))}
    typed = f"The {SECRET} of ½ 3.14 — Don’t İ 世界 e-mail’s"
    text = Privatizer(bundle64, 5.0, mechanism=name).text(typed)
    assert set(text.split(" ")) <= known
    assert "  " not in text
    assert text == text.strip()


def test_a_typed_word_is_normalized_but_not_cut(bundle64: Bundle) -> None:
    erring = Privatizer(bundle64, 1.0, random=no_noise, oov="error")
    assert erring.word("THE") == "the"
    for typed in ("the of", " the", "the.", "", "thé"):
        with pytest.raises(OutOfVocabularyError):
            erring.word(typed)


def test_contractions_follow_the_vocabulary(bundle_of: Callable[..., Bundle]) -> None:
    bundle = bundle_of([1, 2, 4, 8], ["do", "n't", "it", "o'clock"])
    privatizer = Privatizer(bundle, 1.0, random=no_noise, oov="error")
    assert privatizer.text("Don’t! It's O'CLOCK") == "do n't it o'clock"
    assert privatizer.word("o’clock") == "o'clock"
    with pytest.raises(OutOfVocabularyError):
        privatizer.word("don't")


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("epsilon", [1e-9, 0.3, 22.18])
def test_epsilons(bundle: Bundle, name: str, epsilon: float) -> None:
    privatizer = Privatizer(bundle, epsilon, mechanism=name)
    assert privatizer.epsilon == epsilon
    assert 0 < privatizer.effective_epsilon <= epsilon


def test_parameters_reach_the_mechanism(bundle64: Bundle) -> None:
    privatizer: Any = Privatizer(bundle64, 1.0, mechanism="vickrey", t=[0.1, 0.2, 0.3], k=3)
    assert privatizer.mechanism.k == 3
    for parameters in ({"t": 0.5}, {"mechanism": "vickrey", "T": 1}, {"mechanism": "x"}):
        with pytest.raises(ParameterError):
            Privatizer(bundle64, 1.0, **parameters)  # type: ignore[arg-type]


def recommending(bundle: Bundle, **setting: Any) -> Bundle:
    """Return ``bundle`` with a recommended setting, as ``Bundle.open`` lets it through."""
    fields = {"mechanism": "vickrey", "epsilon": 0.625, "parameters": {"t": 0.25}, "goal": "x"}
    return replace(bundle, manifest={**bundle.manifest, "recommended": {**fields, **setting}})


def test_without_epsilon_the_recommended_setting_is_used(bundle64: Bundle) -> None:
    bundle = recommending(bundle64)
    words = [bundle.vocabulary.word(i) for i in range(200)]
    given = Privatizer(bundle, 0.625, mechanism="vickrey", t=0.25, random=seeded())
    privatizer = Privatizer(bundle, random=seeded())
    assert privatizer.epsilon == 0.625
    assert privatizer.words(words) == given.words(words)
    listed = recommending(bundle64, parameters={"t": [0.5, 0.1, 0]})
    given = Privatizer(bundle64, 0.625, mechanism="vickrey", t=[0.5, 0.1, 0], random=seeded())
    assert Privatizer(listed, random=seeded()).words(words) == given.words(words)


def test_a_given_epsilon_leaves_the_recommended_setting_alone(bundle64: Bundle) -> None:
    words = [bundle64.vocabulary.word(i) for i in range(200)]
    released = Privatizer(recommending(bundle64), 0.5, random=seeded()).words(words)
    assert released == Privatizer(bundle64, 0.5, mechanism="brr", random=seeded()).words(words)


def test_without_epsilon_and_recommended_setting(bundle64: Bundle) -> None:
    with pytest.raises(ParameterError, match=r"give epsilon, or write one .* 'brr calibrate"):
        Privatizer(bundle64)


@pytest.mark.parametrize("parameters", [{"mechanism": "vickrey"}, {"mechanism": ""}, {"t": 0.5}])
def test_a_mechanism_needs_an_epsilon(bundle64: Bundle, parameters: dict[str, Any]) -> None:
    for bundle in (bundle64, recommending(bundle64)):
        with pytest.raises(ParameterError, match="need an epsilon"):
            Privatizer(bundle, **parameters)


@pytest.mark.parametrize(
    "setting",
    [
        {"mechanism": "new"},
        {"mechanism": "brr"},  # which takes no t
        {"parameters": {"t": 1.5}},
        {"parameters": {"t": None}},
        {"parameters": {"t": [[0.5]]}},
        {"parameters": {"bundle": 1}},
        {"parameters": {"k": 3}},
    ],
)
def test_a_recommended_setting_that_can_t_be_run(bundle64: Bundle, setting: dict[str, Any]) -> None:
    bundle = recommending(bundle64, **setting)
    with pytest.raises(BundleError) as caught:
        Privatizer(bundle)
    message = str(caught.value)
    assert message.startswith(f"{bundle.path / 'manifest.json'}: field 'recommended': ")
    assert "\n" not in message
    Privatizer(bundle, 0.5)  # a given epsilon doesn't need it


@pytest.mark.parametrize("oov", ["keep", "", "RANDOM", None, 1, True])
def test_unknown_policies(bundle64: Bundle, oov: Any) -> None:
    with pytest.raises(ParameterError, match="choose one of: random, drop, error"):
        Privatizer(bundle64, 1.0, oov=oov)


# --- the stream of random bytes


@pytest.mark.parametrize("name", MECHANISMS)
def test_words_take_the_documented_stream(bundle: Bundle, name: str) -> None:
    """First the codes of all unknown words, in order, then whatever the mechanism takes."""
    stream = np.random.default_rng(1).bytes(100_000)
    size = bundle.bits // 8
    typed = ["qzx1", "the", "qzx2", "of", "qzx3"]
    source = io.BytesIO(stream)
    outputs = Privatizer(bundle, 0.5, mechanism=name, random=source.read).words(typed)

    the, of = (bundle.vocabulary.find(word) or 0 for word in ("the", "of"))
    drawn = np.frombuffer(stream[: 3 * size], "<u8").reshape(3, -1)
    codes = np.stack([drawn[0], bundle.codes[the], drawn[1], bundle.codes[of], drawn[2]])
    expected = io.BytesIO(stream[3 * size :])
    ids = create_mechanism(name, bundle, 0.5, {})(codes, expected.read)
    assert outputs == [bundle.vocabulary.word(i) for i in ids.tolist()]
    assert source.tell() == 3 * size + expected.tell()


# --- words out of vocabulary


@pytest.mark.parametrize("name", MECHANISMS)
def test_unknown_words_are_all_alike(bundle64: Bundle, name: str) -> None:
    """The same random bytes give the same output, so the output says nothing about the word."""
    for seed in range(20):
        outputs = {
            Privatizer(bundle64, 22.18, mechanism=name, random=seeded(seed)).word(word)
            for word in (SECRET, "qzxv'jkwq", "", "\ud800", "x" * 10_000, "世界", "the of")
        }
        assert len(outputs) == 1


@pytest.mark.parametrize("name", ["brr", "exponential"])
def test_unknown_words_become_uniformly_random_codes(
    name: str, bundle_of: Callable[..., Bundle], chi_square: Callable[..., float]
) -> None:
    """Of two complements each is as near as the other to a random code, whatever its bits."""
    bundle = bundle_of([0, 2**64 - 1], ["zeros", "ones"])
    privatizer = Privatizer(bundle, 22.18, mechanism=name, random=seeded(3))
    outputs = privatizer.words([SECRET] * 20_000)
    # brr gives a tie, a code with 32 ones, to the lower rank.
    tie = math.comb(64, 32) / 2**64 if name == "brr" else 0
    expected = [(1 + tie) / 2, (1 - tie) / 2]
    assert chi_square([outputs.count("zeros"), outputs.count("ones")], expected) < 1


def test_drop_leaves_unknown_words_out(plain: Privatizer) -> None:
    assert plain.words(["the", SECRET, "of", ""]) == ["the", "of"]
    assert plain.words([SECRET]) == []
    assert plain.word(SECRET) is None
    assert plain.text(f"the {SECRET} OF {SECRET}") == "the of"


def test_random_keeps_the_number_of_words(bundle64: Bundle) -> None:
    privatizer = Privatizer(bundle64, 1.0)
    assert len(privatizer.words(["the", SECRET, "of", ""])) == 4
    assert len(privatizer.text(f"the {SECRET} {SECRET}-{SECRET}").split()) == 4


def test_error_refuses_before_anything_is_drawn(bundle64: Bundle) -> None:
    privatizer = Privatizer(bundle64, 1.0, oov="error", random=no_source)
    with pytest.raises(OutOfVocabularyError, match="word 3 of 4 is out of vocabulary"):
        privatizer.words(["the", "of", SECRET, "and"])
    with pytest.raises(OutOfVocabularyError, match="word 2 of 2"):
        privatizer.text(f"THE {SECRET}!")


@pytest.mark.parametrize("bad", [None, 7, b"secret", ["the"]])
def test_what_isn_t_a_word_releases_nothing(bundle64: Bundle, bad: Any) -> None:
    privatizer = Privatizer(bundle64, 1.0, random=no_source)
    with pytest.raises((BrrError, TypeError, AttributeError)) as caught:
        privatizer.words(["the", bad])
    assert "secret" not in str(caught.value)


# --- errors say nothing about what was typed


def test_no_error_repeats_what_was_typed(bundle64: Bundle, tmp_path: Path) -> None:
    spent = PrivacyBudget(0.5, 60, tmp_path / "state")
    broken = PrivacyBudget(5, 60, tmp_path / "missing" / "state")
    erring = Privatizer(bundle64, 1.0, oov="error")
    attempts: list[Callable[[], Any]] = [
        lambda: erring.word(SECRET),
        lambda: erring.words([SECRET]),
        lambda: erring.words(SECRET),
        lambda: erring.text(f"the {SECRET}"),
        lambda: erring.distribution(SECRET),
        lambda: Privatizer(bundle64, 1.0, mechanism="exponential").distribution(SECRET),
        lambda: Privatizer(bundle64, 1.0, budget=spent).word(SECRET),
        lambda: Privatizer(bundle64, 1.0, budget=broken).word(SECRET),
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
def test_only_the_exponential_mechanism_has_a_distribution(bundle64: Bundle, name: str) -> None:
    with pytest.raises(ParameterError, match="only the mechanism 'exponential'"):
        Privatizer(bundle64, 1.0, mechanism=name).distribution("the")


def test_distribution_is_exact_and_draws_nothing(bundle64: Bundle) -> None:
    privatizer = Privatizer(bundle64, 1.0, mechanism="exponential", random=no_source)
    probabilities = privatizer.distribution("THE")
    assert len(probabilities) == len(bundle64)
    assert all(type(p) is Fraction and p > 0 for p in probabilities.values())
    assert sum(probabilities.values()) == 1
    assert max(probabilities, key=probabilities.__getitem__) == "the"
    with pytest.raises(OutOfVocabularyError):
        privatizer.distribution(SECRET)


# --- budget


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_refused_release_draws_nothing(bundle64: Bundle, tmp_path: Path, name: str) -> None:
    state = tmp_path / "state"
    budget = PrivacyBudget(1.0, 3600, state)

    def limited(source: Callable[[int], bytes]) -> Privatizer:
        return Privatizer(bundle64, 0.25, mechanism=name, budget=budget, random=source)

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


@pytest.mark.parametrize(("oov", "cost"), [("random", 3), ("drop", 2), ("error", 0)])
def test_what_a_release_costs(bundle64: Bundle, tmp_path: Path, oov: str, cost: int) -> None:
    """Every word that comes out; a dropped word doesn't, and an error releases none."""
    budget = PrivacyBudget(10, 3600, tmp_path / "state")
    privatizer = Privatizer(bundle64, 0.5, oov=oov, budget=budget)
    if oov == "error":
        with pytest.raises(OutOfVocabularyError):
            privatizer.words(["the", SECRET, "of"])
    else:
        assert len(privatizer.words(["the", SECRET, "of"])) == cost
    assert budget.remaining() == 10 - cost * 0.5


def test_the_cost_is_stored_before_the_first_random_byte(bundle64: Bundle, tmp_path: Path) -> None:
    budget = PrivacyBudget(10, 3600, tmp_path / "state")
    seen = []

    def source(size: int) -> bytes:
        seen.append(PrivacyBudget(10, 3600, tmp_path / "state").remaining())
        return bytes(size)

    Privatizer(bundle64, 1.0, budget=budget, random=source).words([SECRET, "the"])
    assert seen[0] == 8
    assert set(seen) == {8}


# --- threads and processes


@pytest.mark.parametrize("name", ["brr", "exponential"])
def test_threads_share_a_privatizer(
    bundle256: Bundle, name: str, in_8_threads: Callable[[Callable[[int], None]], None]
) -> None:
    """At a noise that changes no word, every thread must get its own words back.

    brr gets numbers that flip nothing; zeros make the exponential mechanism draw the nearest word.
    """
    source = no_noise if name == "brr" else bytes
    privatizer = Privatizer(bundle256, 22.18, mechanism=name, random=source)
    vocabulary = [bundle256.vocabulary.word(i) for i in range(len(bundle256))]
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
from brr_runtime import Bundle, Privatizer

bundle = Bundle.open(sys.argv[1])
privatizer = Privatizer(bundle, 0.1, mechanism=sys.argv[2])
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
def test_forked_children_release_different_words(
    run_python: Callable[..., str], bundles: Path, name: str
) -> None:
    """No output of these 60 draws has probability above 1/2: a false alarm is below 6 * 2^-60."""
    outputs = run_python(FORK, bundles / "256", name).split("\n")[:-1]
    assert len(outputs) == 4
    assert len(set(outputs)) == 4
