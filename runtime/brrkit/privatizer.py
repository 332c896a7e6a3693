"""Words and text in, privatized words out: what an app calls."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import compress, islice

import numpy as np

from brrkit.budget import PrivacyBudget
from brrkit.bundle import WordBundle
from brrkit.errors import OutOfVocabularyError, ParameterError
from brrkit.exact import default_second_epsilon
from brrkit.marks import Mark, around, cut_marks, filled
from brrkit.masses import draw_by
from brrkit.mechanisms import ExactMechanism, Mechanism, create_mechanism
from brrkit.memory import Memory
from brrkit.randomness import RandomSource
from brrkit.resolve import resolve
from brrkit.setting import Setting

OOV_POLICIES = ("random", "drop", "error")

_Typed = Sequence[int | None]
"""What words are typed as, by id; None where that is unknown."""

RELEASE, PASS = RESTS = ("release", "pass")
"""What becomes of a text outside its marks."""


class Privatizer:
    """Replaces words by randomly drawn ones. Safe to share between threads, and across fork.

    Each token becomes one word. ``WordBundle.tokenize`` cuts text into tokens, and
    ``spec/bundle-format.md`` specifies the word that a token is typed as. All words of a policy's
    list are typed as one word, so nothing tells them apart. A passing word mostly comes out as
    typed. The guarantee and its assumptions are in ``docs/explanation/threat-model.md``.
    Proof: ``docs/explanation/proofs.md``, "Texts". Proof for unknown words:
    ``docs/explanation/proofs.md``, "Words outside the vocabulary". Proof for a certificate:
    ``docs/explanation/proofs.md``, "The exact loss, certified".
    """

    def __init__(
        self,
        bundle: WordBundle,
        setting: Setting | None = None,
        *,
        oov: str = "random",
        budget: PrivacyBudget | None = None,
        memory: Memory | None = None,
        second_epsilon: float | None = None,
        random: RandomSource = os.urandom,
    ) -> None:
        """Prepare a mechanism on a bundle.

        Args:
            bundle: an opened bundle.
            setting: mechanism, epsilon and parameters. Without it, the bundle's recommended setting
                is used (``brr calibrate --write``), all of it.
            oov: what becomes of unknown words, those outside the vocabulary. ``random``: one of the
                vocabulary's words, drawn in proportion to their masses, takes its place before the
                mechanism runs; ``drop``: they are left out; ``error``: ``OutOfVocabularyError``.
                The last two reveal which words were unknown. There is no way to keep them.
            budget: counts ``certified_epsilon`` for every word that is given, before anything is
                known of it, and refuses what would exceed its limit: with a memory, too, so that a
                refusal tells nothing of what was typed.
            memory: gives a word the same first draw, with the setting's epsilon, in a whole period;
                what is released is a second draw, of the word that the first one gave. See
                ``docs/how-to/run-for-months.md``.
            second_epsilon: of the second draws; twice the setting's by default, at most 22.18. Only
                with a memory.
            random: source of random bytes. Leave it alone in production: the default is the
                operating system's CSPRNG.

        Raises:
            ParameterError: a value is unknown or out of range, the setting's certificate isn't of
                it and this bundle, or there is no setting and the bundle recommends none.
            BundleError: the recommended setting isn't one that this version can run.
        """
        if oov not in OOV_POLICIES:
            raise ParameterError(
                f"there is no such oov policy; choose one of: {', '.join(OOV_POLICIES)}"
            )
        if setting is not None and not isinstance(setting, Setting):
            raise ParameterError("setting must be a Setting: Setting(epsilon=0.6)")
        self.setting, self.mechanism = resolve(bundle, setting)
        self._second: Mechanism | None = None
        if memory is not None:
            if second_epsilon is None:
                second_epsilon = default_second_epsilon(self.epsilon)
            self._second = create_mechanism(bundle, replace(self.setting, epsilon=second_epsilon))
        elif second_epsilon is not None:
            raise ParameterError("second_epsilon is for a memory's second draws; give a memory")
        self._bundle = bundle
        # Made now, and not with the first word, or the first unknown one.
        self._tokenizer, self._cumulative = bundle.tokenizer, bundle.masses.cumulative
        self._passing = bundle.policy.passing
        self._memory = memory
        self._oov = oov
        self._budget = budget
        self._random = random

    def __repr__(self) -> str:
        taken = getattr(self.mechanism, "parameters", ())
        values = {parameter.name: getattr(self.mechanism, parameter.name) for parameter in taken}
        setting = str(replace(self.setting, epsilon=self.epsilon, parameters=values))
        if self._second is not None:
            setting += f", second_epsilon={self._second.epsilon!r}"
        return f"<Privatizer {setting}, oov={self._oov!r}>"

    @property
    def epsilon(self) -> float:
        """The mechanism's parameter, per bit of Hamming distance; of the first draws with a memory.

        It fixes every probability: two privatizers of a bundle with the same epsilon and parameters
        are the same mechanism.
        """
        return self.mechanism.epsilon

    @property
    def effective_epsilon(self) -> float:
        """The integers' privacy loss per bit in any vocabulary, rounded up; at most ``epsilon``."""
        return self.mechanism.effective_epsilon

    @property
    def certified_epsilon(self) -> float:
        """A word's privacy loss per bit of distance in this vocabulary; the budget counts it.

        The certificate's value, if the setting has one; otherwise ``effective_epsilon``. Never
        above ``epsilon``.
        """
        certified = self.setting.certified_epsilon
        return self.mechanism.effective_epsilon if certified is None else certified

    def word(self, word: str) -> str | None:
        """Return the privatized ``word``, or None if the policy ``drop`` leaves it out.

        It counts as a text of one word. To release the words of one text one after the other, use
        ``stream``.
        A string that isn't one token ("", "hello world", "hello,") is one unknown word, unless the
        vocabulary has exactly that.

        Raises:
            OutOfVocabularyError: the word is out of vocabulary and the policy is ``error``.
            BudgetError: the budget doesn't allow it; nothing is released then.
            MemoryFileError: the memory's key can't be used; nothing is released then.
        """
        return self.stream().word(word)

    def words(self, words: Sequence[str]) -> list[str]:
        """Return the privatized ``words`` of one text, in order.

        Without a memory each is drawn independently of what else is typed. Each is taken as
        ``word`` takes it. Under the policy ``drop`` the result can be shorter than ``words``.

        Raises:
            OutOfVocabularyError: a word is out of vocabulary and the policy is ``error``.
            BudgetError: the budget doesn't allow it; nothing is released then.
            MemoryFileError: the memory's key can't be used; nothing is released then.
        """
        if isinstance(words, str) or not all(isinstance(word, str) for word in words):
            raise ParameterError("words takes a list of strings; use text for a string")
        typed = [self._tokenizer.look_up(word) for word in words]
        return self._spelled(self._released([typed])[0])

    def stream(self) -> Stream:
        """Return an object that releases the words of one text one after the other, as typed."""
        return Stream(self)

    def _released(self, texts: Sequence[_Typed], before: int | None = None) -> list[list[int]]:
        """Pay for the words of all texts at once, then draw the ids text by text."""
        # Equal words share no work: else the time would tell how many different ones there are.
        ids = [word_id for text in texts for word_id in text]
        sources = iter(self._paid_sources(ids))
        if self._oov == "error" and None in ids:
            raise OutOfVocabularyError(
                f"word {ids.index(None) + 1} of {len(ids)} is out of vocabulary (policy "
                "'error'); choose the policy 'random' or 'drop', or a larger vocabulary"
            )
        return [self._drawn(text, list(islice(sources, len(text))), before) for text in texts]

    def _drawn(
        self, typed: _Typed, sources: Sequence[RandomSource], before: int | None
    ) -> list[int]:
        """Return an id for each, drawn with the source beside it where that is the first."""
        if self._oov == "drop":
            known = [word_id is not None for word_id in typed]
            typed, sources = list(compress(typed, known)), list(compress(sources, known))
        ids = [
            draw_by(self._cumulative, source) if word_id is None else word_id
            for word_id, source in zip(typed, sources, strict=True)
        ]
        if self._second is None:
            return self._step(self.mechanism, typed, ids, self._random, before)
        first = [
            self._step(self.mechanism, [word_id], [drawn], source)[0]
            for word_id, drawn, source in zip(typed, ids, sources, strict=True)
        ]
        return self._step(self._second, first, first, self._random, before)

    def _step(
        self,
        mechanism: Mechanism,
        typed: _Typed,
        ids: Sequence[int],
        random: RandomSource,
        before: int | None = None,
    ) -> list[int]:
        """Return what a draw of each of ``ids`` gives, or what was ``typed`` where that passes."""
        # In less time than codes[ids].
        codes = self._bundle.codes.take(np.array(ids, np.intp), axis=0)
        if self._passing is None:
            return mechanism(codes, random, before).tolist()  # type: ignore[no-any-return]
        released: list[int] = []
        for row, word_id in enumerate(typed):
            passes = self._passing.coin(word_id, random)
            drawn = int(mechanism(codes[row : row + 1], random, before)[0])
            # Nothing branches on the coin: the time doesn't tell which.
            before = (drawn, ids[row])[passes]
            released.append(before)
        return released

    def _spelled(self, released: Sequence[int]) -> list[str]:
        """Return the words of ``released`` ids; which of these are equal anyone sees."""
        spelled = {i: self._bundle.vocabulary.word(i) for i in set(released)}
        return [spelled[i] for i in released]

    def _paid_sources(self, typed: _Typed) -> list[RandomSource]:
        """Pay for the draws of words; return where each one's first takes its random bytes."""
        key = None if self._memory is None else self._memory.key()
        digest, vocabulary = self._bundle.digest, self._bundle.vocabulary
        if self._budget is not None:
            # By their number alone: else a refusal would tell which words were typed before.
            self._budget.spend(self.certified_epsilon, len(typed), unit=digest)
        if key is None:
            return [self._random] * len(typed)
        name, numbers = self.mechanism.setting
        setting = name, numbers + (self._passing.numbers if self._passing else b"")
        return [
            key.draw(
                digest, setting, None if word_id is None else vocabulary.word(word_id)
            ).source()
            for word_id in typed
        ]

    def text(self, text: str, marks: Sequence[Mark] = (), rest: str = RELEASE) -> str:
        """Return the privatized words of ``text``, joined by single spaces: one for each token.

        Case, punctuation, numbers' separators, line breaks and everything else between tokens are
        dropped.

        Args:
            text: as typed.
            marks: parts of it that are one token each: a word of a list, or an unknown one. They
                are widened to whole tokens; those that overlap are one, of the first one's list.
            rest: what becomes of the text between marks. ``release``: its words are privatized,
                too. ``pass``: it **leaves as it was typed**; only the marks' words are replaced,
                paid for, and protected. What no mark covers is shown.

        Raises:
            ParameterError: a mark is empty, outside the text, or of no list of the policy.
            OutOfVocabularyError: a word is out of vocabulary and the policy is ``error``.
            BudgetError: the budget doesn't allow it; nothing is released then.
            MemoryFileError: the memory's key can't be used; nothing is released then.
        """
        return self.texts([text], [marks], rest)[0]

    def texts(
        self,
        texts: Sequence[str],
        marks: Sequence[Sequence[Mark]] | None = None,
        rest: str = RELEASE,
    ) -> list[str]:
        """Return the result of ``text`` for each of ``texts``, in order, paid for at once.

        The same random bytes give the same words as calls of ``text`` one after the other. All or
        nothing: if the budget doesn't allow the words of all texts, none is released.

        Args:
            texts: as typed.
            marks: of each text; none by default.
            rest: as of ``text``.

        Raises:
            ParameterError: a mark is empty, outside its text, or of no list of the policy; or there
                are marks of more or fewer texts.
            OutOfVocabularyError: a word is out of vocabulary and the policy is ``error``.
            BudgetError: the budget doesn't allow all of it; nothing is released then.
            MemoryFileError: the memory's key can't be used; nothing is released then.
        """
        if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
            raise ParameterError("texts takes a list of strings; use text for a string")
        if rest not in RESTS:
            raise ParameterError(f"rest must be one of: {', '.join(RESTS)}")
        if marks is not None and len(marks) != len(texts):
            raise ParameterError("marks must have one sequence of marks for each text")
        cut = [
            cut_marks(text, of_text, self._tokenizer)
            for text, of_text in zip(texts, marks or [()] * len(texts), strict=True)
        ]
        if rest == PASS:
            released = self._released([self._heads(each) for each in cut])
            return list(map(self._replaced, texts, cut, released))
        released = self._released(list(map(self._read, texts, cut)))
        return [" ".join(self._spelled(ids)) for ids in released]

    def _typed(self, text: str, marks: Sequence[Mark]) -> list[int | None]:
        """Return what the tokens of ``text`` are typed as, each of its ``marks`` being one.

        Raises:
            ParameterError: a mark is empty, outside the text, or of no list of the policy.
        """
        return self._read(text, cut_marks(text, marks, self._tokenizer))

    def _heads(self, marks: Sequence[Mark]) -> list[int | None]:
        """Return what ``marks`` are typed as."""
        return [self._bundle.policy.head_of(mark.list) for mark in marks]

    def _read(self, text: str, marks: Sequence[Mark]) -> list[int | None]:
        """Return what the tokens of ``text`` are typed as, each of its ``marks`` being one."""
        first, *others = (
            [token.word_id for token in self._tokenizer.read(part)] for part in around(text, marks)
        )
        for head, behind in zip(self._heads(marks), others, strict=True):
            first += [head, *behind]
        return first

    def _replaced(self, text: str, marks: Sequence[Mark], released: Sequence[int]) -> str:
        """Return ``text`` with the words that are ``released`` for its ``marks``."""
        words = iter(self._spelled(released))
        dropped = self._oov == "drop"
        of_marks = ("" if dropped and mark.list is None else next(words) for mark in marks)
        return filled(text, marks, of_marks)

    def distribution(self, word: str, *, before: str | None = None) -> dict[str, Fraction]:
        """Return the exact probability of every output for an input ``word``.

        Args:
            word: of the vocabulary.
            before: the word released before it in its text; None for a text's first word.

        Raises:
            ParameterError: the mechanism isn't ``exponential``: the others' are only sampled. Or
                there is a memory: a word has one first draw then.
            OutOfVocabularyError: a word is out of vocabulary.
        """
        if not isinstance(self.mechanism, ExactMechanism):
            raise ParameterError("only the mechanism 'exponential' has an exact distribution")
        if self._memory is not None:
            raise ParameterError(
                "with a memory, a word's outputs aren't drawn from one distribution"
            )
        vocabulary = self._bundle.vocabulary
        typed = self._tokenizer.look_up(word)
        history = None if before is None else vocabulary.find(self._tokenizer.normalize(before))
        if typed is None or (before is not None and history is None):
            raise OutOfVocabularyError("a word is out of vocabulary: it has no distribution")
        drawn = self.mechanism.distribution(self._bundle.codes[typed], history)
        passes = Fraction(0) if self._passing is None else self._passing.share(typed)
        return {
            vocabulary.word(i): (1 - passes) * p + (passes if i == typed else 0)
            for i, p in enumerate(drawn)
        }


class Stream:
    """A text that is released word by word, as it is typed. Use another stream for another text.

    It stores the last word that was released, and nothing that was typed. Do not use it in several
    threads at once: they would release one text in two orders.
    """

    def __init__(self, privatizer: Privatizer, before: int | None = None) -> None:
        """Begin a text, or go on after the released word with the id ``before``."""
        self._privatizer = privatizer
        self._before = before

    def word(self, word: str) -> str | None:
        """Return the privatized ``word``, or None if the policy ``drop`` leaves it out.

        Raises:
            OutOfVocabularyError: the word is out of vocabulary and the policy is ``error``.
            BudgetError: the budget doesn't allow it; nothing is released then.
            MemoryFileError: the memory's key can't be used; nothing is released then.
        """
        if not isinstance(word, str):
            raise ParameterError("word takes a string")
        return self._released(self._privatizer._tokenizer.look_up(word))

    def _released(self, typed: int | None) -> str | None:
        """Return the privatized word of what was ``typed``."""
        released = self._privatizer._released([[typed]], self._before)[0]
        if not released:
            return None
        self._before = released[0]
        return self._privatizer._spelled(released)[0]
