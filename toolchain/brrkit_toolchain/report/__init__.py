"""The report page, of ``brr report``: for a privacy reviewer and for a product manager."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from brrkit import ParameterError, WordBundle
from brrkit.setting import Setting
from brrkit_toolchain.attackers.closed_list import read_list
from brrkit_toolchain.attackers.texts.from_files import TextFiles, read_text_and_language
from brrkit_toolchain.attackers.texts.text_attack import TOKENS
from brrkit_toolchain.attackers.writers.labeled_texts import read_writers
from brrkit_toolchain.bundle.verify import verify_bundle
from brrkit_toolchain.counting import counting
from brrkit_toolchain.embeddings.of_bundle import read_matching
from brrkit_toolchain.io.files import write_text
from brrkit_toolchain.io.outputs import check_outputs
from brrkit_toolchain.report.content import TextToRead, measure_content
from brrkit_toolchain.report.page import render


@dataclass(frozen=True)
class ReportOptions:
    """Options of a page, besides its setting and a text.

    Attributes:
        words: examples to show; by default, some everyday words of the vocabulary.
        among: files of words, one a line. The page shows the attack success of attackers who know
            that the typed word is in a file, but none of the file's words. It shows the same for
            every example and its nearest words.
        embeddings: with a text: the bundle's embeddings, for the cosine of released words.
        writers: with a text: columns with the writer, or with another secret of each text. The page
            shows how often attackers name it, from frames if the bundle has them.
        seed: seed of the samples of words and texts. The examples and the audit use the operating
            system's randomness.
    """

    words: Sequence[str] | None = None
    among: Sequence[str | os.PathLike[str]] = ()
    embeddings: str | os.PathLike[str] | None = None
    writers: Sequence[str] = ()
    seed: int = 0


def write_report_page(
    bundle: WordBundle,
    output: str | os.PathLike[str],
    setting: Setting | None = None,
    *,
    text: str | os.PathLike[str] | TextFiles | None = None,
    tokens: int = TOKENS,
    audit: bool = True,
    options: ReportOptions = ReportOptions(),
    progress: bool = False,
) -> None:
    """Measure a bundle, and write the report as one self-contained HTML file.

    The page of a list shows the privacy loss and the attack success of its setting for counts, and
    the number of reports needed. It has no setting for text, no examples and no texts.

    For a bundle with tasks, the page shows the accuracy of classifiers of released text
    (``measure_tasks``).

    Args:
        bundle: an opened bundle.
        output: file to write or replace, at once or not at all.
        setting: the setting that the page explains. By default, the bundle's recommended setting,
            or else an example.
        text: file of texts like those that users type. Some are drawn and released, and the page
            shows the attack success of attackers who read them, but none of their words. Use a
            ``TextFiles`` for a table, or if attackers also have public texts.
        tokens: with a text: approximate number of released words.
        audit: run ``brr verify`` on the bundle and ``brr audit`` on the setting's mechanism, and
            show their results.
        options: further options.
        progress: show bars on standard error, if that is a terminal.

    Raises:
        BundleError: the manifest has no distances, or a setting that can't be run.
        OutOfVocabularyError: an example isn't in the vocabulary.
        OutputError: the page can't be written.
        ParameterError: an argument for text is given for a list, or the list has no setting for
            counts; a file of texts can't be read, is too short, or is in another language; a file
            of words can't be read, or has too few or too many words of the vocabulary; or the
            bundle was built from other embeddings.
        EmbeddingsError: the embeddings can't be read.
    """
    files = None if text is None else TextFiles.of(text)
    if files is None and options.embeddings is not None:
        raise ParameterError("embeddings need a text; add it")
    if files is None and options.writers:
        raise ParameterError("writers need a text; add it")
    output = Path(output)
    of_text = () if files is None else (files.text, files.public_text)
    every = (*of_text, options.embeddings, *options.among)
    read = [Path(file) for file in every if file is not None]
    check_outputs([bundle.path, *read], [output])
    if bundle.list_of is not None:
        if not (setting is None and options.words is None and files is None and not options.among):
            raise ParameterError(
                "a list has no codes, so its page has no setting for text, no examples and no "
                "texts; leave them out"
            )
        verified = verify_bundle(bundle.path, progress=progress) if audit else None
        write_text(output, counting().list_page(bundle, verified))
        return
    lists = [read_list(file, bundle) for file in options.among]
    to_read = None
    if files is not None:
        writers = {name: read_writers(bundle, files, name) for name in options.writers}
        typed, knows = read_text_and_language(
            bundle, files, tokens=tokens, seed=options.seed, progress=progress
        )
        source = options.embeddings
        to_read = TextToRead(
            Path(files.text).name,
            None if files.public_text is None else Path(files.public_text).name,
            typed,
            knows,
            None if source is None else read_matching(bundle, source, progress=progress).vectors,
            writers,
        )
    content = measure_content(
        bundle,
        options.words,
        to_read,
        lists,
        setting,
        audit=audit,
        seed=options.seed,
        progress=progress,
    )
    write_text(output, render(content))
