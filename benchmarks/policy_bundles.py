"""The sample with lists of secret words, and passing words, from licensed packages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from brrkit import WordBundle
from brrkit.hamming import HammingIndex
from brrkit.policy import NO_POLICY, Policy
from brrkit_toolchain.lists.choose import policy_of, with_inflections
from brrkit_toolchain.lists.files import read_list_files
from brrkit_toolchain.lists.nearness import FEW, shares_on_list
from brrkit_toolchain.lists.one_code import with_one_code

NAMES, ILLNESSES = "names", "illnesses"

PASSING = "function-words:{}"
PROBABILITY = 0.95

_ENDINGS = re.compile(r"\w+(?:itis|osis|emia|oma|phobia|plegia)\b")


def words_of_lists() -> dict[str, list[str]]:
    """Return the lists with installed packages: faker's names, and illnesses of ICD-10-CM."""
    found = {}
    try:
        from faker.providers.person import en_IN, en_US

        found[NAMES] = [*en_US.Provider.first_names, *en_IN.Provider.first_names]
    except ImportError:
        pass
    try:
        import simple_icd_10_cm as icd

        words = ["diabetes", "cancer", "hiv", "flu", "stroke", "herpes", "tumor"]
        for code in icd.get_all_codes():
            if code[0] < "O":  # without injuries and similar
                described = icd.get_description(code)
                words += [described.partition(",")[0], *_ENDINGS.findall(described)]
        found[ILLNESSES] = words
    except ImportError:
        pass
    return {
        name: sorted({word.lower() for word in words if word.isalpha()})
        for name, words in found.items()
    }


def without_ordinary(
    bundle: WordBundle, lists: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """Return ``lists`` without the ordinary words that ``brr lists check`` finds.

    Args:
        bundle: a bundle without a policy.
        lists: words, by the list's name.
    """
    found = {}
    for name, words in lists.items():
        ids = {word: bundle.vocabulary.find(word) for word in words}
        members = [i for i in ids.values() if i is not None]
        shares = dict(zip(members, shares_on_list(bundle.codes, members, members), strict=True))
        found[name] = [word for word, i in ids.items() if i is None or shares[i] >= FEW]
    return found


def policy_for(
    bundle: WordBundle,
    lists: Mapping[str, Sequence[str]],
    folder: Path,
    passing: int | None = None,
) -> Policy:
    """Return the policy with ``lists`` and passing function words.

    Args:
        bundle: without a policy.
        lists: words, by the list's name; a word on two is of the first.
        folder: for files.
        passing: how many function words pass; None for none.
    """
    paths = []
    for name, words in lists.items():
        paths.append(folder / f"{name}.txt")
        paths[-1].write_text("\n".join(words) + "\n", encoding="utf-8")
    tokenizer = replace(bundle.tokenizer, policy=NO_POLICY)
    files = read_list_files(paths, bundle.writing, first=True)
    asked = None if passing is None else PASSING.format(passing)
    policy = policy_of(files, asked, PROBABILITY, tokenizer, bundle.masses.words)
    return with_inflections(policy, tokenizer, bundle.codes)


def with_policy(bundle: WordBundle, policy: Policy) -> WordBundle:
    """Return ``bundle`` with a policy, and one code for each list."""
    codes = np.ascontiguousarray(with_one_code(np.array(bundle.codes), policy.lists))
    return replace(bundle, policy=policy, codes=codes, index=HammingIndex(codes))
