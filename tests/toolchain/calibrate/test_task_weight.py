"""How heavy task bits are to be: what is tried, and what is taken."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from brrkit import ParameterError, Privatizer, WordBundle
from brrkit.setting import Estimate, Setting
from brrkit_toolchain import (
    FixedParameters,
    TextAttackSuccess,
    TextCalibration,
    calibrate_text,
    measure_tasks,
    write_recommended,
)
from brrkit_toolchain.calibrate import texts
from brrkit_toolchain.calibrate.tasks import (
    WEIGHTS,
    WeightTrial,
    check_share,
    keep_most,
    weights_to_try,
)
from brrkit_toolchain.cli.shared import interval
from brrkit_toolchain.utility.task_accuracy import TaskAccuracy

if TYPE_CHECKING:
    from conftest import Brr, Kept


NOTHING = Estimate(0.0, 0.0, 0.0)


def weighed(weight: int, distance: float, *accuracies: float) -> WeightTrial:
    sure = Estimate(0.9, 0.9, 0.9)
    reached = [
        TaskAccuracy("a task", 2, 100, sure, Estimate(each, each, each), sure, NOTHING, 0.5)
        for each in accuracies
    ]
    return WeightTrial(Setting(1.0, parameters={"task_weight": weight}), distance, tuple(reached))


class TestKeepMost:
    @pytest.mark.parametrize(
        ("found", "share", "weight"),
        [
            # Of those that reach enough of the best, the one that changes least.
            ([weighed(0, 9, 0.6), weighed(1, 10, 0.78), weighed(2, 12, 0.8)], 0.97, 1),
            ([weighed(0, 9, 0.6), weighed(1, 10, 0.78), weighed(2, 12, 0.8)], 0.98, 2),
            ([weighed(0, 9, 0.6), weighed(1, 10, 0.78), weighed(2, 12, 0.8)], 0.74, 0),
            # Each task counts, with its own best.
            ([weighed(1, 9, 0.8, 0.6), weighed(2, 10, 0.79, 0.8)], 0.97, 2),
            # No weight keeps enough of both: that of which least is kept decides.
            ([weighed(1, 9, 0.8, 0.5), weighed(2, 10, 0.6, 0.8), weighed(3, 11, 0.5, 0.8)], 0.9, 2),
            # Nothing was measured.
            ([weighed(1, 9)], 0.97, 1),
        ],
    )
    def test_which(self, found: list[WeightTrial], share: float, weight: int) -> None:
        for order in (found, found[::-1]):
            assert keep_most(order, share).setting.parameters["task_weight"] == weight

    @pytest.mark.parametrize("share", [0, -1, 1.01, float("nan")])
    def test_a_share_out_of_range(self, share: float) -> None:
        assert check_share(1) == 1
        with pytest.raises(ParameterError, match="task_share must be a number above 0 and up to 1"):
            check_share(share)


class TestWeightsToTry:
    def test_which(self, kept: Kept) -> None:
        opened = WordBundle.open(kept.bundle)
        assert weights_to_try(opened, None, measured=True) == WEIGHTS
        assert weights_to_try(opened, None, measured=False) == (None,)
        assert weights_to_try(opened, 3, measured=True) == (3,)
        assert weights_to_try(opened, 0, measured=False) == (0,)
        with pytest.raises(ParameterError, match="task_weight must be an integer from 0 to 16"):
            weights_to_try(opened, 17, measured=True)


@pytest.fixture(scope="module")
def calibrated(kept: Kept) -> TextCalibration:
    """A calibration on few words, with two radii and three weights."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(texts, "RADII", (0, 8))
        patch.setattr(texts, "TOKENS", 1_500)
        patch.setattr("brrkit_toolchain.calibrate.tasks.WEIGHTS", (1, 0, 3))
        return calibrate_text(
            WordBundle.open(kept.bundle),
            kept.texts,
            TextAttackSuccess(0.3, "frequencies", "all"),
            fixed=FixedParameters(base="unigram"),
            task_share=0.9,
        )


class TestCalibration:
    def test_each_weight_meets_the_goal(self, calibrated: TextCalibration) -> None:
        found = {each.setting.parameters["task_weight"]: each for each in calibrated.weighed}
        assert list(found) == [1, 0, 3]
        assert len({each.setting.parameters["radius"] for each in calibrated.weighed}) == 1
        # A heavier bit needs a smaller epsilon, keeps more of the task and less of the rest.
        assert found[0].setting.epsilon > found[1].setting.epsilon > found[3].setting.epsilon
        assert found[0].distance < found[3].distance
        for name, light, heavy in zip(
            ("mood", "stars"), found[0].tasks, found[3].tasks, strict=True
        ):
            assert (light.name, heavy.name) == (name, name)
            assert heavy.released.value > light.released.value
        success = calibrated.attack.expected["frequencies"]["all"]
        assert 0.27 < success.high <= 0.3

    def test_it_takes_the_one_that_keeps_most(self, calibrated: TextCalibration) -> None:
        chosen = keep_most(calibrated.weighed, 0.9).setting
        given = dict(calibrated.setting.parameters)
        assert given.pop("cap") > 0
        assert given == chosen.parameters
        # Its epsilon is corrected on all texts.
        assert calibrated.setting.epsilon == pytest.approx(chosen.epsilon, rel=0.25)

    def test_the_same_is_measured_again(
        self, calibrated: TextCalibration, kept: Kept, tmp_path: Path
    ) -> None:
        """By the setting, and by what is written into the bundle, whose certificate holds."""
        assert calibrated.tasks == measure_tasks(WordBundle.open(kept.bundle), calibrated.setting)
        copy = Path(shutil.copytree(kept.bundle, tmp_path / "bundle"))
        write_recommended(copy, calibrated.setting)
        written = WordBundle.open(copy)
        assert measure_tasks(written) == calibrated.tasks
        certificate = calibrated.setting.certificate
        assert certificate is not None
        assert Privatizer(written).certified_epsilon == certificate.certified_epsilon


class TestCommand:
    def test_a_weight_that_is_given(
        self, brr: Brr, kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(texts, "RADII", (8,))
        monkeypatch.setattr(texts, "TOKENS", 1_000)
        copy = Path(shutil.copytree(kept.bundle, tmp_path / "bundle"))
        options = ["--attacker", "frequencies", "--over", "all", "--base", "unigram"]
        command = ["calibrate", copy, "--text", kept.texts, *options, "--task-weight", 2]
        outcome = brr(*command, "--attack-success", 0.3, "--write")
        assert (outcome.code, outcome.err) == (0, "")
        recommended = WordBundle.open(copy).recommended
        assert recommended is not None
        assert recommended.parameters["task_weight"] == 2
        (mood, stars) = measure_tasks(WordBundle.open(copy))
        for task in (mood, stars):
            assert f"  {task.name}: released {interval(task.released, 3)}, typed" in outcome.out
        assert "  An attacker learns the class equally well.\n" in outcome.out
        assert "weight  epsilon" not in outcome.out  # nothing was compared
        said = json.loads(brr(*command, "--attack-success", 0.3, "--json").out)
        assert [task["name"] for task in said["tasks"]] == ["mood", "stars"]
        assert [each["setting"]["parameters"]["task_weight"] for each in said["weighed"]] == [2]

    def test_errors(self, brr: Brr, kept: Kept) -> None:
        for option, given, says in (
            ("--task-weight", 17, "--task-weight must be an integer from 0 to 16, not 17"),
            ("--task-share", 1.5, "--task-share must be a number above 0 and up to 1, not 1.5"),
        ):
            outcome = brr("calibrate", kept.bundle, "--text", kept.texts, option, given)
            assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)
            assert says in outcome.err

    def test_what_is_of_a_text(self, brr: Brr, kept: Kept) -> None:
        outcome = brr("calibrate", kept.bundle, "--task-share", 0.9)
        assert outcome.err == "Error: --task-share needs --text; add it\n"
        for option in ("--task-weight", "--task-share"):
            outcome = brr("calibrate", kept.bundle, "--for", "counts", option, 1)
            assert outcome.err == f"Error: {option} is for text; leave it out\n"

    def test_a_weight_for_single_words(self, brr: Brr, kept: Kept) -> None:
        options = ["--mechanism", "exponential", "--attack-success", 0.3, "--sample", 50]
        outcome = brr("calibrate", kept.bundle, *options, "--task-weight", 2, "--json")
        assert (outcome.code, outcome.err) == (0, "")
        found = json.loads(outcome.out)["mechanisms"]["exponential"]
        assert [task["name"] for task in found["tasks"]] == ["mood", "stars"]
        shown = brr("calibrate", kept.bundle, *options, "--task-weight", 2).out
        assert " task_weight=2 " in shown
        assert shown.endswith("  An attacker learns the class equally well.\n")

    def test_without_task_bits(self, brr: Brr, sample_bundle: Path, kept: Kept) -> None:
        outcome = brr("calibrate", sample_bundle, "--text", kept.texts, "--task-weight", 1)
        assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)
        assert "--task-weight needs task bits, and the bundle has none" in outcome.err
