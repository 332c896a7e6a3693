"""The gain in attack success from more knowledge of a text's language.

The text is IMDB's test half, released by the bundle's recommended mechanism at a few epsilons. The
attackers know the bundle's language, and some number of words of the training half.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks import reviews
from benchmarks.bench import Bench, progress
from benchmarks.report import Finding
from brrkit.setting import Estimate, Setting
from brrkit_toolchain.attackers.texts.attackers_by_name import ATTACKERS, TextAttackers, judge_texts
from brrkit_toolchain.attackers.texts.knowledge import GAINS, learn_knowledge
from brrkit_toolchain.attackers.texts.success import READINGS, word_classes
from brrkit_toolchain.attackers.texts.text_attack import known_ids, released_before, sample_texts
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.manifest_info import manifest_info

AMOUNTS = (3_000, 30_000, 300_000, 5_000_000)
"""Numbers of words of the language that attackers know."""

EPSILONS = (0.45, 0.55, 0.65)

_TOKENS = 20_000


def run(bench: Bench) -> Finding:
    """Measure attackers with increasing knowledge of the language on the same words."""
    title = "amount: attackers of a text, by the words of its language that they know"
    read, chosen = reviews.halves(bench.bundle.tokenizer), bench.bundle.recommended
    if read is None:
        return Finding(title, (), (), notes=("skipped: IMDB's reviews aren't there (BRR_DATA)",))
    if chosen is None:
        return Finding(title, (), (), notes=("skipped: the bundle recommends no setting",))
    public, texts = read
    typed = sample_texts(texts, 1_000 if bench.quick else _TOKENS)
    own = [text.ids for text in typed]
    ids, digits = np.concatenate(own), np.concatenate([text.digits for text in typed])
    numbers = np.repeat(np.arange(len(own)), [len(text) for text in own])
    ends = np.cumsum([len(text) for text in own])[:-1]
    base = manifest_info(bench.bundle.manifest).text
    bundle_tokens = 0 if base is None else base.tokens or 0
    knowledge = {}
    for amount in AMOUNTS:
        progress(f"amount: {amount:,} words of language")
        part = _first([text.ids for text in public], amount)
        knowledge[amount] = learn_knowledge(bench.bundle.masses, part, bundle_tokens=bundle_tokens)
    frequencies = knowledge[AMOUNTS[-1]].bigrams.words
    among = word_classes(ids, digits, frequencies)
    success: dict[float, dict[int, dict[str, dict[str, float]]]] = {}
    for epsilon in EPSILONS:
        release, channel = Channel(
            bench.bundle, Setting(epsilon, chosen.mechanism, chosen.parameters)
        ).release_and_evidence(np.random.default_rng(0))
        outputs = release(known_ids(ids, channel.stand_ins, 0), numbers)
        released = np.split(outputs, ends)
        before = np.split(released_before(outputs, numbers), ends)
        likelihoods = channel.remembering(outputs)
        for amount, knows in knowledge.items():
            progress(f"amount: epsilon {epsilon:g}, {amount:,} words of language")
            guesses = TextAttackers(knows, ATTACKERS)
            right = np.concatenate(judge_texts(guesses, own, released, before, likelihoods))
            success.setdefault(epsilon, {})[amount] = {
                attacker: {
                    over: float(right[among[over], number, reading, 0].mean())
                    for reading, over in enumerate(READINGS)
                }
                for number, attacker in enumerate(ATTACKERS)
            }
    middle = EPSILONS[len(EPSILONS) // 2]
    columns = [(attacker, over) for attacker in GAINS for over in READINGS]

    def cell(amount: int, attacker: str, over: str) -> str:
        value = success[middle][amount][attacker][over]
        expected = knowledge[amount].expected(Estimate.exact(value), attacker, over)
        return f"{value:.3f} ({expected.value:.3f})"

    rows = [
        (f"{amount:,}", *(cell(amount, attacker, over) for attacker, over in columns))
        for amount in AMOUNTS
    ]
    return Finding(
        title=title,
        columns=("words of the language", *(f"{who}, {over} words" for who, over in columns)),
        rows=rows,
        notes=(
            f"{len(ids):,} words of {len(own):,} reviews at epsilon {middle:g}; in parentheses, "
            "what is expected of who knows ten million words",
        ),
        numbers={"success": success},
    )


def _first(texts: Sequence[NDArray[np.int32]], words: int) -> list[NDArray[np.int32]]:
    """Return randomly chosen ``texts`` with this number of words together."""
    chosen: list[NDArray[np.int32]] = []
    for number in np.random.default_rng(0).permutation(len(texts)).tolist():
        if words <= 0:
            break
        chosen.append(texts[number])
        words -= len(texts[number])
    return chosen
