"""How a stored result came about, and whether that may be shown.

A result names the commit that made it, of a tree without other changes. Times are of an idle
machine; a load changes no share and no size.
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
"""Folders whose change changes no code."""
IDLE = 1.0
"""The largest load for each core at which times are measured; the last run's own included."""

_COMMIT = re.compile(r"[0-9a-f]{7,40}")


def provenance(libraries: Sequence[str] = LIBRARIES) -> dict[str, Any]:
    """Return the ``commit`` and the ``machine`` of what is measured now."""
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
    """Return why a result can't be shown, or None.

    Args:
        result: has the ``commit`` and, if ``timed``, the ``machine``.
        timed: it has times.
    """
    made_by = str(result.get("commit", ""))
    if not _COMMIT.fullmatch(made_by):
        return f"is of no commit ({made_by})" if made_by else "names no commit"
    machine = result.get("machine", {})
    if timed and not ("load" in machine and machine["load"] <= IDLE * machine["cores"]):
        return f"has times of a busy machine (load {machine.get('load', 'unknown')})"
    return None
