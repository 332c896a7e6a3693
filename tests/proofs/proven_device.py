"""The program that is extracted from the proofs, and what it reads: ``proofs/golden/main.ml``."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from brrkit import WordBundle
from brrkit.counts import RandomizedResponse
from brrkit.mechanisms.exponential import Exponential
from brrkit.tables import counts_lines, exponential_lines, passing_lines
from brrkit_toolchain.bundle import reference
from brrkit_toolchain.bundle.parity import contents_of, lexicon_of
from brrkit_toolchain.bundle.reference import policy
from brrkit_toolchain.bundle.reference.mechanisms import MECHANISMS
from brrkit_toolchain.bundle.reference.memory import first_draw
from brrkit_toolchain.bundle.reference.tokenizer import _candidates
from brrkit_toolchain.bundle.verify import proven
from brrkit_toolchain.bundle.writer import model_of

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "spec"
PROGRAM = ROOT / "proofs" / "build" / "brr-proven-device"

Case = dict[str, Any]
Line = Sequence[object]

EXPONENTIAL = "exponential"

SUFFICIENT = 10**18, 10**6, 1, 1
"""A budget: its limit in billionths, its period in ms, the costs of a word and a report."""

KEYED = 800  # bytes that a key gives a word here: more than a draw of these cases takes


needs_program = pytest.mark.skipif(
    not PROGRAM.is_file(), reason="no brr-proven-device: 'make proofs' builds it, with Coq"
)


def run(*lines: Line) -> list[list[str]]:
    """Return the fields of the lines that the program prints."""
    content = "".join(f"{' '.join(map(str, line))}\n" for line in lines)
    done = subprocess.run([PROGRAM], input=content, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [line.split() for line in done.stdout.splitlines()]


@cache
def meets_the_premises(*lines: tuple[str, tuple[int, ...]]) -> None:
    """Fail unless the checker accepts a setting."""
    proven.check(proven.find_checker(), [(name, list(numbers)) for name, numbers in lines])


def accepted(lines: Sequence[tuple[str, Sequence[int]]]) -> list[Line]:
    """Return a setting's lines without the first one, if it meets the theorems' premises."""
    meets_the_premises(*((name, tuple(numbers)) for name, numbers in lines))
    return [(name, *numbers) for name, numbers in lines[1:]]


class Tables:
    """A bundle, as lines that the program reads."""

    def __init__(self, folder: Path) -> None:
        self.opened = WordBundle.open(folder)
        self.words = list(self.opened.vocabulary)
        self.language = model_of(self.opened)
        self.lexicon = lexicon_of(self.words, self.language, self.opened.manifest)
        self._strings = {word: i for i, word in enumerate(self.words)}

    def number(self, string: str) -> int:
        """Return a string's number: of a word its id, of all else one above these."""
        return self._strings.setdefault(string, len(self._strings))

    def typed(self, string: str) -> str:
        """Return a token: the numbers of its candidates."""
        if self.lexicon.list_of is None:
            candidates = _candidates(string, self.lexicon.writing)
        else:
            found = reference.look_up(string, self.lexicon)
            candidates = [] if found is None else [found]
        return ",".join(str(self.number(each)) for each in candidates) or "-"

    def id_of(self, string: str) -> int | None:
        """Return the id of the word that a string is typed as, or None if it is unknown."""
        word = reference.look_up(string, self.lexicon)
        return None if word is None else self.number(word)

    def mark(self, head: int | None) -> str:
        """Return a marked token, of the list with a head, or of none."""
        heads = [each["members"][0] for each in self.lexicon.policy["lists"]]
        return "@" if head is None else f"@{heads.index(head)}"

    def named(self, ids: Iterable[str]) -> list[str]:
        """Return words, by their ids; the last symbol of counts is the unknown word."""
        return [[*self.words, ""][int(each)] for each in ids]

    def shared(self) -> list[Line]:
        """Return what all settings have: masses, lists and passing words."""
        lines: list[Line] = [("levels", *self.opened.masses.words.tolist())]
        for each in self.lexicon.policy["lists"]:
            lines += [("list", *each["members"]), ("forms", *map(self.number, each["forms"]))]
        if (passing := self.opened.policy.passing) is not None:
            accepted(passing_lines(passing))
            lines.append(("passing", passing.threshold, *passing.words))
        return lines

    def of_text(self, case: Case) -> list[Line]:
        """Return the setting of ``exponential``, and a memory's second one."""
        codes = (int.from_bytes(row.tobytes(), "little") for row in self.opened.codes)
        lines: list[Line] = [("codes", *codes), *self.shared()]
        for epsilon, prefix in (("epsilon", ()), ("second_epsilon", ("second",))):
            if epsilon in case:
                mechanism = Exponential(self.opened, case[epsilon], **case.get("parameters", {}))
                made = accepted(exponential_lines(self.opened, mechanism))
                lines += [(*prefix, *line) for line in made]
        return lines

    def report(self, case: Case) -> list[Line]:
        """Return the setting of counts; with a memory that of second responses."""
        symbols, caps = len(self.words) + 1, [case["cap"]]
        if "second_cap" in case:
            caps.append(case["second_cap"])
        responses = [
            RandomizedResponse(symbols, reference.counts.keep_threshold(cap, symbols))
            for cap in caps
        ]
        lines = [
            *accepted(counts_lines(caps[-1], responses[-1])),
            *(("first", responses[0].threshold), ("most", case.get("words_a_day", 1))),
        ]
        return [("report", *line) for line in lines]

    def of_counts(self, case: Case) -> list[Line]:
        """Return the setting of counts, beside one of text in which words have no codes."""
        number = len(self.words)
        text = [("epsilon", [1, 1]), ("bits", [0, 0, 1]), ("masses", [1] * number)]
        text.append(("weights", [(2**63 - 1) // number]))
        codes = ("codes", *[0] * number)
        return [*accepted([("exponential", []), *text]), codes, *self.shared(), *self.report(case)]

    def keyed(self, case: Case, string: str) -> Line:
        """Return the bytes that a case's key gives what is typed, for its first draw as text."""
        contents = contents_of(self.opened.codes, self.language, self.opened.task_bits)
        parameters = case.get("parameters", {})
        made = MECHANISMS[EXPONENTIAL].setting(case["epsilon"], parameters, contents)
        bytes_ = self._bytes(case, EXPONENTIAL, made + policy.numbers(self.lexicon.policy), string)
        word = self.id_of(string)
        return ("keyed", "-" if word is None else word, bytes_)

    def keyed_symbol(self, case: Case, string: str) -> Line:
        """Return the bytes that it gives the same word's first response."""
        unknown, word = len(self.words), self.id_of(string)
        numbers = reference.counts.setting(case["cap"], unknown + 1)
        bytes_ = self._bytes(case, "counts", numbers, string)
        return ("keyed-symbol", unknown if word is None else word, bytes_)

    def _bytes(self, case: Case, mechanism: str, numbers: bytes, string: str) -> str:
        key = bytes.fromhex(case["key"]), case["number"], self.opened.digest
        word = reference.look_up(string, self.lexicon)
        return first_draw(*key, mechanism, numbers, word)(KEYED).hex()


@cache
def tables(folder: Path) -> Tables:
    return Tables(folder)


def lived(
    lines: Sequence[Line], random: str, *events: Line, budget: Line = SUFFICIENT
) -> tuple[list[list[str]], int]:
    """Return what a device with one budget shows, and how many random bytes are left."""
    head = ("device",), ("random", random), ("budget", *budget), *lines
    _, *shown, (_, left) = run(*head, ("open",), *events)
    return shown, int(left)


def released(lines: Sequence[Line], random: str, *events: Line) -> list[list[str]]:
    """Return what it shows that uses all random bytes."""
    shown, left = lived(lines, random, *events)
    assert left == 0
    return shown
