"""Let a tool break what has changed, one place at a time: a test must fail each time.

    python tests/mutants.py [--since COMMIT] LANGUAGE [FILE ...]

``make mutants`` runs it. Without files, those of the language's library that differ from a commit
are broken, by default from where main was left. The tools are mutmut (Python), PIT (Kotlin),
Stryker (TypeScript) and Muter (Swift); each prints what no test has noticed. That isn't always a
defect: a mutant may do the same as the code.

What a tool writes over it gets as a copy, ``build/mutants``. There, ``mutmut show NAME`` shows a
mutant of Python.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]
COPY = ROOT / "build" / "mutants"
PACKAGES = {  # by folder
    "runtime": "brrkit",
    "toolchain": "brrkit_toolchain",
    "counting": "brrkit_counting",
}
STRYKER = [f"@stryker-mutator/{part}@9.6.1" for part in ("core", "tap-runner")]


def _git(*arguments: str) -> list[str]:
    ended = subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return ended.stdout.splitlines()


def _copy() -> None:
    """Copy what git knows, as it is now."""
    shutil.rmtree(COPY, ignore_errors=True)
    for file in _git("ls-files", "--deduplicate"):
        if (ROOT / file).is_file():
            (COPY / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, COPY / file)


def _prepare(work: str, large: str = "64") -> None:
    """Make what the tests of the other runtimes read; a large bundle has ``large`` bits."""
    environment = {**os.environ, "BIN": str(Path(sys.executable).parent)}
    command = ["sh", "tests/phones/prepare.sh", work, large]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


def tests_of(module: str) -> list[str]:
    """Return the tests of a module's part that are named after it or its package, or name it.

    Where there are none, those that name its package, or else all of that part.
    """
    part, top, *packages, name = Path(module).with_suffix("").parts
    texts = {
        str(test.relative_to(ROOT)): test.read_text("utf-8")
        for test in sorted((ROOT / "tests" / part).rglob("test_*.py"))
    }
    package = ".".join([top, *packages])

    def is_named_after(test: str, each: str) -> bool:
        stem = Path(test).stem.removeprefix("test_")
        return stem.startswith(each) or each.startswith(stem)  # test_guess.py is guessed.py's, too

    tests = [
        test
        for test, text in texts.items()
        if any(is_named_after(test, each) for each in (name, *packages))
        or f"{package}.{name}" in text
    ]
    tests = tests or [test for test, text in texts.items() if packages and package in text]
    return tests or [f"tests/{part}"]


def classes_of(file: str) -> list[str]:
    """Return PIT's names of what a file of Kotlin declares, with what is inside."""
    package = Path(file).parent.as_posix().partition("/kotlin/")[2].replace("/", ".")
    text = (ROOT / file).read_text("utf-8")
    declared = re.findall(r"^(?:\w+ )*(?:class|object|interface) (\w+)", text, re.M)
    names = [f"{package}.{name}" for name in (*declared, f"{Path(file).stem}Kt")]
    return [pattern for name in names for pattern in (name, f"{name}$*")]


def python(modules: list[str]) -> int:
    """Of the tests of all modules, mutmut runs those that reach a mutant."""
    tests = sorted({test for module in modules for test in tests_of(module)})
    _copy()
    for folder, package in PACKAGES.items():  # in src, where mutmut looks for packages
        shutil.copytree(COPY / folder / package, COPY / "src" / package)
    options = {
        "source_paths": ["src"],
        "only_mutate": [f"src/{module.partition('/')[2]}" for module in modules],
        "also_copy": [path.name for path in COPY.iterdir() if path.name not in ("src", "tests")],
        "pytest_add_cli_args_test_selection": tests,
        "pytest_add_cli_args": ["-p", "tests.cpu_limit"],
    }
    lines = [f"{name} = {json.dumps(value)}" for name, value in options.items()]
    pyproject = COPY / "pyproject.toml"
    head = "[tool.mutmut]\n"
    settings = pyproject.read_text("utf-8").replace(head, head + "\n".join(lines) + "\n")
    pyproject.write_text(settings, "utf-8")
    imported = COPY / "mutants" / "src"
    imported.mkdir(parents=True)  # Python never looks again into a folder that wasn't there
    path = os.pathsep.join([str(imported), str(imported.parent)])
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    mutmut = str(Path(sys.executable).with_name("mutmut"))

    def call(*arguments: str) -> str:
        command = [mutmut, *arguments]
        streams = None if arguments == ("run",) else subprocess.PIPE
        return subprocess.run(
            command, cwd=COPY, env=environment, check=True, stdout=streams, text=True
        ).stdout

    call("run")
    call("export-cicd-stats")
    for name, end in re.findall(r"^ *(\S+): (\w[\w ]*)$", call("results"), re.M):
        print(call("show", name) if end == "survived" else f"# {name}: {end}")
    numbers = json.loads((COPY / "mutants" / "mutmut-cicd-stats.json").read_text("utf-8"))
    print(f"{numbers['killed'] + numbers['timeout']} of {numbers['total']} were noticed")
    return 0


def kotlin(files: list[str]) -> int:
    """PIT changes compiled classes, and takes them by their names."""
    classes = [name for file in files for name in classes_of(file)]
    report = ROOT / "android_demo" / "brr" / "target" / "mutants" / "pit-reports" / "mutations.xml"
    report.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as work:
        _prepare(f"{work}/work", "256")
        command = ["mvn", "-B", "-ntp", "-P", "mutants", "-pl", "brr", "-am"]
        command += ["process-test-classes", f"-Dbrr.work={work}/work"]
        command += [f"-Dmutants.classes={','.join(classes)}"]
        if code := subprocess.run(command, cwd=ROOT / "android_demo", check=False).returncode:
            return code
    for mutant in ElementTree.parse(report).getroot() if report.exists() else ():
        file, line, what = map(mutant.findtext, ("sourceFile", "lineNumber", "description"))
        null = "kotlin/jvm/internal/Intrinsics::check" in str(what)  # added, and never so in Kotlin
        if mutant.get("detected") == "false" and not null:
            print(f"{file}:{line}: {mutant.get('status')}: {what}")
    return 0


def typescript(files: list[str]) -> int:
    """Stryker compiles all mutants at once, and runs the files of tests that reach one."""
    _copy()
    web = COPY / "web_demo"
    with tempfile.TemporaryDirectory() as work:
        _prepare(f"{work}/work")
        subprocess.run(["./node.sh", "npm", "ci", "--silent"], cwd=web, check=True)
        command = ["./node.sh", "npx", "--yes"]
        command += [part for package in STRYKER for part in ("--package", package)]
        command += ["stryker", "run", "--mutate"]
        command += [",".join(file.removeprefix("web_demo/") for file in files)]
        environment = {**os.environ, "BRR_WORK": f"{work}/work"}
        return subprocess.run(command, cwd=web, env=environment, check=False).returncode


def swift(files: list[str]) -> int:
    """Muter compiles all mutants at once, beside the copy, and runs all tests for each."""
    _copy()
    with tempfile.TemporaryDirectory() as work:
        _prepare(f"{work}/work")
        command = ["muter", "run", "--skip-coverage", "--skip-update-check"]
        command += ["--files-to-mutate", ",".join(files)]
        environment = {**os.environ, "BRR_WORK": f"{work}/work"}
        return subprocess.run(command, cwd=COPY, env=environment, check=False).returncode


# By language: the folders of the library, the end of its files, and the tool.
LANGUAGES: dict[str, tuple[list[str], str, Callable[[list[str]], int]]] = {
    "python": ([f"{part}/{package}" for part, package in PACKAGES.items()], ".py", python),
    "kotlin": (["android_demo/brr/src/main/kotlin"], ".kt", kotlin),
    "typescript": (["web_demo/src"], ".ts", typescript),
    "swift": (["ios_demo/Brrkit/Sources"], ".swift", swift),
}


def changed(commit: str | None, folders: list[str], end: str) -> list[str]:
    """Return the files in folders that differ from ``commit``, or from where main was left."""
    commit = commit or _git("merge-base", "HEAD", "main")[0]
    files = _git("diff", "--name-only", "--diff-filter=d", commit, "--", *folders)
    return [file for file in files if file.endswith(end)]


def main() -> int:
    """Take a language's changed files, or those named; return what its tool returns."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--since", metavar="COMMIT")
    parser.add_argument("language", choices=LANGUAGES)
    parser.add_argument("files", metavar="FILE", nargs="*")
    arguments = parser.parse_args()
    folders, end, tool = LANGUAGES[arguments.language]
    files = arguments.files or changed(arguments.since, folders, end)
    if not files:
        print(f"Nothing has changed in {', '.join(folders)}")
        return 0
    return tool(files)


if __name__ == "__main__":
    sys.exit(main())
