"""Sessions: surrogates say nothing of what they stand for, and a reply gets that back.

Frequencies are compared by chi-square, at a false-alarm rate below 10^-7 (the fixture says why),
with a source that is seeded.
"""

from __future__ import annotations

import builtins
import io
import os
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import frozen
import numpy as np
import pytest

from brrkit import Mark, ParameterError, Passing, Policy, SecretList, Session, WordBundle
from brrkit import session as session_module
from brrkit.randomness import RandomSource, uniform_below

ChiSquare = Callable[..., float]

GUARDED = frozen.bundle("policy")
SECRET = "hunter2secret"


def session(seed: object = 1) -> Session:
    return Session(GUARDED, random=random.Random(str(seed)).randbytes)


def filled(template: str, *values: tuple[str, str | None]) -> tuple[str, list[Mark]]:
    """Return a template with values in the places of its ``{}``, each of them marked."""
    text, marks = "", []
    for part, value in zip(template.split("{}"), [*values, None], strict=True):
        text += part
        if value is not None:
            marks.append(Mark(len(text), len(text) + len(value[0]), value[1]))
            text += value[0]
    return text, marks


def conversation(seed: int, people: Sequence[str], others: Sequence[str]) -> tuple[list[str], int]:
    """Return what is hidden of some texts, and a number drawn after that."""
    source = random.Random(seed)
    made = Session(GUARDED, random=source.randbytes)
    a, b, c = ((name, "names") for name in people)
    x, y = ((word, None) for word in others)
    outputs = [
        made.hide(*filled("Dear {}, ({}) met {} today.", a, x, b)),
        made.hide(*filled("{}: {} and {}, {}!", b, a, c, x)),
        made.hide(*filled("So? {} {}", y, a)),
    ]
    return outputs, source.randrange(1 << 30)


def test_surrogates_do_not_depend_on_what_is_marked() -> None:
    for seed in range(50):
        expected = conversation(seed, ["Maria", "John", "Sarah"], ["table", "7"])
        for people, others in (
            (["Zoltan", "priya", "Dr. O’Hara-Müller"], ["世界 \u0e01", "the"]),
            ([SECRET, "Maria Müller", "maria"], ["john", "a"]),
        ):
            assert conversation(seed, people, others) == expected
        # What is equal, and of which list, shows.
        assert conversation(seed, ["Maria", "MARIA", "Sarah"], ["table", "7"]) != expected


# --- how surrogates are drawn

WORDS = ["the", "maria", "john", "sarah", "doctor", "rain", "table"]
MASSES = [9, 4, 2, 1, 8, 1, 1]
DRAWS = 4_000


@pytest.fixture
def bundle(bundle_of: Callable[..., WordBundle]) -> WordBundle:
    policy = Policy((SecretList("names", (1, 2, 3), ()),), Passing((0,), 0.5))
    return replace(bundle_of(range(7), WORDS, MASSES), policy=policy)


def unlikely(bundle: WordBundle, chi_square: ChiSquare) -> list[float]:
    """Return the statistic of two surrogates of a list, and of two unknown marks'."""
    source = random.Random(2).randbytes
    found = []
    for name, words in (("names", [1, 2, 3]), (None, [4, 5, 6])):
        weights = np.array([MASSES[i] if name else 1 for i in words])
        counts, expected = np.zeros((3, 3)), np.zeros((3, 3))
        for _ in range(DRAWS):
            hidden = Session(bundle, random=source).hide(
                "x y", [Mark(0, 1, name), Mark(2, 3, name)]
            )
            first, second = (words.index(WORDS.index(word)) for word in hidden.split())
            counts[first, second] += 1
        for first, second in product(range(3), repeat=2):
            if first != second:
                left = weights.sum() - weights[first]
                expected[first, second] = weights[first] / weights.sum() * weights[second] / left
        assert not counts[expected == 0].any()
        found.append(chi_square(counts[expected > 0].tolist(), expected[expected > 0].tolist()))
    return found


def test_surrogates_are_drawn_by_masses_among_those_left(
    bundle: WordBundle, chi_square: ChiSquare
) -> None:
    assert max(unlikely(bundle, chi_square)) < 1


@pytest.mark.parametrize("broken", ["alike", "first"])
def test_a_broken_draw_is_caught(
    bundle: WordBundle, chi_square: ChiSquare, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw(cumulative: Any, source: RandomSource) -> int:
        return uniform_below(len(cumulative), source) if broken == "alike" else 0

    monkeypatch.setattr(session_module, "draw_by", draw)
    assert max(unlikely(bundle, chi_square)) > 1


# --- replies


def test_a_reply_gets_back_what_was_typed() -> None:
    made = session()
    text, marks = filled(
        "Dear {}, {} has {} ({}).",
        ("Zoltan", "names"),
        ("Maria Müller", "names"),
        ("MIGRAINE", "illness_2"),
        ("x-7", None),
    )
    hidden = made.hide(text, marks)
    assert made.restore(hidden) == text
    one, other, illness, code = (
        made.hide(typed, [Mark(0, len(typed), name)])
        for typed, name in (
            ("zoltan", "names"),
            ("maria müller", "names"),
            ("Migraine", "illness_2"),
            ("X-7", None),
        )
    )
    assert hidden == f"Dear {one}, {other} has {illness} ({code})."
    for reply, expected in (
        (f"{one.upper()}’s {illness}", "Zoltan’s MIGRAINE"),
        (f"{one.title()}-{other.title()}", "Zoltan-Maria Müller"),
        (f"‘{other}’, {other}`s", "‘Maria Müller’, Maria Müller`s"),
        (f"{one}x x{one} {one}\u0301 {one}7", f"{one}x x{one} {one}\u0301 {one}7"),
        (f"\n  {code}\t👍", "\n  x-7\t👍"),
        ("", ""),
        ("'", "'"),
    ):
        assert made.restore(reply) == expected


def test_another_session_restores_nothing() -> None:
    hidden = session().hide("Maria", [Mark(0, 5, "names")])
    assert session().restore(f"{hidden}: Maria") == f"{hidden}: Maria"


def test_a_surrogate_may_be_of_several_pieces(bundle_of: Callable[..., WordBundle]) -> None:
    """The longest is put back."""
    bundle = bundle_of([1, 2, 3], ["u.s", "u", "o'clock"], [1, 1, 1])
    made = Session(bundle, random=random.Random(3).randbytes)
    names = {made.hide(text, [Mark(0, 1)]): text for text in "ABC"}
    expected = "{}., {}. {} {}".format(*(names[word] for word in ("u.s", "u", "o'clock", "u")))
    assert made.restore("U.S., u. o’CLOCK u") == expected


# --- errors, and what is kept


def test_a_list_may_have_no_word_left() -> None:
    made = session()
    kept = made.hide("a b", [Mark(0, 1, "illness_2"), Mark(2, 3, "illness_2")])
    for _ in range(2):
        with pytest.raises(
            ParameterError, match="all words of the list 'illness_2' are already"
        ) as error:
            made.hide(f"{SECRET}", [Mark(0, 3, "illness_2")])
        assert SECRET not in str(error.value)
    assert made.hide("A b", [Mark(0, 1, "illness_2"), Mark(2, 3, "illness_2")]) == kept
    # Nothing is kept of what failed.
    made = session()
    with pytest.raises(ParameterError):
        made.hide(
            "a b c d", [Mark(0, 1, "names"), *(Mark(i, i + 1, "illness_2") for i in (2, 4, 6))]
        )
    assert made.restore(" ".join(GUARDED.vocabulary)) == " ".join(GUARDED.vocabulary)


def test_wrong_marks_and_bundles_are_refused() -> None:
    for mark, message in (
        (Mark(3, 2), "mark 1: must satisfy 0 <= start < end"),
        (Mark(0, 2, "places"), "no such list"),
    ):
        with pytest.raises(ParameterError, match=message) as error:
            session().hide(SECRET, [mark])
        assert SECRET not in str(error.value)
    with pytest.raises(ParameterError, match="a list has no codes"):
        Session(frozen.bundle("list"))


def test_nothing_is_stored_or_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("a file is opened")

    made = session()
    for owner, name in ((builtins, "open"), (os, "open"), (io, "open")):
        monkeypatch.setattr(owner, name, refuse)
    hidden = made.hide(SECRET, [Mark(0, 4, "names")])
    restored = made.restore(hidden)
    shown = repr(made) + str(made)
    monkeypatch.undo()
    assert restored == SECRET
    assert SECRET not in shown
