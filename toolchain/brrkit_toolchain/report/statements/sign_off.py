"""Short statements for a reviewer to sign off, and open risks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brrkit_toolchain.attackers.closed_list import AmongAttack
from brrkit_toolchain.attackers.writers.named import WriterAttack
from brrkit_toolchain.defaults import DAILY_BUDGET
from brrkit_toolchain.report.statements.facts import Facts, Shares, Tests, TextSummary
from brrkit_toolchain.report.statements.guarantee import YEAR, Guarantee, limits_in
from brrkit_toolchain.report.statements.number_format import (
    at_most_percent,
    at_most_sure,
    nearly_certain,
    number,
    odds,
    percent,
    sure,
)
from brrkit_toolchain.report.statements.tables import WHO, reported, results_of
from brrkit_toolchain.rounding import at_most
from brrkit_toolchain.utility.task_accuracy import WORDS, TaskAccuracy


@dataclass(frozen=True)
class Statement:
    """A line to sign.

    Attributes:
        about: its subject.
        says: its sentences.
    """

    about: str
    says: str


RECEIVER = Statement(
    "Receiver",
    "Anyone who receives what leaves the device. They need not be trusted: they are attackers.",
)
ATTACKERS = Statement(
    "Attackers",
    "Anyone who sees what leaves. They know the bundle, every setting and the language, and have "
    "unlimited computing power. They cannot look into the device.",
)
OTHER_HANDS = Statement(
    "A compromised device, app or bundle",
    "An attacker who controls one of them can read what is typed, or make it leave the device. A "
    "bundle's digests detect damage, not forgery.",
)


def statements(facts: Facts) -> tuple[Statement, ...]:
    """Return statements on people, released data, proofs, measurements and tests."""
    return (
        Statement(
            "Users",
            "Anyone who types in an app with this bundle. The device replaces each word with a "
            f"randomly drawn word{_but_passing(facts.guarantee)}. The guarantee protects one typed "
            "word, not a text or a person.",
        ),
        RECEIVER,
        Statement("What leaves", _leaves(facts)),
        Statement("As typed", _as_typed(facts)),
        ATTACKERS,
        Statement("Proven", _proven(facts.guarantee)),
        *_policy(facts.guarantee),
        Statement("Measured", _measured(facts)),
        Statement("Unknown words", _unknown(facts.text_summary)),
        *(Statement(f"Who wrote it: {each.column}", _written(each)) for each in facts.writers),
        *(Statement(f"Kept for {task.name}", _kept(task)) for task in facts.tasks),
        Statement("A day", _day(facts.guarantee)),
        Statement("A year", _year(facts.guarantee)),
        *_frames(facts.guarantee),
        *(() if facts.tests is None else (Statement("Tested", _tested(facts.tests)),)),
        Statement(
            "The app has to",
            "send nothing else that was typed, release every word through one budget, keep its "
            "state files out of backups, and carry the bundle inside a signed package.",
        ),
    )


def risks(facts: Facts) -> tuple[Statement, ...]:
    """Return the open risks."""
    words = limits_in(1) * facts.guarantee.words_within(DAILY_BUDGET)
    lost = at_most(words * facts.guarantee.against_any)
    return (
        Statement(
            "A text, a day, a person",
            f"Privacy losses add up: the {words:,} words of a day lose up to {lost}. Several "
            "words on one subject make each other easier to recover. The subject of a text "
            "stays visible.",
        ),
        Statement(
            "A word typed again and again",
            f"Each release reveals more about it.{_again(facts.alike)} A keyed memory reuses one "
            "draw during a period, so long texts of that period from one device can be linked.",
        ),
        *_context(facts),
        Statement("Single words", _single(facts)),
        Statement(
            "Whether, when and how much somebody types",
            "The number of words, their order, the time of sending and the sender's address are "
            f"visible{_but_in_frames(facts.guarantee)}.",
        ),
        OTHER_HANDS,
    )


def _but_passing(guarantee: Guarantee) -> str:
    if guarantee.passing is None:
        return ""
    return (
        f", but leaves a passing word as it is with probability {guarantee.passing.probability:g}"
    )


def _but_in_frames(guarantee: Guarantee) -> str:
    seen = "; with frames, only the order within a frame, the address and days without frames"
    return seen if guarantee.frames else ""


def _leaves(facts: Facts) -> str:
    counts = facts.guarantee.counts
    besides = "" if counts is None else f" For counting: {reported(counts)} a day."
    return (
        "Released words in order, one for each typed word, and the time of sending. Some released "
        f"words equal the typed ones; nothing marks which.{besides}"
    )


def _as_typed(facts: Facts) -> str:
    alone = (
        "If single words are typed with the frequencies of Zipf's law, "
        f"{percent(facts.unchanged.value)} come out as typed."
    )
    text = facts.text_summary
    if text is None:
        return f"{alone} For a text, brr report --text measures this share."
    chosen = "When the setting was chosen, " * text.chosen
    ordinary = " Ordinary words are on no list and do not pass." if text.unchanged.ordinary else ""
    return f"{chosen}{_of_each(text.unchanged)} of {text.name} came out as typed.{ordinary} {alone}"


def _of_each(shares: Shares) -> str:
    """Return the share of each kind of word that has one: 33% of all words and 5.8% of ..."""
    kinds = {"all": shares.all, "content": shares.content, "ordinary": shares.ordinary}
    said = [
        f"{percent(share.value)} of {kind} words"
        for kind, share in kinds.items()
        if share is not None
    ]
    return " and ".join([", ".join(said[:-1]), said[-1]] if said[1:] else said)


def _proven(guarantee: Guarantee) -> str:
    one, near = guarantee.any_two, guarantee.loss(guarantee.nearest)
    of_these = f" of the {guarantee.words:,} that don't pass" if guarantee.passing else ""
    (factor, exponent), (factor_near, exponent_near) = odds(one), odds(near)
    return (
        f"A released word is at most {factor} times (e^{exponent}) as likely after one typed word "
        f"as after any other{of_these}, and {factor_near} times (e^{exponent_near}) for two words "
        f"{number(guarantee.nearest)} bits apart, the median distance between a word and the one "
        f"nearest to it. An attacker who assumed that all {guarantee.words:,} words were equally "
        f"likely {at_most_sure(guarantee.believed(one))} of any one of them."
    )


def _policy(guarantee: Guarantee) -> tuple[Statement, ...]:
    """Return the guarantees for the policy's lists and passing words, if it has any."""
    said = []
    if guarantee.lists:
        lists = ", ".join(f"{name} ({words:,} words)" for name, words in guarantee.lists.items())
        said.append(
            Statement(
                "Secret lists",
                f"{lists}. The privacy loss between two words of one list is exactly 0, for "
                "any number of releases. A release may show that one of them was typed: between a "
                "listed word and any other, the bound above holds.",
            )
        )
    if guarantee.passing is not None:
        passing = guarantee.passing
        said.append(
            Statement(
                "Passing words",
                f"{passing.words:,} words are visible: with probability {passing.probability:g} or "
                "more, each comes out as typed, which suggests that it was typed. A release after "
                f"any other word is at most e^{at_most(guarantee.against_any)} times as likely as "
                f"after one of them: this privacy loss is {at_most(passing.loss)} above the bound "
                "for other words.",
            )
        )
    return tuple(said)


def _measured(facts: Facts) -> str:
    said = []
    if facts.exposures:
        most = facts.exposures[-1]
        said.append(
            f"If words are typed with the frequencies of Zipf's law, an attacker who "
            f"{WHO[most.attacker]} recovers {percent(most.success)} of them. Of the least "
            f"protected 1%{_that_pass_not(facts)}, they recover {percent(most.worst)}. After the "
            f"most revealing release, they may be {sure(most.max_posterior)} of one word"
            f"{_that_pass_not(facts)}."
        )
    if facts.vocabulary_result is not None:
        success = facts.vocabulary_result.success
        exceeds = (
            "the draws give no upper bound for other attackers"
            if nearly_certain(success.high)
            else f"with 95% confidence, no such attacker exceeds {at_most_percent(success.high)}"
        )
        said.append(
            f"An attacker who {WHO[facts.vocabulary_result.attacker]} recovers "
            f"{percent(success.value)} of words; {exceeds}."
        )
    return " ".join([*said, _of_text(facts)])


def _that_pass_not(facts: Facts) -> str:
    """Return the words that an attacker's exposure covers, if some pass."""
    return " of those that don't pass" if facts.guarantee.passing else ""


def _of_text(facts: Facts) -> str:
    text = facts.text_summary
    if text is None:
        return (
            "An attacker who reads a whole text recovers more words: brr report --text measures "
            "how many."
        )
    who = WHO.get(text.attacker, text.attacker)
    named = _of_each(text.success)
    if text.chosen:
        return (
            f"When the setting was chosen, an attacker who {who} was expected to recover {named} "
            f"of {text.name}, given ten million words of the language."
        )
    return f"An attacker who {who} recovers {named} of {text.name}."


def _unknown(text: TextSummary | None) -> str:
    replaced = (
        "Before its release, a word outside the vocabulary is replaced with a random word of the "
        "vocabulary; frequent words are more likely. No release therefore reveals which word was "
        "typed, or any letter of it. The shares above exclude such words. "
    )
    if text is not None and text.unknown is not None:
        share = percent(text.unknown.value)
        return f"{replaced}Of those in {text.name}, {share} were recognized as unknown."
    if text is not None and not text.chosen:
        return f"{replaced}{text.name} contains no such words."
    return f"{replaced}brr report --text measures how often they are recognized as unknown."


def _written(found: WriterAttack) -> str:
    count, most = found.most
    one, others = found.success["typed"][1], found.success["both"][count]
    frames = found.frame_words is not None
    sent = f"frame of {found.frame_words} words" if frames else "released text"
    lengths = found.success["lengths"][count].value
    of_lengths = "" if frames else f", and from their lengths alone in {percent(lengths)}"
    return (
        f"An attacker chooses among {found.writers:,} writers. They have other typed texts of "
        f"each, and release these themselves. From one {sent}, they identify the right writer in "
        f"{percent(one.value)} of cases, and from {count} in {percent(most.value)} (at most "
        f"{at_most_percent(most.high)}, with 95% confidence). An attacker who has only other "
        f"released texts of each does so from {count} in {percent(others.value)}{of_lengths}. "
        f"Chance is {percent(found.chance)}; from {count} texts as typed, the attacker succeeds in "
        f"{percent(found.typed[count].value)}."
    )


def _kept(task: TaskAccuracy) -> str:
    return (
        "A classifier, the task's or an attacker's, identifies the class of "
        f"{percent(task.released.value)} of released texts from the TF-IDF of whole texts, and of "
        f"{percent(task.released_codes.value)} from the mean code of {WORDS} words. For typed "
        f"texts, these shares are {percent(task.typed.value)} and "
        f"{percent(task.typed_codes.value)}. The most frequent class has {percent(task.frequent)} "
        "of the texts."
    )


def _day(guarantee: Guarantee) -> str:
    """Proof: ``docs/explanation/proofs.md``, "A device"."""
    words = guarantee.words_within(DAILY_BUDGET)
    day = limits_in(1) * words
    lost = at_most(day * guarantee.against_any)
    return (
        f"A daily budget of {DAILY_BUDGET:g}, the keyboards' default, pays for {words:,} words. In "
        f"less than 24 hours, at most twice as many leave: {day:,}. Each restart of the device "
        f"with its clock set forward allows {words:,} more. This assumes that nobody sets the "
        f"device's uptime or replaces the budget's file. The privacy losses of {day:,} words add "
        f"up to {lost}: the bound protects words, not days."
    )


def _year(guarantee: Guarantee) -> str:
    words = guarantee.words_within(DAILY_BUDGET)
    lost = at_most(YEAR * guarantee.against_any)
    return (
        f"At most {limits_in(YEAR) * words:,} words leave, and {words:,} more for each such "
        "restart. For a word typed once in the year, the bound of one release holds. For a word "
        f"typed once a day, the privacy losses add up to {lost}. Assume that a year of released "
        "words reveals what a person writes about. Without a keyed memory, it also "
        "reveals each word that they type again and again."
    )


def _frames(guarantee: Guarantee) -> tuple[Statement, ...]:
    """Return the privacy loss of text in frames, if the bundle has frames."""
    frames = guarantee.frames
    if frames is None:
        return ()
    one = guarantee.against_any
    return (
        Statement(
            "Text in frames",
            f"A device that sends text only in frames sends {frames.a_day:,} frames of "
            f"{frames.words} words for each day that the app begins, whatever is typed. The amount "
            "and the time of typing change only the words in them. The privacy loss between two "
            "such days is at most "
            f"{at_most(one)} if one typed word is replaced by another, "
            f"{at_most(frames.words * one)} if the days differ in one text of at most "
            f"{frames.words} words, and {at_most(guarantee.framed(1))} in any case. The "
            "privacy loss between any two spans of 365 days is at most "
            f"{at_most(guarantee.framed(YEAR))}.",
        ),
    )


def _tested(tests: Tests) -> str:
    results = (f"{what[0].upper()}{what[1:]}: {result}." for what, result, _ in results_of(tests))
    return f"On {tests.day}. {' '.join(results)}"


def _again(alike: Sequence[AmongAttack]) -> str:
    if not alike:
        return ""
    times = max(alike[0].success)
    once, often = (
        sum(among.success[count].value for among in alike) / len(alike) for count in (1, times)
    )
    return (
        f" Attackers who know that it is one of {alike[0].words} words with near codes recover it "
        f"in {percent(once)} of cases after one release, and in {percent(often)} after {times}."
    )


def _context(facts: Facts) -> tuple[Statement, ...]:
    """Return how much the words around a list's word reveal about it, if the policy has lists."""
    if not facts.guarantee.lists:
        return ()
    about = "The words around a secret word"
    says = "They are less protected than the secret word, and may reveal which word it was"
    result = facts.text_result
    if result is None or not result.found.lists:
        return (Statement(about, f"{says}: brr report --text measures it."),)
    named = ", ".join(
        f"{percent(each.neighbors.value)} of {name} ({percent(each.prior.value)} by frequency "
        "alone)"
        for name, each in result.found.lists.items()
    )
    return (
        Statement(
            about,
            f"{says}: an attacker who knows the list and all other words of {result.name} as typed "
            f"recovers {named}. What was released does not help them.",
        ),
    )


def _single(facts: Facts) -> str:
    worst = ""
    if facts.exposures:
        most = max(each.worst for each in facts.exposures)
        worst = (
            f" Of the least protected 1%{_that_pass_not(facts) or ' of the words'}, an attacker "
            f"who sees one word recovers {percent(most)}."
        )
    return (
        f"Attack success is an average.{worst} Names, places and illnesses are often less "
        "protected than other words, especially from attackers who know the subject."
    )
