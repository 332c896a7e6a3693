"""Goals of a setting. A bundle's manifest contains the text of the goal."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal, Protocol

from brrkit.errors import ParameterError
from brrkit.exact import as_number
from brrkit.mechanisms.exponential import UNIFORM
from brrkit.setting import Estimate
from brrkit_toolchain.attackers.one_word import WORD_ATTACKERS, WordAttacker
from brrkit_toolchain.attackers.texts.attackers_by_name import ATTACKERS, Attacker

SUCCESS = 0.2
"""Default limit on attack success: a starting point, not a recommendation."""

Over = Literal["all", "content", "ordinary"]
"""Sets of a text's known words that count: all, those beyond its language's 150 most frequent ones,
or those on no list of the bundle's policy that don't pass."""

OVER: tuple[Over, ...] = ("all", "content", "ordinary")


class Goal(Protocol):
    """A goal for words typed one at a time.

    Attributes:
        target: the limit.
        attacker: the attacker whose attack success is measured; None for the default.
    """

    @property
    def target(self) -> float: ...  # noqa: D102

    @property
    def attacker(self) -> WordAttacker | None: ...  # noqa: D102


def exceeds(reached: Estimate, target: float) -> float:
    """Return the excess of the 95% interval's upper end over a limit; 0 if the goal is met.

    A goal is met if the whole interval is within the limit.
    """
    return max(0.0, reached.high - target)


def check_target(name: str, value: float, most: float = 1) -> None:
    """Refuse a number that isn't between 0 and ``most``.

    Raises:
        ParameterError: the number isn't in this range.
    """
    if not 0 < as_number(value) < most:
        upper = "" if most == inf else f" and below {most}"
        raise ParameterError(f"{name} must be a number above 0{upper}, not {value:g}")


def word_attacker(name: str | None, base: str = UNIFORM) -> WordAttacker:
    """Return the attacker ``name`` who sees one word.

    Without a name, it is ``isolated`` for the base ``uniform``, and otherwise ``frequencies``: if
    frequent words are more probable outputs, an attacker who assumes equally likely words knows too
    little.

    Raises:
        ParameterError: there is no such attacker, or the attacker reads a text.
    """
    if name is None:
        return "isolated" if base == UNIFORM else "frequencies"
    for attacker in WORD_ATTACKERS:
        if attacker == name:
            return attacker
    if name in ATTACKERS:
        raise ParameterError(f"the {name} attacker reads a text; give a text")
    names = ", ".join(WORD_ATTACKERS)
    raise ParameterError(f"there is no such attacker of single words; choose one of: {names}")


@dataclass(frozen=True)
class AttackSuccess:
    """A goal: a limit on the attack success of an attacker who sees one word.

    Attributes:
        target: largest share of typed words that they recover; between 0 and 1. The default is a
            starting point, not a recommendation for every use.
        worst: largest attack success on the least protected 1% of the words; between 0 and 1, for
            ``exponential`` only. By default, against ``isolated``, 2.1 times ``target``, or half
            way from ``target`` to 1 if that is less. There is no default against ``frequencies``,
            who guesses the most frequent words at any setting.
        attacker: ``isolated``, who assumes equally likely words (the default for the base
            ``uniform``), or ``frequencies``, who knows the words' frequencies (the default for
            other bases).

    Raises:
        ParameterError: a number is out of range, or there is no such attacker.
    """

    target: float = SUCCESS
    worst: float | None = None
    attacker: WordAttacker | None = None

    def __post_init__(self) -> None:
        word_attacker(self.attacker)
        check_target("attack_success", self.target)
        if self.worst is not None:
            check_target("worst", self.worst)

    def __str__(self) -> str:
        worst = "" if self.worst is None else f", worst {self.worst:g}"
        return f"attack-success {self.target:g}{worst}, {self.attacker}"


@dataclass(frozen=True)
class TextAttackSuccess:
    """A goal: a limit on the attack success of an attacker who reads a text.

    Attributes:
        target: largest share of typed words that they recover; between 0 and 1.
        attacker: ``isolated``, ``frequencies``, ``sentence``, who knows the language and sees all
            released words, or ``informed``, who knows all other words as typed.
        over: the words that count: ``content``, those beyond the 150 most frequent; ``all``; or
            ``ordinary``, with a policy: those on no list that don't pass.
        text: name of the text's file; ``calibrate_text`` sets it.

    Raises:
        ParameterError: the target is out of range, or there is no such attacker or class of words.
    """

    target: float = SUCCESS
    attacker: Attacker = "sentence"
    over: Over = "content"
    text: str = ""

    def __post_init__(self) -> None:
        check_target("attack_success", self.target)
        for name, value, known in (
            ("attacker", self.attacker, ATTACKERS),
            ("over", self.over, OVER),
        ):
            if value not in known:
                raise ParameterError(f"{name} must be one of: {', '.join(known)}")

    def __str__(self) -> str:
        return f"attack-success {self.target:g}, {self.attacker}, {self.over} words of {self.text}"


@dataclass(frozen=True)
class WriterSuccess:
    """A further goal: a limit on the probability that an attacker identifies the writer of texts.

    They have other typed texts of each writer, and see as many released texts as the table suffices
    to measure, at most 100.

    Attributes:
        target: largest probability; between 0 and 1.
        writer: column with the writer of each text, as for ``measure_writers``.
        frame_words: number of words in a frame; None for whole texts.

    Raises:
        ParameterError: the target is out of range.
    """

    target: float
    writer: str
    frame_words: int | None = None

    def __post_init__(self) -> None:
        check_target("writer_success", self.target)

    def __str__(self) -> str:
        of = "" if self.frame_words is None else f", frames of {self.frame_words} words"
        return f"writer-success {self.target:g}, {self.writer}{of}"


@dataclass(frozen=True)
class Unchanged:
    """A goal: a limit on the share of typed words that are released unchanged.

    Attributes:
        target: largest share, between 0 and 1.
        attacker: the attacker whose attack success is also measured, as for ``AttackSuccess``.

    Raises:
        ParameterError: the share is out of range, or there is no such attacker.
    """

    target: float
    attacker: WordAttacker | None = None

    def __post_init__(self) -> None:
        word_attacker(self.attacker)
        check_target("unchanged", self.target)

    def __str__(self) -> str:
        return f"unchanged {self.target:g}"
