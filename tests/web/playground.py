"""Write the sample's playground, by itself and folded, and that of a bundle with a task; and what
Python measures of some settings.

python tests/web/playground.py FOLDER

FOLDER has the bundle with a task, ``topic``.
"""

from __future__ import annotations

import json
import sys
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
EXPONENTIAL: tuple[dict[str, Any], ...] = (
    {"epsilon": 1.329, "radius": 16, "base": "bigram", "cap": 20.0},
    {"epsilon": 1.408, "radius": 16, "base": "bigram", "cap": 20.0},  # a step of the slider on
    {"epsilon": 1.329, "radius": 16, "base": "uniform", "cap": 20.0},
    {"epsilon": 0.6, "radius": 8, "base": "unigram"},
)
DRAWN = ({"mechanism": "brr", "epsilon": 0.8}, {"mechanism": "vickrey", "epsilon": 0.8})


def measured(bundle: WordBundle, name: str, setting: dict[str, Any]) -> dict[str, Any]:
    """Return a setting, and what ``brr measure`` says of it."""
    parameters = {
        key: value for key, value in setting.items() if key not in {"mechanism", "epsilon"}
    }
    found: Measurement = measure_mechanism(
        bundle,
        Setting(setting["epsilon"], name, parameters),
        sample_words(np.arange(len(bundle)), WORDS),
    )
    return {
        "mechanism": name,
        **setting,
        "effective_epsilon": Privatizer(
            bundle, Setting(setting["epsilon"], name, parameters)
        ).effective_epsilon,
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
    topic = playground_page(WordBundle.open(folder / "topic"))
    (folder / "topic.html").write_text(topic, encoding="utf-8")
    settings = [("exponential", setting) for setting in EXPONENTIAL]
    settings += [(setting["mechanism"], setting) for setting in DRAWN]
    numbers = [measured(bundle, name, setting) for name, setting in settings]
    (folder / "playground.json").write_text(json.dumps(numbers), encoding="utf-8")


if __name__ == "__main__":
    main()
