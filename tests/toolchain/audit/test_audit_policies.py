"""``brr audit`` of a policy: what keeps it passes, and each broken implementation fails.

Where random bytes are given, what keeps it never fails. A broken one passes with probability 1e-9
at most: where its bytes or words don't differ for sure, it would have to draw the same of 41 words
by chance 9 times at least, at an epsilon where all are about as likely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from brrkit import Counts, CountsSetting, Mark, Memory, Privatizer, Setting, WordBundle
from brrkit.exact import KEEP_ONE
from brrkit.masses import draw_by
from brrkit.policy import Passing, Policy
from brrkit.randomness import RandomSource, uniform_below
from brrkit_toolchain.audit.audited_code.subject import Output
from brrkit_toolchain.audit.instances import WORDS, code_instances, setting_instance
from brrkit_toolchain.audit.pairs.comparisons import all_comparisons
from brrkit_toolchain.audit.parts.coins import audit_coins
from brrkit_toolchain.audit.parts.list_members import audit_list_members, audit_memory_by_member
from brrkit_toolchain.audit.parts.replays import Replayed, Tape
from brrkit_toolchain.audit.result import Part

QUIET = Setting(0.001, parameters={"base": "uniform", "radius": 0})
SHARP = 20.0  # epsilon and cap of draws that give what they are given


@pytest.fixture(scope="module")
def bundle() -> WordBundle:
    return WordBundle.open(Path(__file__).parents[3] / "spec" / "conformance" / "policy")


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(3_600, tmp_path / "key")


def passing_of(bundle: WordBundle) -> Passing:
    assert bundle.policy.passing is not None
    return bundle.policy.passing


@pytest.mark.parametrize(
    "setting", [QUIET, Setting(0.3), Setting(1.0, "brr"), Setting(2, "vickrey")]
)
def test_the_runtime_passes(bundle: WordBundle, memory: Memory, setting: Setting) -> None:
    replayed, remembering = Replayed.of(bundle, setting), Replayed.of(bundle, setting, memory)
    parts = [
        audit_list_members(replayed),
        audit_memory_by_member(remembering),
        audit_coins(replayed, remembering, passing_of(bundle)),
    ]
    assert all(part.passed for part in parts), parts
    assert [part.name for part in parts] == ["list members", "memory by member", "coins"]


class NoMarks(Privatizer):
    """Types what is marked as the words in it."""

    def texts(
        self,
        texts: Sequence[str],
        marks: Sequence[Sequence[Mark]] | None = None,
        rest: str = "release",
    ) -> list[str]:
        return super().texts(texts)


class KeyedBySpelling(Privatizer):
    """Gives the memory what was typed."""

    def words(self, words: Sequence[str]) -> list[str]:
        self._typed = words
        return super().words(words)

    def _paid_sources(self, typed: Sequence[int | None]) -> list[RandomSource]:
        assert self._memory is not None
        key, setting = self._memory.key(), self.mechanism.setting
        return [key.draw(self._bundle.digest, setting, word).source() for word in self._typed]


def without_forms(bundle: WordBundle) -> WordBundle:
    """Knows members only."""
    lists = tuple(replace(each, forms=()) for each in bundle.policy.lists)
    return replace(bundle, policy=replace(bundle.policy, lists=lists))


def without_lists(bundle: WordBundle) -> WordBundle:
    return replace(bundle, policy=Policy((), bundle.policy.passing))


def test_members_forms_and_marks_that_differ(bundle: WordBundle) -> None:
    tape, right = Tape(), Replayed.of(bundle, QUIET)
    for broken, named in (
        (Privatizer(without_forms(bundle), QUIET, random=tape), "list names: 'zoltan' isn't as"),
        (NoMarks(bundle, QUIET, random=tape), "\"zbigniew o'brien (marked)\" isn't as"),
    ):
        part = audit_list_members(Replayed(bundle, tape, broken, right.counts))
        assert not part.passed
        assert named in part.detail
    counts = Counts(without_lists(bundle), CountsSetting(SHARP), random=tape)
    part = audit_list_members(Replayed(bundle, tape, right.privatizer, counts))
    assert "list names, counted: " in part.detail
    assert not part.passed


def test_a_memory_keyed_by_the_word(bundle: WordBundle, memory: Memory) -> None:
    tape = Tape()
    right = Replayed.of(bundle, QUIET, memory)
    broken = KeyedBySpelling(bundle, QUIET, memory=memory, second_epsilon=SHARP, random=tape)
    part = audit_memory_by_member(Replayed(bundle, tape, broken, right.counts))
    assert "isn't as" in part.detail
    assert not part.passed
    counts = Counts(
        without_lists(bundle), CountsSetting(1.0), memory=memory, second_cap=SHARP, random=tape
    )
    part = audit_memory_by_member(Replayed(bundle, tape, right.privatizer, counts))
    assert "counted" in part.detail
    assert not part.passed


class NoCoinForOthers(Passing):
    """Draws a coin for words only that may pass: the bytes show which."""

    def coin(self, typed: int | None, random: RandomSource) -> bool:
        return typed in self.words and super().coin(typed, random)


class OneTooMany(Passing):
    """Compares with the threshold as if it passed a word, too."""

    def coin(self, typed: int | None, random: RandomSource) -> bool:
        return uniform_below(KEEP_ONE, random) <= self.threshold and typed in self.words


class AllPass(Passing):
    """Lets each known word pass."""

    def coin(self, typed: int | None, random: RandomSource) -> bool:
        return uniform_below(KEEP_ONE, random) < self.threshold and typed is not None


class OneForACall(Passing):
    """Draws coins, and goes by the first one of a call."""

    first: bool | None = None

    def coin(self, typed: int | None, random: RandomSource) -> bool:
        passes = uniform_below(KEEP_ONE, random) < self.threshold
        if isinstance(random, Tape) and random.taken > 8:
            passes = bool(self.first)
        object.__setattr__(self, "first", passes)
        return passes and typed in self.words


class StandInsPass(Privatizer):
    """Tosses the coin for what stands for an unknown word."""

    def _drawn(
        self,
        typed: Sequence[int | None],
        sources: Sequence[RandomSource],
        before: int | None,
    ) -> list[int]:
        drawn = [
            draw_by(self._cumulative, source) if word_id is None else word_id
            for word_id, source in zip(typed, sources, strict=True)
        ]
        return super()._drawn(drawn, sources, before)


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        (NoCoinForOthers, "words take different numbers of random bytes"),
        (OneTooMany, "doesn't pass as the policy says"),
        (AllPass, "doesn't pass as the policy says"),
        (OneForACall, "doesn't pass by its own coin, behind another word"),
    ],
)
def test_coins_that_are_wrong(
    bundle: WordBundle, memory: Memory, kind: type[Passing], named: str
) -> None:
    passing = passing_of(bundle)
    broken = kind(passing.words, passing.probability)
    changed = replace(bundle, policy=replace(bundle.policy, passing=broken))
    remembering = Replayed.of(bundle, QUIET, memory)
    part = audit_coins(Replayed.of(changed, QUIET), remembering, passing)
    assert named in part.detail
    assert not part.passed


def test_a_coin_for_a_stand_in(bundle: WordBundle, memory: Memory) -> None:
    tape, right = Tape(), Replayed.of(bundle, QUIET)
    broken = StandInsPass(bundle, QUIET, random=tape)
    remembering = Replayed.of(bundle, QUIET, memory)
    part = audit_coins(
        Replayed(bundle, tape, broken, right.counts), remembering, passing_of(bundle)
    )
    assert "an unknown word passes" in part.detail
    assert not part.passed


def test_other_parts_draw_no_passing_words(bundle: WordBundle, tmp_path: Path) -> None:
    passing = {bundle.vocabulary.word(word_id) for word_id in passing_of(bundle).words}
    assert not passing & set(code_instances(bundle, tmp_path).whole.words)
    chosen = setting_instance(bundle, "setting", QUIET, progress=False).words
    assert len(chosen) == WORDS
    assert not passing & set(chosen)


def compared(
    bundle: WordBundle, folder: Path, name: str, broken: Callable[[WordBundle], WordBundle]
) -> Part:
    """Return what the audit finds of pairs, of a runtime that has another policy."""
    folder.mkdir()
    comparisons = all_comparisons(code_instances(bundle, folder), 2_000)
    (comparison,) = (each for each in comparisons if each.name == name)
    assert comparison.instance.bundle is not None
    opened = broken(WordBundle.open(comparison.instance.bundle))
    setting = Setting(comparison.instance.epsilon, parameters={"base": "unigram", "radius": 0})
    privatizer = Privatizer(opened, setting)

    def draw(lists: Iterable[Sequence[str]]) -> Iterator[list[Output]]:
        return (list(privatizer.words(words)) for words in lists)

    return comparison.test(draw, 1e-9 / comparison.tests)


def passing_as(kind: type[Passing], probability: float) -> Callable[[WordBundle], WordBundle]:
    def changed(bundle: WordBundle) -> WordBundle:
        passing = kind(passing_of(bundle).words, probability)
        return replace(bundle, policy=replace(bundle.policy, passing=passing))

    return changed


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("listed words", without_forms),
        ("passing words", passing_as(Passing, 0.999)),
        ("passing words", passing_as(AllPass, 0.75)),
    ],
)
def test_draws_show_what_is_broken(
    bundle: WordBundle, tmp_path: Path, name: str, broken: Callable[[WordBundle], WordBundle]
) -> None:
    """A right runtime fails with probability 1e-9 at most, and a broken one passes with less."""
    assert compared(bundle, tmp_path / "right", name, lambda right: right).passed
    part = compared(bundle, tmp_path / "broken", name, broken)
    assert not part.passed
