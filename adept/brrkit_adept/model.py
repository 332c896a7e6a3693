"""A trained autoencoder: a folder with a manifest, which is opened to rewrite sentences."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from brrkit import strict_json
from brrkit.bundle import FORMAT_VERSION, MANIFEST, manifest_digest
from brrkit.errors import BrrError
from brrkit.randomness import RandomSource
from brrkit.tokenizer import tokenize
from brrkit_adept.clip import vectors_clipped
from brrkit_adept.data import Sentences
from brrkit_adept.decoding import decode
from brrkit_adept.network import Array, Network, Sizes
from brrkit_adept.pretrained import pretrained
from brrkit_adept.quantizer import (
    LARGEST_SIZE,
    MOST_STAGES,
    Quantizer,
    fit_quantizers,
)
from brrkit_adept.release import Release, check_epsilon
from brrkit_adept.sentence_codes import CodeRelease, make_code_release
from brrkit_adept.sentence_vocabulary import SentenceVocabulary, make_vocabulary
from brrkit_adept.settings import SentenceLimits, Settings
from brrkit_adept.train import train
from brrkit_toolchain.bundle.writer import (
    Kind,
    check_output,
    encode_json,
    encode_manifest,
    write_bundle,
)
from brrkit_toolchain.embeddings.reader import Embeddings
from brrkit_toolchain.io.files import open_input

WEIGHTS = "weights.f32"
CODEWORDS = "codewords.f32"
VOCABULARY = "vocabulary.json"
KIND = Kind("model", "brr-adept", frozenset({MANIFEST, WEIGHTS, CODEWORDS, VOCABULARY}))

LARGEST_DIMENSIONS = 1 << 16
"""Of a latent vector."""

_LARGEST_SIZES = {
    "tokens": 1 << 20,
    "embedding": 1 << 12,
    "hidden": 1 << 12,
    "latent": LARGEST_DIMENSIONS,
}
_LARGEST_CODES = {"stages": MOST_STAGES, "words": LARGEST_SIZE, "directions": LARGEST_DIMENSIONS}
_MOST_WORDS = 1 << 10
"""Of a sentence."""

_LARGEST_FILE = 1 << 30
_LARGEST_MANIFEST = 1 << 20

_CLIPPED_QUANTILE = 0.95
"""Of training sentences, within the clip of the other norm."""


class ModelError(BrrError):
    """A model is missing, damaged, or of a format that this version doesn't read."""


@dataclass(frozen=True)
class Model:
    """An autoencoder that rewrites sentences.

    Attributes:
        vocabulary: its labels and words.
        network: its encoder and decoder.
        clips: C by norm, 1 and 2: what latent vectors are clipped to.
        norm: 1 or 2, that it was trained with.
        quantizers: of its latent vectors, by size.
        longest: the most words of a sentence that count, from its first.
    """

    vocabulary: SentenceVocabulary
    network: Network
    clips: Mapping[int, float]
    norm: int
    quantizers: tuple[Quantizer, ...]
    longest: int

    def latents(self, texts: Sequence[str], labels: Sequence[str | None] | None = None) -> Array:
        """Return the latent vectors float32[m, n] of sentences: NOT PRIVATE, and not clipped."""
        given = labels or [None] * len(texts)
        return self.network.encode(
            [
                self.vocabulary.tokens(text, label, self.longest)
                for text, label in zip(texts, given, strict=True)
            ]
        )

    def release(self, epsilon: float) -> CodeRelease:
        """Return the mechanism for this model's latent vectors.

        Args:
            epsilon: between any two sentences.

        Raises:
            ParameterError: epsilon is out of range.
        """
        return make_code_release(check_epsilon(epsilon), self.norm, self.quantizers)

    def rewrite(
        self,
        texts: Sequence[str],
        release: Release,
        labels: Sequence[str | None] | None = None,
        *,
        random: RandomSource = os.urandom,
        beam: int = 1,
        repeat: int = 2,
    ) -> list[tuple[str | None, str]]:
        """Return a label, if the model has labels, and a text for each sentence.

        Args:
            texts: sentences that the model wasn't trained on.
            release: of this model.
            labels: of the texts, for a model with labels; None for one that isn't known.
            random: of the noise; another source only in experiments.
            beam: sentences that the decoder keeps at each step; 1 is greedy.
            repeat: no sequence of this many words comes twice; 0 allows all.
        """
        latents = self.latents(texts, labels)
        return self.decode(release(latents, random), beam=beam, repeat=repeat)

    def decode(
        self, released: Array, *, beam: int = 1, repeat: int = 2
    ) -> list[tuple[str | None, str]]:
        """Return the sentences of released vectors float32[m, n], as ``rewrite`` does."""
        sentences = decode(
            self.network,
            self.vocabulary,
            released,
            longest=self.longest,
            beam=beam,
            repeat=repeat,
        )
        return [self.vocabulary.sentence(sentence) for sentence in sentences]


def make_model(
    sentences: Sentences,
    output: Path,
    settings: Settings,
    limits: SentenceLimits = SentenceLimits(),  # noqa: B008 - frozen
    *,
    embeddings: Embeddings | None = None,
    force: bool = False,
    progress: bool = False,
) -> dict[str, Any]:
    """Train a model and write its folder, which appears at once or not at all.

    Args:
        sentences: what it is trained on: NOT those that are to be rewritten.
        output: the folder.
        settings: of the training.
        limits: of the vocabulary and of a sentence.
        embeddings: whose vectors its words start with; random ones without.
        force: replace a model that is already there.
        progress: show a bar on standard error.

    Returns:
        The manifest.

    Raises:
        BrrError: one of its kinds. Nothing is left behind.
    """
    check_output(output, force=force, kind=KIND)
    least, longest = limits.least_count, limits.longest
    vocabulary = make_vocabulary(sentences.texts, sentences.labels, limits.words, least)
    if not vocabulary.words:
        raise BrrError(
            f"{sentences.name}: no word occurs {least} times; give more text, or take rarer words"
        )
    labels: Sequence[str | None] = sentences.labels or [None] * len(sentences.texts)
    tokens = [
        vocabulary.tokens(text, label, longest)
        for text, label in zip(sentences.texts, labels, strict=True)
    ]
    start = None if embeddings is None else pretrained(vocabulary, embeddings, settings.embedding)
    weights, loss = train(tokens, vocabulary, settings, pretrained=start, progress=progress)
    network = Network(weights)
    sizes = Sizes(vocabulary.size, settings.embedding, settings.hidden, settings.dimensions)
    latents = network.encode(tokens)
    quantizers = fit_quantizers(latents, settings.norm, settings.seed, progress=progress)
    files = {
        WEIGHTS: b"".join(weights[name].astype("<f4").tobytes() for name in sizes.shapes()),
        CODEWORDS: b"".join(
            part.astype("<f4").tobytes() for each in quantizers for part in astuple(each)
        ),
        VOCABULARY: encode_json({"labels": vocabulary.labels, "words": vocabulary.words}),
    }
    clips = _clips(latents, settings.norm)
    fields = {
        "sizes": asdict(sizes),
        "longest": longest,
        "norm": settings.norm,
        "clip": {"l1": clips[1], "l2": clips[2]},
        "codes": [dict(zip(_LARGEST_CODES, each.words.shape, strict=True)) for each in quantizers],
        "trained_on": {
            "name": sentences.name,
            "sha256": sentences.sha256,
            "rows": len(sentences.texts),
        },
        "settings": asdict(settings),
        "embeddings": None if embeddings is None else asdict(embeddings.source),
        "loss": round(loss, 4),
    }
    files = {MANIFEST: encode_manifest(fields, files, KIND), **files}
    write_bundle(output, files, force=force, kind=KIND)
    manifest: dict[str, Any] = json.loads(files[MANIFEST])
    return manifest


def _clips(latents: Array, norm: int) -> dict[int, float]:
    """Return C by norm: 1 for the trained one, and what nearly all vectors have of the other.

    From training sentences, which are public.
    """
    clipped = vectors_clipped(latents, norm)
    other = 3 - norm
    norms = np.linalg.norm(clipped, other, axis=1)
    return {norm: 1.0, other: max(float(np.quantile(norms, _CLIPPED_QUANTILE)), 1e-6)}


def open_model(path: Path) -> tuple[Model, dict[str, Any]]:
    """Open and check a model's folder; return the model and its manifest.

    Raises:
        ModelError: it is missing, damaged, or of an unknown format version.
    """
    text = _read(path, MANIFEST, _LARGEST_MANIFEST)
    manifest = _manifest(path / MANIFEST, text)
    contents = {}
    for name in (WEIGHTS, CODEWORDS, VOCABULARY):
        entry = manifest["files"][name]
        content = _read(path, name, _LARGEST_FILE)
        if len(content) != entry["size"]:
            raise ModelError(
                f"{path / name}: has {len(content):,} bytes where the manifest says "
                f"{entry['size']:,}; copy or train the model again"
            )
        if hashlib.sha256(content).hexdigest() != entry["sha256"]:
            raise ModelError(
                f"{path / name}: changed since it was written (SHA-256); copy or train the model "
                "again"
            )
        contents[name] = content
    sizes = Sizes(**manifest["sizes"])
    vocabulary = _vocabulary(path / VOCABULARY, contents[VOCABULARY], sizes.tokens)
    weights = _weights(path / WEIGHTS, contents[WEIGHTS], sizes)
    quantizers = _quantizers(path / CODEWORDS, contents[CODEWORDS], manifest["codes"], sizes.latent)
    clips = {1: float(manifest["clip"]["l1"]), 2: float(manifest["clip"]["l2"])}
    network, norm = Network(weights), manifest["norm"]
    return Model(vocabulary, network, clips, norm, quantizers, manifest["longest"]), manifest


def _read(folder: Path, name: str, limit: int) -> bytes:
    path = folder / name
    try:
        if not folder.is_dir():
            raise ModelError(f"{folder}: not a model; make one with 'brr adept train'")
        with open_input(path, limit) as file:
            return file.read(limit)
    except OSError as error:
        raise ModelError(
            f"{path}: can't be read ({error.strerror}); copy or train the model again"
        ) from None


def _manifest(path: Path, text: bytes) -> dict[str, Any]:
    def check(valid: bool, field: str) -> None:
        if not valid:
            raise ModelError(
                f"{path}: field '{field}' is missing or wrong; copy or train the model again"
            )

    try:
        manifest = strict_json.parse(text)
    except ValueError:
        manifest = None
    if not isinstance(manifest, dict):
        raise ModelError(f"{path}: not a manifest (a JSON object); copy or train the model again")
    check(manifest.get("format") == KIND.format, "format")
    version = manifest.get("format_version")
    if version != FORMAT_VERSION:
        raise ModelError(
            f"{path}: format version {version} is unknown (this brrkit reads {FORMAT_VERSION}); "
            "update brrkit or train the model again"
        )
    digest = str(manifest.get("sha256"))
    check(len(digest) == 64, "sha256")
    if manifest_digest(text, digest) != digest:
        raise ModelError(
            f"{path}: changed since it was written (SHA-256); copy or train the model again"
        )
    sizes, clip, files = (_fields(manifest, name) for name in ("sizes", "clip", "files"))
    check(set(sizes) == set(_LARGEST_SIZES), "sizes")
    for name, largest in _LARGEST_SIZES.items():
        check(type(sizes[name]) is int and 1 <= sizes[name] <= largest, f"sizes.{name}")
    for name in ("l1", "l2"):
        value = clip.get(name)
        check(isinstance(value, float) and 0 < value < math.inf, f"clip.{name}")
    check(type(manifest.get("norm")) is int and manifest["norm"] in (1, 2), "norm")
    codes = manifest.get("codes")
    check(isinstance(codes, list) and bool(codes), "codes")
    for each in manifest["codes"]:
        check(isinstance(each, dict) and set(each) == set(_LARGEST_CODES), "codes")
        for name, largest in _LARGEST_CODES.items():
            least = 2 if name == "words" else 1
            check(type(each[name]) is int and least <= each[name] <= largest, f"codes.{name}")
        check(each["directions"] <= sizes["latent"], "codes.directions")
    longest = manifest.get("longest")
    check(type(longest) is int and 1 <= longest <= _MOST_WORDS, "longest")
    for name in (WEIGHTS, CODEWORDS, VOCABULARY):
        entry = _fields(files, name)
        check(type(entry.get("size")) is int and isinstance(entry.get("sha256"), str), name)
    return manifest


def _fields(value: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _vocabulary(path: Path, content: bytes, size: int) -> SentenceVocabulary:
    try:
        lists = strict_json.parse(content)
        vocabulary = SentenceVocabulary(tuple(lists["labels"]), tuple(lists["words"]))
        valid = (
            vocabulary.size == size
            and all(isinstance(item, str) for item in (*vocabulary.labels, *vocabulary.words))
            and all(label and label.isprintable() for label in vocabulary.labels)
            and all(tokenize(word) == [word] for word in vocabulary.words)
            and len(set(vocabulary.words)) == len(vocabulary.words) > 0
        )
    except (ValueError, KeyError, TypeError):
        valid = False
    if not valid:
        raise ModelError(f"{path}: not the model's vocabulary; copy or train the model again")
    return vocabulary


def _weights(path: Path, content: bytes, sizes: Sizes) -> dict[str, Array]:
    shapes = sizes.shapes()
    return dict(zip(shapes, _arrays(path, content, list(shapes.values())), strict=True))


def _quantizers(
    path: Path, content: bytes, codes: Sequence[Mapping[str, int]], latent: int
) -> tuple[Quantizer, ...]:
    shapes: list[tuple[int, ...]] = []
    for each in codes:
        stages, words, directions = (each[name] for name in _LARGEST_CODES)
        shapes += [
            (latent,),
            (stages, latent, directions),
            (stages, words, directions),
            (stages, words),
        ]
    arrays = _arrays(path, content, shapes)
    found = [Quantizer(*arrays[i : i + 4]) for i in range(0, len(arrays), 4)]
    if any((each.shares < 0).any() or (each.shares > 1).any() for each in found):
        raise ModelError(f"{path}: has shares beyond 0 to 1; train the model again")
    return tuple(found)


def _arrays(path: Path, content: bytes, shapes: Sequence[tuple[int, ...]]) -> list[Array]:
    if len(content) != 4 * sum(map(math.prod, shapes)):
        raise ModelError(
            f"{path}: not of the sizes that the manifest gives; copy or train the model again"
        )
    values = np.frombuffer(content, "<f4").astype(np.float32)
    if not np.isfinite(values).all():
        raise ModelError(f"{path}: has numbers that are NaN or infinite; train the model again")
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    parts = np.split(values, ends[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
