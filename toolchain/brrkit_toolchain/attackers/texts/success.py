"""Attack success over all known words, by class of word, and on the worst words.

An attacker who recognizes an unknown word as unknown learns none of its letters. Unknown words are
therefore a separate class, and count in no other class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit.setting import Estimate
from brrkit_toolchain.channel.typed_as import TypedAs
from brrkit_toolchain.confidence import mean_over_clusters
from brrkit_toolchain.io.compiled import compiled

NOT_GUESSED = -1
"""Stands for a typed word that isn't guessed."""

GUESSES = 10
"""The number of guesses for ``top10``."""

FUNCTION_WORDS = 150
"""The number of most frequent words of a language that aren't content."""

READINGS = ("all", "content")
"""Sets of words that attackers guess: all known words; or content words, if they know that the word
is one."""

READINGS_BY_POLICY = (*READINGS, "ordinary")
"""With a policy, there is also the set of ordinary words: those in no list that don't pass."""

_LEAST_TOKENS_OF_A_WORST_WORD = 20
_WORST_SHARE = 0.01
_WORDS_BETWEEN_CHECKS = 1_024  # words between checks that a guess is left


@dataclass(frozen=True)
class Success:
    """The attack success of an attacker.

    Attributes:
        top1: probability that their first guess is the typed word, with a 95% interval over texts.
        top10: probability that one of their first ten guesses is the typed word.
        tokens: number of tokens measured.
    """

    top1: Estimate
    top10: Estimate
    tokens: int


def judge(
    belief: NDArray[np.floating],
    typed: NDArray[np.int32],
    kinds: NDArray[np.bool_],
    factors: NDArray[np.float32] | None = None,
    rows: NDArray[np.intp] | None = None,
) -> NDArray[np.float32]:
    """Return the probability that the first guess, and one of ten, is right, float32[t, k + 1, 2].

    The second axis is ``READINGS``, the third the number of guesses. Equally probable words are
    guessed in random order. For an unknown word, which nobody can name, the guess is right if they
    guess that it is unknown, and not any known word. For other words nobody guesses this.

    Args:
        belief: [m, s], proportional to the probability of each word, before multiplication by
            ``factors``; the last is for the unknown word.
        typed: int32[t], the typed word, or ``NOT_GUESSED``, for which the result is 0.
        kinds: bool[k, s], from ``kinds_of_words``.
        factors: float32[t, s], or [1, s] for all rows, factors of the rows; by default none.
        rows: intp[t], numbers of the rows of ``belief``; by default, all in their order.
    """
    result = np.zeros((len(typed), len(kinds) + 1, 2), np.float32)
    if factors is None:
        factors = np.ones((1, belief.shape[1]), np.float32)
    if rows is None:
        rows = np.arange(len(typed))
    believed = np.ascontiguousarray(belief, np.float32), rows, factors
    guessed = np.flatnonzero(typed != NOT_GUESSED)
    _judge(believed, typed, kinds, guessed, result)
    return result


@compiled
def _judge(
    believed: tuple[NDArray[np.float32], NDArray[np.intp], NDArray[np.float32]],
    typed: NDArray[np.int32],
    kinds: NDArray[np.bool_],
    guessed: NDArray[np.intp],
    result: NDArray[np.float32],
) -> None:
    """Write what ``judge`` returns for the places ``guessed``.

    ``above`` counts the words that the attacker finds more probable than the typed word, by
    ``READINGS``; ``level`` counts those with equal probability, including the typed word.
    """
    belief, rows, factors = believed
    readings = len(kinds) + 1
    above, level = np.empty(readings, np.int64), np.empty(readings, np.int64)
    higher, same = (
        np.empty(_WORDS_BETWEEN_CHECKS, np.uint8),
        np.empty(_WORDS_BETWEEN_CHECKS, np.uint8),
    )
    for t in guessed:
        row, own = belief[rows[t]], factors[min(t, len(factors) - 1)]
        truth = row[typed[t]] * own[typed[t]]
        above[:], level[:] = 0, 0
        unknown = len(row) - 1
        states = unknown + int(typed[t] == unknown)
        for start in range(0, states, _WORDS_BETWEEN_CHECKS):
            stop = min(start + _WORDS_BETWEEN_CHECKS, states)
            block, factor = row[start:stop], own[start:stop]
            for x in range(len(block)):
                value = block[x] * factor[x]
                higher[x], same[x] = value > truth, value == truth
            least = np.int64(GUESSES)
            for reading in range(readings):
                if reading and not kinds[reading - 1, typed[t]]:
                    continue
                more, equal = 0, 0
                if reading:
                    counts = kinds[reading - 1, start:stop]
                    for x in range(len(block)):
                        more += higher[x] & counts[x]
                        equal += same[x] & counts[x]
                else:
                    for x in range(len(block)):
                        more += higher[x]
                        equal += same[x]
                above[reading] += more
                level[reading] += equal
                least = min(least, above[reading])
            if least >= GUESSES:  # too many likelier words in each reading
                break
        for reading in range(readings):
            if above[reading] >= GUESSES or (reading and not kinds[reading - 1, typed[t]]):
                continue
            result[t, reading, 0] = 1 / level[reading] if above[reading] == 0 else 0
            left = (GUESSES - above[reading]) / level[reading]
            result[t, reading, 1] = min(1.0, left)


def content_words(frequencies: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether each word is a content word, bool[n + 1]: neither very frequent nor unknown.

    Args:
        frequencies: float64[n + 1], frequency of each word in the language; the last is the unknown
            word's.
    """
    ranks = _ranks(frequencies)
    return ranks > FUNCTION_WORDS


def kinds_of_words(
    frequencies: NDArray[np.float64], policy: TypedAs | None = None
) -> NDArray[np.bool_]:
    """Return the words of each reading but ``all``, bool[k, n + 1], in their order.

    Args:
        frequencies: float64[n + 1], as for ``content_words``.
        policy: the bundle's policy; without one there are no ordinary words.
    """
    kinds = [content_words(frequencies)]
    if policy is not None:
        kinds.append(np.append(policy.ordinary, False))
    return np.array(kinds)


def policy_classes(
    policy: TypedAs, ids: NDArray[np.int32], typed_as: NDArray[np.int32]
) -> Mapping[str, NDArray[np.bool_]]:
    """Return the tokens [t] that are ordinary, on each list, passing, or unknown.

    Only a list's words of the vocabulary count; its forms are in no class.

    Args:
        policy: the bundle's policy.
        ids: ids, as in ``TypedText``.
        typed_as: ids, as in ``TypedText``.
    """
    unknown = len(policy.ids)
    known, words = ids != unknown, np.minimum(ids, unknown - 1)
    lists = {name_of_list(name): known & (typed_as == head) for name, head in policy.heads.items()}
    return {
        "ordinary": known & policy.ordinary[words] & (typed_as == ids),
        **lists,
        "passing": known & policy.passing[words],
        "unknown": typed_as == unknown,
    }


def shares_by_policy(
    policy: TypedAs, ids: NDArray[np.int32], typed_as: NDArray[np.int32]
) -> dict[str, float]:
    """Return the share of the tokens [t] in each of ``policy_classes``, including lists' forms.

    Args:
        policy: the bundle's policy.
        ids: ids, as in ``TypedText``.
        typed_as: ids, as in ``TypedText``.
    """
    heads = {name_of_list(name): head for name, head in policy.heads.items()}
    return {
        name: float((typed_as == heads[name] if name in heads else chosen).mean())
        for name, chosen in policy_classes(policy, ids, typed_as).items()
    }


def name_of_list(name: str) -> str:
    """Return the name of the class of a list's words."""
    return f"list {name}"


def _ranks(frequencies: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the rank from 1 of each word; 0 for the unknown word."""
    unknown = len(frequencies) - 1
    ranks = np.zeros(unknown + 1, np.intp)
    ranks[np.argsort(-frequencies[:unknown], kind="stable")] = np.arange(1, unknown + 1)
    return ranks


def reading_of(name: str) -> int:
    """Return the place in ``READINGS_BY_POLICY`` by which the class ``name`` is attacked."""
    if name in READINGS_BY_POLICY:
        return READINGS_BY_POLICY.index(name)
    return int(name.startswith("rank ") and not name.startswith("rank 1-"))


def success_over(
    right: NDArray[np.float32], texts: NDArray[np.intp], chosen: NDArray[np.bool_]
) -> Success | None:
    """Return the attack success over the ``chosen`` tokens, or None if there are none.

    Args:
        right: float32[t, 2], from ``judge``, by the number of guesses.
        texts: intp[t], the number of each token's text.
        chosen: bool[t].
    """
    tokens = int(np.count_nonzero(chosen))
    if tokens == 0:
        return None
    first, ten = (mean_over_texts(right[chosen, i], texts[chosen]) for i in range(2))
    return Success(first, ten, tokens)


def mean_over_texts(values: NDArray[np.float32], texts: NDArray[np.intp]) -> Estimate:
    """Return the mean of ``values`` [t], each from 0 to 1, with an interval over ``texts`` [t].

    Tokens of one text depend on one another; different texts don't.
    """
    return mean_over_clusters(values, texts, len(values))


def worst_words_success(
    right: NDArray[np.float32], texts: NDArray[np.intp], typed: NDArray[np.int32]
) -> float | None:
    """Return the mean attack success on the worst 1% of words; None if too few are frequent.

    Half of the texts choose the words, the other half measures them, and vice versa, so that chance
    doesn't choose the worst words. Only words with at least 20 tokens in each half count.
    """
    halves = [texts % 2 == side for side in range(2)]
    size = int(typed.max()) + 1
    counts = np.array([np.bincount(typed[half], minlength=size) for half in halves])
    sums = np.array([np.bincount(typed[half], right[half, 0], size) for half in halves])
    words = np.flatnonzero((counts >= _LEAST_TOKENS_OF_A_WORST_WORD).all(axis=0))
    if len(words) == 0:
        return None
    means = sums[:, words] / counts[:, words]
    least = max(1, round(_WORST_SHARE * len(words)))
    chosen = np.argsort(-means, axis=1, kind="stable")[:, :least]
    return float(np.mean([means[1 - side, chosen[side]].mean() for side in range(2)]))


def best_so_far(several: Sequence[Mapping[str, Success]]) -> list[dict[str, Success]]:
    """Return the attack success, by class, of attackers in ascending order of knowledge.

    Attackers who know more may guess like those who know less. So each has the largest attack
    success up to their own.
    """
    result: list[dict[str, Success]] = []
    for own in several:
        before = result[-1] if result else own
        result.append(
            {
                name: Success(
                    max(found.top1, before[name].top1, key=lambda each: each.value),
                    max(found.top10, before[name].top10, key=lambda each: each.value),
                    found.tokens,
                )
                for name, found in own.items()
            }
        )
    return result


def word_classes(
    typed: NDArray[np.int32],
    digits: NDArray[np.bool_],
    frequencies: NDArray[np.float64],
    bands: tuple[int, ...] = (FUNCTION_WORDS, 1_000, 10_000),
) -> Mapping[str, NDArray[np.bool_]]:
    """Return the tokens [t] in each class; ``all`` and ``content`` overlap the other classes.

    All classes except ``unknown`` have only words of the vocabulary.

    Args:
        typed: ids [t] of the typed words; n is the unknown word's.
        digits: whether each token has a digit.
        frequencies: float64[n + 1], frequency of each word in the language; the last is the unknown
            word's.
        bands: ranks by frequency that end a class of words. All classes after the first are content
            words.
    """
    unknown = len(frequencies) - 1
    rank = _ranks(frequencies)[typed]
    known = typed != unknown
    word = known & ~digits
    result = {
        "all": known,
        "content": word & (rank > bands[0]),
        f"rank 1-{bands[0]:,}": word & (rank <= bands[0]),
    }
    for low, high in zip(bands, (*bands[1:], unknown), strict=True):
        if high > low:
            result[f"rank {low + 1:,}-{high:,}"] = word & (rank > low) & (rank <= high)
    return result | {"numbers": known & digits, "unknown": ~known}
