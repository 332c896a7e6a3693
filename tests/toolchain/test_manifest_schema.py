"""``spec/manifest.schema.json`` says what the readers do.

Mutants from the fuzzer of bundles: whatever is JSON of the subset is a manifest to the schema
exactly when it is one to the Python reader. (Kotlin's verdict is compared with Python's on the same
mutants: ``HostileBundlesTest``.) What a schema can't say is left out here: digests and files.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.validators import extend

from brrkit import BundleError, strict_json
from brrkit.bundle import MANIFEST, SAMPLE, read_manifest
from brrkit.writing import Writing

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "attacks")]
import bundles as attacks  # noqa: E402
import listed  # noqa: E402

SCHEMA = json.loads((ROOT / "spec" / "manifest.schema.json").read_bytes())


def is_integer(_: Any, value: Any) -> bool:
    """Tell whether a number was written without fraction and exponent."""
    return type(value) is int


CHECKER = Draft202012Validator.TYPE_CHECKER.redefine("integer", is_integer)
VALIDATOR = extend(Draft202012Validator, type_checker=CHECKER)


@pytest.fixture(scope="module")
def schema() -> Any:
    VALIDATOR.check_schema(SCHEMA)
    return VALIDATOR(SCHEMA)


def opens(folder: Path, text: bytes) -> bool:
    """Tell whether the Python reader takes a manifest."""
    (folder / MANIFEST).write_bytes(text)
    try:
        read_manifest(folder, verify_hash=False)
    except BundleError:
        return False
    return True


def test_it_takes_what_the_reader_takes(schema: Any, tmp_path: Path) -> None:
    verdicts: Counter[tuple[str, bool]] = Counter()
    for number in range(3_000):
        made = attacks.mutant(7, number, special=False)
        if made.kind not in ("json", "setting", "text"):
            continue
        text = made.files[MANIFEST]
        try:
            manifest = strict_json.parse(text)
        except ValueError:
            assert not opens(tmp_path, text)
            continue
        verdict = schema.is_valid(manifest)
        if verdict and not opens(tmp_path, text):
            # Which characters join, how ranges lie, what occurs where, and products, are beyond it.
            harmless = {"writing": {"joiners": [], "unspaced": []}, "frames": {"words": 1}}
            for name in harmless.keys() & manifest.keys():
                manifest[name] |= harmless[name]
            manifest.pop("policy", None)
            text = json.dumps(manifest).encode()
        assert opens(tmp_path, text) == verdict, text
        verdicts[made.kind, verdict] += 1
    assert sum(verdicts.values()) > 600
    for kind in ("json", "setting"):
        for verdict in (True, False):
            assert verdicts[kind, verdict] > 60, verdicts
    assert verdicts["text", True] > 30


def test_it_takes_nothing_else_than_objects(schema: Any, tmp_path: Path) -> None:
    for text in (b"[]", b"1", b"null", b'"brr-bundle"', b"{}"):
        assert not schema.is_valid(strict_json.parse(text))
        assert not opens(tmp_path, text)


def test_what_the_toolchain_writes_is_as_described(schema: Any, sample_bundle: Path) -> None:
    built = VALIDATOR({"$ref": "#/$defs/built", "$defs": SCHEMA["$defs"]})
    for folder in (sample_bundle, SAMPLE):
        manifest = strict_json.parse((folder / MANIFEST).read_bytes())
        schema.validate(manifest)
        built.validate(manifest)
        for field in ("source", "method", "quality", "distances", "utility", "attack"):
            assert not built.is_valid({key: manifest[key] for key in manifest if key != field})
            assert not built.is_valid({**manifest, field: {}})


def test_what_brr_list_writes_is_as_described(schema: Any, tmp_path: Path) -> None:
    made = VALIDATOR({"$ref": "#/$defs/made", "$defs": SCHEMA["$defs"]})
    listed.main(str(tmp_path))
    for folder in tmp_path.iterdir():
        manifest = strict_json.parse((folder / MANIFEST).read_bytes())
        schema.validate(manifest)
        made.validate(manifest)
        for field in ("source", "base", "method"):
            assert not made.is_valid({key: manifest[key] for key in manifest if key != field})
            assert not made.is_valid({**manifest, field: {}})


def test_a_text_s_digest_and_its_tokens_go_together(schema: Any) -> None:
    built = VALIDATOR({"$ref": "#/$defs/built", "$defs": SCHEMA["$defs"]})
    manifest = strict_json.parse((SAMPLE / MANIFEST).read_bytes())
    text = manifest["base"]["text"]
    for missing, valid in (
        ({"sha256", "tokens"}, True),
        ({"sha256"}, False),
        ({"tokens"}, False),
        ({"name"}, False),
        ({"least"}, False),
    ):
        left = {key: text[key] for key in text if key not in missing}
        changed = {**manifest, "base": {"masses": "text", "text": left}}
        assert schema.is_valid(changed)
        assert built.is_valid(changed) == valid, missing


FRENCH = Writing(
    language="fr",
    replaced=(("Œ", "œ"),),
    joiners=("·",),
    before=("l'",),
    endings=("s",),
    shortest_stem=4,
    spellings=(("a", "b"),),
    rewritten=(("oe", "œ"), ("s", "")),
    longest_run=0,
    unspaced=((5, 6), (8, 9)),
    links=("", "s"),
    shortest_part=4,
).to_json()


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"language": ""},
        {"language": "fr\n"},
        {"language": "français"},
        {"language": "x" * 65},
        {"replaced": {"ab": "c"}},
        {"replaced": {"a": "12345"}},
        {"replaced": {chr(0x100 + i): "" for i in range(257)}},
        {"joiners": ["ab"]},
        {"joiners": ["a", "a"]},
        {"joiners": [chr(0x100 + i) for i in range(17)]},
        {"before": [""]},
        {"before": ["l'", "l'"]},
        {"before": [str(i) for i in range(65)]},
        {"endings": "s"},
        {"endings": ["x" * 65]},
        {"endings": [str(i) for i in range(257)]},
        {"shortest_stem": 0},
        {"shortest_stem": 65},
        {"spellings": {"": "b"}},
        {"spellings": {"a": ""}},
        {"spellings": {"x" * 65: "b"}},
        {"spellings": {"a": "x" * 65}},
        {"spellings": {str(i): "a" for i in range(4097)}},
        {"rewritten": [["a"]]},
        {"rewritten": [["", "b"]]},
        {"rewritten": [["a", "b"], ["a", "b"]]},
        {"rewritten": [[str(i), ""] for i in range(65)]},
        {"longest_run": -1},
        {"longest_run": 65},
        {"longest_run": "2"},
        {"unspaced": [[-1, 2]]},
        {"unspaced": [[1, 0x110000]]},
        {"unspaced": [[1, 2.0]]},
        {"unspaced": [[2 * i, 2 * i] for i in range(65)]},
        {"links": ["12345"]},
        {"links": [str(i) for i in range(9)]},
        {"shortest_part": "4"},
        {"another": 1},
    ],
)
def test_it_takes_the_writings_that_the_reader_takes(
    change: dict[str, Any], schema: Any, tmp_path: Path
) -> None:
    manifest = json.loads((SAMPLE / MANIFEST).read_bytes())
    manifest["writing"] = FRENCH | change
    taken = opens(tmp_path, json.dumps(manifest).encode())
    assert schema.is_valid(manifest) == taken
    assert taken == (not change)
    del manifest["writing"]["links"]
    assert not schema.is_valid(manifest)
    assert not opens(tmp_path, json.dumps(manifest).encode())
