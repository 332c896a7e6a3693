"""``brr audit``: right mechanisms pass, broken ones don't, and foreign code can misbehave.

Audits draw from the operating system's generator. A right mechanism fails an audit here with
probability 10^-6 at most, the sum of the alphas. A broken one passes with 10^-7 at most, where
nothing else is said: by the exact power (``rejection_probability``) at the frequencies that were
seen, of its one worst pair, or of several that would all have to be missed.
"""

from __future__ import annotations

import json
import math
import os
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count, groupby, pairwise, permutations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
import pytest
from bundle_tools import ENCYCLOPEDIA, leftovers, toy_embeddings
from scipy import stats

from brrkit import ParameterError, Privatizer, WordBundle
from brrkit.mechanisms.exponential import BASES, BIGRAM, UNIGRAM, Exponential
from brrkit.setting import Setting
from brrkit.tokenizer import Token, Tokenizer, look_up, normalize, tokenize
from brrkit_toolchain.audit import Audit, AuditError, audit_factory, audit_mechanism
from brrkit_toolchain.audit.audited_code import processes
from brrkit_toolchain.audit.audited_code.processes import Processes, Request
from brrkit_toolchain.audit.audited_code.subject import (
    Output,
    Subject,
    preparing_once,
    reading_once,
)
from brrkit_toolchain.audit.audited_code.worker import decode, encode
from brrkit_toolchain.audit.inputs import TOKENS, many_unknown, texts, unknown_words
from brrkit_toolchain.audit.instances import (
    QUIET,
    WORDS,
    Instance,
    Instances,
    code_instances,
    setting_instance,
    vector_instances,
)
from brrkit_toolchain.audit.pairs.bounds import privacy_loss_bound, smallest_violation, tail_bound
from brrkit_toolchain.audit.pairs.comparisons import all_comparisons
from brrkit_toolchain.audit.pairs.inequality import audit_pairs
from brrkit_toolchain.audit.pairs.sampling import Draw, Sampling
from brrkit_toolchain.audit.parts.long_texts import audit_long_texts
from brrkit_toolchain.audit.parts.noise_reuse import (
    TEXT_LENGTH,
    audit_noise_reuse,
    log_probability_of_chain,
)
from brrkit_toolchain.audit.parts.random_source import audit_random_source
from brrkit_toolchain.audit.parts.rare_pairs import audit_rare_pairs, found_probability
from brrkit_toolchain.audit.parts.shared_noise import _equal_by_chance as equal_by_chance
from brrkit_toolchain.audit.parts.shared_noise import _repeats as repeats
from brrkit_toolchain.audit.parts.shared_noise import audit_shared_noise
from brrkit_toolchain.audit.parts.stand_ins import audit_stand_ins
from brrkit_toolchain.audit.parts.unchanged_outputs import (
    audit_unchanged_outputs,
    release_vocabulary,
)
from brrkit_toolchain.audit.result import Part
from brrkit_toolchain.bundle.recommend import write_recommended
from brrkit_toolchain.channel import certify
from brrkit_toolchain.defaults import AUDIT_SAMPLES

if TYPE_CHECKING:
    from conftest import Brr, Kept

BROKEN = "tests.helpers.broken:"
Factory = Callable[[str], str]
FULL_SIZE = "brrkit_toolchain.audit.full_size:"
FEW = 1_000  # the least that an audit takes
FEWER = 500  # of leaks that show in each draw of some input
FEWEST = 300  # of what a whole audit says of a right mechanism: ``few_samples`` lets one take them
ALPHA = 1e-6 / 1_000  # about a test's share of the false-alarm rate, by default
RATE = 1e-9  # of audits whose processes draw anew in each run
SELDOM = ["--false-alarm-rate", RATE]
PARTS = [
    "near codes",
    "own codes",
    "far codes",
    "crowd",
    "unknown words",
    "capitals",
    "texts",
    "histories",
    "unknown neighbors",
    "successive calls",
    "stand-ins",
    "returned words",
    "rare pairs",
    "long texts",
    "shared noise",
    "fresh noise",
    "random source",
]
OF_TEXTS = {"texts", "histories", "unknown neighbors", "long texts"}  # fmt: skip


def failed(audit: Audit) -> set[str]:
    return {part.name for part in audit.parts if not part.passed}


@pytest.fixture
def factory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Factory:
    """Write a module with a factory into the current directory; return its name."""
    count = iter(range(100))

    def write(body: str) -> str:
        name = f"audited_{tmp_path.name}_{next(count)}".replace("-", "_")
        (tmp_path / f"{name}.py").write_text(body)
        return f"{name}:make"

    monkeypatch.chdir(tmp_path)
    return write


@pytest.fixture
def few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an audit take fewer samples than is useful: what they show is shown in TestBroken."""
    monkeypatch.setattr("brrkit_toolchain.audit.audit._SAMPLES_RANGE", (FEWEST, AUDIT_SAMPLES))


def on_vectors(dimensions: int, words: int = 30) -> Instances:
    """Return what a mechanism on random vectors is audited on."""
    vectors = np.random.default_rng(0).standard_normal((words, dimensions)).astype(np.float32)
    return vector_instances([f"w{i}" for i in range(words)], vectors)


class TestBounds:
    def test_are_those_of_clopper_and_pearson(self) -> None:
        draws, alpha = 500, 1e-4
        pairs = [(0, 0), (0, 500), (1, 3), (200, 100), (500, 0), (500, 500)]
        found = privacy_loss_bound(*map(np.array, zip(*pairs, strict=True)), draws, alpha)
        for (first, second), bound in zip(pairs, found, strict=True):
            low, high = (
                stats.binomtest(k, draws).proportion_ci(1 - alpha, method="exact")
                for k in (first, second)
            )
            expected = math.log(low.low / high.high) if first else -math.inf
            assert bound == pytest.approx(expected)

    @pytest.mark.parametrize(("p", "q"), [(0.7, 0.26), (0.05, 0.02), (0.999, 0.5)])
    def test_error_is_at_most_alpha(self, p: float, q: float) -> None:
        """Exactly: the probability of all counts whose bound is above the loss."""
        draws, alpha = 60, 0.05
        counts = np.arange(draws + 1)
        first, second = (grid.ravel() for grid in np.meshgrid(counts, counts))
        wrong = privacy_loss_bound(first, second, draws, alpha) > math.log(p / q)
        weights = stats.binom.pmf(first, draws, p) * stats.binom.pmf(second, draws, q)
        assert weights[wrong].sum() <= alpha
        assert weights[wrong].sum() > 0

    def test_smallest_violation_has_its_power(self) -> None:
        """By simulation; 20,000 rounds are within 0.005 of 0.99 but for less than 10^-10."""
        draws, alpha = 2_000, 1e-6
        excess = smallest_violation(draws, alpha)
        generator = np.random.default_rng(1)
        first = generator.binomial(draws, 0.5, 20_000)
        second = generator.binomial(draws, 0.5 * math.exp(-1 - excess), 20_000)
        caught = (privacy_loss_bound(first, second, draws, alpha) > 1).mean()
        assert caught == pytest.approx(0.99, abs=0.005)
        assert smallest_violation(1_000, 1e-9, probability=0.01) == math.inf

    @pytest.mark.parametrize(("draws", "probability"), [(100, 0.02), (1_000, 0.001), (50, 0.5)])
    def test_a_tail_is_bounded(self, draws: int, probability: float) -> None:
        counts = np.arange(draws + 1)
        bounds = np.array([tail_bound(int(count), draws, probability) for count in counts])
        tails = stats.binom.sf(counts - 1, draws, probability)
        assert all(bounds * (1 + 1e-9) >= tails)  # equal where all happen
        assert bounds[-1] == pytest.approx(probability**draws)
        assert tail_bound(draws, draws, 1.0) == 1

    def test_a_tail_of_unequal_events_is_bounded(self) -> None:
        """The exact distribution of a sum of events with different probabilities."""
        single = [0.001] * 90 + [0.191] * 10  # 0.02 on average
        exact = np.ones(1)
        for probability in single:
            exact = np.convolve(exact, [1 - probability, probability])
        tails = exact[::-1].cumsum()[::-1]
        assert all(tail_bound(k, 100, 0.02) >= tails[k] for k in range(101))


class TestRepeats:
    def test_sequences_with_the_same_steps_are_counted(self) -> None:
        """Against all sequences of 3 outputs that are 7 long."""
        groups: dict[object, list[tuple[int, ...]]] = {}
        for outputs in product(range(3), repeat=7):
            steps = Counter(pairwise(outputs))
            groups.setdefault((outputs[0], frozenset(steps.items())), []).append(outputs)
        assert len(groups) > 800
        for same in groups.values():
            for outputs in same:
                assert log_probability_of_chain(outputs) == pytest.approx(-math.log(len(same)))

    def test_texts_of_a_language_can_be_told(self, near: Instance) -> None:
        """One in a million and more pairs of sequences, though words follow one another; seeded."""
        source = np.random.default_rng(1).bytes
        bundle = WordBundle.open(near.bundle or "")
        privatizer = Privatizer(bundle, Setting(QUIET / 64), random=source)
        words = [near.words[0]] * TEXT_LENGTH
        for _ in range(20):
            assert log_probability_of_chain(privatizer.words(words)) < math.log(1e-15)

    @pytest.mark.parametrize("texts", ["ab" * 32, "a" * 64, "abcdefghijkl" * 5])
    def test_what_has_one_order_is_no_repeat(self, texts: str) -> None:
        """A right mechanism may go round in a circle, whatever was typed."""
        assert log_probability_of_chain(texts) == pytest.approx(0, abs=1e-9)


class TestInputs:
    @pytest.mark.parametrize(
        "known", [["the", "of", "and", "don't"], ["o'", "zbigniew", "do", "n't", "nasa", "it's"]]
    )
    def test_unknown_words_are_unknown(self, known: list[str]) -> None:
        find = {word: i for i, word in enumerate(known)}.get
        for words in (
            unknown_words(known),
            many_unknown(2_000, find, random.Random(1)),
        ):
            assert all(look_up(word, find) is None for word in words)
            assert len({normalize(word) for word in words}) == len(words)

    def test_unknown_words_are_of_many_kinds(self) -> None:
        words = many_unknown(2_400, {}.get, random.Random(1))
        kinds: list[Callable[[str], bool]] = [
            str.isdigit, str.istitle, str.isupper, lambda word: len(word) > 20,
            lambda word: "'" in word, lambda word: not word.isascii(), lambda word: "@" in word,
        ]  # fmt: skip
        for kind in kinds:
            assert sum(map(kind, words)) >= 100

    def test_texts_have_as_many_tokens_whatever_is_known(self, instances: Instances) -> None:
        found = texts(instances.quiet.words)
        assert [len(tokenize(text)) for text in found] == [TOKENS] * len(found)
        assert len(set(found)) == len(found)


class TestInstances:
    def test_codes(self, opened: WordBundle, instances: Instances) -> None:
        own, near = instances.own, instances.near
        assert own.words == near.words == tuple(dict.fromkeys(own.words))
        assert {opened.vocabulary.word(i) for i in range(4)} < set(own.words)
        for instance in (own, near):
            assert instance.bundle is not None
            small = WordBundle.open(instance.bundle)
            assert list(small.vocabulary) == list(own.words)
            assert (small.bits, small.graph) == (opened.bits, opened.graph)
            claims = instance.epsilon * instance.distances[np.triu_indices(WORDS, 1)]
            assert claims[claims > 0].min() == pytest.approx(1)
        ids = [opened.vocabulary.find(word) for word in own.words]
        assert np.array_equal(WordBundle.open(own.bundle or "").codes, opened.codes[ids])
        assert near.epsilon == 1
        assert near.distances.max() == 4

    def test_the_others(self, opened: WordBundle, instances: Instances) -> None:
        assert instances.far is not None
        assert instances.crowd is not None
        assert instances.far.distances[0].tolist() == [0, 2, 4, 8, 12, 16, 21, 24, 32, 40, 48, 64]
        assert instances.crowd.distances[0].tolist() == [0.0] + [4.0] * (WORDS - 1)
        assert instances.crowd.distances[1:, 1:].max() == 0
        for instance in (instances.quiet, instances.whole, instances.flat):
            assert instance.epsilon * instance.diameter == pytest.approx(QUIET)
        assert instances.capped is None
        assert {"do", "n't", "'s"} < set(instances.quiet.words)
        assert len(instances.whole.words) == len(opened)
        for instance in instances:
            assert instance.bundle is not None
            small = WordBundle.open(instance.bundle)
            assert tuple(small.vocabulary.word(i) for i in range(len(small))) == instance.words

    def test_of_a_cap(self, capped: Instances) -> None:
        assert {instance.cap for instance in capped} == {5.0, 1.0}
        assert capped.capped is not None
        assert capped.capped.distances[0].tolist() == [0.0] + [64.0] * (WORDS - 1)
        assert capped.capped.epsilon * 64 == 16

    def test_masses_and_bigrams_differ(self, instances: Instances) -> None:
        """What depends on them wrongly would show: half of all mass follows each word."""
        masses = WordBundle.open(instances.near.bundle or "").masses
        assert {masses.words[i] for i in range(WORDS)} == {1, 2, 4, 8}
        followers = [masses.following(before) for before in range(WORDS)]
        assert len({tuple(after.tolist()) for after, _ in followers}) == WORDS
        assert all(gains.sum() > masses.total / 2 for _, gains in followers)

    def test_own_pairs_are_the_nearest_there_are(
        self, opened: WordBundle, instances: Instances
    ) -> None:
        own = instances.own
        codes = opened.codes[:1024]
        apart = np.bitwise_count(codes[:, None, 0] ^ codes[None, :, 0])
        assert own.distances[own.distances > 0].min() == apart[apart > 0].min()

    def test_vectors(self) -> None:
        words = [f"w{i}" for i in range(300)]
        vectors = np.random.default_rng(0).standard_normal((300, 7)).astype(np.float32)
        found = vector_instances(words, vectors)
        own, plane = found.own, found.near
        assert own.vectors is not None
        assert plane.vectors is not None
        assert np.array_equal(own.vectors, vectors[[words.index(word) for word in own.words]])
        assert plane.vectors.shape == (WORDS, 2)
        i, j = 3, 8
        assert own.distances[i, j] == pytest.approx(math.dist(own.vectors[i], own.vectors[j]))
        apart = np.linalg.norm(vectors[:, None] - vectors[None], axis=2)
        assert apart.max() <= found.whole.diameter
        assert (found.far, found.crowd) == (None, None)

    @pytest.mark.parametrize("size", [12, 13, 20])
    def test_small_vocabularies(self, size: int) -> None:
        assert len(set(on_vectors(3, size).own.words)) == WORDS

    def test_too_few_words_and_words_in_one_place(self) -> None:
        with pytest.raises(ParameterError, match="12 words, but the bundle has 11"):
            on_vectors(3, 11)
        with pytest.raises(ParameterError, match="all words have the same code"):
            vector_instances([f"w{i}" for i in range(12)], np.ones((12, 2), np.float32))


class TestRight:
    @pytest.mark.usefixtures("few_samples")
    @pytest.mark.false_alarm(RATE)
    def test_a_mechanism_passes(self, opened: WordBundle) -> None:
        """Vickrey's and the exponential one pass in TestCommand."""
        extent = {"samples": FEWEST, "false_alarm_rate": RATE}
        audit = audit_mechanism(opened, "brr", **extent, progress=False)
        assert failed(audit) == set()
        assert [part.name for part in audit.parts] == PARTS
        # Besides, words that came back are tested again, as many as by chance.
        assert 4 * 132 + 2 + 306 + 12 + 306 + 12 + 12 <= audit.pairs <= 1_250

    def test_single_words_have_no_history(self, near: Instance) -> None:
        """A word with 1/45 of all mass comes out at most e times as often; in a text, 1 in 3."""
        made = Subject("exponential", {"base": "bigram"}).make(near)
        first, light = near.words[:2]
        assert tail_bound(60, 400, math.e / 45) < 1e-8
        assert made.words([first] * 400).count(light) < 60

    def test_the_bound_is_nearly_reached(self, instances: Instances) -> None:
        """Power: a test that sees only losses far below the claim would see no violation.

        An event of the cube has the loss 1 with probabilities 0.73 and 0.27. Its bound at 4,000
        draws is 0.78 on average, with a standard deviation of 0.028: each is below 0.7 with 0.003,
        and all of two dozen, of which eight share no count, with less than 10^-19.
        """
        worst = compare(instances, Subject("brr"), "near codes", 4_000).worst
        assert worst is not None
        assert 0.7 < worst.privacy_loss <= worst.claimed == 1

    def test_a_constant_is_private(self, opened: WordBundle, factory: Factory) -> None:
        """Not a fixed seed, though two processes give the same."""
        name = factory("def make(bundle, epsilon): return lambda word: 'x'")
        assert audit_factory(opened, name, samples=FEW, progress=False).passed

    @pytest.mark.parametrize("part", ["near codes", "unknown words"])
    def test_refusing_unknown_words_is_private(
        self, part: str, instances: Instances, factory: Factory
    ) -> None:
        name = factory(
            "def make(bundle, epsilon):\n"
            "    known = {bundle.vocabulary.word(i): 'x' for i in range(len(bundle))}\n"
            "    return lambda word: known[word]\n"
        )
        assert compare(instances, Subject(factory=name), part, FEW).passed

    def test_refused_unknown_words_have_no_stand_ins(
        self, instances: Instances, factory: Factory
    ) -> None:
        name = factory("def make(bundle, epsilon): return lambda word: {'the': 'x'}[word]")
        found = stand_ins_of(Subject(factory=name), instances.loud, FEW)
        assert (found.passed, found.detail) == (True, "unknown words are refused")

    @pytest.mark.false_alarm(RATE)
    def test_what_it_prints_and_reads_is_its_own(
        self, instances: Instances, factory: Factory, tmp_path: Path
    ) -> None:
        name = factory(
            "import os, sys\nfrom brrkit import Privatizer, Setting\n"
            "def make(bundle, epsilon):\n"
            "    privatizer = Privatizer(bundle, Setting(epsilon))\n"
            "    def release(word):\n"
            "        print('{\"words\": []}', flush=True)\n"
            "        os.write(1, b'x' * 64)\n"
            "        assert sys.stdin.read() == ''\n"
            "        return privatizer.word(word)\n"
            "    return release\n"
        )
        assert fresh(name, instances, tmp_path).passed

    def test_false_alarms_are_rarer_than_stated(self, near: Instance) -> None:
        """At a rate of 0.1, seeded: 7 alarms in 12 runs would have a probability of 5 * 10^-5."""
        alarms = 0
        for seed in range(12):
            draw = one_by_one(seeded(near, seed).words)
            alarms += not check(near, draw, samples=400, alpha=0.1 / 132).passed
        assert alarms < 7


@pytest.fixture(scope="session")
def instances(opened: WordBundle, tmp_path_factory: pytest.TempPathFactory) -> Instances:
    return code_instances(opened, tmp_path_factory.mktemp("instances"))


@pytest.fixture(scope="session")
def around(opened: WordBundle, tmp_path_factory: pytest.TempPathFactory) -> Instances:
    """Return what a mechanism with the default radius is audited on."""
    return code_instances(opened, tmp_path_factory.mktemp("around"), radius=8)


@pytest.fixture(scope="session")
def capped(opened: WordBundle, tmp_path_factory: pytest.TempPathFactory) -> Instances:
    """Return what a mechanism with a cap is audited on."""
    return code_instances(opened, tmp_path_factory.mktemp("capped"), cap=5.0)


@pytest.fixture(scope="session")
def near(instances: Instances) -> Instance:
    return instances.near


def one_by_one(release: Callable[[Sequence[str]], Sequence[Output]]) -> Draw:
    """Return what a worker does, in this process."""

    def draw(lists: Iterable[Sequence[str]]) -> Iterator[list[Output]]:
        return (list(release(words)) for words in lists)

    return draw


def check(
    instance: Instance,
    draw: Draw | Subject,
    *,
    inputs: Sequence[str] = (),
    samples: int = FEW,
    alpha: float = ALPHA,
) -> Part:
    """What an audit does with all pairs of one instance, or of ``inputs`` outside it."""
    if isinstance(draw, Subject):
        draw = one_by_one(draw.make(instance).words)
    chosen = [(word,) for word in inputs or instance.words]
    sampling = Sampling(draw, chosen, samples, alpha)
    distances = np.zeros((len(inputs), len(inputs))) if inputs else instance.distances
    places = None if inputs else instance.vectors
    return audit_pairs("part", sampling, instance.epsilon, distances, places)


def compare(
    instances: Instances,
    subject: Subject,
    name: str,
    samples: int,
    alpha: float = ALPHA,
    among: Sequence[int] | None = None,
) -> Part:
    """What an audit does in the part ``name``, ``among`` some of its inputs, in this process."""
    (comparison,) = (c for c in all_comparisons(instances, samples) if c.name == name)
    if among is not None:
        chosen = [comparison.inputs[place] for place in among]
        distances = comparison.distances[np.ix_(among, among)]
        comparison = replace(comparison, inputs=chosen, distances=distances)
    made = subject.make(comparison.instance)
    return comparison.test(one_by_one(getattr(made, comparison.mode)), alpha)


def stand_ins_of(subject: Subject, loud: Instance, samples: int) -> Part:
    """What an audit does with unknown words and what takes their place."""
    return audit_stand_ins(one_by_one(subject.make(loud).words), loud, samples, ALPHA)


def returned(draw: Draw, whole: Instance, draws: int, alpha: float) -> Part:
    """What an audit does with words that come back."""
    return audit_unchanged_outputs(draw, whole, release_vocabulary(draw, whole, draws), 100, alpha)


def fresh(factory: str, instances: Instances, folder: Path, sequences: int = 100) -> Part:
    """What an audit does first with a factory, in two processes."""
    with processes.start(Subject(factory=factory), [instances.quiet], folder) as running:
        return audit_noise_reuse(running, 0, instances.quiet, sequences, RATE / 2)


def seeded(instance: Instance, seed: int) -> Privatizer:
    assert instance.bundle is not None
    source = np.random.default_rng(seed).bytes
    bundle = WordBundle.open(instance.bundle)
    return Privatizer(bundle, Setting(instance.epsilon, "brr"), random=source)


class TestPreparing:
    """Repeated words are drawn as by an app, but what needs no random bytes is done once."""

    @pytest.mark.parametrize("base", BASES)
    def test_the_same_bytes_give_the_same_words(self, base: str, near: Instance) -> None:
        a, b, unknown = near.words[0], near.words[5], "qzxvjkwq"
        words = [*[a] * 9, *[b] * 9, a, b, *[unknown] * 20, a, a]
        assert near.bundle is not None

        def privatizer() -> Privatizer:
            setting = Setting(near.epsilon, parameters={"base": base})
            source = np.random.default_rng(0).bytes
            return Privatizer(WordBundle.open(near.bundle), setting, random=source)

        once, app = preparing_once(reading_once(privatizer())), privatizer()
        texts = [f"{a} {a} {b}", f"{unknown} {a}", f"{unknown} {a}", f"{b} {b}"]
        for _ in range(3):
            assert once.words(words) == app.words(words)
            assert [once.word(word) for word in words] == [app.word(word) for word in words]
            assert [once.text(text) for text in texts] == [app.text(text) for text in texts]

    @pytest.mark.parametrize("base", [UNIGRAM, BIGRAM])
    def test_each_request_prepares_each_run_of_a_word(
        self, base: str, near: Instance, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        prepared, looked_up, read = [], [], []

        def prepare(self: Exponential, code: Any, following: Any) -> Any:
            prepared.append(int(code[0]))
            return whole(self, code, following)

        def find(self: Tokenizer, word: str) -> int | None:
            looked_up.append(word)
            return found(self, word)

        def cut(self: Tokenizer, text: str) -> list[Token]:
            read.append(text)
            return tokens(self, text)

        whole, found, tokens = Exponential.prepare, Tokenizer.look_up, Tokenizer.read
        monkeypatch.setattr(Exponential, "prepare", prepare)
        monkeypatch.setattr(Tokenizer, "look_up", find)
        monkeypatch.setattr(Tokenizer, "read", cut)
        made = Subject("exponential", {"base": base}).make(near)
        a, b = near.words[:2]
        for _ in range(2):
            made.words([a, a, a, b, b, a])
            assert len(prepared) == 3
            assert prepared.pop() == prepared.pop(0) != prepared.pop()
        assert looked_up == [a, b]
        made.calls([a, a, a])
        assert looked_up == [a, b, a, a, a]
        assert len(prepared) == 3
        prepared.clear()
        for _ in range(2):
            made.texts([f"{a} {b}", f"{a} {b}"])
            assert len(prepared) == 4
            prepared.clear()
        assert read == [f"{a} {b}"]
        made.streams([f"{a} {b}", f"{b} {a}"])
        assert looked_up == [a, b, a, a, a]
        made.texts([f"{a} {a}", f"{b} {a}", f"{a} {a}"])
        assert read == [f"{a} {b}", f"{a} {a}", f"{b} {a}", f"{a} {a}"]

    def test_a_wrong_preparation_now_and_then_fails(
        self, near: Instance, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """One of four lets out only the typed word."""
        numbers = count()

        def prepare(self: Exponential, code: Any, following: Any) -> Any:
            scanned, sums, cumulative = whole(self, code, following)
            if next(numbers) % 4 == 0:
                cumulative = np.full_like(cumulative, cumulative[0])
            return scanned, sums, cumulative

        whole = Exponential.prepare
        monkeypatch.setattr(Exponential, "prepare", prepare)
        assert not check(near, Subject("exponential", {"base": UNIGRAM}), samples=4 * FEW).passed

    def test_the_vocabulary_is_released_evenly(self, instances: Instances) -> None:
        asked: list[str] = []

        def draw(lists: Iterable[Sequence[str]]) -> Iterator[list[Output]]:
            for words in lists:
                asked.extend(words)
                yield list(words)

        words = instances.whole.words
        release_vocabulary(draw, instances.whole, 3 * len(words) + 7)
        assert sorted(Counter(asked).values()) == [3] * (len(words) - 7) + [4] * 7
        assert len([word for word, _ in groupby(asked)]) == len(words)
        assert asked != sorted(asked, key=words.index)


class TestBroken:
    @pytest.mark.parametrize(
        ("name", "part", "samples", "alpha", "among"),
        [
            # At the default alpha one in thousands would pass.
            ("wrong_flip_rate", "near codes", AUDIT_SAMPLES, 1e-4, None),
            ("vickrey_without_input", "near codes", FEW, ALPHA, None),
            ("rejection_until_different", "near codes", FEW, ALPHA, None),
            ("stop_words_unchanged", "near codes", FEWER, ALPHA, None),
            ("seed_at_each_call", "near codes", FEWER, ALPHA, None),
            ("exponential_without_half", "near codes", AUDIT_SAMPLES // 2, ALPHA, None),
            ("exponential_too_steep", "crowd", AUDIT_SAMPLES, ALPHA, None),
            ("cut_off", "far codes", FEWER, ALPHA, None),
            ("length_kept", "near codes", FEWER, ALPHA, None),
            ("oov_unchanged", "unknown words", FEW, ALPHA, None),
            ("numbers_unchanged", "unknown words", FEW, ALPHA, None),
            ("long_words_unchanged", "unknown words", FEW, ALPHA, None),
            ("capitals_unchanged", "unknown words", FEW, ALPHA, None),
            ("capitals_unchanged", "capitals", FEW, ALPHA, None),
            ("case_kept", "capitals", FEW, ALPHA, None),
            ("typos_corrected", "unknown words", FEW, ALPHA, None),
            ("digits_kept", "unknown words", FEW, ALPHA, None),
            ("unknown_by_length", "unknown words", FEW, ALPHA, None),
            ("unknown_by_checksum", "unknown words", FEW, ALPHA, None),
            ("unknown_as_the_word_before", "unknown neighbors", 12_500, ALPHA, (0, 1)),
            ("unknown_from_a_cache", "texts", FEWER, ALPHA, (0, 9)),
            ("words_from_a_cache", "texts", FEWER, ALPHA, (1, 4)),
            ("emoji_kept", "texts", FEWER, ALPHA, (0, 14)),
            ("hashtags_kept", "texts", FEWER, ALPHA, (0, 15)),
            ("links_kept", "texts", FEWER, ALPHA, (0, 17)),
            ("addresses_kept", "texts", FEWER, ALPHA, (0, 16)),
            ("punctuation_kept", "texts", FEWER, ALPHA, (0, 2)),
            ("last_word_unchanged", "texts", FEWER, ALPHA, (0, 1)),
            ("stop_words_dropped", "texts", FEWER, ALPHA, (0, 4)),
            ("history_of_the_last_text", "texts", 2 * FEW, ALPHA, (12, 15)),
            ("contractions_split", "texts", FEWER, ALPHA, (0, 4)),
            ("unknown_dropped", "texts", FEWER, ALPHA, (0, 5)),
            ("capitals_kept", "texts", FEWER, ALPHA, (0, 2)),
            ("noise_shared_by_two_words", "texts", FEWER, ALPHA, (0, 1)),
            ("noise_shared_by_two_calls", "successive calls", 2 * FEW, ALPHA, (0, 2)),
            ("measure_by_input", "successive calls", 4 * FEW, ALPHA, None),
            ("candidates_by_input", "near codes", FEWER, ALPHA, None),
            ("history_of_typed_words", "texts", 2 * FEW, ALPHA, (6, 7)),
            ("normalizer_of_the_start", "histories", FEW, ALPHA, None),
            ("histogram_of_the_start", "texts", 4 * FEW, ALPHA, (1, 2, 3, 5)),
        ],
    )
    def test_pairs(
        self,
        name: str,
        part: str,
        samples: int,
        alpha: float,
        among: tuple[int, ...] | None,
        instances: Instances,
    ) -> None:
        """By few of the inputs where their pairs suffice; an audit draws as often from each."""
        subject = Subject(factory=BROKEN + name)
        found = compare(instances, subject, part, samples, alpha, among)
        assert not found.passed
        assert found.worst is not None
        assert found.worst.privacy_loss > found.worst.claimed

    @pytest.mark.parametrize(
        ("name", "part", "samples", "radius"),
        [
            # Beside each a right one: the same table without the fault, and one that falls a step
            # early.
            ("radius_that_rises", "near codes", AUDIT_SAMPLES // 2, 8),
            # Of one pair, which 10,000 samples would miss with 3 * 10^-6.
            ("radius_with_a_cliff", "crowd", 12_000, 7),
        ],
    )
    def test_pairs_around_a_radius(
        self, name: str, part: str, samples: int, radius: int, around: Instances
    ) -> None:
        found = compare(around, Subject(factory=BROKEN + name), part, samples)
        assert not found.passed
        assert found.worst is not None
        assert found.worst.privacy_loss > found.worst.claimed
        right = Subject("exponential", {"radius": radius, "base": "uniform"})
        assert compare(around, right, part, FEW).passed

    @pytest.mark.parametrize(
        ("name", "samples"), [("cap_on_totals", FEW), ("cap_without_half", 4 * FEW)]
    )
    def test_caps(self, name: str, samples: int, capped: Instances) -> None:
        found = compare(capped, Subject(factory=BROKEN + name), "cap", samples)
        assert not found.passed
        assert found.worst is not None
        assert found.worst.claimed == 1

    def test_task_bits_of_the_typed_text(self, kept: Kept, tmp_path: Path) -> None:
        """Of a word they tell nothing, and of two what the other is."""
        bundle = WordBundle.open(kept.bundle)
        subject = Subject(factory=BROKEN + "task_bits_of_the_typed_text")
        assert not compare(code_instances(bundle, tmp_path), subject, "histories", FEW).passed

    def test_task_bits_of_public_texts(self, kept: Kept, tmp_path: Path) -> None:
        bundle = WordBundle.open(kept.bundle)
        made = code_instances(bundle, tmp_path, radius=8, task_weight=3)
        subject = Subject("exponential", {"base": "unigram", "task_weight": 3})
        for part in ("near codes", "own codes", "crowd", "texts"):
            assert compare(made, subject, part, FEW).passed, part

    def test_a_heavier_task_weight_than_it_claims(self, kept: Kept, tmp_path: Path) -> None:
        made = code_instances(WordBundle.open(kept.bundle), tmp_path)
        parameters = {"radius": 0, "base": "uniform", "task_weight": 3}
        assert not compare(made, Subject("exponential", parameters), "near codes", FEW).passed

    @pytest.mark.parametrize("honest", [True, False])
    def test_a_certificate_that_promises_too_much(
        self, honest: bool, instances: Instances, tmp_path: Path
    ) -> None:
        epsilon = 1.5
        assert instances.crowd is not None
        assert instances.crowd.bundle is not None
        folder = Path(shutil.copytree(instances.crowd.bundle, tmp_path / "bundle"))
        stated = certify(
            WordBundle.open(folder),
            Setting(epsilon, parameters={"radius": 0, "base": "unigram"}),
            progress=False,
        )
        assert stated is not None
        if not honest:
            stated = replace(stated, certified_epsilon=epsilon / 2)  # as if all N were equal
        parameters = {"radius": 0, "base": "unigram"}
        setting = Setting(epsilon, "exponential", parameters, "a test", stated)
        write_recommended(folder, setting)
        instance = setting_instance(WordBundle.open(folder), "recommended", setting, False)
        assert set(instance.words) == set(instances.crowd.words)
        assert instance.epsilon == stated.certified_epsilon
        samples = FEW if honest else 4 * FEW
        found = check(instance, Subject("exponential", parameters), samples=samples)
        assert found.passed == honest

    @pytest.mark.parametrize("part", ["cap", "texts", "histories"])
    def test_the_right_base_beside_them(self, part: str, capped: Instances) -> None:
        """And the base unigram in TestCommand."""
        subject = Subject("exponential", {"radius": 0, "base": "bigram", "cap": 5.0})
        found = compare(capped, subject, part, FEW)
        assert found.passed
        if part == "cap":
            assert found.worst is not None
            assert found.worst.claimed == 1

    def test_a_text_that_loses_all_its_words(self, instances: Instances) -> None:
        """An outcome without words beside others: still an outcome."""
        (comparison,) = (c for c in all_comparisons(instances, FEW) if c.name == "texts")
        only = comparison.inputs[0]
        draw = one_by_one(lambda found: ["" if text == only[0] else "a b" for text in found])
        part = comparison.test(draw, ALPHA)
        assert {pair.first for pair in part.pairs if pair.violated} == {
            " ".join(text) for text in comparison.inputs
        }

    @pytest.mark.parametrize(
        ("name", "passes"),
        [("unknown_uniform", False), ("unknown_frequent", False), ("candidates_by_input", True)],
    )
    def test_what_takes_an_unknown_word_s_place(
        self, name: str, passes: bool, instances: Instances
    ) -> None:
        found = stand_ins_of(Subject(factory=BROKEN + name), instances.loud, 4 * FEW)
        assert found.passed == passes
        assert [pair.claimed for pair in found.pairs] == [0, 0]

    @pytest.mark.parametrize(
        ("name", "draws", "alpha"),
        [
            ("every_thousandth_call", 30_000, 1e-4),  # of unknown words 15, exactly: 9 would do
            ("one_word_unchanged", 2_000, ALPHA),
        ],
    )
    def test_returned_words(
        self, name: str, draws: int, alpha: float, instances: Instances
    ) -> None:
        draw = one_by_one(Subject(factory=BROKEN + name).make(instances.whole).words)
        part = returned(draw, instances.whole, draws, alpha)
        assert not part.passed
        if name == "one_word_unchanged":
            leaking = instances.whole.words[len(instances.whole.words) // 3]
            assert [pair.first for pair in part.pairs if pair.violated] == [leaking]

    def test_returned_words_by_chance(self, instances: Instances) -> None:
        """Uniform words: one a pass comes back on average, which is as many as may."""
        words = instances.whole.words
        generator = random.Random(1)
        draw = one_by_one(lambda asked: generator.choices(words, k=len(asked)))
        for _ in range(20):
            part = returned(draw, instances.whole, len(words), 0.1 / 200)
            assert part.passed

    def test_returned_vectors(self) -> None:
        words = [f"w{i}" for i in range(300)]
        vectors = np.random.default_rng(0).standard_normal((300, 7)).astype(np.float32)
        whole = vector_instances(words, vectors).whole
        ids = {word: i for i, word in enumerate(words)}

        def release(asked: Sequence[str]) -> list[Output]:
            return [vectors[ids[w]] + (w != "w7") if w in ids else None for w in asked]

        part = returned(one_by_one(release), whole, 300, ALPHA)
        assert [pair.first for pair in part.pairs if pair.violated] == ["w7"]

    def test_rare_pairs(self, instances: Instances) -> None:
        """Of 100 draws fewer than 3 are the synonym with 10^-12."""
        assert found_probability(100) > 1 - 1e-9
        whole = replace(instances.whole, words=instances.whole.words[-50:])
        draw = one_by_one(Subject(factory=BROKEN + "one_pair").make(whole).words)
        released = release_vocabulary(draw, whole, 100 * len(whole.words))
        part = audit_rare_pairs(draw, whole, released, 400, ALPHA)
        leaking = [(pair.first, pair.event) for pair in part.pairs if pair.violated]
        assert leaking == [(whole.words[-5], repr(whole.words[-7]))]
        assert not part.passed

    def test_rare_pairs_by_chance(self, instances: Instances) -> None:
        """Words that are drawn whatever was typed, some of them often; seeded."""
        words = instances.whole.words
        generator = random.Random(1)
        masses = [1 / (rank + 1) for rank in range(len(words))]
        draw = one_by_one(lambda asked: generator.choices(words, masses, k=len(asked)))
        for _ in range(20):
            released = release_vocabulary(draw, instances.whole, 20 * len(words))
            part = audit_rare_pairs(draw, instances.whole, released, 100, 0.1 / 160)
            assert part.passed
            assert len(part.pairs) == 8

    def test_a_rare_pair_is_found_as_probably_as_stated(self) -> None:
        """By exact sums of 20 draws, 0.3 of which are the same: three or more."""
        few = sum(math.comb(20, i) * 0.3**i * 0.7 ** (20 - i) for i in range(3))
        assert found_probability(20) == pytest.approx(1 - few)
        assert found_probability(2) == 0

    @pytest.mark.parametrize(
        ("name", "passes"), [("end_unchanged", False), ("capitals_kept", True)]
    )
    def test_long_texts(self, name: str, passes: bool, instances: Instances) -> None:
        draw = one_by_one(Subject(factory=BROKEN + name).make(instances.whole).texts)
        assert audit_long_texts(draw, instances.whole, 10, ALPHA).passed == passes

    @pytest.mark.parametrize(
        ("name", "found"),
        [
            ("noise_of_a_ring", "texts of 250 words: .* pairs 17 words apart are the same"),
            ("words_from_a_cache", "texts of 250 words: .* pairs 1 words apart are the same"),
            ("seed_at_each_call", None),  # the same for ever: no two draws differ
            ("typos_corrected", None),
        ],
    )
    @pytest.mark.false_alarm(RATE)
    def test_shared_noise(
        self, name: str, found: str | None, instances: Instances, tmp_path: Path
    ) -> None:
        subject = Subject(factory=BROKEN + name)
        with processes.start(subject, [instances.flat], tmp_path) as running:
            part = audit_shared_noise(running, 0, instances.flat, FEW, RATE / 2)
        assert part.passed == (found is None)
        assert re.search(found or "no more are equal than by chance", part.detail)

    def test_noise_that_one_call_in_two_hundred_shares(self, instances: Instances) -> None:
        """At any distance; 30 of 6,000 pairs, of which one is the same by chance; seeded."""
        for lag in (1, 999):
            generator, outputs = random.Random(lag), list[int]()
            for place in range(12_000):
                again = place >= lag and place % 200 == 0
                outputs.append(outputs[-lag] if again else generator.randrange(10_000))
            others = [[generator.randrange(10_000)] for _ in range(12_000)]
            streams = [[[output] for output in outputs], others]
            assert f"{lag} words apart" in repeats("calls", streams, ALPHA)
            assert repeats("calls", [others, others[::-1]], ALPHA) == ""

    def test_equal_by_chance_is_a_bound(self) -> None:
        """Of 8 draws with 4, 3 and 1 alike: two disjoint pairs, over all orders."""
        values = [0, 0, 0, 0, 1, 1, 1, 2]
        orders = set(permutations(values, 4))
        assert len(orders) > 40
        pairs = [(a == b) + (c == d) for a, b, c, d in permutations(values, 4)]
        mean = sum(pairs) / len(pairs) / 2
        bound = equal_by_chance(np.bincount(values), 2)
        assert mean <= bound <= 2 * mean

    @pytest.mark.parametrize(
        "name",
        [
            "small_seed",
            "small_seed_at_each_text",
            "fixed_seed",
            "seed_of_the_second",
            "first_word_unchanged",
        ],
    )
    @pytest.mark.false_alarm(RATE)
    def test_seeds(self, name: str, instances: Instances, factory: Factory, tmp_path: Path) -> None:
        """Of 340 sequences 28 pairs repeat each other on average; none with 10^-13.

        That is with 2,048 seeds. An audit has more sequences, and finds one of 65,536.
        """
        subject = factory(
            f"from tests.helpers import broken\nbroken._SEEDS = 1 << 11\nmake = broken.{name}\n"
        )
        part = fresh(subject, instances, tmp_path, 340)
        assert not part.passed
        first, texts, anew = "first output", "noise of texts", "noise of code made anew"
        kinds = {"first_word_unchanged": first, "small_seed_at_each_text": texts}
        assert part.detail.startswith(kinds.get(name, anew))

    def test_laplace_noise_for_l2_where_l1_is_needed(self) -> None:
        subject, found = Subject(factory=BROKEN + "laplace_l2_for_l1"), on_vectors(32)
        assert not check(found.own, subject, samples=3 * FEW).passed
        assert not check(found.near, subject, samples=8 * FEW).passed  # in a plane

    def test_laplace_noise_of_the_right_scale(self, factory: Factory) -> None:
        """The same with noise for the L1 distance, which is at most sqrt(2) of L2 in a plane."""
        name = factory(
            "import numpy as np\n"
            "def make(words, vectors, epsilon):\n"
            "    draw = np.random.default_rng()\n"
            "    known, scale = dict(zip(words, vectors)), np.sqrt(vectors.shape[1]) / epsilon\n"
            "    return lambda word: known[word] + draw.laplace(0, scale, vectors.shape[1])\n"
        )
        found = on_vectors(32)
        for instance in (found.own, found.near):
            assert check(instance, Subject(factory=name), samples=3 * FEW).passed

    def test_noise_shared_by_two_vectors(self, factory: Factory) -> None:
        name = factory(
            "import numpy as np\n"
            "def make(words, vectors, epsilon):\n"
            "    draw = np.random.default_rng()\n"
            "    known, noise, calls = dict(zip(words, vectors)), [None], [0]\n"
            "    def release(word):\n"
            "        if calls[0] % 2 == 0:\n"
            "            noise[0] = draw.laplace(0, 9 / epsilon, vectors.shape[1])\n"
            "        calls[0] += 1\n"
            "        return known[word] + noise[0]\n"
            "    return release\n"
        )
        subject = Subject(factory=name)
        assert not compare(on_vectors(8), subject, "successive calls", 4 * FEW).passed

    def test_a_projection_without_noise(self, factory: Factory) -> None:
        """Outputs of another length than the vectors, some of whose coordinates are constant."""
        name = factory(
            "def make(words, vectors, epsilon):\n"
            "    known = dict(zip(words, vectors[:, :3].tolist()))\n"
            "    return lambda word: [*known[word], 7.0]\n"
        )
        part = check(on_vectors(32).own, Subject(factory=name))
        assert all(pair.violated for pair in part.pairs)

    def test_vectors_for_unknown_words(self, factory: Factory) -> None:
        """Some are refused, some aren't: that alone tells them apart."""
        name = factory(
            "def make(words, vectors, epsilon):\n"
            "    def release(word):\n"
            "        if word == 'refused': raise KeyError(word)\n"
            "        return [0.0, 0.0]\n"
            "    return release\n"
        )
        part = check(on_vectors(32).own, Subject(factory=name), inputs=["refused", "x", "y"])
        told = {(pair.first, pair.second) for pair in part.pairs if pair.violated}
        assert told == {("refused", "x"), ("refused", "y"), ("x", "refused"), ("y", "refused")}

    def test_a_seed_set_on_import(
        self, instances: Instances, factory: Factory, tmp_path: Path
    ) -> None:
        name = factory(
            "import random\nfrom brrkit import Privatizer, Setting\n"
            "SOURCE = random.Random(0).randbytes\n"
            "def make(bundle, epsilon):\n"
            "    return Privatizer(bundle, Setting(epsilon), random=SOURCE).word\n"
        )
        assert not fresh(name, instances, tmp_path).passed


class TestMisbehavior:
    @pytest.fixture
    def one_worker(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Start one process, where a second would have nothing to do."""
        monkeypatch.setattr(processes, "_WORKERS", 1)

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            ("def other(): pass", "the module has no function 'make'"),
            ("import no_such_module", "can't be imported: ModuleNotFoundError: No module"),
            ("import sys; sys.exit(0)", "can't be imported: SystemExit: 0"),
            ("def make(:", "can't be imported: SyntaxError"),
            ("def make(bundle, epsilon): raise ValueError('two\\nlines')", "ValueError: two lines"),
            ("def make(bundle, epsilon): return 'x'", "a value of type str, not a callable"),
            ("def make(bundle, epsilon): return lambda word: 1 / 0", "raised ZeroDivisionError"),
            ("def make(bundle, epsilon): return lambda word: exit(0)", "raised SystemExit: 0"),
            ("def make(bundle, epsilon): return lambda word: None", "type NoneType for the word"),
            ("def make(bundle, epsilon): return lambda word: 3", "type int .*, not a string$"),
            ("def make(bundle, epsilon): return lambda word: [1.0]", "type list .*, not a string$"),
        ],
    )
    def test_on_codes(self, body: str, message: str, near: Instance, factory: Factory) -> None:
        subject = Subject(factory=factory(body))
        with pytest.raises(AuditError, match=message) as caught:
            check(near, subject)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        ("output", "message"),
        [
            ("3", "type int .*, not a string or a vector of numbers"),
            *((output, "type list") for output in ("[]", "[[1.0]]", "[1.0, 'x']", "[1.0, 1j]")),
            ("[1.0, float('nan')]", "NaN, infinite or beyond float32"),
            ("[1e39]", "NaN, infinite or beyond float32"),
            ("[1.0] * len(word)", "a vector of . numbers .* after a vector of . numbers"),
            ("'x' if word == 'a' else [1.0]", "after a string|a string for .* after a vector"),
        ],
    )
    def test_on_vectors(self, output: str, message: str, factory: Factory) -> None:
        name = factory(f"def make(words, vectors, epsilon): return lambda word: {output}")
        words = ["a", "bb", *(f"w{i}" for i in range(28))]
        own = vector_instances(words, np.random.default_rng(0).random((30, 2), np.float32)).own
        with pytest.raises(AuditError, match=message):
            check(own, Subject(factory=name))

    def test_on_texts(self, instances: Instances, factory: Factory) -> None:
        name = factory(
            "def make(bundle, epsilon):\n"
            "    release = lambda word: 'x'\n"
            "    release.text = lambda text: 1 / 0\n"
            "    return release\n"
        )
        with pytest.raises(AuditError, match="text raised ZeroDivisionError: division by zero for"):
            compare(instances, Subject(factory=name), "texts", FEW)

    @pytest.mark.usefixtures("one_worker")
    @pytest.mark.parametrize(
        ("body", "message"),
        [
            (
                "import os, signal\ndef make(bundle, epsilon):\n"
                "    return lambda word: os.kill(os.getpid(), signal.SIGKILL)",
                r"early \(signal 9\)$",
            ),
            (
                "import os, sys\ndef make(bundle, epsilon):\n"
                "    print('what went wrong', file=sys.stderr, flush=True)\n"
                "    os._exit(3)",
                r"early \(exit code 3\).*: what went wrong$",
            ),
            (
                "import os\ndef make(bundle, epsilon): os.closerange(3, 99); return lambda w: w",
                "early",
            ),
            (
                "import os\ndef make(bundle, epsilon):\n"
                "    for number in range(3, 20):\n"
                "        try: os.write(number, b'x' * 99)\n"
                "        except OSError: pass\n"
                "    return lambda word: word",
                "sent something that isn't an answer",
            ),
        ],
    )
    def test_a_process_that_ends_is_an_error(
        self,
        body: str,
        message: str,
        instances: Instances,
        factory: Factory,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(processes, "_END_SECONDS", 600.0)  # a busy machine takes its time
        with pytest.raises(AuditError, match=message) as caught:
            fresh(factory(body), instances, tmp_path)
        assert "\n" not in str(caught.value)

    @pytest.mark.usefixtures("one_worker")
    def test_a_process_that_hangs_is_an_error(
        self,
        opened: WordBundle,
        factory: Factory,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(processes, "ANSWER_SECONDS", 3.0)
        name = factory("import time\ndef make(bundle, epsilon): return lambda word: time.sleep(99)")
        with pytest.raises(AuditError, match="gave no answer for 3 s"):
            audit_factory(opened, name, samples=FEW, progress=False)

    def test_answers(self) -> None:
        for content in ("", "x", "[]", "3", '{"words": [3]}', '{"count": 1}'):
            with pytest.raises(ValueError, match="not an answer"):
                decode(content.encode())
        words: list[Output] = ["x", None, "naïve", "\ud800"]
        assert decode(encode(words)) == (words, None)
        vectors: list[Output] = [None, np.array([1, 2], np.float32), None]
        found, error = decode(encode(vectors))
        assert error is None
        assert [None if v is None else list(v) for v in found] == [None, [1.0, 2.0], None]


class Asked(Processes):
    """Processes that give facts on random bytes."""

    def __init__(self, source: str, alone: Sequence[bytes], together: bytes) -> None:
        self.facts: list[Output] = [source, *(one.hex() for one in alone), together.hex()]

    def ask(self, request: Request) -> list[Output]:
        return self.facts


WORDS_ALONE = 1_200
RIGHT = [os.urandom(8) for _ in range(WORDS_ALONE)]


class TestRandomSource:
    """That of the mechanisms is right in TestRight and TestCommand."""

    @pytest.mark.parametrize(
        ("source", "alone", "together", "message"),
        [
            ("other", RIGHT, os.urandom(8 * WORDS_ALONE), "don't come from os.urandom"),
            ("system", [b"", *RIGHT[1:]], os.urandom(8 * WORDS_ALONE), "without random bytes"),
            ("system", RIGHT, os.urandom(8 * WORDS_ALONE - 8), "they share noise"),
            ("system", RIGHT, os.urandom(8) * WORDS_ALONE, "1,199 of 2,400 blocks"),
            ("system", [RIGHT[1], *RIGHT[1:]], os.urandom(8 * WORDS_ALONE), "1 of 2,400 blocks"),
            ("unknown", [b"", *RIGHT[1:]], RIGHT[9], "1 of 1,200 blocks"),
        ],
        ids=["another source", "none", "shared", "all the same", "one again", "one of a factory's"],
    )
    def test_wrong(
        self,
        source: str,
        alone: Sequence[bytes],
        together: bytes,
        message: str,
        instances: Instances,
    ) -> None:
        part = audit_random_source(Asked(source, alone, together), 0, instances.quiet, ALPHA)
        assert not part.passed
        assert message in part.detail
        assert ";" not in part.detail

    @pytest.mark.parametrize(
        ("source", "together", "message"),
        [
            ("system", os.urandom(8 * WORDS_ALONE), "os.urandom; 8 bytes or more a word; 2,400"),
            ("unknown", b"", "1,200 blocks all differ"),
        ],
    )
    def test_right(self, source: str, together: bytes, message: str, instances: Instances) -> None:
        part = audit_random_source(Asked(source, RIGHT, together), 0, instances.quiet, ALPHA)
        assert part.passed
        assert part.detail.startswith(message)

    @pytest.mark.parametrize(
        ("subject", "message"),
        [
            (Subject(factory=BROKEN + "bytes_used_twice"), "blocks of 8 bytes came again"),
            (Subject(factory=BROKEN + "noise_shared_by_two_words"), "blocks of 8 bytes came again"),
            (Subject(factory=BROKEN + "noise_of_a_ring"), "they weren't tested"),
            (Subject("exponential"), "os.urandom; 16 bytes or more"),
            (Subject("vickrey"), "os.urandom; "),
        ],
        ids=str,
    )
    def test_of_running_code(
        self, subject: Subject, message: str, instances: Instances, tmp_path: Path
    ) -> None:
        """A request in 1,000 is one of 2,400 at least."""
        with processes.start(subject, [instances.quiet], tmp_path) as running:
            part = audit_random_source(running, 0, instances.quiet, ALPHA)
        assert message in part.detail
        assert part.passed == ("again" not in message)


class TestCommand:
    @pytest.mark.usefixtures("few_samples")
    @pytest.mark.false_alarm(RATE)
    def test_passes(self, brr: Brr, sample_bundle: Path, tmp_path: Path) -> None:
        files = tmp_path / "audit.json", tmp_path / "audit.xml"
        outcome = brr(
            "audit", sample_bundle, "--mechanism", "vickrey", "-t", 0.25,
            "--samples", FEWEST, *SELDOM, "--json", files[0], "--junit", files[1],
        )  # fmt: skip
        assert (outcome.code, outcome.err) == (0, "")
        lines = outcome.out.splitlines()
        assert [line[6:24].strip() for line in lines[:-2]] == PARTS
        assert lines[-2].startswith("not tested: leaks too rare to show in --samples draws; ")
        unseen = json.loads(files[0].read_text())["unseen"]
        assert lines[-2] == f"not tested: {'; '.join(unseen)}"
        assert "vickrey (t = 0.25) passed " in lines[-1]
        assert json.loads(files[0].read_text())["passed"] is True
        assert ElementTree.fromstring(files[1].read_text()).get("failures") == "0"

    @pytest.mark.usefixtures("few_samples")
    @pytest.mark.false_alarm(RATE)
    def test_of_the_recommended_setting(self, brr: Brr, bundle: Path) -> None:
        setting = Setting(0.6, parameters={"radius": 8, "cap": 12.0}, goal="a test")
        certificate = certify(WordBundle.open(bundle), setting)
        write_recommended(bundle, replace(setting, certificate=certificate))
        outcome = brr("audit", bundle, "--samples", FEWEST, *SELDOM)
        assert (outcome.code, outcome.err) == (0, "")
        names = [line[6:24].strip() for line in outcome.out.splitlines()[:-2]]
        assert names == [*PARTS[:4], "cap", "recommended", *PARTS[4:]]
        assert "exponential (radius = 8, cap = 12.0, base = unigram)" in outcome.out

    @pytest.mark.usefixtures("few_samples")
    @pytest.mark.false_alarm(RATE)
    def test_fails(self, brr: Brr, sample_bundle: Path, tmp_path: Path) -> None:
        """What it says, and both reports in full."""
        files = tmp_path / "audit.json", tmp_path / "audit.xml"
        outcome = brr(
            "audit", sample_bundle, "--factory", BROKEN + "fixed_seed",
            "--samples", FEWEST, *SELDOM, "--json", files[0], "--junit", files[1],
        )  # fmt: skip
        assert outcome.code == 1
        assert outcome.err.count("\n") == 1
        assert "failed: fresh noise" in outcome.err
        content = json.loads(files[0].read_text())
        assert content["passed"] is False
        assert content["subject"] == BROKEN + "fixed_seed"
        assert content["metric"] == "hamming"
        assert "has no method text" in content["unseen"][0]
        assert [part["name"] for part in content["parts"]] == [
            name for name in PARTS if name not in OF_TEXTS
        ]
        assert [part["name"] for part in content["parts"] if not part["passed"]] == ["fresh noise"]
        assert set(content["parts"][0]["pairs"][0]) == {
            "first", "second", "distance", "claimed", "event", "counts", "privacy_loss",
        }  # fmt: skip
        suite = ElementTree.fromstring(files[1].read_text())
        assert (suite.get("tests"), suite.get("failures")) == ("13", "1")
        assert [case.get("name") for case in suite if case.find("failure") is not None] == [
            "fresh noise"
        ]

    @pytest.mark.usefixtures("few_samples")
    @pytest.mark.false_alarm(RATE)
    def test_euclidean(self, brr: Brr, sample_bundle: Path) -> None:
        outcome = brr(
            "audit", sample_bundle, "--factory", FULL_SIZE + "laplace",
            "--metric", "euclidean", "--embeddings", ENCYCLOPEDIA, "--samples", FEWEST, *SELDOM,
        )  # fmt: skip
        assert (outcome.code, outcome.err) == (0, "")
        assert [line[6:24].strip() for line in outcome.out.splitlines()[:-2]] == [
            "plane", "own vectors", "unknown words", "capitals", "successive calls",
            "returned words", "rare pairs", "shared noise", "fresh noise", "random source",
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            ([], 1, "the bundle recommends no setting; give --epsilon"),
            (["-t", 1], 2, "parameters are for --mechanism"),
            (["--metric", "euclidean"], 2, "--metric euclidean is for --factory"),
            (["--mechanism", "brr", "--factory", "a:b"], 2, "one of --mechanism and --factory"),
            (["--factory", "a:b", "-t", 1], 2, "only --radius goes with --factory"),
            (["--factory", "a:b", "--metric", "euclidean"], 2, "--embeddings go together"),
            (["--factory", "a:b", "--embeddings", "x"], 2, "--embeddings go together"),
            (["--mechanism", "laplace"], 1, "there is no such mechanism"),
            (["--epsilon", 1, "--factory", "a:b"], 2, "--epsilon is of a mechanism"),
            (["--mechanism", "brr", "-t", 1], 1, "mechanism 'brr' has no parameter 't'"),
            (["--mechanism", "vickrey", *["-t", 1] * 13], 1, "12 words"),
            (["--mechanism", "brr", "--samples", 999], 1, "samples must be from 1,000 to"),
            (["--mechanism", "brr", "--false-alarm-rate", 0], 1, "must be from 1e-12 to 0.5"),
            (["--mechanism", "brr", "--false-alarm-rate", "nan"], 2, "nan isn't a finite number"),
        ],
    )
    def test_wrong_use(
        self, arguments: list[object], code: int, message: str, brr: Brr, sample_bundle: Path
    ) -> None:
        outcome = brr("audit", sample_bundle, *arguments)
        assert outcome.code == code
        assert outcome.err.count("\n") == 1
        assert message in outcome.err

    def test_embeddings_of_other_words(self, brr: Brr, sample_bundle: Path, tmp_path: Path) -> None:
        other = tmp_path / "other.txt"
        other.write_bytes(toy_embeddings(30))
        outcome = brr(
            "audit", sample_bundle, "--factory", FULL_SIZE + "laplace",
            "--metric", "euclidean", "--embeddings", other,
        )  # fmt: skip
        assert (outcome.code, outcome.err.count("\n")) == (1, 1)
        assert "its words aren't the bundle's" in outcome.err

    def test_a_process_that_ends_gives_no_report_and_leaves_nothing(
        self, brr: Brr, sample_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        temporary = tmp_path / "temporary"
        temporary.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(temporary))
        (tmp_path / "audited_ends.py").write_text(
            "import os\ndef make(bundle, epsilon): return lambda word: os._exit(0)"
        )
        monkeypatch.chdir(tmp_path)
        outcome = brr("audit", sample_bundle, "--factory", "audited_ends:make", "--json", "a.json")
        assert (outcome.code, outcome.err.count("\n")) == (1, 1)
        assert "ended its process early (exit code 0)" in outcome.err
        assert not (tmp_path / "a.json").exists()
        assert leftovers(temporary) == []
