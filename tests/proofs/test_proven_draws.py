"""The integers that all else is drawn by: Coq computes what the runtime computes.

What is released is in ``test_proven_vectors.py``.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable, Iterable
from fractions import Fraction
from io import BytesIO
from pathlib import Path

import pytest

from brrkit.exact import exp_bounds
from brrkit.masses import LEVELS
from brrkit.randomness import uniform_below
from brrkit_toolchain.channel.privacy_loss.shuffled_bound import Precision, delta_high

THEORIES = Path(__file__).parents[2] / "proofs" / "theories"

HEADER = """
From Coq Require Import List NArith.
From Brrkit Require Import Uniform ExpBounds Checker ShuffledDelta.
Import ListNotations.
Open Scope N_scope.
"""

Evaluate = Callable[[Iterable[tuple[str, str]]], None]


@pytest.fixture
def agree(tmp_path: Path) -> Evaluate:
    """Fail unless Coq computes the second of each pair for the first one."""
    if not shutil.which("coqc") or not (THEORIES / "Checker.vo").is_file():
        pytest.skip("the proofs aren't compiled; 'make proofs' does that, with Coq")

    def check(pairs: Iterable[tuple[str, str]]) -> None:
        goals = "".join(f"Goal {a} = {b}. vm_compute. reflexivity. Qed.\n" for a, b in pairs)
        assert goals
        file = tmp_path / "Drawn.v"
        file.write_text(HEADER + goals, "utf-8")
        command = ["coqc", "-q", "-Q", THEORIES, "Brrkit", file]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr[-2000:]

    return check


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


def test_shuffled_delta(agree: Evaluate) -> None:
    """All that is printed of shuffled reports is computed by this one function."""
    pairs = []
    for keep, symbols, reports, each, epsilon, unit, stop in [
        (Fraction(1, 5), 5, 16, 1, 0.2, 50, 10),
        (Fraction(1, 2), 2, 14, 3, 0.5, 40, 8),  # the two symbols are all
        (Fraction(0.3), 1_000, 20, 2, 1.25, 48, 20),  # few of two symbols
        (Fraction(2, 7), 3, 12, 2, 0.0, 40, 0),
        (Fraction(9, 10), 7, 1, 1, 0.3, 30, 9),  # nobody else
        (Fraction(1, 3), 4, 40, 1, 0.01, 24, 20),  # short windows
        (Fraction(1, 3), 20_000, 1_500, 1, 1.0, 20, 6),  # blocks of more than one size
    ]:
        precision, x = Precision(1 << unit, 1 << stop), Fraction(epsilon)
        delta = delta_high(keep, symbols, reports, each, x, precision) * precision.unit
        numbers = [keep.denominator, keep.numerator, symbols, reports, f"{each}%nat"]
        numbers += [x.numerator, x.denominator, f"(2 ^ 256) (2 ^ {stop}) (2 ^ {unit})"]
        pairs.append((f"delta_high {' '.join(map(str, numbers))}", str(delta)))
    agree(pairs)
