"""Bad input: one clear line, a non-zero exit code, and nothing left behind."""

from __future__ import annotations

import lzma
import math
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pytest
from bundle_tools import FILES, leftovers, rewrite, toy_embeddings

from brrkit.bundle import INDEX, MANIFEST, RANDOMIZER

if TYPE_CHECKING:
    from conftest import Brr, Outcome

GOOD = toy_embeddings(40)
LINES = GOOD.splitlines(keepends=True)
GARBAGE = bytes(range(256)) * 50
LONG_NAME = "n" * 300
ONE = ("--epsilon", 1)
BRR, VICKREY = ((*ONE, "--mechanism", name) for name in ("brr", "vickrey"))


def assert_one_line(outcome: Outcome, *parts: str) -> None:
    """Check that an outcome is an error in one line that has all of ``parts``."""
    assert outcome.code in {1, 2}
    assert outcome.err.startswith("Error: ")
    assert outcome.err.endswith("\n")
    assert outcome.err.count("\n") == 1
    for part in parts:
        assert part[:100] in outcome.err  # the middle of a long message goes


class TestBuild:
    @pytest.fixture
    def fails(self, brr: Brr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("brrkit_toolchain.embeddings.source_file._download", _no_network)

        def build(*arguments: object, says: tuple[str, ...] = ()) -> None:
            before = leftovers(tmp_path)
            outcome = brr("build", "--output", "bundle", *arguments)
            assert_one_line(outcome, *says)
            assert outcome.out == ""
            assert leftovers(tmp_path) == before

        return build

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            pytest.param(GARBAGE, ["e.txt"], id="bytes of all values"),
            pytest.param(lzma.compress(GOOD)[:-9], ["truncated"], id="truncated xz"),
            pytest.param(GOOD + b"w 1 2 3\n", ["line 41", "3 numbers", "16"], id="fewer columns"),
        ],
    )
    def test_embeddings(self, fails, tmp_path: Path, content: bytes, says: list[str]) -> None:
        """Of every kind that ``test_embeddings_errors.py`` has in full."""
        (tmp_path / "e.txt").write_bytes(content)
        fails("--embeddings", "e.txt", "--bits", 64, "--method", "lsh", says=("e.txt", *says))

    @pytest.mark.parametrize("method", ["lsh", "autoencoder"])
    def test_numbers_whose_squares_overflow(self, brr: Brr, tmp_path: Path, method: str) -> None:
        # Either a bundle or an error.
        (tmp_path / "e.txt").write_bytes(b"a 1e38 2e38 3\nb 2e38 1e38 3\n")
        command = ["build", "--embeddings", tmp_path / "e.txt", "--output", tmp_path / "bundle"]
        outcome = brr(*command, "--bits", 64, "--method", method, "--effort", "low")
        if outcome.code == 0:
            assert leftovers(tmp_path / "bundle") == sorted(FILES)
            assert outcome.err == ""
        else:
            assert_one_line(outcome)
            assert leftovers(tmp_path) == ["e.txt"]

    @pytest.mark.parametrize("name", ["missing", LONG_NAME, "."])
    def test_missing_embeddings(self, fails, name: str) -> None:
        fails("--embeddings", name, says=(name,))

    @pytest.mark.parametrize("option", ["--output", "--word-list", "--word-pairs"])
    def test_no_name(self, fails, option: str) -> None:
        fails(option, "", says=(option, "it is empty"))

    @pytest.mark.parametrize(
        ("option", "value", "says"),
        [
            *(("--bits", bits, ("64 to 512", str(bits))) for bits in (0, 63, 576, -64)),
            *(("--bits", bits, ("--bits",)) for bits in ("x", "64.0", "")),
            ("--method", "magic", ("no such method", "neighborhood, autoencoder")),
            *(("--seed", seed, ("seed", str(seed))) for seed in (-1, 2**32, 10**30)),
            ("--vocabulary-size", 1, ("--vocabulary-size", "1")),
            ("--word-list", ".", (".", "can't be read")),
        ],
    )
    def test_values(self, fails, option: str, value: object, says: tuple[str, ...]) -> None:
        fails(option, value, says=says)

    def test_word_pairs_that_are_no_folder_or_hold_none(self, fails, tmp_path: Path) -> None:
        (tmp_path / "e.txt").write_bytes(GOOD)
        for name in ("missing", "e.txt", LONG_NAME):
            fails("--embeddings", "e.txt", "--word-pairs", name, says=(name,))
        (tmp_path / "pairs").mkdir()
        says = ("pairs: no file of 'word word score' lines; name the folder",)
        fails("--word-pairs", "pairs", says=says)
        for content in (b"no numbers here\n", GARBAGE):
            (tmp_path / "pairs" / "set.txt").write_bytes(content)
            fails("--word-pairs", "pairs", says=says)

    def test_word_pairs_of_equal_scores(self, brr: Brr, tmp_path: Path) -> None:
        # Constant columns have no correlation: either no such figure, or an error.
        (tmp_path / "e.txt").write_bytes(GOOD)
        (tmp_path / "pairs").mkdir()
        rows = "".join(f"w{i} w{i + 1} 5\n" for i in range(39))
        (tmp_path / "pairs" / "set.txt").write_text(rows)
        command = ["build", "--embeddings", tmp_path / "e.txt", "--output", tmp_path / "bundle"]
        command += ["--bits", 64, "--method", "lsh", "--word-pairs", tmp_path / "pairs"]
        outcome = brr(*command)
        if outcome.code == 0:
            assert outcome.err == ""
        else:
            assert_one_line(outcome)

    @pytest.mark.parametrize("output", ["file", "file/below", LONG_NAME, "full"])
    def test_output(self, brr: Brr, tmp_path: Path, output: str) -> None:
        (tmp_path / "file").write_text("mine")
        (tmp_path / "full").mkdir()
        (tmp_path / "full" / "notes").write_text("mine")
        outcome = brr("build", "--output", tmp_path / output, "--force", "--vocabulary-size", 9)
        assert_one_line(outcome, output)
        assert leftovers(tmp_path) == ["file", "full"]
        assert leftovers(tmp_path / "full") == ["notes"]


def _no_network(name: str) -> Path:
    from brrkit_toolchain.embeddings import EmbeddingsError

    raise EmbeddingsError(f"{name}: no such file")


@pytest.mark.parametrize("command", ["inspect", "neighbors", "privatize"])
class TestBundle:
    @pytest.fixture
    def fails(self, brr: Brr, command: str) -> object:
        more = {"inspect": [], "neighbors": ["the"], "privatize": ["--epsilon", 1]}[command]

        def run(bundle: Path | str, *says: str) -> None:
            outcome = brr(command, bundle, *more, stdin=b"the\n")
            assert_one_line(outcome, *says)
            assert outcome.out == ""

        return run

    @pytest.mark.parametrize("name", ["missing", "a file", "an empty folder", LONG_NAME, ""])
    def test_that_is_none(self, fails, tmp_path: Path, name: str) -> None:
        (tmp_path / "a file").write_bytes(GARBAGE)
        (tmp_path / "an empty folder").mkdir()
        fails(tmp_path / name, name[:100])

    @pytest.mark.parametrize("name", [MANIFEST, INDEX, RANDOMIZER])
    def test_with_another_file_or_none(self, fails, bundle: Path, name: str) -> None:
        for content in (b"", GARBAGE, b"{}"):
            (bundle / name).write_bytes(content)
            fails(bundle, name)
        (bundle / name).unlink()
        fails(bundle, name)

    def test_with_another_index_under_its_digest(self, fails, bundle: Path) -> None:
        for content in (GARBAGE, b"{}", b"\xff" * 8 + b"{}"):
            fails(rewrite(bundle, {INDEX: content}), INDEX)


class TestForeignFields:
    """A reader needs a few fields of the manifest; the others may be missing or anything."""

    SHOWN: ClassVar = {
        "source": "encyclopedia.vec.xz",
        "method": "lsh, seed 3",
        "quality": "NN@10",
        "distances": "P_avg",
    }

    @pytest.mark.parametrize("field", SHOWN)
    def test_inspect(self, brr: Brr, bundle: Path, field: str) -> None:
        for edit in (
            lambda fields: fields.update({field: None}),
            lambda fields: fields.update({field: [1]}),
            lambda fields: fields.pop(field),
        ):
            outcome = brr("inspect", rewrite(bundle, edit=edit))
            assert (outcome.code, outcome.err) == (0, "")
            assert "2,000 words x 64 bits" in outcome.out
            assert "None" not in outcome.out
            for other, shown in self.SHOWN.items():
                assert (shown in outcome.out) == (other != field)


class TestPrivatize:
    @pytest.fixture
    def fails(self, brr: Brr, sample_bundle: Path) -> object:
        def run(*options: object, says: tuple[str, ...], command: str = "privatize") -> None:
            outcome = brr(command, sample_bundle, *options, stdin=b"the\n")
            assert_one_line(outcome, *says)
            assert outcome.out == ""

        return run

    @pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "-inf", "1000", "1e-10", "22.19"])
    @pytest.mark.parametrize("mechanism", ["brr", "vickrey", "exponential"])
    def test_epsilon_out_of_range(self, fails, epsilon: str, mechanism: str) -> None:
        says = "1e-09 to 22.18" if math.isfinite(float(epsilon)) else "a finite number"
        fails("--epsilon", epsilon, "--mechanism", mechanism, says=("epsilon", says))

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            ([], ("recommends no setting; give --epsilon, or write one into", "calibrate --write")),
            (["--mechanism", "brr"], ("a mechanism or its parameters need an epsilon",)),
            (["--epsilon", "abc"], ("epsilon",)),
            (["--epsilon", ""], ("epsilon",)),
            ([*ONE, "--mechanism", "madlib"], ("such mechanism", "brr, vickrey, exponential")),
            ([*ONE, "--oov", "keep"], ("no such oov policy", "random, drop, error")),
            ([*ONE, "-t", "0.5"], ("exponential", "no parameter", "it takes radius")),
            ([*BRR, "--radius", 8], ("'brr' has no parameter 'radius'",)),
            *(([*VICKREY, *t], ("t must be",)) for t in (["-t-1"], ["-t1.5"], ["-t0", "-t-1"])),
            ([*VICKREY, "-t0", "-tinf"], ("a finite number",)),
            ([*ONE, "--input", "missing.txt"], ("missing.txt",)),
            ([*ONE, "--input", "/"], ("/",)),
            ([*ONE, "--input", "/dev/zero"], ("/dev/zero: line 1 has more than 1,048,576 bytes",)),
            *(
                ([*ONE, "--budget", *budget], ("--budget",))
                for budget in (("", 9, "b"), (9, "", "b"), (9, 9, ""), (9, 9, "."), (9, 9, "/"))
            ),
        ],
    )
    def test_options(self, fails, options: list[object], says: tuple[str, ...]) -> None:
        fails(*options, says=says)

    @pytest.mark.parametrize("command", ["privatize", "measure"])
    def test_radius(self, fails, command: str) -> None:
        for radius in ("-1", "65", "8.5", "x", "", str(2**64)):
            fails(*ONE, "--radius", radius, says=("radius",), command=command)

    def test_a_budget_and_its_file(self, fails, tmp_path: Path) -> None:
        """Which is damaged, or in a folder that isn't there."""
        for budget in (("0", "9"), ("nan", "9"), ("9", "0")):
            fails(*ONE, "--budget", *budget, tmp_path / "b.json", says=("budget",))
        assert leftovers(tmp_path) == []
        (tmp_path / "b.json").write_bytes(GARBAGE)
        for folder in (".", "no"):
            fails(*ONE, "--budget", 9, 9, tmp_path / folder / "b.json", says=("b.json",))
        assert (tmp_path / "b.json").read_bytes() == GARBAGE


class TestVerify:
    @pytest.mark.parametrize("name", ["missing", "a file", "an empty folder", LONG_NAME])
    def test_nonsense(self, brr: Brr, tmp_path: Path, name: str) -> None:
        (tmp_path / "a file").write_bytes(GARBAGE)
        (tmp_path / "an empty folder").mkdir()
        outcome = brr("verify", tmp_path / name)
        assert_one_line(outcome, name)
        assert outcome.code == 1

    @pytest.mark.parametrize("content", [b"", GARBAGE])
    def test_embeddings(
        self, brr: Brr, sample_bundle: Path, tmp_path: Path, content: bytes
    ) -> None:
        (tmp_path / "e.txt").write_bytes(content)
        outcome = brr("verify", sample_bundle, "--embeddings", tmp_path / "e.txt")
        assert_one_line(outcome, "e.txt")


class TestUsage:
    @pytest.mark.parametrize(
        "arguments",
        [
            "nonsense", "--nonsense", "build --nonsense", "build extra", "build --output",
            "inspect", "neighbors bundle", "neighbors bundle the -k many", "privatize",
        ],
    )  # fmt: skip
    def test_is_one_line_with_exit_code_2(self, brr: Brr, arguments: str) -> None:
        outcome = brr(*arguments.split())
        assert_one_line(outcome)
        assert (outcome.code, outcome.out) == (2, "")
