"""Attackers who name the writers of released phone messages, or recognize messages.

They attack whole texts and frames at the bundle's recommended setting, on real messages with known
senders (``BRR_DATA``): those with 200 messages or more, of which 100 are attacked at a time. No
bundle was built from them. The cost of frames is measured, too: the number of words sent for each
typed word, and the accuracy of a classifier of requests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.report import Claim, Finding
from benchmarks.typed_kinds import data_folder
from brrkit import WordBundle
from brrkit.setting import Estimate
from brrkit_toolchain.attackers.texts.from_files import TextFiles
from brrkit_toolchain.attackers.texts.text_attack import known_ids
from brrkit_toolchain.attackers.writers.labeled_texts import WritersTexts, read_writers
from brrkit_toolchain.attackers.writers.named import TEXTS, WriterAttack, attack_writers
from brrkit_toolchain.attackers.writers.recognized import Recognition, measure_recognition
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.drawing.frames import framed
from brrkit_toolchain.channel.in_force import setting_in_force
from brrkit_toolchain.confidence import proportion
from brrkit_toolchain.language.texts import TextIds
from brrkit_toolchain.tasks.corpus import Texts

FRAMES = (None, 8, 12)
"""Numbers of words in a frame; None for whole messages."""

OTHERS = 500
"""Number of other messages among which one is recognized."""

LEAST_MESSAGES = 200
"""Smallest number of a sender's messages."""

GOAL = 0.1
"""Largest success of naming a sender from 100 frames."""

TASK_GOAL = 0.02
"""Largest loss of a task's accuracy through frames."""

COLUMNS = ("released", "attacker", *(f"from {count}" for count in TEXTS))
RECOGNIZED_COLUMNS = (
    "words of the message",
    "whole messages",
    *(f"frames of {n} words" for n in FRAMES[1:]),
)
TASK_COLUMNS = ("trained on", "sent words per typed word", "tested on typed", "tested on released")

_ATTACKERS = {
    "lengths": "reads the lengths; has other released messages",
    "words": "reads the words; has other released messages",
    "both": "reads both; has other released messages",
    "typed": "reads both; has other typed messages",
}
_TRAINED = 5_000  # requests
_QUICK = 390


def run(bench: Bench) -> Finding:
    """Name senders, recognize messages, and train a classifier of requests."""
    title = "writers: who wrote released phone messages, and which one it was"
    file = data_folder() / "everyday" / "nus-sms.tsv.xz"
    requests = data_folder() / "intents" / "snips"
    if not (file.exists() and requests.exists()):
        return Finding(title, (), (), notes=("skipped: its texts aren't there (BRR_DATA)",))
    channel = Channel(bench.bundle, setting_in_force(bench.bundle, None))
    files = TextFiles(file, column="text")
    texts = _prolific(read_writers(bench.bundle, files, "sender"))
    named: list[WriterAttack] = []
    recognized: list[Recognition] = []
    for words in FRAMES:
        progress(f"writers: {_released(words)}")
        named.append(attack_writers(channel, texts, "sender", frame_words=words))
        recognized.append(measure_recognition(bench.bundle, files, OTHERS, frame_words=words))
    progress("writers: a classifier of requests")
    task = _tasks(bench.bundle, channel, requests, _QUICK if bench.quick else _TRAINED)
    whole = next(iter(task.values()))
    lost = max(
        _value(whole[on]) - _value(each[on])
        for each in task.values()
        for on in ("typed", "released")
    )
    return Finding(
        title=title,
        columns=COLUMNS,
        rows=named_rows(list(map(asdict, named))),
        further=(
            [RECOGNIZED_COLUMNS, *recognized_rows(list(map(_lengths, recognized)))],
            [TASK_COLUMNS, *task_rows({name: _stored(each) for name, each in task.items()})],
        ),
        claims=[
            Claim(
                f"named from {count} {_released(each.frame_words)}, by who has others",
                reached.value,
                target=GOAL,
            )
            for each in named[1:]
            for count, reached in [max(each.success["both"].items())]
        ]
        + [Claim("accuracy of a task that frames cost, at most", lost, target=TASK_GOAL)],
        notes=(
            f"{channel.setting}",
            f"{named[0].writers} senders of {named[0].texts:,} messages, chance "
            f"{named[0].chance:.3f}; 95% intervals over senders",
            "of a frame, the other messages are of any length; requests have one of seven intents, "
            "found by TF-IDF and logistic regression",
        ),
        numbers={
            "setting": asdict(channel.setting),
            "named": [asdict(each) | {"chance": each.chance} for each in named],
            "recognized": list(map(_lengths, recognized)),
            "task": {name: _stored(each) for name, each in task.items()},
        },
    )


def named_rows(named: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Return the rows about writers from stored numbers."""
    rows = []
    for each in named:
        released = _released(each["frame_words"])
        rows += [
            [released, _ATTACKERS[name], *map(_interval, by_count.values())]
            for name, by_count in each["success"].items()
        ]
    typed = named[0]["typed"]
    return [
        *rows,
        ["as typed", "reads both; has other typed messages", *map(_interval, typed.values())],
    ]


def recognized_rows(recognized: Sequence[Sequence[Mapping[str, Any]]]) -> list[list[str]]:
    """Return the rows about recognized messages from stored numbers."""
    names = [f"{each['from']} to {each['to']}" for each in recognized[-1]]
    cells = [
        {f"{each['from']} to {each['to']}": _interval(each["success"]) for each in kind}
        for kind in recognized
    ]
    return [[name, *(kind.get(name, "-") for kind in cells)] for name in names]


def task_rows(task: Mapping[str, Mapping[str, Any]]) -> list[list[str]]:
    """Return the rows of a task from stored numbers."""
    return [
        [
            name,
            f"{each['sent']:.2f}",
            *(_interval(each[on]) for on in ("typed", "released")),
        ]
        for name, each in task.items()
    ]


def _value(found: Estimate | float) -> float:
    return found.value if isinstance(found, Estimate) else found


def _released(frame_words: object) -> str:
    return "whole messages" if frame_words is None else f"frames of {frame_words} words"


def _interval(found: Mapping[str, float]) -> str:
    return f"{found['value']:.2f} ({found['low']:.2f} to {found['high']:.2f})"


def _prolific(texts: WritersTexts) -> WritersTexts:
    """Return the texts of the writers with enough texts."""
    counts = np.bincount(texts.writers)
    writers = int((counts >= LEAST_MESSAGES).sum())  # the first ones wrote most
    kept = np.flatnonzero(texts.writers < writers)
    return WritersTexts(
        [texts.texts[i] for i in kept],
        texts.writers[kept],
        texts.left_out + len(counts) - writers,
    )


def _lengths(found: Recognition) -> list[dict[str, object]]:
    return [
        {"from": low, "to": high, "success": asdict(each)}
        for (low, high), each in found.success.items()
    ]


def _stored(found: Mapping[str, Estimate | float]) -> dict[str, object]:
    return {
        name: asdict(each) if isinstance(each, Estimate) else each for name, each in found.items()
    }


Ids = Sequence[NDArray[np.integer]]


def _tasks(
    bundle: WordBundle, channel: Channel, folder: Path, trained: int
) -> dict[str, dict[str, Estimate | float]]:
    """Return the accuracy of classifiers trained on released requests, and on frames of them."""
    from brrkit_toolchain.utility.evaluate.bags import bag_accuracy

    generator, size = np.random.default_rng(0), len(bundle)
    (texts, labels), (tested, right) = (
        _requests(folder / part, bundle) for part in ("train", "test")
    )
    chosen = generator.permutation(len(texts))[:trained]
    texts, labels = [texts[i] for i in chosen], labels[chosen]
    release = channel.releaser(generator)

    def released(some: Ids, of: NDArray[np.intp]) -> Texts:
        together = _texts(some, of)
        typed = together.ids.astype(np.int32)
        inputs = known_ids(typed, channel.stand_ins, int(generator.integers(2**32)))
        numbers = np.repeat(np.arange(len(some)), np.diff(together.offsets))
        return Texts(release(inputs, numbers, typed == size).astype(np.intp), together.offsets, of)

    typed_tests, released_tests = _texts(tested, right), released(tested, right)
    found: dict[str, dict[str, Estimate | float]] = {}
    for words in FRAMES:
        sent = texts if words is None else list(framed(texts, words, size, generator.bytes))
        training = released(sent, labels)
        found[_released(words).replace("messages", "requests")] = {
            "sent": len(training.ids) / sum(map(len, texts)),
            "typed": _share(bag_accuracy(training, typed_tests, size + 1), len(tested)),
            "released": _share(bag_accuracy(training, released_tests, size + 1), len(tested)),
        }
    return found


def _requests(folder: Path, bundle: WordBundle) -> tuple[Ids, NDArray[np.intp]]:
    """Return the requests of a part of SNIPS that have a word, and the numbers of their intents."""
    convert = TextIds(bundle.tokenizer)
    lines, labels = (
        (folder / name).read_text(encoding="utf-8").splitlines() for name in ("seq.in", "label")
    )
    names = sorted({label.strip() for label in labels})
    read = [
        (ids, names.index(label.strip()))
        for line, label in zip(lines, labels, strict=True)
        if len(ids := convert(line).typed_as)
    ]
    texts, numbers = zip(*read, strict=True)
    return texts, np.array(numbers, np.intp)


def _texts(texts: Ids, labels: NDArray[np.intp]) -> Texts:
    offsets = np.cumsum([0, *map(len, texts)])
    return Texts(np.concatenate(texts).astype(np.intp), offsets, labels)


def _share(share: float, trials: int) -> Estimate:
    return proportion(share, share * (1 - share) / trials, trials)
