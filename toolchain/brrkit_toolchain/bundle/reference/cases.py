"""The specified result of a golden case: a word, a call or a count, with its random bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from brrkit_toolchain.bundle.reference import counts, policy
from brrkit_toolchain.bundle.reference.calls import released_together
from brrkit_toolchain.bundle.reference.lists import look_up, tokenize
from brrkit_toolchain.bundle.reference.marks import pieces
from brrkit_toolchain.bundle.reference.mechanisms import MECHANISMS
from brrkit_toolchain.bundle.reference.mechanisms.mechanism import Contents, GoldenRelease
from brrkit_toolchain.bundle.reference.memory import first_draw
from brrkit_toolchain.bundle.reference.numbers import Read
from brrkit_toolchain.bundle.reference.tokenizer import Lexicon


def release(
    contents: Contents,
    lexicon: Lexicon,
    case: Mapping[str, Any],
    read: Read,
) -> GoldenRelease:
    """Run the reference on a case's word; it replaces an unknown word by a drawn one.

    Args:
        contents: the codes and masses.
        lexicon: the vocabulary.
        case: with ``mechanism``, ``word``, ``epsilon`` and, if there are any, ``parameters`` and
            ``before``.
        read: source of random bytes.
    """
    word = look_up(case["word"], lexicon)
    if word is None:
        return _stepped(contents, lexicon, case, None, contents.draw(read), read)
    return _stepped(contents, lexicon, case, lexicon.ids[word], lexicon.ids[word], read)


def _stepped(
    contents: Contents,
    lexicon: Lexicon,
    case: Mapping[str, Any],
    typed: int | None,
    word_id: int,
    read: Read,
) -> GoldenRelease:
    """Take step 2 for the code of ``word_id``; ``typed`` may pass."""
    passes = policy.coin(lexicon.policy, typed, read)
    code, before = contents.codes[word_id].tobytes(), case.get("before")
    drawn = MECHANISMS[case["mechanism"]].release(
        contents,
        code,
        case["epsilon"],
        read,
        None if before is None else lexicon.ids[before],
        **case.get("parameters", {}),
    )
    return GoldenRelease(word_id, drawn.details) if passes else drawn


def remembered(
    contents: Contents,
    lexicon: Lexicon,
    unit: str,
    case: Mapping[str, Any],
    read: Read,
) -> tuple[str, str]:
    """Return the first and the second draw of a case's word.

    Args:
        contents: the codes and masses.
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
        numbers + policy.numbers(lexicon.policy),
        word,
    )
    begun = {name: value for name, value in case.items() if name != "before"}
    first = release(contents, lexicon, begun, source).word_id
    again = {**case, "epsilon": case["second_epsilon"]}
    second = _stepped(contents, lexicon, again, first, first, read).word_id
    return lexicon.words[first], lexicon.words[second]


def counted(lexicon: Lexicon, unit: str, case: Mapping[str, Any], read: Read) -> dict[str, str]:
    """Return the reference's result for a case of counts: ``output``, and ``first`` if any.

    Args:
        lexicon: the vocabulary.
        unit: SHA-256 of the index.
        case: with ``cap``, ``word``, and for a memory ``second_cap``, ``number`` and ``key``.
        read: source of random bytes; with a memory, for the second draw.
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
        word,
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
    return _together(contents, lexicon, call, _typed(words, lexicon), read)


def marked(contents: Contents, lexicon: Lexicon, case: Mapping[str, Any], read: Read) -> str:
    """Return the output of a text with marks.

    Args:
        contents: the codes and masses.
        lexicon: the vocabulary.
        case: with ``mechanism``, ``parameters``, ``epsilon``, ``oov``, ``text``, ``marks`` and, if
            the rest passes, ``rest``.
        read: source of random bytes.
    """
    parts = pieces(case["text"], case["marks"], lexicon)
    passing = case.get("rest") == "pass"
    typed: list[int | None] = []
    for part, is_mark, head in parts:
        if is_mark:
            typed.append(head)
        elif not passing:
            typed += _typed(tokenize(part, lexicon), lexicon)
    outputs = [
        lexicon.words[word_id] for word_id in _together(contents, lexicon, case, typed, read)
    ]
    if not passing:
        return " ".join(outputs)
    drop = case["oov"] == "drop"
    return "".join(
        part if not is_mark else "" if drop and head is None else outputs.pop(0)
        for part, is_mark, head in parts
    )


def _typed(words: Sequence[str], lexicon: Lexicon) -> list[int | None]:
    found = [look_up(word, lexicon) for word in words]
    return [None if word is None else lexicon.ids[word] for word in found]


def _together(
    contents: Contents,
    lexicon: Lexicon,
    call: Mapping[str, Any],
    typed: Sequence[int | None],
    read: Read,
) -> list[int]:
    if call["oov"] == "drop":
        typed = [word_id for word_id in typed if word_id is not None]
    specified = MECHANISMS[call["mechanism"]]
    settings = call["epsilon"], call["parameters"]
    return released_together(contents, specified, typed, *settings, read, lexicon.policy)
