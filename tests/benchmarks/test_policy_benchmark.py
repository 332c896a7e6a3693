"""What the benchmark of policies counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from bundle_tools import ENCYCLOPEDIA

from benchmarks import message, policy
from benchmarks.bench import Bench
from benchmarks.policy_bundles import policy_for, with_policy, without_ordinary
from brrkit import Privatizer, WordBundle
from brrkit.setting import Setting
from brrkit_toolchain.embeddings import Embeddings


def test_what_is_there_is_measured(
    opened: WordBundle,
    sample_source: Embeddings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without texts: names that are released again, and what a policy costs."""
    bench = Bench(ENCYCLOPEDIA, sample_source, opened, tmp_path, True)
    near = [each.word for each in opened.neighbors(opened.vocabulary.word(500), 30)]
    monkeypatch.setenv("BRR_DATA", str(tmp_path / "nothing"))
    monkeypatch.setattr(policy, "words_of_lists", lambda: {"names": near})
    found = policy.run(bench)
    named = found.numbers["named"]
    assert named["listed"] == pytest.approx(1 / named["words"], rel=1e-12)
    assert named["plain"][-1]["value"] > named["plain"][0]["low"]
    assert [row[0] for row in found.rows][-2:] == ["a word's time", "growth of the bundle, bytes"]
    assert found.numbers["prompts"] is None
    monkeypatch.setattr(policy, "words_of_lists", dict)
    assert "skipped" in policy.run(bench).notes[0]


def test_members_are_one_word_and_ordinary_words_are_left_out(
    opened: WordBundle, tmp_path: Path
) -> None:
    word_of = opened.vocabulary.word
    near = [each.word for each in opened.neighbors(word_of(500), 30)]
    far = word_of(int(np.argmax(opened.index.distances(opened.codes[500]))))
    lists = without_ordinary(opened, {"names": [*near, far]})
    made = with_policy(opened, policy_for(opened, lists, tmp_path, 5))
    (listed,) = made.policy.lists
    members = [word_of(i) for i in listed.members]
    assert far not in members
    assert made.policy.passing is not None
    assert len(made.policy.passing.words) == 5
    first, last = (Privatizer(made, Setting(0.6)).distribution(members[i]) for i in (0, -1))
    assert first == last


def test_parts_and_words_in_common() -> None:
    said = ["we", "met", "anna", "b", "yesterday"]
    assert policy._holds(said, ["anna", "b"])
    assert not policy._holds(said, ["anna", "yesterday"])
    assert policy._in_common(said, ["we", "saw", "anna", "yesterday", "met"]) == 3
    assert policy._in_common([], said) == 0


def test_a_message_leaves_as_the_same_whichever_name_and_illness_it_has() -> None:
    names, illnesses = (words.split() for words in message.LISTS.values())
    listed = message.bundle_with_lists()
    typed = {(name, illnesses[0]) for name in names} | {(names[0], each) for each in illnesses}
    assert len({tuple(message.releases(listed, *words)) for words in typed}) == 1
    alike = {tuple(message.releases(WordBundle.sample(), *words)) for words in message.TYPED}
    assert len(alike) == len(message.TYPED)
