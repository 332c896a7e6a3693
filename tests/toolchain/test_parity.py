"""The reference and the golden cases, against the runtime and against the specification."""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bundle_tools import ENCYCLOPEDIA
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from brrkit import (
    BrrError,
    Counts,
    Passing,
    Policy,
    Privatizer,
    Reporter,
    Stream,
    WordBundle,
    exact,
    randomness,
)
from brrkit.bundle import PARITY
from brrkit.exact import EPSILON_MAX, EPSILON_MIN
from brrkit.masses import LEVELS, Masses
from brrkit.mechanisms import MECHANISMS, exponential, vickrey
from brrkit.mechanisms.exponential import BASES, BIGRAM
from brrkit.mechanisms.vickrey import Vickrey
from brrkit.setting import CountsSetting, Setting
from brrkit.tokenizer import Tokenizer, look_up, tokenize
from brrkit_toolchain.bundle import reference
from brrkit_toolchain.bundle.build import build_bundle
from brrkit_toolchain.bundle.parity import contents_of, golden_cases
from brrkit_toolchain.bundle.parity_inputs import BOUNDARY_EPSILONS, EPSILONS, UNKNOWN_WORD
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.bundle.reference import numbers
from brrkit_toolchain.bundle.verify.golden import golden_cases as verify_golden
from brrkit_toolchain.bundle.verify.golden import privatizer_of
from brrkit_toolchain.bundle.verify.outcome import CheckError
from brrkit_toolchain.bundle.writer import encode_json, model_of
from brrkit_toolchain.embeddings import read_embeddings
from brrkit_toolchain.language.model import model_of_ranks
from brrkit_toolchain.language.word_sample import zipf

CONFORMANCE = Path(__file__).parents[2] / "spec" / "conformance"

epsilons = st.floats(EPSILON_MIN, EPSILON_MAX)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of 2,000 words x 64 bits with bigrams."""
    made = tmp_path_factory.mktemp("parity")
    # Each frequent word is followed by some, so that what was released before matters.
    source = np.random.default_rng(0)
    words = read_embeddings(ENCYCLOPEDIA, vocabulary_size=2000, progress=False).words
    text = made / "text.txt"
    lines = source.choice(words, (2_000, 20), p=zipf(np.arange(2000)))
    text.write_text("\n".join(" ".join(line) for line in lines))
    build_bundle(
        ENCYCLOPEDIA,
        made / "bundle",
        BuildPlan(method="lsh", vocabulary_size=2000, text=text, least=2),
    )
    return made / "bundle"


@pytest.fixture(scope="module")
def opened(folder: Path) -> WordBundle:
    return WordBundle.open(folder)


@pytest.fixture(scope="module")
def golden(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / PARITY).read_bytes())
    return content


CALL = {"mechanism", "epsilon", "parameters", "oov", "random", "outputs"}


def called(privatizer: Privatizer, case: dict[str, Any]) -> list[str]:
    """Return what a call with several words releases."""
    return privatizer.words(case["words"]) if "words" in case else privatizer.texts(case["texts"])


def one_by_one(privatizer: Privatizer, case: dict[str, Any]) -> list[str | None]:
    stream = privatizer.stream()
    return [stream.word(word) for word in case["words"]]


def reproduced(
    bundle: WordBundle,
    case: dict[str, Any],
    released: Callable[[Privatizer, dict[str, Any]], Sequence[str | None]],
) -> bool:
    """Tell whether ``released`` gives a case's outputs and takes all of its bytes."""
    random = BytesIO(bytes.fromhex(case["random"]))
    try:
        outputs = released(privatizer_of(bundle, case, random.read), case)
    except BrrError:  # more bytes are wanted than there are
        return False
    return outputs == case["outputs"] and not random.read()


def wrong(bundle: WordBundle, golden: dict[str, Any]) -> set[str]:
    """Return the mechanisms that don't reproduce a case, with the bytes that it takes."""

    def released(privatizer: Privatizer, case: dict[str, Any]) -> list[str | None]:
        before = bundle.vocabulary.find(case["before"]) if "before" in case else None
        return [Stream(privatizer, before).word(case["word"])]

    cases = ({**case, "outputs": [case["output"]]} for case in golden["cases"])
    return {case["mechanism"] for case in cases if not reproduced(bundle, case, released)}


def reporter_of(bundle: WordBundle, case: dict[str, Any], random: BytesIO) -> Reporter:
    """Return what takes the sample that a case describes."""
    setting = CountsSetting(case["cap"], case["words_a_day"])
    return Reporter(Counts(bundle, setting, random=random.read), random=random.read)


class TestReference:
    @given(epsilons)
    def test_threshold_is_the_runtimes(self, epsilon: float) -> None:
        assert reference.flip_threshold(epsilon) == exact.flip_threshold(epsilon)

    @given(
        epsilons,
        st.sampled_from([64, 256, 512]),
        st.integers(2, 2**47),
        st.none() | st.floats(exact.CAP_MIN, exact.CAP_MAX),
    )
    def test_weights_are_the_runtimes(
        self, epsilon: float, bits: int, total: int, cap: float | None
    ) -> None:
        expected = exact.weight_table(epsilon, bits, total, bits // 5, cap)
        floor = None if cap is None else Fraction(cap)
        found = reference.weight_table(Fraction(epsilon), bits, total, bits // 5, floor)
        assert [*found] == expected

    def test_masses_are_the_runtimes(self) -> None:
        assert [numbers.mass(byte) for byte in range(256)] == LEVELS.tolist()

    @given(st.fractions(0, 25))
    def test_decay_is_the_runtimes(self, x: Fraction) -> None:
        assert numbers.floor_exp(2**32, -x) == exact.decay(x)

    @given(st.integers(1, 2**63), st.binary(min_size=8, max_size=64))
    def test_uniform_integers_are_the_runtimes(self, bound: int, random: bytes) -> None:
        random += bytes(8 + -len(random) % 8)  # whole numbers; zero ends every search
        here, there = BytesIO(random), BytesIO(random)
        number = reference.uniform_below(bound, here.read)
        assert number == randomness.uniform_below(bound, there.read)
        assert here.tell() == there.tell()
        assert 0 <= number < bound

    @pytest.mark.parametrize("bound", [1, 2, 3, 256, 257])
    def test_uniform_integers_are_uniform(self, bound: int) -> None:
        # Every value of the low bits once: each result comes out equally often.
        counts: Counter[int] = Counter()
        for low in range(2 ** (bound - 1).bit_length()):
            numbers = iter([(2**63 + low).to_bytes(8, "little"), None])
            try:
                counts[reference.uniform_below(bound, lambda size, n=numbers: next(n))] += 1
            except TypeError:
                assert low >= bound  # rejected: another number is asked for
        assert counts == dict.fromkeys(range(bound), 1)

    @given(st.lists(st.integers(0, 5), min_size=1, max_size=6).filter(any), st.data())
    def test_pick_gives_each_index_its_weight(self, weights: list[int], data: Any) -> None:
        picked = Counter(numbers.pick(weights, number) for number in range(sum(weights)))
        assert [picked[index] for index in range(len(weights))] == weights

    def test_flip_follows_the_specification(self) -> None:
        numbers = np.full(64, 2**31 - 1, "<i4")
        numbers[[0, 9, 63]] = [-(2**31), 4 - 2**31, 5 - 2**31]  # below, below, at T = 5
        flipped = reference.flip(bytes(8), numbers.tobytes(), threshold=5)
        assert flipped == bytes([0b1, 0b10, 0, 0, 0, 0, 0, 0])
        assert reference.flip(b"\xff" * 8, numbers.tobytes(), 5)[:2] == bytes([0xFE, 0xFD])


def boundary_epsilons() -> list[float]:
    """Return 4,500 doubles next to where a threshold changes, at random thresholds."""
    generator = np.random.default_rng(0)
    found = []
    with localcontext() as context:
        context.prec = 60
        for threshold in generator.integers(2, 2**31, 1500).tolist():
            nearest = float((Decimal(2**32 - threshold) / threshold).ln())
            found += [math.nextafter(nearest, 0), nearest, math.nextafter(nearest, 99)]
    return found


def in_doubles(epsilon: float) -> list[int]:
    """Return the threshold as one might compute it without care, in several ways."""
    growth = math.exp(epsilon)
    return [
        math.ceil(2**32 / (1 + growth)),
        math.ceil(2**32 * (1 / (1 + growth))),
        math.ceil(2**32 * float(expit(-epsilon))),
        math.ceil(2**32 * math.exp(-epsilon) / (1 + math.exp(-epsilon))),
        math.ceil(float(np.exp2(32) / (1 + np.exp(epsilon)))),
    ]


class TestBoundaryEpsilons:
    def test_thresholds_in_doubles_are_less_private_there(self) -> None:
        less = [e for e in boundary_epsilons() if in_doubles(e)[0] < exact.flip_threshold(e)]
        assert len(less) > 900

    @pytest.mark.parametrize("epsilon", BOUNDARY_EPSILONS)
    def test_the_golden_ones_are_such(self, epsilon: float) -> None:
        threshold = exact.flip_threshold(epsilon)
        assert in_doubles(epsilon) == [threshold - 1] * 5
        assert exact.flip_threshold(epsilon + 2 * math.ulp(epsilon)) == threshold - 1


class TestGoldenCases:
    def test_runtime_reproduces_every_case_and_consumes_its_bytes(
        self, opened: WordBundle, golden: dict[str, Any]
    ) -> None:
        assert wrong(opened, golden) == set()

    def test_no_flip_and_all_flips_are_covered(
        self, opened: WordBundle, golden: dict[str, Any]
    ) -> None:
        flips = []
        for case in golden["cases"]:
            word_id = opened.vocabulary.find(case["word"])
            if case["mechanism"] == "brr" and word_id is not None:
                code, noised = opened.codes[word_id].tobytes(), bytes.fromhex(case["noised"])
                flips.append(sum((a ^ b).bit_count() for a, b in zip(code, noised, strict=True)))
        assert {0, opened.bits} <= set(flips)

    def test_cases_have_the_documented_fields(self, golden: dict[str, Any]) -> None:
        always = {"mechanism", "epsilon", "word", "random", "output", "distance"}
        more = {
            "brr": {"threshold", "noised"},
            "vickrey": {"parameters", "threshold", "noised", "rank"},
            "exponential": set(),
        }
        for case in golden["cases"]:
            given = {"parameters"} if case["mechanism"] == "exponential" else set()
            assert set(case) - given - {"before"} == always | more[case["mechanism"]]
        radii = {case.get("parameters", {}).get("radius") for case in golden["cases"]}
        assert {None, 0, 8, 64} < radii
        vickrey = [case for case in golden["cases"] if case["mechanism"] == "vickrey"]
        assert {type(case["parameters"]["t"]) for case in vickrey} == {float, list}

    @pytest.mark.parametrize("kind", ["cases", "memory"])
    def test_every_mechanism_meets_words_inside_and_outside(
        self, opened: WordBundle, golden: dict[str, Any], kind: str
    ) -> None:
        find = opened.vocabulary.find
        met = {(c["mechanism"], look_up(c["word"], find) is not None) for c in golden[kind]}
        assert met == set(product(MECHANISMS, [True, False]))
        # As they stand, as forms, and as what is no token.
        assert find(UNKNOWN_WORD) is None
        words = {case["word"] for case in golden["cases"]}
        assert {UNKNOWN_WORD, "hello, world", f"{opened.vocabulary.word(0).upper()}’s"} <= words

    def test_every_base_is_met_with_and_without_a_cap_and_a_word_before(
        self, golden: dict[str, Any]
    ) -> None:
        met = {
            (case.get("parameters", {}).get("base"), "before" in case)
            for case in golden["cases"]
            if case["mechanism"] == "exponential"
        }
        assert met == set(product([None, *BASES], [True, False]))
        caps = {case.get("parameters", {}).get("cap") is None for case in golden["cases"]}
        assert caps == {True, False}

    def test_masses_and_gains_decide_cases(
        self, opened: WordBundle, golden: dict[str, Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A reader that leaves out the one or the other gives other words."""
        for name, left_out, mechanisms in (
            (
                "following",
                lambda self, before: (np.zeros(0, np.intp), np.zeros(0, np.int64)),
                {"exponential"},
            ),
            # Unknown words are drawn by them, whatever the mechanism.
            ("words", property(lambda self: np.ones(len(opened), np.uint8)), set(MECHANISMS)),
        ):
            with monkeypatch.context() as patch:
                patch.setattr(Masses, name, left_out, raising=False)
                assert wrong(opened, golden) == mechanisms

    def test_streams_are_the_runtime_s(self, opened: WordBundle, golden: dict[str, Any]) -> None:
        assert {stream["mechanism"] for stream in golden["streams"]} == set(MECHANISMS)
        for case in golden["streams"]:
            assert set(case) == {*CALL, "words"}
            assert reproduced(opened, case, one_by_one)

    def test_calls_are_the_runtime_s(self, opened: WordBundle, golden: dict[str, Any]) -> None:
        assert all(reproduced(opened, case, called) for case in golden["calls"])
        met = [(c["mechanism"], c["oov"], "words" in c, "texts" in c) for c in golden["calls"]]
        kinds = [(True, False), (False, True)]
        every = product(MECHANISMS, ["random", "drop"], kinds)
        assert set(met) == {(name, oov, *kind) for name, oov, kind in every}
        assert all(set(case) - {"words", "texts"} == CALL for case in golden["calls"])
        bases = [c["parameters"].get("base") for c in golden["calls"] + golden["streams"]]
        assert {None, BIGRAM} <= set(bases)

    def test_samples_are_the_runtime_s(self, opened: WordBundle, golden: dict[str, Any]) -> None:
        for case in golden["samples"]:
            assert set(case) == {"cap", "words_a_day", "words", "random", "outputs"}
            random = BytesIO(bytes.fromhex(case["random"]))
            reporter = reporter_of(opened, case, random)
            reporter.add(case["words"])
            assert reporter._sample == case["outputs"]
            assert random.read() == b""
        sizes = {case["words_a_day"] - len(case["words"]) for case in golden["samples"]}
        assert {0, -1} < sizes

    @pytest.mark.parametrize("mechanism", MECHANISMS)
    def test_words_one_after_the_other_are_no_call(
        self, opened: WordBundle, golden: dict[str, Any], mechanism: str
    ) -> None:
        cases = [c for c in golden["calls"] if (c["oov"], "words" in c) == ("random", True)]
        cases = [c for c in cases if c["mechanism"] == mechanism]
        assert cases
        assert not any(reproduced(opened, case, one_by_one) for case in cases)

    @pytest.mark.parametrize("mechanism", MECHANISMS)
    def test_texts_are_no_call_of_all_their_words(
        self,
        opened: WordBundle,
        golden: dict[str, Any],
        monkeypatch: pytest.MonkeyPatch,
        mechanism: str,
    ) -> None:
        """Unknown words of all texts take their bytes first; each text still has a history."""

        def unknown_first(
            self: Privatizer, texts: Sequence[Sequence[int | None]], before: int | None = None
        ) -> list[list[int]]:
            found = [[*each] for each in texts]
            for each in found:
                for place, word_id in enumerate(each):
                    if word_id is None:
                        each[place] = randomness.uniform_below(len(opened), self._random)
            return [self._drawn(each, [self._random] * len(each), before) for each in found]

        monkeypatch.setattr(Privatizer, "_released", unknown_first)
        cases = [c for c in golden["calls"] if (c["oov"], "texts" in c) == ("random", True)]
        cases = [c for c in cases if c["mechanism"] == mechanism]
        assert cases
        assert not any(reproduced(opened, case, called) for case in cases)

    @pytest.mark.parametrize("kind", ["words", "texts", "stream"])
    def test_a_dropped_word_is_no_end_of_a_text(
        self, opened: WordBundle, golden: dict[str, Any], kind: str
    ) -> None:
        def in_pieces(privatizer: Privatizer, words: Sequence[str]) -> list[str | None]:
            stream, released = privatizer.stream(), []
            for word in words:
                released.append(stream.word(word))
                if released[-1] is None:
                    stream = privatizer.stream()
            return released

        def released(privatizer: Privatizer, case: dict[str, Any]) -> list[str | None]:
            if "texts" not in case:
                found = in_pieces(privatizer, case["words"])
                return found if kind == "stream" else [word for word in found if word]
            pieces = [in_pieces(privatizer, tokenize(text)) for text in case["texts"]]
            return [" ".join(word for word in piece if word) for piece in pieces]

        cases = golden["streams"] if kind == "stream" else [c for c in golden["calls"] if kind in c]
        cases = [c for c in cases if (c["mechanism"], c["oov"]) == ("exponential", "drop")]
        assert cases
        assert not all(reproduced(opened, case, released) for case in cases)

    def test_a_place_isn_t_drawn_before_the_next_word(
        self, opened: WordBundle, golden: dict[str, Any]
    ) -> None:
        for case in golden["samples"]:
            reporter = reporter_of(opened, case, BytesIO(bytes.fromhex(case["random"])))
            try:
                for word in case["words"]:
                    reporter.add([word])
            except BrrError:  # more bytes are wanted than there are
                continue
            same = reporter._sample == case["outputs"]
            assert same == (case["words_a_day"] + 1 >= len(case["words"]))

    def test_thresholds_and_texts_are_there(self, golden: dict[str, Any]) -> None:
        epsilons = [entry["epsilon"] for entry in golden["thresholds"]]
        assert epsilons == [*EPSILONS, *BOUNDARY_EPSILONS]
        assert any(entry["words"] for entry in golden["texts"])
        assert any(not entry["words"] for entry in golden["texts"])
        for entry in golden["texts"]:
            assert set(entry) == {"text", "tokens", "words", "finished"}
            assert len(entry["tokens"]) == len(entry["words"])

    @pytest.mark.parametrize("mechanism", ["vickrey", "exponential"])
    def test_a_choice_changes_exactly_at_the_boundary(
        self, golden: dict[str, Any], mechanism: str
    ) -> None:
        """Neighboring integers, from which different words come, after the same noise."""
        ends: dict[tuple[str, str], dict[int, str]] = {}
        for case in golden["cases"]:
            if case["mechanism"] == mechanism and case["epsilon"] == 1.0:
                random = bytes.fromhex(case["random"])
                noise = 256 if mechanism == "vickrey" else 0
                number = int.from_bytes(random[noise : noise + 8], "little")
                key = (f"{case.get('parameters')}", random[:noise].hex())
                ends.setdefault(key, {})[number] = case["output"]
        changes = [
            (key, number)
            for key, outputs in ends.items()
            for number, output in outputs.items()
            if outputs.get(number + 1, output) != output
        ]
        assert len({key for key, _ in changes}) >= (3 if mechanism == "vickrey" else 1)

    def test_a_wrong_comparison_changes_a_case(
        self, opened: WordBundle, golden: dict[str, Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """number <= cumulative instead of <, in Vickrey; the bound itself, in uniform integers."""

        def choose(self: Any, distances: list[int], random: Any) -> int:
            weights = self.choice_weights(distances)
            number = randomness.uniform_below(sum(weights), random)
            rank = 0
            while number > weights[rank]:
                number -= weights[rank]
                rank += 1
            return rank

        with monkeypatch.context() as patch:
            patch.setattr(Vickrey, "_choose", choose)
            assert wrong(opened, golden) >= {"vickrey"}

        def with_the_bound(bound: int, random: Any) -> int:
            mask = (1 << (bound - 1).bit_length()) - 1
            while (number := int.from_bytes(random(8), "little") & mask) > bound:
                pass
            return min(number, bound - 1)

        for module in (vickrey, exponential):
            with monkeypatch.context() as patch:
                patch.setattr(module, "uniform_below", with_the_bound)
                assert wrong(opened, golden)

    def test_same_seed_same_cases(self, opened: WordBundle) -> None:
        words = list(opened.vocabulary)
        first, again, other = (
            golden_cases(words, opened.codes, model_of(opened), seed, opened.digest)
            for seed in (1, 1, 2)
        )
        assert first == again
        assert first["cases"] != other["cases"]

    def test_memory_cases_have_the_documented_fields(self, golden: dict[str, Any]) -> None:
        fields = {"mechanism", "word", "epsilon", "second_epsilon", "number", "key", "first"}
        for case in golden["memory"]:
            assert set(case) - {"parameters", "before"} == {*fields, "random", "output"}
        assert any(case["first"] != case["output"] for case in golden["memory"])

    def test_marked_texts_have_the_documented_fields(self, golden: dict[str, Any]) -> None:
        for case in golden["marked"]:
            assert set(case) - {"rest"} == (CALL - {"outputs"}) | {"text", "marks", "output"}
        met = {(case["mechanism"], case["oov"], case.get("rest")) for case in golden["marked"]}
        assert met == set(product(MECHANISMS, ["random", "drop"], [None, "pass"]))

    @pytest.mark.parametrize("size", [2, 11])
    def test_small_vocabularies(self, size: int) -> None:
        codes = np.random.default_rng(size).integers(0, 2**64, (size, 2), np.uint64)
        words = [f"w{i}" for i in range(size)]
        golden = golden_cases(words, codes, model_of_ranks(size), 0, "unit")
        assert {case["mechanism"] for case in golden["cases"]} == set(MECHANISMS)
        assert all(case["output"] in words for case in golden["cases"])
        assert all(set(" ".join(c["outputs"]).split()) <= {*words} for c in golden["calls"])


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, WordBundle]:
    """A bundle with a policy, and a folder with all golden cases of it."""
    bundle, made = WordBundle.open(CONFORMANCE / "policy"), tmp_path_factory.mktemp("policy")
    words = list(bundle.vocabulary)
    cases = golden_cases(words, bundle.codes, model_of(bundle), 5, bundle.digest, bundle.manifest)
    (made / PARITY).write_bytes(encode_json(cases))
    return made, bundle


def test_a_policys_cases_are_the_runtime_s(guarded: tuple[Path, WordBundle]) -> None:
    assert "marked" in verify_golden(*guarded)


@pytest.mark.parametrize(
    ("owner", "name", "broken"),
    [
        (Policy, "typed_as", lambda self, string, word_id: word_id),
        (Passing, "coin", lambda self, typed, random: bool(random(8)) and False),
        (Passing, "coin", lambda self, typed, random: bool(random(8)) and typed in self.words),
        (Tokenizer, "is_inner", lambda self, character: False),
    ],
)
def test_a_broken_policy_reproduces_no_cases(
    guarded: tuple[Path, WordBundle],
    owner: type,
    name: str,
    broken: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(owner, name, broken)
    with pytest.raises(CheckError, match=r"other words|another output"):
        verify_golden(*guarded)


@pytest.mark.parametrize(
    ("mechanism", "parameters"),
    [
        ("brr", {}),
        ("vickrey", {"t": 0.7}),
        ("vickrey", {"t": [0.2, 0.0, 0.01, 1.5]}),
        ("exponential", {}),
        ("exponential", {"base": "uniform"}),
        ("exponential", {"base": "unigram", "cap": 7.5}),
        ("exponential", {"base": "bigram", "cap": 20.0, "radius": 16}),
    ],
)
def test_reference_and_runtime_agree_on_fresh_randomness(
    opened: WordBundle, mechanism: str, parameters: dict[str, Any]
) -> None:
    generator = np.random.default_rng()
    for word_id in generator.integers(0, len(opened), 40).tolist():
        epsilon = float(generator.uniform(0.01, 3))
        drawn = bytearray()

        def record(size: int, drawn: bytearray = drawn) -> bytes:
            drawn.extend(part := os.urandom(size))
            return part

        before = None if word_id % 3 == 0 else word_id % 40
        release = reference.MECHANISMS[mechanism].release(
            contents_of(opened.codes, model_of(opened)),
            opened.codes[word_id].tobytes(),
            epsilon,
            record,
            before,
            **parameters,
        )
        replayed = BytesIO(bytes(drawn))
        privatizer = Privatizer(
            opened, Setting(epsilon, mechanism, parameters), random=replayed.read
        )
        released = Stream(privatizer, before).word(opened.vocabulary.word(word_id))
        assert released == opened.vocabulary.word(release.word_id)
        assert replayed.read() == b""
