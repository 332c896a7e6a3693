"""The attack success on a developer's text, by the attackers' knowledge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from brrkit.setting import Estimate
from brrkit_toolchain.attackers.texts.attackers_by_name import (
    ATTACKERS,
    ATTACKERS_AND_BASELINE,
    TextAttackers,
    judge_texts,
)
from brrkit_toolchain.attackers.texts.knowledge import Knowledge
from brrkit_toolchain.attackers.texts.listed_words import ListAttack, attack_lists
from brrkit_toolchain.attackers.texts.readers.batching import Floats, Ids
from brrkit_toolchain.attackers.texts.readers.sentence_reader import Rooms
from brrkit_toolchain.attackers.texts.success import (
    READINGS_BY_POLICY,
    Success,
    best_so_far,
    mean_over_texts,
    policy_classes,
    reading_of,
    shares_by_policy,
    success_over,
    word_classes,
    worst_words_success,
)
from brrkit_toolchain.channel import BatchedMechanism
from brrkit_toolchain.channel.evidence import START, Evidence
from brrkit_toolchain.io.progress import Progress
from brrkit_toolchain.language.texts import TypedText

LENGTHS = (5, 20, 60)
"""Lengths of pieces in tokens, which show the sentence attacker's gain from a text's length."""

TOKENS = 20_000

LONGEST = 256
"""Largest number of a text's tokens that are read together."""

_TEXTS_IN_PIECES = 32  # 1,920 tokens, read three times


@dataclass(frozen=True)
class TextAttack:
    """The attack success on a text.

    Attributes:
        attackers: attack success by attacker (``ATTACKERS_AND_BASELINE``), then by class of token,
            without classes that have no token. More knowledge never weakens an attacker
            (``success.best_so_far``). For content words, attackers know that the word is one. All
            words means words of the vocabulary. For ``unknown`` words, it is the probability that
            they are recognized as unknown. With a policy, ``ordinary`` words, ``passing`` words and
            each list are classes, too.
        expected: first-guess success of ``ATTACKERS`` over ``all``, ``content`` and ``ordinary``,
            expected if they have ``knowledge.ENOUGH`` words of the language.
        worst: by attacker, first-guess success on the worst 1% of all words; None if too few words
            are frequent.
        lengths: the sentence attacker's success over all words, by the length of the pieces into
            which the beginnings of the same texts are cut. Empty if no text reaches the largest
            length.
        unchanged: share of tokens that were released as typed, by class.
        cosine: mean cosine between the released and the typed vector, by class; None without
            vectors.
        perplexity: perplexity of the typed and of the released words, under the language model.
        tokens: number of typed tokens.
        texts: number of texts with these tokens.
        own_tokens: number of tokens of the typed texts from which attackers learned the language.
        public_tokens: number of tokens of public text from which they learned it.
        bundle_tokens: number of tokens of such texts that are worth as much as the bundle's text.
        exact: whether the attackers know the mechanism's exact probabilities. Otherwise they
            estimate them, and their attack success is a lower bound.
        by_policy: share of the typed words that are ``ordinary``, on each list (with its forms),
            ``passing`` and ``unknown``, by class; empty without a policy.
        lists: attack success on the words of each list with a typed word, by the list's name.
    """

    attackers: Mapping[str, Mapping[str, Success]]
    expected: Mapping[str, Mapping[str, Estimate]]
    worst: Mapping[str, float | None]
    lengths: Mapping[int, Estimate]
    unchanged: Mapping[str, Estimate]
    cosine: Mapping[str, float] | None
    perplexity: Mapping[str, float]
    tokens: int
    texts: int
    own_tokens: int
    public_tokens: int
    bundle_tokens: int
    exact: bool
    by_policy: Mapping[str, float] = field(default_factory=dict)
    lists: Mapping[str, ListAttack] = field(default_factory=dict)


def sample_texts(texts: Sequence[TypedText], tokens: int, seed: int = 0) -> list[TypedText]:
    """Return random ``texts`` with about ``tokens`` tokens together; long ones are cut."""
    chosen: list[TypedText] = []
    total = 0
    for i in np.random.default_rng(seed).permutation(len(texts)):
        if total >= tokens:
            break
        chosen.append(texts[i].start(LONGEST))
        total += len(chosen[-1].ids)
    return chosen


def attack_text(
    typed: Sequence[TypedText],
    knows: Knowledge,
    evidence: Evidence,
    release: BatchedMechanism,
    *,
    vectors: NDArray[np.float32] | None = None,
    seed: int = 0,
    progress: bool = False,
    rooms: Rooms | None = None,
) -> TextAttack:
    """Release ``typed`` once, and measure each attacker's attack success.

    Args:
        typed: texts with at least one token each; all are used.
        knows: the attackers' knowledge of the language, learned from other text.
        evidence: their knowledge of the mechanism.
        release: the mechanism.
        vectors: float32[n, d] of the vocabulary, for the cosine.
        seed: seed of the words that replace unknown words.
        progress: show a bar on standard error, if that is a terminal.
        rooms: as for ``judge_texts``.
    """
    rooms = Rooms() if rooms is None else rooms
    language = knows.bigrams
    vocabulary = len(language.words) - 1
    own = [text.ids for text in typed]
    lengths = list(map(len, own))
    ids, texts = np.concatenate(own), np.repeat(np.arange(len(typed)), lengths)
    typed_as, policy = np.concatenate([text.typed_as for text in typed]), evidence.typed
    inputs = known_ids(typed_as, evidence.stand_ins, seed)
    outputs = release(inputs, texts, typed_as == vocabulary)
    evidence = evidence.knowing_forms(knows.forms)
    ends = np.cumsum(lengths)[:-1]
    released, before = np.split(outputs, ends), np.split(released_before(outputs, texts), ends)
    likelihoods = evidence.remembering(outputs)
    long = [i for i, length in enumerate(lengths) if length >= LENGTHS[-1]][:_TEXTS_IN_PIECES]
    with Progress(
        total=len(ids) + len(LENGTHS) * LENGTHS[-1] * len(long),
        desc="Attackers",
        unit=" words",
        progress=progress,
    ) as bar:

        def judge(
            attackers: Sequence[str], cut: Callable[[Sequence[Ids]], Sequence[Ids]]
        ) -> list[Floats]:
            who = TextAttackers(knows, attackers, policy)
            asked = cut(own), cut(released), cut(before)
            return judge_texts(who, *asked, likelihoods, bar.update, rooms)

        guesses = np.concatenate(judge(ATTACKERS_AND_BASELINE, list))
        pieces = judge(["sentence"], partial(_pieces, long))
    known_as = word_classes(ids, np.concatenate([text.digits for text in typed]), language.words)
    if policy is not None:
        known_as = {**known_as, **policy_classes(policy, ids, typed_as)}
    known, same = known_as["all"], (outputs == ids).astype(np.float32)
    attackers = _by_class(guesses, texts, known_as)
    return TextAttack(
        attackers=attackers,
        expected=_expected(knows, attackers),
        worst=_worst(guesses[known], texts[known], ids[known]),
        lengths=_by_length(pieces, [own[i][: LENGTHS[-1]] < vocabulary for i in long]),
        unchanged={
            name: mean_over_texts(same[chosen], texts[chosen])
            for name, chosen in known_as.items()
            if chosen.any()
        },
        cosine=None if vectors is None else _cosines(vectors, ids, outputs, known_as),
        perplexity={
            "typed": language.perplexity(own),
            "released": language.perplexity([each.astype(np.int32) for each in released]),
        },
        tokens=len(ids),
        texts=len(typed),
        own_tokens=knows.own_tokens,
        public_tokens=knows.public_tokens,
        bundle_tokens=knows.bundle_tokens,
        exact=evidence.exact,
        by_policy={} if policy is None else shares_by_policy(policy, ids, typed_as),
        lists=attack_lists(knows, evidence, typed, released, before),
    )


def _pieces(long: Sequence[int], texts: Sequence[Ids]) -> list[Ids]:
    """Return the beginnings of the ``long`` texts in pieces, for each of ``LENGTHS``."""
    return [
        texts[i][start : start + length]
        for length in LENGTHS
        for i in long
        for start in range(0, LENGTHS[-1], length)
    ]


def _by_class(
    guesses: Floats, texts: NDArray[np.intp], known_as: Mapping[str, NDArray[np.bool_]]
) -> dict[str, Mapping[str, Success]]:
    """Return each attack success, by class of token; more knowledge never weakens an attacker."""
    *seeing, alone = (
        {
            name: found
            for name, chosen in known_as.items()
            if (found := success_over(guesses[:, number, reading_of(name)], texts, chosen))
        }
        for number in range(len(ATTACKERS_AND_BASELINE))
    )
    return dict(zip(ATTACKERS_AND_BASELINE, [*best_so_far(seeing), alone], strict=True))


def _expected(
    knows: Knowledge, attackers: Mapping[str, Mapping[str, Success]]
) -> dict[str, dict[str, Estimate]]:
    """Return each attacker's expected first-guess success, given enough text of the language."""
    return {
        attacker: {
            over: knows.expected(attackers[attacker][over].top1, attacker, over)
            for over in READINGS_BY_POLICY
            if over in attackers[attacker]
        }
        for attacker in ATTACKERS
    }


def _worst(
    guesses: Floats, texts: NDArray[np.intp], typed: NDArray[np.int32]
) -> dict[str, float | None]:
    """Return each attack success on the worst words; more knowledge never weakens an attacker."""
    *seeing, alone = (
        worst_words_success(guesses[:, number, 0], texts, typed)
        for number in range(len(ATTACKERS_AND_BASELINE))
    )
    largest = np.maximum.accumulate([0.0 if each is None else each for each in seeing]).tolist()
    worst = [None if own is None else most for own, most in zip(seeing, largest, strict=True)]
    return dict(zip(ATTACKERS_AND_BASELINE, [*worst, alone], strict=True))


def _by_length(pieces: Sequence[Floats], known: Sequence[NDArray[np.bool_]]) -> dict[int, Estimate]:
    """Return the attack success on ``known`` words, by ``LENGTHS``, for pieces in that order.

    Args:
        pieces: probabilities of right guesses in the beginnings of some texts, by length.
        known: for each text, whether each word of its beginning is known.
    """
    if not any(map(np.any, known)):
        return {}
    right = np.concatenate(pieces)[:, 0, 0, 0].reshape(len(LENGTHS), -1)
    of, counts = np.repeat(np.arange(len(known)), LENGTHS[-1]), np.concatenate(known)
    return {
        length: mean_over_texts(own[counts], of[counts])
        for length, own in zip(LENGTHS, right, strict=True)
    }


def released_before(outputs: NDArray[np.int64], texts: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return the output before each of ``outputs`` [t] in its text; ``texts`` numbers the texts."""
    before = np.roll(outputs, 1)
    before[np.flatnonzero(np.diff(texts, prepend=-1))] = START
    return before


def known_ids(
    ids: NDArray[np.int32], stand_ins: NDArray[np.float64], seed: int
) -> NDArray[np.intp]:
    """Return ``ids`` [t] with unknown words replaced by drawn ones.

    Args:
        ids: ids, as in ``TypedText``.
        stand_ins: float64[n], probability that each word replaces an unknown one.
        seed: seed of the draws.
    """
    inputs, size = ids.astype(np.intp), len(stand_ins)
    unknown = inputs == size
    inputs[unknown] = np.random.default_rng(seed).choice(size, unknown.sum(), p=stand_ins)
    return inputs


def _cosines(
    vectors: NDArray[np.float32],
    typed: NDArray[np.int32],
    released: NDArray[np.int64],
    known_as: Mapping[str, NDArray[np.bool_]],
) -> dict[str, float]:
    """Return the mean cosine over the known words of each class that has any."""
    centered = vectors - vectors.mean(axis=0)
    centered /= np.maximum(np.linalg.norm(centered, axis=1, keepdims=True), 1e-12)
    known = typed < len(vectors)
    cosines = np.einsum("td,td->t", centered[typed[known]], centered[released[known]])
    return {
        name: float(cosines[chosen[known]].mean())
        for name, chosen in known_as.items()
        if chosen[known].any()
    }
