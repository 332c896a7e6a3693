"""Topics of Wikipedia's articles, by a rule about their first sentences.

The dump has no labels. An article's topic is that of the first of ``TOPICS``' nouns in its
definition ("is a Scottish *footballer* who ..."). Articles without such a noun have no topic. Texts
are later paragraphs, so that no classifier sees the definition.

``python -m benchmarks.topics OUTPUT.tsv`` writes the table from which task bits are learned: the
texts of every other article with a topic. The others are for measurements.
"""

from __future__ import annotations

import argparse
import lzma
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

TOPICS = {
    "computing": "compiler computer internet microcomputer microprocessor processor programming "
    "protocol software unix",
    "film": "actor actress cinematographer film filmmaker movie screenwriter sitcom television",
    "life": "animal animals bacteria bird birds fish fruit genus mammal plant plants species tree",
    "music": "album band composer drummer guitarist music musical musician orchestra singer song "
    "songwriter",
    "places": "archipelago city county island islands lake mountain municipality province river "
    "suburb town village",
    "religion": "bible biblical bishop church deity god goddess monk pope religion religious "
    "saint theologian",
    "science": "asteroid astronomer astronomy atom chemical chemist chemistry constellation "
    "element galaxy isotope molecule particle physical physicist physics planet star",
    "sport": "athlete baseball basketball cricketer football footballer golf hockey league sport "
    "tennis wrestler",
}
"""The nouns for each topic."""

_TOPIC_OF = {noun: topic for topic, nouns in TOPICS.items() for noun in nouns.split()}
_DEFINITION = re.compile(r"\b(?:is|was|are|were) (?:an?|the|one of the) (.*)")
_END = re.compile(r"[,.;(]| (?:who|which|that|in|on|from|used|between|located) ")
_WIKIPEDIA = Path("text") / "enwiki-2018-40M-tokens.txt.xz"
_WORDS = 50  # smallest number of words in a text
_TEXTS = 5  # largest number of texts from an article, the first ones


@dataclass(frozen=True)
class Article:
    """An article without its title.

    Attributes:
        topic: its topic; None without one by the rule.
        paragraphs: its paragraphs; the first is the definition.
    """

    topic: str | None
    paragraphs: Sequence[str]

    @property
    def texts(self) -> list[str]:
        """The first long paragraphs after the definition."""
        return [text for text in self.paragraphs[1:] if len(text.split()) >= _WORDS][:_TEXTS]


def topic_of(definition: str) -> str | None:
    """Return the topic of a first paragraph; None without one by the rule."""
    found = _DEFINITION.search(definition)
    if found is None:
        return None
    words = re.findall(r"[a-z]+", _END.split(found[1])[0].lower())
    return next((_TOPIC_OF[word] for word in words if word in _TOPIC_OF), None)


def paragraphs_of_articles(file: Path) -> Iterator[list[str]]:
    """Yield the paragraphs of each article, without its title."""
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        article: list[str] = []
        for line in lines:
            if line.strip():
                article.append(line)
                continue
            yield article[1:]
            article = []


def read_articles() -> list[Article] | None:
    """Return the articles in ``BRR_DATA``; None if they are missing."""
    file = Path(os.environ.get("BRR_DATA", "../shared/data")) / _WIKIPEDIA
    if not file.exists():
        return None
    return [
        Article(topic_of(paragraphs[0]), paragraphs)
        for paragraphs in paragraphs_of_articles(file)
        if paragraphs
    ]


def halves(articles: Sequence[Article]) -> tuple[list[Article], list[Article]]:
    """Return the articles for learning, and those for measurements; all have topics and texts."""
    some = [article for article in articles if article.topic and article.texts]
    return some[::2], some[1::2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    output: Path = parser.parse_args().output
    articles = read_articles()
    if articles is None:
        parser.error(f"{_WIKIPEDIA} isn't in BRR_DATA")
    rows = [
        f"{article.topic}\t{' '.join(text.split())}"
        for article in halves(articles)[0]
        for text in article.texts
    ]
    output.write_text("\n".join(["label\ttext", *rows]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
