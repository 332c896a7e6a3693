from __future__ import annotations

import csv
import io
import math
import os
import random
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from bundle_tools import ENCYCLOPEDIA, text_embeddings
from click import Command
from hypothesis import settings
from numpy.typing import NDArray

from benchmarks.baselines import add_baselines
from benchmarks.commands import run as run_command
from brrkit import WordBundle
from brrkit_toolchain.__main__ import main
from brrkit_toolchain.bundle.build import build_bundle
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.embeddings import Embeddings, read_embeddings
from brrkit_toolchain.tasks.labeled import Task

add_baselines()  # lsh takes no time

# A busy machine isn't a failure, nor is luck: the examples are the same in each run.
settings.register_profile("brrkit", deadline=None, derandomize=True)
settings.load_profile("brrkit")

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


Brr = Callable[..., Outcome]


def names_options(name: str, message: str) -> None:
    """Check that an error of a command, of any test, names its options and not parameters."""
    from brrkit_toolchain.cli import cli

    parameters = cli.commands[name].params if name in cli.commands else []
    for parameter in (str(each.name).strip("_") for each in parameters if each.opts[0][0] == "-"):
        wrong = rf"Error: {parameter} must |\bgive {parameter}\b(?! that)"
        if "_" in parameter:
            wrong += rf"|(?<![\w'/.-]){parameter}(?![\w'/.=-])"
        assert not re.search(wrong, message), message


@pytest.fixture
def brr(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., Outcome]]:
    """Run the command line, or another ``program``, in this process."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    handlers = [signal.getsignal(number) for number in numbers]

    def run(*arguments: object, stdin: bytes = b"", program: Callable[[], None] = main) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["brr", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            program()
        captured = capsys.readouterr()
        code = stop.value.code
        if isinstance(code, str):  # what the interpreter makes of sys.exit("message")
            return Outcome(1, captured.out, captured.err + code + "\n")
        if program is main and code and arguments:
            names_options(str(arguments[0]), captured.err)
        return Outcome(code or 0, captured.out, captured.err)

    yield run
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)


@pytest.fixture(autouse=True)
def no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a command would print lines that a test doesn't expect."""
    monkeypatch.setattr("brrkit_toolchain.io.progress.SECONDS", math.inf)


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine audited code would be too slow."""
    monkeypatch.setattr("brrkit_toolchain.audit.audited_code.processes.ANSWER_SECONDS", 3_600.0)


@pytest.fixture
def quick_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out a page's plots, and most draws of its attacks, where a test is about the rest."""
    monkeypatch.setattr("brrkit_toolchain.report.plots._plot", lambda *_, **__: "")
    monkeypatch.setattr("brrkit_toolchain.utility.mechanism._ATTACK_DRAWS", 1_000)
    monkeypatch.setattr("brrkit_toolchain.attackers.closed_list._DRAWN_HISTORIES", 500)


@pytest.fixture(scope="session")
def sample_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of 2,000 words x 64 bits. Not to be changed: ``bundle`` is."""
    output = tmp_path_factory.getbasetemp() / "built" / "sample"
    if not output.exists():  # each folder of tests has a fixture of its own
        plan = BuildPlan(bits=64, method="lsh", vocabulary_size=2000, seed=3)
        build_bundle(ENCYCLOPEDIA, output, plan)
    return output


@pytest.fixture(scope="session")
def opened(sample_bundle: Path) -> WordBundle:
    return WordBundle.open(sample_bundle)


@pytest.fixture
def bundle(sample_bundle: Path, tmp_path: Path) -> Path:
    """A copy of ``sample_bundle`` to spoil."""
    return Path(shutil.copytree(sample_bundle, tmp_path / "bundle"))


@pytest.fixture(scope="session")
def eight(tmp_path_factory: pytest.TempPathFactory) -> WordBundle:
    """Eight words, w0 to w7, in 64 bits; two share a code."""
    output = tmp_path_factory.getbasetemp() / "eight"
    if not output.exists():  # as above
        vectors = np.random.default_rng(3).standard_normal((8, 6)).round(3)
        vectors[5] = vectors[2]
        words = tmp_path_factory.mktemp("words") / "words.txt"
        words.write_bytes(text_embeddings([f"w{i}" for i in range(8)], vectors))
        build_bundle(words, output, BuildPlan(bits=64, method="lsh"))
    return WordBundle.open(output)


@pytest.fixture(scope="session")
def sample_source() -> Embeddings:
    """The words and vectors of ``sample_bundle``."""
    return read_embeddings(ENCYCLOPEDIA, vocabulary_size=2000, progress=False)


@pytest.fixture(scope="session")
def clusters(sample_source: Embeddings) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Two sets of 60 words, near each other and far from the other set."""
    vectors = sample_source.vectors - sample_source.vectors.mean(axis=0)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    center = vectors[500]
    order = np.argsort(vectors @ center)
    return order[-60:], np.argsort(vectors @ vectors[order[0]])[-60:]


@pytest.fixture(scope="session")
def labeled_texts(
    sample_source: Embeddings,
    clusters: tuple[NDArray[np.intp], NDArray[np.intp]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """240 texts of 15 words; a third of each text's words tells its class."""
    generator = np.random.default_rng(1)
    file = tmp_path_factory.mktemp("texts") / "texts.csv"
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["body", "kind"])
        for number in range(240):
            telling = generator.choice(clusters[number % 2], 5)
            any_word = generator.integers(len(sample_source.words), size=10)
            ids = generator.permutation(np.concatenate([telling, any_word]))
            writer.writerow([" ".join(sample_source.words[i] for i in ids), "ab"[number % 2]])
    return file


@dataclass(frozen=True)
class Kept:
    """A bundle with task bits, and more texts of the same kind.

    Attributes:
        bundle: 400 words, with the tasks ``mood`` (two classes) and ``stars`` (a number).
        texts: a file of texts of 12 words, without labels.
        labeled: the table that the tasks are of.
    """

    bundle: Path
    texts: Path
    labeled: Path


@pytest.fixture(scope="session")
def kept(sample_source: Embeddings, tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """A third of the texts are good, and a third of a text's words say what it is."""
    folder, source = tmp_path_factory.mktemp("kept"), random.Random("moods")
    words = sample_source.words[:400]
    telling = {"bad": words[200:240], "good": words[240:280]}

    def text(mood: str) -> str:
        said = source.sample(telling[mood], 4) + source.choices(words, k=8)
        return " ".join(source.sample(said, 12))

    with (folder / "reviews.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["text", "mood", "stars"])
        for number in range(1_600):
            mood = "bad" if number % 3 else "good"
            stars = 1 if mood == "bad" else source.choice([3, 4, 5])
            writer.writerow([text(mood), mood, stars])
    typed = "".join(f"{text(source.choice(list(telling)))}\n" for _ in range(400))
    (folder / "typed.txt").write_text(typed, encoding="utf-8")
    tasks = [
        Task(folder / "reviews.csv", label_column=name, name=name) for name in ("mood", "stars")
    ]
    build_bundle(
        ENCYCLOPEDIA, folder / "bundle", BuildPlan(method="lsh", vocabulary_size=400, tasks=tasks)
    )
    return Kept(folder / "bundle", folder / "typed.txt", folder / "reviews.csv")


@pytest.fixture
def benchmark_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Outcome]:
    """Run a command line of ``benchmarks`` in this process."""

    def run(command: Command, *arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            run_command(command)
        captured, code = capsys.readouterr(), stop.value.code
        if isinstance(code, str):
            return Outcome(1, captured.out, f"{captured.err}{code}\n")
        return Outcome(code or 0, captured.out, captured.err)

    return run
