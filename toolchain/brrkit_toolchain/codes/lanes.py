"""Vectorized loops that the compiler doesn't find by itself, written out for any CPU.

They compute integers, with the same result on every processor and in every order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from brrkit_toolchain.io.compiled import inlined

TILE = 4
"""Number of rows and columns in a square of products that are computed at once."""

STEP = 32
"""Number of products of two rows computed at once; rows are padded with 0 to a multiple of it."""

_SHORT, _INT, _FLOAT = ir.IntType(16), ir.IntType(32), ir.FloatType()
_BYTES = ir.IntType(8).as_pointer()
_HALF = STEP // 2  # number of sums of two neighboring products


@intrinsic  # type: ignore[untyped-decorator]
def fetch(_context: Any, _rows: Any, _row: Any, _column: Any) -> Any:
    """Prefetch a place of ``rows`` [m, d] into the cache."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        rows = context.make_array(signature.args[0])(context, builder, arguments[0])
        width = cgutils.unpack_tuple(builder, rows.shape)[1]
        place = builder.add(builder.mul(arguments[1], width), arguments[2])
        pointer = builder.bitcast(builder.gep(rows.data, [place]), _BYTES)
        kind = ir.FunctionType(ir.VoidType(), [_BYTES, _INT, _INT, _INT])
        function = builder.module.declare_intrinsic("llvm.prefetch", [_BYTES], kind)
        builder.call(function, [pointer, *(ir.Constant(_INT, n) for n in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(_rows, types.intp, types.intp), generate


@intrinsic  # type: ignore[untyped-decorator]
def _write_products(_context: Any, _rows: Any, _left: Any, _right: Any, _found: Any) -> Any:
    """Write the products of ``TILE`` rows with ``TILE`` others, and the same transposed.

    On most processors, one instruction multiplies int16 and adds pairs of products (x86: pmaddwd),
    twice as fast as with float32.
    """

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        rows, left, right, found = arguments
        rows, found = (
            context.make_array(signature.args[place])(context, builder, array)
            for place, array in ((0, rows), (3, found))
        )
        width = cgutils.unpack_tuple(builder, rows.shape)[1]
        words = cgutils.unpack_tuple(builder, found.shape)[1]

        def place(data: Any, row: Any, row_length: Any, column: Any) -> Any:
            return builder.gep(data, [builder.add(builder.mul(row, row_length), column)])

        def after(number: Any, count: int) -> Any:
            return builder.add(number, ir.Constant(number.type, count))

        zero = ir.Constant(left.type, 0)
        sides = [
            [place(rows.data, after(side, row), width, zero) for row in range(TILE)]
            for side in (left, right)
        ]
        sums = _sums_of_products(builder, sides, width)
        flat = builder.sitofp(_summed(builder, sums), ir.VectorType(_FLOAT, TILE * TILE))
        for row in range(TILE):
            for first, second, lanes in (
                (left, right, range(TILE * row, TILE * row + TILE)),
                (right, left, range(row, TILE * TILE, TILE)),
            ):
                target = place(found.data, after(first, row), words, second)
                pointer = builder.bitcast(target, ir.VectorType(_FLOAT, TILE).as_pointer())
                builder.store(_lanes(builder, flat, flat, lanes), pointer, align=4)
        return context.get_dummy_value()

    return types.void(_rows, types.intp, types.intp, _found), generate


def _sums_of_products(builder: ir.IRBuilder, sides: list[list[Any]], width: Any) -> list[Any]:
    """Emit the loop over two sides' rows; return the partial sums of each product, in lanes."""
    start, kind = builder.block, ir.VectorType(_INT, _HALF)
    body, end = builder.append_basic_block("products"), builder.append_basic_block("summed")
    builder.branch(body)
    builder.position_at_end(body)
    column = builder.phi(width.type)
    column.add_incoming(ir.Constant(width.type, 0), start)
    totals = [builder.phi(kind) for _ in range(TILE * TILE)]
    lefts, rights = (
        [_numbers(builder, builder.gep(row, [column])) for row in side] for side in sides
    )
    added = []
    for place, total in enumerate(totals):
        left, right = lefts[place // TILE], rights[place % TILE]
        products = builder.mul(left, right)
        pairs = (_lanes(builder, products, products, range(odd, STEP, 2)) for odd in (0, 1))
        added.append(builder.add(total, builder.add(*pairs)))
    following = builder.add(column, ir.Constant(column.type, STEP))
    column.add_incoming(following, body)
    for total, more in zip(totals, added, strict=True):
        total.add_incoming(ir.Constant(kind, [0] * _HALF), start)
        total.add_incoming(more, body)
    builder.cbranch(builder.icmp_signed("<", following, width), body, end)
    builder.position_at_end(end)
    return added


def _numbers(builder: ir.IRBuilder, pointer: Any) -> Any:
    """Load ``STEP`` numbers, as int32."""
    short = ir.VectorType(_SHORT, STEP)
    loaded = builder.load(builder.bitcast(pointer, short.as_pointer()), align=2)
    return builder.sext(loaded, ir.VectorType(_INT, STEP))


def _summed(builder: ir.IRBuilder, vectors: list[Any]) -> Any:
    """Return one vector with the sum of each vector's lanes, in the order of the vectors."""
    while len(vectors) > 1:
        vectors = [
            builder.add(*(_lanes(builder, *both, range(odd, 2 * _HALF, 2)) for odd in (0, 1)))
            for both in zip(vectors[::2], vectors[1::2], strict=True)
        ]
    return vectors[0]


def _lanes(builder: ir.IRBuilder, first: Any, second: Any, lanes: Sequence[int]) -> Any:
    """Return some lanes of two vectors; the second's follow the first's."""
    return builder.shuffle_vector(
        first, second, ir.Constant(ir.VectorType(_INT, len(lanes)), list(lanes))
    )


@inlined
def products_of_rows(rows: NDArray[np.int16], found: NDArray[np.float32]) -> None:
    """Write the products of all pairs of rows. Call it inside a kernel.

    Args:
        rows: int16[m, d]; m is a multiple of ``TILE``, d of ``STEP``. No partial sum of a product
            exceeds 2^24.
        found: float32[m, m], written to.
    """
    for left in range(0, len(rows), TILE):
        for right in range(left, len(rows), TILE):
            _write_products(rows, left, right, found)


@intrinsic  # type: ignore[untyped-decorator]
def _write_with_pairs(
    _context: Any, _factors: Any, _row: Any, _pairs: Any, _column: Any, _found: Any
) -> Any:
    """Write the products of ``TILE`` rows with ``STEP`` columns of pairs.

    The same instruction multiplies two factors of a row, repeated, with the pairs of many columns.
    So no sum is over lanes, which saves time where rows are short.
    """

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        factors, row, pairs, column, found = arguments
        factors, pairs, found = (
            context.make_array(signature.args[place])(context, builder, array)
            for place, array in ((0, factors), (2, pairs), (4, found))
        )
        width = cgutils.unpack_tuple(builder, factors.shape)[1]
        count, pairs_width = cgutils.unpack_tuple(builder, pairs.shape)
        columns = cgutils.unpack_tuple(builder, found.shape)[1]

        def place(data: Any, row: Any, row_length: Any, column: Any) -> Any:
            return builder.gep(data, [builder.add(builder.mul(row, row_length), column)])

        def after(number: Any, count: int) -> Any:
            return builder.add(number, ir.Constant(number.type, count))

        zero = ir.Constant(width.type, 0)
        starts = [
            builder.bitcast(place(factors.data, after(row, i), width, zero), _INT.as_pointer())
            for i in range(TILE)
        ]
        sums = _sums_with_pairs(
            builder,
            starts,
            lambda pair: place(pairs.data, pair, pairs_width, builder.add(column, column)),
            count,
        )
        for place_, total in enumerate(sums):
            target = place(
                found.data, after(row, place_ // 2), columns, after(column, _HALF * (place_ % 2))
            )
            kind = ir.VectorType(_FLOAT, _HALF)
            builder.store(
                builder.sitofp(total, kind), builder.bitcast(target, kind.as_pointer()), align=4
            )
        return context.get_dummy_value()

    return types.void(_factors, types.intp, _pairs, types.intp, _found), generate


def _sums_with_pairs(
    builder: ir.IRBuilder, starts: list[Any], pairs_at: Any, count: Any
) -> list[Any]:
    """Emit the loop over pairs; return the sums of each row in ``starts``, in two vectors."""
    start, kind = builder.block, ir.VectorType(_INT, _HALF)
    body, end = builder.append_basic_block("products"), builder.append_basic_block("summed")
    builder.branch(body)
    builder.position_at_end(body)
    pair = builder.phi(count.type)
    pair.add_incoming(ir.Constant(count.type, 0), start)
    totals = [builder.phi(kind) for _ in range(2 * len(starts))]
    first = pairs_at(pair)
    columns = [
        _numbers(builder, builder.gep(first, [ir.Constant(count.type, STEP * half)]))
        for half in (0, 1)
    ]
    added = []
    for row, begin in enumerate(starts):
        two = builder.load(builder.gep(begin, [pair]), align=2)
        single = builder.bitcast(two, ir.VectorType(_INT, 1))
        repeated = builder.bitcast(
            _lanes(builder, single, single, [0] * _HALF), ir.VectorType(_SHORT, STEP)
        )
        factors = builder.sext(repeated, ir.VectorType(_INT, STEP))
        for half in (0, 1):
            products = builder.mul(factors, columns[half])
            halves = (_lanes(builder, products, products, range(odd, STEP, 2)) for odd in (0, 1))
            added.append(builder.add(totals[2 * row + half], builder.add(*halves)))
    following = builder.add(pair, ir.Constant(pair.type, 1))
    pair.add_incoming(following, body)
    for total, more in zip(totals, added, strict=True):
        total.add_incoming(ir.Constant(kind, [0] * _HALF), start)
        total.add_incoming(more, body)
    builder.cbranch(builder.icmp_signed("<", following, count), body, end)
    builder.position_at_end(end)
    return added


@inlined
def products_with_pairs(
    factors: NDArray[np.int16], pairs: NDArray[np.int16], found: NDArray[np.float32]
) -> None:
    """Write the products of factors with signs. Call it inside a kernel.

    Args:
        factors: int16[m, 2 k]; m is a multiple of ``TILE``.
        pairs: int16[k, 2 c], rows 2 i and 2 i + 1 of the other matrix, in turn; c is a multiple of
            ``STEP``.
        found: float32[m, c], written to. No partial sum exceeds 2^24.
    """
    for row in range(0, len(factors), TILE):
        for column in range(0, found.shape[1], STEP):
            _write_with_pairs(factors, row, pairs, column, found)
