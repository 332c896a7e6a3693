"""The facts behind the statements that a reviewer signs off."""

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
    """A text that attackers read, and their attack success.

    Attributes:
        name: name of its file.
        found: the attack success.
    """

    name: str
    found: TextAttack


@dataclass(frozen=True)
class Shares:
    """A share over all words of the vocabulary that were typed, and over some of them.

    Attributes:
        all: over all words; None if it wasn't measured.
        content: over content words; None if it wasn't measured, or if there were none.
        ordinary: over words on no list of the bundle's policy that don't pass; None if it wasn't
            measured, or without a policy.
    """

    all: Estimate | None
    content: Estimate | None
    ordinary: Estimate | None


@dataclass(frozen=True)
class TextSummary:
    """Results for a text that was released and read.

    Attributes:
        name: name of its file.
        attacker: name of the attacker.
        chosen: whether it was measured when the setting was chosen, for an attacker who is expected
            to know much text of the language. Otherwise it was measured for the page, for an
            attacker with the knowledge that the page states.
        unchanged: shares of words that were released unchanged.
        success: attack success.
        worst: attack success on the least protected 1% of all words; None if it wasn't measured.
        unknown: probability that they recognized an unknown word as unknown; None if it wasn't
            measured, or without unknown words.
    """

    name: str
    attacker: str
    chosen: bool
    unchanged: Shares
    success: Shares
    worst: float | None
    unknown: Estimate | None


def summarize_result(result: TextResult, attacker: str = "sentence") -> TextSummary:
    """Return the page's results for a text, for one of ``ATTACKERS_AND_BASELINE``."""
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
    """Return a manifest's results for a text; None if it has none."""
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
    """The attack success of an attacker who sees one word, enclosed by draws.

    Attributes:
        attacker: name of the attacker.
        success: from the success that an attacker reached to a bound for all attackers, with 95%
            confidence.
    """

    attacker: WordAttacker
    success: Estimate


@dataclass(frozen=True)
class Tests:
    """The tests for the page, by this version on this day.

    Attributes:
        day: the day, in UTC.
        mechanism: name of the mechanism that the page explains.
        verification: verification of the bundle; None if it wasn't run.
        audit: audit of the mechanism; None if it wasn't run.
    """

    day: date
    mechanism: str
    verification: Verification | None
    audit: Audit | None


@dataclass(frozen=True)
class Facts:
    """The guarantee, the measured results and the tests of a setting on a bundle.

    Attributes:
        guarantee: the proven guarantee.
        unchanged: share of words that are released unchanged if they are typed one at a time, by
            Zipf's law on their ranks.
        exposures: exposure to attackers who see one word; empty if the mechanism's probabilities
            have no formula.
        vocabulary_result: the same if they have no formula; None if there are ``exposures``.
        text_result: a text that attackers read; None if none was given.
        text_summary: results for this text, or else for a text when the setting was chosen; None if
            there are none.
        alike: attackers who know some similar words, one of which was typed.
        tasks: accuracy of classifiers of released text on the bundle's tasks.
        tests: the tests; None if the page doesn't mention them.
        writers: how often attackers name the writers of the text, for each column; empty without
            any.
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
