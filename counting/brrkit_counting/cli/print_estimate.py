"""The output of ``brr estimate``, for one period or for several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from brrkit_counting.estimate.counts.closed_form import MOVED
from brrkit_counting.estimate.differences import Difference
from brrkit_counting.estimate.from_files import Frequencies
from brrkit_counting.estimate.origin import Origin
from brrkit_counting.estimate.periods import Periods
from brrkit_counting.estimate.shares import FrequencyEstimate, Share
from brrkit_toolchain.channel.manifest_info import word_of
from brrkit_toolchain.rounding import at_most

_CARRIED_WORDS = 5
"""Largest number of words in few batches that are named in the line about them."""

_DIFFERENCE_HEAD = f"{'first':>11}{'second':>11}   {'change, 95% interval':<24}p, adj."


def lines(found: Frequencies | Periods, top: int) -> Iterator[str]:
    """Yield the printed lines; for several periods, with the ``top`` surest changes."""
    return _of_periods(found, top) if isinstance(found, Periods) else _of_one(found)


def to_json(found: Frequencies | Periods, top: int) -> dict[str, Any]:
    """Return the same results as JSON types."""
    return _periods_json(found, top) if isinstance(found, Periods) else _one_json(found)


def _of_one(frequencies: Frequencies) -> Iterator[str]:
    origin, found, compared = frequencies.origin, frequencies.estimate, frequencies.comparison
    word = word_of(origin.list_of)
    yield from _origin(origin, f"{found.reports:,} reports")
    if not found.explained:
        yield (
            "WARNING: these reports don't fit this setting "
            f"({found.misfit:,.0f} standard deviations from the best fit): unless a prior "
            "causes this, the intervals are wrong"
        )
    if found.fit is not None:
        yield (
            f"likelihood: within {found.fit.gap:,.0f} nats of the maximum; noise causes about "
            f"{(found.counts > 0).sum() / 2:,.0f}"
        )
    unknown = found.unknown
    yield f"unknown {word}s: {unknown.low:.3g} to {unknown.high:.3g} of what was typed"
    yield (
        f"detection limit: about half of the {word}s with a share of "
        f"{at_most(found.detectable, 2)} have an interval above 0"
        if found.detectable < 1
        else f"too few reports to detect any {word}"
    )
    if found.fakes is not None:
        yield _fakes(origin, found.fakes)
    yield from _carried(word, "", found)
    yield _scope(origin, word)
    if (central := frequencies.shuffled) is not None:
        yield (
            f"shuffled: one reporter's privacy loss is at most epsilon "
            f"{at_most(central.epsilon)} with delta {central.delta:g}; unshuffled, at most "
            f"{at_most(central.local)}"
        )
    for title, shares in (
        (word, found.top),
        (f"{word} asked for", found.asked),
        ("group", found.totals),
    ):
        if shares:
            yield ""
            yield _head(title)
            yield from map(_line, shares)
    if compared is not None:
        yield ""
        yield (
            f"{len(compared.differences)} of {compared.tested} {word}s differ (expected share of "
            f"false discoveries: at most {at_most(compared.rate)})"
        )
        if compared.differences:
            yield f"{word:<20}{_DIFFERENCE_HEAD}"
        yield from map(_difference, compared.differences)


def _of_periods(periods: Periods, top: int) -> Iterator[str]:
    estimates, changes = periods.estimates, periods.changes
    word = word_of(periods.origin.list_of)
    reports = sum(found.reports for found in estimates.values())
    yield from _origin(periods.origin, f"{reports:,} reports of {len(estimates)} periods")
    for period, found in estimates.items():
        if not found.explained:
            yield (
                f"WARNING: the reports of {period} don't fit this setting "
                f"({found.misfit:,.0f} standard deviations from the best fit): the "
                "intervals are wrong"
            )
        yield from _carried(word, f" in {period}", found)
    yield _scope(periods.origin, word)
    yield ""
    yield f"{'period':<20}{'reports':>12}{'detection limit':>17}   unknown {word}s"
    for period, found in estimates.items():
        ends = f"{found.unknown.low:.3g} to {found.unknown.high:.3g}"
        seen = at_most(found.detectable, 2) if found.detectable < 1 else "-"
        yield f"{period:<20}{found.reports:>12,}{seen:>17}   {ends}"
    for title, kind in ((word, "asked"), ("group", "totals")):
        of_each = zip(*(getattr(found, kind) for found in estimates.values()), strict=True)
        for shares in of_each:
            yield ""
            yield _head(f"{title} {shares[0].name}")
            for period, share in zip(estimates, shares, strict=True):
                yield _line(replace(share, name=period))
    yield ""
    yield (
        f"{len(changes.found):,} changes, of {changes.tested:,} {word}s and groups in "
        f"{len(changes.comparisons)} comparisons (expected share of false discoveries: at most "
        f"{at_most(changes.rate)})"
    )
    if shown := changes.found[:top]:
        yield f"{word:<20}{_DIFFERENCE_HEAD:<60}   kind      from, to"
    for change in shown:
        yield f"{_difference(change):<80}   {change.kind:<10}{', '.join(change.periods)}"


def _origin(origin: Origin, reports: str) -> Iterator[str]:
    yield f"{reports}; {origin.foreign:,} others with words of another bundle (left out)"
    if origin.frames:
        yield "frames: releases of unknown words fill them up, and are counted as unknown words"
    if origin.repeated:
        yield f"{origin.repeated:,} batches occur more than once; each was counted once"
    if origin.others:
        yield f"{origin.others:,} batches were made with another setting (left out)"
    if origin.oversized and origin.words_a_day is None:
        yield f"{origin.oversized:,} frames have a different number of words (left out)"
    elif origin.oversized:
        yield (
            f"{origin.oversized:,} batches have more than {origin.words_a_day:,} reports, a "
            "device's limit for a day (left out)"
        )


def _fakes(origin: Origin, fakes: int) -> str:
    each = origin.words_a_day
    devices = f", from {-(-fakes // each):,} devices in a day" if each and origin.batches else ""
    return f"fakes: {fakes:,} made-up reports{devices} can move a share by {MOVED:g}"


def _carried(word: str, where: str, found: FrequencyEstimate) -> Iterator[str]:
    if found.carried:
        shown = ", ".join(
            f"{each.name} ({each.reports:,} reports in {each.batches:,})"
            for each in found.carried[:_CARRIED_WORDS]
        )
        more = len(found.carried) - _CARRIED_WORDS
        yield (
            f"WARNING: few batches carry these {word}s{where}, so a few devices may have made up "
            f"their shares: {shown}" + (f" and {more:,} more" if more > 0 else "")
        )


def _scope(origin: Origin, word: str) -> str:
    if origin.clustered:
        return "intervals: for the people from whom devices are drawn; each batch is a cluster"
    return f"intervals: for the {word}s typed on these devices, not for other people's"


def _head(title: str) -> str:
    return f"{title:<20}{'released':>12}{'share':>11}   95% interval"


def _difference(d: Difference) -> str:
    ends = f"{d.low:+.2e} to {d.high:+.2e}"
    return f"{d.name:<20}{d.first:>11.3e}{d.second:>11.3e}   {ends:<24}{d.adjusted:.2g}"


def _line(share: Share) -> str:
    line = (
        f"{share.name:<20}{share.reports:>12,}{share.share:>11.3e}   "
        f"{share.low:.3e} to {share.high:.3e}"
    )
    if share.merged:
        line += f"   like {', '.join(share.merged[:3])}"
        line += f" and {len(share.merged) - 3} more" if len(share.merged) > 3 else ""
    return line


def _one_json(frequencies: Frequencies) -> dict[str, Any]:
    found, compared, shuffled = frequencies.estimate, frequencies.comparison, frequencies.shuffled
    fit = found.fit
    return {
        **asdict(frequencies.origin),
        **_estimate_json(found),
        "likelihood": fit
        and {"gap": fit.gap, "tolerance": fit.tolerance, "evaluations": fit.evaluations},
        "top": [asdict(share) for share in found.top],
        "words": [asdict(share) for share in found.asked],
        "groups": [asdict(share) for share in found.totals],
        "comparison": asdict(compared) if compared else None,
        "shuffled": asdict(shuffled) if shuffled else None,
    }


def _periods_json(periods: Periods, top: int) -> dict[str, Any]:
    changes = periods.changes
    return {
        **asdict(periods.origin),
        "periods": [
            {
                "period": period,
                **_estimate_json(found),
                "words": [asdict(share) for share in found.asked],
                "groups": [asdict(share) for share in found.totals],
            }
            for period, found in periods.estimates.items()
        ],
        "changes": asdict(replace(changes, found=changes.found[:top])),
    }


def _estimate_json(found: FrequencyEstimate) -> dict[str, Any]:
    """Return the first fields of the JSON, the same for one period and for each of several."""
    return {
        "reports": found.reports,
        "unknown": asdict(found.unknown),
        "detectable": found.detectable,
        "misfit": found.misfit,
        "explained": found.explained,
        "fakes": found.fakes,
        "carried": [asdict(each) for each in found.carried],
    }
