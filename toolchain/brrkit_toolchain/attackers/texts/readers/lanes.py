"""Sums over several texts side by side, with the same result on every machine.

The texts are the lanes of a vector. A sum adds word after word in the written order, for all texts
at once, so it doesn't depend on the width of a processor's vectors. Call these functions inside a
kernel, with contiguous arrays. In a compiled Python loop, sums stay in memory, which takes four
times as long.
"""

from __future__ import annotations

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
_INT64 = ir.IntType(64)


@intrinsic  # type: ignore[untyped-decorator]
def _add_row(
    _context: Any, rows: Any, words: Any, values: Any, _start: Any, _stop: Any, sums: Any, _at: Any
) -> Any:
    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        def data(number: int) -> Any:
            make = context.make_array(signature.args[number])
            return make(context, builder, arguments[number]).data

        start, stop, at = arguments[3], arguments[4], arguments[6]
        lanes = _LANE_VECTOR.as_pointer()
        vectors, words_, values_ = builder.bitcast(data(0), lanes), data(1), data(2)
        place = builder.gep(builder.bitcast(data(5), lanes), [at])
        with builder.if_then(builder.icmp_signed("<", start, stop)):
            before = builder.load(place, align=4)
            entry, loop = builder.block, builder.append_basic_block("row")
            after = builder.append_basic_block("summed")
            builder.branch(loop)
            builder.position_at_end(loop)
            k, total = builder.phi(_INT64), builder.phi(_LANE_VECTOR)
            word = builder.zext(builder.load(builder.gep(words_, [k])), _INT64)
            vector = builder.load(builder.gep(vectors, [word]), align=4)
            nothing = ir.Constant(_LANE_VECTOR, ir.Undefined)
            value = builder.load(builder.gep(values_, [k]))
            first = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
            same = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
            spread = builder.shuffle_vector(first, nothing, same)
            summed = builder.fadd(total, builder.fmul(vector, spread))
            following = builder.add(k, ir.Constant(_INT64, 1))
            for phi, first_value, next_value in ((k, start, following), (total, before, summed)):
                phi.add_incoming(first_value, entry)
                phi.add_incoming(next_value, loop)
            builder.cbranch(builder.icmp_signed("<", following, stop), loop, after)
            builder.position_at_end(after)
            builder.store(summed, place, align=4)
        return context.get_dummy_value()

    number = types.int64
    return types.void(rows, words, values, number, number, sums, number), generate


@inlined
def add_row(
    rows: NDArray[np.float32],
    words: NDArray[np.int32],
    values: NDArray[np.float32],
    start: int,
    stop: int,
    sums: NDArray[np.float32],
    at: int,
) -> None:
    """Add values[k] rows[words[k]] to sums[at], for k from ``start`` to ``stop``.

    Args:
        rows: float32[r, LANES].
        words: int32[k], numbers of rows; not negative.
        values: float32[k].
        start: first place.
        stop: place after the last.
        sums: float32[m, LANES].
        at: number of the row of ``sums``.
    """
    _add_row(rows, words, values, start, stop, sums, at)


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
        places, size = ir.VectorType(ir.IntType(32), LANES), LANES // 2
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
