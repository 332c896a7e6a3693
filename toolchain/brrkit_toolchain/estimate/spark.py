"""Reports counted on Spark, and estimated from on the driver.

On every node: ``pip install 'brrkit[spark]'``. Executors read batches as ``brr estimate`` does, and
send back how often each word came out in each period, with each setting.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as Spark's documentation names it

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.setting import CountsSetting
from brrkit_toolchain.estimate.batch import LARGEST_LINE, read_batch
from brrkit_toolchain.estimate.calendar import UNITS, unit_of
from brrkit_toolchain.estimate.made import given
from brrkit_toolchain.estimate.periods import Periods, periods_of
from brrkit_toolchain.estimate.reports import FOREIGN, MOST_FOREIGN, Tally, check_bundle
from brrkit_toolchain.estimate.settings import parse_stated, stated_json

_BATCHES, _REPEATED = -2, -3  # instead of a word's id: how many batches there are, or came again
_COUNT = pa.struct([("id", pa.int32()), ("count", pa.int64())])
_TEXTS = ("error", "batch", "setting", "period", "start", "end", "file")
_SCHEMA = pa.schema([*((name, pa.string()) for name in _TEXTS), ("counts", pa.list_(_COUNT))])
_DDL = ", ".join(f"`{name}` string" for name in _TEXTS) + (
    ", counts array<struct<id: int, count: bigint>>"
)


def estimate_frame(
    bundle: WordBundle,
    frame: DataFrame,
    column: str = "value",
    *,
    by: str = "week",
    setting: CountsSetting | None = None,
    second_cap: float | None = None,
    repeats: int | None = None,
    most_foreign: float = MOST_FOREIGN,
    leave_out_others: bool = False,
    **options: Any,
) -> Periods:
    """Estimate how often each word was typed in each period, from batches in a Spark frame.

    The result is the same as ``estimate_periods`` has of the same batches. Of different batches
    with one id, which no device makes, the one that comes first in the alphabet is counted.

    Args:
        bundle: that the reports were made with, opened.
        frame: a batch of JSON in each row, as of ``spark.read.text("reports/*.jsonl")``.
        column: that holds them.
        by: ``day``, ``week`` or ``month``.
        setting: as for ``estimate_periods``, and so are the next four.
        second_cap: with a ``setting``.
        repeats: with that.
        most_foreign: share of reports.
        leave_out_others: leave out batches of another setting.
        **options: ``words``, ``groups``, ``simultaneous``, ``sum_to_one``, ``false_discoveries``
            and ``unexplained``, as for ``estimate_periods``.

    Raises:
        ParameterError: as for ``estimate_periods``. It names the file, if the frame is of files,
            but no line: Spark doesn't number them.
    """
    if by not in UNITS:
        raise ParameterError(f"periods of a frame are told apart by {', '.join(UNITS)}; choose one")
    if dict(frame.dtypes).get(column) != "string":
        raise ParameterError(
            f"the frame has no column {column!r} of text; name the batches' column"
        )
    made_by = given(bundle, setting, second_cap, repeats)
    tally = _counted(bundle, frame, column, by)
    read = tally.reports(
        "the frame", made_by, leave_out=leave_out_others, most_foreign=most_foreign
    )
    return periods_of(bundle, read, by, made_by, **options)


def _counted(bundle: WordBundle, frame: DataFrame, column: str, by: str) -> Tally:
    """Return what comes of one job: a row for each setting, period and word."""
    tally, own = Tally.of(bundle), str(bundle.manifest["sha256"])
    ids = frame.sparkSession.sparkContext.broadcast(dict(tally.words.ids))

    def read(arriving: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for lines in arriving:
            rows = [
                _row(line, file or "the frame", own, by, ids.value)
                for line, file in zip(*lines.to_pydict().values(), strict=True)
            ]
            yield pa.RecordBatch.from_pylist(rows, schema=_SCHEMA)

    lines = frame.select(F.col(column).alias("line"), F.input_file_name().alias("file"))
    batches = lines.where(F.trim("line") != "").mapInArrow(read, _DDL)
    others = [name for name in _SCHEMA.names if name != "batch"]
    once = batches.groupBy("batch").agg(
        F.min(F.struct(*others)).alias("one"), (F.count("*") - 1).alias("again")
    )
    again = F.array(F.struct(F.lit(_REPEATED).alias("id"), F.col("again").alias("count")))
    counts = once.select(
        *(F.col(f"one.{name}").alias(name) for name in others if name != "counts"),
        F.explode_outer(F.concat("one.counts", again)).alias("of"),
    )
    of_batches = F.col("of.id") == _BATCHES
    # Doubles are exact as far as the sum of all may go, and don't overflow beyond.
    summed = counts.groupBy("error", "setting", "period", F.col("of.id").alias("id")).agg(
        F.sum(F.col("of.count").cast("double")).alias("count"),
        *(F.min(F.when(of_batches, F.col(name))).alias(name) for name in ("start", "file")),
        F.max(F.when(of_batches, F.col("end"))).alias("end"),
    )
    rows = summed.toArrow().to_pylist()
    errors = [row["error"] for row in rows if row["error"] is not None]
    if errors:
        raise ParameterError(min(errors))
    for row in rows:
        _add(tally, row)
    return tally


def _row(line: str, place: str, own: str, by: str, ids: Mapping[str, int]) -> dict[str, Any]:
    """Return a batch as a row, or what is wrong with it."""
    content = line.encode()
    try:
        if len(content) > LARGEST_LINE:
            raise ParameterError(f"{place}: a batch of more than {LARGEST_LINE:,} bytes")
        batch = read_batch(content, place)
        check_bundle(batch.bundle, own, place)
        period = unit_of(batch.period, by, place)
    except ParameterError as error:
        return {"error": str(error)}
    assert batch.period is not None  # for mypy
    counts = [(_BATCHES, 1), *((ids.get(word, FOREIGN), n) for word, n in batch.counts.items())]
    return {
        "batch": batch.identity,
        "setting": json.dumps(stated_json(batch.setting), sort_keys=True),
        "period": period,
        "start": batch.period[0],
        "end": batch.period[1],
        "file": place,
        "counts": [{"id": i, "count": count} for i, count in counts],
    }


def _add(tally: Tally, row: Mapping[str, Any]) -> None:
    """Count a row among those of its setting."""
    stated, count = parse_stated(json.loads(row["setting"])), int(row["count"])
    assert stated is not None  # an executor has read it
    group = tally.group(stated)
    if row["id"] == _BATCHES:
        group.add(count, row["file"], (row["start"], row["end"]))
    elif row["id"] == _REPEATED:
        tally.repeated += count
    else:
        group.sums.of[row["period"]][row["id"]] += count
        group.sums.total += count
