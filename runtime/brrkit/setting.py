"""Settings that a bundle recommends, and that ``Privatizer`` and ``Counts`` take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from brrkit.errors import ParameterError
from brrkit.exact import CAP_MAX, CAP_MIN, EPSILON_MAX, EPSILON_MIN, as_number

DEFAULT_MECHANISM = "exponential"
"""The mechanism of a setting that names none."""

MOST_CANDIDATES = 64
"""Largest number of entries in a list ``t``; nobody needs more."""

MOST_TASK_WEIGHT = 16
"""Largest weight of a differing task bit."""

MOST_A_DAY = 1_000
"""Largest number of words that a device may report for a day. More would reveal all that a person
types."""

MOST_FRAME_WORDS = 64
"""Largest number of words in a frame."""

MOST_FRAMES = 1_000
"""Largest number of frames for a day."""

MOST_FRAMED = 8_192
"""Largest number of words in a day's frames. All of them are drawn when the day begins."""


@dataclass(frozen=True)
class Estimate:
    """A number with its 95% confidence interval. If it is exact, all three numbers are equal."""

    value: float
    low: float
    high: float

    @classmethod
    def exact(cls, value: float) -> Estimate:
        """Return ``value`` as an exact number."""
        return cls(value, value, value)


@dataclass(frozen=True)
class Shares:
    """Measured results of a setting over a set of words.

    Attributes:
        unchanged: as in ``Measured``.
        attack_success: as in ``Measured``.
        worst: as in ``Measured``.
    """

    unchanged: Estimate
    attack_success: Estimate
    worst: Estimate | None


@dataclass(frozen=True)
class Measured:
    """Results of a recommended setting, measured when it was chosen; shares, from 0 to 1.

    Attributes:
        attacker: name of the attacker. One released word suffices for ``isolated``, who assumes
            that all words are equally likely, and ``frequencies``, who knows the words'
            frequencies. With a text: also ``sentence``, who reads all released words, or
            ``informed``.
        over: which typed words of the vocabulary count: ``all``, or ``content`` for the content
            words of a text, without the language's most frequent words.
        text: name of the file that was released and attacked; None for a computation over the
            vocabulary.
        unchanged: share of typed words that are released unchanged.
        attack_success: probability that the attacker recovers a typed word.
        worst: attack success on the least protected 1% of the words; None if it wasn't computed.
        all_words: ``unchanged``, ``attack_success`` and ``worst`` over all words of the vocabulary;
            None if ``over`` is ``all``.
        unknown_recognized: probability that the attacker recognizes an unknown word of the text as
            unknown, which reveals none of its letters; None without a text with unknown words.
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
    """The privacy loss of a setting of ``exponential`` on one vocabulary.

    Attributes:
        certified_epsilon: privacy loss per bit of Hamming distance; at most the setting's epsilon.
        index: SHA-256 of the ``index.safetensors`` with this vocabulary.
        of: the ``as_run`` of the certified setting.
    """

    certified_epsilon: float
    index: str
    of: tuple[object, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the certificate in the form of a manifest."""
        return {"certified_epsilon": self.certified_epsilon, "index": self.index}


@dataclass(frozen=True)
class Setting:
    """A setting for text. The mechanism that runs it checks its values.

    Attributes:
        epsilon: privacy parameter per bit of Hamming distance, from 1e-9 to 22.18.
        mechanism: a name from ``brrkit.mechanisms.MECHANISMS``.
        parameters: parameters of the mechanism: ``radius``, ``base``, ``cap`` and ``task_weight``
            for ``exponential``, ``t`` and ``k`` for ``vickrey``. Missing ones have their defaults.
        goal: the goal for which the setting was chosen; None without a measured goal.
        certificate: its privacy loss on the bundle's vocabulary; None if it wasn't computed.
        measured: the measured results; None if there are none.
    """

    epsilon: float
    mechanism: str = DEFAULT_MECHANISM
    parameters: Mapping[str, Any] = field(default_factory=dict)
    goal: str | None = None
    certificate: Certificate | None = None
    measured: Measured | None = None

    @property
    def certified_epsilon(self) -> float | None:
        """The certificate's ``certified_epsilon``; None without a certificate."""
        return None if self.certificate is None else self.certificate.certified_epsilon

    @property
    def as_run(self) -> tuple[object, ...]:
        """Mechanism, epsilon and sorted parameters, equal for settings that behave alike."""
        return self.mechanism, self.epsilon, *sorted(self.parameters.items())

    @property
    def stated(self) -> dict[str, Any]:
        """The setting in the form of reports (``spec/reports.md``, "Settings")."""
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
    """A setting for counts. ``Counts`` checks its values.

    Attributes:
        cap: largest privacy loss between any two words, from 1e-9 to 88.
        words_a_day: largest number of reports that a device sends for a day, from 1 to MOST_A_DAY.
        goal: the goal for which the setting was chosen; None without a measured goal.
        measured: attack success on one report, by the attacker's name; exact for ``isolated`` and
            for ``frequencies``, who knows the bundle's masses.
    """

    cap: float
    words_a_day: int = 1
    goal: str | None = None
    measured: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Frames:
    """The shape of a device's day of text. ``TextReporter`` checks its values.

    Attributes:
        words: number of words in a frame, from 1 to MOST_FRAME_WORDS.
        a_day: number of frames that a device sends for a day, whether or not anything was typed;
            from 1 to MOST_FRAMES. ``a_day`` times ``words`` is at most MOST_FRAMED.
    """

    words: int = 8
    a_day: int = 8

    @property
    def words_a_day(self) -> int:
        """The number of words in a day's frames."""
        return self.words * self.a_day

    def to_json(self) -> dict[str, int]:
        """Return the frames in the form of a manifest."""
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
    """Return the setting in a manifest's field ``counts``; None if it isn't a valid one.

    Args:
        value: the field's parsed JSON.
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
    """Return the frames in a manifest's field ``frames``; None if they aren't valid.

    Args:
        value: the field's parsed JSON.
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
    """Return the setting in a manifest's field ``recommended``; None if it isn't a valid one.

    ``Privatizer`` checks the values against the mechanism and the certificate.

    Args:
        value: the field's parsed JSON.
        word_bits: length of a code in bits, without its task bits.
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
    """Return whether a JSON value is a number."""
    return type(value) in (int, float)


def is_digest(value: object) -> bool:
    """Return whether a JSON value is a SHA-256 in hexadecimal digits."""
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
