"""The settings that reports state: ``spec/reports.md``, "A batch".

A device writes a setting, so it is compared with the mechanism's parameters, by name and type. So
no typed text can hide in it. No message repeats any part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from brrkit import WordBundle, strict_json
from brrkit.errors import BundleError, ParameterError
from brrkit.exact import CAP_MAX, CAP_MIN, EPSILON_MAX, EPSILON_MIN, keep_threshold
from brrkit.mechanisms import MECHANISMS, create_mechanism
from brrkit.mechanisms.exponential import BIGRAM, check_base
from brrkit.mechanisms.parameter import Parameter
from brrkit.setting import DEFAULT_MECHANISM, MOST_CANDIDATES, CountsSetting, Setting

RECOMMENDED = "recommended"
"""The setting that the bundle recommends for text."""

FOR_COUNTS = "counts"
"""The setting that the bundle recommends for counts, and the name of its mechanism."""

MOST_REPEATS = 1_000_000


@dataclass(frozen=True)
class ReportSetting:
    """A setting that made reports.

    Attributes:
        setting: the setting.
        second: with a keyed memory, the epsilon or cap of the second draws.
        repeats: with a keyed memory, for counts: largest number of reports of one symbol from a
            device in a period of it.
    """

    setting: Setting | CountsSetting
    second: float | None = None
    repeats: int | None = None


StatedSetting: TypeAlias = "str | ReportSetting"
"""The stated setting of reports: ``RECOMMENDED``, ``FOR_COUNTS``, or a ``ReportSetting``."""

SettingKey: TypeAlias = "tuple[object, object]"

_SECOND_EPSILON = "second_epsilon"
_TEXT_FIELDS = {"mechanism", "epsilon", "parameters"}


def parse_stated(value: object) -> StatedSetting | None:
    """Return the setting in a JSON value; None if it isn't one. A bundle may still exclude it.

    Names and types are those in ``parameters`` of the mechanism's class.
    """
    if value in (RECOMMENDED, FOR_COUNTS):
        return str(value)
    if isinstance(value, Mapping) and value.get("mechanism") == FOR_COUNTS:
        return _for_counts(value)
    if not (isinstance(value, Mapping) and set(value) - {_SECOND_EPSILON} == _TEXT_FIELDS):
        return None
    name, parameters, second = value["mechanism"], value["parameters"], value.get(_SECOND_EPSILON)
    if not (isinstance(name, str) and name in MECHANISMS and isinstance(parameters, dict)):
        return None
    described = {each.name: each for each in getattr(MECHANISMS[name], "parameters", ())}
    if not (
        _is_epsilon(value["epsilon"])
        and (_SECOND_EPSILON not in value or _is_epsilon(second))
        and parameters.keys() <= described.keys()
        and all(_fits(given, described[each]) for each, given in parameters.items())
    ):
        return None
    return ReportSetting(Setting(value["epsilon"], name, parameters), second)


def stated_json(stated: StatedSetting) -> str | dict[str, Any]:
    """Return the stated setting as JSON types."""
    if isinstance(stated, str):
        return stated
    setting, second = stated.setting, stated.second
    if isinstance(setting, CountsSetting):
        memory = {"second_cap": second, "repeats": stated.repeats}
        fields = {"mechanism": FOR_COUNTS, "cap": setting.cap}
        return fields if second is None else {**fields, **memory}
    return setting.stated if second is None else {**setting.stated, _SECOND_EPSILON: second}


def read_stated(text: str) -> StatedSetting:
    """Return the setting in ``text``: ``recommended``, ``counts``, or a JSON object.

    Raises:
        ParameterError: it isn't a setting.
    """
    try:
        named = text in (RECOMMENDED, FOR_COUNTS)
        stated = parse_stated(text if named else strict_json.parse(text.encode()))
    except ValueError:
        stated = None
    if stated is None:
        raise ParameterError(
            "a setting must be the word counts or recommended, or a JSON object as in "
            "spec/reports.md; write, for example, "
            '{"mechanism": "exponential", "epsilon": 0.5, "parameters": {"radius": 8}}'
        )
    return stated


def resolve_stated(stated: StatedSetting, bundle: WordBundle) -> ReportSetting | None:
    """Return the stated setting for reports of ``bundle``; None if it recommends none."""
    if not isinstance(stated, str):
        return stated
    setting = bundle.counts if stated == FOR_COUNTS else bundle.recommended
    return None if setting is None else ReportSetting(setting)


def words_a_day(stated: StatedSetting, own: CountsSetting | None, symbols: int) -> int | None:
    """Return the number of reports that a device sends for a day; None if unknown.

    Args:
        stated: the setting that made the reports.
        own: the bundle's setting for counts, if it has one. It decides for reports with its cap,
            made with or without a memory.
        symbols: number of the bundle's words, plus one for unknown words.
    """
    if own is None:
        return None
    if stated == FOR_COUNTS:
        return own.words_a_day
    if isinstance(stated, str) or not isinstance(stated.setting, CountsSetting):
        return None
    caps = {keep_threshold(cap, symbols) for cap in (stated.setting.cap, own.cap)}
    return own.words_a_day if len(caps) == 1 else None


def setting_key(stated: StatedSetting, bundle: WordBundle) -> SettingKey | None:
    """Return a key that is equal for settings that release words of ``bundle`` in the same way.

    A missing parameter has its default. A certificate isn't part of the key.

    Returns:
        None if the bundle can't have the setting: it recommends none, or a parameter is out of
        range.
    """
    made = resolve_stated(stated, bundle)
    if made is None:
        return None
    setting, second = made.setting, made.second
    if isinstance(setting, CountsSetting):
        first, other = (
            None if cap is None else keep_threshold(cap, len(bundle) + 1)
            for cap in (setting.cap, second)
        )
        return (FOR_COUNTS, first), (other, made.repeats)
    try:
        return (
            create_mechanism(bundle, setting).setting,
            None
            if second is None
            else create_mechanism(bundle, replace(setting, epsilon=second)).setting,
        )
    except (ParameterError, BundleError):
        return None


def check_countable(stated: StatedSetting, bundle: WordBundle) -> None:
    """Check that counts of words released with a setting reveal the typed words.

    Args:
        stated: a setting that ``bundle`` can have.
        bundle: an opened bundle.

    Raises:
        ParameterError: the setting's base is ``bigram``.
    """
    made = resolve_stated(stated, bundle)
    if (
        made is not None
        and isinstance(made.setting, Setting)
        and made.setting.mechanism == DEFAULT_MECHANISM
    ):
        check_independent(check_base(made.setting.parameters.get("base"), bundle.masses))


def check_independent(base: str) -> None:
    """Check that words released with ``base`` can be counted in any order.

    Raises:
        ParameterError: the base is ``bigram``.
    """
    if base == BIGRAM:
        raise ParameterError(
            "words released with the base 'bigram' can't be counted: each release depends on the "
            "word released before, and counts don't record the order; release with the base "
            "'unigram' and state that setting, or make reports for counts"
        )


def _for_counts(value: Mapping[str, Any]) -> ReportSetting | None:
    memory = set(value) == {"mechanism", "cap", "second_cap", "repeats"}
    if not (memory or set(value) == {"mechanism", "cap"}):
        return None
    cap, second, repeats = value["cap"], value.get("second_cap"), value.get("repeats")
    caps: list[Any] = [cap, second] if memory else [cap]
    if not all(_is_number(one) and CAP_MIN <= one <= CAP_MAX for one in caps):
        return None
    if memory and not (type(repeats) is int and 1 <= repeats <= MOST_REPEATS):
        return None
    return ReportSetting(CountsSetting(cap), second, repeats)


def _is_epsilon(value: object) -> bool:
    return _is_number(value) and EPSILON_MIN <= value <= EPSILON_MAX  # type: ignore[operator]


def _is_number(value: object) -> bool:
    return type(value) in (int, float)  # True is an int, too


def _fits(value: object, parameter: Parameter) -> bool:
    if parameter.several and isinstance(value, list):
        return 0 < len(value) <= MOST_CANDIDATES and all(map(_is_number, value))
    if parameter.choices:
        return value in parameter.choices
    return type(value) is int if parameter.type is int else _is_number(value)
