"""Break the Kotlin libraries on purpose, one place at a time: its tests must fail each time.

    python tests/android/mutations.py [NAME ...]

Takes about a minute for each; needs a JDK 17 and Maven. Each mutation is made in a copy of
``android_demo``, and only the tests of one class run. Prints who killed what, and exits with 1 if
one survives. What ``make test`` runs is the tests; this is for whoever changes them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
SOURCES = {
    "brr": Path("brr/src/main/kotlin/org/brrkit"),
    "brr-keyboard": Path("brr-keyboard/src/main/kotlin/org/brrkit/keyboard"),
}


@dataclass(frozen=True)
class Mutation:
    """A wrong line in place of a right one, and the class of tests that must notice."""

    file: str
    right: str
    wrong: str
    tests: str
    module: str = "brr"


MUTATIONS = {
    "predictable source": Mutation(
        "Randomness.kt",
        "internal val source: SecureRandom = SecureRandom()",
        "internal val source: java.util.Random = java.util.Random(42)",
        "RandomnessTest",
    ),
    "constant source": Mutation(
        "Randomness.kt",
        "override fun fill(bytes: ByteArray): Unit = source.nextBytes(bytes)",
        "override fun fill(bytes: ByteArray): Unit = bytes.fill(7)",
        "RandomnessTest",
    ),
    "cost rounded down": Mutation(
        "PrivacyBudget.kt",
        "inUnits(epsilon, RoundingMode.CEILING)",
        "inUnits(epsilon, RoundingMode.FLOOR)",
        "PrivacyBudgetTest",
    ),
    "limit rounded up": Mutation(
        "PrivacyBudget.kt",
        "inUnits(limit, RoundingMode.FLOOR)",
        "inUnits(limit, RoundingMode.CEILING)",
        "PrivacyBudgetTest",
    ),
    "state not flushed": Mutation(
        "StateFile.kt", "                    it.force(true)\n", "", "PrivacyBudgetTest"
    ),
    "directory not flushed": Mutation(
        "StateFile.kt", ".use { it.force(true) }", ".use { }", "PrivacyBudgetTest"
    ),
    "thresholds in doubles": Mutation(
        "Exact.kt",
        """    settle(checkEpsilon(epsilon).toRational()) { e, precision ->
        ceilDiv(BigInteger.ONE shl 32 + precision, (BigInteger.ONE shl precision) + e)
    }.toLong()""",
        "    Math.ceil(4294967296.0 / (1 + Math.exp(checkEpsilon(epsilon)))).toLong()",
        "GoldenCasesTest",
    ),
    "Vickrey's boundary": Mutation(
        "mechanisms/Vickrey.kt",
        "while (number >= weights[rank])",
        "while (number > weights[rank])",
        "GoldenCasesTest",
    ),
    "radius ignored": Mutation("Exact.kt", "distance < radius", "distance < 0", "GoldenCasesTest"),
    "radius one too large": Mutation(
        "Exact.kt", "distance < radius", "distance <= radius", "GoldenCasesTest"
    ),
    "radius of a manifest unchecked": Mutation(
        "Manifest.kt",
        "(radius !is Long || radius !in 0..bits)",
        "radius !is Long",
        "HostileBundlesTest",
    ),
    "graph self-test off": Mutation(
        "TfLiteRandomizer.kt",
        "if (!orWrong(::flipsRight)) throw wrongInterpreter()",
        "orWrong(::flipsRight)",
        "RandomizerTest",
    ),
    "unsynchronized interpreter": Mutation(
        "TfLiteRandomizer.kt", "        synchronized(this) {", "        run {", "RandomizerTest"
    ),
    "typed word kept": Mutation(
        "Releaser.kt",
        "        thread.run({ consent",
        "        System.setProperty(typed, typed)\n        thread.run({ consent",
        "EndToEndTest",
        "brr-keyboard",
    ),
    "typed word released as it is": Mutation(
        "Releaser.kt",
        "prepared.privatizer.words(tokenize(typed))",
        "tokenize(typed)",
        "EndToEndTest",
        "brr-keyboard",
    ),
    "released without consent": Mutation(
        "Consent.kt", "if (isGiven) action() else null", "action()", "EndToEndTest", "brr-keyboard"
    ),
    "withdrawn words stay": Mutation(
        "Consent.kt",
        "        file.deleteDurably()\n        outbox?.clear()",
        "        file.deleteDurably()",
        "UploaderTest",
        "brr-keyboard",
    ),
    "sent batch takes more words": Mutation(
        "Outbox.kt", "batch.copy(isClosed = true).also", "batch.also", "OutboxTest", "brr-keyboard"
    ),
    "one nonce": Mutation(
        "OutboxKey.kt",
        "ByteArray(NONCE_SIZE).also(SystemRandom::fill)",
        "ByteArray(NONCE_SIZE)",
        "OutboxTest",
        "brr-keyboard",
    ),
    "file's number unauthenticated": Mutation(
        "OutboxKey.kt",
        "            updateAAD(ByteBuffer.allocate(Long.SIZE_BYTES).putLong(number).array())\n",
        "",
        "OutboxTest",
        "brr-keyboard",
    ),
    "device named": Mutation(
        "Transport.kt",
        '            connection.setRequestProperty("User-Agent", "brrkit")\n',
        "",
        "HttpsTransportTest",
        "brr-keyboard",
    ),
}


def prepare(work: Path) -> None:
    """Make what the tests read."""
    subprocess.run(
        ["sh", "tests/phones/prepare.sh", str(work), "100", "256"],
        cwd=ROOT,
        env={**os.environ, "BIN": str(Path(sys.executable).parent)},
        check=True,
        stdout=subprocess.DEVNULL,
    )


def failures(demo: Path, work: Path, module: str, tests: str) -> list[str]:
    """Return the tests of a class that fail in a copy of the libraries.

    Raises:
        RuntimeError: no test ran.
    """
    reports = demo / module / "target" / "surefire-reports"
    shutil.rmtree(reports, ignore_errors=True)
    brr = Path(sys.executable).with_name("brr")
    options = ["-q", "-B", "-ntp", "-pl", module, "-am"]
    options += [f"-Dbrr.work={work}", f"-Dbrr.command={brr}", f"-Dtest={tests}"]
    ended = subprocess.run(
        ["mvn", *options, "-Dsurefire.failIfNoSpecifiedTests=false", "test"],
        check=False,
        cwd=demo,
        capture_output=True,
        text=True,
    )
    suites = [ElementTree.parse(path).getroot() for path in reports.glob("TEST-*.xml")]
    cases = [case for suite in suites for case in suite.iter("testcase")]
    if not cases:
        raise RuntimeError(f"no test ran: {ended.stdout[-2000:]}")
    return [
        case.attrib["name"]
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    ]


def main(names: list[str]) -> int:
    """Try the mutations; return the exit code."""
    survivors = []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / "work"
        prepare(work)
        demo = Path(folder) / "android_demo"
        ignored = shutil.ignore_patterns("surefire-reports")
        shutil.copytree(ROOT / "android_demo", demo, ignore=ignored)
        tried = [MUTATIONS[name] for name in names or MUTATIONS]
        for module, tests in sorted({(mutation.module, mutation.tests) for mutation in tried}):
            if failed := failures(demo, work, module, tests):
                sys.exit(f"{tests} fails without a mutation: {json.dumps(failed)}")
        for name in names or MUTATIONS:
            mutation = MUTATIONS[name]
            file = demo / SOURCES[mutation.module] / mutation.file
            source = file.read_text("utf-8")
            if source.count(mutation.right) != 1:
                sys.exit(f"{name}: {mutation.file} doesn't have its line once; adapt the mutation")
            file.write_text(source.replace(mutation.right, mutation.wrong), "utf-8")
            failed = failures(demo, work, mutation.module, mutation.tests)
            file.write_text(source, "utf-8")
            print(
                f"{name}: {'killed by ' + ', '.join(failed) if failed else 'SURVIVES'}", flush=True
            )
            survivors += [] if failed else [name]
    print(f"{len(survivors)} survive")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
