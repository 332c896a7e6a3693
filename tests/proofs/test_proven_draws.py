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

THEORIES = Path(__file__).parents[2] / "proofs" / "theories"

HEADER = """
From Coq Require Import List NArith.
From Brrkit Require Import Uniform ExpBounds Checker.
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
