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

_READING = "Random guesses have an AUC of 0.5. A lower line means a less successful attack."


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
            "The target of the attack is the sentiment classifier above. The attack is a network "
            "with two hidden layers of 64 nodes. It is trained on a shadow model, which is the "
            "same classifier trained on other privatized texts. It sees only class probabilities "
            "and the true class of unprivatized texts. Random guesses have an AUC of 0.5.",
        ],
        figures=[text_figure(evaluated, "auc", "AUC of the attack", _READING)],
        tables=[text_table(evaluated, "auc", "AUC of the attack")],
    )
