"""Integers without bias, a test that sees the bias of the usual mistake, and a source that is new.

Production randomness is the system's: a source that is constant, seeded, or used twice fails here.
"""

from __future__ import annotations

import inspect
import io
import os
import random
from collections.abc import Callable

import pytest

from brrkit import Privatizer, RandomnessError, WordBundle
from brrkit.mechanisms import MECHANISMS
from brrkit.randomness import RandomSource, draw, uniform_below
from brrkit.setting import Setting


def source_of(*numbers: int) -> io.BytesIO:
    return io.BytesIO(b"".join(number.to_bytes(8, "little") for number in numbers))


@pytest.mark.parametrize("bound", [1, 2, 3, 255, 256, 257, 2**32, 2**32 + 1, 2**63 - 1, 2**63])
def test_a_draw_takes_eight_bytes(bound: int) -> None:
    source = source_of(0, 99)
    assert uniform_below(bound, source.read) == 0
    assert source.tell() == 8


def test_only_the_low_bits_count() -> None:
    assert uniform_below(1000, source_of(2**64 - 1024 + 7).read) == 7
    assert uniform_below(1, source_of(2**64 - 1).read) == 0
    assert uniform_below(2**63, source_of(2**64 - 1).read) == 2**63 - 1


def test_numbers_from_the_bound_on_are_rejected_not_folded() -> None:
    source = source_of(1000, 1023, 2**10 + 1001, 2**40 + 999, 5)
    assert uniform_below(1000, source.read) == 999
    assert source.tell() == 32


@pytest.mark.parametrize("bound", [2, 3, 5, 8, 17])
def test_every_value_is_reached(bound: int) -> None:
    draw = random.Random(bound).randbytes
    # False alarm: bound * (1 - 1 / bound)^2000 < 10^-49.
    assert {uniform_below(bound, draw) for _ in range(2000)} == set(range(bound))


def modulo(bound: int, source: RandomSource) -> int:
    """Draw as almost everybody does: some values have one preimage more than others."""
    return int.from_bytes(source(8), "little") % bound


# 2^64 is 2 2/3 times 3 * 2^61: the lower two thirds have 3 preimages each, the rest 2. Cells of a
# sixth then have probability 3/16 or 1/8 instead of 1/6: at 20,000 draws the statistic is near 400.
BIASED_BOUND = 3 * 2**61


def spread(below: Callable[[int, RandomSource], int], bound: int, cells: int) -> list[int]:
    draw = random.Random(11).randbytes
    counts = [0] * cells
    for _ in range(20_000):
        counts[below(bound, draw) * cells // bound] += 1
    return counts


@pytest.mark.parametrize("bound", [6, 7, 100, 1000, 2**20 + 1, BIASED_BOUND, 2**63 - 1, 2**63])
def test_draws_are_uniform(bound: int, chi_square: Callable[..., float]) -> None:
    cells = min(bound, 100) if bound <= 1000 else 6
    while bound % cells and bound <= 1000:
        cells -= 1
    assert chi_square(spread(uniform_below, bound, cells), [1 / cells] * cells) < 1


def test_modulo_bias_is_seen(chi_square: Callable[..., float]) -> None:
    assert chi_square(spread(modulo, BIASED_BOUND, 6), [1 / 6] * 6) > 2


@pytest.mark.parametrize("error", [NotImplementedError, OSError])
def test_a_system_without_random_bytes_is_a_library_s_error(error: type[Exception]) -> None:
    def none(size: int) -> bytes:
        raise error("hunter2secret")

    with pytest.raises(RandomnessError, match=r"^the system provides no random bytes; nothing was"):
        draw(8, none)


@pytest.mark.parametrize("size", [0, 7, 9])
def test_a_source_that_gives_another_number_of_bytes_is_refused(size: int) -> None:
    with pytest.raises(RandomnessError, match=f"returned {size} bytes instead of 8"):
        draw(8, lambda _: bytes(size))


def test_the_source_is_the_systems(bundle64: WordBundle) -> None:
    assert inspect.signature(Privatizer).parameters["random"].default is os.urandom
    assert Privatizer(bundle64, Setting(1.0))._random is os.urandom


FIRST_WORDS = """
import sys
from brrkit import Privatizer, Setting, WordBundle
bundle = WordBundle.open(sys.argv[1])
for mechanism in ("brr", "vickrey", "exponential"):
    print(*Privatizer(bundle, Setting(1e-3, mechanism)).words(["the"] * 40))
"""


@pytest.mark.false_alarm(1e-9)
def test_every_process_has_other_noise(
    bundle64: WordBundle, run_python: Callable[..., str]
) -> None:
    """At this epsilon 40 words agree with a probability below 10^-50."""
    one, other = (run_python(FIRST_WORDS, bundle64.path).splitlines() for _ in range(2))
    assert len(one) == len(other) == 3
    for first, second in zip(one, other, strict=True):
        assert first != second
        assert len(set(first.split())) > 1


THREADS = """
import sys
import threading
from brrkit import Privatizer, Setting, WordBundle
setting = Setting(1e-3, "exponential", {"base": "uniform"})
privatizer = Privatizer(WordBundle.open(sys.argv[1]), setting)
start = threading.Barrier(8)
released = [[] for _ in range(8)]
def work(own):
    start.wait()
    for _ in range(40):
        own.extend(privatizer.words(["the"] * 5))
threads = [threading.Thread(target=work, args=(own,)) for own in released]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for own in released:
    print(*own)
"""


@pytest.mark.false_alarm(1e-9)
def test_every_thread_has_other_noise(bundle64: WordBundle, run_python: Callable[..., str]) -> None:
    """No six words in a row come twice, in one thread or in two.

    At this epsilon each of 2,000 words has a probability below 1/1,000. Two runs of six are equal
    with one below 10^-18, and there are 1.3 million pairs of them: below 10^-11 in all.
    """
    lines = [line.split() for line in run_python(THREADS, bundle64.path).splitlines()]
    assert [len(line) for line in lines] == [200] * 8
    runs = [tuple(line[start : start + 6]) for line in lines for start in range(195)]
    assert len(set(runs)) == len(runs)


BLOCK = 8


def taken(bundle: WordBundle, mechanism: str, words: list[str]) -> bytes:
    """Return the bytes that one call takes from the system."""
    recorded = bytearray()

    def record(size: int) -> bytes:
        content = os.urandom(size)
        recorded.extend(content)
        return content

    Privatizer(bundle, Setting(0.5, mechanism), random=record).words(words)
    return bytes(recorded)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_word_takes_bytes_of_its_own(mechanism: str, bundle64: WordBundle) -> None:
    """No call takes fewer bytes than its words would alone, and no block of them comes twice."""
    for word, extra in (("the", 0), ("qzxvjkwq", BLOCK)):  # an unknown word takes an integer
        single = [taken(bundle64, mechanism, [word]) for _ in range(200)]
        together = taken(bundle64, mechanism, [word] * 200)
        least = min(map(len, single))
        assert least == {"brr": 256, "vickrey": 264, "exponential": 16}[mechanism] + extra
        assert len(together) >= 200 * least
        # Of 27,000 random blocks two are equal with a probability below 10^-10.
        content = b"".join([*single, together])
        blocks = [content[i : i + BLOCK] for i in range(0, len(content), BLOCK)]
        assert len(blocks) == len(set(blocks))


def test_words_of_a_call_have_noise_of_their_own(bundle64: WordBundle) -> None:
    """Bytes that flip all bits, or none, decide about the word whose they are, and no other."""
    none, every = bytes(256), b"\x80" * 256
    for position in (0, 13, 31):
        noise = io.BytesIO(none * position + every + none * (31 - position))
        privatizer = Privatizer(bundle64, Setting(0.5, "brr"), random=noise.read)
        released = privatizer.words(["the"] * 32)
        assert [i for i, word in enumerate(released) if word != "the"] == [position]
