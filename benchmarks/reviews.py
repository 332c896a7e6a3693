"""IMDB's reviews, as attackers who read are measured on."""

from __future__ import annotations

import os
from pathlib import Path

from brrkit import BrrError
from brrkit.vocabulary import Vocabulary
from brrkit_toolchain.evaluate.dataset import read_dataset
from brrkit_toolchain.language.texts import TypedText, ids_of

_FILE = Path("text") / "imdb_labelled_50k.tsv.gz"


def halves(vocabulary: Vocabulary) -> tuple[list[TypedText], list[TypedText]] | None:
    """Return the training and the test half as ids; None where ``BRR_DATA`` hasn't the file."""
    file = Path(os.environ.get("BRR_DATA", "../shared/data")) / _FILE
    try:
        reviews = read_dataset(file, "text", "sentiment", "split")
    except BrrError:
        return None
    assert reviews.testing is not None
    texts = ids_of(reviews.texts, vocabulary)
    training, test = (
        [text for text, testing in zip(texts, reviews.testing, strict=True) if testing == side]
        for side in (False, True)
    )
    return training, test
