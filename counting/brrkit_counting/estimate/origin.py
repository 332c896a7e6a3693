"""The origin of an estimate's reports, and checks that an estimate from them is possible."""

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
    """The origin of an estimate's reports.

    Attributes:
        bundle: SHA-256 of the bundle, as its manifest states it.
        list_of: kind of a list's strings; None for other bundles.
        setting: the setting that made the reports: ``epsilon`` for text, per bit of Hamming
            distance; ``cap`` for counts, the largest privacy loss of a report between two words.
        foreign: number of reports with words that the bundle lacks; left out.
        repeated: number of batches that came more than once; counted once.
        others: number of batches of other settings; left out.
        oversized: number of batches with more reports than a device sends for a day, or with frames
            of another length than the bundle's; left out.
        words_a_day: number of reports that a device sends for a day; None if unknown.
        batches: number of batches counted.
        clustered: whether a batch counts as a cluster. Intervals and changes then refer to the
            people from whom the devices are drawn; otherwise only to the text typed on these
            devices.
        period: first start and last end, such as ``2026-11-16T00:00:00Z``; None if the reports name
            no period.
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
        """Return the origin of ``reports``.

        Args:
            bundle: the bundle that made them.
            channel: the channel that made them.
            reports: reports of one population.
            stated: the setting that the caller states; None if they state none.
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
        ParameterError: ``reports`` is a single path.
    """
    if isinstance(reports, str | os.PathLike):
        raise ParameterError(
            "files of reports must be a list of paths, not one path; put it in a list"
        )
    return [Path(path) for path in reports]


def check_some(reports: Reports) -> None:
    """Check that some report has a word of the bundle.

    Raises:
        ParameterError: none has.
    """
    if not len(reports):
        raise ParameterError(
            "no report has a word of this bundle; give the bundle that the devices used"
        )


def check_clustered(populations: Sequence[Reports], words_a_day: int | None) -> None:
    """Check that reports are grouped by device, if a device sends more than one a day.

    Args:
        populations: the reports to compare.
        words_a_day: number of reports that a device sends for a day; None if unknown.

    Raises:
        ParameterError: they aren't.
    """
    several = words_a_day is not None and words_a_day > 1
    if several and not all(each.spreads for each in populations):
        raise ParameterError(
            f"a device sends up to {words_a_day:,} reports a day, and tables and texts don't state "
            "which reports come from one device, so a comparison would find differences that don't "
            "exist; give batches (.jsonl)"
        )


def check_explained(found: FrequencyEstimate, name: str = "") -> None:
    """Check that the setting can have made the reports.

    Args:
        found: the estimate from the reports.
        name: beginning of messages, if there are several sets of reports.

    Raises:
        ParameterError: it can't.
    """
    if not found.explained:
        raise ParameterError(
            f"{name}this setting can't have made these reports: they are {found.misfit:,.0f} "
            "standard deviations from the best fit, so shares and intervals would be wrong; give "
            "the setting that made them, find out who sent others, or give unexplained to continue"
        )
