"""Vectorized loops that the compiler doesn't find by itself, written out for any CPU.

The result is the same on every processor: integers, or floats that are added in a fixed order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

BLOCK = 64
"""Number of integers compared at once."""

_SHORT, _INT, _FLOAT = ir.IntType(16), ir.IntType(32), ir.FloatType()
_BYTES = ir.IntType(8).as_pointer()
_HALF = STEP // 2  # number of sums of two neighboring products
_SQUARES = 64  # numbers squared at once


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

        zero = ir.Constant(left.type, 0)
        sides = [
            [_place(builder, rows, _after(builder, side, row), zero) for row in range(TILE)]
            for side in (left, right)
        ]
        sums = _sums_of_products(builder, sides, width)
        flat = builder.sitofp(_summed(builder, sums), ir.VectorType(_FLOAT, TILE * TILE))
        for row in range(TILE):
            for first, second, lanes in (
                (left, right, range(TILE * row, TILE * row + TILE)),
                (right, left, range(row, TILE * TILE, TILE)),
            ):
                target = _place(builder, found, _after(builder, first, row), second)
                pointer = builder.bitcast(target, ir.VectorType(_FLOAT, TILE).as_pointer())
                builder.store(_lanes(builder, flat, flat, lanes), pointer, align=4)
        return context.get_dummy_value()

    return types.void(_rows, types.intp, types.intp, _found), generate


def _place(builder: ir.IRBuilder, rows: Any, row: Any, column: Any) -> Any:
    """Return a pointer to a place of ``rows`` [m, d]."""
    width = cgutils.unpack_tuple(builder, rows.shape)[1]
    return builder.gep(rows.data, [builder.add(builder.mul(row, width), column)])


def _after(builder: ir.IRBuilder, number: Any, count: int) -> Any:
    return builder.add(number, ir.Constant(number.type, count))


def _sums_of_products(builder: ir.IRBuilder, sides: list[list[Any]], width: Any) -> list[Any]:
    """Emit the loop over two sides' rows; return the partial sums of each product, in lanes."""

    def products(column: Any) -> list[Any]:
        lefts, rights = (
            [_numbers(builder, builder.gep(row, [column])) for row in side] for side in sides
        )
        return [_products_of_pairs(builder, left, right) for left in lefts for right in rights]

    return _added(builder, products, TILE * TILE, width, STEP)


def _added(
    builder: ir.IRBuilder, terms: Callable[[Any], list[Any]], count: int, end: Any, step: int
) -> list[Any]:
    """Emit a loop over positions from 0 to ``end``; return the ``count`` sums of their terms."""
    start, kind = builder.block, ir.VectorType(_INT, _HALF)
    body, behind = builder.append_basic_block("products"), builder.append_basic_block("summed")
    builder.branch(body)
    builder.position_at_end(body)
    position = builder.phi(end.type)
    position.add_incoming(ir.Constant(end.type, 0), start)
    totals = [builder.phi(kind) for _ in range(count)]
    added = [builder.add(*both) for both in zip(totals, terms(position), strict=True)]
    following = _after(builder, position, step)
    position.add_incoming(following, body)
    for total, more in zip(totals, added, strict=True):
        total.add_incoming(ir.Constant(kind, [0] * _HALF), start)
        total.add_incoming(more, body)
    builder.cbranch(builder.icmp_signed("<", following, end), body, behind)
    builder.position_at_end(behind)
    return added


def _products_of_pairs(builder: ir.IRBuilder, left: Any, right: Any) -> Any:
    """Return the sums of two neighboring products of ``STEP`` numbers, as int32."""
    products = builder.mul(left, right)
    return builder.add(*(_lanes(builder, products, products, range(i, STEP, 2)) for i in (0, 1)))


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
        zero = ir.Constant(row.type, 0)
        starts = [
            builder.bitcast(
                _place(builder, factors, _after(builder, row, i), zero), _INT.as_pointer()
            )
            for i in range(TILE)
        ]

        def products(pair: Any) -> list[Any]:
            first = _place(builder, pairs, pair, builder.add(column, column))
            columns = [
                _numbers(builder, builder.gep(first, [ir.Constant(row.type, STEP * half)]))
                for half in (0, 1)
            ]
            twos = [builder.load(builder.gep(begin, [pair]), align=2) for begin in starts]
            return [
                _products_of_pairs(builder, _repeated(builder, two), some)
                for two in twos
                for some in columns
            ]

        count = cgutils.unpack_tuple(builder, pairs.shape)[0]
        kind = ir.VectorType(_FLOAT, _HALF)
        for i, total in enumerate(_added(builder, products, 2 * TILE, count, 1)):
            own, first = _after(builder, row, i // 2), _after(builder, column, _HALF * (i % 2))
            target = builder.bitcast(_place(builder, found, own, first), kind.as_pointer())
            builder.store(builder.sitofp(total, kind), target, align=4)
        return context.get_dummy_value()

    return types.void(_factors, types.intp, _pairs, types.intp, _found), generate


def _repeated(builder: ir.IRBuilder, two: Any) -> Any:
    """Repeat two int16, loaded as one int32, to ``STEP`` numbers, as int32."""
    single = builder.bitcast(two, ir.VectorType(_INT, 1))
    repeated = _lanes(builder, single, single, [0] * _HALF)
    return builder.sext(
        builder.bitcast(repeated, ir.VectorType(_SHORT, STEP)), ir.VectorType(_INT, STEP)
    )


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


@intrinsic  # type: ignore[untyped-decorator]
def _squares(_context: Any, _row: Any, _column: Any) -> Any:
    """Return the sum of the squares of ``_SQUARES`` numbers of a row, float32."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        row = context.make_array(signature.args[0])(context, builder, arguments[0])
        kind = ir.VectorType(_FLOAT, _SQUARES)
        start = builder.gep(row.data, [arguments[1]])
        numbers = builder.load(builder.bitcast(start, kind.as_pointer()), align=4)
        total, count = builder.fmul(numbers, numbers), _SQUARES
        while count > 1:
            count //= 2
            halves = (_lanes(builder, total, total, range(i, i + count)) for i in (0, count))
            total = builder.fadd(*halves)
        return builder.extract_element(total, ir.Constant(_INT, 0))

    return types.float32(_row, types.intp), generate


@inlined
def sum_of_squares(row: NDArray[np.float32]) -> np.float32:
    """Return the sum of squares of a row, whose length is a multiple of 64, in a fixed order."""
    total = np.float32(0)
    for column in range(0, len(row), _SQUARES):
        total += _squares(row, column)
    return total  # type: ignore[no-any-return]


@intrinsic  # type: ignore[untyped-decorator]
def places_up_to(_context: Any, _row: Any, _first: Any, _limit: Any) -> Any:
    """Return a uint64 with bit i set if ``row[first + i] <= limit``, for a row of uint16.

    The row has ``BLOCK`` numbers from ``first``.
    """

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        row = context.make_array(signature.args[0])(context, builder, arguments[0])
        kind = ir.VectorType(_SHORT, BLOCK)
        start = builder.bitcast(builder.gep(row.data, [arguments[1]]), kind.as_pointer())
        limit = builder.trunc(arguments[2], _SHORT)
        single = builder.insert_element(
            ir.Constant(kind, ir.Undefined), limit, ir.Constant(_INT, 0)
        )
        found = builder.icmp_unsigned(
            "<=", builder.load(start, align=2), _lanes(builder, single, single, [0] * BLOCK)
        )
        return builder.bitcast(found, ir.IntType(BLOCK))

    return types.uint64(_row, types.intp, types.intp), generate
