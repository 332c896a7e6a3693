"""The golden cases of a bundle: this runtime, and the reference, reproduce them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from brrkit import Counts, Mark, Privatizer, Reporter, Stream, WordBundle, strict_json
from brrkit.bundle import PARITY
from brrkit.exact import flip_threshold
from brrkit.mechanisms import MECHANISMS
from brrkit.memory import Memory, MemoryKey
from brrkit.randomness import RandomSource
from brrkit.setting import CountsSetting, Setting
from brrkit_toolchain.bundle import parity, reference
from brrkit_toolchain.bundle.verify.outcome import CheckError
from brrkit_toolchain.bundle.writer import encode_json, model_of
from brrkit_toolchain.io.files import read_input


def golden_cases(path: Path, bundle: WordBundle) -> str:
    """The runtime, and the reference, reproduce every case of ``parity.json``.

    A shipped bundle lacks this file. Then the reference makes new cases from the bundle's codes and
    words.
    """
    try:
        words = list(bundle.vocabulary)
        content, origin = _recorded_or_new(path / PARITY, bundle, words)
        cases = strict_json.parse(content)
        version = (cases["format"], cases["format_version"])
        if version != (parity.FORMAT, parity.FORMAT_VERSION):
            raise CheckError(
                f"{PARITY}: golden cases of another version, {version}; this one draws by "
                f"{(parity.FORMAT, parity.FORMAT_VERSION)}: build the bundle again, or remove "
                f"{PARITY}, so that brr verify makes new cases"
            )
        language = model_of(bundle)
        contents = parity.contents_of(bundle.codes, language, bundle.task_bits)
        lexicon = parity.lexicon_of(words, language, bundle.manifest)
        _check_thresholds(cases["thresholds"])
        _check_texts(bundle, lexicon, cases["texts"])
        for number, case in enumerate(cases["cases"]):
            _check_case(bundle, contents, lexicon, number, case)
        for number, case in enumerate(cases["memory"]):
            _check_memory(bundle, contents, lexicon, number, case)
        for number, case in enumerate(cases["streams"]):
            _check_stream(bundle, number, case)
        for number, case in enumerate(cases["counts"]):
            _check_counts(bundle, lexicon, number, case)
        for number, case in enumerate(cases["calls"]):
            _check_call(bundle, number, case)
        for number, case in enumerate(cases["marked"]):
            _check_marked(bundle, contents, lexicon, number, case)
        for number, case in enumerate(cases["samples"]):
            _check_sample(bundle, number, case)
        kinds = parity.KINDS if bundle.bits else parity.KINDS_OF_LISTS
        missing = set(MECHANISMS if bundle.bits else ())
        missing -= {case["mechanism"] for case in cases["cases"]}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise CheckError(
            f"{PARITY}: not readable as golden cases ({type(error).__name__})"
        ) from None
    if missing or not all(cases[kind] for kind in kinds):
        raise CheckError(f"{PARITY}: cases are missing {sorted(missing)}")
    counts = [f"{len(cases[kind])} {kind}" for kind in kinds]
    return ", ".join(counts) + origin


def _check_thresholds(entries: Sequence[dict[str, Any]]) -> None:
    for entry in entries:
        if flip_threshold(entry["epsilon"]) != entry["threshold"]:
            raise CheckError(f"{PARITY}: another threshold for epsilon {entry['epsilon']}")


def _check_texts(
    bundle: WordBundle, lexicon: reference.Lexicon, entries: Sequence[dict[str, Any]]
) -> None:
    for number, entry in enumerate(entries):
        tokens = bundle.tokenizer.read(entry["text"])
        if [token.text for token in tokens] != entry["tokens"]:
            raise CheckError(f"{PARITY}: text {number} is cut into other tokens")
        if [token.word_id for token in tokens] != [
            None if word is None else lexicon.ids.get(word, -1) for word in entry["words"]
        ]:
            raise CheckError(f"{PARITY}: text {number} is looked up as other words")
        if len(bundle.finished(entry["text"])) != entry["finished"]:
            raise CheckError(f"{PARITY}: another part of text {number} is finished")


def _check_case(
    bundle: WordBundle,
    contents: reference.Contents,
    lexicon: reference.Lexicon,
    number: int,
    case: dict[str, Any],
) -> None:
    if _replay(bundle, case) != case["output"]:
        raise CheckError(f"{PARITY}: case {number} ({case['mechanism']}) has another output")
    source = Replay(bytes.fromhex(case["random"]))
    release = reference.release(contents, lexicon, case, source)
    for name, value in release.details.items():
        if case.get(name) != value:
            raise CheckError(f"{PARITY}: case {number} ({case['mechanism']}): another '{name}'")


def _recorded_or_new(file: Path, bundle: WordBundle, words: list[str]) -> tuple[bytes, str]:
    """Return the content of ``file``, or cases from the reference with a note about that."""
    try:
        return read_input(file), ""
    except FileNotFoundError:
        pass
    method = bundle.manifest.get("method")
    seed = method.get("seed") if isinstance(method, dict) else None
    if not isinstance(seed, int) or seed < 0:
        seed = 0
    made = parity.golden_cases(
        words, bundle.codes, model_of(bundle), seed, bundle.digest, bundle.manifest
    )
    content = encode_json(made)
    same = hashlib.sha256(content).hexdigest() == bundle.manifest["files"][PARITY]["sha256"]
    of_manifest = (
        "the very bytes of the manifest's digest"
        if same
        else "not the bytes of the manifest's digest: the bundle was built by another version, or "
        "its codes aren't those that were built"
    )
    return content, f"; made anew, because {PARITY} isn't there: {of_manifest}"


class Replay:
    """A random source that plays back recorded bytes."""

    def __init__(self, recorded: bytes) -> None:
        self.left = recorded

    def __call__(self, size: int) -> bytes:
        """Return the next recorded bytes."""
        if size > len(self.left):
            raise CheckError(f"{PARITY}: more random bytes are drawn than a case recorded")
        part, self.left = self.left[:size], self.left[size:]
        return part


def _check_memory(
    bundle: WordBundle,
    contents: reference.Contents,
    lexicon: reference.Lexicon,
    number: int,
    case: dict[str, Any],
) -> None:
    if _replay(bundle, case) != case["output"]:
        raise CheckError(f"{PARITY}: memory case {number} has another output")
    source = Replay(bytes.fromhex(case["random"]))
    drawn = reference.remembered(contents, lexicon, bundle.digest, case, source)
    if drawn != (case["first"], case["output"]):
        raise CheckError(f"{PARITY}: memory case {number}: another first or second draw")


def _check_stream(bundle: WordBundle, number: int, case: dict[str, Any]) -> None:
    source = Replay(bytes.fromhex(case["random"]))
    stream = privatizer_of(bundle, case, source).stream()
    if [stream.word(word) for word in case["words"]] != case["outputs"] or source.left:
        raise CheckError(f"{PARITY}: stream {number} ({case['mechanism']}) has another output")


def _check_counts(
    bundle: WordBundle, lexicon: reference.Lexicon, number: int, case: dict[str, Any]
) -> None:
    source = Replay(bytes.fromhex(case["random"]))
    released = Counts(
        bundle,
        CountsSetting(case["cap"]),
        memory=_memory_of(case),
        second_cap=case.get("second_cap"),
        random=source,
    ).word(case["word"])
    if released != case["output"] or source.left:
        raise CheckError(f"{PARITY}: counts case {number} has another output")
    made = reference.counted(lexicon, bundle.digest, case, Replay(bytes.fromhex(case["random"])))
    if any(case.get(name) != value for name, value in made.items()):
        raise CheckError(f"{PARITY}: counts case {number}: another draw")


def _check_call(bundle: WordBundle, number: int, case: dict[str, Any]) -> None:
    source = Replay(bytes.fromhex(case["random"]))
    privatizer = privatizer_of(bundle, case, source)
    texts = case.get("texts")
    outputs = privatizer.words(case["words"]) if texts is None else privatizer.texts(texts)
    if outputs != case["outputs"] or source.left:
        raise CheckError(f"{PARITY}: call {number} ({case['mechanism']}) has another output")


def _check_marked(
    bundle: WordBundle,
    contents: reference.Contents,
    lexicon: reference.Lexicon,
    number: int,
    case: dict[str, Any],
) -> None:
    source = Replay(bytes.fromhex(case["random"]))
    marks = [Mark(*mark) for mark in case["marks"]]
    rest = case.get("rest", "release")
    output = privatizer_of(bundle, case, source).text(case["text"], marks, rest)
    if output != case["output"] or source.left:
        raise CheckError(f"{PARITY}: marked text {number} has another output")
    read = Replay(bytes.fromhex(case["random"]))
    if reference.marked(contents, lexicon, case, read) != case["output"]:
        raise CheckError(f"{PARITY}: marked text {number}: another draw")


def _check_sample(bundle: WordBundle, number: int, case: dict[str, Any]) -> None:
    source = Replay(bytes.fromhex(case["random"]))
    counts = Counts(bundle, CountsSetting(case["cap"], case["words_a_day"]), random=source)
    reporter = Reporter(counts, random=source)
    reporter.add(case["words"])
    unused, source.left = source.left, bytes(16)  # random bytes of the batch's id
    batch = strict_json.parse(reporter.batch("", "") or b"{}")
    if unused or sorted(batch["words"]) != sorted(case["outputs"]):
        raise CheckError(f"{PARITY}: sample {number} has another output")


class _Known(Memory):
    """A memory with a known key, without a file."""

    def __init__(self, key: MemoryKey) -> None:
        self._key = key

    def key(self) -> MemoryKey:
        """Return the key."""
        return self._key


def _memory_of(case: dict[str, Any]) -> Memory | None:
    if "key" not in case:
        return None
    return _Known(MemoryKey(case["number"], bytes.fromhex(case["key"])))


def _replay(bundle: WordBundle, case: dict[str, Any]) -> str | None:
    source = Replay(bytes.fromhex(case["random"]))
    before = bundle.vocabulary.find(case["before"]) if "before" in case else None
    released = Stream(privatizer_of(bundle, case, source), before).word(case["word"])
    return None if source.left else released


def privatizer_of(bundle: WordBundle, case: dict[str, Any], random: RandomSource) -> Privatizer:
    """Return the privatizer for a golden case."""
    return Privatizer(
        bundle,
        Setting(case["epsilon"], case["mechanism"], case.get("parameters", {})),
        oov=case.get("oov", "random"),
        memory=_memory_of(case),
        second_epsilon=case.get("second_epsilon"),
        random=random,
    )
