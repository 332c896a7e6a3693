"""The attack success and the utility of a setting for a kind of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.reviews import inputs_of, judge, split_by_text
from benchmarks.typed_kinds import Typed
from brrkit import WordBundle
from brrkit.exact import EPSILON_MAX
from brrkit.setting import Estimate, Setting
from brrkit_toolchain.attackers.texts.attackers_by_name import (
    knowing_no_more,
)
from brrkit_toolchain.attackers.texts.knowledge import Knowledge
from brrkit_toolchain.attackers.texts.success import (
    word_classes,
)
from brrkit_toolchain.calibrate.goals import TextAttackSuccess
from brrkit_toolchain.calibrate.limits import FLATTEST_EPSILON, SettingGrid, logit
from brrkit_toolchain.calibrate.parameters import FixedParameters
from brrkit_toolchain.calibrate.roots import crossing_near, round_down
from brrkit_toolchain.calibrate.trial import Trial
from brrkit_toolchain.channel import BatchedMechanism, Channel
from brrkit_toolchain.channel.linear import Linear
from brrkit_toolchain.embeddings import Embeddings
from brrkit_toolchain.language.bigrams import learn_bigrams
from brrkit_toolchain.language.texts import TypedText
from brrkit_toolchain.language.trigrams import Trigrams, learn_trigrams
from brrkit_toolchain.utility.retention import release_utility

GOAL = 0.2
"""Success of the sentence attacker over known words."""

RADIUS = 16
"""Radius for codes of 64 bits, at the setting for ``GOAL``."""

OVER = ("all", "content", "unknown")
"""Sets of words for the success; for unknown words, it means that they are recognized."""

_ATTACKERS = knowing_no_more("sentence")
_FIRST_EPSILON = 0.9  # for 64 bits
_ACCURACY = 0.01


@dataclass(frozen=True)
class Shown:
    """=The attack success and the utility of a setting for a kind of text.

    Attributes:
        setting: the setting in writing.
        epsilon: its epsilon.
        success: success of the sentence attacker, by ``OVER``; classes without a token are left
            out.
        cosine: mean cosine of typed and released words: ``all`` known ones, and ``content`` words.
        perplexity: perplexity of the release, under the model of others' texts.
        auc: probability of naming the unknown one of two typed words, one known and one unknown,
            from one released word for each. Exact.
        gain: increase, by a released word, of the probability to be right about that. Exact.
    """

    setting: str
    epsilon: float
    success: Mapping[str, Estimate]
    cosine: Mapping[str, float]
    perplexity: float
    auc: float
    gain: float


@dataclass(frozen=True)
class Meaning:
    """=The words' meaning, by the same vectors for every bundle.

    Attributes:
        vectors: float32[m, d].
        places: intp[n], place of each word's vector among these; -1 for a word without one.
        name: name of their file.
    """

    vectors: NDArray[np.float32]
    places: NDArray[np.intp]
    name: str

    @classmethod
    def of(cls, embeddings: Embeddings, vocabulary: Iterable[str], name: str) -> Meaning:
        """Return the meaning of a ``vocabulary``'s words by ``embeddings``."""
        rows = {word: row for row, word in enumerate(embeddings.words)}
        found = np.array([rows.get(word, -1) for word in vocabulary], np.intp)
        there = found >= 0
        places = np.where(there, np.cumsum(there) - 1, -1)
        return cls(embeddings.vectors[found[there]], places, name)

    def cosine(self, typed: NDArray[np.intp], released: NDArray[np.intp]) -> float:
        """Return the mean cosine of ``typed`` and ``released`` words that have vectors."""
        inputs, outputs = self.places[typed], self.places[released]
        both = (inputs >= 0) & (outputs >= 0)
        return release_utility(self.vectors, inputs[both], outputs[both]).cosine


class OthersLanguage:
    """=A trigram model of others' texts, independent of any bundle.

    Its words are as typed, known or not. It contains all words that it may be asked about. All
    words that others never typed have the same small probability.
    """

    def __init__(self, others: Sequence[Sequence[str]], *asked: Sequence[Sequence[str]]) -> None:
        """Learn from texts of ``others``; also add all words of the texts ``asked`` later."""
        self._numbers: dict[str, int] = {}
        for texts in (others, *asked):
            for word in (word for text in texts for word in text):
                self._numbers.setdefault(word, len(self._numbers))
        learned = self.ids(others)
        language = learn_bigrams(learned, len(self._numbers))
        self._model: Trigrams = learn_trigrams(learned, language)

    def __len__(self) -> int:
        return len(self._numbers)

    def ids(self, texts: Sequence[Sequence[str]]) -> list[NDArray[np.int32]]:
        """Return the numbers of each text's words, int32[t]."""
        return [np.array([self._numbers[word] for word in text], np.int32) for text in texts]

    def perplexity(
        self, texts: Sequence[Sequence[str]], chosen: NDArray[np.bool_] | slice = slice(None)
    ) -> float:
        """Return e to the mean negative log probability of the ``chosen`` words of ``texts``."""
        return float(np.exp(-np.log(self._model.probabilities(self.ids(texts))[chosen]).mean()))


def setting_at_goal(
    bundle: WordBundle, knows: Knowledge, attacked: Sequence[TypedText], name: str
) -> Setting:
    """Return the setting at which the sentence attacker recovers ``GOAL`` of the known words.

    It has the base of a calibration to text, the radius ``RADIUS``, and no cap. Task bits don't
    count, since the texts don't belong to a task.
    """
    base = FixedParameters().checked(bundle).base
    radius = RADIUS * bundle.word_bits // 64
    goal = TextAttackSuccess(GOAL, "sentence", "all", name)
    without_tasks = {"task_weight": 0} if bundle.task_bits else {}
    grid = SettingGrid.of(bundle, str(base), task_weight=without_tasks.get("task_weight"))
    trial = Trial(grid, knows, goal, attacked, seed=0)
    epsilon = crossing_near(
        lambda each: logit(trial.success(each, radius)) - logit(GOAL),
        _FIRST_EPSILON * 64 / bundle.word_bits,
        FLATTEST_EPSILON,
        EPSILON_MAX,
        _ACCURACY,
    )
    return Setting(
        round_down(epsilon), parameters={"radius": radius, "base": base, **without_tasks}
    )


def measure_shown(
    channel: Channel,
    knows: Knowledge,
    typed: Typed,
    attacked: int,
    language: OthersLanguage,
    meaning: Meaning,
) -> Shown:
    """=Return the attack success and the utility for ``typed`` texts, released once.

    Args:
        channel: channel of the setting.
        knows: the attackers' knowledge: other texts of this kind, and the bundle.
        typed: texts of one kind.
        attacked: number of attacked texts, the first of these.
        language: the model of others' texts.
        meaning: the words' meaning.
    """
    release, evidence = channel.release_and_evidence(np.random.default_rng(0))
    texts, numbers = typed.ids(), typed.numbers
    ids = np.concatenate([text.ids for text in texts])
    digits = np.concatenate([text.digits for text in texts])
    outputs = released(release, texts, channel.bundle)
    among = word_classes(ids, digits, knows.bigrams.words)
    vocabulary = channel.bundle.vocabulary
    came_out = [
        [vocabulary.word(each) for each in part.tolist()] for part in split_by_text(outputs, texts)
    ]
    first = numbers < attacked
    _, success = judge(knows, evidence, texts[:attacked], outputs[first], among, OVER)
    linear, shares = channel.linear, np.bincount(ids, minlength=typed.unknown + 1)
    auc, gain = unknown_flag(linear, shares / shares.sum())
    return Shown(
        str(channel.setting),
        channel.setting.epsilon,
        success[-1],
        {
            over: meaning.cosine(ids[among[over]], outputs[among[over]])
            for over in ("all", "content")
        },
        language.perplexity(came_out),
        auc,
        gain,
    )


def released(
    release: BatchedMechanism, texts: Sequence[TypedText], bundle: WordBundle
) -> NDArray[np.intp]:
    """Return the output for each token of ``texts``, including unknown words."""
    numbers = np.repeat(np.arange(len(texts)), [len(text.ids) for text in texts])
    return release(inputs_of(texts, bundle), numbers).astype(np.intp)


def unknown_flag(linear: Linear, shares: NDArray[np.float64]) -> tuple[float, float]:
    """=Return the evidence of one released word for an unknown typed word.

    It is for a text's first word, by the output distributions for known and unknown words.

    Args:
        linear: the mechanism.
        shares: float64[n + 1], share of each typed word; the last is that of all unknown words.

    Returns:
        The area under the curve of the best test; and the increase, by the released word, of the
        probability that the best guess is right.
    """
    prior = float(shares[-1])
    apart = np.zeros((len(shares), 2))
    apart[:-1, 0], apart[-1, 1] = shares[:-1] / shares[:-1].sum(), 1
    known, unknown = linear.forward(apart).T
    with np.errstate(divide="ignore"):
        order = np.argsort(unknown / known)
    below = np.cumsum(known[order]) - known[order] / 2  # of equal ratios, in any order
    right = np.maximum(prior * unknown, (1 - prior) * known).sum()
    return float(unknown[order] @ below), max(0.0, float(right) - max(prior, 1 - prior))
