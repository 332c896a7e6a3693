"""``brr verify``: named checks of a bundle, for CI."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from brrkit import BrrError, BundleError, ParameterError, WordBundle
from brrkit.policy import NO_POLICY
from brrkit.randomness import RandomSource
from brrkit.writing import ENGLISH
from brrkit_toolchain.bundle.sources import BundleSources
from brrkit_toolchain.bundle.verify import checks, golden, printed, proven, source_checks
from brrkit_toolchain.bundle.verify.outcome import Check, CheckError, Verification
from brrkit_toolchain.embeddings.of_bundle import read_source
from brrkit_toolchain.language.learn import text_digest

__all__ = ["Check", "Verification", "verify_bundle"]


@dataclass(frozen=True)
class _Proofs:
    """The wanted checks of the proofs: the program, and the printed tables."""

    checker: Path
    tables: Sequence[Path]

    def checks(self, bundle: WordBundle) -> Iterator[Check]:
        if bundle.recommended is None and bundle.counts is None:
            yield Check("proof", False, "the bundle recommends no setting; calibrate it first", 0.0)
        else:
            yield _run("proof checker", lambda: proven.made_of(self.checker))
        if bundle.recommended is not None:
            yield _run("proof for text", lambda: proven.text(bundle, self.checker))
            yield _run("proof for text, second", lambda: proven.second_text(bundle, self.checker))
            if bundle.recommended.certificate is not None:
                certificate = partial(proven.certificate, bundle, self.checker)
                yield _run("proof of certificate", certificate)
        if bundle.counts is not None:
            yield _run("proof for counts", lambda: proven.counts(bundle, self.checker))
            second = partial(proven.second_counts, bundle, self.checker)
            yield _run("proof for counts, second", second)
        for file in self.tables:
            yield _run(f"tables {file.name}", partial(printed.tables, bundle, self.checker, file))


def verify_bundle(
    path: str | os.PathLike[str],
    sources: BundleSources = BundleSources(),  # noqa: B008 - frozen
    *,
    proof: bool = False,
    tables: Sequence[str | os.PathLike[str]] = (),
    random: RandomSource = os.urandom,
    progress: bool = False,
    on_check: Callable[[Check], None] | None = None,
) -> Verification:
    """Run every check. A damaged file ends the checks.

    Args:
        path: the bundle's directory.
        sources: the bundle's sources, to build it again.
        proof: check that the recommended settings meet the premises of the machine-checked
            theorems: ``proofs/README.md``.
        tables: files with the output of ``brrkit.tables_of``, or of another runtime: check that
            they belong to the bundle, and meet the premises. Only with ``proof``.
        random: function that returns the given number of random bytes; the flip-rate check tests
            it.
        progress: show bars on standard error, if that is a terminal.
        on_check: called with the outcome of each check as soon as it is known.

    Raises:
        EmbeddingsError: the embeddings can't be read.
        ParameterError: the text, a task or the strings can't be read, or the checker of the
            premises is missing. An error in the bundle itself raises nothing: its check fails.
    """
    path = Path(path)
    outcomes = []
    if sources.column is not None and sources.text is None:
        raise ParameterError("a column belongs to a text; give the text, or no column")
    if tables and not proof:
        raise ParameterError(
            "tables are checked against the premises of the proofs; give proof, or leave out tables"
        )
    proofs = _Proofs(proven.find_checker(), [Path(file) for file in tables]) if proof else None
    for check in _run_checks(path, sources, proofs, random, progress):
        outcomes.append(check)
        if on_check is not None:
            on_check(check)
    return Verification(path.absolute().name, tuple(outcomes))


def _run_checks(
    path: Path, sources: BundleSources, proofs: _Proofs | None, random: RandomSource, progress: bool
) -> Iterator[Check]:
    opened = _run("files", lambda: checks.files(path))
    yield opened
    if not opened.passed:
        return
    try:
        bundle = WordBundle.open(path)
    except BrrError as error:
        yield Check("opens", False, str(error), 0.0)
        return
    if bundle.list_of is not None:
        yield from _list_checks(path, bundle, sources, progress)
        if proofs is not None:
            yield from proofs.checks(bundle)
        return
    yield _run("vocabulary and codes", lambda: checks.vocabulary(bundle))
    if bundle.writing != ENGLISH and bundle.writing.spellings:
        yield _run("spellings", lambda: checks.spellings(bundle))
    yield from _policy_checks(bundle, sources)
    yield _run("randomizer graph", lambda: checks.graph(bundle))
    yield _run("flip rate", lambda: checks.flip_rate(bundle, random))
    yield _run("search", lambda: checks.search(bundle))
    yield _run("golden cases", lambda: golden.golden_cases(path, bundle))
    if bundle.recommended is not None and bundle.recommended.certificate is not None:
        yield _run("certificate", lambda: checks.certificate(bundle, progress))
    if proofs is not None:
        yield from proofs.checks(bundle)
    if sources.text is not None:
        yield from _text_checks(bundle, Path(sources.text), sources.column, progress)
    if sources.tasks:
        yield _run("tasks", lambda: source_checks.rebuilt_tasks(bundle, sources.tasks, progress))
    if sources.strings is not None:
        yield Check("source", False, "only a list is made of strings; leave them out", 0.0)
    if sources.embeddings is not None:
        yield from _embeddings_checks(bundle, sources.embeddings, progress)


def _list_checks(
    path: Path, bundle: WordBundle, sources: BundleSources, progress: bool
) -> Iterator[Check]:
    yield _run("list", lambda: checks.vocabulary(bundle))
    yield _run("golden cases", lambda: golden.golden_cases(path, bundle))
    if sources.embeddings is not None or sources.text is not None or sources.tasks:
        yield Check("source", False, "a list is made of strings only; give --strings", 0.0)
    if sources.strings is not None:
        strings = Path(sources.strings)
        yield _run("rebuilt list", lambda: source_checks.rebuilt_list(bundle, strings, progress))


def _policy_checks(bundle: WordBundle, sources: BundleSources) -> Iterator[Check]:
    if bundle.policy != NO_POLICY:
        yield _run("policy", lambda: checks.policy(bundle))
    for secret in sources.secret:
        yield _run("secret list", partial(source_checks.same_list, bundle, Path(secret)))


def _text_checks(
    bundle: WordBundle, text: Path, column: str | None, progress: bool
) -> Iterator[Check]:
    digest = text_digest(text)
    same = _run("text", lambda: source_checks.same_text(bundle, text, digest))
    yield same
    if same.passed:
        rebuilt = partial(source_checks.rebuilt_language, bundle, text, column, progress)
        yield _run("rebuilt language", rebuilt)


def _embeddings_checks(
    bundle: WordBundle, embeddings: str | os.PathLike[str], progress: bool
) -> Iterator[Check]:
    try:
        source = read_source(bundle, embeddings, progress)
    except BundleError as error:
        yield Check("source", False, str(error), 0.0)
        return
    same = _run("source", lambda: source_checks.same_source(bundle, source))
    yield same
    if not same.passed:
        return
    yield _run("rebuilt codes", lambda: source_checks.rebuilt_codes(bundle, source, progress))
    yield _run("similarity", lambda: source_checks.similarity(bundle, source))
    yield _run("full-size mechanism", lambda: source_checks.full_size(bundle, source))


def _run(name: str, check: Callable[[], str]) -> Check:
    start = time.perf_counter()
    try:
        detail, passed = check(), True
    except (CheckError, BrrError) as error:
        detail, passed = str(error), False
    except Exception as error:  # an unforeseen damage is an error, too
        detail, passed = f"can't be checked ({type(error).__name__}: {error})", False
    return Check(name, passed, " ".join(detail.split()), time.perf_counter() - start)
