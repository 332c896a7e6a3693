"""A part of the attack on the receiver, small enough for every change."""

from __future__ import annotations

import clients
import pytest


def test_hostile_clients() -> None:
    reported: list[str] = []
    assert clients.attack(25, 15, reported.append) == 0, "\n".join(reported)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 500 Internal Server Error\r\n\r\n",
        b"nonsense",
        b"HTTP/1.1 404 Not Found\r\n\r\n" + clients.CANARY.encode(),
        b"HTTP/1.1 422 No\r\n\r\nTraceback",
        b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /\r\n\r\n",
        b"HTTP/1.1 404 Not Found\r\nLocation: /\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 500 No\r\n\r\n",
    ],
)
def test_the_judge_notices(answer: bytes) -> None:
    assert clients.judge(answer)[0] != []
    assert clients.judge(b"HTTP/1.1 422 Unprocessable\r\n\r\n{}") == ([], 422)
