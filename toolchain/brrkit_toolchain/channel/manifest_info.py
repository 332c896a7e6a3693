"""A manifest's statements about its bundle, as far as it has any.

A reader needs few fields of a manifest. The others describe the build of the bundle. They may be
missing, or invalid.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from brrkit.list_tokenizer import BOTH, EMOJI, STRINGS, WORDS
from brrkit.messages import printable
from brrkit_toolchain.channel.privacy_loss.distances import PairStatistics

STRINGS_ARE = {
    WORDS: "words and phrases",
    EMOJI: "emoji",
    BOTH: "words, phrases and emoji",
    STRINGS: "strings as they are",
}
"""Names of the kinds of lists, for people."""


@dataclass(frozen=True)
class TextInfo:
    """What a manifest states about the text of its bundle's masses and bigrams.

    Attributes:
        name: name of the file.
        least: smallest number of texts with a word or bigram whose count is shown.
        sha256: SHA-256 of the file as given, even if it is compressed.
        tokens: number of occurrences of the words whose counts are shown.
    """

    name: str
    least: int
    sha256: str | None
    tokens: int | None


@dataclass(frozen=True)
class ClassInfo:
    """What a manifest states about a class of a task.

    Attributes:
        name: name of the class; ``low`` or ``high`` for a number.
        bits: number of its own task bits.
        words: the words that these bits distinguish most.
    """

    name: str
    bits: int
    words: tuple[str, ...]


@dataclass(frozen=True)
class TaskInfo:
    """What a manifest states about a task.

    Attributes:
        name: name of the task.
        source: name of the file of labeled texts.
        number: whether labels are numbers, not classes.
        texts: number of labeled texts.
        least: smallest number of these with a word that has task bits.
        classes: the classes, in the order of the file ``tasks.npz``.
    """

    name: str
    source: str
    number: bool
    texts: int
    least: int
    classes: tuple[ClassInfo, ...]


@dataclass(frozen=True)
class ManifestInfo:
    """A manifest's statements; missing ones are None, or not in the dict.

    Attributes:
        source: name of the embeddings.
        format: format of the embeddings.
        dimensions: dimensions of the embeddings, above 0.
        method: name of the method that made the codes.
        seed: seed of this method.
        machine_dependent: whether another machine may make other codes from the same embeddings.
        nn10: share of neighbors kept.
        similarity: correlation of codes and of vectors with human ratings, by set.
        distances: distances by metric, "hamming" and "euclidean".
        ratio: privacy ratio of the averages.
        masses: source of the masses, "ranks", "text" or "counts".
        text: the public text of the masses and bigrams.
        tasks: the tasks that codes learned from public labeled texts.
    """

    source: str | None
    format: str | None
    dimensions: int | None
    method: str | None
    seed: int | None
    machine_dependent: bool
    nn10: float | None
    similarity: dict[str, tuple[float, float]]
    distances: dict[str, PairStatistics]
    ratio: float | None
    masses: str | None
    text: TextInfo | None
    tasks: tuple[TaskInfo, ...]


def manifest_info(manifest: Mapping[str, Any]) -> ManifestInfo:
    """Return what ``manifest`` states; texts are printable."""
    source, method = _object(manifest, "source"), _object(manifest, "method")
    quality, distances = _object(manifest, "quality"), _object(manifest, "distances")
    dimensions = _integer(source, "dimensions")
    base = _object(manifest, "base")
    similarity = {}
    for name, scores in _object(quality, "similarity").items():
        codes, vectors = number(scores, "codes"), number(scores, "float32")
        if codes is not None and vectors is not None:
            similarity[printable(name)] = (codes, vectors)
    return ManifestInfo(
        source=_text(source, "name"),
        format=_text(source, "format"),
        dimensions=dimensions if dimensions and dimensions > 0 else None,
        method=_text(method, "name"),
        seed=_integer(method, "seed"),
        machine_dependent=method.get("machine_dependent") is not False,
        nn10=number(quality, "nn10"),
        similarity=similarity,
        distances={
            metric: stated
            for metric in ("hamming", "euclidean")
            if (stated := _distances(_object(distances, metric))) is not None
        },
        ratio=number(distances, "privacy_ratio_average"),
        masses=_text(base, "masses"),
        text=_text_info(_object(base, "text")),
        tasks=tuple(filter(None, map(_task_info, _objects(manifest, "tasks")))),
    )


def word_of(list_of: str | None) -> str:
    """Return the name of a bundle's entries: "word", or "string" for a list."""
    return "word" if list_of is None else "string"


def bits_shown(manifest: Mapping[str, Any]) -> str:
    """Return the length of a checked bundle's codes: ``64``, or ``64 + 64`` with task bits last."""
    task_bits = manifest.get("task_bits", 0)
    own = manifest["bits"] - task_bits
    return f"{own} + {task_bits}" if task_bits else str(own)


def number(fields: object, name: str) -> float | None:
    """Return a field of ``fields`` that is a finite number, or None."""
    value = fields.get(name) if isinstance(fields, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) <= sys.float_info.max else None


def _distances(fields: dict[str, Any]) -> PairStatistics | None:
    average, maximum = number(fields, "average"), number(fields, "maximum")
    if average is None or maximum is None:
        return None
    error = number(fields, "average_error") or 0.0
    return PairStatistics(average, maximum, fields.get("exact") is True, error)


def _text_info(fields: dict[str, Any]) -> TextInfo | None:
    name, least = _text(fields, "name"), _integer(fields, "least")
    if name is None or least is None or least < 1:
        return None
    return TextInfo(name, least, _text(fields, "sha256"), _integer(fields, "tokens"))


def _task_info(fields: dict[str, Any]) -> TaskInfo | None:
    name, texts, least = _text(fields, "name"), _integer(fields, "texts"), _integer(fields, "least")
    source = _text(_object(fields, "source"), "name")
    if name is None or texts is None or source is None:
        return None
    classes = tuple(filter(None, map(_class_info, _objects(fields, "classes"))))
    return TaskInfo(name, source, fields.get("kind") == "number", texts, least or 1, classes)


def _class_info(fields: dict[str, Any]) -> ClassInfo | None:
    name, bits, words = _text(fields, "name"), fields.get("bits"), fields.get("words")
    if name is None or not isinstance(bits, list) or not isinstance(words, list):
        return None
    shown = (printable(word) for word in words if isinstance(word, str))
    return ClassInfo(name, len(bits), tuple(shown))


def _objects(fields: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    value = fields.get(name)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _object(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def _text(fields: dict[str, Any], name: str) -> str | None:
    value = fields.get(name)
    return printable(value) if isinstance(value, str) else None


def _integer(fields: dict[str, Any], name: str) -> int | None:
    value = fields.get(name)
    return value if type(value) is int and abs(value) < 1 << 64 else None
