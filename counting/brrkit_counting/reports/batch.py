"""A batch of reports, as a device sends it: ``spec/reports.md``, "A batch".

Messages name the place, but never a word, because one outside the bundle may be typed text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from brrkit import strict_json
from brrkit.errors import ParameterError
from brrkit.setting import MOST_FRAME_WORDS, Setting
from brrkit_counting.reports.setting import (
    RECOMMENDED,
    StatedSetting,
    parse_stated,
    stated_json,
)

FORMAT = "brr-reports"
FRAME_FORMAT = "brr-frames"
FORMAT_VERSION = 1

MOST_REPORTS = 2**53
"""Largest total number of reports; up to here, every count is exact as a double."""

MOST_FOREIGN = 0.01
"""Default for the largest share of reports with words outside the bundle."""

LARGEST_LINE = 1 << 24
"""Largest number of bytes in a line of text, CSV or JSON, such as a batch of reports."""

TIME = "%Y-%m-%dT%H:%M:%SZ"
"""Format of a batch's times, in UTC."""

_SHA256 = re.compile(r"[0-9a-f]{64}")
_BATCH_ID = re.compile(r"[0-9a-f]{32}")
_TIME_OF_UTC = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_BATCH_FIELDS = {
    *("format", "format_version", "bundle", "setting"),
    *("batch", "period", "counts", "words"),
}


@dataclass(frozen=True)
class Batch:
    """The content of a batch.

    Attributes:
        bundle: SHA-256 of the bundle.
        stated: the setting that the batch states.
        identity: its id, 32 hexadecimal digits.
        period: start and end of its period, if it names one.
        counts: number of reports of each word.
        frame: words of a frame, in the order of release; None for other batches.
    """

    bundle: str
    stated: StatedSetting
    identity: str
    period: tuple[str, str] | None
    counts: Mapping[str, int]
    frame: tuple[str, ...] | None = None


def read_batch(content: bytes, place: str) -> Batch:
    """Read one batch.

    Args:
        content: JSON; the caller limits its size.
        place: name of the batch in messages.

    Raises:
        ParameterError: the batch isn't in the form of ``spec/reports.md``.
    """

    def check(valid: bool, field: str) -> None:
        if not valid:
            raise ParameterError(
                f"{place}: field {field!r} is missing or wrong; see spec/reports.md"
            )

    try:
        batch = strict_json.parse(content)
    except ValueError:
        raise ParameterError(f"{place}: not valid JSON; see spec/reports.md") from None
    if not isinstance(batch, dict):
        raise ParameterError(f"{place}: not a JSON object; see spec/reports.md")
    if not set(batch) <= _BATCH_FIELDS:  # the message has no field name, which may be a word
        raise ParameterError(f"{place}: has an unknown field; see spec/reports.md")
    form = batch.get("format")
    check(form in (FORMAT, FRAME_FORMAT), "format")
    version = batch.get("format_version")
    check(type(version) is int and version == FORMAT_VERSION, "format_version")
    digest, identity = batch.get("bundle"), batch.get("batch")
    check(isinstance(digest, str) and bool(_SHA256.fullmatch(digest)), "bundle")
    check(isinstance(identity, str) and bool(_BATCH_ID.fullmatch(identity)), "batch")
    stated = parse_stated(batch.get("setting"))
    check(stated is not None, "setting")
    assert stated is not None  # for mypy
    frame: tuple[str, ...] | None = None
    if form == FRAME_FORMAT:
        check(_is_of_text(stated), "setting")
        said = batch.get("words")
        check(isinstance(said, list) and 1 <= len(said) <= MOST_FRAME_WORDS, "words")
        frame = tuple(said or ())
    period = batch.get("period")
    check("period" not in batch or _is_period(period), "period")
    check(("counts" in batch) != ("words" in batch), "counts")
    words = batch["counts"] if "counts" in batch else batch["words"]
    if "counts" in batch:
        check(isinstance(words, dict) and all(map(_is_count, words.values())), "counts")
    else:
        check(isinstance(words, list) and all(isinstance(word, str) for word in words), "words")
        words = Counter(words)
    return Batch(
        str(digest),
        stated,
        str(identity),
        (period["start"], period["end"]) if isinstance(period, dict) else None,
        words,
        frame,
    )


def to_line(batch: Batch) -> bytes:
    """Return ``batch`` as JSON on one line of UTF-8, without the newline.

    The words of reports are counted; those of a frame stay in their order.
    """
    words = dict(sorted(batch.counts.items())) if batch.frame is None else batch.frame
    fields = {
        "format": FORMAT if batch.frame is None else FRAME_FORMAT,
        "format_version": FORMAT_VERSION,
        "bundle": batch.bundle,
        "setting": stated_json(batch.stated),
        "batch": batch.identity,
        "period": batch.period and dict(zip(("start", "end"), batch.period, strict=True)),
        "counts" if batch.frame is None else "words": words,
    }
    kept = {name: value for name, value in fields.items() if value is not None}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode()


def _is_of_text(stated: StatedSetting) -> bool:
    """Return whether a setting can be that of frames: for text, without a memory."""
    if isinstance(stated, str):
        return stated == RECOMMENDED
    return isinstance(stated.setting, Setting) and stated.second is None


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= MOST_REPORTS


def _is_period(value: object) -> bool:
    if not isinstance(value, dict) or set(value) != {"start", "end"}:
        return False
    times = [value["start"], value["end"]]
    return all(map(_is_time, times)) and times[0] <= times[1]


def _is_time(value: object) -> bool:
    """Return whether it is a time such as 2026-11-16T00:00:00Z, which sorts like its string."""
    if not (isinstance(value, str) and _TIME_OF_UTC.fullmatch(value)):
        return False
    try:
        datetime.strptime(value, TIME)
    except ValueError:
        return False
    return True
