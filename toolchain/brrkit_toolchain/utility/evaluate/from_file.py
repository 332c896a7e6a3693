"""What ``brr evaluate`` does, as a function."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from brrkit import Privatizer, WordBundle
from brrkit.setting import Setting
from brrkit_toolchain.defaults import TEXTS
from brrkit_toolchain.embeddings.of_bundle import read_matching
from brrkit_toolchain.tasks.corpus import read_corpus
from brrkit_toolchain.tasks.dataset import read_dataset
from brrkit_toolchain.utility.evaluate.evaluation import Evaluation, evaluate
from brrkit_toolchain.utility.evaluate.labeled_data import LabeledData


def evaluate_file(
    bundle: WordBundle,
    data: str | os.PathLike[str] | LabeledData,
    embeddings: str | os.PathLike[str],
    setting: Setting | None = None,
    *,
    texts: int = TEXTS,
    trials: int = 5,
    seed: int = 0,
    progress: bool = False,
) -> Evaluation:
    """Measure the accuracy of a classifier of privatized texts, and what it reveals about them.

    A linear classifier on mean word vectors is trained on texts as typed, and on the same texts
    privatized. Both are tested on other typed texts, and attacked by membership inference.

    Args:
        bundle: an opened bundle.
        data: table of labeled texts. A ``LabeledData`` where its columns aren't called ``text`` and
            ``label``, or one of them says how it is split.
        embeddings: what the bundle was built from.
        setting: of ``exponential``, ``brr`` or ``vickrey``. None for the one that the bundle
            recommends.
        texts: that a classifier is trained on, at most.
        trials: at least 2, each with a split, noise and models of its own.
        seed: of splits, noise and attacks.
        progress: show bars on standard error, where that is a terminal.

    Raises:
        ParameterError: the table can't be read, there are too few trials, texts or classes, or the
            bundle was built from other embeddings or recommends nothing.
        BundleError: the recommended setting can't be run.
        EmbeddingsError: the embeddings can't be read.
    """
    privatizer = Privatizer(bundle, setting)
    table = data if isinstance(data, LabeledData) else LabeledData(data)
    dataset = read_dataset(
        Path(table.data), table.text_column, table.label_column, table.split_column
    )
    source = read_matching(bundle, embeddings, progress=progress)
    corpus = read_corpus(dataset, bundle.tokenizer, progress=progress)
    found = evaluate(
        bundle,
        privatizer,
        source.vectors,
        corpus,
        texts=texts,
        trials=trials,
        seed=seed,
        progress=progress,
    )
    left_out = {"empty": dataset.empty, "without a known word": corpus.unknown}
    return replace(found, left_out=left_out)
