"""The tables of the page, worked through: the bound, a day and a year, attackers, tests."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from brrkit_toolchain.defaults import DAILY_BUDGET
from brrkit_toolchain.report.statements.facts import Facts, Tests, TextSummary, summarize_result
from brrkit_toolchain.report.statements.guarantee import YEAR, CountsLoss, Guarantee, limits_in
from brrkit_toolchain.report.statements.number_format import (
    belief,
    nearly_certain,
    number,
    odds,
    percent,
    probability,
    sure,
)
from brrkit_toolchain.rounding import at_least, at_most, exact

WHO = {
    "isolated": "sees one word and assumes that all words are equally likely",
    "frequencies": "sees one word and knows how often words are typed",
    "sentence": "reads all released words of a text and knows the language",
    "informed": "sees one word, and knows the language and all other words as typed",
    "language_alone": "sees no released word, and knows the language and all other words as typed",
}
"""Each attacker's knowledge, as the end of a sentence that begins with "an attacker who"."""

ATTACKERS = ("an attacker who", "all words", "content words", "worst 1%", "surest")
"""Headings of the table of attackers: attack success on all words, and on some."""

_MEMORY = 30  # days of a period
_NONE = "–"


@dataclass(frozen=True)
class TableData:
    """A table: its first column has words, the others have numbers.

    Attributes:
        columns: the headings.
        rows: the cells.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def bound(guarantee: Guarantee) -> TableData:
    """Return the bound for words at some distances, and for any two words."""
    distances = {
        "a word and the one nearest to it (median)": guarantee.nearest,
        "two words at the average distance": guarantee.average,
        "the two words farthest apart": guarantee.farthest,
    }
    rows = [
        (which, number(bits), *_of_loss(guarantee, exact(guarantee.epsilon) * exact(bits)))
        for which, bits in distances.items()
    ]
    if guarantee.cap is not None:
        rows.append(
            ("any two words, by the cap", "any", *_of_loss(guarantee, exact(guarantee.cap)))
        )
    if guarantee.passing is not None:
        rows.append(
            ("any word, and one that passes", "any", *_of_loss(guarantee, guarantee.against_any))
        )
    becomes = f"1 in {guarantee.words:,} becomes"
    return TableData(
        ("two words", "bits apart", "privacy loss", "odds change by", becomes), tuple(rows)
    )


def reading(facts: Facts) -> str:
    """Return an explanation of the bound: its worst case, and its exact parts."""
    said = (
        "All values are upper bounds. The last column shows what a word's probability of 1 in "
        f"{facts.guarantee.words:,} can become after the release: against the other word of the "
        "pair or, in the last row, against all other words. If two rows cover the same words, the "
        "smaller bound holds. The bounds are worst cases over all words and releases: at a privacy "
        f"loss of {at_least(facts.guarantee.even)} or more, such an unlikely word may become more "
        "likely than all others together."
    )
    if not facts.exposures:
        return said
    isolated = facts.exposures[0]
    kept = " that doesn't pass" if facts.guarantee.passing else ""
    makes, become = "no release makes", f"more than {sure(isolated.max_posterior)}"
    if nearly_certain(isolated.max_posterior):
        makes, become = "a release may make", "almost certain"
    return (
        f"{said} In this vocabulary, {makes} an attacker who {WHO[isolated.attacker]} {become} of "
        f"a word{kept}. This was computed over all pairs of words, for a word typed by itself."
    )


def day_and_year(guarantee: Guarantee) -> TableData:
    """Return the releases of a day and of a year under the default budget, with their losses."""
    day, year = (limits_in(days) * guarantee.words_within(DAILY_BUDGET) for days in (1, YEAR))
    one = guarantee.against_any
    losses = {
        "privacy loss of a word typed once": (one, one),
        "privacy loss of a word typed every day": (one, YEAR * one),
        f"the same, with a keyed memory of {_MEMORY} days": (one, limits_in(YEAR, _MEMORY) * one),
        "privacy loss of all these words together": (day * one, year * one),
    }
    if guarantee.frames is not None:
        shape = f"{guarantee.frames.a_day:,} frames of {guarantee.frames.words} words a day"
        framed = guarantee.framed(1), guarantee.framed(YEAR)
        losses[f"privacy loss of text: {shape}"] = framed
    if guarantee.counts is not None:
        reports = guarantee.counts.day
        counted = f"privacy loss of counting: {reported(guarantee.counts)} a day"
        losses[counted] = (reports, YEAR * reports)
    rows = [("words that leave, at most", f"{day:,}", f"{year:,}")]
    rows += [(what, at_most(day), at_most(year)) for what, (day, year) in losses.items()]
    return TableData(("", "in a day", "in a year"), tuple(rows))


def attackers(facts: Facts) -> TableData:
    """Return each attacker's attack success, and the largest posterior after a single word."""
    rows: list[tuple[str, ...]] = [
        (
            WHO[each.attacker],
            probability(each.success),
            _NONE,
            probability(each.worst),
            belief(each.max_posterior),
        )
        for each in facts.exposures
    ]
    if facts.vocabulary_result is not None:
        success = facts.vocabulary_result.success
        shown = f"{probability(success.value)} to {belief(success.high)}"
        rows.append((WHO[facts.vocabulary_result.attacker], shown, _NONE, _NONE, _NONE))
    if facts.text_result is not None:
        rows += [
            _reader(summarize_result(facts.text_result, name))
            for name in facts.text_result.found.attackers
        ]
    elif facts.text_summary is not None:
        rows.append(_reader(facts.text_summary))
    return TableData(ATTACKERS, tuple(rows))


def remark(facts: Facts) -> str:
    """Return why attack success may be below the share of unchanged words; empty if it isn't."""
    if not facts.exposures or facts.exposures[0].success >= facts.unchanged.value:
        return ""
    return (
        "Guessing that nothing was changed is correct for "
        f"{percent(facts.unchanged.value)} of single words typed with the frequencies of Zipf's "
        "law, because frequent words come out as typed more often than others. Rows with "
        "a lower attack success cover other words: the whole vocabulary with equal weights, or "
        "content words."
    )


def outcomes(facts: Facts, lists: int) -> tuple[tuple[str, str, str], ...]:
    """Return each test and measurement, its outcome, and the command that repeats it.

    Args:
        facts: facts, with tests.
        lists: number of lists of words that attackers knew.
    """
    assert facts.tests is not None
    of_text = "not run"
    if facts.text_result is not None:
        found = facts.text_result.found
        of_text = f"{found.tokens:,} words of {found.texts:,} texts of {facts.text_result.name}"
    of_word = "computed over all pairs of words" if facts.exposures else "estimated from draws"
    of_lists = f"lists from files: {lists}; lists of words with near codes: {len(facts.alike)}"
    rows = [
        *results_of(facts.tests),
        ("attackers who see one word", of_word, "brr measure BUNDLE"),
        ("attackers who read a text", of_text, "brr measure BUNDLE --text FILE"),
        ("attackers who know a list of words", of_lists, "brr measure BUNDLE --among FILE"),
    ]
    if facts.tasks:
        names = ", ".join(task.name for task in facts.tasks)
        rows.append(("classifiers of released text", names, "brr measure BUNDLE --text FILE"))
    if facts.guarantee.counts is not None:
        cap = facts.guarantee.counts.setting.cap
        command = f"brr calibrate BUNDLE --for counts --cap {cap:g}"
        rows.append(("attackers of counts", "measured when the setting was chosen", command))
    return tuple(rows)


def results_of(tests: Tests) -> tuple[tuple[str, str, str], ...]:
    """Return each test that can fail, its outcome, and the command that repeats it."""
    verified = audited = "not run"
    if tests.verification is not None:
        checks = tests.verification.checks
        wrong = ", ".join(check.name for check in checks if not check.passed)
        verified = f"FAILED: {wrong}" if wrong else f"all {len(checks)} checks passed"
    if tests.audit is not None:
        audited = f"{tests.mechanism} {'passed' if tests.audit.passed else 'FAILED'}"
    command = f"brr audit BUNDLE --mechanism {tests.mechanism}"
    return (
        ("the bundle's files, codes and golden cases", verified, "brr verify BUNDLE"),
        ("the guarantee, on the running code", audited, command),
    )


def reported(counts: CountsLoss) -> str:
    """Return the number of words reported for counting."""
    each = counts.setting.words_a_day
    return "at most 1 released word" if each == 1 else f"at most {each:,} released words"


def _of_loss(guarantee: Guarantee, loss: Fraction) -> tuple[str, str, str]:
    factor, exponent = odds(loss)
    return exponent, f"{factor} to 1", belief(guarantee.believed(loss))


def _reader(text: TextSummary) -> tuple[str, ...]:
    who = WHO.get(text.attacker, text.attacker)
    found = (text.success.all, text.success.content)
    shares = (None if each is None else each.value for each in found)
    cells = (_NONE if each is None else probability(each) for each in (*shares, text.worst))
    return f"{who}; {text.name}{', when the setting was chosen' * text.chosen}", *cells, _NONE
