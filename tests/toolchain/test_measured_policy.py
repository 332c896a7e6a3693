"""What the toolchain measures, finds and says of a bundle that has a policy."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from math import exp, log
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from bundle_tools import error_of, rewrite
from html_page import Page

from brrkit import Privatizer, WordBundle
from brrkit.policy import NO_POLICY, Passing, Policy
from brrkit.setting import Setting
from brrkit_toolchain import TextAttackSuccess, calibrate_text, measure_text
from brrkit_toolchain.attackers.one_word import make_prior, max_posteriors, weighted_success
from brrkit_toolchain.attackers.texts.from_files import TextFiles, read_text_and_language
from brrkit_toolchain.attackers.texts.text_attack import attack_text
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.evidence import Evidence
from brrkit_toolchain.channel.privacy_loss.passing import passing_loss
from brrkit_toolchain.report import write_report_page
from brrkit_toolchain.report.statements.guarantee import guarantee_of
from brrkit_toolchain.report.statements.number_format import percent

if TYPE_CHECKING:
    from conftest import Brr

MEMBERS = list(range(400, 440))
SETTING = Setting(0.6, parameters={"radius": 8, "base": "unigram", "cap": 12.0})


@pytest.fixture(scope="module")
def folder(sample_bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle with a list and passing words, and texts in which a word leads to one of two names.

    Every tenth text has a form of the list, and every tenth an unknown word.
    """
    folder = tmp_path_factory.mktemp("policy")
    words, rng = list(WordBundle.open(sample_bundle).vocabulary), np.random.default_rng(0)
    policy = {
        "lists": [{"name": "names", "members": MEMBERS, "forms": ["zoltanx"]}],
        "passing": {"words": list(range(10)), "probability": 0.95},
    }
    shutil.copytree(sample_bundle, folder / "bundle")
    rewrite(folder / "bundle", edit=lambda fields: fields.update(policy=policy))
    lines = []
    for number in range(900):
        row = ((rng.zipf(1.3, 12) - 1) % 400).tolist()
        row[5] = 10 + rng.integers(20)  # leads to a name
        spelled = [words[i] for i in row]
        spelled[6] = words[MEMBERS[2 * (row[5] - 10) + (rng.random() < 0.3)]]
        if number % 10 == 0:
            spelled[6] = "Zoltanx"
        if number % 10 == 5:
            spelled[8] = "qwxzy"
        lines.append(" ".join(spelled))
    (folder / "typed.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_of_a_lists_word_nothing_is_learned_but_by_its_neighbors(folder: Path) -> None:
    """Exactly: likelihoods are equal."""
    bundle = WordBundle.open(folder / "bundle")
    found = measure_text(bundle, folder / "typed.txt", SETTING, tokens=3_000)
    names = found.lists["names"]
    assert names.everything == names.neighbors
    assert names.neighbors.value > names.prior.value + 0.2
    assert names.prior.value < 0.2
    assert 0.05 < names.forms / names.tokens < 0.2
    sees = found.attackers["sentence"]
    assert sees["list names"].tokens == names.tokens - names.forms
    assert sum(found.by_policy.values()) == pytest.approx(1, rel=1e-9)
    assert found.by_policy["list names"] == names.tokens / found.tokens
    assert sees["unknown"].tokens == found.by_policy["unknown"] * found.tokens
    assert found.unchanged["passing"].value > 0.9 > found.unchanged["ordinary"].value
    assert sees["passing"].top1.value > 0.9
    ordinary = found.expected["sentence"]["ordinary"]
    assert ordinary.value >= sees["ordinary"].top1.value


@pytest.mark.parametrize("broken", [False, True])
def test_words_of_a_list_that_are_drawn_apart_are_told_apart(
    folder: Path, broken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From everything is no more than from neighbors, and would be if each had its own row."""
    bundle, setting = WordBundle.open(folder / "bundle"), replace(SETTING, epsilon=1.5)
    files = TextFiles(folder / "typed.txt")
    texts, knows = read_text_and_language(bundle, files, tokens=1_500, seed=0, progress=False)
    release, evidence = Channel(bundle, setting).release_and_evidence(np.random.default_rng(0))
    if broken:
        typed = np.concatenate([text.ids for text in texts]) % len(bundle)
        apart = Channel(replace(bundle, policy=NO_POLICY), setting)
        drawn = apart.releaser(np.random.default_rng(0))(typed)
        release = lambda *_: drawn  # noqa: E731
        monkeypatch.setattr(Evidence, "_follow_policy", lambda *_: None)
    names = attack_text(texts, knows, evidence, release).lists["names"]
    assert (names.everything == names.neighbors) != broken


@pytest.mark.parametrize("base", ["unigram", "uniform"])
def test_how_often_a_lists_word_comes_out_inside_it_is_the_devices(folder: Path, base: str) -> None:
    bundle = WordBundle.open(folder / "bundle")
    setting = replace(SETTING, parameters={**SETTING.parameters, "base": base})
    names = {bundle.vocabulary.word(i) for i in MEMBERS}
    probabilities = Privatizer(bundle, setting).distribution(bundle.vocabulary.word(MEMBERS[-1]))
    expected = float(sum(p for word, p in probabilities.items() if word in names))
    assert Channel(bundle, setting).inside == {"names": pytest.approx(expected, rel=1e-12)}


def test_measure_shows_a_row_for_each_class(brr: Brr, folder: Path) -> None:
    command = ["measure", folder / "bundle", "--epsilon", 0.6, "--text", folder / "typed.txt"]
    shown = brr(*command, "--tokens", 1_500)
    assert (shown.code, shown.err) == (0, "")
    assert "; 2.996 more if one of two words passes\n" in shown.out
    for kind in ("ordinary", "list names", "passing", "unknown"):
        assert re.search(
            rf"^    {kind} +\d+\.\d% of words  0\.\d{{3}} 0\.\d{{3}}-", shown.out, re.M
        )
    row = re.search(r"^    names +\d+ +\d+  (.*)$", shown.out, re.M)
    assert row is not None
    _, neighbors, everything, _ = re.findall(r"\S+ \S+-\S+", row[1])
    assert neighbors == everything
    said = json.loads(brr(*command, "--tokens", 1_500, "--json").out)["text"]
    assert said["lists"]["names"]["everything"] == said["lists"]["names"]["neighbors"]
    assert set(said["by_policy"]) == {"ordinary", "list names", "passing", "unknown"}


def test_a_goal_may_be_of_ordinary_words(brr: Brr, folder: Path, tmp_path: Path) -> None:
    bundle = Path(shutil.copytree(folder / "bundle", tmp_path / "bundle"))
    options = ["--text", folder / "typed.txt", "--attacker", "frequencies", "--over", "ordinary"]
    found = brr("calibrate", bundle, *options, "--attack-success", 0.35, "--write")
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith("Goal met: ordinary words 0.3")
    recommended = WordBundle.open(bundle).recommended
    assert recommended is not None
    assert recommended.measured is not None
    assert recommended.measured.over == "ordinary"
    assert recommended.measured.attack_success.high <= 0.35
    assert recommended.goal == "attack-success 0.35, frequencies, ordinary words of typed.txt"
    assert recommended.measured.all_words is not None
    table = found.out.partition("Radii at this goal, on ")[2].splitlines()[1:]
    assert table[0].split() == ["radius", "epsilon", "bits", "names"]
    chosen = next(line.split() for line in table if line.endswith("  <- chosen"))
    assert int(chosen[0]) == recommended.parameters["radius"]
    tried = [line.split() for line in table[1:] if re.match(r" +\d+ ", line)]
    assert len(tried) > 1
    assert all(0 < float(inside) < 1 for _, _, _, inside, *_ in tried)
    without = replace(WordBundle.open(bundle), policy=NO_POLICY)
    goal = TextAttackSuccess(0.35, over="ordinary")
    assert "has no policy" in error_of(calibrate_text, without, folder / "typed.txt", goal)


def test_the_bound_of_words_that_do_not_pass(eight: WordBundle) -> None:
    """By the runtime's fractions: one-sided, and no less would do."""
    bundle = replace(eight, policy=Policy((), Passing((0, 3), 0.75)))
    found = passing_loss(bundle.policy)
    assert found is not None
    assert log(4) <= found.loss <= log(4) + 1e-15
    privatizer = Privatizer(bundle, Setting(0.3))
    K = np.array(
        [[float(p) for p in privatizer.distribution(w).values()] for w in eight.vocabulary]
    )
    stated, secret = guarantee_of(bundle, Setting(0.3)), [1, 2, 4, 5, 6, 7]
    assert stated.words == len(secret)
    for x in secret:
        for other in range(8):
            most = stated.against_any if other in (0, 3) else stated.any_two
            assert (K[x] <= exp(most) * K[other] * (1 + 1e-12)).all()
    drawn = Privatizer(eight, Setting(0.3)).distribution("w0")
    for there, word in enumerate(eight.vocabulary):
        added = np.log(float(drawn[word]) / K[0, there])
        assert there == 0 or added == pytest.approx(found.loss)  # so no smaller one would do
    believed = (K / K.sum(axis=0))[secret].max()
    channel = Channel(bundle, Setting(0.3))
    (sure,) = max_posteriors(channel, [weighted_success(channel, make_prior("isolated", 8))])
    assert sure == pytest.approx(believed, rel=1e-9)


@pytest.mark.usefixtures("quick_report")
def test_a_reviewer_signs_it(folder: Path, tmp_path: Path) -> None:
    bundle, text = WordBundle.open(folder / "bundle"), folder / "typed.txt"
    write_report_page(bundle, tmp_path / "page.html", SETTING, text=text, tokens=1_500, audit=False)
    page = Page((tmp_path / "page.html").read_text(encoding="utf-8")).text
    assert "names (40 words). The privacy loss between two words of one list is exactly 0" in page
    assert "10 words are visible: with probability 0.95 or more, each comes out as typed" in page
    assert "likely as after one of them: this privacy loss is 2.996 above the bound" in page
    names = measure_text(bundle, text, SETTING, tokens=1_500).lists["names"]
    assert f"typed recovers {percent(names.neighbors.value)} of names (" in page
    assert "as after any other of the 1,990 that don't pass" in page
