"""A corpus on Spark: an executor that is killed on purpose, and the examples of the docs.

All in one Spark, where several tables are privatized, and reports counted: it starts in seconds on
an idle machine, in minutes on a busy one.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from period_tools import batch, lines, weeks

from brrkit import WordBundle
from brrkit_counting import EstimateOptions, estimate_periods

DOCS = Path(__file__).parents[3] / "docs"

pytestmark = [
    pytest.mark.skipif(
        not (shutil.which("java") or os.environ.get("JAVA_HOME")), reason="no Java for Spark"
    ),
    pytest.mark.skipif(
        not Path("/proc/self/stat").exists(), reason="no /proc to find a process in"
    ),
]


KILLED = """
import fcntl, json, os, signal, sys
from pathlib import Path
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql.functions import lit
import brrkit_toolchain.privatize.spark as adapter
from brrkit import Setting, WordBundle
from brrkit_toolchain import CorpusPlan

bundle, folder = sys.argv[1:]
spark = (
    SparkSession.builder.master("local-cluster[1,1,1024]")
    .config("spark.ui.enabled", "false")
    .config("spark.executor.memory", "512m")
    # Snappy's native library is the wrong one where musl is installed, too.
    .config("spark.sql.parquet.compression.codec", "gzip")
    .getOrCreate()
)
batches = adapter.batches

class Watched:  # in the tasks, in place of brrkit_toolchain.privatize.batches
    @staticmethod
    def privatize(arriving, job, worker):
        task = TaskContext.get()
        for batch in batches.privatize(arriving, job, worker=worker):
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
Watched.CorpusJob, Watched.kept_worker = batches.CorpusJob, batches.kept_worker
adapter.batches = Watched
released = adapter.privatize_frame(
    WordBundle.open(bundle), frame, f"{folder}/out",
    CorpusPlan(["text"], ["id"], Setting(0.05)),
)
print(json.dumps([[row.asDict() for row in released.collect()] for _ in range(2)]))
adapter.batches = batches
"""

PREPARE = """
import pyarrow as pa, pyarrow.parquet as pq
columns = {'review': ['The old Town!', None, ''], 'stars': [1, 2, 3], 'name': ['xyzzyplugh'] * 3}
pq.write_table(pa.table(columns), 'reviews.parquet', compression='gzip')
"""

CHECK = """
rows = private.collect()
print(json.dumps(sorted([row['stars'], row['review'], len(row)] for row in rows)))
from brrkit import ParameterError
for columns, keep in ((['stars'], []), (['review'], ['review'])):
    try:
        privatize_frame(bundle, reviews, 'other', CorpusPlan(columns, keep, Setting(1)))
    except ParameterError as error:
        print(error)
marked = reviews.selectExpr("review", "if(review like 'The%', '[[4, 7]]', null) as spans")
plan = CorpusPlan(['review'], setting=Setting(1), marks='spans', rest='pass')
marked = privatize_frame(bundle, marked, 'marked', plan)
print(json.dumps([marked.columns, sorted(row.review for row in marked.na.drop().collect())]))
try:
    privatize_frame(bundle, reviews, 'private', CorpusPlan(['review'], setting=Setting(1)))
except Exception as error:
    print('PATH_ALREADY_EXISTS' in str(error))
"""

REPORTS = """
import dataclasses
def estimated(name, leave_out_others=False, **of_frame):
    batches = spark.read.text(name)
    groups = {"all": ["london", "king"]}
    options = EstimateOptions(groups=groups, leave_out_others=leave_out_others)
    try:
        return estimate_frame(bundle, batches, options, **of_frame)
    except ParameterError as error:
        return str(error)
def shown(found):
    rows = [dataclasses.astuple(row) for row in found.rows()]
    return [rows, dataclasses.asdict(found.changes), dataclasses.asdict(found.origin)]
from brrkit_counting import EstimateOptions, estimate_frame
print(json.dumps(shown(estimated('weeks.jsonl'))))
print(json.dumps(shown(estimated('others.jsonl', by='month', leave_out_others=True))))
for name in ('others.jsonl', 'broken.jsonl', 'lost.jsonl', 'many.jsonl'):
    print(estimated(name))
print(estimated('weeks.jsonl', column='text'))
print(estimated('weeks.jsonl', by='file'))
"""


def write_reports(folder: Path, bundle: WordBundle) -> None:
    """Write files of batches: some of which come again, and some of which are wrong."""
    made = weeks(bundle, [{"london": 0.1, "king": 0.2}, {"london": 0.4, "king": 0.2}], 4_000)
    other = batch(bundle, 90, setting={"mechanism": "counts", "cap": 4}, counts={"the": 3})
    again = batch(bundle, 91, counts={"of": 2, "nosuchword": 1})
    much = [batch(bundle, 92 + i, counts={"the": 2**53}) for i in range(1_100)]
    files = {
        "weeks": [*made, again, again, made[2], again],
        "others": [other, *made],
        "broken": [*made, batch(bundle, 93, counts={"the": -1})],
        "lost": [*made, batch(bundle, 94, period=None)],
        "many": [*made, *much],
    }
    for name, batches in files.items():
        (folder / f"{name}.jsonl").write_text(lines(batches) + "\n")


@pytest.fixture(scope="module")
def ran(sample_bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder that all of it ran in, and the lines that it printed."""
    folder = tmp_path_factory.mktemp("spark")
    [example] = re.findall(
        r"```python\n(.*?)```", (DOCS / "how-to" / "corpus.md").read_text("utf-8"), re.S
    )
    shutil.copytree(sample_bundle, folder / "bundle")
    environment = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_WORKER_DIR": str(folder / "workers"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        # Most code runs a few times: the optimizing compiler would take longer than it saves.
        "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    write_reports(folder, WordBundle.open(sample_bundle))
    script = KILLED + PREPARE + example + CHECK + REPORTS
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder / "bundle"), str(folder)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4_000:]
    return folder, done.stdout.splitlines()


def test_a_killed_executor_releases_once(ran: tuple[Path, list[str]]) -> None:
    folder, lines = ran
    first, second = json.loads(lines[0])
    draws = [json.loads(line) for line in (folder / "draws").read_text().splitlines()]
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
    files = {path for path in (folder / "out").rglob("*") if path.is_file()}
    assert {path.suffix for path in files} == {".parquet", ".crc", ""}
    assert [path.name for path in files if not path.suffix] == ["_SUCCESS"]
    assert len([path for path in files if path.suffix == ".parquet"]) == 4
    assert set(first[0]) == {"text", "id"}


def test_the_example_of_the_docs(ran: tuple[Path, list[str]]) -> None:
    folder, (_, rows, *errors) = ran
    found = json.loads(rows)
    assert [len((text or "").split()) for _, text, _ in found] == [3, 0, 0]
    assert [text for _, text, _ in found][1:] == [None, ""]
    assert [(stars, fields) for stars, _, fields in found] == [(1, 2), (2, 2), (3, 2)]
    assert "column 'stars' contains" in errors[0]
    assert "column 'review' is" in errors[1]
    columns, [empty, marked] = json.loads(errors[2])
    assert (columns, empty) == (["review"], "")
    assert re.fullmatch(r"The \S+ Town!", marked)
    assert errors[3] == "True"
    assert not (folder / "other").exists()


def test_reports_are_counted_as_the_command_counts_them(
    ran: tuple[Path, list[str]], sample_bundle: Path
) -> None:
    folder, bundle = ran[0], WordBundle.open(sample_bundle)
    groups = {"all": ["london", "king"]}
    for line, name, by, others in (
        (-8, "weeks.jsonl", "week", False),
        (-7, "others.jsonl", "month", True),
    ):
        options = EstimateOptions(groups=groups, leave_out_others=others)
        found = estimate_periods(bundle, [folder / name], options, by=by)
        rows, changes, origin = json.loads(ran[1][line])
        assert rows == [[*dataclasses.astuple(row)] for row in found.rows()]
        assert changes == json.loads(json.dumps(dataclasses.asdict(found.changes)))
        assert origin == json.loads(json.dumps(dataclasses.asdict(found.origin)))
        assert changes["found"] or name != "weeks.jsonl"
        assert (origin["repeated"], origin["foreign"]) == ((3, 1) if not others else (0, 0))


def test_what_is_wrong_with_them_is_said(ran: tuple[Path, list[str]]) -> None:
    others, broken, lost, many, column, file = ran[1][-6:]
    assert re.fullmatch(
        r"\S+/others\.jsonl: made with a different setting than the other 4 .*", others
    )
    assert re.fullmatch(r"\S+/broken\.jsonl: field 'counts' is missing or wrong; .*", broken)
    assert re.fullmatch(r"\S+/lost\.jsonl: names no period, so its week is unknown; .*", lost)
    assert many == "the frame: more than 2^53 reports in total; check the counts"
    assert column == "the frame has no text column 'text'; name the column with the batches"
    assert file == "by must be one of day, week, month for a frame"
