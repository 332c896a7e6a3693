"""New words by candidates: how many of them phones' reports show, by the number of phones.

    python -m benchmarks.candidates [--output benchmarks/results/benchmarks/candidates.json]

takes minutes, prints its table, and writes what it found with ``--output``. The
public text is 10,000 of the training half of IMDB's reviews, phones type as many of the other half,
and the bundle is the one that comes with brrkit, whose words are those of everyday English.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.commands import results_parser
from benchmarks.report import aligned
from benchmarks.store import write_alone
from brrkit import Counts, WordBundle
from brrkit_counting import build_list, calibrate_counts, find_candidates
from brrkit_counting.candidates import write_candidates
from brrkit_counting.estimate.counts.closed_form import ERROR, CountsChannel
from brrkit_counting.response import ApproximateResponse
from brrkit_toolchain import write_recommended
from brrkit_toolchain.embeddings import read_embeddings
from brrkit_toolchain.io.tables.reading import rows
from brrkit_toolchain.language.lexicon import RankedWords
from brrkit_toolchain.language.texts import TextIds

DATA = Path(os.environ.get("BRR_DATA") or Path(__file__).parents[2] / "shared" / "data")
REVIEWS = DATA / "text" / "imdb_labelled_50k.tsv.gz"
VECTORS = DATA / "embeddings" / "wikipedia-imdb.300d.50k.vec.gz"
PHONES = (100_000, 1_000_000, 10_000_000)
DAYS = 7
TEXTS = 10_000
LISTED = 5_000
ATTACK_SUCCESS = 0.2
WEEKS = 20  # weeks drawn for each number of phones
COLUMNS = (
    "phones",
    "new words found",
    "with a vector",
    "share of typed unknown words",
    "found but not typed",
)


def prepare(folder: Path) -> None:
    """Write ``public.txt`` and ``typed.txt``, with one review on each line."""
    halves: dict[str, list[str]] = {"train": [], "test": []}
    for _, (split, text) in rows(REVIEWS, ("split", "text")):
        halves[split].append(text.replace("<br />", " "))
    for split, name in (("train", "public"), ("test", "typed")):
        step = len(halves[split]) // TEXTS  # favorable reviews come first in the file
        lines = "".join(f"{text}\n" for text in halves[split][::step][:TEXTS])
        (folder / f"{name}.txt").write_text(lines, "utf-8")


def make(folder: Path) -> WordBundle:
    """Build the list of words in ``public.txt`` that the sample bundle lacks, with a setting."""
    found = find_candidates(WordBundle.sample(), folder / "public.txt", most=LISTED)
    write_candidates(folder / "new.csv", found)
    build_list(folder / "new.csv", folder / "new-words")
    setting = calibrate_counts(
        WordBundle.open(folder / "new-words"), attack_success=ATTACK_SUCCESS
    ).setting
    write_recommended(folder / "new-words", setting)
    return WordBundle.open(folder / "new-words")


def typed_shares(bundle: WordBundle, file: Path) -> NDArray[np.float64]:
    """Return the shares [n + 1] of typed words: of each string, and of all other words."""
    words = list(bundle.vocabulary)
    tokenizer = replace(bundle.tokenizer, vocabulary=RankedWords(words))  # faster, and the same
    often: Counter[int | None] = Counter()
    with file.open() as texts:
        for text in texts:
            often.update(token.word_id for token in tokenizer.read(text))
    of_words = [often[i] for i in range(len(bundle))]
    return np.array([*of_words, often[None]]) / often.total()


def unknown_share(file: Path) -> float:
    """Return the share of typed words that the sample bundle lacks."""
    convert = TextIds(WordBundle.sample().tokenizer)
    with file.open() as texts:
        for text in texts:
            convert(text)
    return convert.coverage.unknown / convert.coverage.tokens


def row(
    phones: int,
    response: ApproximateResponse,
    shares: NDArray[np.float64],
    has_vector: NDArray[np.bool_],
    unknown: float,
) -> dict[str, float]:
    """Return the mean findings of weeks with this number of phones."""
    generator, reports = np.random.default_rng(phones), DAYS * phones
    outputs, channel = response.kept * shares + response.drawn, CountsChannel(response)
    found = np.zeros((WEEKS, len(shares) - 1), np.bool_)
    for week in range(WEEKS):
        came = generator.multinomial(reports, outputs)
        low, _ = channel.interval(came, reports, ERROR / len(shares))
        found[week] = low[:-1] > 0
    return {
        "phones": phones,
        "found": float(found.sum(axis=1).mean()),
        "with vectors": float(found[:, has_vector].sum(axis=1).mean()),
        "of unknown": float((found @ shares[:-1]).mean() / unknown),
        "wrong": float(found[:, shares[:-1] == 0].sum(axis=1).mean()),
    }


def main() -> None:
    output = results_parser(__doc__).parse_args().output
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        bundle = make(folder)
        setting, kept = bundle.counts, float(Counts(bundle).kept)
        words = list(bundle.vocabulary)
        shares = typed_shares(bundle, folder / "typed.txt")
        unknown = unknown_share(folder / "typed.txt")
    assert setting is not None
    with_vectors = set(read_embeddings(VECTORS, progress=False).words)
    has_vector = np.array([word in with_vectors for word in words])
    response = ApproximateResponse(kept, len(words) + 1)
    found: dict[str, Any] = {
        "listed": len(words),
        "cap": setting.cap,
        "unknown": unknown,
        "of the list": float(shares[:-1].sum()),
        "listed with vectors": int(has_vector.sum()),
        "typed": int((shares[:-1] > 0).sum()),
        "weeks": WEEKS,
        "first": words[:12],
        "rows": [row(phones, response, shares, has_vector, unknown) for phones in PHONES],
    }
    if output:
        write_alone(output, found)
    print(json.dumps({key: found[key] for key in found if key != "rows"}, ensure_ascii=False))
    print("\n".join(aligned([COLUMNS, *map(cells, found["rows"])])))


def cells(found: dict[str, float]) -> list[str]:
    """Return a line of the table."""
    return [
        f"{found['phones']:,}",
        f"{found['found']:,.0f}",
        f"{found['with vectors']:,.0f}",
        f"{100 * found['of unknown']:.1f}%",
        f"{found['wrong']:.2f}",
    ]


if __name__ == "__main__":
    main()
