"""A model's graphs: they do what the network does, and what doesn't is not written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from bundle_tools import leftovers

from brrkit import BrrError
from brrkit_adept import graphs
from brrkit_adept.data import Sentences
from brrkit_adept.graphs import DECODER, ENCODER, PARITY, START, TOLERANCE, Graphs
from brrkit_adept.model import CODEWORDS, Model, make_model, open_model
from brrkit_adept.network import Network
from brrkit_adept.settings import SentenceLimits, Settings

if TYPE_CHECKING:
    from conftest import Brr

TEXTS = ["one two three", "two three four", "four three two one", "one one two"] * 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("graphs") / "model"
    sentences = Sentences(TEXTS, ["x", "y"] * 6, "a.txt", "0" * 64)
    settings = Settings(dimensions=6, hidden=24, embedding=10, epochs=4, learning_rate=2e-2)
    make_model(sentences, output, settings, SentenceLimits(longest=9))
    return output


@pytest.fixture(scope="module")
def model(folder: Path) -> Model:
    return open_model(folder)[0]


@pytest.fixture(scope="module")
def files(model: Model) -> dict[str, bytes]:
    made = graphs.make_graphs(model.network)
    return made | {PARITY: json.dumps(graphs.golden_cases(model)).encode()}


def test_graphs_are_the_network(model: Model, files: dict[str, bytes]) -> None:
    assert graphs.check_graphs(files, model) <= TOLERANCE / 10
    cases = json.loads(files[PARITY])
    assert len(cases["encode"]) == 8
    assert len(cases["decode"]) >= 4
    run, network = Graphs(files), model.network
    latent = network.encode([[5, 6, 7]])
    state = run.start(latent)
    assert np.allclose(state, network.start(latent), atol=1e-5)
    for token in (1, 7, 5):
        logits, following = run.step(np.array([token]), latent, state)
        expected, state = network.step(np.array([token]), latent, state)
        assert np.allclose(logits, expected, atol=1e-4)
        assert np.allclose(following, state, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "weight", "message"),
    [
        (ENCODER, "encoder_recurrent", "encoder.tflite: a latent vector is off by"),
        (START, "state_bias", "decoder.tflite: decodes other sentences"),
        (DECODER, "output_bias", "decoder.tflite: decodes other sentences"),
    ],
)
def test_other_graphs_are_noticed(
    model: Model, files: dict[str, bytes], name: str, weight: str, message: str
) -> None:
    generator = np.random.default_rng(0)
    weights = dict(model.network.weights)
    weights[weight] = weights[weight] + generator.normal(0, 2, weights[weight].shape).astype("f4")
    changed = graphs.make_graphs(Network(weights))
    with pytest.raises(BrrError, match=message):
        graphs.check_graphs(files | {name: changed[name]}, model)


def test_what_is_no_graph(model: Model, files: dict[str, bytes]) -> None:
    with pytest.raises(BrrError, match="the graphs can't be run"):
        graphs.check_graphs(files | {START: b"no graph"}, model)


def test_command(brr: Brr, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "export"
    out = brr("adept", "export", folder, "--output", output, "--json")
    assert out.code == 0, out.err
    assert json.loads(out.out)["manifest"] == json.loads((output / "manifest.json").read_text())
    assert {path.name for path in output.iterdir()} == graphs.KIND.files
    assert (output / CODEWORDS).read_bytes() == (folder / CODEWORDS).read_bytes()
    again = brr("adept", "export", folder, "--output", output)
    assert again.code == 1
    assert "exists; give --force" in again.err
    missing = brr("adept", "export", tmp_path / "none", "--output", tmp_path / "new")
    assert "not a model" in missing.err

    def wrong(network: Network) -> dict[str, bytes]:
        return {name: (output / name).read_bytes() for name in (ENCODER, START)} | {DECODER: b""}

    monkeypatch.setattr(graphs, "make_graphs", wrong)
    failed = brr("adept", "export", folder, "--output", tmp_path / "new")
    assert failed.code == 1
    assert "the graphs can't be run" in failed.err
    assert failed.err.count("\n") == 1
    assert leftovers(tmp_path) == ["export"]
