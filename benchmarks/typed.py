"""Text typed on phones: known words, and the attack success and utility of releases.

The kinds of text are phone messages, tweets, chat, requests and reviews. No bundle was built from a
measured text. Attackers have other texts of the same kind, and so does the language model for
perplexities. Two settings are measured: the one at which the sentence attacker recovers a fifth of
the known words, and the bundle's recommended setting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench, progress
from benchmarks.report import Finding
from benchmarks.typed_attack import (
    GOAL,
    RADIUS,
    Meaning,
    OthersLanguage,
    Shown,
    measure_shown,
    setting_at_goal,
)
from benchmarks.typed_kinds import (
    CHAT,
    KINDS,
    MESSAGES,
    TWEETS,
    Kind,
    data_folder,
    read_kinds,
    read_typed,
)
from benchmarks.typed_known import LEAST_OF_A_SENDER, RULES, Known, measure_known
from benchmarks.typed_tasks import EMOJI, emoji_accuracy, next_word_perplexity, shown_pairs
from brrkit_toolchain.attackers.texts.knowledge import learn_knowledge
from brrkit_toolchain.attackers.texts.text_attack import LONGEST
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.embeddings import read_embeddings

AT_GOAL, RECOMMENDED = "goal", "recommended"
"""The measured settings."""

SHOWN_AT = (RECOMMENDED, AT_GOAL)
"""The settings for pairs of typed and released texts."""

JUDGE = Path("embeddings") / "wikipedia-imdb.300d.50k.vec.gz"
"""Vectors for the meaning of every bundle's words, in ``BRR_DATA``."""


@dataclass(frozen=True)
class Amounts:
    """=The amounts of text.

    Attributes:
        counted: number of tokens of each kind for the known share.
        others: number of tokens of each kind that attackers and language models know.
        released: number of released tokens of each kind for the utility.
        attacked: number of attacked tokens, the first of these.
        tweets: number of tweets with each emoji that train a classifier, and that test it.
        learned: number of tokens in messages that train a next-word model.
    """

    counted: int
    others: int
    released: int
    attacked: int
    tweets: int
    learned: int


FULL = Amounts(250_000, 300_000, 20_000, 4_000, 1_000, 100_000)
QUICK = Amounts(5_000, 20_000, 1_000, 300, 20, 2_000)


@dataclass(frozen=True)
class Measured:
    """=The results for a kind of text.

    Attributes:
        known: words known to the bundle.
        shown: attack success and utility, by setting.
        channels: channels of the settings.
        perplexity: perplexity of the known typed words, under the model of others' texts.
        texts: number of released texts.
        tokens: number of their tokens.
        attacked: number of attacked tokens.
        others: number of tokens in other texts of this kind that attackers know.
    """

    known: Known
    shown: Mapping[str, Shown]
    channels: Mapping[str, Channel]
    perplexity: float
    texts: int
    tokens: int
    attacked: int
    others: int

    def to_json(self) -> dict[str, Any]:
        """Return the stored form, without the channels."""
        return {
            "known": asdict(self.known),
            "shown": {label: asdict(each) for label, each in self.shown.items()},
            **{
                name: getattr(self, name)
                for name in ("perplexity", "texts", "tokens", "attacked", "others")
            },
        }


def run(bench: Bench) -> Finding:
    """Measure the kinds with texts, two tasks of phones, and some pairs."""
    title = f"typed: what phones type, where an attacker who reads names {GOAL:g} of known words"
    kinds = read_kinds()
    if not kinds:
        return Finding(title, (), (), notes=("skipped: its texts aren't there (BRR_DATA)",))
    amounts = QUICK if bench.quick else FULL
    meaning = _read_meaning(bench)
    measured = {name: _measure(bench, kind, amounts, meaning) for name, kind in kinds.items()}
    numbers: dict[str, Any] = {
        "kinds": {name: each.to_json() for name, each in measured.items()},
        **_tasks(bench, kinds, measured, amounts),
        "notes": [
            *_notes(measured, meaning),
            *(f"no {name}: no file" for name in KINDS if name not in kinds),
        ],
    }
    return Finding(
        title,
        KNOWN_COLUMNS,
        known_rows(numbers["kinds"]),
        further=[
            [SHOWN_COLUMNS, *shown_rows(numbers["kinds"])],
            [TASK_COLUMNS, *task_rows(numbers)],
            [PAIR_COLUMNS, *numbers["pairs"]],
        ],
        notes=numbers["notes"],
        numbers=numbers,
    )


def _read_meaning(bench: Bench) -> Meaning:
    """Return the words' meaning, by the same vectors for each bundle, or else by its own."""
    embeddings, name = bench.embeddings, bench.file.name
    file = data_folder() / JUDGE
    if file.exists():
        progress(f"typed: reading {file.name}")
        embeddings, name = read_embeddings(file, progress=False), file.name
    return Meaning.of(embeddings, bench.bundle.vocabulary, name)


def _measure(bench: Bench, kind: Kind, amounts: Amounts, meaning: Meaning) -> Measured:
    """Measure a kind of text at each setting."""
    bundle = bench.bundle
    progress(f"typed: {kind.name}")
    counted = read_typed(kind.measured, bundle.tokenizer, amounts.counted)
    others = read_typed(kind.others, bundle.tokenizer, amounts.others)
    typed = read_typed(kind.measured, bundle.tokenizer, amounts.released, LONGEST)
    attacked = typed.first(amounts.attacked)
    knows = learn_knowledge(bundle.masses, [text.ids for text in others.ids()])
    language = OthersLanguage(others.words, typed.words, [list(bundle.vocabulary)])
    settings = {AT_GOAL: setting_at_goal(bundle, knows, attacked.ids(), kind.name)}
    if bundle.recommended is not None:
        settings[RECOMMENDED] = bundle.recommended
    channels = {label: Channel(bundle, setting) for label, setting in settings.items()}
    shown = {}
    for label, channel in channels.items():
        progress(f"typed: {kind.name}, {channel.setting}")
        shown[label] = measure_shown(channel, knows, typed, len(attacked.texts), language, meaning)
    return Measured(
        measure_known(counted, bundle, by_sender=kind.name == MESSAGES),
        shown,
        channels,
        language.perplexity(typed.words, typed.known),
        len(typed.texts),
        len(typed.numbers),
        len(attacked.numbers),
        len(others.numbers),
    )


def _tasks(
    bench: Bench, kinds: Mapping[str, Kind], measured: Mapping[str, Measured], amounts: Amounts
) -> dict[str, Any]:
    """Return the results of tasks, and pairs; None for a task without texts."""
    tokenizer = bench.bundle.tokenizer
    found: dict[str, Any] = {"emoji": {}, "next_word": None, "pairs": []}
    if TWEETS in kinds:
        progress("typed: emoji of tweets")
        tweets, channels = kinds[TWEETS], measured[TWEETS].channels
        found["emoji"] = {
            shown: emoji_accuracy(tweets, channels, classes, amounts.tweets)
            for shown, classes in EMOJI.items()
        }
    if CHAT in kinds and MESSAGES in kinds:
        progress("typed: next word")
        messages = kinds[MESSAGES]
        found["next_word"] = next_word_perplexity(
            read_typed(kinds[CHAT].others, tokenizer, amounts.others),
            read_typed(messages.others, tokenizer, amounts.learned),
            read_typed(messages.measured, tokenizer, amounts.released),
            measured[MESSAGES].channels,
        )
    if CHAT in kinds:
        channels = measured[CHAT].channels
        found["pairs"] = shown_pairs(
            kinds[CHAT].measured, [channels.get(name, channels[AT_GOAL]) for name in SHOWN_AT]
        )
    return found


def _notes(measured: Mapping[str, Measured], meaning: Meaning) -> Iterator[str]:
    """Yield sentences about the measurement."""
    for name, each in measured.items():
        yield (
            f"{name}: {each.known.tokens:,} words are counted, {each.tokens:,} are released, and "
            f"{each.attacked:,} are attacked. Attackers know {each.others:,} words of other texts."
        )
    yield f"Shares by sender cover the senders of at least {LEAST_OF_A_SENDER} words."
    yield (
        f"The setting for the goal has a radius of {RADIUS} of 64 bits, no task bits and no cap."
    )
    yield (
        "Perplexity is measured by an interpolated trigram model of other texts as typed (absolute "
        "discount 0.75, over bigrams with modified Kneser-Ney discounts)."
    )
    yield (
        f"Cosines use the vectors of {meaning.name}. These vectors cover "
        f"{(meaning.places >= 0).mean():.1%} of the bundle's words."
    )
    yield "AUC and gain are exact, for one released word."


KNOWN_COLUMNS = (
    "texts",
    "known",
    *("known, median sender", "known, tenth percentile of senders"),
    *("as they stand", "by endings", "by spellings", "long runs", "numbers"),
    "emoji per 100 words",
    "emoticons per 100 words",
)
SHOWN_COLUMNS = (
    "texts",
    "setting",
    "ε",
    "success, known words",
    "success, content words",
    "cosine",
    "cosine, content words",
    "perplexity (typed)",
    "ratio",
    "unknown words: AUC, gain",
)
TASK_COLUMNS = ("task", "baseline", "typed", "released, goal", "released, recommended")
PAIR_COLUMNS = ("typed", *(f"released, {name}" for name in SHOWN_AT))


def known_rows(kinds: Mapping[str, Any]) -> list[list[str]]:
    """Return the known words of each kind from stored results."""
    return [
        [
            name,
            _with_interval(each["known"]["known"]),
            *(_or_dash(each["known"][name]) for name in ("median", "tenth")),
            *(f"{each['known']['shares'][rule]:.3f}" for rule in RULES[:-1]),
            f"{each['known']['emoji']:.2f}",
            f"{each['known']['emoticons']:.2f}",
        ]
        for name, each in kinds.items()
    ]


def shown_rows(kinds: Mapping[str, Any]) -> list[list[str]]:
    """Return attack success and utility of each kind at each setting from stored results."""
    return [
        [
            name,
            label,
            f"{shown['epsilon']:.2f}",
            _with_interval(shown["success"]["all"]),
            _with_interval(shown["success"]["content"]),
            f"{shown['cosine']['all']:.3f}",
            f"{shown['cosine']['content']:.3f}",
            f"{shown['perplexity']:,.0f} ({each['perplexity']:,.0f})",
            f"{shown['perplexity'] / each['perplexity']:.2f}",
            f"{shown['auc']:.3f}, {shown['gain']:.3f}",
        ]
        for name, each in kinds.items()
        for label, shown in each["shown"].items()
    ]


def task_rows(numbers: Mapping[str, Any]) -> list[list[str]]:
    """Return the results of tasks from stored results."""
    rows = []
    words = numbers["next_word"]
    for shown, emoji in numbers["emoji"].items():
        rows.append(
            [
                f"emoji of a tweet, one of {shown}: accuracy",
                f"{1 / emoji['classes']:.2f}",
                _with_interval(emoji["typed"]),
                *_by_setting(emoji["released"], _with_interval),
            ]
        )
    if words is not None:
        rows.append(
            [
                "next word of messages: perplexity",
                f"{words['nothing']:,.0f}",
                f"{words['typed']:,.0f}",
                *_by_setting(words["released"], "{:,.0f}".format),
            ]
        )
    return rows


def _by_setting(found: Mapping[str, Any], written: Callable[[Any], str]) -> list[str]:
    return [written(found[each]) if each in found else "-" for each in (AT_GOAL, RECOMMENDED)]


def _or_dash(share: float | None) -> str:
    return "-" if share is None else f"{share:.3f}"


def _with_interval(found: Mapping[str, float]) -> str:
    return f"{found['value']:.3f} ({found['low']:.3f}–{found['high']:.3f})"
