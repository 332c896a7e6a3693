"""New words without a list: the findings of local and central protocols, in one run.

Each phone types one of the words in IMDB's reviews that the vocabulary lacks. The protocols are
PEM, SFP and TreeHist of ``pure-ldp`` with local differential privacy; TrieHH, Nebula and a trusted
server with central differential privacy; and STAR with only a threshold. STAR's own crates also run
as a whole, with the cryptography.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import reviews
from benchmarks.bench import Bench, progress
from benchmarks.child import ask, install
from benchmarks.provenance import ROOT
from benchmarks.report import Finding
from brrkit import WordBundle
from research.new_words import peer
from research.new_words.central import (
    THRESHOLD,
    Counts,
    sampled,
    threshold_alone,
    trusted,
    voted,
)

PACKAGE = "pure-ldp==1.2.0"
BESIDES = (
    *("numpy<2", "scipy<1.14", "xxhash<4"),  # it breaks with later ones
    *("bitstring", "bitarray", "scikit-learn", "statsmodels", "matplotlib", "seaborn"),
)
LOCAL = ("PEM", "SFP", "TreeHist")
CENTRAL = ("TrieHH", "Nebula", "trusted server")
ALONE = "STAR"

PHONES = (100_000, 1_000_000, 10_000_000)
EPSILONS = (1.0, 2.0, 4.0)
FIRST = (100, 1_000)
"""So many of the most frequent new words are looked for."""

LONGEST = 12
WITH_CLIENTS = 100_000, 4.0
"""Phones and epsilon at which the packages' clients make the reports, too."""

STAR_PHONES = 20_000


@dataclass(frozen=True)
class Row:
    """The findings of one protocol.

    Attributes:
        protocol: its name.
        phones: number of phones that typed a new word.
        epsilon: local or central epsilon; None for a threshold alone.
        first: number of the most frequent new words that it found, by ``FIRST``.
        found: number of typed words that it found.
        false: number of untyped words that it found.
        search: seconds of the server's processor time; None for central protocols.
        noise: standard deviation of an untyped word's count; None for central protocols.
        clients: seconds of processor time of the package's clients, and of the server that sums
            their reports; None if sums were drawn.
    """

    protocol: str
    phones: int
    epsilon: float | None
    first: tuple[int, ...]
    found: int
    false: int
    search: float | None = None
    noise: float | None = None
    clients: float | None = None


@dataclass(frozen=True)
class Typed:
    """New words, the most frequent first, with the number of phones that typed each."""

    words: Sequence[str]
    counts: Counts

    def row(
        self,
        protocol: str,
        epsilon: float | None,
        found: Sequence[str],
        **more: Any,
    ) -> Row:
        """Return a row of the findings."""
        places = {word: i for i, word in enumerate(self.words)}
        true = [places[word] for word in found if word in places and self.counts[places[word]]]
        return Row(
            protocol,
            int(self.counts.sum()),
            epsilon,
            tuple(sum(place < first for place in true) for first in FIRST),
            len(true),
            len(found) - len(true),
            **more,
        )


def run(bench: Bench) -> Finding:
    """Count the unknown words; let every protocol find them."""
    title = f"new-words: words that {len(bench.bundle):,} words lack, typed on phones, one each"
    progress("new-words: reading the reviews")
    new = unknown_words(bench.bundle)
    if new is None:
        return Finding(title, (), (), notes=("skipped: IMDB's reviews aren't there (BRR_DATA)",))
    words = [word for word, _ in new.most_common() if re.fullmatch(f"[a-z]{{2,{LONGEST}}}", word)]
    shares = np.array([new[word] for word in words], np.float64)
    covered = float(shares.sum() / new.total())
    shares /= shares.sum()
    progress(f"new-words: installing {PACKAGE}")
    python = install(PACKAGE, bench.folder, *BESIDES)
    rows: list[Row] = []
    for phones in PHONES[:1] if bench.quick else PHONES:
        typed = Typed(words, np.random.default_rng(0).multinomial(phones, shares))
        rows += central(typed)
        if python is not None:
            rows += local(typed, python, bench.folder)
    star = run_star(words, shares, bench.folder)
    further, notes = [], [f"{covered:.1%} of unknown words are 2 to {LONGEST} letters, a to z"]
    if python is None:
        notes.append(f"left out: {PACKAGE} couldn't be installed")
    if star is None:
        notes.append("left out: STAR's crates, which cargo builds")
    else:
        further.append(star_table(star))
    return Finding(
        title=title,
        columns=COLUMNS,
        rows=cells([asdict(row) for row in rows]),
        further=further,
        notes=notes,
        numbers={
            "covered": covered,
            "words": len(words),
            "shares": {str(rank): float(shares[rank - 1]) for rank in (1, 10, *FIRST)},
            "rows": [asdict(row) for row in rows],
            "star": star,
        },
    )


def unknown_words(bundle: WordBundle) -> Counter[str] | None:
    """Return the frequencies of the reviews' words that a bundle lacks; None without reviews."""
    dataset = reviews.imdb()
    if dataset is None:
        return None
    runs: Counter[str] = Counter()
    for text in dataset.texts:
        runs.update(bundle.tokenizer.runs(text))
    unknown: Counter[str] = Counter()
    for run_, times in runs.items():
        for token in bundle.tokenizer.tokens(run_):
            if token.word_id is None:
                unknown[token.text] += times
    return unknown


def central(typed: Typed) -> Iterator[Row]:
    """Yield the findings under central differential privacy, and with only a threshold."""
    for epsilon in EPSILONS:
        for protocol in CENTRAL:
            yield _central(protocol, typed, epsilon)
    yield _central(ALONE, typed, None)


def _central(protocol: str, typed: Typed, epsilon: float | None) -> Row:
    generator = np.random.default_rng(0)
    if epsilon is None:
        found = threshold_alone(typed.counts)
    elif protocol == "TrieHH":
        found = voted(typed.words, typed.counts, epsilon, generator)
    else:
        released = sampled if protocol == "Nebula" else trusted
        found = released(typed.counts, epsilon, generator)
    return typed.row(protocol, epsilon, [typed.words[i] for i in found.tolist()])


def local(typed: Typed, python: Path, folder: Path) -> Iterator[Row]:
    """Yield the findings of the package's protocols, by their own servers."""
    phones = int(typed.counts.sum())
    for epsilon in EPSILONS:
        for protocol in LOCAL:
            for clients in (False, True) if (phones, epsilon) == WITH_CLIENTS else (False,):
                progress(f"new-words: {phones:,} phones, {protocol}, epsilon {epsilon}")
                some = np.flatnonzero(typed.counts)
                job = {
                    "strings": [typed.words[i].ljust(LONGEST, FILL) for i in some.tolist()],
                    "counts": typed.counts[some].tolist(),
                    "protocol": protocol,
                    "epsilon": epsilon,
                    "clients": clients,
                    "seed": 0,
                }
                answer = ask(python, peer.__file__, job, folder)
                yield typed.row(
                    protocol,
                    epsilon,
                    [string.rstrip(FILL) for string in answer["found"]],
                    search=answer["server"],
                    noise=answer["noise"],
                    clients=answer["reports"] if clients else None,
                )


FILL = peer.LETTERS[-1]


def run_star(
    words: Sequence[str], shares: NDArray[np.float64], folder: Path
) -> dict[str, Any] | None:
    """Run STAR as a whole, in Rust: seconds of each side, a message's bytes, words; None without.

    The released words must be those of ``threshold_alone``.
    """
    cargo = shutil.which("cargo")
    if cargo is None:
        return None
    progress("new-words: building STAR")
    source, target = ROOT / "research" / "new_words" / "star", folder / "star"
    command = [cargo, "build", "--release", "--quiet", "--locked", "--target-dir", str(target)]
    if subprocess.run(command, cwd=source, env=os.environ, check=False).returncode:
        return None
    counts = np.random.default_rng(0).multinomial(STAR_PHONES, shares)
    phones = np.random.default_rng(0).permutation(np.repeat(np.arange(len(words)), counts))
    progress(f"new-words: STAR, {STAR_PHONES:,} phones")
    done = subprocess.run(
        [str(target / "release" / "star"), str(THRESHOLD)],
        input="".join(f"{words[i]}\n" for i in phones.tolist()),
        capture_output=True,
        text=True,
        check=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["found"] == {words[i]: int(counts[i]) for i in threshold_alone(counts).tolist()}
    return {**answer, "found": len(answer["found"]), "phones": STAR_PHONES}


COLUMNS = (
    "protocol",
    "phones",
    *(f"first {first:,}, ε = {epsilon:g}" for first in FIRST for epsilon in EPSILONS),
    "all, ε = 4",
    "false, all ε",
    "search, CPU seconds",
)


def cells(rows: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Return a line for each protocol and number of phones; of a threshold alone, in all columns.

    Args:
        rows: as they are stored.
    """
    lines = []
    for protocol in (*LOCAL, *CENTRAL, ALONE):
        for phones in PHONES:
            found = {
                row["epsilon"]: row
                for row in rows
                if (row["protocol"], row["phones"], row["clients"]) == (protocol, phones, None)
            }
            if not found:
                continue
            at = [found.get(epsilon) or found[None] for epsilon in EPSILONS]
            lines.append(
                [
                    protocol,
                    f"{phones:,}",
                    *(f"{row['first'][i]:,}" for i in range(len(FIRST)) for row in at),
                    f"{at[-1]['found']:,}",
                    f"{sum(row['false'] for row in found.values()):,}",
                    "–" if at[-1]["search"] is None else f"{at[-1]['search']:.0f}",
                ]
            )
    return lines


def star_table(star: dict[str, Any]) -> list[list[str]]:
    """Return the costs of a report of STAR, headings first."""
    each = [f"{star[side] / star['phones'] * 1e6:,.0f}" for side in SIDES]
    return [
        [
            "phones",
            "words found",
            "bytes per report",
            *(f"{side}, µs per report" for side in SIDES),
        ],
        [f"{star['phones']:,}", f"{star['found']:,}", f"{star['bytes']:,}", *each],
    ]


SIDES = ("client", "randomness", "aggregation")


def agreement(rows: Sequence[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Return headings and cells: the noise by clients' reports and drawn sums, clients' time."""
    phones, epsilon = WITH_CLIENTS
    cells = []
    for protocol in LOCAL:
        clients, drawn = (
            next(
                row
                for row in rows
                if (row["protocol"], row["phones"], row["epsilon"]) == (protocol, phones, epsilon)
                and (row["clients"] is None) == by_sums
            )
            for by_sums in (False, True)
        )
        each = clients["clients"] / phones * 1e6
        cells.append([protocol, f"{clients['noise']:.0f}", f"{drawn['noise']:.0f}", f"{each:.0f}"])
    return ["protocol", "clients' reports", "drawn sums", "client, µs per report"], cells
