"""Data sets in papers on private text, each divided into disjoint parts.

``BRR_DATA`` has the files. ``python -m benchmarks.standard_data NAME OUTPUT.tsv`` writes the public
part of one as a table that ``brr build --task`` takes: task bits are learned from it.
"""

from __future__ import annotations

import argparse
import csv
import lzma
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.typed_kinds import TWEETS, data_folder, read_kinds

SST2, AG_NEWS, EMOJI, TRUSTPILOT = "sst2", "ag-news", "emoji", "trustpilot"

SENTIMENT, TOPIC, EMOJI_OF_TWEET, GENDER = "sentiment", "topic", "emoji", "gender"
"""Questions about a text."""

TEXTS = 5_000
"""Number of texts that train a classifier, and of texts that test it."""

_LEARNED = 20_000  # largest number of texts from which task bits are learned
_PUBLIC_OF_TRUSTPILOT = 1_000  # of 5,004


@dataclass(frozen=True)
class Part:
    """Texts of a data set.

    Attributes:
        texts: typed texts.
        answers: intp[n], answer for each text, by question.
    """

    texts: Sequence[str]
    answers: Mapping[str, NDArray[np.intp]]

    def some(self, chosen: NDArray[np.intp]) -> Part:
        """Return the ``chosen`` texts, in this order."""
        answers = {name: each[chosen] for name, each in self.answers.items()}
        return Part([self.texts[i] for i in chosen], answers)


@dataclass(frozen=True)
class DataSet:
    """A data set.

    Attributes:
        name: its name.
        public: texts from which the mechanism and attackers learn the language, and task bits are
            learned.
        training: texts that train a classifier.
        testing: texts that test it.
        attacked: texts whose words attackers name.
        tasks: questions about a text's purpose; other questions are about the writer.
    """

    name: str
    public: Part
    training: Part
    testing: Part
    attacked: Part
    tasks: frozenset[str]


def read_data_set(name: str, texts: int) -> DataSet | None:
    """Read a data set.

    Args:
        name: its name.
        texts: largest number of texts that train a classifier, and of texts that test it.

    Returns:
        The data set; None if ``BRR_DATA`` lacks its files.
    """
    return _READERS[name](texts)


def _sst2(texts: int) -> DataSet | None:
    """Return phrases of reviews; one sentence's phrases may be in several parts."""
    found = [_labeled(_standard(f"sst2_{part}.tsv.xz"), header=True) for part in ("train", "dev")]
    if (train := found[0]) is None or (dev := found[1]) is None:
        return None
    learning = _order(len(train.texts), 0)
    held_out = _order(len(dev.texts), 0)
    return DataSet(
        SST2,
        train.some(learning[texts:]),
        train.some(learning[:texts]),
        dev.some(held_out[:texts]),
        dev.some(held_out[texts:]),
        frozenset({SENTIMENT}),
    )


def _ag_news(texts: int) -> DataSet | None:
    """Return news."""
    found = [_labeled(_standard(f"agnews_{part}.tsv.xz"), asked=TOPIC) for part in ("dev", "test")]
    if (public := found[0]) is None or (test := found[1]) is None:
        return None
    parts = _in_parts(test, texts)
    return DataSet(AG_NEWS, public, *parts, frozenset({TOPIC}))


def _emoji(texts: int) -> DataSet | None:
    """Return tweets, with the emoji of each, one of 20."""
    kind = read_kinds([TWEETS]).get(TWEETS)
    if kind is None:
        return None
    public, rest = (
        Part(part.texts, {EMOJI_OF_TWEET: part.groups}) for part in (kind.others, kind.measured)
    )
    return DataSet(EMOJI, public, *_in_parts(rest, texts), frozenset({EMOJI_OF_TWEET}))


def _trustpilot(texts: int) -> DataSet | None:
    """Return reviews of shops, and the gender of each one's writer.

    A review's sentiment is whether it is in the more favorable half, by the share of its words in
    Hu and Liu's list of positive words, less the share in that of negative words. All texts of a
    writer, which are consecutive, are in one part. SST-2's phrases are public, too.
    """
    file = _standard("trustpilot_train_english.csv.xz")
    sst2, lists = _sst2(0), [_lexicon(f"{kind}-words.txt") for kind in ("positive", "negative")]
    if sst2 is None or not file.exists() or (good := lists[0]) is None or (bad := lists[1]) is None:
        return None
    with lzma.open(file, "rt", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    writers = [list(group) for _, group in groupby(rows, lambda row: (row["age"], row["gender"]))]
    rows = [row for i in _order(len(writers), 0) for row in writers[i]]
    favor = np.array([_favor(row["text"], good, bad) for row in rows])
    everything = Part(
        [row["text"] for row in rows],
        {
            SENTIMENT: (favor > np.median(favor)).astype(np.intp),
            GENDER: np.array(["MF".index(row["gender"]) for row in rows], np.intp),
        },
    )
    order = np.arange(len(rows))
    own = everything.some(order[:_PUBLIC_OF_TRUSTPILOT])
    rest = order[_PUBLIC_OF_TRUSTPILOT:]
    share = min(texts, 2 * len(rest) // 5)
    training, testing, attacked = (
        everything.some(each) for each in np.split(rest, [share, 2 * share])
    )
    public = Part([*own.texts, *sst2.public.texts], {})
    return DataSet(TRUSTPILOT, public, training, testing, attacked, frozenset({SENTIMENT}))


_READERS: Mapping[str, Callable[[int], DataSet | None]] = {
    SST2: _sst2,
    AG_NEWS: _ag_news,
    EMOJI: _emoji,
    TRUSTPILOT: _trustpilot,
}


def _standard(name: str) -> Path:
    return data_folder() / "standard" / name


def _order(count: int, seed: int) -> NDArray[np.intp]:
    return np.random.default_rng(seed).permutation(count)


def _in_parts(part: Part, texts: int) -> tuple[Part, Part, Part]:
    """Return texts to train with, to test with, and the others, which are attacked."""
    order = _order(len(part.texts), 1)
    share = min(texts, 2 * len(order) // 5)
    training, testing, attacked = (part.some(each) for each in np.split(order, [share, 2 * share]))
    return training, testing, attacked


def _labeled(file: Path, *, header: bool = False, asked: str = SENTIMENT) -> Part | None:
    """Return the texts of a file whose lines are a text and its label; None without the file."""
    if not file.exists():
        return None
    with lzma.open(file, "rt", encoding="utf-8", newline="\n") as lines:
        rows = [line.rstrip("\n").rsplit("\t", 1) for line in lines][int(header) :]
    rows = [row for row in rows if len(row) == 2 and row[0].strip()]
    names = sorted({label for _, label in rows})
    labels = np.array([names.index(label) for _, label in rows], np.intp)
    return Part([text.strip() for text, _ in rows], {asked: labels})


def _lexicon(name: str) -> frozenset[str] | None:
    file = data_folder() / "lexicon" / name
    if not file.exists():
        return None
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    return frozenset(line.strip() for line in lines if line and not line.startswith(";"))


def _favor(text: str, good: Container[str], bad: Container[str]) -> float:
    """Return the share of words that are ``good``, less that of ``bad`` ones."""
    words = [word.strip(".,!?;:()\"'") for word in text.lower().split()]
    return sum((word in good) - (word in bad) for word in words) / max(1, len(words))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=[SST2, AG_NEWS, EMOJI])
    parser.add_argument("output", type=Path)
    given = parser.parse_args()
    found = read_data_set(given.name, TEXTS)
    if found is None:
        parser.error(f"the files of {given.name} aren't in BRR_DATA")
    (asked,) = found.tasks
    rows = zip(found.public.answers[asked].tolist(), found.public.texts, strict=True)
    table = [f"{label}\t{' '.join(text.split())}" for label, text in rows if text.split()]
    given.output.write_text("\n".join(["label\ttext", *table[:_LEARNED]]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
