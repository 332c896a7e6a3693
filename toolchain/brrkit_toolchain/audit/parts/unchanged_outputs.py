"""Check how many words return unchanged, at an epsilon where outputs may not depend on inputs.

At this epsilon, Pr[M(w) = y] <= e^q Pr[M(v) = y] for every output y and any two words, where q is
near 0. Take y = w, average over all v, and sum over w: in one pass through a vocabulary, at most
e^q words return on average. So this part finds leaks that concern one word, or one call in a
thousand.
"""

from __future__ import annotations

import math
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from brrkit.normal_form import normalize
from brrkit_toolchain.audit.audited_code.processes import CHUNK
from brrkit_toolchain.audit.audited_code.subject import Output
from brrkit_toolchain.audit.inputs import many_unknown
from brrkit_toolchain.audit.instances import QUIET, Instance
from brrkit_toolchain.audit.pairs.bounds import privacy_loss_bound, tail_bound
from brrkit_toolchain.audit.pairs.sampling import Draw
from brrkit_toolchain.audit.result import PairTest, Part
from brrkit_toolchain.rounding import at_most

SUSPECTS = 8
"""Largest number of returned words that are drawn again."""

TESTS = 2 + SUSPECTS
"""Number of tests that can raise an alarm: all known words, all unknown words, each suspect."""

_UNKNOWN = 8  # draws of known words for each draw of an unknown word
_ANY = "(any word)"


Released = Sequence[tuple[str, Output]]
"""Typed words with their outputs."""


def release_vocabulary(draw: Draw, instance: Instance, draws: int) -> Released:
    """Draw the words in random order, all equally often, but some of them once more.

    All draws of a word are in a row, so brrkit's own code prepares it once.
    """
    size = len(instance.words)
    times, more = divmod(draws, size)
    order = random.SystemRandom().sample(instance.words, size)
    known = [word for i, word in enumerate(order) for _ in range(times + (i < more))]
    return list(_drawn(draw, known))


def audit_unchanged_outputs(
    draw: Draw, instance: Instance, released: Released, again: int, alpha: float
) -> Part:
    """Count the released words that returned, and unknown words that return when drawn.

    Args:
        draw: the audited code on ``instance``.
        instance: the whole vocabulary, quiet.
        released: known words, with their outputs.
        again: number of draws of each suspect, and of other words.
        alpha: error probability of each of the ``TESTS``.
    """
    start = time.perf_counter()
    generator = random.SystemRandom()
    size = len(instance.words)
    ids = {word: i for i, word in enumerate(instance.words)}

    def back(word: str, output: Output) -> bool:
        if isinstance(output, str):
            return output == word or normalize(output) == normalize(word)
        if output is None or instance.vectors is None or word not in ids:
            return False
        return np.array_equal(output, instance.vectors[ids[word]])

    known = [word for word, _ in released]
    unknown = many_unknown(-(-len(known) // _UNKNOWN), ids.get, generator)
    came = Counter(word for word, output in released if back(word, output))
    passed_through = sum(back(word, output) for word, output in _drawn(draw, unknown))
    # The claim allows, on average, e^q of the n words in a pass, and 1 of any number of unknown
    # words.
    tests = [
        ("words", came.total(), len(known), min(1.0, math.exp(QUIET) / size)),
        ("unknown words", passed_through, len(unknown), 1 / len(unknown)),
    ]
    found = [
        f"{count} of {total:,} {name} came back, {at_most(total * most)} claimed at most"
        for name, count, total, most in tests
    ]
    violated = any(tail_bound(count, total, most) <= alpha for _, count, total, most in tests)
    suspects = [
        Suspect(word, repr(word), partial(back, word)) for word, _ in came.most_common(SUSPECTS)
    ]
    pairs = retest_suspects(draw, suspects, known, again, alpha)
    leaking = [pair.first for pair in pairs if pair.violated]
    if leaking:
        found.append(f"words that come back too often: {', '.join(map(repr, leaking))}")
    return Part(
        name="returned words",
        epsilon=instance.epsilon,
        pairs=tuple(pairs),
        passed=not violated and not leaking,
        detail="; ".join(found),
        seconds=time.perf_counter() - start,
    )


def _drawn(draw: Draw, words: Sequence[str]) -> Iterator[tuple[str, Output]]:
    lists = [words[i : i + CHUNK] for i in range(0, len(words), CHUNK)]
    for part, outputs in zip(lists, draw(lists), strict=True):
        yield from zip(part, outputs, strict=True)


@dataclass(frozen=True)
class Suspect:
    """A word with a possibly too frequent output.

    Attributes:
        word: the word.
        event: description of the output.
        happened: function that tells whether an output is this one.
    """

    word: str
    event: str
    happened: Callable[[Output], bool]


def retest_suspects(
    draw: Draw, suspects: Sequence[Suspect], others: Sequence[str], again: int, alpha: float
) -> list[PairTest]:
    """Test on new draws whether each event is likelier for its word than for random words.

    All tests use the same draws of random ``others``. The union bound needs no independent tests,
    and within a test the draws of its word are independent of them.
    """
    if not suspects:
        return []

    def outputs(words: Sequence[str]) -> list[Output]:
        return [output for _, output in _drawn(draw, words)]

    anything = outputs(random.SystemRandom().choices(others, k=again))
    pairs = []
    for each in suspects:
        first, second = (
            sum(map(each.happened, drawn)) for drawn in (outputs([each.word] * again), anything)
        )
        loss = privacy_loss_bound(np.array([first]), np.array([second]), again, alpha)
        privacy_loss = max(0.0, float(loss[0]))
        counts = first, second
        pairs.append(PairTest(each.word, _ANY, 0.0, QUIET, each.event, counts, privacy_loss))
    return pairs
