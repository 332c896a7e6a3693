"""What a reviewer signs, in short statements, and what stays open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from brrkit_toolchain.attackers.closed_list import AmongAttack
from brrkit_toolchain.attackers.writers.named import WriterAttack
from brrkit_toolchain.defaults import DAILY_BUDGET
from brrkit_toolchain.report.statements.facts import Facts, Shares, Tests, TextSummary
from brrkit_toolchain.report.statements.guarantee import YEAR, Guarantee, limits_in
from brrkit_toolchain.report.statements.number_format import (
    belief,
    odds,
    percent,
    probability,
    sure,
)
from brrkit_toolchain.report.statements.tables import WHO, reported, results_of
from brrkit_toolchain.rounding import at_most
from brrkit_toolchain.utility.task_accuracy import WORDS, TaskAccuracy


@dataclass(frozen=True)
class Statement:
    """A line to sign.

    Attributes:
        about: what it is about.
        says: sentences.
    """

    about: str
    says: str


RECEIVER = Statement(
    "Receiver",
    "Whoever gets what is released. They need no trust: they count as attackers.",
)
ATTACKERS = Statement(
    "Attackers",
    "All who see what leaves. They know the bundle, every setting and the language, and have any "
    "computing power. They can't look into the device.",
)
OTHER_HANDS = Statement(
    "A device, app or bundle in other hands",
    "Who controls one of them sees what is typed, or makes it leave. A bundle's digests detect "
    "damage, not forgery.",
)


def statements(facts: Facts) -> tuple[Statement, ...]:
    """Return who is concerned, what leaves, and what is proven, measured and tested."""
    return (
        Statement(
            "Users",
            "Whoever types in an app with this bundle. The device replaces each word by a randomly "
            f"drawn one{_but_passing(facts.guarantee)}. What is protected is one typed word, not a "
            "text and not a person.",
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
    """Return what stays open."""
    day = limits_in(1) * facts.guarantee.words_within(DAILY_BUDGET) * facts.guarantee.against_any
    return (
        Statement(
            "A text, a day, a person",
            f"Losses of words add up, in a day to {at_most(day)}. Words of one subject give each "
            "other away. What a text is about stays visible.",
        ),
        Statement(
            "A word typed again and again",
            f"Each release tells more of it.{_again(facts.alike)} A keyed memory reuses one draw "
            "for a period, in which long texts of one device can be linked.",
        ),
        *_context(facts),
        Statement("Single words", _single(facts)),
        Statement(
            "That, when and how much somebody types",
            "The number of words, their order, the time of sending and the sender's address show"
            f"{_but_in_frames(facts.guarantee)}.",
        ),
        OTHER_HANDS,
    )


def _but_passing(guarantee: Guarantee) -> str:
    return ", but mostly leaves a passing word as it is" if guarantee.passing else ""


def _but_in_frames(guarantee: Guarantee) -> str:
    return "; in frames the order within one and the address do" if guarantee.frames else ""


def _leaves(facts: Facts) -> str:
    counts = facts.guarantee.counts
    besides = "" if counts is None else f" For counting: {reported(counts)} a day."
    return (
        "Released words in order, one for each typed one, and the time of sending. Some are as "
        f"typed; nothing marks them.{besides}"
    )


def _as_typed(facts: Facts) -> str:
    alone = (
        f"Of words that are typed one at a time, by Zipf's law, {percent(facts.unchanged.value)} "
        "come out as typed."
    )
    text = facts.text_summary
    if text is None:
        return f"{alone} brr report --text counts those of a text."
    return (
        f"{'When the setting was chosen: ' * text.chosen}{_of_each(text.unchanged, percent)} of "
        f"{text.name} came out as typed. {alone}"
    )


def _of_each(shares: Shares, shown: Callable[[float], str]) -> str:
    """Return the share of each kind of word that has one: 33% of all words, 5.8% of content ..."""
    kinds = {"all": shares.all, "content": shares.content, "ordinary": shares.ordinary}
    return ", ".join(
        f"{shown(share.value)} of {kind} words"
        for kind, share in kinds.items()
        if share is not None
    )


def _proven(guarantee: Guarantee) -> str:
    one, near = guarantee.any_two, guarantee.loss(guarantee.nearest)
    of_these = f" of the {guarantee.words:,} that don't pass" if guarantee.passing else ""
    (factor, exponent), (factor_near, exponent_near) = odds(one), odds(near)
    return (
        f"A released word is at most {factor} times (e^{exponent}) as likely after one typed word "
        f"as after any other{of_these}, and {factor_near} times (e^{exponent_near}) for a word "
        f"and its nearest. An attacker who held all {guarantee.words:,} words to be as likely "
        f"{sure(guarantee.believed(one))} of one afterwards."
    )


def _policy(guarantee: Guarantee) -> tuple[Statement, ...]:
    """Return what is proven of the policy's lists and passing words, where it has some."""
    said = []
    if guarantee.lists:
        lists = ", ".join(f"{name} ({words:,} words)" for name, words in guarantee.lists.items())
        said.append(
            Statement(
                "Secret lists",
                f"{lists}. Between two words of one list the loss is exactly 0, for any number of "
                "releases. That one of them was typed may show: other words keep the bound above.",
            )
        )
    if guarantee.passing is not None:
        passing = guarantee.passing
        said.append(
            Statement(
                "Passing words",
                f"{passing.words:,} words are visible: with probability {passing.probability:g} "
                "each comes out as typed, and shows that it was. A release after any other word "
                f"is at most e^{at_most(guarantee.against_any)} times as likely as after one of "
                f"them: {at_most(passing.loss)} more than the bound above.",
            )
        )
    return tuple(said)


def _measured(facts: Facts) -> str:
    said = []
    if facts.exposures:
        most = facts.exposures[-1]
        said.append(
            f"An attacker who {WHO[most.attacker]} names it with probability "
            f"{probability(most.success)}, if words are typed by Zipf's law, the least protected "
            f"1% of the words with {probability(most.worst)}, and is {belief(most.max_posterior)} "
            "sure after the most telling word."
        )
    if facts.vocabulary_result is not None:
        success = facts.vocabulary_result.success
        said.append(
            f"An attacker who {WHO[facts.vocabulary_result.attacker]} names it with probability "
            f"{probability(success.value)}; nobody who does so exceeds "
            f"{belief(success.high)}, with 95% confidence."
        )
    return " ".join([*said, _of_text(facts)])


def _of_text(facts: Facts) -> str:
    text = facts.text_summary
    if text is None:
        return "One who reads a whole text is right more often: brr report --text measures it."
    who = WHO.get(text.attacker, text.attacker)
    named = _of_each(text.success, probability)
    if text.chosen:
        return (
            f"When the setting was chosen, one who {who} was expected to name {named} of "
            f"{text.name}, with ten million words of the language."
        )
    return f"One who {who} names {named} of {text.name}."


def _unknown(text: TextSummary | None) -> str:
    replaced = (
        "A word outside the vocabulary is replaced by a random word, a frequent one more often "
        "than a rare one, before it is released, so no release tells which one it was, or a letter "
        "of it; it counts in no share above. "
    )
    if text is not None and text.unknown is not None:
        share = probability(text.unknown.value)
        return f"{replaced}Of those of {text.name} {share} were recognized as unknown."
    if text is not None and not text.chosen:
        return f"{replaced}{text.name} has none."
    return f"{replaced}How often such words are recognized as unknown, brr report --text measures."


def _written(found: WriterAttack) -> str:
    count, most = found.most
    one, others = found.success["typed"][1], found.success["both"][count]
    frames = found.frame_words is not None
    sent = f"frames of {found.frame_words} words" if frames else "released texts"
    lengths = found.success["lengths"][count].value
    of_lengths = "" if frames else f" Their lengths alone name it with {probability(lengths)}."
    return (
        f"An attacker who chooses among {found.writers:,}, has other typed texts of each and "
        f"releases them, names it from one of the {sent} with probability "
        f"{probability(one.value)}, "
        f"from {count} with {probability(most.value)} (at most {probability(most.high)}, with 95% "
        f"confidence); one who has other released texts, from {count} with "
        f"{probability(others.value)}.{of_lengths} By chance it is {probability(found.chance)}; "
        f"from {count} texts as typed {probability(found.typed[count].value)}."
    )


def _kept(task: TaskAccuracy) -> str:
    return (
        f"The class of {percent(task.released.value)} of released texts is found, by the task's "
        f"owner and by attackers alike, who read whole texts by TF-IDF; by the mean code of "
        f"{WORDS} words {percent(task.released_codes.value)}. Of typed texts it is "
        f"{percent(task.typed.value)} and {percent(task.typed_codes.value)}, without a text "
        f"{percent(task.frequent)}."
    )


def _day(guarantee: Guarantee) -> str:
    """Proof: ``docs/explanation/proofs.md``, "A device"."""
    words = guarantee.words_within(DAILY_BUDGET)
    day = limits_in(1) * words
    lost = at_most(day * guarantee.against_any)
    return (
        f"A daily budget of {DAILY_BUDGET:g}, the keyboards' default, pays for {words:,} words. In "
        f"less than 24 hours at most twice as many leave: {day:,}, if nobody sets the device's "
        "uptime or replaces the budget's file, and "
        f"{words:,} more for each restart around which its clock is set forward. The "
        f"losses of {day:,} words add up to {lost}: the bound is about "
        "words, and says nothing of days."
    )


def _year(guarantee: Guarantee) -> str:
    words = guarantee.words_within(DAILY_BUDGET)
    return (
        f"At most {limits_in(YEAR) * words:,} words, and {words:,} more for each such restart. For "
        "a word typed once in it the bound is that of one release; for a word typed once a day "
        f"losses add up to {at_most(YEAR * guarantee.against_any)}. Assume that a "
        "year of released words shows what somebody writes about, and each word that they type "
        "again and again, unless a keyed memory reuses its draw."
    )


def _frames(guarantee: Guarantee) -> tuple[Statement, ...]:
    """Return what text in frames loses, where the bundle has them."""
    frames = guarantee.frames
    if frames is None:
        return ()
    one = guarantee.against_any
    return (
        Statement(
            "Text in frames",
            f"A device that sends text in frames only sends {frames.a_day:,} of {frames.words} "
            "words a day, whatever is typed: how much and when somebody types changes nothing but "
            f"these words. Two days lose at most {at_most(one)} if they differ in one word, "
            f"{at_most(frames.words * one)} if in a text of at most {frames.words} words, "
            f"{at_most(guarantee.framed(1))} in any case; two years "
            f"{at_most(guarantee.framed(YEAR))} in any case.",
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
        f" Of {alike[0].words} near words, one of which was typed, attackers name it with "
        f"probability {probability(once)} after one release and {probability(often)} after {times}."
    )


def _context(facts: Facts) -> tuple[Statement, ...]:
    """Return what the words around one of a list tell of it, where the policy has lists."""
    if not facts.guarantee.lists:
        return ()
    about = "The words around a secret one"
    says = "They aren't protected as it is, and may tell which word of its list it was"
    result = facts.text_result
    if result is None or not result.found.lists:
        return (Statement(about, f"{says}: brr report --text measures it."),)
    named = ", ".join(
        f"{probability(each.neighbors.value)} of {name} (by frequency alone "
        f"{probability(each.prior.value)})"
        for name, each in result.found.lists.items()
    )
    return (
        Statement(
            about,
            f"{says}: who knows all other words of {result.name} as typed names {named}, and as "
            "many if they see what was released.",
        ),
    )


def _single(facts: Facts) -> str:
    worst = ""
    if facts.exposures:
        most = max(each.worst for each in facts.exposures)
        worst = (
            f" The least protected 1% of the words are named with probability {probability(most)}."
        )
    return (
        f"Attack success is an average.{worst} Names, places and illnesses are often less "
        "protected than others, above all from attackers who know the subject."
    )
