"""brrkit's steps, from vectors to a report, in a minute: `make demo`.

    python -m examples.demo --output artifacts/demo

It builds a small bundle from the packaged vectors and made-up requests, verifies and calibrates it,
releases texts, guesses like an attacker, compares classifiers, counts, and writes a report. Typed
words come from a seed or from this file. Released words are drawn by the operating system, so each
run differs.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

import brrkit_toolchain
from brrkit import Counts, Privatizer, WordBundle
from brrkit.policy import NO_POLICY
from brrkit_counting import FrequencyOptions, calibrate_counts, estimate_frequencies
from brrkit_toolchain import (
    AttackSuccess,
    BuildPlan,
    Task,
    build_bundle,
    calibrate_words,
    guess_texts,
    measure_tasks,
    verify_bundle,
    write_recommended,
    write_report_page,
)

REQUESTS = Path(__file__).parent / "requests.csv"
"""Made-up requests from patterns, with their purposes."""

SPELLINGS = Path(brrkit_toolchain.__file__).parent / "embeddings" / "sample" / "spellings.tsv"
"""How people spell words otherwise."""

TEXTS = (
    "play a song by an italian band",
    "will it snow in chicago on sunday",
    "book a table for four in boston",
    "ok lol see u tmr",
    "anna has the flu again",
)
SECRET = {
    "names": "anna david emma james john maria mary michael paul priya sarah tom",
    "illnesses": "asthma cancer diabetes flu hiv migraine",
}
"""Lists; no release distinguishes two words of a list."""

SUCCESS = 0.2
"""Largest success of an attacker who sees one released word."""

PHONES = 200_000
COUNTED = {"weather": 0.02, "music": 0.01, "hotel": 0.005}
"""Shares of typed words that the count looks for; all others are typed by Zipf's law."""


def main() -> None:
    """Show it all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, required=True, help="a folder to write into")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    built = folder / "bundle"
    build(built)
    calibrate(built)
    bundle = WordBundle.open(built)
    show_texts(bundle)
    show_task(bundle)
    show_counts(bundle, folder / "reports.csv")
    page = folder / "report.html"
    step("The report, for a privacy review")
    write_report_page(bundle, page, audit=False, progress=True)
    print(f"   {page.resolve().as_uri()}")
    print(
        "\nWhat next:\n"
        "   your own vectors      docs/tutorial/first-bundle.md\n"
        "   a keyboard or an app  docs/tutorial/keyboard.md, docs/how-to/web.md\n"
        "   all tests             make test"
    )


def step(title: str) -> None:
    """Begin another part of the output."""
    print(f"\n{title}\n", flush=True)


def build(folder: Path) -> None:
    """Build a bundle that keeps the purposes of requests, and verify it."""
    step("A bundle: 3,000 words, what tells four kinds of requests apart, and what is secret")
    lists = [folder.with_name(f"{name}.txt") for name in SECRET]
    for path, words in zip(lists, SECRET.values(), strict=True):
        path.write_text("\n".join(words.split()), encoding="utf-8")
    built = build_bundle(
        None,
        folder,
        BuildPlan(
            effort="low",
            vocabulary_size=3_000,
            text=REQUESTS,
            column="text",
            tasks=[Task(REQUESTS)],
            spellings=SPELLINGS,
            secret=lists,
        ),
        force=True,
        progress=True,
    )
    for kept in built.manifest["tasks"][0]["classes"]:
        print(f"   {kept['name']:<8} {', '.join(kept['words'][:6])}")
    print(f"   which of these was typed, nothing released tells: {', '.join(SECRET)}")
    checks = verify_bundle(folder, progress=True).checks
    print(f"   verified: {sum(check.passed for check in checks)} of {len(checks)} checks passed")


def calibrate(folder: Path) -> None:
    """Write the setting at which the attacker is as successful as is allowed."""
    step(f"A setting: who sees one released word names the typed one with probability {SUCCESS}")
    found = calibrate_words(WordBundle.open(folder), AttackSuccess(SUCCESS), progress=True)
    counts = calibrate_counts(WordBundle.open(folder), attack_success=SUCCESS, progress=True)
    write_recommended(folder, found.setting)
    write_recommended(folder, counts.setting)
    print(f"   for text: epsilon {found.setting.epsilon}; for counts: cap {counts.setting.cap}")


def show_texts(bundle: WordBundle) -> None:
    """Print texts as typed, as released, and as an attacker guesses them."""
    step("Texts; and what an attacker makes of them who reads all that is released")
    released = Privatizer(bundle).texts(TEXTS)
    as_typed = replace(bundle.tokenizer, policy=NO_POLICY)  # and not the heads of lists
    right = words = 0
    for typed, text, guesses in zip(TEXTS, released, guess_texts(bundle, released), strict=True):
        own = [token.word_id for token in as_typed.read(typed)]
        named = [guess.word for guess in guesses]
        found = [bundle.vocabulary.find(guess) == i for guess, i in zip(named, own, strict=True)]
        marked = [
            f"[{guess}]" if is_right else guess
            for guess, is_right in zip(named, found, strict=True)
        ]
        right += sum(found)
        words += len(own)
        print(f"   typed     {typed}\n   released  {text}\n   guessed   {' '.join(marked)}\n")
    print(f"   [right]: {right} of {words} words, in this run. Requests have few patterns, so the")
    print("   words of one give each other away. To allow less: brr calibrate --text")


def show_task(bundle: WordBundle) -> None:
    """Print the accuracy of released requests' purposes."""
    step("A task: how often a classifier of requests is right")
    (reached,) = measure_tasks(bundle, progress=True)
    print(f"   trained and tested on typed requests     {reached.typed.value:.2f}")
    print(f"   trained and tested on released requests  {reached.released.value:.2f}")
    print(f"   without a look at the request            {reached.frequent:.2f}")


def show_counts(bundle: WordBundle, reports: Path) -> None:
    """Print the frequencies of some typed words, and an estimate from released words."""
    step(f"A count: {PHONES:,} phones release one word each, by the setting for counts")
    words = list(bundle.vocabulary)
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
    asked = FrequencyOptions(words=tuple(COUNTED))
    found = estimate_frequencies(bundle, [reports], asked, progress=True).estimate
    print("   word     typed   released   estimate of typed, 95% interval")
    for share in found.asked:
        low, middle, high = (PHONES * value for value in (share.low, share.share, share.high))
        print(
            f"   {share.name:<7} {typed[share.name]:>6,} {share.reports:>10,}"
            f" {middle:>10,.0f}, {low:,.0f} to {high:,.0f}"
        )


if __name__ == "__main__":
    main()
