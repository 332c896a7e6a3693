"""Where an estimate's reports came from, and whether they can be estimated from."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit_counting.estimate.counts.closed_form import CountsChannel
from brrkit_counting.estimate.shares import FrequencyEstimate
from brrkit_counting.reports.setting import FOR_COUNTS, StatedSetting, words_a_day
from brrkit_counting.reports.spread import FEWEST
from brrkit_counting.reports.tally import Reports
from brrkit_toolchain.channel import Channel


@dataclass(frozen=True)
class Origin:
    """Where an estimate's reports came from.

    Attributes:
        bundle: SHA-256 of the bundle, as its manifest states it.
        list_of: what the strings of a list are; None if the bundle isn't one.
        setting: that made them: the ``epsilon`` of text, per bit of Hamming distance, or of counts
            the ``cap``, what any two words lose in one report.
        foreign: number of reports that aren't of the bundle; left out.
        repeated: number of batches that came more than once; counted once.
        others: number of batches of other settings; left out.
        oversized: number of batches with more reports than a device sends of a day, or of frames of
            another number of words than the bundle's; left out.
        words_a_day: reports that a device sends of a day; None where nobody says.
        batches: number of batches that were counted.
        clustered: whether a batch counts as a cluster, so that intervals and changes are of the
            people that devices are drawn from; else they are of what these devices typed.
        period: first start and last end, as ``2026-11-16T00:00:00Z``; None if the reports name
            none.
        frames: whether the batches are frames of text, whose fillers count as unknown words.
    """

    bundle: str
    list_of: str | None
    setting: Mapping[str, float]
    foreign: int
    repeated: int
    others: int
    oversized: int
    words_a_day: int | None
    batches: int
    clustered: bool
    period: tuple[str, str] | None
    frames: bool

    @classmethod
    def of(
        cls,
        bundle: WordBundle,
        channel: CountsChannel | Channel,
        reports: Reports,
        stated: StatedSetting | None,
    ) -> Origin:
        """Return where ``reports`` of a ``bundle`` came from.

        Args:
            bundle: that they were made with.
            channel: that they came through.
            reports: of one population.
            stated: the setting that the caller says, None if they say nothing.
        """
        if isinstance(channel, CountsChannel):
            setting = {"cap": channel.response.loss}
        else:
            setting = {"epsilon": channel.setting.epsilon}
        said = stated or reports.stated or FOR_COUNTS
        spreads = reports.spreads.values()
        return cls(
            bundle=str(bundle.manifest["sha256"]),
            list_of=bundle.list_of,
            setting=setting,
            foreign=reports.foreign,
            repeated=reports.repeated,
            others=reports.others,
            oversized=reports.oversized,
            words_a_day=words_a_day(said, bundle.counts, len(bundle) + 1),
            batches=reports.batches,
            clustered="cap" in setting and any(each.batches >= FEWEST for each in spreads),
            period=reports.period,
            frames=reports.frames,
        )


def paths_of(reports: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """Return the paths of files of reports.

    Raises:
        ParameterError: it is one path.
    """
    if isinstance(reports, str | os.PathLike):
        raise ParameterError("files of reports are a list of paths, not one path; give a list")
    return [Path(path) for path in reports]


def check_some(reports: Reports) -> None:
    """Check that a report has a word of the bundle.

    Raises:
        ParameterError: none has.
    """
    if not len(reports):
        raise ParameterError("no report has a word of this bundle; name the bundle of the devices")


def check_clustered(populations: Sequence[Reports], words_a_day: int | None) -> None:
    """Check that reports say which are one device's, where it sends more than one a day.

    Args:
        populations: that are to be compared.
        words_a_day: how many reports a device sends of a day; None where nobody says.

    Raises:
        ParameterError: they don't.
    """
    several = words_a_day is not None and words_a_day > 1
    if several and not all(each.spreads for each in populations):
        raise ParameterError(
            f"a device sends up to {words_a_day:,} reports a day, and tables and texts don't say "
            "which are of one device, so a comparison would show changes that are none; give "
            "batches (.jsonl)"
        )


def check_explained(found: FrequencyEstimate, name: str = "") -> None:
    """Check that the setting can have made the reports.

    Args:
        found: from the reports.
        name: what messages begin with, if they are some of several.

    Raises:
        ParameterError: it can't.
    """
    if not found.explained:
        raise ParameterError(
            f"{name}this setting can't have made these reports: they are "
            f"{found.misfit:,.0f} standard deviations from any that it makes, so shares and "
            "intervals would be wrong; name the setting that made them, or find out who sent "
            "others; --unexplained goes on"
        )
