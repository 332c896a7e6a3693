"""What is kept of a task: what classifiers of released text reach, and who says so."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from bundle_tools import ENCYCLOPEDIA, text_embeddings

from brrkit import BundleError, ParameterError, WordBundle
from brrkit.setting import Setting
from brrkit_toolchain import TaskAccuracy, measure_tasks
from brrkit_toolchain.bundle import build
from brrkit_toolchain.calibrate import texts
from brrkit_toolchain.channel.privacy_loss.distances import metric_of
from brrkit_toolchain.cli.shared import interval
from brrkit_toolchain.codes import EFFORTS
from brrkit_toolchain.report import write_report_page
from brrkit_toolchain.tasks import TASKS
from brrkit_toolchain.utility.task_accuracy import WORDS, task_texts

if TYPE_CHECKING:
    from conftest import Brr, Kept

    from brrkit_toolchain.embeddings import Embeddings

WEAK = Setting(0.01, parameters={"base": "uniform"})
MIDDLE = Setting(0.3, parameters={"base": "uniform"})
STRONG = Setting(4.0, parameters={"base": "uniform"})


@pytest.fixture
def opened(kept: Kept) -> WordBundle:
    return WordBundle.open(kept.bundle)


@pytest.fixture
def copy(kept: Kept, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kept.bundle, tmp_path / "bundle"))


class TestAccuracy:
    def test_by_epsilon(self, opened: WordBundle) -> None:
        """Of nearly nothing the most frequent class, of nearly everything what is typed."""
        weak, strong = (measure_tasks(opened, setting) for setting in (WEAK, STRONG))
        for found in (weak, strong):
            assert [(task.name, task.classes) for task in found] == [("mood", 2), ("stars", 2)]
            for task in found:
                assert task.texts == 200
                assert task.typed.value > 0.9
                assert task.typed_codes.value > 0.95
                assert task.frequent == pytest.approx(2 / 3, abs=0.01)
                for share in (task.typed, task.released):
                    assert share.low <= share.value <= share.high
        for task in weak:  # 200 texts: a standard deviation of 0.03
            assert abs(task.released.value - task.frequent) < 0.15
        for task in strong:
            assert task.released.value > task.typed.value - 0.03

    def test_heavier_task_bits_keep_more(self, opened: WordBundle) -> None:
        light, heavy = (
            measure_tasks(
                opened, replace(MIDDLE, parameters={"base": "uniform", "task_weight": weight})
            )
            for weight in (0, 4)
        )
        for one, other in zip(light, heavy, strict=True):
            assert other.released.value > one.released.value + 0.1
            assert one.typed == other.typed

    def test_a_seed_decides(self, opened: WordBundle) -> None:
        one, same, other = (measure_tasks(opened, MIDDLE, seed=seed) for seed in (0, 0, 1))
        assert one == same
        assert one != other

    def test_it_is_the_mechanism_that_releases(self, opened: WordBundle) -> None:
        """One that releases what was typed gives what is reached on typed texts."""
        texts = task_texts(opened)
        assert texts is not None
        for task in texts.measure(lambda ids, _texts=None: ids.astype(np.int64)):
            assert task.released == task.typed
            assert task.released_codes == task.typed_codes

    def test_a_mechanism_on_vectors(self, opened: WordBundle) -> None:
        (mood, _) = measure_tasks(opened, Setting(100.0, "laplace"), embeddings=ENCYCLOPEDIA)
        assert mood.released.value > 0.9
        with pytest.raises(ParameterError, match="works on vectors; give the embeddings"):
            measure_tasks(opened, Setting(100.0, "laplace"))

    def test_nothing_to_measure(self, eight: WordBundle, copy: Path) -> None:
        """Without tasks, and in an app, which has no labeled texts."""
        assert measure_tasks(eight, WEAK) == ()
        (copy / TASKS).unlink()
        assert measure_tasks(WordBundle.open(copy), WEAK) == ()

    @pytest.mark.parametrize("tasks", [None, 7, ["mood"], [{"kind": "classes"}]])
    def test_a_manifest_with_other_tasks(self, opened: WordBundle, tasks: object) -> None:
        manifest = {**opened.manifest, "tasks": tasks}
        with pytest.raises(BundleError, match="field 'tasks' of the manifest is missing or wrong"):
            measure_tasks(replace(opened, manifest=manifest), WEAK)

    def test_damaged_texts(self, copy: Path) -> None:
        (copy / TASKS).write_bytes(b"not an archive")
        with pytest.raises(BundleError, match=f"{TASKS}: not labeled texts; rebuild the bundle"):
            measure_tasks(WordBundle.open(copy), WEAK)


class TestCommand:
    def test_measure(self, brr: Brr, kept: Kept, opened: WordBundle) -> None:
        setting = ["--epsilon", 0.3, "--base", "uniform", "--tokens", 600]
        command = ["measure", kept.bundle, "--text", kept.texts, "--sample", 10, *setting]
        said = json.loads(brr(*command, "--json").out)
        found = measure_tasks(opened, MIDDLE)
        assert [TaskAccuracy(**task).name for task in said["tasks"]] == ["mood", "stars"]
        for task, each in zip(said["tasks"], found, strict=True):
            assert task["released"]["value"] == each.released.value
        shown = brr(*command)
        assert (shown.code, shown.err) == (0, "")
        after = shown.out.partition("  perplexity ")[2]
        assert "Tasks: accuracy with TF-IDF of whole texts, released or typed" in after
        for each in found:
            assert f"  {each.name}: released {interval(each.released, 3)}, typed" in after
            assert f"most frequent class {each.frequent:.3f} (2 classes, 200 texts)" in after
            codes = f"released {interval(each.released_codes, 3)}, typed"
            assert f"    mean code of {WORDS} words: {codes}" in after
        assert shown.out.endswith("  An attacker learns the class equally well.\n")


class TestReport:
    def page(self, bundle: Path, setting: Setting, folder: Path) -> str:
        write_report_page(WordBundle.open(bundle), folder / "page.html", setting, audit=False)
        html = (folder / "page.html").read_text(encoding="utf-8")
        return " ".join(html.split())

    @pytest.mark.usefixtures("quick_report")
    def test_class_accuracy_is_beside_attack_success(
        self, kept: Kept, opened: WordBundle, tmp_path: Path
    ) -> None:
        setting = Setting(0.3, parameters={"base": "uniform", "task_weight": 3})
        page = self.page(kept.bundle, setting, tmp_path)
        mood, stars = measure_tasks(opened, setting)
        lead = page.partition("<h2>")[0]
        for task in (mood, stars):
            assert f"Kept for {task.name}" in lead
            assert f"identifies the class of {task.released.value:.0%} of released texts" in lead
        section = page.partition('<details id="tasks">')[2].partition("</details>")[0]
        assert "<b>what is kept for a task is not hidden</b>" in section
        assert f"{mood.typed.value:.0%} ({mood.typed.low:.0%} to {mood.typed.high:.0%})" in section
        # Distances are those of the claim: each task bit counts three times.
        metric = metric_of(setting, opened)
        assert metric.maximum > metric_of(MIDDLE, opened).maximum
        bound = page.partition("the two words farthest apart")[2].partition("</tr>")[0]
        assert f'<td class="n">{metric.maximum:.3g}</td>' in bound
        assert "(a task bit counts 3 times)" in page
        assert "× 64 + 64 bits, from " in page
        assert '<tr><th scope="row">task_weight</th><td class="n">3</td>' in page


HOW_TO = Path(__file__).parents[3] / "docs" / "how-to" / "keep-a-task.md"


@pytest.fixture
def small(
    kept: Kept, sample_source: Embeddings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder with files called as in the how-to, but small, and everything at little effort."""
    monkeypatch.setitem(EFFORTS, "medium", EFFORTS["low"])
    monkeypatch.setattr(texts, "RADII", (8,))
    monkeypatch.setattr("brrkit_toolchain.calibrate.tasks.WEIGHTS", (1, 2))
    monkeypatch.chdir(tmp_path)
    vectors = text_embeddings(sample_source.words[:400], sample_source.vectors[:400])
    Path("glove.6B.300d.txt").write_bytes(vectors)
    monkeypatch.setattr(build, "sample_path", lambda: Path("glove.6B.300d.txt"))
    shutil.copy(kept.texts, "typed.txt")
    labeled = kept.labeled.read_text("utf-8")
    Path("reviews.csv").write_text(labeled.replace("mood", "label", 1), "utf-8")
    Path("requests.csv").write_text(labeled.replace("mood", "intent", 1), "utf-8")
    Path("examples").mkdir()
    header, *rows = (
        (HOW_TO.parents[2] / "examples" / "requests.csv").read_text("utf-8").splitlines()
    )
    Path("examples", "requests.csv").write_text("\n".join([header, *rows[::2]]), "utf-8")


@pytest.mark.nightly("the tests above; test_tasks.py; the page's Python below")
def test_the_how_tos_commands(small: None, brr: Brr) -> None:
    """Each runs as it stands, and says what the page says that it says."""
    page = HOW_TO.read_text("utf-8")
    said = []
    for block in re.findall(r"```sh\n(.*?)```", page, re.S):
        for command in block.replace("\\\n", "").splitlines():
            program, *arguments = shlex.split(command, comments=True)
            if program == "brr":
                if arguments[0] == "build":
                    shutil.rmtree("bundle", ignore_errors=True)
                outcome = brr(*arguments)
                assert outcome.code == 0, outcome.err
                said.append(outcome.out)
    assert len(said) == 7
    for text in (
        "x 64 + 64 bits",
        "requests: 4 classes, learned from ",
        "requests: released ",
        "words, without a cap. Bits: ",
        "<- chosen",
    ):
        assert text in page
        assert text in "".join(said)


def test_the_how_tos_python(small: None, capsys: pytest.CaptureFixture[str]) -> None:
    """It runs, and prints what the page says."""
    blocks = re.findall(
        r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", HOW_TO.read_text("utf-8"), re.S
    )
    assert len(blocks) == 2
    capsys.readouterr()
    for block, shown in blocks:
        names: dict[str, object] = {}
        exec(block, names)
        out, err = capsys.readouterr()
        assert err == ""
        if shown:
            assert out == shown
        else:
            assert out.split()[0] == "mood"
            assert all(0 < float(number) <= 1 for number in out.split()[1:])
