"""Marks: one token each, whatever they cover, and no token is cut."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import frozen
import pytest
from device import HOUR, Clock

from brrkit import (
    BudgetError,
    Mark,
    OutOfVocabularyError,
    ParameterError,
    PrivacyBudget,
    Privatizer,
    Setting,
)
from brrkit.marks import around, cut_marks
from brrkit.tokenizer import Tokenizer

GUARDED = frozen.bundle("policy")
SECRET = "hunter2secret"
CHARACTERS = [
    *("a", "É", "ß", "σ", "Σ", "ς", "x", "7", "'", "’", "`", "´", "\u0301", "\u200d", "\u00ad"),
    *(" ", " ", " ", ".", "-", "–", "\n", "👍", "👩🏽‍⚕️", "\u0387", "=\u0338", "ﬁ", "が", "ก", "世"),
    *("l'", "’s", "the", "maria", "zoltan", "marie-anne", "straße"),
]


def cases(seed: int, times: int) -> Iterator[tuple[str, list[Mark], random.Random]]:
    """Yield texts with marks anywhere in them."""
    source = random.Random(seed)
    for _ in range(times):
        text = "".join(source.choices(CHARACTERS, k=source.randint(1, 12)))
        marks = []
        for _ in range(source.randrange(4)):
            start = source.randrange(len(text))
            end = source.randint(start + 1, min(len(text), start + 8))
            marks.append(Mark(start, end, source.choice(["names", "illness_2", None])))
        yield text, marks, source


def privatizer_of(random_bytes: Callable[[int], bytes], **more: Any) -> Privatizer:
    return Privatizer(GUARDED, Setting(0.3), random=random_bytes, **more)


def test_no_token_is_cut() -> None:
    """The tokens of the parts, marks too, are those of the whole text, in any spaced language."""
    for name in ("policy", "spaced", "tasks"):
        bundle = frozen.bundle(name)
        for text, marks, _ in cases(1, 3_000):
            given = [Mark(mark.start, mark.end) for mark in marks]
            cut = cut_marks(text, given, bundle.tokenizer)
            parts = around(text, cut)
            pieces = [parts[0]]
            for mark, part in zip(cut, parts[1:], strict=True):
                pieces += [text[mark.start : mark.end], part]
            assert "".join(pieces) == text
            tokens = [token for piece in pieces for token in bundle.tokenize(piece)]
            assert tokens == bundle.tokenize(text), (text, cut)


def test_an_end_that_is_not_widened_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tokenizer, "is_inner", lambda *_: False)
    with pytest.raises(AssertionError):
        test_no_token_is_cut()


def test_marks_cover_what_was_marked_in_order_and_apart() -> None:
    for text, marks, source in cases(2, 3_000):
        cut = cut_marks(text, marks, GUARDED.tokenizer)
        ends = [end for mark in cut for end in (mark.start, mark.end)]
        assert ends == sorted(ends)
        assert all(mark.start < mark.end for mark in cut)
        assert all(
            any(mark.start <= given.start and given.end <= mark.end for mark in cut)
            for given in marks
        )
        shuffled = source.sample(marks, len(marks))
        assert [(mark.start, mark.end) for mark in cut] == [
            (mark.start, mark.end) for mark in cut_marks(text, shuffled, GUARDED.tokenizer)
        ]
        # Once is enough.
        assert cut_marks(text, cut, GUARDED.tokenizer) == cut


@pytest.mark.parametrize(
    ("text", "given", "expected"),
    [
        ("Dr. O'Hara-Miller's", [(6, 8)], [(4, 19)]),  # a joiner joins
        ("Dr. O`Hara, Miller", [(6, 8)], [(4, 10)]),  # a look-alike is no end
        ("a.b", [(0, 1)], [(0, 1)]),
        ("in cafe\u0301", [(3, 4)], [(3, 8)]),  # marks on letters
        ("Anna, Maria", [(0, 2, "names"), (8, 9)], [(0, 4, "names"), (6, 11)]),
        ("Anna Maria", [(0, 4), (4, 5), (5, 10, "names")], [(0, 4), (4, 5), (5, 10, "names")]),
        ("Anna Maria", [(8, 9), (1, 6, "names")], [(0, 10, "names")]),
        ("Anna Maria", [(2, 3, "names"), (1, 2, "illness_2")], [(0, 4, "illness_2")]),
        ("Anna", [(1, 3, "names"), (1, 2)], [(0, 4)]),  # sorted by the end, too
        ("Anna", [(1, 2, "names"), (1, 2)], [(0, 4, "names")]),  # then in the order given
        (" , ", [(1, 2)], [(1, 2)]),
    ],
)
def test_how_marks_are_cut(
    text: str, given: Sequence[tuple[Any, ...]], expected: Sequence[tuple[Any, ...]]
) -> None:
    marks = [Mark(*each) for each in given]
    assert cut_marks(text, marks, GUARDED.tokenizer) == [Mark(*each) for each in expected]


@pytest.mark.parametrize("rest", ["release", "pass"])
@pytest.mark.parametrize("oov", ["random", "drop"])
def test_what_a_mark_covers_does_not_show(rest: str, oov: str) -> None:
    """Whatever is written in the marks: equal bytes give equal outputs, and as many are taken."""
    for text, marks, source in cases(3, 300):
        cut = cut_marks(text, marks, GUARDED.tokenizer)
        between, seed = around(text, cut), source.random()
        seen = set()
        for other in (None, "a", f"{SECRET}; 7 words, all \u0e01 secret!", ". 👍"):
            changed, given = between[0], []
            for mark, behind in zip(cut, between[1:], strict=True):
                written = text[mark.start : mark.end] if other is None else other
                given.append(Mark(len(changed), len(changed) + len(written), mark.list))
                changed += written + behind
            if cut_marks(changed, given, GUARDED.tokenizer) != given:
                continue  # a letter stands beside: another text is marked
            taken = random.Random(seed)
            output = privatizer_of(taken.randbytes, oov=oov).text(changed, given, rest)
            seen.add((output, taken.random()))
            assert SECRET not in output
        assert len(seen) == 1


def test_the_rest_passes_as_it_was_typed() -> None:
    for text, marks, source in cases(4, 300):
        cut = cut_marks(text, marks, GUARDED.tokenizer)
        seed = source.random()
        output = privatizer_of(random.Random(seed).randbytes).text(text, marks, "pass")
        tokens = [
            "xqzz" if mark.list is None else "maria" if mark.list == "names" else "cancer"
            for mark in cut
        ]
        words = privatizer_of(random.Random(seed).randbytes).words(tokens)
        first, *others = around(text, cut)
        expected = first + "".join(
            word + behind for word, behind in zip(words, others, strict=True)
        )
        assert output == expected


def test_an_unknown_mark_that_is_dropped_leaves_nothing() -> None:
    text, marks = "Ask Zoë, or Maria: now!", [Mark(4, 7), Mark(12, 14, "names")]
    released = privatizer_of(random.Random(1).randbytes, oov="drop").text(text, marks, "pass")
    name = privatizer_of(random.Random(1).randbytes).word("Maria")
    assert released == f"Ask , or {name}: now!"


def test_marks_without_a_policy_are_unknown_words() -> None:
    bundle, text = frozen.bundle("tasks"), "what is the weather"
    marked, typed = (
        Privatizer(bundle, Setting(1.0), random=random.Random(1).randbytes) for _ in range(2)
    )
    assert marked.text(text, [Mark(5, 11)]) == typed.text("what xqzz weather")
    assert bundle.policy.lists == ()


def test_a_budget_counts_tokens_or_only_marks(tmp_path: Path, clock: Clock) -> None:
    text, marks = "Call Maria and Zoltan!", [Mark(5, 10, "names"), Mark(15, 16, "names")]
    for rest, number in (("release", 4), ("pass", 2)):
        budget = PrivacyBudget(number + 0.5, HOUR, tmp_path / rest, clock=clock)
        privatizer = Privatizer(GUARDED, Setting(1.0, "brr"), budget=budget)
        privatizer.text(text, marks, rest)
        with pytest.raises(BudgetError) as caught:
            privatizer.text(text, marks, rest)
        assert "Maria" not in str(caught.value)


def test_texts_are_texts_one_after_the_other() -> None:
    texts = ["Maria is here", "", "asthma, doctor"]
    marks = [[Mark(0, 5, "names")], [], [Mark(0, 6, "illness_2"), Mark(8, 9)]]
    for rest in ("release", "pass"):
        together, alone = (privatizer_of(random.Random(1).randbytes) for _ in range(2))
        assert together.texts(texts, marks, rest) == [
            alone.text(text, each, rest) for text, each in zip(texts, marks, strict=True)
        ]


TEXT = f"{SECRET} is my name"


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ([Mark(0, 1), Mark(-1, 1)], "mark 2: must satisfy 0 <= start < end"),
        ([Mark(3, 3)], "mark 1: must satisfy 0 <= start < end"),
        ([Mark(4, 3)], "mark 1: must satisfy 0 <= start < end"),
        ([Mark(0, len(TEXT) + 1)], "mark 1: must satisfy 0 <= start < end"),
        ([Mark(0.0, 2)], "mark 1: start and end must be integers"),  # type: ignore[arg-type]
        ([Mark(0, True)], "mark 1: start and end must be integers"),
        ([Mark(0, 2, "places")], "mark 1: .* no such list; its lists: names, illness_2"),
        ([Mark(0, 2, SECRET)], "mark 1: .* no such list; its lists: names, illness_2"),
        ([(0, 2)], "marks takes a list of marks"),
        (Mark(0, 2), "marks takes a list of marks"),
        (SECRET, "marks takes a list of marks"),
    ],
)
@pytest.mark.parametrize("rest", ["release", "pass"])
def test_wrong_marks_are_refused_before_anything_is_drawn(
    marks: Any, message: str, rest: str
) -> None:
    def read(size: int) -> bytes:
        raise AssertionError("drawn")

    privatizer = privatizer_of(read)
    for release in (
        lambda: privatizer.text(TEXT, marks, rest),
        lambda: privatizer.texts(["", TEXT], [[], marks], rest),
    ):
        with pytest.raises(ParameterError, match=message) as caught:
            release()
        assert SECRET not in str(caught.value)


def test_other_arguments_are_refused() -> None:
    privatizer = privatizer_of(random.Random(1).randbytes)
    with pytest.raises(ParameterError, match="rest must be one of: release, pass"):
        privatizer.text(TEXT, rest=SECRET)
    with pytest.raises(ParameterError, match="one sequence of marks for each text"):
        privatizer.texts([TEXT, TEXT], [[]])
    strict = privatizer_of(random.Random(1).randbytes, oov="error")
    for rest in ("release", "pass"):
        with pytest.raises(OutOfVocabularyError) as caught:
            strict.text(TEXT, [Mark(0, 5)], rest)
        assert SECRET not in str(caught.value)
