"""What the specification says of a golden case: a word, a call, a count, with its random bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from brrkit_toolchain.bundle.reference import counts
from brrkit_toolchain.bundle.reference.calls import released_together
from brrkit_toolchain.bundle.reference.lists import look_up
from brrkit_toolchain.bundle.reference.mechanisms import MECHANISMS
from brrkit_toolchain.bundle.reference.mechanisms.mechanism import Contents, GoldenRelease
from brrkit_toolchain.bundle.reference.memory import first_draw
from brrkit_toolchain.bundle.reference.numbers import Read
from brrkit_toolchain.bundle.reference.tokenizer import Lexicon, normalize


def release(
    contents: Contents,
    lexicon: Lexicon,
    case: Mapping[str, Any],
    read: Read,
) -> GoldenRelease:
    """Run the reference on a case's word; for an unknown one it draws another.

    Args:
        contents: the codes and masses.
        lexicon: the vocabulary.
        case: with ``mechanism``, ``word``, ``epsilon`` and, if there are any, ``parameters`` and
            ``before``.
        read: source of random bytes.
    """
    word = look_up(case["word"], lexicon)
    word_id = contents.draw(read) if word is None else lexicon.ids[word]
    specified = MECHANISMS[case["mechanism"]]
    code, before = contents.codes[word_id].tobytes(), case.get("before")
    return specified.release(
        contents,
        code,
        case["epsilon"],
        read,
        None if before is None else lexicon.ids[before],
        **case.get("parameters", {}),
    )


def remembered(
    contents: Contents,
    lexicon: Lexicon,
    unit: str,
    case: Mapping[str, Any],
    read: Read,
) -> tuple[str, str]:
    """Return the first and the second draw of a case's word.

    Args:
        contents: its codes and masses.
        lexicon: the vocabulary.
        unit: SHA-256 of the index.
        case: with ``mechanism``, ``word``, ``epsilon``, ``second_epsilon``, ``number``, ``key``
            and, if there are any, ``parameters`` and ``before``.
        read: source of random bytes for the second draw.
    """
    name, parameters = case["mechanism"], case.get("parameters", {})
    numbers = MECHANISMS[name].setting(case["epsilon"], parameters, contents)
    word = look_up(case["word"], lexicon)
    source = first_draw(
        bytes.fromhex(case["key"]),
        case["number"],
        unit,
        name,
        numbers,
        normalize(case["word"], lexicon.writing) if word is None else word,
        known=word is not None,
    )
    begun = {name: value for name, value in case.items() if name != "before"}
    words = lexicon.words
    first = words[release(contents, lexicon, begun, source).word_id]
    again = {**case, "word": first, "epsilon": case["second_epsilon"]}
    return first, words[release(contents, lexicon, again, read).word_id]


def counted(lexicon: Lexicon, unit: str, case: Mapping[str, Any], read: Read) -> dict[str, str]:
    """Return what the reference makes of a case of counts: ``output``, and ``first`` if it has one.

    Args:
        lexicon: the vocabulary.
        unit: SHA-256 of the index.
        case: with ``cap``, ``word``, and for a memory ``second_cap``, ``number`` and ``key``.
        read: source of random bytes, with a memory for the second draw.
    """
    k, word = len(lexicon.words) + 1, look_up(case["word"], lexicon)
    symbol = k - 1 if word is None else lexicon.ids[word]

    def string(symbol: int) -> str:
        return "" if symbol == k - 1 else lexicon.words[symbol]

    if "key" not in case:
        return {"output": string(counts.counted(symbol, k, case["cap"], read))}
    source = first_draw(
        bytes.fromhex(case["key"]),
        case["number"],
        unit,
        "counts",
        counts.setting(case["cap"], k),
        word or "",
        known=word is not None,
    )
    first = counts.counted(symbol, k, case["cap"], source)
    second = counts.counted(first, k, case["second_cap"], read)
    return {"first": string(first), "output": string(second)}


def called(
    contents: Contents,
    lexicon: Lexicon,
    call: Mapping[str, Any],
    words: Sequence[str],
    read: Read,
) -> list[int]:
    """Return the outputs of one text of a call."""
    found = [look_up(word, lexicon) for word in words]
    inputs = [None if word is None else lexicon.ids[word] for word in found]
    if call["oov"] == "drop":
        inputs = [word_id for word_id in inputs if word_id is not None]
    specified = MECHANISMS[call["mechanism"]]
    return released_together(contents, specified, inputs, call["epsilon"], call["parameters"], read)
