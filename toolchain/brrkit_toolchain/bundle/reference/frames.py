"""Section "Frames" of ``spec/reports.md``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from brrkit_toolchain.bundle.reference.cases import called, release
from brrkit_toolchain.bundle.reference.lists import tokenize
from brrkit_toolchain.bundle.reference.marks import pieces
from brrkit_toolchain.bundle.reference.mechanisms.mechanism import Contents
from brrkit_toolchain.bundle.reference.numbers import Read, uniform_below
from brrkit_toolchain.bundle.reference.tokenizer import Lexicon

_UNKNOWN = ""


def framed_days(
    contents: Contents, lexicon: Lexicon, case: Mapping[str, Any], read: Read
) -> list[list[dict[str, Any]]]:
    """Return the batches of each day that ends in a case's steps.

    Args:
        contents: the codes and masses.
        lexicon: the vocabulary.
        case: with ``mechanism``, ``epsilon``, ``parameters``, ``frames`` and ``steps``.
        read: source of random bytes.

    Returns:
        For each step ``batches``, a list of objects with the id ``batch``, and ``words``.
    """
    days: list[list[dict[str, Any]]] = []
    texts: list[list[str]] = [[]]
    for step in case["steps"]:
        if "add" in step:
            texts += [_words(step["add"], step.get("marks", []), lexicon), []]
        elif "word" in step:
            texts[-1].append(step["word"])
        elif "end" in step:
            texts.append([])
        else:
            days.append(_day(contents, lexicon, case, texts, read))
            texts = [[]]
    return days


def _day(
    contents: Contents,
    lexicon: Lexicon,
    case: Mapping[str, Any],
    texts: Sequence[Sequence[str]],
    read: Read,
) -> list[dict[str, Any]]:
    size, number = case["frames"]["words"], case["frames"]["a_day"]
    filler = [_UNKNOWN] * size
    made = {**case, "oov": "random"}
    frames = [called(contents, lexicon, made, filler, read) for _ in range(number)]
    seen = 0
    for text in texts:
        for start in range(0, len(text), size):
            piece = [*text[start : start + size], *filler][:size]
            frame = _streamed(contents, lexicon, case, piece, read)
            seen += 1
            place = seen - 1 if seen <= number else uniform_below(seen, read)
            if place < number:
                frames[place] = frame
    return [
        {"batch": read(16).hex(), "words": [lexicon.words[word_id] for word_id in frame]}
        for frame in sorted(frames)
    ]


def _streamed(
    contents: Contents,
    lexicon: Lexicon,
    case: Mapping[str, Any],
    piece: Sequence[str],
    read: Read,
) -> list[int]:
    """Return the outputs for the words of a piece, each drawn with its own bytes in turn."""
    outputs: list[int] = []
    for word in piece:
        before = {"before": lexicon.words[outputs[-1]]} if outputs else {}
        made = {**case, **before, "word": word}
        outputs.append(release(contents, lexicon, made, read).word_id)
    return outputs


def _words(text: str, marks: Sequence[Sequence[Any]], lexicon: Lexicon) -> list[str]:
    """Return the tokens of a text; for a mark, its list's head, or the unknown word."""
    words: list[str] = []
    for part, is_mark, head in pieces(text, marks, lexicon):
        if is_mark:
            words.append(_UNKNOWN if head is None else lexicon.words[head])
        else:
            words += tokenize(part, lexicon)
    return words
