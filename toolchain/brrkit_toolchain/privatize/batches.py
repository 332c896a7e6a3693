"""The pure function: record batches in, record batches out, with columns of texts replaced."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from brrkit import BrrError, OutOfVocabularyError, ParameterError, Privatizer, WordBundle
from brrkit.randomness import RandomSource
from brrkit.tokenizer import Token
from brrkit_toolchain.channel.drawing.on_codes import releaser
from brrkit_toolchain.channel.drawing.stand_ins import draw_stand_ins
from brrkit_toolchain.language.run_cache import RunCache
from brrkit_toolchain.privatize.plan import CorpusPlan

PIECE_BYTES = 1 << 24
"""Of the record batches that are worked on at a time. The more, the more words are equal."""

_UNKNOWN_ID = -1

_TEXT_TYPES = (pa.string(), pa.large_string())


def absent(name: str) -> str:
    """Say that a table hasn't the column that is asked for."""
    return f"column {name!r} isn't there, or is there twice"


@dataclass(frozen=True)
class CorpusJob:
    """What is done to a corpus; small, and the same for every worker.

    Attributes:
        bundle: its directory.
        plan: what is privatized, and how.
    """

    bundle: str
    plan: CorpusPlan

    def schema(self, schema: pa.Schema) -> pa.Schema:
        """Return what comes out of batches of ``schema``: the chosen fields, without metadata.

        Raises:
            ParameterError: a column is missing, there twice, isn't text, or is to be both kept and
                privatized.
        """
        chosen = (*self.plan.columns, *self.plan.keep)
        if not self.plan.columns:
            raise ParameterError("there is no column to privatize; name one")
        for name in chosen:
            if len(schema.get_all_field_indices(name)) != 1:
                raise ParameterError(f"{absent(name)}; check its name")
            if chosen.count(name) > 1:
                raise ParameterError(
                    f"column {name!r} is named twice; a column is either privatized or kept"
                )
        return pa.schema([self._field(entry) for entry in schema if entry.name in chosen])

    def _field(self, entry: pa.Field) -> pa.Field:
        kind = entry.type
        if entry.name in self.plan.columns:
            kind = kind.value_type if pa.types.is_dictionary(kind) else kind
            kind = pa.string() if pa.types.is_string_view(kind) else kind
            if kind not in _TEXT_TYPES:
                raise ParameterError(
                    f"column {entry.name!r} holds {entry.type}, no text; name a column of strings"
                )
        return pa.field(entry.name, kind, entry.nullable)


def privatize(
    batches: Iterable[pa.RecordBatch], job: CorpusJob, random: RandomSource = os.urandom
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of ``batches``, in order, with privatized texts in the chosen columns.

    Each text becomes the privatized words of its tokens, each drawn independently, joined by single
    spaces; no text (null) stays none. Columns that ``job`` doesn't name are left out. The rows
    come in other batches than they came in: memory is bounded by ``PIECE_BYTES``, or one row if
    that is more, whatever the number of rows.

    Raises:
        ParameterError: ``job`` doesn't fit the batches, or is out of range.
        BundleError: the bundle can't be opened.
        OutOfVocabularyError: the policy is ``error``, and there is such a word.
    """
    release = Worker(job, random)
    first = 1
    for piece in pieces(batches):
        yield release(piece, first)
        first += piece.num_rows


def pieces(batches: Iterable[pa.RecordBatch], limit: int = PIECE_BYTES) -> Iterator[pa.RecordBatch]:
    """Yield the rows of ``batches`` in batches of about ``limit`` bytes, or of one row."""
    waiting: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        for part in _halve(batch, limit):
            if waiting and size + part.nbytes > limit:
                yield pa.concat_batches(waiting)
                waiting, size = [], 0
            waiting.append(part)
            size += part.nbytes
    if waiting:
        yield pa.concat_batches(waiting)


def _halve(batch: pa.RecordBatch, limit: int) -> Iterator[pa.RecordBatch]:
    if batch.nbytes <= limit or batch.num_rows < 2:
        yield batch
        return
    middle = batch.num_rows // 2
    yield from _halve(batch.slice(0, middle), limit)
    yield from _halve(batch.slice(middle), limit)


class Worker:
    """Privatizes one batch after the other, with a bundle that it opens once."""

    def __init__(self, job: CorpusJob, random: RandomSource = os.urandom) -> None:
        """Open the bundle and prepare the mechanism.

        Raises:
            ParameterError: a parameter is out of range.
            BundleError: the bundle can't be opened.
        """
        self._job, self._random = job, random
        bundle = WordBundle.open(job.bundle)
        privatizer = Privatizer(bundle, job.plan.setting, oov=job.plan.oov)
        self._release = releaser(bundle, privatizer.mechanism, random)
        self._masses, vocabulary = bundle.masses, bundle.vocabulary
        self._words = pa.array(map(vocabulary.word, range(len(vocabulary))), pa.large_string())
        self._seen = RunCache(bundle.tokenizer, _id)

    def __call__(self, batch: pa.RecordBatch, first: int = 1) -> pa.RecordBatch:
        """Return the rows of ``batch``; ``first`` is the number of its first row, for messages."""
        schema = self._job.schema(batch.schema)
        columns = [
            self._privatize_column(batch[name], name, first).cast(schema.field(name).type)
            if name in self._job.plan.columns
            else batch[name]
            for name in schema.names
        ]
        return pa.record_batch(columns, schema=schema)

    def _privatize_column(self, texts: pa.Array, name: str, first: int) -> pa.Array:
        found, until = array("q"), array("q", [0])
        try:
            for text in texts.to_pylist():
                found.extend(self._seen.read(text or ""))
                until.append(len(found))
        except UnicodeDecodeError:
            raise BrrError(
                f"row {first + len(until) - 1} or a later one, column {name!r}: not UTF-8; "
                "convert the text first"
            ) from None
        ids, ends = np.array(found, np.intp), np.array(until, np.int64)
        ids, ends = self._without_unknown(ids, ends, f"column {name!r}", first)
        numbers = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        words = self._words.take(pa.array(self._release(ids, numbers)))
        rows = pa.ListArray.from_arrays(pa.array(ends, pa.int32()), words)
        joined = pc.binary_join(rows, pa.scalar(" ", pa.large_string()))
        return pc.if_else(texts.is_null(), pa.scalar(None, pa.large_string()), joined)

    def _without_unknown(
        self, ids: NDArray[np.intp], ends: NDArray[np.int64], where: str, first: int
    ) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Return ids [m] and ends [rows + 1] after what the policy does about unknown words."""
        unknown = np.flatnonzero(ids == _UNKNOWN_ID)
        if self._job.plan.oov == "random":
            ids[unknown] = draw_stand_ins(self._masses, len(unknown), self._random)
        elif self._job.plan.oov == "drop":
            known = ids != _UNKNOWN_ID
            ends = np.concatenate([[0], np.cumsum(known)])[ends]
            ids = ids[known]
        elif len(unknown):
            row = int(np.searchsorted(ends, unknown[0], side="right"))
            place, count = unknown[0] - ends[row - 1] + 1, ends[row] - ends[row - 1]
            raise OutOfVocabularyError(
                f"row {first + row - 1}, {where}: word {place} of {count} is out of vocabulary "
                "(policy 'error'); choose the policy 'random' or 'drop', or a larger vocabulary"
            )
        return ids, ends


def _id(token: Token) -> int:
    return _UNKNOWN_ID if token.word_id is None else token.word_id
