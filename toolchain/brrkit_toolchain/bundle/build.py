"""Build a bundle from pretrained embeddings, stage by stage."""

from __future__ import annotations

import hashlib
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.bundle import BITS, INDEX, MANIFEST, PARITY, RANDOMIZER, read_manifest
from brrkit.errors import ParameterError
from brrkit.policy import PROBABILITIES, Policy
from brrkit.tokenizer import Tokenizer
from brrkit.writing import ENGLISH, Writing
from brrkit_toolchain.bundle.fill import write_filled
from brrkit_toolchain.bundle.parity import golden_cases
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.bundle.writer import (
    check_output,
    encode_index,
    encode_json,
    encode_manifest,
    write_bundle,
)
from brrkit_toolchain.bundle.written import Written, written
from brrkit_toolchain.channel.privacy_loss.distances import measure_distances
from brrkit_toolchain.codes import PORTABLE, Codes, check_method, make_codes
from brrkit_toolchain.codes.graph import read_randomizer
from brrkit_toolchain.embeddings import Embeddings, read_embeddings, sample_path
from brrkit_toolchain.language.cut_words import cut_words
from brrkit_toolchain.language.filled import FilledVectors
from brrkit_toolchain.language.learn import learn_language
from brrkit_toolchain.language.model import LanguageModel
from brrkit_toolchain.lists.choose import (
    policy_fields,
    policy_of,
    policy_source,
    with_inflections,
)
from brrkit_toolchain.lists.files import read_list_files
from brrkit_toolchain.lists.one_code import with_one_code
from brrkit_toolchain.tasks import TASK_BITS, TASKS
from brrkit_toolchain.tasks.learn import TaskBits, learn_tasks
from brrkit_toolchain.utility.curves import measure_attacks, measure_utility
from brrkit_toolchain.utility.neighbors import (
    WordPairs,
    find_word_pairs,
    measure_quality,
    read_word_pairs,
)


@dataclass(frozen=True)
class BuildResult:
    """The result of a build.

    Attributes:
        output: the bundle's directory.
        manifest: its parsed manifest: ``spec/bundle-format.md``.
        sizes: size of each file in bytes, by name.
        skipped: number of the embeddings' rows that were left out, by reason.
        leading_nowhere: number of given spellings that were left out, because the vocabulary lacks
            their word.
        filled: quality of the vectors made for words without one; None if none were made.
        stages: wall-clock seconds of each stage, in order.
    """

    output: Path
    manifest: dict[str, Any]
    sizes: dict[str, int]
    skipped: dict[str, int]
    leading_nowhere: int
    filled: FilledVectors | None
    stages: dict[str, float]


@dataclass(frozen=True)
class _Language:
    """The cutting of texts into a vocabulary's words, and the words' frequencies.

    Attributes:
        tokenizer: the tokenizer.
        model: the masses and bigrams.
        base: their source, as the manifest states it.
        leading_nowhere: number of given spellings without a word in the vocabulary.
    """

    tokenizer: Tokenizer
    model: LanguageModel
    base: dict[str, Any]
    leading_nowhere: int


@dataclass(frozen=True)
class _Learned:
    """The data that a build has learned about a vocabulary.

    Attributes:
        source: the words and their vectors.
        language: cutting and frequencies of the words.
        codes: codes of the words, without task bits; all words of a list have one code.
        tasks: the words' task bits, if there are tasks; equal for all words of a list.
        policy: the lists of secret words, and the passing words.
    """

    source: Embeddings
    language: _Language
    codes: Codes
    tasks: TaskBits | None
    policy: Policy

    @property
    def task_bits(self) -> int:
        """The number of task bits, the last bits of a code."""
        return 0 if self.tasks is None else TASK_BITS

    @cached_property
    def packed(self) -> NDArray[np.uint64]:
        """The codes uint64[n, bits / 64] with task bits."""
        own = self.codes.packed
        return own if self.tasks is None else np.hstack([own, self.tasks.packed])

    @property
    def writing(self) -> dict[str, Any]:
        """The manifest's object ``writing``, if it has one."""
        writing = self.language.tokenizer.writing
        return {} if writing == ENGLISH else {"writing": writing.to_json()}


def build_bundle(
    embeddings: str | os.PathLike[str] | None,
    output: str | os.PathLike[str],
    plan: BuildPlan = BuildPlan(),  # noqa: B008 - frozen
    *,
    force: bool = False,
    progress: bool = False,
) -> BuildResult:
    """Build a bundle from pretrained embeddings.

    The same input, seed and version of brrkit give the same ``index.safetensors`` on every
    machine, unless the manifest says that the method depends on the machine. Measured numbers in
    the manifest may differ in their last digits.

    Args:
        embeddings: a file in GloVe's text format, word2vec's text or binary format or FastText's
            ``.vec`` or ``.bin`` format, plain or compressed (gzip, xz, zip); or
            ``archive.zip:member``; or the name of a gensim data set, such as
            ``glove-wiki-gigaword-300``. None: the sample that comes with brrkit.
        output: directory to write; appears at once or not at all.
        plan: all other inputs and parameters.
        force: replace a bundle that is already there.
        progress: show bars on standard error, if that is a terminal.

    Raises:
        EmbeddingsError: the embeddings can't be used.
        ParameterError: a field of the plan is out of range, or a list of words, a text, labeled
            texts or a language can't be used.
        OutputError: the output exists and isn't a bundle to replace, or it can't be written. After
            any of these errors, no partial output remains.
    """
    embeddings = sample_path() if embeddings is None else embeddings
    _check_plan(plan)
    output = Path(output)
    check_output(output, force=force)

    stages: dict[str, float] = {}
    how, filled = written(embeddings, plan), None
    skipped: Counter[str] = Counter()
    if plan.fill_vectors is not None:
        with _timed(stages, "vectors"):
            filled, left_out = write_filled(embeddings, how, plan, progress)
        skipped.update(left_out)
        embeddings = plan.fill_vectors
    source, language, pairs = _read(embeddings, how, plan, stages, progress)
    skipped.update(source.skipped)
    listed = read_list_files(plan.secret, how.writing, first=plan.first)
    policy = policy_of(
        listed, plan.passing, plan.pass_probability, language.tokenizer, language.model.masses
    )
    tasks = None
    if plan.tasks:
        with _timed(stages, "tasks"):
            tasks = learn_tasks(plan.tasks, language.tokenizer, least=plan.least, progress=progress)
    with _timed(stages, "codes"):
        codes = make_codes(
            source.vectors,
            bits=plan.bits,
            method=plan.method,
            effort=plan.effort,
            seed=plan.seed,
            progress=progress,
        )
    with _timed(stages, "policy"):
        learned = _with_policy(_Learned(source, language, codes, tasks, policy))
    # Golden cases take one core, and measurements share the others.
    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(_files, learned, plan.seed)
        measured = _measure(learned, pairs, plan, stages, progress)
        with _timed(stages, "bundle"):
            files = made.result()
            fields = _fields(learned, plan, policy_source(listed, plan.passing)) | measured
            files = {MANIFEST: encode_manifest(fields, files), **files}
            write_bundle(output, files, force=force)
    return BuildResult(
        output=output,
        manifest=read_manifest(output),
        sizes={name: len(content) for name, content in files.items()},
        skipped=dict(skipped),
        leading_nowhere=language.leading_nowhere,
        filled=None if filled is None else filled.judged,
        stages=stages,
    )


def _check_plan(plan: BuildPlan) -> None:
    check_method(plan.method, plan.bits, plan.effort)
    if plan.tasks and plan.bits + TASK_BITS not in BITS:
        raise ParameterError(
            f"bits: {plan.bits} and {TASK_BITS} for tasks are more than {BITS[-1]}; use fewer bits"
        )
    if plan.fill_vectors is not None and plan.text is None:
        raise ParameterError("fill_vectors uses the words of a text; give the text")
    if plan.first and not plan.secret:
        raise ParameterError("first: only for secret lists; give secret, or leave out first")
    if not PROBABILITIES[0] <= plan.pass_probability <= PROBABILITIES[1]:
        raise ParameterError(
            f"pass_probability must be from {PROBABILITIES[0]} to {PROBABILITIES[1]}, not "
            f"{plan.pass_probability!r}"
        )
    if plan.least < 1:
        raise ParameterError(f"least must be at least 1, not {plan.least!r}")
    if not 0 <= plan.seed < 2**32:
        raise ParameterError(f"seed must be from 0 to 2^32 - 1, not {plan.seed!r}")


def _read(
    embeddings: str | os.PathLike[str],
    how: Written,
    plan: BuildPlan,
    stages: dict[str, float],
    progress: bool,
) -> tuple[Embeddings, _Language, WordPairs]:
    """Return the vocabulary with its vectors, its language, and rated pairs of its words."""
    with _timed(stages, "embeddings"):
        writing, spellings = how.writing, how.spellings

        @lru_cache(maxsize=1)  # without cuts, the words stay the same
        def language_of(words: tuple[str, ...]) -> _Language:
            tokenizer = how.with_numbers(how.tokenizer(words), plan, progress)
            model, base = learn_language(
                tokenizer,
                text=plan.text,
                column=plan.column,
                least=plan.least,
                digest=plan.text_digest,
                progress=progress,
            )
            nowhere = len(spellings.keys() - tokenizer.writing.word_of.keys())
            return _Language(tokenizer, model, base, nowhere)

        def cut(words: Sequence[str]) -> list[str]:
            language = language_of(tuple(words))
            return cut_words(replace(language.tokenizer, masses=language.model.masses))

        pairs = _word_pairs(plan.word_pairs, embeddings, writing)
        source = read_embeddings(
            embeddings,
            vocabulary_size=plan.vocabulary_size,
            word_list=plan.word_list,
            without=how.without,
            cut=cut if writing.unspaced else None,
            writing=writing,
            progress=progress,
        )
    with _timed(stages, "language"):
        return source, language_of(source.words), pairs


def _word_pairs(
    folder: str | os.PathLike[str] | None, embeddings: str | os.PathLike[str], writing: Writing
) -> WordPairs:
    """Return the rated pairs of words in a folder; those near ``embeddings`` are English."""
    if folder is None and writing.language == ENGLISH.language:
        folder = find_word_pairs(os.fspath(embeddings))
    return read_word_pairs(Path(folder), writing) if folder else {}


def _with_policy(learned: _Learned) -> _Learned:
    """Return ``learned`` with inflected forms on the lists, and one code for each list."""
    if not learned.policy.lists:
        return learned
    policy = with_inflections(learned.policy, learned.language.tokenizer, learned.packed)
    codes, tasks = learned.codes, learned.tasks
    return replace(
        learned,
        codes=replace(codes, packed=with_one_code(codes.packed, policy.lists)),
        tasks=tasks and replace(tasks, packed=with_one_code(tasks.packed, policy.lists)),
        policy=policy,
    )


def _measure(
    learned: _Learned,
    pairs: WordPairs,
    plan: BuildPlan,
    stages: dict[str, float],
    progress: bool,
) -> dict[str, Any]:
    """Return the manifest's measurements of the codes: utility and distances."""
    source, packed, task_bits, seed = learned.source, learned.packed, learned.task_bits, plan.seed
    with _timed(stages, "quality"):
        quality = measure_quality(
            source.words, source.vectors, learned.codes.packed, pairs, seed=seed
        )
    with _timed(stages, "distances"):
        distances = measure_distances(source.vectors, packed, seed=seed, progress=progress)
    with _timed(stages, "utility"):
        utility = measure_utility(
            source.vectors, packed, distances, task_bits=task_bits, seed=seed, progress=progress
        )
    with _timed(stages, "attacks"):
        attacks = measure_attacks(
            packed, distances, task_bits=task_bits, seed=seed, progress=progress
        )
    return {
        "quality": asdict(quality),
        "distances": asdict(distances),
        "utility": asdict(utility),
        "attack": asdict(attacks),
    }


def _files(learned: _Learned, seed: int) -> dict[str, bytes]:
    """Return the content of each file except the manifest."""
    words, model, packed = learned.source.words, learned.language.model, learned.packed
    index = encode_index(words, packed, model)
    unit = hashlib.sha256(index).hexdigest()
    described = {
        "task_bits": learned.task_bits,
        **learned.writing,
        **policy_fields(learned.policy),
    }
    cases = golden_cases(words, packed, model, seed, unit, described)
    files = {
        INDEX: index,
        RANDOMIZER: read_randomizer(64 * packed.shape[1]),
        PARITY: encode_json(cases),
    }
    if learned.tasks is not None:
        files[TASKS] = learned.tasks.held_out
    return files


def _fields(learned: _Learned, plan: BuildPlan, of_policy: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest's fields about the bundle's sources and its build."""
    source, codes, tasks = learned.source, learned.codes, learned.tasks
    of_tasks = {} if tasks is None else {"task_bits": TASK_BITS, "tasks": tasks.described}
    return {
        "bits": 64 * learned.packed.shape[1],
        **of_tasks,
        **learned.writing,
        **policy_fields(learned.policy),
        "vocabulary_size": len(source.words),
        "bigrams": len(learned.language.model.gains),
        "source": {
            **asdict(source.source),
            "format": source.format,
            "dimensions": source.vectors.shape[1],
            "word_list": any(
                given is not None for given in (plan.word_list, plan.exclude, plan.spellings)
            ),
            **of_policy,
        },
        "base": learned.language.base,
        "method": {
            "name": codes.method,
            "effort": codes.effort,
            "seed": plan.seed,
            "settings": codes.settings,
            "version": version("brrkit"),
            "machine_dependent": codes.method not in PORTABLE,
        },
    }


@contextmanager
def _timed(stages: dict[str, float], name: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    stages[name] = time.perf_counter() - start
