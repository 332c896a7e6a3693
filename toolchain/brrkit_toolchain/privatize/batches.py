"""The pure function from record batches to record batches with privatized columns."""

from __future__ import annotations

import json
import os
import pickle
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from brrkit import BrrError, OutOfVocabularyError, ParameterError, Privatizer, WordBundle
from brrkit.marks import Mark, around, cut_marks, filled
from brrkit.privatizer import PASS
from brrkit.randomness import RandomSource
from brrkit.tokenizer import Token
from brrkit_toolchain.channel.drawing.frames import framed
from brrkit_toolchain.channel.drawing.on_codes import releaser
from brrkit_toolchain.channel.drawing.stand_ins import draw_stand_ins
from brrkit_toolchain.language.run_cache import RunCache
from brrkit_toolchain.privatize.plan import CorpusPlan

PIECE_BYTES = 1 << 24
"""Size of record batches processed together. With more bytes, more words are equal."""

_UNKNOWN_ID = -1

_TEXT_TYPES = (pa.string(), pa.large_string())


def absent(name: str) -> str:
    """Return the message for a column that is missing, or occurs twice."""
    return f"column {name!r} isn't there, or is there twice"


@dataclass(frozen=True)
class CorpusJob:
    """The job for a corpus; small, and the same for every worker.

    Attributes:
        bundle: its directory.
        plan: the columns to privatize, and the parameters.
    """

    bundle: str
    plan: CorpusPlan

    def schema(self, schema: pa.Schema) -> pa.Schema:
        """Return the output's schema for ``schema``: the chosen fields, without metadata.

        Raises:
            ParameterError: a column is missing, occurs twice, isn't text, or shall be both kept and
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
        if self.plan.marks is not None and len(schema.get_all_field_indices(self.plan.marks)) != 1:
            raise ParameterError(f"{absent(self.plan.marks)}; check its name")
        return pa.schema([self._field(entry) for entry in schema if entry.name in chosen])

    def _field(self, entry: pa.Field) -> pa.Field:
        kind = entry.type
        if entry.name in self.plan.columns:
            kind = kind.value_type if pa.types.is_dictionary(kind) else kind
            kind = pa.string() if pa.types.is_string_view(kind) else kind
            if kind not in _TEXT_TYPES:
                raise ParameterError(
                    f"column {entry.name!r} contains {entry.type}, not text; name a column of "
                    "strings"
                )
        return pa.field(entry.name, kind, entry.nullable)


def privatize(
    batches: Iterable[pa.RecordBatch],
    job: CorpusJob,
    random: RandomSource = os.urandom,
    *,
    worker: Worker | None = None,
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of ``batches``, in order, with privatized texts in the chosen columns.

    Each text becomes the privatized words of its tokens, drawn independently, and joined by single
    spaces; null stays null. With frames, one piece of each text is used. Columns that ``job``
    doesn't name are left out. The output has other batches than the input: memory is bounded by
    ``PIECE_BYTES``, or one row if that is more, for any number of rows.

    Args:
        batches: batches of one schema.
        job: the job.
        random: source of random bytes.
        worker: worker of the job, kept from earlier batches (``kept_worker``); by default, a new
            one.

    Raises:
        ParameterError: ``job`` doesn't fit the batches, or is out of range.
        BundleError: the bundle can't be opened.
        OutOfVocabularyError: the policy is ``error``, and a word is out of vocabulary.
    """
    release = worker or Worker(job, random)
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
    """Privatizes batches one after the other, and opens the bundle only once."""

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
        self._masses = bundle.masses
        self._tokenizer, self._head_of = bundle.tokenizer, bundle.policy.head_of
        self._words = pa.array(iter(bundle.vocabulary), pa.large_string())
        self._seen = RunCache(bundle.tokenizer, _id)

    def __call__(self, batch: pa.RecordBatch, first: int = 1) -> pa.RecordBatch:
        """Return the rows of ``batch``; ``first`` is the number of its first row, for messages."""
        schema = self._job.schema(batch.schema)
        columns = [
            self._privatize_column(batch, name, first).cast(schema.field(name).type)
            if name in self._job.plan.columns
            else batch[name]
            for name in schema.names
        ]
        return pa.record_batch(columns, schema=schema)

    def _privatize_column(self, batch: pa.RecordBatch, name: str, first: int) -> pa.Array:
        texts = batch[name]
        found, until = bytearray(), array("q", [0])
        try:
            marks = self._marks(batch, name, first)
            for text, own in zip(texts.to_pylist(), marks, strict=True):
                found += self._ids(text or "", own)
                until.append(len(found))
        except UnicodeDecodeError:
            raise BrrError(
                f"row {first + len(until) - 1} or a later one, column {name!r}: not UTF-8; "
                "convert the text first"
            ) from None
        ids = np.frombuffer(found, np.int64).astype(np.intp)
        ends = np.array(until, np.int64) // until.itemsize
        if (words := self._job.plan.frame_words) is not None:
            typed = np.split(ids, ends[1:-1]) if len(texts) else []
            ids = framed(typed, words, _UNKNOWN_ID, self._random).ravel()
            ends = words * np.arange(len(texts) + 1)
        ids, ends, stood_in = self._without_unknown(ids, ends, f"column {name!r}", first)
        numbers = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        spelled = self._words.take(pa.array(self._release(ids, numbers, stood_in)))
        if self._job.plan.rest == PASS:
            joined = self._between(texts, marks, spelled)
        else:
            rows = pa.ListArray.from_arrays(pa.array(ends, pa.int32()), spelled)
            joined = pc.binary_join(rows, pa.scalar(" ", pa.large_string()))
        return pc.if_else(texts.is_null(), pa.scalar(None, pa.large_string()), joined)

    def _marks(self, batch: pa.RecordBatch, name: str, first: int) -> list[list[Mark]]:
        """Return the marks of each row's text, like ``cut_marks``."""
        column = self._job.plan.marks
        if column is None:
            return [[]] * batch.num_rows
        cut = []
        for row, (text, stated) in enumerate(
            zip(batch[name].to_pylist(), batch[column].to_pylist(), strict=True), start=first
        ):
            try:
                cut.append(cut_marks(text or "", read_marks(stated), self._tokenizer))
            except ParameterError as error:
                raise ParameterError(f"row {row}, column {column!r}: {error}") from None
        return cut

    def _ids(self, text: str, marks: Sequence[Mark]) -> bytes:
        """Return the released words of a text: those around its marks, if any, and the marks'.

        They are the bytes of an array of int64.
        """
        if self._job.plan.rest == PASS:
            return b"".join(map(self._id_of, marks))
        if not marks:
            return self._seen.read(text)
        first, *others = map(self._seen.read, around(text, marks))
        behind = (self._id_of(mark) + ids for mark, ids in zip(marks, others, strict=True))
        return b"".join([first, *behind])

    def _id_of(self, mark: Mark) -> bytes:
        head = self._head_of(mark.list)
        return array("q", [_UNKNOWN_ID if head is None else head]).tobytes()

    def _between(
        self, texts: pa.Array, marks: Sequence[Sequence[Mark]], words: pa.Array
    ) -> pa.Array:
        """Return unchanged ``texts`` with the ``words`` released for their marks."""
        released = iter(words.to_pylist())
        dropped = self._job.plan.oov == "drop"
        found = []
        for text, own in zip(texts.to_pylist(), marks, strict=True):
            of_marks = ("" if dropped and mark.list is None else next(released) for mark in own)
            found.append(filled(text or "", own, of_marks))
        return pa.array(found, pa.large_string())

    def _without_unknown(
        self, ids: NDArray[np.intp], ends: NDArray[np.int64], where: str, first: int
    ) -> tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.bool_]]:
        """Return ids [m] and ends [rows + 1] after the policy's treatment of unknown words.

        Also return whether each of these ids [m] replaces an unknown word.
        """
        stood_in = ids == _UNKNOWN_ID
        unknown = np.flatnonzero(stood_in)
        if self._job.plan.oov == "random":
            ids[unknown] = draw_stand_ins(self._masses, len(unknown), self._random)
        elif self._job.plan.oov == "drop":
            known = ~stood_in
            ends = np.concatenate([[0], np.cumsum(known)])[ends]
            ids, stood_in = ids[known], stood_in[known]
        elif len(unknown):
            row = int(np.searchsorted(ends, unknown[0], side="right"))
            place, count = unknown[0] - ends[row - 1] + 1, ends[row] - ends[row - 1]
            raise OutOfVocabularyError(
                f"row {first + row - 1}, {where}: word {place} of {count} is out of vocabulary "
                "(policy 'error'); choose the policy 'random' or 'drop', or a larger vocabulary"
            )
        return ids, ends, stood_in


def kept_worker(job: CorpusJob) -> Worker:
    """Return this process's worker for a job, created for its first task, and kept for the others.

    The contents of the bundle's directory must not change. Only the last job's worker is kept.

    Raises:
        ParameterError: as for ``Worker``.
        BundleError: as for ``Worker``.
    """
    return _worker(pickle.dumps(job))  # a plan may contain lists, which aren't hashable


@lru_cache(maxsize=1)
def _worker(job: bytes) -> Worker:
    return Worker(pickle.loads(job))


def read_marks(stated: Any) -> list[Mark]:
    """Return the marks of a row, from JSON or parsed JSON.

    Raises:
        ParameterError: it isn't JSON, or no list of marks.
    """
    try:
        while isinstance(stated, str):  # in JSON lines, the string itself is JSON
            stated = json.loads(stated) if stated.strip() else None
        return [Mark(*each) for each in stated or []]
    except (TypeError, ValueError, RecursionError):
        raise ParameterError(
            'contains no marks; write JSON: [[start, end, "names"], ...], without the list\'s name '
            "for an unknown word"
        ) from None


def _id(token: Token) -> int:
    return _UNKNOWN_ID if token.word_id is None else token.word_id
