"""Policies: what is typed as one word is released alike, and a passing word's coin is fair.

Frequencies are compared by chi-square, at a false-alarm rate below 10^-7 (the fixture says why),
with sources that are seeded. A broken coin kept below must fail the tests that it names.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import frozen
import numpy as np
import pytest
from device import HOUR, Clock
from numpy.typing import NDArray

from brrkit import (
    BundleError,
    Counts,
    CountsSetting,
    Passing,
    Policy,
    PrivacyBudget,
    Privatizer,
    Reporter,
    SecretList,
    Setting,
    WordBundle,
)
from brrkit.bundle import MANIFEST, manifest_digest
from brrkit.exact import KEEP_ONE
from brrkit.memory import MemoryKey
from brrkit.policy import NO_POLICY, read_policy
from brrkit.randomness import RandomSource, uniform_below

ChiSquare = Callable[..., float]

GUARDED = frozen.bundle("policy")
MECHANISMS = ("brr", "vickrey", "exponential")

EPSILON, SECOND, PASSES = 0.5, 1.5, 0.3
# A word that passes, a secret one, and two others.
CODES = [0, 1 | 1 << 8 | 1 << 16, 1 << 8, 1 << 16]
WORDS = ["the", "maria", "john", "doctor"]
POLICY = Policy((SecretList("names", (1,), ("zoltan",)),), Passing((0,), PASSES))
DRAWS = 8_100


class KnownKey(frozen.KnownKey):
    """A memory without a file: its key is put in by a test, at random for each sample."""

    def __init__(self) -> None:
        self._random, self._number, self.period = random.Random(1), 0, HOUR
        self.renew()

    def renew(self) -> None:
        """End the period."""
        self._number += 1
        self._key = MemoryKey(self._number, self._random.randbytes(32))


# --- what is typed as one word


def left(
    bundle: WordBundle, texts: Sequence[str], folder: Path, name: str, clock: Clock
) -> dict[str, Any]:
    """Return all that leaves a device for ``texts``, and what it stores, from the same bytes."""
    source, drawn = random.Random(7), 0

    def read(size: int) -> bytes:
        nonlocal drawn
        drawn += size
        return source.randbytes(size)

    folder.mkdir()
    budget = PrivacyBudget(1e6, HOUR, folder / "state", clock=clock)
    words = [token for text in texts for token in bundle.tokenize(text)]
    outputs: list[Any] = []
    for memory in (None, KnownKey()):
        for oov in ("random", "drop"):
            made = Privatizer(
                bundle, Setting(EPSILON, name), oov=oov, budget=budget, memory=memory, random=read
            )
            stream = made.stream()
            outputs += [made.texts(texts), made.words(words), *map(made.word, words)]
            outputs += map(stream.word, words)
        counts = Counts(bundle, CountsSetting(4.0, 3), memory=memory, random=read)
        reporter = Reporter(counts, budget=budget, random=read)
        reporter.add(words)
        outputs += [counts.words(words), reporter.batch("a", "b"), drawn]
    return {"outputs": outputs, "stored": (folder / "state").read_bytes()}


ALIKE = [
    ("Maria and JOHN’s asthma", "zoltan and Priya's MIGRAINE"),
    ("is Anna from Paris qwx7", "is marie-anne from Paris vbn"),
    ("the cancer, Zoltan's, zoltán", "the A1C, sarah, maria"),
]


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("texts", ALIKE)
def test_nothing_tells_words_of_a_list_apart(
    name: str, texts: tuple[str, str], tmp_path: Path, clock: Clock
) -> None:
    one, other = (
        left(GUARDED, [text], tmp_path / str(number), name, clock)
        for number, text in enumerate(texts)
    )
    assert one == other


def test_other_words_are_told_apart(tmp_path: Path, clock: Clock) -> None:
    """So the test before can fail: at the first word that isn't typed as the same one."""
    one = left(GUARDED, ["the asthma"], tmp_path / "1", "exponential", clock)
    for number, text in enumerate(["the maria", "the paris", "the qwx7", "asthma"], start=2):
        other = left(GUARDED, [text], tmp_path / str(number), "exponential", clock)
        assert one["outputs"] != other["outputs"]


@pytest.mark.parametrize(
    ("broken", "texts"), [("forms", ("maria", "zoltan")), ("members", ("maria", "john"))]
)
def test_broken_lists_are_caught(
    broken: str,
    texts: Sequence[str],
    tmp_path: Path,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without a memory and counts, the members' equal code would do."""
    right = Policy.typed_as

    def typed_as(self: Policy, string: str, word_id: int | None) -> int | None:
        is_broken = broken == ("forms" if word_id is None else "members")
        return word_id if is_broken else right(self, string, word_id)

    monkeypatch.setattr(Policy, "typed_as", typed_as)
    bundle = replace(GUARDED)  # its tokenizer is made anew
    one, other = (
        left(bundle, [text], tmp_path / text, "exponential", clock)["outputs"] for text in texts
    )
    assert one != other


def test_a_member_cut_from_a_script_without_spaces_is_typed_as_the_head() -> None:
    bundle = frozen.bundle("unspaced")
    member = bundle.vocabulary.find("\u0e01\u0e02")
    assert member
    policy = Policy((SecretList("some", (0, member), ("\u4e15\u4e15",)),))
    tokenizer = replace(bundle.tokenizer, policy=policy)
    text = "\u0e01\u0e02 \u4e15\u4e15 \u4e15 wifi"
    raw, typed = (
        [token.word_id for token in each.read(text)] for each in (bundle.tokenizer, tokenizer)
    )
    assert member in raw
    assert raw.count(None) == 2
    assert typed == [0 if word_id == member else word_id for word_id in raw[:-3]] + [
        0,
        None,
        raw[-1],
    ]


def test_raw_ids_are_those_without_the_policy() -> None:
    raw = replace(GUARDED.tokenizer, policy=NO_POLICY)
    typed = ("john", "zoltan", "the", "anna's")
    names = [GUARDED.vocabulary.word(word_id) for word_id in map(raw.look_up, typed) if word_id]
    assert names == ["john", "anna"]
    assert {GUARDED.tokenizer.look_up(word) for word in (*typed[:2], typed[3])} == {22}
    near = [neighbor.word for neighbor in GUARDED.neighbors("john", 5)]
    assert {"maria", "anna"} <= set(near)
    assert "john" not in near


# --- passing words


@pytest.fixture
def bundle(bundle_of: Callable[..., WordBundle]) -> WordBundle:
    return replace(bundle_of(CODES, WORDS, [2, 1, 1, 1]), policy=POLICY)


def privatizer_of(bundle: WordBundle, **more: Any) -> Privatizer:
    source = random.Random(2).randbytes
    return Privatizer(bundle, Setting(EPSILON, "exponential", {"radius": 0}), random=source, **more)


def rows(bundle: WordBundle, epsilon: float) -> NDArray[np.float64]:
    """Return Pr[y | x] of the mechanism and the coin, from their definitions."""
    setting = Setting(epsilon, "exponential", {"radius": 0})
    mechanism: Any = Privatizer(bundle, setting).mechanism
    drawn = np.array([[float(p) for p in mechanism.distribution(code)] for code in bundle.codes])
    passes = np.zeros((4, 4))
    passes[0, 0] = PASSES
    mixed: NDArray[np.float64] = passes + (1 - passes.sum(axis=1, keepdims=True)) * drawn
    return mixed


def excess(pairs: Iterator[tuple[str, str]], expected: Any, chi_square: ChiSquare) -> float:
    counts = np.zeros((4, 4), np.int64)
    for one, other in pairs:
        counts[WORDS.index(one), WORDS.index(other)] += 1
    return chi_square(counts.ravel().tolist(), np.ravel(expected).tolist())


def two_words(bundle: WordBundle, typed: list[str], chi_square: ChiSquare) -> float:
    """Each word of a call has a coin of its own, which is as fair as the policy says."""
    privatizer, known = privatizer_of(bundle), rows(bundle, EPSILON)
    masses = np.array([2, 1, 1, 1]) / 5

    def row(word: str) -> NDArray[np.float64]:
        if word in WORDS:
            return known[WORDS.index(word)]  # type: ignore[no-any-return]
        drawn = (known[0] - PASSES * np.eye(4)[0]) / (1 - PASSES)  # a stand-in doesn't pass
        return masses @ np.vstack([drawn, known[1:]])  # type: ignore[no-any-return]

    def pairs() -> Iterator[tuple[str, str]]:
        for _ in range(DRAWS):
            one, other = privatizer.words(typed)
            yield one, other

    return excess(pairs(), np.outer(row(typed[0]), row(typed[1])), chi_square)


def two_releases(bundle: WordBundle, chi_square: ChiSquare) -> float:
    """With a memory the first coin is the word's, in a whole period; the second is fresh."""
    kept = KnownKey()
    privatizer = privatizer_of(bundle, memory=kept, second_epsilon=SECOND)

    def pairs() -> Iterator[tuple[str, str]]:
        for _ in range(DRAWS):
            kept.renew()
            one, other = privatizer.words(["the", "The"])
            yield one, other

    first, second = rows(bundle, EPSILON), rows(bundle, SECOND)
    return excess(pairs(), np.einsum("x,xy,xz->yz", first[0], second, second), chi_square)


TYPED = [["the", "the"], ["the", "doctor"], ["qzx", "the"]]


@pytest.mark.parametrize("typed", TYPED)
def test_a_word_passes_as_often_as_the_policy_says(
    bundle: WordBundle, typed: list[str], chi_square: ChiSquare
) -> None:
    assert two_words(bundle, typed, chi_square) < 1


def test_a_memorys_coin_is_keyed(bundle: WordBundle, chi_square: ChiSquare) -> None:
    assert two_releases(bundle, chi_square) < 1


def test_a_memorys_bytes_depend_on_which_words_pass(bundle: WordBundle) -> None:
    """Of one stream for two different draws no theorem knows anything."""
    kept, seen = KnownKey(), []
    for passing in (None, Passing((0,), 0.3), Passing((0,), 0.4), Passing((0, 3), 0.3)):
        other = replace(bundle, policy=replace(POLICY, passing=passing))
        made = privatizer_of(other, memory=kept)._paid_sources([0, 1, None])
        seen += [source(32) for source in made]
    assert len(set(seen)) == 12


def never(self: Passing, typed: int | None, random: RandomSource) -> bool:
    uniform_below(KEEP_ONE, random)
    return False


def any_word(self: Passing, typed: int | None, random: RandomSource) -> bool:
    return uniform_below(KEEP_ONE, random) < self.threshold


def too_often(self: Passing, typed: int | None, random: RandomSource) -> bool:
    return uniform_below(KEEP_ONE, random) < self.threshold * 1.2 and typed in self.words


def one_bit_short(self: Passing, typed: int | None, random: RandomSource) -> bool:
    return uniform_below(KEEP_ONE // 2, random) < self.threshold and typed in self.words


@pytest.mark.parametrize("coin", [never, any_word, too_often, one_bit_short])
def test_a_broken_coin_is_caught(
    bundle: WordBundle,
    coin: Callable[..., bool],
    chi_square: ChiSquare,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Passing, "coin", coin)
    assert any(two_words(bundle, typed, chi_square) > 1 for typed in TYPED)


def test_one_coin_for_a_whole_call_is_caught(
    bundle: WordBundle, chi_square: ChiSquare, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, thrown = Passing.coin, []

    def coin(self: Passing, typed: int | None, random: RandomSource) -> bool:
        thrown.append(right(self, typed, random))
        return thrown[len(thrown) - 1 & ~1]

    monkeypatch.setattr(Passing, "coin", coin)
    assert two_words(bundle, TYPED[0], chi_square) > 1


def test_a_coin_that_is_not_keyed_is_caught(
    bundle: WordBundle, chi_square: ChiSquare, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, fresh = Passing.coin, random.Random(3).randbytes

    def coin(self: Passing, typed: int | None, random: RandomSource) -> bool:
        right(self, typed, random)  # its bytes are taken
        return right(self, typed, fresh)

    monkeypatch.setattr(Passing, "coin", coin)
    assert two_releases(bundle, chi_square) > 1


def test_a_stand_in_that_passes_is_caught(
    bundle: WordBundle, chi_square: ChiSquare, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = Privatizer._step

    def step(self: Any, mechanism: Any, typed: Any, ids: Any, *others: Any) -> list[int]:
        return right(self, mechanism, ids, ids, *others)

    monkeypatch.setattr(Privatizer, "_step", step)
    assert two_words(bundle, TYPED[2], chi_square) > 1


def test_the_distribution_is_that_with_the_coin(bundle: WordBundle) -> None:
    privatizer, plain = privatizer_of(bundle), privatizer_of(replace(bundle, policy=NO_POLICY))
    passes = Fraction(POLICY.passing.threshold if POLICY.passing else 0, KEEP_ONE)
    assert 0 < Fraction(PASSES) - passes < Fraction(1, 1 << 60) or passes == Fraction(PASSES)
    for word in WORDS:
        expected = plain.distribution(word, before="john")
        if word == "the":
            expected = {y: (1 - passes) * p + passes * (y == word) for y, p in expected.items()}
        made = privatizer.distribution(word, before="john")
        assert made == expected
        assert sum(made.values()) == 1
    assert privatizer.distribution("zoltan") == plain.distribution("maria")


def test_bytes_do_not_depend_on_what_passes() -> None:
    """Each word takes its coin and the mechanism's bytes; brr never draws anything anew."""
    for typed in ("the of and", "doctor maria zoltan", "THE qzx's Zoltan"):
        drawn = 0

        def read(size: int) -> bytes:
            nonlocal drawn
            drawn += size
            return bytes(size)

        Privatizer(GUARDED, Setting(1.0, "brr"), random=read).text(typed)
        assert drawn == 3 * (8 + 4 * 128) + 8 * ("qzx" in typed)


@pytest.mark.parametrize("probability", [0.001, 0.1, 0.3, 0.95, 0.999])
def test_the_threshold_is_rounded_down_exactly(probability: float) -> None:
    threshold = Passing((0,), probability).threshold
    assert threshold <= Fraction(probability) * KEEP_ONE < threshold + 1


# --- reading


def test_a_bundle_without_a_policy_has_an_empty_one() -> None:
    assert frozen.bundle("tasks").policy == NO_POLICY == Policy((), None)
    assert read_policy({"lists": []}, 2) == NO_POLICY


def test_what_a_policy_says_is_read() -> None:
    names, illnesses = GUARDED.policy.lists
    assert (names.name, names.head, illnesses.head) == ("names", 22, 27)
    assert [GUARDED.vocabulary.word(i) for i in illnesses.members] == ["asthma", "cancer"]
    assert illnesses.forms == ("migraine", "a1c", "hiv")
    assert GUARDED.policy.passing == Passing((0, 1, 2, 3, 6, 8, 10), 0.95)
    assert GUARDED.policy.head_of("illness_2") == 27
    assert GUARDED.policy.head_of("places") is None
    assert GUARDED.policy.head_of(None) is None


@pytest.mark.parametrize(
    ("bundle", "policy", "wrong"),
    [
        ("list", {"lists": []}, "field 'policy' is missing or wrong"),
        ("policy", {"lists": [], "passing": []}, "field 'policy' is missing or wrong"),
        (
            "policy",
            {"lists": [{"name": "n", "members": [3], "forms": ["doctor"]}]},
            "field 'policy' has a form that is a word",
        ),
    ],
)
def test_a_wrong_policy_is_refused(
    bundle: str, policy: dict[str, Any], wrong: str, tmp_path: Path
) -> None:
    """Most wrong ones are among ``spec/vectors/refused-manifests.json``."""
    folder = Path(shutil.copytree(frozen.SPEC / "conformance" / bundle, tmp_path / "bundle"))
    manifest = json.loads((folder / MANIFEST).read_bytes()) | {"policy": policy}
    text = json.dumps(manifest).encode()
    digest = manifest_digest(text, manifest["sha256"])
    (folder / MANIFEST).write_bytes(text.replace(manifest["sha256"].encode(), digest.encode()))
    with pytest.raises(BundleError, match=f"{MANIFEST}: {wrong}.*; rebuild the bundle"):
        WordBundle.open(folder)
