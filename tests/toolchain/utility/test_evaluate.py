"""``brr evaluate``: what a classifier loses, and what it shows, on made-up texts.

Everything is seeded: a test that passes once passes always on one machine. What depends on the
machine, since noise decides what a classifier learns, is marked with its ``false_alarm``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from bundle_tools import ENCYCLOPEDIA, leftovers, rewrite, toy_embeddings

from brrkit.setting import Estimate
from brrkit_toolchain.confidence import mean
from brrkit_toolchain.tasks.corpus import Texts
from brrkit_toolchain.utility.evaluate.classifier import Classifier, mean_vectors
from brrkit_toolchain.utility.evaluate.membership import attack_auc

if TYPE_CHECKING:
    from conftest import Brr


@pytest.fixture
def arguments(sample_bundle: Path, labeled_texts: Path) -> list[object]:
    """The bundle, and the texts in columns of their own."""
    columns = ["--text-column", "body", "--label-column", "kind"]
    return [sample_bundle, "--embeddings", ENCYCLOPEDIA, "--data", labeled_texts, *columns]


def test_little_noise_costs_nothing(brr: Brr, arguments: list[object]) -> None:
    outcome = brr("evaluate", *arguments, "--epsilon", 15, "--radius", 0, "--json")
    assert (outcome.code, outcome.err) == (0, "")
    found = json.loads(outcome.out)
    assert (found["epsilon"], found["texts"], found["trials"]) == (15, 60, 5)
    typed, privatized = found["typed"], found["privatized"]
    assert typed["unchanged"]["value"] == 1
    assert privatized["unchanged"]["value"] > 0.95
    assert typed["accuracy"]["value"] > 0.85
    for name, most in (("accuracy", 0.05), ("membership", 0.1)):
        assert abs(typed[name]["value"] - privatized[name]["value"]) < most
        assert typed[name]["low"] <= typed[name]["value"] <= typed[name]["high"]


@pytest.mark.false_alarm(1e-9)
def test_much_noise_hides_the_words(brr: Brr, arguments: list[object]) -> None:
    """Of 900 words, each kept with 1/1,000 at most, 18 or more are with less than 10^-15."""
    options = ["--epsilon", 0.01, "--mechanism", "brr", "--trials", 2, "--texts", 20]
    outcome = brr("evaluate", *arguments, *options)
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0].split() == ["as", "typed", "privatized"]
    assert re.match(r"  words unchanged +1\.000 +0\.0[01]\d", lines[3])
    assert lines[4] == "  20 training texts; 2 trials, 95% intervals"


def test_the_interval_of_a_share_ends_at_0_and_1() -> None:
    few = np.array([0.05, 0.95])
    assert mean(few, 1.0) == Estimate(0.5, 0.0, 1.0)
    assert mean(few).high > 6


def test_the_recommended_setting_is_taken(brr: Brr, arguments: list[object], bundle: Path) -> None:
    outcome = brr("evaluate", *arguments)
    assert (outcome.code, outcome.err.count("\n")) == (1, 1)
    assert "the bundle recommends no setting" in outcome.err
    assert brr("calibrate", bundle, "--attack-success", 0.2, "--write").code == 0
    quick = ["--trials", 2, "--json"]
    found = json.loads(brr("evaluate", bundle, *arguments[1:], *quick).out)
    recommended = json.loads((bundle / "manifest.json").read_bytes())["recommended"]
    assert found["epsilon"] == recommended["epsilon"]
    given = [
        part for name, value in recommended["parameters"].items() for part in (f"--{name}", value)
    ]
    for factor in (1, 2):
        epsilon = ["--epsilon", factor * recommended["epsilon"]]
        other = json.loads(brr("evaluate", bundle, *arguments[1:], *quick, *given, *epsilon).out)
        assert (other["privatized"] == found["privatized"]) == (factor == 1)


def test_a_seed_gives_the_same_numbers(brr: Brr, arguments: list[object]) -> None:
    command = ["evaluate", *arguments, "--epsilon", 1, "--trials", 2, "--texts", 20, "--json"]
    first, again, other = (brr(*command, "--seed", seed).out for seed in (0, 0, 1))
    assert first == again != other


def test_left_out_texts_are_counted(
    brr: Brr, arguments: list[object], labeled_texts: Path, tmp_path: Path
) -> None:
    file = tmp_path / "more.csv"
    text = labeled_texts.read_text(encoding="utf-8")
    file.write_text(text + ",a\nqqqq zzzz,b\n\n", encoding="utf-8")
    outcome = brr("evaluate", *arguments, "--data", file, "--epsilon", 1, "--trials", 2)
    assert outcome.code == 0
    assert outcome.err.splitlines() == [
        "more.csv: 1 texts left out: empty",
        "more.csv: 1 texts left out: without a known word",
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--label-column", "nothing"], "no column 'nothing' among its 2 fields"),
        (["--texts", "9"], "are too few"),
        (["--seed", "-1"], "seed must be 0 or more, not -1"),
        (["--epsilon", "-1"], "epsilon"),
        (["--data", "missing.csv"], "missing.csv: "),
    ],
)
def test_bad_options(brr: Brr, arguments: list[object], options: list[str], expected: str) -> None:
    outcome = brr("evaluate", *arguments, "--epsilon", 1, *options)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)
    assert outcome.err.startswith("Error: ")
    assert expected in outcome.err


def test_embeddings_of_another_bundle(brr: Brr, arguments: list[object], tmp_path: Path) -> None:
    (tmp_path / "toy.txt").write_bytes(toy_embeddings(30))
    outcome = brr("evaluate", *arguments, "--embeddings", tmp_path / "toy.txt", "--epsilon", 1)
    assert outcome.code == 1
    assert re.match(r"Error: .*toy\.txt: doesn't fit .*made from another file", outcome.err)


def test_a_bundle_that_names_no_source(brr: Brr, arguments: list[object], bundle: Path) -> None:
    rewrite(bundle, edit=lambda fields: fields["source"].pop("sha256"))
    outcome = brr("evaluate", bundle, *arguments[1:], "--epsilon", 1)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)
    assert "field 'source.sha256' of the manifest" in outcome.err
    assert leftovers(bundle.parent) == ["bundle"]


def test_mean_vectors() -> None:
    vectors = np.array([[1, 0], [0, 2], [4, 4]], np.float32)
    texts = Texts(np.array([0, 1, 2, 2]), np.array([0, 3, 4]), np.array([0, 1]))
    means = mean_vectors(texts, vectors)
    assert means.shape == (2, 2)
    assert means.ravel().tolist() == pytest.approx([5 / 3, 2, 4, 4])


def test_a_class_that_was_never_seen() -> None:
    vectors = np.eye(4, dtype=np.float32)
    texts = Texts(np.array([0, 1, 3]), np.array([0, 1, 2, 3]), np.array([0, 0, 2]))
    probabilities = Classifier(texts, vectors).probabilities(texts, 3)
    assert probabilities.shape == (3, 3)
    assert probabilities[:, 1].tolist() == [0, 0, 0]
    assert probabilities.sum(axis=1) == pytest.approx(1)


def test_attack_sees_what_a_model_learned_by_heart() -> None:
    generator = np.random.default_rng(0)
    vectors = generator.standard_normal((2_000, 100)).astype(np.float32)
    offsets = np.arange(0, 401, 5)

    def texts() -> Texts:
        labels = generator.integers(2, size=80)
        return Texts(generator.integers(2_000, size=400), offsets, labels)

    members, others, own, own_others = texts(), texts(), texts(), texts()
    shadow = Classifier(own, vectors)

    def auc(target: Classifier) -> float:
        return attack_auc(shadow, (own, own_others), target, (members, others), 2, 0)

    assert auc(Classifier(members, vectors)) > 0.75
    # Trained on noise in place of the members: the standard error of the AUC is 0.046.
    noise = Texts(generator.integers(2_000, size=400), offsets, members.labels)
    assert 0.3 < auc(Classifier(noise, vectors)) < 0.7
