"""Raw results of an experiment: a tidy CSV file that grows by one unit at a time.

A run can be killed at any moment and started again: complete units stay, and aren't measured again.
The settings in the file next to it separate results of different data. Both files are created with
the first result, so a run without measurements leaves none.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from brrkit.errors import ParameterError
from brrkit_toolchain.io.errors import OutputError
from brrkit_toolchain.io.files import open_input, write_text

COLUMNS = (
    "experiment",
    "mechanism",
    "parameter",
    "epsilon",
    "estimated_loss",
    "trial",
    "metric",
    "value",
)
"""Columns of the CSV. ``epsilon`` is per unit of the mechanism's own metric, ``estimated_loss`` is
E = epsilon * P_avg of that metric (BRR, section 5); both are empty where nothing is noised."""

_HEADER = ",".join(COLUMNS) + "\n"
_LARGEST = 1 << 28  # bytes of a file of results


@dataclass(frozen=True)
class Unit:
    """A unit that is measured and stored as a whole.

    Attributes:
        mechanism: its name in ``brrkit_toolchain.channel``, or the name of another subject.
        parameter: distinction of mechanisms with the same name, such as ``t=0.5``.
        epsilon: epsilon per unit of the mechanism's metric; None without noise.
        estimated_loss: E = epsilon * P_avg; None without noise.
        trial: number of the trial, from 0.
    """

    mechanism: str
    parameter: str
    epsilon: float | None
    estimated_loss: float | None
    trial: int

    @property
    def key(self) -> tuple[str, str, str, str]:
        """The key that distinguishes units of one experiment, as in the file."""
        return self.mechanism, self.parameter, _number(self.epsilon), str(self.trial)

    def generator(self, *purpose: object) -> np.random.Generator:
        """Return a generator that depends on the unit's key and a purpose, not on the order."""
        return seeded(*self.key, *purpose)


def seeded(*parts: object) -> np.random.Generator:
    """Return a generator seeded by the text of ``parts``."""
    digest = hashlib.sha256("\n".join(map(str, parts)).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "big"))


@dataclass(frozen=True)
class Result:
    """A line of a results file."""

    mechanism: str
    parameter: str
    epsilon: float | None
    estimated_loss: float | None
    trial: int
    metric: str
    value: float


class Results:
    """The files ``EXPERIMENT.csv`` and ``EXPERIMENT.json`` of a folder."""

    def __init__(
        self,
        folder: Path,
        experiment: str,
        metrics: Sequence[str],
        settings: Mapping[str, Any],
        command: str,
        machine: Mapping[str, Any],
    ) -> None:
        """Open the results, or create them.

        Args:
            folder: folder, created with the first result if necessary.
            experiment: name of the experiment.
            metrics: metrics that every unit must have.
            settings: settings that all results in a file must share; JSON values.
            command: the typed command; each different one is stored.
            machine: machine of the run; that of the first run is stored.

        Raises:
            OutputError: the folder can't be written, or created.
            ParameterError: the files have other settings, or are damaged.
        """
        self._experiment = experiment
        self._metrics = tuple(metrics)
        self._path = folder / f"{experiment}.csv"
        self._described = folder / f"{experiment}.json"
        self._content: dict[str, Any] = {
            "experiment": experiment,
            "settings": dict(settings),
            "context": {"commands": [command], "machine": dict(machine)},
        }
        self._described_now = False
        if self._described.exists():
            self._content = read_description(self._described)
            _check_settings(self._described, self._content["settings"], settings)
            commands = [*self._content["context"]["commands"], command]
            self._content["context"]["commands"] = list(dict.fromkeys(commands))
        elif self._path.exists():
            raise ParameterError(
                f"{self._path}: has no {self._described.name} beside it, so it can't be continued; "
                "choose another --output"
            )
        self._written, self._done = self._recover() if self._path.exists() else (_HEADER, set())
        place = next(p for p in (folder, *folder.absolute().parents) if p.exists())
        if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
            raise OutputError(f"{folder}: {place} isn't a writable folder; choose another --output")

    def missing(self, units: Sequence[Unit]) -> list[Unit]:
        """Return those of ``units`` that have no results yet."""
        return [unit for unit in units if unit.key not in self._done]

    def add(self, unit: Unit, values: Mapping[str, float]) -> None:
        """Add the results of a unit; the file always has all of its rows or none.

        Args:
            unit: one without results.
            values: by metric, one for each of the experiment's.
        """
        if set(values) != set(self._metrics):
            raise ValueError(f"a unit has the metrics {self._metrics}, not {tuple(values)}")
        mechanism, parameter, epsilon, trial = unit.key
        head = [
            self._experiment,
            mechanism,
            parameter,
            epsilon,
            _number(unit.estimated_loss),
            trial,
        ]
        lines = [",".join([*head, metric, _number(values[metric])]) for metric in self._metrics]
        if not self._described_now:
            self._describe()
        self._written += "".join(f"{line}\n" for line in lines)
        write_text(self._path, self._written)
        self._done.add(unit.key)

    def _describe(self) -> None:
        """Write the settings, before the first result of this run."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"{self._path.parent}: can't be made ({error.strerror}); choose another --output"
            ) from None
        content = json.dumps(self._content, indent=1, ensure_ascii=False)
        write_text(self._described, content + "\n")
        self._described_now = True

    def rows(self) -> list[Result]:
        """Return everything measured."""
        return read_rows(self._path)

    def _recover(self) -> tuple[str, set[tuple[str, str, str, str]]]:
        """Return the lines and the keys of the complete units, without a cut-off last one."""
        lines = _read(self._path).split(b"\n")[:-1]  # the part after the last newline is incomplete
        rows = list(_parsed(self._path, b"\n".join([*lines, b""])))
        complete = len(rows) - len(rows) % len(self._metrics)
        starts = range(0, complete, len(self._metrics))
        done = {self._key_of_unit(rows, start) for start in starts}
        return b"\n".join([*lines[: 1 + complete], b""]).decode(), done

    def _key_of_unit(
        self, rows: Sequence[Mapping[str, str]], start: int
    ) -> tuple[str, str, str, str]:
        """Return the key that the rows from ``start`` on have in common, one for each metric."""
        unit = rows[start : start + len(self._metrics)]
        keys = {(row["mechanism"], row["parameter"], row["epsilon"], row["trial"]) for row in unit}
        if tuple(row["metric"] for row in unit) != self._metrics or len(keys) > 1:
            raise ParameterError(
                f"{self._path}: lines {start + 2} to {start + len(unit) + 1} aren't one unit of "
                f"{self._experiment}; restore the file or choose another --output"
            )
        return keys.pop()


def read_rows(path: Path) -> list[Result]:
    """Return the rows of a results file; a cut-off last line is left out.

    Raises:
        ParameterError: it isn't one.
    """
    content = _read(path)
    complete = content[: content.rfind(b"\n") + 1]
    return [
        Result(
            row["mechanism"],
            row["parameter"],
            float(row["epsilon"]) if row["epsilon"] else None,
            float(row["estimated_loss"]) if row["estimated_loss"] else None,
            int(row["trial"]),
            row["metric"],
            float(row["value"]),
        )
        for row in _parsed(path, complete)
    ]


def read_description(path: Path) -> dict[str, Any]:
    """Return the content of an experiment's JSON file.

    Raises:
        ParameterError: it isn't one.
    """
    text = _read(path)
    try:
        content: dict[str, Any] = json.loads(text)
        context = content["context"]
        described = (
            isinstance(content["settings"], dict)
            and isinstance(context["machine"], dict)
            and isinstance(context["commands"], list)
            and all(isinstance(command, str) for command in context["commands"])
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        described = False
    if not described:
        raise ParameterError(f"{path}: not the settings of an experiment; restore the file")
    return content


def _read(path: Path) -> bytes:
    try:
        with open_input(path, _LARGEST) as file:
            return file.read()
    except OSError as error:
        raise ParameterError(f"{path}: can't be read ({error.strerror}); check the path") from None


def _check_settings(path: Path, before: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    for name in {**before, **settings}:
        if before.get(name) != settings.get(name):
            raise ParameterError(
                f"{path}: was measured with {name} {_short(before.get(name))}, not "
                f"{_short(settings.get(name))}; choose another --output, or the same settings"
            )


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def _parsed(path: Path, content: bytes) -> Iterator[dict[str, str]]:
    try:
        lines = content.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        raise ParameterError(f"{path}: isn't UTF-8; restore the file") from None
    if not lines or tuple(lines[0].split(",")) != COLUMNS:
        raise ParameterError(f"{path}: line 1 isn't {','.join(COLUMNS)}; restore the file")
    for number, fields in enumerate(csv.reader(lines[1:]), start=2):
        row = dict(zip(COLUMNS, fields, strict=False))
        try:
            assert len(fields) == len(COLUMNS)
            for name in ("epsilon", "estimated_loss", "value"):
                float(row[name] or 0)
            int(row["trial"])
        except (AssertionError, ValueError):
            raise ParameterError(
                f"{path}: line {number} isn't a result; restore or remove the line"
            ) from None
        yield row


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
