"""What the proofs are about is broken, and each time a proof fails, or the checker says no.

The numbers are the runtime's; theories are compiled in a folder of the test's own.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from brrkit import ParameterError, WordBundle
from brrkit.counts import RandomizedResponse
from brrkit.exact import flip_threshold, weight_table
from brrkit.hamming import weigh_codes
from brrkit.mechanisms.exponential import BASES, Exponential
from brrkit.tables import Line, counts_lines, exponential_lines, flip_lines
from brrkit_toolchain.bundle.verify import proven
from brrkit_toolchain.bundle.verify.outcome import CheckError
from brrkit_toolchain.channel.privacy_loss.certificates import loss_per_bit
from brrkit_toolchain.codes.packing import unpack

ROOT = Path(__file__).parents[2]
THEORIES = ROOT / "proofs" / "theories"

Change = Callable[[list[int]], None]


@pytest.fixture(scope="module")
def checker() -> Path:
    try:
        return proven.find_checker()
    except ParameterError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def bundle() -> WordBundle:
    return WordBundle.open(ROOT / "runtime" / "brrkit" / "sample")


def changed(lines: list[Line], name: str, change: Change) -> list[Line]:
    """Return ``lines`` with other numbers in the first one of a name."""
    copied = [(each, list(numbers)) for each, numbers in lines]
    change(next(numbers for each, numbers in copied if each == name))
    return copied


def add(number: int, place: int = 0) -> Change:
    def change(numbers: list[int]) -> None:
        numbers[place] += number

    return change


def set_to(number: int, place: int = 0) -> Change:
    def change(numbers: list[int]) -> None:
        numbers[place] = number

    return change


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("cap", [None, 7.25])
@pytest.mark.parametrize("radius", [0, 16])
@pytest.mark.parametrize("task_weight", [0, 3])
def test_what_the_runtime_computes_passes(
    checker: Path, bundle: WordBundle, base: str, cap: float | None, radius: int, task_weight: int
) -> None:
    for epsilon in (1e-9, 0.1, 0.6255, 3.0, 22.18):
        mechanism = Exponential(bundle, epsilon, radius, base, cap, task_weight)
        assert "meet" in proven.check(checker, exponential_lines(bundle, mechanism))


def test_other_settings_pass(checker: Path, bundle: WordBundle) -> None:
    for epsilon in (1e-9, 0.1, 1.0, 22.18):
        proven.check(checker, flip_lines(epsilon, flip_threshold(epsilon)))
    for cap in (1e-9, 0.5, 7.5, 88.0):
        response = RandomizedResponse.of(cap, len(bundle) + 1)
        proven.check(checker, counts_lines(cap, response))


STEP = "a step of one bit loses more than epsilon / 2"
FLOOR = "a weight is below e^(-cap / 2) times the first one"


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("weights", add(-1, 5), STEP),  # by one
        ("weights", add(-1, -1), FLOOR),  # a floor of the cap that is too low
        ("weights", add(1, 0), "the first weight isn't what the masses leave of 2^63 - 1"),
        ("weights", set_to(0, 9), "a weight is 0"),
        ("weights", list.pop, "there isn't one weight for each distance"),
        ("weights", list.reverse, "a weight is larger than that of a smaller distance"),
        ("masses", set_to(0, 7), "a mass is 0"),
        ("masses", set_to(255, 7), "the first weight isn't what the masses leave of 2^63 - 1"),
        ("gains", set_to(255, 2), "the first weight isn't what the masses leave of 2^63 - 1"),
        ("epsilon", add(-(2**32)), STEP),  # the numerator, of 53 bits
        ("cap", set_to(28), FLOOR),  # 28 / 4
        ("bits", add(64), "there isn't one weight for each distance"),
    ],
)
def test_a_broken_setting_is_found(
    checker: Path, bundle: WordBundle, name: str, change: Change, said: str
) -> None:
    mechanism = Exponential(bundle, 0.6, 0, "bigram", 7.25)
    assert mechanism.weights[-2] == mechanism.weights[-1]  # the floor
    lines = changed(exponential_lines(bundle, mechanism), name, change)
    with pytest.raises(CheckError, match=re.escape(said)):
        proven.check(checker, lines)


def test_a_broken_threshold_is_found(checker: Path, bundle: WordBundle) -> None:
    for epsilon in (0.1, 2.0):
        lines = flip_lines(epsilon, flip_threshold(epsilon) - 1)
        with pytest.raises(CheckError, match="the flip threshold isn't"):
            proven.check(checker, lines)
    response = RandomizedResponse.of(7.5, len(bundle) + 1)
    lines = changed(counts_lines(7.5, response), "keep", add(1))
    with pytest.raises(CheckError, match="keeps a symbol too often"):
        proven.check(checker, lines)
    proven.check(checker, [("passing", []), ("threshold", [2**63 - 1])])
    with pytest.raises(CheckError, match="the pass threshold isn't below 2\\^63"):
        proven.check(checker, [("passing", []), ("threshold", [2**63])])


def small_certificate(own: int, tasks: int, weight: int) -> tuple[list[Line], float]:
    """Return a few words' lines without what is certified, and what they lose at most."""
    generator = np.random.default_rng(3)
    codes = generator.integers(0, 2**64, (12, own + tasks), np.uint64)
    flips = generator.integers(0, 2**64, (3, *codes.shape), np.uint64)
    codes = codes[0] ^ np.bitwise_and.reduce(flips, axis=0)  # near one another
    codes[3] = codes[2]
    masses = generator.integers(1, 120, len(codes))
    levels = np.where(masses < 16, masses, (8 + masses % 8) << (masses // 8 - 1).clip(0))
    longest = 64 * (own + weight * tasks)
    weights = np.array(weight_table(1.5, longest, int(levels.sum()), 3, None))
    weighed = weigh_codes(codes, 64 * tasks, weight)
    apart = np.array([unpack(weighed ^ code).sum(axis=1) for code in weighed])
    lines: list[Line] = [
        ("certificate", []),
        ("epsilon", [3, 2]),
        ("bits", [64 * own, 64 * tasks, weight]),
        ("weights", weights.tolist()),
        ("masses", masses.tolist()),
        *(("code", code) for code in codes.tolist()),
    ]
    return lines, loss_per_bit(weighed, weights, (levels * weights[apart]).sum(1))


@pytest.mark.parametrize(("own", "tasks", "weight"), [(1, 0, 1), (1, 1, 2), (2, 1, 0)])
def test_a_certificate_is_what_all_pairs_lose(
    checker: Path, tmp_path: Path, own: int, tasks: int, weight: int
) -> None:
    """By C, and by Coq's definitions of what C computes: to the last bit of a double."""
    by_definition = tmp_path / "by-definition"
    by_definition.write_text(f'#!/bin/sh\nexec "{checker}" --by-definition\n')
    by_definition.chmod(0o755)
    lines, loss = small_certificate(own, tasks, weight)
    below = float(np.nextafter(loss, 0))
    for program in (checker, by_definition):
        said = proven.check(program, [*lines, ("certified", [*loss.as_integer_ratio()])])
        assert said.endswith(f"code {12 * (own + tasks)}, certified 2")
        with pytest.raises(CheckError, match="the words lose more than the certified epsilon"):
            proven.check(program, [*lines, ("certified", [*below.as_integer_ratio()])])


def test_a_broken_certificate_is_found(checker: Path) -> None:
    lines, loss = small_certificate(1, 0, 1)
    lines.append(("certified", [*loss.as_integer_ratio()]))
    proven.check(checker, lines)
    step = changed(lines, "weights", add(-1, 5))
    with pytest.raises(CheckError, match=STEP):
        proven.check(checker, step)
    for wrong in (
        lines[:-2] + lines[-1:],  # a word without a code
        changed(lines, "code", lambda numbers: numbers.append(1)),
        changed(lines, "code", set_to(2**64)),
        [*lines, ("gains", [1, 2, 3])],
    ):
        with pytest.raises(CheckError, match="gives no answer: brr-proof-checker: "):
            proven.check(checker, wrong)


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [("other", [])],
        [("flips", []), ("epsilon", [1, 2])],
        [("flips", []), ("epsilon", [1, 2]), ("threshold", [5]), ("threshold", [5])],
        [("flips", []), ("epsilon", [1, 2]), ("threshold", [5, 5])],
        [("flips", []), ("epsilon", [1]), ("threshold", [5])],
        [("flips", []), ("epsilon", [1, 2]), ("threshold", [-5])],
        [("flips", []), ("epsilon", [1, 2]), ("threshold", [5]), ("keep", [5])],
    ],
)
def test_what_is_no_setting_gets_no_answer(checker: Path, lines: list[Line]) -> None:
    with pytest.raises(CheckError, match="gives no answer: brr-proof-checker: "):
        proven.check(checker, lines)


def test_the_guarantees_are_theorems(checker: Path, bundle: WordBundle) -> None:
    said = proven.text(bundle, checker) + proven.counts(bundle, checker)
    named = re.findall(r"\w+_guarantee\w*", said)
    assert len(named) == 6
    theory = (THEORIES / "Guarantee.v").read_text("utf-8")
    assert set(named) <= set(re.findall(r"^Theorem (\w+)", theory, re.MULTILINE))


def error_of(
    folder: Path, theory: str, old: str = "", new: str = "", then: Sequence[str] = ()
) -> tuple[str, str]:
    """Return the statement whose proof fails with ``new`` for ``old``, and what Coq says.

    Args:
        folder: for the compiled theories.
        theory: the one that is changed.
        old: what stands in it, once or more.
        new: what is put in the first one's place.
        then: theories to compile against it, and against each other, in order.
    """
    changed_ones: list[str] = []
    for name in (theory, *then):
        content = (THEORIES / f"{name}.v").read_text("utf-8")
        if name == theory:
            assert old in content
            content = content.replace(old, new, 1)
        for other in changed_ones:
            content = with_changed(content, other)
        changed_ones.append(name)
        file = folder / f"{name}.v"
        file.write_text(content, "utf-8")
        command = ["coqc", "-Q", THEORIES, "Brrkit", "-Q", folder, "Mutant", file]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode:
            found = re.search(r"line (\d+), .*?:\n(Error:.*)", done.stderr, re.DOTALL)
            assert found, done.stderr
            before = "\n".join(content.split("\n")[: int(found[1])])
            statements = re.findall(r"^(?:Theorem|Lemma|Corollary) (\w+)", before, re.MULTILINE)
            return statements[-1], " ".join(found[2].split())
    return "", ""


@cache
def compiles(theory: str) -> bool:
    """Return whether a theory compiles unchanged, as all do."""
    with TemporaryDirectory() as folder:
        return error_of(Path(folder), theory) == ("", "")


def with_changed(content: str, theory: str) -> str:
    """Return a theory that requires the changed ``theory`` in the place of the right one."""
    required = re.search(rf"From Brrkit Require( Import)?\b[^.]*\b{theory}\b", content)
    assert required
    without = re.sub(rf"\s*\b{theory}\b", "", required[0])
    content = content.replace(required[0], without, 1)
    line = f"From Mutant Require{required[1] or ''} {theory}.\n"
    return content.replace("Import ListNotations.", line + "Import ListNotations.", 1)


# The typed word itself, in place of what it is typed as.
SPELLED = """match a with
  | Plain s | Marked s _ => match find_word s with Some id => Known id | None => Unknown end
  end"""


@pytest.mark.parametrize(
    ("theory", "old", "new", "statement"),
    [
        # The normalizer of another history than the one that the word is drawn after.
        (
            "Exponential",
            "private_of_ratio h y : In y vocabulary ->\n  score h c y * normalizer h c'",
            "private_of_ratio h h' y : In y vocabulary ->\n  score h c y * normalizer h' c'",
            "private_of_ratio",
        ),
        # A remainder, which favors small numbers.
        ("Uniform", "N.land number (mask bound).", "(number mod bound)%N.", "masked_mod"),
        # A comparison that draws a word with one number too many.
        ("Draw", "if (number <? size x)%N", "if (number <=? size x)%N", "pick_shares"),
        # An unknown word becomes any word alike, and not by the masses.
        (
            "Draw",
            "Uniform (sum size vocabulary) (fun number => Return (pick size vocabulary number)).",
            "Uniform (N.of_nat (length vocabulary)) (fun number =>\n"
            "    Return (pick (fun _ => 1%N) vocabulary number)).",
            "stand_in_mean",
        ),
        # Masses that are no shares.
        (
            "Text",
            "ratio (size v) (sum size vocabulary).",
            "ratio (size v) (N.of_nat (length vocabulary)).",
            "by_mass_distribution",
        ),
        # A word of a full sample is replaced though its number isn't below m.
        (
            "Sample",
            "Return (if (place <? N.of_nat most)%N then",
            "Return (if (place <=? N.of_nat most)%N then",
            "slot_place",
        ),
        # Rounded toward less privacy.
        (
            "Counts",
            "keep_holds one (one * (a - b) / (a - b + k * b)) k a b",
            "keep_holds one (one * (a - b) / (a - b + k * b) + 1) k a b",
            "keep_threshold_good",
        ),
        # A delta of shuffled reports that is rounded down, and a block of sizes that is left out.
        (
            "ShuffledDelta",
            "excess_high r + up (tail_high r) 2)",
            "excess_high r + tail_high r / 2)",
            "one_report_more_holds",
        ),
        (
            "ShuffledDelta",
            "(S m) (N.to_nat (block c m - 1)) latest",
            "(S m) (N.to_nat (block c m - 1)) 0",
            "sizes_high_spec",
        ),
        # A coin for words that may pass only: the bytes show which these are.
        (
            "Passing",
            "  Uniform one (fun coin =>",
            "  Uniform (if passing then one else 1) (fun coin =>",
            "pass_draws",
        ),
        # A word passes with one number too many.
        (
            "Passing",
            "| Some x => if (coin <? T)%N then x else y",
            "| Some x => if (coin <=? T)%N then x else y",
            "pass_mean",
        ),
        # A bound that leaves out what a passing word adds.
        (
            "Passing",
            "| Some _ => ratio one (one - T)",
            "| Some _ => ratio one one",
            "pass_loses",
        ),
        # A coin that looks at the spelling, and one for a stand-in.
        (
            "Policy",
            "y <- drawn_or_passed (typed_as a) (mechanism before id) ;;",
            f"y <- drawn_or_passed ({SPELLED}) (mechanism before id) ;;",
            "drawn_all_alike",
        ),
        # A memory that is keyed by the word, and not by what it is typed as.
        (
            "Policy",
            "Definition message (a : typed) : list N :=\n  match typed_as a with",
            f"Definition message (a : typed) : list N :=\n  match {SPELLED} with",
            "first_draws_same",
        ),
        # A mark that is typed as the word in it.
        (
            "Policy",
            "| Marked _ (Some l) => Known (head l)",
            "| Marked s (Some l) => look_up (candidates s)",
            "typed_as_head",
        ),
        # What is left out of a text depends on its spelling.
        (
            "Policy",
            "  match typed_as a with Known _ => false | Unknown => true end.",
            f"  match {SPELLED} with Known _ => false | Unknown => true end.",
            "left_out_same",
        ),
    ],
    ids=[
        "wrong history",
        "biased draw",
        "one number too many",
        "uniform unknown words",
        "no shares",
        "wrong place",
        "keeps too often",
        "delta rounded down",
        "delta of a block left out",
        "coin shows",
        "passes too often",
        "bound too small",
        "coin by spelling",
        "memory by spelling",
        "mark by spelling",
        "dropped by spelling",
    ],
)
def test_a_broken_program_has_no_proof(
    checker: Path, tmp_path: Path, theory: str, old: str, new: str, statement: str
) -> None:
    assert checker.is_file()  # so the theories are compiled
    if not shutil.which("coqc"):
        pytest.skip("no coqc")
    assert compiles(theory)
    where, message = error_of(tmp_path, theory, old, new)
    assert where == statement
    assert "yntax error" not in message


def weaker(theory: str, name: str, premise: str) -> tuple[str, str]:
    """Return a theorem's statement, and the same with another premise, which its proof ignores."""
    content = (THEORIES / f"{theory}.v").read_text("utf-8")
    found = re.search(rf"(Theorem|Corollary) {name}\b.*?\n  intros ", content, re.DOTALL)
    assert found
    return found[0], found[0].replace(" :\n  ", f" :\n  {premise} -> ", 1) + "_ "


PAID = "(pay object (cost_of_word * N.of_nat (List.length words)) cost_of_word dev)"
STATED = ["Statements"]
LIVED = ["LifeLoss"]


@pytest.mark.parametrize(
    ("theory", "old", "new", "then", "statement"),
    [
        # Theorems that say less.
        (
            "Guarantee",
            *weaker("Guarantee", "exponential_guarantee_cap", "x = x'"),
            STATED,
            "checked_word_cap",
        ),
        (
            "Guarantee",
            *weaker("Guarantee", "text_guarantee", "text = text'"),
            STATED,
            "checked_text",
        ),
        (
            "DeviceGuarantee",
            *weaker("DeviceGuarantee", "device_guarantee_year", "person = person'"),
            STATED,
            "a_device_in_a_year",
        ),
        # The word typed before, in place of the one released before.
        (
            "Life",
            "ys <- one_by_one word (Some y) text",
            "ys <- one_by_one word (match a with Known v => Some v | Unknown => None end) text",
            LIVED,
            "one_by_one_coupled",
        ),
        # A price that depends on what is typed: so would a refusal.
        (
            "Policy",
            "(cost_of_word * N.of_nat (List.length tokens))",
            "(cost_of_word * N.of_nat (List.length (filter (fun a => match "
            + SPELLED
            + " with Known _ => true | Unknown => false end) tokens)))",
            [],
            "happen_alike",
        ),
        # A memory that pays late: a release that nothing was paid for.
        (
            "Life",
            PAID,
            PAID.replace("(List", "(pred (List").replace("words))", "words)))"),
            LIVED,
            "act_coupled",
        ),
        # Frames that aren't filled, and fewer that are paid for.
        (
            "Life",
            "(size - List.length piece)",
            "(pred size - List.length piece)",
            LIVED,
            "filled_full",
        ),
        ("Life", "N.of_nat (a_day * size)", "N.of_nat (pred a_day * size)", LIVED, "act_coupled"),
        # A task weight that is ignored.
        (
            "Hamming",
            "+ w * hamming (task_bits c) (task_bits c')",
            "+ hamming (task_bits c) (task_bits c')",
            [],
            "distance_bound",
        ),
        # Masses that overflow, and bigrams' that aren't counted.
        (
            "Checker",
            "(Total_fits, weight W 0 =? (2 ^ 63 - 1) / total s)",
            "(Total_fits, 0 <? weight W 0)",
            [],
            "checked_first",
        ),
        (
            "Checker",
            "fold_left (fun most g => N.max most (gained (snd g))) (gains s) 0",
            "0",
            [],
            "checked_total",
        ),
        # A certificate's check that lets pairs lose more.
        (
            "Certified",
            "(total * scale <=? low * most))",
            "(total * scale <=? low * most + 1))",
            [],
            "below_spec",
        ),
        (
            "Certified",
            "N.min (weight W (i + k) * growth / weight W i) low",
            "N.max (weight W (i + k) * growth / weight W i) low",
            [],
            "allowed_spec",
        ),
        # A budget that stores less than it releases.
        (
            "Budget",
            "spent s + (cost - stored l).",
            "spent s + (cost - stored l - 1).",
            ["Device", "BudgetSpent"],
            "good_step",
        ),
    ],
    ids=[
        "premise for words",
        "premise for texts",
        "premise for devices",
        "typed history",
        "price by words",
        "pays late",
        "unfilled frames",
        "unpaid frames",
        "ignored weight",
        "overflow",
        "uncounted bigrams",
        "certificate by one",
        "certificate's best weight",
        "unstored release",
    ],
)
def test_a_weaker_or_broken_theory_is_noticed(
    checker: Path,
    tmp_path: Path,
    theory: str,
    old: str,
    new: str,
    then: list[str],
    statement: str,
) -> None:
    assert checker.is_file()  # so the theories are compiled
    if not shutil.which("coqc"):
        pytest.skip("no coqc")
    where, message = error_of(tmp_path, theory, old, new, then)
    assert where == statement
    assert "yntax error" not in message
