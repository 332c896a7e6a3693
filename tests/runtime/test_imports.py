"""What the runtime loads on a device."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from brrkit.mechanisms import MECHANISMS

SCRIPT = """
import sys
from brrkit import Privatizer, Setting, WordBundle

privatizer = Privatizer(WordBundle.open(sys.argv[1]), Setting(1.0, sys.argv[2]))
assert privatizer.word("the")
assert privatizer.text("An unknown qqqq.")
print(*sys.modules)
"""

TOOLCHAIN = {
    "annoy",
    "brrkit_counting",
    "brrkit_toolchain",
    "click",
    "faiss",
    "gensim",
    "keras",
    "psutil",
    "safetensors",
    "scipy",
    "tensorflow",
    "tqdm",
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_nothing_of_the_toolchain_is_loaded(
    run_python: Callable[..., str], bundles: Path, name: str
) -> None:
    loaded = {module.split(".")[0] for module in run_python(SCRIPT, bundles / "256", name).split()}
    assert "brrkit" in loaded
    assert "numpy" in loaded
    forbidden = TOOLCHAIN
    if not any(map(find_spec, ("ai_edge_litert", "tflite_runtime"))):
        forbidden = forbidden - {"tensorflow", "keras"}  # then it is the interpreter
    assert loaded & forbidden == set()


WITHOUT_INTERPRETER = """
import sys
for library in ("ai_edge_litert", "tflite_runtime", "tensorflow"):
    sys.modules[library] = None
"""


def test_the_exponential_mechanism_needs_no_interpreter(
    run_python: Callable[..., str], bundles: Path
) -> None:
    assert run_python(WITHOUT_INTERPRETER + SCRIPT, bundles / "256", "exponential")


@pytest.mark.parametrize("name", ["brr", "vickrey"])
def test_the_others_say_what_to_install(
    run_python: Callable[..., str], bundles: Path, name: str
) -> None:
    script = f"""
from brrkit import BrrError
try:
    exec({WITHOUT_INTERPRETER + SCRIPT!r})
except BrrError as error:
    print(error)
"""
    said = run_python(script, bundles / "256", name)
    assert said == "a TFLite interpreter is missing; run: pip install 'brrkit[tflite]'\n"
