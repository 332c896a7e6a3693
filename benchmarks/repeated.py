"""Attack success on a text that is released again and again without a memory.

The text is IMDB's test half, released at the bundle's recommended setting. The attackers know the
language from its training half, and that all releases are of one text.
"""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from benchmarks import reviews
from benchmarks.bench import Bench, progress
from benchmarks.report import Finding
from brrkit_toolchain.attackers.texts.attackers_by_name import TextAttackers, judge_texts
from brrkit_toolchain.attackers.texts.knowledge import learn_knowledge
from brrkit_toolchain.attackers.texts.readers.batching import Floats, Ids
from brrkit_toolchain.attackers.texts.success import reading_of, success_over, word_classes
from brrkit_toolchain.attackers.texts.text_attack import known_ids, released_before, sample_texts
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.evidence import Evidence, Likelihoods

RELEASES = (1, 2, 5, 20)
"""Numbers of releases of the text."""

OVER = ("all", "content")
"""Sets of words over which success is measured."""

_TOKENS = 4_000


def run(bench: Bench) -> Finding:
    """Release reviews again and again, and let the sentence attacker read all releases."""
    title = "repeated: an attacker who reads a text that was released so many times"
    read, chosen = reviews.halves(bench.bundle.tokenizer), bench.bundle.recommended
    if read is None:
        return Finding(title, (), (), notes=("skipped: IMDB's reviews aren't there (BRR_DATA)",))
    if chosen is None:
        return Finding(title, (), (), notes=("skipped: the bundle recommends no setting",))
    public, texts = read
    release, channel = Channel(bench.bundle, chosen).release_and_evidence(np.random.default_rng(0))
    knows = learn_knowledge(bench.bundle.masses, [text.ids for text in public])
    typed = sample_texts(texts, 1_000 if bench.quick else _TOKENS)
    ids = np.concatenate([text.ids for text in typed])
    numbers = np.repeat(np.arange(len(typed)), [len(text.ids) for text in typed])
    # Each release replaces an unknown word by another word.
    outputs = np.stack(
        [release(known_ids(ids, channel.stand_ins, seed), numbers) for seed in range(RELEASES[-1])]
    )
    before = np.stack([released_before(each, numbers) for each in outputs])
    ends = np.cumsum([len(text.ids) for text in typed])[:-1]
    known_as = word_classes(
        ids, np.concatenate([text.digits for text in typed]), knows.bigrams.words
    )
    sentence = TextAttackers(knows, ["sentence"])

    def seen(some: Ids, histories: Ids, room: Floats) -> None:
        room[:] = together(channel, some, histories)

    found = {}
    for releases in RELEASES:
        progress(f"repeated: {releases} releases")
        right = judge_texts(
            sentence,
            [text.ids for text in typed],
            np.split(outputs[:releases].T, ends),
            np.split(before[:releases].T, ends),
            Likelihoods(seen),
        )
        guesses = np.concatenate(right)[:, 0]
        found[releases] = {
            over: success_over(guesses[:, reading_of(over)], numbers, known_as[over])
            for over in OVER
        }
    return Finding(
        title=title,
        columns=(
            "releases",
            *(column for over in OVER for column in (f"{over} words", "among ten")),
        ),
        rows=[
            (
                str(releases),
                *(
                    f"{share.value:.3f}"
                    for over in OVER
                    if (each := by_class[over]) is not None
                    for share in (each.top1, each.top10)
                ),
            )
            for releases, by_class in found.items()
        ],
        notes=(
            str(chosen),
            f"{len(ids):,} words of {len(typed):,} reviews; attackers know the bundle's language "
            f"and {knows.tokens:,} words of other reviews; no memory",
        ),
        numbers={
            "setting": asdict(chosen),
            "found": {
                releases: {
                    over: None if each is None else asdict(each) for over, each in row.items()
                }
                for releases, row in found.items()
            },
        },
    )


def together(
    channel: Evidence, outputs: NDArray[np.int64], before: NDArray[np.int64]
) -> NDArray[np.float32]:
    """=Return the evidence of several releases of one text: the product of the likelihoods.

    Args:
        channel: channel of each release.
        outputs: ids [t, r] of the outputs in each of r releases.
        before: ids [t, r] of the outputs before these.

    Returns:
        float32[t, n + 1], up to a factor for each row.
    """
    tiny = np.finfo(np.float32).tiny
    evidence = np.zeros((len(outputs), len(channel.scales) + 1), np.float32)
    for release in zip(outputs.T, before.T, strict=True):
        evidence += np.log(np.maximum(channel.likelihoods(*release), tiny))
    likelihoods: NDArray[np.float32] = np.exp(evidence - evidence.max(axis=1, keepdims=True))
    return likelihoods
