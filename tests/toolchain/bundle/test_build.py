"""Building: what is in a bundle, that it is reproducible, and that it appears whole or not."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import pty
import shutil
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from bundle_tools import (
    ENCYCLOPEDIA,
    FILES,
    brute_force_distances,
    contents,
    leftovers,
    toy_embeddings,
)
from forks import Forks, forking

from brrkit import WordBundle
from brrkit.bundle import MANIFEST, PARITY
from brrkit.mechanisms import MECHANISMS
from brrkit_toolchain.bundle import build as build_module
from brrkit_toolchain.bundle.build import BuildResult, build_bundle
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.embeddings import read_embeddings
from brrkit_toolchain.io.errors import OutputError
from brrkit_toolchain.utility.neighbors import neighbor_overlap

Build = Callable[..., BuildResult]
End = Callable[[Path, str, int], tuple[int, str]]
Interrupt = Callable[[Path, str, int], str]


@pytest.fixture
def embeddings(tmp_path: Path) -> Path:
    folder = tmp_path / "input"
    folder.mkdir()
    (folder / "toy.txt").write_bytes(toy_embeddings(300))
    return folder / "toy.txt"


@pytest.fixture
def build(embeddings: Path, tmp_path: Path) -> Build:
    def run(name: str = "bundle", **options: Any) -> BuildResult:
        options = {"bits": 64, "method": "lsh"} | options
        return build_bundle(embeddings, tmp_path / "output" / name, BuildPlan(**options))

    return run


class TestContent:
    def test_four_files(self, sample_bundle: Path) -> None:
        assert leftovers(sample_bundle) == sorted(FILES)
        assert leftovers(sample_bundle.parent) == [sample_bundle.name]

    def test_manifest_describes_the_build(self, sample_bundle: Path) -> None:
        manifest = json.loads((sample_bundle / MANIFEST).read_bytes())
        source = ENCYCLOPEDIA
        assert (manifest["format"], manifest["format_version"]) == ("brr-bundle", 3)
        assert (manifest["bits"], manifest["vocabulary_size"]) == (64, 2000)
        assert manifest["bigrams"] == 0
        assert manifest["base"] == {"masses": "ranks", "text": None}
        digest = hashlib.sha256(source.read_bytes()).hexdigest()
        assert manifest["source"] == {
            **{"name": source.name, "sha256": digest, "format": "word2vec text"},
            **{"dimensions": 128, "word_list": False},
        }
        assert manifest["method"] == {
            **{"name": "lsh", "effort": "medium", "seed": 3, "settings": {}},
            **{"version": version("brrkit"), "machine_dependent": True},
        }
        assert set(manifest) == {
            "format", "format_version", "bits", "vocabulary_size", "bigrams", "source", "base",
            "method", "quality", "distances", "utility", "attack", "files", "sha256",
        }  # fmt: skip
        for name, entry in manifest["files"].items():
            content = (sample_bundle / name).read_bytes()
            assert entry == {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        assert set(manifest["files"]) == set(FILES) - {MANIFEST}

    def test_manifest_states_what_was_measured(self, sample_bundle: Path) -> None:
        manifest = json.loads((sample_bundle / MANIFEST).read_bytes())
        codes = WordBundle.open(sample_bundle).codes
        vectors = read_embeddings(ENCYCLOPEDIA, vocabulary_size=2000).vectors
        hamming = manifest["distances"]["hamming"]
        pairs = brute_force_distances(codes[:, :])
        assert hamming["average"] == pytest.approx(pairs.mean(), rel=1e-12)
        assert hamming["maximum"] == pairs.max()
        assert (hamming["exact"], hamming["average_error"]) == (True, 0)
        euclidean = manifest["distances"]["euclidean"]
        for kind in ("average", "maximum"):
            ratio = euclidean[kind] / hamming[kind]
            assert manifest["distances"][f"privacy_ratio_{kind}"] == pytest.approx(ratio)
        assert manifest["quality"]["nn10"] == neighbor_overlap(vectors, codes, seed=3)
        assert manifest["quality"]["similarity"] == {}

    def test_the_bundle_has_the_words_in_order(self, sample_bundle: Path) -> None:
        words = read_embeddings(ENCYCLOPEDIA, vocabulary_size=2000).words
        vocabulary = WordBundle.open(sample_bundle).vocabulary
        assert tuple(vocabulary.word(i) for i in range(2000)) == words
        cases = json.loads((sample_bundle / PARITY).read_bytes())["cases"]
        assert {case["mechanism"] for case in cases} == set(MECHANISMS)

    def test_vocabulary_size_and_bits(self, build: Build) -> None:
        bundle = WordBundle.open(build(vocabulary_size=17, bits=512).output)
        assert bundle.bits == 512
        assert bundle.codes.shape == (17, 8)
        assert [bundle.vocabulary.word(i) for i in range(17)] == [f"w{i}" for i in range(17)]
        assert len(WordBundle.open(build("two", vocabulary_size=2).output)) == 2

    def test_word_pairs_beside_the_embeddings_are_found(
        self, build: Build, embeddings: Path
    ) -> None:
        pairs = "".join(f"w{i}\tw{i + 1}\t{i}\n" for i in range(40))
        (embeddings.parent / "wordsim").mkdir()
        (embeddings.parent / "wordsim" / "toy.txt").write_text(pairs)
        similarity = build().manifest["quality"]["similarity"]
        assert list(similarity) == ["toy"]
        assert similarity["toy"]["pairs"] == 40


class TestReproducibility:
    def test_same_seed_gives_the_same_bytes_and_another_other_codes_and_cases(
        self, build: Build
    ) -> None:
        first, again, second = (
            contents(build(name, seed=seed).output)
            for name, seed in (("first", 0), ("again", 0), ("second", 1))
        )
        assert first == again
        different = {name for name in FILES if first[name] != second[name]}
        assert different == {"manifest.json", "index.safetensors", "parity.json"}
        one, other = (
            json.loads(files["parity.json"])["cases"][0]["random"] for files in (first, second)
        )
        assert one != other

    def test_same_bytes_from_a_fresh_process_and_this_one(
        self, build: Build, embeddings: Path, tmp_path: Path
    ) -> None:
        first = contents(build("here", seed=5).output)
        output = tmp_path / "there"
        command = [sys.executable, "-m", "benchmarks.brr", "build", "--embeddings", embeddings]
        command += ["--output", output]
        done = subprocess.run(
            [*command, "--bits", "64", "--method", "lsh", "--seed", "5"],
            env={**os.environ, "PYTHONHASHSEED": "1", "TQDM_DISABLE": "1"},
            check=True,
            capture_output=True,
        )
        assert contents(output) == first
        assert done.stderr == b""


class TestRefusal:
    @pytest.fixture
    def no_work(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def work(*arguments: object, **options: object) -> None:
            raise AssertionError("the embeddings are read before the output is checked")

        monkeypatch.setattr(build_module, "read_embeddings", work)

    @pytest.mark.usefixtures("no_work")
    def test_an_existing_bundle_is_refused_before_any_work(self, bundle: Path) -> None:
        before = contents(bundle)
        with pytest.raises(OutputError, match="give force"):
            build_bundle(ENCYCLOPEDIA, bundle)
        assert contents(bundle) == before


IMPORTS = """
import time
from pathlib import Path
import benchmarks.baselines
import brrkit_toolchain.bundle.build as build, brrkit_toolchain.bundle.writer as bundle, faiss
from brrkit_toolchain.__main__ import main
from brrkit_toolchain.utility import mechanism

mechanism._ATTACK_DRAWS = 1_000  # draws: what is measured isn't looked at
benchmarks.baselines.add_baselines()
"""

# Runs ``brr`` with one function replaced by one that says so and then waits to be ended.
STOPPED = """
def wait(*arguments, **options):
    print("waiting", flush=True)
    while True:
        time.sleep(1)

rename = Path.rename
def rename_and_wait(path, target):
    if ".building-" in path.parent.name:
        wait()
    return rename(path, target)

stage = sys.argv.pop(1)
if stage == "codes":
    build.make_codes = wait
elif stage == "files":
    bundle.os.fsync = wait
else:
    bundle.exchange = lambda first, second: wait() if stage == "exchange" else False
    Path.rename = rename_and_wait
main()
"""


@pytest.fixture(scope="class")
def stopped() -> Iterator[Forks]:
    with forking(IMPORTS, STOPPED) as forks:
        yield forks


class TestInterruption:
    @pytest.fixture(autouse=True)
    def heed_interrupts(self) -> Iterator[None]:
        """What runs in the background of a shell ignores SIGINT, and so do its children."""
        previous = signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
        signal.signal(signal.SIGINT, previous)

    @pytest.fixture
    def fresh(self, tmp_path: Path) -> Path:
        (tmp_path / "output").mkdir()
        return tmp_path / "output" / "bundle"

    @pytest.fixture
    def replaced(self, fresh: Path, sample_bundle: Path) -> Path:
        return Path(shutil.copytree(sample_bundle, fresh))

    @pytest.fixture
    def end(self, stopped: Forks, embeddings: Path) -> End:
        """End a build in a stage; return its exit code and standard error."""

        def run(output: Path, stage: str, number: int) -> tuple[int, str]:
            options = ["--output", output, "--bits", "64", "--method", "lsh", "--force"]
            process = stopped.start(stage, "build", "--embeddings", embeddings, *options)
            assert process.stdout.readline() == "waiting\n"
            os.kill(process.pid, number)
            code, _, errors = process.wait()
            return code, errors

        return run

    @pytest.fixture
    def interrupt(self, end: End) -> Interrupt:
        """End a build in a stage; check what it leaves; return its standard error."""

        def run(output: Path, stage: str, number: int) -> str:
            before = leftovers(output.parent)
            old = contents(output) if output.exists() else {}
            code, errors = end(output, stage, number)
            assert code == (-number if number == signal.SIGKILL else 130)
            assert leftovers(output.parent) == before
            if old:
                assert contents(output) == old
            return errors

        return run

    @pytest.mark.parametrize(
        ("stage", "number"), [("codes", signal.SIGINT), ("renames", signal.SIGTERM)]
    )
    def test_asked_to_stop(
        self, interrupt: Interrupt, fresh: Path, stage: str, number: signal.Signals
    ) -> None:
        assert interrupt(fresh, stage, number).strip() == "Interrupted."

    @pytest.mark.parametrize(
        ("stage", "number"),
        [
            ("files", signal.SIGTERM),
            ("renames", signal.SIGINT),
            ("exchange", signal.SIGTERM),
        ],
    )
    def test_asked_to_stop_while_it_replaces_a_bundle(
        self, interrupt: Interrupt, replaced: Path, stage: str, number: signal.Signals
    ) -> None:
        assert interrupt(replaced, stage, number).strip() == "Interrupted."

    def test_killed(self, interrupt: Interrupt, replaced: Path) -> None:
        assert interrupt(replaced, "codes", signal.SIGKILL) == ""

    def test_killed_while_it_writes_the_files(self, end: End, bundle: Path) -> None:
        # Nobody can tidy up behind a kill in this instant; what was there isn't touched though.
        old = contents(bundle)
        code, _ = end(bundle, "files", signal.SIGKILL)
        assert code == -signal.SIGKILL
        assert contents(bundle) == old

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
    def test_the_real_command_with_its_progress_bar(
        self, tmp_path: Path, number: signal.Signals
    ) -> None:
        """It reads, and then takes as long as it needs to be ended."""
        program = (
            "import time, brrkit_toolchain.bundle.build as build\n"
            "from brrkit_toolchain.__main__ import main\n"
            "def wait(*arguments, **options):\n"
            "    while True: time.sleep(1)\n"
            "build.make_codes = wait\n"
            "main()\n"
        )
        terminal, stderr = pty.openpty()
        fcntl.ioctl(stderr, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))  # 24 x 80
        with subprocess.Popen(
            [sys.executable, "-c", program, "build", "--output", tmp_path / "bundle"],
            stdout=subprocess.PIPE,
            stderr=stderr,
        ) as process:
            os.close(stderr)
            shown = b""
            while b"Reading sample.vec.xz" not in shown:
                shown += os.read(terminal, 1024)
            process.send_signal(number)
            printed, _ = process.communicate(timeout=600)
        try:
            while more := os.read(terminal, 1024):
                shown += more
        except OSError:  # how Linux reports the end of a terminal
            pass
        os.close(terminal)
        assert process.returncode == (-number if number == signal.SIGKILL else 130)
        assert printed == b""
        assert b"Traceback" not in shown
        assert leftovers(tmp_path) == []
