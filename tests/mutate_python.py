"""How mutations of Python are tried: packages are copied, and tests run with the copies."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from mutate import Mutation

ROOT = Path(__file__).parents[1]
PACKAGES = {"runtime": "brrkit", "toolchain": "brrkit_toolchain"}  # by folder
PATIENCE = 600  # seconds for tests, which may loop


def mutation(
    package: str, file: str, right: str, wrong: str, *tests: str
) -> Mutation[tuple[str, ...]]:
    """Return a mutation of ``runtime`` or ``toolchain``; its tests are ``pytest``'s ids there."""
    paths = tuple(f"tests/{package}/{test}" for test in tests)
    return Mutation(f"{package}/{PACKAGES[package]}/{file}", right, wrong, paths)


def copy(folder: Path) -> Path:
    """Copy the packages, and build once what the tests would build every time."""
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name)
    text = shutil.copy(ROOT / "docs" / "explanation" / "proofs.md", folder / "text.txt")
    language = {"64": ("--text", str(text), "--least", "2"), "256": ()}
    for bits in ("64", "256"):
        options = ("--bits", bits, "--method", "lsh", "--vocabulary-size", "2000", *language[bits])
        command = [sys.executable, "-m", "benchmarks.brr", "build", *options]
        command += ["--output", str(folder / "bundles" / bits)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(command, check=True, cwd=ROOT, **quiet)
    return folder


def failures(packages: Path, tests: list[tuple[str, ...]]) -> list[str]:
    """Return the tests that fail with a copy of the packages, beside which the bundles are.

    Raises:
        RuntimeError: no test ran.
    """
    path = os.pathsep.join(str(packages / name) for name in PACKAGES)
    names = sorted({name for each in tests for name in each})
    command = [sys.executable, "-m", "pytest", "-qx", "--tb=no", "-p", "no:cacheprovider", *names]
    try:
        ended = subprocess.run(
            command,
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONPATH": path,
                "BRR_TEST_BUNDLES": str(packages / "bundles"),
            },
            check=False,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        return [f"{names[0]} (without an end)"]
    failed = re.findall(r"^(?:FAILED|ERROR) \S*?(\w+\.py\S*)", ended.stdout, re.M)
    if ended.returncode not in (0, 1) or bool(ended.returncode) != bool(failed):
        raise RuntimeError(f"no test ran: {ended.stdout[-2000:]}{ended.stderr[-2000:]}")
    return failed
