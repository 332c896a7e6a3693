"""Privatize a corpus on Spark. On every node: ``pip install 'brrkit[spark]'``.

Spark may run a task again: after a failure, next to a slow task, and for every action on a
DataFrame. Each run draws new words. So words are drawn only in the job that writes them, whose
committer publishes the files of one run of each task: ``docs/how-to/corpus.md``, "Each text is
released once".
"""

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
from pyspark import SparkFiles
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema

from brrkit import WordBundle
from brrkit_toolchain.privatize import batches
from brrkit_toolchain.privatize.plan import CorpusPlan


def privatize_frame(
    bundle: WordBundle, frame: DataFrame, output: str, plan: CorpusPlan
) -> DataFrame:
    """Write privatized columns of a Spark frame to Parquet files; return a frame of these files.

    Args:
        bundle: an opened bundle; its directory is sent to the executors.
        frame: the frame to privatize.
        output: a path where Spark can write and nothing exists yet.
        plan: the columns to privatize, and the parameters.

    Raises:
        ParameterError: a column is missing, isn't text, or shall be both kept and privatized.
    """
    context, folder = frame.sparkSession.sparkContext, tempfile.mkdtemp(prefix="brr-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # executors may start until then
    name = Path(folder).name
    job = batches.CorpusJob(name, plan)
    released_as = frame.select(*plan.columns, *plan.keep).schema
    marks = () if plan.marks is None or plan.marks in plan.keep else (plan.marks,)
    chosen = frame.select(*plan.columns, *plan.keep, *marks)
    job.schema(to_arrow_schema(chosen.schema))  # raises an error here instead of in each task
    # A unique name, because Spark accepts a name only once in a session.
    context.addArchive(shutil.make_archive(f"{folder}/{name}", "zip", bundle.path) + f"#{name}")

    def work(arriving: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        # The next tasks of this process use the tables created here.
        own = replace(job, bundle=SparkFiles.get(name))
        yield from batches.privatize(arriving, own, worker=batches.kept_worker(own))

    # Version 1 shows no files before all tasks are done; with version 2, those of a failed job
    # stay.
    committer = ("mapreduce.fileoutputcommitter.algorithm.version", "1")
    released = chosen.mapInArrow(work, released_as)
    released.write.option(*committer).mode("error").parquet(output)
    return frame.sparkSession.read.schema(released_as).parquet(output)
