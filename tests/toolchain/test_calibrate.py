"""``brr calibrate``: goals are met, on words and draws that they weren't found with too.

The bundle has 2,000 words x 64 bits, and 1,000 of its words are drawn: a share's standard error is
at most 0.016, and that of the difference between two such samples at most 0.023. Tolerances of 0.1
are more than four of them.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bundle_tools import contents, leftovers, rewrite

from brrkit import BundleError, ParameterError, Privatizer, Setting, WordBundle
from brrkit.bundle import MANIFEST, PARITY
from brrkit.exact import EPSILON_MAX, EPSILON_MIN
from brrkit.mechanisms import MECHANISMS
from brrkit_toolchain.bundle.build import build_bundle
from brrkit_toolchain.calibrate.certify import certified_epsilon
from brrkit_toolchain.calibrate.recommend import write_recommended
from brrkit_toolchain.calibrate.search import (
    DEFAULT_GOAL,
    ESTIMATED_LOSSES,
    SAMPLE,
    Calibration,
    Goal,
    MeasuredSetting,
    calibrate,
    curves,
)
from brrkit_toolchain.embeddings import sample_path
from brrkit_toolchain.errors import OutputError
from brrkit_toolchain.measure import setting
from brrkit_toolchain.measure.limits import AllWords, steepest
from brrkit_toolchain.measure.losses import Labels, code_loss, mismatch, read_labels
from brrkit_toolchain.measure.sample import draw_words
from brrkit_toolchain.measure.setting import make_meter
from brrkit_toolchain.report_page.content import gather
from brrkit_toolchain.simulate import ON_CODES
from brrkit_toolchain.verify import verify_bundle

if TYPE_CHECKING:
    from conftest import Brr

GOALS = [
    DEFAULT_GOAL,
    Goal("attack-success", 0.3, worst=0.6, prior="text"),
    Goal("unchanged", 0.5),
    Goal("unchanged", 0.1),
    Goal("support", 8),
    Goal("utility-loss", 0.1),
    Goal("madlib-epsilon", 0.3),
]
LOSSES = ESTIMATED_LOSSES[1::2]  # a search begins between two of them
FEWER_LOSSES = ESTIMATED_LOSSES[::5]
ATTACKED = "brrkit_toolchain.measure.setting._ATTACKED"
FEWER_ATTACKED = 1_000


@pytest.fixture(scope="module")
def opened(sample_bundle: Path) -> WordBundle:
    return WordBundle.open(sample_bundle)


@pytest.fixture(scope="module")
def few_words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle for what is the same with 500 words: a calibration takes a tenth of the time."""
    output = tmp_path_factory.mktemp("built") / "few"
    options: dict[str, Any] = {"bits": 64, "method": "lsh", "vocabulary_size": 500, "seed": 3}
    build_bundle(sample_path(), output, progress=False, **options)
    return output


@pytest.fixture
def short_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out most rows of the table and most draws of its attacks, where nobody looks at them.

    They take most of the time.
    """
    monkeypatch.setattr("brrkit_toolchain.calibrate.search.ESTIMATED_LOSSES", FEWER_LOSSES)
    monkeypatch.setattr(ATTACKED, FEWER_ATTACKED)


@pytest.fixture(scope="module")
def found(opened: WordBundle) -> Callable[[Goal], Calibration]:
    """Calibrate once for each goal, with a short table.

    Attacks are judged by all their draws only where the goal is about them.
    """
    known: dict[Goal, Calibration] = {}
    all_draws = setting._ATTACKED

    def find(goal: Goal) -> Calibration:
        if goal not in known:
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr("brrkit_toolchain.calibrate.search.ESTIMATED_LOSSES", LOSSES)
                attack = goal.kind == "attack-success"
                patched.setattr(ATTACKED, all_draws if attack else FEWER_ATTACKED)
                known[goal] = calibrate(opened, goal, progress=False)
        return known[goal]

    return find


@pytest.fixture(scope="module")
def labels(opened: WordBundle, tmp_path_factory: pytest.TempPathFactory) -> Labels:
    """Every second of the first 200 words has a label; labels change every 20 words."""
    file = tmp_path_factory.mktemp("labels") / "labels.csv"
    rows = [f"{opened.vocabulary.word(i)},{'ab'[i // 20 % 2]}\n" for i in range(0, 200, 2)]
    file.write_text("word,label\n" + "".join(rows), encoding="utf-8")
    return read_labels(file, opened)


def never_the_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let vickrey release the second nearest word, nearly always."""

    second = replace(ON_CODES["vickrey"], defaults=lambda _: {"t": 1.0})
    monkeypatch.setitem(ON_CODES, "vickrey", second)


def fresh(bundle: WordBundle, row: MeasuredSetting, labels: Labels | None = None) -> Any:
    """Measure a row's setting on other words and draws."""
    population = np.arange(len(bundle)) if labels is None else labels.words
    loss = code_loss(bundle.codes) if labels is None else labels.loss
    sample = draw_words(population, 1_000, np.random.default_rng(99))
    meter = make_meter(
        row.mechanism, sample, codes=bundle.codes, draws=5, loss=loss, seed=98, progress=False
    )
    return meter.outcome(row.epsilon, **row.parameters)


class TestCurves:
    @pytest.fixture(scope="module")
    @staticmethod
    def rows(opened: WordBundle) -> list[MeasuredSetting]:
        return curves(opened, progress=False)

    def test_every_mechanism_at_every_loss(
        self, opened: WordBundle, rows: list[MeasuredSetting]
    ) -> None:
        average = opened.manifest["distances"]["hamming"]["average"]
        expected = [
            (name, estimated_loss)
            for name in MECHANISMS
            for estimated_loss in ESTIMATED_LOSSES
            if estimated_loss / average < 22.18
        ]
        assert [(row.mechanism, round(row.estimated_loss, 6)) for row in rows] == expected
        for row in rows:
            assert row.epsilon == pytest.approx(row.estimated_loss / average)
            assert row.parameters == ON_CODES[row.mechanism].defaults(64)
            assert row.certificate is None

    def test_larger_epsilon_keeps_more(self, rows: list[MeasuredSetting]) -> None:
        for name in ("brr", "exponential"):
            of_name = [row for row in rows if row.mechanism == name]
            for field, sign in (
                ("unchanged", 1),
                ("support", -1),
                ("attack_success", 1),
                ("utility_loss", -1),
            ):
                values = [getattr(row, field) for row in of_name]
                steps = sign * np.diff([value.value for value in values])
                widths = np.array([value.high - value.low for value in values])
                assert (steps >= -widths[1:] - widths[:-1]).all()
                assert sign * (values[-1].value - values[0].value) > 0.3

    def test_estimates_lie_in_their_intervals(self, rows: list[MeasuredSetting]) -> None:
        for row in rows:
            for field in ("unchanged", "support", "attack_success", "utility_loss"):
                estimate = getattr(row, field)
                assert estimate.low <= estimate.value <= estimate.high
            assert 0 <= row.unchanged.low <= row.unchanged.high <= 1
            assert 1 <= row.support.low <= row.support.high <= 2_000

    @pytest.mark.usefixtures("short_table")
    def test_same_seed_same_numbers(self, few_words: Path) -> None:
        opened = WordBundle.open(few_words)
        first, again, other = (
            curves(opened, sample=30, seed=seed, progress=False) for seed in (1, 1, 2)
        )
        assert first == again
        assert first != other

    def test_agrees_with_the_runtime(self, opened: WordBundle, rows: list[MeasuredSetting]) -> None:
        words = draw_words(np.arange(len(opened)), 4_000, np.random.default_rng(5)).tokens
        typed = [opened.vocabulary.word(i) for i in words.tolist()]
        for row in rows[4::4]:
            privatizer = Privatizer(
                opened,
                row.epsilon,
                mechanism=row.mechanism,
                random=random.Random(1).randbytes,
                **row.parameters,
            )
            same = np.mean([a == b for a, b in zip(typed, privatizer.words(typed), strict=True)])
            assert same == pytest.approx(row.unchanged.value, abs=0.08)


@pytest.mark.usefixtures("short_table")
class TestGoals:
    @pytest.mark.parametrize("name", MECHANISMS)
    @pytest.mark.parametrize("target", [0.1, 0.5])
    def test_unchanged(
        self, opened: WordBundle, found: Callable[[Goal], Calibration], target: float, name: str
    ) -> None:
        row = found(Goal("unchanged", target)).chosen[name]
        assert target - 0.005 < row.unchanged.high <= target
        assert fresh(opened, row).support.unchanged.value == pytest.approx(target, abs=0.1)

    @pytest.mark.parametrize("name", MECHANISMS)
    def test_support(
        self, opened: WordBundle, found: Callable[[Goal], Calibration], name: str
    ) -> None:
        row = found(Goal("support", 8)).chosen[name]
        assert 8 <= row.support.low < 8.5
        assert 7 < fresh(opened, row).support.effective.value < 13

    @pytest.mark.parametrize("name", ["brr", "exponential"])
    def test_utility_loss(
        self, opened: WordBundle, found: Callable[[Goal], Calibration], name: str
    ) -> None:
        row = found(Goal("utility-loss", 0.1)).chosen[name]
        assert 0.098 < row.utility_loss.high <= 0.1
        assert fresh(opened, row).utility_loss.value == pytest.approx(0.1, abs=0.02)

    def test_algorithm_2(self, opened: WordBundle, found: Callable[[Goal], Calibration]) -> None:
        calibration = found(Goal("utility-loss", 0.1))
        row = calibration.chosen["vickrey"]
        assert row.utility_loss.high <= 0.1
        # Doubled from P_avg * epsilon = 1, and enough for t = 0, but half of it isn't.
        assert np.log2(row.estimated_loss) == pytest.approx(round(np.log2(row.estimated_loss)))
        at_zero = MeasuredSetting(**{**vars(row), "parameters": {"t": 0.0}})
        assert fresh(opened, at_zero).utility_loss.value < 0.1
        half = MeasuredSetting(**{**vars(at_zero), "epsilon": row.epsilon / 2})
        assert fresh(opened, half).utility_loss.value > 0.1

    def test_madlib_epsilon(self, opened: WordBundle, found: Callable[[Goal], Calibration]) -> None:
        ratio = opened.manifest["distances"]["privacy_ratio_average"]
        chosen = found(Goal("madlib-epsilon", 0.3)).chosen
        epsilon = chosen["brr"].epsilon
        assert [row.epsilon for row in chosen.values()] == [epsilon] * 3
        assert f"{epsilon:.4g}" == repr(epsilon)
        assert 0.999 * 0.3 * ratio < epsilon <= 0.3 * ratio
        euclidean = opened.manifest["distances"]["euclidean"]["average"]
        assert chosen["brr"].estimated_loss == pytest.approx(0.3 * euclidean, rel=1e-3)

    @pytest.mark.parametrize(
        "goal", [DEFAULT_GOAL, Goal("attack-success", 0.3, worst=0.6, prior="text")], ids=str
    )
    def test_attack_success(
        self, opened: WordBundle, found: Callable[[Goal], Calibration], goal: Goal
    ) -> None:
        chosen = found(goal).chosen
        row = chosen["exponential"]
        vocabulary = AllWords(opened.codes)
        radius = int(row.parameters["radius"])
        success = vocabulary.success(row.epsilon, radius, goal.prior)
        assert (row.attack_success.value, row.worst) == (success.mean, success.worst)
        assert 0.99 * goal.target < success.mean <= goal.target
        worst = goal.worst or 2.1 * goal.target
        assert success.worst <= worst
        widest = opened.bits // 4 - 1
        wider = steepest(vocabulary, goal.prior, min(radius, widest) + 1, goal.target)
        assert radius == widest or wider.success.worst > worst
        for name in ("brr", "vickrey"):  # no attacker exceeds it, surely
            assert chosen[name].attack_success.high <= goal.target
            assert chosen[name].worst is None
        assert found(goal).recommended() == row

    def test_limits_out_of_range(self) -> None:
        for goal in ({"worst": 1.0}, {"worst": 0.0}, {"prior": "zipf"}):
            with pytest.raises(ParameterError):
                Goal("attack-success", 0.2, **goal)  # type: ignore[arg-type]
        with pytest.raises(ParameterError, match="--worst is a limit beside --attack-success"):
            Goal("unchanged", 0.5, worst=0.5)

    def test_exponential_is_exact_and_certified(
        self, opened: WordBundle, found: Callable[[Goal], Calibration]
    ) -> None:
        row = found(Goal("unchanged", 0.5)).chosen["exponential"]
        epsilon = row.epsilon
        assert row.certificate is not None
        assert row.certificate.index == opened.digest
        lost = certified_epsilon(opened.codes, epsilon, opened.bits // 8, progress=False)
        assert lost <= row.promise == row.certificate.certified_epsilon < epsilon
        average = opened.manifest["distances"]["hamming"]["average"]
        assert row.estimated_loss == pytest.approx(row.epsilon * average)
        sample = draw_words(np.arange(len(opened)), SAMPLE, np.random.default_rng(0))
        privatizer = Privatizer(opened, epsilon, mechanism="exponential")
        weights: Any = privatizer.mechanism.weights
        own = {
            word_id: weights[0] / int(weights[opened.index.distances(opened.codes[word_id])].sum())
            for word_id in sample.words.tolist()
        }
        unchanged = np.mean([own[word_id] for word_id in sample.tokens.tolist()])
        assert row.unchanged.value == pytest.approx(unchanged, rel=1e-9)
        # A slightly larger epsilon would be too large.
        meter = make_meter("exponential", sample, codes=opened.codes, draws=5, loss=mismatch)
        assert meter.outcome(epsilon).support.unchanged.high <= 0.5
        assert meter.outcome(epsilon * 1.003).support.unchanged.high > 0.5

    @pytest.mark.parametrize("goal", GOALS, ids=str)
    def test_the_table_holds_what_was_chosen(
        self, found: Callable[[Goal], Calibration], goal: Goal
    ) -> None:
        calibration = found(goal)
        assert list(calibration.chosen) == list(MECHANISMS)
        assert calibration.unreached == {}
        for row in calibration.chosen.values():
            of_table = replace(row, certificate=None)
            assert any(
                other == of_table and other.estimated_loss == pytest.approx(of_table.estimated_loss)
                for other in calibration.table
            )
            assert EPSILON_MIN <= row.epsilon <= EPSILON_MAX
        keys = [
            (
                list(MECHANISMS).index(row.mechanism),
                str(sorted(row.parameters.items())),
                row.epsilon,
            )
            for row in calibration.table
        ]
        assert keys == sorted(keys)

    def test_recommended_is_the_smallest_promise(
        self, found: Callable[[Goal], Calibration]
    ) -> None:
        calibration = found(Goal("unchanged", 0.5))
        epsilons = {name: row.promise for name, row in calibration.chosen.items()}
        assert epsilons["exponential"] < epsilons["brr"] < epsilons["vickrey"]
        assert calibration.recommended().mechanism == "exponential"
        assert calibration.recommended("vickrey") == calibration.chosen["vickrey"]
        at_attack = found(DEFAULT_GOAL)  # there it is the one that keeps most
        assert at_attack.recommended() == at_attack.chosen["exponential"]
        assert found(Goal("madlib-epsilon", 0.3)).recommended().mechanism == "exponential"
        with pytest.raises(ParameterError, match="there is no such mechanism"):
            calibration.recommended("madlib")

    def test_labels(self, opened: WordBundle, labels: Labels) -> None:
        goal = Goal("utility-loss", 0.3)
        calibration = calibrate(opened, goal, labels=labels, sample=500, progress=False)
        for row in calibration.chosen.values():
            assert row.utility_loss.high <= 0.3
            assert fresh(opened, row, labels).utility_loss.value == pytest.approx(0.3, abs=0.1)
        # Nearly pure noise: outputs without a label are nearly all, and lose it.
        assert calibration.table[0].utility_loss.value > 0.9

    @pytest.mark.parametrize(
        ("kind", "target"),
        [
            ("unchanged", 0),
            ("unchanged", 1),
            ("unchanged", -0.5),
            ("unchanged", float("nan")),
            ("attack-success", 0),
            ("attack-success", 1),
            ("support", 1),
            ("support", float("inf")),
            ("utility-loss", 0),
            ("utility-loss", 1),
            ("madlib-epsilon", 0),
            ("madlib-epsilon", -3),
        ],
    )
    def test_targets_out_of_range(self, kind: str, target: float) -> None:
        with pytest.raises(ParameterError, match=f"--{kind} must be a number above"):
            Goal(kind, target)

    @pytest.mark.parametrize(
        ("goal", "message"),
        [
            (
                Goal("support", 499.9),
                r"support .* can't be reached: .* is at least [\d.]+; a larger",
            ),
            (Goal("unchanged", 1e-9), r"unchanged 1e-09 can't be reached: .* is at most 0\.0"),
            (Goal("attack-success", 1e-9), "attack-success 1e-09 can't be reached"),
            (Goal("madlib-epsilon", 1e6), "epsilon must be a number from 1e-09 to 22.18"),
            (Goal("madlib-epsilon", 1e-12), "epsilon must be a number from 1e-09 to 22.18"),
        ],
    )
    def test_out_of_reach(self, few_words: Path, goal: Goal, message: str) -> None:
        with pytest.raises(ParameterError, match=message):
            calibrate(WordBundle.open(few_words), goal, sample=50, progress=False)

    def test_out_of_reach_for_one(self, few_words: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        never_the_word(monkeypatch)
        opened = WordBundle.open(few_words)
        calibration = calibrate(opened, Goal("unchanged", 0.5), sample=200, progress=False)
        assert list(calibration.chosen) == ["brr", "exponential"]
        assert "unchanged 0.5 can't be reached" in calibration.unreached["vickrey"]
        with pytest.raises(ParameterError, match=r"mechanism 'vickrey': unchanged 0\.5 can't"):
            calibration.recommended("vickrey")

    @pytest.mark.parametrize(
        ("options", "message"),
        [({"sample": 1}, "at least 2 words, not 1"), ({"seed": -1}, "seed must be 0 or more")],
    )
    def test_bad_options(self, opened: WordBundle, options: dict[str, int], message: str) -> None:
        for function in (curves, calibrate):
            with pytest.raises(ParameterError, match=message):
                function(opened, progress=False, **options)

    @pytest.mark.parametrize("field", ["hamming", "privacy_ratio_average"])
    def test_manifest_without_distances(self, bundle: Path, field: str) -> None:
        spoilt = WordBundle.open(
            rewrite(bundle, edit=lambda fields: fields["distances"].pop(field))
        )
        with pytest.raises(BundleError, match=f"field 'distances.{field}"):
            calibrate(spoilt, Goal("madlib-epsilon", 0.3), progress=False)


CHOSEN = Setting("vickrey", 0.625, {"t": 0.25}, "unchanged 0.5")
OTHER = Setting("brr", 0.5, {}, "support 8")


class TestWriting:
    def test_the_runtime_uses_it(self, bundle: Path) -> None:
        before = contents(bundle)
        write_recommended(bundle, CHOSEN)
        after = contents(bundle)
        assert {name for name in after if after[name] != before[name]} == {MANIFEST}
        opened = WordBundle.open(bundle)
        assert opened.manifest["recommended"] == {
            "mechanism": "vickrey",
            "epsilon": 0.625,
            "parameters": {"t": 0.25},
            "goal": "unchanged 0.5",
        }
        assert Privatizer(opened).epsilon == 0.625
        assert verify_bundle(bundle, progress=False).passed

    def test_the_last_one_counts(self, bundle: Path) -> None:
        write_recommended(bundle, CHOSEN)
        first = (bundle / MANIFEST).read_bytes()
        write_recommended(bundle, OTHER)
        assert Privatizer(WordBundle.open(bundle)).epsilon == 0.5
        write_recommended(bundle, CHOSEN)
        assert (bundle / MANIFEST).read_bytes() == first

    def test_other_fields_stay(self, bundle: Path) -> None:
        rewrite(bundle, edit=lambda fields: fields.update(note="ours"))
        before = json.loads((bundle / MANIFEST).read_bytes())
        write_recommended(bundle, OTHER)
        after = json.loads((bundle / MANIFEST).read_bytes())
        assert after.pop("recommended")["epsilon"] == 0.5
        assert {**after, "sha256": ""} == {**before, "sha256": ""}

    def test_through_a_link(self, bundle: Path, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(bundle)
        write_recommended(tmp_path / "link", OTHER)
        assert (tmp_path / "link").is_symlink()
        assert Privatizer(WordBundle.open(bundle)).epsilon == 0.5

    def test_an_incomplete_bundle_stays_as_it_is(self, bundle: Path) -> None:
        (bundle / PARITY).unlink()
        before = contents(bundle)
        with pytest.raises(BundleError, match=r"parity\.json: can't be read .* before it is ship"):
            write_recommended(bundle, OTHER)
        assert contents(bundle) == before

    def test_a_damaged_bundle_stays_as_it_is(self, bundle: Path) -> None:
        content = bytearray((bundle / PARITY).read_bytes())
        content[100] ^= 1
        (bundle / PARITY).write_bytes(content)
        before = contents(bundle)
        with pytest.raises(BundleError, match=r"parity\.json: changed since it was built"):
            write_recommended(bundle, OTHER)
        assert contents(bundle) == before

    def test_a_full_disk_leaves_the_bundle(
        self, bundle: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before, around = contents(bundle), leftovers(bundle.parent)

        def refuse(_file: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("brrkit_toolchain.bundle.writer.os.fsync", refuse)
        with pytest.raises(OutputError, match="No space left on device"):
            write_recommended(bundle, OTHER)
        assert contents(bundle) == before
        assert leftovers(bundle.parent) == around


@pytest.mark.usefixtures("short_table")
class TestCommand:
    small = ("--sample", 60)

    @pytest.fixture(scope="class")
    @staticmethod
    def sample_bundle(few_words: Path) -> Path:
        return few_words

    def test_text(self, brr: Brr, sample_bundle: Path) -> None:
        outcome = brr("calibrate", sample_bundle, *self.small)
        assert (outcome.code, outcome.err) == (0, "")
        table, chosen = outcome.out.split(f"\nGoal: {DEFAULT_GOAL}\n")
        header, *lines = chosen.splitlines()
        assert table.startswith(header)
        assert [line.split()[0] for line in lines] == [*MECHANISMS, "certified:"]
        assert [line.endswith("<- recommended") for line in lines] == [False, False, True, False]
        for line in lines[:2]:
            assert line in table

    @pytest.mark.parametrize("goal", [DEFAULT_GOAL, *GOALS[3:]], ids=str)
    def test_json(self, brr: Brr, sample_bundle: Path, goal: Goal) -> None:
        option = [f"--{goal.kind}", goal.target]
        outcome = brr("calibrate", sample_bundle, *option, *self.small, "--json")
        assert (outcome.code, outcome.err) == (0, "")
        found = json.loads(outcome.out)
        assert found["goal"] == {"kind": goal.kind, "target": goal.target, "prior": "uniform"}
        assert list(found["mechanisms"]) == list(MECHANISMS)
        assert 0 <= found["mechanisms"]["vickrey"]["t"] <= 1
        exponential = found["mechanisms"]["exponential"]
        assert type(exponential["radius"]) is int
        assert set(exponential["certificate"]) == {"certified_epsilon", "index"}
        for name, row in found["mechanisms"].items():
            assert row in found["table"] or name == "exponential"
            assert set(row["unchanged"]) == {"value", "low", "high"}
        assert found["recommended"] in MECHANISMS

    def test_json_of_what_cannot_be_reached(
        self, brr: Brr, sample_bundle: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        never_the_word(monkeypatch)
        options = ["--unchanged", 0.3, *self.small]
        found = json.loads(brr("calibrate", sample_bundle, *options, "--json").out)
        vickrey = found["mechanisms"]["vickrey"]
        assert vickrey["epsilon"] is None
        assert "can't be reached" in vickrey["why"]
        outcome = brr("calibrate", sample_bundle, *options)
        assert outcome.code == 0
        assert f"\nvickrey: {vickrey['why']}\n" in outcome.out
        outcome = brr("calibrate", sample_bundle, *options, "--mechanism", "vickrey")
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err == f"Error: mechanism 'vickrey': {vickrey['why']}\n"

    @pytest.mark.parametrize("mechanism", MECHANISMS)
    def test_write(self, brr: Brr, bundle: Path, mechanism: str) -> None:
        options = ["--mechanism", mechanism, "--write", *self.small, "--json"]
        outcome = brr("calibrate", bundle, *options)
        assert (outcome.code, outcome.err) == (0, "")
        found = json.loads(outcome.out)
        assert found["recommended"] == mechanism
        setting = WordBundle.open(bundle).manifest["recommended"]
        assert setting["mechanism"] == mechanism
        assert setting["epsilon"] == found["mechanisms"][mechanism]["epsilon"]
        expected = {"brr": {}, "vickrey": {"t": 0.5}}
        chosen = found["mechanisms"]["exponential"]
        expected["exponential"] = {"radius": chosen["radius"]}
        assert setting["parameters"] == expected[mechanism]
        assert setting.get("certificate") == (
            chosen["certificate"] if mechanism == "exponential" else None
        )
        row = found["mechanisms"][mechanism]
        assert setting["measured"]["prior"] == "uniform"
        assert setting["measured"]["unchanged"] == row["unchanged"]
        assert setting["measured"]["attack_success"] == row["attack_success"]
        worst = setting["measured"]["worst"]
        assert row["worst"] == (worst and worst["value"])
        assert (worst is None) == (mechanism != "exponential")
        recommended = WordBundle.open(bundle).recommended
        assert recommended is not None
        assert Privatizer(WordBundle.open(bundle)).certified_epsilon == (
            recommended.certified_epsilon or pytest.approx(recommended.epsilon)
        )
        assert setting["goal"] == str(DEFAULT_GOAL)
        assert brr("verify", bundle).code == 0
        assert f"  recommended {mechanism}, epsilon " in brr("inspect", bundle).out
        outcome = brr("privatize", bundle, stdin=b"the old town\n")
        assert (outcome.code, outcome.err) == (0, "")
        assert len(outcome.out.split()) == 3

    @pytest.mark.parametrize("mechanism", MECHANISMS)
    def test_what_was_calibrated_can_be_measured(
        self, brr: Brr, bundle: Path, tmp_path: Path, mechanism: str
    ) -> None:
        """By nothing, and by what was printed; every command then shows the same numbers."""
        printed = brr("calibrate", bundle, "--mechanism", mechanism, "--write").out
        [line] = (line for line in printed.splitlines() if line.endswith("<- recommended"))
        name, *options = line.split()
        assert name == mechanism
        chosen = re.fullmatch(
            r"(?P<of>\S+)(?P<parameters>( \w+=\S+)*) +(?P<epsilon>\S+) +\S+  (?P<unchanged>.{19})"
            r".{21}(?P<success>.{19})(?P<worst>\S+) .*",
            line,
        )
        assert chosen is not None
        unchanged, success, worst = (
            chosen[what].strip() for what in ("unchanged", "success", "worst")
        )
        said = ["--epsilon", chosen["epsilon"]]
        for option in options:
            parameter, _, value = option.partition("=")
            if value:
                said += ["-t" if parameter == "t" else f"--{parameter}", value]
        by_hand = brr("measure", bundle, "--mechanism", mechanism, *said)
        recommended = brr("measure", bundle)
        assert (by_hand.code, recommended.code) == (0, 0)
        first, *rest = recommended.out.splitlines()
        assert first == f"The recommended setting ({DEFAULT_GOAL}):"
        kept = [line for line in rest if not line.startswith("  certified ")]
        assert by_hand.out.splitlines() == kept
        assert len(rest) - len(kept) == (mechanism == "exponential")
        least = "" if worst == "-" else f"; least protected 1%: {worst}"
        assert f"  attack, uniform {success}{least}" in kept
        assert any(line.startswith(f"  words           unchanged {unchanged}, ") for line in kept)
        shown = brr("inspect", bundle).out
        least = "" if worst == "-" else f", worst 1% {worst}"
        of = f"attack success {success}{least} (prior uniform); unchanged {unchanged}"
        assert f"  measured    {of}" in shown.splitlines()
        opened = WordBundle.open(bundle)
        assert opened.recommended is not None
        assert float(chosen["epsilon"]) == opened.recommended.epsilon == Privatizer(opened).epsilon
        setting = gather(opened, None, audit=False, seed=1, progress=False).setting
        measured = opened.recommended.measured
        assert measured is not None
        assert (setting.unchanged, setting.attack_success) == (
            measured.unchanged,
            measured.attack_success,
        )
        assert setting.worst == (measured.worst and measured.worst.value)

    def test_it_writes_only_when_told(self, brr: Brr, bundle: Path) -> None:
        before = contents(bundle)
        assert brr("calibrate", bundle, *self.small).code == 0
        assert contents(bundle) == before

    def test_labels(self, brr: Brr, bundle: Path, tmp_path: Path) -> None:
        (tmp_path / "of.csv").write_text("word,label\nthe,a\nof,b\nlondon,a\nxqzqvblorf,b\n")
        options = ["--labels", tmp_path / "of.csv", "--utility-loss", 0.4, *self.small, "--write"]
        outcome = brr("calibrate", bundle, *options)
        assert (outcome.code, outcome.err) == (0, "")
        first = outcome.out.splitlines()[0]
        assert first == "3 labelled words (a, b); 1 others are out of vocabulary"
        goal = WordBundle.open(bundle).manifest["recommended"]["goal"]
        assert goal == "utility-loss 0.4 (of.csv)"

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--unchanged", 0.5, "--support", 8], "--unchanged and --support exclude each other"),
            (["--unchanged", 1.5], "--unchanged must be a number above 0 and below 1, not 1.5"),
            (["--attack-success", 1], "--attack-success must be a number above 0 and below 1"),
            (["--attack-success", 0.2, "--worst", 0.01], "worst 0.01 can't be reached"),
            (
                ["--attack-success", 0.3, "--worst", 0.6, "--mechanism", "brr"],
                "least protected words are named is computed for 'exponential' only",
            ),
            (["--unchanged", 0.3, "--worst", 0.5], "--worst is a limit beside --attack-success"),
            (["--utility-loss", 0], "--utility-loss must be a number above 0"),
            (["--mechanism", "madlib"], "there is no such mechanism; choose one of: brr, "),
            (["--sample", 0], "at least 2 words"),
            (["--sample", 99999999999], "are more than 10,000,000 releases"),
            (["--sample", 60, "--support", 499.9], "brr: support 499.9 can't be reached"),
            (["--labels", "missing.csv"], "missing.csv: the list of labels can't be read"),
        ],
    )
    def test_bad_options(self, brr: Brr, bundle: Path, options: list[object], message: str) -> None:
        before = contents(bundle)
        outcome = brr("calibrate", bundle, *options, "--write")
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err.startswith("Error: ")
        assert outcome.err.count("\n") == 1
        assert message in outcome.err
        assert contents(bundle) == before

    def test_privatize_without_any_setting(self, brr: Brr, sample_bundle: Path) -> None:
        outcome = brr("privatize", sample_bundle, stdin=b"the\n")
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err.startswith("Error: there is no epsilon, and the bundle recommends none")
        outcome = brr("privatize", sample_bundle, "--mechanism", "brr", stdin=b"the\n")
        assert outcome.err.startswith("Error: a mechanism or its parameters need an epsilon")


def test_mechanisms_are_the_runtime_s() -> None:
    assert list(ON_CODES) == list(MECHANISMS)
