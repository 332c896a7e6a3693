"""What runtimes print for the checker of the proofs, and which integers meet its premises.

The answers of ``spec/vectors/tables.json``, from the specification alone.
"""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import groupby, pairwise
from typing import Any

import conformance

from brrkit_toolchain.bundle import reference

Case = dict[str, Any]

_DIGITS = 200


def tables(case: Case) -> Case:
    """Return the manifest with a case's settings, and what is printed with it."""
    source = conformance.read_inputs()[case["bundle"]]
    words, _, language = conformance.parts(source)
    folder = conformance.FOLDER / case["bundle"]
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    lines: list[str] = []
    if recommended := case.get("recommended"):
        manifest["recommended"] = recommended
        lines += _of_text(recommended, source, language)
        passing = (source.policy or {}).get("passing")
        if passing:
            lines += ["passing", f"threshold {int(2**63 * Fraction(passing['probability']))}"]
    if counts := case.get("counts"):
        manifest["counts"] = counts
        symbols = len(words) + 1
        keep = reference.counts.keep_threshold(counts["cap"], symbols)
        lines += ["counts", f"cap {_fraction(counts['cap'])}"]
        lines += [f"symbols {symbols}", f"keep {keep}"]
    return {"manifest": _sealed(manifest), "tables": "".join(f"{line}\n" for line in lines)}


def _of_text(recommended: Case, source: conformance.Input, language: Any) -> list[str]:
    epsilon, parameters = recommended["epsilon"], recommended["parameters"]
    if recommended["mechanism"] != "exponential":
        threshold = reference.flip_threshold(epsilon)
        return ["flips", f"epsilon {_fraction(epsilon)}", f"threshold {threshold}"]
    bigrams = list(
        zip(*(part.tolist() for part in (language.before, language.after, language.gains)),
            strict=True)
    )  # fmt: skip
    masses = language.masses.tolist()
    base = parameters.get("base", "bigram" if bigrams else "unigram")
    contents = reference.Contents.of(None, masses, bigrams)  # type: ignore[arg-type]
    own, task_weight = source.bits - source.task_bits, parameters.get("task_weight", 1)
    cap = parameters.get("cap")
    weights = reference.weight_table(
        Fraction(epsilon),
        own + task_weight * source.task_bits,
        contents.most[base],
        parameters.get("radius", own // 8),
        None if cap is None else Fraction(cap),
    )
    lines = [
        "exponential",
        f"epsilon {_fraction(epsilon)}",
        f"bits {own} {source.task_bits} {task_weight}",
        " ".join(map(str, ["weights", *weights])),
        " ".join(map(str, ["masses", *([1] * len(masses) if base == "uniform" else masses)])),
    ]
    if cap is not None:
        lines.append(f"cap {_fraction(cap)}")
    if base == "bigram":
        for before, group in groupby(bigrams, lambda bigram: bigram[0]):
            lines.append(" ".join(map(str, ["gains", before, *_after(group)])))
    return lines


def _after(group: Any) -> list[int]:
    return [number for _, after, gain in group for number in (after, gain)]


def _fraction(number: float) -> str:
    exact = Fraction(number)
    return f"{exact.numerator} {exact.denominator}"


def _sealed(manifest: Case) -> str:
    text = json.dumps({**manifest, "sha256": "0" * 64}) + "\n"
    return text.replace("0" * 64, hashlib.sha256(text.encode()).hexdigest())


def weights(case: Case) -> Case:
    """Tell whether a table of weights meets the premises."""
    table = [int(weight) for weight in case["weights"].split()]
    total, cap = int(case["total"]), case["cap"]
    return {
        "holds": len(table) == case["largest"] + 1
        and table[0] == (2**63 - 1) // total
        and min(table) > 0
        and all(near >= far for near, far in pairwise(table))
        and all(_reaches(case["epsilon"], 2, near, far) for near, far in pairwise(table))
        and (cap is None or all(_reaches(cap, 2, table[0], weight) for weight in table))
    }


def flips(case: Case) -> Case:
    """Tell whether a flip threshold meets the premises."""
    threshold = case["threshold"]
    return {
        "holds": 0 < threshold <= 2**31
        and _reaches(case["epsilon"], 1, 2**32 - threshold, threshold)
    }


def keep(case: Case) -> Case:
    """Tell whether a keep threshold meets the premises."""
    threshold, symbols = int(case["threshold"]), case["symbols"]
    drawn = 2**63 - threshold
    return {"holds": drawn > 0 and _reaches(case["cap"], 1, drawn + symbols * threshold, drawn)}


def _reaches(exponent: float, divisor: int, numerator: int, denominator: int) -> bool:
    """Tell whether numerator / denominator is at most e^(exponent / divisor)."""
    with localcontext() as context:
        context.prec = _DIGITS
        return denominator * (Decimal(exponent) / divisor).exp() >= numerator
