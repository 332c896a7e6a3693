"""``brr verify --proof``: what the checker says of whole bundles."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from brrkit import Memory, ParameterError, Privatizer, WordBundle, tables_of
from brrkit.exact import weight_table
from brrkit.mechanisms import exponential
from brrkit.setting import CountsSetting, Setting
from brrkit.tables import Line
from brrkit_toolchain.bundle.recommend import write_recommended
from brrkit_toolchain.bundle.verify import (
    Verification,
    checks,
    golden,
    printed,
    proven,
    verify_bundle,
)
from brrkit_toolchain.bundle.verify.outcome import CheckError
from brrkit_toolchain.channel import certify

ROOT = Path(__file__).parents[2]
PROOFS = ROOT / "proofs"
SAMPLE = ROOT / "runtime" / "brrkit" / "sample"
OTHERS = ("vocabulary", "graph", "flip_rate", "search")


@pytest.fixture(autouse=True)
def _only_the_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        proven.find_checker()
    except ParameterError as error:
        pytest.skip(str(error))
    for name in OTHERS:
        monkeypatch.setattr(checks, name, lambda *arguments: "left out")
    monkeypatch.setattr(golden, "golden_cases", lambda *arguments: "left out")


def said(outcome: Verification) -> dict[str, tuple[bool, str]]:
    return {c.name: (c.passed, c.detail) for c in outcome.checks if c.name.startswith("proof")}


def sources() -> str:
    """Return the digest of what the checker is made of."""
    files = [*sorted(PROOFS.glob("theories/*.v")), *sorted(PROOFS.glob("checker/*"))]
    return sha256(b"".join(map(Path.read_bytes, files))).hexdigest()


def test_the_theorems_have_the_bundles_numbers(tmp_path: Path) -> None:
    found = said(verify_bundle(SAMPLE, proof=True))
    bundle = WordBundle.open(SAMPLE)
    assert bundle.recommended is not None
    assert bundle.counts is not None
    assert list(found) == [
        "proof checker",
        "proof for text",
        "proof for text, second",
        "proof for counts",
        "proof for counts, second",
    ]
    passed, checker = found["proof checker"]
    assert passed
    program = proven.find_checker()
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    version = re.search(r'^version = "(.*)"', project, re.MULTILINE)[1]  # type: ignore[index]
    assert checker.startswith(f"brr-proof-checker {version}, sources {sources()}; {program}, ")
    assert f"SHA-256 {sha256(program.read_bytes()).hexdigest()}. It takes for granted: " in checker
    passed, text = found["proof for text"]
    assert passed
    cap = bundle.recommended.parameters["cap"]
    assert f"<= e^(min({bundle.recommended.epsilon} d, {cap})) Pr" in text
    assert text.endswith(
        "the integers of Python's tables meet the premises: epsilon 2, bits 3, weights "
        f"{bundle.bits + 1}, masses {len(bundle):,}, cap 2, "
        f"gains {2 * len(bundle.masses.gains) + len(set(bundle.masses.before.unpack())):,}"
    )
    second = repr(Privatizer(bundle, memory=Memory(86_400, tmp_path / "memory")))
    epsilon = re.search(r"second_epsilon=([\d.]+)", second)[1]  # type: ignore[index]
    passed, text = found["proof for text, second"]
    assert passed
    assert text.startswith(f"second_epsilon {epsilon}: for all words")
    assert f"<= e^(min({epsilon} d, {cap})) Pr" in text
    passed, counts = found["proof for counts"]
    assert passed
    assert f"<= e^{bundle.counts.cap} Pr" in counts
    passed, counts = found["proof for counts, second"]
    assert passed
    assert f"<= e^{2 * bundle.counts.cap} Pr" in counts
    assert said(verify_bundle(SAMPLE)) == {}


@pytest.mark.parametrize(
    ("setting", "theorem"),
    [
        (
            Setting(0.4, "brr", goal="none"),
            "e^(0.4 d) Pr[M(x') in S] (flip_guarantee); the integers of ",
        ),
        (Setting(0.4, "vickrey", {"t": 0.3}, goal="none"), "(flip_guarantee)"),
        (
            Setting(2.5, parameters={"base": "uniform"}, goal="none"),
            "(exponential_guarantee, text_",
        ),
        (CountsSetting(3.5, 20, "none"), "as many words <= e^(20 * 3.5) (day_guarantee)"),
    ],
)
def test_other_settings(tmp_path: Path, setting: Setting | CountsSetting, theorem: str) -> None:
    bundle = Path(shutil.copytree(ROOT / "artifacts" / "test-bundles" / "64", tmp_path / "bundle"))
    assert said(verify_bundle(bundle, proof=True)) == {
        "proof": (False, "the bundle recommends no setting; calibrate it first")
    }
    write_recommended(bundle, setting)
    checker, (passed, detail), (second, _) = said(verify_bundle(bundle, proof=True)).values()
    assert checker[0]
    assert passed
    assert second
    assert theorem in detail


@pytest.mark.parametrize(
    ("setting", "theorems"),
    [
        (
            Setting(0.5, parameters={"cap": 9.0}, goal="none"),
            "exponential_passed_guarantee, exponential_passed_guarantee_cap, passed_text_guarantee",
        ),
        (Setting(0.5, goal="none"), "exponential_passed_guarantee, passed_text_guarantee"),
        (Setting(0.4, "brr", goal="none"), "flip_guarantee, passed_text_guarantee"),
    ],
)
def test_words_that_pass(tmp_path: Path, setting: Setting, theorems: str) -> None:
    bundle = Path(shutil.copytree(ROOT / "spec" / "conformance" / "policy", tmp_path / "bundle"))
    write_recommended(bundle, setting)
    _, (passed, detail), (_, second) = said(verify_bundle(bundle, proof=True)).values()
    assert passed
    assert "that pass" not in second  # only first draws do
    opened = WordBundle.open(bundle).policy.passing
    assert opened is not None
    assert detail.startswith("for all words x that do not pass, and all words x' at the distance")
    assert f"2^63 / (2^63 - {opened.threshold}) times as much for an x' that passes" in detail
    assert "one list have the same distribution (policy_same)" in detail
    assert f"({theorems}); " in detail


def test_a_certificate(tmp_path: Path) -> None:
    bundle = Path(shutil.copytree(ROOT / "artifacts" / "test-bundles" / "64", tmp_path / "bundle"))
    setting = Setting(0.5, parameters={"base": "uniform"}, goal="none")
    certified = certify(WordBundle.open(bundle), setting)
    assert certified is not None
    write_recommended(bundle, replace(setting, certificate=certified))
    passed, detail = said(verify_bundle(bundle, proof=True))["proof of certificate"]
    assert passed
    epsilon = certified.certified_epsilon
    assert f"<= e^({epsilon} d) Pr[M(x') in S] (certified_guarantee); the integers" in detail
    lower = replace(certified, certified_epsilon=epsilon - 1e-4)
    write_recommended(bundle, replace(setting, certificate=lower))
    assert said(verify_bundle(bundle, proof=True))["proof of certificate"] == (
        False,
        "the words lose more than the certified epsilon a bit",
    )


def test_a_runtime_that_rounds_wrongly_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(epsilon: float, bits: int, total: int, radius: int, cap: float | None) -> list[int]:
        table = weight_table(epsilon, bits, total, radius, cap)
        return [weight - (place == radius + 5) for place, weight in enumerate(table)]

    monkeypatch.setattr(exponential, "weight_table", wrong)
    monkeypatch.setattr(exponential, "check_weights", lambda *given: None)
    outcome = verify_bundle(SAMPLE, proof=True)
    assert not outcome.passed
    assert said(outcome)["proof for text"] == (
        False,
        "a step of one bit loses more than epsilon / 2",
    )


def test_a_mechanism_without_a_theorem(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other:
        """Whatever it draws."""

    bundle = WordBundle.open(SAMPLE)
    setting = replace(bundle.recommended or Setting(1), mechanism="other")
    monkeypatch.setattr(proven, "resolve", lambda _: (setting, Other()))
    _, (passed, detail), *_ = said(verify_bundle(SAMPLE, proof=True)).values()
    assert not passed
    assert detail == "no theorem covers the mechanism 'other'"


def test_the_command(tmp_path: Path) -> None:
    """Also of tables that a device printed."""
    tables = tmp_path / "phone.txt"
    tables.write_text(tables_of(WordBundle.open(SAMPLE)))
    command = [sys.executable, "-m", "brrkit_toolchain", "verify", str(SAMPLE), "--proof"]
    command += ["--tables", str(tables)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert "ok    proof for text" in done.stdout
    assert "ok    tables phone.txt" in done.stdout


PRINTED = json.loads((ROOT / "spec" / "vectors" / "tables.json").read_text("utf-8"))


def test_what_every_runtime_prints(tmp_path: Path) -> None:
    """Each language's test holds that it prints these texts."""
    for number, case in enumerate(PRINTED["printed"]):
        bundle = tmp_path / str(number)
        shutil.copytree(ROOT / "spec" / "conformance" / case["bundle"], bundle)
        (bundle / "manifest.json").write_bytes(case["manifest"].encode())
        file = tmp_path / f"{number}.txt"
        file.write_text(case["tables"])
        found = printed.tables(WordBundle.open(bundle), proven.find_checker(), file)
        assert re.fullmatch("as Python computes them; [0-9,]+ integers meet the premises", found)


def test_runtimes_check_what_the_checker_does() -> None:
    """Their own checks are held to these verdicts in each language."""
    checker, judged = proven.find_checker(), Counter[bool]()

    def judge(case: dict[str, Any], *lines: Line) -> None:
        judged[case["holds"]] += 1
        with (
            nullcontext()
            if case["holds"]
            else pytest.raises(CheckError, match=r"^(?!.*gives no answer)")
        ):
            proven.check(checker, lines)
            assert case["holds"], case

    def fraction(number: float) -> list[int]:
        return list(float(number).as_integer_ratio())

    for case in PRINTED["weights"]:
        if int(case["total"]) > 1_000:  # a mass of 1 for each word
            continue
        cap = [] if case["cap"] is None else [("cap", fraction(case["cap"]))]
        judge(
            case,
            ("exponential", []),
            ("epsilon", fraction(case["epsilon"])),
            ("bits", [case["largest"], 0, 1]),
            ("weights", [*map(int, case["weights"].split())]),
            ("masses", [1] * int(case["total"])),
            *cap,
        )
    for case in PRINTED["flips"]:
        epsilon, threshold = fraction(case["epsilon"]), [case["threshold"]]
        judge(case, ("flips", []), ("epsilon", epsilon), ("threshold", threshold))
    for case in PRINTED["keep"]:
        numbers = [case["symbols"]], [int(case["threshold"])]
        lines = zip(("symbols", "keep"), numbers, strict=True)
        judge(case, ("counts", []), ("cap", fraction(case["cap"])), *lines)
    assert judged[True] > 10
    assert judged[False] > 15


def test_a_program_without_its_sources_is_no_checker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / proven.PROGRAM
    other.write_text('#!/bin/sh\n[ "$1" = --version ] && exit 2\necho yes\n')
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert said(verify_bundle(SAMPLE, proof=True))["proof checker"] == (
        False,
        f"{other} doesn't know --version; build it again with 'make proofs'",
    )
