"""The public data for each language, for ``benchmarks.written_in``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from brrkit_toolchain.embeddings import sample_path
from brrkit_toolchain.io.tables.reading import lines
from brrkit_toolchain.io.tables.reading import rows as table_rows

DATA = Path(os.environ.get("BRR_DATA", Path(__file__).parents[1] / "../shared/data"))

STRETCH = 200
"""Number of neighboring rows that stay together in one half, such as those of one book."""


@dataclass(frozen=True)
class Table:
    """A table of texts.

    Attributes:
        file: file in ``DATA``.
        text: its column of texts; "" for lines.
        label: its column of labels.
        only: required value of its column ``language``.
        joined: whether spaces separate words that are usually written without them.
    """

    file: str
    text: str = ""
    label: str = ""
    only: str = ""
    joined: bool = False

    def rows(self) -> Iterator[tuple[str, str]]:
        """Yield texts and their labels."""
        path = DATA / self.file
        if not self.text:
            yield from ((line.strip(), "") for _, line in lines(path))
            return
        columns = [self.text, self.label or self.text, "language" if self.only else self.text]
        for _, (text, label, language) in table_rows(path, columns):
            if not self.only or language == self.only:
                yield text.replace(" ", "") if self.joined else text, label

    def half(self, number: int) -> Iterator[tuple[str, str]]:
        """Yield the texts of one half, and their labels.

        Args:
            number: number of the half: 0 for a bundle, 1 for measurements.
        """
        for place, row in enumerate(self.rows()):
            if place // STRETCH % 2 == number:
                yield row


@dataclass(frozen=True)
class Language:
    """The data for a language.

    Attributes:
        name: name in English, with weaknesses of the data.
        vectors: a file in ``DATA``; without it, only known words are measured.
        text: running text; the bundle counts one half, and the other is measured.
        task: labeled texts, and their name.
        counted: text that the bundle counts instead of this half; then all of ``text`` is measured.
        of_sample: whether the bundle has the words, vectors and writing of the sample.
        trained_on: whether ``text`` is a large part of the text on which the vectors were trained;
            then only words in the bundle's half are used.
    """

    name: str
    vectors: str
    text: Table
    task: tuple[str, Table] | None = None
    counted: Table | None = None
    of_sample: bool = False
    trained_on: bool = False


def _intents(code: str) -> tuple[str, Table]:
    return "intents", Table("languages/intents.home-assistant.csv.gz", "text", "intent", code)


_KOREAN = Table("languages/ko.nsmc.sentiment.csv.gz", "text", "label")
_CHINESE = Table("languages/zh.hotel.sentiment.csv.gz", "text", "label", joined=True)

LANGUAGES = {
    "en": Language(
        "English",
        "embeddings/wikipedia-imdb.300d.50k.vec.gz",
        Table("text/imdb_labelled_50k.tsv.gz", "text"),
        _intents("en"),
        trained_on=True,
    ),
    "en-typed": Language(
        "English, on phones",
        str(sample_path()),
        Table("everyday/nus-sms.tsv.xz", "text"),
        counted=Table("everyday/goemotions.txt.xz"),
        of_sample=True,
    ),
    "de": Language(
        "German (vectors of novels)",
        "languages/de.eltec-w2v.100d.vec.xz",
        Table("languages/de.eltec.txt.xz"),
        _intents("de"),
    ),
    "fr": Language(
        "French",
        "languages/fr.spacy.300d.vec.xz",
        Table("languages/fr.eltec.txt.xz"),
        _intents("fr"),
    ),
    "ko": Language("Korean", "languages/ko.nsmc-w2v.100d.vec.xz", _KOREAN, ("sentiment", _KOREAN)),
    "zh": Language(
        "Chinese",
        "languages/zh.reviews-w2v.100d.vec.xz",
        _CHINESE,
        ("sentiment", _CHINESE),
        trained_on=True,
    ),
    "ru": Language(
        "Russian (weak vectors)",
        "languages/ru.ruslit-w2v.100d.vec.xz",
        Table("languages/ru.ruslit.txt.xz"),
    ),
    "es": Language("Spanish (no vectors)", "", Table("languages/es.eltec.txt.xz")),
    "ar": Language(
        "Arabic (no vectors)", "", Table("languages/ar.arsarcasm-v2.sentiment.csv.gz", "text")
    ),
}
