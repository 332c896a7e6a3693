"""The check that a runtime's printed tables belong to a bundle, and meet the proofs' premises."""

from __future__ import annotations

import re
from pathlib import Path

from brrkit import WordBundle
from brrkit.tables import Line, groups_of
from brrkit_toolchain.bundle.verify import proven
from brrkit_toolchain.bundle.verify.outcome import CheckError
from brrkit_toolchain.io.files import open_input

_KINDS = ("exponential", "flips", "passing", "counts")
_LARGEST = 1 << 28  # bytes; more than for 2^24 words and as many bigrams
_LINE = re.compile(r"[a-z]+(?: [0-9]{1,400})*")


def tables(bundle: WordBundle, checker: Path, file: Path) -> str:
    """Check the output of ``tables_of`` in any language, and compare it with Python's.

    Raises:
        CheckError: the tables fail a premise, or belong to another bundle or setting.
        ParameterError: the bundle recommends no setting, or one without a theorem.
        BundleError: this version can't run the recommended setting.
    """
    printed = _read(file)
    numbers = 0
    for group in printed:
        proven.check(checker, group)
        numbers += sum(len(line) for _, line in group)
    own = list(groups_of(bundle))
    if _names(printed) != _names(own):
        raise CheckError(f"it has tables of {_names(printed)}; this bundle has {_names(own)}")
    for group, expected in zip(printed, own, strict=True):
        for line, right in zip(group, expected, strict=False):
            if line != right:
                raise CheckError(f"line '{line[0]}' of '{group[0][0]}' isn't this bundle's")
        if len(group) != len(expected):
            raise CheckError(f"'{group[0][0]}' has {len(group)} lines, not {len(expected)}")
    return f"as Python computes them; {numbers:,} integers meet the premises"


def _names(groups: list[list[Line]]) -> str:
    return ", ".join(group[0][0] for group in groups)


def _read(file: Path) -> list[list[Line]]:
    """Return the lines in groups, each of which begins with a kind."""
    try:
        with open_input(file, _LARGEST) as opened:
            text = opened.read().decode("ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise CheckError(f"can't be read: {error}; give the output of tables_of") from None
    groups: list[list[Line]] = []
    for place, line in enumerate(text.splitlines(), 1):
        if not _LINE.fullmatch(line):
            raise CheckError(
                f"line {place} isn't a name and integers; give the output of tables_of"
            )
        name, *numbers = line.split(" ")
        if name in _KINDS:
            groups.append([])
        elif not groups:
            raise CheckError(f"line 1 isn't one of: {', '.join(_KINDS)}")
        groups[-1].append((name, list(map(int, numbers))))
    return groups
