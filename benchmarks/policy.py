"""Protection and cost of policies: lists of secret words, passing words, marks in prompts.

The same bundle is measured at its recommended setting, without and with a policy. The lists are
made here from licensed packages. A row whose list, texts or prompts are missing is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.policy_bundles import (
    NAMES,
    policy_for,
    with_policy,
    without_ordinary,
    words_of_lists,
)
from benchmarks.report import Finding
from benchmarks.reviews import split_by_text
from benchmarks.task_texts import known_texts
from benchmarks.timing import interleave, ratio
from benchmarks.typed_attack import Meaning
from benchmarks.typed_kinds import MESSAGES, REQUESTS, data_folder, read_kinds
from brrkit import Mark, Privatizer, WordBundle
from brrkit.exact import EPSILON_MAX
from brrkit.mechanisms.exponential import UNIGRAM
from brrkit.setting import Setting
from brrkit_toolchain.attackers.closed_list import exact_success
from brrkit_toolchain.attackers.texts.knowledge import (
    Knowledge,
    learn_knowledge,
    shares_of_forms,
)
from brrkit_toolchain.attackers.texts.listed_words import ListAttack, attack_list
from brrkit_toolchain.attackers.texts.text_attack import LONGEST, known_ids, released_before
from brrkit_toolchain.bundle.writer import encode_fields
from brrkit_toolchain.calibrate.goals import TextAttackSuccess
from brrkit_toolchain.calibrate.limits import FLATTEST_EPSILON, SettingGrid, logit
from brrkit_toolchain.calibrate.roots import crossing_near
from brrkit_toolchain.calibrate.trial import Trial
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.confidence import proportion
from brrkit_toolchain.language.texts import TextIds, TypedText, ids_of
from brrkit_toolchain.lists.choose import policy_fields
from brrkit_toolchain.utility.evaluate.bags import bag_accuracy

RELEASES = (1, 20, 1_000)
"""Numbers of a word's releases, after which attackers name it within its list."""

PASSING, PASSING_OF_SENDERS = 30, 25
"""Function words that pass."""

HONEST = 0.53
"""Attack success over content words at which classifiers are compared."""

USUAL = Setting(1.1, parameters={"base": UNIGRAM, "radius": 12, "cap": 16.0})
"""The setting for a bundle that recommends none."""

COLUMNS = ("", "without a policy", "with lists", "with lists and passing words")

_OF_PROMPTS = (
    ("leaked", "marked parts of prompts, unchanged in the release"),
    ("kept", "other words of prompts, unchanged in the release"),
)

_SENDERS, _MESSAGES_OF_A_SENDER = 30, 100
_WORDS_TIMED = 64
_FEWEST_TYPED = 50  # smallest number of a list's typed words for a share


@dataclass(frozen=True)
class Amounts:
    """=The extent of the measurements.

    Attributes:
        histories: number of histories of a repeatedly released word.
        tokens: number of tokens in released messages.
        others: number of tokens in messages that attackers know.
        attacked: number of attacked tokens in requests, for the search of a setting.
        requests: number of requests that train, and that test a classifier.
        prompts: number of released prompts.
        rounds: number of rounds of timing.
    """

    histories: int
    tokens: int
    others: int
    attacked: int
    requests: int
    prompts: int
    rounds: int


FULL = Amounts(400, 40_000, 300_000, 1_500, 6_000, 250, 30)
QUICK = Amounts(20, 2_000, 10_000, 300, 300, 20, 2)

Cells = Sequence[str]


@dataclass(frozen=True)
class Contenders:
    """=The bundle without a policy, with lists, and also with passing words.

    Attributes:
        plain: bundle without a policy.
        listed: bundle with lists.
        passing: bundle with lists and ``PASSING`` passing words.
        setting: the setting for all.
    """

    plain: WordBundle
    listed: WordBundle
    passing: WordBundle
    setting: Setting

    @property
    def all(self) -> Mapping[str, WordBundle]:
        """The bundles by their names in stored results."""
        return {"plain": self.plain, "listed": self.listed, "passing": self.passing}


def run(bench: Bench) -> Finding:
    """Measure the policies whose lists and texts are available."""
    title = "policy: what lists of secret words protect, and what words that pass cost"
    lists = words_of_lists()
    if NAMES not in lists:
        return Finding(title, (), (), notes=("skipped: faker, whose names it takes, isn't there",))
    amounts = QUICK if bench.quick else FULL
    setting = USUAL
    if (recommended := bench.bundle.recommended) is not None:
        setting = Setting(recommended.epsilon, parameters=recommended.parameters)
    lists = without_ordinary(bench.bundle, lists)
    policies = [policy_for(bench.bundle, lists, bench.folder, each) for each in (None, PASSING)]
    listed, passing = (with_policy(bench.bundle, policy) for policy in policies)
    subjects = Contenders(bench.bundle, listed, passing, setting)
    numbers: dict[str, Any] = {
        "setting": str(setting),
        "lists": {each.name: len(each.members) for each in subjects.listed.policy.lists},
        "named": _named(subjects, amounts),
        "messages": _messages(bench, subjects, amounts),
        "requests": _requests(subjects, amounts),
        "senders": _senders(bench, subjects),
        "prompts": _prompts(subjects, amounts),
        "cost": _cost(subjects, amounts),
    }
    return Finding(title, COLUMNS, rows_of(numbers), notes=notes_of(numbers), numbers=numbers)


def _named(subjects: Contenders, amounts: Amounts) -> dict[str, Any]:
    """Return the attack success on a name within its list, after some releases of it."""
    progress("policy: names that are released again and again")
    members = np.array(subjects.listed.policy.lists[0].members)
    channel = Channel(subjects.plain, subjects.setting)
    log = np.log(channel.linear.into(members))
    generator = np.random.default_rng(0)
    release, right = channel.releaser(generator), []
    for typed in generator.integers(len(members), size=amounts.histories).tolist():
        outputs = release(np.full(RELEASES[-1], members[typed]))
        learned = np.cumsum(log[outputs], axis=0)[np.array(RELEASES) - 1]
        right.append(learned.argmax(axis=1) == typed)
    found = np.mean(right, axis=0).tolist()
    same = exact_success(Channel(subjects.listed, subjects.setting), members)
    return {
        "words": len(members),
        "plain": [_estimate(share, amounts.histories) for share in found],
        "listed": same,
    }


def _messages(bench: Bench, subjects: Contenders, amounts: Amounts) -> dict[str, Any] | None:
    """Return the attack success on listed words in messages, and the utility of ordinary words."""
    kind = read_kinds([MESSAGES]).get(MESSAGES)
    if kind is None:
        return None
    meaning = Meaning.of(bench.embeddings, bench.bundle.vocabulary, bench.file.name)
    found: dict[str, Any] = {}
    for name, bundle in subjects.all.items():
        progress(f"policy: messages, {name}")
        # The lists decide which tokens are on them, even if the channel has no lists.
        convert = TextIds(subjects.listed.tokenizer)
        typed = _first(ids_of(kind.measured.texts, convert), amounts.tokens)
        others = _first(ids_of(kind.others.texts, convert), amounts.others)
        knows = learn_knowledge(bundle.masses, [text.ids for text in others])
        found[name] = _of_messages(bundle, subjects, typed, knows, meaning)
        if bundle is subjects.listed:
            forms = shares_of_forms(others, len(bundle))
            found["forms"] = float(sum(forms.values()))
    return found


def _of_messages(
    bundle: WordBundle,
    subjects: Contenders,
    typed: Sequence[TypedText],
    knows: Knowledge,
    meaning: Meaning,
) -> dict[str, Any]:
    """Return the attack success and the utility of ``typed`` messages, released once."""
    release, evidence = Channel(bundle, subjects.setting).release_and_evidence(
        np.random.default_rng(0)
    )
    ids = np.concatenate([text.ids for text in typed])
    texts = np.repeat(np.arange(len(typed)), [len(text.ids) for text in typed])
    own = bundle is subjects.plain
    given = ids if own else np.concatenate([text.typed_as for text in typed])
    unknown = given == len(bundle)
    outputs = release(known_ids(given, evidence.stand_ins, 0), texts, unknown)
    before = split_by_text(released_before(outputs, texts), typed)
    came_out = split_by_text(outputs, typed), before
    policy = Channel(subjects.passing, subjects.setting).typed
    words = np.minimum(ids, len(bundle) - 1)
    ordinary = (ids < len(bundle)) & policy.ordinary[words]
    lists = {}
    for each in subjects.listed.policy.lists:
        places = [
            (number, place)
            for number, text in enumerate(typed)
            for place in np.flatnonzero(np.isin(text.ids, each.members)).tolist()
        ]
        if places:
            members = np.array(each.members)
            attack = attack_list(members, places, knows, evidence, typed, came_out)
            lists[each.name] = _stored(attack)
    return {
        "tokens": len(ids),
        "lists": lists,
        "cosine": meaning.cosine(ids[ordinary], outputs[ordinary]),
    }


def _requests(subjects: Contenders, amounts: Amounts) -> dict[str, Any] | None:
    """Return the accuracy of released requests' intents, at the setting, and at ``HONEST``."""
    folder = data_folder() / "intents" / "snips"
    kind = read_kinds([REQUESTS]).get(REQUESTS)
    if kind is None:
        return None
    found: dict[str, Any] = {}
    for name, bundle in subjects.all.items():
        progress(f"policy: requests, {name}")
        convert = TextIds(bundle.tokenizer)
        parts = []
        for part in ("train", "test"):
            lines, labels = (
                (folder / part / file).read_text("utf-8").splitlines()
                for file in ("seq.in", "label")
            )
            order = np.random.default_rng(0).permutation(len(lines))[: amounts.requests]
            read = [convert(lines[i]).ids for i in order]
            classes = np.unique(labels, return_inverse=True)[1][order]
            parts.append(known_texts(read, classes, len(bundle), None))
        attacked = _first(ids_of(kind.measured.texts, convert), amounts.attacked)
        others = [text.ids for text in ids_of(kind.others.texts, convert)]
        trial = _trial(bundle, subjects.setting, learn_knowledge(bundle.masses, others), attacked)

        def accuracy(setting: Setting, bundle: WordBundle = bundle, parts: Any = parts) -> float:
            release = Channel(bundle, setting).releaser(np.random.default_rng(0))
            released = [
                replace(
                    part,
                    ids=release(
                        part.ids, np.repeat(np.arange(len(part.labels)), np.diff(part.offsets))
                    ).astype(np.intp),
                )
                for part in parts
            ]
            return bag_accuracy(released[0], released[1], len(bundle))

        honest = _at_honest(trial, subjects.setting)
        found[name] = {
            "accuracy": accuracy(subjects.setting),
            "named": trial.success(subjects.setting.epsilon, _radius(subjects.setting)),
            "honest": honest.epsilon,
            "accuracy at honest": accuracy(honest),
            "tested": len(parts[1].labels),
        }
    return found


def _trial(
    bundle: WordBundle, setting: Setting, knows: Knowledge, attacked: Sequence[TypedText]
) -> Trial:
    """Return the sentence attacker's success on content words, at settings without a cap."""
    goal = TextAttackSuccess(HONEST, "sentence", "content", REQUESTS)
    base, task_weight = (setting.parameters.get(name) for name in ("base", "task_weight"))
    grid = SettingGrid.of(bundle, str(base), task_weight=task_weight)
    return Trial(grid, knows, goal, attacked, seed=0)


def _radius(setting: Setting) -> int:
    return int(setting.parameters["radius"])


def _at_honest(trial: Trial, setting: Setting) -> Setting:
    """Return the setting with ``HONEST`` as the sentence attacker's success on content words."""
    epsilon = crossing_near(
        lambda each: logit(trial.success(each, _radius(setting))) - logit(HONEST),
        setting.epsilon,
        FLATTEST_EPSILON,
        EPSILON_MAX,
        0.02,
    )
    return Setting(epsilon, parameters=setting.parameters)


def _senders(bench: Bench, subjects: Contenders) -> dict[str, Any] | None:
    """Return the success of naming the sender of 100 released messages among 30."""
    kind = read_kinds([MESSAGES]).get(MESSAGES)
    if kind is None:
        return None
    texts = [*kind.measured.texts, *kind.others.texts]
    senders = np.concatenate([kind.measured.groups, kind.others.groups])
    least = 2 * _MESSAGES_OF_A_SENDER
    most = [i for i in np.unique(senders) if np.count_nonzero(senders == i) >= least][:_SENDERS]
    if len(most) < 2:
        return None
    lists = without_ordinary(bench.bundle, words_of_lists())
    policy = policy_for(bench.bundle, lists, bench.folder, PASSING_OF_SENDERS)
    found: dict[str, Any] = {"senders": len(most)}
    for name, bundle in {
        "plain": subjects.plain,
        "listed": subjects.listed,
        "passing": with_policy(bench.bundle, policy),
    }.items():
        progress(f"policy: senders, {name}")
        found[name] = _sender_named(bundle, subjects.setting, texts, senders, most)
    return found


def _sender_named(
    bundle: WordBundle,
    setting: Setting,
    texts: Sequence[str],
    senders: NDArray[np.intp],
    most: Sequence[int],
) -> float:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    convert, generator = TextIds(bundle.tokenizer), np.random.default_rng(0)
    release = Channel(bundle, setting).releaser(generator)
    stand_ins = Channel(bundle, setting).stand_ins
    learned: list[str] = []
    tested: list[list[str]] = []
    for sender in most:
        own = generator.permutation(np.flatnonzero(senders == sender))
        own = own[: 2 * _MESSAGES_OF_A_SENDER]
        read = [convert(texts[i]) for i in own]
        typed_as = np.concatenate([text.typed_as for text in read])
        numbers = np.repeat(np.arange(len(read)), [len(text.ids) for text in read])
        unknown = typed_as == len(bundle)
        outputs = release(known_ids(typed_as, stand_ins, 0), numbers, unknown)
        said = [" ".join(map(str, part)) for part in split_by_text(outputs, read)]
        learned += said[:_MESSAGES_OF_A_SENDER]
        tested.append(said[_MESSAGES_OF_A_SENDER:])
    model = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), min_df=2, token_pattern=r"\S+", sublinear_tf=True),
        LogisticRegression(C=10, max_iter=100),
    )
    model.fit(learned, np.repeat(np.arange(len(most)), _MESSAGES_OF_A_SENDER))
    named = [model.predict_log_proba(each).sum(axis=0).argmax() for each in tested]
    return float(np.mean(np.array(named) == np.arange(len(most))))


def _prompts(subjects: Contenders, amounts: Amounts) -> dict[str, Any] | None:
    """Return the share of marked units that leave, and of other words that stay."""
    file = data_folder() / "standard" / "llm-redactor-pii-first-half.jsonl"
    if not file.exists():
        return None
    progress("policy: prompts")
    lines = file.read_text("utf-8").splitlines()[: amounts.prompts]
    prompts = [json.loads(line) for line in lines]
    plain = Privatizer(subjects.plain, subjects.setting)
    marked = Privatizer(subjects.listed, subjects.setting)
    detect = _detector(subjects.listed)
    found: dict[str, list[int]] = {"plain": [0, 0], "listed": [0, 0]}
    found |= {} if detect is None else {"detected": [0, 0]}
    units = others = 0
    for prompt in prompts:
        text, spans = prompt["text"], prompt["annotations"]
        marks = [
            Mark(span["start"], span["end"], NAMES if span["kind"] == "person" else None)
            for span in spans
        ]
        outside = list(text)
        for mark in marks:
            outside[mark.start : mark.end] = " " * (mark.end - mark.start)
        kept = subjects.plain.tokenize("".join(outside))
        units, others = units + len(spans), others + len(kept)
        released_by = {
            "plain": plain.text(text),
            "listed": marked.text(text, marks, rest="pass"),
        }
        if detect is not None:
            released_by["detected"] = marked.text(text, detect(text), rest="pass")
        for name, released in released_by.items():
            came_out = subjects.plain.tokenize(released)
            found[name][0] += sum(
                _holds(came_out, subjects.plain.tokenize(span["text"])) for span in spans
            )
            found[name][1] += _in_common(came_out, kept)
    return {
        "prompts": len(prompts),
        "units": units,
        **{
            name: {"leaked": leaked / units, "kept": kept / others}
            for name, (leaked, kept) in found.items()
        },
    }


def _detector(bundle: WordBundle) -> Callable[[str], Sequence[Mark]] | None:
    """Return a finder of marks by Presidio's patterns and the lists; None without Presidio."""
    try:
        from examples.guard.detector import Detector
    except ImportError:
        return None
    return Detector(bundle).marks


def _holds(words: Sequence[str], part: Sequence[str]) -> bool:
    """Return whether ``words`` contain ``part`` as consecutive words."""
    starts = range(len(words) - len(part) + 1)
    return any(list(words[start : start + len(part)]) == list(part) for start in starts)


def _in_common(words: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence, in words."""
    row = np.zeros(len(other) + 1, np.intp)
    for word in words:
        same = np.array([word == each for each in other], np.bool_)
        longer = np.maximum(row[1:], np.where(same, row[:-1] + 1, 0))
        row[1:] = np.maximum.accumulate(longer)
    return int(row[-1])


def _cost(subjects: Contenders, amounts: Amounts) -> dict[str, Any]:
    """Return the ratio of a word's time with and without a policy, and the growth of the bundle."""
    progress("policy: time")
    generator = np.random.default_rng(0)
    ids = generator.integers(len(subjects.plain), size=_WORDS_TIMED).tolist()
    words = [subjects.plain.vocabulary.word(i) for i in ids]
    privatizers = {
        name: Privatizer(bundle, subjects.setting) for name, bundle in subjects.all.items()
    }
    times = interleave(
        {name: partial(each.words, words) for name, each in privatizers.items()},
        amounts.rounds,
    )
    return {
        name: {
            "time": ratio(times[name], times["plain"]),
            "bytes": len(encode_fields(policy_fields(bundle.policy))),
        }
        for name, bundle in subjects.all.items()
        if name != "plain"
    }


def _first(texts: Sequence[TypedText], tokens: int) -> list[TypedText]:
    """Return the first of ``texts``, with about this number of ``tokens`` together."""
    found: list[TypedText] = []
    total = 0
    for text in texts:
        if total >= tokens:
            break
        found.append(text.start(LONGEST))
        total += len(found[-1].ids)
    return found


def _stored(attack: ListAttack) -> dict[str, Any]:
    return {
        "tokens": attack.tokens,
        **{
            name: vars(getattr(attack, name))
            for name in ("prior", "neighbors", "everything", "inside")
        },
    }


def _estimate(share: float, count: int) -> dict[str, float]:
    return vars(proportion(share, share * (1 - share) / count, float(count)))


def rows_of(numbers: Mapping[str, Any], *, timed: bool = True) -> list[list[str]]:
    """Return the table's rows from stored results; unmeasured ones are left out.

    Args:
        numbers: the stored results.
        timed: whether they include times, which require an idle machine.
    """
    named = numbers["named"]
    rows = [
        [f"one of {named['words']:,} names recovered; releases: {count:,}", _shown(each)]
        + [f"{named['listed']:.4f}"] * 2
        for count, each in zip(RELEASES, named["plain"], strict=True)
    ]
    if (messages := numbers["messages"]) is not None:
        by_bundle = [messages[name] for name in ("plain", "listed", "passing")]
        for name in by_bundle[0]["lists"]:
            attacks = [each["lists"][name] for each in by_bundle]
            typed = attacks[0]["tokens"]
            if typed < _FEWEST_TYPED:
                continue
            rows += [
                [f"{typed:,} {name} in messages, {said}", *(_shown(each[what]) for each in attacks)]
                for what, said in (
                    ("neighbors", "recovered from all other words as typed"),
                    ("everything", "recovered from these and the release"),
                    ("inside", "released as a word of the list"),
                )
            ]
        rows.append(
            [
                "cosine of ordinary words in messages",
                *(f"{each['cosine']:.3f}" for each in by_bundle),
            ]
        )
    if (requests := numbers["requests"]) is not None:
        by_bundle = [requests[name] for name in ("plain", "listed", "passing")]
        rows += [
            [
                "content words of requests recovered",
                *(f"{each['named']:.3f}" for each in by_bundle),
            ],
            [
                "accuracy of a classifier of requests",
                *(f"{each['accuracy']:.3f}" for each in by_bundle),
            ],
            [
                f"the same accuracy at an attack success of {HONEST} on content words",
                *(
                    f"{each['accuracy at honest']:.3f} (ε {each['honest']:.2f})"
                    for each in by_bundle
                ),
            ],
        ]
    if (senders := numbers["senders"]) is not None:
        rows.append(
            [
                f"one of {senders['senders']} senders identified from {_MESSAGES_OF_A_SENDER} "
                "messages",
                *(f"{senders[name]:.2f}" for name in ("plain", "listed", "passing")),
            ]
        )
    if (prompts := numbers["prompts"]) is not None:
        rows += [
            [said, *(f"{prompts[name][what]:.3f}" for name in ("plain", "listed")), "-"]
            for what, said in _OF_PROMPTS
        ]
        rows += [
            [f"{said}, marks by the detector", "-", f"{found[what]:.3f}", "-"]
            for found in filter(None, [prompts.get("detected")])
            for what, said in _OF_PROMPTS
        ]
    cost = [numbers["cost"][name] for name in ("listed", "passing")]
    if timed:
        rows.append(["a word's time", "1", *(f"{each['time']:.3f} ×" for each in cost)])
    rows.append(["growth of the bundle, bytes", "0", *(f"{each['bytes']:,}" for each in cost)])
    return rows


def notes_of(numbers: Mapping[str, Any]) -> list[str]:
    """Return sentences about the measurement."""
    lists = ", ".join(f"{name} {words:,}" for name, words in numbers["lists"].items())
    notes = [
        f"Setting: {numbers['setting']}. Words of the vocabulary on lists: {lists}.",
        f"Passing words: {PASSING} function words; for the senders, {PASSING_OF_SENDERS}.",
        "In the first three rows, attackers assume that all names of the list are equally likely. "
        "There is no memory.",
    ]
    if numbers["messages"] is not None:
        plain = numbers["messages"]["plain"]
        notes.append(f"The messages contain {plain['tokens']:,} words of held-out senders.")
        notes += [
            f"The messages contain only {attack['tokens']:,} {name}, too few for rows."
            for name, attack in plain["lists"].items()
            if attack["tokens"] < _FEWEST_TYPED
        ]
    if numbers["prompts"] is not None:
        prompts = numbers["prompts"]
        notes.append(
            f"The {prompts['prompts']:,} prompts contain {prompts['units']:,} marked parts. "
            "Without a policy, all words are privatized. With a policy, the text outside the marks "
            "passes."
        )
    return notes


def _shown(found: Mapping[str, float]) -> str:
    return f"{found['value']:.3f} ({found['low']:.3f}–{found['high']:.3f})"
