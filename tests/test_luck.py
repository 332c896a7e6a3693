"""What `make luck` finds in the output of each language's tests."""

from __future__ import annotations

import luck
import pytest

MAVEN = """\
[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 6.7 s <<< FAILURE! -- in a.B
[ERROR] a.B.theVerdict -- Time elapsed: 0.581 s <<< FAILURE!
[INFO] Tests run: 10, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 4.155 s -- in a.C
[ERROR] Tests run: 13, Failures: 1, Errors: 0, Skipped: 0
"""
SWIFT = """\
✘ Test "a name" failed after 0.5 seconds with 1 issue.
✘ Test theVerdict() failed after 167.564 seconds with 2 issues.
✘ Test run with 243 tests failed after 192.861 seconds with 3 issues.
"""


@pytest.mark.parametrize(
    ("language", "text", "number", "failed"),
    [
        (luck.PYTHON, "FAILED a.py::x - assert\n1 failed, 42 passed in 5s\n", 43, ["a.py::x"]),
        (luck.KOTLIN, MAVEN, 13, ["a.B.theVerdict"]),
        (luck.SWIFT, SWIFT, 243, ["a name", "theVerdict()"]),
        (
            luck.WEB,
            "not ok 9 - a test\n    not ok 1 - in it\n# pass 136\n# fail 1\n",
            137,
            ["a test"],
        ),
        (luck.WEB, "", 0, ["(no tests ran)"]),
    ],
    ids=["Python", "Kotlin", "Swift", "TypeScript", "nothing"],
)
def test_failures_are_found(
    language: luck.Patterns, text: str, number: int, failed: list[str]
) -> None:
    assert luck.counted(language, text) == (number, failed)


def test_all_times_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    runs = iter([(3, []), (3, ["x"]), (3, ["x", "y"]), (1, [])])
    assert luck.repeated("A", lambda: next(runs), 4) == 4
    assert capsys.readouterr().out == "| A | 3 | 4 | 4 | x (2); y (1); (only 1 ran) (1) |\n"
