"""Numbers of texts, read by the compiled loop, against NumPy's reader."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from brrkit_toolchain.embeddings.formats import text
from brrkit_toolchain.embeddings.formats.decimals import read_decimals

FORMS = ("{:.3f}", "{:.6g}", "{:.9g}", "{!r}", "{:e}", "{:.0f}")


@given(
    st.lists(
        st.builds(
            str.format,
            st.sampled_from(FORMS),
            st.floats(-1e20, 1e20) | st.floats(-10, 10) | st.floats(-1e-15, 1e-15),
        ),
        min_size=1,
    )
)
@example(["9007199254740992", "9007199254740993", "16777217", "-0", ".5", "5.", "1e22", "1e-22"])
@example(["1.000000059604644775390625", "0.1000000000000000055511151231257827"])  # halfway; long
def test_what_is_read_is_what_numpy_reads(numbers: list[str]) -> None:
    for number in numbers:
        found = np.empty((1, 1), np.float32)
        if read_decimals(np.frombuffer(f"{number}\n".encode(), np.uint8), found):
            assert found[0, 0].tobytes() == np.loadtxt([number], np.float32).tobytes()


@pytest.mark.parametrize("line", ["0.25 -1.5e-05 3", "7 0 .5"])
def test_plain_numbers_are_read(line: str) -> None:
    found = np.empty((2, 3), np.float32)
    assert read_decimals(np.frombuffer(f"{line}\n{line}\n".encode(), np.uint8), found)
    assert (found == np.array(line.split(), np.float32)).all()


@pytest.mark.parametrize(
    "line",
    ["1", "1 2 3", "1  2", "1 2 ", " 1 2", "nan 1", "1 inf", "1_0 2", "+1 2", "1.2.3 4", "- 2",
     ". 2", "1e 2", "1e+ 2", "1 2\r", "0x1 2", "1e23 2", "", "9007199254740993 1"],
)  # fmt: skip
def test_anything_else_is_left_to_numpy(line: str) -> None:
    lines = f"1 2\n{line}\n".encode()
    assert not read_decimals(np.frombuffer(lines, np.uint8), np.empty((2, 2), np.float32))


def test_a_bad_number_in_much_text_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "_BYTES_TO_COMPILE_FOR", 0)
    batch, problem = text._parse(1, [b"the 1.5 2", b"of 3 nan", b"and 1 x"], 2)
    assert problem == "line 3, column 3 isn't a number"
    np.testing.assert_array_equal(batch.vectors, np.array([[1.5, 2], [3, np.nan]], np.float32))
