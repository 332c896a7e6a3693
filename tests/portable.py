"""What brrkit promises on every system, tried on this one: Linux, macOS, Windows.

    python tests/portable.py

Needs brrkit with its toolchain, and nothing else. Opens, builds, replaces, verifies, calibrates and
privatizes; shares a budget and a memory between processes; kills a writer. Prints each part when it
is done, and ends with a failure at the first that isn't.
"""

from __future__ import annotations

import json
import os
import random
import select
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from brrkit import BundleError, Memory, PrivacyBudget, Privatizer, WordBundle
from brrkit.setting import Setting

WORDS = [f"word{number}" for number in range(300)]
TEXT = " ".join(WORDS[:20])
PROCESSES, RELEASES, LIMIT = 4, 100, 100  # each tries until nothing is left


def brr(*arguments: object, text: str = "", code: int = 0) -> tuple[str, str]:
    """Run a command, and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "brrkit_toolchain", *map(str, arguments)],
        input=text,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=600,
    )
    assert done.returncode == code, (arguments, done.returncode, done.stderr[-2000:])
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout, done.stderr


def python(program: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a program."""
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def builds_and_replaces(folder: Path) -> Path:
    """A bundle that this process has open is built again."""
    numbers = random.Random(0)
    rows = (f"{w} {' '.join(f'{numbers.gauss(0, 1):.3f}' for _ in range(8))}\n" for w in WORDS)
    (folder / "e.txt").write_text("".join(rows), encoding="utf-8", newline="\n")
    build = "build", "--embeddings", folder / "e.txt", "--effort", "low", "--output"
    bundle = folder / "bundle"
    brr(*build, bundle)
    opened = WordBundle.open(bundle)
    assert [opened.vocabulary.word(number) for number in range(300)] == WORDS
    _, said = brr(*build, bundle, code=1)
    assert "give force to replace it" in said
    brr(*build, bundle, "--seed", 5, "--force")
    again = WordBundle.open(bundle)
    assert opened.digest != again.digest
    assert Privatizer(opened, Setting(9.0)).word("word7") in WORDS  # the old one can still be used
    assert names(folder) == ["bundle", "e.txt"]
    return bundle


def opens_what_is_whole(folder: Path, bundle: Path) -> None:
    for name in ("manifest.json", "index.safetensors", "randomizer.tflite"):
        shutil.copytree(bundle, folder / "damaged")
        content = bytearray((folder / "damaged" / name).read_bytes())
        content[len(content) // 2] ^= 1
        (folder / "damaged" / name).write_bytes(content)
        for path in (folder / "damaged", folder / "damaged" / name, folder / "missing"):
            try:
                WordBundle.open(path)
            except BundleError:
                continue
            raise AssertionError(f"{path} was opened")
        shutil.rmtree(folder / "damaged")


def verifies(folder: Path, bundle: Path) -> None:
    brr("verify", bundle, "--embeddings", folder / "e.txt", "--json", folder / "v.json")
    assert json.loads((folder / "v.json").read_text("utf-8"))
    _, said = brr("verify", bundle, "--json", bundle / "manifest.json", code=1)
    assert "manifest.json" in said
    WordBundle.open(bundle)
    (folder / "v.json").unlink()


def calibrates(folder: Path, bundle: Path) -> None:
    opened = WordBundle.open(bundle)
    brr("calibrate", bundle, "--unchanged", 0.5, "--sample", 50, "--write")
    assert "recommended" in WordBundle.open(bundle).manifest
    assert "recommended" not in opened.manifest
    assert names(folder) == ["bundle", "e.txt"]


def privatizes(folder: Path, bundle: Path) -> None:
    released, _ = brr("privatize", bundle, text=f"{TEXT}\n{TEXT}\n")
    lines = released.splitlines()
    assert [len(line.split()) for line in lines] == [20, 20]
    assert set(released.split()) <= set(WORDS)
    (folder / "in.csv").write_bytes(b"text,name\n" + f"{TEXT},somebody\n".encode() * 50)
    brr(
        *("privatize", bundle, "--input", folder / "in.csv", "--column", "text"),
        *("--output", folder / "out.csv", "--jobs", 2),
    )
    lines = (folder / "out.csv").read_text("utf-8").splitlines()
    assert lines[0] == "text"
    assert [len(line.split()) for line in lines[1:]] == [20] * 50
    for name in ("in.csv", "out.csv"):
        (folder / name).unlink()


def audits_where_it_can(folder: Path, bundle: Path) -> None:
    audit = "audit", bundle, "--mechanism", "brr", "--samples", 1_000
    if hasattr(select, "poll"):
        brr(*audit)
    else:
        assert "on Linux or macOS" in brr(*audit, code=1)[1]


def keeps_to_a_budget(folder: Path, bundle: Path) -> None:
    state = folder / "budget.json"
    options = "privatize", bundle, "--epsilon", 1, "--budget", 25, 3600, state
    brr(*options, text=TEXT)
    _, said = brr(*options, text=TEXT, code=1)
    assert "5 of 25 is left" in said
    assert PrivacyBudget(25, 3600, state).remaining() == 5
    brr("privatize", bundle, "--memory", 3600, folder / "key", text=TEXT)
    for name in ("budget.json", "budget.json.lock", "key", "key.lock"):
        (folder / name).unlink()
    (folder / "text.txt").write_text("a text")
    brr("privatize", bundle, "--budget", 25, 3600, folder / "text.txt", text=TEXT, code=1)
    assert (folder / "text.txt").read_text() == "a text"
    (folder / "text.txt").unlink()
    (folder / "text.txt.lock").unlink(missing_ok=True)  # Windows keeps what is open


SPEND = """
import sys
from brrkit import PrivacyBudget
from brrkit.errors import BudgetError
budget, spent = PrivacyBudget(int(sys.argv[2]), 3600, sys.argv[1]), 0
input()
for _ in range(int(sys.argv[3])):
    try:
        budget.spend(1, unit="u")
        spent += 1
    except BudgetError:
        pass
print(spent)
"""
HOLD = """
import sys, time
from pathlib import Path
from brrkit.errors import BudgetFileError
from brrkit.state_file import locked
with locked(Path(sys.argv[1]), BudgetFileError):
    print("held", flush=True)
    input()
"""


def shares_locks(folder: Path) -> None:
    """Processes that share a budget release what it allows, all of it and no more."""
    state = folder / "shared"
    others = [python(SPEND, state, LIMIT, RELEASES) for _ in range(PROCESSES)]
    for other in others:
        assert other.stdin
        other.stdin.write("\n")
        other.stdin.flush()
    assert sum(int(other.communicate()[0]) for other in others) == LIMIT
    assert PrivacyBudget(LIMIT, 3600, state).remaining() == 0
    holder = python(HOLD, state)
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    waiter = python(SPEND, state, LIMIT + 1, 1)
    try:
        waiter.communicate("\n", timeout=3)
        raise AssertionError("a lock that is held was taken")
    except subprocess.TimeoutExpired:
        holder.kill()  # its lock ends with it
    assert waiter.communicate()[0] == "1\n"
    holder.communicate()
    first, second = (Memory(3600, folder / "memory").key() for _ in range(2))
    assert first.secret == second.secret
    for name in ("shared", "memory"):
        (folder / name).unlink()
        (folder / f"{name}.lock").unlink()


WRITE = """
import sys
from pathlib import Path
from brrkit_toolchain.io.files import replaced
with replaced(Path(sys.argv[1])) as file:
    file.write(b"half")
    print("half", flush=True)
    input()
"""


def removes_what_killed_processes_left(folder: Path) -> None:
    (folder / "out").write_bytes(b"old")
    writers = [python(WRITE, folder / "out") for _ in range(2)]
    for writer in writers:
        assert writer.stdout
        assert writer.stdout.readline() == "half\n"
    writers[0].kill()
    writers[0].communicate()
    assert (folder / "out").read_bytes() == b"old"
    third = python(WRITE, folder / "out")
    third.communicate("\n")
    assert (folder / "out").read_bytes() == b"half"
    assert len(names(folder)) == 4, names(folder)  # what the living one writes is there
    writers[1].communicate("\n")
    assert writers[1].returncode == 0
    (folder / "out").unlink()
    assert names(folder) == ["bundle", "e.txt"]


def refuses_links(folder: Path) -> None:
    """A budget isn't spent through a link: two names of a file would have two locks."""
    state = folder / "state"
    PrivacyBudget(9, 3600, state).spend(1, unit="u")
    for make in (os.symlink, os.link):
        link = folder / "link"
        try:
            make(state, link)
        except OSError:  # Windows asks for a privilege
            continue
        try:
            PrivacyBudget(9, 3600, link).spend(1, unit="u")
        except Exception as error:
            assert "link" in str(error), error
        else:
            raise AssertionError(f"spent through what {make.__name__} made")
        link.unlink()
    assert PrivacyBudget(9, 3600, state).remaining() == 8
    for path in folder.glob("*state*"):
        path.unlink()
    for path in folder.glob("link*"):
        path.unlink()


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        bundle = builds_and_replaces(folder)
        print("builds and replaces", flush=True)
        for part in (
            opens_what_is_whole,
            verifies,
            calibrates,
            privatizes,
            audits_where_it_can,
            keeps_to_a_budget,
        ):
            part(folder, bundle)
            assert names(folder) == ["bundle", "e.txt"], (part.__name__, names(folder))
            print(part.__name__.replace("_", " "), flush=True)
        for alone in (shares_locks, removes_what_killed_processes_left, refuses_links):
            alone(folder)
            assert names(folder) == ["bundle", "e.txt"], (alone.__name__, names(folder))
            print(alone.__name__.replace("_", " "), flush=True)


if __name__ == "__main__":
    main()
