"""The command line, in this process, and in one of its own where only that shows something."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import EntryPoint, EntryPoints, version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import click
import numpy as np
import pytest
from bundle_tools import contents, leftovers, rewrite, text_embeddings, toy_embeddings

from brrkit import Counts, Reporter, WordBundle
from brrkit.mechanisms import MECHANISMS
from brrkit.messages import printable
from brrkit.setting import CountsSetting
from brrkit_toolchain.bundle.build import build_bundle
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.cli import ADDED_COMMANDS, cli
from brrkit_toolchain.cli.shared import PATH
from brrkit_toolchain.cli.shared.outputs import OUTPUT
from brrkit_toolchain.embeddings import sample_path

if TYPE_CHECKING:
    from conftest import Brr

BRR = ("--mechanism", "brr")
"""At a large epsilon it gives back what it gets."""

COMMAND = [sys.executable, "-m", "brrkit_toolchain"]
COMMANDS = [
    "build", "inspect", "verify", "measure", "calibrate", "audit", "report", "privatize", "guess",
    "estimate", "vectors", "neighbors", "evaluate",
]  # fmt: skip

SECRET = "xqzqvblorf"
"""In no vocabulary, and in no message."""


@click.command()
@click.argument("source", type=PATH)
@click.option("--output", type=OUTPUT)
def copy(source: Path, output: Path) -> None:
    """Copy a file."""


def vocabulary(bundle: Path) -> set[str]:
    opened = WordBundle.open(bundle)
    return set(opened.vocabulary)


@pytest.fixture(scope="session")
def foreign_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle whose words are all outside ASCII."""
    folder = tmp_path_factory.mktemp("foreign")
    words = ["мир", "日本", "naïve", "ångström", "ελλάδα"]
    vectors = np.random.default_rng(0).standard_normal((len(words), 8)).round(3)
    (folder / "words.txt").write_bytes(text_embeddings(words, vectors))
    build_bundle(folder / "words.txt", folder / "bundle", BuildPlan(bits=64, method="lsh"))
    return folder / "bundle"


class TestGeneral:
    @pytest.mark.parametrize("command", [None, *COMMANDS])
    def test_help(self, brr: Brr, command: str | None) -> None:
        outcome = brr(*filter(None, [command]), "--help")
        assert (outcome.code, outcome.err) == (0, "")
        assert outcome.out.startswith("Usage: ")
        assert "\\b" not in outcome.out
        assert brr(*filter(None, [command]), "-h").out == outcome.out
        assert command or all(f"\n  {each} " in outcome.out for each in COMMANDS)

    def test_version(self, brr: Brr) -> None:
        outcome = brr("--version")
        assert (outcome.code, outcome.err) == (0, "")
        assert outcome.out == f"brr, version {version('brrkit')}\n"

    @pytest.mark.parametrize(
        ("typed", "offered"),
        [("brr pri", {"privatize"}), ("brr build --te", {"--text", "--text-column"})],
    )
    def test_completion(self, typed: str, offered: set[str]) -> None:
        command = Path(sys.executable).with_name("brr")
        asked = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
        done = subprocess.run(
            [command],
            env={**os.environ, **asked, "_BRR_COMPLETE": "bash_complete"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert {line.removeprefix("plain,") for line in done.stdout.split()} == offered

    def test_without_a_command_it_shows_the_help(self, brr: Brr) -> None:
        outcome = brr()
        assert outcome.code == 2
        assert "privatize" in outcome.out + outcome.err

    def test_the_installed_command(self) -> None:
        command = Path(sys.executable).with_name("brr")
        done = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
        assert done.stdout.startswith("brr, version")

    @pytest.mark.parametrize(
        ("missing", "arguments"),
        [
            ("click", ["--help"]),
            ("tensorflow", ["adept", "train", "--data", "sentences.txt", "--output", "model"]),
            ("jinja2", ["report", "bundle"]),  # before anything is measured
        ],
    )
    def test_without_the_toolchains_dependencies(
        self, missing: str, arguments: list[str], tmp_path: Path
    ) -> None:
        (tmp_path / "sentences.txt").write_text("show me flights\n" * 2)
        program = f"""
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Block())
from brrkit_toolchain.__main__ import main
main()
"""
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )
        assert done.returncode == 1
        assert done.stdout == ""
        clone = Path(__file__).parents[3]  # from where it is installed
        brought_by = {"jinja2": f"'{clone}[evaluate]'", "tensorflow": "brrkit-adept"}
        brought = brought_by.get(missing, f"'{clone}[toolchain]'")
        assert done.stderr == f"Error: {missing} is missing; run: pip install {brought}\n"
        assert leftovers(tmp_path) == ["sentences.txt"]

    def test_without_the_distribution_of_a_command(
        self, brr: Brr, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("brrkit_toolchain.cli.entry_points", lambda **_: EntryPoints())
        monkeypatch.delitem(cli.commands, "adept", raising=False)
        outcome = brr("adept", "train")
        problem = "brr adept is a separate distribution; run: pip install brrkit-adept"
        assert (outcome.code, outcome.err) == (1, f"Error: {problem}\n")
        assert "adept" not in brr("--help").out

    def test_a_command_of_another_distribution(
        self, brr: Brr, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It is listed, and keeps the rules of all: here, that its output isn't its input."""
        added = EntryPoints([EntryPoint("copy", f"{__name__}:copy", ADDED_COMMANDS)])
        monkeypatch.setattr("brrkit_toolchain.cli.entry_points", added.select)
        monkeypatch.setattr(cli, "commands", dict(cli.commands))
        assert re.search("^  copy +Copy a file.$", brr("--help").out, re.MULTILINE)
        outcome = brr("copy", __file__, "--output", __file__)
        assert outcome.code == 1
        assert "is an input of this command" in outcome.err


class TestBuild:
    @pytest.fixture
    def toy(self, tmp_path: Path) -> Path:
        (tmp_path / "toy.txt").write_bytes(toy_embeddings(200) + b"</s>" + b" 1" * 16 + b"\n")
        with (tmp_path / "toy.txt").open("ab") as file:
            file.write(b"u.s." + b" 1" * 16 + b"\n")
        return tmp_path / "toy.txt"

    def test_json(self, brr: Brr, toy: Path, tmp_path: Path) -> None:
        output = tmp_path / "bundle"
        options = ["--bits", 64, "--method", "lsh", "--seed", 9, "--vocabulary-size", 50, "--json"]
        outcome = brr("build", "--embeddings", toy, "--output", output, *options)
        assert (outcome.code, outcome.err) == (0, "")
        printed = json.loads(outcome.out)
        assert printed["output"] == str(output)
        assert printed["sizes"] == {name: len(c) for name, c in contents(output).items()}
        assert printed["manifest"] == json.loads((output / "manifest.json").read_bytes())
        assert printed["manifest"]["method"]["seed"] == 9
        assert printed["manifest"]["vocabulary_size"] == 50
        also = {"leading_nowhere", "filled"}
        assert set(printed) == {"output", "sizes", "skipped", "stages", "manifest"} | also
        stages = "embeddings language codes policy quality distances utility attacks bundle"
        assert list(printed["stages"]) == stages.split()

    def test_text_force_and_word_list(self, brr: Brr, toy: Path, tmp_path: Path) -> None:
        (tmp_path / "list.txt").write_text("w1\nW2\nw3\nunheard\n")
        command = ["build", "--embeddings", toy, "--output", tmp_path / "bundle"]
        command += ["--bits", 64, "--method", "lsh"]
        outcome = brr(*command)
        assert (outcome.code, outcome.err) == (0, "")
        assert "Bundle of 200 words x 64 bits" in outcome.out
        assert "\n  typable     200 of 200 words\n" in outcome.out
        skipped = "2 rows: 1 marker such as </s>, 1 with signs that texts are cut at"
        assert f"\n  skipped     {skipped}\n" in outcome.out
        assert outcome.out.endswith(f"Wrote {tmp_path / 'bundle'}\n")
        assert brr(*command).code == 1
        assert brr(*command, "--force", "--word-list", tmp_path / "list.txt").code == 0
        assert vocabulary(tmp_path / "bundle") == {"w1", "w2", "w3"}
        assert WordBundle.open(tmp_path / "bundle").manifest["source"]["word_list"] is True

    def test_without_embeddings_it_takes_the_sample(
        self, brr: Brr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        outcome = brr("build", "--bits", 64, "--method", "lsh", "--vocabulary-size", 100)
        assert outcome.code == 0
        manifest = json.loads((tmp_path / "bundle" / "manifest.json").read_bytes())
        assert manifest["source"]["name"] == sample_path().name


class AskedError(Exception):
    """What a command asked a function for."""


@pytest.mark.parametrize(
    ("function", "call"),
    [
        ("brrkit_toolchain.bundle.build.build_bundle", ("build",)),
        ("brrkit_toolchain.bundle.verify.verify_bundle", ("verify", "BUNDLE")),
        (
            "brrkit_toolchain.report.write_report_page",
            ("report", "BUNDLE", "--output", "page.html"),
        ),
        ("brrkit_toolchain.audit.audit_setting", ("audit", "BUNDLE")),
        ("brrkit_toolchain.audit.audit_mechanism", ("audit", "BUNDLE", "--mechanism", "brr")),
        ("brrkit_toolchain.audit.audit_factory", ("audit", "BUNDLE", "--factory", "m:f")),
        ("brrkit_toolchain.audit.audit_vectors", ("audit", "--factory", "m:f", "--metric", "any")),
        (
            "brrkit_counting.estimate.from_files.estimate_frequencies",
            ("estimate", "r", "--bundle", "BUNDLE"),
        ),
        (
            "brrkit_toolchain.channel.posterior_vectors.posterior_vectors",
            ("vectors", "BUNDLE", "--embeddings", "e.txt", "--output", "v.txt"),
        ),
        (
            "brrkit_toolchain.privatize.run.privatize_file",
            ("privatize", "BUNDLE", "--input", "i.txt", "--output", "o.txt"),
        ),
    ],
)
def test_commands_ask_for_progress_bars(
    brr: Brr, bundle: Path, monkeypatch: pytest.MonkeyPatch, function: str, call: tuple[str, ...]
) -> None:
    def asked(*arguments: object, **options: object) -> None:
        raise AskedError(options["progress"])

    monkeypatch.chdir(bundle.parent)
    # By name: tests of what is missing leave modules that their packages no longer have.
    module, _, name = function.rpartition(".")
    monkeypatch.setattr(import_module(module), name, asked)
    with pytest.raises(AskedError, match="True"):
        brr(*(bundle if part == "BUNDLE" else part for part in call))


class TestInspect:
    def test_text_and_json(self, brr: Brr, bundle: Path) -> None:
        (bundle / "parity.json").unlink()  # as on a device
        outcome = brr("inspect", bundle)
        assert (outcome.code, outcome.err) == (0, "")
        assert "Bundle of 2,000 words x 64 bits" in outcome.out
        assert "P_avg" in outcome.out
        assert "P_max" in outcome.out
        named = re.search(r"^  manifest    sha256 (\w+), which batches name$", outcome.out, re.M)
        reporter = Reporter(Counts(WordBundle.open(bundle), CountsSetting(9.0)))
        reporter.add(["the"])
        batch = reporter.batch("2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z")
        assert batch is not None
        assert named is not None
        assert named[1] == json.loads(batch)["bundle"]
        outcome = brr("inspect", bundle, "--json")
        assert (outcome.code, outcome.err) == (0, "")
        assert json.loads(outcome.out) == json.loads((bundle / "manifest.json").read_bytes())

    def test_distances_that_are_estimated(self, brr: Brr, bundle: Path) -> None:
        stated = {"average": 9.5, "maximum": 20, "exact": False, "average_error": 0.0123}
        rewrite(bundle, edit=lambda manifest: manifest["distances"].update(euclidean=stated))
        outcome = brr("inspect", bundle)
        assert "P_avg 9.5 (+-0.012), P_max at least 20\n" in outcome.out


class TestVerify:
    def test_right_bundle_with_reports(self, brr: Brr, sample_bundle: Path, tmp_path: Path) -> None:
        reports = tmp_path / "report.json", tmp_path / "report.xml"
        outcome = brr("verify", sample_bundle, "--json", reports[0], "--junit", reports[1])
        assert (outcome.code, outcome.err) == (0, "")
        assert outcome.out.count("ok  ") == 6
        assert "FAIL" not in outcome.out
        assert outcome.out.endswith("all 6 checks passed\n")
        assert json.loads(reports[0].read_bytes())["passed"] is True
        assert ElementTree.parse(reports[1]).getroot().get("failures") == "0"

    def test_wrong_bundle_with_reports(self, brr: Brr, bundle: Path, tmp_path: Path) -> None:
        (bundle / "parity.json").write_bytes(b"{}")
        reports = tmp_path / "report.json", tmp_path / "report.xml"
        outcome = brr("verify", bundle, "--json", reports[0], "--junit", reports[1])
        assert outcome.code == 1
        assert outcome.err == f"Error: {bundle}: failed: files\n"
        assert "FAIL  files" in outcome.out
        assert json.loads(reports[0].read_bytes())["passed"] is False
        assert ElementTree.parse(reports[1]).getroot().get("failures") == "1"


class TestPrivatize:
    @pytest.mark.parametrize("mechanism", MECHANISMS)
    def test_a_line_for_each_line(self, brr: Brr, sample_bundle: Path, mechanism: str) -> None:
        text = "The old town of London\n\n  \n,.!\nyears ago\r\n" + SECRET + "\n\nno newline"
        options = ["--epsilon", 1, "--mechanism", mechanism]
        outcome = brr("privatize", sample_bundle, *options, stdin=text.encode())
        assert (outcome.code, outcome.err) == (0, "")
        lines = [line.split(" ") if line else [] for line in outcome.out.split("\n")]
        assert lines.pop() == []
        assert [len(line) for line in lines] == [5, 0, 0, 0, 2, 1, 0, 2]
        assert {word for line in lines for word in line} <= vocabulary(sample_bundle)

    @pytest.mark.parametrize(
        ("text", "lines"),
        [(b"", 0), (b"\n", 1), (b"\r\n\r\n", 2), (b"the\rtown", 1), ("a\u2028b\x85c".encode(), 1)],
    )
    def test_only_newlines_end_lines(
        self, brr: Brr, sample_bundle: Path, text: bytes, lines: int
    ) -> None:
        outcome = brr("privatize", sample_bundle, "--epsilon", 1, stdin=text)
        assert (outcome.code, outcome.out.count("\n")) == (0, lines)

    def test_the_sample_takes_no_build(self, brr: Brr, tmp_path: Path) -> None:
        words = vocabulary(WordBundle.sample().path)
        outcome = brr("privatize", "--sample", stdin=b"book me a flight\n")
        assert (outcome.code, outcome.err) == (0, "")
        assert len(outcome.out.split()) == 4
        assert set(outcome.out.split()) <= words
        (tmp_path / "in.txt").write_text("book me a flight\n")
        output = tmp_path / "out.txt"
        outcome = brr("privatize", "--sample", "--input", tmp_path / "in.txt", "--output", output)
        assert (outcome.code, outcome.out) == (0, f"Wrote 1 rows to {output}\n")
        assert set(output.read_text().split()) <= words

    def test_a_bundle_or_the_sample(self, brr: Brr, sample_bundle: Path) -> None:
        for given in ((), (sample_bundle, "--sample")):
            outcome = brr("privatize", *given, stdin=b"the\n")
            assert (outcome.code, outcome.out) == (2, "")
            assert "give a BUNDLE, or --sample" in outcome.err

    def test_file(self, brr: Brr, sample_bundle: Path, tmp_path: Path) -> None:
        """A byte order mark is no word."""
        (tmp_path / "text.txt").write_bytes(b"\xef\xbb\xbfthe town\nof london\n")
        # At this epsilon a bit flips with probability 2e-10: the text stays as it is.
        command = ["privatize", sample_bundle, "--epsilon", 22.18, *BRR]
        outcome = brr(*command, "--input", tmp_path / "text.txt")
        assert (outcome.code, outcome.out) == (0, "the town\nof london\n")
        assert brr(*command, stdin=b"\xef\xbb\xbfthe\n").out == "the\n"

    @pytest.mark.parametrize(("ts", "rank"), [(["0"], 0), (["1"], 1), (["0", "9", "9"], 0)])
    def test_t_of_vickrey(self, brr: Brr, sample_bundle: Path, ts: list[str], rank: int) -> None:
        # No bit flips, so the word itself is at distance 0, and the next one some bits away.
        nearest = ["london", WordBundle.open(sample_bundle).neighbors("london", 1)[0][0]]
        options = [option for t in ts for option in ("-t", t)]
        command = ["privatize", sample_bundle, "--epsilon", 22, "--mechanism", "vickrey", *options]
        outcome = brr(*command, stdin=b"london")
        assert (outcome.code, outcome.out) == (0, nearest[rank] + "\n")

    def test_radius_of_exponential(self, brr: Brr, sample_bundle: Path) -> None:
        """Without one each word stays; where all words are within it, an eighth of ε counts."""
        text = b"the town of london " * 10
        command = ["privatize", sample_bundle, "--base", "uniform", "--radius", 0, "--epsilon"]
        assert brr(*command, 22.18, stdin=text).out.split() == text.decode().split()
        command[5] = 64
        everything = brr(*command, 1, stdin=text).out.split()
        assert sum(word in text.decode().split() for word in everything) < 10

    def test_budget_stops_between_lines_and_is_remembered(
        self, brr: Brr, sample_bundle: Path, tmp_path: Path
    ) -> None:
        state = tmp_path / "budget.json"
        command = ["privatize", sample_bundle, "--epsilon", 10, *BRR, "--budget", 35, 86400, state]
        outcome = brr(*command, stdin=f"the town\nof {SECRET} london\nthe\n".encode())
        assert (outcome.code, outcome.out) == (1, "the town\n")
        assert outcome.err.startswith("Error: line 2: the privacy budget")
        assert outcome.err.count("\n") == 1
        assert SECRET not in outcome.err
        assert brr(*command, stdin=b"the\n").code == 0
        assert brr(*command, stdin=b"the\n").code == 1

    def test_a_memory_draws_a_word_once(
        self, brr: Brr, sample_bundle: Path, tmp_path: Path
    ) -> None:
        def released(file: str, *more: object) -> str:
            command = ["privatize", sample_bundle, "--epsilon", 0.01, *BRR, "--second-epsilon", 22]
            outcome = brr(*command, "--memory", 86400, tmp_path / file, *more, stdin=text)
            assert outcome.code == 0
            return outcome.out

        text = f"the town of {SECRET} and the town of london\n".encode() * 2
        first = released("memory")
        assert released("memory") == first != released("another")
        words = first.split()
        assert words[:9] == words[9:]
        assert words[:4] == [*words[5:8], words[3]]
        assert SECRET not in (tmp_path / "memory").read_text()

    def test_a_damaged_memory_stops(self, brr: Brr, sample_bundle: Path, tmp_path: Path) -> None:
        file = tmp_path / "memory"
        file.write_text("{}")
        command = ["privatize", sample_bundle, "--epsilon", 1, *BRR]
        outcome = brr(*command, "--memory", 60, file, stdin=f"{SECRET}\n".encode())
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err.startswith(f"Error: line 1: {file}: not a memory's key, or damaged")
        assert SECRET not in outcome.err
        assert file.read_text() == "{}"
        outcome = brr(*command, "--second-epsilon", 1, stdin=b"the\n")
        assert outcome.code == 1
        assert "give --memory" in outcome.err

    def test_oov_error_names_the_place_and_not_the_word(
        self, brr: Brr, sample_bundle: Path
    ) -> None:
        text = f"the town\nthe old {SECRET} of\nlondon\n".encode()
        command = ["privatize", sample_bundle, "--epsilon", 22, *BRR, "--oov"]
        assert brr(*command, "drop", stdin=text).out == "the town\nthe old of\nlondon\n"
        outcome = brr(*command, "error", stdin=text)
        assert outcome.code == 1
        assert outcome.out == "the town\n"
        assert outcome.err.startswith("Error: line 2: word 3 of 4 is out of vocabulary")
        assert outcome.err.count("\n") == 1
        assert SECRET not in outcome.err

    def test_text_that_is_not_utf_8(self, brr: Brr, sample_bundle: Path, tmp_path: Path) -> None:
        file = tmp_path / "latin.txt"
        file.write_bytes(b"the town\nof london\ncaf\xe9 " + SECRET.encode() + b"\nthe\n")
        outcome = brr("privatize", sample_bundle, "--input", file, "--epsilon", 22, *BRR)
        assert outcome.code == 1
        assert outcome.out == "the town\nof london\n"
        assert outcome.err == f"Error: {file}: line 3 isn't UTF-8; convert the text first\n"

    @pytest.mark.false_alarm(1e-9)
    def test_text_comes_out_in_utf_8_as_it_goes_in(self, foreign_bundle: Path) -> None:
        done = subprocess.run(
            [*COMMAND, "privatize", foreign_bundle, "--epsilon", "22", *BRR],
            input="Мир\nΕΛΛΆΔΑ naïve\n".encode(),
            capture_output=True,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.decode() == "мир\nελλάδα naïve\n"

    @pytest.mark.false_alarm(1e-9)
    def test_each_line_comes_out_before_the_next_goes_in(self, sample_bundle: Path) -> None:
        command = [*COMMAND, "privatize", str(sample_bundle), "--epsilon", "22", *BRR]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        ) as process:
            assert process.stdin
            assert process.stdout
            for line in (b"the town\n", b"\n", b"of london\n"):
                process.stdin.write(line)
                assert process.stdout.readline() == line
            process.stdin.close()
            assert process.wait() == 0

    def test_reader_that_goes_away(self, sample_bundle: Path) -> None:
        command = [*COMMAND, "privatize", str(sample_bundle), "--epsilon", "1"]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdin
            assert process.stdout
            assert process.stderr
            process.stdin.write(b"the town\n")
            process.stdin.flush()
            process.stdout.readline()
            process.stdout.close()
            process.stdin.write(b"of london\n" * 100)
            process.stdin.close()
            errors = process.stderr.read()
            process.wait()
        assert process.returncode != 0
        assert errors == b""


class TestNeighbors:
    def test_text_and_json(self, brr: Brr, sample_bundle: Path) -> None:
        outcome = brr("neighbors", sample_bundle, "London", "years", "-k", 3)
        assert (outcome.code, outcome.err) == (0, "")
        first, second = outcome.out.splitlines()
        expected = WordBundle.open(sample_bundle).neighbors("london", 10)
        assert first == "London: " + ", ".join(f"{word} ({d})" for word, d in expected[:3])
        assert second.startswith("years: ")
        outcome = brr("neighbors", sample_bundle, "london", "--json")
        assert (outcome.code, outcome.err) == (0, "")
        rows = [{"word": word, "distance": d} for word, d in expected]
        assert json.loads(outcome.out) == {"london": rows}

    def test_what_is_wrong_is_said_without_the_word(self, brr: Brr, sample_bundle: Path) -> None:
        outcome = brr("neighbors", sample_bundle, SECRET)
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err.startswith("Error: ")
        assert outcome.err.count("\n") == 1
        assert SECRET not in outcome.err
        outcome = brr("neighbors", sample_bundle, "london", "-k", 2000)
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err == "Error: -k must be from 1 to 1999, not 2000\n"


class TestStreams:
    """Standard streams that are closed, full, or refuse a character."""

    def run(self, sample_bundle: Path, *arguments: str, shell: str) -> tuple[int, str, str]:
        command = shlex.join([*COMMAND, *arguments])
        done = subprocess.run(
            ["sh", "-c", f"{command} {shell}"],
            cwd=sample_bundle.parent,
            capture_output=True,
            check=False,
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def test_closed_input(self, sample_bundle: Path) -> None:
        arguments = ("privatize", sample_bundle.name, "--epsilon", "1")
        code, out, err = self.run(sample_bundle, *arguments, shell="<&-")
        assert (code, out) == (1, "")
        assert err == "Error: standard input is closed; name a file, or pipe a text into it\n"

    def test_closed_output(self, sample_bundle: Path) -> None:
        code, out, err = self.run(sample_bundle, "inspect", sample_bundle.name, shell=">&-")
        assert (code, out) == (1, "")
        assert err == (
            "Error: standard output is closed; send it to /dev/null if nobody reads it\n"
        )

    def test_full_output(self, sample_bundle: Path) -> None:
        code, _, err = self.run(sample_bundle, "inspect", sample_bundle.name, shell=">/dev/full")
        assert code == 1
        assert err == "Error: standard output: No space left on device; check the output\n"

    def test_nowhere_to_complain(self, sample_bundle: Path) -> None:
        for shell in ("2>&-", "2>/dev/full"):
            assert self.run(sample_bundle, "inspect", "missing", shell=shell) == (1, "", "")
        code, out, _ = self.run(sample_bundle, "inspect", sample_bundle.name, shell="2>&-")
        assert code == 0
        assert "2,000 words x 64 bits" in out

    def test_no_file_gets_the_number_of_a_closed_stream(self, tmp_path: Path) -> None:
        """A library's message would be written into it."""
        program = (
            "import os; from brrkit_toolchain.__main__ import _open_closed_streams as o; o();"
            "print(os.open('new', os.O_CREAT), file=open('number', 'w'))"
        )
        command = shlex.join([sys.executable, "-c", program])
        done = subprocess.run(["sh", "-c", f"{command} <&- >&- 2>&-"], cwd=tmp_path, check=False)
        assert done.returncode == 0
        assert int((tmp_path / "number").read_text()) > 2


class TestNames:
    """Names of files that no terminal should see as they are."""

    NAMES = ("caf\udce9", "red\x1b[31m", "two\nlines", "\u202egnp", "n" * 3_000)

    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("command", ["inspect", "verify", "privatize", "report"])
    def test_in_errors(self, brr: Brr, command: str, name: str) -> None:
        outcome = brr(command, name)
        assert outcome.code == 1
        assert outcome.err.startswith("Error: ")
        assert len(outcome.err) <= len("Error: ") + 400 + 1
        assert all(c.isprintable() for c in outcome.err[:-1])

    @pytest.mark.parametrize("name", NAMES)
    def test_in_wrong_usage(self, brr: Brr, name: str) -> None:
        outcome = brr("build", f"--{name}")
        assert outcome.code == 2
        assert len(outcome.err) <= len("Error: ") + 400 + 1
        assert all(c.isprintable() for c in outcome.err[:-1])

    @pytest.mark.parametrize("name", NAMES[:2])
    def test_of_embeddings_and_output(self, brr: Brr, tmp_path: Path, name: str) -> None:
        (tmp_path / name).write_bytes(toy_embeddings(40))
        options = ["--bits", "64", "--method", "lsh", "--output", tmp_path / f"{name}.bundle"]
        outcome = brr("build", "--embeddings", tmp_path / name, *options)
        assert (outcome.code, outcome.err) == (0, "")
        assert all(c.isprintable() or c == "\n" for c in outcome.out)
        assert printable(name) in outcome.out
        assert WordBundle.open(tmp_path / f"{name}.bundle").bits == 64

    def test_json_has_no_control_characters(self, brr: Brr, bundle: Path) -> None:
        rewrite(bundle, edit=lambda fields: fields["source"].update(name="a\x9b31m\x7f\x1b"))
        outcome = brr("inspect", bundle, "--json")
        assert all(c.isprintable() or c == "\n" for c in outcome.out)
        assert json.loads(outcome.out)["source"]["name"] == "a\x9b31m\x7f\x1b"


def test_a_defect_is_not_hidden(
    brr: Callable[..., Any], sample_bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def defect(*arguments: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(WordBundle, "neighbors", defect)
    with pytest.raises(RuntimeError):
        brr("neighbors", sample_bundle, "london")
