"""Sessions: surrogates replace marked parts of prompts, and are undone in replies.

``spec/bundle-format.md``, "Sessions", is the specification.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from itertools import pairwise

import numpy as np

from brrkit.bundle import WordBundle, check_codes
from brrkit.characters import LOOKALIKES
from brrkit.errors import ParameterError
from brrkit.marks import Mark, cut_marks, filled
from brrkit.masses import LEVELS, draw_by
from brrkit.randomness import RandomSource


class Session:
    """A conversation in which a surrogate stands for each marked text, such as a name for a name.

    A surrogate doesn't depend on the text that it replaces. Within a session, equal texts have
    equal surrogates. Different texts, such as "Anna" and "Anna's", have different ones. Everybody
    sees which texts are equal, the lists, and all text that **no mark covers**. A surrogate that
    the rest of a prompt, or a reply, contains by chance is restored, too. The surrogates are kept
    only in this object; nothing is stored. Don't use it in several threads at once.

    Proof: ``docs/explanation/proofs.md``, "Lists".
    """

    def __init__(self, bundle: WordBundle, *, random: RandomSource = os.urandom) -> None:
        """Begin a session.

        Args:
            bundle: an opened bundle; its policy's lists provide the surrogates.
            random: source of random bytes. Don't set it in production: the default is the operating
                system's CSPRNG.

        Raises:
            ParameterError: the bundle is a list of strings.
        """
        check_codes(bundle)
        self._bundle, self._tokenizer, self._random = bundle, bundle.tokenizer, random
        lists, passing = bundle.policy.lists, bundle.policy.passing
        taken = {*(passing.words if passing else ())}.union(*(each.members for each in lists))
        others = [word_id for word_id in range(len(bundle)) if word_id not in taken]
        self._words: dict[str | None, Sequence[int]] = {None: others}
        self._words |= {each.name: each.members for each in lists}
        self._alone = ("'", *self._tokenizer.writing.joiners)
        self._surrogates: dict[tuple[str | None, str], str] = {}
        self._typed: dict[tuple[str, ...], str] = {}

    def hide(self, text: str, marks: Sequence[Mark]) -> str:
        """Return ``text`` as typed, with a surrogate in place of each of ``marks``.

        Raises:
            ParameterError: a mark is empty or outside the text, or names a list that the policy
                lacks; or all words of its list are already surrogates.
        """
        cut = cut_marks(text, marks, self._tokenizer)
        stands, typed = self._surrogates.copy(), self._typed.copy()
        surrogates = []
        for mark in cut:
            marked = text[mark.start : mark.end]
            key = mark.list, self._tokenizer.normalize(marked)
            if key not in stands:
                stands[key] = word = self._drawn(mark.list, stands.values())
                typed[tuple(map(self._form, self._pieces(word)))] = marked
            surrogates.append(stands[key])
        self._surrogates, self._typed = stands, typed
        return filled(text, cut, surrogates)

    def restore(self, reply: str) -> str:
        """Return ``reply`` with each surrogate, in any case, replaced with the typed text.

        A surrogate within a longer word stays.
        """
        pieces = self._pieces(reply)
        forms = [self._form(piece) for piece in pieces]
        longest = max(map(len, self._typed), default=0)
        restored, place = "", 0
        while place < len(pieces):
            ends = range(min(place + longest, len(pieces)), place, -1)
            end = next((end for end in ends if tuple(forms[place:end]) in self._typed), place)
            restored += self._typed.get(tuple(forms[place:end]), pieces[place])
            place = max(end, place + 1)
        return restored

    def _drawn(self, name: str | None, used: Collection[str]) -> str:
        """Draw a word that isn't a surrogate yet: for a list, a member in proportion to its mass.

        Without a list, all words are equally likely: a reply would often contain a frequent word.
        """
        vocabulary = self._bundle.vocabulary
        words = np.setdiff1d(np.array(self._words[name]), list(map(vocabulary.find, used)))
        if not len(words):
            those = "words" if name is None else f"words of the list {name!r}"
            raise ParameterError(
                f"all {those} are already in use in this session; begin another one"
            )
        weights = LEVELS[self._bundle.masses.words[words]] if name else np.ones(len(words), int)
        return vocabulary.word(int(words[draw_by(np.cumsum(weights), self._random)]))

    def _pieces(self, text: str) -> list[str]:
        """Return ``text``, cut wherever a word could begin or end; apostrophes are pieces."""
        inner = [self._tokenizer.is_inner(character) for character in text]
        alone = [self._form(character) in self._alone for character in text]
        ends = [
            end
            for end in range(1, len(text))
            if not (inner[end - 1] and inner[end]) or alone[end - 1] or alone[end]
        ]
        return [text[start:end] for start, end in pairwise([0, *ends, len(text)])]

    def _form(self, piece: str) -> str:
        """Return the form of a piece for comparisons."""
        normal = self._tokenizer.normalize(piece)
        return "'" if len(normal) == 1 and normal in LOOKALIKES else normal
