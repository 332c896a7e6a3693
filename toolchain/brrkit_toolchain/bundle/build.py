"""From pretrained embeddings to a bundle, one stage after the other."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from brrkit.bundle import BITS, INDEX, MANIFEST, PARITY, RANDOMIZER, read_manifest
from brrkit.errors import ParameterError
from brrkit.tokenizer import Tokenizer
from brrkit.writing import ENGLISH, Writing
from brrkit_toolchain.bundle.parity import golden_cases
from brrkit_toolchain.bundle.writer import (
    check_output,
    encode_index,
    encode_json,
    encode_manifest,
    write_bundle,
)
from brrkit_toolchain.channel.privacy_loss.distances import measure_distances
from brrkit_toolchain.codes import PORTABLE, check_method, make_codes
from brrkit_toolchain.codes.graph import read_randomizer
from brrkit_toolchain.defaults import DEFAULT_BITS, DEFAULT_EFFORT, DEFAULT_METHOD
from brrkit_toolchain.embeddings import first_words, read_embeddings, sample_path
from brrkit_toolchain.language.cut_words import cut_words
from brrkit_toolchain.language.learn import learn_language
from brrkit_toolchain.language.lexicon import tokenizer_of
from brrkit_toolchain.language.model import LEAST, LanguageModel
from brrkit_toolchain.tasks import TASK_BITS, TASKS
from brrkit_toolchain.tasks.labelled import Task
from brrkit_toolchain.tasks.learn import learn_tasks
from brrkit_toolchain.utility.curves import measure_attacks, measure_utility
from brrkit_toolchain.utility.neighbors import (
    WordPairs,
    find_word_pairs,
    measure_quality,
    read_word_pairs,
)
from brrkit_toolchain.writing.known import FIRST, found_writing, given_writing, with_words


@dataclass(frozen=True)
class BuildResult:
    """What a build made.

    Attributes:
        output: the bundle's directory.
        manifest: its parsed manifest, as ``spec/bundle-format.md`` describes it.
        sizes: bytes of each file, by name.
        skipped: number of rows of the embeddings that were left out, by reason.
        stages: wall-clock seconds of each stage, in order.
    """

    output: Path
    manifest: dict[str, Any]
    sizes: dict[str, int]
    skipped: dict[str, int]
    stages: dict[str, float]


def build_bundle(
    embeddings: str | os.PathLike[str] | None,
    output: str | os.PathLike[str],
    *,
    bits: int = DEFAULT_BITS,
    method: str = DEFAULT_METHOD,
    effort: str = DEFAULT_EFFORT,
    vocabulary_size: int | None = None,
    word_list: str | os.PathLike[str] | None = None,
    exclude: str | os.PathLike[str] | None = None,
    written_in: str | os.PathLike[str] | None = None,
    text: str | os.PathLike[str] | None = None,
    column: str | None = None,
    least: int = LEAST,
    text_digest: bool = True,
    tasks: Sequence[Task] = (),
    word_pairs: str | os.PathLike[str] | None = None,
    seed: int = 0,
    force: bool = False,
    progress: bool = False,
) -> BuildResult:
    """Build a bundle from pretrained embeddings.

    The same input, seed and version of brrkit give the same ``index.safetensors`` on every
    machine, unless the manifest says that the method depends on it. What the manifest measured may
    differ in its last digits.

    Args:
        embeddings: a file in GloVe's text format, word2vec's text or binary format or FastText's
            ``.vec`` or ``.bin`` format, plain or compressed (gzip, xz, zip); or
            ``archive.zip:member``; or the name of a gensim data set, as
            ``glove-wiki-gigaword-300``. None for the sample that comes with brrkit.
        output: directory to write; appears at once or not at all.
        bits: length of a code without task bits, a multiple of 64 from 64 to 512; with tasks to
            448.
        method: how words get their codes: a name from ``brr build --help``.
        effort: how long to train the codes: ``low``, ``medium`` or ``high``.
        vocabulary_size: keep the first so many usable words, at least 2.
        word_list: file with the words to keep, one a line.
        exclude: file with words, one a line, that the vocabulary shall not have: they are never
            released, and typed, they are unknown words.
        written_in: the vocabulary's language, as "fr", by which texts are cut and words are found;
            or a .json file with the manifest's object ``writing``, for a language that isn't
            covered. By default, it is found by the vocabulary's most frequent words.
        text: PUBLIC text like what users will type, a file as ``read_texts`` takes it. How often
            its frequent words and bigrams occur becomes part of the bundle. Without it words are
            taken to be in the order of their frequency, as embedding files are.
        column: of ``text``, that holds the texts; not for a text file.
        least: how many lines or rows of ``text`` have a word or bigram whose count the bundle
            shows, at least; and how many texts of a task a word that it gives task bits. Of rarer
            ones it shows nothing. Somebody who has several texts counts several times, and what
            is shown is exact: it isn't differential privacy.
        text_digest: whether the manifest has the SHA-256 of ``text`` and its number of words. Who
            guesses the text knows by them that they are right.
        tasks: PUBLIC labelled texts: what released text is for. Words that say different things of
            their labels get 64 task bits that differ, beside their codes; some of the texts become
            part of the bundle, in a file that isn't shipped.
        word_pairs: folder with word similarity judgements (``word word score``), to measure the
            codes with; by default, of English words, a folder ``wordsim`` near the embeddings, if
            there is one.
        seed: of the codes, the samples and the golden cases.
        force: replace a bundle that is already there.
        progress: show bars on standard error, where that is a terminal.

    Raises:
        EmbeddingsError: the embeddings can't be used.
        ParameterError: a parameter is out of range, or a list of words, a text, labelled texts or
            a language can't be used.
        OutputError: there is something else in the output's place, or it can't be written. Nothing
            is left behind, here or above.
    """
    embeddings = sample_path() if embeddings is None else embeddings
    check_method(method, bits, effort)
    if tasks and bits + TASK_BITS not in BITS:
        raise ParameterError(
            f"bits: {bits} and {TASK_BITS} for tasks are more than {BITS[-1]}; take fewer bits"
        )
    if least < 1:
        raise ParameterError(f"least must be at least 1, not {least!r}")
    if not 0 <= seed < 2**32:
        raise ParameterError(f"seed must be from 0 to 2^32 - 1, not {seed!r}")
    output = Path(output)
    check_output(output, force=force)

    stages: dict[str, float] = {}
    with _timed(stages, "embeddings"):
        given = None if written_in is None else given_writing(written_in)
        writing = given or found_writing(first_words(embeddings, FIRST))
        learned_from = partial(
            learn_language,
            text=text,
            column=column,
            least=least,
            digest=text_digest,
            progress=progress,
        )
        language_of = lru_cache(maxsize=1)(partial(_language_of, writing, learned_from))
        pairs = _pairs(word_pairs, embeddings, writing)
        source = read_embeddings(
            embeddings,
            vocabulary_size=vocabulary_size,
            word_list=word_list,
            exclude=exclude,
            cut=partial(_cut, language_of) if writing.unspaced else None,
            writing=writing,
            progress=progress,
        )
    with _timed(stages, "language"):
        tokenizer, language, base = language_of(source.words)
        writing = tokenizer.writing
    learned = None
    if tasks:
        with _timed(stages, "tasks"):
            learned = learn_tasks(tasks, tokenizer, least=least, progress=progress)
    with _timed(stages, "codes"):
        codes = make_codes(
            source.vectors, bits=bits, method=method, effort=effort, seed=seed, progress=progress
        )
    task_bits = 0 if learned is None else TASK_BITS
    packed = codes.packed if learned is None else np.hstack([codes.packed, learned.packed])
    with _timed(stages, "quality"):
        quality = measure_quality(source.words, source.vectors, codes.packed, pairs, seed=seed)
    with _timed(stages, "distances"):
        distances = measure_distances(
            source.vectors, packed, quick=effort == "low", seed=seed, progress=progress
        )
    with _timed(stages, "utility"):
        utility = measure_utility(
            source.vectors, packed, distances, task_bits=task_bits, seed=seed, progress=progress
        )
    with _timed(stages, "attacks"):
        attacks = measure_attacks(
            packed, distances, task_bits=task_bits, seed=seed, progress=progress
        )
    described: dict[str, Any] = {} if writing == ENGLISH else {"writing": writing.to_json()}
    with _timed(stages, "bundle"):
        index = encode_index(source.words, packed, language)
        unit = hashlib.sha256(index).hexdigest()
        files = {
            INDEX: index,
            RANDOMIZER: read_randomizer(64 * packed.shape[1]),
            PARITY: encode_json(
                golden_cases(
                    source.words,
                    packed,
                    language,
                    seed,
                    unit,
                    task_bits,
                    described.get("writing"),
                )
            ),
        }
        of_tasks: dict[str, Any] = {}
        if learned is not None:
            files[TASKS] = learned.held_out
            of_tasks = {"task_bits": task_bits, "tasks": learned.described}
        fields = {
            "bits": 64 * packed.shape[1],
            **of_tasks,
            **described,
            "vocabulary_size": len(source.words),
            "bigrams": len(language.gains),
            "source": {
                **asdict(source.source),
                "format": source.format,
                "dimensions": source.vectors.shape[1],
                "word_list": word_list is not None or exclude is not None,
            },
            "base": base,
            "method": {
                "name": codes.method,
                "effort": codes.effort,
                "seed": seed,
                "settings": codes.settings,
                "version": version("brrkit"),
                "machine_dependent": codes.method not in PORTABLE,
            },
            "quality": asdict(quality),
            "distances": asdict(distances),
            "utility": asdict(utility),
            "attack": asdict(attacks),
        }
        files = {MANIFEST: encode_manifest(fields, files), **files}
        write_bundle(output, files, force=force)
    return BuildResult(
        output=output,
        manifest=read_manifest(output),
        sizes={name: len(content) for name, content in files.items()},
        skipped=dict(source.skipped),
        stages=stages,
    )


_Language = tuple[Tokenizer, LanguageModel, dict[str, Any]]


def _language_of(writing: Writing, learned: Callable[..., Any], words: Sequence[str]) -> _Language:
    """Return what cuts public texts into ``words``, how often each is typed, and by what."""
    tokenizer = tokenizer_of(words, with_words(writing, words))
    language, base = learned(tokenizer)
    return tokenizer, language, base


def _cut(language_of: Callable[..., _Language], words: Sequence[str]) -> list[str]:
    """Return the words that the bundle's tokenizer would cut into others."""
    tokenizer, language, _ = language_of(tuple(words))
    return cut_words(replace(tokenizer, masses=language.masses))


@contextmanager
def _timed(stages: dict[str, float], name: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    stages[name] = time.perf_counter() - start


def _pairs(
    folder: str | os.PathLike[str] | None, embeddings: str | os.PathLike[str], writing: Writing
) -> WordPairs:
    """Return the judged pairs of words in a folder; those near ``embeddings`` are English."""
    if folder is None and writing == ENGLISH:
        folder = find_word_pairs(os.fspath(embeddings))
    return read_word_pairs(Path(folder), writing) if folder else {}
