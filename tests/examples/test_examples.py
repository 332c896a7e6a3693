"""The examples run, and find what they say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from brrkit import Counts, CountsSetting, WordBundle
from brrkit_toolchain import write_recommended
from examples import demo

ROOT = Path(__file__).parents[2]


@pytest.mark.false_alarm(1e-9)
def test_a_week_of_phones(bundle: Path, tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    write_recommended(bundle, CountsSetting(12.0, 5, "a test", {}))
    text = tmp_path / "text.txt"
    text.write_text("the river and the sea\nthe london river\na place of the river and sea\n")
    command = [
        *(sys.executable, "-m", "examples.week", str(text), "--output", str(tmp_path / "week")),
        *("--bundle", str(bundle), "--phones", "60"),
        *("--rising", "river", "--processes", "1"),
    ]
    paths = [str(ROOT / name) for name in ("runtime", "toolchain", ".")]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=1_200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "60 phones sent 420 batches" in done.stdout
    # 60 phones x 3 days x 4.5 words or so, of which one in five or so is "river"; then twice that.
    found = re.search(r"^river +(\S+) +(\S+) +(\S+) to (\S+)$", done.stdout, re.M)
    assert found is not None, done.stdout
    assert 0.1 < float(found[2]) < 0.35  # 0.21, with a standard deviation of 0.015
    assert (tmp_path / "week" / "changes.html").exists()


@pytest.mark.nightly("make demo, in the job that builds the iOS app")
@pytest.mark.false_alarm(1e-9)
def test_the_demo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reported: list[WordBundle] = []  # the page has tests of its own

    def report(bundle: WordBundle, page: Path, **_options: object) -> None:
        reported.append(bundle)

    monkeypatch.setattr(demo, "write_report_page", report)
    monkeypatch.setattr(sys, "argv", ["demo", "--output", str(tmp_path)])
    demo.main()
    printed = capsys.readouterr().out
    for text in demo.TEXTS:
        assert f"typed     {text}\n" in printed
    accuracies = re.findall(r"^   (?:trained|without) .* (\d\.\d\d)$", printed, re.M)
    typed, released, blind = map(float, accuracies)
    assert blind < 0.3
    assert 0.7 < released <= typed  # of releases that a seed draws: the same in each run
    # A half width is two standard deviations: ten are missed with far less than 1e-9.
    for name, share in demo.COUNTED.items():
        found = re.search(rf"^   {name} +\S+ +\S+ +\S+, (\S+) to (\S+)$", printed, re.M)
        assert found is not None
        low, high = (float(end.replace(",", "")) for end in found.groups())
        middle, half = (low + high) / 2, (high - low) / 2
        assert abs(middle - demo.PHONES * share) < 10 * half
    assert reported[0].recommended is not None
    assert Counts(reported[0]).setting.goal
