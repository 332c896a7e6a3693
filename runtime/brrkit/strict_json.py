"""JSON that may be hostile: the subset of ``spec/bundle-format.md``, "JSON".

Python's own module accepts more than JSON, and those of other languages accept more or less than
that. Every reader of a bundle accepts this subset, so that no file means different things on two
devices.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

DEEPEST = 32
"""Largest depth of nested objects and arrays, including the outermost."""

LONGEST_NUMBER = 40
"""Largest number of characters of a number, with sign, point and exponent."""


class NotANumberError(ValueError):
    """The text contains NaN or Infinity."""


def parse(content: bytes) -> Any:
    """Return the value of ``content``.

    A number without fraction and exponent is an int, any other a finite float. The caller limits
    the size before it reads the content.

    Raises:
        ValueError: the content isn't in the subset.
    """
    try:
        value = _DECODER.decode(content.decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deep") from None
    _check(value, DEEPEST)
    return value


def _check(value: object, levels: int) -> None:
    if isinstance(value, str):
        value.encode("utf-8")  # raises UnicodeEncodeError, a ValueError, for a lone surrogate
    elif isinstance(value, dict | list):
        if levels == 0:
            raise ValueError("nested too deep")
        for item in value:
            _check(item, levels - 1)
        if isinstance(value, dict):
            for item in value.values():
                _check(item, levels - 1)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key comes twice")
    return result


def _constant(_: str) -> NoReturn:
    raise NotANumberError("not a number of JSON")


def _integer(literal: str) -> int:
    if len(literal) > LONGEST_NUMBER or literal == "-0":
        raise ValueError("too long a number, or -0")
    return int(literal)


def _float(literal: str) -> float:
    number = float(literal) if len(literal) <= LONGEST_NUMBER else math.inf
    if math.isinf(number):
        raise ValueError("too long or too large a number")
    return number


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_constant=_constant,
    parse_int=_integer,
    parse_float=_float,
)
