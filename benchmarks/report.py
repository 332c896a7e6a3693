"""The results of a benchmark, as aligned text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

LIBRARIES = ("numpy", "ai-edge-litert", "faiss-cpu", "annoy", "gensim")

TARGET_SIZE = "50,000 x 300"
"""Words x dimensions for the absolute targets."""


@dataclass(frozen=True)
class Claim:
    """=An important number, with its target, if any.

    Attributes:
        label: its description.
        value: its value, in ``unit``.
        bound: whether the target is an upper or a lower bound.
        target: the target, in ``unit``.
        unit: the unit; "" for a ratio.
        condition: condition of the target, if it isn't for all cases.
    """

    label: str
    value: float
    bound: Literal["<=", ">="] = "<="
    target: float | None = None
    unit: str = ""
    condition: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without one."""
        if self.target is None:
            return None
        return self.value <= self.target if self.bound == "<=" else self.value >= self.target

    def row(self) -> list[str]:
        """Return the columns of its line."""
        value = f"{self.value:.3g} {self.unit}".strip()
        if self.target is None:
            return [self.label, value, ""]
        condition = f" at {self.condition}" if self.condition else ""
        verdict = "met" if self.met else "NOT MET"
        target = f"{self.bound} {self.target:g} {self.unit}".strip()
        return [self.label, value, f"target {target}{condition}: {verdict}"]


@dataclass(frozen=True)
class Finding:
    """Outcome of one benchmark.

    Attributes:
        title: title in one line.
        columns: headings of the table.
        rows: its cells.
        further: more tables, each with its headings in its first row.
        claims: the ratios, and all numbers with targets.
        notes: sentences about the measurement.
        numbers: all raw results for storing, as JSON types.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    further: Sequence[Sequence[Sequence[str]]] = ()
    claims: Sequence[Claim] = ()
    notes: Sequence[str] = ()
    numbers: dict[str, Any] = field(default_factory=dict)

    def to_text(self) -> str:
        """Return the table, the claims and the notes."""
        parts = [self.title, "=" * len(self.title), *aligned([self.columns, *self.rows])]
        for table in self.further:
            parts += ["", *aligned(table)]
        if self.claims:
            parts += ["", *aligned([claim.row() for claim in self.claims], text_columns={0, 2})]
        if self.notes:
            parts += ["", *(f"* {note}" for note in self.notes)]
        return "\n".join(parts) + "\n"


def aligned(
    rows: Sequence[Sequence[str]], text_columns: frozenset[int] | set[int] = frozenset({0})
) -> list[str]:
    """Return a line for each row; text columns are flush left, the others flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            f"{cell:<{width}}" if i in text_columns else f"{cell:>{width}}"
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
