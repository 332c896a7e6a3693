"""Membership inference by a shadow model (BRR, figure 1b).

The target is the model of the sentiment experiment, with the same texts and the same noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from brrkit_toolchain.tasks.corpus import Corpus
from brrkit_toolchain.utility.evaluate.classifier import Classifier
from brrkit_toolchain.utility.evaluate.membership import attack_auc
from brrkit_toolchain.utility.evaluate.parts import split
from research.papers.bundle_words import BundleWords
from research.papers.results import Results, Unit, seeded
from research.papers.scale import Scale
from research.papers.summary import Evaluated, Findings
from research.papers.texts import (
    privatized,
    run_units,
    text_figure,
    text_table,
    text_units,
)

NAME = "membership"
METRICS = ("auc",)
TITLE = "Membership inference (BRR, figure 1b)"

_READING = "An attack that tells nothing has 0.5; the lower a line, the less it tells."


def run(
    bundle_words: BundleWords,
    corpus: Corpus,
    scale: Scale,
    estimated_losses: Sequence[float],
    results: Results,
    *,
    progress: bool = True,
) -> None:
    """Attack the target of each unit that has no results yet; arguments as in ``sentiment.run``."""
    classes = int(corpus.labels.max()) + 1

    def measure(unit: Unit) -> Mapping[str, float]:
        parts = split(corpus, scale.texts, seeded("split", unit.trial))
        train, validation, test, reserve = (
            corpus.start(part, scale.tokens)
            for part in (parts.train, parts.validation, parts.test, parts.reserve)
        )
        target = Classifier(privatized(bundle_words, unit, train, "train"), bundle_words.vectors)
        shadow = Classifier(privatized(bundle_words, unit, test, "test"), bundle_words.vectors)
        seed = int(unit.generator("attack").integers(2**32))
        return {
            "auc": attack_auc(shadow, (test, reserve), target, (train, validation), classes, seed)
        }

    run_units(
        results,
        text_units(bundle_words, estimated_losses, scale.trials),
        measure,
        progress=progress,
    )


def findings(evaluated: Evaluated) -> Findings:
    """Return the AUC of the attack."""
    return Findings(
        notes=[
            "The target is the classifier above. The attack (a network with two hidden layers of "
            "64 nodes) learns from a shadow model of the same kind on other texts, sees only class "
            "probabilities and the true class, and asks about texts as they were typed. 0.5 is "
            "guessing.",
        ],
        figures=[text_figure(evaluated, "auc", "AUC of the attack", _READING)],
        tables=[text_table(evaluated, "auc", "AUC of the attack")],
    )
