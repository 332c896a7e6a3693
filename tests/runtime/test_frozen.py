"""The runtime answers the frozen cases of ``spec`` as the reference implementation does."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import frozen
import numpy as np
import pytest
from device import HOUR

from brrkit import (
    BudgetError,
    BundleError,
    Mark,
    Memory,
    PrivacyBudget,
    Reporter,
    Session,
    Stream,
    WordBundle,
    tables_of,
)
from brrkit.bundle import INDEX, MANIFEST, RANDOMIZER
from brrkit.characters import SEPARATORS
from brrkit.exact import flip_threshold
from brrkit.list_tokenizer import ListTokenizer
from brrkit.masses import draw_by
from brrkit.mechanisms import MECHANISMS, create_mechanism
from brrkit.normal_form import normalize
from brrkit.period import Instant
from brrkit.setting import Setting
from brrkit.tokenizer import Tokenizer
from brrkit.vocabulary import Vocabulary
from brrkit.writing import read_writing

Case = dict[str, Any]


def answers(kind: str, answer: Callable[[WordBundle, Case, Callable[[int], bytes]], Any]) -> int:
    """Compare this runtime's outputs of a kind's cases, which take all random bytes; count them."""
    cases = list(frozen.of_bundles(kind))
    for bundle, case in cases:
        source = BytesIO(bytes.fromhex(case["random"]))
        made = answer(bundle, case, source.read)
        assert made == case["outputs" if "outputs" in case else "output"], case
        assert source.read() == b"", case
    return len(cases)


def released(bundle: WordBundle, case: Case, source: Callable[[int], bytes]) -> str | None:
    before = bundle.vocabulary.find(case["before"]) if "before" in case else None
    return Stream(frozen.privatizer_of(bundle, case, source), before).word(case["word"])


@pytest.mark.parametrize("kind", ["cases", "memory"])
def test_words(kind: str) -> None:
    assert answers(kind, released) >= 40
    cases = [case for _, case in frozen.of_bundles(kind)]
    assert {case["mechanism"] for case in cases} == set(MECHANISMS)


def test_streams() -> None:
    def streamed(
        bundle: WordBundle, case: Case, source: Callable[[int], bytes]
    ) -> list[str | None]:
        stream = frozen.privatizer_of(bundle, case, source).stream()
        return [stream.word(word) for word in case["words"]]

    assert answers("streams", streamed) >= 20


def test_calls() -> None:
    def called(bundle: WordBundle, case: Case, source: Callable[[int], bytes]) -> list[str]:
        privatizer = frozen.privatizer_of(bundle, case, source)
        return (
            privatizer.texts(case["texts"]) if "texts" in case else privatizer.words(case["words"])
        )

    assert answers("calls", called) >= 40


def test_marked() -> None:
    def marked(bundle: WordBundle, case: Case, source: Callable[[int], bytes]) -> str:
        marks = [Mark(*mark) for mark in case["marks"]]
        privatizer = frozen.privatizer_of(bundle, case, source)
        return privatizer.text(case["text"], marks, case.get("rest", "release"))

    assert answers("marked", marked) >= 120


def test_sessions() -> None:
    def hidden(bundle: WordBundle, case: Case, source: Callable[[int], bytes]) -> list[str]:
        session = Session(bundle, random=source)
        texts = zip(case["texts"], case["marks"], strict=True)
        outputs = [session.hide(text, [Mark(*mark) for mark in marks]) for text, marks in texts]
        assert session.restore(case["reply"]) == case["restored"]
        return outputs

    assert answers("sessions", hidden) >= 10


def test_what_is_typed_as_one_word_comes_out_alike() -> None:
    """Members and forms of a list, and unknown words: equal bytes give equal words."""
    groups: dict[tuple[Any, ...], list[Case]] = defaultdict(list)
    for kind in ("cases", "memory", "counts"):
        for bundle, case in frozen.of_bundles(kind):
            if bundle.policy.lists:
                typed = bundle.tokenizer.look_up(case["word"])
                given = map(case.get, ("mechanism", "cap", "random", "key"))
                groups[typed, tuple(given)].append(case)
    several = [cases for cases in groups.values() if len({case["word"] for case in cases}) > 1]
    assert len(several) >= 10
    for cases in several:
        assert len({case["output"] for case in cases}) == 1, cases


def test_counts() -> None:
    def counted(bundle: WordBundle, case: Case, source: Callable[[int], bytes]) -> str:
        return frozen.counts_of(bundle, case, source).word(case["word"])

    assert answers("counts", counted) >= 100


def test_samples() -> None:
    def sampled(bundle: WordBundle, case: Case, source: Callable[[int], bytes]) -> list[str]:
        reporter = Reporter(frozen.counts_of(bundle, case, source), random=source)
        reporter.add(case["words"])
        return reporter._sample

    assert answers("samples", sampled) >= 30


def test_frames() -> None:
    cases = list(frozen.of_bundles("frames"))
    assert len(cases) >= 25
    for bundle, case in cases:
        source = BytesIO(bytes.fromhex(case["random"]))
        assert frozen.days_of(bundle, case, source.read) == case["days"], case
        assert source.read() == b"", case


def test_noised_codes() -> None:
    cases = [each for each in frozen.of_bundles("cases") if each[1]["mechanism"] == "brr"]
    for bundle, case in cases:
        brr: Any = create_mechanism(bundle, Setting(case["epsilon"], "brr"))
        source = BytesIO(bytes.fromhex(case["random"]))
        typed = word_id = bundle.tokenizer.look_up(case["word"])
        if word_id is None:
            word_id = draw_by(bundle.masses.cumulative, source.read)
        passing = bundle.policy.passing
        passes = passing is not None and passing.coin(typed, source.read)
        noised = brr.randomizer(bundle.codes[word_id : word_id + 1], source.read)
        assert brr.threshold == case["threshold"]
        assert noised.tobytes().hex() == case["noised"]
        ids, distances = bundle.index.nearest(noised)
        output = word_id if passes else ids[0, 0]
        assert bundle.vocabulary.word(output) == case["output"]
        assert distances[0, 0] == case["distance"]


def test_exact_numbers() -> None:
    for case in frozen.read("exact")["cases"]:
        names = ("epsilon", "bits", "total", "t", "distance", "radius", "cap", "symbols")
        assert frozen.numbers(**{name: case[name] for name in names}) == case
    for _, case in frozen.of_bundles("thresholds"):
        assert flip_threshold(case["epsilon"]) == case["threshold"]


def test_printed_tables(tmp_path: Path) -> None:
    for number, case in enumerate(frozen.read("tables")["printed"]):
        folder = tmp_path / str(number)
        shutil.copytree(frozen.SPEC / "conformance" / case["bundle"], folder)
        (folder / MANIFEST).write_bytes(case["manifest"].encode())
        assert tables_of(WordBundle.open(folder)) == case["tables"], case["manifest"]


def test_texts(vocabulary_of: Callable[[Sequence[str]], Vocabulary]) -> None:
    def assert_read(tokenizer: Tokenizer, case: Case) -> None:
        tokens = tokenizer.read(case["text"])
        ids = [token.word_id for token in tokens]
        assert [token.text for token in tokens] == case["tokens"]
        words = [None if each is None else tokenizer.vocabulary.word(each) for each in ids]
        assert words == case["words"]
        assert len(tokenizer.finished(case["text"])) == case["finished"]

    for bundle, case in frozen.of_bundles("texts"):
        assert_read(bundle.tokenizer, case)
    for given in frozen.read("tokenizer")["vocabularies"]:
        writing = read_writing(given["writing"])
        assert writing
        masses = np.array(given["masses"], np.uint8)
        parts = (writing, vocabulary_of(given["vocabulary"]), masses)
        kind = given.get("list_of")
        tokenizer = ListTokenizer(*parts, kind) if kind else Tokenizer(*parts)
        for case in given["texts"]:
            assert_read(tokenizer, case)


def test_every_code_point() -> None:
    cut = {code for first, last in SEPARATORS for code in range(first, last + 1)}
    covered = []
    for case in frozen.read("tokenizer")["characters"]:
        codes = range(case["first"], case["last"] + 1)
        made = [normalize(chr(code)) for code in codes]
        outcomes = [
            (-2 if each else -3) if len(each) != 1 else -1 if ord(each) in cut else ord(each)
            for each in made
        ]
        digest = hashlib.sha256(np.array(outcomes, "<i4").tobytes()).hexdigest()
        assert digest == case["sha256"], case
        covered += codes
    assert covered == list(range(0x110000))


def test_a_memorys_first_draws(tmp_path: Path) -> None:
    cases = frozen.read("memory")["draws"]
    page = (frozen.SPEC / "state-files.md").read_text("utf-8")
    assert f"bytes begin {bytes.fromhex(cases[0]['bytes'])[:8].hex(' ')}." in page
    for number, case in enumerate(cases):
        file = tmp_path / str(number)
        file.write_text(case["file"])
        stored = json.loads(case["file"])
        now = Instant(stored["latest"], stored["uptime"], stored["boot"])
        key = Memory(1e12, file, clock=lambda now=now: now).key()
        setting = (case["mechanism"].encode(), bytes.fromhex(case["numbers"]))
        draw = key.draw(case["unit"], setting, case["word"] if case["known"] else None)
        assert draw.source()(100).hex() == case["bytes"], case
        assert file.read_text() == case["file"]


def test_a_budgets_leases(tmp_path: Path) -> None:
    for number, case in enumerate(frozen.read("budget")["leases"]):
        file = tmp_path / str(number)
        budget = PrivacyBudget(case["limit"], HOUR, file, clock=lambda: Instant(0, 0, ""))
        for epsilon, words, stored in case["releases"]:
            with suppress(BudgetError):
                budget.spend(epsilon, words, unit="u")
            assert json.loads(file.read_bytes())["spent"] == int(stored)


def test_a_budgets_histories(tmp_path: Path) -> None:
    now = Instant(0, 0, "")

    def clock() -> Instant:
        return now

    for number, case in enumerate(frozen.read("budget")["histories"]):
        file = tmp_path / str(number)
        budgets = {
            name: PrivacyBudget(limit, case["period"], file, clock=clock)
            for name, limit in case["limits"].items()
        }
        for step in case["steps"]:
            now = Instant(*step["now"])
            budget, allowed = budgets[step["by"]], True
            try:
                budget.spend(step["epsilon"], step["words"], unit=step["unit"])
            except BudgetError:
                allowed = False
            assert (allowed, budget.remaining()) == (step["allowed"], step["left"]), step
            assert (file.read_text() if file.exists() else None) == step["file"], step


def test_manifests_are_refused(tmp_path: Path) -> None:
    content = frozen.read("refused-manifests")
    for file in (INDEX, RANDOMIZER):
        source = frozen.SPEC / "conformance" / content["bundle"] / file
        (tmp_path / file).write_bytes(source.read_bytes())
    (tmp_path / MANIFEST).write_bytes(content["accepted"].encode())
    WordBundle.open(tmp_path)
    assert len(content["refused"]) >= 280
    for case in content["refused"]:
        (tmp_path / MANIFEST).write_bytes(case["manifest"].encode())
        with pytest.raises(BundleError):
            WordBundle.open(tmp_path)
            pytest.fail(f"opened: {case['wrong']}")
