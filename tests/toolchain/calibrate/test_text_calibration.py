"""A setting that is calibrated to a text holds for other text of the same source."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from bundle_tools import contents

from brrkit import ParameterError, WordBundle
from brrkit.exact import EPSILON_MAX
from brrkit.setting import Estimate, Setting, Shares
from brrkit_toolchain import FixedParameters, TextFiles, calibrate_text, measure_text
from brrkit_toolchain.attackers.texts.attackers_by_name import Attacker
from brrkit_toolchain.attackers.texts.knowledge import learn_knowledge
from brrkit_toolchain.attackers.texts.text_attack import TextAttack, attack_text
from brrkit_toolchain.calibrate.goals import AttackSuccess, Over, TextAttackSuccess, exceeds
from brrkit_toolchain.calibrate.limits import FLATTEST_EPSILON, SettingGrid
from brrkit_toolchain.calibrate.roots import crossing_near
from brrkit_toolchain.calibrate.texts import (
    RADII,
    TextCalibration,
    _epsilon_at,
    _lower_to_meet,
)
from brrkit_toolchain.calibrate.trial import Trial, draw
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.cli.calibrate.verdict import against, verdict
from brrkit_toolchain.cli.shared import interval
from brrkit_toolchain.language.texts import TypedText

if TYPE_CHECKING:
    from conftest import Brr


@pytest.fixture(scope="module")
def texts(sample_bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with parts of one source, in which a frequent word leads to a few rare ones."""
    folder = tmp_path_factory.mktemp("texts")
    opened, rng = WordBundle.open(sample_bundle), np.random.default_rng(0)
    ids = (rng.zipf(1.3, (2_400, 15)) - 1) % 400
    ids[:, 1::2] = 400 + 4 * ids[:, ::2][:, :7] + rng.integers(0, 4, (2_400, 7))
    spelled = [" ".join(opened.vocabulary.word(i) for i in row) for row in ids.tolist()]
    for number, name in enumerate(("typed", "public", "other")):
        part = spelled[800 * number : 800 * (number + 1)]
        (folder / f"{name}.txt").write_text("\n".join(part) + "\n", encoding="utf-8")
    strange = "".join(f"{text} qwxzj jkvqx zzxqw kkqjx vvxqz\n" for text in spelled[:200])
    (folder / "strange.txt").write_text(strange, encoding="utf-8")
    (folder / "plain.txt").write_text(f"{opened.vocabulary.word(0)}\n" * 1_000, encoding="utf-8")
    (folder / "short.txt").write_text("a few words\n", encoding="utf-8")
    return folder


class TestCommand:
    def test_other_text_of_the_same_source(self, brr: Brr, bundle: Path, texts: Path) -> None:
        before = contents(bundle)
        language = ["--public-text", texts / "public.txt"]
        command = ["calibrate", bundle, "--text", texts / "typed.txt", *language]
        outcome = brr(*command, "--attack-success", 0.2, "--write", "--json")
        assert (outcome.code, outcome.err) == (0, "")
        said = json.loads(outcome.out)
        assert said["goal"] == {
            "kind": "attack-success",
            "target": 0.2,
            "attacker": "sentence",
            "over": "content",
            "text": "typed.txt",
        }
        setting = said["mechanisms"][said["recommended"]]
        own = said["text"]["expected"]["sentence"]["content"]
        assert own["low"] <= own["value"] < own["high"]
        assert 0.18 < own["high"] <= 0.2
        assert said["exceeds"] == 0

        recommended = WordBundle.open(bundle).recommended
        assert recommended is not None
        assert recommended.measured is not None
        assert recommended.goal == "attack-success 0.2, sentence, content words of typed.txt"
        assert (recommended.epsilon, dict(recommended.parameters)) == (
            setting["epsilon"],
            {"radius": setting["radius"], "base": "unigram", "cap": setting["cap"]},
        )
        assert recommended.certified_epsilon == setting["certificate"]["certified_epsilon"]
        measured = recommended.measured
        stated = (measured.attacker, measured.over, measured.text, measured.worst)
        assert stated == ("sentence", "content", "typed.txt", None)
        assert measured.attack_success.value == own["value"]
        unchanged = said["text"]["unchanged"]
        assert measured.unchanged.value == unchanged["content"]["value"]
        assert unchanged["all"] != unchanged["content"]
        every = said["text"]["expected"]["sentence"]["all"]
        assert measured.all_words == Shares(Estimate(**unchanged["all"]), Estimate(**every), None)
        assert measured.unknown_recognized is None  # the text has no such words
        after = contents(bundle)
        assert {name for name in after if after[name] != before[name]} == {"manifest.json"}

        files = TextFiles(texts / "other.txt", texts / "public.txt")
        other = measure_text(WordBundle.open(bundle), files)
        again = other.expected["sentence"]["content"].value
        assert again == pytest.approx(own["value"], abs=0.02)  # a standard error
        of_all = other.attackers["sentence"]["all"].top1
        assert not of_all.low <= 0.2 <= of_all.high
        again = brr("measure", bundle, "--text", texts / "typed.txt", *language, "--json")
        assert json.loads(again.out)["text"] == said["text"]
        shown = brr("inspect", bundle).out
        assert " (sentence, typed.txt)\n" in shown
        of_content, of_every = (interval(Estimate(**share), 3) for share in (own, every))
        assert f"measured    content words: attack success {of_content}, unchanged" in shown
        assert f"; all words: attack success {of_every}, unchanged" in shown

    def test_it_says_what_its_number_is_of(self, brr: Brr, bundle: Path, texts: Path) -> None:
        options = ["--text", texts / "typed.txt", "--public-text", texts / "public.txt"]
        shown = brr("calibrate", bundle, *options, "--attacker", "frequencies", "--over", "all")
        assert (shown.code, shown.err) == (0, "")
        assert re.match(
            r"Goal met: all words 0\.1\d\d \(0\.1\d\d to (0\.1\d\d|0\.200); goal 0\.200\); "
            r"content words 0\.\d{3}; attacker: frequencies, on typed\.txt\n",
            shown.out,
        )
        assert "The radius was searched on 2,500 words. This setting, on all words:\n" in shown.out
        assert "other words of the file and 12,000 of --public-text." in shown.out
        assert "expected if they know 10 million words of the language:" in shown.out
        for attacker, says in (
            ("isolated", "all equally likely"),
            ("frequencies", "as often as in"),
        ):
            words = brr("calibrate", bundle, "--attacker", attacker, "--attack-success", 0.4)
            assert re.match(
                r"Goal met: all words 0\.\d{3} \(goal 0\.400\); "
                f"attacker: {attacker}, who chooses among 2,000 words\n",
                words.out,
            )
            assert f"over all words, typed one at a time, {says}" in words.out
            assert words.out.endswith("Running text is more exposed; --text measures it\n")

    def test_unknown_words_count_by_themselves(
        self, brr: Brr, sample_bundle: Path, texts: Path
    ) -> None:
        """A quarter of the words is unknown: nobody names them, and no share counts them."""
        setting = ["--epsilon", 0.8, "--tokens", 1_500]
        command = ["measure", sample_bundle, *setting, "--text"]
        text = json.loads(brr(*command, texts / "strange.txt", "--json").out)["text"]
        unknown = text["attackers"]["sentence"]["unknown"]
        for by_class in text["attackers"].values():
            assert by_class["all"]["tokens"] + by_class["unknown"]["tokens"] == text["tokens"]
        assert 0.2 < unknown["tokens"] / text["tokens"] < 0.3
        assert unknown["top1"]["value"] > 0.8
        shown = brr(*command, texts / "strange.txt").out
        known = 1 - unknown["tokens"] / text["tokens"]
        assert (
            f" texts, {known:.1%} of them known; no attacker can recover the "
            f"{unknown['tokens']:,} unknown ones. Attackers " in shown
        )
        recognized = interval(Estimate(**unknown["top1"]), 3)
        assert f"  unknown words recognized as unknown: {recognized}; this" in shown

    def test_errors(
        self, brr: Brr, bundle: Path, texts: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(texts)
        before = contents(bundle)
        command = ["calibrate", bundle, "--text", "typed.txt", "--public-text", "public.txt"]
        for options, says in (
            (
                ["--attack-success", 0.3, "--attacker", "informed", "--over", "all"],
                "attack-success 0.3 can't be reached: without seeing any output, the informed "
                "attacker recovers 0.",
            ),
            (["--attack-success", 1.5], "--attack-success must be a number above 0 and below 1"),
            (["--mechanism", "brr"], "with a text, only 'exponential' can be calibrated"),
            (["--worst", 0.3], "worst is a limit for words typed one at a time"),
            (["--unchanged", 0.3], "--unchanged is another goal than --attack-success"),
            (["--sample", 1_000], "--sample is of words typed one at a time"),
            (["--public-text", "short.txt"], "short.txt: has 3 words"),
            (["--text", "plain.txt"], "plain.txt: has no words of the vocabulary that count"),
            (["--text", "none.txt"], "none.txt: can't be read"),
        ):
            outcome = brr(*command, *options, "--write")
            assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)
            assert says in outcome.err
            assert contents(bundle) == before

    def test_what_is_of_a_text_needs_one(self, brr: Brr, bundle: Path) -> None:
        for options in (["--over", "all"], ["--column", "x"], ["--public-text", "public.txt"]):
            assert "needs --text; add it" in brr("calibrate", bundle, *options).err
        outcome = brr("calibrate", bundle, "--attacker", "sentence")
        assert "the sentence attacker reads a text; give --text" in outcome.err


def trial(bundle: Path, attacker: Attacker, over: Over, known: int = 2_001) -> Trial:
    """Return 90 texts of 20 random words; attackers learned of texts of the first ``known``."""
    opened, rng = WordBundle.open(bundle), np.random.default_rng(0)
    ids = rng.integers(0, 2_001, (90, 20)).astype(np.int32)  # some unknown
    made = [TypedText(row, np.zeros(20, np.bool_)) for row in ids]
    goal = TextAttackSuccess(0.2, attacker, over, "typed.txt")
    knows = learn_knowledge(opened.masses, list(ids[:45] % known))
    return Trial(SettingGrid.of(opened, "uniform"), knows, goal, made, 0)


class TestSearch:
    def test_the_radius_keeps_most_of_the_candidates(
        self, sample_bundle: Path, texts: Path
    ) -> None:
        opened = WordBundle.open(sample_bundle)
        setting = calibrate_text(
            opened,
            TextFiles(texts / "typed.txt", texts / "public.txt"),
            TextAttackSuccess(0.3, "frequencies"),
            fixed=FixedParameters(base="uniform"),
        ).setting
        assert setting.parameters["radius"] in RADII[1:]
        # At a success that is the same, a radius of 0 keeps less.
        family = SettingGrid.of(opened, "uniform")

        def kept(epsilon: float, radius: int) -> float:
            channel = family.at(epsilon, radius)
            return float(channel.everything.distance(channel.weights).mean())

        exact = trial(sample_bundle, "isolated", "all")
        success = exact.success(setting.epsilon, setting.parameters["radius"])
        epsilon = crossing_near(
            lambda epsilon: exact.success(epsilon, 0) - success, 0.5, 0.01, EPSILON_MAX, 1e-3
        )
        assert kept(setting.epsilon, setting.parameters["radius"]) < kept(epsilon, 0)

    def test_outputs_are_drawn_by_the_weights(self, eight: WordBundle) -> None:
        channel = SettingGrid.of(eight, "uniform").at(0.05, 3)
        weights = channel.weights
        draws = 40_000
        numbers = np.random.default_rng(0).random((2, draws))
        distances = np.array(
            [[int(a ^ b).bit_count() for b in eight.codes[:, 0]] for a in eight.codes[:, 0]]
        )
        for word in range(8):
            outputs = draw(channel, np.full(draws, word), numbers)
            expected = weights[distances[word]] / weights[distances[word]].sum()
            shares = np.bincount(outputs, minlength=8) / draws
            assert np.abs(shares - expected).max() < 5 * np.sqrt(0.25 / draws)

    def test_a_token_is_drawn_alike_at_every_setting(self, sample_bundle: Path) -> None:
        opened = WordBundle.open(sample_bundle)
        family, inputs = SettingGrid.of(opened, "uniform"), np.arange(500)
        numbers = np.random.default_rng(0).random((2, 500))
        one, other = (draw(family.at(epsilon, 8), inputs, numbers) for epsilon in (0.6, 0.606))
        assert (one == other).mean() > 0.8

    def test_success_is_that_of_the_definition(self, sample_bundle: Path) -> None:
        """The isolated attacker's over all words; and what is guessed without outputs."""
        made = trial(sample_bundle, "isolated", "all")
        opened = WordBundle.open(sample_bundle)
        words = SettingGrid.of(opened, "uniform")
        exact = words.success(0.8, 8, "isolated").mean
        assert made.success(0.8, 8) == pytest.approx(exact, abs=0.04)  # of 1,800 tokens
        assert made.without_outputs() == pytest.approx(1 / 2_000)
        frequent = trial(sample_bundle, "frequencies", "all")
        assert 0 < frequent.without_outputs() < 0.01

    def test_a_goal_that_every_setting_meets_is_refused(self, eight: WordBundle) -> None:
        """Of words with one code nobody names more than one of eight."""
        alike = replace(eight, codes=np.zeros_like(eight.codes))
        texts = [TypedText(np.arange(8, dtype=np.int32), np.zeros(8, np.bool_))] * 40
        goal = TextAttackSuccess(0.5, "isolated", "all", "typed.txt")
        knows = learn_knowledge(alike.masses, [text.ids for text in texts])
        made = Trial(SettingGrid.of(alike, "uniform"), knows, goal, texts, 0)
        says = r"0\.5 is met by every setting: .* the attacker recovers 0\.125; allow less"
        with pytest.raises(ParameterError, match=says):
            _epsilon_at(made, 0, goal, made.tokens, 1.0, 0.05)

    def test_a_goal_limits_who_knows_less_too(self, sample_bundle: Path) -> None:
        """The language that they know is another one: who goes by it is right less often."""
        isolated = trial(sample_bundle, "isolated", "all", 30).success(0.8, 8)
        assert isolated > 0.1
        attackers: tuple[Attacker, ...] = ("frequencies", "sentence")
        for attacker in attackers:
            made = trial(sample_bundle, attacker, "all", 30)
            assert made.success(0.8, 8) >= isolated
            assert made.limit(0.8, 8, made.tokens) > isolated

    def test_an_epsilon_that_misses_is_lowered(self, sample_bundle: Path) -> None:
        """Until the upper end of what is then stated is within the goal, or nothing is left."""
        opened, rng = WordBundle.open(sample_bundle), np.random.default_rng(0)
        texts = [TypedText(row, np.zeros(20, np.bool_)) for row in rng.integers(0, 2_000, (60, 20))]
        texts = [TypedText(text.ids.astype(np.int32), text.digits) for text in texts]
        knows = learn_knowledge(opened.masses, [text.ids for text in texts[:30]])

        def attacked(setting: Setting) -> TextAttack:
            tried.append(setting.epsilon)
            channel = Channel(opened, setting)
            release, evidence = channel.release_and_evidence(np.random.default_rng(0))
            return attack_text(texts, knows, evidence, release)

        start = Setting(1.0, parameters={"base": "uniform", "radius": 8})
        for target in (0.2, 1e-4):
            goal, tried = TextAttackSuccess(target, "isolated", "all", "typed.txt"), []
            setting, attack = _lower_to_meet(attacked, goal, start)
            found = TextCalibration(goal, setting, attack)
            assert tried == sorted(tried, reverse=True)
            assert tried[-1] == setting.epsilon < tried[0] == start.epsilon
            if target == 0.2:
                assert 0.15 < found.reached.high <= target
                assert found.exceeds == 0
            else:
                assert setting.epsilon == FLATTEST_EPSILON
                assert found.exceeds == found.reached.high - target > 0

    def test_so_few_words_show_nothing(self, sample_bundle: Path, tmp_path: Path) -> None:
        opened = WordBundle.open(sample_bundle)
        ids = np.random.default_rng(0).integers(0, 2_000, (5, 101)).tolist()
        texts = [" ".join(opened.vocabulary.word(i) for i in row) for row in ids]
        (tmp_path / "few.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
        with pytest.raises(ParameterError, match=r"few\.txt: too few words to show"):
            calibrate_text(opened, tmp_path / "few.txt", TextAttackSuccess(0.01))

    @pytest.mark.parametrize("start", [0.01, 5])
    def test_a_crossing_is_found_from_anywhere(self, start: float) -> None:
        asked: list[float] = []

        def gap(epsilon: float) -> float:
            asked.append(epsilon)
            return float(np.log(epsilon / 0.9))

        assert crossing_near(gap, start, 0.002, 22, 1e-3) == pytest.approx(0.9, rel=2e-3)
        assert len(asked) == len(set(asked))
        assert crossing_near(lambda _: -1.0, start, 0.002, 22, 1e-3) == 22
        assert crossing_near(lambda _: 1.0, start, 0.002, 22, 1e-3) == 0.002


def test_the_verdict_is_rounded_outwards() -> None:
    reached = Estimate(0.19049, 0.17951, 0.20001)
    assert exceeds(reached, 0.2) == pytest.approx(1e-5)
    assert verdict(against("content words", reached, 0.2), exceeds(reached, 0.2), "x") == (
        "Goal missed: content words 0.190 (0.179 to 0.201; goal 0.200); its upper end exceeds the "
        "goal by 0.001; x"
    )
    met = against("all words", Estimate(0.29, 0.28, 0.29), 0.29)
    assert verdict(met, exceeds(Estimate(0.29, 0.28, 0.29), 0.29)) == (
        "Goal met: all words 0.290 (0.280 to 0.290; goal 0.290)"
    )
    exact = against("all words", Estimate.exact(0.12341), 0.12345)
    assert verdict(exact, 0.0) == "Goal met: all words 0.124 (goal 0.12345)"


class TestPython:
    def test_errors(self) -> None:
        with pytest.raises(ParameterError, match="attacker must be one of: isolated, freq"):
            TextAttackSuccess(attacker="somebody")  # type: ignore[arg-type]
        with pytest.raises(ParameterError, match="over must be one of: all, content"):
            TextAttackSuccess(over="some")  # type: ignore[arg-type]
        with pytest.raises(ParameterError, match="no such attacker of single words; choose one"):
            AttackSuccess(attacker="somebody")  # type: ignore[arg-type]
