"""Factories of mechanisms that break the guarantee, each in a way that is easy to ship.

They are what the audit must catch: ``brr audit BUNDLE --factory
tests.helpers.broken:NAME`` fails for each. They are good for nothing else.
"""

from __future__ import annotations

import functools
import itertools
import math
import os
import random
import re
import time
import zlib
from collections.abc import Callable, Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit import Privatizer, WordBundle
from brrkit.exact import flip_threshold
from brrkit.hamming import HammingIndex
from brrkit.masses import draw_by
from brrkit.mechanisms.brr import BRR
from brrkit.mechanisms.exponential import Exponential, check_radius
from brrkit.randomizer import Randomizer
from brrkit.setting import Setting
from brrkit.tokenizer import look_up, tokenize
from brrkit_toolchain.audit.audited_code.subject import preparing_once, reading_once

Release = Callable[[str], str]

_STOP_WORDS = 4
_DOZEN = 12  # words of the small bundles that an audit makes
_SEEDS = 1 << 16
_LONG = 20  # characters
_SHORT = 5
_BUFFER = 128  # words
_RING = 17  # words
_AHEAD = 64  # outputs of a word, at most


class _Text:
    """A callable that takes texts, too: what it does to them is the leak."""

    def __init__(self, release: Release, text: Release) -> None:
        self._release = release
        self.text = text

    def __call__(self, word: str) -> str:
        return self._release(word)


def wrong_flip_rate(bundle: WordBundle, epsilon: float) -> Release:
    """Flips bits 10% too rarely, so that two bits' odds differ by more than e^epsilon.

    At epsilon = 1 the flip probability is 0.242 instead of 0.269: a loss of 1.14 per bit.
    """
    mechanism = BRR(bundle, epsilon)
    threshold = round(0.9 * flip_threshold(epsilon))
    mechanism.randomizer = Randomizer(bundle.graph, bundle.bits, threshold)
    privatizer = _brr(bundle, epsilon)
    privatizer.mechanism = mechanism
    return _one_by_one(privatizer)


def vickrey_without_input(bundle: WordBundle, epsilon: float) -> Release:
    """Vickrey as printed (Xu et al. 2021, Algorithm 1): the input word isn't a candidate.

    A word never comes out for itself, but does for others: seeing it proves that it wasn't typed.
    """
    noise = BRR(bundle, epsilon).randomizer
    unknown = _one_by_one(_brr(bundle, epsilon))

    def release(word: str) -> str:
        word_id = bundle.vocabulary.find(word)
        if word_id is None:
            return unknown(word)
        noised = noise(bundle.codes[word_id : word_id + 1], os.urandom)
        ids, distances = bundle.index.nearest(noised, 3)
        near = [(i, d) for i, d in zip(ids[0], distances[0], strict=True) if i != word_id]
        (first, d1), (second, d2) = near[:2]
        takes_first = random.SystemRandom().random() * (d1 + d2) < d2  # t = 1/2
        return bundle.vocabulary.word(int(first if takes_first else second))

    return release


def rejection_until_different(bundle: WordBundle, epsilon: float) -> Release:
    """Draws again until the output isn't the input: it can't be the input then, as above."""
    release = _one_by_one(_brr(bundle, epsilon))

    def release_another(word: str) -> str:
        while (output := release(word)) == word:
            pass
        return output

    return release_another


def oov_unchanged(bundle: WordBundle, epsilon: float) -> Release:
    """Returns words outside the vocabulary as they are: names, numbers, passwords."""
    return _except(bundle, epsilon, lambda word: bundle.vocabulary.find(word) is None)


def stop_words_unchanged(bundle: WordBundle, epsilon: float) -> Release:
    """Returns the most frequent words as they are, because "they say nothing".

    Of two near words the one then comes out with certainty, for the other seldom.
    """
    stop_words = {bundle.vocabulary.word(i) for i in range(_STOP_WORDS)}
    return _except(bundle, epsilon, stop_words.__contains__)


def fixed_seed(bundle: WordBundle, epsilon: float) -> Release:
    """Seeds its generator when it is made: all devices draw the same noise.

    The frequencies are right. But whoever knows the program knows the noise.
    """
    return _one_by_one(_brr(bundle, epsilon, random=random.Random(0).randbytes))


def seed_at_each_call(bundle: WordBundle, epsilon: float) -> Release:
    """Seeds its generator at each call: every word always comes out as the same other."""
    generator = random.Random(0)
    privatizer = _brr(bundle, epsilon, random=generator.randbytes)

    def release_seeded(word: str) -> str:
        generator.seed(0)
        return privatizer.words([word])[0]

    return release_seeded


def exponential_without_half(bundle: WordBundle, epsilon: float) -> Release:
    """Weights of e^(-epsilon d) where the exponential mechanism needs e^(-epsilon d / 2).

    The other half of epsilon is for the normalizer, which also depends on the input.
    """
    return _one_by_one(
        Privatizer(bundle, Setting(2 * epsilon, parameters={"radius": 0, "base": "uniform"}))
    )


def exponential_too_steep(bundle: WordBundle, epsilon: float) -> Release:
    """Weights of e^(-0.75 epsilon d), half as steep again as they may be."""
    return _one_by_one(
        Privatizer(bundle, Setting(1.5 * epsilon, parameters={"radius": 0, "base": "uniform"}))
    )


def cut_off(bundle: WordBundle, epsilon: float) -> Release:
    """The exponential mechanism without words beyond 20 bits, "to keep the meaning".

    A word that comes out proves that none was typed that is further away.
    """
    privatizer = Privatizer(bundle, Setting(epsilon, parameters={"radius": 0, "base": "uniform"}))
    assert isinstance(privatizer.mechanism, Exponential)
    privatizer.mechanism.weights[21:] = 0
    return _one_by_one(privatizer)


def radius_that_rises(bundle: WordBundle, epsilon: float) -> Release:
    """Weights that rise again inside the radius: a word seldom comes out as itself, "to be denied".

    It does come out for its neighbors: seeing it says that it wasn't typed. The radius is the
    default.
    """
    privatizer = Privatizer(bundle, Setting(epsilon, parameters={"base": "uniform"}))
    assert isinstance(privatizer.mechanism, Exponential)
    privatizer.mechanism.weights[0] //= 8
    return _one_by_one(privatizer)


def radius_with_a_cliff(bundle: WordBundle, epsilon: float) -> Release:
    """A table that is one step too steep: two at once just beyond the radius, the default."""
    privatizer = Privatizer(bundle, Setting(epsilon, parameters={"base": "uniform"}))
    assert isinstance(privatizer.mechanism, Exponential)
    weights, beyond = privatizer.mechanism.weights, check_radius(None, bundle.bits) + 1
    weights[beyond:-1] = weights[beyond + 1 :].copy()
    return _one_by_one(privatizer)


def measure_by_input(bundle: WordBundle, epsilon: float) -> Release:
    """Takes masses for typed words that are frequent, and none for rare ones, "to be fair".

    What comes out more readily then shows which of the two was typed.
    """
    frequent, rare = (Exponential(bundle, epsilon, base=base) for base in ("unigram", "uniform"))

    def draw(word_id: int, before: int | None) -> int:
        mechanism = frequent if word_id < len(bundle) // 2 else rare
        return int(mechanism(bundle.codes[[word_id]], os.urandom, before)[0])

    return _with_history(bundle, draw)


def candidates_by_input(bundle: WordBundle, epsilon: float) -> Release:
    """Draws among the half of the words that is nearest to the typed one, "to be quick".

    A word that comes out proves that none was typed to which it isn't near.
    """
    mechanism = Exponential(bundle, epsilon)

    def draw(word_id: int, before: int | None) -> int:
        distances = bundle.index.distances(bundle.codes[word_id])
        masses = mechanism.measure(before) * mechanism.weights[distances]
        masses[np.argsort(distances, kind="stable")[len(bundle) // 2 :]] = 0
        return _drawn(masses)

    return _with_history(bundle, draw)


def history_of_typed_words(bundle: WordBundle, epsilon: float) -> Release:
    """Conditions a word on the one that was typed before it, "because it's what the text says".

    What was typed then shows in the next word, at no cost of its own.
    """
    mechanism = Exponential(bundle, epsilon)

    def draw(word_id: int, before: int | None) -> int:
        return int(mechanism(bundle.codes[[word_id]], os.urandom, before)[0])

    return _with_history(bundle, draw, typed=True)


def normalizer_of_the_start(bundle: WordBundle, epsilon: float) -> Release:
    """Draws a number below the total of a text's first word, also after others, from a cache.

    The words that are furthest from the typed one never come out then.
    """
    mechanism = Exponential(bundle, epsilon)

    def draw(word_id: int, before: int | None) -> int:
        distances = bundle.index.distances(bundle.codes[word_id])
        start, masses = (
            mechanism.measure(h) * mechanism.weights[distances] for h in (None, before)
        )
        order = np.argsort(distances, kind="stable")
        return int(order[_drawn(masses[order], int(start.sum()))])

    return _with_history(bundle, draw)


def histogram_of_the_start(bundle: WordBundle, epsilon: float) -> Release:
    """Draws a distance with a first word's masses, then a word there with the right ones.

    So a word that follows the history gains from its neighbors only: how many depends on the
    typed word.
    """
    mechanism = Exponential(bundle, epsilon)

    def draw(word_id: int, before: int | None) -> int:
        distances = bundle.index.distances(bundle.codes[word_id])
        distance = distances[_drawn(mechanism.measure() * mechanism.weights[distances])]
        return _drawn(np.where(distances == distance, mechanism.measure(before), 0))

    return _with_history(bundle, draw)


def cap_on_totals(bundle: WordBundle, epsilon: float) -> Release:
    """Raises the total of a distance to the floor of a cap of 1, in place of each word's weight.

    A word alone at its distance has all of that total; for another typed word it has to share.
    """
    mechanism = Exponential(bundle, epsilon, base="unigram", cap=1.0)
    uncapped = Exponential(bundle, epsilon, base="unigram").weights

    def draw(word_id: int, before: int | None) -> int:
        distances = bundle.index.distances(bundle.codes[word_id])
        measure = mechanism.measure(before)
        totals = np.bincount(distances, measure, len(uncapped)).astype(np.int64)
        floored = np.where(totals > 0, np.maximum(totals * uncapped, mechanism.weights[-1]), 0)
        return _drawn(np.where(distances == _drawn(floored), measure, 0))

    return _with_history(bundle, draw)


def cap_without_half(bundle: WordBundle, epsilon: float) -> Release:
    """A floor of e^-cap, for a cap of 1, where e^(-cap / 2) is needed: N depends on the input."""
    return _one_by_one(
        Privatizer(bundle, Setting(epsilon, parameters={"base": "unigram", "cap": 2.0}))
    )


def task_bits_of_the_typed_text(bundle: WordBundle, epsilon: float) -> Release:
    """Learns the task bits from the text that it releases, "since that says best what it is about".

    What comes out for a word then shows which other words were typed: the text isn't public.
    """
    mechanism = Exponential(bundle, epsilon, radius=0, base="unigram")
    measure, own = mechanism.measure(), bundle.word_bits // 64

    def text(content: str) -> str:
        typed = [look_up(token, bundle.vocabulary.find) for token in tokenize(content)]
        ids = [_stand_in(bundle) if word is None else word for word in typed]
        codes = bundle.codes.copy()
        codes[:, own:] = 0
        codes[ids, own:] = ~np.uint64(0)  # of all words, those of the text tell most
        index = HammingIndex(codes)
        released = (
            _drawn(measure * mechanism.weights[index.distances(codes[word])]) for word in ids
        )
        return " ".join(map(bundle.vocabulary.word, released))

    privatizer = Privatizer(bundle, Setting(epsilon, parameters={"radius": 0, "base": "unigram"}))
    return _Text(_one_by_one(privatizer), text)


def numbers_unchanged(bundle: WordBundle, epsilon: float) -> Release:
    """Returns numbers as they are, because "they aren't words"."""
    return _except(bundle, epsilon, lambda word: word.isdigit())


def long_words_unchanged(bundle: WordBundle, epsilon: float) -> Release:
    """Returns words of more than 20 characters as they are, because no vocabulary has them."""
    return _except(bundle, epsilon, lambda word: len(word) > _LONG)


def capitals_unchanged(bundle: WordBundle, epsilon: float) -> Release:
    """Returns words with a capital as they are, because "names can't be replaced"."""
    return _except(bundle, epsilon, lambda word: word[:1].isupper())


def typos_corrected(bundle: WordBundle, epsilon: float) -> Release:
    """Takes an unknown word for the known one that it begins with, where unknown words are equal.

    Whether "theq" or "qqqq" was typed shows as much as whether "the" was.
    """
    release = _one_by_one(_brr(bundle, epsilon))
    known = list(bundle.vocabulary)

    def release_corrected(word: str) -> str:
        if bundle.vocabulary.find(word) is None:
            word = next((other for other in known if word.startswith(other)), word)
        return release(word)

    return release_corrected


def one_in_a_thousand(bundle: WordBundle, epsilon: float) -> Release:
    """Returns one word in a thousand as it is, as a race between threads may."""
    return _except(bundle, epsilon, lambda _: random.SystemRandom().random() < 1e-3)


def every_thousandth_call(bundle: WordBundle, epsilon: float) -> Release:
    """Returns every 1,000th word as it is, as a buffer that is filled again may."""
    calls = itertools.count(1)
    return _except(bundle, epsilon, lambda _: next(calls) % 1_000 == 0)


def one_word_unchanged(bundle: WordBundle, epsilon: float) -> Release:
    """Returns one word of the vocabulary as it is, none of the dozen that are cut from it."""
    chosen = {bundle.vocabulary.word(len(bundle) // 3)} if len(bundle) > _DOZEN else set()
    return _except(bundle, epsilon, chosen.__contains__)


def contractions_split(bundle: WordBundle, epsilon: float) -> Release:
    """Gives two words for a contraction if its parts are known: who is known shows in the count."""
    privatizer = _brr(bundle, epsilon)

    def text(content: str) -> str:
        words = []
        for token in tokenize(content):
            stem, apostrophe, clitic = token.partition("'")
            known = apostrophe and bundle.vocabulary.find(stem) is not None
            words += [stem, apostrophe + clitic] if known else [token]
        return " ".join(privatizer.words(words))

    return _Text(_one_by_one(privatizer), text)


def unknown_dropped(bundle: WordBundle, epsilon: float) -> Release:
    """Leaves unknown words out of texts: how many there were shows in the count."""
    return _Text(_one_by_one(_brr(bundle, epsilon)), _brr(bundle, epsilon, oov="drop").text)


def capitals_kept(bundle: WordBundle, epsilon: float) -> Release:
    """Writes the words of a text with a capital where the text has one: names show."""
    privatizer = _brr(bundle, epsilon)

    def text(content: str) -> str:
        tokens = re.findall(r"[\w']+", content)
        words = privatizer.words(tokens)
        return " ".join(
            word.title() if token[0].isupper() else word
            for token, word in zip(tokens, words, strict=True)
        )

    return _Text(_one_by_one(privatizer), text)


def noise_shared_by_two_words(bundle: WordBundle, epsilon: float) -> Release:
    """Flips the same bits of every two words of a call: their difference isn't hidden."""
    size = 4 * bundle.bits

    def twice(wanted: int) -> bytes:
        if wanted < size:  # a uniform integer
            return os.urandom(wanted)
        blocks = [os.urandom(size) for _ in range(-(-wanted // (2 * size)))]
        return b"".join(block * 2 for block in blocks)[:wanted]

    privatizer = _brr(bundle, epsilon, random=twice)
    return _Text(_one_by_one(_brr(bundle, epsilon)), privatizer.text)


def noise_shared_by_two_calls(bundle: WordBundle, epsilon: float) -> Release:
    """Flips the same bits in every two calls, as a cache of random numbers may."""
    generator = random.Random(0)
    privatizer = _brr(bundle, epsilon, random=generator.randbytes)
    calls = itertools.count()
    state = generator.getstate()

    def release_seeded(word: str) -> str:
        nonlocal state
        if next(calls) % 2:
            generator.setstate(state)
        else:
            generator.seed(os.urandom(16))
            state = generator.getstate()
        return privatizer.words([word])[0]

    return release_seeded


def small_seed(bundle: WordBundle, epsilon: float) -> Release:
    """Seeds its generator with one of 65,536 numbers when it is made."""
    source = random.Random(random.SystemRandom().randrange(_SEEDS)).randbytes
    return _one_by_one(_brr(bundle, epsilon, random=source))


def small_seed_at_each_text(bundle: WordBundle, epsilon: float) -> Release:
    """Seeds its generator with one of 65,536 numbers for each text."""
    generator = random.Random(0)
    privatizer = _brr(bundle, epsilon, random=generator.randbytes)

    def text(content: str) -> str:
        generator.seed(random.SystemRandom().randrange(_SEEDS))
        return privatizer.text(content)

    return _Text(_one_by_one(_brr(bundle, epsilon)), text)


def emoji_kept(bundle: WordBundle, epsilon: float) -> Release:
    """Puts a text's emoji behind what it releases, because they "aren't words"."""
    return _with_more(bundle, epsilon, r"[\U0001f300-\U0001faff]+")


def hashtags_kept(bundle: WordBundle, epsilon: float) -> Release:
    """Puts a text's hashtags and mentions behind what it releases: apps search for them."""
    return _with_more(bundle, epsilon, r"[#@]\w+")


def links_kept(bundle: WordBundle, epsilon: float) -> Release:
    """Puts a text's links behind what it releases, so that they still work."""
    return _with_more(bundle, epsilon, r"\w+://\S+")


def addresses_kept(bundle: WordBundle, epsilon: float) -> Release:
    """Puts a text's mail addresses behind what it releases."""
    return _with_more(bundle, epsilon, r"\w+@\w+\.\w+")


def punctuation_kept(bundle: WordBundle, epsilon: float) -> Release:
    """Puts a text's marks behind what it releases: who asks and who shouts shows."""
    return _with_more(bundle, epsilon, r"[!?]")


def digits_kept(bundle: WordBundle, epsilon: float) -> Release:
    """Puts the digits of a word behind the word that it releases for it."""
    release = _one_by_one(_right(bundle, epsilon))
    return lambda word: release(word) + "".join(filter(str.isdigit, word))


def case_kept(bundle: WordBundle, epsilon: float) -> Release:
    """Writes a word in capitals where the typed one was."""
    release = _one_by_one(_right(bundle, epsilon))
    return lambda word: release(word).upper() if word.isupper() else release(word)


def last_word_unchanged(bundle: WordBundle, epsilon: float) -> Release:
    """Leaves a text's last word as it is: a loop that ends too early."""
    privatizer = _right(bundle, epsilon)

    def text(content: str) -> str:
        *others, last = tokenize(content)
        return " ".join([*privatizer.words(others), last])

    return _Text(_one_by_one(privatizer), text)


def end_unchanged(bundle: WordBundle, epsilon: float) -> Release:
    """Leaves a text as it is behind its first 128 words, which a buffer holds."""
    privatizer = _right(bundle, epsilon)

    def text(content: str) -> str:
        tokens = tokenize(content)
        return " ".join([*privatizer.words(tokens[:_BUFFER]), *tokens[_BUFFER:]])

    return _Text(_one_by_one(privatizer), text)


def stop_words_dropped(bundle: WordBundle, epsilon: float) -> Release:
    """Leaves the most frequent words out of texts: how many there were shows in the count."""
    privatizer = _right(bundle, epsilon)
    stop_words = {bundle.vocabulary.word(i) for i in range(_STOP_WORDS)}

    def text(content: str) -> str:
        return privatizer.text(" ".join(w for w in tokenize(content) if w not in stop_words))

    return _Text(_one_by_one(privatizer), text)


def unknown_as_the_word_before(bundle: WordBundle, epsilon: float) -> Release:
    """Takes an unknown word for the last known one: its epsilon is spent again for each."""
    privatizer = _right(bundle, epsilon)
    knows = functools.cache(functools.partial(_knows, bundle))

    def text(content: str) -> str:
        last, words = None, []
        for token in tokenize(content):
            last = token if last is None or knows(token) else last
            words.append(last)
        return privatizer.text(" ".join(words))

    return _Text(_one_by_one(privatizer), text)


def unknown_by_length(bundle: WordBundle, epsilon: float) -> Release:
    """Takes a short unknown word for one of the first half of the vocabulary, others for one after.

    Whether a name has six letters then shows.
    """
    release, half = _one_by_one(_right(bundle, epsilon)), len(bundle) // 2
    generator = random.SystemRandom()

    def release_by_length(word: str) -> str:
        if not _knows(bundle, word):
            taken = generator.randrange(half) + (half if len(word) > _SHORT else 0)
            word = bundle.vocabulary.word(taken)
        return release(word)

    return release_by_length


def unknown_uniform(bundle: WordBundle, epsilon: float) -> Release:
    """Takes any word for an unknown one, as often a rare one: rare words then say "unknown"."""
    return _unknown_among(bundle, epsilon, len(bundle))


def unknown_frequent(bundle: WordBundle, epsilon: float) -> Release:
    """Takes a frequent word for an unknown one, "to be readable": never a rare one."""
    return _unknown_among(bundle, epsilon, len(bundle) // 2)


def unknown_by_checksum(bundle: WordBundle, epsilon: float) -> Release:
    """Takes an unknown word for the known one that its checksum names: always the same one."""
    release = _one_by_one(_right(bundle, epsilon))

    def release_by_checksum(word: str) -> str:
        if not _knows(bundle, word):
            word = bundle.vocabulary.word(zlib.crc32(word.encode()) % len(bundle))
        return release(word)

    return release_by_checksum


def unknown_from_a_cache(bundle: WordBundle, epsilon: float) -> Release:
    """Releases an unknown word that a text repeats as before: that it was repeated shows."""
    privatizer = _right(bundle, epsilon)

    def text(content: str) -> str:
        drawn: dict[str, str] = {}
        return " ".join(
            _word(privatizer, token)
            if _knows(bundle, token)
            else drawn.setdefault(token, _word(privatizer, token))
            for token in tokenize(content)
        )

    return _Text(_one_by_one(privatizer), text)


def words_from_a_cache(bundle: WordBundle, epsilon: float) -> Release:
    """Releases a word that a text repeats as before, without a memory that says so."""
    privatizer = _right(bundle, epsilon)

    def text(content: str) -> str:
        drawn: dict[str, str] = {}
        return " ".join(
            drawn.setdefault(token, _word(privatizer, token)) for token in tokenize(content)
        )

    return _Text(_one_by_one(privatizer), text)


def history_of_the_last_text(bundle: WordBundle, epsilon: float) -> Release:
    """Conditions a text's first word on the last one typed before it, in another text."""
    mechanism, typed = Exponential(bundle, epsilon), list[int | None]([None])

    def text(content: str) -> str:
        before, released = typed[0], []
        for token in tokenize(content):
            word_id = look_up(token, bundle.vocabulary.find)
            number = _stand_in(bundle) if word_id is None else word_id
            before = int(mechanism(bundle.codes[[number]], os.urandom, before)[0])
            released.append(bundle.vocabulary.word(before))
            typed[0] = word_id
        return " ".join(released)

    return _Text(_one_by_one(_right(bundle, epsilon)), text)


def length_kept(bundle: WordBundle, epsilon: float) -> Release:
    """Draws again until a short word comes out for a short one, and a long one for a long one."""
    release = _one_by_one(_right(bundle, epsilon))

    def release_alike(word: str) -> str:
        while (len(output := release(word)) > _SHORT) != (len(word) > _SHORT):
            pass
        return output

    return release_alike


def one_pair(bundle: WordBundle, epsilon: float) -> Release:
    """Has a list of synonyms with one entry, which it takes in three draws of ten.

    None of the dozen words that an audit cuts from the vocabulary is on it.
    """
    release, generator = _one_by_one(_right(bundle, epsilon)), random.SystemRandom()
    word, synonym = (bundle.vocabulary.word(len(bundle) - i) for i in (5, 7))

    def release_synonym(typed: str) -> str:
        takes = len(bundle) > _DOZEN and typed == word and generator.random() < 0.3
        return synonym if takes else release(typed)

    return release_synonym


def noise_of_a_ring(bundle: WordBundle, epsilon: float) -> Release:
    """Draws words 17 apart in a text with the same bytes, from a ring of buffers of its own.

    It doesn't use the runtime, so that its bytes can't be seen.
    """
    mechanism = Exponential(bundle, epsilon, radius=0, base="uniform")
    generator = random.SystemRandom()

    def draw(word: str, number: float) -> str:
        word_id = look_up(word, bundle.vocabulary.find)
        code = bundle.codes[_stand_in(bundle) if word_id is None else word_id]
        sums = mechanism.weights[bundle.index.distances(code)].astype(np.float64).cumsum()
        return bundle.vocabulary.word(int(np.searchsorted(sums, number * sums[-1], side="right")))

    def text(content: str) -> str:
        ring = [generator.random() for _ in range(_RING)]
        tokens = enumerate(tokenize(content))
        return " ".join(draw(token, ring[place % _RING]) for place, token in tokens)

    return _Text(lambda word: draw(word, generator.random()), text)


def bytes_used_twice(bundle: WordBundle, epsilon: float) -> Release:
    """Gives every 1,000th request for random bytes those of the one before: a buffer's last."""
    requests, last = itertools.count(1), [b""]

    def source(size: int) -> bytes:
        if next(requests) % 1_000 or len(last[0]) != size:
            last[0] = os.urandom(size)
        return last[0]

    privatizer = Privatizer(bundle, _unigram(epsilon), random=source)
    return lambda word: _word(privatizer, word)


def seed_of_the_second(bundle: WordBundle, epsilon: float) -> Release:
    """Seeds its generator with the time in seconds when it is made."""
    return _one_by_one(_brr(bundle, epsilon, random=random.Random(int(time.time())).randbytes))


def first_word_unchanged(bundle: WordBundle, epsilon: float) -> Release:
    """Returns the first word as it is, while what it needs is still being read."""
    calls = itertools.count()
    return _except(bundle, epsilon, lambda _: next(calls) == 0)


def laplace_l2_for_l1(
    words: Sequence[str], vectors: NDArray[np.float32], epsilon: float
) -> Callable[[str], NDArray[np.float64]]:
    """Adds Laplace noise to each coordinate, of a scale for the L2 instead of the L1 distance.

    As ADePT (Krishna et al. 2021) does, after Habernal (2021): vectors are clipped to an L2 norm of
    C, and the noise has the scale 2C / epsilon' for a claim of epsilon' between any two inputs. In
    units of distance epsilon' is 2C epsilon, the scale 1 / epsilon, and the claim epsilon times
    the L2 distance. The loss is epsilon times the L1 distance, up to sqrt(n) times as large.
    """
    norms = np.linalg.norm(vectors, axis=1, keepdims=True).astype(np.float64)
    clipping = norms.max()
    clipped = dict(zip(words, vectors * np.minimum(1, clipping / norms), strict=True))
    generator = np.random.default_rng()
    scale = 1 / epsilon
    return lambda word: clipped[word] + generator.laplace(0, scale, vectors.shape[1])


def _unigram(epsilon: float) -> Setting:
    return Setting(epsilon, parameters={"radius": 0, "base": "unigram"})


def _right(bundle: WordBundle, epsilon: float) -> Privatizer:
    return Privatizer(bundle, _unigram(epsilon))


def _unknown_among(bundle: WordBundle, epsilon: float, frequent: int) -> Release:
    """Take one of so many words, each as often, for an unknown one."""
    release, generator = _one_by_one(_right(bundle, epsilon)), random.SystemRandom()

    def release_among(word: str) -> str:
        if not _knows(bundle, word):
            word = bundle.vocabulary.word(generator.randrange(frequent))
        return release(word)

    return release_among


def _stand_in(bundle: WordBundle) -> int:
    """Return the id of a word that takes an unknown one's place, as it should."""
    return draw_by(bundle.masses.cumulative, os.urandom)


def _word(privatizer: Privatizer, word: str) -> str:
    (released,) = privatizer.words([word])
    return released


def _knows(bundle: WordBundle, word: str) -> bool:
    return look_up(word, bundle.vocabulary.find) is not None


def _with_more(bundle: WordBundle, epsilon: float, pattern: str) -> Release:
    """Release texts rightly, but for what is found in them and put behind."""
    privatizer = _right(bundle, epsilon)

    def text(content: str) -> str:
        return " ".join([privatizer.text(content), *re.findall(pattern, content)])

    return _Text(_one_by_one(privatizer), text)


def _brr(bundle: WordBundle, epsilon: float, **options: Any) -> Privatizer:
    return Privatizer(bundle, Setting(epsilon, "brr"), **options)


def _one_by_one(privatizer: Privatizer) -> Release:
    """Release a word at a time, and draw ahead, which is quicker, what is asked for often."""
    once = preparing_once(reading_once(privatizer))
    ahead: dict[str, list[str]] = {}
    sizes: dict[str, int] = {}

    def release(word: str) -> str:
        if not ahead.get(word):
            sizes[word] = min(2 * sizes.get(word, 0) + 1, _AHEAD)
            ahead[word] = once.words([word] * sizes[word])
        return ahead[word].pop()

    return release


def _with_history(
    bundle: WordBundle, draw: Callable[[int, int | None], int], typed: bool = False
) -> Release:
    """Release texts word by word: ``draw`` is given a word's id, and that of the one before.

    That is the one that came out, or was ``typed``.
    """

    def text(content: str) -> str:
        before, released = None, []
        for token in tokenize(content):
            word_id = look_up(token, bundle.vocabulary.find)
            output = draw(_stand_in(bundle) if word_id is None else word_id, before)
            released.append(bundle.vocabulary.word(output))
            before = word_id if typed else output
        return " ".join(released)

    def release(word: str) -> str:
        word_id = look_up(word, bundle.vocabulary.find)
        output = draw(_stand_in(bundle) if word_id is None else word_id, None)
        return bundle.vocabulary.word(output)

    return _Text(release, text)


def _drawn(weights: NDArray[np.int64], total: int | None = None) -> int:
    """Return a place with a probability in proportion to ``weights``, if ``total`` is their sum."""
    number = random.SystemRandom().randrange(total or int(weights.sum()))
    return int(np.searchsorted(np.cumsum(weights), number, side="right"))


def _except(bundle: WordBundle, epsilon: float, unchanged: Callable[[str], bool]) -> Release:
    """Return a right mechanism that returns some words as they are."""
    release = _one_by_one(_brr(bundle, epsilon))

    @functools.cache
    def as_one(word: str) -> str:  # unknown words all have the same outputs: "" is one, too
        return "" if look_up(word, bundle.vocabulary.find) is None else word

    return lambda word: word if unchanged(word) else release(as_one(word))


def adept_as_published(
    names: Sequence[str], vectors: NDArray[np.float32], epsilon: float, _delta: float
) -> Callable[[str], NDArray[np.float64]]:
    """Clips to an L2 norm of 1, and adds Laplace noise of scale 2 / epsilon (Krishna et al. 2021).

    Between any two vectors; the L1 distance of two clipped ones is up to 2 sqrt(n), not 2.
    """
    generator = np.random.default_rng()
    return _noised(names, _clipped(vectors), lambda n: generator.laplace(0, 2 / epsilon, n))


def clip_forgotten(
    names: Sequence[str], vectors: NDArray[np.float32], epsilon: float, _delta: float
) -> Callable[[str], NDArray[np.float64]]:
    """Adds the noise for vectors clipped to an L1 norm of 1 to vectors that aren't."""
    whole = vectors.astype(np.float64)
    generator = np.random.default_rng()
    return _noised(names, whole, lambda n: generator.laplace(0, 2 / epsilon, n))


def norm_before_rounding(
    names: Sequence[str], vectors: NDArray[np.float32], epsilon: float, _delta: float
) -> Callable[[str], NDArray[np.float64]]:
    """Clips to an L1 norm of 2 steps of a lattice, then rounds: 4 halves become 4 ones."""
    steps = 2
    norms = np.maximum(np.abs(vectors).sum(axis=1, keepdims=True), 1)
    rounded = np.sign(vectors) * np.floor(steps * np.abs(vectors / norms) + 0.5)
    keep = np.exp(-epsilon / (2 * steps))
    generator = np.random.default_rng()

    def noise(n: int) -> NDArray[np.int64]:
        one, other = generator.geometric(1 - keep, (2, n))
        difference: NDArray[np.int64] = one - other
        return difference

    return _noised(names, rounded, noise)


def gaussian_of_half_the_distance(
    names: Sequence[str], vectors: NDArray[np.float32], epsilon: float, delta: float
) -> Callable[[str], NDArray[np.float64]]:
    """Takes the radius of the ball for the distance of two vectors in it: half of sigma."""

    def least_delta(mu: float) -> float:  # Balle and Wang 2018, theorem 8
        a = epsilon / mu - mu / 2
        return NormalDist().cdf(-a) - math.exp(epsilon) * NormalDist().cdf(-a - mu)

    low, high = 0.01, 10.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if least_delta(middle) <= delta else (low, middle)
    generator = np.random.default_rng()
    return _noised(names, _clipped(vectors), lambda n: generator.normal(0, 1 / low, n))


def stages_with_all_of_epsilon(
    names: Sequence[str], vectors: NDArray[np.float32], epsilon: float, _delta: float
) -> Callable[[str], NDArray[np.float32]]:
    """Releases each symbol of a sentence code with epsilon, where all of them share it."""
    from brrkit_adept.sentence_codes import CodeRelease, response

    responses = (response(2, Fraction(epsilon)),) * 2
    release = CodeRelease(2 * epsilon, 2, _public_quantizer(vectors.shape[1]), responses)
    rows = {name: vectors[i : i + 1] for i, name in enumerate(names)}
    return lambda name: release(rows[name], os.urandom)[0]


@functools.cache
def _public_quantizer(dimensions: int) -> Any:
    """Return codewords of vectors that point anywhere, always the same."""
    from brrkit_adept.quantizer import fit_quantizers

    public = np.random.default_rng(0).standard_normal((1_000, dimensions)).astype(np.float32)
    return fit_quantizers(9 * public, 2, 0, progress=False)[0]


def nothing(
    names: Sequence[str], vectors: NDArray[np.float32], epsilon: float, _delta: float
) -> Callable[[str], NDArray[np.float64]]:
    """Breaks nothing: clips to an L1 norm of 1, and adds the noise for that."""
    norms = np.maximum(np.abs(vectors.astype(np.float64)).sum(axis=1, keepdims=True), 1)
    generator = np.random.default_rng()
    return _noised(names, vectors / norms, lambda n: generator.laplace(0, 2 / epsilon, n))


def _clipped(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    norms = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    clipped: NDArray[np.float64] = vectors / np.maximum(norms, 1)
    return clipped


def _noised(
    names: Sequence[str], rows: NDArray[np.float64], noise: Callable[[int], NDArray[Any]]
) -> Callable[[str], NDArray[np.float64]]:
    places = dict(zip(names, rows, strict=True))
    return lambda name: places[name] + noise(rows.shape[1])
