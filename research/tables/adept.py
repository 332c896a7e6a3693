"""Tables of ADePT: the simulations of its rebuttal, and a model of ``brr adept``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from benchmarks.markdown import markdown
from benchmarks.store import read_alone
from benchmarks.tables.table import Table
from research import ADEPT_MODEL

_ADEPT_COMMAND = "python -m research.adept.model --train snips-train.tsv --test snips-test.tsv"


def _rebuttal() -> str:
    """Return the simulation in section 6 of the rebuttal of ADePT."""
    from research.adept import rebuttal

    return markdown(rebuttal.COLUMNS, rebuttal.rows())


def _adept(make: Callable[[Any], str]) -> str:
    """Return a table of a model of ``brr adept``."""
    return make(read_alone(ADEPT_MODEL, timed=True))


def _adept_model(found: Any) -> str:
    training = found["training"]
    rows = [
        ["machine", f"{found['machine']['cpu']}, {found['machine']['cores']} cores"],
        ["training sentences", f"{training['sentences']:,}"],
        ["tokens in the vocabulary", f"{found['tokens']:,}"],
        ["training time, s", f"{training['seconds']:.0f}"],
        ["training time, s of CPU time", f"{training['CPU seconds']:.0f}"],
        ["training loss, nats per token", f"{training['loss']:.3f}"],
        *(
            [f"`{name}`, MB", f"{size / 1e6:.2f}"]
            for name, size in found["bytes"]["graphs"].items()
            if not name.endswith(".json")
        ),
        [
            "pairs of test sentences beyond the sensitivity in ADePT's proof",
            f"{found['exceeding']:.1%}",
        ],
    ]
    return markdown(["property", "value"], rows)


def _adept_returned(found: Any) -> str:
    back = {name: f"{share:.1%}" for name, share in found["returned"].items()}
    rows = [
        ["words in their place", back["words"], back["known"]],
        ["identical sentences", back["sentences"], back["possible"]],
        ["labels", back["labels"], ""],
    ]
    return markdown(["part", "share unchanged", "largest possible share"], rows)


def _adept_times(found: Any) -> str:
    rows = [[name, f"{value:.2g}"] for name, value in found["milliseconds"].items()]
    return markdown(["operation", "ms"], rows)


TABLES: Mapping[str, Table] = {
    "adept-rebuttal": Table((), _rebuttal, command="python -m research.adept.rebuttal"),
    **{
        f"adept-{what}": Table((), partial(_adept, make), command=_ADEPT_COMMAND)
        for what, make in {
            "model": _adept_model,
            "returned": _adept_returned,
            "times": _adept_times,
        }.items()
    },
}
