"""Randomized response by the TFLite graph, against NumPy."""

from __future__ import annotations

import inspect
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from brrkit import Privatizer
from brrkit import randomizer as randomizer_module
from brrkit.errors import BrrError
from brrkit.randomizer import Randomizer


def reference(codes: NDArray[np.uint64], numbers: bytes, threshold: int) -> NDArray[np.uint64]:
    drawn = np.frombuffer(numbers, "<i4").astype(np.int64).reshape(len(codes), 64 * codes.shape[1])
    flips = np.packbits(drawn + 2**31 < threshold, axis=1, bitorder="little")
    return codes ^ flips.view("<u8")


def fresh(count: int, bits: int, seed: int) -> tuple[NDArray[np.uint64], bytes]:
    generator = np.random.default_rng(seed)
    codes = generator.integers(0, 2**64, (count, bits // 64), np.uint64)
    return codes, generator.bytes(4 * bits * count)


@pytest.mark.parametrize("bits", [64, 256])
@pytest.mark.parametrize("threshold", [1, 2, 2**20, 511972652, 2**31 - 1, 2**31])
@pytest.mark.parametrize("count", [1, 2, 63, 64, 65, 200])
def test_equals_numpy(graphs: dict[int, bytes], bits: int, threshold: int, count: int) -> None:
    codes, numbers = fresh(count, bits, seed=count + bits)
    source = io.BytesIO(numbers)
    noised = Randomizer(graphs[bits], bits, threshold)(codes, source.read)
    assert np.array_equal(noised, reference(codes, numbers, threshold))
    assert source.tell() == len(numbers)


@pytest.mark.parametrize("bits", [64, 256])
@pytest.mark.parametrize("threshold", [1, 2, 3, 12345, 2**31 - 1, 2**31])
def test_exactly_the_numbers_below_the_threshold_flip(
    graphs: dict[int, bytes], bits: int, threshold: int
) -> None:
    """Around T, at both ends of the range of int32 and around zero: signed comparison."""
    numbers = [0, threshold - 1, threshold, 2**31 - 1, 2**31, 2**32 - 1, threshold // 2]
    for number in numbers:
        row = np.full(bits, number - 2**31, "<i4").tobytes()
        codes, _ = fresh(1, bits, seed=3)
        noised = Randomizer(graphs[bits], bits, threshold)(codes, io.BytesIO(row).read)
        assert np.array_equal(noised, ~codes if number < threshold else codes)


@pytest.mark.parametrize("bits", [64, 256])
def test_number_i_decides_bit_i(graphs: dict[int, bytes], bits: int) -> None:
    """Bit i is bit i mod 8 of byte i div 8; every bit can flip alone, the sign bits included."""
    numbers = np.full((bits, bits), 2**31 - 1, "<i4")
    np.fill_diagonal(numbers, -(2**31))
    codes = np.zeros((bits, bits // 64), np.uint64)
    noised = Randomizer(graphs[bits], bits, 1)(codes, io.BytesIO(numbers.tobytes()).read)
    assert [int.from_bytes(code.tobytes(), "little") for code in noised] == [
        1 << i for i in range(bits)
    ]


@pytest.mark.parametrize("bits", [64, 256])
def test_a_batch_equals_single_calls(graphs: dict[int, bytes], bits: int) -> None:
    codes, numbers = fresh(150, bits, seed=5)
    randomizer = Randomizer(graphs[bits], bits, 10**9)
    single, batch = io.BytesIO(numbers), io.BytesIO(numbers)
    one_by_one = [randomizer(codes[i : i + 1], single.read)[0] for i in range(len(codes))]
    assert np.array_equal(np.array(one_by_one), randomizer(codes, batch.read))


def test_any_order_of_batch_sizes(graphs: dict[int, bytes]) -> None:
    randomizer = Randomizer(graphs[64], 64, 10**9)
    for count in (5, 1, 0, 64, 1, 65, 5, 5, 128, 3, 1):
        codes, numbers = fresh(count, 64, seed=count)
        noised = randomizer(codes, io.BytesIO(numbers).read)
        assert np.array_equal(noised, reference(codes, numbers, 10**9))


def test_nothing_is_drawn_for_nothing(graphs: dict[int, bytes]) -> None:
    def source(size: int) -> bytes:
        raise AssertionError("drew random bytes")

    noised = Randomizer(graphs[64], 64, 1)(np.empty((0, 1), np.uint64), source)
    assert noised.shape == (0, 1)


def test_the_input_isn_t_changed_or_returned(graphs: dict[int, bytes]) -> None:
    codes, numbers = fresh(3, 64, seed=6)
    before = codes.copy()
    codes.flags.writeable = False
    randomizer = Randomizer(graphs[64], 64, 2**31)
    first = randomizer(codes, io.BytesIO(numbers).read)
    kept = first.copy()
    randomizer(codes, io.BytesIO(numbers[::-1]).read)
    assert np.array_equal(codes, before)
    assert np.array_equal(first, kept)  # a later call doesn't write into an earlier result


def test_strided_codes(graphs: dict[int, bytes]) -> None:
    codes, numbers = fresh(40, 256, seed=7)
    noised = Randomizer(graphs[256], 256, 2**30)(codes[::4], io.BytesIO(numbers).read)
    assert np.array_equal(noised, reference(codes[::4], numbers[: 10 * 1024], 2**30))


@pytest.mark.parametrize("missing", [1, 4, 255, 256])
def test_a_source_that_gives_too_little_is_no_noise(graphs: dict[int, bytes], missing: int) -> None:
    codes, _ = fresh(1, 64, seed=8)
    with pytest.raises(BrrError, match="the random source returned"):
        Randomizer(graphs[64], 64, 2**30)(codes, lambda size: bytes(size - missing))


def test_threads_share_a_randomizer(
    graphs: dict[int, bytes], in_8_threads: Callable[[Callable[[int], None]], None]
) -> None:
    randomizer = Randomizer(graphs[256], 256, 10**9)
    wrong: list[int] = []

    def work(thread: int) -> None:
        for round_number in range(40):
            codes, numbers = fresh(
                1 + (thread + round_number) % 7, 256, 100 * thread + round_number
            )
            noised = randomizer(codes, io.BytesIO(numbers).read)
            if not np.array_equal(noised, reference(codes, numbers, 10**9)):
                wrong.append(thread)

    in_8_threads(work)
    assert wrong == []


class WrongInterpreter:
    """TFLite's interpreter, but what comes out is changed."""

    def __init__(self, interpreter: Any, change: Callable[..., Any]) -> None:
        self._interpreter = interpreter
        self._change = change
        self._code: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._interpreter, name)

    def set_tensor(self, index: int, value: Any) -> None:
        if value.ndim == 2 and value.shape[1] < 64:
            self._code = value
        self._interpreter.set_tensor(index, value)

    def get_tensor(self, index: int) -> Any:
        noised = self._interpreter.get_tensor(index).copy()
        return self._change(self._code, noised)


def without_noise(code: Any, noised: Any) -> Any:
    return code


def without_code(code: Any, noised: Any) -> Any:
    return code ^ noised


def one_bit_always_flipped(code: Any, noised: Any) -> Any:
    noised[:, -1] ^= 1 << 17
    return noised


def one_bit_never_flipped(code: Any, noised: Any) -> Any:
    kept = np.int32(1 << 30)
    noised[:, 1] = (noised[:, 1] & ~kept) | (code[:, 1] & kept)
    return noised


def other_order(code: Any, noised: Any) -> Any:
    return code ^ (code ^ noised)[:, ::-1]


def nothing(code: Any, noised: Any) -> Any:
    raise RuntimeError("not prepared")


@pytest.mark.parametrize(
    "change",
    [
        without_noise,
        without_code,
        one_bit_always_flipped,
        one_bit_never_flipped,
        other_order,
        nothing,
    ],
)
@pytest.mark.parametrize("bits", [64, 256])
def test_an_interpreter_that_computes_something_else_is_refused(
    graphs: dict[int, bytes],
    monkeypatch: pytest.MonkeyPatch,
    bits: int,
    change: Callable[..., Any],
) -> None:
    load = randomizer_module.load_interpreter
    monkeypatch.setattr(
        randomizer_module, "load_interpreter", lambda graph: WrongInterpreter(load(graph), change)
    )
    codes, _ = fresh(1, bits, seed=9)
    with pytest.raises(BrrError, match="interpreter doesn't run randomizer"):
        Randomizer(graphs[bits], bits, 1)(codes, os.urandom)


FORK = """
import os, sys
from brrkit import WordBundle
from brrkit.errors import BrrError
from brrkit.randomizer import Randomizer

bundle = WordBundle.open(sys.argv[1])
randomizer = Randomizer(bundle.graph, bundle.bits, 2**31)
noised = lambda: randomizer(bundle.codes[:4], os.urandom).tobytes().hex()
print(noised())  # the interpreter exists before the fork
sys.stdout.flush()
for child in range(3):
    if os.fork() == 0:
        os.write(1, (noised() + chr(10)).encode())
        os._exit(0)
for child in range(3):
    assert os.wait()[1] == 0
print(noised())
"""


@pytest.mark.false_alarm(1e-9)
def test_forked_children_draw_their_own_noise(
    run_python: Callable[..., str], bundles: Path
) -> None:
    """4 codes of 256 fair bits: two equal ones are a false alarm with probability 2^-1020."""
    noised = run_python(FORK, bundles / "256").split()
    assert len(noised) == 5
    assert len(set(noised)) == 5


def test_the_default_source_is_the_operating_system_s() -> None:
    assert inspect.signature(Privatizer).parameters["random"].default is os.urandom
