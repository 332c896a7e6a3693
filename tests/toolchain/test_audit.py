"""``brr audit``: right mechanisms pass, broken ones don't, and foreign code can misbehave.

Audits draw from the operating system's generator. A right mechanism fails an audit here with
probability 10^-6 at most; the broken ones pass with less than 10^-6, by what was measured for
``docs/audit.md``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np
import pytest
from bundle_tools import leftovers, text_embeddings
from scipy import stats

from brr_runtime import Bundle, ParameterError, Privatizer
from brr_toolchain import AUDIT_SAMPLES
from brr_toolchain.audit import Audit, AuditError, audit_factory, audit_mechanism
from brr_toolchain.audit.audit import inequality
from brr_toolchain.audit.bounds import loss_bound, smallest_violation
from brr_toolchain.audit.instances import WORDS, Instance, code_instances, vector_instances
from brr_toolchain.audit.result import Part
from brr_toolchain.audit.sampling import Sampling
from brr_toolchain.audit.subjects import Draw, Subject
from brr_toolchain.embeddings import sample_path

if TYPE_CHECKING:
    from conftest import Brr

BROKEN = "brr_toolchain.audit.broken:"
FULL_SIZE = "brr_toolchain.audit.full_size:"
FEW = 1_000
ALPHA = 1e-6 / 271  # a pair's share of the false-alarm rate, by default
PARTS = ["near codes", "unknown words", "own codes", "fresh noise"]


def failed(audit: Audit) -> set[str]:
    return {part.name for part in audit.parts if not part.passed}


@pytest.fixture(scope="session")
def opened(sample_bundle: Path) -> Bundle:
    return Bundle.open(sample_bundle)


@pytest.fixture
def factory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Write a module with a factory into the current directory; return its name."""
    count = iter(range(100))

    def write(body: str) -> str:
        name = f"audited_{tmp_path.name}_{next(count)}".replace("-", "_")
        (tmp_path / f"{name}.py").write_text(body)
        return f"{name}:make"

    monkeypatch.chdir(tmp_path)
    return write


class TestBounds:
    def test_are_those_of_clopper_and_pearson(self) -> None:
        draws, alpha = 500, 1e-4
        pairs = [(0, 0), (0, 500), (1, 3), (200, 100), (500, 0), (500, 500)]
        found = loss_bound(*map(np.array, zip(*pairs, strict=True)), draws, alpha)
        for (first, second), bound in zip(pairs, found, strict=True):
            low, high = (
                stats.binomtest(k, draws).proportion_ci(1 - alpha, method="exact")
                for k in (first, second)
            )
            expected = math.log(low.low / high.high) if first else -math.inf
            assert bound == pytest.approx(expected)

    @pytest.mark.parametrize(("p", "q"), [(0.7, 0.26), (0.05, 0.02), (0.999, 0.5)])
    def test_error_is_at_most_alpha(self, p: float, q: float) -> None:
        """Exactly: the probability of all counts whose bound is above the loss."""
        draws, alpha = 60, 0.05
        counts = np.arange(draws + 1)
        first, second = (grid.ravel() for grid in np.meshgrid(counts, counts))
        wrong = loss_bound(first, second, draws, alpha) > math.log(p / q)
        weights = stats.binom.pmf(first, draws, p) * stats.binom.pmf(second, draws, q)
        assert weights[wrong].sum() <= alpha
        assert weights[wrong].sum() > 0

    def test_smallest_violation_has_its_power(self) -> None:
        """By simulation; 20,000 rounds are within 0.005 of 0.99 but for less than 10^-10."""
        draws, alpha = 2_000, 1e-6
        excess = smallest_violation(draws, alpha)
        generator = np.random.default_rng(1)
        first = generator.binomial(draws, 0.5, 20_000)
        second = generator.binomial(draws, 0.5 * math.exp(-1 - excess), 20_000)
        caught = (loss_bound(first, second, draws, alpha) > 1).mean()
        assert caught == pytest.approx(0.99, abs=0.005)

    def test_more_draws_see_smaller_violations(self) -> None:
        found = [smallest_violation(draws, 1e-9) for draws in (1_000, 10_000, 100_000)]
        assert found == sorted(found, reverse=True)
        assert found[2] < 0.1 < found[1] < 0.3

    def test_what_is_too_rare_is_never_caught(self) -> None:
        assert smallest_violation(1_000, 1e-9, probability=0.01) == math.inf


class TestInstances:
    def test_codes(self, opened: Bundle, tmp_path: Path) -> None:
        own, near = code_instances(opened, tmp_path)
        assert own.words == near.words == tuple(dict.fromkeys(own.words))
        assert {opened.vocabulary.word(i) for i in range(4)} < set(own.words)
        for instance in (own, near):
            assert instance.bundle is not None
            small = Bundle.open(instance.bundle)
            assert [small.vocabulary.word(i) for i in range(len(small))] == list(own.words)
            assert (small.bits, small.graph) == (opened.bits, opened.graph)
            claims = instance.epsilon * instance.distances[np.triu_indices(WORDS, 1)]
            assert claims[claims > 0].min() == pytest.approx(1)
        ids = [opened.vocabulary.find(word) for word in own.words]
        assert np.array_equal(Bundle.open(own.bundle or "").codes, opened.codes[ids])
        assert near.epsilon == 1
        assert near.distances.max() == 4

    def test_own_pairs_are_the_nearest_there_are(self, opened: Bundle, tmp_path: Path) -> None:
        own, _ = code_instances(opened, tmp_path)
        codes = opened.codes[:1024]
        apart = np.bitwise_count(codes[:, None, 0] ^ codes[None, :, 0])
        assert own.distances[own.distances > 0].min() == apart[apart > 0].min()

    def test_vectors(self) -> None:
        words = [f"w{i}" for i in range(300)]
        vectors = np.random.default_rng(0).standard_normal((300, 7)).astype(np.float32)
        own, plane = vector_instances(words, vectors)
        assert own.vectors is not None
        assert plane.vectors is not None
        assert np.array_equal(own.vectors, vectors[[words.index(word) for word in own.words]])
        assert plane.vectors.shape == (WORDS, 2)
        i, j = 3, 8
        assert own.distances[i, j] == pytest.approx(math.dist(own.vectors[i], own.vectors[j]))

    @pytest.mark.parametrize("size", [12, 13, 20])
    def test_small_vocabularies(self, size: int) -> None:
        vectors = np.random.default_rng(0).standard_normal((size, 3)).astype(np.float32)
        own, _ = vector_instances([f"w{i}" for i in range(size)], vectors)
        assert len(set(own.words)) == WORDS

    def test_too_few_words(self) -> None:
        with pytest.raises(ParameterError, match="12 words, the bundle has 11"):
            vector_instances([f"w{i}" for i in range(11)], np.eye(11, dtype=np.float32))

    def test_words_in_one_place(self) -> None:
        with pytest.raises(ParameterError, match="can't be told apart"):
            vector_instances([f"w{i}" for i in range(12)], np.ones((12, 2), np.float32))


class TestRight:
    @pytest.mark.parametrize(
        ("mechanism", "parameters"),
        [
            ("brr", {}),
            ("vickrey", {"t": 0.0}),
            ("vickrey", {"t": 0.5}),
            ("vickrey", {"t": [0.1, 0.2, 0.3]}),
            ("exponential", {}),
        ],
    )
    def test_mechanisms_pass(
        self, mechanism: str, parameters: dict[str, object], opened: Bundle
    ) -> None:
        audit = audit_mechanism(opened, mechanism, samples=FEW, progress=False, **parameters)
        assert failed(audit) == set()
        assert [part.name for part in audit.parts] == PARTS
        assert audit.pairs == 2 * 132 + 6

    def test_the_bound_is_nearly_reached(self, opened: Bundle) -> None:
        """Power: a test that sees only losses far below the claim would see no violation.

        An event of the cube has the loss 1 with probabilities 0.73 and 0.27. Its bound at 4,000
        draws is 0.85 on average; of two dozen such pairs the best is above.
        """
        audit = audit_mechanism(opened, "brr", samples=4_000, progress=False)
        worst = audit.parts[0].worst
        assert worst is not None
        assert 0.8 < worst.loss <= worst.claimed == 1

    @pytest.mark.parametrize("name", ["laplace", "vickrey"])
    def test_full_size_mechanisms_pass(self, name: str, opened: Bundle) -> None:
        audit = audit_factory(
            opened, FULL_SIZE + name, embeddings=sample_path(), samples=FEW, progress=False
        )
        assert failed(audit) == set()
        assert {part.name for part in audit.parts} == {"plane", "own vectors", *PARTS} - {
            "near codes",
            "own codes",
        }

    def test_a_constant_is_private(self, opened: Bundle, factory: Callable[[str], str]) -> None:
        """Not a fixed seed, though two processes give the same."""
        name = factory("def make(bundle, epsilon): return lambda word: 'x'")
        assert audit_factory(opened, name, samples=FEW, progress=False).passed

    def test_refusing_unknown_words_is_private(
        self, opened: Bundle, factory: Callable[[str], str]
    ) -> None:
        name = factory(
            "def make(bundle, epsilon):\n"
            "    known = {bundle.vocabulary.word(i): 'x' for i in range(len(bundle))}\n"
            "    return lambda word: known[word]\n"
        )
        assert audit_factory(opened, name, samples=FEW, progress=False).passed

    def test_false_alarms_are_rarer_than_stated(self, near: Instance) -> None:
        """At a rate of 0.1, seeded: 10 alarms in 25 runs would have a probability of 8 * 10^-5."""
        alarms = 0
        for seed in range(25):
            privatizer = seeded(near, seed)
            draw = lambda word, count: privatizer.words([word] * count)  # noqa: E731, B023
            alarms += not check(near, draw, alpha=0.1 / 132).passed
        assert alarms < 10


@pytest.fixture(scope="session")
def near(opened: Bundle, tmp_path_factory: pytest.TempPathFactory) -> Instance:
    return code_instances(opened, tmp_path_factory.mktemp("near"))[1]


def check(
    instance: Instance,
    draw: Draw,
    *,
    inputs: Sequence[str] = (),
    samples: int = FEW,
    alpha: float = ALPHA,
) -> Part:
    """What an audit does with all pairs of one instance, or of ``inputs`` outside it."""
    sampling = Sampling(draw, inputs or instance.words, samples, alpha, lambda count: None)
    return inequality("part", sampling, instance)


def seeded(instance: Instance, seed: int) -> Privatizer:
    assert instance.bundle is not None
    source = np.random.default_rng(seed).bytes
    return Privatizer(Bundle.open(instance.bundle), instance.epsilon, random=source)


class TestBroken:
    @pytest.mark.parametrize(
        ("name", "samples", "alpha"),
        [
            # At the default alpha one in thousands would pass; at this one, one in 10^6.
            ("wrong_flip_rate", AUDIT_SAMPLES, 1e-4),
            ("vickrey_without_input", FEW, ALPHA),
            ("rejection_until_different", FEW, ALPHA),
            ("stop_words_unchanged", FEW, ALPHA),
            ("seed_at_each_call", FEW, ALPHA),
            ("exponential_without_half", AUDIT_SAMPLES // 2, ALPHA),
        ],
    )
    def test_inequality_on_codes(
        self, name: str, samples: int, alpha: float, near: Instance
    ) -> None:
        draw = Subject(factory=BROKEN + name).prepare(near)
        part = check(near, draw, samples=samples, alpha=alpha)
        assert not part.passed
        assert part.worst is not None
        assert part.worst.loss > part.worst.claimed

    def test_unknown_words(self, near: Instance) -> None:
        draw = Subject(factory=BROKEN + "oov_unchanged").prepare(near)
        part = check(near, draw, inputs=["1234", "zqzq", "alice"])
        assert [pair.violated for pair in part.pairs] == [True] * 6

    @pytest.mark.parametrize("dimensions", [32, 1024])
    def test_laplace_noise_for_l2_where_l1_is_needed(self, dimensions: int) -> None:
        words = [f"w{i}" for i in range(30)]
        vectors = np.random.default_rng(0).standard_normal((30, dimensions)).astype(np.float32)
        own, plane = vector_instances(words, vectors)
        for instance in (own, plane):
            draw = Subject(factory=BROKEN + "laplace_l2_for_l1").prepare(instance)
            assert not check(instance, draw, samples=3 * FEW).passed

    def test_laplace_noise_of_the_right_scale(self, factory: Callable[[str], str]) -> None:
        """The same with noise for the L1 distance, which is at most sqrt(2) of L2 in a plane."""
        name = factory(
            "import numpy as np\n"
            "def make(words, vectors, epsilon):\n"
            "    known, scale = dict(zip(words, vectors)), np.sqrt(vectors.shape[1]) / epsilon\n"
            "    return lambda word: known[word] + np.random.laplace(0, scale, vectors.shape[1])\n"
        )
        words = [f"w{i}" for i in range(30)]
        vectors = np.random.default_rng(0).standard_normal((30, 32)).astype(np.float32)
        for instance in vector_instances(words, vectors):
            assert check(instance, Subject(factory=name).prepare(instance), samples=3 * FEW).passed

    def test_a_projection_without_noise(self, factory: Callable[[str], str]) -> None:
        """Outputs of another length than the vectors, some of whose coordinates are constant."""
        name = factory(
            "def make(words, vectors, epsilon):\n"
            "    known = dict(zip(words, vectors[:, :3].tolist()))\n"
            "    return lambda word: [*known[word], 7.0]\n"
        )
        vectors = np.random.default_rng(0).standard_normal((30, 32)).astype(np.float32)
        own, _ = vector_instances([f"w{i}" for i in range(30)], vectors)
        part = check(own, Subject(factory=name).prepare(own))
        assert all(pair.violated for pair in part.pairs)

    def test_vectors_for_unknown_words(self, factory: Callable[[str], str]) -> None:
        """Some are refused, some aren't: that alone tells them apart."""
        name = factory(
            "def make(words, vectors, epsilon):\n"
            "    def release(word):\n"
            "        if word == 'refused': raise KeyError(word)\n"
            "        return [0.0, 0.0]\n"
            "    return release\n"
        )
        vectors = np.random.default_rng(0).standard_normal((30, 32)).astype(np.float32)
        own, _ = vector_instances([f"w{i}" for i in range(30)], vectors)
        part = check(own, Subject(factory=name).prepare(own), inputs=["refused", "x", "y"])
        assert {(p.first, p.second) for p in part.pairs if p.violated} == {
            ("refused", "x"),
            ("refused", "y"),
            ("x", "refused"),
            ("y", "refused"),
        }

    def test_a_seed_set_on_import(self, opened: Bundle, factory: Callable[[str], str]) -> None:
        name = factory(
            "import random\nfrom brr_runtime import Privatizer\n"
            "SOURCE = random.Random(0).randbytes\n"
            "def make(bundle, epsilon): return Privatizer(bundle, epsilon, random=SOURCE).word\n"
        )
        audit = audit_factory(opened, name, samples=FEW, progress=False)
        assert failed(audit) == {"fresh noise"}


def test_outcome(opened: Bundle) -> None:
    audit = audit_factory(opened, BROKEN + "fixed_seed", samples=FEW, progress=False)
    assert failed(audit) == {"fresh noise"}
    assert not audit.passed
    content = json.loads(audit.to_json())
    assert content["passed"] is False
    assert content["subject"] == BROKEN + "fixed_seed"
    assert content["metric"] == "hamming"
    assert [part["name"] for part in content["parts"]] == PARTS
    assert set(content["parts"][0]["pairs"][0]) == {
        "first", "second", "distance", "claimed", "event", "counts", "loss",
    }  # fmt: skip
    suite = ElementTree.fromstring(audit.to_junit())
    assert (suite.get("tests"), suite.get("failures")) == ("4", "1")
    assert [case.get("name") for case in suite if case.find("failure") is not None] == [
        "fresh noise"
    ]


class TestMisbehaviour:
    @pytest.mark.parametrize(
        ("body", "message"),
        [
            ("def other(): pass", "the module has no function 'make'"),
            ("make = 3", "the module has no function 'make'"),
            ("import no_such_module", "can't be imported: ModuleNotFoundError: No module"),
            ("import sys; sys.exit(0)", "can't be imported: SystemExit: 0"),
            ("def make(:", "can't be imported: SyntaxError"),
            ("def make(bundle, epsilon): raise ValueError('two\\nlines')", "ValueError: two lines"),
            ("def make(bundle, epsilon): return 'x'", "a value of type str, not a callable"),
            ("def make(bundle, epsilon): return lambda word: 1 / 0", "raised ZeroDivisionError"),
            ("def make(bundle, epsilon): return lambda word: exit(0)", "raised SystemExit: 0"),
            ("def make(bundle, epsilon): return lambda word: None", "type NoneType for the word"),
            ("def make(bundle, epsilon): return lambda word: 3", "type int .*, not a string$"),
            ("def make(bundle, epsilon): return lambda word: [1.0]", "type list .*, not a string$"),
        ],
    )
    def test_on_codes(
        self, body: str, message: str, near: Instance, factory: Callable[[str], str]
    ) -> None:
        subject = Subject(factory=factory(body))
        with pytest.raises(AuditError, match=message) as caught:
            check(near, subject.prepare(near))
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        ("output", "message"),
        [
            ("3", "type int .*, not a string or a vector of numbers"),
            ("[]", "type list"),
            ("[[1.0]]", "type list"),
            ("[1.0, 'x']", "type list"),
            ("[[1.0], 2.0]", "type list"),
            ("[1.0, 1j]", "type list"),
            ("[1.0, float('nan')]", "NaN, infinite or beyond float32"),
            ("[1e39]", "NaN, infinite or beyond float32"),
            ("[1.0] * len(word)", "a vector of . numbers .* after a vector of . numbers"),
            ("'x' if word == 'a' else [1.0]", "after a string|a string for .* after a vector"),
        ],
    )
    def test_on_vectors(self, output: str, message: str, factory: Callable[[str], str]) -> None:
        name = factory(f"def make(words, vectors, epsilon): return lambda word: {output}")
        words = ["a", "bb", *(f"w{i}" for i in range(28))]
        vectors = np.random.default_rng(0).standard_normal((30, 2)).astype(np.float32)
        own, _ = vector_instances(words, vectors)
        with pytest.raises(AuditError, match=message):
            check(own, Subject(factory=name).prepare(own))

    def test_only_in_a_new_process(self, opened: Bundle, factory: Callable[[str], str]) -> None:
        name = factory(
            "from pathlib import Path\n"
            "def make(bundle, epsilon):\n"
            "    Path('once').touch(exist_ok=False)\n"
            "    return lambda word: 'x'\n"
        )
        with pytest.raises(AuditError, match=r"(factory|new process).*FileExistsError"):
            audit_factory(opened, name, samples=FEW, progress=False)


class TestCommand:
    def test_passes(self, brr: Brr, sample_bundle: Path, tmp_path: Path) -> None:
        files = tmp_path / "audit.json", tmp_path / "audit.xml"
        outcome = brr(
            "audit", sample_bundle, "--mechanism", "vickrey", "-t", 0.25,
            "--samples", FEW, "--json", files[0], "--junit", files[1],
        )  # fmt: skip
        assert (outcome.code, outcome.err) == (0, "")
        lines = outcome.out.splitlines()
        assert [line[6:21].strip() for line in lines[:-1]] == PARTS
        assert "vickrey (t = 0.25) passed 270 pairs" in lines[-1]
        assert json.loads(files[0].read_text())["passed"] is True
        assert ElementTree.fromstring(files[1].read_text()).get("failures") == "0"

    def test_fails(self, brr: Brr, sample_bundle: Path, tmp_path: Path) -> None:
        file = tmp_path / "audit.json"
        outcome = brr(
            "audit", sample_bundle, "--factory", BROKEN + "stop_words_unchanged",
            "--samples", FEW, "--json", file,
        )  # fmt: skip
        assert outcome.code == 1
        assert outcome.err.count("\n") == 1
        assert "failed: near codes" in outcome.err
        assert json.loads(file.read_text())["passed"] is False

    def test_euclidean(self, brr: Brr, sample_bundle: Path) -> None:
        outcome = brr(
            "audit", sample_bundle, "--factory", BROKEN + "laplace_l2_for_l1",
            "--metric", "euclidean", "--embeddings", sample_path(), "--samples", 3 * FEW,
        )  # fmt: skip
        assert outcome.code == 1
        assert "own vectors" in outcome.err

    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            ([], 2, "one of --mechanism and --factory"),
            (["--mechanism", "brr", "--factory", "a:b"], 2, "one of --mechanism and --factory"),
            (["--factory", "a:b", "-t", 1], 2, "-t is for --mechanism"),
            (["--mechanism", "brr", "--metric", "euclidean"], 2, "--metric euclidean is for"),
            (["--factory", "a:b", "--metric", "euclidean"], 2, "--embeddings go together"),
            (["--factory", "a:b", "--embeddings", "x"], 2, "--embeddings go together"),
            (["--mechanism", "laplace"], 1, "mechanism 'laplace' is unknown"),
            (["--mechanism", "brr", "-t", 1], 1, "mechanism 'brr' has no parameter 't'"),
            (["--mechanism", "vickrey", "-t", 2], 1, "t must be a number from 0 to 1"),
            (["--mechanism", "vickrey", *["-t", 1] * 13], 1, "12 words"),
            (["--factory", "nothing"], 1, "isn't of the form module:function"),
            (["--factory", "no_such_module:make"], 1, "No module named 'no_such_module'"),
            (["--mechanism", "brr", "--samples", 999], 1, "samples must be at least 1,000"),
            (["--mechanism", "brr", "--false-alarm-rate", 0], 1, "must be from 1e-12 to 0.5"),
            (["--mechanism", "brr", "--false-alarm-rate", "nan"], 1, "must be from 1e-12 to 0.5"),
        ],
    )
    def test_wrong_use(
        self, arguments: list[object], code: int, message: str, brr: Brr, sample_bundle: Path
    ) -> None:
        outcome = brr("audit", sample_bundle, *arguments)
        assert outcome.code == code
        assert outcome.err.count("\n") == 1
        assert message in outcome.err

    def test_embeddings_of_other_words(self, brr: Brr, sample_bundle: Path, tmp_path: Path) -> None:
        other = tmp_path / "other.txt"
        vectors = np.random.default_rng(0).standard_normal((30, 4)).round(3)
        other.write_bytes(text_embeddings([f"w{i}" for i in range(30)], vectors))
        outcome = brr(
            "audit", sample_bundle, "--factory", FULL_SIZE + "laplace",
            "--metric", "euclidean", "--embeddings", other,
        )  # fmt: skip
        assert (outcome.code, outcome.err.count("\n")) == (1, 1)
        assert "its words aren't the bundle's" in outcome.err

    def test_nothing_is_left(
        self, brr: Brr, sample_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        temporary = tmp_path / "temporary"
        temporary.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(temporary))
        (tmp_path / "audited_raises.py").write_text(
            "def make(bundle, epsilon): return lambda word: 1 / 0"
        )
        monkeypatch.chdir(tmp_path)
        outcome = brr("audit", sample_bundle, "--factory", "audited_raises:make")
        assert (outcome.code, outcome.err.count("\n")) == (1, 1)
        assert "ZeroDivisionError" in outcome.err
        assert leftovers(temporary) == []
