"""Bad input: one clear line, a non-zero exit code, and nothing left behind."""

from __future__ import annotations

import lzma
import math
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bundle_tools import FILES, contents, leftovers, rewrite, toy_embeddings

from brrkit.bundle import INDEX, MANIFEST, PARITY, RANDOMIZER

if TYPE_CHECKING:
    from conftest import Brr, Outcome

GOOD = toy_embeddings(40)
LINES = GOOD.splitlines(keepends=True)
GARBAGE = bytes(range(256)) * 50
LONG_NAME = "n" * 300


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
        monkeypatch.setattr("brrkit_toolchain.embeddings.files._download", _no_network)

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
            pytest.param(b"", ["is empty"], id="empty"),
            pytest.param(b"\n", ["not a known embedding format"], id="one newline"),
            pytest.param(GARBAGE, ["e.txt"], id="bytes of all values"),
            pytest.param(b"\0" * 5000, ["e.txt"], id="zeros"),
            pytest.param(b"\x1f\x8b" + GARBAGE, ["damaged"], id="not gzip"),
            pytest.param(b"PK\x03\x04" + GARBAGE, ["damaged"], id="not zip"),
            pytest.param(b"\xfd7zXZ\0" + GARBAGE, ["damaged"], id="not xz"),
            pytest.param(lzma.compress(GOOD)[:-9], ["truncated"], id="truncated xz"),
            pytest.param(b"50 16\n" + GOOD, ["truncated", "50", "40"], id="fewer rows"),
            pytest.param(b"30 16\n" + GOOD, ["30", "more"], id="more rows"),
            pytest.param(GOOD[:-20], ["line 40"], id="truncated in a row"),
            pytest.param(
                b"".join([*LINES[:7], b"w 1 2 3\n", *LINES[7:]]),
                ["line 8", "3 numbers", "16"],
                id="row with fewer columns",
            ),
            pytest.param(
                b"".join([*LINES[:7], b"w" + b" 1" * 17 + b"\n"]),
                ["line 8", "17 numbers", "16"],
                id="row with more columns",
            ),
            pytest.param(
                b"".join([*LINES[:7], b"w" + b" 1" * 15 + b" one\n"]),
                ["line 8", "column 17"],
                id="word for a number",
            ),
            pytest.param(
                b"".join([*LINES[:3], b"w" + b" 1" * 15 + b" nan\n"]), ["line 4"], id="nan"
            ),
            pytest.param(
                b"".join([*LINES[:3], b"w" + b" 1" * 15 + b" -inf\n"]), ["line 4"], id="inf"
            ),
            pytest.param(
                b"".join([*LINES[:3], b"w" + b" 1" * 15 + b" 1e39\n"]), ["line 4"], id="1e39"
            ),
            pytest.param(
                b"".join(b"w%d 0 0 0\n" % i for i in range(9)),
                ["0 usable words", "9 all-zero vector"],
                id="all zero",
            ),
            pytest.param(
                b"the 1 2 3\nThe 2 3 4\nTHE 1 1 1\n",
                ["1 usable words", "2 duplicate"],
                id="only duplicates",
            ),
            pytest.param(b"the 1 2 3\n", ["1 usable words"], id="one word"),
            pytest.param(b", 1 2 3\n. 1 2 4\n", ["0 usable words"], id="only punctuation"),
        ],
    )
    def test_embeddings(self, fails, tmp_path: Path, content: bytes, says: list[str]) -> None:
        (tmp_path / "e.txt").write_bytes(content)
        fails("--embeddings", "e.txt", "--bits", 64, "--method", "lsh", says=("e.txt", *says))

    @pytest.mark.parametrize("content", [b"a 1 2 3\nb 1 2 3\n", b"a 1e38 2e38 3\nb 2e38 1e38 3\n"])
    @pytest.mark.parametrize("method", ["lsh", "itq"])
    def test_vectors_without_differences(
        self, brr: Brr, tmp_path: Path, content: bytes, method: str
    ) -> None:
        # Equal vectors, or numbers whose squares overflow: either a bundle or an error.
        (tmp_path / "e.txt").write_bytes(content)
        command = ["build", "--embeddings", tmp_path / "e.txt", "--output", tmp_path / "bundle"]
        outcome = brr(*command, "--bits", 64, "--method", method)
        if outcome.code == 0:
            assert leftovers(tmp_path / "bundle") == sorted(FILES)
            assert outcome.err == ""
        else:
            assert_one_line(outcome)
            assert leftovers(tmp_path) == ["e.txt"]

    @pytest.mark.parametrize("name", ["missing.txt", "no/such/file", "missing", LONG_NAME, "."])
    def test_missing_embeddings(self, fails, name: str) -> None:
        fails("--embeddings", name, says=(name,))

    def test_no_name_for_embeddings(self, fails) -> None:
        fails("--embeddings", "", says=("no embeddings are named",))

    @pytest.mark.parametrize("option", ["--output", "--word-list", "--word-pairs"])
    def test_no_name(self, fails, option: str) -> None:
        fails(option, "", says=(option, "it is empty"))

    @pytest.mark.parametrize("name", [".", "..", "../{}", "inner/.."])
    def test_the_current_folder(
        self, brr: Brr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        (tmp_path / "here" / "inner").mkdir(parents=True)
        monkeypatch.chdir(tmp_path / "here")
        outcome = brr("build", "--output", name.format("here"), "--force")
        assert_one_line(outcome, "holds the current folder")
        assert Path.cwd() == tmp_path / "here"
        assert leftovers(tmp_path / "here") == ["inner"]

    @pytest.mark.parametrize("bits", [0, 1, 63, 100, 576, -64, 1024])
    def test_bits(self, fails, bits: int) -> None:
        fails("--bits", bits, says=("64 to 512", str(bits)))

    @pytest.mark.parametrize("bits", ["x", "64.0", ""])
    def test_bits_that_are_no_number(self, fails, bits: str) -> None:
        fails("--bits", bits, says=("--bits",))

    def test_more_bits_than_itq_can_make(self, fails, tmp_path: Path) -> None:
        (tmp_path / "e.txt").write_bytes(GOOD)
        fails("--embeddings", "e.txt", "--method", "itq", "--bits", 64, says=("64", "16"))

    def test_method(self, fails) -> None:
        fails("--method", "magic", says=("no such method", "autoencoder, itq, lsh"))

    @pytest.mark.parametrize("seed", [-1, 2**32, 10**30])
    def test_seed(self, fails, seed: int) -> None:
        fails("--seed", seed, says=("seed", str(seed)))

    @pytest.mark.parametrize("size", [-1, 0, 1])
    def test_vocabulary_size(self, fails, size: int) -> None:
        fails("--vocabulary-size", size, says=("vocabulary_size", str(size)))

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            (None, "can't be read"),
            (b"", "empty"),
            (b"\n\n", "empty"),
            (b"the\n\xff\n", "line 2"),
            (b"qqqqqq\n", "none of the words"),
            (b"w1\n", "1 usable words"),
        ],
    )
    def test_word_list(self, fails, tmp_path: Path, content: bytes | None, says: str) -> None:
        (tmp_path / "e.txt").write_bytes(GOOD)
        if content is not None:
            (tmp_path / "list.txt").write_bytes(content)
        fails("--embeddings", "e.txt", "--word-list", "list.txt", says=(says,))

    def test_word_list_that_is_a_folder(self, fails, tmp_path: Path) -> None:
        fails("--word-list", tmp_path, says=(str(tmp_path), "can't be read"))

    @pytest.mark.parametrize("name", ["missing", "e.txt", LONG_NAME])
    def test_word_pairs_that_are_no_folder(self, fails, tmp_path: Path, name: str) -> None:
        (tmp_path / "e.txt").write_bytes(GOOD)
        fails("--embeddings", "e.txt", "--word-pairs", name, says=(name,))

    @pytest.mark.parametrize("content", [None, b"", b"no numbers here\n", GARBAGE])
    def test_word_pairs_without_pairs(self, fails, tmp_path: Path, content: bytes | None) -> None:
        (tmp_path / "pairs").mkdir()
        if content is not None:
            (tmp_path / "pairs" / "set.txt").write_bytes(content)
        fails(
            "--word-pairs",
            "pairs",
            says=("pairs: no file of 'word word score' lines; name the folder",),
        )

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
    def test_without_a_file(self, fails, bundle: Path, name: str) -> None:
        (bundle / name).unlink()
        fails(bundle, name)

    @pytest.mark.parametrize("name", [MANIFEST, INDEX, RANDOMIZER])
    @pytest.mark.parametrize("content", [b"", GARBAGE, b"{}"])
    def test_with_another_file(self, fails, bundle: Path, name: str, content: bytes) -> None:
        (bundle / name).write_bytes(content)
        fails(bundle, name)

    @pytest.mark.parametrize("content", [GARBAGE, b"{}", b"\xff" * 8 + b"{}"])
    def test_with_another_index_under_its_digest(self, fails, bundle: Path, content: bytes) -> None:
        fails(rewrite(bundle, {INDEX: content}), INDEX)


class TestForeignFields:
    """A reader needs a few fields of the manifest; the others may be missing or anything."""

    @pytest.mark.parametrize("field", ["source", "method", "quality", "distances"])
    @pytest.mark.parametrize("value", [None, [1]])
    def test_inspect(self, brr: Brr, bundle: Path, field: str, value: object) -> None:
        outcome = brr("inspect", rewrite(bundle, edit=lambda f: f.update({field: value})))
        assert (outcome.code, outcome.err) == (0, "")
        assert "2,000 words x 64 bits" in outcome.out
        assert "None" not in outcome.out

    @pytest.mark.parametrize("field", ["source", "method", "quality", "distances"])
    def test_inspect_without_the_field(self, brr: Brr, bundle: Path, field: str) -> None:
        outcome = brr("inspect", rewrite(bundle, edit=lambda fields: fields.pop(field)))
        assert (outcome.code, outcome.err) == (0, "")
        assert "2,000 words x 64 bits" in outcome.out
        for other, shown in {
            "source": "sample.vec.xz",
            "method": "lsh, seed 3",
            "quality": "NN@10",
            "distances": "P_avg",
        }.items():
            assert (shown in outcome.out) == (other != field)

    @pytest.mark.parametrize("command", ["sentiment", "storage"])
    @pytest.mark.parametrize("field", ["name", "sha256", "word_list"])
    def test_evaluate_without_a_source(
        self, brr: Brr, bundle: Path, tmp_path: Path, command: str, field: str
    ) -> None:
        rewrite(bundle, edit=lambda fields: fields["source"].pop(field))
        more = ["--data", "x.csv"] if command == "sentiment" else []
        options = ["--embeddings", "e.txt", "--output", tmp_path / "results", *more]
        outcome = brr("evaluate", command, bundle, *options)
        assert_one_line(outcome, f"field 'source.{field}' of the manifest")
        assert leftovers(tmp_path) == ["bundle"]


class TestPrivatize:
    @pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "inf", "-inf", "1000", "1e-10", "22.19"])
    @pytest.mark.parametrize("mechanism", ["brr", "vickrey", "exponential"])
    def test_epsilon_out_of_range(
        self, brr: Brr, sample_bundle: Path, epsilon: str, mechanism: str
    ) -> None:
        options = ["--epsilon", epsilon, "--mechanism", mechanism]
        outcome = brr("privatize", sample_bundle, *options, stdin=b"the\n")
        finite = math.isfinite(float(epsilon))
        assert_one_line(outcome, "epsilon", "1e-09 to 22.18" if finite else "a finite number")
        assert outcome.out == ""

    @pytest.mark.parametrize("options", [[], ["--epsilon", "abc"], ["--epsilon", ""]])
    def test_epsilon_missing_or_no_number(
        self, brr: Brr, sample_bundle: Path, options: list[str]
    ) -> None:
        assert_one_line(brr("privatize", sample_bundle, *options), "epsilon")

    def test_mechanism(self, brr: Brr, sample_bundle: Path) -> None:
        outcome = brr("privatize", sample_bundle, "--epsilon", 1, "--mechanism", "madlib")
        assert_one_line(outcome, "no such mechanism", "brr, vickrey, exponential")

    def test_policy(self, brr: Brr, sample_bundle: Path) -> None:
        outcome = brr("privatize", sample_bundle, "--epsilon", 1, "--oov", "keep")
        assert_one_line(outcome, "no such oov policy", "random, drop, error")

    @pytest.mark.parametrize("ts", [["-1"], ["1.5"], ["nan"], ["0", "-1"], ["0", "inf"]])
    def test_t(self, brr: Brr, sample_bundle: Path, ts: list[str]) -> None:
        options = [f"-t{t}" for t in ts]
        command = ["privatize", sample_bundle, "--epsilon", 1, "--mechanism", "vickrey"]
        finite = all(math.isfinite(float(t)) for t in ts)
        assert_one_line(brr(*command, *options), "t must be" if finite else "a finite number")

    def test_t_for_another_mechanism(self, brr: Brr, sample_bundle: Path) -> None:
        outcome = brr("privatize", sample_bundle, "--epsilon", 1, "-t", "0.5")
        assert_one_line(outcome, "exponential", "no parameter", "it takes radius")

    @pytest.mark.parametrize("radius", ["-1", "65", "8.5", "x", "", str(2**64)])
    @pytest.mark.parametrize("command", ["privatize", "measure"])
    def test_radius(self, brr: Brr, sample_bundle: Path, command: str, radius: str) -> None:
        outcome = brr(command, sample_bundle, "--epsilon", 1, "--radius", radius, stdin=b"the\n")
        assert_one_line(outcome, "radius")
        assert outcome.out == ""

    def test_radius_for_another_mechanism(self, brr: Brr, sample_bundle: Path) -> None:
        options = ["--epsilon", 1, "--mechanism", "brr", "--radius", 8]
        outcome = brr("privatize", sample_bundle, *options)
        assert_one_line(outcome, "'brr' has no parameter 'radius'")

    @pytest.mark.parametrize(
        "budget", [("0", "9", "b.json"), ("nan", "9", "b.json"), ("9", "0", "b.json")]
    )
    def test_budget(
        self, brr: Brr, sample_bundle: Path, tmp_path: Path, budget: tuple[str, str, str]
    ) -> None:
        options = ["--budget", budget[0], budget[1], tmp_path / budget[2]]
        outcome = brr("privatize", sample_bundle, "--epsilon", 1, *options, stdin=b"the\n")
        assert_one_line(outcome, "budget")
        assert leftovers(tmp_path) == []

    def test_damaged_budget_releases_nothing(
        self, brr: Brr, sample_bundle: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "b.json").write_bytes(GARBAGE)
        options = ["--budget", 9, 9, tmp_path / "b.json"]
        outcome = brr("privatize", sample_bundle, "--epsilon", 1, *options, stdin=b"the\n")
        assert_one_line(outcome, "b.json")
        assert outcome.out == ""

    def test_budget_in_a_missing_folder(
        self, brr: Brr, sample_bundle: Path, tmp_path: Path
    ) -> None:
        options = ["--budget", 9, 9, tmp_path / "no" / "b.json"]
        outcome = brr("privatize", sample_bundle, "--epsilon", 1, *options, stdin=b"the\n")
        assert_one_line(outcome, "b.json")
        assert outcome.out == ""

    def test_missing_file(self, brr: Brr, sample_bundle: Path, tmp_path: Path) -> None:
        outcome = brr(
            "privatize", sample_bundle, "--input", tmp_path / "missing.txt", "--epsilon", 1
        )
        assert_one_line(outcome, "missing.txt")

    def test_folder_for_a_file(self, brr: Brr, sample_bundle: Path, tmp_path: Path) -> None:
        outcome = brr("privatize", sample_bundle, "--input", tmp_path, "--epsilon", 1)
        assert_one_line(outcome, str(tmp_path))

    def test_a_line_without_end(self, brr: Brr, sample_bundle: Path) -> None:
        outcome = brr("privatize", sample_bundle, "--input", "/dev/zero", "--epsilon", 1)
        assert_one_line(outcome, "/dev/zero: line 1 has more than 1,048,576 bytes")

    @pytest.mark.parametrize(
        "budget", [("", "9", "b"), ("9", "", "b"), ("9", "9", ""), ("9", "9", "."), ("9", "9", "/")]
    )
    def test_parts_of_a_budget(
        self, brr: Brr, sample_bundle: Path, budget: tuple[str, str, str]
    ) -> None:
        outcome = brr("privatize", sample_bundle, "--epsilon", 1, "--budget", *budget)
        assert_one_line(outcome, "--budget")


class TestVerify:
    @pytest.mark.parametrize("name", ["missing", "a file", "an empty folder", LONG_NAME])
    def test_nonsense(self, brr: Brr, tmp_path: Path, name: str) -> None:
        (tmp_path / "a file").write_bytes(GARBAGE)
        (tmp_path / "an empty folder").mkdir()
        outcome = brr("verify", tmp_path / name)
        assert_one_line(outcome, name)
        assert outcome.code == 1

    @pytest.mark.parametrize("name", [name for name in FILES if name != PARITY])
    def test_bundle_without_a_file(self, brr: Brr, bundle: Path, name: str) -> None:
        (bundle / name).unlink()
        outcome = brr("verify", bundle)
        assert_one_line(outcome, "files")
        assert name in outcome.out

    @pytest.mark.parametrize("content", [b"", GARBAGE])
    def test_embeddings(
        self, brr: Brr, sample_bundle: Path, tmp_path: Path, content: bytes
    ) -> None:
        (tmp_path / "e.txt").write_bytes(content)
        outcome = brr("verify", sample_bundle, "--embeddings", tmp_path / "e.txt")
        assert_one_line(outcome, "e.txt")

    def test_never_changes_the_bundle(self, brr: Brr, bundle: Path) -> None:
        shutil.copyfile(bundle / INDEX, bundle / PARITY)
        before = contents(bundle)
        assert brr("verify", bundle).code == 1
        assert contents(bundle) == before


class TestUsage:
    @pytest.mark.parametrize(
        "arguments",
        [
            ["nonsense"],
            ["--nonsense"],
            ["build", "--nonsense"],
            ["build", "extra"],
            ["build", "--output"],
            ["inspect"],
            ["neighbors", "bundle"],
            ["neighbors", "bundle", "the", "-k", "many"],
            ["privatize"],
            ["verify"],
        ],
    )
    def test_is_one_line_with_exit_code_2(
        self, brr: Brr, arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        outcome = brr(*arguments)
        assert_one_line(outcome)
        assert (outcome.code, outcome.out) == (2, "")
        assert leftovers(tmp_path) == []
