"""Break code on purpose, one place at a time: a test must fail each time.

The loop of the scripts ``tests/*/mutations.py``; each has a list, and says how its tests run.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Mutation(Generic[T]):
    """A wrong line in place of a right one, and the tests that must notice."""

    file: str
    right: str
    wrong: str
    tests: T


def try_all(
    arguments: Sequence[str],
    mutations: Mapping[str, Mutation[T]],
    copy: Callable[[Path], Path],
    failures: Callable[[Path, list[T]], list[str]],
) -> int:
    """Try the mutations that ``arguments`` name, or all; print who killed what.

    Args:
        arguments: Names, or ``--list``, which prints them.
        mutations: By their names.
        copy: Makes the copy of the code in an empty folder, with what its tests read; returns the
            folder that the files of mutations are in.
        failures: Takes that folder and tests; returns those that fail. Raises RuntimeError where
            the code isn't compiled, or no test ran.

    Returns:
        The exit code: 1 if one survives or can't be tried.
    """
    if arguments == ["--list"]:
        print("\n".join(f"{name}: {each.file}, {each.tests}" for name, each in mutations.items()))
        return 0
    if unknown := [name for name in arguments if name not in mutations]:
        sys.exit(f"{unknown[0]!r} is no mutation; --list prints them")
    tried = {name: mutations[name] for name in arguments or mutations}
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        code = copy(Path(folder))
        if failed := failures(code, sorted({each.tests for each in tried.values()}, key=str)):
            sys.exit(f"fails without a mutation: {', '.join(failed)}")
        for name, mutation in tried.items():
            file = code / mutation.file
            source = file.read_text("utf-8")
            if source.count(mutation.right) != 1:
                sys.exit(f"{name}: {mutation.file} doesn't have its line once; adapt the mutation")
            file.write_text(source.replace(mutation.right, mutation.wrong), "utf-8")
            try:
                failed = failures(code, [mutation.tests])
                killers = f"killed by {', '.join(failed)}" if failed else "SURVIVES"
            except RuntimeError as error:
                failed, killers = [], f"ISN'T TRIED, {error}"
            file.write_text(source, "utf-8")
            print(f"{name}: {killers}", flush=True)
            survivors += not failed
    print(f"{survivors} of {len(tried)} survive")
    return 1 if survivors else 0
