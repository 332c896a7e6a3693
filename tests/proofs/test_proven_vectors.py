"""The vectors that all languages read are what the program of the proofs releases.

Coq's definitions are extracted to ``proofs/build/brr-proven-device``. It gets the tables, the
settings, what is typed and the random bytes of each case, and has to release the stored answer.
What is no part of the proofs comes from the reference: tokens and their candidates, HMAC-SHA256's
bytes, the thresholds and tables that the checker then accepts.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import proven_device
import pytest
from budget_as_specified import Budget, Disk, State, cost
from proven_device import (
    EXPONENTIAL,
    ROOT,
    SPEC,
    Case,
    Tables,
    accepted,
    lived,
    needs_program,
    released,
    run,
    tables,
)

from brrkit.counts import RandomizedResponse
from brrkit.tables import counts_lines, flip_lines
from brrkit_toolchain.bundle import reference
from brrkit_toolchain.bundle.reference.marks import pieces
from brrkit_toolchain.bundle.reference.numbers import floor_exp
from brrkit_toolchain.bundle.verify.outcome import CheckError

pytestmark = needs_program


def read(name: str) -> Case:
    content: Case = json.loads((SPEC / "vectors" / f"{name}.json").read_text("utf-8"))
    return content


def cases(
    file: str, kind: str, mechanisms: Sequence[str] = (EXPONENTIAL,)
) -> list[tuple[Tables, Case]]:
    """Return the cases of a kind, those with a mechanism only if it is one of these."""
    return [
        (tables(SPEC / "conformance" / bundle), case)
        for bundle, kinds in read(file)["bundles"].items()
        for case in kinds.get(kind, ())
        if case.get("mechanism", EXPONENTIAL) in mechanisms
    ]


def test_words() -> None:
    found = cases("releases", "cases")
    for bundle, case in found:
        before = bundle.number(case["before"]) if "before" in case else "-"
        writes = ("writes", before, bundle.typed(case["word"]))
        ((_, *ids),) = released(bundle.of_text(case), case["random"], writes)
        assert bundle.named(ids) == [case["output"]]
    assert len(found) == 120


def test_calls() -> None:
    found = cases("releases", "calls")
    for bundle, case in found:
        texts = [reference.tokenize(text, bundle.lexicon) for text in case.get("texts", ())]
        writes = [
            (
                *("writes", "-"),
                *(bundle.typed(w) for w in words if not (drops(case) and bundle.id_of(w) is None)),
            )
            for words in texts or [case["words"]]
        ]
        shown = released(bundle.of_text(case), case["random"], *writes)
        outputs = [bundle.named(ids) for _, *ids in shown]
        assert case["outputs"] == (list(map(" ".join, outputs)) if texts else outputs[0])
    assert len(found) == 44


def drops(case: Case) -> bool:
    return bool(case["oov"] == "drop")


def test_marked_texts() -> None:
    found = cases("releases", "marked")
    for bundle, case in found:
        passes, typed, kept = case.get("rest") == "pass", [], []
        for part, is_mark, head in pieces(case["text"], case["marks"], bundle.lexicon):
            if is_mark:
                dropped = drops(case) and head is None
                typed += [] if dropped else [bundle.mark(head)]
                kept.append("" if dropped else None)
            elif passes:
                kept.append(part)
            else:
                words = reference.tokenize(part, bundle.lexicon)
                known = [w for w in words if not (drops(case) and bundle.id_of(w) is None)]
                typed += map(bundle.typed, known)
        writes = ("writes", "-", *typed)
        ((_, *ids),) = released(bundle.of_text(case), case["random"], writes)
        words = bundle.named(ids)
        if passes:
            words = ["".join(words.pop(0) if part is None else part for part in kept)]
        assert " ".join(words) == case["output"]
    assert len(found) == 58


def test_a_memory() -> None:
    found = cases("memory", "memory")
    for bundle, case in found:
        typed = bundle.typed(case["word"])
        before = bundle.number(case["before"]) if "before" in case else "-"
        lines = [*bundle.of_text(case), bundle.keyed(case, case["word"]), ("first", typed)]
        (_, second), (_, first) = released(lines, case["random"], ("writes", before, typed))
        assert bundle.named([first, second]) == [case["first"], case["output"]]
    assert len(found) == 49


def test_reports() -> None:
    found = [*cases("counts", "counts"), *cases("memory", "counts")]
    for bundle, case in found:
        lines, typed = bundle.of_counts(case), bundle.typed(case["word"])
        if "key" in case:
            lines += [bundle.keyed_symbol(case, case["word"]), ("first-symbol", typed)]
        events = ("counts", typed), ("ends-counts",)
        _, (_, *report), *firsts = released(lines, case["random"], *events)
        assert bundle.named(report) == [case["output"]]
        assert bundle.named(first for _, first in firsts) == [
            case[name] for name in ("first",) if name in case
        ]
    assert len(found) == 110


def test_a_day_of_counts() -> None:
    found = cases("counts", "samples")
    for bundle, case in found:
        counts = ("counts", *map(bundle.typed, case["words"]))
        _, (_, *sample) = released(bundle.of_counts(case), case["random"], counts, ("ends-counts",))
        assert bundle.named(sample) == case["outputs"]
    assert len(found) == 16


def test_days_of_frames() -> None:
    found = cases("frames", "frames")
    for bundle, case in found:
        frames, source = case["frames"], case["random"]
        lines = [*bundle.of_text(case), ("a-day", frames["a_day"], frames["words"])]
        for day, texts in zip(case["days"], texts_of_days(bundle, case), strict=True):
            events = [
                ("begins-frames",),
                *(("frames", *text) for text in texts),
                ("ends-frames",),
            ]
            shown, left = lived(lines, source, *events)
            made = [frame.split() for frame in " ".join(shown[-1][1:]).split(",")]
            made.sort(key=lambda frame: list(map(int, frame)))
            assert [bundle.named(frame) for frame in made] == [each["words"] for each in day]
            source = source[len(source) - 2 * left :]
            batches, source = source[: 32 * len(day)], source[32 * len(day) :]
            assert batches == "".join(each["batch"] for each in day)
        assert not source
    assert len(found) == 27


def texts_of_days(bundle: Tables, case: Case) -> Iterator[list[list[str]]]:
    """Yield the tokens of each day's texts."""
    texts: list[list[str]] = [[]]
    for step in case["steps"]:
        if "add" in step:
            text: list[str] = []
            for part, is_mark, head in pieces(step["add"], step.get("marks", []), bundle.lexicon):
                if is_mark:
                    text.append(bundle.mark(head))
                else:
                    text += map(bundle.typed, reference.tokenize(part, bundle.lexicon))
            texts += [text, []]
        elif "word" in step:
            texts[-1].append(bundle.typed(step["word"]))
        elif "end" in step:
            texts.append([])
        else:
            yield texts
            texts = [[]]


def test_noised_codes() -> None:
    """Of known words, where no coin comes first; what is nearest then is no part of the proofs."""
    found = [
        (bundle.opened.codes[word].tobytes(), case)
        for bundle, case in cases("releases", "cases", ("brr", "vickrey"))
        if "passing" not in bundle.lexicon.policy
        and (word := bundle.id_of(case["word"])) is not None
    ]
    lines = [
        (case["threshold"], code.hex(), case["random"][: 64 * len(code)]) for code, case in found
    ]
    for (bits,), (code, case) in zip(run(("noised",), *lines), found, strict=True):
        assert int(bits[::-1], 2).to_bytes(len(code), "little").hex() == case["noised"]
    assert len(found) > 20
    for epsilon, threshold in {(case["epsilon"], case["threshold"]) for _, case in found}:
        accepted(flip_lines(epsilon, threshold))


def test_tables() -> None:
    found, lines = read("exact")["cases"], []
    for case in found:
        epsilon, cap, radius = Fraction(case["epsilon"]), case["cap"], case["radius"]
        growths = [floor_exp(2**64, epsilon / share) for share in (16, 2)]
        least = "-" if cap is None else floor_exp(2**64, Fraction(cap) / 2)
        first = (2**63 - 1) // case["total"]
        lines.append((first, least, *growths, radius, case["bits"] - radius))
    for weights, case in zip(run(("tables",), *lines), found, strict=True):
        made = b"".join(int(weight).to_bytes(8, "little") for weight in weights)
        assert hashlib.sha256(made).hexdigest() == case["weights"]


def test_thresholds() -> None:
    """The checker accepts these, and none that are closer to what is typed."""
    for case in read("exact")["cases"][::5]:
        epsilon, cap, threshold = case["epsilon"], case["cap"], case["threshold"]
        accepted(flip_lines(epsilon, threshold))
        with pytest.raises(CheckError):
            accepted(flip_lines(epsilon, threshold - 1))
        if cap is not None:
            kept, more = (
                RandomizedResponse(case["symbols"], case["keep_threshold"] + i) for i in (0, 1)
            )
            accepted(counts_lines(cap, kept))
            with pytest.raises(CheckError):
                accepted(counts_lines(cap, more))


def test_leases() -> None:
    for case in read("budget")["leases"]:
        limit = Budget(case["limit"], Disk(0)).limit
        lines = [
            ("spend", 0, limit, 0, 0, 0, words * cost(epsilon), cost(epsilon), 1)
            for epsilon, words, _ in case["releases"]
        ]
        shown = run(("budget",), ("period", 3_600_000), *lines)
        assert [spent for _, _, spent, *_ in shown] == [spent for *_, spent in case["releases"]]


def test_histories_of_budgets() -> None:
    refused = 0
    for case in read("budget")["histories"]:
        steps, period = case["steps"], round(1000 * case["period"])
        names = ["", *{name for step in steps for name in (step["unit"], step["now"][2]) if name}]
        lines = []
        for step in steps:
            limit, each = Budget(case["limits"][step["by"]], Disk(0)).limit, cost(step["epsilon"])
            wall, uptime, boot = step["now"]
            now, costs = (wall, uptime, names.index(boot)), (step["words"] * each, each)
            lines.append(("spend", step["by"], limit, *now, *costs, names.index(step["unit"])))
        shown = run(("budget",), ("period", period), *lines)
        for step, (said, *state) in zip(steps, shown, strict=True):
            assert step["allowed"] == (said == "spent")
            refused += not step["allowed"]
            line = None
            if state:
                unit, spent, elapsed, latest, boot, uptime = map(int, state)
                line = State(names[unit], spent, elapsed, latest, names[boot], uptime).line
            assert line == step["file"]
    assert refused > 5


def without(text: str, begin: str, end: str) -> str:
    """Return a theory's text without what begins and ends so."""
    start = text.index(begin)
    return text[:start] + text[text.index(end, start) :]


def test_another_order_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that draws word by word: it has the same proof, and other outputs."""
    if not shutil.which("coqc"):
        pytest.skip("no coqc")
    proofs = ROOT / "proofs"
    theory = (proofs / "theories" / "Order.v").read_text("utf-8")
    theory = without(theory, "  | Counts _ words, _ =>", "  | _, _ =>")
    theory = without(theory, "  - rewrite (mean_bind (collect", "Qed.")
    (tmp_path / "Order.v").write_text(theory, "utf-8")
    extract = (proofs / "golden" / "Extract.v").read_text("utf-8")
    extract = extract.replace(" Order.", ".\nFrom Mutant Require Import Order.")
    (tmp_path / "Extract.v").write_text(extract, "utf-8")
    shutil.copy(proofs / "golden" / "main.ml", tmp_path)
    for command in (
        *(
            ["coqc", "-Q", proofs / "theories", "Brrkit", "-Q", ".", "Mutant", f"{name}.v"]
            for name in ("Order", "Extract")
        ),
        ["ocamlopt", "device.mli", "device.ml", "main.ml", "-o", "device"],
    ):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    monkeypatch.setattr(proven_device, "PROGRAM", tmp_path / "device")
    test_marked_texts()
    for test in (test_a_day_of_counts, test_days_of_frames):
        with pytest.raises(AssertionError):
            test()
