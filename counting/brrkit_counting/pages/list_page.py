"""The page of a list: privacy loss, attack success, and the number of reports needed."""

from __future__ import annotations

from datetime import datetime, timezone
from math import ceil

from brrkit import ParameterError, WordBundle
from brrkit_counting.calibrate import CountsCalibration, calibrate_counts
from brrkit_toolchain.bundle.verify.outcome import Verification
from brrkit_toolchain.channel.manifest_info import STRINGS_ARE, manifest_info
from brrkit_toolchain.report.html import render_page
from brrkit_toolchain.report.palette import style_sheet
from brrkit_toolchain.report.statements.guarantee import YEAR, CountsLoss, believed, counts_loss
from brrkit_toolchain.report.statements.number_format import (
    at_most_sure,
    belief,
    odds,
    percent,
    probability,
)
from brrkit_toolchain.report.statements.sign_off import ATTACKERS, OTHER_HANDS, RECEIVER, Statement
from brrkit_toolchain.report.statements.tables import TableData
from brrkit_toolchain.rounding import at_most, exact

_BELIEFS = {
    "isolated": "assumes that all strings are equally likely",
    "frequencies": "knows how often each string is typed",
}


def render_list(bundle: WordBundle, verification: Verification | None) -> str:
    """Return the page as self-contained HTML, which needs no script and no network.

    Args:
        bundle: a list that recommends a setting for counts.
        verification: verification of the bundle; None if it wasn't run.

    Raises:
        ParameterError: the list recommends no setting.
    """
    loss = counts_loss(bundle)
    if loss is None:
        raise ParameterError(
            "the list recommends no setting for counts; run 'brr calibrate --for counts --write'"
        )
    found = calibrate_counts(bundle, cap=loss.setting.cap, words_a_day=loss.setting.words_a_day)
    return render_page(
        "list.html.j2",
        {},
        package=__package__,
        palette=style_sheet(),
        name=bundle.path.absolute().name,
        kind=STRINGS_ARE[str(bundle.list_of)],
        strings=f"{len(bundle):,}",
        source=manifest_info(bundle.manifest).source,
        day=datetime.now(timezone.utc).date(),
        digest=bundle.manifest["sha256"][:16],
        statements=_statements(bundle, loss, found),
        bound=_bound(bundle, loss),
        attackers=_attackers(found),
        needed=_needed(found),
        tested=_tested(verification),
        risks=_risks(loss),
    )


def _statements(
    bundle: WordBundle, loss: CountsLoss, found: CountsCalibration
) -> tuple[Statement, ...]:
    one, each, shuffled = loss.loss, loss.setting.words_a_day, loss.shuffled
    factor, exponent = odds(one)
    success = found.setting.measured["frequencies"]
    return (
        Statement(
            "Users",
            "Anyone who types in an app with this list. The guarantee protects one reported "
            "string, not a person.",
        ),
        RECEIVER,
        Statement(
            "What leaves",
            f"{_reports(each)} a day, and the date. A report is a string of the list, or one "
            f"symbol for everything else. In {percent(found.kept)} of cases, it is what was typed. "
            "In the others, it is drawn at random, with equal probabilities. Nothing marks which.",
        ),
        ATTACKERS,
        Statement(
            "Proven",
            f"A report is at most {factor} times (e^{exponent}) as likely after one string as "
            "after any other, or after one that isn't on the list. An attacker who assumed that "
            f"all were equally likely {at_most_sure(believed(len(bundle) + 1, one))} of any one "
            "of them.",
        ),
        Statement(
            "Measured",
            f"An attacker who {_BELIEFS['frequencies']} and sees one report recovers what was "
            f"typed in {percent(success)} of cases.",
        ),
        Statement(
            "A day and a year",
            f"All reports of one date lose at most {at_most(loss.day)}, those of {YEAR} dates "
            f"{at_most(YEAR * loss.day)}. The device's clock determines the date.",
        ),
        Statement(
            "Shuffled reports",
            f"If the reports of {loss.reporters:,} reporters are shuffled and nobody sees who sent "
            f"which, a person's day has a central ε of at most {at_most(shuffled.epsilon)}, with "
            f"δ = {shuffled.delta:g}.",
        ),
        Statement(
            "The app has to",
            "report everything through one Reporter, including what isn't on the list, send "
            "nothing else that was typed, keep its state files out of backups, and carry the list "
            "inside a signed package.",
        ),
    )


def _risks(loss: CountsLoss) -> tuple[Statement, ...]:
    return (
        Statement(
            "Whether, when and how much somebody types",
            "The number of reports, the day, the time of sending and the sender's address are "
            "visible. A person who sends no report typed nothing that the list reads: no emoji, "
            "for example.",
        ),
        Statement(
            "A string typed again and again",
            f"Privacy losses add up: up to {at_most(YEAR * loss.day)} for a string reported every "
            "day of a year, unless a keyed memory reuses its draw.",
        ),
        Statement(
            "Rare strings",
            "The reports can't tell a share below their detection limit from 0.",
        ),
        OTHER_HANDS,
    )


def _bound(bundle: WordBundle, loss: CountsLoss) -> TableData:
    rows = []
    for what, value in (("one report", exact(loss.loss)), ("the reports of a day", loss.day)):
        factor, exponent = odds(value)
        sure_of_one = belief(believed(len(bundle) + 1, value))
        rows.append((what, exponent, f"{factor} to 1", sure_of_one))
    becomes = f"1 in {len(bundle) + 1:,} becomes"
    return TableData(("any two strings", "privacy loss", "odds change by", becomes), tuple(rows))


def _attackers(found: CountsCalibration) -> TableData:
    rows = [(_BELIEFS[name], probability(value)) for name, value in found.setting.measured.items()]
    return TableData(("an attacker who sees one report and", "attack success"), tuple(rows))


def _needed(found: CountsCalibration) -> TableData:
    rows = [
        (f"{rank:,}", percent(share), f"{ceil(found.needed[rank]):,}")
        for rank, share in found.shares.items()
        if rank in found.needed
    ]
    return TableData(("string of rank", "its share", "reports"), tuple(rows))


def _tested(verification: Verification | None) -> str:
    if verification is None:
        return "not run"
    wrong = ", ".join(check.name for check in verification.checks if not check.passed)
    return f"FAILED: {wrong}" if wrong else f"all {len(verification.checks)} checks passed"


def _reports(each: int) -> str:
    return "At most 1 report" if each == 1 else f"At most {each:,} reports"
