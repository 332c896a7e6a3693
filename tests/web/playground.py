"""Write the sample's playground, by itself and folded, and those of other bundles; and what Python
measures of some settings.

python tests/web/playground.py FOLDER

FOLDER has the bundles ``plain``, without a task, and ``topic``, with one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from brrkit import Privatizer, WordBundle
from brrkit.setting import Setting
from brrkit_toolchain.measure.mechanism import Measurement, measure_mechanism
from brrkit_toolchain.measure.sample import sample_words
from brrkit_toolchain.report.playground import playground_page

WORDS = 1_000
STEP = 2 ** (1 / 12)  # of the slider


def settings(recommended: Setting) -> Iterator[Setting]:
    """Yield what is measured: the recommended setting, a step of the slider on, and others."""
    yield recommended
    yield replace(recommended, epsilon=float(f"{STEP * recommended.epsilon:.4g}"))
    yield replace(recommended, parameters={**recommended.parameters, "base": "uniform"})
    yield Setting(0.6, parameters={"radius": 8, "base": "unigram", "task_weight": 0})
    yield Setting(0.4, parameters={"radius": 8, "base": "unigram", "task_weight": 2})
    yield Setting(0.8, "brr")
    yield Setting(0.8, "vickrey")


def measured(bundle: WordBundle, setting: Setting) -> dict[str, Any]:
    """Return a setting, and what ``brr measure`` says of it."""
    found: Measurement = measure_mechanism(
        bundle, setting, sample_words(np.arange(len(bundle)), WORDS)
    )
    return {
        "mechanism": setting.mechanism,
        "epsilon": setting.epsilon,
        **setting.parameters,
        "effective_epsilon": Privatizer(bundle, setting).effective_epsilon,
        "unchanged": vars(found.support.unchanged),
        "attacks": {
            attacker: {"success": vars(attack.success), "worst": attack.worst}
            for attacker, attack in found.attacks.items()
        },
    }


def main() -> None:
    """Write all."""
    folder, bundle = Path(sys.argv[1]), WordBundle.sample()
    page = playground_page(bundle, note="The sample’s English is an encyclopedia’s.")
    (folder / "playground.html").write_text(page, encoding="utf-8")
    frame = f'<iframe sandbox="allow-scripts" srcdoc="{escape(page)}"></iframe>'
    folded = f"<details><summary>Open</summary>{frame}</details>"  # as in a report
    (folder / "folded.html").write_text(f"<!DOCTYPE html>{folded}", encoding="utf-8")
    for name in ("plain", "topic"):
        other = playground_page(WordBundle.open(folder / name))
        (folder / f"{name}.html").write_text(other, encoding="utf-8")
    assert bundle.recommended is not None
    numbers = [
        measured(bundle, replace(setting, measured=None, certificate=None))
        for setting in settings(bundle.recommended)
    ]
    (folder / "playground.json").write_text(json.dumps(numbers), encoding="utf-8")


if __name__ == "__main__":
    main()
