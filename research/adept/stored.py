"""Stored results of ADePT's evaluations."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from brrkit.errors import ParameterError
from brrkit.setting import Estimate
from brrkit_toolchain.confidence import mean
from brrkit_toolchain.io.files import open_input
from research.adept.evaluate import EXAMPLES, METRICS, NAME
from research.papers.results import Result, read_description, read_rows

_LARGEST = 1 << 20


@dataclass(frozen=True)
class Stored:
    """The stored results of one evaluation.

    Attributes:
        name: name of its folder.
        rows: all measured rows.
        settings: settings on which they depend.
        context: their origin: commands, machine.
        examples: examples of rewritten sentences; None without any.
    """

    name: str
    rows: Sequence[Result]
    settings: Mapping[str, Any]
    context: Mapping[str, Any]
    examples: Mapping[str, Any] | None

    def epsilons(self, contender: str) -> list[float]:
        """Return the epsilons at which a contender was measured, ascending."""
        found = {row.epsilon for row in self.rows if row.parameter == contender}
        return sorted(epsilon for epsilon in found if epsilon is not None)

    def values(self, metric: str, contender: str, epsilon: float | None = None) -> list[float]:
        """Return a metric, trial by trial; without an epsilon, of a baseline."""
        rows = [
            row
            for row in self.rows
            if row.metric == metric
            and (row.parameter or row.mechanism) == contender
            and row.epsilon == epsilon
        ]
        return [row.value for row in sorted(rows, key=lambda row: row.trial)]

    def estimate(
        self, metric: str, contender: str, epsilon: float | None = None
    ) -> Estimate | None:
        """Return the mean over trials with its 95% t-interval; None if it wasn't measured."""
        values = self.values(metric, contender, epsilon)
        if math.inf in values:
            return Estimate.exact(math.inf)
        return mean(np.array(values)) if values else None

    def number(self, metric: str, contender: str, epsilon: float) -> float:
        """Return the mean of a metric that is there."""
        return float(np.mean(self.values(metric, contender, epsilon)))

    @property
    def trials(self) -> int:
        """The number of repetitions; the last one may be incomplete."""
        return len({row.trial for row in self.rows})


def read_stored(folder: Path) -> dict[str, Stored]:
    """Return the results of the folders in ``folder``, by name."""
    found = {}
    for path in sorted(folder.glob(f"*/{NAME}.json")):
        described = read_description(path)
        rows = read_rows(path.with_suffix(".csv"))
        settings, machine = described["settings"], described["context"]["machine"]
        if (
            not {row.metric for row in rows} <= set(METRICS)
            or not isinstance(settings.get("model"), dict)
            or not isinstance(settings.get("data"), str)
            or not isinstance(machine.get("versions"), dict)
        ):
            raise ParameterError(f"{path}: not the settings of {NAME}; restore the file")
        name = path.parent.name
        examples = _examples(path.with_name(EXAMPLES))
        found[name] = Stored(name, rows, settings, described["context"], examples)
    return found


def _examples(path: Path) -> dict[str, Any] | None:
    if not path.exists():
        return None
    try:
        with open_input(path, _LARGEST) as file:
            content: dict[str, Any] = json.loads(file.read())
        for _, _, _, pairs in content["rewritten"]:
            assert len(pairs) == len(content["typed"])
    except (ValueError, KeyError, TypeError, AssertionError, OSError):
        raise ParameterError(f"{path}: not examples of an evaluation; restore the file") from None
    return content
