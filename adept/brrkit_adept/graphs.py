"""Encoder and decoder as TFLite graphs, for apps, with what they must reproduce.

A folder has three graphs, float32 and of built-in operators only, each for one sentence and one
step, so that an interpreter needs no loops: ``encoder.tflite`` reads a token, ``start.tflite``
makes the decoder's first state of a released vector, ``decoder.tflite`` says what follows a token.
The network in NumPy is the reference. Nothing here is private: the release is between the two.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.bundle import MANIFEST
from brrkit.errors import BrrError
from brrkit_adept.clip import vectors_clipped
from brrkit_adept.decoding import decode
from brrkit_adept.model import CODEWORDS, VOCABULARY, Model, open_model
from brrkit_adept.network import Array, Network
from brrkit_toolchain.bundle.writer import (
    Kind,
    check_output,
    encode_json,
    encode_manifest,
    write_bundle,
)
from brrkit_toolchain.io.quiet_tensorflow import import_tensorflow

ENCODER, START, DECODER = "encoder.tflite", "start.tflite", "decoder.tflite"
PARITY = "parity.json"
KIND = Kind(
    "export",
    "brr-adept-graphs",
    frozenset({MANIFEST, ENCODER, START, DECODER, CODEWORDS, VOCABULARY, PARITY}),
)

TOLERANCE = 1e-4
"""By how much a latent coordinate may differ, in clips.

Interpreters add float32 numbers in orders of their own: each step of up to 1,000 terms is off by
some 10^-6, and a state of a sentence's 40 steps by some 10^-5. Clips are 1.
"""

_PARITY_CASES = 8

_DECODED_LATENTS = 16
"""Among which cases are chosen."""

_HARMLESS_SHIFT = 1e-3
"""Of a latent vector: it changes no token of a case."""


def export(path: Path, output: Path, *, force: bool = False) -> dict[str, Any]:
    """Write the graphs of a model; they are compared with its network first.

    Args:
        path: the model's folder.
        output: the folder to write, which appears at once or not at all.
        force: replace an export that is already there.

    Returns:
        The manifest.

    Raises:
        BrrError: one of its kinds; or the graphs don't do what the network does.
    """
    check_output(output, force=force, kind=KIND)
    model, described = open_model(path)
    files = {name: (path / name).read_bytes() for name in (CODEWORDS, VOCABULARY)}
    files |= make_graphs(model.network)
    files[PARITY] = encode_json(golden_cases(model))
    check_graphs(files, model)
    names = ("sizes", "longest", "norm", "clip", "codes", "trained_on")
    fields = {name: described[name] for name in names} | {"model": described["sha256"]}
    files = {MANIFEST: encode_manifest(fields, files, KIND), **files}
    write_bundle(output, files, force=force, kind=KIND)
    manifest: dict[str, Any] = json.loads(files[MANIFEST])
    return manifest


def make_graphs(network: Network) -> dict[str, bytes]:
    """Return the graphs' content, by file name."""
    tf = import_tensorflow()
    weights = {name: tf.constant(value) for name, value in network.weights.items()}
    hidden = network.weights["encoder_recurrent"].shape[0]
    token = tf.TensorSpec([1], tf.int32, name="token")
    state = tf.TensorSpec([1, hidden], tf.float32, name="state")
    latent = tf.TensorSpec([1, network.latent], tf.float32, name="latent")
    scale = np.float32(np.sqrt(network.latent))

    def step(name: str, inputs: Any, state: Any) -> Any:
        """Return the next state, as ``network.gru``."""
        kernel, recurrent, bias = (
            weights[f"{name}_{part}"] for part in ("kernel", "recurrent", "bias")
        )
        outer = tf.split(tf.matmul(inputs, kernel) + bias[0], 3, axis=1)
        inner = tf.split(tf.matmul(state, recurrent) + bias[1], 3, axis=1)
        update, reset = (tf.sigmoid(outer[i] + inner[i]) for i in range(2))
        candidate = tf.tanh(outer[2] + reset * inner[2])
        return candidate + update * (state - candidate)

    def encode(token: Any, state: Any) -> Any:
        state = step("encoder", tf.gather(weights["embedding"], token), state)
        found = tf.matmul(state, weights["latent_kernel"]) + weights["latent_bias"]
        return {"state": state, "latent": found}

    def start(latent: Any) -> Any:
        inside = tf.matmul(scale * latent, weights["state_kernel"]) + weights["state_bias"]
        return {"state": tf.tanh(inside)}

    def follow(token: Any, latent: Any, state: Any) -> Any:
        inputs = tf.concat([tf.gather(weights["embedding"], token), scale * latent], axis=1)
        state = step("decoder", inputs, state)
        words = tf.matmul(state, weights["output_kernel"])
        logits = tf.matmul(words, weights["embedding"], transpose_b=True)
        return {"state": state, "logits": logits + weights["output_bias"]}

    return {
        ENCODER: _converted(encode, [token, state]),
        START: _converted(start, [latent]),
        DECODER: _converted(follow, [token, latent, state]),
    }


def _converted(function: Callable[..., Any], signature: Sequence[Any]) -> bytes:
    tf = import_tensorflow()
    module = tf.Module()
    module.run = tf.function(function, input_signature=signature)
    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [module.run.get_concrete_function()], module
    )
    graph: bytes = converter.convert()
    return graph


class Graphs:
    """What ``Network`` does, by the graphs: a sentence at a time."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """Load the graphs, by file name."""
        from brrkit.randomizer import load_interpreter

        self._runners = {
            name: load_interpreter(files[name]).get_signature_runner()
            for name in (ENCODER, START, DECODER)
        }
        shape = self._runners[ENCODER].get_input_details()["state"]["shape"]
        self._nothing = np.zeros(shape, np.float32)

    def encode(self, sentence: Sequence[int]) -> Array:
        """Return the latent vector float32[1, n] of a sentence of at least one token."""
        state = self._nothing
        for token in sentence:
            found = self._runners[ENCODER](token=np.array([token], np.int32), state=state)
            state = found["state"]
        latent: Array = found["latent"]
        return latent

    def start(self, latents: Array) -> Array:
        """Return as ``Network.start``, for one latent vector."""
        state: Array = self._runners[START](latent=latents)["state"]
        return state

    def step(self, tokens: NDArray[np.intp], latents: Array, state: Array) -> tuple[Array, Array]:
        """Return as ``Network.step``, for one token."""
        found = self._runners[DECODER](token=tokens.astype(np.int32), latent=latents, state=state)
        return found["logits"], found["state"]


def golden_cases(model: Model) -> dict[str, Any]:
    """Return the content of ``parity.json``, by the network in NumPy.

    Sentences are random words of the vocabulary. Latent vectors to decode are random, too, but such
    that small changes of them change no token: where two words are as likely, rounding decides.
    """
    generator = np.random.default_rng(0)
    size = model.vocabulary.size
    sentences = [
        generator.integers(3, size, 1 + i * (model.longest - 1) // (_PARITY_CASES - 1)).tolist()
        for i in range(_PARITY_CASES)
    ]
    vectors = generator.standard_normal((_DECODED_LATENTS, model.network.latent))
    latents = vectors_clipped(vectors, model.norm).astype(np.float32)
    decoded = _decoded(model, latents)
    shifts = _HARMLESS_SHIFT * generator.choice([-1, 1], (4, *latents.shape))
    others = [_decoded(model, (latents + shift).astype(np.float32)) for shift in shifts]
    numbers = range(_DECODED_LATENTS)
    stable = [i for i in numbers if all(other[i] == decoded[i] for other in others)][:_PARITY_CASES]
    return {
        "tolerance": TOLERANCE,
        "encode": [
            {"tokens": tokens, "latent": latent.tolist()}
            for tokens, latent in zip(sentences, model.network.encode(sentences), strict=True)
        ],
        "decode": [{"latent": latents[i].tolist(), "tokens": decoded[i]} for i in stable],
    }


def check_graphs(files: Mapping[str, bytes], model: Model) -> float:
    """Run the golden cases on the graphs; return the largest difference of a latent coordinate.

    Args:
        files: the graphs and ``parity.json``, by name.
        model: for its vocabulary and its longest sentence.

    Raises:
        BrrError: a graph can't be run, a latent vector differs by more than the tolerance, or a
            decoded sentence differs.
    """
    cases = json.loads(files[PARITY])
    try:
        graphs = Graphs(files)
        worst = max(
            float(
                np.abs(graphs.encode(case["tokens"]) - np.array(case["latent"], np.float32)).max()
            )
            for case in cases["encode"]
        )
        found = [
            _decoded(model, np.array([case["latent"]], np.float32), graphs)[0]
            for case in cases["decode"]
        ]
    except (ValueError, RuntimeError) as error:
        raise BrrError(f"the graphs can't be run ({' '.join(str(error).split())[:200]})") from None
    if not worst <= cases["tolerance"]:
        raise BrrError(
            f"{ENCODER}: a latent vector is off by {worst:.2g}, more than {cases['tolerance']:g}; "
            "export the model again, or with another version of TensorFlow"
        )
    if found != [case["tokens"] for case in cases["decode"]]:
        raise BrrError(
            f"{DECODER}: decodes other sentences than the network; export the model again, or with "
            "another version of TensorFlow"
        )
    return worst


def _decoded(model: Model, latents: Array, graphs: Graphs | None = None) -> list[list[int]]:
    return decode(graphs or model.network, model.vocabulary, latents, longest=model.longest)
