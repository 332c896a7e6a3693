"""``brr verify``: right bundles pass, and whatever is wrong fails in the check that is about it."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
import pytest
from bundle_tools import (
    ENCYCLOPEDIA,
    FILES,
    edit_cases,
    index_of,
    rewrite,
    text_embeddings,
    toy_embeddings,
)
from numpy.typing import NDArray
from safetensors.numpy import load

from brrkit import BrrError, Privatizer, WordBundle, tables_of
from brrkit.bundle import INDEX, MANIFEST, PARITY, RANDOMIZER
from brrkit.hamming import HammingIndex
from brrkit.mechanisms import MECHANISMS
from brrkit.packed import PackedNumbers
from brrkit.setting import Certificate, CountsSetting, Setting
from brrkit_toolchain.bundle.build import build_bundle
from brrkit_toolchain.bundle.parity import FORMAT_VERSION
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.bundle.recommend import write_recommended
from brrkit_toolchain.bundle.sources import BundleSources
from brrkit_toolchain.bundle.verify import (
    Verification,
    checks,
    golden,
    printed,
    proven,
    source_checks,
    verify_bundle,
)
from brrkit_toolchain.bundle.verify.checks import FALSE_ALARM_RATE
from brrkit_toolchain.bundle.verify.outcome import CheckError
from brrkit_toolchain.bundle.writer import pack_numbers
from brrkit_toolchain.channel import Channel, certify

if TYPE_CHECKING:
    from conftest import Brr

ALONE = ["files", "vocabulary and codes", "randomizer graph", "flip rate", "search", "golden cases"]
WITH_SOURCE = ["source", "rebuilt codes", "similarity", "full-size mechanism"]


def failed(bundle: Path, embeddings: Path | None = None, **options: Any) -> set[str]:
    """Return the names of the checks that a bundle fails."""
    outcome = verify_bundle(bundle, BundleSources(embeddings), **options)
    return {check.name for check in outcome.checks if not check.passed}


def detail(check: str, bundle: Path, embeddings: Path | None = None) -> str:
    """Return what a check says that a bundle fails."""
    outcome = verify_bundle(bundle, BundleSources(embeddings))
    (said,) = (each for each in outcome.checks if each.name == check)
    assert not said.passed
    return said.detail


def words_of(bundle: WordBundle) -> list[str]:
    return list(bundle.vocabulary)


def change_codes(bundle: Path, change: Callable[[NDArray[np.uint64]], Any]) -> Path:
    """Give a bundle the codes that ``change`` makes of its own, under right digests."""
    opened = WordBundle.open(bundle)
    return rewrite(bundle, {INDEX: index_of(words_of(opened), change(opened.codes.copy()))})


def shuffled(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return np.random.default_rng(0).permutation(codes)


def leave_out(monkeypatch: pytest.MonkeyPatch, *names: str, of: ModuleType = checks) -> None:
    """Leave out checks that take longer, where a test is about others."""
    for name in names:
        monkeypatch.setattr(of, name, lambda *arguments: "left out")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    leave_out(monkeypatch, "graph", "flip_rate", "search")
    leave_out(monkeypatch, "golden_cases", of=golden)


@pytest.fixture(scope="module")
def verified(sample_bundle: Path) -> Verification:
    return verify_bundle(sample_bundle, BundleSources(ENCYCLOPEDIA))


class TestRightBundles:
    # A false alarm has a probability of 1e-10 in the flip rate. With embeddings, what is kept of
    # the words may differ by 8 standard errors, each less likely than 1e-14; and the cosine gained
    # from the smallest to the largest epsilon varies by a few percent of what it is.

    def test_with_its_embeddings(self, verified: Verification) -> None:
        assert [check.name for check in verified.checks] == ALONE + WITH_SOURCE
        assert [check.name for check in verified.checks if not check.passed] == []
        assert all(check.detail and "\n" not in check.detail for check in verified.checks)

    def test_made_with_a_word_list(self, tmp_path: Path) -> None:
        """Of a file whose other rows are phrases, too."""
        toy = toy_embeddings(400, dimensions=100)
        (tmp_path / "toy.txt").write_bytes(toy.replace(b"w", b"new_w") + toy)
        (tmp_path / "list.txt").write_text("".join(f"w{i}\n" for i in range(0, 400, 2)))
        build_bundle(
            tmp_path / "toy.txt",
            tmp_path / "bundle",
            BuildPlan(bits=64, method="lsh", word_list=tmp_path / "list.txt"),
        )
        assert failed(tmp_path / "bundle", tmp_path / "toy.txt") == set()

    @pytest.mark.parametrize(("size", "bits"), [(2, 64), (200, 192)])
    def test_few_words_or_more_bits_than_dimensions(
        self, tmp_path: Path, size: int, bits: int
    ) -> None:
        (tmp_path / "toy.txt").write_bytes(toy_embeddings(size))
        build_bundle(tmp_path / "toy.txt", tmp_path / "bundle", BuildPlan(bits=bits, method="lsh"))
        assert failed(tmp_path / "bundle", tmp_path / "toy.txt") == set()

    @pytest.mark.usefixtures("quick")
    def test_unknown_manifest_fields_are_ignored(self, bundle: Path) -> None:
        rewrite(bundle, edit=lambda fields: fields.update(note={"by": "somebody"}))
        assert failed(bundle) == set()


class TestVerification:
    def test_json(self, verified: Verification, sample_bundle: Path) -> None:
        content = json.loads(verified.to_json())
        assert content["bundle"] == sample_bundle.name
        assert content["passed"] is True
        assert [check["name"] for check in content["checks"]] == ALONE + WITH_SOURCE
        assert all(set(c) == {"name", "passed", "detail", "seconds"} for c in content["checks"])

    def test_junit(self, verified: Verification) -> None:
        suite = ElementTree.fromstring(verified.to_junit())
        assert (suite.tag, suite.get("tests"), suite.get("failures")) == ("testsuite", "10", "0")
        assert [case.get("name") for case in suite] == ALONE + WITH_SOURCE
        assert suite.findall(".//failure") == []

    def test_failures(self, bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        leave_out(monkeypatch, "graph", "flip_rate", "search")
        edit_cases(bundle, lambda cases: cases["cases"].clear())
        outcome = verify_bundle(bundle)
        assert json.loads(outcome.to_json())["passed"] is False
        suite = ElementTree.fromstring(outcome.to_junit())
        assert suite.get("failures") == "1"
        (case,) = (case for case in suite if case.find("failure") is not None)
        assert case.get("name") == "golden cases"


class TestDamage:
    @pytest.mark.parametrize("name", FILES)
    def test_one_flipped_bit(self, bundle: Path, name: str) -> None:
        original = (bundle / name).read_bytes()
        # The ends, and one place in each of many parts.
        places = {0, 1, 7, 8, 9, len(original) - 1, *range(0, len(original), len(original) // 10)}
        for place in sorted(places):
            damaged = bytearray(original)
            damaged[place] ^= 1 << place % 8
            (bundle / name).write_bytes(damaged)
            assert failed(bundle) == {"files"}, f"byte {place}"

    @pytest.mark.parametrize("name", FILES)
    def test_a_file_that_is_cut_longer_of_another_bundle_or_gone(
        self, bundle: Path, name: str, other: Path
    ) -> None:
        original = (bundle / name).read_bytes()
        wrong = (b"", original[:100], original[:-1], original + b"\n", (other / name).read_bytes())
        for content in wrong:
            (bundle / name).write_bytes(content)
            assert failed(bundle) == {"files"}, len(content)
        if name != PARITY:
            (bundle / name).unlink()
            assert failed(bundle) == {"files"}

    @pytest.fixture(scope="class")
    @staticmethod
    def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
        folder = tmp_path_factory.mktemp("other")
        (folder / "toy.txt").write_bytes(toy_embeddings(300))
        build_bundle(folder / "toy.txt", folder / "other", BuildPlan(bits=128, method="lsh"))
        return folder / "other"

    def test_directory_in_place_of_a_file(self, bundle: Path) -> None:
        (bundle / PARITY).unlink()
        (bundle / PARITY).mkdir()
        assert failed(bundle) == {"files"}

    @pytest.mark.parametrize("version", [2, 4, "3", None])
    def test_another_format_version(self, bundle: Path, version: object) -> None:
        # ``encode_manifest`` lets a field replace the version, so that every digest fits.
        rewrite(bundle, edit=lambda fields: fields.update(format_version=version))
        assert failed(bundle) == {"files"}

    @pytest.mark.parametrize("entry", [{"size": 0, "sha256": "0" * 64}, None])
    def test_further_file_in_the_manifest(self, bundle: Path, entry: object) -> None:
        replace_in_manifest(bundle, lambda manifest: manifest["files"].update(extra=entry))
        assert failed(bundle) == {"files"}


def replace_in_manifest(bundle: Path, edit: Callable[[dict[str, Any]], Any]) -> None:
    """Change anything in a manifest and let its own digest fit."""
    from brrkit.bundle import manifest_digest
    from brrkit_toolchain.bundle.writer import encode_json

    manifest = json.loads((bundle / MANIFEST).read_bytes())
    edit(manifest)
    manifest["sha256"] = "0" * 64
    text = encode_json(manifest)
    digest = manifest_digest(text, "0" * 64).encode()
    (bundle / MANIFEST).write_bytes(
        text.replace(b'"' + b"0" * 64 + b'"\n}', b'"' + digest + b'"\n}')
    )


# --- wrong content under right digests -----------------------------------------------------


POWERS = np.uint32(1) << np.arange(32, dtype=np.uint32)


def graph_bytes(flips: Callable[[Any, Any], Any], values: NDArray[np.uint32] = POWERS) -> bytes:
    """Convert a randomizer of 64 bits that may be wrong.

    Args:
        flips: from (random, threshold) to which bits flip.
        values: uint32[32], what each of 32 bits counts.

    """
    import tensorflow as tf

    signature = [
        tf.TensorSpec([None, 2], tf.int32, name="code"),
        tf.TensorSpec([None, 64], tf.int32, name="random"),
        tf.TensorSpec([], tf.int32, name="threshold"),
    ]

    @tf.function(input_signature=signature)
    def randomize(code: Any, random: Any, threshold: Any) -> dict[str, Any]:
        chosen = tf.reshape(tf.cast(flips(random, threshold), tf.int32), [-1, 2, 32])
        packed = tf.reduce_sum(chosen * tf.constant(values.view(np.int32)), axis=2)
        return {"noised": tf.bitwise.bitwise_xor(code, packed)}

    module = tf.Module()
    module.randomize = randomize
    functions = [randomize.get_concrete_function()]
    content: bytes = tf.lite.TFLiteConverter.from_concrete_functions(functions, module).convert()
    return content


WRONG_GRAPHS: dict[str, Callable[[], bytes]] = {
    "at most instead of below": lambda: graph_bytes(lambda r, t: r <= t),
    "threshold off by a 4,096th": lambda: graph_bytes(lambda r, t: r < t + 2**20),
    "bits of a word in reverse": lambda: graph_bytes(
        lambda r, t: r < t, values=POWERS[::-1].copy()
    ),
    "one bit never flips": lambda: graph_bytes(
        lambda r, t: r < t, values=np.where(np.arange(32) == 17, 0, POWERS).astype(np.uint32)
    ),
}


class TestWrongGraph:
    """A bundle with another graph doesn't open; the check is about what runs it, too."""

    @pytest.mark.parametrize("name", WRONG_GRAPHS)
    def test_is_named(self, sample_bundle: Path, name: str) -> None:
        bundle = replace(WordBundle.open(sample_bundle), graph=WRONG_GRAPHS[name]())
        with pytest.raises(CheckError, match=re.escape(RANDOMIZER)):
            checks.graph(bundle)

    def test_another_graph_is_refused(self, bundle: Path) -> None:
        """Also one with the same function: only its bytes are known to be right."""
        rewrite(bundle, {RANDOMIZER: graph_bytes(lambda random, threshold: threshold > random)})
        assert failed(bundle) == {"opens"}


@pytest.mark.usefixtures("quick")
class TestWrongVocabulary:
    def change(self, bundle: Path, edit: Callable[[dict[str, Any]], Any]) -> set[str]:
        content = (bundle / INDEX).read_bytes()
        tensors = load(content)
        end = 8 + int.from_bytes(content[:8], "little")
        edit(tensors)
        data = (tensors[name].tobytes() for name in json.loads(content[8:end]))
        return failed(rewrite(bundle, {INDEX: content[:end] + b"".join(data)}))

    def words(self, bundle: Path, edit: Callable[[list[str]], Any]) -> set[str]:
        opened = WordBundle.open(bundle)
        words = words_of(opened)
        edit(words)
        content = index_of(words, opened.codes)
        return failed(rewrite(bundle, {INDEX: content}))

    def test_ids_that_aren_t_the_inverse_of_positions(self, bundle: Path) -> None:
        def swap(tensors: dict[str, Any]) -> None:
            numbers = PackedNumbers(tensors["ids"].data, 2000, 11).unpack()
            numbers[[700, 701]] = numbers[[701, 700]]
            tensors["ids"] = pack_numbers(numbers, 11)

        assert self.change(bundle, swap) == {"opens"}

    @pytest.mark.parametrize(
        ("tensor", "place", "value"),
        [
            ("ids", [10, 11], 0xFF),  # 11 bits at any place: an id too large
            ("offsets", [70, 71], [7_000, 6_000]),  # they fall
            ("words", [-1], 0xFF),  # not UTF-8
        ],
    )
    def test_numbers_that_can_t_be(
        self, bundle: Path, tensor: str, place: list[int], value: Any
    ) -> None:
        def put(tensors: dict[str, Any]) -> None:
            tensors[tensor] = tensors[tensor].copy()
            tensors[tensor][place] = value

        assert self.change(bundle, put) == {"opens"}

    @pytest.mark.parametrize("block", [1, 124])
    def test_blocks_out_of_order(self, bundle: Path, block: int) -> None:
        def exchange(tensors: dict[str, Any]) -> None:
            # The first word of a block: what shares its beginning moves with it.
            tensors["words"] = tensors["words"].copy()
            start = tensors["offsets"][block] + 1
            tensors["words"][start] = ord("a" if tensors["words"][start] > ord("m") else "z")

        assert "vocabulary and codes" in self.change(bundle, exchange)

    def test_words_out_of_order_in_a_block(self, bundle: Path) -> None:
        def exchange(tensors: dict[str, Any]) -> None:
            tensors["words"] = words = tensors["words"].copy()
            starts = np.flatnonzero(words < 32)
            for i, (start, end) in enumerate(pairwise(starts)):
                after = words[end + 1] if i % 16 < 15 else 0
                if words[end] == words[start] and after < ord("z"):
                    words[start + 1] = ord("z")
                    return
            raise AssertionError

        assert "vocabulary and codes" in self.change(bundle, exchange)

    @pytest.mark.parametrize("offset", [0, 3, -1])
    def test_word_twice(self, bundle: Path, offset: int) -> None:
        """Where a block starts, a word is whole: only ``brr verify`` sees it twice."""

        def repeat(words: list[str]) -> None:
            ordered = sorted(words)
            position = 16 * 60 + offset
            words[words.index(ordered[position + 1])] = ordered[position]

        name = "vocabulary and codes" if offset == -1 else "opens"
        assert name in self.words(bundle, repeat)

    @pytest.mark.parametrize("word", ["Boston", "İ", "don’t", "ΟΔΟΣ"])
    def test_word_that_is_not_normalized(self, bundle: Path, word: str) -> None:
        def put(words: list[str]) -> None:
            words[1] = word

        assert "vocabulary and codes" in self.words(bundle, put)
        with pytest.raises(CheckError, match="rank 1 isn't normalized"):
            checks.vocabulary(WordBundle.open(bundle))

    @pytest.mark.parametrize("word", ["u.s.", "new_york", "/c/en/boston", '"boston"', "..."])
    def test_words_that_can_t_be_typed(self, bundle: Path, word: str) -> None:
        def put(words: list[str]) -> None:
            words[7] = word
            words[9] = f"{word}x"

        assert "vocabulary and codes" in self.words(bundle, put)
        with pytest.raises(
            CheckError, match=r"2 of 2,000 words can't be typed, the first at rank 7"
        ):
            checks.vocabulary(WordBundle.open(bundle))

    @pytest.mark.parametrize(("field", "value"), [("vocabulary_size", 1999), ("bits", 128)])
    def test_manifest_of_another_shape(self, bundle: Path, field: str, value: int) -> None:
        rewrite(bundle, edit=lambda fields: fields.update({field: value}))
        assert failed(bundle) == {"opens"}


@pytest.mark.usefixtures("quick")
class TestWrongSource:
    @pytest.fixture(autouse=True)
    def what_has_no_source(self, monkeypatch: pytest.MonkeyPatch) -> None:
        leave_out(monkeypatch, "vocabulary")

    @pytest.fixture
    def quicker(self, monkeypatch: pytest.MonkeyPatch) -> None:
        leave_out(monkeypatch, "full_size", of=source_checks)

    @pytest.mark.usefixtures("quicker")
    def test_codes_of_other_words(self, bundle: Path) -> None:
        change_codes(bundle, shuffled)
        assert {"rebuilt codes", "similarity"} <= failed(bundle, ENCYCLOPEDIA)
        rewrite(bundle, edit=lambda fields: fields["quality"].update(nn10=0.0))
        assert "with the cosines of random pairs" in detail("similarity", bundle, ENCYCLOPEDIA)

    @pytest.mark.usefixtures("quicker")
    def test_half_of_the_codes_of_other_words(self, bundle: Path) -> None:
        # As if from somewhere else: only the similarities can tell.
        def move(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
            moved = np.random.default_rng(0).permutation(len(codes))[: len(codes) // 2]
            codes[moved] = codes[np.roll(moved, 1)]
            return codes

        assert "similarity" in failed(change_codes(bundle, move), ENCYCLOPEDIA)

    @pytest.mark.usefixtures("quicker")
    @pytest.mark.parametrize(("share", "passes"), [(0.07, True), (0.4, False)])
    def test_codes_as_another_machine_makes_them(
        self, bundle: Path, share: float, passes: bool
    ) -> None:
        def flip(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
            flips = np.random.default_rng(0).random((len(codes), 64)) < share
            return codes ^ np.packbits(flips, axis=1).view(np.uint64)

        assert ("rebuilt codes" not in failed(change_codes(bundle, flip), ENCYCLOPEDIA)) == passes

    @pytest.mark.usefixtures("quicker", "quick")
    def test_codes_that_are_the_same_everywhere_are_compared_byte_for_byte(
        self, tmp_path: Path
    ) -> None:
        embeddings, folder = tmp_path / "toy.txt", tmp_path / "bundle"
        embeddings.write_bytes(toy_embeddings(150, dimensions=20))
        build_bundle(embeddings, folder, BuildPlan(bits=64, effort="low"))
        outcome = verify_bundle(folder, BundleSources(embeddings))
        said = {check.name: check for check in outcome.checks}
        assert said["rebuilt codes"].passed
        assert said["rebuilt codes"].detail.startswith(f"reproduced: {INDEX}")
        change_codes(folder, lambda codes: codes ^ (np.arange(150) == 3)[:, None].astype(np.uint64))
        assert detail("rebuilt codes", folder, embeddings).startswith("not reproduced")

    @pytest.mark.usefixtures("quicker")
    @pytest.mark.parametrize(
        ("field", "value", "fails"),
        [
            ("method", {"seed": 4}, "rebuilt codes"),
            ("method", {"name": "magic"}, "rebuilt codes"),
            ("quality", {"nn10": 0.9}, "similarity"),
        ],
    )
    def test_a_wrong_statement(
        self, bundle: Path, field: str, value: dict[str, Any], fails: str
    ) -> None:
        rewrite(bundle, edit=lambda fields: fields[field].update(value))
        assert failed(bundle, ENCYCLOPEDIA) == {fails}

    @pytest.mark.parametrize(("mechanism", "what"), [("brr", "unchanged"), ("laplace", "cosine")])
    def test_overstated_utility(
        self, bundle: Path, mechanism: str, what: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        leave_out(monkeypatch, "similarity", of=source_checks)

        def edit(fields: dict[str, Any]) -> None:
            fields["utility"]["mechanisms"][mechanism][0][what] += 0.5

        rewrite(bundle, edit=edit)
        assert failed(bundle, ENCYCLOPEDIA) == {"full-size mechanism"}

    def test_another_file(self, bundle: Path, tmp_path: Path) -> None:
        (tmp_path / "toy.txt").write_bytes(toy_embeddings(3000))
        assert failed(bundle, tmp_path / "toy.txt") == {"source"}
        words = words_of(WordBundle.open(bundle))
        vectors = np.random.default_rng(0).standard_normal((len(words), 8)).round(3)
        (tmp_path / "other.txt").write_bytes(text_embeddings(words, vectors))
        assert failed(bundle, tmp_path / "other.txt") == {"source"}

    def test_words_in_another_order(self, bundle: Path) -> None:
        opened = WordBundle.open(bundle)
        words = words_of(opened)
        words[5], words[6] = words[6], words[5]
        rewrite(bundle, {INDEX: index_of(words, opened.codes)})
        assert "source" in failed(bundle, ENCYCLOPEDIA)

    def test_missing_file(self, bundle: Path, tmp_path: Path) -> None:
        with pytest.raises(BrrError, match="no such file"):
            verify_bundle(bundle, BundleSources(tmp_path / "missing.txt"))

    @pytest.mark.parametrize("field", ["source", "method", "quality", "distances"])
    def test_manifest_that_says_nothing_of_its_source(self, bundle: Path, field: str) -> None:
        # A reader of bundles needs none of these fields; this check does, and must say so.
        rewrite(bundle, edit=lambda fields: fields.update({field: {}}))
        assert failed(bundle, ENCYCLOPEDIA) - set(ALONE)


class TestWrongRuntime:
    """Not what a bundle can be blamed for, but what these checks are there to notice."""

    @pytest.mark.parametrize("part", [0, 1], ids=["ids", "distances"])
    def test_search(self, sample_bundle: Path, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
        right = HammingIndex.nearest

        def wrong(index: HammingIndex, *arguments: Any) -> list[Any]:
            found = list(right(index, *arguments))
            found[part] = np.minimum(found[part] + 1, len(index) - 1)
            return found

        monkeypatch.setattr(HammingIndex, "nearest", wrong)
        assert "search" in failed(sample_bundle)

    @pytest.mark.usefixtures("quick")
    def test_mechanism_that_ignores_epsilon(
        self, bundle: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def much_noise(bundle: WordBundle, setting: Setting) -> Privatizer:
            return Privatizer(bundle, replace(setting, epsilon=0.01))

        def as_it_is(fields: dict[str, Any]) -> None:
            stated = fields["utility"]["mechanisms"]["brr"]
            stated[:] = stated[:1] * len(stated)

        leave_out(monkeypatch, "similarity", of=source_checks)
        monkeypatch.setattr(source_checks, "Privatizer", much_noise)
        assert failed(bundle, ENCYCLOPEDIA) == {"full-size mechanism"}
        rewrite(bundle, edit=as_it_is)
        outcome = verify_bundle(bundle, BundleSources(ENCYCLOPEDIA))
        assert "doesn't keep more of the words" in outcome.checks[-1].detail


class TestRandomSource:
    """A bad source must be caught, each time.

    The flip rate is measured on 8,000 codes of 64 bits at epsilon 0.25, with a standard error of
    0.0007 around 0.438, and fails beyond 6.7 standard errors. One byte in 25 at zero takes 0.0175
    off, which are 25: it is missed with a probability below 1e-70.
    """

    @pytest.fixture(autouse=True)
    def what_has_no_source(self, monkeypatch: pytest.MonkeyPatch) -> None:
        leave_out(monkeypatch, "vocabulary", "graph", "search")
        leave_out(monkeypatch, "golden_cases", of=golden)

    @pytest.mark.parametrize("value", [0, 0x80])
    def test_constant(self, sample_bundle: Path, value: int) -> None:
        assert failed(sample_bundle, random=lambda size: bytes([value]) * size) == {"flip rate"}

    @pytest.mark.parametrize("value", [0, 0xFF])
    def test_biased_bytes(self, sample_bundle: Path, value: int) -> None:
        generator = np.random.default_rng()

        def biased(size: int) -> bytes:
            content = np.frombuffer(os.urandom(size), np.uint8).copy()
            content[generator.random(size) < 1 / 25] = value
            return content.tobytes()

        assert failed(sample_bundle, random=biased) == {"flip rate"}

    def test_one_position_biased(self, sample_bundle: Path) -> None:
        # The first bit of a code flips a quarter less often: 19 standard errors at its position,
        # where 7 are too many, and 2.5 of all flips together, which would be missed.
        def biased(size: int) -> bytes:
            content = np.frombuffer(os.urandom(size), np.uint8).copy()
            content[3::1024] &= 0x7F
            return content.tobytes()

        assert failed(sample_bundle, random=biased) == {"flip rate"}

    @pytest.mark.parametrize("words", [1, 4000])
    def test_repeating(self, sample_bundle: Path, words: int) -> None:
        period = os.urandom(words * 4 * 64)
        position = 0

        def repeat(size: int) -> bytes:
            nonlocal position
            start, position = position, position + size
            whole = period * (2 + size // len(period))
            return whole[start % len(period) :][:size]

        assert failed(sample_bundle, random=repeat) == {"flip rate"}

    def test_right_sources_pass(self, sample_bundle: Path) -> None:
        assert FALSE_ALARM_RATE == 1e-10
        for random in (os.urandom, np.random.default_rng().bytes):
            assert failed(sample_bundle, random=random) == set()


def first(cases: dict[str, Any], mechanism: str) -> dict[str, Any]:
    """Return the first golden case of a mechanism at an epsilon with plenty of noise."""
    return next(
        case
        for case in cases["cases"]
        if case["mechanism"] == mechanism and 0.05 < case["epsilon"] < 1
    )


def inverted(random: str) -> str:
    return bytes(byte ^ 0xFF for byte in bytes.fromhex(random)).hex()


class TestGoldenCases:
    @pytest.fixture(autouse=True)
    def what_has_no_cases(self, monkeypatch: pytest.MonkeyPatch) -> None:
        leave_out(monkeypatch, "vocabulary", "graph", "flip_rate", "search")

    @pytest.fixture(scope="class")
    @staticmethod
    def sample_bundle(sample_bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
        """A bundle with some cases of each kind: right ones beside the one that a test spoils."""

        def leave_some(cases: dict[str, Any]) -> None:
            edited = [first(cases, mechanism) for mechanism in MECHANISMS]
            cases["cases"] = edited + cases["cases"][::9]
            cases["memory"] = cases["memory"][::7]
            for kind in ("calls", "counts", "marked", "streams", "texts"):
                cases[kind] = cases[kind][::5]

        copied = tmp_path_factory.mktemp("some") / "bundle"
        return edit_cases(Path(shutil.copytree(sample_bundle, copied)), leave_some)

    def test_some_right_ones(self, sample_bundle: Path) -> None:
        assert failed(sample_bundle) == set()

    def fails(self, bundle: Path, edit: Callable[[dict[str, Any]], Any]) -> None:
        assert failed(edit_cases(bundle, edit)) == {"golden cases"}

    @pytest.mark.parametrize("mechanism", MECHANISMS)
    @pytest.mark.parametrize(
        ("field", "change"),
        [
            ("output", lambda word: "of" if word != "of" else "the"),
            ("random", inverted),
            ("random", lambda random: random[:-2]),
            ("random", lambda random: random + "00"),
            ("random", lambda random: "zz"),
        ],
    )
    def test_another_output_or_other_random_bytes(
        self, bundle: Path, mechanism: str, field: str, change: Callable[[str], str]
    ) -> None:
        def edit(cases: dict[str, Any]) -> None:
            case = first(cases, mechanism)
            case[field] = change(case[field])

        self.fails(bundle, edit)

    @pytest.mark.parametrize(
        ("mechanism", "field"),
        [
            ("brr", "threshold"),
            ("brr", "noised"),
            ("brr", "distance"),
            ("vickrey", "rank"),
            ("vickrey", "threshold"),
            ("vickrey", "noised"),
            ("vickrey", "distance"),
            ("exponential", "distance"),
        ],
    )
    def test_wrong_or_missing_intermediate(self, bundle: Path, mechanism: str, field: str) -> None:
        original = (bundle / PARITY).read_bytes()
        for edit in (
            lambda cases: first(cases, mechanism).update({field: 77}),
            lambda cases: first(cases, mechanism).pop(field),
        ):
            (bundle / PARITY).write_bytes(original)
            self.fails(bundle, edit)

    @pytest.mark.parametrize("kind", ["calls", "cases", "memory", "samples", "texts", "thresholds"])
    def test_emptied_list(self, bundle: Path, kind: str) -> None:
        self.fails(bundle, lambda cases: cases[kind].clear())

    @pytest.mark.parametrize("field", ["format", "format_version", "calls", "memory"])
    def test_missing_field(self, bundle: Path, field: str) -> None:
        self.fails(bundle, lambda cases: cases.pop(field))

    def test_of_another_version(self, bundle: Path) -> None:
        """The files are as before, and right; what a device draws isn't."""

        def edit(cases: dict[str, Any]) -> None:
            cases["format_version"] -= 1
            for case in cases["counts"]:
                case["random"] = case["random"][:16]

        said = detail("golden cases", edit_cases(bundle, edit))
        assert f"of another version, ('brr-parity', {FORMAT_VERSION - 1})" in said
        assert "build the bundle again, or remove parity.json" in said
        (bundle / PARITY).unlink()
        assert failed(bundle) == set()

    @pytest.mark.parametrize("mechanism", MECHANISMS)
    def test_missing_mechanism(self, bundle: Path, mechanism: str) -> None:
        def edit(cases: dict[str, Any]) -> None:
            cases["cases"] = [case for case in cases["cases"] if case["mechanism"] != mechanism]

        self.fails(bundle, edit)

    @pytest.mark.parametrize(
        ("field", "value"),
        [("output", "no word"), ("first", "no word"), ("key", "00" * 32), ("number", 99)],
    )
    def test_memory_that_comes_out_otherwise(self, bundle: Path, field: str, value: object) -> None:
        def edit(cases: dict[str, Any]) -> None:
            for case in cases["memory"]:
                case[field] = value

        self.fails(bundle, edit)

    @pytest.mark.parametrize("kind", ["calls", "samples", "streams"])
    def test_several_words_that_come_out_otherwise(self, bundle: Path, kind: str) -> None:
        original = (bundle / PARITY).read_bytes()
        for edit in (
            lambda case: case["outputs"].append("the"),
            lambda case: case.update(random=inverted(case["random"])),
            lambda case: case.update(random=case["random"] + "00"),
        ):
            (bundle / PARITY).write_bytes(original)
            self.fails(bundle, lambda cases, edit=edit: edit(cases[kind][0]))

    def test_wrong_threshold_and_text_cut_otherwise(self, bundle: Path) -> None:
        original = (bundle / PARITY).read_bytes()
        self.fails(bundle, lambda cases: cases["thresholds"][3].update(threshold=1))
        (bundle / PARITY).write_bytes(original)
        self.fails(bundle, lambda cases: cases["texts"][0]["words"].append("the"))

    @pytest.mark.parametrize(
        ("field", "value"),
        [("epsilon", 0), ("epsilon", 1e300), ("epsilon", "1"), ("mechanism", "x")],
    )
    def test_a_setting_that_can_t_be(self, bundle: Path, field: str, value: object) -> None:
        self.fails(bundle, lambda cases: cases["cases"][0].update({field: value}))

    @pytest.mark.parametrize(
        "content", [b"", b"[]", b"\xff", b"{}", b"[" * 100_000, b'{"cases": 1}', b"1e999"]
    )
    def test_something_else(self, bundle: Path, content: bytes) -> None:
        assert failed(rewrite(bundle, {PARITY: content})) == {"golden cases"}


@pytest.mark.usefixtures("quick")
class TestCertificate:
    def recommend(
        self, bundle: Path, epsilon: float, certified: float, radius: int = 8, index: str = ""
    ) -> Path:
        setting = Setting(epsilon, parameters={"radius": radius}, goal="a test")
        index = index or WordBundle.open(bundle).digest
        certificate = Certificate(certified, index, setting.as_run)
        write_recommended(bundle, replace(setting, certificate=certificate))
        return bundle

    def lost(self, bundle: Path, epsilon: float, radius: int = 8) -> float:
        setting = Setting(epsilon, parameters={"radius": radius})
        found = Channel(WordBundle.open(bundle), setting).loss
        assert found is not None
        return found

    def test_what_certify_gives_holds(self, bundle: Path) -> None:
        stated = certify(WordBundle.open(bundle), Setting(0.5, parameters={"radius": 8}))
        assert 0.25 < stated.certified_epsilon < 0.5
        setting = Setting(0.5, "exponential", {"radius": 8}, "a test", stated)
        write_recommended(bundle, setting)
        outcome = verify_bundle(bundle)
        assert outcome.passed
        assert "certificate" in {check.name for check in outcome.checks}

    @pytest.mark.parametrize("radius", [3, 8])
    def test_a_promise_that_is_an_ulp_too_small(self, bundle: Path, radius: int) -> None:
        lost = self.lost(bundle, 0.5, radius)
        for tried, expected in ((lost, set()), (math.nextafter(lost, 0), {"certificate"})):
            assert failed(self.recommend(bundle, 0.5, tried, radius)) == expected

    @pytest.mark.parametrize(
        ("certified", "options", "says"),
        [
            (0.3, {}, r"loss per bit is 0\.\d+, more than certified_epsilon 0\.3; calibrate"),
            (0.5, {"index": "0" * 64}, ""),  # of another bundle
            (0.2999, {}, ""),
            (0.6001, {}, ""),
        ],
    )
    def test_a_wrong_promise(
        self, bundle: Path, certified: float, options: dict[str, str], says: str
    ) -> None:
        recommended = self.recommend(bundle, 0.6, certified, **options)  # type: ignore[arg-type]
        assert re.search(says, detail("certificate", recommended))

    def test_of_words_that_are_all_alike_to_the_table(self, bundle: Path) -> None:
        """They lose less than half of epsilon; a certificate says half."""
        assert self.lost(bundle, 0.5, 64) < 0.25
        stated = certify(WordBundle.open(bundle), Setting(0.5, parameters={"radius": 64}))
        assert stated.certified_epsilon == 0.25
        assert failed(self.recommend(bundle, 0.5, 0.25, 64)) == set()
        assert failed(self.recommend(bundle, 0.5, 0.25, 8)) == {"certificate"}

    def test_of_another_mechanism(self, bundle: Path) -> None:
        setting = Setting(0.5, "brr", goal="a test")
        stated = Certificate(0.3, WordBundle.open(bundle).digest, setting.as_run)
        write_recommended(bundle, replace(setting, certificate=stated))
        assert failed(bundle) == {"certificate"}

    def test_inspect_shows_it(self, bundle: Path, brr: Brr) -> None:
        self.recommend(bundle, 0.5, 0.42)
        shown = brr("inspect", bundle).out
        assert "  recommended exponential, epsilon 0.5, radius 8 (a test)\n" in shown
        assert "  certified   epsilon 0.42 on this vocabulary\n" in shown
        assert "  measured" not in shown


def test_printed_tables(bundle: Path, tmp_path: Path) -> None:
    """With a checker that agrees with all of them."""
    checker, file = tmp_path / "checker", tmp_path / "tables.txt"
    checker.write_text("#!/bin/sh\ncat > /dev/null\necho yes\n")
    checker.chmod(0o755)
    write_recommended(bundle, Setting(0.5, goal="a test"))
    write_recommended(bundle, CountsSetting(4.0, 5, "a test"))
    opened = WordBundle.open(bundle)
    right = tables_of(opened)
    with pytest.raises(CheckError, match=r"can't be read: \[Errno 2\]"):
        printed.tables(opened, checker, file)
    file.write_text(right)
    found = printed.tables(opened, checker, file)
    assert found == "as Python computes them; 2,074 integers meet the premises"
    for wrong, said in {
        right.replace(
            "counts", "flips"
        ): "tables of exponential, flips; this bundle has exponential",
        right.partition("counts")[0]: "tables of exponential; this bundle has exponential, counts",
        right.replace("weights ", "weights 1"): "line 'weights' of 'exponential' isn't this",
        right.replace("cap", "epsilon"): "line 'epsilon' of 'counts' isn't this bundle's",
        right + "keep 1\n": "'counts' has 5 lines, not 4",
        right.replace("keep ", "keep -"): "isn't a name and integers; give the output of tables_of",
        "epsilon 1 2\n" + right: "line 1 isn't one of: exponential, flips, passing, counts",
        right + "é\n": "can't be read: 'ascii' codec",
        "": "it has tables of ; this bundle has",
    }.items():
        file.write_text(wrong, "utf-8")
        with pytest.raises(CheckError, match=re.escape(said)):
            printed.tables(opened, checker, file)


def test_tables_are_checked_with_the_proofs(bundle: Path, brr: Brr, tmp_path: Path) -> None:
    (tmp_path / "tables.txt").write_text("")
    outcome = brr("verify", bundle, "--tables", tmp_path / "tables.txt")
    assert (outcome.code, outcome.out) == (1, "")
    assert (
        "tables are checked against the premises of the proofs; give --proof, or leave out --tables"
    ) in outcome.err


def test_without_the_program_of_the_proofs(
    bundle: Path, brr: Brr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(proven, "_CHECKER_IN_CLONE", tmp_path / proven.PROGRAM)
    outcome = brr("verify", bundle, "--proof")
    assert (outcome.code, outcome.out) == (1, "")
    assert "brr-proof-checker isn't on the path; build it with 'make proofs'" in outcome.err
    assert len(outcome.err.splitlines()) == 1
