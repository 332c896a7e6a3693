"""Privatization of a whole corpus: by ``brr privatize``, on Spark, by a loop and ``mldp-text``.

The texts are IMDB's 50,000 reviews if they are available (``BRR_DATA``), otherwise made-up texts of
the vocabulary's words. Slow programs get only the first of them. Everything runs in separate
processes.
"""

from __future__ import annotations

import gzip
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.bench import Bench, progress
from benchmarks.child import install, watch_tree
from benchmarks.report import Claim, Finding
from benchmarks.speed import LOSS
from brrkit.bundle import INDEX, MANIFEST, PARITY, RANDOMIZER
from brrkit.mechanisms import MECHANISMS
from brrkit.mechanisms.exponential import BASES, BIGRAM
from brrkit.tokenizer import tokenize
from brrkit_toolchain.bundle.writer import encode_index, encode_manifest
from brrkit_toolchain.language.learn import learn_language
from brrkit_toolchain.language.lexicon import tokenizer_of

TARGET = 2.5
"""Target for microseconds of one core for a word of IMDB by ``exponential``, for each base."""

_CAP = 17.0
_LEAST = 5  # smallest count of a bigram in half of the texts
_COPIES = 10
_MANY = f"{_COPIES} copies"
_ONE = "one text"
_WITH_ALL = f"brr privatize, {BIGRAM}, cap {_CAP:g}, two columns, unknown words dropped"

_PEER = "mldp-text==0.1.2"
_LOOP_NAME = "Python loop, Privatizer.text"

# The two slow programs print the time of their loop, without their start.
_LOOP = """
import sys
import time
import pyarrow.parquet as pq
from brrkit import Privatizer, Setting, WordBundle
bundle, texts, _, epsilon = sys.argv[1:]
privatizer = Privatizer(WordBundle.open(bundle), Setting(float(epsilon)))
texts = pq.read_table(texts)["text"].to_pylist()
start = time.perf_counter(), time.process_time()
for text in texts:
    privatizer.text(text)
print(time.perf_counter() - start[0], time.process_time() - start[1])
"""

_SPARK = """
import sys
from pyspark.sql import SparkSession
from brrkit import Setting, WordBundle
from brrkit_toolchain import CorpusPlan, privatize_frame
bundle, texts, output, epsilon, cores = sys.argv[1:]
spark = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false")
spark = spark.getOrCreate()
frame = spark.read.parquet(texts).repartition(int(cores))
bundle = WordBundle.open(bundle)
privatize_frame(bundle, frame, output, CorpusPlan(["text"], setting=Setting(float(epsilon))))
"""

# Called like by its users: word by word, with its own search, on the same vectors.
_MLDP = """
import sys
import time
import numpy as np
from gensim.models import KeyedVectors
from mldp_text.mechanisms import MultivariateCalibrated
words, vectors, texts, epsilon = sys.argv[1:]
matrix = np.load(vectors)
keyed = KeyedVectors(matrix.shape[1])
keyed.add_vectors(open(words, encoding="utf-8").read().split("\\n"), matrix)
mechanism = MultivariateCalibrated(
    float(epsilon), keyed, matrix.shape[1], vocab=set(keyed.key_to_index)
)
tokens = open(texts, encoding="utf-8").read().split()
start = time.perf_counter(), time.process_time()
for token in tokens:
    mechanism.replace_word(token)
print(time.perf_counter() - start[0], time.process_time() - start[1])
"""


@dataclass(frozen=True)
class _Privatized:
    """The cost of privatizing a number of words: seconds, CPU seconds, bytes of memory."""

    words: int
    seconds: float
    cpu: float
    peak: int


def run(bench: Bench) -> Finding:
    """Privatize the corpus in every way, one after the other."""
    texts, described = _texts(bench)
    epsilon, full_size = bench.epsilons(LOSS)
    few = texts[: 40 if bench.quick else 400]
    some = texts[: 40 if bench.quick else 2_000]
    found: dict[str, _Privatized] = {}

    def measure(
        name: str,
        part: Sequence[str],
        command: list[str],
        own_clock: bool = False,
        copies: int = 1,
    ) -> None:
        progress(f"corpus: {name}, {copies * len(part):,} texts")
        took = watch_tree(command)
        seconds, cpu = map(float, took.printed.split()) if own_clock else (took.seconds, took.cpu)
        words = copies * sum(len(tokenize(text)) for text in part)
        found[name] = _Privatized(words, seconds, cpu, took.peak)

    with tempfile.TemporaryDirectory(dir=bench.folder) as temporary:
        folder = Path(temporary)
        whole, first, part, one, many = (
            folder / f"{name}.parquet" for name in ("whole", "few", "some", "one", "many")
        )
        _write(whole, texts)
        _write(first, few)
        _write(part, some)
        _write(one, texts[:1])
        _write(many, texts, _COPIES)
        halves = folder / "halves.parquet"
        middles = [len(text) // 2 for text in texts]
        pq.write_table(
            pa.table(
                {
                    "text": [text[:end] for text, end in zip(texts, middles, strict=True)],
                    "rest": [text[end:] for text, end in zip(texts, middles, strict=True)],
                }
            ),
            halves,
        )
        bundle = str(_with_language(bench, folder / "bundle", texts[: len(texts) // 2]))

        def command(file: Path, mechanism: str, jobs: int, *options: str) -> list[str]:
            columns = options if "--column" in options else (*options, "--column", "text")
            return [
                *(sys.executable, "-m", "brrkit_toolchain", "privatize", bundle, *columns),
                *("--input", str(file), "--output", str(folder / "out.parquet")),
                *("--epsilon", repr(epsilon), "--mechanism", mechanism, "--jobs", str(jobs)),
            ]

        def spark(file: Path, cores: int) -> list[str]:
            output = str(folder / f"{file.stem}-spark-{cores}")
            program = [sys.executable, "-c", _SPARK, bundle, str(file), output, repr(epsilon)]
            return [*program, str(cores)]

        for mechanism in MECHANISMS:  # compiles everything
            watch_tree(command(first, mechanism, 1))
        measure(f"brr privatize, {_ONE}", texts[:1], command(one, "exponential", 1))
        measure(f"brr privatize, 2 jobs, {_ONE}", texts[:1], command(one, "exponential", 2))
        for jobs in (1, 2):
            measure(f"brr privatize, {jobs} jobs", texts, command(whole, "exponential", jobs))
        several = command(many, "exponential", 2)
        measure(f"brr privatize, 2 jobs, {_MANY}", texts, several, copies=_COPIES)
        for base in BASES:
            alone = command(whole, "exponential", 1, "--base", base)
            measure(f"brr privatize, {base}", texts, alone)
        everything = ("--base", BIGRAM, "--cap", str(_CAP), "--oov", "drop")
        both = command(
            halves, "exponential", 1, *everything, "--column", "text", "--column", "rest"
        )
        measure(_WITH_ALL, texts, both)
        for name in ("brr", "vickrey"):
            measure(f"brr privatize, {name}", some, command(part, name, 1))
        for cores in (1, 2):
            measure(f"Spark, local[{cores}], {_ONE}", texts[:1], spark(one, cores))
            measure(f"Spark, local[{cores}]", texts, spark(whole, cores))
        measure(f"Spark, local[2], {_MANY}", texts, spark(many, 2), copies=_COPIES)
        loop = [sys.executable, "-c", _LOOP, bundle, str(first), "", repr(epsilon)]
        measure(_LOOP_NAME, few, loop, own_clock=True)
        peer = _peer(bench, folder, few[: max(1, len(few) // 20)], full_size)
        if isinstance(peer, list):
            measure(_PEER, few[: max(1, len(few) // 20)], peer, own_clock=True)
    bytes_per_word = sum(len(text.encode()) for text in few) / found[_LOOP_NAME].words
    return _finding(found, described, "" if isinstance(peer, list) else peer, bytes_per_word)


def _finding(
    found: dict[str, _Privatized], described: str, missing: str, bytes_per_word: float
) -> Finding:
    one, loop = found["brr privatize, 1 jobs"], found[_LOOP_NAME]
    speeds = {name: took.words / took.seconds for name, took in found.items()}
    claims = [
        *(
            Claim(
                f"{name}, CPU time of a word",
                1e6 * found[name].cpu / found[name].words,
                "<=",
                TARGET,
                "us",
                "IMDB, 50,000 words",
            )
            for name in (*(f"brr privatize, {base}" for base in BASES), _WITH_ALL)
        ),
        *(
            Claim(f"{name} / {other}, words a second", speeds[name] / speeds[other], ">=")
            for name, other in (
                ("brr privatize, 1 jobs", _LOOP_NAME),
                ("brr privatize, 2 jobs", "brr privatize, 1 jobs"),
                ("Spark, local[2]", "brr privatize, 2 jobs"),
                (f"Spark, local[2], {_MANY}", f"brr privatize, 2 jobs, {_MANY}"),
                ("brr privatize, 1 jobs", _PEER),
            )
            if other in speeds
        ),
        Claim("CPU time of a word / loop's", one.cpu / one.words / (loop.cpu / loop.words)),
    ]
    return Finding(
        title=f"corpus: a file privatized whole, at E = epsilon * P_avg = {LOSS:g}",
        columns=("", "words", "words a second", "wall, us a word", "CPU, us a word", "peak MB"),
        rows=[
            (
                name,
                f"{took.words:,}",
                f"{speeds[name]:,.0f}",
                f"{1e6 * took.seconds / took.words:.2f}",
                f"{1e6 * took.cpu / took.words:.2f}",
                f"{took.peak / 1e6:,.0f}",
            )
            for name, took in found.items()
        ],
        claims=claims,
        notes=(
            f"texts: {described}",
            f"mechanism exponential where none is named, with base {BIGRAM} where none is; its "
            "masses and bigrams are counted in half of the texts; CPU and memory are those of all "
            f"processes together; start included (see '{_ONE}'), but for the loop and mldp-text",
            f"'{_MANY}': a file with all texts {_COPIES} times",
            missing
            or f"{_PEER}: MultivariateCalibrated as it comes (faiss IndexIVFFlat), on the same "
            "vectors, in an environment of its own (it needs NumPy 1)",
        ),
        numbers={
            "bytes_per_word": bytes_per_word,
            "took": {name: asdict(took) for name, took in found.items()},
        },
    )


def _write(file: Path, texts: Sequence[str], copies: int = 1) -> None:
    table = pa.table({"text": texts})
    with pq.ParquetWriter(file, table.schema) as writer:
        for _ in range(copies):
            writer.write_table(table)


def _with_language(bench: Bench, folder: Path, texts: Sequence[str]) -> Path:
    """Write the bundle with a language model from ``texts``; return its path."""
    progress("corpus: counting bigrams")
    source = bench.bundle
    words = list(source.vocabulary)
    file = folder.with_suffix(".txt")
    file.write_text("\n".join(" ".join(text.split()) for text in texts), encoding="utf-8")
    language, _ = learn_language(tokenizer_of(words, source.writing), file, None, _LEAST)
    files = {
        INDEX: encode_index(words, source.codes, language),
        RANDOMIZER: source.graph,
        PARITY: b"{}",
    }
    fields = {"bits": source.bits, "vocabulary_size": len(words), "bigrams": len(language.gains)}
    folder.mkdir()
    (folder / MANIFEST).write_bytes(encode_manifest(fields, files))
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def _texts(bench: Bench) -> tuple[list[str], str]:
    """Return the texts, and their description."""
    file = Path(os.environ.get("BRR_DATA", "../shared/data")) / "text" / "imdb_labelled_50k.tsv.gz"
    count = 1_000 if bench.quick else 50_000
    if file.exists():
        with gzip.open(file, "rt", encoding="utf-8", newline="\n") as lines:
            texts = [line.rstrip("\n").split("\t")[-1] for line in lines][1 : count + 1]
        return texts, f"the first {len(texts):,} of IMDB's 50,000 labeled reviews"
    generator = np.random.default_rng(0)
    words = np.array(bench.embeddings.words)
    shares = 1 / np.arange(1, len(words) + 1)
    drawn = words[generator.choice(len(words), (count, 230), p=shares / shares.sum())]
    return [" ".join(row) for row in drawn], f"{count:,} made up: 230 words by Zipf's law each"


def _peer(bench: Bench, folder: Path, texts: Sequence[str], epsilon: float) -> list[str] | str:
    """Return the command of ``mldp-text``, or the reason for none."""
    progress(f"corpus: installing {_PEER}")
    python = install(_PEER, folder)
    if python is None:
        return f"{_PEER} couldn't be installed: not measured"
    words, vectors = folder / "words.txt", folder / "vectors.npy"
    words.write_text("\n".join(bench.embeddings.words), encoding="utf-8")
    np.save(vectors, bench.embeddings.vectors)
    tokens = folder / "tokens.txt"
    tokens.write_text(" ".join(" ".join(tokenize(text)) for text in texts), encoding="utf-8")
    return [str(python), "-c", _MLDP, str(words), str(vectors), str(tokens), repr(epsilon)]
