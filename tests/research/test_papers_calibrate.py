"""The papers' own procedures for a setting: goals are met, on other words and draws too.

The bundle has 2,000 words x 64 bits, and 1,000 of its words are drawn: a share's standard error is
at most 0.016, and that of the difference between two such samples at most 0.023. Tolerances of 0.1
are more than four of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bundle_tools import ENCYCLOPEDIA, contents, rewrite

from brrkit import BundleError, ParameterError, Setting, WordBundle
from brrkit.mechanisms import MECHANISMS
from brrkit_toolchain.bundle.build import build_bundle
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.calibrate.search import Calibration
from brrkit_toolchain.language.word_sample import sample_words
from brrkit_toolchain.utility.mechanism import MechanismEvaluator
from research.papers.__main__ import papers
from research.papers.calibrate import (
    MadlibEpsilon,
    UtilityLoss,
    algorithm_2,
    calibrate_as_published,
)
from research.papers.labels import Labels, read_labels

if TYPE_CHECKING:
    from conftest import Brr

Goal = UtilityLoss | MadlibEpsilon
Find = Callable[..., Calibration]
SMALL = ("--sample", 60)


@pytest.fixture(autouse=True)
def fewer_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out most draws of attacks, at which nobody looks: they take most of the time."""
    monkeypatch.setattr("brrkit_toolchain.utility.mechanism._ATTACK_DRAWS", 1_000)


@pytest.fixture(scope="module")
def few_words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle for what is the same with 500 words: a calibration takes a tenth of the time."""
    output = tmp_path_factory.mktemp("built") / "few"
    plan = BuildPlan(bits=64, method="lsh", vocabulary_size=500, seed=3)
    build_bundle(ENCYCLOPEDIA, output, plan)
    return output


@pytest.fixture(scope="module")
def found(opened: WordBundle) -> Find:
    """Calibrate once for each goal and mechanism."""
    known: dict[tuple[Goal, str], Calibration] = {}

    def find(goal: Goal, mechanism: str) -> Calibration:
        if (goal, mechanism) not in known:
            known[goal, mechanism] = calibrate_as_published(opened, goal, mechanism=mechanism)
        return known[goal, mechanism]

    return find


@pytest.fixture(scope="module")
def labels(opened: WordBundle, tmp_path_factory: pytest.TempPathFactory) -> Labels:
    """Every second of the first 200 words has a label; labels change every 20 words."""
    file = tmp_path_factory.mktemp("labels") / "labels.csv"
    rows = [f"{opened.vocabulary.word(i)},{'ab'[i // 20 % 2]}\n" for i in range(0, 200, 2)]
    file.write_text("word,label\n" + "".join(rows), encoding="utf-8")
    return read_labels(file, opened)


def fresh(bundle: WordBundle, setting: Setting, labels: Labels | None = None) -> Any:
    """Measure a setting on other words and draws."""
    population = np.arange(len(bundle)) if labels is None else labels.words
    sample = sample_words(population, seed=99)
    experiment = MechanismEvaluator(bundle, sample, loss=labels and labels.loss, seed=98)
    return experiment.outcome(setting)


@pytest.mark.parametrize("name", ["brr", "exponential"])
def test_utility_loss(opened: WordBundle, found: Find, name: str) -> None:
    row = found(UtilityLoss(0.1), name).row
    assert 0.098 < row.utility_loss.high <= 0.1
    again = fresh(opened, row.setting).utility_loss.value
    assert again == pytest.approx(row.utility_loss.value, abs=0.005)


def test_algorithm_2(opened: WordBundle, found: Find) -> None:
    row = found(UtilityLoss(0.1), "vickrey").row
    assert row.utility_loss.high <= 0.1
    # Doubled from P_avg * epsilon = 1, and enough for t = 0, but half of it isn't.
    assert np.log2(row.estimated_loss) == pytest.approx(round(np.log2(row.estimated_loss)))
    at_zero = replace(row.setting, parameters={"t": 0.0})
    assert fresh(opened, at_zero).utility_loss.value < 0.1
    half = replace(at_zero, epsilon=at_zero.epsilon / 2)
    assert fresh(opened, half).utility_loss.value > 0.1


def test_madlib_epsilon(opened: WordBundle, found: Find) -> None:
    ratio = opened.manifest["distances"]["privacy_ratio_average"]
    rows = [found(MadlibEpsilon(0.3), name).row for name in MECHANISMS]
    epsilon = rows[0].setting.epsilon
    assert [row.setting.epsilon for row in rows] == [epsilon] * 3
    assert f"{epsilon:.4g}" == repr(epsilon)
    assert 0.999 * 0.3 * ratio < epsilon <= 0.3 * ratio
    euclidean = opened.manifest["distances"]["euclidean"]["average"]
    assert rows[0].estimated_loss == pytest.approx(0.3 * euclidean, rel=1e-3)


@pytest.mark.parametrize("name", MECHANISMS)
def test_labels(opened: WordBundle, labels: Labels, name: str) -> None:
    goal = UtilityLoss(0.3)
    row = calibrate_as_published(opened, goal, mechanism=name, labels=labels, sample=500).row
    assert row.utility_loss.high <= 0.3
    assert fresh(opened, row.setting, labels).utility_loss.value == pytest.approx(0.3, abs=0.1)


def test_outputs_without_a_label_have_lost_it(opened: WordBundle, labels: Labels) -> None:
    """Of nearly pure noise that is nearly all."""
    noise = Setting(0.01, parameters={"radius": 8, "base": "uniform"})
    assert fresh(opened, noise, labels).utility_loss.value > 0.9


@pytest.mark.parametrize(
    ("kind", "target"),
    [*((UtilityLoss, target) for target in (0, 1)), *((MadlibEpsilon, t) for t in (0, -3))],
)
def test_targets_out_of_range(kind: Any, target: float) -> None:
    name = re.sub("(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()
    with pytest.raises(ParameterError, match=f"^{name} must be a number above"):
        kind(target)
    with pytest.raises(ParameterError, match="there is no such attacker"):
        kind(0.5, attacker="zipf")


@pytest.mark.parametrize(
    ("goal", "name", "message"),
    [
        (UtilityLoss(1e-300), "exponential", "utility-loss 1e-300 can't be reached"),
        (MadlibEpsilon(1e6), "brr", r"epsilon must be a number from 1e-09 to 22\.18"),
        (MadlibEpsilon(1e-12), "brr", r"epsilon must be a number from 1e-09 to 22\.18"),
    ],
)
def test_out_of_reach(few_words: Path, goal: Goal, name: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        calibrate_as_published(WordBundle.open(few_words), goal, mechanism=name, sample=50)


@pytest.mark.parametrize("field", ["hamming", "privacy_ratio_average"])
def test_manifest_without_distances(bundle: Path, field: str) -> None:
    spoilt = WordBundle.open(rewrite(bundle, edit=lambda fields: fields["distances"].pop(field)))
    with pytest.raises(BundleError, match=f"field 'distances.{field}"):
        calibrate_as_published(spoilt, MadlibEpsilon(0.3))


@pytest.mark.parametrize("goal", [UtilityLoss(0.1), MadlibEpsilon(0.3)], ids=str)
def test_json(benchmark_command: Brr, few_words: Path, goal: Goal) -> None:
    kind = str(goal).split()[0]
    call = ("calibrate", few_words, f"--{kind}", goal.target, *SMALL, "--json")
    outcome = benchmark_command(papers, *call)
    assert (outcome.code, outcome.err) == (0, "")
    found = json.loads(outcome.out)
    assert found["goal"] == {"kind": kind, "target": goal.target, "attacker": "frequencies"}
    assert list(found["mechanisms"]) == list(MECHANISMS)
    assert 0 <= found["mechanisms"]["vickrey"]["t"] <= 1
    assert set(found["mechanisms"]["exponential"]["certificate"]) == {"certified_epsilon", "index"}
    assert found["recommended"] == "exponential"


def test_command_of_labels(benchmark_command: Brr, bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "of.csv").write_text("word,label\nthe,a\nof,b\nlondon,a\nxqzqvblorf,b\n")
    options = ["--labels", tmp_path / "of.csv", "--utility-loss", 0.4, *SMALL, "--write"]
    outcome = benchmark_command(papers, "calibrate", bundle, *options)
    assert (outcome.code, outcome.err) == (0, "")
    first = outcome.out.splitlines()[0]
    assert first == "3 labeled words (a, b); 1 others are out of vocabulary"
    goal = WordBundle.open(bundle).manifest["recommended"]["goal"]
    assert goal == "utility-loss 0.4 (of.csv)"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "give one goal: --utility-loss or --madlib-epsilon"),
        (["--utility-loss", 0.5, "--madlib-epsilon", 1], "give one goal"),
        (["--madlib-epsilon", 1, "--labels", "of.csv"], "--labels says what --utility-loss is"),
        (["--utility-loss", 0.1, "--labels", "missing.csv"], "missing.csv: can't be read"),
    ],
)
def test_bad_options_of_the_papers(
    benchmark_command: Brr, bundle: Path, options: list[object], message: str
) -> None:
    labels = bundle.with_name("of.csv")
    labels.write_text("word,label\nthe,a\nof,b\n")
    options = [labels if option == "of.csv" else option for option in options]
    before = contents(bundle)
    outcome = benchmark_command(papers, "calibrate", bundle, *options, "--write")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith("Error: ")
    assert message in outcome.err
    assert contents(bundle) == before


def test_algorithm_2_by_hand() -> None:
    # Loss 4 / epsilon + t: 4, 2, 1, 0.5 at epsilon 1, 2, 4, 8; 0.72 leaves 0.2 for t.
    asked = []

    def error(epsilon: float, t: float) -> float:
        asked.append((epsilon, t))
        return {0.0: 0.1, 0.05: 0.3, 0.1: 0.6, 0.15: 0.5}.get(t, 0.4)

    choice = algorithm_2(lambda e, t: 4 / e + t, error, 0.72, 1.0, 22.0)
    assert choice == (8.0, 0.1)
    assert asked == [(8.0, t) for t in (0.0, 0.05, 0.1, 0.15, 0.2)]  # what keeps the budget
    # The budget is included; at t = 0 it stays where nothing is better.
    assert algorithm_2(lambda e, t: 4 / e, lambda e, t: t, 1.0, 1.0, 22.0) == (4.0, 1.0)
    assert algorithm_2(lambda e, t: 1 / e, lambda e, t: 0.5, 1.0, 1.0, 22.0) == (1.0, 0.0)


def test_doubling_ends_at_the_largest_epsilon() -> None:
    choice = algorithm_2(lambda e, t: 1 / e, lambda e, t: 0.0, 0.05, 1.0, 22.0)
    assert choice == (22.0, 0.0)
    with pytest.raises(ParameterError, match=r"0\.01 can't be reached: at the largest epsilon"):
        algorithm_2(lambda e, t: 1 / e, lambda e, t: 0.0, 0.01, 1.0, 22.0)


def write(tmp_path: Path, content: str) -> Path:
    (tmp_path / "labels.csv").write_text(content, encoding="utf-8")
    return tmp_path / "labels.csv"


def test_reading_labels(opened: WordBundle, tmp_path: Path) -> None:
    content = '\ufefflabel,n,word\n"a",1,the\nb ,2,london\n\nb,2,LONDON\na,3,xqzqvblorf\n'
    labels = read_labels(write(tmp_path, content), opened)
    the, london, of = (opened.vocabulary.find(word) or 0 for word in ("the", "london", "of"))
    assert labels.names == ("a", "b")
    assert labels.unknown == 1
    assert labels.words.tolist() == sorted([the, london])
    for word, output, loss in ((the, the, 0), (the, london, 1), (london, of, 1)):
        assert labels.loss(np.array([word]), np.array([output])).tolist() == [loss]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("word,class\nthe,a\n", "no column 'label'"),
        ("word,label\nthe,a\nof,\n", "line 3: a word or its label is missing"),
        ("word,label\nthe,a\nof,b\nThe,b\n", "line 4: the word has another label above"),
        ("word,label\nthe,a\nof,a\n", "2 of its 2 words are in the vocabulary, with 1 "),
        ("word,label\nthe,a\nxqzqvblorf,b\n", "1 of its 2 words"),
    ],
)
def test_bad_labels(opened: WordBundle, tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        read_labels(write(tmp_path, content), opened)
