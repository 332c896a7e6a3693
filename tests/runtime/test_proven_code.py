"""What the machine-checked proofs are about is what the runtime computes.

Coq evaluates the definitions of ``proofs/theories`` on the inputs that the runtime got, and has to
get the same. The proofs themselves are checked by ``make proofs``.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable, Iterable
from contextlib import suppress
from fractions import Fraction
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from device import Clock

from brrkit import BudgetError, PrivacyBudget, WordBundle
from brrkit.budget import _parsed, cost_of
from brrkit.exact import _growth, flip_threshold, weight_table
from brrkit.hamming import HammingIndex, weigh_codes
from brrkit.lease import Lease
from brrkit.mechanisms.exponential import BASES, Exponential
from brrkit.period import Instant, Period
from brrkit.randomizer import Randomizer

THEORIES = Path(__file__).parents[2] / "proofs" / "theories"

HEADER = """
From Coq Require Import Bool List NArith.
From Brrkit Require Import Sums Hamming Weights Exponential Brr Period Budget.
Import ListNotations.
Open Scope N_scope.
Definition all (l : list bool) : bool := forallb (fun b => b) l.
Definition same_numbers (l m : list N) : bool := if list_eq_dec N.eq_dec l m then true else false.
Definition bits (n : nat) (c : N) : list bool := map (N.testbit_nat c) (seq 0 n).
"""

Evaluate = Callable[[Iterable[str], str], None]
"""Fails unless Coq evaluates all booleans to true, after definitions."""


@pytest.fixture(scope="module")
def evaluate(tmp_path_factory: pytest.TempPathFactory) -> Evaluate:
    if not shutil.which("coqc"):
        pytest.skip("no coqc: install Coq 8.16 or newer")
    folder = tmp_path_factory.mktemp("proofs")

    def compile_(name: str) -> None:
        command = ["coqc", "-q", "-Q", str(folder), "Brrkit", str(folder / f"{name}.v")]
        found = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        assert found.returncode == 0, found.stderr[-2000:]

    listed = (THEORIES.parent / "_CoqProject").read_text("utf-8").split()
    files = [Path(line).stem for line in listed if line.startswith("theories/")]
    imported = {"Sums", "Hamming", "Weights", "Exponential", "Brr", "Period", "Budget"}
    imported |= {"Probability", "Postprocessing"}  # what these import
    for name in filter(imported.__contains__, files):
        shutil.copy(THEORIES / f"{name}.v", folder)
        compile_(name)

    def check(booleans: Iterable[str], definitions: str = "") -> None:
        listed = ";\n".join(booleans)
        assert listed
        goal = f"Goal all [{listed}] = true. Proof. vm_compute. reflexivity. Qed.\n"
        (folder / "Checked.v").write_text(HEADER + definitions + goal, "utf-8")
        compile_("Checked")

    return check


def numbers(values: Iterable[object]) -> str:
    return f"[{'; '.join(map(str, values))}]"


def test_something_wrong_is_found(evaluate: Evaluate) -> None:
    evaluate(["1 =? 1"], "")
    with pytest.raises(AssertionError, match="Unable to unify"):
        evaluate(["1 =? 1", "1 =? 2"], "")


@pytest.mark.parametrize(
    ("epsilon", "bits", "total", "radius"),
    [(0.6, 64, 2000, 8), (1e-9, 64, 1, 8), (22.18, 512, 2**47, 0), (2.5, 128, 123_456_789, 16)],
)
def test_weights(evaluate: Evaluate, epsilon: float, bits: int, total: int, radius: int) -> None:
    """The same tables, which satisfy the premises; with a weight too low by one they do not."""
    gentle, steep = (_growth(Fraction(epsilon) / share) for share in (16, 2))
    booleans = []
    for cap in (None, 1e-9, 3.5, 12.0, 88.0):
        table = weight_table(epsilon, bits, total, radius, cap)
        growth = 2**200 if cap is None else _growth(Fraction(cap) / 2)
        floor = "0" if cap is None else f"(floor_of_cap one {table[0]} {growth})"
        last = max((d for d in range(1, bits + 1) if table[d] < table[d - 1]), default=bits)
        wrong = [*table[:last], table[last] - 1, *table[last + 1 :]]
        booleans += [
            f"same_numbers (table {floor}) {numbers(table)}",
            f"good {growth} {numbers(table)}",
            f"negb (good {growth} {numbers(wrong)})",
        ]
    evaluate(
        booleans,
        f"""
        Definition one := 2 ^ 64.
        Definition table (least : N) : list N :=
          weight_table one ((2 ^ 63 - 1) / {total}) least {gentle} {steep} {radius} {bits - radius}.
        Definition good (growth : N) (W : list N) : bool :=
          positiveb W && decreasingb W && steps_holdb W {steep} one && cap_holdsb W growth one.
        """,
    )


@pytest.mark.parametrize("weight", [0, 1, 3])
def test_distance(evaluate: Evaluate, weight: int) -> None:
    codes = np.random.default_rng(weight).integers(0, 2**64, (12, 3), np.uint64)
    codes[1] = codes[0]
    weighed = weigh_codes(codes, 128, weight)
    index = HammingIndex(weighed)
    rows = [[int(word) for word in row] for row in codes]
    written = [f"Code (bits 64 {a}) (bits 64 {b} ++ bits 64 {c})" for a, b, c in rows]
    evaluate(
        [
            f"same_numbers (map (fun c => N.of_nat (distance {weight} ({code}) c)) codes) "
            + numbers(index.distances(row))
            for code, row in zip(written, weighed, strict=True)
        ],
        f"Definition codes := {numbers(written)}.\n",
    )


@pytest.mark.parametrize("base", BASES)
def test_exponential(evaluate: Evaluate, bundle_of: Callable[..., WordBundle], base: str) -> None:
    """The scores over the normalizer are the runtime's distribution, after each history."""
    codes = [0, 0b1, 0b11, 0b111, 0b10000, 0b110000, 0b11, 2**64 - 1]
    bigrams = {(0, 1): 50, (0, 5): 90, (3, 3): 70, (7, 0): 1, (7, 2): 33, (7, 6): 40}
    bundle = bundle_of(codes, masses=[40, 16, 9, 3, 77, 1, 20, 5], bigrams=bigrams)
    mechanism = Exponential(bundle, 0.9, radius=2, base=base, cap=7.0)
    booleans = []
    for before in (None, 0, 3, 7):
        measure = numbers(mechanism.measure(before))
        for word in range(len(codes)):
            found = mechanism.distribution(bundle.codes[word], before)
            booleans += [
                f"score' {measure} {word} {y} * {p.denominator} =? "
                f"{p.numerator} * normalizer' {measure} {word}"
                for y, p in enumerate(found)
            ]
    evaluate(
        booleans,
        f"""
        Definition codes := map (fun c => Code (bits 64 c) []) {numbers(codes)}.
        Definition code_of (y : N) := nth (N.to_nat y) codes (Code [] []).
        Definition W := {numbers(mechanism.weights)}.
        Definition mass (h : list N) (y : N) := nth (N.to_nat y) h 0.
        Definition score' h x y := score code_of 1 W mass h (code_of x) y.
        Definition normalizer' h x :=
          normalizer {numbers(range(len(codes)))} code_of 1 W mass h (code_of x).
        """,
    )


def test_randomizer(evaluate: Evaluate, graphs: dict[int, bytes]) -> None:
    threshold = flip_threshold(0.5)
    generator = np.random.default_rng(5)
    codes = generator.integers(0, 2**64, (6, 1), np.uint64)
    drawn = generator.integers(0, 2**32, (6, 64), np.uint32)
    drawn[0, :4] = 0, threshold - 1, threshold, 2**32 - 1
    signed = (drawn.astype(np.int64) - 2**31).astype("<i4").tobytes()
    noised = Randomizer(graphs[64], 64, threshold)(codes, BytesIO(signed).read)
    assert not np.array_equal(noised, codes)
    evaluate(
        [
            f"equal_codes (randomize {threshold} (bits 64 {code}) {numbers(row)}) (bits 64 {noisy})"
            for code, row, noisy in zip(codes[:, 0], drawn, noised[:, 0], strict=True)
        ],
        "",
    )


def a_period(period: Period) -> str:
    run = int(period.boot or "0", 16)
    return f"(Period {period.elapsed} {period.latest} {run} {period.uptime})"


def an_instant(now: Instant) -> str:
    return f"(Instant {now.time} {now.uptime} {int(now.boot or '0', 16)})"


def a_lease(lease: Lease | None) -> str:
    if lease is None:
        return "None"
    numbers_ = f"{a_period(lease.period)} {lease.stored} {lease.released}"
    return f"(Some (Lease {lease.unit} {numbers_}))"


def a_file(path: Path) -> str:
    if not path.exists():
        return "None"
    state = _parsed(path.read_bytes())
    assert state is not None
    return f"(Some (State {state.unit} {state.spent} {a_period(state.period)}))"


def test_budget(evaluate: Evaluate, state: Path, clock: Clock) -> None:
    """Of three objects on a device that is restarted now and then, all spend as in the proofs."""
    choose = random.Random(7)
    length, limit = 100, 20
    budgets = [PrivacyBudget(limit, length, state, clock=clock) for _ in range(3)]
    booleans, refusals, stored = [], 0, 0
    for _ in range(200):
        clock.pass_(choose.choice([0, 0, 0.5, 3, 20]))
        clock.now += choose.choice([0, 0, 0, 0, 0, 50, -50])
        if choose.random() < 0.05:
            clock.restart(choose.choice([0, 5, 150]), up=choose.choice([0, 2]))
            budgets = [PrivacyBudget(limit, length, state, clock=clock) for _ in range(3)]
        budget = choose.choice(budgets)
        epsilon, words = choose.choice([0.1, 0.25, 1, 0]), choose.choice([1, 1, 2, 5])
        unit = choose.choice(["1"] * 9 + ["2"])
        held = budget._of_this_process()
        file, lease, refused = a_file(state), a_lease(held.lease), True
        with suppress(BudgetError):
            budget.spend(epsilon, words, unit=unit)
            refused = False
        refusals += refused
        stored += file != a_file(state)
        cost = cost_of(epsilon)
        call = f"{file} {lease} {an_instant(clock())} {words * cost} {cost} {unit}"
        after = f"{a_file(state)} {a_lease(held.lease)}"
        booleans.append(f"{'refuses' if refused else 'spends'} {call} {after}")
    assert refusals > 10
    assert 50 < stored < 190
    evaluate(
        booleans,
        f"""
        Definition same {{A}} (equal : forall a b : A, {{a = b}} + {{a <> b}}) (a b : A) : bool :=
          if equal a b then true else false.
        Definition period_eq : forall p q : period, {{p = q}} + {{p <> q}}.
        Proof. decide equality; apply N.eq_dec. Defined.
        Definition state_eq : forall s t : state, {{s = t}} + {{s <> t}}.
        Proof. decide equality; auto using N.eq_dec, period_eq. Defined.
        Definition lease_eq : forall l m : lease, {{l = m}} + {{l <> m}}.
        Proof. decide equality; auto using N.eq_dec, period_eq. Defined.
        Definition same_file (f g : option state) : bool.
        Proof. refine (same _ f g). decide equality; apply state_eq. Defined.
        Definition same_lease (l m : option lease) : bool.
        Proof. refine (same _ l m). decide equality; apply lease_eq. Defined.
        Definition limit := {limit * 10**9}.
        Definition length := {length * 1000}.
        Definition spends file mine now cost each unit file' lease' : bool :=
          match spend limit length file mine now cost each unit with
          | Some (f, l) => same_file f file' && same_lease (Some l) lease'
          | None => false
          end.
        Definition refuses file mine now cost each unit file' lease' : bool :=
          match spend limit length file mine now cost each unit with
          | Some _ => false
          | None => same_file (looked length file now) file' && same_lease mine lease'
          end.
        """,
    )
