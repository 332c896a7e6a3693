"""Choosing the setting for counts: what ``brr calibrate --for counts`` does."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import floor

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from brrkit import CountsSetting, ParameterError, WordBundle
from brrkit.counts import RandomizedResponse
from brrkit.exact import CAP_MAX, as_number, check_cap
from brrkit.masses import LEVELS
from brrkit.setting import Estimate, check_words_a_day
from brrkit_counting.response import ApproximateResponse
from brrkit_toolchain.attackers.one_word import make_prior
from brrkit_toolchain.attackers.texts.attackers_by_name import TextAttackers, judge_texts
from brrkit_toolchain.attackers.texts.from_files import TextFiles, read_text_and_language
from brrkit_toolchain.attackers.texts.knowledge import Knowledge
from brrkit_toolchain.attackers.texts.success import mean_over_texts
from brrkit_toolchain.calibrate.goals import exceeds
from brrkit_toolchain.channel.manifest_info import word_of
from brrkit_toolchain.io.progress import Progress
from brrkit_toolchain.language.texts import TypedText

ATTACKERS = ("isolated", "frequencies", "sentence")
"""Who reads reports: assumes equally likely words, knows how often words are typed, or reads a
whole text of which every word was reported, in order."""

RANKS = (100, 1_000, 10_000)
RANKS_OF_LISTS = (1, 10, *RANKS)
"""Words, and strings of a list, of which it is said how many reports show them."""

WITHIN = 0.2
"""What share of a word's share it is then known to."""

TOKENS = 5_000
"""About how many words the sentence attacker reads at each cap that is tried."""

_CAPS_IN_ONE = 1_000
"""A chosen cap is a multiple of 1 / this."""

_SMALLEST_CAP = 0.001


@dataclass(frozen=True)
class CountsCalibration:
    """A setting for counts, with what it costs.

    Attributes:
        attacker: whose success over known words is limited, or stated.
        target: what it is limited to; None where the cap is given.
        setting: as a bundle has it.
        loss: between any two words of one report, exact and rounded up.
        kept: probability that a word comes out because it was typed.
        shares: of what is typed, of the words of ``RANKS`` that the vocabulary has.
        needed: reports that show such a word's share to within ``WITHIN`` of it, with 95%.
    """

    attacker: str
    target: float | None
    setting: CountsSetting
    loss: float
    kept: float
    shares: Mapping[int, float]
    needed: Mapping[int, float]

    @property
    def reached(self) -> Estimate:
        """How often the attacker names a known word of one report."""
        return Estimate.exact(self.setting.measured[self.attacker])

    @property
    def exceeds(self) -> float:
        """By how much that exceeds the goal; 0 where it is met, or the cap is given."""
        return 0.0 if self.target is None else exceeds(self.reached, self.target)


def calibrate_counts(
    bundle: WordBundle,
    *,
    attack_success: float | None = None,
    cap: float | None = None,
    attacker: str | None = None,
    words_a_day: int = 1,
    text: str | os.PathLike[str] | TextFiles | None = None,
    seed: int = 0,
    progress: bool = False,
) -> CountsCalibration:
    """Find the setting for counts that needs the fewest reports, under a limit on an attacker.

    Args:
        bundle: an opened bundle.
        attack_success: how often the attacker names the typed word of a report, at most; between 0
            and 1. By default 0.2, if there is no ``cap``.
        cap: instead: largest privacy loss between any two words of a report.
        attacker: ``isolated``, who assumes equally likely words; ``frequencies``, who knows how
            often words are typed (the default); or, with a text, ``sentence``, who reads all words
            of it as if each was reported in its place.
        words_a_day: how many words of a day a device reports, at most; 1 to 1,000.
        text: file of texts like those that users type: frequencies are then those of the texts that
            attackers know, and not a list's masses, or else Zipf's law on the ranks. A
            ``TextFiles`` where it is a table, or attackers have public texts besides.
        seed: of the words that are read, and of their releases.
        progress: show bars on standard error, where that is a terminal.

    Raises:
        ParameterError: a number is out of range, a goal can't be reached, or a file can't be read,
            is too short or of another language.
    """
    if attack_success is not None and cap is not None:
        raise ParameterError("attack_success and cap are two goals; give one")
    if attacker is not None and attacker not in ATTACKERS:
        raise ParameterError(f"there is no such attacker; choose one of: {', '.join(ATTACKERS)}")
    name = attacker or "frequencies"
    check_words_a_day(words_a_day)
    if text is not None and not bundle.bits:
        raise ParameterError(
            "attackers of a list know its strings' counts, as 'brr list' took them; leave out the "
            "text"
        )
    if text is None and name == "sentence":
        raise ParameterError("the sentence attacker reads a text; give a text")
    attackers = _Attackers.of(bundle, text, seed, progress)
    # Who reads a text takes long, and the search asks for its ends and its result again.
    success = cache(attackers.success)
    target = None
    if cap is None:
        target = 0.2 if attack_success is None else as_number(attack_success)
        if not 0 < target < 1:
            raise ParameterError(
                f"attack_success must be a number above 0 and below 1, not {target:g}"
            )
        least = success(_SMALLEST_CAP, name)
        if least > target:
            raise ParameterError(
                f"without any report, the {name} attacker recovers {least:.3f} of the "
                f"{word_of(bundle.list_of)}s; give a larger attack_success, or give a cap"
            )
        cap = _largest(lambda cap: success(cap, name) - target, progress)
        goal = f"attack-success {target:g}, {name}"
    else:
        cap, goal = check_cap(cap), f"cap {cap:g}"
    stated = dict.fromkeys(("isolated", "frequencies", name))
    measured = {each: success(cap, each) for each in stated}
    ordered = np.sort(attackers.typed)[::-1]
    ranks = [rank for rank in (RANKS if bundle.bits else RANKS_OF_LISTS) if rank <= len(bundle)]
    shares = {rank: float(ordered[rank - 1]) for rank in ranks}
    response = ApproximateResponse.of_cap(cap, attackers.symbols)
    return CountsCalibration(
        name,
        target,
        CountsSetting(float(cap), words_a_day, goal, measured),
        RandomizedResponse.of(cap, attackers.symbols).loss,
        response.kept,
        shares,
        {rank: response.reports_needed(share, WITHIN) for rank, share in shares.items() if share},
    )


@dataclass(frozen=True)
class _Attackers:
    """Attackers of one report.

    Attributes:
        typed: float64[n], how often each word is typed, as they know.
        reader: who reads all words of some texts, if there are any.
    """

    typed: NDArray[np.float64]
    reader: _Reader | None

    @classmethod
    def of(
        cls,
        bundle: WordBundle,
        text: str | os.PathLike[str] | TextFiles | None,
        seed: int,
        progress: bool,
    ) -> _Attackers:
        """Return it for who knows the bundle and the texts."""
        if text is None:
            return cls(_typed(bundle), None)
        texts, knows = read_text_and_language(
            bundle, TextFiles.of(text), tokens=TOKENS, seed=seed, progress=progress
        )
        words = knows.bigrams.words
        return cls(words[:-1] / words.sum(), _Reader(texts, knows, seed))

    @property
    def symbols(self) -> int:
        """The words, and one for all unknown ones."""
        return len(self.typed) + 1

    def success(self, cap: float, attacker: str) -> float:
        """Return how often an attacker is right at a cap."""
        response = ApproximateResponse.of_cap(cap, self.symbols)
        isolated = response.kept + response.drawn
        if attacker == "isolated":
            return isolated
        known = np.append(self.typed / self.typed.sum(), 0.0)  # nobody names an unknown word
        single = max(isolated, response.success(known))  # who knows more is never weaker
        if attacker == "sentence" and self.reader is not None:
            return max(single, self.reader.success(response))
        return single


def _typed(bundle: WordBundle) -> NDArray[np.float64]:
    """Return how often each word is typed [n], as everybody knows without a text."""
    if bundle.bits:
        return make_prior("frequencies", len(bundle))
    masses = LEVELS[bundle.masses.words].astype(np.float64)
    shares: NDArray[np.float64] = masses / masses.sum()
    return shares


@dataclass(frozen=True)
class _Reader:
    """Who knows the language and reads all words of some texts, each reported in its place.

    Attributes:
        texts: that are typed.
        knows: what they know of the language.
        seed: of the releases: the same random numbers at every setting.
    """

    texts: Sequence[TypedText]
    knows: Knowledge
    seed: int

    def success(self, response: ApproximateResponse) -> float:
        """Return how often they name a known word, with much of the language; its upper end."""
        generator = np.random.default_rng(self.seed)
        typed = [text.ids for text in self.texts]
        released = [response.draw(ids, generator) for ids in typed]
        places = np.repeat(np.arange(len(typed)), [len(ids) for ids in typed])
        guesses = TextAttackers(self.knows, ["sentence"])
        right = judge_texts(guesses, typed, released, released, response.likelihoods)
        known = np.concatenate(typed) < response.symbols - 1
        named = mean_over_texts(np.concatenate(right)[known, 0, 0, 0], places[known])
        return self.knows.expected(named, "sentence", "all").high


def _largest(gap: Callable[[float], float], progress: bool) -> float:
    """Return the largest cap, in thousandths, at which a gap that grows with it isn't above 0."""
    with Progress(desc="Caps tried", progress=progress) as bar:

        def tried(cap: float) -> float:
            bar.update()
            return gap(cap)

        if tried(CAP_MAX) <= 0:
            return CAP_MAX
        number = floor(brentq(tried, _SMALLEST_CAP, CAP_MAX, xtol=1 / _CAPS_IN_ONE) * _CAPS_IN_ONE)
        while number > 1 and tried(number / _CAPS_IN_ONE) > 0:
            number -= 1
    return number / _CAPS_IN_ONE
