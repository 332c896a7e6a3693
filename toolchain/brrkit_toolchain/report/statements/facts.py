"""What a reviewer signs, before it is put into words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from brrkit.setting import Estimate, Measured
from brrkit_toolchain.attackers.closed_list import AmongAttack
from brrkit_toolchain.attackers.exposure import Exposure
from brrkit_toolchain.attackers.one_word import WordAttacker
from brrkit_toolchain.attackers.texts.success import READINGS_BY_POLICY
from brrkit_toolchain.attackers.texts.text_attack import TextAttack
from brrkit_toolchain.attackers.writers.named import WriterAttack
from brrkit_toolchain.audit import Audit
from brrkit_toolchain.bundle.verify.outcome import Verification
from brrkit_toolchain.report.statements.guarantee import Guarantee
from brrkit_toolchain.utility.task_accuracy import TaskAccuracy


@dataclass(frozen=True)
class TextResult:
    """A text that attackers read, and what they learned of it.

    Attributes:
        name: of its file.
        found: what they learned.
    """

    name: str
    found: TextAttack


@dataclass(frozen=True)
class Shares:
    """A share over all words of the vocabulary that were typed, and over some of them.

    Attributes:
        all: over all; None if nobody measured it.
        content: over those beyond the most frequent ones; None likewise, or if there were none.
        ordinary: over those in no list of the bundle's policy, that don't pass; None likewise, or
            without a policy.
    """

    all: Estimate | None
    content: Estimate | None
    ordinary: Estimate | None


@dataclass(frozen=True)
class TextSummary:
    """What was found of a text that was released and read.

    Attributes:
        name: of its file.
        attacker: who read it.
        chosen: it was found when the setting was chosen, of an attacker who is expected to know
            much of the language; else for the page, of one who knows what the page says.
        unchanged: shares of words that came out as typed.
        success: how often the attacker named a word.
        worst: the same of the least protected 1% of all words; None if nobody measured it.
        unknown: how often they recognized an unknown word as one; None likewise, or without one.
    """

    name: str
    attacker: str
    chosen: bool
    unchanged: Shares
    success: Shares
    worst: float | None
    unknown: Estimate | None


def summarize_result(result: TextResult, attacker: str = "sentence") -> TextSummary:
    """Return what was found for the page of a text, by one of ``ATTACKERS_AND_BASELINE``."""
    found = result.found
    success = {name: each.top1 for name, each in found.attackers[attacker].items()}
    return TextSummary(
        name=result.name,
        attacker=attacker,
        chosen=False,
        unchanged=_shares(found.unchanged),
        success=_shares(success),
        worst=found.worst[attacker],
        unknown=success.get("unknown"),
    )


def summarize_measured(measured: Measured | None) -> TextSummary | None:
    """Return what a manifest says of a text; None if it says nothing of one."""
    if measured is None or measured.text is None or measured.over not in READINGS_BY_POLICY:
        return None
    over = {"all": measured.all_words, measured.over: measured}
    every = over["all"]
    return TextSummary(
        name=measured.text,
        attacker=measured.attacker,
        chosen=True,
        unchanged=_shares({name: each.unchanged for name, each in over.items() if each}),
        success=_shares({name: each.attack_success for name, each in over.items() if each}),
        worst=None if every is None or every.worst is None else every.worst.value,
        unknown=measured.unknown_recognized,
    )


def _shares(by_class: Mapping[str, Estimate]) -> Shares:
    return Shares(*(by_class.get(name) for name in READINGS_BY_POLICY))


@dataclass(frozen=True)
class VocabularyResult:
    """The success of an attacker who sees one word, enclosed by draws.

    Attributes:
        attacker: who.
        success: from what an attacker reached to what none exceeds, with 95% confidence.
    """

    attacker: WordAttacker
    success: Estimate


@dataclass(frozen=True)
class Tests:
    """What was tested for the page, by this version on this day.

    Attributes:
        day: in UTC.
        mechanism: name of the one that the page explains.
        verification: of the bundle; None if it wasn't run.
        audit: of the mechanism; None if it wasn't run.
    """

    day: date
    mechanism: str
    verification: Verification | None
    audit: Audit | None


@dataclass(frozen=True)
class Facts:
    """What is proven, measured and tested of a setting on a bundle.

    Attributes:
        guarantee: what is proven.
        unchanged: share of words that come out as typed, where they are typed one at a time, by
            Zipf's law on their ranks.
        exposures: attackers who see one word; empty if the mechanism's probabilities have no
            formula.
        vocabulary_result: the same where they have none; None where ``exposures`` are there.
        text_result: a text that attackers read; None if none was given.
        text_summary: what was found of that, or else of a text when the setting was chosen; None if
            nothing was.
        alike: attackers who know some words alike, one of which was typed.
        tasks: what classifiers of released text reach of the bundle's tasks.
        tests: what was tested; None where nothing is said of it.
        writers: how often attackers name who wrote the text, a column each; empty without any.
    """

    guarantee: Guarantee
    unchanged: Estimate
    exposures: Sequence[Exposure]
    vocabulary_result: VocabularyResult | None
    text_result: TextResult | None
    text_summary: TextSummary | None
    alike: Sequence[AmongAttack]
    tasks: Sequence[TaskAccuracy]
    tests: Tests | None
    writers: Sequence[WriterAttack] = ()
