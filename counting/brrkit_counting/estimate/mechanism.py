"""What made reports: as a caller says, or the reports, or else the bundle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path

from brrkit import WordBundle
from brrkit.counts import RandomizedResponse
from brrkit.errors import ParameterError
from brrkit.exact import CAP_MAX, CAP_MIN
from brrkit.resolve import resolve
from brrkit.setting import CountsSetting, Setting
from brrkit_counting.estimate.counts.closed_form import Counted
from brrkit_counting.reports.setting import (
    FOR_COUNTS,
    MOST_REPEATS,
    RECOMMENDED,
    MadeWith,
    Stated,
    check_independent,
    identity,
    made_with,
    parse_stated,
    stated_json,
)
from brrkit_counting.reports.tally import Reports
from brrkit_counting.response import ApproximateResponse
from brrkit_toolchain.channel import Channel

JOBS: Mapping[str, Stated] = {"text": RECOMMENDED, "counts": FOR_COUNTS}
"""What words are collected for, and the bundle's setting for it."""


def given(
    bundle: WordBundle,
    setting: Setting | CountsSetting | None,
    second_cap: float | None,
    repeats: int | None,
    job: str | None = None,
) -> Stated | None:
    """Return what the caller says that made reports; None if they say nothing.

    Args:
        bundle: that the reports were made with.
        setting: the setting, or None.
        second_cap: for counts that were made with a keyed memory, or None.
        repeats: with that, or None.
        job: ``text`` or ``counts``, in place of a setting, or None.

    Raises:
        ParameterError: the bundle can't have the setting, or too much or too little is given.
    """
    memory = {"second_cap": second_cap, "repeats": repeats}
    beside = [name for name, value in memory.items() if value is not None]
    if job is not None:
        if job not in JOBS:
            raise ParameterError(f"reports are made for {' or '.join(JOBS)}; choose one")
        if setting is not None or beside:
            raise ParameterError(
                f"--for {job} is the bundle's setting; give that, or the numbers of another"
            )
        return JOBS[job]
    if isinstance(setting, CountsSetting):
        if len(beside) == 1:
            raise ParameterError("second_cap and repeats belong together; give both, or neither")
        made = MadeWith(setting, second_cap, repeats)
        if parse_stated(stated_json(made)) is None:
            raise ParameterError(
                f"cap and second_cap must be numbers from {CAP_MIN:g} to {CAP_MAX:g}, and repeats "
                f"an integer from 1 to {MOST_REPEATS:,}"
            )
        return made
    for name in beside:
        raise ParameterError(f"{name} is of reports made for counts: give a cap, and no epsilon")
    if setting is None:
        return None
    resolve(bundle, setting)
    return MadeWith(setting)


def mechanism_of(
    bundle: WordBundle,
    reports: Sequence[Reports],
    setting: Stated | None = None,
    *,
    texts: bool = False,
    plain: Path | None = None,
) -> Counted | Channel:
    """Return what made ``reports``.

    Args:
        bundle: that they were made with.
        reports: of one or two populations, read with that ``setting``.
        setting: as the caller says; None if the reports, or else the bundle, say it.
        texts: they are privatized texts, not reports made for counts.
        plain: one of the files is plain text, which may be either.

    Raises:
        ParameterError: reports were made with different settings, or the bundle can't have the
            setting or has one for text and one for counts where it may be either, or they are of
            text with a keyed memory, the base ``bigram`` or another mechanism than
            ``exponential``; or of unknown words, which only reports made for counts can be.
    """
    stated = [one for one in reports if one.setting is not None]
    settings = [one.setting for one in stated if one.setting is not None]
    if len({identity(each, bundle) for each in settings}) > 1:
        raise ParameterError(
            f"{stated[0].place} and {stated[1].place}: the reports were made with different "
            "settings; they can't be compared"
        )
    place = ""
    if setting is None and stated:
        setting, place = stated[0].setting, f"{stated[0].place}: "
    if setting is None:
        of_text = texts or (bundle.counts is None and bundle.list_of is None)
        setting = RECOMMENDED if of_text else FOR_COUNTS
        if setting == FOR_COUNTS and plain is not None and bundle.recommended is not None:
            raise ParameterError(
                f"{plain}: doesn't say whether these words are text or reports made for counts, "
                "and the bundle has a setting for each; say it: --for text, or --for counts"
            )
    try:
        made = _made(bundle, setting)
        if isinstance(made, Counted):
            return made
        _check_weighted(made)
    except ParameterError as error:
        if not place:
            raise
        raise ParameterError(f"{place}{error}") from None
    if any(one.counts[-1] for one in reports):
        raise ParameterError(
            "some reports have the empty word, which stands for unknown ones where reports are "
            "made for counts; these are of text: name the setting by the cap, or leave these out"
        )
    return made


def _made(bundle: WordBundle, stated: Stated) -> Counted | Channel:
    made = made_with(stated, bundle)
    if made is None and stated == FOR_COUNTS:
        raise ParameterError(
            "the bundle recommends no setting for counts; give the cap that the reports were made "
            "with, or calibrate the bundle with 'brr calibrate --for counts --write'"
        )
    if made is None:
        return Channel(bundle, resolve(bundle)[0])  # the error that it recommends none
    if isinstance(made.setting, CountsSetting):
        symbols = len(bundle) + 1
        caps = [made.setting.cap] + ([] if made.second is None else [made.second])
        kept = [RandomizedResponse.of(cap, symbols).kept for cap in caps]
        return Counted(ApproximateResponse(float(prod(kept)), symbols), made.repeats or 1)
    if made.second is not None:
        raise ParameterError(
            "these reports of text were made with a keyed memory (second_epsilon): what a device "
            "says of a word isn't a set of independent draws, so there is no estimate; count with "
            "reports made for counts: docs/how-to/count-words.md"
        )
    given = None if stated == RECOMMENDED else made.setting
    return Channel(bundle, resolve(bundle, given)[0])


def _check_weighted(channel: Channel) -> None:
    """Refuse a channel that has no formula, or that says nothing of single words."""
    if channel.weighted is None:
        raise ParameterError(
            "only reports of the mechanism 'exponential' can be estimated from: the channel of the "
            "others has no formula, and one that is only sampled would bias every frequency"
        )
    check_independent(channel.weighted.base)
