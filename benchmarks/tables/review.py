"""Tables of the page for a privacy review, from ``brr report`` on the sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from benchmarks.markdown import markdown
from benchmarks.store import Stored
from benchmarks.tables.table import Table
from brrkit import WordBundle
from brrkit.setting import Estimate
from brrkit_toolchain.attackers.exposure import measure_exposure
from brrkit_toolchain.attackers.one_word import make_prior
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.report.statements.facts import Facts, summarize_measured
from brrkit_toolchain.report.statements.guarantee import guarantee_of
from brrkit_toolchain.report.statements.number_format import probability
from brrkit_toolchain.report.statements.sign_off import Statement, risks, statements
from brrkit_toolchain.report.statements.tables import (
    WHO,
    TableData,
    attackers,
    bound,
    day_and_year,
    reading,
    remark,
)

_COMMAND = "brr report runtime/brrkit/sample"


def _statements() -> str:
    """Return the lines to sign."""
    return _lines(("subject", "statement"), statements(_facts()))


def _bound() -> str:
    """Return the bound, and its explanation."""
    return f"{_table(bound(_facts().guarantee))}\n{reading(_facts())}\n"


def _day() -> str:
    """Return a user's day and year."""
    return _table(day_and_year(_facts().guarantee))


def _attackers(repeated: Stored) -> str:
    """Return the attack success on words and reviews, and the reason why it may seem too low."""
    grid, setting = attackers(_facts()), WordBundle.sample().recommended
    stored = repeated.numbers["setting"]
    assert setting is not None
    of_sample = (stored["epsilon"], stored["parameters"]) == (setting.epsilon, setting.parameters)
    assert of_sample, "measure 'repeated' of the sample again: benchmarks/README.md"
    rows = [
        (
            f"{WHO['sentence']}; {review}",
            *(probability(found[over]["top1"]["value"]) for over in ("all", "content")),
            *("–", "–"),
        )
        for releases, found in repeated.numbers["found"].items()
        if (review := _REVIEWS.get(releases))
    ]
    return f"{_table(TableData(grid.columns, (*grid.rows, *rows)))}\n{remark(_facts())}\n"


_REVIEWS = {"1": "film reviews", "20": "film reviews, released 20 times without a memory"}


def _risks() -> str:
    """Return the open risks."""
    return _lines(("risk", "what remains"), risks(_facts()))


@cache
def _facts() -> Facts:
    """Return the page's facts about the sample, without a text, examples or tests."""
    bundle = WordBundle.sample()
    setting = bundle.recommended
    assert setting is not None
    assert setting.measured is not None
    channel = Channel(bundle, setting)
    kept = make_prior("frequencies", len(bundle)) @ channel.everything.unchanged(channel.weights)
    return Facts(
        guarantee=guarantee_of(bundle, setting),
        unchanged=Estimate.exact(float(kept)),
        exposures=measure_exposure(bundle, setting),
        vocabulary_result=None,
        text_result=None,
        text_summary=summarize_measured(setting.measured),
        alike=(),
        tasks=(),
        tests=None,
    )


def _lines(columns: tuple[str, str], lines: Sequence[Statement]) -> str:
    return markdown(columns, [(line.about, line.says) for line in lines], numbers=False)


def _table(grid: TableData) -> str:
    return markdown(grid.columns, grid.rows)


TABLES: Mapping[str, Table] = {
    **{
        f"review-{name}": Table((), make, command=_COMMAND)
        for name, make in {
            "statements": _statements,
            "bound": _bound,
            "day": _day,
            "risks": _risks,
        }.items()
    },
    "review-attackers": Table(["sample/repeated"], _attackers, command=_COMMAND),
}
