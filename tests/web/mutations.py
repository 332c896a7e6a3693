"""Break the TypeScript library on purpose, one place at a time: a test must fail each time.

    python tests/web/mutations.py [--list] [NAME ...]

Takes some seconds for each; needs what ``tests/web.sh`` needs, after it has run once. Each mutation
is made in a copy of the library; of the tests only the file that must notice runs. Prints who
killed what, and exits with 1 if one survives. What ``make test`` runs is the tests; this is for
whoever changes them. ``test_mutations.py`` holds this list against the code.

What changes no result isn't here: how far a first guess of a logarithm is off, and how many bits
the exact numbers begin with.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from mutate import Mutation, try_all

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web_demo"
PATIENCE = 120  # seconds for tests, which may loop


def _in(module: str, right: str, wrong: str, tests: str) -> Mutation[str]:
    return Mutation(f"src/{module}.ts", right, wrong, tests)


MUTATIONS = {
    # Randomness.
    "a remainder for rejection": _in(
        "randomness", "if (number < bound) return number;", "return number % bound;", "parts"
    ),
    "the bound itself": _in("randomness", "if (number < bound)", "if (number <= bound)", "parts"),
    "too few bytes taken": _in(
        "randomness", "bytes.length !== size", "bytes.length > size", "parts"
    ),
    "the source's first bytes only": _in(
        "randomness", "at < size; at += MOST", "at < 1; at += MOST", "parts"
    ),
    "a source that isn't the system's": _in(
        "randomness", "crypto.getRandomValues(bytes.subarray(at, at + MOST))", "at", "parts"
    ),
    # Exact numbers.
    "a threshold rounded down": _in(
        "exact",
        "dividedUp(1n << (32n + p), (1n << p) + e)",
        "(1n << (32n + p)) / ((1n << p) + e)",
        "golden",
    ),
    "weights rounded down": _in(
        "exact", "dividedUp(weight << 64n, by)", "(weight << 64n) / by", "golden"
    ),
    "a radius too far": _in("exact", "d < radius ? gentle", "d <= radius ? gentle", "golden"),
    "no cap": _in("exact", "next > least ? next : least", "next", "golden"),
    "a kept symbol too many": _in(
        "exact", "const gain = e - (1n << precision)", "const gain = e", "golden"
    ),
    # The mechanisms.
    "a flip too many": _in("mechanisms/brr", "]! < threshold", "]! <= threshold + 9e6", "golden"),
    "bits turned round": _in("mechanisms/brr", "1 << bit", "1 << (31 - bit)", "golden"),
    "noise used again": _in(
        "mechanisms/brr",
        "    return codes.map((code) => {\n"
        "      // A copy of its own: a Node Buffer's slice() isn't one, and its memory begins with "
        "other bytes.\n"
        "      const numbers = new Int32Array("
        "new Uint8Array(draw(4 * this.#bundle.bits, random)).buffer);",
        "    const numbers = new Int32Array("
        "new Uint8Array(draw(4 * this.#bundle.bits, random)).buffer);\n"
        "    return codes.map((code) => {",
        "parts",
    ),
    "no noise": _in("mechanisms/brr", "return word ^ flips", "return word", "golden"),
    "Vickrey's boundary": _in(
        "mechanisms/vickrey", "while (number >= weights", "while (number > weights", "golden"
    ),
    "Vickrey's distances exchanged": _in(
        "mechanisms/vickrey",
        "[one * distances[1]!, other * distances[0]!]",
        "[one * distances[0]!, other * distances[1]!]",
        "golden",
    ),
    "a distance too far": _in(
        "mechanisms/exponential", "while (number >= shares", "while (number > shares", "parts"
    ),
    "a word too far": _in(
        "mechanisms/exponential",
        "if (number < 0) return id",
        "if (number <= 0) return id",
        "golden",
    ),
    "gains forgotten in a sum": _in(
        "mechanisms/exponential", "<< 2]! += gains[i]!", "<< 2]! += 0 * gains[i]!", "golden"
    ),
    "gains forgotten in a draw": _in(
        "mechanisms/exponential", "number -= gains[gaining]!", "number -= 0", "golden"
    ),
    "what was released before forgotten": _in(
        "mechanisms/exponential", "measure(this.base, last)", "measure(this.base, -1)", "golden"
    ),
    "ties to the higher rank": _in(
        "hammingIndex",
        "found[place - 1]!.distance > distance",
        "found[place - 1]!.distance >= distance",
        "parts",
    ),
    "48 of 64 bits counted": _in("hammingIndex", " + bits[y >>> 16]!;", ";", "parts"),
    # What is paid, and when.
    "nothing paid": _in("privatizer", "      await spend(tokens.length);\n", "", "privatizer"),
    "one word paid": _in(
        "privatizer", "await spend(tokens.length)", "await spend(1)", "privatizer"
    ),
    "paid after the draw": _in(
        "privatizer",
        "      await spend(tokens.length);",
        "      void spend(tokens.length);",
        "privatizer",
    ),
    "first draws not paid": _in(
        "privatizer",
        "if (this.#budget) await this.#memory.pay(key, draws, spend);",
        "",
        "privatizer",
    ),
    "another epsilon paid": _in(
        "privatizer",
        "this.#budget?.spend(this.certifiedEpsilon,",
        "this.#budget?.spend(this.certifiedEpsilon / 2,",
        "privatizer",
    ),
    "the first draw released": _in(
        "privatizer",
        "return this.#second.release(first, before, this.#random)",
        "return this.#mechanism.release(first, before, this.#random)",
        "golden",
    ),
    "fresh bytes for a first draw": _in(
        "privatizer",
        "release([code], -1, found[at]![1])",
        "release([code], -1, this.#random)",
        "golden",
    ),
    "unknown words kept apart": _in(
        "privatizer", "uniformBelow(size, source)", "uniformBelow(2, source)", "golden"
    ),
    "unknown words not dropped": _in(
        "privatizer",
        'this.#oov === "drop" ? typed.filter(([id]) => id >= 0) : typed',
        "typed",
        "privatizer",
    ),
    # The order of random bytes: what golden cases say of it.
    "a call word by word": _in(
        "privatizer",
        'return this.#spelled(await this.#released([checkedWords(words, "words")]))[0]!;',
        "const [stream, all] = [this.stream(), [] as (string | null)[]];\n"
        "    for (const word of words) all.push(await stream.word(word));\n"
        "    return all.filter((word) => word !== null);",
        "golden",
    ),
    "unknown words of all texts first": _in(
        "privatizer",
        "(id, at): Typed => [id, sources[at]!]",
        '(id, at): Typed => [id < 0 && this.#oov === "random" '
        "? uniformBelow(this.#bundle.size, this.#random) : id, sources[at]!]",
        "golden",
    ),
    "a text that ends at a word that is left out": _in(
        "privatizer",
        "before = released[0]![0] ?? before;",
        "before = released[0]![0] ?? -1;",
        "golden",
    ),
    "a place before the next word": _in(
        "reporter",
        "  add(words: readonly string[]): Promise<void> {\n",
        "  add(words: readonly string[]): Promise<void> {\n"
        "    if (words.length > 1) {\n"
        "      return words.reduce((done, one) => done.then(() => this.add([one])), "
        "Promise.resolve());\n"
        "    }\n",
        "golden",
    ),
    "another bundle's certificate": _in(
        "privatizer", "certifiedIndex === bundle.digest", "certifiedIndex !== null", "privatizer"
    ),
    "a certificate of nothing": _in(
        "privatizer", "certifiedEpsilon >= epsilon / 2", "certifiedEpsilon >= 0", "privatizer"
    ),
    # Counts.
    "a symbol kept too often": _in(
        "counts",
        "number < this.threshold",
        "number > this.threshold",
        "golden",
    ),
    "a second number only where the first doesn't keep": _in(
        "counts",
        "const drawn = uniformBelow(this.#symbols, random);",
        "const drawn = number < this.threshold ? 0 : uniformBelow(this.#symbols, random);",
        "counts",
    ),
    "unknown never drawn": _in(
        "counts",
        "uniformBelow(this.#symbols, random)",
        "uniformBelow(this.#symbols - 1, random)",
        "golden",
    ),
    "counts' second draw left out": _in(
        "counts", "second.draw(symbol, this.#random)", "symbol", "golden"
    ),
    # Words and files.
    "clitics taken once": _in(
        "tokenizer",
        "id < 0 && rest; rest = withoutClitic(rest)",
        'id < 0 && rest; rest = ""',
        "golden",
    ),
    "an apostrophe as a token": _in(
        "tokenizer", ".filter((run) => /[^']/.test(run))", "", "golden"
    ),
    "capitals kept": _in("tokenizer", "letter.toLowerCase()[0]!", "letter", "golden"),
    "a key twice": _in("strictJson", "name in result || ", "", "parts"),
    "any nesting": _in(
        "strictJson", "value(levels - 1));\n    while", "value(levels));\n    while", "parts"
    ),
    "another manifest": _in(
        "wordBundle",
        "if (verifyHashes && digestOf(content) !== sha256) throw changed(pathOf(name));",
        "",
        "files",
    ),
    "any graph": _in(
        "wordBundle",
        "!digestOf(randomizer).startsWith(",
        "false && digestOf(randomizer).startsWith(",
        "files",
    ),
    # State.
    "a key that isn't new": _in(
        "memory", "systemRandom(KEY_SIZE)", "new Uint8Array(KEY_SIZE)", "memory"
    ),
    "draws of every word alike": _in("memory", "numbers, kind, whole]", "numbers, kind]", "golden"),
    "a limit that may be passed": _in(
        "privacyBudget",
        "if (spent > this.#limit)",
        "if (state.spent > this.#limit)",
        "privacyBudget",
    ),
}


def failures(code: Path, tests: list[str]) -> list[str]:
    """Return the tests that fail in a copy; what loops fails, too."""
    esbuild = ["node", "build-tests.mjs"]
    done = subprocess.run(esbuild, cwd=code, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"it isn't compiled: {done.stderr.strip()[-300:]}")
    failed = []
    environment = {name: value for name, value in os.environ.items() if name != "BRR_WORK"}
    for name in tests:
        command = ["node", "--test", "--test-reporter=tap", f"out/test/{name}.test.js"]
        try:
            done = subprocess.run(
                command,
                cwd=code,
                env=environment,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            failed.append(f"{name}, which doesn't end")
            continue
        found = [
            f"{name}: {test}" for test in re.findall(r"^not ok \d+ - (.*)$", done.stdout, re.M)
        ]
        if not found and not re.search(r"^ok \d+ - ", done.stdout, re.M):
            raise RuntimeError(f"no test of {name} runs")
        failed += found
    return failed


BUILD = """
import { readdirSync } from "node:fs";
import { buildSync } from "esbuild";
const entryPoints = ["src", "test"].flatMap((folder) =>
  readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`));
buildSync({ entryPoints, outdir: "out", outbase: ".", format: "esm", target: "es2022" });
"""


def copied(folder: Path) -> Path:
    """Copy the library, with what its tests read."""
    for name in ("runtime", "android_demo"):
        (folder / name).symlink_to(ROOT / name)
    code = folder / "web_demo"
    for name in ("src", "test"):
        shutil.copytree(WEB / name, code / name)
    for name in ("package.json", "tsconfig.json"):
        shutil.copy(WEB / name, code)
    (code / "node_modules").symlink_to(WEB / "node_modules")
    (code / "build-tests.mjs").write_text(BUILD, "utf-8")
    return code


if __name__ == "__main__":
    sys.exit(try_all(sys.argv[1:], MUTATIONS, copied, failures))
