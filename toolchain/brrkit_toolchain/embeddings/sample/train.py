"""Train the sample embeddings that ship inside the package.

    python -m brrkit_toolchain.embeddings.sample.train DATA encyclopedia.vec.xz sample.vec.xz

``DATA`` contains the folders ``everyday`` and ``text``, which ``README.md`` describes. A word's
vector combines three: one from an encyclopedia (``tests/data`` in a clone), one learned here from
everyday and encyclopedic text (skip-gram, Mikolov et al. 2013, in gensim), and one from GloVe's
vectors of Twitter (Pennington et al. 2014). If one is missing, ridge regression predicts it from
the others. Principal components are kept, except the strongest ones (Mu and Viswanath, ICLR 2018,
"All-but-the-top"), and rounded to small integers, so that the file compresses well. Training uses
threads without locks, so two runs differ slightly.
"""

from __future__ import annotations

import lzma
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path

import click
import numpy as np
from gensim.models import Word2Vec
from gensim.models.callbacks import CallbackAny2Vec
from numpy.typing import NDArray
from tqdm import tqdm

from .spellings import Spellings
from .text import SOURCES, texts
from .words import Usage, tokens

VOCABULARY_SIZE = 22_000
DIMENSIONS = 128
REMOVED_DIRECTIONS = 1
LEVELS_PER_DEVIATION = 8  # rounding error: 0.1% of the variance
EVERYDAY_TIMES = 2  # passes over everyday texts
PARAGRAPHS_ONE_IN = 4  # one in this number of the encyclopedia's paragraphs
FEWEST_TIMES = 15  # smallest number of occurrences of a learned word
RIDGE = 30.0
RARER, FIRST = 6, 1_000
"""A word gets no vector from the encyclopedia if its rank there exceeds its rank in the sample by
this factor, and by this many ranks. An example is ok, which means Oklahoma there."""

Table = dict[str, NDArray[np.float32]]
"""Vectors of words, all of one length."""

ENCYCLOPEDIA, LEARNED, TWITTER = 2.0, 1.0, 0.5
"""Weights of the combined vectors."""


class _Progress(CallbackAny2Vec):  # type: ignore[misc]
    def __init__(self, epochs: int) -> None:
        self.bar = tqdm(total=epochs, desc="Training", unit=" epochs")

    def on_epoch_end(self, _model: Word2Vec) -> None:
        self.bar.update()


def learn(data: Path, word_of: Callable[[str], str], epochs: int, workers: int) -> Table:
    """Return the vectors that skip-gram learns.

    Args:
        data: the folder of files.
        word_of: function that returns the word for a token, or the token.
        epochs: number of passes over the texts.
        workers: number of threads.
    """
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "tokens.txt"
        with corpus.open("w", encoding="utf-8") as output:
            for text in tqdm(_texts(data), desc="Tokenizing", unit=" texts"):
                if words := [word_of(token) for token in tokens(text)]:
                    output.write(" ".join(words) + "\n")
        model = Word2Vec(
            corpus_file=str(corpus),
            vector_size=DIMENSIONS,
            sg=1,
            window=6,
            negative=8,
            sample=1e-4,
            min_count=FEWEST_TIMES,
            epochs=epochs,
            workers=workers,
            callbacks=[_Progress(epochs)],
        )
    return dict(zip(model.wv.index_to_key, model.wv.vectors, strict=True))


def _texts(data: Path) -> Iterator[str]:
    for _ in range(EVERYDAY_TIMES):
        for source in SOURCES:
            yield from texts(data / "everyday", source)
    with lzma.open(data / "text" / "enwiki-2018-40M-tokens.txt.xz", "rt") as lines:
        for number, line in enumerate(lines):
            if number % PARAGRAPHS_ONE_IN == 0:
                yield line


def read_table(path: Path, wanted: Iterable[str]) -> Table:
    """Return the vectors of ``wanted`` words from a text file (.xz) with one word in each line."""
    names = frozenset(wanted)
    found: Table = {}
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            word, _, numbers = line.partition(" ")
            if word in names and word not in found and " " in numbers:
                found[word] = np.fromstring(numbers, np.float32, sep=" ")
    return found


def as_frequent(table: Table, words: Sequence[str]) -> Table:
    """Return the vectors in ``table``, in rank order, of words that aren't much rarer there.

    Args:
        table: vectors of some of ``words``.
        words: words in rank order.
    """
    ranks = {word: rank for rank, word in enumerate(word for word in words if word in table)}
    return {
        word: vector
        for rank, (word, vector) in enumerate(table.items())
        if rank <= RARER * ranks[word] + FIRST
    }


def combine(words: Sequence[str], tables: Sequence[tuple[Table, float]]) -> NDArray[np.float32]:
    """Return vectors float32[n, d] of ``words``, which combine those of some tables.

    Args:
        words: words, each in one table or more.
        tables: tables, with their weights.
    """
    there = np.array([[word in table for word in words] for table, _ in tables])
    parts = [
        _standardized(np.array([table[w] for w in words if w in table]), weight)
        for table, weight in tables
    ]
    filled = [np.zeros((len(words), part.shape[1]), np.float32) for part in parts]
    for own, part, rows in zip(filled, parts, there, strict=True):
        own[rows] = part
    known = [part.copy() for part in filled]
    numbers = range(len(tables))
    for size in range(1, len(tables)):
        for given in map(list, combinations(numbers, size)):
            lacking = [i for i in numbers if i not in given]
            rows = there[given].all(axis=0) & ~there[lacking].any(axis=0)
            inputs = np.hstack([known[i] for i in given])
            for i in lacking if rows.any() else ():
                both = there[[*given, i]].all(axis=0)
                filled[i][rows] = _ridge(inputs[both], known[i][both], inputs[rows])
    return np.hstack(filled)


def _standardized(rows: NDArray[np.float32], weight: float) -> NDArray[np.float32]:
    """Return ``rows`` with a mean of 0 and a mean squared length of ``weight``."""
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    spread = unit - unit.mean(axis=0)
    spread /= spread.std(axis=0)
    return np.asarray(spread * np.sqrt(weight / rows.shape[1]), np.float32)


def _ridge(
    inputs: NDArray[np.float32], outputs: NDArray[np.float32], given: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the prediction for ``given`` by ridge regression from ``inputs`` to ``outputs``."""
    scale = float(np.square(inputs).mean())
    gram = inputs.T @ inputs + RIDGE * scale * np.eye(inputs.shape[1], dtype=np.float32)
    return np.asarray(given @ np.linalg.solve(gram, inputs.T @ outputs), np.float32)


def components(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return all principal components except the strongest; float32[n, d] to [n, DIMENSIONS]."""
    centered = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(np.cov(centered.T))
    kept = axes[:, ::-1][:, REMOVED_DIRECTIONS : REMOVED_DIRECTIONS + DIMENSIONS]
    return np.asarray(centered @ kept, np.float32)


def quantize(vectors: NDArray[np.float32]) -> NDArray[np.int64]:
    """Round to integers; float[n, d] to int[n, d]."""
    rows: NDArray[np.int64] = np.rint(vectors * (LEVELS_PER_DEVIATION / vectors.std())).astype(int)
    return rows


@click.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("encyclopedia", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("output", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--epochs", default=4, show_default=True)
@click.option("--workers", default=2, show_default=True)
def main(data: Path, encyclopedia: Path, output: Path, epochs: int, workers: int) -> None:
    """Train on the files in DATA and ENCYCLOPEDIA; write OUTPUT (word2vec text format, .xz)."""
    spellings = Spellings.read()
    words = spellings.vocabulary(Usage(data / "everyday"))
    learned = learn(data, spellings.word_of, epochs, workers)
    twitter = data / "everyday" / "glove.twitter.27B.25d.top11925.txt.xz"
    tables = [
        (as_frequent(read_table(encyclopedia, words), words), ENCYCLOPEDIA),
        (learned, LEARNED),
        (read_table(twitter, words), TWITTER),
    ]
    words = [word for word in words if any(word in table for table, _ in tables)][:VOCABULARY_SIZE]
    rows = quantize(components(combine(words, tables)))
    with lzma.open(output, "wt", encoding="utf-8", preset=9 | lzma.PRESET_EXTREME) as file:
        file.write(f"{len(words)} {rows.shape[1]}\n")
        for word, row in zip(words, rows.tolist(), strict=True):
            file.write(f"{word} {' '.join(map(str, row))}\n")
    click.echo(f"{len(words)} words, {output.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
