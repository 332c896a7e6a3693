"""Tables of the challenge: the success of our attackers, also against other privatizers."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks import attack_me
from benchmarks.challenge import ASKED
from benchmarks.markdown import markdown
from benchmarks.store import ATTACK_ME, read_alone
from benchmarks.tables.table import Table

_COMMAND = "python -m benchmarks.attack_me table"


def _ours() -> str:
    """Return our attackers' success on the stored challenge."""
    found = read_alone(ATTACK_ME)["ours"]
    cells = [f"{found[asked][0]:,} of {found[asked][1]:,}" for asked in ASKED]
    return markdown(["", *attack_me.COLUMNS[2:]], [["brrkit's attackers", *cells]])


def _privatizers() -> str:
    """Return our attackers' success against each privatizer."""
    rows = read_alone(ATTACK_ME)["rows"]
    return markdown(attack_me.COLUMNS, list(map(attack_me.cells, rows)))


TABLES: Mapping[str, Table] = {
    "attack-me-ours": Table((), _ours, command=_COMMAND),
    "attack-me": Table((), _privatizers, command=_COMMAND),
}
