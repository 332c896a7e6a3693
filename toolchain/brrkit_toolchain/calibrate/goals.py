"""What a setting has to reach. A goal's words are what a bundle's manifest says of it."""

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
"""An attacker's success where nothing is said: a place to start from, not a recommendation."""

Over = Literal["all", "content", "ordinary"]
"""Which known words of a text count: all, those beyond its language's 150 most frequent ones, or
those that are in no list of the bundle's policy, and don't pass."""

OVER: tuple[Over, ...] = ("all", "content", "ordinary")


class Goal(Protocol):
    """What is reached of words typed one at a time.

    Attributes:
        target: the number to reach.
        attacker: whose success is measured; None for the usual one.
    """

    @property
    def target(self) -> float: ...  # noqa: D102

    @property
    def attacker(self) -> WordAttacker | None: ...  # noqa: D102


def exceeds(reached: Estimate, target: float) -> float:
    """Return by how much what was ``reached`` surely exceeds a goal; 0 where the goal is met.

    It is met where the whole 95% interval is within it.
    """
    return max(0.0, reached.high - target)


def check_target(name: str, value: float, most: float = 1) -> None:
    """Refuse a number that isn't between 0 and ``most``.

    Raises:
        ParameterError: it isn't.
    """
    if not 0 < as_number(value) < most:
        upper = "" if most == inf else f" and below {most}"
        raise ParameterError(f"{name} must be a number above 0{upper}, not {value:g}")


def word_attacker(name: str | None, base: str = UNIFORM) -> WordAttacker:
    """Return the attacker ``name`` who sees one word.

    Without a name it is ``isolated`` for the base ``uniform``, and otherwise ``frequencies``: if
    frequent words are likelier outputs, one who assumes equally likely words knows too little.

    Raises:
        ParameterError: there is no such attacker, or they read a text.
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
    """A goal: a limit on the success of an attacker who sees one word.

    Attributes:
        target: share of typed words that they name, at most; between 0 and 1. The default is a
            place to start from, not a recommendation for every use.
        worst: how often they name the least protected 1% of the words, at most; between 0 and 1,
            for ``exponential`` only. By default 2.1 times ``target`` (half way from that to 1, if
            it is less) against ``isolated``; against ``frequencies``, who names the most frequent
            words whatever the setting is, there is no such limit.
        attacker: ``isolated``, who assumes equally likely words (the default where the base is
            ``uniform``), or ``frequencies``, who knows how often words are typed (the default for
            another base).

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
    """A goal: a limit on the success of an attacker who reads a text.

    Attributes:
        target: share of typed words that they name, at most; between 0 and 1.
        attacker: ``isolated``, ``frequencies``, ``sentence``, who knows the language and sees all
            that was released, or ``informed``, who knows all other words as typed.
        over: which words count: ``content``, those beyond the 150 most frequent, ``all``, or
            ``ordinary``, of a bundle with a policy: those in no list, and that don't pass.
        text: the name of its file; ``calibrate_text`` fills it in.

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
    """A further goal: a limit on how often an attacker identifies the writer of texts.

    They have other typed texts of each writer, and see as many released ones as the table lets
    measure, 100 at most.

    Attributes:
        target: how often, at most; between 0 and 1.
        writer: column that says who wrote a text, as ``measure_writers`` takes it.
        frame_words: words of a frame; None for whole texts.

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
    """At most this share of typed words come out as themselves.

    Attributes:
        target: the share, between 0 and 1.
        attacker: whose success is measured beside, as for ``AttackSuccess``.

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
