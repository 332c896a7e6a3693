"""Words and text in, privatized words out: the interface for apps."""

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
"""Ids of the words that tokens are typed as; None for unknown words."""

RELEASE, PASS = RESTS = ("release", "pass")
"""Treatments of the text outside marks."""


class Privatizer:
    """Replaces words with random words. Safe to share between threads, and across fork.

    Each token becomes one word. ``WordBundle.tokenize`` cuts text into tokens, and
    ``spec/bundle-format.md`` specifies the word that a token is typed as. All words of a policy's
    list are typed as one word, so no release tells them apart. A passing word skips a draw with the
    policy's probability. The guarantee and its assumptions are in
    ``docs/explanation/threat-model.md``.
    Proof: ``docs/explanation/proofs.md``, "Texts". Proof for unknown words:
    ``docs/explanation/proofs.md``, "Words outside the vocabulary". Proof for a certificate:
    ``docs/explanation/proofs.md``, "The certified epsilon".
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
            setting: mechanism, epsilon and parameters. Without it, the whole setting that the
                bundle recommends is used (``brr calibrate --write``).
            oov: policy for unknown words, those outside the vocabulary. ``random``: a word of the
                vocabulary, drawn in proportion to its mass, replaces each before the mechanism
                runs. ``drop``: they are left out. ``error``: ``OutOfVocabularyError``. The last two
                reveal which words were unknown. No policy keeps unknown words.
            budget: counts ``certified_epsilon`` for each word to release, and refuses a release
                that would exceed its limit. The cost depends only on the number of words: unknown
                and repeated words cost the same, with a memory, too.
            memory: gives each word one first draw, with the setting's epsilon, for a whole period.
                The output is a second draw from the first draw's word. See
                ``docs/how-to/run-for-months.md``.
            second_epsilon: epsilon of the second draws; by default twice the setting's, but at most
                22.18. Only with a memory.
            random: source of random bytes. Don't set it in production: the default is the operating
                system's CSPRNG.

        Raises:
            ParameterError: a value is unknown or out of range, the certificate belongs to another
                setting or bundle, the bundle is a list, or there is no setting and the bundle
                recommends none.
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
        # Computed now, so that the first word, or the first unknown one, takes no longer.
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
        """The mechanism's privacy parameter, per bit of Hamming distance.

        With a memory, it is the parameter of the first draws. Two privatizers with the same bundle,
        epsilon and parameters have the same output probabilities.
        """
        return self.mechanism.epsilon

    @property
    def effective_epsilon(self) -> float:
        """The privacy loss per bit that the mechanism's integers have in any vocabulary.

        It is rounded up, and at most ``epsilon``.
        """
        return self.mechanism.effective_epsilon

    @property
    def certified_epsilon(self) -> float:
        """A word's privacy loss per bit of Hamming distance in this vocabulary.

        The budget counts it. The certificate states it, if the setting has one; otherwise it is
        ``effective_epsilon``. Never above ``epsilon``.
        """
        certified = self.setting.certified_epsilon
        return self.mechanism.effective_epsilon if certified is None else certified

    def word(self, word: str) -> str | None:
        """Return the privatized ``word``, or None if the policy ``drop`` leaves it out.

        The word counts as a text of its own. To release the words of one text one by one, use
        ``stream``. A string that isn't one token ("", "hello world", "hello,") is one unknown word,
        unless the vocabulary has exactly this string.

        Raises:
            ParameterError: ``word`` isn't a string.
            OutOfVocabularyError: the word is out of vocabulary and the policy is ``error``.
            BudgetError: the budget doesn't allow the release; nothing is released.
            MemoryFileError: the memory's key can't be used; nothing is released.
        """
        return self.stream().word(word)

    def words(self, words: Sequence[str]) -> list[str]:
        """Return the privatized ``words`` of one text, in order.

        Each string is read as ``word`` reads it. Without a memory, a draw depends on no other typed
        word, only on its own and, with the base ``bigram``, on the word released before it. With
        the policy ``drop``, the result can be shorter than ``words``.

        Raises:
            ParameterError: ``words`` isn't a list of strings.
            OutOfVocabularyError: a word is out of vocabulary and the policy is ``error``.
            BudgetError: the budget doesn't allow the release; nothing is released.
            MemoryFileError: the memory's key can't be used; nothing is released.
        """
        if isinstance(words, str) or not all(isinstance(word, str) for word in words):
            raise ParameterError("words takes a list of strings; use text for a string")
        typed = [self._tokenizer.look_up(word) for word in words]
        return self._spelled(self._released([typed])[0])

    def stream(self) -> Stream:
        """Return an object that releases the words of one text one by one, as they are typed."""
        return Stream(self)

    def _released(self, texts: Sequence[_Typed], before: int | None = None) -> list[list[int]]:
        """Pay for the words of all texts at once, then draw the ids text by text."""
        # Equal words share no work; otherwise the duration would reveal how many words differ.
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
        """Return a drawn id for each of ``typed``; its source is for its first draw."""
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
        """Return a drawn id for each of ``ids``; a word of ``typed`` that passes keeps its id."""
        # take is faster than codes[ids].
        codes = self._bundle.codes.take(np.array(ids, np.intp), axis=0)
        if self._passing is None:
            return mechanism(codes, random, before).tolist()  # type: ignore[no-any-return]
        released: list[int] = []
        for row, word_id in enumerate(typed):
            passes = self._passing.coin(word_id, random)
            drawn = int(mechanism(codes[row : row + 1], random, before)[0])
            # Nothing branches on the coin, so the duration doesn't reveal it.
            before = (drawn, ids[row])[passes]
            released.append(before)
        return released

    def _spelled(self, released: Sequence[int]) -> list[str]:
        """Return the words with the ``released`` ids. Everybody sees which of them are equal."""
        spelled = {i: self._bundle.vocabulary.word(i) for i in set(released)}
        return [spelled[i] for i in released]

    def _paid_sources(self, typed: _Typed) -> list[RandomSource]:
        """Pay for the draws of words; return the source of random bytes of each first draw."""
        key = None if self._memory is None else self._memory.key()
        digest, vocabulary = self._bundle.digest, self._bundle.vocabulary
        if self._budget is not None:
            # The number alone decides; otherwise a refusal would reveal repeated words.
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
        """Return the privatized words of ``text``, one for each token, joined by single spaces.

        The output has no case, punctuation, line breaks or separators of numbers, and nothing else
        that was typed between tokens.

        Args:
            text: the text, as typed.
            marks: parts of the text that are one token each: a word of a list, or an unknown word.
                They are widened to whole tokens. Overlapping marks are merged, and keep the list of
                the first.
            rest: treatment of the text outside marks. ``release``: its words are privatized, too.
                ``pass``: it **leaves the device as typed**, visible to everybody; only the marked
                words are replaced, paid for, and protected.

        Raises:
            ParameterError: a mark is empty or outside the text, or names a list that the policy
                lacks; or ``rest`` is unknown.
            OutOfVocabularyError: a word is out of vocabulary and the policy is ``error``.
            BudgetError: the budget doesn't allow the release; nothing is released.
            MemoryFileError: the memory's key can't be used; nothing is released.
        """
        return self.texts([text], [marks], rest)[0]

    def texts(
        self,
        texts: Sequence[str],
        marks: Sequence[Sequence[Mark]] | None = None,
        rest: str = RELEASE,
    ) -> list[str]:
        """Return the result of ``text`` for each of ``texts``, in order, paid for at once.

        The same random bytes give the same words as separate calls of ``text``. If the budget
        doesn't allow the words of all texts, none is released.

        Args:
            texts: the texts, as typed.
            marks: the marks of each text; none by default.
            rest: treatment of the text outside marks, as for ``text``.

        Raises:
            ParameterError: a mark is empty or outside its text, or names a list that the policy
                lacks; the numbers of texts and of sequences of marks differ; or ``rest`` is
                unknown.
            OutOfVocabularyError: a word is out of vocabulary and the policy is ``error``.
            BudgetError: the budget doesn't allow all texts; nothing is released.
            MemoryFileError: the memory's key can't be used; nothing is released.
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
        """Return the ids that the tokens of ``text`` are typed as; each mark is one token.

        Raises:
            ParameterError: a mark is empty or outside the text, or names a list that the policy
                lacks.
        """
        return self._read(text, cut_marks(text, marks, self._tokenizer))

    def _heads(self, marks: Sequence[Mark]) -> list[int | None]:
        """Return the ids that ``marks`` are typed as."""
        return [self._bundle.policy.head_of(mark.list) for mark in marks]

    def _read(self, text: str, marks: Sequence[Mark]) -> list[int | None]:
        """Return the ids that the tokens of ``text`` are typed as; each mark is one token."""
        first, *others = (
            [token.word_id for token in self._tokenizer.read(part)] for part in around(text, marks)
        )
        for head, behind in zip(self._heads(marks), others, strict=True):
            first += [head, *behind]
        return first

    def _replaced(self, text: str, marks: Sequence[Mark], released: Sequence[int]) -> str:
        """Return ``text`` with each of its ``marks`` replaced by the word ``released`` for it."""
        words = iter(self._spelled(released))
        dropped = self._oov == "drop"
        of_marks = ("" if dropped and mark.list is None else next(words) for mark in marks)
        return filled(text, marks, of_marks)

    def distribution(self, word: str, *, before: str | None = None) -> dict[str, Fraction]:
        """Return the exact probability of every output for an input ``word``.

        Args:
            word: a word of the vocabulary, or of a policy's list.
            before: the word released before it in its text; None for a text's first word.

        Raises:
            ParameterError: the mechanism isn't ``exponential``: other distributions are only
                sampled. Or there is a memory, so each word has one fixed first draw.
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
        distribution = dict(zip(vocabulary, drawn, strict=True))
        if self._passing is not None:
            passes = self._passing.share(typed)
            distribution = {word: (1 - passes) * p for word, p in distribution.items()}
            distribution[vocabulary.word(typed)] += passes
        return distribution


class Stream:
    """Releases a text word by word, as it is typed. Use another stream for another text.

    It stores only the last released word, and nothing typed. Don't use it in several threads at
    once: their words would mix in one text.
    """

    def __init__(self, privatizer: Privatizer, before: int | None = None) -> None:
        """Begin a text, or continue one after the released word with the id ``before``."""
        self._privatizer = privatizer
        self._before = before

    def word(self, word: str) -> str | None:
        """Return the privatized ``word``, or None if the policy ``drop`` leaves it out.

        Raises:
            ParameterError: ``word`` isn't a string.
            OutOfVocabularyError: the word is out of vocabulary and the policy is ``error``.
            BudgetError: the budget doesn't allow the release; nothing is released.
            MemoryFileError: the memory's key can't be used; nothing is released.
        """
        if not isinstance(word, str):
            raise ParameterError("word takes a string")
        return self._released(self._privatizer._tokenizer.look_up(word))

    def _released(self, typed: int | None) -> str | None:
        """Return the privatized word for the id ``typed``."""
        released = self._privatizer._released([[typed]], self._before)[0]
        if not released:
            return None
        self._before = released[0]
        return self._privatizer._spelled(released)[0]
