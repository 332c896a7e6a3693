"""Is the noise new in every process? A fixed seed is a violation that no frequency shows.

Whoever knows the seed knows the noise. Two fresh interpreters make the audited code and feed it the
same words: a seed that is set where a module is imported, in a factory, or at each call, gives them
the same outputs.
"""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from brr_runtime.errors import BrrError
from brr_toolchain.audit.errors import AuditError
from brr_toolchain.audit.instances import Instance
from brr_toolchain.audit.subjects import Subject

_DRAWS = 24  # of each word

_SCRIPT = """
import sys
from brr_toolchain.audit.fresh import write_outputs
write_outputs(*sys.argv[1:])
"""


@contextmanager
def fresh_runs(subject: Subject, instance: Instance, folder: Path) -> Iterator[FreshRuns]:
    """Start two processes that draw from ``subject``; whatever happens, they end with the block.

    Args:
        subject: what is audited.
        instance: what it is audited on.
        folder: a temporary directory for what they read and write.
    """
    request = folder / "request"
    request.write_bytes(pickle.dumps((subject, instance)))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    results = [folder / "one", folder / "other"]
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for result in results:
            command = [sys.executable, "-c", _SCRIPT, str(request), str(result)]
            processes.append(
                subprocess.Popen(
                    command,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                )
            )
        yield FreshRuns(subject, processes, results)
    finally:
        for process in processes:
            process.kill()
            process.wait()
            if process.stderr:
                process.stderr.close()


class FreshRuns:
    """Two processes that draw the same words."""

    def __init__(
        self,
        subject: Subject,
        processes: Sequence[subprocess.Popen[bytes]],
        results: Sequence[Path],
    ) -> None:
        """Take processes that write to ``results``."""
        self._subject = subject
        self._processes = processes
        self._results = results

    def repeat(self, alpha: float) -> bool:
        """Tell whether they gave the same outputs, beyond chance; waits for them.

        If draws are independent, then all orders of those of one word are equally likely, and two
        runs that agree in all of them have a probability of at most the product of
        (n_1! n_2! ...) / n! over the words, where n_i of the n draws are equal. So code with one
        constant output doesn't fail.

        Args:
            alpha: probability that independent draws are told to repeat, at most.

        Raises:
            AuditError: the audited code fails in a fresh process.
        """
        for process in self._processes:
            _, errors = process.communicate()
            if process.returncode:
                lines = errors.decode("utf-8", "replace").strip().splitlines()
                last = lines[-1] if lines else f"exit code {process.returncode}"
                raise AuditError(f"{self._subject}: failed in a new process: {last}")
        one, other = (pickle.loads(result.read_bytes()) for result in self._results)
        return bool(one == other) and sum(map(_log_probability, one)) <= math.log(alpha)


def _log_probability(outputs: Sequence[Any]) -> float:
    ways = sum(math.lgamma(count + 1) for count in Counter(outputs).values())
    return ways - math.lgamma(len(outputs) + 1)


def write_outputs(request: str, result: str) -> None:
    """In a new process: draw what the file ``request`` asks for, and write it to ``result``."""
    subject, instance = pickle.loads(Path(request).read_bytes())
    try:
        draw = subject.prepare(instance)
        drawn = [draw(word, _DRAWS) for word in instance.words]
    except BrrError as error:
        sys.exit(str(error))
    outputs = [[o if isinstance(o, str) else o.tobytes() for o in row] for row in drawn]
    Path(result).write_bytes(pickle.dumps(outputs))
