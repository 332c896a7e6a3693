"""Phones' tasks on typed and released text: emoji of tweets, and the next word; and pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.next_word import adapted
from benchmarks.tasks import interval
from benchmarks.typed_attack import released
from benchmarks.typed_kinds import Kind, Part, Typed, read_typed
from brrkit_toolchain.attackers.texts.text_attack import LONGEST
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.language.bigrams import learn_bigrams
from brrkit_toolchain.tasks.corpus import Texts
from brrkit_toolchain.utility.evaluate.bags import bag_accuracy

EMOJI: Mapping[str, Sequence[int]] = {
    "❤ 😍 😂 ✨ 🔥": (0, 1, 2, 7, 4),
    "😂 🔥 🇺🇸 ☀ 🎄": (2, 4, 11, 12, 17),
}
"""TweetEval's numbers of the most frequent emoji, and of others with distinctive words."""

PAIRS = 10
SHOWN_KNOWN = range(4, 11)
"""Numbers of known words in a shown text, which has at most the largest number of words."""

_EVERYTHING = 10**9  # tokens


def emoji_accuracy(
    kind: Kind, channels: Mapping[str, Channel], classes: Sequence[int], tweets: int
) -> dict[str, Any]:
    """=Return the accuracy of a classifier of tweets' emoji.

    It learns from others' tweets, and is tested on the measured ones, both as typed or both as
    released. Each emoji has the same number of tweets.

    Args:
        kind: tweets.
        channels: channels of the settings, by their labels.
        classes: numbers of the emoji.
        tweets: largest number of training tweets, and of test tweets, with each emoji.
    """
    tokenizer = next(iter(channels.values())).bundle.tokenizer
    parts = [
        read_typed(_balanced(part, classes, tweets), tokenizer, _EVERYTHING)
        for part in (kind.others, kind.measured)
    ]
    words: dict[str, int] = {}
    spelled = [
        _labeled(
            [[words.setdefault(word, len(words)) for word in text] for text in part.words], part
        )
        for part in parts
    ]
    tested = len(parts[1].texts)

    def found(texts: Sequence[Texts], size: int) -> dict[str, float]:
        return asdict(interval(bag_accuracy(texts[0], texts[1], size), tested))

    return {
        "classes": len(classes),
        "trained": len(parts[0].texts),
        "tested": tested,
        "typed": found(spelled, len(words)),
        "released": {
            label: found([_release(part, channel) for part in parts], parts[0].unknown)
            for label, channel in channels.items()
        },
    }


def _balanced(part: Part, classes: Sequence[int], most: int) -> Part:
    """Return the first texts of each of ``classes``, equally many, in their order."""
    places = [np.flatnonzero(part.groups == each)[:most] for each in classes]
    fewest = min(map(len, places))
    return part.some(np.sort(np.concatenate([each[:fewest] for each in places])))


def _labeled(ids: Sequence[Sequence[int]], part: Typed) -> Texts:
    offsets = np.r_[0, np.cumsum(list(map(len, ids)))]
    return Texts(np.concatenate(ids).astype(np.intp), offsets, part.groups)


def _release(part: Typed, channel: Channel) -> Texts:
    texts = part.ids()
    outputs = released(channel.releaser(np.random.default_rng(0)), texts, channel.bundle)
    offsets = np.r_[0, np.cumsum([len(text.ids) for text in texts])]
    return Texts(outputs, offsets, part.groups)


def next_word_perplexity(
    general: Typed, learned: Typed, tested: Typed, channels: Mapping[str, Channel]
) -> dict[str, Any]:
    """=Return the perplexity of typed text's known words under models of others' texts.

    Args:
        general: texts of another kind, with which each model begins.
        learned: others' texts, also released for the models.
        tested: typed texts.
        channels: channels of the settings, by their labels.
    """
    size = learned.unknown
    base = learn_bigrams(_known(general), size)
    asked = _known(tested)
    texts = learned.ids()
    ends = np.cumsum([len(text.ids) for text in texts])[:-1]
    return {
        "learned": len(learned.numbers),
        "nothing": base.perplexity(asked),
        "typed": adapted(base, _known(learned), asked),
        "released": {
            label: adapted(
                base,
                np.split(
                    released(
                        channel.releaser(np.random.default_rng(0)), texts, channel.bundle
                    ).astype(np.int32),
                    ends,
                ),
                asked,
            )
            for label, channel in channels.items()
        },
    }


def _known(typed: Typed) -> list[NDArray[np.int32]]:
    """Return the known words of each text with any."""
    known = (text.ids[text.ids < typed.unknown] for text in typed.ids())
    return [ids for ids in known if len(ids)]


def shown_pairs(part: Part, channels: Sequence[Channel]) -> list[tuple[str, ...]]:
    """Return the first texts with as many known words as ``SHOWN_KNOWN``, as typed and released.

    Args:
        part: the texts, in their order.
        channels: channels of one bundle that release them.
    """
    bundle = channels[0].bundle
    everything = read_typed(part, bundle.tokenizer, _EVERYTHING, LONGEST)
    chosen = [
        i
        for i, tokens in enumerate(everything.tokens)
        if len(tokens) < SHOWN_KNOWN.stop
        and sum(token.word_id is not None for token in tokens) in SHOWN_KNOWN
    ][:PAIRS]
    shown = read_typed(
        Part([everything.texts[i] for i in chosen], everything.groups[chosen]),
        bundle.tokenizer,
        _EVERYTHING,
    )
    texts = shown.ids()
    ends = np.cumsum([len(text.ids) for text in texts])[:-1]

    def release(channel: Channel) -> list[str]:
        outputs = released(channel.releaser(np.random.default_rng(0)), texts, bundle)
        return [
            " ".join(bundle.vocabulary.word(each) for each in ids.tolist())
            for ids in np.split(outputs, ends)
        ]

    return list(zip(shown.texts, *map(release, channels), strict=True))
