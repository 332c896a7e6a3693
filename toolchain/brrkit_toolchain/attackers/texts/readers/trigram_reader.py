"""A reader of texts by trigrams and repetitions, little slower than one pass over all bigrams.

``sentence_reader`` computes the probability of each word. The likeliest words are then read again,
because texts repeat their words (Kuhn and De Mori 1990), and trigrams predict better than bigrams.
Forward-backward over pairs of words is too slow for a whole vocabulary, so it uses a few candidates
for each place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.attackers.texts.knowledge import Knowledge
from brrkit_toolchain.attackers.texts.readers.batching import Floats, ReleasedLanes, text_slices
from brrkit_toolchain.attackers.texts.readers.lanes import LANES
from brrkit_toolchain.attackers.texts.readers.sentence_reader import (
    Emissions,
    Seen,
    SentenceReader,
)
from brrkit_toolchain.attackers.texts.success import content_words
from brrkit_toolchain.codes.portable import exponential, logarithm, total
from brrkit_toolchain.io.compiled import compiled
from brrkit_toolchain.language.trigrams import Ids, Trigrams

_CANDIDATES = 8  # likeliest words of a place, and likeliest content words among the others
_REPETITION_SHARE = 0.1  # probability that a word is drawn from the rest of its text
_NEW_SHARE = np.float32(1 - _REPETITION_SHARE)
_TRIGRAM_EXPONENT = 0.6  # below 1, because trigrams are overconfident
_LEAST_SHARE = 1e-17  # the logarithm of its power stays within the range of ``exponential``
_WORDS_SKIPPED_AT_ONCE = 64
_FOLLOWERS_TO_SCAN = 512  # with more, a search is faster

_exponential = compiled(exponential)


class TrigramReader:
    """A reader who knows the language and all outputs of a text; thread-safe."""

    def __init__(self, knows: Knowledge) -> None:
        """Keep the models."""
        self._first = SentenceReader(knows.bigrams)
        self._trigrams = knows.trigrams
        words = knows.bigrams.words
        prior = np.maximum(words, words[words > 0].min())
        self._repeated = (_REPETITION_SHARE / prior).astype(np.float32)
        self._content = content_words(words)

    def __call__(
        self,
        released: ReleasedLanes,
        room: Floats | None = None,
        seen: Seen = lambda _t, _emissions: None,
    ) -> Floats:
        """Return Pr[x_t = x | y_1 ... y_T] float32[t, LANES, s] of texts, by lane.

        Arguments and result are those of ``SentenceReader``.
        """
        size = len(self._content)
        likeliest = np.arange(min(size, 2 * _CANDIDATES), dtype=np.int32)
        words = np.tile(likeliest, (released.steps, LANES, 1))
        emissions = np.empty(words.shape, np.float32)

        def choose(t: int, beliefs: Floats, given: Emissions) -> None:
            lanes = np.array(released.lanes_at(t), int)
            _find_candidates(beliefs, given, lanes, self._content, (words[t], emissions[t]))

        beliefs = self._first(released, room, seen, choose)
        for lane, texts in enumerate(released.lengths):
            for part in text_slices(texts):
                own = words[part, lane].copy(), emissions[part, lane].copy()
                self._reread(lane, beliefs[part], *own)
        return beliefs

    def _reread(self, lane: int, beliefs: Floats, words: Ids, emissions: Floats) -> None:
        """Improve the beliefs of a text in a ``lane``, by its candidates and their emissions."""
        everywhere = np.zeros(beliefs.shape[2], np.float32)
        _add_up(beliefs, lane, everywhere)
        emissions /= emissions.max(axis=1, keepdims=True)
        elsewhere = self._repeated / np.float32(max(1, len(words) - 1))
        mass = np.empty(words.shape, np.float32)
        _raise_repeated(beliefs, lane, everywhere, elsewhere, words, emissions, mass)
        mixed = _mix(read_pairs(self._trigrams, words, emissions), mass)
        np.put_along_axis(beliefs[:, lane], words, mixed, axis=1)


@compiled
def _find_candidates(
    beliefs: Floats,
    given: Emissions,
    lanes: NDArray[np.intp],
    content: NDArray[np.bool_],
    found: tuple[Ids, Floats],
) -> None:
    """Write the likeliest words, all different, and their likelihoods, into the rows ``lanes``.

    These rows of ``beliefs`` [lanes, s] are scaled to the sum 1.

    Args:
        beliefs: [lanes, s].
        given: the likelihoods.
        lanes: some lanes.
        content: bool[s], whether each word is a content word.
        found: [lanes, k], words and their likelihoods. If the vocabulary has no more words than
            that, the words stay as they are.
    """
    (words, emissions), (likelihoods, rows) = found, given
    for lane in lanes:
        row = beliefs[lane]
        scale = np.float32(1 / total(row))
        for x in range(len(row)):
            row[x] *= scale
        if len(row) > 2 * _CANDIDATES:
            _rank_candidates(row, content, words[lane])
        for i in range(words.shape[1]):
            emissions[lane, i] = likelihoods[rows[lane], words[lane, i]]


@compiled
def _add_up(beliefs: Floats, lane: int, everywhere: Floats) -> None:
    """Add the rows of ``beliefs`` [t, lanes, s] to ``everywhere`` [s]."""
    for t in range(len(beliefs)):
        row = beliefs[t, lane]
        for x in range(len(row)):
            everywhere[x] += row[x]


@compiled
def _rank_candidates(row: Floats, content: NDArray[np.bool_], words: Ids) -> None:
    """Write the likeliest words, and after them the likeliest other content words."""
    bits = row.view(np.int32)  # same order as the numbers, since none is negative
    for half in range(2):
        kept = words[half * _CANDIDATES : (half + 1) * _CANDIDATES]
        most = np.empty(_CANDIDATES, np.int32)  # ascending
        for place in range(_CANDIDATES):
            most[place] = -1
        for start in range(0, len(row), _WORDS_SKIPPED_AT_ONCE):
            block = bits[start : start + _WORDS_SKIPPED_AT_ONCE]
            largest = np.int32(-1)
            for i in range(len(block)):
                largest = max(largest, block[i])
            if largest <= most[0]:
                continue
            for i in range(len(block)):
                x = start + i
                if block[i] <= most[0]:
                    continue
                known = half > 0 and not content[x]
                for other in range(half * _CANDIDATES):
                    known |= words[other] == x
                if known:
                    continue
                place = 0
                while place + 1 < _CANDIDATES and most[place + 1] < block[i]:
                    most[place], kept[place] = most[place + 1], kept[place + 1]
                    place += 1
                most[place], kept[place] = block[i], x


@compiled
def _raise_repeated(
    beliefs: Floats,
    lane: int,
    everywhere: Floats,
    elsewhere: Floats,
    words: Ids,
    emissions: Floats,
    mass: Floats,
) -> None:
    """Raise the beliefs in words that probably also occur elsewhere in the text.

    This also raises the ``emissions`` [t, k] of the candidates ``words``, and writes their beliefs
    into ``mass`` [t, k].

    Args:
        beliefs: [t, lanes, s].
        lane: lane of the text.
        everywhere: [s], the sum of the text's beliefs.
        elsewhere: [s], weight of a belief in another place, for each word.
        words: int32[t, k], the candidates.
        emissions: [t, k], emissions of the candidates.
        mass: [t, k], written to.
    """
    for t in range(len(words)):
        row = beliefs[t, lane]
        for i in range(words.shape[1]):
            x = words[t, i]
            emissions[t, i] *= _NEW_SHARE + elsewhere[x] * (everywhere[x] - row[x])
        for x in range(len(row)):
            row[x] *= _NEW_SHARE + elsewhere[x] * (everywhere[x] - row[x])
        for i in range(words.shape[1]):
            mass[t, i] = row[words[t, i]]


@compiled
def _mix(read: Floats, mass: Floats) -> Floats:
    """Return beliefs [t, k] in proportion to read^e mass^(1 - e); e is the trigrams' exponent.

    Each row has the same sum as that of ``mass`` [t, k], the beliefs without trigrams.
    """
    mixed = np.empty_like(mass)
    for t in range(len(mass)):
        summed, kept = 0.0, 0.0
        for i in range(mass.shape[1]):
            own, other = max(mass[t, i], _LEAST_SHARE), max(read[t, i], _LEAST_SHARE)
            power = _TRIGRAM_EXPONENT * logarithm(other) + (1 - _TRIGRAM_EXPONENT) * logarithm(own)
            mixed[t, i] = _exponential(power)
            summed += mixed[t, i]
            kept += mass[t, i]
        for i in range(mass.shape[1]):
            mixed[t, i] *= kept / summed
    return mixed


def read_pairs(model: Trigrams, words: Ids, emissions: Floats) -> Floats:
    """Return Pr[x_t | all outputs of the text] of the ``words`` int32[t, k] of each place.

    Args:
        model: model of the language.
        words: different candidates for each place; at least one place.
        emissions: Pr[y_t | x] float32[t, k] of the candidates, with any positive factor in each
            row.
    """
    language, size = model.language, words.shape[1]
    seen = language.seen
    two = np.empty((len(words), size, size), np.float32)
    _write_bigrams(
        words,
        (seen.indptr, seen.indices, seen.data),
        language.backoff,
        language.continuation,
        language.start,
        two,
    )
    likely = np.empty((len(words), size, size, size), np.float32)
    pairs = (model.pairs, model.of_first, model.starts, model.words, model.seen, model.backoff)
    _write_trigrams(words, pairs, two, likely)
    likely *= emissions[:, None, None, :]
    result = np.empty(words.shape, np.float32)
    _forward_backward(likely, result)
    return result


@compiled
def _find_places(
    sorted_: NDArray[np.integer], values: NDArray[np.integer], places: NDArray[np.uint64]
) -> None:
    """Write, for each of ``values``, the first place with a number that isn't below it.

    The searches run side by side, so none waits for another's memory access.
    """
    places[:] = 0
    size = np.uint64(len(sorted_))
    while size > 0:
        half = size >> np.uint64(1)
        for i in range(len(values)):
            at = places[i]
            places[i] = at + (size - half) if sorted_[at + half] < values[i] else at
        size = half


@compiled
def _write_bigrams(
    words: Ids,
    model: tuple[NDArray[np.integer], NDArray[np.integer], NDArray[np.float64]],
    backoff: NDArray[np.float64],
    continuation: NDArray[np.float64],
    start: int,
    two: Floats,
) -> None:
    """Write Pr[x | h] [t, h, x]."""
    rows, columns, seen = model
    length, size = words.shape
    places = np.empty(size, np.uint64)
    for t in range(length):
        for j in range(size):
            h = words[t - 1, j] if t else start
            own = slice(rows[h], rows[h + 1])
            following, likely = columns[own], seen[own]
            _find_places(following, words[t], places)
            for x in range(size):
                word, k = words[t, x], places[x]
                probability = backoff[h] * continuation[word]
                if k < len(following) and following[k] == word:
                    probability += likely[k]
                two[t, j, x] = probability


@compiled
def _write_trigrams(
    words: Ids,
    model: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Ids, Floats, Floats],
    two: Floats,
    likely: Floats,
) -> None:
    """Write Pr[x | g, h] [t, g, h, x]; ``two`` where a text has no word g or h."""
    pairs, of_first, starts, followers, seen, backoff = model
    (length, size), states = words.shape, len(of_first) - 1
    before, places = np.empty(size, np.int64), np.empty(size, np.uint64)
    place_of = np.full(states, -1, np.int8)  # place of each word in the current row
    for t in range(length):
        for i in range(size):
            for j in range(size):
                for x in range(size):
                    likely[t, i, j, x] = two[t, j, x]
        for x in range(size):
            place_of[words[t, x]] = x
        for i in range(size if t > 1 else 0):
            g = np.int64(words[t - 2, i])
            own = pairs[of_first[g] : of_first[g + 1]]
            for j in range(size):
                before[j] = g * states + words[t - 1, j]
            _find_places(own, before, places)
            for j in range(size):
                if places[j] == len(own) or own[places[j]] != before[j]:
                    continue
                pair = np.uint64(of_first[g]) + places[j]
                row = likely[t, i, j]
                for x in range(size):
                    row[x] *= backoff[pair]
                part = slice(starts[pair], starts[pair + np.uint64(1)])
                _add_seen(followers[part], seen[part], words[t], place_of, row)
        for x in range(size):
            place_of[words[t, x]] = -1


@compiled
def _add_seen(
    followers: Ids, seen: Floats, words: Ids, place_of: NDArray[np.int8], row: Floats
) -> None:
    """Add the ``seen`` probability of each follower that is one of ``words`` to ``row``."""
    if len(followers) <= _FOLLOWERS_TO_SCAN:
        for k in range(len(followers)):
            place = place_of[followers[k]]
            if place >= 0:
                row[place] += seen[k]
        return
    places = np.empty(len(words), np.uint64)
    _find_places(followers, words, places)
    for x in range(len(words)):
        if places[x] < len(followers) and followers[places[x]] == words[x]:
            row[x] += seen[places[x]]


@compiled
def _forward_backward(likely: Floats, result: Floats) -> None:
    """Write Pr[x_t] [t, x] from the steps [t, g, h, x]; at first, g and h have one value."""
    length, size = result.shape
    forward = np.zeros((length, size, size), np.float32)
    for t in range(length):
        for i in range(size if t > 1 else 1):
            for j in range(size if t else 1):
                before = forward[t - 1, i, j] if t else np.float32(1)
                for x in range(size):
                    forward[t, j, x] += before * likely[t, i, j, x]
        _normalize(forward[t])
    backward, earlier = np.ones((size, size), np.float32), np.empty((size, size), np.float32)
    for t in range(length - 1, -1, -1):
        for x in range(size):
            result[t, x] = 0
            for j in range(size):
                result[t, x] += forward[t, j, x] * backward[j, x]
        _normalize(result[t : t + 1])
        earlier[:] = 0
        most = np.float32(1e-30)
        for i in range(size if t > 1 else 1):
            for j in range(size if t else 1):
                for x in range(size):
                    earlier[i, j] += likely[t, i, j, x] * backward[j, x]
                most = max(most, earlier[i, j])
        for i in range(size):
            for j in range(size):
                backward[i, j] = earlier[i, j] / most


@compiled
def _normalize(table: Floats) -> None:
    """Divide a table [r, c] by its sum. ``table /= table.sum()`` takes seconds to compile."""
    rows, columns = table.shape
    total = np.float32(0)
    for i in range(rows):
        for j in range(columns):
            total += table[i, j]
    for i in range(rows):
        for j in range(columns):
            table[i, j] /= total
