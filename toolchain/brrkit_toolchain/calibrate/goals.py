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

Over = Literal["all", "content"]
"""Which known words of a text count: all, or those beyond its language's 150 most frequent ones."""

OVER: tuple[Over, ...] = ("all", "content")


class Goal(Protocol):
    """What is reached of words typed one at a time.

    Attributes:
        target: the number to reach.
        attacker: whose success is measured.
    """

    @property
    def target(self) -> float: ...  # noqa: D102

    @property
    def attacker(self) -> WordAttacker: ...  # noqa: D102


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


def check_attacker(attacker: str) -> None:
    """Refuse who isn't an attacker of single words.

    Raises:
        ParameterError: they aren't.
    """
    if attacker not in WORD_ATTACKERS:
        names = ", ".join(WORD_ATTACKERS)
        raise ParameterError(f"there is no such attacker of single words; choose one of: {names}")


def word_attacker(name: str | None, base: str = UNIFORM) -> WordAttacker:
    """Return the attacker ``name`` who sees one word.

    Without a name, ``isolated``; but where frequent words come out more readily, ``frequencies``:
    against that base one who holds all words to be as likely knows too little.

    Raises:
        ParameterError: there is no such attacker, or they read a text.
    """
    if name in ATTACKERS and name not in WORD_ATTACKERS:
        raise ParameterError(f"the {name} attacker reads a text; give one")
    usual: WordAttacker = "isolated" if base == UNIFORM else "frequencies"
    check_attacker(name or usual)
    return next((each for each in WORD_ATTACKERS if each == name), usual)


@dataclass(frozen=True)
class AttackSuccess:
    """An attacker who sees one word is right at most so often; with what keeps most meaning.

    Attributes:
        target: how often they may name the typed word. The default, 0.2, is a place
            to start from, not a recommendation for every use.
        worst: how often they may name the least protected words, for ``exponential`` only: of the
            others it isn't computed. None for about twice ``target``; in running text, where the
            most frequent words are named whatever the setting is, for the default radius.
        attacker: who sees one word: ``isolated`` or ``frequencies``.

    Raises:
        ParameterError: a number is out of range, or there is no such attacker.
    """

    target: float = 0.2
    worst: float | None = None
    attacker: WordAttacker = "isolated"

    def __post_init__(self) -> None:
        check_target("attack_success", self.target)
        if self.worst is not None:
            check_target("worst", self.worst)
        check_attacker(self.attacker)

    def __str__(self) -> str:
        worst = "" if self.worst is None else f", worst {self.worst:g}"
        return f"attack-success {self.target:g}{worst}, {self.attacker}"


@dataclass(frozen=True)
class TextAttackSuccess:
    """An attacker is right at most so often about a text; with what keeps most of its meaning.

    Attributes:
        text: the name of its file.
        target: how often they may name the typed word.
        attacker: who it is.
        over: which words count.

    Raises:
        ParameterError: the target is out of range, or there is no such attacker or class of words.
    """

    text: str
    target: float = 0.2
    attacker: Attacker = "sentence"
    over: Over = "content"

    def __post_init__(self) -> None:
        check_target("attack_success", self.target)
        for name, value, known in (
            ("attacker", self.attacker, ATTACKERS),
            ("over", self.over, OVER),
        ):
            if value not in known:
                raise ParameterError(f"{name} must be one of: {', '.join(known)}")

    def __str__(self) -> str:
        words = "all words" if self.over == "all" else "content words"
        return f"attack-success {self.target:g}, {self.attacker}, {words} of {self.text}"


@dataclass(frozen=True)
class Unchanged:
    """At most this share of typed words come out as themselves.

    Attributes:
        target: the share.
        attacker: whose success is measured beside.

    Raises:
        ParameterError: the share is out of range, or there is no such attacker.
    """

    target: float
    attacker: WordAttacker = "isolated"

    def __post_init__(self) -> None:
        check_target("unchanged", self.target)
        check_attacker(self.attacker)

    def __str__(self) -> str:
        return f"unchanged {self.target:g}"
