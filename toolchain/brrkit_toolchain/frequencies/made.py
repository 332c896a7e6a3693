"""What made reports: as a caller says, or the reports, or else the bundle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

from brrkit import Privatizer, WordBundle
from brrkit.counts import Response
from brrkit.errors import ParameterError
from brrkit.exact import CAP_MAX, CAP_MIN
from brrkit.mechanisms import DEFAULT_MECHANISM, Mechanism
from brrkit_toolchain.counts.response import Response as Approximate
from brrkit_toolchain.frequencies.channel import weighted
from brrkit_toolchain.frequencies.closed_form import Counted
from brrkit_toolchain.frequencies.reports import Reports
from brrkit_toolchain.frequencies.settings import (
    FOR_COUNTS,
    MOST_REPEATS,
    RECOMMENDED,
    SECOND_EPSILON,
    Stated,
    identity,
    is_setting,
    recommended,
)

JOBS: Mapping[str, Stated] = {"text": RECOMMENDED, "counts": FOR_COUNTS}
"""What words are collected for, and the bundle's setting for it."""


def given(
    bundle: WordBundle,
    epsilon: float | None,
    values: Mapping[str, Any],
    memory: Mapping[str, Any],
    job: str | None = None,
) -> Stated | None:
    """Return the setting of ``epsilon`` and its parameters, of a cap, or the bundle's for ``job``.

    None if nothing is given.

    Args:
        bundle: that the reports were made with.
        epsilon: of reports of text.
        values: of the parameters ``radius``, ``base`` and ``cap``, or None.
        memory: ``second_cap`` and ``repeats``, or None.
        job: ``text`` or ``counts``, or None.

    Raises:
        ParameterError: the bundle can't have the setting, or both are given.
    """
    parameters = {name: value for name, value in values.items() if value is not None}
    beside = {name: value for name, value in memory.items() if value is not None}
    if job is not None:
        if job not in JOBS:
            raise ParameterError(f"reports are made for {' or '.join(JOBS)}; choose one")
        if epsilon is not None or parameters or beside:
            raise ParameterError(
                f"--for {job} is the bundle's setting; give that, or the numbers of another"
            )
        return JOBS[job]
    if epsilon is None and set(parameters) == {"cap"}:
        if beside and len(beside) < len(memory):
            raise ParameterError("second_cap and repeats belong together; give both, or neither")
        setting = {"mechanism": FOR_COUNTS, **parameters, **beside}
        if not is_setting(setting):
            raise ParameterError(
                f"cap and second_cap must be numbers from {CAP_MIN:g} to {CAP_MAX:g}, and repeats "
                f"an integer from 1 to {MOST_REPEATS:,}"
            )
        return setting
    for name in beside:
        raise ParameterError(f"{name} is of reports made for counts: give a cap, and no epsilon")
    if epsilon is None:
        if parameters:
            raise ParameterError(f"a {next(iter(parameters))} needs an epsilon; give both")
        return None
    Privatizer(bundle, epsilon, **parameters)
    return {"mechanism": DEFAULT_MECHANISM, "epsilon": epsilon, "parameters": parameters}


def mechanism_of(
    bundle: WordBundle,
    reports: Sequence[Reports],
    setting: Stated | None = None,
    *,
    texts: bool = False,
    plain: Path | None = None,
) -> Counted | Mechanism:
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
            text with a keyed memory, the base ``language`` or another mechanism than
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
        setting = RECOMMENDED if texts or bundle.counts is None else FOR_COUNTS
        if setting == FOR_COUNTS and plain is not None and bundle.recommended is not None:
            raise ParameterError(
                f"{plain}: doesn't say whether these words are text or reports made for counts, "
                "and the bundle has a setting for each; say it: --for text, or --for counts"
            )
    try:
        made = _made(bundle, setting)
        if isinstance(made, Counted):
            return made
        weighted(made)
    except ParameterError as error:
        raise ParameterError(f"{place}{error}") from None
    if any(one.counts[-1] for one in reports):
        raise ParameterError(
            "some reports have the empty word, which stands for unknown ones where reports are "
            "made for counts; these are of text: name the setting by the cap, or leave these out"
        )
    return made


def _made(bundle: WordBundle, setting: Stated) -> Counted | Mechanism:
    fields = recommended(bundle, setting) if isinstance(setting, str) else setting
    if fields is None and setting == FOR_COUNTS:
        raise ParameterError(
            "the bundle recommends no setting for counts; give the cap that the reports were made "
            "with, or calibrate the bundle with 'brr calibrate --for counts --write'"
        )
    if fields is None:
        return Privatizer(bundle).mechanism  # the error that it recommends none
    if fields["mechanism"] == FOR_COUNTS:
        symbols = len(bundle) + 1
        caps = [fields[name] for name in ("cap", "second_cap") if name in fields]
        kept = [Response.of(cap, symbols).kept for cap in caps]
        return Counted(Approximate(float(prod(kept)), symbols), fields.get("repeats", 1))
    if SECOND_EPSILON in fields:
        raise ParameterError(
            "these reports of text were made with a keyed memory (second_epsilon): what a device "
            "says of a word isn't a set of independent draws, so there is no estimate; count with "
            "reports made for counts: docs/how-to/count-words.md"
        )
    return Privatizer(
        bundle, fields["epsilon"], mechanism=fields["mechanism"], **fields["parameters"]
    ).mechanism
