"""``brr evaluate`` as a function."""

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
    """Measure the accuracy of a classifier of privatized texts, and attack it.

    A linear classifier on mean word vectors is trained on unprivatized texts, and on the same texts
    privatized. Both are tested on other typed texts, and attacked by membership inference.

    Args:
        bundle: an opened bundle.
        data: table of labeled texts. Use a ``LabeledData`` if its columns have other names than
            ``text`` and ``label``, or if a column states the split.
        embeddings: the bundle's embeddings.
        setting: setting of ``exponential``, ``brr`` or ``vickrey``. None: the bundle's recommended
            setting.
        texts: largest number of training texts of a classifier.
        trials: number of trials, at least 2, each with its own split, noise and models.
        seed: seed of splits, noise and attacks.
        progress: show bars on standard error, if that is a terminal.

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
