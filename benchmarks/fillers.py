"""The distinction of frames with fillers from frames with typed words, by their words.

The frames are one of each phone message from one half of the senders, and as many frames of unknown
words, at the bundle's recommended setting. An attacker learns from released frames of both kinds,
with messages from the other half. They see one frame, or several of one sender, all typed or all
filled.
"""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.report import Finding
from benchmarks.tasks import cell, interval
from benchmarks.typed_kinds import MESSAGES, Part, read_kinds
from brrkit import WordBundle
from brrkit.setting import Estimate, Frames
from brrkit_toolchain.attackers.texts.text_attack import known_ids
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.drawing.frames import framed
from brrkit_toolchain.language.texts import TextIds

TOGETHER = (1, 8, 64)
"""Numbers of a sender's frames that an attacker sees."""

_FRAMES = 16_000  # frames of each kind, for learning and for testing


def run(bench: Bench) -> Finding:
    """Release frames of both kinds, and let an attacker distinguish them."""
    title = "fillers: how often frames of fillers are told from typed ones, by frames seen together"
    kinds, chosen = read_kinds([MESSAGES]), bench.bundle.recommended
    if not kinds:
        return Finding(title, (), (), notes=("skipped: the messages aren't there (BRR_DATA)",))
    if chosen is None:
        return Finding(title, (), (), notes=("skipped: the bundle recommends no setting",))
    shape = bench.bundle.frames or Frames()
    most = 1_000 if bench.quick else _FRAMES
    generator = np.random.default_rng(0)
    channel = Channel(bench.bundle, chosen)
    parts = kinds[MESSAGES].others.some(range(most)), kinds[MESSAGES].measured.some(range(most))
    progress("fillers: releasing")
    learned, tested = (_released(bench.bundle, channel, each, shape, generator) for each in parts)
    evidence = _evidence(learned, tested)
    found = {number: told(evidence, parts[1].groups, number) for number in TOGETHER}
    return Finding(
        title=title,
        columns=("frames seen together", "told apart"),
        rows=[(str(number), cell(share)) for number, share in found.items()],
        notes=(
            f"{shape.words} words a frame; {most:,} frames of each kind, of other senders than "
            "those of as many that the attacker learned from; half of all are fillers; intervals "
            "of 95%",
        ),
        numbers={
            "setting": asdict(chosen),
            "words": shape.words,
            "found": {str(number): asdict(share) for number, share in found.items()},
        },
    )


def _released(
    bundle: WordBundle,
    channel: Channel,
    part: Part,
    shape: Frames,
    generator: np.random.Generator,
) -> tuple[list[str], list[str]]:
    """Return a frame of each text as ids, and as many frames of fillers."""
    convert, unknown = TextIds(bundle.tokenizer), len(bundle)
    typed = framed(
        [convert(text).typed_as for text in part.texts], shape.words, unknown, generator.bytes
    )
    release = channel.releaser(generator)
    numbers = np.repeat(np.arange(len(typed)), shape.words)
    kinds = []
    for frames in (typed, np.full_like(typed, unknown)):
        ids = frames.ravel().astype(np.int32)
        inputs = known_ids(ids, channel.stand_ins, int(generator.integers(2**32)))
        outputs = release(inputs, numbers, ids == unknown)
        kinds.append([" ".join(map(str, frame)) for frame in np.split(outputs, len(frames))])
    return kinds[0], kinds[1]


def _evidence(
    learned: tuple[list[str], list[str]], tested: tuple[list[str], list[str]]
) -> NDArray[np.float64]:
    """Return the log odds [2, n] that frames were typed, for typed frames and for fillers."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), min_df=2, token_pattern=r"\S+", sublinear_tf=True),
        LogisticRegression(C=3, max_iter=300),
    )
    model.fit([*learned[0], *learned[1]], np.repeat([1, 0], list(map(len, learned))))
    return np.stack([model.decision_function(frames) for frames in tested])


def told(evidence: NDArray[np.float64], senders: NDArray[np.intp], together: int) -> Estimate:
    """Return the accuracy of deciding whether a sender's frames are typed or fillers.

    Args:
        evidence: float64[2, n], log odds for typed frames, and for fillers; positive for typed.
        senders: intp[n], senders of the typed frames.
        together: number of frames that the attacker sees.
    """
    order = np.argsort(senders, kind="stable")
    groups = [
        own[: len(own) // together * together].reshape(-1, together)
        for own in np.split(order, np.flatnonzero(np.diff(senders[order])) + 1)
    ]
    places = np.concatenate(groups)
    sums = evidence[:, places].sum(axis=2)
    right = np.concatenate([sums[0] > 0, sums[1] <= 0])
    return interval(float(right.mean()), len(right))
