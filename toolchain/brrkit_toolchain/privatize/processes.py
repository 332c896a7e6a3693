"""The pure function in several processes, which take pieces in turn; answers are in order."""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator

import pyarrow as pa

from brrkit import BrrError
from brrkit_toolchain.io.interrupts import cleanup_on_signal
from brrkit_toolchain.privatize.batches import PIECE_BYTES, CorpusJob, Worker, pieces

_SCRIPT = "from brrkit_toolchain.privatize.processes import serve; serve()"
_FIRST_ROW = b"first row"


def in_processes(
    batches: Iterable[pa.RecordBatch], job: CorpusJob, jobs: int, limit: int = PIECE_BYTES
) -> Iterator[pa.RecordBatch]:
    """Yield the same as ``batches.privatize``, computed by ``jobs`` processes.

    Args:
        batches: as for ``privatize``.
        job: as for ``privatize``.
        jobs: number of processes; 1 is this process.
        limit: number of bytes of a piece; each process holds one piece.

    Raises:
        BrrError: as for ``privatize``, or a process was killed.
    """
    numbered = _with_first_rows(pieces(batches, limit))
    if jobs == 1:
        work = Worker(job)
        for first, piece in numbered:
            yield work(piece, first)
        return
    with _processes(jobs, job) as workers:
        pending: deque[_Process] = deque()
        for number, (first, piece) in enumerate(numbered):
            worker = workers[number % jobs]
            if len(pending) == jobs:
                yield pending.popleft().answer()
            worker.ask(piece, first)
            pending.append(worker)
        while pending:
            yield pending.popleft().answer()


def _with_first_rows(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[int, pa.RecordBatch]]:
    first = 1
    for batch in batches:
        yield first, batch
        first += batch.num_rows


@contextlib.contextmanager
def _processes(jobs: int, job: CorpusJob) -> Iterator[list[_Process]]:
    """Start workers, which end with the block in any case."""
    workers: list[_Process] = []

    def kill() -> None:  # a signal's handler must not wait
        for worker in workers:
            worker.process.kill()

    with cleanup_on_signal(kill):
        try:
            for _ in range(jobs):
                workers += [_Process(job)]
            yield workers
        finally:
            for worker in workers:
                worker.end()


class _Process:
    """The parent's end of a worker, which answers a piece before it gets the next."""

    def __init__(self, job: CorpusJob) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _SCRIPT],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # this process gets Ctrl-C, and ends the others
        )
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        self._in, self._out, self._err = (
            self.process.stdin,
            self.process.stdout,
            self.process.stderr,
        )
        self._writer: pa.RecordBatchStreamWriter | None = None
        self._reader: pa.RecordBatchStreamReader | None = None
        with self._explain_end():
            pickle.dump(job, self._in)
            self._in.flush()

    def ask(self, piece: pa.RecordBatch, first: int) -> None:
        with self._explain_end():
            if self._writer is None:
                self._writer = pa.ipc.new_stream(self._in, piece.schema)
            self._writer.write_batch(piece, {_FIRST_ROW: str(first).encode()})
            self._in.flush()

    def answer(self) -> pa.RecordBatch:
        with self._explain_end():
            if self._reader is None:
                self._reader = pa.ipc.open_stream(self._out)
            return self._reader.read_next_batch()

    @contextlib.contextmanager
    def _explain_end(self) -> Iterator[None]:
        """Raise an error with the worker's last message if it has ended unexpectedly."""
        try:
            yield
        except (OSError, StopIteration, pa.ArrowException):
            for pipe in (self._in, self._out):  # ends the worker in any wait
                with contextlib.suppress(OSError):
                    pipe.close()
            said = self._err.read().decode("utf-8", "replace").strip()
            code = self.process.wait()
            raise BrrError(
                said
                or f"a process of this job ended early (exit code {code}); start it again, "
                "with fewer jobs if RAM is short"
            ) from None

    def end(self) -> None:
        self.process.kill()
        for pipe in (self._in, self._out, self._err):
            with contextlib.suppress(OSError):  # from bytes still to be written
                pipe.close()
        self.process.wait()


def serve() -> None:
    """Work as a worker: read a job and a stream of batches, and write a stream of batches.

    An error is printed in one line on standard error, without the texts that a traceback may show.
    """
    try:
        _serve()
    except BrrError as error:
        sys.exit(str(error))
    except MemoryError:
        sys.exit("this takes more RAM than there is; use fewer jobs")
    except BrokenPipeError:  # the reader has ended
        os._exit(1)
    except Exception as error:
        sys.exit(f"a process of this job failed ({type(error).__name__}); please report it")


def _serve() -> None:
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # keeps a library's output out of the answers
    work = Worker(pickle.load(requests))
    writer = None
    with pa.ipc.open_stream(requests) as reader:
        for batch, metadata in reader.iter_batches_with_custom_metadata():
            released = work(batch, int(metadata[_FIRST_ROW]))
            if writer is None:
                writer = pa.ipc.new_stream(answers, released.schema)
            writer.write_batch(released)
            answers.flush()
