"""The programs of the proofs draw what the runtime draws: Coq runs them on the same bytes."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from brrkit import (
    Counts,
    Frames,
    Passing,
    Policy,
    Privatizer,
    Reporter,
    TextReporter,
    WordBundle,
)
from brrkit.counts import RandomizedResponse
from brrkit.exact import exp_bounds
from brrkit.masses import LEVELS
from brrkit.mechanisms.exponential import BASES, Exponential
from brrkit.randomness import uniform_below
from brrkit.setting import CountsSetting, Setting
from brrkit.tables import exponential_lines
from brrkit_toolchain import BuildPlan, build_bundle

THEORIES = Path(__file__).parents[2] / "proofs" / "theories"
WORDS = 24

HEADER = """
From Coq Require Import List NArith.
From Brrkit Require Import Hamming Program Uniform Draw Counts Sample Passing ExpBounds Checker.
Import ListNotations.
Open Scope N_scope.
Definition bits (n : nat) (c : N) : list bool := map (N.testbit_nat c) (seq 0 n).
"""

Evaluate = Callable[..., None]


@pytest.fixture
def agree(tmp_path: Path) -> Evaluate:
    """Fail unless Coq computes the second of each pair for the first one, after definitions."""
    if not shutil.which("coqc") or not (THEORIES / "Checker.vo").is_file():
        pytest.skip("the proofs aren't compiled; 'make proofs' does that, with Coq")

    def check(pairs: Iterable[tuple[str, str]], definitions: str = "") -> None:
        goals = "".join(f"Goal {a} = {b}. vm_compute. reflexivity. Qed.\n" for a, b in pairs)
        assert goals
        file = tmp_path / "Drawn.v"
        file.write_text(HEADER + definitions + goals, "utf-8")
        command = ["coqc", "-q", "-Q", THEORIES, "Brrkit", file]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr[-2000:]

    return check


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> WordBundle:
    """A few words of 64 bits, with masses and bigrams."""
    folder = tmp_path_factory.mktemp("small")
    words = [f"w{i}" for i in range(WORDS)]
    vectors = np.random.default_rng(3).standard_normal((WORDS, 5)).round(3)
    rows = (f"{w} {' '.join(map(str, row))}\n" for w, row in zip(words, vectors, strict=True))
    (folder / "vectors.txt").write_text("".join(rows), "utf-8")
    choose = random.Random(4)
    lines = [" ".join(choose.choices(words[:8], k=6)) + "\n" for _ in range(200)]
    (folder / "text.txt").write_text("".join(lines), "utf-8")
    build_bundle(
        folder / "vectors.txt",
        folder / "bundle",
        BuildPlan(bits=64, effort="low", text=folder / "text.txt", least=2),
    )
    return WordBundle.open(folder / "bundle")


class Source:
    """Random bytes that are kept; some numbers of 8 bytes are as large as can be."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.numbers: list[int] = []

    def __call__(self, size: int) -> bytes:
        assert size == 8
        number = self._random.choice([2**64 - 1, *(self._random.getrandbits(64) for _ in range(4))])
        self.numbers.append(number)
        return number.to_bytes(8, "little")


def written(numbers: Iterable[object]) -> str:
    return f"[{'; '.join(map(str, numbers))}]"


def test_something_wrong_is_found(agree: Evaluate) -> None:
    agree([("1", "1")])
    with pytest.raises(AssertionError, match="Unable to unify"):
        agree([("1", "1"), ("1", "2")])


def test_bytes_and_uniform_integers(agree: Evaluate) -> None:
    choose, pairs = random.Random(1), []
    bounds = [1, 2, 3, 255, 256, 257, 2**62 + 1, 2**63 - 1, 2**63]
    for bound in [*bounds, *(choose.randrange(1, 2**63) for _ in range(20))]:
        content = choose.randbytes(8 * 200)
        stream = BytesIO(content)
        value = uniform_below(bound, stream.read)
        used = content[: stream.tell()]
        parts = [used[i : i + 8] for i in range(0, len(used), 8)]
        source = written(f"little_endian {written(part)}" for part in parts)
        pairs.append((f"uniform_below {bound} {source}", f"Some ({value}, [])"))
        pairs += [(f"uniform_below {bound} (removelast {source})", "None")]
    agree(pairs)


@pytest.mark.parametrize("base", BASES)
def test_the_draw_of_a_word(agree: Evaluate, bundle: WordBundle, base: str) -> None:
    mechanism_setting = Setting(0.3, parameters={"radius": 4, "base": base, "cap": 9.0})
    mechanism = Exponential(bundle, 0.3, 4, base, 9.0)
    lines = dict(exponential_lines(bundle, mechanism))
    assert base != "bigram" or len(lines["gains"]) > 2
    gains = [line for name, line in exponential_lines(bundle, mechanism) if name == "gains"]
    pairs, drawn = [], set()
    for number in range(40):
        word, before = number % WORDS, None if number % 3 == 0 else number % 7
        source = Source(number)
        (released,) = mechanism(bundle.codes[[word]], source, before).tolist()
        drawn.add(released)
        after = "None" if before is None else f"(Some {before}%nat)"
        pairs.append(
            (f"drawn {after} {word} {written(source.numbers)}", f"Some (Some {released}%nat)")
        )
    for number in range(20):  # their masses are the same for every base
        source = Source(number)
        privatizer = Privatizer(bundle, mechanism_setting, random=source)
        released = bundle.vocabulary.find(privatizer.word("unknown!") or "")
        drawn.add(released)
        pairs.append((f"drawn_unknown {written(source.numbers)}", f"Some (Some {released}%nat)"))
    passing, passed = Passing(tuple(range(0, WORDS, 2)), 0.5), 0
    policy = replace(bundle, policy=Policy((), passing))
    for number in range(20):
        source, word = Source(number), number % WORDS
        privatizer = Privatizer(policy, mechanism_setting, random=source)
        released = bundle.vocabulary.find(privatizer.words([bundle.vocabulary.word(word)])[0])
        passes = f"(Some (Some {word}%nat))" if word in passing.words else "None"
        passed += released == word
        pairs.append(
            (
                f"passed_or_drawn {passes} {word} {written(source.numbers)}",
                f"Some (Some {released}%nat)",
            )
        )
    assert passed > 2
    assert len(drawn) > 5
    after = (written(f"({a}, {v})" for a, v in zip(g[1::2], g[2::2], strict=True)) for g in gains)
    groups = written(f"({g[0]}, {a})" for g, a in zip(gains, after, strict=True))
    agree(
        [
            *pairs,
            ("total setting", str(mechanism.model.most if gains else sum(LEVELS[lines["masses"]]))),
        ],
        f"""
        Definition setting := {{|
          epsilon := (1, 1); cap := None; own_size := 64; task_size := 0; task_weight := 1;
          weights := {written(lines["weights"])}; masses := {written(lines["masses"])};
          gains := {groups} |}}.
        Definition codes := map (fun c => Code (bits 64 c) []) {written(bundle.codes[:, 0])}.
        Definition code_of (y : nat) := nth y codes (Code [] []).
        Definition drawn before x source :=
          run (draw (words setting) code_of 1 (weights setting) (mass setting) before
            (code_of (N.to_nat x))) source.
        Definition passed_or_drawn passing x source :=
          run (pass (2 ^ 63) {passing.threshold} passing (draw (words setting) code_of 1
            (weights setting) (mass setting) None (code_of (N.to_nat x)))) source.
        Definition all_masses := {written(bundle.masses.words)}.
        Definition drawn_unknown source :=
          run (draw_unknown (words setting) (fun y => level (nth y all_masses 0)) (fun v =>
            draw (words setting) code_of 1 (weights setting) (mass setting) None (code_of v)))
            source.
        """,
    )


def test_a_report_and_a_day(agree: Evaluate, bundle: WordBundle) -> None:
    symbols = WORDS + 1
    response = RandomizedResponse.of(2.5, symbols)
    definitions = f"""
    Definition day' most := day (2 ^ 63) {response.threshold} {symbols} most.
    Definition respond' := respond (2 ^ 63) {response.threshold} {symbols}.
    """
    pairs = []
    for number in range(30):
        source = Source(number)
        released = response(number % symbols, source)
        pairs.append(
            (f"run (respond' {number % symbols}) {written(source.numbers)}", f"Some {released}")
        )
    for seed, most in ((1, 1), (2, 3), (3, 8)):
        source, choose = Source(seed), random.Random(seed)
        counts = Counts(bundle, CountsSetting(2.5, most), random=source)
        reporter = Reporter(counts, random=source)
        typed = choose.choices(range(symbols), k=12)
        for symbol in typed:  # in the order of the proof: a word, then its place
            reporter.add(["unknown!" if symbol == WORDS else bundle.vocabulary.word(symbol)])
        kept = [bundle.vocabulary.find(w) if w else WORDS for w in reporter._sample]
        pairs.append(
            (
                f"run (day' {most}%nat {written(typed)}) {written(source.numbers)}",
                f"Some {written(kept)}",
            )
        )
    agree(pairs, definitions)


def test_the_frames_of_a_day(agree: Evaluate, bundle: WordBundle) -> None:
    """Texts of known and unknown words, cut, filled, drawn word by word, and sampled."""
    mechanism = Exponential(bundle, 0.3, 4, "bigram", 9.0)
    lines = dict(exponential_lines(bundle, mechanism))
    setting = Setting(0.3, parameters={"radius": 4, "base": "bigram", "cap": 9.0})
    gains = [line for name, line in exponential_lines(bundle, mechanism) if name == "gains"]
    after = (written(f"({a}, {v})" for a, v in zip(g[1::2], g[2::2], strict=True)) for g in gains)
    groups = written(f"({g[0]}, {a})" for g, a in zip(gains, after, strict=True))
    find = bundle.vocabulary.find

    def ids(frames: Iterable[Iterable[str]]) -> str:
        return written(written(f"{find(word)}%nat" for word in frame) for frame in frames)

    pairs = []
    for seed in range(6):
        source, choose = Source(seed), random.Random(seed)
        reporter = TextReporter(bundle, setting, frames=Frames(3, 2), random=source)
        reporter.begin_day()
        fillers, used = ids(reporter._sample), len(source.numbers)
        texts = [choose.choices(range(WORDS + 1), k=choose.randrange(8)) for _ in range(4)]
        for text in texts:  # WORDS is an unknown word
            for typed in text:
                reporter.word("unknown!" if typed == WORDS else bundle.vocabulary.word(typed))
            reporter.end()
        typed_texts = written(
            written("Unknown" if typed == WORDS else f"Known {typed}%nat" for typed in text)
            for text in texts
        )
        numbers = written(source.numbers[used:])
        pairs.append(
            (
                f"run (collect frame 2 0 {fillers} (flat_map cut' {typed_texts})) {numbers}",
                f"Some {ids(reporter._sample)}",
            )
        )
        assert ids(reporter._sample) != fillers
    agree(
        pairs,
        f"""
        From Brrkit Require Import Text Life DeviceGuarantee.
        Open Scope N_scope.
        Definition setting := {{|
          epsilon := (1, 1); cap := None; own_size := 64; task_size := 0; task_weight := 1;
          weights := {written(lines["weights"])}; masses := {written(lines["masses"])};
          gains := {groups} |}}.
        Definition codes := map (fun c => Code (bits 64 c) []) {written(bundle.codes[:, 0])}.
        Definition code_of (y : nat) := nth y codes (Code [] []).
        Definition all_masses := {written(bundle.masses.words)}.
        Definition nothing_passes := {{| pass_threshold := 0 |}}.
        Definition frame := one_by_one (word (mechanism setting code_of setting)
          (stand setting (fun y => level (nth y all_masses 0))) nothing_passes false
          (fun _ => false)) None.
        Definition cut' (text : list (@token nat)) := cut (fun a => a) 3 text.
        """,
    )


def test_lower_bounds_of_exponentials(agree: Evaluate) -> None:
    numbers = [0.0, 1e-9, 0.3127, 0.5, 1.0, 3.764, 11.09, 22.18, 44.0, 88.0]
    pairs = []
    for x in map(Fraction, numbers):
        low, _ = exp_bounds(x, 256)
        pairs.append((f"exp_low (2 ^ 256) {x.numerator} {x.denominator}", str(low)))
    agree(pairs)


def test_levels(agree: Evaluate) -> None:
    levels = written(LEVELS[1:])
    agree([("map (fun v => level (N.of_nat v)) (seq 1 255)", levels)])
