"""The sample bundle is what today's code makes of the sample embeddings; if not: make sample.

What a mechanism depends on is compared byte for byte, on any machine. What the manifest measured
depends on how a machine rounds, in its last digits and in what a random number near a threshold
decides.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bundle_tools import data_path, edit_cases, rewrite

from benchmarks.intents import table
from brrkit import Frames, WordBundle
from brrkit.bundle import INDEX, MANIFEST, PARITY, RANDOMIZER, SAMPLE
from brrkit.tokenizer import Tokenizer
from brrkit_counting.calibrate import calibrate_counts
from brrkit_toolchain.bundle import build as build_module
from brrkit_toolchain.bundle.build import build_bundle
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.bundle.verify.source_checks import rebuilt_tasks
from brrkit_toolchain.bundle.writer import encode_index, model_of
from brrkit_toolchain.bundle.written import Written
from brrkit_toolchain.calibrate.goals import TextAttackSuccess
from brrkit_toolchain.calibrate.parameters import FixedParameters
from brrkit_toolchain.calibrate.texts import calibrate_text
from brrkit_toolchain.embeddings import sample_path
from brrkit_toolchain.embeddings.sample.text import everyday
from brrkit_toolchain.embeddings.usable_words import read_word_list
from brrkit_toolchain.tasks.labeled import Task
from brrkit_toolchain.tasks.learn import TaskBits

ROOT = Path(__file__).parents[3]
FOLDER = sample_path().parent

TOLERANCES = {  # of what is measured, by the beginning of names
    "quality.nn10": {"abs_tol": 0.002},
    "distances.": {"rel_tol": 1e-4},
    "utility.mechanisms.": {"abs_tol": 0.01},
    "attack.mechanisms.": {"abs_tol": 0.01},
}
BUILD = r"brr build --effort (\w+) --vocabulary-size (\d+) --text"
CALIBRATE = (
    r"brr calibrate runtime/brrkit/sample --text \S+ --attack-success ([\d.]+) "
    r"--task-weight (\d+) \\\s+--frames \d+ --frame-words \d+ --write\b"
)

ELSEWHERE = ("method.version",)  # of who built it


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle that ``make sample`` would make, before it is calibrated."""
    ((effort, words),) = re.findall(BUILD, (ROOT / "Makefile").read_text())
    output = tmp_path_factory.mktemp("rebuilt") / "sample"
    with pytest.MonkeyPatch.context() as patch:
        # Counting the text takes a minute: verify --text does that, in make sample. What requests
        # teach has a test of its own, since not everybody has them.
        sample = WordBundle.open(SAMPLE)
        language = model_of(sample), sample.manifest["base"]
        patch.setattr(build_module, "learn_language", lambda *arguments, **options: language)
        patch.setattr(build_module, "learn_tasks", lambda *arguments, **options: taught(sample))
        patch.setattr(Written, "with_numbers", lambda how, tokenizer, *given: numbered(tokenizer))
        plan = BuildPlan(
            effort=effort,
            vocabulary_size=int(words),
            tasks=[Task("requests")],
            spellings=FOLDER / "spellings.tsv",
            exclude=FOLDER / "never_released.txt",
        )
        build_bundle(sample_path(), output, plan)
    return output


def numbered(tokenizer: Tokenizer) -> Tokenizer:
    """Return ``tokenizer`` with what the sample's text has taught of numbers."""
    writing = tokenizer.writing
    found = dict(WordBundle.open(SAMPLE).writing.spellings)
    numbers = [(form, found[form]) for form in found if form not in writing.word_of]
    assert all("0" in form for form, _ in numbers)
    return replace(tokenizer, writing=replace(writing, spellings=(*writing.spellings, *numbers)))


def taught(bundle: WordBundle) -> TaskBits:
    """Return what tasks have added to a bundle."""
    packed = np.array(bundle.codes[:, bundle.word_bits // 64 :])
    return TaskBits(packed, bundle.manifest["tasks"], b"")


def fields(bundle: Path) -> dict[str, Any]:
    """Return every value of a manifest, but sizes and digests, by its whole name."""

    def flatten(name: str, value: Any) -> Iterator[tuple[str, Any]]:
        if isinstance(value, dict | list) and value:
            inner = value.items() if isinstance(value, dict) else enumerate(value)
            for key, each in inner:
                yield from flatten(f"{name}.{key}", each)
        else:
            yield name[1:], value

    manifest = json.loads((bundle / MANIFEST).read_bytes())
    del manifest["files"], manifest["sha256"]
    manifest.pop("recommended", None)  # a test of its own
    manifest.pop("counts", None)  # likewise
    manifest.pop("frames", None)  # likewise
    flat = dict(flatten("", manifest))
    return {name: value for name, value in flat.items() if name not in ELSEWHERE}


def alike(name: str, first: Any, second: Any) -> bool:
    for start, tolerance in TOLERANCES.items():
        if name.startswith(start) and {type(first), type(second)} <= {int, float}:
            return math.isclose(first, second, **{"rel_tol": 0.0, **tolerance})
    return type(first) is type(second) and bool(first == second)


def differences(bundle: Path, rebuilt: Path) -> list[str]:
    """Return what isn't as today's code makes it."""
    old, new = fields(bundle), fields(rebuilt)
    found = [name for name in old | new if not alike(name, old.get(name), new.get(name))]
    files = (INDEX, RANDOMIZER, PARITY)
    return found + [n for n in files if (bundle / n).read_bytes() != (rebuilt / n).read_bytes()]


def test_is_what_the_code_makes(rebuilt: Path) -> None:
    assert differences(SAMPLE, rebuilt) == [], "rebuild it: make sample"


def test_its_frames_are_those_that_make_sample_asks_for() -> None:
    ((a_day, words),) = re.findall(
        r"--frames (\d+) --frame-words (\d+)", (ROOT / "Makefile").read_text()
    )
    assert WordBundle.open(SAMPLE).frames == Frames(int(words), int(a_day)), "make sample"


@pytest.mark.nightly
def test_recommends_what_calibrate_finds(tmp_path: Path) -> None:
    """Built and calibrated again, from all that ``make sample`` reads."""
    makefile = (ROOT / "Makefile").read_text()
    ((effort, words),) = re.findall(BUILD, makefile)
    ((success, weight),) = re.findall(CALIBRATE, makefile)
    files = dict(
        zip(("everyday.txt", "held-out.txt"), everyday(data_path("everyday")), strict=True)
    )
    for name, lines in files.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    requests = tmp_path / "snips-train.tsv"
    requests.write_text(table(data_path("intents/snips"), ["train"]), encoding="utf-8")
    plan = BuildPlan(
        effort=effort,
        vocabulary_size=int(words),
        text=tmp_path / "everyday.txt",
        tasks=[Task(requests, name="intents")],
        spellings=FOLDER / "spellings.tsv",
        exclude=FOLDER / "never_released.txt",
    )
    build_bundle(sample_path(), tmp_path / "sample", plan)
    assert differences(SAMPLE, tmp_path / "sample") == [], "make sample"
    opened = WordBundle.open(tmp_path / "sample")
    goal = TextAttackSuccess(float(success))
    fixed = FixedParameters(task_weight=int(weight))
    found = calibrate_text(opened, tmp_path / "held-out.txt", goal, fixed=fixed).setting
    assert found == WordBundle.open(SAMPLE).recommended, "make sample"


def test_recommends_for_counts_what_calibrate_finds() -> None:
    command = (
        r"brr calibrate runtime/brrkit/sample --for counts --attack-success ([\d.]+) --write\b"
    )
    (success,) = re.findall(command, (ROOT / "Makefile").read_text())
    opened = WordBundle.open(SAMPLE)
    found = calibrate_counts(opened, attack_success=float(success)).setting
    assert opened.counts is not None
    assert replace(opened.counts, measured={}) == replace(found, measured={}), "make sample"
    assert opened.counts.measured == pytest.approx(found.measured), "make sample"


def test_its_language_is_of_the_text_that_it_names() -> None:
    base = WordBundle.open(SAMPLE).manifest["base"]
    counted, _ = everyday(data_path("everyday"))
    text = "".join(f"{line}\n" for line in counted).encode()
    assert (base["masses"], base["text"]["least"]) == ("text", 5)
    assert base["text"]["sha256"] == hashlib.sha256(text).hexdigest()


def test_its_pages_say_what_it_has() -> None:
    sample = WordBundle.open(SAMPLE)
    words, spellings = len(sample), len(sample.writing.spellings)
    base, (task,) = sample.manifest["base"], sample.manifest["tasks"]
    page = " ".join(SAMPLE.with_suffix(".md").read_text("utf-8").split())
    assert f"{words:,} words of everyday English" in page
    assert f"with codes of 64 word bits and 64 task bits, and {spellings:,} other spellings" in page
    assert f"the {sample.manifest['bigrams']:,} pairs of words" in page
    assert f"occurs in at least {base['text']['least']} texts." in page
    assert f"{task['texts']:,} requests in seven classes" in page
    assert len(task["classes"]) == 7
    assert f"{words:,} words of everyday English" in str(WordBundle.sample.__doc__)
    assert f"{words:,} everyday English words" in (ROOT / "README.md").read_text("utf-8")


def test_never_releases_what_it_must_not() -> None:
    never = read_word_list(FOLDER / "never_released.txt")
    assert len(never) > 1_000
    assert not never & {*WordBundle.open(SAMPLE).vocabulary}


def test_its_task_is_of_the_requests_that_it_names(tmp_path: Path) -> None:
    sample = WordBundle.open(SAMPLE)
    (stated,) = sample.manifest["tasks"]
    requests = tmp_path / stated["source"]["name"]
    requests.write_text(table(data_path("intents/snips"), ["train"]), encoding="utf-8")
    tasks = [Task(requests, name=stated["name"])]
    reproduced = f"reproduced: task bits of {len(sample):,} words"
    assert rebuilt_tasks(sample, tasks, progress=False) == reproduced


def test_its_counts_are_few() -> None:
    """What is committed of the text: pruned counts, at most 200 KB."""
    masses = WordBundle.open(SAMPLE).masses
    packed = len(masses.before.content) + len(masses.after.content)
    assert len(masses.words) + len(masses.gains) + packed <= 200_000


class TestNotices:
    """That the first test fails on a bundle that was made otherwise, and names nothing else."""

    @pytest.fixture
    def changed(self, rebuilt: Path, tmp_path: Path) -> Path:
        return Path(shutil.copytree(rebuilt, tmp_path / "sample"))

    def test_settings_and_cases(self, changed: Path, rebuilt: Path) -> None:
        def edit(manifest: dict[str, Any]) -> None:
            manifest["method"]["settings"]["visits"] = 200
            manifest["method"]["settings"].pop("furthest")
            manifest["quality"]["nn10"] -= 0.02
            manifest["new"] = []

        edit_cases(changed, lambda cases: cases["cases"].pop())
        found = differences(rewrite(changed, edit=edit), rebuilt)
        fields = {"method.settings.visits", "method.settings.furthest", "quality.nn10", "new"}
        assert set(found) == {*fields, PARITY}

    def test_one_bit_of_a_code(self, changed: Path, rebuilt: Path) -> None:
        opened = WordBundle.open(rebuilt)
        codes = opened.codes.copy()
        codes[7, 0] ^= 1
        words = list(opened.vocabulary)
        index = encode_index(words, codes, model_of(opened))
        assert differences(rewrite(changed, {INDEX: index}), rebuilt) == [INDEX]
