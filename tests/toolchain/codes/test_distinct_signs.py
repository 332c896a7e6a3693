from __future__ import annotations

import numpy as np

from brrkit_toolchain.codes.neighborhood.distinct import distinct_signs
from brrkit_toolchain.codes.packing import pack


def test_codes_that_differ_are_the_signs() -> None:
    z = np.random.default_rng(1).standard_normal((500, 64)).astype(np.float32)
    np.testing.assert_array_equal(distinct_signs(z), z >= 0)


def test_the_first_keeps_its_code_and_the_bit_most_in_doubt_is_flipped() -> None:
    z = np.random.default_rng(2).standard_normal((50, 64)).astype(np.float32)
    z[30] = z[10]
    bits = distinct_signs(z)
    np.testing.assert_array_equal(bits[:30], z[:30] >= 0)
    assert np.flatnonzero(bits[30] != bits[10]).tolist() == [np.abs(z[30]).argmin()]


def test_a_flip_never_meets_another_code() -> None:
    z = np.random.default_rng(3).standard_normal((3, 64)).astype(np.float32)
    z[2] = z[0]
    doubtful = np.abs(z[0]).argmin()
    z[1] = z[0]
    z[1, doubtful] *= -1  # what the last word would become
    bits = distinct_signs(z)
    np.testing.assert_array_equal(bits[:2], z[:2] >= 0)
    assert len(np.unique(pack(bits))) == 3
    assert (bits[2] != bits[0]).sum() == 1


def test_more_equal_words_than_bits() -> None:
    z = np.tile(np.linspace(-1, 1, 64, dtype=np.float32), (200, 1))
    assert len(np.unique(pack(distinct_signs(z)))) == 200
