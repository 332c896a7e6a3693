"""The README's message: the releases, for any typed name and illness.

    python -m benchmarks.message

The sample, at its recommended setting, gets two lists and passing function words. No release is
selected: they have the first seeds.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.policy_bundles import ILLNESSES, NAMES, policy_for, with_policy
from brrkit import Privatizer, WordBundle

LISTS = {
    NAMES: "alex amy andrew anna brian chris daniel david emily emma eric james jennifer jessica "
    "john kevin laura lisa maria mary michael paul rachel robert ryan sarah steven tom",
    ILLNESSES: "anemia anxiety arthritis asthma bronchitis cancer depression diabetes epilepsy flu "
    "hepatitis leukemia malaria measles migraine obesity pneumonia schizophrenia stroke "
    "tuberculosis",
}
"""Frequent ones."""

PASSING = 30
"""Number of passing function words."""

MESSAGE = "{} has {}, can you drive her to the doctor on monday"
TYPED = ("anna", "diabetes"), ("maria", "cancer")
SEEDS = range(3)


def bundle_with_lists() -> WordBundle:
    """Return the sample with the lists, and passing words."""
    sample = WordBundle.sample()
    lists = {name: words.split() for name, words in LISTS.items()}
    with tempfile.TemporaryDirectory() as folder:
        return with_policy(sample, policy_for(sample, lists, Path(folder), PASSING))


def releases(bundle: WordBundle, name: str, illness: str) -> list[str]:
    """Return the releases of a message with ``name`` and ``illness``, for each seed."""
    typed = MESSAGE.format(name, illness)
    return [Privatizer(bundle, random=random.Random(seed).randbytes).text(typed) for seed in SEEDS]


def described() -> str:
    """Return the messages and their releases, in Markdown."""
    bundle = bundle_with_lists()
    first, other = (releases(bundle, *words) for words in TYPED)
    assert first == other, "words of one list were told apart"
    policy = bundle.policy
    assert policy.passing is not None
    sizes = " and ".join(f"{len(each.members)} {each.name}" for each in policy.lists)
    other_words = " and ".join(f"*{word}*" for word in TYPED[1])
    return (
        f"*{MESSAGE.format(*TYPED[0])}* (or {other_words}),\nwith lists of {sizes}, "
        f"and {len(policy.passing.words)} function words that mostly stay unchanged:\n\n"
        f"{_table(first)}"
    )


def _table(released: Sequence[str]) -> str:
    seeds = ", ".join(map(str, SEEDS))
    head = f"| released, whichever was typed; seeds {seeds} |\n| --- |\n"
    return head + "".join(f"| {text} |\n" for text in released)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    print(described())
