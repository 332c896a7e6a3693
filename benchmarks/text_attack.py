"""Attack success on a text at the setting of ``brr calibrate`` for equally likely words.

This setting limits an attacker who sees one word, and assumes that all are equally likely. The text
is IMDB's test half. The attackers know the language from its training half.
"""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from benchmarks import reviews
from benchmarks.bench import Bench, progress
from benchmarks.report import Finding
from brrkit_toolchain import AttackSuccess, FixedParameters, calibrate_words
from brrkit_toolchain.attackers.texts.knowledge import learn_knowledge
from brrkit_toolchain.attackers.texts.text_attack import TOKENS, attack_text, sample_texts
from brrkit_toolchain.channel import Channel

GOAL = 0.2
"""Attack success to which the setting is calibrated."""

OVER = ("all", "content")
"""Sets of words over which success is measured."""


def run(bench: Bench) -> Finding:
    """Calibrate in isolation, then let the attackers read reviews."""
    title = f"text-attack: attackers of a text, where the isolated one of any word has {GOAL}"
    read = reviews.halves(bench.bundle.tokenizer)
    if read is None:
        return Finding(title, (), (), notes=("skipped: IMDB's reviews aren't there (BRR_DATA)",))
    public, texts = read
    progress("text-attack: calibrate")
    chosen = calibrate_words(
        bench.bundle, AttackSuccess(GOAL), fixed=FixedParameters(base="uniform")
    ).setting
    release, channel = Channel(bench.bundle, chosen).release_and_evidence(np.random.default_rng(0))
    knows = learn_knowledge(bench.bundle.masses, [text.ids for text in public])
    typed = sample_texts(texts, 1_500 if bench.quick else TOKENS)
    progress("text-attack: attackers")
    found = attack_text(typed, knows, channel, release)
    stated = str(chosen)
    return Finding(
        title=title,
        columns=("attack success", *(f"{over} words" for over in OVER)),
        rows=[
            (attacker, *(f"{by_class[over].top1.value:.3f}" for over in OVER))
            for attacker, by_class in found.attackers.items()
        ],
        notes=(
            stated,
            f"{found.tokens:,} words of {found.texts:,} reviews; attackers know the bundle's "
            f"language and {found.own_tokens:,} words of other reviews; success at the first "
            "guess",
        ),
        numbers={"setting": asdict(chosen), "found": asdict(found)},
    )
