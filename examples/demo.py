"""What brrkit does, on the sample bundle, in less than a minute: `make demo`.

    python -m examples.demo --output artifacts/demo

Prints texts as typed and as released, how often attackers are right, how a count of 200,000 phones
comes out, and how well a task is kept; writes the bundle's report page. What is typed is drawn by a
seed or stands here; what is released is drawn by the operating system, so each run differs.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from pathlib import Path

import numpy as np

from brrkit import Counts, Privatizer, WordBundle
from brrkit_toolchain import (
    Task,
    build_bundle,
    calibrate_words,
    estimate_frequencies,
    measure_words,
    write_report_page,
)

TEXTS = (
    "book a quiet table for four in boston",
    "what will the weather be like in london on monday",
    "we took the early train to the coast and walked along the beach until it was dark",
)
REQUESTS = Path(__file__).parent / "requests.csv"
"""Made-up requests, put together from patterns, with what they are for."""

PHONES = 200_000
COUNTED = {"storm": 0.02, "rain": 0.01, "snow": 0.005}
"""Shares of typed words that the count looks for; all others are typed by Zipf's law."""


def main() -> None:
    """Show it all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, required=True, help="a folder to write into")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    bundle = WordBundle.sample()
    show_texts(bundle)
    show_attackers(bundle)
    show_counts(bundle, folder / "reports.csv")
    show_task(folder / "requests")
    page = folder / "report.html"
    print("\nThe bundle's report, for a privacy review, is being written ...", flush=True)
    write_report_page(bundle, page, audit=False)
    print(f"Open {page.resolve().as_uri()}")


def show_texts(bundle: WordBundle) -> None:
    """Print texts as typed and as released."""
    privatizer = Privatizer(bundle)
    print(f"1. Texts. The sample bundle has {len(bundle):,} words and a calibrated setting.\n")
    for text in TEXTS:
        print(f"   typed     {text}\n   released  {privatizer.text(text)}\n")


def show_attackers(bundle: WordBundle) -> None:
    """Print how often attackers of one released word are right."""
    print(
        "2. Attackers, who see one released word. The probability that they guess the typed word:\n"
    )
    found = measure_words(bundle).attacks
    knows = {
        "isolated": "knows the mechanism",
        "frequencies": "also knows how frequent each word is",
    }
    for name, attack in found.items():
        print(f"   {name:<12} {attack.success.value:.2f}  {knows[name]}")


def show_counts(bundle: WordBundle, reports: Path) -> None:
    """Print how often some words were typed, and what an estimate from released words says."""
    words = [bundle.vocabulary.word(i) for i in range(len(bundle))]
    ids = {word: i for i, word in enumerate(words)}
    shares = 1 / np.arange(1, len(words) + 1)
    shares[[ids[word] for word in COUNTED]] = 0
    shares *= (1 - sum(COUNTED.values())) / shares.sum()
    for word, part in COUNTED.items():
        shares[ids[word]] = part
    drawn = np.random.default_rng(0).choice(len(words), PHONES, p=shares)
    typed = Counter(words[i] for i in drawn)
    released = Counter(Counts(bundle).words([words[i] for i in drawn]))
    with reports.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("word", "count"), *released.items()])
    found = estimate_frequencies(bundle, [str(reports)], words=tuple(COUNTED)).estimate
    print(f"\n3. A count. {PHONES:,} phones release one word each, by the setting for counts:\n")
    print("   word    typed   released   estimate of typed, 95% interval")
    for share in found.asked:
        low, middle, high = (PHONES * value for value in (share.low, share.share, share.high))
        print(
            f"   {share.name:<6} {typed[share.name]:>6,} {share.reports:>10,}"
            f" {middle:>10,.0f}, {low:,.0f} to {high:,.0f}"
        )


def show_task(folder: Path) -> None:
    """Print how well requests are told apart when released, with task bits and without."""
    print(
        "\n4. A task. A small bundle learns from labelled requests what to keep ...\n", flush=True
    )
    task = Task(REQUESTS)
    built = build_bundle(
        None, folder, effort="low", vocabulary_size=3_000, tasks=[task], force=True
    )
    for kept in built.manifest["tasks"][0]["classes"]:
        print(f"   {kept['name']:<8} {', '.join(kept['words'][:6])}")
    bundle = WordBundle.open(folder)
    print(
        "\n   The attacker's success, and how often a classifier of released requests is right:\n"
    )
    for weight, name in ((0, "without task bits"), (1, "with task bits")):
        found = calibrate_words(bundle, attack_success=0.2, task_weight=weight)
        (reached,) = found.tasks
        print(
            f"   {name:<18} {found.row.attack_success.value:.2f}   {reached.released.value:.2f}"
            f" (typed {reached.typed.value:.2f}, without a text {reached.frequent:.2f})"
        )


if __name__ == "__main__":
    main()
