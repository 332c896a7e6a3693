"""The setting that made reports, by the caller, the reports, or else the bundle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from pathlib import Path

from brrkit import WordBundle
from brrkit.counts import RandomizedResponse
from brrkit.errors import ParameterError
from brrkit.exact import CAP_MAX, CAP_MIN
from brrkit.resolve import resolve
from brrkit.setting import CountsSetting
from brrkit_counting.estimate.counts.closed_form import CountsChannel
from brrkit_counting.estimate.options import EstimateOptions
from brrkit_counting.reports.setting import (
    FOR_COUNTS,
    MOST_REPEATS,
    RECOMMENDED,
    ReportSetting,
    StatedSetting,
    check_independent,
    parse_stated,
    resolve_stated,
    setting_key,
    stated_json,
)
from brrkit_counting.reports.tally import Reports
from brrkit_counting.response import ApproximateResponse
from brrkit_toolchain.channel import Channel

JOBS: Mapping[str, StatedSetting] = {"text": RECOMMENDED, "counts": FOR_COUNTS}
"""The purposes of collected words, with the bundle's setting for each."""


def setting_from_caller(
    bundle: WordBundle, options: EstimateOptions, job: str | None = None
) -> StatedSetting | None:
    """Return the setting that the caller states for the reports; None if they state none.

    Args:
        bundle: the bundle that made the reports.
        options: the options ``setting``, ``second_cap`` and ``repeats``.
        job: ``text`` or ``counts``, instead of a setting, or None.

    Raises:
        ParameterError: the bundle can't have the setting, or too many or too few options are given.
    """
    setting, second_cap, repeats = options.setting, options.second_cap, options.repeats
    memory = {"second_cap": second_cap, "repeats": repeats}
    of_memory = [name for name, value in memory.items() if value is not None]
    if job is not None:
        if job not in JOBS:
            raise ParameterError(f"job must be {' or '.join(JOBS)}")
        if setting is not None or of_memory:
            raise ParameterError(
                f"--for {job} and another setting exclude each other; leave out one of them"
            )
        return JOBS[job]
    if isinstance(setting, CountsSetting):
        if len(of_memory) == 1:
            raise ParameterError("second_cap and repeats belong together; give both, or neither")
        stated = ReportSetting(setting, second_cap, repeats)
        if parse_stated(stated_json(stated)) is None:
            raise ParameterError(
                f"cap and second_cap must be numbers from {CAP_MIN:g} to {CAP_MAX:g}, and repeats "
                f"an integer from 1 to {MOST_REPEATS:,}"
            )
        return stated
    for name in of_memory:
        raise ParameterError(f"{name} needs the cap of the first draws; give a cap, and no epsilon")
    if setting is None:
        return None
    resolve(bundle, setting)
    return ReportSetting(setting)


def mechanism_of(
    bundle: WordBundle,
    populations: Sequence[Reports],
    stated: StatedSetting | None = None,
    *,
    texts: bool = False,
    plain: Path | None = None,
) -> CountsChannel | Channel:
    """Return the channel that made reports.

    Args:
        bundle: the bundle that made the reports.
        populations: one or two populations, read with this setting.
        stated: the setting that the caller states; None if the reports, or else the bundle, state
            it.
        texts: whether they are privatized texts, not reports made for counts.
        plain: whether one of the files is plain text, which may be either.

    Raises:
        ParameterError: reports were made with different settings; the bundle can't have the
            setting, or has settings for text and for counts and it could be either; reports of text
            were made with a keyed memory, the base ``bigram`` or another mechanism than
            ``exponential``; or some are of unknown words, which only reports made for counts can
            be.
    """
    of_batches = [each for each in populations if each.stated is not None]
    if len({setting_key(each.stated, bundle) for each in of_batches if each.stated}) > 1:
        raise ParameterError(
            f"{of_batches[0].place} and {of_batches[1].place}: the reports were made with "
            "different settings and can't be compared; compare reports of one setting"
        )
    place = ""
    if stated is None and of_batches:
        stated, place = of_batches[0].stated, f"{of_batches[0].place}: "
    if stated is None:
        of_text = texts or (bundle.counts is None and bundle.list_of is None)
        stated = RECOMMENDED if of_text else FOR_COUNTS
        if stated == FOR_COUNTS and plain is not None and bundle.recommended is not None:
            raise ParameterError(
                f"{plain}: doesn't state whether its words are text or reports made for counts, "
                "and the bundle has a setting for each; give --for text, or --for counts"
            )
    try:
        channel = _channel(bundle, stated)
        if isinstance(channel, CountsChannel):
            return channel
        _check_weighted(channel)
    except ParameterError as error:
        if not place:
            raise
        raise ParameterError(f"{place}{error}") from None
    if any(each.counts[-1] for each in populations):
        raise ParameterError(
            "reports of text can't contain the empty word, which stands for unknown words in "
            "reports made for counts; give the cap that made these reports, or leave out those "
            "with the empty word"
        )
    return channel


def _channel(bundle: WordBundle, stated: StatedSetting) -> CountsChannel | Channel:
    made_with = resolve_stated(stated, bundle)
    if made_with is None and stated == FOR_COUNTS:
        raise ParameterError(
            "the bundle recommends no setting for counts; give the cap that made the reports, or "
            "calibrate the bundle with 'brr calibrate --for counts --write'"
        )
    if made_with is None:
        return Channel(bundle, resolve(bundle)[0])  # raises the error that it recommends none
    setting, second = made_with.setting, made_with.second
    if isinstance(setting, CountsSetting):
        symbols = len(bundle) + 1
        caps = [setting.cap] if second is None else [setting.cap, second]
        kept = prod((RandomizedResponse.of(cap, symbols).kept for cap in caps), start=Fraction(1))
        response = ApproximateResponse(float(kept), symbols)
        return CountsChannel(response, made_with.repeats or 1, kept)
    if second is not None:
        raise ParameterError(
            "these reports of text were made with a keyed memory (second_epsilon), so a device's "
            "releases of a word aren't independent and no estimate is possible; make reports for "
            "counts: docs/how-to/count-words.md"
        )
    return Channel(bundle, resolve(bundle, None if stated == RECOMMENDED else setting)[0])


def _check_weighted(channel: Channel) -> None:
    """Raise an error for a channel without a formula, or without information about single words."""
    if channel.weighted is None:
        raise ParameterError(
            "only reports of the mechanism 'exponential' allow an estimate, because the release "
            "probabilities of the others have no formula; release with 'exponential', or make "
            "reports for counts"
        )
    check_independent(channel.weighted.base)
