"""A corpus privatized on Spark. On every node: ``pip install 'brrkit[spark]'``.

Spark runs a task again after a failure, beside a slow one, and for every action on a DataFrame, and
each run draws other words. So words are drawn only in the job that writes them, whose committer
shows the files of one run of each task: ``docs/corpus.md``, "What is released, once".
"""

import atexit
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark import SparkFiles
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema

from brrkit_toolchain.corpus import batches


def privatize(
    frame: DataFrame, bundle: str | Path, columns: Sequence[str], output: str, **options: Any
) -> DataFrame:
    """Write privatized ``columns`` of a frame to Parquet files; return them, as they were written.

    The bundle is sent to the executors. ``output`` is a path that Spark can write, where nothing
    is yet. Options are those of ``batches.CorpusSetting``; columns in ``keep`` are
    written UNPRIVATIZED.
    """
    context, folder = frame.sparkSession.sparkContext, tempfile.mkdtemp(prefix="brr-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # executors may start until then
    name = Path(folder).name
    setting = batches.CorpusSetting(name, tuple(columns), **options)
    chosen = frame.select(*setting.columns, *setting.keep)
    setting.schema(to_arrow_schema(chosen.schema))  # an error here is better than one in each task
    context.addArchive(shutil.make_archive(f"{folder}/bundle", "zip", bundle) + f"#{name}")

    def work(arriving: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from batches.privatize(arriving, replace(setting, bundle=SparkFiles.get(name)))

    # Version 1 shows nothing before all tasks are done; with 2, those of a failed job stay.
    committer = ("mapreduce.fileoutputcommitter.algorithm.version", "1")
    released = chosen.mapInArrow(work, chosen.schema)
    released.write.option(*committer).mode("error").parquet(output)
    return frame.sparkSession.read.schema(chosen.schema).parquet(output)
