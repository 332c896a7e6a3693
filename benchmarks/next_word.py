"""Learning of a next-word model from released text: Wikipedia's, adapted to reviews.

The model of Wikipedia is mixed with a model of released reviews. The mixture's share is the best
for one half of the typed test reviews, and its perplexity is measured on the other half.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import reviews
from benchmarks.bases import CONTENDERS, PARAGRAPHS, TODAY, WIKIPEDIA, masses_bundle
from benchmarks.bench import Bench, progress
from benchmarks.report import Finding
from brrkit.mechanisms import create_mechanism
from brrkit.setting import Setting
from brrkit_toolchain.attackers.texts.text_attack import known_ids
from brrkit_toolchain.channel.drawing.on_codes import releaser
from brrkit_toolchain.channel.drawing.stand_ins import stand_in_shares
from brrkit_toolchain.language.bigrams import Bigrams, learn_bigrams
from brrkit_toolchain.language.texts import TextIds, ids_of, read_texts

_LEARNED = 5_000  # reviews
_TESTED = 2_000
_SHARES = np.linspace(0.02, 0.98, 25)
_SHOWN = (TODAY, "`unigram`, of reviews", "`bigram`, of reviews")


def run(bench: Bench) -> Finding:
    """Adapt the model with typed and with released reviews."""
    title = "next-word: the perplexity of reviews under a model of Wikipedia that learned from them"
    file = Path(os.environ.get("BRR_DATA", "../shared/data")) / WIKIPEDIA
    bundle, size = bench.bundle, len(bench.bundle)
    halves = reviews.halves(bundle.tokenizer)
    if halves is None or not file.exists():
        return Finding(title, (), (), notes=("skipped: its texts aren't there (BRR_DATA)",))
    training, test = ([text.ids for text in half] for half in halves)
    learned = training[1::2][: 200 if bench.quick else _LEARNED]
    tested = test[: 100 if bench.quick else _TESTED]
    paragraphs = islice(read_texts(file), PARAGRAPHS // (10 if bench.quick else 1))
    general = learn_bigrams(
        [text.ids for text in ids_of(paragraphs, TextIds(bundle.tokenizer))], size
    )
    ids = np.concatenate(learned)
    texts = np.repeat(np.arange(len(learned)), list(map(len, learned)))
    ends = np.cumsum(list(map(len, learned)))[:-1]
    rows = [("nothing", f"{general.perplexity(tested):,.0f}")]
    rows.append(("typed text", f"{adapted(general, learned, tested):,.0f}"))
    for contender in CONTENDERS:
        if contender.label not in _SHOWN:
            continue
        progress(f"next-word: {contender.label}")
        made = masses_bundle(bundle, contender.masses, training[::2])
        assert made is not None
        epsilon = contender.strengths[1] * 64 / bundle.bits
        mechanism = create_mechanism(made, Setting(epsilon, parameters=contender.parameters))
        generator = np.random.default_rng(0)
        inputs = known_ids(ids, stand_in_shares(made.masses), seed=0)
        released = releaser(made, mechanism, generator.bytes)(inputs, texts).astype(np.int32)
        found = adapted(general, np.split(released, ends), tested)
        rows.append((f"released, {contender.label}", f"{found:,.0f}"))
    return Finding(
        title,
        ("learned from", "perplexity of typed reviews"),
        rows,
        notes=(f"{len(ids):,} words of {len(learned):,} reviews; {len(tested):,} are tested",),
    )


def adapted(
    general: Bigrams, learned: Sequence[NDArray[np.int32]], tested: Sequence[NDArray[np.int32]]
) -> float:
    """Return the perplexity of the mixture with a model of ``learned``."""
    own = learn_bigrams(learned, len(general.words) - 1)
    first, second = (
        np.column_stack([_probabilities(model, part) for model in (general, own)])
        for part in (tested[::2], tested[1::2])
    )
    share = min(_SHARES, key=lambda share: _perplexity(first, share))
    return _perplexity(second, share)


def _perplexity(probabilities: NDArray[np.float64], share: float) -> float:
    return float(np.exp(-np.log(probabilities @ [1 - share, share]).mean()))


def _probabilities(model: Bigrams, texts: Sequence[NDArray[np.int32]]) -> NDArray[np.float64]:
    """Return the probability of each word, given the one before."""
    found = []
    for ids in texts:
        histories = model.histories(ids)
        seen = np.asarray(model.seen[histories, ids]).ravel()
        found.append(seen + model.backoff[histories] * model.continuation[ids])
    return np.concatenate(found)
