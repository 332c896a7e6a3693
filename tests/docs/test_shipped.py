"""A bundle in an app: the commands of the docs, run as they are written, and what they find."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from bundle_tools import contents, leftovers, rewrite, toy_embeddings

from brrkit import WordBundle
from brrkit.bundle import INDEX, MANIFEST, PARITY, RANDOMIZER
from brrkit.mechanisms import exponential
from brrkit_toolchain.bundle import parity
from brrkit_toolchain.bundle.build import build_bundle
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.bundle.sources import BundleSources
from brrkit_toolchain.bundle.verify import Check, Verification, checks, verify_bundle
from brrkit_toolchain.bundle.writer import encode_index, encode_json, model_of

DOCS = Path(__file__).parents[2] / "docs"
SHIPPED = sorted([MANIFEST, INDEX, RANDOMIZER])
ASSETS = "app/src/main/assets/bundle"
EMBEDDINGS = "glove.6B.300d.txt"  # as the docs have it


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Embeddings and their bundle, not to be changed."""
    folder = tmp_path_factory.mktemp("built")
    (folder / EMBEDDINGS).write_bytes(toy_embeddings(400, dimensions=50))
    build_bundle(folder / EMBEDDINGS, folder / "bundle", BuildPlan(bits=64, effort="low"))
    return folder


@pytest.fixture
def work(built: Path, tmp_path: Path) -> Path:
    """Where the docs' commands run: the embeddings, their bundle, and an app."""
    return Path(shutil.copytree(built, tmp_path / "work"))


@pytest.fixture
def shipped(work: Path) -> Path:
    """The three files in the app's assets."""
    (work / ASSETS).mkdir(parents=True)
    ship(work / "bundle", work / ASSETS)
    return work / ASSETS


def shell(command: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a CI does, with this environment's ``brr`` in the path."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        ["sh", "-e", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "TQDM_DISABLE": "1", **variables},
        capture_output=True,
        text=True,
        timeout=1_200,
        check=False,
    )


def documented() -> list[str]:
    """Return the commands of docs/how-to/android.md that take nothing but a bundle, in order."""
    text = (DOCS / "how-to" / "android.md").read_text(encoding="utf-8")
    blocks = "".join(re.findall(r"^```sh\n(.*?)^```", text, re.S | re.M))
    return re.findall(r"^(?:brr|cmp) (?:.*\\\n)*.*$", blocks, re.M)


def outcome(bundle: Path, name: str) -> Check:
    return by_name(verify_bundle(bundle))[name]


def by_name(report: Verification) -> dict[str, Check]:
    return {check.name: check for check in report.checks}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the slower checks, where a test is about others."""
    for name in ("graph", "flip_rate", "search"):
        monkeypatch.setattr(checks, name, lambda *arguments: "left out")


class TestDocuments:
    """The published commands work as they are written."""

    @pytest.mark.nightly("the two below, test_ci, and test_verify.py in this process")
    @pytest.mark.false_alarm(1e-9)
    def test_android(self, work: Path) -> None:
        """Two commands verify, each with a false alarm of 1e-10; and so do those below."""
        copy, *others = documented()
        assert shell(copy, work).returncode == 0
        assert leftovers(work / ASSETS) == SHIPPED
        assert len(others) == 3
        for command in others:
            done = shell(command, work)
            assert (done.returncode, done.stderr) == (0, ""), command
            assert "FAIL" not in done.stdout

    def test_android_copies_nothing_of_a_bad_bundle(self, work: Path) -> None:
        (work / "bundle" / INDEX).write_bytes((work / "bundle" / INDEX).read_bytes()[:-1])
        copy, *_ = documented()
        assert shell(copy, work).returncode == 1
        assert not (work / "app").exists()

    @pytest.mark.false_alarm(1e-9)
    def test_android_finds_what_was_not_built_here(self, work: Path, shipped: Path) -> None:
        _, _, compare, against_source = documented()
        exchange_codes(shipped)
        assert shell(compare, work).returncode == 1
        done = shell(against_source, work)
        assert done.returncode == 1
        assert "FAIL  rebuilt codes" in done.stdout

    @pytest.mark.parametrize("damaged", [False, True])
    @pytest.mark.false_alarm(1e-9)
    def test_ci(self, work: Path, shipped: Path, damaged: bool) -> None:
        text = (DOCS / "reference" / "examples" / "verify-bundle.yml").read_text(encoding="utf-8")
        (bundle,) = re.findall(r"^ +BUNDLE: (.*)$", text, re.M)
        (command,) = re.findall(r"^ +- run: (brr .*)$", text, re.M)
        assert bundle == ASSETS
        if damaged:
            (shipped / RANDOMIZER).write_bytes((shipped / RANDOMIZER).read_bytes()[::-1])
        assert shell(command, work, BUNDLE=bundle).returncode == damaged
        suite = ElementTree.parse(work / "verify.xml").getroot()
        assert suite.get("failures") == str(int(damaged))


@pytest.mark.usefixtures("quick")
class TestGoldenCasesMadeAnew:
    def test_are_those_of_the_build(self, work: Path, shipped: Path) -> None:
        assert "anew" not in outcome(work / "bundle", "golden cases").detail
        found = by_name(verify_bundle(shipped))
        assert found["golden cases"].passed
        detail = found["golden cases"].detail
        assert "made anew, because parity.json isn't there: the very bytes" in detail
        assert "without parity.json" in found["files"].detail

    def test_by_another_version(self, shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(parity, "EPSILONS", parity.EPSILONS[:-1])
        check = outcome(shipped, "golden cases")
        assert check.passed
        assert "not the bytes of the manifest's digest" in check.detail

    @pytest.mark.parametrize("method", [None, {"seed": "1"}, {"seed": -1}])
    def test_without_a_seed(self, work: Path, shipped: Path, method: object) -> None:
        ship(rewrite(work / "bundle", edit=lambda fields: fields.update(method=method)), shipped)
        assert outcome(shipped, "golden cases").passed

    def test_hold_the_runtime_to_the_reference(
        self, shipped: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        right = exponential.weight_table

        def wrong(epsilon: Fraction, bits: int, words: int, radius: int) -> list[int]:
            table = right(epsilon, bits, words, radius)
            return [weight // (d + 1) for d, weight in enumerate(table)]

        monkeypatch.setattr(exponential, "weight_table", wrong)
        assert not outcome(shipped, "golden cases").passed


@pytest.mark.usefixtures("quick")
class TestChangedOnTheWay:
    def test_other_codes_under_digests_that_fit(self, shipped: Path) -> None:
        """Nothing in the bundle is wrong: it takes the embeddings, or the manifest of the build."""
        exchange_codes(shipped)
        report = verify_bundle(shipped)
        assert report.passed
        assert "not the bytes of the manifest's digest" in by_name(report)["golden cases"].detail

    def test_other_codes_with_cases_that_fit(self, built: Path, shipped: Path) -> None:
        exchange_codes(shipped, with_cases=True)
        report = verify_bundle(shipped, BundleSources(built / EMBEDDINGS))
        assert "the very bytes" in by_name(report)["golden cases"].detail
        failed = {check.name for check in report.checks if not check.passed}
        assert failed == {"rebuilt codes", "similarity"}
        assert contents(shipped)[MANIFEST] != contents(built / "bundle")[MANIFEST]


def exchange_codes(shipped: Path, with_cases: bool = False) -> None:
    """Give the words other codes, and make the digests fit; on demand, that of the cases too."""
    work = shipped.parents[4]
    bundle = Path(shutil.copytree(work / "bundle", work / "changed"))
    opened = WordBundle.open(bundle)
    words = list(opened.vocabulary)
    codes = np.random.default_rng(0).permutation(opened.codes)
    changes = {INDEX: encode_index(words, codes, model_of(opened))}
    if with_cases:
        seed = opened.manifest["method"]["seed"]
        unit = hashlib.sha256(changes[INDEX]).hexdigest()
        changes[PARITY] = encode_json(
            parity.golden_cases(words, codes, model_of(opened), seed, unit, opened.manifest)
        )
    ship(rewrite(bundle, changes), shipped)


def ship(bundle: Path, assets: Path) -> None:
    for name in SHIPPED:
        shutil.copy(bundle / name, assets)
