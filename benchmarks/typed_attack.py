"""What a setting shows and keeps of a kind of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.reviews import inputs_of
from benchmarks.typed_kinds import Typed
from brrkit import WordBundle
from brrkit.exact import EPSILON_MAX
from brrkit.setting import Estimate, Setting
from brrkit_toolchain.attackers.texts.attackers_by_name import (
    TextAttackers,
    judge_texts,
    knowing_no_more,
)
from brrkit_toolchain.attackers.texts.knowledge import Knowledge
from brrkit_toolchain.attackers.texts.success import (
    best_so_far,
    reading_of,
    success_over,
    word_classes,
)
from brrkit_toolchain.attackers.texts.text_attack import released_before
from brrkit_toolchain.calibrate.goals import TextAttackSuccess
from brrkit_toolchain.calibrate.limits import FLATTEST_EPSILON, SettingGrid, logit
from brrkit_toolchain.calibrate.parameters import FixedParameters
from brrkit_toolchain.calibrate.roots import crossing_near, round_down
from brrkit_toolchain.calibrate.trial import Trial
from brrkit_toolchain.channel import BatchedMechanism, Channel
from brrkit_toolchain.channel.evidence import Evidence
from brrkit_toolchain.channel.linear import Linear
from brrkit_toolchain.embeddings import Embeddings
from brrkit_toolchain.language.bigrams import learn_bigrams
from brrkit_toolchain.language.texts import TypedText
from brrkit_toolchain.language.trigrams import Trigrams, learn_trigrams
from brrkit_toolchain.utility.retention import release_utility

GOAL = 0.2
"""Success of the attacker who reads, over known words."""

RADIUS = 16
"""Of 64 bits, of the setting that has it."""

OVER = ("all", "content", "unknown")
"""The words that success is counted over; of unknown ones it is that they are recognized."""

_ATTACKERS = knowing_no_more("sentence")
_FIRST_EPSILON = 0.9  # for 64 bits
_ACCURACY = 0.01


@dataclass(frozen=True)
class Shown:
    """What a setting shows and keeps of a kind of text.

    Attributes:
        setting: as it is written.
        epsilon: of it.
        success: of the attacker who reads, by ``OVER``; classes without a token are left out.
        cosine: mean, of typed and released words: ``all`` known ones, and ``content`` words.
        perplexity: of what came out, for somebody who knows what others type.
        auc: how well one released word tells whether an unknown one was typed: the probability
            that of two typed words, one known and one not, the right one is named. Exact.
        gain: by how much it raises the probability to be right about that. Exact.
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
    """What words mean, by the same vectors for every bundle.

    Attributes:
        vectors: float32[m, d].
        places: intp[n], of each word of the bundle among these; -1 for a word without one.
        name: of the file that they are from.
    """

    vectors: NDArray[np.float32]
    places: NDArray[np.intp]
    name: str

    @classmethod
    def of(cls, embeddings: Embeddings, vocabulary: Iterable[str], name: str) -> Meaning:
        """Return what ``embeddings`` say of the words of a ``vocabulary``, by id."""
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
    """What others type: a model of three words that no bundle has a part in.

    Its words are as they were typed, known or not. It knows all that may be asked of it: a word
    that others never typed has a small probability, the same for each.
    """

    def __init__(self, others: Sequence[Sequence[str]], *asked: Sequence[Sequence[str]]) -> None:
        """Learn what ``others`` type; and all words of what will be ``asked``."""
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
        """Return each text as int32[t], the numbers of its words."""
        return [np.array([self._numbers[word] for word in text], np.int32) for text in texts]

    def perplexity(
        self, texts: Sequence[Sequence[str]], chosen: NDArray[np.bool_] | slice = slice(None)
    ) -> float:
        """Return e to the mean negative log probability of the ``chosen`` words of ``texts``."""
        return float(np.exp(-np.log(self._model.probabilities(self.ids(texts))[chosen]).mean()))


def setting_at_goal(
    bundle: WordBundle, knows: Knowledge, attacked: Sequence[TypedText], name: str
) -> Setting:
    """Return the setting at which the attacker who reads names ``GOAL`` of the known words.

    It has the base that calibrating to a text takes, the radius ``RADIUS``, and no cap. Task bits
    don't count, since the texts aren't what a task is of.
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
    """Return what a setting shows and keeps of ``typed`` texts, which are released once.

    Args:
        channel: of the setting.
        knows: what attackers know: other texts of the kind, and the bundle.
        typed: of one kind.
        attacked: how many texts of these are attacked, the first ones.
        language: of others.
        meaning: of words.
    """
    release, evidence = channel.release_and_evidence(np.random.default_rng(0))
    texts, numbers = typed.ids(), typed.numbers
    ids = np.concatenate([text.ids for text in texts])
    digits = np.concatenate([text.digits for text in texts])
    outputs = released(release, texts, channel.bundle)
    among = word_classes(ids, digits, knows.bigrams.words)
    vocabulary = channel.bundle.vocabulary
    came_out = [
        [vocabulary.word(each) for each in part.tolist()] for part in _split(outputs, texts)
    ]
    first = numbers < attacked
    linear, shares = channel.linear, np.bincount(ids, minlength=typed.unknown + 1)
    auc, gain = unknown_flag(linear, shares / shares.sum())
    return Shown(
        str(channel.setting),
        channel.setting.epsilon,
        _success(knows, evidence, texts[:attacked], outputs[first], numbers[first], among),
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
    """Return what comes out for each token of ``texts``, unknown words included."""
    numbers = np.repeat(np.arange(len(texts)), [len(text.ids) for text in texts])
    return release(inputs_of(texts, bundle), numbers).astype(np.intp)


def unknown_flag(linear: Linear, shares: NDArray[np.float64]) -> tuple[float, float]:
    """Return how well one released word tells whether an unknown one was typed.

    Of a text's first word, by the distributions of what comes out for known and unknown ones.

    Args:
        linear: the mechanism.
        shares: float64[n + 1], how often each word is typed; the last is of all unknown ones.

    Returns:
        The area under the curve of the best test; and by how much the best guess is right more
        often than without the released word.
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


def _success(
    knows: Knowledge,
    evidence: Evidence,
    texts: Sequence[TypedText],
    outputs: NDArray[np.intp],
    numbers: NDArray[np.intp],
    among: Mapping[str, NDArray[np.bool_]],
) -> dict[str, Estimate]:
    """Return how often the attacker who reads is right at the first guess, by ``OVER``."""
    right = np.concatenate(
        judge_texts(
            TextAttackers(knows, _ATTACKERS),
            [text.ids for text in texts],
            _split(outputs, texts),
            _split(released_before(outputs, numbers), texts),
            evidence.likelihoods,
        )
    )
    found = best_so_far(
        [
            {
                over: one
                for over in OVER
                if (
                    one := success_over(
                        right[:, number, reading_of(over)], numbers, among[over][: len(right)]
                    )
                )
            }
            for number in range(len(_ATTACKERS))
        ]
    )
    return {over: one.top1 for over, one in found[-1].items()}


def _split(values: NDArray[np.int64], texts: Sequence[TypedText]) -> list[NDArray[np.int64]]:
    return np.split(values, np.cumsum([len(text.ids) for text in texts])[:-1])
