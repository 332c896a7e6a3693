"""The parent's side of two workers: it sends requests, receives draws, and gives a verdict."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import select
import selectors
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brrkit import ParameterError
from brrkit_toolchain.audit.audited_code.subject import Output, Subject
from brrkit_toolchain.audit.audited_code.worker import decode
from brrkit_toolchain.audit.errors import AuditError
from brrkit_toolchain.audit.instances import Instance
from brrkit_toolchain.io.interrupts import cleanup_on_signal

CHUNK = 250
"""Largest number of inputs in one request."""

ANSWER_SECONDS = 120.0
"""Time limit of a worker for one request, in case the code hangs."""

_END_SECONDS = 5.0  # that a process has to end after it has closed its pipe
_LARGEST_ANSWER = 1 << 30
_PART = 1 << 16  # bytes read at a time; the size of a pipe's buffer
_WORKERS = 2

_SCRIPT = (
    "import sys; from brrkit_toolchain.audit.audited_code.worker import serve; serve(sys.argv[1])"
)

# Matrix products are small: a second thread would only take the other worker's core.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Request:
    """A request to a worker.

    Attributes:
        instance: number of the instance.
        mode: a method of ``AuditedCode``.
        inputs: words or texts.
        anew: whether to create the audited code again first.
    """

    instance: int
    mode: str
    inputs: Sequence[str]
    anew: bool = False


class Processes:
    """Two new processes, which share the work of running the audited code."""

    def __init__(self, workers: Sequence[_Worker]) -> None:
        """Take workers that have just been started."""
        self._workers = workers

    def outputs(self, requests: Iterable[Request]) -> Iterator[list[Output]]:
        """Yield the answers in order; the workers take turns.

        Each has its next request before the answer to its last one is yielded.

        Raises:
            AuditError: the audited code raised an error, returned an invalid output, ended its
                process, took too long, or sent an unexpected answer.
        """
        pending: deque[tuple[_Worker, Request]] = deque()
        for number, request in enumerate(requests):
            worker = self._workers[number % len(self._workers)]
            answers = [self._answer(pending)] if len(pending) == len(self._workers) else []
            worker.ask(request)
            pending.append((worker, request))
            yield from answers
        while pending:
            yield self._answer(pending)

    @staticmethod
    def _answer(pending: deque[tuple[_Worker, Request]]) -> list[Output]:
        worker, request = pending.popleft()
        return worker.answer(request)

    def ask(self, request: Request) -> list[Output]:
        """Return the answer to one request."""
        return next(self.outputs([request]))


@contextlib.contextmanager
def start(subject: Subject, instances: Sequence[Instance], folder: Path) -> Iterator[Processes]:
    """Start the workers; they end with the block in any case.

    Args:
        subject: the audited code.
        instances: the instances of the audit.
        folder: a temporary directory for their files.
    """
    if not hasattr(select, "poll"):  # Windows, which waits for sockets only
        raise AuditError(
            "this system can't wait for the audited process; audit on Linux or macOS, and write "
            "the report page without an audit"
        )
    setup = folder / "setup"
    setup.write_bytes(pickle.dumps((subject, instances)))
    workers: list[_Worker] = []

    def kill() -> None:  # doesn't wait: this thread may be waiting already when a signal comes
        for worker in workers:
            worker.kill()

    with cleanup_on_signal(kill):
        try:
            for number in range(_WORKERS):
                workers += [_Worker(subject, setup, folder / f"errors-{number}")]
            yield Processes(workers)
        finally:
            for worker in workers:
                worker.end()


class _Worker:
    def __init__(self, subject: Subject, setup: Path, errors: Path) -> None:
        self._subject = subject
        self._errors = errors
        path = os.pathsep.join(filter(None, sys.path))
        with errors.open("wb") as file:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _SCRIPT, str(setup)],
                env={**os.environ, **_ONE_THREAD, "PYTHONPATH": path},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=file,
            )
        assert self._process.stdout is not None
        self._answered = selectors.DefaultSelector()
        self._answered.register(self._process.stdout, selectors.EVENT_READ)

    def ask(self, request: Request) -> None:
        fields = (request.instance, request.mode, request.anew, list(request.inputs))
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(fields).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise self._ended() from None

    def answer(self, request: Request) -> list[Output]:
        end = time.monotonic() + ANSWER_SECONDS
        try:
            length = int.from_bytes(self._read(8, end), "little")
            if length > _LARGEST_ANSWER:
                raise ValueError
            outputs, error = decode(self._read(length, end))
        except TimeoutError:
            raise AuditError(
                f"{self._subject}: gave no answer for {ANSWER_SECONDS:g} s, on at most {CHUNK} "
                "draws; it hangs, or is too slow to be audited"
            ) from None
        except EOFError:
            raise self._ended() from None
        except ValueError:
            raise AuditError(
                f"{self._subject}: its process sent something that isn't an answer; the audited "
                "code must leave open files alone"
            ) from None
        if error is not None:
            kind: Any = ParameterError if error["error"] == "ParameterError" else AuditError
            raise kind(error["message"])
        if request.mode in ("words", "calls", "texts") and len(outputs) != len(request.inputs):
            raise AuditError(
                f"{self._subject}: {len(outputs)} outputs for {len(request.inputs)} inputs"
            )
        return outputs

    def _read(self, size: int, end: float) -> bytes:
        """Return ``size`` bytes, or raise TimeoutError after the time ``end``."""
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        content = bytearray()
        while len(content) < size:
            if not self._answered.select(max(0, end - time.monotonic())):
                raise TimeoutError
            part = os.read(pipe, min(size - len(content), _PART))
            if not part:
                raise EOFError
            content += part
        return bytes(content)

    def _ended(self) -> AuditError:
        """Return the error that the process has ended, with the last line of its messages."""
        try:
            code = self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:  # it closed the pipe, but still runs
            return AuditError(f"{self._subject}: its process stopped answering")
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        lines = self._errors.read_text("utf-8", "replace").strip().splitlines()
        last = f": {lines[-1][:200]}" if lines else ""
        return AuditError(f"{self._subject}: ended its process early ({how}){last}")

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> None:
        self.kill()
        self._answered.close()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with contextlib.suppress(OSError):  # from bytes still to be written
                    pipe.close()
        self._process.wait()
