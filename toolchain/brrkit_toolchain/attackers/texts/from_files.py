"""``brr measure --text``: attack success on a text, at one setting of a mechanism."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from brrkit import ParameterError, WordBundle
from brrkit.bundle import check_codes
from brrkit.setting import Setting
from brrkit_toolchain.attackers.texts.knowledge import (
    Knowledge,
    learn_knowledge,
    shares_of_forms,
    split_texts,
)
from brrkit_toolchain.attackers.texts.text_attack import LONGEST, TOKENS, TextAttack, attack_text
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.in_force import setting_in_force
from brrkit_toolchain.channel.manifest_info import manifest_info
from brrkit_toolchain.embeddings import Embeddings
from brrkit_toolchain.embeddings.of_bundle import given_vectors
from brrkit_toolchain.language.texts import TextIds, TypedText, ids_of, read_texts

LEAST_TYPED = 500
LEAST_LANGUAGE = 5_000
"""Smallest number of words in typed and in public texts."""

_FEWEST_TEXTS = 4


@dataclass(frozen=True)
class TextFiles:
    """Files to measure attackers of texts with.

    Attributes:
        text: file of texts like those that users type; some are drawn and released.
        public_text: file of public texts from which attackers also learn the language. They always
            learn it from the bundle, and from the texts of ``text`` that they don't attack.
        column: column of the texts, if the files are tables.
    """

    text: str | os.PathLike[str]
    public_text: str | os.PathLike[str] | None = None
    column: str | None = None

    @classmethod
    def of(cls, text: str | os.PathLike[str] | TextFiles) -> TextFiles:
        """Return ``text`` itself, or a ``TextFiles`` with only this file."""
        return text if isinstance(text, TextFiles) else cls(text)


def measure_text(
    bundle: WordBundle,
    text: str | os.PathLike[str] | TextFiles,
    setting: Setting | None = None,
    *,
    embeddings: str | os.PathLike[str] | Embeddings | None = None,
    tokens: int = TOKENS,
    seed: int = 0,
    progress: bool = False,
) -> TextAttack:
    """Measure the attack success on the words of a text, at one setting.

    Args:
        bundle: an opened bundle.
        text: file of texts like those that users type; some are drawn and released. Use a
            ``TextFiles`` for a table, or if attackers also have public texts.
        setting: a setting, as for ``measure_words``.
        embeddings: embeddings, as for ``measure_words``; also for the cosine.
        tokens: approximate number of released words.
        seed: seed of the drawn texts, and of the releases.
        progress: show bars on standard error, if that is a terminal.

    Raises:
        ParameterError: as for ``measure_words``; or a file can't be read, is too short, or is in
            another language.
        BundleError: the manifest doesn't state the bundle's embeddings.
        EmbeddingsError: the embeddings can't be read.
    """
    setting = setting_in_force(bundle, setting)
    vectors = given_vectors(bundle, embeddings, progress)
    release, evidence = Channel(bundle, setting, vectors).release_and_evidence(
        np.random.default_rng(seed)
    )
    chosen, knows = read_text_and_language(
        bundle, TextFiles.of(text), tokens=tokens, seed=seed, progress=progress
    )
    return attack_text(
        chosen, knows, evidence, release, vectors=vectors, seed=seed, progress=progress
    )


def read_text_and_language(
    bundle: WordBundle, files: TextFiles, *, tokens: int, seed: int, progress: bool
) -> tuple[list[TypedText], Knowledge]:
    """Return texts to release, and the attackers' knowledge of their language.

    Arguments and errors are those of ``measure_text``.
    """
    check_codes(bundle)

    def read(name: str | os.PathLike[str], least: int) -> list[TypedText]:
        convert = TextIds(bundle.tokenizer)
        found = ids_of(read_texts(Path(name), files.column, progress=progress), convert)
        if convert.coverage.tokens < least:
            raise ParameterError(
                f"{name}: has {convert.coverage.tokens:,} words; give at least {least:,}"
            )
        convert.coverage.refuse(name, bundle.writing)
        return found

    texts = read(files.text, LEAST_TYPED)
    if len(texts) < _FEWEST_TEXTS:
        raise ParameterError(
            f"{files.text}: has {len(texts)} texts; give at least {_FEWEST_TEXTS}, one per line"
        )
    public: list[TypedText] = []
    if files.public_text is not None:
        public = read(files.public_text, LEAST_LANGUAGE)
    attacked, own = split_texts(texts, tokens, LONGEST, seed)
    base = manifest_info(bundle.manifest).text
    knows = learn_knowledge(
        bundle.masses,
        [text.ids for text in own],
        [text.ids for text in public],
        seed,
        bundle_tokens=0 if base is None else base.tokens or 0,
    )
    forms = shares_of_forms([*own, *public], len(bundle))
    return attacked, replace(knows, forms=forms)
