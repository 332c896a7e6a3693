"""The subset of JSON that a bundle may use; Kotlin's ``JsonTest`` has the same texts."""

from __future__ import annotations

from typing import Any

import pytest

from brrkit.strict_json import DEEPEST, LONGEST_NUMBER, parse


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            ' {"a": [1, -2, 0.5, 1e3], "": {}, "b": []}\r\n\t',
            {"a": [1, -2, 0.5, 1e3], "": {}, "b": []},
        ),
        ("[true, false, null]", [True, False, None]),
        (r'"\"\\\/\b\f\n\r\té\u00e9\ud83d\udc4d👍\u0000"', '"\\/\b\f\n\r\téé👍👍\0'),
        ("12345678901234567890", 12345678901234567890),
        ("9" * LONGEST_NUMBER, 10**LONGEST_NUMBER - 1),
        ("0", 0),
        ("1.0", 1.0),
        ("-0.0", -0.0),
        ("-0e0", -0.0),
        ("1e-400", 0.0),
        ("1.7976931348623157E+308", 1.7976931348623157e308),
        ("[" * DEEPEST + "]" * DEEPEST, None),
        ('"\u007f\u2028\ufeff"', "\x7f\u2028\ufeff"),
    ],
)
def test_reads_every_kind_of_value(text: str, value: Any) -> None:
    read = parse(text.encode())
    if value is not None:
        assert read == value
        assert type(read) is type(value)


DEEP = "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "{", "[", "]", "{]", "[1,]", '{"a":1,}', "[1 2]", '{"a" 1}', "{1:2}", "01"),
        *("+1", "-", ".5", "1.", "1e", "1e+", "--1", "0x1", "1_0", "٣", "NaN", "Infinity"),
        *("-Infinity", "nul", "nulls", "True", "'a'", '"a', '"\n"', '"\t"', '"\0"', "1 1", "[1]x"),
        *("// c\n1", "{a:1}", '{"a"=1}', "[1;2]", "\ufeff1", "\u00a01", "\f1", "1\0"),
        *(r'"\x"', r'"\u12"', r'"\u12g4"', r'"\u００４１"', r'"\u+041"', r'"\U0041"'),
        *(
            r'"\ud800"',
            r'"\udc00"',
            r'"\ud800x"',
            r'"\udc00\ud800"',
            r'["\ud83d"]',
            r'{"\ud83d":1}',
        ),
        *('{"a":1,"a":1}', r'{"a":1,"\u0061":2}', '[{"b":{"a":1,"a":1}}]'),
        *("9" * (LONGEST_NUMBER + 1), "0." + "1" * (LONGEST_NUMBER - 1), "1" * 5000),
        *("-0", "[-0]", "1e309", "-1e309", "1e99999"),
        *(DEEP, '{"a":' * 33 + "1" + "}" * 33, "[" * 100_000, '{"a":' * 100_000, "[" * 1_000_000),
    ],
    ids=lambda text: text[:20],
)
def test_refuses_everything_else(text: str) -> None:
    with pytest.raises(ValueError):
        parse(text.encode())


@pytest.mark.parametrize(
    "content",
    [
        b"\xff", b'"\xc3"', b'"\xc0\xaf"', b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"',
        "1".encode("utf-16"), "{}".encode("utf-16-le"), b"\xef\xbb\xbf1",
    ],
)  # fmt: skip
def test_refuses_what_isn_t_utf_8(content: bytes) -> None:
    with pytest.raises(ValueError):
        parse(content)
