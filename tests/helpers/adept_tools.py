"""Sentences that the tests of ADePT train on."""

from __future__ import annotations

FROM = ("boston", "denver", "dallas", "atlanta")
SENTENCES = [
    (label, f"{start} from {one} to {other}")
    for label, start in (("flight", "show me flights"), ("fare", "what does it cost"))
    for one in FROM
    for other in FROM
    if one != other
]
