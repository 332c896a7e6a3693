"""The choice of a setting for counts, for ``brr calibrate --for counts``."""

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
from brrkit_toolchain.channel.evidence import Likelihoods
from brrkit_toolchain.channel.manifest_info import word_of
from brrkit_toolchain.io.progress import Progress
from brrkit_toolchain.language.texts import TypedText

ATTACKERS = ("isolated", "frequencies", "sentence")
"""Attackers who read reports: one assumes equally likely words, one knows the words' frequencies,
and one reads a whole text whose words were all reported, in order."""

RANKS = (100, 1_000, 10_000)
RANKS_OF_LISTS = (1, 10, *RANKS)
"""Ranks of the words, or of a list's strings, for which the number of reports needed is stated."""

WITHIN = 0.2
"""The relative error of a share at that number of reports."""

TOKENS = 5_000
"""Approximate number of words that the sentence attacker reads at each cap tried."""

_CAPS_IN_ONE = 1_000
"""A chosen cap is a multiple of 1 / this."""

_SMALLEST_CAP = 0.001


@dataclass(frozen=True)
class CountsCalibration:
    """A setting for counts, with its cost.

    Attributes:
        attacker: name of the attacker whose attack success on known words is limited or stated.
        target: limit on this attack success; None if the cap was given.
        setting: the setting, as a bundle has it.
        loss: privacy loss of one report between any two words, exact and rounded up.
        kept: probability that a report keeps the typed word.
        shares: share of typed words, by rank: those of ``RANKS`` that the vocabulary has.
        needed: number of reports that show this share to within ``WITHIN`` of it, with 95%
            confidence; by rank.
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
        """The attack success on known words from one report."""
        return Estimate.exact(self.setting.measured[self.attacker])

    @property
    def exceeds(self) -> float:
        """The attack success above the goal; 0 if the goal is met, or the cap was given."""
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
        attack_success: largest probability that the attacker recovers the typed word of a report;
            between 0 and 1. By default 0.2, if there is no ``cap``.
        cap: largest privacy loss of a report between any two words, instead of ``attack_success``.
        attacker: ``isolated``, who assumes equally likely words; ``frequencies``, who knows the
            words' frequencies (the default); or, with a text, ``sentence``, who reads all its words
            as if each was reported in its place.
        words_a_day: largest number of words that a device reports for a day; 1 to 1,000.
        text: file of texts like those that users type; only for a bundle with codes. It gives the
            frequencies that attackers know. Without it, a list's frequencies come from its masses,
            and others from Zipf's law on the ranks. Use a ``TextFiles`` for a table, or if
            attackers also have public texts.
        seed: seed of the words read, and of their releases.
        progress: show bars on standard error, if that is a terminal.

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
            "attackers are assumed to know the frequencies that 'brr list' wrote into the list; "
            "leave out the text"
        )
    if text is None and name == "sentence":
        raise ParameterError("the sentence attacker reads a text; give a text")
    attackers = _Attackers.of(bundle, text, seed, progress)
    # Reading a text takes long, and the search reuses the results at its ends and at its result.
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
                f"without any report, the {name} attacker already recovers {least:.1%} of the "
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
        typed: float64[n], the frequency of each word that they know.
        reader: the attacker who reads all words of some texts; None without texts.
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
        """Return the attackers who know the bundle and the texts."""
        if text is None:
            return cls(_typed(bundle), None)
        texts, knows = read_text_and_language(
            bundle, TextFiles.of(text), tokens=TOKENS, seed=seed, progress=progress
        )
        words = knows.bigrams.words
        return cls(words[:-1] / words.sum(), _Reader(texts, knows, seed))

    @property
    def symbols(self) -> int:
        """The number of symbols, the words and one for all unknown words."""
        return len(self.typed) + 1

    def success(self, cap: float, attacker: str) -> float:
        """Return the attack success at a cap."""
        response = ApproximateResponse.of_cap(cap, self.symbols)
        isolated = response.kept + response.drawn
        if attacker == "isolated":
            return isolated
        known = np.append(self.typed / self.typed.sum(), 0.0)  # no attacker names an unknown word
        single = max(isolated, response.success(known))  # more knowledge never weakens them
        if attacker == "sentence" and self.reader is not None:
            return max(single, self.reader.success(response))
        return single


def _typed(bundle: WordBundle) -> NDArray[np.float64]:
    """Return the frequency of each word, float64[n], that is known without a text."""
    if bundle.bits:
        return make_prior("frequencies", len(bundle))
    masses = LEVELS[bundle.masses.words].astype(np.float64)
    shares: NDArray[np.float64] = masses / masses.sum()
    return shares


@dataclass(frozen=True)
class _Reader:
    """An attacker who knows the language and reads all words of some texts, each in its place.

    Attributes:
        texts: the typed texts.
        knows: their knowledge of the language.
        seed: seed of the releases: the same random numbers at every setting.
    """

    texts: Sequence[TypedText]
    knows: Knowledge
    seed: int

    def success(self, response: ApproximateResponse) -> float:
        """Return their attack success on known words, given much training text: its upper end."""
        generator = np.random.default_rng(self.seed)
        typed = [text.ids for text in self.texts]
        released = [response.draw(ids, generator) for ids in typed]
        places = np.repeat(np.arange(len(typed)), [len(ids) for ids in typed])
        guesses = TextAttackers(self.knows, ["sentence"])
        likelihoods = Likelihoods(response.likelihoods)
        right = judge_texts(guesses, typed, released, released, likelihoods)
        known = np.concatenate(typed) < response.symbols - 1
        named = mean_over_texts(np.concatenate(right)[known, 0, 0, 0], places[known])
        return self.knows.expected(named, "sentence", "all").high


def _largest(gap: Callable[[float], float], progress: bool) -> float:
    """Return the largest multiple of 0.001 at which ``gap``, which grows with it, isn't above 0."""
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
