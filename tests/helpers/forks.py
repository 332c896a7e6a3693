"""Processes of their own that share their imports: forks of a process that has made them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

# A request is a list of arguments, with the files 0, 1 and 2; answers are the child's id, and in
# the end its exit code.
_SERVER = """
import json, os, signal, socket, sys
{imports}
requests = socket.socket(fileno=int(sys.argv[1]))
while True:
    request, files, _, _ = socket.recv_fds(requests, 1 << 16, 3)
    if not request:
        sys.exit()
    child = os.fork()
    if child == 0:
        break
    for file in files:
        os.close(file)
    requests.sendall(child.to_bytes(4, "little"))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    requests.sendall(code.to_bytes(4, "little", signed=True))
requests.close()
for number, file in enumerate(files):
    os.dup2(file, number)
    os.close(file)
sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv[1:] = json.loads(request)
{command}
"""


class Fork:
    """A process that has been started."""

    def __init__(self, pid: int, stdout: IO[str], stderr: IO[str], answers: socket.socket) -> None:
        self.pid = pid
        self.stdout = stdout
        self._stderr = stderr
        self._answers = answers

    def wait(self) -> tuple[int, str, str]:
        """Return the exit code, the rest of standard output, and standard error."""
        with self.stdout, self._stderr:
            printed = self.stdout.read()
            code = int.from_bytes(self._answers.recv(4), "little", signed=True)
            self._stderr.seek(0)
            return code, printed, self._stderr.read()


class Forks:
    """What starts them, one at a time."""

    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests

    def start(self, *arguments: object, text: str = "") -> Fork:
        """Run the command with these arguments, and ``text`` on standard input."""
        reading, writing = os.pipe()
        stderr = tempfile.TemporaryFile("w+")  # noqa: SIM115
        with tempfile.TemporaryFile("w+") as stdin, os.fdopen(writing, "w") as stdout:
            stdin.write(text)
            stdin.seek(0)
            files = [file.fileno() for file in (stdin, stdout, stderr)]
            request = json.dumps([str(argument) for argument in arguments]).encode()
            socket.send_fds(self._requests, [request], files)
            answer = self._requests.recv(4)
        assert answer, "the process that is forked has ended"
        return Fork(int.from_bytes(answer, "little"), os.fdopen(reading), stderr, self._requests)


@contextmanager
def forking(imports: str, command: str) -> Iterator[Forks]:
    """Start the process that is forked.

    Args:
        imports: Python code that it runs once.
        command: Python code that each fork runs; its arguments are in ``sys.argv``.
    """
    ours, theirs = socket.socketpair()
    server = _SERVER.format(imports=imports, command=command)
    program = [sys.executable, "-c", server, str(theirs.fileno())]
    with subprocess.Popen(program, pass_fds=[theirs.fileno()]), ours:  # which ends when this closes
        theirs.close()
        yield Forks(ours)
