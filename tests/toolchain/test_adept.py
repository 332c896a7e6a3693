"""Sentences rewritten by an autoencoder: its network, its decoder, its folder and its commands."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from adept_tools import SENTENCES
from bundle_tools import leftovers

from brrkit import BrrError
from brrkit_adept.data import read_sentences
from brrkit_adept.decoding import decode
from brrkit_adept.model import (
    CODEWORDS,
    KIND,
    VOCABULARY,
    WEIGHTS,
    Model,
    ModelError,
    make_model,
    open_model,
)
from brrkit_adept.network import Network, Sizes, gru
from brrkit_adept.sentence_vocabulary import (
    BEGIN,
    END,
    PADDING,
    UNKNOWN,
    SentenceVocabulary,
    make_vocabulary,
)
from brrkit_adept.settings import SentenceLimits, Settings
from brrkit_adept.train import train
from brrkit_toolchain.bundle.writer import encode_manifest
from brrkit_toolchain.io.quiet_tensorflow import import_tensorflow

if TYPE_CHECKING:
    from conftest import Brr

SMALL = Settings(
    dimensions=6, hidden=32, embedding=16, epochs=60, batch=8, learning_rate=2e-2, seed=4
)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("adept") / "public.tsv"
    rows = "".join(f"{label}\t{text}\n" for label, text in SENTENCES)
    path.write_text(f"label\ttext\n{rows}")
    return path


@pytest.fixture(scope="module")
def folder(table: Path) -> Path:
    """A model with labels that has learned its sentences by heart."""
    output = table.with_name("model")
    sentences = read_sentences(table, "text", "label")
    make_model(sentences, output, SMALL, SentenceLimits(longest=12))
    return output


@pytest.fixture(scope="module")
def model(folder: Path) -> Model:
    return open_model(folder)[0]


def random_network(sizes: Sizes, seed: int = 0) -> Network:
    generator = np.random.default_rng(seed)
    return Network(
        {
            name: generator.normal(0, 0.5, shape).astype(np.float32)
            for name, shape in sizes.shapes().items()
        }
    )


# --- vocabulary


def test_unknown_words_are_one_token() -> None:
    vocabulary = make_vocabulary(["a b b", "b c c"], ["x", "y"], 10, 2)
    assert vocabulary.words == ("b", "c")
    first = vocabulary.first_word
    assert first == 6
    assert vocabulary.tokens("B, zebra c!", "y", 9) == [5, first, UNKNOWN, first + 1]
    assert vocabulary.tokens("c secret c c", "z", 2) == [UNKNOWN, first + 1, UNKNOWN]
    assert make_vocabulary(["b b a a c"], None, 1, 1).words == ("a",)
    assert vocabulary.sentence([4, first, first + 1]) == ("x", "b c")


# --- network


def test_gru_is_that_of_keras() -> None:
    tf = import_tensorflow()
    generator = np.random.default_rng(0)
    layer = tf.keras.layers.GRU(5, return_state=True, use_cudnn=False)
    inputs = generator.normal(0, 1, (3, 7, 4)).astype(np.float32)
    layer(inputs)
    layer.set_weights([generator.normal(0, 1, w.shape) for w in layer.get_weights()])
    names = ("g_kernel", "g_recurrent", "g_bias")
    weights = dict(zip(names, layer.get_weights(), strict=True))
    state = np.zeros((3, 5), np.float32)
    for t in range(7):
        state = gru(weights, "g", inputs[:, t], state)
    assert np.allclose(state, layer(inputs)[1].numpy(), atol=1e-5)


def test_training_and_network_are_one_model() -> None:
    """The loss that TensorFlow trains by is that of the network's own probabilities."""
    vocabulary = SentenceVocabulary((), ("a", "b", "c"))
    sentences = [[4, 5, 6], [6, 6], [5]]
    for norm in (1, 2):
        settings = Settings(dimensions=3, hidden=4, embedding=5, epochs=1, batch=3, norm=norm)
        # A step so small that the weights after it have the loss that was measured before it.
        still = Settings(**{**vars(settings), "learning_rate": 1e-9})
        weights, loss = train(sentences, vocabulary, still, progress=False)
        network = Network(weights)
        latents = network.encode(sentences)
        latents /= np.maximum(np.linalg.norm(latents, norm, axis=1, keepdims=True), 1)
        losses = []
        for row, sentence in enumerate(sentences):
            latent = latents[row : row + 1]
            state = network.start(latent)
            for before, after in zip([BEGIN, *sentence], [*sentence, END], strict=True):
                logits, state = network.step(np.array([before]), latent, state)
                shifted = logits[0] - logits[0].max()
                losses.append(math.log(np.exp(shifted).sum()) - shifted[after])
        assert loss == pytest.approx(np.mean(losses), rel=1e-4)


def test_encoding_in_batches_is_encoding_one_by_one() -> None:
    network = random_network(Sizes(9, 4, 6, 3))
    sentences = [[4, 5], [6], [], [7, 8, 4, 4]] * 100
    together = network.encode(sentences)
    assert together.shape == (400, 3)
    for i in range(4):
        assert np.allclose(together[i], network.encode([sentences[i]])[0], atol=1e-6)
        assert np.allclose(together[i], together[i + 396], atol=1e-6)


# --- decoding


LABELLED = SentenceVocabulary(("x", "y"), tuple("abcdefg"))


def decoded(vocabulary: SentenceVocabulary, **options: Any) -> list[list[int]]:
    network = random_network(Sizes(vocabulary.size, 4, 6, 3), seed=1)
    latents = np.random.default_rng(1).normal(0, 1, (300, 3)).astype(np.float32)
    return decode(network, vocabulary, latents, longest=12, **options)


@pytest.mark.parametrize("vocabulary", [LABELLED, SentenceVocabulary((), tuple("abcdefg"))])
@pytest.mark.parametrize("beam", [1, 3])
def test_only_words_come_out(vocabulary: SentenceVocabulary, beam: int) -> None:
    labels = len(vocabulary.labels)
    for sentence in decoded(vocabulary, beam=beam, repeat=0):
        if labels:
            label = sentence.pop(0)
            assert UNKNOWN < label < vocabulary.first_word
        assert 1 <= len(sentence) <= 12
        assert all(vocabulary.first_word <= token < vocabulary.size for token in sentence)
        assert not {PADDING, BEGIN, END, UNKNOWN} & set(sentence)


@pytest.mark.parametrize("repeat", [1, 2, 3])
@pytest.mark.parametrize("beam", [1, 4])
def test_no_words_repeat(repeat: int, beam: int) -> None:
    def repeats(sentences: list[list[int]]) -> bool:
        for _, *sentence in sentences:
            grams = [tuple(sentence[i : i + repeat]) for i in range(len(sentence) - repeat + 1)]
            if len(set(grams)) < len(grams):
                return True
        return False

    assert repeats(decoded(LABELLED, beam=beam, repeat=0))
    assert not repeats(decoded(LABELLED, beam=beam, repeat=repeat))


def test_beam_finds_likelier_sentences_than_greedy() -> None:
    vocabulary = SentenceVocabulary((), tuple("abcd"))
    network = random_network(Sizes(vocabulary.size, 4, 6, 3), seed=2)
    latents = np.random.default_rng(1).normal(0, 1, (100, 3)).astype(np.float32)

    def score(row: int, sentence: list[int]) -> float:
        state, total = network.start(latents[row : row + 1]), 0.0
        whole = [*sentence, END] if len(sentence) < 6 else sentence
        for place, (before, after) in enumerate(zip([BEGIN, *sentence], whole, strict=False)):
            logits, state = network.step(np.array([before]), latents[row : row + 1], state)
            allowed = [END, 4, 5, 6, 7] if place else [4, 5, 6, 7]
            peak = logits[0, allowed].max()
            total += logits[0, after] - peak - np.log(np.exp(logits[0, allowed] - peak).sum())
        return float(total / (len(sentence) + 1))

    greedy, beams = (
        [
            score(row, sentence)
            for row, sentence in enumerate(
                decode(network, vocabulary, latents, longest=6, beam=beam, repeat=0)
            )
        ]
        for beam in (1, 8)
    )
    assert np.mean(beams) > np.mean(greedy) + 0.005


# --- the model


def test_sentences_come_back_without_noise(model: Model) -> None:
    labels, texts = zip(*SENTENCES, strict=True)
    found = model.rewrite(texts, model.release(10_000), labels)
    assert sum(pair == given for pair, given in zip(found, SENTENCES, strict=True)) >= 18


@pytest.mark.false_alarm(1e-9)
def test_noise_is_fresh_and_covers_labels(model: Model) -> None:
    """Of codes, 81% have the label that was given, and 71% are one sentence: 0.9^200 < 10^-9."""
    release = model.release(2)
    typed, labels = ["show me flights"] * 200, ["flight"] * 200
    one, other = (model.rewrite(typed, release, labels) for _ in "ab")
    assert one != other
    assert len(set(one)) > 1
    assert {label for label, _ in one} == {"flight", "fare"}  # epsilon covers the label


def test_clips_cover_training_sentences_in_both_norms(model: Model) -> None:
    labels, texts = zip(*SENTENCES, strict=True)
    latents = model.latents(texts, labels)
    assert model.clips[2] == 1
    clipped = latents / np.maximum(np.linalg.norm(latents, axis=1, keepdims=True), 1)
    share = (np.abs(clipped).sum(axis=1) <= model.clips[1] * (1 + 1e-6)).mean()
    assert 0.9 <= share <= 1


def test_the_same_seed_gives_the_same_files(table: Path, tmp_path: Path) -> None:
    sentences = read_sentences(table, "text", "label")
    few = Settings(**{**vars(SMALL), "epochs": 1, "noise": 0.5})
    one, other = (make_model(sentences, tmp_path / n, few, progress=False) for n in "ab")
    assert one == other
    assert (tmp_path / "a" / WEIGHTS).read_bytes() == (tmp_path / "b" / WEIGHTS).read_bytes()


Change = Callable[[dict[str, Any], dict[str, bytes]], None]


def truncated(folder: Path) -> None:
    path = folder / WEIGHTS
    path.write_bytes(path.read_bytes()[:-4])


def flipped(name: str) -> Callable[[Path], None]:
    def flip(folder: Path) -> None:
        content = bytearray((folder / name).read_bytes())
        content[100] ^= 1
        (folder / name).write_bytes(content)

    return flip


def edited(folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"l2": 1.0', '"l2": 2.0'))


def rewritten(change: Change) -> Callable[[Path], None]:
    """Return what writes a model whose hashes are right, changed."""

    def write(folder: Path) -> None:
        fields = json.loads((folder / "manifest.json").read_text())
        files = {name: (folder / name).read_bytes() for name in KIND.files - {"manifest.json"}}
        for name in ("format", "format_version", "files", "sha256"):
            del fields[name]
        change(fields, files)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        (folder / "manifest.json").write_bytes(encode_manifest(fields, files, KIND))

    return write


def with_last(name: str, number: float) -> Change:
    end = np.float32(number).tobytes()
    return lambda fields, files: files.update({name: files[name][:-4] + end})


def with_short(name: str) -> Change:
    return lambda fields, files: files.update({name: files[name][:-400]})


def with_code(**changes: object) -> Change:
    return lambda fields, files: fields["codes"][0].update(changes)


def with_other_words(fields: dict[str, Any], files: dict[str, bytes]) -> None:
    files[VOCABULARY] = files[VOCABULARY].replace(b'"boston"', b'"new york"')


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (truncated, "weights.f32: has .* bytes where the manifest says"),
        (flipped(WEIGHTS), "weights.f32: changed since it was written"),
        (edited, "manifest.json: changed since it was written"),
        (lambda f: (f / WEIGHTS).unlink(), "weights.f32: can't be read"),
        (lambda f: (f / "manifest.json").write_text("{"), "manifest.json: not a manifest"),
        (lambda f: (f / "manifest.json").write_text("{}"), "field 'format' is missing or wrong"),
        (
            rewritten(with_last(WEIGHTS, np.nan)),
            "weights.f32: has numbers that are NaN or infinite",
        ),
        (rewritten(with_short(WEIGHTS)), "weights.f32: not of the sizes that the manifest gives"),
        (rewritten(with_short(CODEWORDS)), "codewords.f32: not of the sizes"),
        (rewritten(with_last(CODEWORDS, np.nan)), "codewords.f32: has numbers that are NaN"),
        (rewritten(with_last(CODEWORDS, 1.5)), "codewords.f32: has shares beyond 0 to 1"),
        (rewritten(with_code(words=1)), "field 'codes.words'"),
        (rewritten(with_code(stages=1.5)), "field 'codes.stages'"),
        (rewritten(with_code(directions=7)), "field 'codes.directions'"),
        (rewritten(with_code(more=1)), "field 'codes'"),
        (rewritten(lambda fields, _: fields.update(codes=[])), "field 'codes'"),
        (rewritten(lambda fields, _: fields.update(norm=3)), "field 'norm'"),
        (rewritten(with_other_words), "not the model's vocabulary"),
        (rewritten(lambda fields, _: fields["clip"].update(l1=0)), "field 'clip.l1'"),
        (rewritten(lambda fields, _: fields["sizes"].update(hidden=0)), "field 'sizes.hidden'"),
        (rewritten(lambda fields, _: fields.pop("longest")), "field 'longest'"),
    ],
)
def test_damaged_models(
    folder: Path, tmp_path: Path, damage: Callable[[Path], None], message: str
) -> None:
    copy = tmp_path / "model"
    copy.mkdir()
    for name in KIND.files:
        (copy / name).write_bytes((folder / name).read_bytes())
    open_model(copy)
    damage(copy)
    with pytest.raises(ModelError, match=message):
        open_model(copy)


@pytest.mark.parametrize("name", ["missing", "file"])
def test_no_model(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ModelError, match="not a model; make one with 'brr adept train'"):
        open_model(tmp_path / name)


# --- data


@pytest.mark.parametrize(
    ("name", "content", "label_column", "message"),
    [
        ("a.txt", "...\n!\n", None, "holds no words"),
        ("a.txt", "hello\n", "label", "lines of text have no labels"),
        ("a.csv", "words\nhello\n", None, "names no column 'text' among its 1 fields"),
        ("a.tsv", "text\tlabel\nhello\tx\n", "label", "has 1 classes"),
        ("a.csv", 'text,label\nhi,"x\ty"\nhi,z\n', "label", "a label isn't printable"),
        ("a.tsv", "text\tlabel\nhello\t\n", "label", "line 2 has nothing in column 'label'"),
        ("a.txt", "hello\nthere\n", None, "no word occurs 2 times"),
    ],
)
def test_bad_data(
    tmp_path: Path, name: str, content: str, label_column: str | None, message: str
) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(BrrError, match=message):
        make_model(
            read_sentences(path, "text", label_column), tmp_path / "model", SMALL, progress=False
        )
    assert leftovers(tmp_path) == [name]


# --- commands


def test_train_and_rewrite(brr: Brr, table: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    settings = "--hidden 16 --embedding 8 --dimensions 4 --epochs 2 --least-count 1"
    trained = brr("adept", "train", "--data", table, "--output", model, *settings.split(), "--json")
    assert trained.code == 0, trained.err
    manifest = json.loads(trained.out)["manifest"]
    assert manifest["sizes"]["latent"] == 4
    assert json.loads((model / "manifest.json").read_text()) == manifest
    given = "show me flights\n\nmy secret is xyzzy\n"
    for options in (["--beam", "3"], ["--json"]):
        out = brr("adept", "rewrite", model, "--epsilon", "3", *options, stdin=given.encode())
        assert out.code == 0, out.err
        assert len(out.out.splitlines()) == 3
        assert "xyzzy" not in out.out + out.err
    assert all(json.loads(line)["text"] for line in out.out.splitlines())


def test_labels_in_and_out(brr: Brr, folder: Path) -> None:
    given = "fare\twhat does it cost from denver to dallas\nwhat\tshow\nno label\n"
    out = brr("adept", "rewrite", folder, "--epsilon", "9000", stdin=given.encode())
    lines = [line.split("\t") for line in out.out.splitlines()]
    assert lines[0] == ["fare", "what does it cost from denver to dallas"]
    assert all(len(line) == 2 and line[0] in {"fare", "flight"} for line in lines)


@pytest.mark.parametrize(
    ("epsilon", "message"),
    [
        ("0", "epsilon must be a number from 0.001 to 10000"),
        ("nan", "nan isn't a finite number"),
    ],
)
def test_rewrite_refuses(brr: Brr, folder: Path, epsilon: str, message: str) -> None:
    out = brr("adept", "rewrite", folder, "--epsilon", epsilon, stdin=b"my secret\n")
    assert out.code in (1, 2)
    assert out.out == ""
    assert out.err.startswith("Error: ")
    assert out.err.count("\n") == 1
    assert message in out.err
    assert "secret" not in out.err


def test_train_refuses(brr: Brr, folder: Path, table: Path, tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    for output, options, message in (
        (folder, [], "exists; give --force"),
        (other, ["--force"], "something other than a model"),
        (tmp_path / "new", ["--epochs", "0"], "epochs must be from 1 to 10000, not 0"),
        (tmp_path / "new", ["--noise", "-1"], "noise must be from 0 to 1000, not -1"),
        (tmp_path / "new", ["--noise", "nan"], "nan isn't a finite number"),
        (tmp_path / "new", ["--column", "words"], "names no column 'words'"),
    ):
        out = brr("adept", "train", "--data", table, "--output", output, *options)
        assert out.code in (1, 2)
        assert message in out.err
        assert out.err.count("\n") == 1
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert leftovers(other) == ["mine.txt"]
    assert not (tmp_path / "new").exists()
