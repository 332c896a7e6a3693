"""What reports say of the setting that made them: ``docs/reference/reports.md``, "A batch".

A device writes it, so it is held against what a mechanism takes, name by name and type by type:
nothing that was typed can hide in it. No message repeats any of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from brrkit import WordBundle, strict_json
from brrkit.errors import BundleError, ParameterError
from brrkit.exact import CAP_MAX, CAP_MIN, EPSILON_MAX, EPSILON_MIN, keep_threshold
from brrkit.mechanisms import DEFAULT_MECHANISM, MECHANISMS, create_mechanism
from brrkit.mechanisms.exponential import LANGUAGE, check_base
from brrkit.mechanisms.parameter import Parameter
from brrkit.setting import MOST_CANDIDATES

RECOMMENDED = "recommended"
"""A setting: the one that the bundle recommends for text."""

FOR_COUNTS = "counts"
"""A setting, the one that the bundle recommends for counts; and the mechanism of it."""

MOST_REPEATS = 1_000_000

SECOND_EPSILON = "second_epsilon"
"""A field of a setting: the words were released with a keyed memory."""

Stated: TypeAlias = "str | Mapping[str, Any]"
"""``RECOMMENDED``, ``FOR_COUNTS``, or an object: with ``mechanism``, ``epsilon``, ``parameters``
and perhaps ``SECOND_EPSILON``; or with the mechanism ``FOR_COUNTS``, ``cap``, and with a memory
also ``second_cap`` and ``repeats``."""

Identity: TypeAlias = "tuple[object, object]"

_FIELDS = {"mechanism", "epsilon", "parameters"}


def is_setting(value: object) -> bool:
    """Return whether a value of JSON is a setting; a bundle may still rule it out.

    Names and types are those that the mechanism's class describes in ``parameters``.
    """
    if value in (RECOMMENDED, FOR_COUNTS):
        return True
    if isinstance(value, Mapping) and value.get("mechanism") == FOR_COUNTS:
        return _is_for_counts(value)
    if not (isinstance(value, Mapping) and set(value) - {SECOND_EPSILON} == _FIELDS):
        return False
    name, parameters = value["mechanism"], value["parameters"]
    if not (isinstance(name, str) and name in MECHANISMS and isinstance(parameters, dict)):
        return False
    described = {each.name: each for each in getattr(MECHANISMS[name], "parameters", ())}
    return (
        _is_epsilon(value["epsilon"])
        and _is_epsilon(value.get(SECOND_EPSILON, EPSILON_MAX))
        and parameters.keys() <= described.keys()
        and all(_fits(given, described[each]) for each, given in parameters.items())
    )


def read_setting(text: str) -> Stated:
    """Return the setting that ``text`` is: ``recommended``, or an object of JSON.

    Raises:
        ParameterError: it is none.
    """
    try:
        named = text in (RECOMMENDED, FOR_COUNTS)
        value: Any = text if named else strict_json.parse(text.encode())
    except ValueError:
        value = None
    if not is_setting(value):
        raise ParameterError(
            "a setting is the word counts or recommended, or an object as in "
            "docs/reference/reports.md: "
            '{"mechanism": "exponential", "epsilon": 0.5, "parameters": {"radius": 8}}'
        )
    stated: Stated = value
    return stated


def identity(setting: Stated, bundle: WordBundle) -> Identity | None:
    """Return what is equal for two settings that release words of ``bundle`` in the same way.

    A parameter that is left out is its default; ``RECOMMENDED`` and ``FOR_COUNTS`` are what they
    stand for in reports (``recommended``); a certificate is no part of it.

    Returns:
        None where the bundle can't have the setting: it recommends none, or a parameter is out of
        its range.
    """
    fields = recommended(bundle, setting) if isinstance(setting, str) else setting
    if fields is None:
        return None
    if fields["mechanism"] == FOR_COUNTS:
        caps = [fields["cap"], fields.get("second_cap")]
        thresholds = [None if c is None else keep_threshold(c, len(bundle) + 1) for c in caps]
        return (FOR_COUNTS, thresholds[0]), (thresholds[1], fields.get("repeats"))
    epsilons = [fields["epsilon"], fields.get(SECOND_EPSILON)]
    try:
        first, second = (
            None
            if epsilon is None
            else create_mechanism(
                fields["mechanism"], bundle, epsilon, dict(fields["parameters"])
            ).setting
            for epsilon in epsilons
        )
    except (ParameterError, BundleError):
        return None
    return first, second


def check_countable(setting: Stated, bundle: WordBundle) -> None:
    """Check that counts of what ``setting`` releases say what was typed.

    Args:
        setting: that ``bundle`` can have.
        bundle: an opened bundle.

    Raises:
        ParameterError: its base is ``language``.
    """
    fields = recommended(bundle, setting) if isinstance(setting, str) else setting
    if fields is not None and fields["mechanism"] == DEFAULT_MECHANISM:
        check_independent(check_base(fields["parameters"].get("base"), bundle.masses))


def recommended(bundle: WordBundle, job: str) -> Mapping[str, Any] | None:
    """Return the setting that ``bundle`` recommends, as reports have it; None if there is none.

    Args:
        bundle: an opened bundle.
        job: ``RECOMMENDED`` or ``FOR_COUNTS``.
    """
    if job == FOR_COUNTS:
        counts = bundle.counts
        return None if counts is None else {"mechanism": FOR_COUNTS, "cap": counts.cap}
    setting = bundle.recommended
    if setting is None:
        return None
    return {
        "mechanism": setting.mechanism,
        "epsilon": setting.epsilon,
        "parameters": dict(setting.parameters),
    }


def check_independent(base: str) -> None:
    """Check that words released with ``base`` can be counted, whatever their order was.

    Raises:
        ParameterError: the base is ``language``.
    """
    if base == LANGUAGE:
        raise ParameterError(
            "words that were released with the base 'language' can't be counted: what comes out "
            "for a word depends on the one released before it, and counts don't say which that "
            "was; release with the base 'words' and state that setting, or make reports for counts"
        )


def _is_for_counts(value: Mapping[str, Any]) -> bool:
    memory = set(value) == {"mechanism", "cap", "second_cap", "repeats"}
    if not (memory or set(value) == {"mechanism", "cap"}):
        return False
    repeats, caps = value.get("repeats", 1), (value["cap"], value.get("second_cap", 1))
    return (
        all(_is_number(cap) and CAP_MIN <= cap <= CAP_MAX for cap in caps)
        and type(repeats) is int
        and 1 <= repeats <= MOST_REPEATS
    )


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
