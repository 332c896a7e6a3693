"""The report page, of ``brr report``: for a privacy reviewer and for a product manager."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from brrkit import ParameterError, WordBundle
from brrkit.setting import Setting
from brrkit_toolchain.attackers.closed_list import read_list
from brrkit_toolchain.attackers.texts.from_files import TextFiles, read_text_and_language
from brrkit_toolchain.attackers.texts.text_attack import TOKENS
from brrkit_toolchain.bundle.verify import verify_bundle
from brrkit_toolchain.counting import counting
from brrkit_toolchain.embeddings.of_bundle import read_matching
from brrkit_toolchain.io.files import write_text
from brrkit_toolchain.io.outputs import check_outputs
from brrkit_toolchain.report.content import TextToRead, measure_content
from brrkit_toolchain.report.page import render


def write_report_page(
    bundle: WordBundle,
    output: str | os.PathLike[str],
    setting: Setting | None = None,
    *,
    words: Sequence[str] | None = None,
    audit: bool = True,
    seed: int = 0,
    text: str | os.PathLike[str] | None = None,
    public_text: str | os.PathLike[str] | None = None,
    column: str | None = None,
    tokens: int = TOKENS,
    embeddings: str | os.PathLike[str] | None = None,
    among: Sequence[str | os.PathLike[str]] = (),
    progress: bool = False,
) -> None:
    """Measure a bundle and write what it is and does as one self-contained HTML file.

    The page of a list says what its setting for counts loses, shows and tells. It has no setting
    for text, no examples and no texts.

    Of a bundle with tasks it says what classifiers of released text reach (``measure_tasks``).

    Args:
        bundle: an opened bundle.
        output: file to write or replace, at once or not at all.
        setting: what the page explains. By default the one that the bundle recommends, or else an
            example.
        words: examples to show; some everyday words of the vocabulary by default.
        audit: run ``brr verify`` on the bundle and ``brr audit`` on every mechanism, and show
            their results.
        seed: of the samples of words and texts. The examples and the audit draw from the operating
            system.
        text: file of texts like those that users type. Some are drawn and released, and the page
            says how often attackers who read them are right. It shows no word of them.
        public_text: with a text: file of public texts that attackers have besides: they know the
            language from the bundle, and from the texts of ``text`` that they don't attack.
        column: with a text: what holds the texts, where the files are tables.
        tokens: with a text: about how many words are released.
        embeddings: with a text: what the bundle was built from, for the cosine of what is released.
        among: files of words, one a line. The page says how often attackers are right who know that
            the typed word is one of a file's; it shows no word of them. It says the same of
            every example and the words nearest to it.
        progress: show bars on standard error, where that is a terminal.

    Raises:
        BundleError: the manifest has no distances, or a setting that can't be run.
        OutOfVocabularyError: an example isn't in the vocabulary.
        OutputError: the page can't be written.
        ParameterError: something of text is given for a list, or it has no setting for counts; or a
            file of texts can't be read, is too short or of another language, a file
            of words can't be read or has too few or too many words of the vocabulary, or the bundle
            was built from other embeddings.
        EmbeddingsError: the embeddings can't be read.
    """
    if text is None and not (public_text is None and column is None and embeddings is None):
        raise ParameterError("public_text, column and embeddings are of a text; give that, too")
    output = Path(output)
    read = [Path(file) for file in (text, public_text, embeddings, *among) if file is not None]
    check_outputs([bundle.path, *read], [output])
    if bundle.list_of is not None:
        if not (setting is None and words is None and text is None and not among):
            raise ParameterError(
                "a list has no codes, so its page has no setting for text, no examples and no "
                "texts; leave them out"
            )
        verified = verify_bundle(bundle.path, progress=progress) if audit else None
        write_text(output, counting().list_page(bundle, verified))
        return
    lists = [read_list(file, bundle) for file in among]
    to_read = None
    if text is not None:
        files = TextFiles(text, public_text, column)
        typed, knows = read_text_and_language(
            bundle, files, tokens=tokens, seed=seed, progress=progress
        )
        to_read = TextToRead(
            Path(text).name,
            None if public_text is None else Path(public_text).name,
            typed,
            knows,
            None
            if embeddings is None
            else read_matching(bundle, embeddings, progress=progress).vectors,
        )
    content = measure_content(
        bundle, words, to_read, lists, setting, audit=audit, seed=seed, progress=progress
    )
    write_text(output, render(content))
