"""The options of ``brr calibrate``, for words, for a text, and for counts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from brrkit_toolchain.attackers.texts.attackers_by_name import Attacker
    from brrkit_toolchain.calibrate.goals import Over


@dataclass(frozen=True)
class CalibrateOptions:
    """The values of the options; None for options that weren't given."""

    attack_success: float | None = None
    worst: float | None = None
    attacker: Attacker | None = None
    text: Path | None = None
    public_text: Path | None = None
    column: str | None = None
    over: Over | None = None
    writer: str | None = None
    writer_success: float | None = None
    unchanged: float | None = None
    mechanism: str | None = None
    base: str | None = None
    cap: float | None = None
    task_weight: int | None = None
    task_share: float | None = None
    words_a_day: int | None = None
    frames: int | None = None
    frame_words: int | None = None
    sample: int | None = None
    seed: int = 0
