"""Train the sample embeddings that ship inside the package.

    python -m brrkit_toolchain.embeddings.sample.train TEXT.xz sample.vec.xz

``TEXT`` is plain English text, one paragraph a line (the shipped file was trained on 15,044
articles of the English Wikipedia). Skip-gram with negative sampling (Mikolov et al. 2013) in
gensim; the vectors are centered, their strongest directions removed (Mu and Viswanath, ICLR 2018,
"All-but-the-top"), and rounded to small integers, which is what lets the file compress.
Training uses threads without locks, so two runs differ slightly.
"""

from __future__ import annotations

import lzma
import re
import tempfile
from pathlib import Path

import click
import numpy as np
from gensim.models import Word2Vec
from gensim.models.callbacks import CallbackAny2Vec
from numpy.typing import NDArray
from tqdm import tqdm

from brrkit.tokenizer import tokenize

VOCABULARY_SIZE = 25_000
DIMENSIONS = 128
REMOVED_DIRECTIONS = 2
LEVELS_PER_DEVIATION = 8  # rounding error: 0.1% of the variance

_ENGLISH_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


def tokenize_file(text: Path, output: Path) -> None:
    """Write the words of ``text`` (plain or .xz, UTF-8) to ``output``, a paragraph a line."""
    open_text = lzma.open if text.suffix == ".xz" else open
    with open_text(text, "rt", encoding="utf-8") as lines, output.open("w") as tokens:
        for line in tqdm(lines, desc="Tokenizing", unit=" lines"):
            if words := [token.strip("'") for token in tokenize(line)]:
                tokens.write(" ".join(words) + "\n")


class _Progress(CallbackAny2Vec):  # type: ignore[misc]
    def __init__(self, epochs: int) -> None:
        self.bar = tqdm(total=epochs, desc="Training", unit=" epochs")

    def on_epoch_end(self, _model: Word2Vec) -> None:
        self.bar.update()


def train(tokens: Path, epochs: int, workers: int) -> tuple[list[str], NDArray[np.float32]]:
    """Return the most frequent English words, in rank order, and their vectors."""
    model = Word2Vec(
        corpus_file=str(tokens),
        vector_size=DIMENSIONS,
        sg=1,
        window=8,
        negative=8,
        sample=1e-4,
        min_count=20,
        epochs=epochs,
        workers=workers,
        callbacks=[_Progress(epochs)],
    )
    words = [w for w in model.wv.index_to_key if _ENGLISH_WORD.fullmatch(w)][:VOCABULARY_SIZE]
    return words, model.wv.vectors_for_all(words).vectors


def quantize(vectors: NDArray[np.float32]) -> NDArray[np.int64]:
    """Center, remove the strongest directions, and round to integers; float[n, d] to int[n, d]."""
    centered = vectors - vectors.mean(axis=0)
    directions = np.linalg.svd(centered, full_matrices=False)[2][:REMOVED_DIRECTIONS]
    centered -= centered @ directions.T @ directions
    rows: NDArray[np.int64] = np.rint(centered * (LEVELS_PER_DEVIATION / centered.std())).astype(
        int
    )
    return rows


@click.command()
@click.argument("text", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("output", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--epochs", default=5, show_default=True)
@click.option("--workers", default=2, show_default=True)
def main(text: Path, output: Path, epochs: int, workers: int) -> None:
    """Train on TEXT and write OUTPUT (word2vec text format, .xz)."""
    with tempfile.TemporaryDirectory() as folder:
        tokens = Path(folder) / "tokens.txt"
        tokenize_file(text, tokens)
        words, vectors = train(tokens, epochs, workers)
    rows = quantize(vectors)
    with lzma.open(output, "wt", encoding="utf-8", preset=9 | lzma.PRESET_EXTREME) as file:
        file.write(f"{len(words)} {rows.shape[1]}\n")
        for word, row in zip(words, rows.tolist(), strict=True):
            file.write(f"{word} {' '.join(map(str, row))}\n")
    click.echo(f"{len(words)} words, {output.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
