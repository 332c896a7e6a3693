"""The search for an epsilon that limits the success of attackers who name writers of texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import exp

from brrkit import ParameterError
from brrkit.setting import Setting
from brrkit_toolchain.attackers.writers.labeled_texts import WritersTexts
from brrkit_toolchain.attackers.writers.named import WriterAttack, attack_writers
from brrkit_toolchain.calibrate.goals import WriterSuccess
from brrkit_toolchain.calibrate.limits import FLATTEST_EPSILON, logit
from brrkit_toolchain.calibrate.roots import LOG_ODDS_SLOPE, round_down
from brrkit_toolchain.channel import Channel

_LEAST_STEP, _LARGEST_STEP = 0.05, 0.3
"""Smallest and largest decrease of the logarithm of an epsilon that misses the goal."""


def lower_to_hide_writers(
    channel: Channel,
    texts: WritersTexts,
    goal: WriterSuccess,
    name: str,
    *,
    seed: int = 0,
    progress: bool = False,
) -> tuple[Setting, WriterAttack]:
    """Return a setting with the largest epsilon, up to its own, that meets a goal, and the attack.

    The epsilon is accurate to one step of the search. The upper end of the interval meets the goal.

    Args:
        channel: channel of the setting.
        texts: texts of some writers.
        goal: the goal.
        name: name of the file of texts.
        seed: as for ``measure_writers``.
        progress: as for ``measure_writers``.

    Raises:
        ParameterError: no epsilon meets the goal: the lengths reveal too much, or there are too few
            writers.
    """

    def attack_at(setting: Setting) -> WriterAttack:
        return attack_writers(
            channel.at(setting),
            texts,
            goal.writer,
            frame_words=goal.frame_words,
            seed=seed,
            progress=progress,
        )

    found = attack_at(channel.setting)
    if found.most[1].high > goal.target:
        _check_reachable(attack_at, channel.setting, goal, name)
    setting = channel.setting
    while (high := found.most[1].high) > goal.target:
        step = (logit(high) - logit(goal.target)) / LOG_ODDS_SLOPE
        lower = setting.epsilon * exp(-min(max(step, _LEAST_STEP), _LARGEST_STEP))
        setting = replace(setting, epsilon=max(round_down(lower), FLATTEST_EPSILON))
        found = attack_at(setting)
    return setting, found


def _check_reachable(
    attack_at: Callable[[Setting], WriterAttack],
    setting: Setting,
    goal: WriterSuccess,
    name: str,
) -> None:
    """Refuse a goal that isn't met even if released words hardly depend on typed ones.

    Raises:
        ParameterError: it isn't met.
    """
    found = attack_at(replace(setting, epsilon=FLATTEST_EPSILON))
    count, reached = found.most
    if reached.high <= goal.target:
        return
    lengths = found.success["lengths"][count]
    if lengths.value > goal.target and lengths.low > found.chance:
        raise ParameterError(
            f"writer-success {goal.target:g} can't be reached in {name}: the lengths of {count} "
            f"texts alone identify the writer with {lengths.value:.3g}; release frames, or allow "
            "more"
        )
    raise ParameterError(
        f"writer-success {goal.target:g} can't be confirmed with {found.writers} writers of "
        f"{name}; give texts of more writers, or allow more"
    )
