"""Vectorized loops that the compiler doesn't find by itself, written out for any CPU.

They compute integers, with the same result on every processor and in every order.
"""

from __future__ import annotations

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


def _lanes(builder: ir.IRBuilder, first: Any, second: Any, lanes: range) -> Any:
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
