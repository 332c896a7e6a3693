"""A corpus on Spark: the example of the docs, and an executor that is killed on purpose.

Each test starts a Spark of its own, in a process of its own: seconds on an idle machine, minutes on
a busy one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"

pytestmark = pytest.mark.skipif(
    not (shutil.which("java") or os.environ.get("JAVA_HOME")), reason="no Java for Spark"
)


def run(script: str, folder: Path, *arguments: object) -> str:
    environment = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_WORKER_DIR": str(folder / "workers"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        # Most code runs a few times: the optimizing compiler would take longer than it saves.
        "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4_000:]
    return done.stdout


KILLED = """
import fcntl, json, os, signal, sys
from pathlib import Path
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql.functions import lit
import brrkit_toolchain.corpus.spark as adapter
from brrkit import WordBundle

bundle, folder = sys.argv[1:]
spark = (
    SparkSession.builder.master("local-cluster[2,1,1024]")
    .config("spark.ui.enabled", "false")
    .config("spark.executor.memory", "512m")
    .getOrCreate()
)
right = adapter.batches.privatize

class Watched:  # in the tasks, in place of brrkit_toolchain.corpus.batches
    @staticmethod
    def privatize(arriving, setting):
        task = TaskContext.get()
        for batch in right(arriving, setting):
            with open(f"{folder}/draws", "a") as log:
                fcntl.flock(log, fcntl.LOCK_EX)
                run = [task.partitionId(), task.attemptNumber(), batch.to_pylist()]
                log.write(json.dumps(run) + "\\n")
            yield batch  # the next one is asked for when the writer has this
            if task.partitionId() == 1 and task.attemptNumber() == 0:
                daemon = Path(f"/proc/{os.getppid()}/stat").read_text()
                os.kill(int(daemon.rpartition(") ")[2].split()[1]), signal.SIGKILL)  # the executor
                signal.pause()

frame = spark.range(0, 40, 1, 4).withColumn("text", lit("the old town of the king and his men"))
frame = frame.withColumn("secret", lit("xyzzyplugh"))
Watched.CorpusSetting = adapter.batches.CorpusSetting
adapter.batches = Watched
released = adapter.privatize_frame(
    WordBundle.open(bundle), frame, f"{folder}/out", ["text"],
    keep=["id"], epsilon=0.05, mechanism="exponential",
)
print(json.dumps([[row.asDict() for row in released.collect()] for _ in range(2)]))
spark.stop()
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc to find an executor in")
def test_a_killed_executor_releases_once(sample_bundle: Path, tmp_path: Path) -> None:
    first, second = json.loads(run(KILLED, tmp_path, sample_bundle, tmp_path).splitlines()[-1])
    draws = [json.loads(line) for line in (tmp_path / "draws").read_text().splitlines()]
    by_run: dict[tuple[int, int], list[tuple[int, str]]] = {}
    for partition, attempt, rows in draws:
        drawn = [(row["id"], row["text"]) for row in rows]
        by_run.setdefault((partition, attempt), []).extend(drawn)

    # The killed run had drawn its rows, and another run drew them again, with other words.
    lost, kept = by_run[1, 0], by_run[1, 1]
    assert {i for i, _ in lost} == {i for i, _ in kept} == set(range(10, 20))
    assert not set(lost) & set(kept)
    # Only the second's are there; each row once; whoever reads again reads the same.
    found = sorted((row["id"], row["text"]) for row in first)
    assert [i for i, _ in found] == list(range(40))
    assert set(kept) <= set(found)
    assert not set(lost) & set(found)
    assert sorted((row["id"], row["text"]) for row in second) == found
    assert all(len(text.split()) == 9 for _, text in found)
    # Nothing of the lost run is left on disk, and nothing that wasn't asked for.
    files = {path for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert {path.suffix for path in files} == {".parquet", ".crc", ""}
    assert [path.name for path in files if not path.suffix] == ["_SUCCESS"]
    assert len([path for path in files if path.suffix == ".parquet"]) == 4
    assert set(first[0]) == {"text", "id"}


def test_the_example_of_the_docs(sample_bundle: Path, tmp_path: Path) -> None:
    [example] = re.findall(r"```python\n(.*?)```", (DOCS / "corpus.md").read_text("utf-8"), re.S)
    shutil.copytree(sample_bundle, tmp_path / "bundle")
    prepare = (
        "import json, pyarrow as pa, pyarrow.parquet as pq\n"
        "pq.write_table(pa.table({'review': ['The old Town!', None, ''], 'stars': [1, 2, 3],"
        " 'name': ['xyzzyplugh'] * 3}), 'reviews.parquet')\n"
    )
    check = (
        "rows = private.collect()\n"
        "print(json.dumps(sorted([row['stars'], row['review'], len(row)] for row in rows)))\n"
        "from brrkit import ParameterError\n"
        "for options in ({'columns': ['stars']}, {'columns': ['review'], 'keep': ['review']}):\n"
        "    try:\n"
        "        privatize_frame(bundle, reviews, 'other', epsilon=1, **options)\n"
        "    except ParameterError as error:\n"
        "        print(error)\n"
        "try:\n"
        "    privatize_frame(bundle, reviews, 'private', ['review'], epsilon=1)\n"
        "except Exception as error:\n"
        "    print('PATH_ALREADY_EXISTS' in str(error))\n"
    )
    rows, *errors = run(prepare + example + check, tmp_path).splitlines()
    found = json.loads(rows)
    assert [len((text or "").split()) for _, text, _ in found] == [3, 0, 0]
    assert [text for _, text, _ in found][1:] == [None, ""]
    assert [(stars, fields) for stars, _, fields in found] == [(1, 2), (2, 2), (3, 2)]
    assert "column 'stars' holds" in errors[0]
    assert "column 'review' is" in errors[1]
    assert errors[2] == "True"
    assert not (tmp_path / "other").exists()
