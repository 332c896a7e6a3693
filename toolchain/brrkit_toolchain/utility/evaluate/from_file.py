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


def evaluate_file(
    bundle: WordBundle,
    data: str | os.PathLike[str],
    embeddings: str | os.PathLike[str],
    setting: Setting | None = None,
    *,
    text_column: str = "text",
    label_column: str = "label",
    split_column: str | None = None,
    texts: int = TEXTS,
    trials: int = 5,
    seed: int = 0,
    progress: bool = False,
) -> Evaluation:
    """Measure what a classifier loses that learns from privatized texts, and reveals of them.

    A linear classifier on mean word vectors is trained on texts as typed, and on the same texts
    privatized. Both are tested on other typed texts, and attacked by membership inference.

    Args:
        bundle: an opened bundle.
        data: table of labelled texts.
        embeddings: what the bundle was built from.
        setting: of ``exponential``, ``brr`` or ``vickrey``. None for the one that the bundle
            recommends.
        text_column: holds the texts.
        label_column: holds their classes.
        split_column: says ``train`` or ``test``; by default they are split at random.
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
    dataset = read_dataset(Path(data), text_column, label_column, split_column)
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
