"""Write the sample's playground, by itself and folded, and those of other bundles; and what Python
measures of some settings.

python tests/web/playground.py FOLDER

FOLDER has the bundles ``plain``, without a task, and ``topic``, with one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit import Privatizer, WordBundle
from brrkit.setting import Setting
from brrkit_toolchain.attackers.texts.knowledge import bundle_bigrams
from brrkit_toolchain.attackers.texts.readers.batching import ReleasedLanes
from brrkit_toolchain.attackers.texts.readers.sentence_reader import SentenceReader
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.drawing.bigram_base import BigramGains
from brrkit_toolchain.language.bigrams import Bigrams
from brrkit_toolchain.report.playground import playground_page
from brrkit_toolchain.utility.mechanism import measure_words

WORDS = 1_000
LIKELIEST = 200
STEP = 2 ** (1 / 12)  # of the slider


def settings(recommended: Setting) -> Iterator[Setting]:
    """Yield what is measured: the recommended setting, a step of the slider on, and others."""
    yield recommended
    yield replace(recommended, epsilon=float(f"{STEP * recommended.epsilon:.4g}"))
    yield replace(recommended, parameters={**recommended.parameters, "base": "uniform"})
    yield Setting(0.6, parameters={"radius": 8, "base": "unigram", "task_weight": 0})
    yield Setting(0.4, parameters={"radius": 8, "base": "unigram", "task_weight": 2})
    yield Setting(0.8, "brr")
    yield Setting(0.8, "vickrey")


def measured(bundle: WordBundle, setting: Setting) -> dict[str, Any]:
    """Return a setting, and what ``brr measure`` says of it."""
    found = measure_words(bundle, setting, sample=WORDS)
    return {
        "mechanism": setting.mechanism,
        "epsilon": setting.epsilon,
        **setting.parameters,
        "effective_epsilon": Privatizer(bundle, setting).effective_epsilon,
        "unchanged": vars(found.support.unchanged),
        "attacks": {
            attacker: {"success": vars(attack.success), "worst": attack.worst}
            for attacker, attack in found.attacks.items()
        },
    }


def read(bundle: WordBundle, setting: Setting, released: list[int]) -> dict[str, Any]:
    """Return what an attacker who reads a released text, with the bundle's language, believes.

    As ``SentenceReader`` reads it, in float64: of each word the probabilities of the likeliest.
    """
    channel = Channel(bundle, setting)
    weights, size = channel.weights.astype(np.float64), len(bundle)
    distances = np.array([_distances(channel.codes, word) for word in released])
    totals = np.tile(channel.totals.astype(np.float64), (len(released), 1))
    if channel.weighted is not None and channel.weighted.base == "bigram":
        gains = BigramGains.of(bundle.masses)
        for place, before in enumerate(released[:-1], 1):
            part = slice(gains.starts[before], gains.starts[before + 1])
            for after, gain in zip(gains.after[part], gains.gains[part], strict=True):
                totals[place] += gain * weights[_distances(channel.codes, after)]
    likelihoods = weights[distances] / totals
    language = bundle_bigrams(bundle.masses)
    belief = _posteriors(language, likelihoods)
    seen = np.pad(likelihoods, ((0, 0), (0, 1))).astype(np.float32)  # nothing unknown was typed
    found = SentenceReader(language)(ReleasedLanes.of([seen], [[len(released)]]))[:, 0, :size]
    assert np.allclose(belief, found / found.sum(axis=1, keepdims=True), atol=1e-4)
    likeliest = np.argsort(-belief, axis=1, kind="stable")[:, :LIKELIEST]
    shares = np.take_along_axis(belief, likeliest, axis=1)
    chosen = {"mechanism": setting.mechanism, "epsilon": setting.epsilon, **setting.parameters}
    text = {"released": released, "likeliest": likeliest.tolist(), "shares": shares.tolist()}
    return {**text, "setting": chosen}


def _distances(codes: NDArray[np.uint64], word: int) -> NDArray[np.intp]:
    differing = (codes ^ codes[word]).view(np.uint8)
    counts: NDArray[np.intp] = np.unpackbits(differing, axis=1).sum(axis=1, dtype=np.intp)
    return counts


def _posteriors(language: Bigrams, likelihoods: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Pr[x_t | y_1 ... y_T] float64[T, n], by forward-backward."""
    size = likelihoods.shape[1]
    seen = language.seen[:size, :size]
    unseen, backoff = language.continuation[:size], language.backoff[:size]
    beliefs, expected = [], unseen
    for likelihood in likelihoods:
        beliefs.append(expected * likelihood / (expected @ likelihood))
        expected = beliefs[-1] @ seen + (beliefs[-1] @ backoff) * unseen
    later = np.ones(size)
    for place in range(len(beliefs) - 2, -1, -1):
        weighted = likelihoods[place + 1] * later
        later = seen @ weighted + backoff * (unseen @ weighted)
        later /= later.sum()
        beliefs[place] = beliefs[place] * later
    return np.array([belief / belief.sum() for belief in beliefs])


def main() -> None:
    """Write all."""
    folder, bundle = Path(sys.argv[1]), WordBundle.sample()
    page = playground_page(bundle, note="A note.")
    (folder / "playground.html").write_text(page, encoding="utf-8")
    frame = f'<iframe sandbox="allow-scripts" srcdoc="{escape(page)}"></iframe>'
    folded = f"<details><summary>Open</summary>{frame}</details>"  # as in a report
    (folder / "folded.html").write_text(f"<!DOCTYPE html>{folded}", encoding="utf-8")
    for name in ("plain", "topic"):
        other = playground_page(WordBundle.open(folder / name))
        (folder / f"{name}.html").write_text(other, encoding="utf-8")
    assert bundle.recommended is not None
    numbers = [
        measured(bundle, replace(setting, measured=None, certificate=None))
        for setting in settings(bundle.recommended)
    ]
    (folder / "playground.json").write_text(json.dumps(numbers), encoding="utf-8")
    texts = [
        read(bundle, replace(setting, measured=None, certificate=None), released)
        for setting in list(settings(bundle.recommended))[:5]
        for released in ([0], np.random.default_rng(1).integers(0, 300, 12).tolist())
    ]
    (folder / "sentence.json").write_text(json.dumps(texts), encoding="utf-8")


if __name__ == "__main__":
    main()
