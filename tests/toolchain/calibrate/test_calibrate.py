"""``brr calibrate``: goals are met, on words and draws that they weren't found with too.

The bundle has 2,000 words x 64 bits, and 1,000 of its words are drawn: a share's standard error is
at most 0.016, and that of the difference between two such samples at most 0.023. Tolerances of 0.1
are more than four of them.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bundle_tools import ENCYCLOPEDIA, contents, leftovers, rewrite

from brrkit import (
    BundleError,
    Frames,
    ParameterError,
    Privatizer,
    Setting,
    TextReporter,
    WordBundle,
)
from brrkit.bundle import MANIFEST, PARITY, SAMPLE
from brrkit.mechanisms import MECHANISMS
from brrkit.mechanisms.exponential import Exponential
from brrkit_toolchain.attackers.one_word import WordAttacker, least_protected, make_prior
from brrkit_toolchain.bundle.build import build_bundle
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.bundle.recommend import write_recommended
from brrkit_toolchain.bundle.verify import verify_bundle
from brrkit_toolchain.calibrate.goals import AttackSuccess, Goal, Unchanged
from brrkit_toolchain.calibrate.limits import SettingGrid, steepest
from brrkit_toolchain.calibrate.parameters import FixedParameters
from brrkit_toolchain.calibrate.search import Calibration, calibrate_words
from brrkit_toolchain.channel import Channel, default_parameters
from brrkit_toolchain.io.errors import OutputError
from brrkit_toolchain.language.word_sample import sample_words
from brrkit_toolchain.report.content import measure_content
from brrkit_toolchain.report.statements.facts import VocabularyResult
from brrkit_toolchain.tasks import TASKS
from brrkit_toolchain.utility import mechanism as measured
from brrkit_toolchain.utility.curves import ESTIMATED_LOSSES, MeasuredSetting, measure_curves
from brrkit_toolchain.utility.mechanism import MechanismEvaluator

if TYPE_CHECKING:
    from conftest import Brr

GOALS: list[Goal] = [
    AttackSuccess(attacker="isolated"),
    AttackSuccess(0.3, worst=0.6, attacker="frequencies"),
    Unchanged(0.5, "isolated"),
    Unchanged(0.1, "isolated"),
]
USUAL = {
    "brr": AttackSuccess(attacker="isolated"),
    "vickrey": AttackSuccess(attacker="isolated"),
    "exponential": AttackSuccess(attacker="frequencies"),
}
"""What a mechanism is calibrated to where nothing is said."""
ATTACKED = "brrkit_toolchain.utility.mechanism._ATTACK_DRAWS"
FEWER_ATTACKED = 1_000
Find = Callable[..., Calibration]


@pytest.fixture(scope="module")
def few_words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle for what is the same with 500 words: a calibration takes a tenth of the time."""
    output = tmp_path_factory.mktemp("built") / "few"
    options: dict[str, Any] = {"bits": 64, "method": "lsh", "vocabulary_size": 500, "seed": 3}
    build_bundle(ENCYCLOPEDIA, output, BuildPlan(**options))
    return output


@pytest.fixture
def fewer_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out most draws of attacks where nobody looks at them: they take most of the time."""
    monkeypatch.setattr(ATTACKED, FEWER_ATTACKED)


@pytest.fixture(scope="module")
def found(opened: WordBundle) -> Find:
    """Calibrate once for each goal and mechanism.

    Attacks are judged by all their draws only where the goal is about them.
    """
    known: dict[tuple[Goal, str, str | None], Calibration] = {}
    all_draws = measured._ATTACK_DRAWS

    def find(goal: Goal, mechanism: str, base: str | None = None) -> Calibration:
        if (goal, mechanism, base) not in known:
            with pytest.MonkeyPatch.context() as patched:
                attack = isinstance(goal, AttackSuccess)
                patched.setattr(ATTACKED, all_draws if attack else FEWER_ATTACKED)
                known[goal, mechanism, base] = calibrate_words(
                    opened, goal, mechanism=mechanism, fixed=FixedParameters(base)
                )
        return known[goal, mechanism, base]

    return find


def never_the_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let vickrey release the second nearest word, nearly always."""

    def second(name: str, bits: int) -> dict[str, Any]:
        return {"t": 1.0} if name == "vickrey" else default_parameters(name, bits)

    monkeypatch.setattr("brrkit_toolchain.calibrate.search.default_parameters", second)


def fresh(bundle: WordBundle, setting: Setting) -> Any:
    """Measure a setting on other words and draws."""
    sample = sample_words(np.arange(len(bundle)), seed=99)
    return MechanismEvaluator(bundle, sample, seed=98).outcome(setting)


def _distances(bundle: WordBundle) -> Any:
    """Return the Hamming distance int[n, n] of any two words."""
    return np.array([bundle.index.distances(code) for code in bundle.codes])


def _joint(bundle: WordBundle, row: MeasuredSetting, goal: AttackSuccess, **other: Any) -> Any:
    """Return how often each word is typed and each comes out, float64[n, n], by the definition."""
    mechanism = Exponential(bundle, row.setting.epsilon, **{**row.setting.parameters, **other})
    probabilities = (mechanism.measure() * mechanism.weights[_distances(bundle)]).astype(float)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    return make_prior(goal.attacker, len(bundle))[:, None] * probabilities


class TestCurves:
    @pytest.fixture(scope="module")
    @staticmethod
    def rows(opened: WordBundle) -> list[MeasuredSetting]:
        return measure_curves(opened)

    def test_every_mechanism_at_every_loss(
        self, opened: WordBundle, rows: list[MeasuredSetting]
    ) -> None:
        average = opened.manifest["distances"]["hamming"]["average"]
        expected = [(name, loss) for name in MECHANISMS for loss in ESTIMATED_LOSSES]
        assert [(row.setting.mechanism, round(row.estimated_loss, 6)) for row in rows] == expected
        for row in rows:
            assert row.setting.epsilon == pytest.approx(row.estimated_loss / average)
            assert row.setting.parameters == default_parameters(row.setting.mechanism, 64)

    def test_larger_epsilon_keeps_more(self, rows: list[MeasuredSetting]) -> None:
        for name in ("brr", "exponential"):
            of_name = [row for row in rows if row.setting.mechanism == name]
            signs = {"unchanged": 1, "support": -1, "attack_success": 1, "utility_loss": -1}
            for field, sign in signs.items():
                values = [getattr(row, field) for row in of_name]
                assert all(value.low <= value.value <= value.high for value in values)
                steps = sign * np.diff([value.value for value in values])
                widths = np.array([value.high - value.low for value in values])
                assert (steps >= -widths[1:] - widths[:-1]).all()
                assert sign * (values[-1].value - values[0].value) > 0.2

    @pytest.mark.usefixtures("fewer_draws")
    def test_a_seed_and_other_settings(self, few_words: Path) -> None:
        opened = WordBundle.open(few_words)
        first, other = (measure_curves(opened, sample=30, seed=seed) for seed in (1, 2))
        assert first != other
        added = Setting(0.7, parameters={"radius": 3})
        settings = [first[0].setting, added]
        rows = measure_curves(opened, settings=settings, sample=30, seed=1)
        assert [row for row in rows if row.setting != added] == list(first)
        assert len(rows) == 1 + len(first)

    def test_agrees_with_the_runtime(self, opened: WordBundle, rows: list[MeasuredSetting]) -> None:
        words = sample_words(np.arange(len(opened)), 4_000, 5).tokens
        typed = [opened.vocabulary.word(i) for i in words.tolist()]
        for row in rows[1::3]:
            privatizer = Privatizer(opened, row.setting, random=random.Random(1).randbytes)
            same = np.mean([a == b for a, b in zip(typed, privatizer.words(typed), strict=True)])
            assert same == pytest.approx(row.unchanged.value, abs=0.03)


@pytest.mark.usefixtures("fewer_draws")
class TestGoals:
    @pytest.mark.parametrize("name", MECHANISMS)
    @pytest.mark.parametrize("target", [0.1, 0.5])
    def test_unchanged(self, opened: WordBundle, found: Find, target: float, name: str) -> None:
        row = found(Unchanged(target, "isolated"), name).row
        assert target - 0.005 < row.unchanged.high <= target
        again = fresh(opened, row.setting).support.unchanged.value
        assert again == pytest.approx(row.unchanged.value, abs=0.02)

    @pytest.mark.parametrize(
        ("base", "goal"),
        [("uniform", GOALS[0]), ("uniform", GOALS[1]), ("unigram", GOALS[1])],
        ids=str,
    )
    def test_attack_success(
        self, opened: WordBundle, found: Find, goal: AttackSuccess, base: str
    ) -> None:
        row = found(goal, "exponential", base).row
        vocabulary = SettingGrid.of(opened, base)
        radius = int(row.setting.parameters["radius"])
        success = vocabulary.success(row.setting.epsilon, radius, goal.attacker)  # without the cap
        assert 0.99 * goal.target < success.mean <= goal.target
        joint = _joint(opened, row, goal)
        assert row.attack_success.value == pytest.approx(joint.max(axis=0).sum(), rel=1e-9)
        assert row.attack_success.value <= success.mean
        right = joint.argmax(axis=0) == np.arange(len(opened))[:, None]
        by_word = (joint * right).sum(axis=1) / joint.sum(axis=1)
        assert row.worst == pytest.approx(least_protected(by_word), abs=1e-3)
        worst = goal.worst or 2.1 * goal.target
        assert success.worst <= worst
        widest = opened.bits // 4 - 1
        wider = steepest(vocabulary, goal.attacker, min(radius, widest) + 1, goal.target)
        assert radius == widest or wider.success.worst > worst

    @pytest.mark.parametrize(
        ("base", "attacker", "radius"),
        [("uniform", "frequencies", 8), ("unigram", "frequencies", 16), ("unigram", "isolated", 0)],
    )
    def test_the_radius_without_a_limit_of_the_worst(
        self, opened: WordBundle, found: Find, base: str, attacker: WordAttacker, radius: int
    ) -> None:
        """The usual one; or, where the limit is twice the success and none keeps it, 0."""
        goal = AttackSuccess(attacker=attacker)
        row = found(goal, "exponential", base).row
        assert row.setting.parameters["radius"] == radius
        success = SettingGrid.of(opened, base).success(row.setting.epsilon, radius, attacker)
        assert 0.99 * goal.target < success.mean <= goal.target
        if attacker == "isolated":
            assert success.worst > 2.1 * goal.target

    @pytest.mark.parametrize("goal", GOALS[:2], ids=str)
    @pytest.mark.parametrize("base", ["uniform", "unigram"])
    def test_the_cap_costs_little(
        self, opened: WordBundle, found: Find, goal: AttackSuccess, base: str
    ) -> None:
        """At most 2% of what is kept without one; the next smaller one costs more."""
        row = found(goal, "exponential", base).row
        distances = _distances(opened)
        average = opened.manifest["distances"]["hamming"]["average"]

        def kept(cap: float | None) -> float:
            joint = _joint(opened, row, goal, cap=cap)
            return float(average - (joint * distances).sum())

        cap = row.setting.parameters["cap"]
        assert kept(cap - 0.25) < 0.98 * kept(None) <= kept(cap) < kept(None)

    def test_a_base_and_a_cap_that_are_given_stay(self, few_words: Path) -> None:
        opened = WordBundle.open(few_words)
        for goal in (AttackSuccess(0.3), Unchanged(0.1)):
            row = calibrate_words(
                opened, goal, fixed=FixedParameters("uniform", 9.1), sample=50
            ).row
            parameters = row.setting.parameters
            assert (parameters["base"], parameters["cap"]) == ("uniform", 9.1)
            says = "a base, a cap and a task weight are parameters of 'exponential'"
            for fixed in (FixedParameters("unigram"), FixedParameters(None, 9.0, 1)):
                with pytest.raises(ParameterError, match=says):
                    calibrate_words(opened, goal, mechanism="brr", fixed=fixed)

    @pytest.mark.parametrize("name", ["brr", "vickrey"])
    def test_attack_success_of_draws(self, found: Find, name: str) -> None:
        goal = AttackSuccess(0.3, attacker="frequencies")
        row = found(goal, name).row
        assert 0.29 < row.attack_success.high <= 0.3  # no attacker exceeds it, surely
        assert row.worst is None
        with pytest.raises(ParameterError, match="use that one, or leave out worst"):
            found(AttackSuccess(0.3, worst=0.6), name)

    @pytest.mark.parametrize("base", ["uniform", "unigram"])
    def test_exponential_is_exact_and_certified(
        self, opened: WordBundle, found: Find, base: str
    ) -> None:
        calibration = found(Unchanged(0.5, "isolated"), "exponential", base)
        row, certificate = calibration.row, calibration.setting.certificate
        assert certificate is not None
        assert certificate.index == opened.digest
        privatizer = Privatizer(opened, Setting(row.setting.epsilon, parameters={"base": base}))
        mechanism: Any = privatizer.mechanism
        weights, measure = mechanism.weights, mechanism.measure()
        lost = Channel(opened, Setting(row.setting.epsilon, parameters={"base": base})).loss
        assert lost is not None
        assert lost <= certificate.certified_epsilon < row.setting.epsilon
        average = opened.manifest["distances"]["hamming"]["average"]
        assert row.estimated_loss == pytest.approx(row.setting.epsilon * average)
        sample = sample_words(np.arange(len(opened)))
        own = {
            word_id: int(weights[0] * measure[word_id])
            / int((measure * weights[opened.index.distances(opened.codes[word_id])]).sum())
            for word_id in sample.words.tolist()
        }
        unchanged = np.mean([own[word_id] for word_id in sample.tokens.tolist()])
        assert row.unchanged.value == pytest.approx(unchanged, rel=1e-9)
        # A slightly larger epsilon would be too large.
        evaluator = MechanismEvaluator(opened, sample)
        same = evaluator.outcome(Setting(row.setting.epsilon, parameters={"base": base}))
        assert same.support.unchanged.high <= 0.5
        larger = evaluator.outcome(Setting(row.setting.epsilon * 1.003, parameters={"base": base}))
        assert larger.support.unchanged.high > 0.5

    @pytest.mark.parametrize(
        ("kind", "target"),
        [
            *((Unchanged, target) for target in (0, 1, -0.5, float("nan"))),
            *((AttackSuccess, target) for target in (0, 1)),
        ],
    )
    def test_targets_out_of_range(self, kind: Any, target: float) -> None:
        name = re.sub("(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()
        with pytest.raises(ParameterError, match=f"^{name} must be a number above"):
            kind(target)
        with pytest.raises(ParameterError, match="there is no such attacker"):
            kind(0.5, attacker="zipf")
        with pytest.raises(ParameterError, match=r"^worst must be a number above"):
            AttackSuccess(worst=1.0)

    @pytest.mark.parametrize(
        ("goal", "name", "message"),
        [
            (Unchanged(1e-9), "brr", r"unchanged 1e-09 can't be reached: only 0\.0\d+ is certain"),
            (
                AttackSuccess(1e-9, attacker="isolated"),
                "exponential",
                "attack-success 1e-09 can't be reached",
            ),
            (AttackSuccess(1e-9), "brr", r"attack-success 1e-09, .* can't be reached"),
            (Unchanged(0.5), "madlib", "there is no such mechanism; choose one of: brr"),
        ],
    )
    def test_out_of_reach(self, few_words: Path, goal: Goal, name: str, message: str) -> None:
        with pytest.raises(ParameterError, match=message):
            calibrate_words(WordBundle.open(few_words), goal, mechanism=name, sample=50)


CHOSEN = Setting(0.625, "vickrey", {"t": 0.25}, "unchanged 0.5")
OTHER = Setting(0.5, "brr", {}, "unchanged 0.4")


class TestWriting:
    def test_the_runtime_uses_it(self, bundle: Path) -> None:
        before = contents(bundle)
        write_recommended(bundle, CHOSEN)
        after = contents(bundle)
        assert {name for name in after if after[name] != before[name]} == {MANIFEST}
        opened = WordBundle.open(bundle)
        stated = {"mechanism": "vickrey", "epsilon": 0.625, "parameters": {"t": 0.25}}
        assert opened.manifest["recommended"] == {**stated, "goal": "unchanged 0.5"}
        assert Privatizer(opened).epsilon == 0.625
        assert verify_bundle(bundle, progress=False).passed

    def test_the_last_one_counts_and_other_fields_stay(self, bundle: Path) -> None:
        rewrite(bundle, edit=lambda fields: fields.update(note="ours"))
        before = json.loads((bundle / MANIFEST).read_bytes())
        write_recommended(bundle, CHOSEN)
        first = (bundle / MANIFEST).read_bytes()
        write_recommended(bundle, OTHER)
        assert Privatizer(WordBundle.open(bundle)).epsilon == 0.5
        after = json.loads((bundle / MANIFEST).read_bytes())
        assert after.pop("recommended")["epsilon"] == 0.5
        assert {**after, "sha256": ""} == {**before, "sha256": ""}
        write_recommended(bundle, CHOSEN)
        assert (bundle / MANIFEST).read_bytes() == first

    def test_frames_are_written_beside_it_and_stay(self, bundle: Path) -> None:
        write_recommended(bundle, CHOSEN, Frames(4, 5))
        write_recommended(bundle, OTHER)
        opened = WordBundle.open(bundle)
        assert opened.manifest["frames"] == {"words": 4, "a_day": 5}
        batches = TextReporter(opened).batches("2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z")
        assert [len(json.loads(each)["words"]) for each in batches] == [4] * 5
        assert verify_bundle(bundle, progress=False).passed
        before = contents(bundle)
        with pytest.raises(ParameterError, match="1 to 64 words"):
            write_recommended(bundle, CHOSEN, Frames(65, 5))
        assert contents(bundle) == before

    def test_through_a_link(self, bundle: Path, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(bundle)
        write_recommended(tmp_path / "link", OTHER)
        assert (tmp_path / "link").is_symlink()
        assert Privatizer(WordBundle.open(bundle)).epsilon == 0.5

    def test_a_damaged_bundle_stays_as_it_is(self, bundle: Path) -> None:
        content = bytearray((bundle / PARITY).read_bytes())
        content[100] ^= 1
        (bundle / PARITY).write_bytes(content)
        before = contents(bundle)
        with pytest.raises(BundleError, match=r"parity\.json: changed since it was built"):
            write_recommended(bundle, OTHER)
        assert contents(bundle) == before

    def test_a_shipped_bundle_stays_what_it_is(self, bundle: Path) -> None:
        """A copy of the sample, too, which is without the labeled texts of its task."""
        (bundle / PARITY).unlink()
        sample = bundle.with_name("copy")
        shutil.copytree(SAMPLE, sample)
        for folder, without in ((bundle, PARITY), (sample, TASKS)):
            files = WordBundle.open(folder).manifest["files"]
            write_recommended(folder, OTHER)
            assert not (folder / without).exists()
            opened = WordBundle.open(folder)
            assert opened.manifest["files"] == files
            assert Privatizer(opened).epsilon == 0.5
            assert verify_bundle(folder).passed

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


@pytest.mark.usefixtures("fewer_draws")
class TestCommand:
    small = ("--sample", 60)

    @pytest.fixture(scope="class")
    @staticmethod
    def sample_bundle(few_words: Path) -> Path:
        return few_words

    def test_text(self, brr: Brr, sample_bundle: Path) -> None:
        outcome = brr("calibrate", sample_bundle, *self.small)
        assert (outcome.code, outcome.err) == (0, "")
        goal, _, *lines = outcome.out.splitlines()
        assert re.fullmatch(
            r"Goal met: all words 0\.(19\d|200) \(goal 0\.200\); attacker: frequencies, who "
            r"chooses among [\d,]+ words",
            goal,
        )
        assert lines.pop().endswith(
            "as often as in texts (frequencies). Running text is more exposed; --text measures it"
        )
        assert [line.split()[0] for line in lines] == [*MECHANISMS, "certified"]
        assert [line.endswith("<- recommended") for line in lines] == [False, False, True, False]
        only = ["--mechanism", "brr", "--attacker", "frequencies"]
        alone = brr("calibrate", sample_bundle, *self.small, *only).out
        assert alone.splitlines()[2:-1] == [f"{lines[0]}  <- recommended"]

    @pytest.mark.parametrize(
        ("options", "attacker"),
        [
            (["--base", "uniform"], "isolated"),
            (["--mechanism", "brr"], "isolated"),
            (["--mechanism", "exponential"], "frequencies"),
            (["--base", "uniform", "--attacker", "frequencies"], "frequencies"),
        ],
    )
    def test_the_attacker_goes_with_the_base(
        self, brr: Brr, sample_bundle: Path, options: list[str], attacker: str
    ) -> None:
        outcome = brr("calibrate", sample_bundle, *options, *self.small, "--json")
        found = json.loads(outcome.out)
        assert found["goal"]["attacker"] == attacker
        exponential = found["mechanisms"].get("exponential")
        base = options[1] if options[0] == "--base" else "unigram"
        assert exponential is None or exponential["base"] == base

    @pytest.mark.parametrize("goal", [GOALS[0], GOALS[3]], ids=str)
    def test_json(self, brr: Brr, sample_bundle: Path, goal: Goal) -> None:
        kind = str(goal).split()[0]
        call = ("calibrate", sample_bundle, f"--{kind}", goal.target, *self.small, "--json")
        outcome = brr(*call)
        assert (outcome.code, outcome.err) == (0, "")
        found = json.loads(outcome.out)
        assert found["goal"] == {"kind": kind, "target": goal.target, "attacker": "frequencies"}
        assert list(found["mechanisms"]) == list(MECHANISMS)
        assert 0 <= found["mechanisms"]["vickrey"]["t"] <= 1
        exponential = found["mechanisms"]["exponential"]
        assert type(exponential["radius"]) is int
        assert set(exponential["certificate"]) == {"certified_epsilon", "index"}
        for row in found["mechanisms"].values():
            assert set(row["unchanged"]) == {"value", "low", "high"}
        assert found["recommended"] == "exponential"

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
        assert outcome.err == f"Error: {vickrey['why']}\n"

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
        row = found["mechanisms"][mechanism]
        chosen = {"radius": row.get("radius"), "base": "unigram", "cap": row.get("cap")}
        expected = {"brr": {}, "vickrey": {"t": 0.5}, "exponential": chosen}
        assert setting["parameters"] == expected[mechanism]
        assert ("certificate" in setting) == (mechanism == "exponential")
        assert setting.get("certificate") == row.get("certificate")
        goal = USUAL[mechanism]
        assert setting["measured"]["attacker"] == goal.attacker
        assert setting["measured"]["unchanged"] == row["unchanged"]
        assert setting["measured"]["attack_success"] == row["attack_success"]
        worst = setting["measured"]["worst"]
        assert row["worst"] == (worst and worst["value"])
        assert (worst is None) == (mechanism != "exponential")
        assert setting["goal"] == str(goal)
        assert brr("verify", bundle).code == 0
        assert f"  recommended {mechanism}, epsilon " in brr("inspect", bundle).out
        outcome = brr("privatize", bundle, stdin=b"the old town\n")
        assert (outcome.code, outcome.err) == (0, "")
        assert len(outcome.out.split()) == 3

    def test_frames(self, brr: Brr, bundle: Path) -> None:
        options = ["--mechanism", "brr", *self.small]
        outcome = brr("calibrate", bundle, *options, "--frames", 5, "--write")
        assert "frames: 5 a day, of 8 words each, whatever is typed" in outcome.out
        assert WordBundle.open(bundle).frames == Frames(8, 5)
        assert "  frames      5 a day, of 8 words each\n" in brr("inspect", bundle).out
        outcome = brr("calibrate", bundle, *options, "--frame-words", 4, "--json")
        assert json.loads(outcome.out)["frames"] == {"words": 4, "a_day": 8}
        assert WordBundle.open(bundle).frames == Frames(8, 5)
        wrong = brr("calibrate", bundle, *options, "--frames", 2_000)
        assert wrong.err.startswith("Error: --frames must have 1 to 64 words and be 1 to 1,000 a")
        wrong = brr("calibrate", bundle, "--for", "counts", "--cap", 3, "--frames", 8)
        assert wrong.err == "Error: --frames is for text; leave it out\n"

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
        goal = USUAL[mechanism]
        assert first == f"The recommended setting ({goal}):"
        kept = [line for line in rest if not line.startswith("  certified ")]
        assert by_hand.out.splitlines() == kept
        assert len(rest) - len(kept) == (mechanism == "exponential")
        least = "" if worst == "-" else f"; least protected 1%: {worst}"
        assert f"  {goal.attacker:<15} recovers {success}{least}" in kept
        assert any(line.startswith(f"  words           unchanged {unchanged}, ") for line in kept)
        shown = brr("inspect", bundle).out
        least = "" if worst == "-" else f", worst 1% {worst}"
        of = f"all words: attack success {success}{least}, unchanged {unchanged} ({goal.attacker})"
        assert f"  measured    {of}" in shown.splitlines()
        opened = WordBundle.open(bundle)
        assert opened.recommended is not None
        assert float(chosen["epsilon"]) == opened.recommended.epsilon == Privatizer(opened).epsilon
        facts = measure_content(
            opened, None, None, (), None, audit=False, seed=1, progress=False
        ).facts
        measured = opened.recommended.measured
        assert measured is not None
        assert facts.unchanged == measured.unchanged
        if facts.vocabulary_result is not None:
            assert facts.vocabulary_result == VocabularyResult(
                goal.attacker, measured.attack_success
            )
            return
        [exposure] = (each for each in facts.exposures if each.attacker == goal.attacker)
        assert exposure.success == pytest.approx(measured.attack_success.value, rel=1e-12)
        assert measured.worst is not None
        assert exposure.worst == pytest.approx(measured.worst.value, rel=1e-12)

    def test_it_writes_only_when_told(self, brr: Brr, bundle: Path) -> None:
        before = contents(bundle)
        assert brr("calibrate", bundle, *self.small).code == 0
        assert contents(bundle) == before

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--unchanged", 0.5, "--attack-success", 0.1], "--attack-success and --unchanged exc"),
            (["--unchanged", 1.5], "unchanged must be a number above 0 and below 1, not 1.5"),
            (["--attack-success", 1], "--attack-success must be a number above 0 and below 1"),
            (["--attack-success", 0.2, "--worst", 0.01], "worst 0.01 can't be reached"),
            (
                ["--attack-success", 0.3, "--worst", 0.6, "--mechanism", "brr"],
                "only for the mechanism 'exponential'",
            ),
            (
                ["--unchanged", 0.3, "--worst", 0.5],
                "--worst limits attack success, not --unchanged",
            ),
            (["--mechanism", "madlib"], "there is no such mechanism; choose one of: brr, "),
            (["--sample", 0], "at least 2 words"),
            (["--sample", 99999999999], "are more than 10,000,000 releases"),
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
