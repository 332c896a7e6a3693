"""Finds the secret parts of a prompt, by Presidio's patterns and a bundle's words.

Presidio's patterns find e-mail addresses, telephone numbers, credit cards and the like. A model
that recognizes names would have to be downloaded. So a word is secret here if a list of the
bundle's policy has it, if the vocabulary lacks it, if it has digits, or if it is capitalized in a
sentence.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING

import spacy
import tldextract
from presidio_analyzer import AnalyzerEngine, EntityRecognizer, RecognizerRegistry, RecognizerResult
from presidio_analyzer.nlp_engine import SpacyNlpEngine

from brrkit import Mark, WordBundle

if TYPE_CHECKING:
    from presidio_analyzer.nlp_engine import NlpArtifacts

LANGUAGE = "en"

logging.getLogger("presidio-analyzer").setLevel(logging.ERROR)  # it warns of other languages
_UNUSUAL = "UNUSUAL_WORD"
_SURE = 1.0
_WORD = re.compile(r"[^\W_]+(?:['’.@:/_-][^\W_]+)*")
_SENTENCE = re.compile(r"(?:^|[.!?:;\n\"“(])\s*\Z")


class Detector:
    """Finds the marks of a prompt in English. Not for several threads at once."""

    def __init__(self, bundle: WordBundle) -> None:
        """Load Presidio's patterns, and the lists of ``bundle``."""
        # By default it downloads the list of public suffixes.
        tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=())
        registry = RecognizerRegistry(supported_languages=[LANGUAGE])
        registry.load_predefined_recognizers(languages=[LANGUAGE])
        registry.remove_recognizer("SpacyRecognizer")
        registry.add_recognizer(_UnusualWords(bundle))
        self._lists = {each.name for each in bundle.policy.lists}
        self._analyzer = AnalyzerEngine(
            registry=registry, nlp_engine=_NoModel(), supported_languages=[LANGUAGE]
        )

    def marks(self, prompt: str) -> list[Mark]:
        """Return the secret parts of ``prompt``, in order."""
        found = self._analyzer.analyze(prompt, language=LANGUAGE)
        # The longest of overlapping spans decides the list: an address, and not the name in it.
        found.sort(key=lambda span: (span.start, -span.end))
        kinds = [span.entity_type if span.entity_type in self._lists else None for span in found]
        return [Mark(span.start, span.end, kind) for span, kind in zip(found, kinds, strict=True)]


class _UnusualWords(EntityRecognizer):  # type: ignore[misc]
    """Finds words that aren't ordinary ones of a bundle; an entity's type can be a list's name."""

    def __init__(self, bundle: WordBundle) -> None:
        self._tokenizer = bundle.tokenizer
        self._list_of = {each.head: each.name for each in bundle.policy.lists}
        super().__init__(
            supported_entities=[_UNUSUAL, *self._list_of.values()], supported_language=LANGUAGE
        )

    def load(self) -> None:
        """Load nothing: the bundle is open."""

    def analyze(
        self,
        text: str,
        entities: list[str],  # noqa: ARG002 - all of them are asked for
        nlp_artifacts: NlpArtifacts | None = None,  # noqa: ARG002 - there is no model
    ) -> list[RecognizerResult]:
        """Return the words of ``text`` that aren't ordinary."""
        words = list(_WORD.finditer(text))
        named = [word[0][0].isupper() and not _begins_sentence(text, word) for word in words]
        found = []
        for place, word in enumerate(words):
            word_id = self._tokenizer.look_up(word[0])
            kind = None if word_id is None else self._list_of.get(word_id)
            # A sentence may begin with a name; then another one often follows.
            follows = word[0][0].isupper() and _is_next_named(text, words, named, place)
            digits = any(map(str.isdigit, word[0]))
            if kind or word_id is None or named[place] or follows or digits:
                found.append(RecognizerResult(kind or _UNUSUAL, word.start(), word.end(), _SURE))
        return found


def _begins_sentence(text: str, word: re.Match[str]) -> bool:
    return _SENTENCE.search(text[: word.start()]) is not None


def _is_next_named(text: str, words: list[re.Match[str]], named: list[bool], place: int) -> bool:
    """Return whether only a space is between a word and a named one."""
    behind = words[place + 1 : place + 2]
    return any(
        named[place + 1] and text[words[place].end() : word.start()] == " " for word in behind
    )


class _NoModel(SpacyNlpEngine):  # type: ignore[misc]
    """spaCy's tokenizer without a model, which would have to be downloaded."""

    def __init__(self) -> None:
        super().__init__(models=[{"lang_code": LANGUAGE, "model_name": "blank"}])
        self.nlp = {LANGUAGE: spacy.blank(LANGUAGE)}

    def load(self) -> None:
        """Load nothing."""
