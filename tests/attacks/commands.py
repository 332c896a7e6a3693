"""Wrong calls of every command: one line of error, no traceback, nothing left behind or lost.

    python tests/attacks/commands.py --calls 1000 --seed 0

A call is a right one with one or two things made wrong: an option's value, a file that is something
else, a damaged manifest, a closed or full standard stream, an argument too few or too many. Texts,
tables and reports hold a word that nobody may see again. Most
calls run in a fork of this process; those with odd streams run as processes of their own, with a
bound on memory. Prints every call that ended badly, and exits with 1 if there was one.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import math
import os
import random
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import brrkit_toolchain.__main__
import brrkit_toolchain.bundle.build
from brrkit import WordBundle
from brrkit.bundle import INDEX, MANIFEST, PARITY, RANDOMIZER
from brrkit.setting import Setting
from brrkit_counting import build_list
from brrkit_counting.reports.batch import Batch
from brrkit_counting.reports.setting import ReportSetting
from brrkit_toolchain import BuildPlan
from brrkit_toolchain.bundle.writer import encode_manifest
from brrkit_toolchain.embeddings import EmbeddingsError, source_file
from brrkit_toolchain.io import progress

sys.path.insert(0, str(Path(__file__).parents[2]))
import examples.receiver.__main__
from examples.receiver.store import Store

WARM = """
    brrkit_toolchain.audit brrkit_toolchain.channel.privacy_loss.certificates brrkit_toolchain.cli
    brrkit_toolchain.report brrkit_toolchain.bundle.verify faiss
    gensim.models.fasttext jinja2 matplotlib.backends.backend_svg
    sklearn.linear_model sklearn.metrics sklearn.neural_network sklearn.preprocessing
"""
"""Modules to import once, and not in every fork."""

CANARY = "zqtypedsecret"
"""In every file of texts: what was typed. No command prints it."""

RECEIVER = ("examples.receiver",)
"""Its calls are no calls of ``brr``, but keep the same rules."""

TIMEOUT = 600  # seconds: a call that takes longer hangs, even on a busy machine
NO_LINES = {"TQDM_DISABLE": "1"}
"""The environment without lines on how far a command is: it prints some where it is slow."""

MEMORY = 3 << 30  # bytes that a call may take
LONGEST = 400
PROCESSES = 0.1  # share of the calls with a process of their own

NUMBERS = [
    "", "nan", "x", "-1", "1e400", "-inf", "inf", "9" * 30, "0x10", "1,5", "\x1b[31m", "\udcff",
    "-nan", "1e-320", "2", "-0.5",
]  # fmt: skip
TEXTS = [
    "", "\x1b]0;title\x07", "a\nb\r\n\nc", "\udcff\udcfe", "\u202egnp.exe", "é" * 300,
    "A" * 9_000,
]  # fmt: skip
ODD_FILES = [
    "folder", "pipe", "/dev/zero", "/dev/full", "/dev/null", "missing", "dangling", "loop", "noise",
    "hollow", "wide", "file/below", "n" * 300, "/", ".", "..", "/proc/self/mem", "no\udcff",
    "\x1b[2J", "socket", "nohead.csv", "nohead.tsv", "plain.csv.gz", "hostile.jsonl",
]  # fmt: skip
TEXTUAL = {"pipe", "/dev/null", "hollow", "nohead.csv", "nohead.tsv", "hostile.jsonl"}
TEXT_FILES = [name for name in ODD_FILES if name not in TEXTUAL]
"""As a text; the others are one, or wait for a writer."""

ODD_OUTPUTS = [
    "folder", "pipe", "/dev/full", "/dev/null", "no/such/folder/file", "file/below", "n" * 300, "/",
    ".", "..", "/proc/new", "loop", "dangling/x", "socket", "bundle/manifest.json",
    "bundle/../bundle/index.safetensors", "bundle/new",
]  # fmt: skip


@dataclass(frozen=True)
class Option:
    """An option and its right value; ``kind`` says what can be wrong with it."""

    name: str
    kind: str
    right: str | None = None


@dataclass(frozen=True)
class Command:
    """A command with its arguments and options; the right call is cheap."""

    words: tuple[str, ...]
    arguments: tuple[tuple[str, str], ...]
    options: tuple[Option, ...]
    weight: int = 4


BUNDLE = ("bundle", "bundle")
SOURCE = Option("--embeddings", "source", "e.txt")
RUN = (Option("--trials", "number", "2"), Option("--texts", "number"), Option("--seed", "number"))
DATA = (
    Option("--data", "file", "reviews.csv"),
    Option("--text-column", "word"),
    Option("--label-column", "word"),
    Option("--split-column", "word"),
    Option("--epsilon", "number", "1"),
)
REPORTS = (Option("--json", "file-out"), Option("--junit", "file-out"))
COMMANDS = (
    Command(
        ("build",),
        (),
        (
            SOURCE,
            Option("--output", "folder-out", "built"),
            Option("--bits", "number", "64"),
            Option("--method", "word"),
            Option("--effort", "word", "low"),
            Option("--vocabulary-size", "number"),
            Option("--word-list", "file"),
            Option("--word-pairs", "pairs"),
            Option("--seed", "number"),
        ),
        8,
    ),
    Command(
        ("list",),
        (("text", "strings.csv"),),
        (
            Option("--output", "folder-out", "listed"),
            Option("--strings", "flag"),
            Option("--written-in", "word"),
            Option("--seed", "number"),
        ),
    ),
    Command(("inspect",), (BUNDLE,), (Option("--json", "flag"),), 8),
    Command(
        ("verify",),
        (BUNDLE,),
        (*REPORTS, Option("--embeddings", "source"), Option("--strings", "file")),
        2,
    ),
    Command(
        ("measure",),
        (BUNDLE,),
        (
            Option("--epsilon", "number", "1"),
            Option("--mechanism", "word"),
            Option("-t", "number"),
            Option("--lambda", "number"),
            Option("--words", "word"),
            Option("--sample", "number", "20"),
            Option("--draws", "number", "5"),
            Option("--seed", "number"),
            Option("--embeddings", "source"),
            Option("--among", "file"),
        ),
        8,
    ),
    Command(
        ("calibrate",),
        (BUNDLE,),
        (
            Option("--unchanged", "number"),
            Option("--support", "number"),
            Option("--text", "file"),
            Option("--public-text", "file"),
            Option("--attacker", "word"),
            Option("--over", "word"),
            Option("--mechanism", "word"),
            Option("--sample", "number", "20"),
            Option("--seed", "number"),
            Option("--write", "flag"),
        ),
    ),
    Command(
        ("audit",),
        (BUNDLE,),
        (
            *REPORTS,
            Option("--mechanism", "word", "brr"),
            Option("-t", "number"),
            Option("--factory", "word"),
            Option("--metric", "word"),
            Option("--embeddings", "source"),
            Option("--samples", "number", "1"),
            Option("--false-alarm-rate", "number"),
        ),
    ),
    Command(
        ("report",),
        (BUNDLE,),
        (
            Option("--output", "file-out"),
            Option("--words", "word"),
            Option("--text", "file"),
            Option("--public-text", "file"),
            Option("--among", "file"),
            Option("--embeddings", "source"),
            Option("--seed", "number"),
            Option("--no-audit", "flag", ""),
        ),
        2,
    ),
    Command(
        ("privatize",),
        (BUNDLE,),
        (
            Option("--input", "text", "text.txt"),
            Option("--epsilon", "number", "1"),
            Option("--mechanism", "word"),
            Option("--oov", "word"),
            Option("-t", "number"),
            Option("--budget", "budget"),
        ),
        8,
    ),
    Command(("neighbors",), (BUNDLE, ("word", "w1")), (Option("-k", "number"),)),
    Command(("evaluate",), (BUNDLE,), (SOURCE, *DATA, *RUN)),
    Command(
        ("estimate",),
        (("reports", "reports.csv"),),
        (
            Option("--bundle", "file", "bundle"),
            Option("--epsilon", "number", "0.8"),
            Option("--radius", "number"),
            Option("--top", "number"),
            Option("--word", "word"),
            Option("--words", "file"),
            Option("--prior", "prior"),
            Option("--compare", "file"),
            Option("--false-discoveries", "number"),
            Option("--foreign", "number"),
            Option("--column", "word"),
            Option("--for", "word"),
            Option("--leave-out-others", "flag"),
            Option("--unexplained", "flag"),
            Option("--output", "file-out"),
            Option("--page", "file-out"),
        ),
        8,
    ),
    Command(
        ("vectors",),
        (BUNDLE,),
        (
            SOURCE,
            Option("--output", "file-out", "vectors.txt"),
            Option("--epsilon", "number", "1"),
            Option("--radius", "number"),
            Option("--base", "word"),
            Option("--cap", "number"),
        ),
    ),
    Command(
        RECEIVER,
        (),
        (
            Option("--store", "file", "reports.db"),
            Option("--export", "file-out", "out.jsonl"),
            Option("--port", "number"),
            Option("--most-bytes", "number"),
            Option("--expect", "word"),
        ),
    ),
    Command(  # with files that are no certificate: it never listens
        RECEIVER,
        (),
        (
            Option("--bundle", "file", "bundle"),
            Option("--store", "file-out", "new.db"),
            Option("--tls-certificate", "file", "file"),
            Option("--tls-key", "file", "file"),
            Option("--expect", "word", '{"mechanism":"exponential","epsilon":1,"parameters":{}}'),
            Option("--host", "word"),
            Option("--port", "number"),
        ),
    ),
    Command(  # from what is no table: it never trains
        ("adept", "train"),
        (),
        (
            Option("--data", "file", "nohead.csv"),
            Option("--output", "folder-out", "model"),
            Option("--column", "word"),
            Option("--label-column", "word"),
            Option("--noise", "number"),
            Option("--learning-rate", "number"),
            Option("--epochs", "number"),
        ),
    ),
)


@dataclass(frozen=True)
class Call:
    """A call to make.

    Attributes:
        arguments: of ``brr``.
        sure: whether it must fail, whatever else holds.
        damage: what to do to the bundle's manifest: (path of fields, new value or nothing).
        streams: what each odd standard stream is.
        writes: files that it may write though it fails: reports of checks, a budget's state.
    """

    arguments: tuple[str, ...]
    sure: bool = False
    damage: tuple[tuple[str, ...], tuple[Any, ...]] | None = None
    streams: tuple[tuple[int, str], ...] = ()
    writes: tuple[str, ...] = ()

    def __str__(self) -> str:
        extra = [f"damage {self.damage}"] if self.damage else []
        extra += [f"{number}: {what}" for number, what in self.streams]
        shown = [a if len(a) < 60 else f"{a[:50]}...({len(a)})" for a in self.arguments]
        return " ".join(["brr", *map(repr, shown), *(f"[{each}]" for each in extra)])


def wrong_value(kind: str, rng: random.Random) -> tuple[list[str], bool]:
    """Return a wrong value for an option, and whether it is wrong for sure."""
    if kind == "budget":
        budget = ["5", "60", "b.json"]
        place = rng.randrange(3)
        budget[place] = rng.choice(["", *ODD_OUTPUTS] if place == 2 else NUMBERS)
        return budget, place == 2 or budget[place] in {"", "nan", "x", "-1"}
    if kind == "prior":
        given = ["reports.csv", "10"]
        place = rng.randrange(2)
        given[place] = rng.choice(NUMBERS if place else ["", *ODD_FILES])
        return given, place == 0 or given[1] not in {"1e-320", "2", "9" * 30}
    value = rng.choice(
        {
            "number": NUMBERS,
            "file": ["", *ODD_FILES],
            "text": TEXT_FILES,
            "pairs": ["", *ODD_FILES],
            "source": ["", *ODD_FILES, "odd.bin", "large.bin"],
            "file-out": ["", *ODD_OUTPUTS],
            "folder-out": ["", *ODD_OUTPUTS, "bundle", "file"],
            "word": TEXTS,
        }[kind]
    )
    sure = {
        "number": value in {"", "nan", "x", "1,5", "\x1b[31m", "\udcff"},
        "file-out": not value.startswith("no/"),  # a page makes its folders
        "folder-out": False,
        "pairs": value != ".",  # it holds embeddings: words and numbers
        "word": False,
    }
    return [value], sure.get(kind, True)


FIELDS = [
    ("source",), ("method",), ("quality",), ("distances",), ("utility",), ("source", "name"),
    ("source", "word_list"), ("source", "dimensions"), ("method", "seed"), ("method", "name"),
    ("quality", "similarity"), ("quality", "nn10"), ("distances", "hamming"),
    ("distances", "hamming", "average"), ("distances", "hamming", "maximum"),
    ("distances", "privacy_ratio_average"), ("utility", "words"), ("utility", "estimated_losses"),
    ("utility", "mechanisms"), ("utility", "mechanisms", "brr"), ("recommended",), ("bits",),
    ("distances", "euclidean"), ("method", "effort"), ("source", "sha256"),
]  # fmt: skip
VALUES: list[tuple[Any, ...]] = [
    (), (None,), ([1],), ("x",), ({},), (0,), (-1,), (1.5,), (True,), ("\x1b[31m\n",), (10**400,),
    ([],), ({"x": {"y": 1}},),
    ({"mechanism": "brr", "epsilon": 1, "parameters": {"t": []}, "goal": ""},),
]  # fmt: skip


def wrong_call(rng: random.Random) -> Call:  # noqa: PLR0912 - a branch for each fault
    """Return a random wrong call."""
    command = rng.choices(COMMANDS, [c.weight for c in COMMANDS])[0]
    chosen = {o.name: [o.right] if o.right else [] for o in command.options if o.right is not None}
    arguments = [value for _, value in command.arguments]
    sure, damage, writes, tail = False, None, [], []
    faults = ["option"] * 6 + ["argument", "count", "unknown", "combination"]
    if arguments and arguments[0] == "bundle":
        faults += ["damage"] * 5
    for fault in rng.sample(faults, rng.choice([1, 1, 1, 2])):
        if fault == "option":
            option = rng.choice(command.options)
            if option.kind == "flag":
                continue
            chosen[option.name], certain = wrong_value(option.kind, rng)
            sure |= certain
        elif fault == "argument" and arguments and command.arguments:
            place = rng.randrange(min(len(arguments), len(command.arguments)))
            kind = command.arguments[place][0]
            if kind == "word":
                arguments[place] = rng.choice([*TEXTS, "nobody's"])
            else:
                arguments[place] = rng.choice(["", *ODD_FILES, "a-list"])
                sure |= kind == "bundle" and arguments[place] != "a-list"
        elif fault == "count":
            if arguments and rng.random() < 0.5:
                arguments.pop()
            else:
                arguments.append(rng.choice(TEXTS))
        elif fault == "unknown":
            tail = [
                rng.choice(["--nonsense", "--\x1b[31m", "-z", "--output", "--epsilon=", "--=\n"])
            ]
        elif fault == "damage":
            damage = (rng.choice(FIELDS), rng.choice(VALUES))
        elif fault == "combination":
            for option in rng.sample(command.options, min(3, len(command.options))):
                chosen.setdefault(option.name, [option.right or "0.5"])
    for name in ("--json", "--junit", "--budget"):
        if chosen.get(name):
            writes += [chosen[name][-1], chosen[name][-1] + ".lock", chosen[name][-1] + ".new"]
    options = [part for name, value in chosen.items() for part in (name, *value)]
    call = Call((*command.words, *arguments, *options, *tail), sure, damage, (), tuple(writes))
    return call if rng.random() > PROCESSES else with_odd_streams(rng)


def with_odd_streams(rng: random.Random) -> Call:
    """Return a call, right but for its standard streams."""
    arguments = rng.choice(
        [
            ("inspect", "bundle"),
            ("inspect", "bundle", "--json"),
            ("privatize", "bundle", "--epsilon", "1"),
            ("privatize", "bundle", "--epsilon", "1", "--budget", "99", "60", "b.json"),
            ("neighbors", "bundle", "w1"),
            ("--help",),
            ("neighbors", "bundle"),
            ("measure", "bundle", "--epsilon", "1", "--sample", "9", "--draws", "3"),
            ("build", "--embeddings", "missing.txt"),
            (),
        ]
    )
    # (A folder as standard input is beyond us: Python itself doesn't start.)
    streams = {0: ["closed", "/dev/zero", "/dev/null"], 1: ["closed", "/dev/full", "gone"]}
    streams[2] = ["closed", "/dev/full"]
    chosen = rng.sample([0, 1, 1, 2], rng.choice([1, 1, 2]))
    odd = tuple(sorted({number: rng.choice(streams[number]) for number in chosen}.items()))
    there = dict(odd)
    sure = there.get(1) in ("closed", "/dev/full") and bool(arguments)
    if arguments[:1] == ("privatize",):
        sure = there.get(0) in ("closed", "/dev/zero") or (sure and there.get(0) is None)
    return Call(arguments, sure, None, odd, ("b.json", "b.json.lock", "b.json.new"))


def damaged_fasttext(longest: int, shortest: int, letters: int) -> bytes:
    """Return FastText's binary format with one word of so many letters."""
    import struct

    word = b"w" * letters
    arguments = (793712314, 12, 2, 5, 5, 1, 5, 1, 2, 1, 10, shortest, longest, 0)
    head = struct.pack("<2i12id", *arguments, 1e-4)
    head += struct.pack("<3i2q", 1, 1, 0, 9, -1) + word + b"\0" + struct.pack("<qb", 5, 0)
    matrix = struct.pack("<?2q", False, 11, 2) + b"\1" * 88
    return head + matrix + struct.pack("<?2q", False, 1, 2) + b"\1" * 8


def make_fixtures(folder: Path) -> None:
    """Fill ``folder`` with a bundle and what commands read, right and odd."""
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(300)]
    rows = (f"{w} {' '.join(map(str, rng.standard_normal(8).round(3)))}\n" for w in words)
    (folder / "e.txt").write_text("".join(rows))
    plan = BuildPlan(bits=64, effort="low")
    brrkit_toolchain.bundle.build.build_bundle(folder / "e.txt", folder / "bundle", plan)
    (folder / "file").write_text("mine")
    (folder / "strings.csv").write_text(f"word,count\ngood morning,3\n{CANARY},2\n")
    build_list(folder / "strings.csv", folder / "a-list")
    (folder / "text.txt").write_text(f"w1 w2, W3!\nnobody's w4 {CANARY}\n")
    for name, separator in (("nohead.csv", ","), ("nohead.tsv", "\t"), ("plain.csv.gz", ",")):
        (folder / name).write_text(f"{CANARY} my{separator}1\nand {CANARY}{separator}0\n")
    make_reports(folder)
    texts = (f"{' '.join(rng.choice(words, 8))},{i % 2}\n" for i in range(80))
    (folder / "reviews.csv").write_text("text,label\n" + "".join(texts))
    (folder / "folder").mkdir()
    (folder / "folder" / "mine").write_text("mine")
    os.mkfifo(folder / "pipe")
    os.mknod(folder / "socket", stat.S_IFSOCK | 0o600)
    (folder / "dangling").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    (folder / "noise").write_bytes(random.Random(0).randbytes(50_000))
    (folder / "hollow").write_bytes(b"")
    with (folder / "wide").open("wb") as file:
        file.truncate(1 << 33)  # sparse
    (folder / "odd.bin").write_bytes(damaged_fasttext(2**31 - 1, -5, 4_000))
    (folder / "large.bin").write_bytes(damaged_fasttext(2**31 - 1, 1, 4_000))


def make_reports(folder: Path) -> None:
    """Write reports: a table, a receiver's store, and batches that hold what was typed."""
    words = "".join(f"w{i},{3_000 // (i + 1) + 5}\n" for i in range(300))
    (folder / "reports.csv").write_text(f"word,count\n{words}{CANARY},9\n")
    opened = WordBundle.open(folder / "bundle")
    digest = str(opened.manifest["sha256"])
    setting: dict[str, Any] = {"mechanism": "exponential", "epsilon": 0.8, "parameters": {}}
    store = Store(folder / "reports.db", digest)
    for number in range(3):
        store.add(
            Batch(digest, ReportSetting(Setting(0.8)), f"{number:032x}", None, {"w1": 3, "w2": 1})
        )
    store.close()
    fields = {"format": "brr-reports", "format_version": 1, "bundle": digest, "words": ["w1"]}
    hostile = [
        {"setting": {**setting, "mechanism": CANARY}},
        {"setting": {**setting, "parameters": {CANARY: CANARY}}},
        {"setting": setting, CANARY: 1},
    ]
    random.Random(0).shuffle(hostile)
    lines = [json.dumps({**fields, "batch": f"{i:032x}", **one}) for i, one in enumerate(hostile)]
    (folder / "hostile.jsonl").write_text("\n".join(lines))


def damage_manifest(bundle: Path, path: Sequence[str], value: tuple[Any, ...]) -> None:
    """Set a field of the manifest, or remove it, and make the digests fit again."""
    fields = json.loads((bundle / MANIFEST).read_bytes())
    for name in ("format", "format_version", "files", "sha256"):
        del fields[name]
    place = fields
    for name in path[:-1]:
        place = place[name]
    place.pop(path[-1], None)
    if value:
        place[path[-1]] = value[0]
    contents = {name: (bundle / name).read_bytes() for name in (INDEX, RANDOMIZER, PARITY)}
    (bundle / MANIFEST).write_bytes(encode_manifest(fields, contents))


def state(folder: Path) -> dict[str, str]:
    """Return what is in a folder, by name: kind, and content of what isn't large."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = ""
        if stat.S_ISREG(status.st_mode):
            small = status.st_size < 1 << 24
            content = hashlib.sha256(path.read_bytes()).hexdigest() if small else "large"
        found[str(path.relative_to(folder))] = f"{stat.S_IFMT(status.st_mode)} {content}"
    return found


@dataclass(frozen=True)
class Outcome:
    code: int | None
    out: str
    err: str


def limit() -> None:
    """Bound the memory of this process, above what it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def in_fork(call: Call, folder: Path) -> Outcome:
    """Make a call in a fork of this process."""
    with tempfile.TemporaryDirectory() as outside:
        paths = [Path(outside) / name for name in ("out", "err")]
        process = os.fork()
        if process == 0:
            code = 70
            try:
                os.chdir(folder)
                for number, path in enumerate(paths, start=1):
                    os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
                os.dup2(os.open("text.txt", os.O_RDONLY), 0)
                sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
                limit()
                source_file._download = no_network
                progress.SECONDS = math.inf  # as NO_LINES
                if call.arguments[:1] == RECEIVER:
                    sys.argv = list(call.arguments)
                    examples.receiver.__main__.main()
                sys.argv = ["brr", *call.arguments]
                brrkit_toolchain.__main__.main()
            except SystemExit as end:
                code = int(end.code or 0)
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        ended = wait(process)
        return Outcome(ended, *(read(path) for path in paths))


def wait(process: int) -> int | None:
    """Return a child's exit code, negative for a signal, or None if it had to be killed."""
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return None


def read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape") if path.exists() else ""


def no_network(name: str) -> Path:
    raise EmbeddingsError(f"{name}: no such file")


def as_process(call: Call, folder: Path) -> Outcome:
    """Make a call in a process of its own, with odd standard streams."""
    odd = dict(call.streams)

    def prepare() -> None:
        limit()
        for number, what in odd.items():
            if what == "closed":
                os.close(number)

    with tempfile.TemporaryDirectory() as outside, tempfile.TemporaryDirectory() as home:
        paths = {1: Path(outside) / "out", 2: Path(outside) / "err"}
        streams = {0: os.open(folder / "text.txt", os.O_RDONLY)}
        for number, path in paths.items():
            streams[number] = os.open(path, os.O_WRONLY | os.O_CREAT)
        for number, what in odd.items():
            if what != "closed":
                os.close(streams[number])
            if what.startswith("/"):
                streams[number] = os.open(what, os.O_RDONLY if number == 0 else os.O_WRONLY)
            elif what == "gone":  # a pipe whose reader has gone
                reader, streams[number] = os.pipe()
                os.close(reader)
        process = subprocess.Popen(
            [sys.executable, "-m", "brrkit_toolchain", *call.arguments],
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            cwd=folder,
            preexec_fn=prepare,  # noqa: PLW1509 - there are no threads
            env={**os.environ, "HOME": home, **NO_LINES},
        )
        try:
            code: int | None = process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            code = None
        for stream in streams.values():
            os.close(stream)
        return Outcome(code, *(read(path) for path in paths.values()))


def judge(  # noqa: PLR0912 - a branch for each rule
    call: Call, outcome: Outcome, before: dict[str, str], after: dict[str, str]
) -> list[str]:
    """Return what is wrong with how a call ended."""
    problems = []
    odd = dict(call.streams)
    if outcome.code is None:
        return [f"hangs (more than {TIMEOUT} s)"]
    if outcome.code not in (0, 1, 2):
        problems.append(f"exit code {outcome.code}")
    if call.sure and outcome.code == 0:
        problems.append("exit code 0")
    if "Traceback" in outcome.err or "Exception ignored" in outcome.err:
        problems.append("traceback")
    shown = outcome.err.split("\n")[:-1]
    helped = outcome.err.startswith("Usage:")
    if outcome.code and 2 not in odd and not helped and odd.get(1) != "gone":
        errors = [line for line in shown if line.startswith("Error: ")]
        if len(errors) != 1 or shown[-1:] != errors or not outcome.err.endswith("\n"):
            problems.append(f"{len(errors)} lines of error, {len(shown)} in all")
        elif len(errors[0]) > LONGEST + len("Error: "):
            problems.append(f"an error of {len(errors[0])} characters")
        if "None" in outcome.err or ": :" in outcome.err:
            problems.append("an error without a name or a reason")
    if not outcome.code and shown:
        problems.append("exit code 0 with a message on standard error")
    if CANARY in outcome.err + outcome.out:
        problems.append("typed text is shown")
    for name, text in (("error", outcome.err), ("output", outcome.out)):
        if not all(c.isprintable() or c in "\n\t" for c in text):
            problems.append(f"control characters in the {name}")
    changed = {
        name
        for name in before.keys() | after.keys()
        if before.get(name) != after.get(name) and name not in call.writes
    }
    if outcome.code and changed and 1 not in odd:  # else it was done, and couldn't say so
        problems.append(f"left or changed: {', '.join(sorted(changed)[:4])}")
    if any(name in before for name in changed) and "--write" not in call.arguments:
        problems.append(f"lost: {', '.join(sorted(changed & before.keys())[:4])}")
    if any("building-" in name or "writing-" in name or "replaced-" in name for name in changed):
        problems.append("a temporary file is left")
    return problems


@contextmanager
def fixtures() -> Iterator[Callable[[], Path]]:
    """Yield a function that returns a fresh folder of fixtures, as cheaply as can be."""
    for module in WARM.split():
        importlib.import_module(module)
    with tempfile.TemporaryDirectory() as temporary:
        template = Path(temporary) / "template"
        template.mkdir()
        process = os.fork()
        if process == 0:  # threads of a library that has worked here don't outlive a fork
            status = 1
            try:
                make_fixtures(template)
                status = 0
            finally:  # whatever is raised: a second run of the tests would go on from here
                os._exit(status)
        assert wait(process) == 0
        pristine = state(template)

        manifest = (template / "bundle" / MANIFEST).read_bytes()

        def fresh() -> Path:
            (template / "bundle" / MANIFEST).write_bytes(manifest)
            for name in sorted(state(template).keys() - pristine.keys(), reverse=True):
                path = template / name
                path.rmdir() if path.is_dir() else path.unlink()
            if state(template) != pristine:
                raise RuntimeError("a fixture was changed; its call is reported above")
            return template

        yield fresh


def say(line: str) -> None:
    print(line, flush=True)


def attack(calls: int, seed: int, report: Callable[[str], None] = say) -> int:
    """Make wrong calls, report those that end badly, and return their number."""
    rng = random.Random(seed)
    bad = 0
    codes: Counter[str] = Counter()
    with fixtures() as fresh:
        for number in range(calls):
            call = wrong_call(rng)
            folder = fresh()
            if call.damage:
                damage_manifest(folder / "bundle", *call.damage)
            before = state(folder)
            outcome = (as_process if call.streams else in_fork)(call, folder)
            problems = judge(call, outcome, before, state(folder))
            codes[str(outcome.code)] += 1
            if number % 100 == 99:
                print(f"{number + 1} calls, {bad} ended badly", file=sys.stderr, flush=True)
            if problems:
                bad += 1
                report(f"{number}: {call}\n   {'; '.join(problems)}\n   {outcome.err[-900:]!r}")
    report(f"{calls} wrong calls: {bad} ended badly; exit codes {dict(sorted(codes.items()))}")
    return bad


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    sys.exit(1 if attack(chosen.calls, chosen.seed) else 0)
