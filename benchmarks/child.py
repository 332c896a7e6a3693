"""Separate processes: commands with measured time and memory; other environments."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import click
import psutil

from benchmarks import THREADS

INTERVAL = 0.01  # seconds between two measurements of the memory
_TREE_INTERVAL = 0.05  # the same, for all of a command's processes


@dataclass(frozen=True)
class Run:
    """=The resources of a command.

    Attributes:
        seconds: wall-clock time, including the start of the interpreter.
        peak: largest resident memory in bytes, sampled.
        stages: seconds of each stage, as the command reports them.
        peaks: largest resident memory during each stage.
    """

    seconds: float
    peak: int
    stages: dict[str, float]
    peaks: dict[str, int]


def all_cores() -> dict[str, str]:
    """Return an environment in which libraries use every core."""
    return {**os.environ, **dict.fromkeys(THREADS, str(os.cpu_count()))}


def watch(command: Sequence[str]) -> Run:
    """Run a command that finally prints JSON with the seconds of its ``stages``.

    The first byte of the output marks the end of the last stage. The stages' seconds then give the
    start of each.
    """
    samples: list[tuple[float, int]] = []
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=all_cores())
        sampler = threading.Thread(target=_sample, args=(process, samples))
        sampler.start()
        assert process.stdout is not None
        first = process.stdout.read(1)
        end = time.perf_counter()
        text = first + process.stdout.read()
        failed = process.wait()
        seconds = time.perf_counter() - start
        sampler.join()
        if failed:
            errors.seek(0)
            lines = errors.read().decode(errors="replace").strip().splitlines()
            raise click.ClickException(lines[-1] if lines else f"exit code {failed}")
    stages: dict[str, float] = json.loads(text)["stages"]
    peaks: dict[str, int] = {}
    begin = end - sum(stages.values())
    for name, duration in stages.items():
        within = [memory for at, memory in samples if begin <= at <= begin + duration]
        peaks[name] = max(within, default=0)
        begin += duration
    return Run(seconds, max(memory for _, memory in samples), stages, peaks)


def _sample(process: subprocess.Popen[Any], samples: list[tuple[float, int]]) -> None:
    watched = psutil.Process(process.pid)
    while True:
        try:
            memory = watched.memory_info().rss
        except psutil.Error:
            return
        if not memory:  # a process that has ended, without a wait for it
            return
        samples.append((time.perf_counter(), memory))
        time.sleep(INTERVAL)


@dataclass(frozen=True)
class Took:
    """=The resources of a command and its processes.

    Attributes:
        seconds: wall-clock time, from its start.
        cpu: CPU seconds of all observed processes.
        peak: largest resident memory of all together, in bytes, sampled.
        printed: its standard output.
    """

    seconds: float
    cpu: float
    peak: int
    printed: str


def watch_tree(command: Sequence[str | Path]) -> Took:
    """Run a command, and watch it and its child processes.

    Raises:
        click.ClickException: the command failed; the message has its last line.
    """
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as printed:
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdout=printed,
            stderr=errors,
            env={**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
        )
        peak, cpu = 0, dict[int, float]()
        while process.poll() is None:
            memory = 0
            try:
                tree = [psutil.Process(process.pid)]
                tree += tree[0].children(recursive=True)
            except psutil.Error:
                continue
            for one in tree:
                try:
                    memory += one.memory_info().rss
                    times = one.cpu_times()
                    cpu[one.pid] = times.user + times.system
                except psutil.Error:  # it has ended
                    continue
            peak = max(peak, memory)
            time.sleep(_TREE_INTERVAL)
        seconds = time.perf_counter() - start
        if process.returncode:
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip().splitlines()
            raise click.ClickException(said[-1] if said else f"exit code {process.returncode}")
        printed.seek(0)
        return Took(seconds, sum(cpu.values()), peak, printed.read().decode())


@cache
def install(wanted: str, folder: Path, *more: str) -> Path | None:
    """Make an environment with a package, once; return its Python, or None if that fails.

    Args:
        wanted: name and version of the package.
        folder: parent folder of the environment, which has the package's name.
        more: further packages.
    """
    place = folder / wanted
    python = place / "bin" / "python"
    for step in (
        [sys.executable, "-m", "venv", str(place)],
        [str(python), "-m", "pip", "install", "--quiet", wanted, *more],
    ):
        if subprocess.run(step, capture_output=True, check=False).returncode:
            return None
    return python


def ask(python: Path, script: str, job: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Let a script do a job in an environment from ``install``; return its output.

    Args:
        python: Python of the environment.
        script: path of a program that reads a file of JSON, and prints JSON in its last line.
        job: content of this file.
        folder: current folder of the program.

    Raises:
        ChildProcessError: the script failed.
    """
    file = folder / "job.json"
    file.write_text(json.dumps(job), encoding="utf-8")
    done = subprocess.run(
        [str(python), "-I", script, str(file)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise ChildProcessError(f"failed: {lines[-1]}" if lines else "failed")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer
