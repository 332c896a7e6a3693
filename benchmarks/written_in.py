"""Known words, utility and costs in each language with data.

    python -m benchmarks.written_in [--output FILE] [CODE]...

measures these languages, by default all, one after the other, and adds them to ``FILE``
(``benchmarks/results/benchmarks/written-in.json``); others stay. It needs the data in ``BRR_DATA``.
A language takes some minutes.

Known words are those with vectors, or those in a list of frequent words if there are no vectors.
The other results are from a bundle of the first words at low effort. It counts one half of a
language's text, and the other half is measured.
"""

from __future__ import annotations

import csv
import json
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import progress
from benchmarks.commands import results_parser
from benchmarks.language_data import DATA, LANGUAGES, Language, Table
from benchmarks.provenance import provenance
from benchmarks.report import aligned
from benchmarks.store import write_alone
from brrkit import Privatizer, WordBundle
from brrkit.bundle import PARITY
from brrkit.normal_form import normalize
from brrkit.setting import Estimate, Setting
from brrkit.tokenizer import Tokenizer
from brrkit.writing import ENGLISH, Writing
from brrkit_toolchain import (
    BuildPlan,
    TextAttackSuccess,
    build_bundle,
    calibrate_text,
    evaluate_file,
    measure_text,
)
from brrkit_toolchain.embeddings import Embeddings, read_embeddings
from brrkit_toolchain.io.tables.reading import lines
from brrkit_toolchain.language.lexicon import tokenizer_of
from brrkit_toolchain.language.texts import TextIds
from brrkit_toolchain.writing.of_vocabulary import drop_absent_clitics, writing_of

WORDS = 3_000
"""Of a bundle."""
SUCCESS = 0.2
"""Success of the sentence attacker over content words, at the calibrated setting."""

_VOCABULARY = 25_000  # largest number of words for known shares
_TEXT = 40_000  # words of text, about
_ATTACKED = 5_000  # words
_TIMED = 5_000  # words
_CLASSIFIED = 1_000  # training texts of a classifier
_FEWEST = 20  # texts of a class
_FREQUENT = 8_000  # words; rarer ones count as unknown, to test the rules
_NEAR = 100  # neighbors among the frequent ones

COLUMNS = (
    "language",
    "words",
    "known, cut as English",
    "known, cut by its own rules",
    "found, near",
    "boundary F1",
    "NN@10",
    "ε",
    "attack success",
    "cosine",
    "cosine, content words",
    "task",
    "accuracy, typed",
    "accuracy, released",
    "time to cut, µs",
    "time to release, µs",
    "size, MB",
)


def measure(code: str, folder: Path) -> dict[str, Any]:
    """Measure a language.

    Args:
        code: a code in ``LANGUAGES``.
        folder: a temporary folder.
    """
    language = LANGUAGES[code]
    progress(f"written-in: {language.name}")
    writing = WordBundle.sample().writing if language.of_sample else writing_of(code)
    source = _vectors(language, writing)
    words = _listed(code, writing) if source is None else source.words
    counted, measured = halves(language)
    if language.trained_on:
        words = words_in(counted, words, writing)
    writing = drop_absent_clitics(writing, words)
    text = _running(measured, language.text)
    found: dict[str, Any] = {
        "name": language.name,
        "words": len(words),
        "before": _known(tokenizer_of(words, ENGLISH), text),
        "after": _known(tokenizer_of(words, writing), text),
        "boundaries": boundaries(tokenizer_of(words, writing), language.text),
    }
    if source is None:
        return found
    if not language.text.joined:
        found |= _near(source, writing)
    build_bundle(
        DATA / language.vectors,
        folder / code,
        BuildPlan(
            vocabulary_size=WORDS,
            effort="low",
            written_in=_write(folder / "writing.json", json.dumps(writing.to_json())),
            text=_write(folder / "counted.txt", "\n".join(counted) + "\n"),
            text_digest=False,
        ),
    )
    bundle = WordBundle.open(folder / code)
    file = _write(folder / f"{code}.txt", "\n".join(text) + "\n")
    setting = calibrate_text(bundle, file, TextAttackSuccess(SUCCESS)).setting
    kept = Embeddings(
        source.words[:WORDS], source.vectors[:WORDS], source.source, source.format, source.skipped
    )
    attack = measure_text(bundle, file, setting, embeddings=kept, tokens=_ATTACKED)
    assert attack.cosine is not None
    sentence = attack.attackers["sentence"]
    found |= {
        "nn10": bundle.manifest["quality"]["nn10"],
        "epsilon": setting.epsilon,
        "success": _numbers(sentence["content"].top1),
        "success over all": _numbers(sentence["all"].top1),
        "cosine": attack.cosine["all"],
        "cosine of content": attack.cosine["content"],
        **_task(language, bundle, setting, folder / f"{code}.csv"),
        **_microseconds(bundle, setting, text),
        "bytes": sum(file.stat().st_size for file in bundle.path.iterdir() if file.name != PARITY),
    }
    return found


def _vectors(language: Language, writing: Writing) -> Embeddings | None:
    if not language.vectors:
        return None
    return read_embeddings(
        DATA / language.vectors, vocabulary_size=_VOCABULARY, writing=writing, progress=False
    )


def _listed(code: str, writing: Writing) -> list[str]:
    """Return the frequent words of a language, the most frequent first."""
    listed = lines(DATA / "languages" / "frequencies.wordfreq-20k.tsv.xz")
    columns = (line.split("\t") for _, line in listed)
    words = [normalize(row[1], writing) for row in columns if row[0] == code]
    return list(dict.fromkeys(words))


def halves(language: Language) -> tuple[list[str], list[str]]:
    """Return the texts that the bundle counts, and the measured ones, without overlap."""
    if language.counted:
        both = language.counted.rows(), language.text.rows()
    else:
        both = language.text.half(0), language.text.half(1)
    counted, measured = ([" ".join(text.split()) for text, _ in rows if text] for rows in both)
    seen = set(counted)
    return counted, [text for text in measured if text not in seen]


def words_in(texts: Iterable[str], words: Sequence[str], writing: Writing) -> list[str]:
    """Return the ``words`` that occur in ``texts``."""
    tokenizer = tokenizer_of(words, writing)
    ids = {token.word_id for text in texts for token in tokenizer.read(text)}
    return [word for number, word in enumerate(words) if number in ids]


def _write(file: Path, content: str) -> Path:
    file.write_text(content, encoding="utf-8")
    return file


def _running(texts: Sequence[str], table: Table) -> list[str]:
    """Return regularly spaced texts of a table, with about ``_TEXT`` words."""
    cut = tokenizer_of(("a", "b"))
    lengths = [
        max(len(cut.tokenize(text)), len(text) // 2 if table.joined else 0) for text in texts
    ]
    every = max(1, sum(lengths) // _TEXT)
    return list(texts[::every])


def _known(tokenizer: Tokenizer, text: Sequence[str]) -> float:
    """Return the share of a text's tokens that are known."""
    convert = TextIds(tokenizer)
    for line in text:
        convert(line)
    return 1 - convert.coverage.unknown / convert.coverage.tokens


def boundaries(tokenizer: Tokenizer, table: Table) -> float | None:
    """Return F1 of the cuts in texts that a segmenter has cut, without its spaces."""
    if not table.joined:
        return None
    right = ours = theirs = 0
    cut = Table(table.file, table.text)
    for number, (text, _) in enumerate(cut.half(1)):
        if number % 4:
            continue
        for stretch in _stretches(text.split(), tokenizer):
            found = _ends(tokenizer.tokenize("".join(stretch)))
            expected = _ends(stretch)
            right += len(found & expected)
            ours, theirs = ours + len(found), theirs + len(expected)
    return 2 * right / (ours + theirs)


def _stretches(tokens: Sequence[str], tokenizer: Tokenizer) -> Iterator[list[str]]:
    """Yield runs of consecutive tokens in unspaced scripts."""
    stretch: list[str] = []
    ranges = tokenizer.writing.unspaced
    for token in (*tokens, " "):
        if all(any(a <= ord(each) <= b for a, b in ranges) for each in token):
            stretch.append(token)
        elif stretch:
            yield stretch
            stretch = []


def _ends(tokens: Sequence[str]) -> set[int]:
    return set(np.cumsum([len(token) for token in tokens])[:-1].tolist())


def _near(source: Embeddings, writing: Writing) -> dict[str, Any]:
    """Return the results of the rules for rare words, treated as unknown.

    ``found`` is the share of rare words with another word. ``near`` is the share of these whose
    other word is among their nearest neighbors, by their own vectors, and ``chance`` is the same
    for any word. A compound counts if one of its parts is near.
    """
    tokenizer = tokenizer_of(source.words[:_FREQUENT], writing)
    vectors = source.vectors - source.vectors[:_FREQUENT].mean(axis=0)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    near, chance = [], []
    generator = np.random.default_rng(0)
    for rare, word in enumerate(source.words[_FREQUENT:], _FREQUENT):
        ids = [token.word_id for token in tokenizer.read(word)]
        if not ids or None in ids:
            continue
        similar = vectors[:_FREQUENT] @ vectors[rare]
        near.append(_among(similar, [each for each in ids if each is not None]))
        chance.append(_among(similar, generator.choice(_FREQUENT, len(ids)).tolist()))
    count = len(source.words) - _FREQUENT
    if not near:
        return {"found": 0.0}
    return {
        "found": len(near) / count,
        "near": float(np.mean(near)),
        "chance": float(np.mean(chance)),
    }


def _among(similar: NDArray[np.float32], ids: Sequence[int]) -> bool:
    """Return whether one of ``ids`` is among the ``_NEAR`` most similar words."""
    return bool(np.count_nonzero(similar > similar[ids].max()) < _NEAR)


def _task(language: Language, bundle: WordBundle, setting: Setting, file: Path) -> dict[str, Any]:
    """Return the accuracy of classifiers trained on typed and on released texts."""
    if language.task is None:
        return {}
    name, table = language.task
    labeled = table.half(1) if table == language.text else table.rows()
    rows = [row for row in labeled if all(row)]
    counts: dict[str, int] = {}
    for _, label in rows:
        counts[label] = counts.get(label, 0) + 1
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(("text", "label"))
        writer.writerows(row for row in rows if counts[row[1]] >= _FEWEST)
    scores = evaluate_file(
        bundle, file, DATA / language.vectors, setting, texts=_CLASSIFIED, trials=3
    )
    return {
        "task": name,
        "classes": sum(count >= _FEWEST for count in counts.values()),
        "typed": _numbers(scores.typed.accuracy),
        "released": _numbers(scores.privatized.accuracy),
    }


def _microseconds(bundle: WordBundle, setting: Setting, text: Sequence[str]) -> dict[str, float]:
    """Return the time per word for cutting and look-up, and for these with the release."""
    tokens, some = 0, []
    for line in text:
        some.append(line)
        tokens += len(bundle.tokenize(line))
        if tokens >= _TIMED:
            break
    privatizer = Privatizer(bundle, setting)

    def cut() -> None:
        for line in some:
            bundle.tokenizer.read(line)

    def release() -> None:
        for line in some:
            privatizer.text(line)

    taken = {}
    for name, action in (("cut µs", cut), ("released µs", release)):
        times = []
        for _ in range(3):
            start = time.process_time()
            action()
            times.append(time.process_time() - start)
        taken[name] = 1e6 * min(times) / tokens
    return taken


def _numbers(found: Estimate) -> list[float]:
    return [found.value, found.low, found.high]


def rows(results: dict[str, Any]) -> list[list[str]]:
    """Return the lines of the table."""
    return [_row(results[code]) for code in LANGUAGES if code in results]


def _row(found: dict[str, Any]) -> list[str]:
    def shown(name: str, form: str = ".3f") -> str:
        value = found.get(name)
        if isinstance(value, list):
            return f"{value[0]:{form}} ({value[1]:{form}}–{value[2]:{form}})"
        return "–" if value is None else f"{value:{form}}"

    near = f"{found['found']:.3f}, {found['near']:.2f}" if found.get("found") else "–"
    task = f"{found['task']}, {found['classes']} classes" if "task" in found else "–"
    return [
        found["name"],
        f"{found['words']:,}",
        shown("before"),
        shown("after"),
        near,
        shown("boundaries"),
        shown("nn10"),
        shown("epsilon", ".2f"),
        shown("success", ".2f"),
        shown("cosine", ".2f"),
        shown("cosine of content", ".2f"),
        task,
        shown("typed", ".2f"),
        shown("released", ".2f"),
        shown("cut µs", ".1f"),
        shown("released µs", ".0f"),
        f"{found['bytes'] / 1e6:.2f}" if "bytes" in found else "–",
    ]


def _of_the_same(output: Path, made_by: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stored results of other languages, if from this code and this processor."""
    stored = json.loads(output.read_text(encoding="utf-8")) if output.exists() else {}
    same = (
        stored.get("commit") == made_by["commit"]
        and stored["machine"]["cpu"] == made_by["machine"]["cpu"]
    )
    return dict(stored["languages"]) if same else {}


def main() -> None:
    parser = results_parser(__doc__)
    parser.add_argument("code", nargs="*", choices=[*LANGUAGES, []], metavar="CODE")
    given = parser.parse_args()
    output: Path | None = given.output
    made_by = provenance()
    results = _of_the_same(output, made_by) if output else {}
    for code in given.code or list(LANGUAGES):
        start = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            results[code] = measure(code, Path(folder))
        results[code]["seconds"] = round(time.process_time() - start)
        if output:
            write_alone(output, {**made_by, "languages": results})
    print("\n".join(aligned([COLUMNS, *rows(results)])))


if __name__ == "__main__":
    main()
