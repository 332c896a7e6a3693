"""Settings: what a bundle recommends, and what ``Privatizer`` and ``Counts`` are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from brrkit.errors import ParameterError
from brrkit.exact import CAP_MAX, CAP_MIN, EPSILON_MAX, EPSILON_MIN, as_number

DEFAULT_MECHANISM = "exponential"
"""The mechanism of a setting that names none."""

MOST_CANDIDATES = 64
"""Numbers in a list ``t``: nobody needs more, and a bundle may recommend any."""

MOST_TASK_WEIGHT = 16
"""Times that a differing task bit counts, at most."""

MOST_A_DAY = 1_000
"""Words of a day that a device may report: more says all that somebody types."""

MOST_FRAME_WORDS = 64
"""Words of a frame, at most."""

MOST_FRAMES = 1_000
"""Frames of a day, at most."""

MOST_FRAMED = 8_192
"""Words of all frames of a day, at most: each is drawn when the day begins."""


@dataclass(frozen=True)
class Estimate:
    """A number with its 95% confidence interval; where it is exact, all three are equal."""

    value: float
    low: float
    high: float

    @classmethod
    def exact(cls, value: float) -> Estimate:
        """Return ``value`` with an interval of no width."""
        return cls(value, value, value)


@dataclass(frozen=True)
class Shares:
    """What was measured of a setting over some words.

    Attributes:
        unchanged: as ``Measured`` has it.
        attack_success: likewise.
        worst: likewise.
    """

    unchanged: Estimate
    attack_success: Estimate
    worst: Estimate | None


@dataclass(frozen=True)
class Measured:
    """What was measured of a recommended setting when it was chosen; shares, from 0 to 1.

    Attributes:
        attacker: who recovers words. From one released word, without a text: ``isolated``, who
            assumes that all words are equally likely, or ``frequencies``, who knows how often words
            are typed. From a text: these, ``sentence``, who reads all released words, or
            ``informed``.
        over: which typed words of the vocabulary count: ``all``, or ``content`` for those of a text
            that aren't among its language's most frequent ones.
        text: the name of the file that was released and attacked; None for a computation over the
            vocabulary.
        unchanged: share of typed words that come out as themselves.
        attack_success: how often the attacker recovers a typed word.
        worst: how often they recover the least protected 1% of the words; None where it wasn't
            computed.
        all_words: the last three over all words of the vocabulary; None where ``over`` is ``all``.
        unknown_recognized: how often the attacker recognizes an unknown word of the text as one,
            which reveals no letter of it; None without a text that has unknown words.
    """

    attacker: str
    over: str
    text: str | None
    unchanged: Estimate
    attack_success: Estimate
    worst: Estimate | None
    all_words: Shares | None = None
    unknown_recognized: Estimate | None = None


@dataclass(frozen=True)
class Certificate:
    """What a setting of ``exponential`` loses on one vocabulary.

    Attributes:
        certified_epsilon: per bit of Hamming distance; at most the setting's epsilon.
        index: SHA-256 of the ``index.safetensors`` that has this vocabulary.
        of: the ``as_run`` of the setting that it certifies.
    """

    certified_epsilon: float
    index: str
    of: tuple[object, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it as a manifest states it, next to its setting."""
        return {"certified_epsilon": self.certified_epsilon, "index": self.index}


@dataclass(frozen=True)
class Setting:
    """A setting for text. The mechanism that runs it checks its values.

    Attributes:
        epsilon: privacy parameter, per bit of Hamming distance.
        mechanism: a name from ``brrkit.mechanisms.MECHANISMS``.
        parameters: of the mechanism: ``radius``, ``base``, ``cap`` and ``task_weight`` for
            ``exponential``, ``t`` and ``k`` for ``vickrey``. Missing ones have their defaults.
        goal: the goal for which it was chosen; None without a measured goal.
        certificate: its exact loss on the bundle's vocabulary, if that was computed.
        measured: the measured results, if there are any.
    """

    epsilon: float
    mechanism: str = DEFAULT_MECHANISM
    parameters: Mapping[str, Any] = field(default_factory=dict)
    goal: str | None = None
    certificate: Certificate | None = None
    measured: Measured | None = None

    @property
    def certified_epsilon(self) -> float | None:
        """The certificate's, if there is one."""
        return None if self.certificate is None else self.certificate.certified_epsilon

    @property
    def as_run(self) -> tuple[object, ...]:
        """What runs, whatever the order of its parameters: equal for settings that run alike."""
        return self.mechanism, self.epsilon, *sorted(self.parameters.items())

    @property
    def stated(self) -> dict[str, Any]:
        """As reports state it: ``spec/reports.md``, "Settings"."""
        return {
            "mechanism": self.mechanism,
            "epsilon": float(self.epsilon),
            "parameters": dict(self.parameters),
        }

    def __str__(self) -> str:
        values = {"epsilon": self.epsilon, **self.parameters}
        return ", ".join([self.mechanism, *(f"{name}={value!r}" for name, value in values.items())])


@dataclass(frozen=True)
class CountsSetting:
    """A setting for counts. What runs it checks its values.

    Attributes:
        cap: largest privacy loss between any two words, from 1e-9 to 88.
        words_a_day: reports that a device sends of a day, at most; from 1 to MOST_A_DAY.
        goal: the goal for which it was chosen; None without a measured goal.
        measured: attackers of one report, and how often each names the typed word; exact, of
            ``isolated`` and of ``frequencies``, who knows the bundle's masses.
    """

    cap: float
    words_a_day: int = 1
    goal: str | None = None
    measured: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Frames:
    """The shape of a device's day of text. What runs it checks its values.

    Attributes:
        words: of a frame, from 1 to MOST_FRAME_WORDS.
        a_day: frames that a device sends of a day, whether or not something was typed; from 1 to
            MOST_FRAMES. Times ``words`` at most MOST_FRAMED.
    """

    words: int = 8
    a_day: int = 8

    @property
    def words_a_day(self) -> int:
        """Words that leave a day."""
        return self.words * self.a_day

    def to_json(self) -> dict[str, int]:
        """Return it as a manifest has it."""
        return {"words": self.words, "a_day": self.a_day}


def check_frames(frames: object) -> Frames:
    """Return ``frames``.

    Raises:
        ParameterError: they aren't ``Frames``, or a value is out of range.
    """
    if not isinstance(frames, Frames):
        raise ParameterError("frames must be a Frames object, such as Frames(words=8, a_day=8)")
    if read_frames(frames.to_json()) is None:
        raise ParameterError(
            f"frames must have 1 to {MOST_FRAME_WORDS} words and be 1 to {MOST_FRAMES:,} a day, "
            f"with at most {MOST_FRAMED:,} words a day"
        )
    return frames


def check_words_a_day(number: object) -> int:
    """Return ``number``.

    Raises:
        ParameterError: it isn't an integer from 1 to MOST_A_DAY.
    """
    if type(number) is not int or not 1 <= number <= MOST_A_DAY:
        raise ParameterError(f"words_a_day must be an integer from 1 to {MOST_A_DAY:,}")
    return number


def read_counts(value: object) -> CountsSetting | None:
    """Return the setting that a manifest's field ``counts`` has; None if it has none.

    Args:
        value: of the field, as JSON has it.
    """
    if not (
        isinstance(value, dict)
        and is_number(value.get("cap"))
        and CAP_MIN <= value["cap"] <= CAP_MAX
        and type(value.get("words_a_day")) is int
        and 1 <= value["words_a_day"] <= MOST_A_DAY
        and isinstance(value.get("goal"), str)
        and isinstance(measured := value.get("measured"), dict)
        and all(map(_is_share, measured.values()))
    ):
        return None
    return CountsSetting(float(value["cap"]), value["words_a_day"], value["goal"], measured)


def read_frames(value: object) -> Frames | None:
    """Return the frames that a manifest's field ``frames`` has; None if it has none.

    Args:
        value: of the field, as JSON has it.
    """
    if not (
        isinstance(value, dict)
        and set(value) == {"words", "a_day"}
        and all(type(number) is int for number in value.values())
        and 1 <= value["words"] <= MOST_FRAME_WORDS
        and 1 <= value["a_day"] <= MOST_FRAMES
        and value["words"] * value["a_day"] <= MOST_FRAMED
    ):
        return None
    return Frames(**value)


def read_setting(value: object, word_bits: int) -> Setting | None:
    """Return the setting that a manifest's field ``recommended`` has; None if it has none.

    ``Privatizer`` checks what a mechanism and a certificate make of the values.

    Args:
        value: of the field, as JSON has it.
        word_bits: length of a code without its task bits.
    """
    if not (
        isinstance(value, dict)
        and isinstance(value.get("mechanism"), str)
        and is_number(value.get("epsilon"))
        and EPSILON_MIN <= value["epsilon"] <= EPSILON_MAX
        and isinstance(parameters := value.get("parameters"), dict)
        and ("t" not in parameters or _is_t(parameters["t"]))
        and ("k" not in parameters or type(parameters["k"]) is int)
        and ("radius" not in parameters or _is_integer(parameters["radius"], word_bits))
        and _is_integer(parameters.get("task_weight", 0), MOST_TASK_WEIGHT)
        and isinstance(parameters.get("base", ""), str)
        and is_number(parameters.get("cap", 0))
        and isinstance(value.get("goal"), str)
    ):
        return None
    setting = Setting(float(value["epsilon"]), value["mechanism"], parameters, value["goal"])
    certificate = measured = None
    if "certificate" in value:
        certificate = _certificate(value["certificate"], setting)
        if certificate is None:
            return None
    if "measured" in value and (measured := _measured(value["measured"])) is None:
        return None
    return replace(setting, certificate=certificate, measured=measured)


def is_number(value: object) -> bool:
    """Tell whether a value of JSON is a number."""
    return type(value) in (int, float)


def is_digest(value: object) -> bool:
    """Tell whether a value of JSON is a SHA-256 in hexadecimal digits."""
    return isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef")


def _certificate(value: object, of: Setting) -> Certificate | None:
    if (
        isinstance(value, dict)
        and is_number(value.get("certified_epsilon"))
        and is_digest(value.get("index"))
    ):
        return Certificate(as_number(value["certified_epsilon"]), value["index"], of.as_run)
    return None


def _measured(value: object) -> Measured | None:
    if not (
        isinstance(value, dict)
        and isinstance(value.get("attacker"), str)
        and isinstance(value.get("over"), str)
        and isinstance(value.get("text", 0), str | None)
        and (over := _shares(value)) is not None
    ):
        return None
    every, unknown = value.get("all_words"), value.get("unknown_recognized")
    all_words, recognized = _shares(every), _share(unknown)
    if (all_words is None and every is not None) or (recognized is None and unknown is not None):
        return None
    shares = over.unchanged, over.attack_success, over.worst
    who = value["attacker"], value["over"], value["text"]
    return Measured(*who, *shares, all_words, recognized)


def _shares(value: object) -> Shares | None:
    if not (isinstance(value, dict) and "worst" in value):
        return None
    unchanged = _share(value.get("unchanged"))
    success = _share(value.get("attack_success"))
    worst = _share(value["worst"])
    if unchanged is None or success is None or (worst is None and value["worst"] is not None):
        return None
    return Shares(unchanged, success, worst)


def _share(value: object) -> Estimate | None:
    if not isinstance(value, dict):
        return None
    numbers = [value.get(name) for name in ("value", "low", "high")]
    if not all(map(_is_share, numbers)):
        return None
    return Estimate(*map(as_number, numbers))


def _is_share(value: Any) -> bool:
    return is_number(value) and 0 <= value <= 1


def _is_t(value: object) -> bool:
    if isinstance(value, list):
        return 1 <= len(value) <= MOST_CANDIDATES and all(map(is_number, value))
    return is_number(value)


def _is_integer(value: object, most: int) -> bool:
    return type(value) is int and 0 <= value <= most
