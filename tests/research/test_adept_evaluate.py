"""ADePT's experiments: what is measured, kept and shown, on models of a second's training."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from adept_tools import SENTENCES
from bundle_tools import leftovers

from brrkit import BrrError, WordBundle
from brrkit.tokenizer import tokenize
from brrkit_adept.data import LabeledSentences, Sentences
from brrkit_adept.model import WEIGHTS, open_model
from brrkit_adept.pretrained import pretrained
from brrkit_adept.sentence_vocabulary import SentenceVocabulary
from brrkit_adept.train import _states
from brrkit_toolchain.embeddings.reader import Embeddings
from brrkit_toolchain.embeddings.source_file import Source
from brrkit_toolchain.io.quiet_tensorflow import import_tensorflow
from research.adept import evaluate
from research.adept.__main__ import adept
from research.adept.classifier import Classifier, attack_auc
from research.adept.evaluate import noise_variance
from research.adept.lattice import make_lattice_release
from research.adept.page import summary, write_page
from research.adept.shrink import make_shrinkage
from research.adept.stored import Stored
from research.adept.word_level import PAIRS, WordLevel, recommended_radius
from research.papers.results import read_rows

Run = Callable[..., Any]

CHEAP = "--hidden 16 --dimensions 4 --epochs 2 --trials 1"


@pytest.fixture
def run(benchmark_command: Callable[..., Any]) -> Run:
    """Run ``python -m research.adept`` in this process."""
    return partial(benchmark_command, adept)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("adept") / "intents.tsv"
    rows = "".join(f"{label}\t{text}\n" for label, text in SENTENCES * 2)
    path.write_text(f"label\ttext\n{rows}")
    return path


# --- the split, the attack, and what was published


def test_split_keeps_training_apart_from_users() -> None:
    texts = [f"word{i}" for i in range(80)]
    sentences = Sentences(texts, ["x", "y"] * 40, "a", "")
    public, quarters = evaluate.split(sentences, 0)
    parts = [public, *quarters]
    assert [len(part.texts) for part in parts] == [40, 10, 10, 10, 10]
    assert sorted(text for part in parts for text in part.texts) == sorted(texts)
    label = dict(zip(texts, sentences.labels or [], strict=True))
    assert all(part.labels == [label[text] for text in part.texts] for part in parts)
    assert evaluate.split(sentences, 1)[0] != public
    with pytest.raises(BrrError, match="40 labeled sentences or more"):
        evaluate.split(Sentences(texts, None, "a", ""), 0)


def test_published_noise_and_its_true_epsilon() -> None:
    generator = np.random.default_rng(0)
    latents = np.full((4000, 16), 3.0, np.float32)
    for kind, deviation, true in (
        (evaluate.PUBLISHED_LAPLACE, 2 * 0.5 / 10 * math.sqrt(2), 40.0),
        (evaluate.PUBLISHED_GAUSSIAN, 2 * 0.5 / (50 / 4.8448), 96.43),
    ):
        epsilon = 50.0 if true > 90 else 10.0
        noised, found = evaluate.published(kind, latents, 0.5, epsilon, 1e-5, generator)
        assert found == pytest.approx(true, abs=0.01)
        assert noised.mean() == pytest.approx(0.5 / 4, abs=0.01)
        assert noised.std() == pytest.approx(deviation, rel=0.03)


def test_attack_sees_what_a_model_learned_by_heart() -> None:
    generator = np.random.default_rng(0)
    parts = [
        LabeledSentences(
            [" ".join(f"w{i}" for i in generator.integers(0, 500, 6)) for _ in range(60)],
            [str(i % 3) for i in range(60)],
        )
        for _ in range(4)
    ]
    models = [Classifier(parts[i]) for i in (0, 2)]
    auc = attack_auc(models[0], (parts[0], parts[1]), models[1], (parts[2], parts[3]))
    assert auc > 0.9
    other = attack_auc(models[0], (parts[0], parts[1]), models[0], (parts[2], parts[3]))
    assert 0.3 < other < 0.7
    one = Classifier(LabeledSentences(["a b"], ["x"]))
    assert one.scores(parts[0]).tolist()[0] == [1, 0, 0, 0, 0]


def test_words_kept() -> None:
    assert evaluate.kept(["Show me, show flights!", "a b"], ["flights me x", "c"]) == 1 / 3
    assert evaluate.kept(["a b"], ["b a"]) == 1


# --- words


def test_words_one_by_one(sample_bundle: Path) -> None:
    bundle = WordBundle.open(sample_bundle)
    known = [bundle.vocabulary.word(i) for i in (5, 900, 17, 5)]
    texts = [" ".join(known), f"{known[1]} zzqx {known[1]}", known[2]]
    words = WordLevel(bundle)
    for mechanism in ("exponential", "brr"):
        same = words.rewrite(texts, mechanism, 16.0, np.random.default_rng(0))
        assert (same[0], same[2]) == (texts[0], texts[2]), mechanism
        first, unknown, last = same[1].split()
        assert (first, last) == (known[1], known[1])
        assert bundle.vocabulary.find(unknown) is not None
        noised = words.rewrite(texts * 200, mechanism, 0.01, np.random.default_rng(1))
        assert [len(text.split()) for text in noised] == [4, 3, 1] * 200
        most = Counter(" ".join(noised).split()).most_common(1)[0][1]
        assert most < 60, f"{mechanism}: at this epsilon any word is about as likely"


def test_distances_of_sentences(sample_bundle: Path) -> None:
    bundle = WordBundle.open(sample_bundle)
    word = [bundle.vocabulary.word(i) for i in range(8)]
    texts = [f"{word[0]} {word[1]}", f"{word[2]} {word[3]}", word[4], word[5], word[6]]
    codes = bundle.codes[:, 0].tolist()

    def bits(a: int, b: int) -> int:
        return (codes[a] ^ codes[b]).bit_count()

    sums = WordLevel(bundle).distances(texts, np.random.default_rng(0))
    assert len(sums) == PAIRS
    counts = Counter(sums.tolist())
    wanted = Counter({bits(0, 2) + bits(1, 3): 1})
    wanted.update([bits(4, 5), bits(4, 6), bits(5, 6)])
    assert set(counts) == set(wanted)
    for distance, pairs in wanted.items():
        assert counts[distance] / PAIRS == pytest.approx(pairs / 4, abs=0.03)
    assert WordLevel(bundle).distances([word[0], texts[0]], np.random.default_rng(0)).size == 0


def test_the_recommended_radius_is_taken(sample_bundle: Path) -> None:
    bundle = WordBundle.open(sample_bundle)
    assert recommended_radius(bundle) is None
    word = bundle.vocabulary.word(3)
    setting = {"mechanism": "exponential", "epsilon": 0.5, "goal": "", "parameters": {"radius": 0}}
    bundle.manifest["recommended"] = setting
    assert recommended_radius(bundle) == 0
    changed, default = WordLevel(bundle), WordLevel(WordBundle.open(sample_bundle))
    shares = [
        words.rewrite([word] * 400, "exponential", 1.0, np.random.default_rng(0)).count(word)
        for words in (changed, default)
    ]
    assert shares[0] > shares[1] + 40


# --- what a model may start from, and what may follow it


def test_gradient_of_the_gru_is_that_of_tensorflow() -> None:
    tf = import_tensorflow()
    generator = np.random.default_rng(0)
    shapes = ((5, 3, 12), (3, 4), (4, 12), (12,))
    values = [tf.constant(generator.normal(0, 1, shape), tf.float64) for shape in shapes]
    weights = tf.constant(generator.normal(0, 1, (5, 3, 4)), tf.float64)

    def plain(outer: Any, state: Any, recurrent: Any, bias: Any) -> Any:
        states = []
        for step in tf.unstack(outer):
            x = tf.split(step, 3, axis=1)
            h = tf.split(tf.matmul(state, recurrent) + bias, 3, axis=1)
            update, reset = tf.sigmoid(x[0] + h[0]), tf.sigmoid(x[1] + h[1])
            state = update * state + (1 - update) * tf.tanh(x[2] + reset * h[2])
            states.append(state)
        return tf.stack(states)

    found = []
    for run in (plain, _states):
        with tf.GradientTape() as tape:
            tape.watch(values)
            states = run(*values)
            loss = tf.reduce_sum(weights * states)
        found.append([states, *tape.gradient(loss, values)])
    for wanted, got in zip(*found, strict=True):
        assert np.allclose(wanted, got, rtol=1e-9, atol=1e-12)


def test_pretrained_vectors() -> None:
    generator = np.random.default_rng(0)
    vectors = (generator.normal(0, 1, (4, 3)) + 5).astype(np.float32)
    given = Embeddings(("b", "x", "c", "a"), vectors, Source("v.txt", ""), "glove text", {})
    vocabulary = SentenceVocabulary(("label",), ("a", "b", "zebra", "c"))
    found = pretrained(vocabulary, given, 8)
    assert found.shape == (vocabulary.size, 8)
    first = vocabulary.first_word
    rows = found[[first, first + 1, first + 3], :3].astype(np.float64)
    assert np.isnan(found[first + 2]).all()
    assert np.isnan(found[:first]).all()
    assert np.isnan(found[:, 3:]).all()
    centered = vectors[[3, 0, 2]] - vectors[[3, 0, 2]].mean(axis=0)
    scale = np.linalg.norm(centered, axis=1).mean()
    assert np.allclose(rows @ rows.T, centered @ centered.T / scale**2, atol=1e-5)
    with pytest.raises(BrrError, match=r"v\.txt: has none of the words"):
        pretrained(SentenceVocabulary((), ("zebra",)), given, 8)


@pytest.mark.parametrize("variant", ["laplace-l1", "gaussian"])
def test_shrinkage_is_the_best_linear_estimate(variant: str) -> None:
    generator = np.random.default_rng(0)
    vectors = generator.normal(0, 1, (4000, 3)) * [0.5, 0.2, 0.05] + [0.3, 0, 0]
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1)
    delta = 1e-5 if variant == "gaussian" else 0.0
    release = make_lattice_release(variant, 10.0, delta, 3, clip=2.0)
    released = release(vectors.astype(np.float32), generator.bytes)
    noise = released - release.clipped(vectors) * (release.clip / release.limit)
    assert noise.var() == pytest.approx(noise_variance(release), rel=0.05)
    shrinkage = make_shrinkage(vectors, noise_variance(release))
    error = np.square(shrinkage(released) - vectors).mean()
    assert error < 0.8 * np.square(released - vectors).mean()
    for factor in (0.5, 2.0):
        other = make_shrinkage(vectors, factor * noise_variance(release))
        assert np.square(other(released) - vectors).mean() > error
    assert np.allclose(make_shrinkage(vectors, 0.0)(released), released, atol=1e-5)


# --- the command


@pytest.fixture(scope="module")
def options(table: Path) -> list[str]:
    return ["--data", str(table), *CHEAP.split()]


def test_evaluation_goes_on_where_it_stopped(
    run: Run, options: list[str], sample_bundle: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out"
    grid = [*options, "--output", output, "--bundle", sample_bundle, "--no-labels", "--shrink"]
    grid += ["--variant", "laplace-l2", "--variant", "brr", "--word-epsilon", "1"]
    first = run("evaluate", *grid, "--epsilon", "20")
    assert first.code == 0, first.err
    assert "| laplace-l2 | 20 | 20 |" in first.out
    found = Stored("", read_rows(output / "adept.csv"), {}, {}, None)
    assert found.number("true_epsilon", "laplace-l2", 20) == pytest.approx(20, rel=1e-3)
    assert math.isinf(found.number("true_epsilon", "brr", 1))
    losses = [found.number(f"{kind}_privacy_loss", "brr", 1) for kind in ("mean", "median")]
    assert 20 < losses[0] < 64 * 7
    assert found.values("accuracy", "majority class") < found.values("accuracy", "original text")
    assert found.values("kept", "original text") == [1]
    model, _ = open_model(output / "models" / "norm-2-trial-0")
    assert model.vocabulary.labels == ()  # they stay as typed
    examples = json.loads((output / "examples.json").read_text())
    for name, _, _, pairs in examples["rewritten"]:
        assert [label for label, _ in pairs] == [label for label, _ in examples["typed"]]
        lengths = [len(tokenize(text)) for _, text in examples["typed"]]
        assert name != "brr" or [len(text.split()) for _, text in pairs] == lengths

    stored = (output / "adept.csv").read_bytes()
    weights = output / "models" / "norm-2-trial-0" / WEIGHTS
    before = weights.stat().st_mtime_ns
    again = run("evaluate", *grid, "--epsilon", "20", "--epsilon", "3", "--json")
    assert (output / "adept.csv").read_bytes().startswith(stored)
    assert {row["epsilon"] for row in json.loads(again.out)} == {None, 20, 3, 1}
    assert weights.stat().st_mtime_ns == before
    other = run("evaluate", *grid, "--noise", "1")
    assert other.code == 1
    assert "was measured with model" in other.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--variant laplace", "no such --variant; choose one of: codes, laplace-l1"),
        ("--variant brr", "--variant brr privatizes words: give a --bundle of them"),
        ("--label-column intent", "names no column 'intent' among its 2 fields"),
        ("--epsilon 0", "epsilon must be a number from 0.001 to 10000"),
        ("--delta 0.5", "delta must be a number from"),
        ("--variant codes --clip 0", "clip must be positive, not 0"),
        ("--dimensions 0", "dimensions must be from 1 to 4096"),
    ],
)
def test_refuses(
    run: Run, options: list[str], tmp_path: Path, arguments: str, message: str
) -> None:
    outcome = run("evaluate", *options, "--output", tmp_path / "out", *arguments.split())
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)
    assert message in outcome.err
    assert leftovers(tmp_path) == []


# --- the page


def test_the_page_in_docs_is_that_of_its_results(
    rewritten_page: Callable[..., tuple[Path, str]],
) -> None:
    results = Path(__file__).parents[2] / "research" / "results"
    made, _ = rewritten_page("adept", "adept-results.md", write_page)
    figures = leftovers(made / "figures")
    assert sorted(figures) == sorted(path.name for path in (results / "figures").glob("adept-*"))
    for name in figures:
        assert (made / "figures" / name).read_bytes() == (results / "figures" / name).read_bytes()


def test_what_the_experiments_are_for() -> None:
    """Stored results: codes are 5 points above the corrected original where it counts."""
    for data in ("atis", "snips"):
        folder = Path(__file__).parents[2] / "research" / "results" / "adept" / data
        stored = Stored("", read_rows(folder / "adept.csv"), {}, {}, None)
        assert stored.trials >= 3
        for epsilon in (10.0, 20.0):
            best = max(stored.number("accuracy", f"laplace-l{n}", epsilon) for n in (1, 2))
            assert stored.number("accuracy", "codes", epsilon) >= best + 0.05, (data, epsilon)
        assert "| codes | 10 | 10 |" in summary(stored.rows)
