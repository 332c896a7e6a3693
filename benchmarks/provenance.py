"""The origin of a stored result, and whether pages may show it.

A result names its commit, of a tree without other changes. Times require an idle machine; a load
doesn't change shares or sizes.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.report import LIBRARIES
from brrkit_toolchain.io.machine import describe_machine

ROOT = Path(__file__).parents[1]
RESULTS = ("benchmarks/results", "research/results")
"""Folders whose changes don't change code."""
IDLE = 1.0
"""The largest load per core at which times are measured, including that of the last run."""

_COMMIT = re.compile(r"[0-9a-f]{7,40}")


def provenance(libraries: Sequence[str] = LIBRARIES) -> dict[str, Any]:
    """Return the ``commit`` and the ``machine`` of the current measurement."""
    return {"commit": commit(), "machine": describe_machine(libraries)}


def commit() -> str:
    """Return the commit, with "-dirty" if code differs from it: no page, no stored result."""

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    try:
        found = git("describe", "--always", "--exclude=*", "--abbrev=8")
        changed = git(
            "diff",
            "--name-only",
            "HEAD",
            "--",
            ".",
            ":!*.md",
            ":!*.svg",
            *(f":!{folder}" for folder in RESULTS),
        )
    except FileNotFoundError:
        return "unknown"
    return f"{found}-dirty" if changed else found or "unknown"


def doubt(result: Mapping[str, Any], *, timed: bool) -> str | None:
    """=Return the reason for which a result can't be shown, or None.

    Args:
        result: the result, with its ``commit`` and, if ``timed``, its ``machine``.
        timed: whether it has times.
    """
    made_by = str(result.get("commit", ""))
    if not _COMMIT.fullmatch(made_by):
        return f"is of no commit ({made_by})" if made_by else "names no commit"
    machine = result.get("machine", {})
    if timed and not ("load" in machine and machine["load"] <= IDLE * machine["cores"]):
        return f"has times of a busy machine (load {machine.get('load', 'unknown')})"
    return None
