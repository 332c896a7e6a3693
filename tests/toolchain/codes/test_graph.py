"""The TFLite graphs: their bytes, operators and interface, and what they compute."""

from __future__ import annotations

import hashlib
from importlib import metadata
from typing import Any

import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from numpy.typing import NDArray

from brrkit.bundle import BITS, GRAPHS
from brrkit_toolchain.bundle import reference
from brrkit_toolchain.codes.graph import read_randomizer
from brrkit_toolchain.codes.graph.make import TENSORFLOW, build_randomizer

OPERATORS = {"LESS", "CAST", "RESHAPE", "MUL", "SUM", "BITWISE_XOR"}


@pytest.fixture(scope="module", params=list(BITS))
def graph(request: pytest.FixtureRequest) -> tuple[int, bytes]:
    return request.param, read_randomizer(request.param)


def interpreter_of(graph: bytes) -> Any:
    resolver = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    return Interpreter(model_content=graph, experimental_op_resolver_type=resolver)


def run(
    graph: bytes, code: NDArray[np.uint8], random: NDArray[np.int32], threshold: int
) -> NDArray[np.uint8]:
    """Run the graph on codes uint8[m, bits / 8] and return the noised ones."""
    interpreter = interpreter_of(graph)
    values = {
        "code": code.view(np.int32),
        "random": random,
        "threshold": np.int32(threshold - 2**31),
    }
    inputs = {
        name: entry["index"]
        for entry in interpreter.get_input_details()
        for name in values
        if name in entry["name"]
    }
    for name, index in inputs.items():
        interpreter.resize_tensor_input(index, values[name].shape)
    interpreter.allocate_tensors()
    for name, index in inputs.items():
        interpreter.set_tensor(index, values[name])
    interpreter.invoke()
    noised = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    assert noised.dtype == np.int32
    return noised.view(np.uint8)


def test_only_the_documented_operators(graph: tuple[int, bytes]) -> None:
    interpreter = interpreter_of(graph[1])
    operators = {operator["op_name"] for operator in interpreter._get_ops_details()}
    assert operators == OPERATORS


def test_the_documented_inputs_and_output(graph: tuple[int, bytes]) -> None:
    bits, content = graph
    interpreter = interpreter_of(content)
    inputs = interpreter.get_input_details()
    for name, shape in {"code": [-1, bits // 32], "random": [-1, bits], "threshold": []}.items():
        (entry,) = (entry for entry in inputs if name in entry["name"])
        assert entry["dtype"] is np.int32
        assert entry["shape_signature"].tolist() == shape
    assert len(inputs) == 3
    (output,) = interpreter.get_output_details()
    assert output["dtype"] is np.int32
    assert output["shape_signature"].tolist() == [-1, bits // 32]


def test_size(graph: tuple[int, bytes]) -> None:
    assert len(graph[1]) < 4096


def test_equals_the_reference(graph: tuple[int, bytes]) -> None:
    bits, content = graph
    generator = np.random.default_rng(bits)
    for threshold in (1, 2, 2**16, 2**31 - 1, 2**31, int(generator.integers(1, 2**31))):
        code = generator.integers(0, 256, (40, bits // 8), np.uint8)
        random = generator.integers(-(2**31), 2**31, (40, bits), np.int32)
        # What a comparison can get wrong: the ends, and the neighborhood of T - 2^31.
        edges = [-(2**31), 2**31 - 1, 0, -1, *(threshold - 2**31 + np.arange(-1, 2))]
        edges = [edge for edge in edges if -(2**31) <= edge < 2**31]
        random[::2] = generator.choice(edges, random[::2].shape)
        noised = run(content, code, random, threshold)
        for row in range(40):
            expected = reference.flip(code[row].tobytes(), random[row].tobytes(), threshold)
            assert noised[row].tobytes() == expected


@pytest.mark.parametrize("j", [0, 1, 7, 8, 31, 32, 63, 64, 127])
def test_number_j_decides_bit_j(j: int) -> None:
    random = np.full((1, 128), 2**31 - 1, np.int32)
    random[0, j] = -(2**31)
    flipped = run(read_randomizer(128), np.zeros((1, 16), np.uint8), random, threshold=1)[0]
    assert flipped[j // 8] == 1 << j % 8
    assert flipped.sum() == flipped[j // 8]


def test_they_are_the_ones_that_readers_take(graph: tuple[int, bytes]) -> None:
    bits, content = graph
    assert hashlib.sha256(content).hexdigest() == GRAPHS[bits]


@pytest.mark.nightly("the test above; only another TensorFlow makes another one")
def test_tensorflow_makes_the_same_function_today(graph: tuple[int, bytes]) -> None:
    bits, content = graph
    made = build_randomizer(bits)
    generator = np.random.default_rng(bits)
    for threshold in (1, 2**31, *generator.integers(1, 2**31, 6).tolist()):
        code = generator.integers(0, 256, (100, bits // 8), np.uint8)
        random = generator.integers(-(2**31), 2**31, (100, bits), np.int32)
        random[::2] = threshold - 2**31 - generator.integers(0, 2, (50, bits))
        assert np.array_equal(
            run(made, code, random, threshold), run(content, code, random, threshold)
        )
    if metadata.version("tensorflow") == TENSORFLOW:
        assert made == content
