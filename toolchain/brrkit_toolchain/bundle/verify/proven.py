"""The check that the integers of a bundle's settings meet the proven theorems' premises.

``make proofs`` extracts the program that decides this from the proofs: ``proofs/README.md``.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from brrkit import ParameterError, WordBundle
from brrkit.counts import RandomizedResponse
from brrkit.exact import default_second_cap, default_second_epsilon
from brrkit.mechanisms import Mechanism, create_mechanism
from brrkit.mechanisms.brr import BRR
from brrkit.mechanisms.exponential import BIGRAM, Exponential
from brrkit.mechanisms.vickrey import Vickrey
from brrkit.policy import NO_POLICY, Policy
from brrkit.resolve import resolve, resolve_counts
from brrkit.setting import Setting
from brrkit.tables import (
    Line,
    counts_lines,
    exponential_lines,
    flip_lines,
    passing_lines,
    written,
)
from brrkit_toolchain.bundle.verify.outcome import CheckError

PROGRAM = "brr-proof-checker"
"""The program that reads a setting's integers, and decides whether they meet the premises."""

PREMISES = (
    "It takes for granted: random bytes are uniform; codes, masses and settings do not depend on "
    "what is typed; a runtime computes what the theories model (tests compare them)"
)
"""The premises that the program doesn't check."""

# Theorems about "exponential", by whether there is a cap, and whether words pass.
_THEOREMS = {
    (False, False): "exponential_guarantee, text_guarantee",
    (True, False): "exponential_guarantee, exponential_guarantee_cap, text_guarantee, "
    "text_guarantee_cap",
    (False, True): "exponential_passed_guarantee, passed_text_guarantee",
    (True, True): "exponential_passed_guarantee, exponential_passed_guarantee_cap, "
    "passed_text_guarantee",
}

_CHECKER_IN_CLONE = Path(__file__).parents[4] / "proofs" / "build" / PROGRAM


def find_checker() -> Path:
    """Return the program on the path, or that of this clone.

    Raises:
        ParameterError: there is no such program.
    """
    if found := shutil.which(PROGRAM):
        return Path(found)
    if _CHECKER_IN_CLONE.is_file():
        return _CHECKER_IN_CLONE
    raise ParameterError(
        f"{PROGRAM} isn't on the path; build it with 'make proofs' in a clone (needs Coq), and "
        "put it on the path"
    )


def made_of(checker: Path) -> str:
    """Return the program's description, and its unchecked premises.

    Raises:
        CheckError: the program doesn't state its sources.
    """
    done = subprocess.run(
        [checker, "--version"], capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise CheckError(f"{checker} doesn't know --version; build it again with 'make proofs'")
    digest = hashlib.sha256(checker.read_bytes()).hexdigest()
    return f"{done.stdout.strip()}; {checker}, SHA-256 {digest}. {PREMISES}"


def text(bundle: WordBundle, checker: Path) -> str:
    """Return the theorem about the recommended setting for text, with its numbers.

    Raises:
        CheckError: the setting fails a premise, or no theorem is about its mechanism.
        BundleError: the setting isn't one that this version can run.
    """
    setting, mechanism = resolve(bundle)
    return _text(bundle, checker, setting, mechanism, bundle.policy)


def second_text(bundle: WordBundle, checker: Path) -> str:
    """Return the theorem about a memory's second draws, with the default ``second_epsilon``.

    Raises:
        CheckError: as ``text`` does.
        BundleError: as ``text`` does.
    """
    setting, _ = resolve(bundle)
    second = replace(setting, epsilon=default_second_epsilon(float(setting.epsilon)))
    # The first draw may pass, and is one word for all words of a list.
    said = _text(bundle, checker, second, create_mechanism(bundle, second), NO_POLICY)
    return f"second_epsilon {second.epsilon!r}: {said}"


def _text(
    bundle: WordBundle, checker: Path, setting: Setting, mechanism: Mechanism, policy: Policy
) -> str:
    passing = policy.passing
    loss = f"{setting.epsilon!r} d"
    if isinstance(mechanism, Exponential):
        lines = exponential_lines(bundle, mechanism)
        theorems = _THEOREMS[mechanism.cap is not None, passing is not None]
        if mechanism.cap is not None:
            loss = f"min({loss}, {mechanism.cap!r})"
    elif isinstance(mechanism, BRR | Vickrey):
        lines = flip_lines(float(setting.epsilon), mechanism.threshold)
        theorems = "flip_guarantee" + (", passed_text_guarantee" if passing is not None else "")
    else:
        raise CheckError(f"no theorem covers the mechanism {setting.mechanism!r}")
    met = check(checker, lines)
    whom, more = "all words x, x'", ""
    if passing is not None:
        check(checker, passing_lines(passing))
        whom = "all words x that do not pass, and all words x'"
        more = f", and 2^63 / (2^63 - {passing.threshold}) times as much for an x' that passes"
    if policy.lists:
        more += "; words of one list have the same distribution (policy_same)"
    return (
        f"for {whom} at the distance d, whatever was released before, and every set S: "
        f"Pr[M(x) in S] <= e^({loss}) Pr[M(x') in S]{more} ({theorems}); {met}"
    )


def certificate(bundle: WordBundle, checker: Path) -> str:
    """Return the theorem about the recommended setting's certificate, with its numbers.

    Raises:
        CheckError: the privacy loss exceeds the certificate, or the setting fails a premise.
        BundleError: the setting isn't one that this version can run.
    """
    setting, mechanism = resolve(bundle)
    assert setting.certificate is not None
    stated = setting.certificate.certified_epsilon
    if not isinstance(mechanism, Exponential) or mechanism.base == BIGRAM:
        raise CheckError(f"no theorem covers a certificate of {setting}")
    met = check(checker, certificate_lines(bundle, mechanism, stated))
    return (
        "for all words x, x' of this vocabulary at the distance d and every set S: "
        f"Pr[M(x) in S] <= e^({stated!r} d) Pr[M(x') in S] (certified_guarantee); {met}"
    )


def counts(bundle: WordBundle, checker: Path) -> str:
    """Return the theorem about the recommended setting for counts, with its numbers.

    Raises:
        CheckError: the setting fails a premise.
    """
    setting = resolve_counts(bundle)
    return _counts(bundle, checker, float(setting.cap), setting.words_a_day)


def second_counts(bundle: WordBundle, checker: Path) -> str:
    """Return the theorem about a memory's second draws, with the default ``second_cap``.

    Raises:
        CheckError: the setting fails a premise.
    """
    setting = resolve_counts(bundle)
    cap = default_second_cap(float(setting.cap))
    return f"second_cap {cap!r}: {_counts(bundle, checker, cap, setting.words_a_day)}"


def _counts(bundle: WordBundle, checker: Path, cap: float, words_a_day: int) -> str:
    response = RandomizedResponse.of(cap, len(bundle) + 1)
    met = check(checker, counts_lines(cap, response))
    return (
        f"for all words x, x' and every set S: Pr[M(x) in S] <= e^{cap!r} Pr[M(x') in S] "
        "(report_guarantee), and for two days of as many words "
        f"<= e^({words_a_day} * {cap!r}) (day_guarantee); {met}"
    )


def certificate_lines(bundle: WordBundle, mechanism: Exponential, stated: float) -> list[Line]:
    """Return the program's input for a ``certified_epsilon``, which includes codes."""
    _, *lines = exponential_lines(bundle, mechanism)
    codes: list[Line] = [("code", code) for code in bundle.codes.tolist()]
    return [("certificate", []), *lines, ("certified", [*stated.as_integer_ratio()]), *codes]


def check(checker: Path, lines: Sequence[Line]) -> str:
    """Run the program; return a line with the tables that it read, which meet the premises.

    Raises:
        CheckError: the tables fail a premise, or the program doesn't answer.
    """
    done = subprocess.run(
        [checker], input=written(lines), capture_output=True, encoding="utf-8", check=False
    )
    answer, *reasons = done.stdout.splitlines() or [""]
    if (done.returncode, answer) == (0, "yes"):
        read = Counter[str]()
        for name, numbers in lines:
            read[name] += len(numbers)
        tables = ", ".join(f"{name} {size:,}" for name, size in read.items() if size)
        return f"the integers of Python's tables meet the premises: {tables}"
    if (done.returncode, answer) == (1, "no"):
        raise CheckError("; ".join(reasons))
    raise CheckError(f"{checker} gives no answer: {done.stderr.strip()}; build it again")
