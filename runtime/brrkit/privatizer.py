"""Words and text in, privatized words out: what an app calls."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice

import numpy as np

from brrkit.budget import PrivacyBudget
from brrkit.bundle import WordBundle
from brrkit.errors import OutOfVocabularyError, ParameterError
from brrkit.exact import EPSILON_MAX
from brrkit.masses import draw_by
from brrkit.mechanisms import ExactMechanism, Mechanism, create_mechanism
from brrkit.memory import Memory
from brrkit.randomness import RandomSource
from brrkit.resolve import resolve
from brrkit.setting import Setting
from brrkit.tokenizer import Token

OOV_POLICIES = ("random", "drop", "error")


class Privatizer:
    """Replaces words by privatized ones. Safe to share between threads, and across fork.

    One token in, one word out: ``WordBundle.tokenize`` says what a token is, and
    ``spec/bundle-format.md`` which word of the vocabulary it stands for. The guarantee
    and its assumptions are in ``docs/explanation/threat-model.md``.
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
            oov: what becomes of unknown words, those outside the vocabulary. ``random``: one of
                the vocabulary's words, drawn by their masses, takes its place before the mechanism
                runs; ``drop``: they are left out; ``error``: ``OutOfVocabularyError``. The last two
                reveal which words were unknown. There is no way to keep them.
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
                second_epsilon = min(2 * self.epsilon, EPSILON_MAX)
            self._second = create_mechanism(bundle, replace(self.setting, epsilon=second_epsilon))
        elif second_epsilon is not None:
            raise ParameterError("second_epsilon is for the draws after a memory's; give a memory")
        self._bundle = bundle
        # Made now, and not with the first word, or the first unknown one.
        self._tokenizer, self._cumulative = bundle.tokenizer, bundle.masses.cumulative
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
        """What the integers give for any vocabulary, rounded up; at most ``epsilon``."""
        return self.mechanism.effective_epsilon

    @property
    def certified_epsilon(self) -> float:
        """What a word loses per bit of Hamming distance on this vocabulary; the budget spends it.

        The certificate's, where the setting has one; otherwise ``effective_epsilon``. Never above
        ``epsilon``.
        """
        certified = self.setting.certified_epsilon
        return self.mechanism.effective_epsilon if certified is None else certified

    def word(self, word: str) -> str | None:
        """Return the privatized ``word``, or None if the policy ``drop`` leaves it out.

        It is a text of one word; for the words of one text, one after the other, see ``stream``.
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
        return self._spelled(self._released([self._looked_up(words)])[0])

    def stream(self) -> Stream:
        """Return what releases the words of one text as they are typed, one after the other."""
        return Stream(self)

    def _looked_up(self, words: Sequence[str]) -> list[Token]:
        """Return ``words``, as an app gives them, as tokens."""
        return [Token(word, self._tokenizer.look_up(word)) for word in words]

    def _released(
        self, lists: Sequence[Sequence[Token]], before: int | None = None
    ) -> list[list[int]]:
        """Pay for the tokens of all lists at once, then draw the ids list by list."""
        # Equal words share no work: else the time would tell how many different ones there are.
        tokens = [token for each in lists for token in each]
        ids = [token.word_id for token in tokens]
        found = iter(zip(ids, self._paid_sources(tokens), strict=True))
        if self._oov == "error" and None in ids:
            raise OutOfVocabularyError(
                f"word {ids.index(None) + 1} of {len(ids)} is out of vocabulary (policy "
                "'error'); choose the policy 'random' or 'drop', or a larger vocabulary"
            )
        return [self._drawn(list(islice(found, len(each))), before) for each in lists]

    def _drawn(
        self, found: Sequence[tuple[int | None, RandomSource]], before: int | None
    ) -> list[int]:
        """Return an id for each, drawn with the source beside it where that is the first."""
        codes = self._bundle.codes
        if self._oov == "drop":
            found = [(word_id, source) for word_id, source in found if word_id is not None]
        ids = [
            draw_by(self._cumulative, source) if word_id is None else word_id
            for word_id, source in found
        ]
        if self._second is None:
            typed = codes.take(np.array(ids, np.intp), axis=0)  # in less time than codes[ids]
            released = self.mechanism(typed, self._random, before)
        else:
            first = [
                self.mechanism(codes[word_id : word_id + 1], source)[0]
                for word_id, (_, source) in zip(ids, found, strict=True)
            ]
            released = self._second(codes[first], self._random, before)
        return released.tolist()  # type: ignore[no-any-return]

    def _spelled(self, released: Sequence[int]) -> list[str]:
        """Return the words of ``released`` ids; which of these are equal anyone sees."""
        spelled = {i: self._bundle.vocabulary.word(i) for i in set(released)}
        return [spelled[i] for i in released]

    def _paid_sources(self, tokens: Sequence[Token]) -> list[RandomSource]:
        """Pay for the draws of ``tokens``; return where each one's first takes its random bytes."""
        key = None if self._memory is None else self._memory.key()
        digest, vocabulary = self._bundle.digest, self._bundle.vocabulary
        if self._budget is not None:
            # By their number alone: else a refusal would tell which words were typed before.
            self._budget.spend(self.certified_epsilon, len(tokens), unit=digest)
        if key is None:
            return [self._random] * len(tokens)
        setting, normalize = self.mechanism.setting, self._tokenizer.normalize
        return [
            key.draw(digest, setting, normalize(text), known=False).source()
            if word_id is None
            else key.draw(digest, setting, vocabulary.word(word_id), known=True).source()
            for text, word_id in tokens
        ]

    def text(self, text: str) -> str:
        """Return the privatized words of ``text``, joined by single spaces: one for each token.

        Case, punctuation, numbers' separators, line breaks and everything else between tokens are
        dropped.

        Raises:
            OutOfVocabularyError: a word is out of vocabulary and the policy is ``error``.
            BudgetError: the budget doesn't allow it; nothing is released then.
            MemoryFileError: the memory's key can't be used; nothing is released then.
        """
        return " ".join(self._spelled(self._released([self._tokenizer.read(text)])[0]))

    def texts(self, texts: Sequence[str]) -> list[str]:
        """Return what ``text`` makes of each of ``texts``, in order, paid for at once.

        The same random bytes give the same words as calls of ``text`` one after the other. All or
        nothing: where the budget doesn't allow the words of all texts, none is released.

        Raises:
            OutOfVocabularyError: a word is out of vocabulary and the policy is ``error``.
            BudgetError: the budget doesn't allow all of it; nothing is released then.
            MemoryFileError: the memory's key can't be used; nothing is released then.
        """
        if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
            raise ParameterError("texts takes a list of strings; use text for a string")
        released = self._released([self._tokenizer.read(text) for text in texts])
        return [" ".join(self._spelled(ids)) for ids in released]

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
                "with a memory a word's outputs aren't drawn from one distribution"
            )
        vocabulary = self._bundle.vocabulary
        word_id = self._tokenizer.look_up(word)
        history = None if before is None else vocabulary.find(self._tokenizer.normalize(before))
        if word_id is None or (before is not None and history is None):
            raise OutOfVocabularyError("a word is out of vocabulary: it has no distribution")
        probabilities = self.mechanism.distribution(self._bundle.codes[word_id], history)
        return {vocabulary.word(i): p for i, p in enumerate(probabilities)}


class Stream:
    """A text that is released word by word, as it is typed. Begin another one for another text.

    It holds the last word that was released, and nothing that was typed. Not for several threads
    at once: they would release one text in two orders.
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
        tokens = self._privatizer._looked_up([word])
        released = self._privatizer._released([tokens], self._before)[0]
        if not released:
            return None
        self._before = released[0]
        return self._privatizer._spelled(released)[0]
