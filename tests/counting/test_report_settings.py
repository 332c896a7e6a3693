"""Settings in reports are what spec/reports.md and its schema say, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.mechanisms import MECHANISMS
from brrkit.setting import Setting
from brrkit_counting.reports.setting import (
    ReportSetting,
    StatedSetting,
    parse_stated,
    read_stated,
    setting_key,
    stated_json,
)
from brrkit_toolchain.bundle.recommend import write_recommended

SCHEMA = json.loads((Path(__file__).parents[2] / "spec" / "reports.schema.json").read_text())
STATED = jsonschema.Draft202012Validator(
    {
        "$ref": "#/$defs/setting",
        "$defs": SCHEMA["$defs"] | {"setting": SCHEMA["properties"]["setting"]},
    }
)
SECRET = "qzvypassphrase"


def setting(mechanism: str = "exponential", epsilon: Any = 0.5, **more: Any) -> dict[str, Any]:
    return {"mechanism": mechanism, "epsilon": epsilon, "parameters": {}} | more


GOOD: list[Any] = [
    "recommended",
    "counts",
    {"mechanism": "counts", "cap": 9},
    {"mechanism": "counts", "cap": 1e-9, "second_cap": 88, "repeats": 31},
    setting(),
    setting(epsilon=1),
    setting(epsilon=22.18, second_epsilon=1e-9),
    setting(parameters={"radius": 0}),
    setting(parameters={"base": "bigram"}),
    setting(parameters={"radius": 16, "base": "unigram", "cap": 9}),
    setting("brr"),
    setting("vickrey"),
    setting("vickrey", parameters={"t": 0.25}),
    setting("vickrey", parameters={"t": [0.0, 2, 3.5]}),
]
BAD: list[Any] = [
    {"mechanism": "counts"},
    {"mechanism": "counts", "cap": 0},
    {"mechanism": "counts", "cap": "9"},
    {"mechanism": "counts", "cap": 9, "epsilon": 1, "parameters": {}},
    {"mechanism": "counts", "cap": 9, "second_cap": 18},
    {"mechanism": "counts", "cap": 9, "repeats": 2},
    {"mechanism": "counts", "cap": 9, "second_cap": 18, "repeats": 0},
    {"mechanism": "counts", "cap": 9, SECRET: 1},
    "",
    SECRET,
    None,
    {},
    {"mechanism": "brr", "epsilon": 1},
    setting(SECRET),
    setting(mechanism=["brr"]),
    setting(epsilon=0),
    setting(epsilon=10**39),
    setting(epsilon=22.19),
    setting(epsilon="0.5"),
    setting(epsilon=True),
    setting(second_epsilon=0),
    setting(second_epsilon=SECRET),
    setting(parameters=[]),
    setting(parameters={SECRET: 1}),
    setting(parameters={"t": 0.5}),
    setting(parameters={"radius": 8.5}),
    setting(parameters={"radius": True}),
    setting(parameters={"base": SECRET}),
    setting(parameters={"cap": True}),
    setting("brr", parameters={"radius": 8}),
    setting("vickrey", parameters={"t": []}),
    setting("vickrey", parameters={"t": [0.5, SECRET]}),
    setting("vickrey", parameters={"t": [0.1] * 65}),
    setting(device=SECRET),
]
OUT_OF_RANGE: list[Any] = [  # by their type they could be
    setting(parameters={"radius": 513}),
    setting(parameters={"cap": 88.5}),
    setting("vickrey", parameters={"t": 1.5}),
    setting("vickrey", parameters={"t": [-0.5, 1]}),
]


def parsed(value: Any) -> StatedSetting:
    stated = parse_stated(value)
    assert stated is not None
    return stated


def test_what_the_schema_has_is_a_setting_and_nothing_else(opened: WordBundle) -> None:
    for good in GOOD:
        assert STATED.is_valid(good), good
        stated = parse_stated(good)
        assert stated is not None, good
        assert stated_json(stated) == good
    for bad in BAD:
        assert not STATED.is_valid(bad), bad
        assert parse_stated(bad) is None, bad
    for bad in OUT_OF_RANGE:
        assert not STATED.is_valid(bad), bad
        assert setting_key(parsed(bad), opened) is None, bad


def test_the_schema_has_every_mechanism_and_its_parameters() -> None:
    assert SCHEMA["$defs"].keys() - {"time", "epsilon", "cap", "counts"} == MECHANISMS.keys()
    for name, mechanism in MECHANISMS.items():
        described = SCHEMA["$defs"][name]["properties"]["parameters"].get("properties", {})
        assert described.keys() == {p.name for p in getattr(mechanism, "parameters", ())}


def test_settings_are_equal_that_do_the_same(opened: WordBundle, bundle: Path) -> None:
    def known(mechanism: str = "exponential", **more: Any) -> object:
        return setting_key(parsed(setting(mechanism, **more)), opened)

    assert known() == known(parameters={"radius": 8})
    assert known("vickrey") == known("vickrey", parameters={"t": 0.5})
    different = [
        setting(),
        setting(epsilon=0.51),
        setting(parameters={"radius": 7}),
        setting(second_epsilon=1),
        setting("brr"),
        setting("vickrey"),
        setting("vickrey", parameters={"t": 0}),
    ]
    assert len({setting_key(parsed(each), opened) for each in different}) == len(different)
    assert setting_key("recommended", opened) is None
    write_recommended(bundle, Setting(0.7, "exponential", {"radius": 5}, "a test"))
    with_one = WordBundle.open(bundle)
    stated = parsed(setting(epsilon=0.7, parameters={"radius": 5}))
    assert setting_key("recommended", with_one) == setting_key(stated, with_one) is not None


def test_a_recommended_base_is_what_it_is() -> None:
    bundle = WordBundle.sample()
    recommended = bundle.recommended
    assert recommended is not None
    parameters = {**recommended.parameters}
    assert parameters["base"] == "bigram"
    same = parsed(setting(epsilon=recommended.epsilon, parameters=parameters))
    assert setting_key("recommended", bundle) == setting_key(same, bundle)
    changed = setting(epsilon=recommended.epsilon, parameters={**parameters, "base": "unigram"})
    of_words = parsed(changed)
    assert setting_key("recommended", bundle) != setting_key(of_words, bundle)


def test_a_text_is_read_or_refused_unshown() -> None:
    assert read_stated("recommended") == "recommended"
    assert read_stated(json.dumps(setting())) == ReportSetting(Setting(0.5))
    for text in ("", SECRET, "{", json.dumps(setting(SECRET)), f'{{"{SECRET}": 1}}'):
        with pytest.raises(ParameterError, match="a setting must be") as caught:
            read_stated(text)
        assert SECRET not in str(caught.value)
