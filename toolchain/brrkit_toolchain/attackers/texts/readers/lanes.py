"""Sums over several texts side by side, with the same result on every machine.

The texts are the lanes of a vector. A sum adds word after word in the written order, for all texts
at once, so it doesn't depend on the width of a processor's vectors. Call these functions inside a
kernel, with contiguous arrays. In a compiled Python loop, sums stay in memory, which takes four
times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from brrkit_toolchain.io.compiled import inlined

LANES = 16
"""Number of texts side by side: 64 bytes of float32. Each addition to a sum waits for the one
before, so more lanes mean fewer waits.

Numba caches a compiled loop until its own file changes. If you change this number, also change
``sentence_reader.py``, or delete ``__pycache__``."""

_LANE_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_INT32, _INT64 = ir.IntType(32), ir.IntType(64)


def aligned(count: int) -> NDArray[np.float32]:
    """Return memory for numbers, which begins like a line of the processor's cache.

    Elsewhere, most rows of ``LANES`` numbers would be in two lines.
    """
    room = np.empty(count + LANES, np.float32)
    first = -room.ctypes.data // room.itemsize % LANES
    return room[first : first + count]


def _data(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any, number: int) -> Any:
    make = context.make_array(signature.args[number])
    return make(context, builder, arguments[number]).data


def _row(builder: ir.IRBuilder, data: Any, number: Any) -> Any:
    """Return the pointer to a row of ``LANES`` numbers."""
    return builder.gep(builder.bitcast(data, _LANE_VECTOR.as_pointer()), [number])


def _times(builder: ir.IRBuilder, row: Any, value: Any) -> Any:
    """Multiply each number of the row at a pointer by one value."""
    nothing, first = ir.Constant(_LANE_VECTOR, ir.Undefined), ir.Constant(_INT32, 0)
    same = ir.Constant(ir.VectorType(_INT32, LANES), [0] * LANES)
    one = builder.insert_element(nothing, value, first)
    spread = builder.shuffle_vector(one, nothing, same)
    return builder.fmul(builder.load(row, align=4), spread)


def _for_each(
    builder: ir.IRBuilder, start: Any, stop: Any, sums: list[Any], added: Callable[[Any], list[Any]]
) -> list[Any]:
    """Return ``sums``, with what is ``added`` for each number from ``start`` to ``stop``."""
    entry, loop = builder.block, builder.append_basic_block("loop")
    after = builder.append_basic_block("after")
    builder.cbranch(builder.icmp_signed("<", start, stop), loop, after)
    builder.position_at_end(loop)
    k, totals = builder.phi(_INT64), [builder.phi(_LANE_VECTOR) for _ in sums]
    grown = [builder.fadd(*both) for both in zip(totals, added(k), strict=True)]
    following = builder.add(k, ir.Constant(_INT64, 1))
    for phi, first, then in zip((k, *totals), (start, *sums), (following, *grown), strict=True):
        phi.add_incoming(first, entry)
        phi.add_incoming(then, loop)
    builder.cbranch(builder.icmp_signed("<", following, stop), loop, after)
    builder.position_at_end(after)
    ends = [builder.phi(_LANE_VECTOR) for _ in sums]
    for phi, first, then in zip(ends, sums, grown, strict=True):
        phi.add_incoming(first, entry)
        phi.add_incoming(then, loop)
    return ends


@intrinsic  # type: ignore[untyped-decorator]
def _sum_row(
    _context: Any,
    rows: Any,
    words: Any,
    values: Any,
    _start: Any,
    _stop: Any,
    _weight: Any,
    last: Any,
    sums: Any,
    _at: Any,
) -> Any:
    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        rows_, words_, values_, last_, sums_ = (
            _data(context, builder, signature, arguments, number) for number in (0, 1, 2, 6, 7)
        )
        start, stop, weight, at = (arguments[number] for number in (3, 4, 5, 8))

        def product(k: Any) -> list[Any]:
            word = builder.zext(builder.load(builder.gep(words_, [k])), _INT64)
            value = builder.load(builder.gep(values_, [k]))
            return [_times(builder, _row(builder, rows_, word), value)]

        none = [ir.Constant(_LANE_VECTOR, [0.0] * LANES)]
        (seen,) = _for_each(builder, start, stop, none, product)
        other = _times(builder, _row(builder, last_, ir.Constant(_INT64, 0)), weight)
        builder.store(builder.fadd(seen, other), _row(builder, sums_, at), align=4)
        return context.get_dummy_value()

    number = types.int64
    signature = (rows, words, values, number, number, types.float32, last, sums, number)
    return types.void(*signature), generate


@inlined
def sum_row(
    rows: NDArray[np.float32],
    words: NDArray[np.int32],
    values: NDArray[np.float32],
    start: int,
    stop: int,
    weight: float,
    last: NDArray[np.float32],
    sums: NDArray[np.float32],
    at: int,
) -> None:
    """Write the sum of values[k] rows[words[k]], k from ``start`` to ``stop``, into sums[at].

    Args:
        rows: float32[r, LANES].
        words: int32[k], numbers of rows; not negative.
        values: float32[k].
        start: first place.
        stop: place after the last.
        weight: weight of ``last``, which is added last.
        last: float32[LANES].
        sums: float32[m, LANES].
        at: number of the row of ``sums``.
    """
    _sum_row(rows, words, values, start, stop, weight, last, sums, at)


@intrinsic  # type: ignore[untyped-decorator]
def _add_rows(_context: Any, rows: Any, weights: Any, _count: Any, sums: Any) -> Any:
    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        rows_, weights_, sums_ = (
            _data(context, builder, signature, arguments, number) for number in (0, 1, 3)
        )
        start = ir.Constant(_INT64, 0)
        place = _row(builder, sums_, start)

        def weighed(x: Any) -> list[Any]:
            weight = builder.load(builder.gep(weights_, [x]))
            return [_times(builder, _row(builder, rows_, x), weight)]

        before = builder.load(place, align=4)
        (after,) = _for_each(builder, start, arguments[2], [before], weighed)
        builder.store(after, place, align=4)
        return context.get_dummy_value()

    return types.void(rows, weights, types.int64, sums), generate


@inlined
def add_rows(
    rows: NDArray[np.float32], weights: NDArray[np.float32], sums: NDArray[np.float32]
) -> None:
    """Add weights[x] rows[x] to ``sums``, for each of the weights.

    Args:
        rows: float32[at least r, LANES].
        weights: float32[r].
        sums: float32[LANES].
    """
    _add_rows(rows, weights, len(weights), sums)


@intrinsic  # type: ignore[untyped-decorator]
def _weighted_sums(
    _context: Any, values: Any, first: Any, second: Any, _count: Any, sums: Any
) -> Any:
    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        values_, first_, second_, sums_ = (
            _data(context, builder, signature, arguments, number) for number in (0, 1, 2, 4)
        )

        def products(k: Any) -> list[Any]:
            own, *both = (
                builder.load(_row(builder, data, k), align=4) for data in (values_, first_, second_)
            )
            return [builder.fmul(own, weights) for weights in both]

        start, none = ir.Constant(_INT64, 0), ir.Constant(_LANE_VECTOR, [0.0] * LANES)
        found = _for_each(builder, start, arguments[3], [none, none], products)
        for number, summed in enumerate(found):
            place = _row(builder, sums_, ir.Constant(_INT64, number))
            builder.store(summed, place, align=4)
        return context.get_dummy_value()

    return types.void(values, first, second, types.int64, sums), generate


@inlined
def weighted_sums(
    values: NDArray[np.float32],
    weights: tuple[NDArray[np.float32], NDArray[np.float32]],
    sums: NDArray[np.float32],
) -> None:
    """Write the sums of ``values``, times each of the ``weights``, into ``sums``.

    Here, the lanes are not texts, but parts of each sum.

    Args:
        values: float32[n].
        weights: two of float32[n].
        sums: float32[2, LANES]; the first of each row becomes the whole sum.
    """
    whole = len(values) // LANES
    _weighted_sums(values, weights[0], weights[1], whole, sums)
    for b in range(1, LANES):
        sums[0, 0] += sums[0, b]
        sums[1, 0] += sums[1, b]
    for x in range(whole * LANES, len(values)):
        sums[0, 0] += values[x] * weights[0][x]
        sums[1, 0] += values[x] * weights[1][x]


@intrinsic  # type: ignore[untyped-decorator]
def _transpose(
    _context: Any, source: Any, _first: Any, _stride: Any, target: Any, _to: Any, _step: Any
) -> Any:
    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        def rows_at(number: int) -> list[Any]:
            make = context.make_array(signature.args[number])
            data = make(context, builder, arguments[number]).data
            place, found = arguments[number + 1], []
            for _ in range(LANES):
                found.append(builder.bitcast(builder.gep(data, [place]), _LANE_VECTOR.as_pointer()))
                place = builder.add(place, arguments[number + 2])
            return found

        rows = [builder.load(place, align=4) for place in rows_at(0)]
        places, size = ir.VectorType(_INT32, LANES), LANES // 2
        while size:  # swap the quarters off the diagonal, in ever smaller squares
            upper = [i + LANES - size if i & size else i for i in range(LANES)]
            lower = [i + LANES if i & size else i + size for i in range(LANES)]
            for i in range(LANES):
                if i & size:
                    continue
                a, b = rows[i], rows[i + size]
                rows[i] = builder.shuffle_vector(a, b, ir.Constant(places, upper))
                rows[i + size] = builder.shuffle_vector(a, b, ir.Constant(places, lower))
            size //= 2
        for place, row in zip(rows_at(3), rows, strict=True):
            builder.store(row, place, align=4)
        return context.get_dummy_value()

    number = types.int64
    return types.void(source, number, number, target, number, number), generate


@inlined
def transpose(
    source: NDArray[np.float32],
    first: int,
    stride: int,
    target: NDArray[np.float32],
    to: int,
    step: int,
) -> None:
    """Write the transpose of a square of ``LANES`` by ``LANES`` numbers.

    Args:
        source: float32[m].
        first: place of the square's first number in ``source``.
        stride: distance between the square's rows.
        target: float32[n].
        to: place of the transpose's first number in ``target``.
        step: distance between the transpose's rows.
    """
    _transpose(source, first, stride, target, to, step)
