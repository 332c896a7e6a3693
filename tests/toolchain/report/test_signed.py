"""What ``brr report`` prints to be signed is counted again, on fresh releases of the runtime."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest
from bundle_tools import ENCYCLOPEDIA
from numpy.typing import NDArray
from test_rounding import value_of

from benchmarks.overview import REQUEST, draw, kept
from benchmarks.store import read
from benchmarks.tables.review import TABLES
from brrkit import BudgetError, Memory, PrivacyBudget, Privatizer, WordBundle
from brrkit.period import Instant
from brrkit.setting import Estimate
from brrkit_toolchain import TextAttackSuccess, calibrate_text, write_recommended
from brrkit_toolchain.attackers.one_word import WORD_ATTACKERS, make_prior, weighted_success
from brrkit_toolchain.attackers.texts.from_files import TextFiles, read_text_and_language
from brrkit_toolchain.attackers.texts.success import READINGS, word_classes
from brrkit_toolchain.attackers.texts.text_attack import TextAttack, attack_text
from brrkit_toolchain.audit.audited_code.subject import preparing_once
from brrkit_toolchain.bundle.build import build_bundle
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.codes.scans import most_probable
from brrkit_toolchain.report import write_report_page

FALSE_ALARM = 1e-10  # of one comparison; a test makes ten at most
TOKENS = 20_000
WORDS, LENGTH, TEXTS = 500, 4, 6_000
_TAGS = re.compile(r"<[^>]*>")


def near(parts: int, certain: float = FALSE_ALARM) -> float:
    """Return what a mean of so many independent parts, from 0 to 1, strays by (Hoeffding)."""
    return sqrt(log(2 / certain) / (2 * parts))


@dataclass(frozen=True)
class Counted:
    """A release of texts by the runtime, counted.

    Attributes:
        unchanged: share of words that came out as typed, by class.
        attack: what attackers learn of it.
        away: what the success in two releases differs by, by class: words of a text depend on one
            another, so each text moves the mean by its share of the words (McDiarmid 1989).
    """

    unchanged: dict[str, float]
    attack: TextAttack
    away: dict[str, float]


def recount(bundle: WordBundle, typed: Path, seed: int = 0) -> Counted:
    """Release the texts that are attacked by the runtime, and count what comes out."""
    texts, knows = read_text_and_language(
        bundle, TextFiles(typed), tokens=TOKENS, seed=seed, progress=False
    )
    privatizer, vocabulary = Privatizer(bundle), bundle.vocabulary
    outputs: list[int] = []
    for text in texts:
        spelled = [vocabulary.word(i) if i < len(bundle) else "xqzxq" for i in text.ids.tolist()]
        released = privatizer.text(" ".join(spelled)).split()
        assert len(released) == len(text.ids)
        outputs += [found for word in released if (found := vocabulary.find(word)) is not None]
    drawn = np.array(outputs, np.int64)
    _, evidence = Channel(bundle, privatizer.setting).release_and_evidence(
        np.random.default_rng(seed)
    )

    def as_drawn(*_: object) -> NDArray[np.int64]:
        return drawn

    attack = attack_text(texts, knows, evidence, as_drawn)
    ids = np.concatenate([text.ids for text in texts])
    known_as = word_classes(ids, np.concatenate([t.digits for t in texts]), knows.bigrams.words)
    known = ids < len(bundle)
    same = drawn == ids
    unchanged = {name: float(same[known_as[name] & known].mean()) for name in READINGS}
    of = np.repeat(np.arange(len(texts)), [len(text.ids) for text in texts])
    away = {}
    for name in (*READINGS, "unknown"):
        shares = np.bincount(of[known_as[name]]) / known_as[name].sum()
        away[name] = sqrt(log(2 / FALSE_ALARM) * 2 * (shares**2).sum() / 2)
    return Counted(unchanged, attack, away)


def spelled(bundle: WordBundle, rows: NDArray[np.int64]) -> str:
    """Return texts, a line each; ids from the vocabulary's size on are unknown words."""
    words = [*bundle.vocabulary, *(f"qzx{chr(97 + i)}" for i in range(26))]
    return "".join(" ".join(words[i] for i in row) + "\n" for row in rows.tolist())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Texts of few frequent words and many rare ones, and a bundle for them."""
    folder = tmp_path_factory.mktemp("signed")
    build_bundle(
        ENCYCLOPEDIA, folder / "bundle", BuildPlan(bits=64, method="lsh", vocabulary_size=WORDS)
    )
    bundle, rng = WordBundle.open(folder / "bundle"), np.random.default_rng(0)
    rare = rng.integers(30, WORDS, (TEXTS, LENGTH))
    ids = np.where(rng.random(rare.shape) < 0.7, rng.integers(0, 3, rare.shape), rare)
    ids[rng.random(ids.shape) < 0.06] = WORDS + 3
    (folder / "typed.txt").write_text(spelled(bundle, ids), encoding="utf-8")
    found = calibrate_text(bundle, folder / "typed.txt", TextAttackSuccess(0.3))
    write_recommended(folder / "bundle", found.setting)
    return folder


def page(folder: Path, **options: object) -> str:
    """Return the text of the page."""
    output = folder / "report.html"
    bundle = WordBundle.open(folder / "bundle")
    write_report_page(bundle, output, audit=False, **options)  # type: ignore[arg-type]
    html = output.read_text(encoding="utf-8").partition("<body>")[2]
    return " ".join(_TAGS.sub(" ", html).split())


def number(pattern: str, text: str) -> list[float]:
    """Return the numbers that ``pattern`` has in ``text``; a percentage as a share."""
    match = re.search(pattern, text)
    assert match is not None, (pattern, text[:3_000])
    plain = [group.replace(",", "") for group in match.groups()]
    return [float(each[:-1]) / 100 if "%" in each else float(each) for each in plain]


@pytest.mark.false_alarm(1e-9)
@pytest.mark.parametrize("given", [True, False], ids=["text", "when chosen"])
@pytest.mark.usefixtures("quick_report")
def test_a_text_is_counted_again(folder: Path, given: bool) -> None:
    """Released twice, each with an interval over its texts, of words and of an attacker."""
    bundle = WordBundle.open(folder / "bundle")
    counted = recount(bundle, folder / "typed.txt")
    says = page(folder, **({"text": folder / "typed.txt", "tokens": TOKENS} if given else {}))
    printed = number(r"(\S+%) of all words and (\S+%) of content words of typed\.txt came", says)
    for name, share in zip(READINGS, printed, strict=True):
        words = counted.attack.attackers["sentence"][name].tokens
        # Of two releases; words are released independently.
        assert share == pytest.approx(counted.unchanged[name], abs=2 * near(words) + 0.005)
    verb = "recovers" if given else "was expected to recover"
    named = number(rf"{verb} (\S+%) of all words and (\S+%) of content words of typed\.txt", says)
    for name, share in zip(READINGS, named, strict=True):
        found = counted.attack.attackers["sentence"][name].top1.value
        if not given:
            found = counted.attack.expected["sentence"][name].value
        assert share == pytest.approx(found, abs=counted.away[name] + 0.005)
    (unknown,) = number(r"Of those in typed\.txt, (\S+%) were recognized as unknown", says)
    found = counted.attack.attackers["sentence"]["unknown"].top1.value
    assert unknown == pytest.approx(found, abs=counted.away["unknown"] + 0.005)
    # What is of content words would be found out if it were printed as of all words.
    words = counted.attack.attackers["sentence"]["all"].tokens
    assert printed[0] - printed[1] > 2 * near(words) + 0.015
    assert named[0] - named[1] > counted.away["all"] + 0.015


def signed(name: str) -> str:
    """Return a table of the privacy review, which says what the sample's page does."""
    return TABLES[f"review-{name}"].make()


@pytest.mark.false_alarm(1e-9)
def test_words_of_the_sample_are_counted_again() -> None:
    """Words typed one at a time by Zipf's law, and each as likely; the least protected ones."""
    says, bundle, count = signed("statements"), WordBundle.sample(), 12_000
    privatizer = preparing_once(Privatizer(bundle))
    channel = Channel(bundle, Privatizer(bundle).setting)
    rng, size = np.random.default_rng(0), len(bundle)
    (as_typed,) = number(r"frequencies of Zipf's law, (\S+%) come out as typed", says)
    named, worst = number(
        r"recovers (\S+%) of them\. Of the least protected 1%, they recover (\S+%)\.",
        says,
    )
    (isolated,) = number(r"all words are equally likely \| (\S+) \|", attackers_of_the_sample())

    def release(typed: NDArray[np.intp]) -> NDArray[np.intp]:
        words = [privatizer.word(bundle.vocabulary.word(i)) for i in typed.tolist()]
        return np.array([bundle.vocabulary.find(str(word)) for word in words], np.intp)

    for attacker, printed in zip(WORD_ATTACKERS, (isolated, named), strict=True):
        prior = make_prior(attacker, size)
        weights = channel.weights.astype(np.float64)
        _, (guess,) = most_probable(
            channel.codes, channel.codes, weights[None], (prior / channel.totals)[None]
        )
        typed = np.sort(rng.choice(size, count, p=prior))
        released = release(typed)
        right = float((guess[released] == typed).mean())
        assert right == pytest.approx(printed, abs=near(count) + 0.005)
        if attacker == "frequencies":
            same = float((released == typed).mean())
            assert same == pytest.approx(as_typed, abs=near(count) + 0.005)
            found = weighted_success(channel, prior).words
            typed = np.repeat(np.argsort(-found)[: size // 100], count // (size // 100))
            right = float((guess[release(typed)] == typed).mean())
            assert right == pytest.approx(worst, abs=near(len(typed)) + 0.005)


def attackers_of_the_sample() -> str:
    (source,) = TABLES["review-attackers"].sources
    return TABLES["review-attackers"].make(read(source))


def largest_ratio(one: dict[str, Fraction], other: dict[str, Fraction]) -> Fraction:
    ratios = [one[y] / p for y, p in other.items()]
    return max(*ratios, 1 / min(ratios))


def test_the_odds_of_the_sample_are_those_of_its_distributions() -> None:
    """From exact fractions, of words and of those nearest to them: no ratio exceeds the odds."""
    says, bundle = signed("statements"), WordBundle.sample()
    privatizer = Privatizer(bundle)
    exponents = number(r"times \(e\^(\S+)\) as .* times \(e\^(\S+)\) for two words ", says)
    odds = re.search(r"at most (.+) times \(e\^\S+ as .* other, and (.+) times \(e", says)
    assert odds is not None
    any_two, nearest = map(value_of, odds.groups())
    bits = number(r"nearest to it \(median\) \| (\S+) \|", signed("bound"))[0]
    largest, largest_near = Fraction(0), Fraction(0)
    for place in range(200, 203):
        ids, distances = bundle.index.nearest(bundle.codes[place : place + 1], 4)
        rows = [privatizer.distribution(bundle.vocabulary.word(i)) for i in [place, *ids[0]]]
        for row, distance in zip(rows[1:], distances[0].tolist(), strict=True):
            ratio = largest_ratio(rows[0], row)
            largest = max(largest, ratio)
            if distance <= bits:
                largest_near = max(largest_near, ratio)
    far = privatizer.distribution(bundle.vocabulary.word(len(bundle) - 1))
    largest = max(largest, largest_ratio(rows[0], far))
    assert 1 < largest_near <= nearest
    assert 1_000 < largest <= any_two
    assert log(any_two) >= exponents[0]
    assert log(nearest) >= exponents[1]


class Device:
    """Clocks that a test moves, in hours."""

    def __init__(self) -> None:
        self.time, self.uptime, self.boot = 1_000.0, 1.0, "a"

    def __call__(self) -> Instant:
        hour = 3_600_000
        return Instant(round(self.time * hour), round(self.uptime * hour), self.boot)

    def wait(self, hours: float) -> None:
        self.time += hours
        self.uptime += hours

    def restart(self, forward: float) -> None:
        self.time += forward
        self.uptime, self.boot = 0.01, self.boot + "a"


def words_of_a_day(says: str) -> Sequence[int]:
    return [
        int(each)
        for each in number(
            r"pays for ([\d,]+) words\. In less than 24 hours.*: ([\d,]+)\. Each restart of the "
            r"device with its clock set forward allows ([\d,]+) more\.",
            says,
        )
    ]


@pytest.mark.parametrize("remembers", [False, True], ids=["alone", "with a memory"])
def test_the_words_of_a_day_are_counted_again(tmp_path: Path, remembers: bool) -> None:
    """Two periods are touched in less than 24 hours, and one more if a clock is set forward."""
    period, day, more = words_of_a_day(signed("statements"))
    device = Device()
    budget = PrivacyBudget(300, 24 * 3600, tmp_path / "budget.json", clock=device)
    memory = Memory(24 * 3600, tmp_path / "memory.json", clock=device) if remembers else None
    privatizer = Privatizer(WordBundle.sample(), budget=budget, memory=memory)

    def until_refused() -> int:
        for released in range(1_000):
            try:
                privatizer.word("the")
            except BudgetError:
                return released
        raise AssertionError

    privatizer.word("the")  # a period begins
    device.wait(23.9)
    assert until_refused() == period - 1
    device.wait(0.2)
    assert until_refused() == period
    device.wait(22.9)  # 23.1 hours after the first of them
    assert until_refused() == 0
    assert day == 2 * period
    device.restart(forward=48)
    assert until_refused() == more


def test_nothing_printed_of_a_day_is_less_than_its_words_lose() -> None:
    says, table = signed("statements"), signed("day")
    period, day, _ = words_of_a_day(says)
    losses = number(r"\(e\^(\S+)\) as likely after one typed", says)
    total = number(r"losses of \S+ words add up to ([\d,]+)", says)[0]
    assert total >= day * losses[0] > total - 1
    rows = [line.split("|")[1:-1] for line in table.splitlines()[2:] if "|" in line]
    of = {row[0].strip(): [Fraction(c.strip().replace(",", "")) for c in row[1:]] for row in rows}
    assert of["words that leave, at most"] == [day, 366 * period]
    one = of["privacy loss of a word typed once"][0]
    assert of["privacy loss of a word typed every day"][1] >= 365 * one
    assert of["privacy loss of all these words together"] >= [day * one, 366 * period * one]


@pytest.mark.false_alarm(2e-10)
def test_the_picture_is_of_a_typical_release() -> None:
    """Half of other releases keep as many words as it does or fewer, half as many or more."""
    shown = re.findall(r'<text x="370" y="\d+">([^<]+)<', draw().partition("on the device")[0])
    typed, privatizer = REQUEST.split(), Privatizer(WordBundle.sample())
    count = kept(typed, " ".join(shown).split())
    others = [kept(typed, privatizer.text(REQUEST).split()) for _ in range(1_000)]
    away = near(len(others))
    assert np.mean([other <= count for other in others]) > 0.5 - away
    assert np.mean([other >= count for other in others]) > 0.5 - away
    assert count < len(typed) - 3  # the picture that nobody drew: it kept four of seven


@pytest.mark.usefixtures("quick_report")
def test_an_older_file_says_nothing_of_all_words(folder: Path, tmp_path: Path) -> None:
    """Where only content words were measured, nothing is printed as of all."""
    from dataclasses import replace
    from shutil import copytree

    copytree(folder / "bundle", tmp_path / "bundle")
    setting = WordBundle.open(tmp_path / "bundle").recommended
    assert setting is not None
    assert setting.measured is not None
    old = replace(
        setting.measured,
        unchanged=Estimate.exact(0.123),
        attack_success=Estimate.exact(0.456),
        all_words=None,
        unknown_recognized=None,
    )
    write_recommended(tmp_path / "bundle", replace(setting, measured=old))
    says = page(tmp_path)
    assert "chosen, 12% of content words of typed.txt came out as typed" in says
    assert "expected to recover 46% of content words of typed.txt" in says
    assert "typed.txt, when the setting was chosen – 0.46 – –" in says
    assert not re.search(r"(12%|46%) of all words", says)
