"""Privatize a file of texts into another file, for ``brr privatize --output``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from brrkit import ParameterError, WordBundle
from brrkit_toolchain.io.files import replaced
from brrkit_toolchain.io.outputs import check_outputs
from brrkit_toolchain.io.progress import Progress
from brrkit_toolchain.io.tables.formats import SUFFIXES, TEXT, check_output, common_format
from brrkit_toolchain.io.tables.parts import Columns, Part
from brrkit_toolchain.io.tables.reading import opened
from brrkit_toolchain.io.tables.writing import writer
from brrkit_toolchain.language.texts import TextIds
from brrkit_toolchain.privatize.batches import PIECE_BYTES, CorpusJob
from brrkit_toolchain.privatize.plan import CorpusPlan
from brrkit_toolchain.privatize.processes import in_processes

_FIRST_TEXTS = 1000
"""Number of first texts of each column that are checked for unknown words."""


def privatize_file(
    bundle: WordBundle,
    file: str | os.PathLike[str],
    output: str | os.PathLike[str],
    plan: CorpusPlan = CorpusPlan(),  # noqa: B008 - frozen
    *,
    file_format: str | None = None,
    jobs: int = 1,
    progress: bool = False,
) -> int:
    """Write the privatized and the kept columns of a file of texts to another file.

    ``output`` gets all rows, or stays as it was. Each run draws new words, and each release of the
    same texts costs privacy again.

    Args:
        bundle: an opened bundle.
        file: a regular file: UTF-8 text (one text a line), CSV, TSV, JSON lines or Parquet; all but
            Parquet may be compressed.
        output: another file, of the same format, compressed if its suffix is .gz or .xz. An
            existing file is replaced.
        plan: the columns to privatize, and the parameters.
        file_format: ``text``, ``csv``, ``tsv``, ``jsonl`` or ``parquet``; by default, the suffix of
            ``file`` decides.
        jobs: number of processes that share the work, at least 1.
        progress: show a bar on standard error, if that is a terminal.

    Returns:
        The number of rows.

    Raises:
        BrrError: the message names the file and the line or column at fault.
        OutputError: the output can't be written, or is an input.
    """
    if jobs < 1:
        raise ParameterError(f"jobs must be 1 or more, not {jobs}")
    file, output = Path(file), Path(output)
    file_format = file_format or common_format(file, output)
    if file_format not in (formats := sorted({*SUFFIXES.values()})):
        raise ParameterError(f"there is no such format; choose one of: {', '.join(formats)}")
    check_output(output, file_format)
    if file_format == TEXT:
        if plan.columns or plan.keep:
            raise ParameterError(f"{file}: lines of text have no columns; name none")
        if plan.marks is not None:
            raise ParameterError(f"{file}: lines of text have no column of marks; write a table")
        plan = replace(plan, columns=(TEXT,))
    elif not plan.columns:
        raise ParameterError(f"{file}: texts are in a column here; name the column of texts")
    check_outputs([file, bundle.path], [output])
    job = CorpusJob(str(bundle.path), plan)
    rows = 0
    kept = dict.fromkeys([*plan.keep, *([] if plan.marks is None else [plan.marks])])
    with opened(file, file_format, Columns(tuple(plan.columns), keep=tuple(kept))) as table:
        try:
            schema = job.schema(table.schema)
        except ParameterError as error:
            raise ParameterError(f"{file}: {error}") from None
        # At least as many pieces as processes.
        limit = min(PIECE_BYTES, file.stat().st_size // jobs + 1)
        batches = _warn_of_unknown(table.parts, plan.columns, bundle, file)
        with (
            replaced(output) as written,
            Progress(total=table.total, unit_scale=True, progress=progress) as bar,
            writer(written, output, file_format, schema, tuple(plan.keep)) as target,
        ):
            for batch in in_processes(batches, job, jobs, limit):
                target.write(batch)
                rows += batch.num_rows
                bar.update(table.position() - bar.n)
    return rows


def _warn_of_unknown(
    parts: Iterator[Part], columns: Sequence[str], bundle: WordBundle, file: Path
) -> Iterator[pa.RecordBatch]:
    """Yield the batches of ``parts``, and warn if most words of the first texts are unknown."""
    for number, part in enumerate(parts):
        if not number:
            convert = TextIds(bundle.tokenizer)
            with suppress(ParameterError):  # the batch's user reports the error
                for name in columns:
                    for text in part.texts(name)[:_FIRST_TEXTS]:
                        convert(text or "")
            convert.coverage.warn(file, bundle.writing)
        yield part.batch
