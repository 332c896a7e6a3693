"""Estimates on Spark: executors count the reports, and the driver estimates.

On every node: ``pip install 'brrkit[spark]'``. Executors read batches as ``brr estimate`` does, and
return the number of reports of each word, by period and setting.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as Spark's documentation names it

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.setting import CountsSetting
from brrkit_counting.estimate.mechanism import setting_from_caller
from brrkit_counting.estimate.options import EstimateOptions
from brrkit_counting.estimate.periods import Periods, periods_of
from brrkit_counting.estimate.shares import group_ids
from brrkit_counting.reports.batch import LARGEST_LINE, read_batch
from brrkit_counting.reports.calendar import UNITS, day_of, unit_of
from brrkit_counting.reports.setting import parse_stated, stated_json
from brrkit_counting.reports.spread import Members, pairs_of
from brrkit_counting.reports.tally import FOREIGN, Tally, check_bundle, is_oversized

# Instead of a word's id, for the numbers of batches, repeated ones, and oversized ones.
_BATCHES, _REPEATED, _OVERSIZED = -2, -3, -4
_COUNT_FIELDS = ("count", "alike", "again")
_COUNT_TYPE = pa.struct([("id", pa.int32()), *((name, pa.float64()) for name in _COUNT_FIELDS)])
_TEXT_FIELDS = ("error", "batch", "setting", "period", "day", "start", "end", "file")
_SCHEMA = pa.schema(
    [*((name, pa.string()) for name in _TEXT_FIELDS), ("counts", pa.list_(_COUNT_TYPE))]
)
_SCHEMA_DDL = ", ".join(f"`{name}` string" for name in _TEXT_FIELDS) + (
    ", counts array<struct<id: int, count: double, alike: double, again: double>>"
)


def estimate_frame(
    bundle: WordBundle,
    frame: DataFrame,
    options: EstimateOptions = EstimateOptions(),  # noqa: B008 - frozen
    *,
    column: str = "value",
    by: str = "week",
) -> Periods:
    """Estimate the frequency of each typed word in each period, from batches in a Spark frame.

    The result is the same as that of ``estimate_periods`` for the same batches. If different
    batches have the same id, which no device produces, the first in alphabetical order counts.

    Args:
        bundle: the opened bundle that made the reports.
        frame: frame with a batch of JSON in each row, such as
            ``spark.read.text("reports/*.jsonl")``.
        options: options, as for ``estimate_periods``.
        column: column of the batches.
        by: ``day``, ``week`` or ``month``.

    Raises:
        ParameterError: as for ``estimate_periods``. The message names the file, if the frame comes
            from files, but no line: Spark doesn't number lines.
    """
    if by not in UNITS:
        raise ParameterError(f"by must be one of {', '.join(UNITS)} for a frame")
    if dict(frame.dtypes).get(column) != "string":
        raise ParameterError(
            f"the frame has no text column {column!r}; name the column with the batches"
        )
    stated = setting_from_caller(bundle, options)
    groups = group_ids(options.groups, bundle.vocabulary)
    tally = _tally(bundle, frame, column, by, list(groups.values()))
    reports = tally.reports(
        "the frame",
        stated,
        leave_out_others=options.leave_out_others,
        most_foreign=options.most_foreign,
    )
    return periods_of(bundle, reports, by, stated, options)


def _tally(
    bundle: WordBundle,
    frame: DataFrame,
    column: str,
    by: str,
    groups: Sequence[NDArray[np.intp]],
) -> Tally:
    """Return the result of one job: a row for each setting, period and word."""
    tally, own = Tally.of(bundle, groups), str(bundle.manifest["sha256"])
    known = _Known(own, by, dict(tally.words.ids), tally.words.members, bundle.counts)
    sent = frame.sparkSession.sparkContext.broadcast(known)

    def read(arriving: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for lines in arriving:
            rows = [
                _row(line, file or "the frame", sent.value)
                for line, file in zip(*lines.to_pydict().values(), strict=True)
            ]
            yield pa.RecordBatch.from_pylist(rows, schema=_SCHEMA)

    lines = frame.select(F.col(column).alias("line"), F.input_file_name().alias("file"))
    batches = lines.where(F.trim("line") != "").mapInArrow(read, _SCHEMA_DDL)
    others = [name for name in _SCHEMA.names if name != "batch"]
    once = batches.groupBy("batch").agg(
        F.min(F.struct(*others)).alias("one"), (F.count("*") - 1).alias("again")
    )
    numbers = ("count", F.col("again")), ("alike", F.lit(0)), ("again", F.lit(0))
    again = F.array(
        F.struct(
            F.lit(_REPEATED).alias("id"),
            *(number.cast("double").alias(name) for name, number in numbers),
        )
    )
    counts = once.select(
        *(F.col(f"one.{name}").alias(name) for name in others if name != "counts"),
        F.explode_outer(F.concat("one.counts", again)).alias("of"),
    )
    of_batches = F.col("of.id") == _BATCHES
    # Doubles are exact up to the largest allowed sum, and don't overflow beyond.
    summed = counts.groupBy("error", "setting", "period", F.col("of.id").alias("id")).agg(
        *(F.sum(f"of.{name}").alias(name) for name in _COUNT_FIELDS),
        F.collect_set(F.when(of_batches, F.col("day"))).alias("days"),
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


@dataclass(frozen=True)
class _Known:
    """The data about a bundle that executors need: word ids, groups, and the setting."""

    bundle: str
    by: str
    ids: Mapping[str, int]
    members: Members
    counts: CountsSetting | None


def _row(line: str, place: str, known: _Known) -> dict[str, Any]:
    """Return a batch as a row, or its error."""
    content = line.encode()
    try:
        if len(content) > LARGEST_LINE:
            raise ParameterError(
                f"{place}: has more than {LARGEST_LINE:,} bytes; send smaller batches"
            )
        batch = read_batch(content, place)
        check_bundle(batch.bundle, known.bundle, place)
        period = unit_of(batch.period, known.by, place)
    except ParameterError as error:
        return {"error": str(error)}
    assert batch.period is not None  # for mypy
    row = {
        "batch": batch.identity,
        "setting": json.dumps(stated_json(batch.stated), sort_keys=True),
        "period": period,
        "day": day_of(batch.period),
        "start": batch.period[0],
        "end": batch.period[1],
        "file": place,
    }
    if is_oversized(batch, known.counts, len(known.ids)):
        return row | {"counts": [_number(_OVERSIZED, 1)]}
    counts = [(known.ids.get(word, FOREIGN), count) for word, count in batch.counts.items()]
    pairs, several = pairs_of(dict(counts), known.members)
    numbers = [_number(_BATCHES, 1, pairs), *(_number(*each) for each in counts)]
    numbers += [_number(i, 0, *alike) for i, alike in several.items()]
    return row | {"counts": numbers}


def _number(i: int, count: float, alike: float = 0, again: float = 0) -> dict[str, Any]:
    numbers = zip(_COUNT_FIELDS, (count, alike, again), strict=True)
    return {"id": i, **{name: float(number) for name, number in numbers}}


def _add(tally: Tally, row: Mapping[str, Any]) -> None:
    """Count a row among those of its setting."""
    stated, count = parse_stated(json.loads(row["setting"])), int(row["count"])
    assert stated is not None  # read by an executor
    of_setting = tally.of_setting(stated)
    if row["id"] == _REPEATED:
        tally.repeated += count
        return
    if row["id"] == _OVERSIZED:
        of_setting.oversized += count
        of_setting.add(0, "the frame", None)
        return
    spreading = of_setting.sums.spreading[row["period"]]
    if row["id"] == _BATCHES:
        of_setting.add(count, row["file"], (row["start"], row["end"]))
        spreading.batches += count
        spreading.days.update(row["days"])
        spreading.pairs += int(row["alike"])
        return
    if row["alike"]:
        spreading.alike[row["id"]] += row["alike"]
        spreading.again[row["id"]] += row["again"]
    if count:
        of_setting.sums.counts[row["period"]][row["id"]] += count
        of_setting.sums.total += count
