"""What a reviewer signs, before it is put into words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from brrkit.setting import Estimate, Measured
from brrkit_toolchain.attack.among import AmongAttack
from brrkit_toolchain.attack.text import TextAttack
from brrkit_toolchain.audit import Audit
from brrkit_toolchain.bundle.verify.outcome import Verification
from brrkit_toolchain.measure.attack import WordAttacker
from brrkit_toolchain.measure.tasks import TaskAccuracy
from brrkit_toolchain.report.exposure import Exposure
from brrkit_toolchain.report.promise import Promise


@dataclass(frozen=True)
class Read:
    """A text that attackers read, and what they learned of it.

    Attributes:
        name: of its file.
        found: what they learned.
    """

    name: str
    found: TextAttack


@dataclass(frozen=True)
class Drawn:
    """The success of an attacker who sees one word, enclosed by draws.

    Attributes:
        attacker: who.
        success: from what an attacker reached to what none exceeds, with 95% confidence.
    """

    attacker: WordAttacker
    success: Estimate


@dataclass(frozen=True)
class Tests:
    """What was tested for the page, by this version on this day.

    Attributes:
        day: in UTC.
        verification: of the bundle; None if it wasn't run.
        audits: one for each mechanism; empty if they weren't run.
    """

    day: date
    verification: Verification | None
    audits: Sequence[Audit]


@dataclass(frozen=True)
class Facts:
    """What is proven, measured and tested of a setting on a bundle.

    Attributes:
        promise: what is proven.
        unchanged: share of the words of running text that come out as typed.
        exposures: attackers who see one word; empty if the mechanism's probabilities have no
            formula.
        drawn: the same where they have none; None where ``exposures`` are there.
        measured: what the manifest says was measured of the setting; None if it doesn't.
        read: a text that attackers read; None if none was given.
        alike: attackers who know some words alike, one of which was typed.
        tasks: what classifiers of released text reach of the bundle's tasks.
        tests: what was tested; None where nothing is said of it.
    """

    promise: Promise
    unchanged: Estimate
    exposures: Sequence[Exposure]
    drawn: Drawn | None
    measured: Measured | None
    read: Read | None
    alike: Sequence[AmongAttack]
    tasks: Sequence[TaskAccuracy]
    tests: Tests | None
