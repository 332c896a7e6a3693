"""Section "Sessions" of the specification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from brrkit_toolchain.bundle.reference.marks import cut_marks, is_inner
from brrkit_toolchain.bundle.reference.mechanisms.mechanism import Contents
from brrkit_toolchain.bundle.reference.numbers import Read, pick, uniform_below
from brrkit_toolchain.bundle.reference.tokenizer import LOOKALIKES, Lexicon, code_points, normalize


def conversation(
    contents: Contents,
    lexicon: Lexicon,
    texts: Sequence[tuple[str, Sequence[Sequence[Any]]]],
    reply: str,
    read: Read,
) -> tuple[list[str], str]:
    """Return texts with marks hidden by a session, and a reply restored by it.

    Args:
        contents: the masses.
        lexicon: the vocabulary.
        texts: texts with their marks: start, end and, for some, the name of a list.
        reply: a reply with surrogates.
        read: source of random bytes.
    """
    stands: list[tuple[str | None, str, int, str]] = []  # (list, normalized, surrogate, typed)
    hidden = []
    for text, marks in texts:
        output, place = "", 0
        for start, end, name in cut_marks(text, marks, lexicon):
            normal = normalize(text[start:end], lexicon.writing)
            found = [
                word_id for each, known, word_id, _ in stands if (each, known) == (name, normal)
            ]
            if not found:
                left = [
                    i for i in _words_of(name, lexicon) if i not in [each[2] for each in stands]
                ]
                weights = [1 if name is None else contents.masses[i] for i in left]
                found = [left[pick(weights, uniform_below(sum(weights), read))]]
                stands.append((name, normal, found[0], text[start:end]))
            output += text[place:start] + lexicon.words[found[0]]
            place = end
        hidden.append(output + text[place:])
    table = [(_forms(lexicon.words[word_id], lexicon), typed) for _, _, word_id, typed in stands]
    return hidden, _restored(reply, table, lexicon)


def _words_of(name: str | None, lexicon: Lexicon) -> list[int]:
    lists = {each["name"]: each["members"] for each in lexicon.policy["lists"]}
    if name is not None:
        return list(lists[name])
    others = [*lists.values(), lexicon.policy.get("passing", {}).get("words", [])]
    return [i for i in range(len(lexicon.words)) if not any(i in each for each in others)]


def _restored(reply: str, table: Sequence[tuple[list[str], str]], lexicon: Lexicon) -> str:
    pieces, forms, restored = _pieces(reply, lexicon), _forms(reply, lexicon), ""
    while pieces:
        fitting = [(len(form), typed) for form, typed in table if forms[: len(form)] == form]
        size, put = max(fitting, default=(1, pieces[0]))
        restored, pieces, forms = restored + put, pieces[size:], forms[size:]
    return restored


def _forms(text: str, lexicon: Lexicon) -> list[str]:
    return [_form(piece, lexicon) for piece in _pieces(text, lexicon)]


def _form(piece: str, lexicon: Lexicon) -> str:
    normal = normalize(piece, lexicon.writing)
    is_lookalike = len(normal) == 1 and ord(normal) in code_points(LOOKALIKES)
    return "'" if is_lookalike else normal


def _pieces(text: str, lexicon: Lexicon) -> list[str]:
    pieces: list[str] = []
    alone = True
    for character in text:
        inner = is_inner(character, lexicon)
        joins = _form(character, lexicon) in ("'", *lexicon.writing["joiners"])
        if not alone and not joins and inner and pieces:
            pieces[-1] += character
        else:
            pieces.append(character)
        alone = joins or not inner
    return pieces
