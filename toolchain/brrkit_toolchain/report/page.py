"""The page: content and plots put into the template."""

from __future__ import annotations

import math
from functools import partial

from brrkit_toolchain.bundle.manifest_info import bits_shown
from brrkit_toolchain.channel import label
from brrkit_toolchain.report import figures
from brrkit_toolchain.report.content import Content
from brrkit_toolchain.report.html import render_page


def render(content: Content) -> str:
    """Return the page as HTML that needs no network, and no script but the playground's."""
    return render_page(
        "page.html.j2",
        {
            "number": _number,
            "factor": _factor,
            "percent": _percent,
            "size": _size,
            "probability": _probability,
            "lower_first": lambda text: text[:1].lower() + text[1:],
        },
        content=content,
        row=content.row,
        setting=content.row.setting,
        manifest=content.manifest,
        bits=bits_shown(content.manifest),
        stated=content.stated,
        hamming=content.hamming,
        utility=content.utility,
        attack=content.attack,
        found=content.found,
        plots=_plots(content),
        label=label,
    )


def _plots(content: Content) -> dict[str, str]:
    against_epsilon = partial(figures.against_epsilon, content.rows, setting=content.row.setting)
    plots = {
        "unchanged": against_epsilon(
            lambda row: row.unchanged,
            name="unchanged",
            title="Share of running words unchanged against epsilon, by mechanism",
            y_label="words unchanged (N_w)",
            y_range=figures.SHARE,
        ),
        "support": against_epsilon(
            lambda row: row.support,
            name="support",
            title="Effective support against epsilon, by mechanism",
            y_label="effective outputs (S_w)",
            log_y=True,
        ),
        "attack_success": against_epsilon(
            lambda row: row.attack_success,
            name="attack-success",
            title="Attack success against epsilon, by mechanism",
            y_label="attack success",
            y_range=figures.SHARE,
        ),
    }
    if content.found is not None:
        plots["by_class"] = figures.by_class(
            content.found,
            name="by-class",
            title="Attack success of each attacker, by class of word",
        )
        if content.found.lengths:
            plots["length"] = figures.against_length(
                content.found,
                name="length",
                title="Attack success of the sentence attacker against the length of the text",
            )
    if content.utility is None:
        return plots
    against_estimated_loss = partial(figures.against_estimated_loss, content.utility)
    if content.attack is not None:
        plots["attack_cosine"] = figures.against_attack(
            content.utility,
            content.attack,
            name="attack-cosine",
            title="Mean cosine of output to input at equal attack success, by mechanism",
            y_label="cosine of output to input",
        )
    return plots | {
        "cosine": figures.utility_against_epsilon(
            content.utility,
            "cosine",
            average=content.stated.distances["hamming"].average,
            name="cosine",
            title="Mean cosine of output to input against epsilon, by mechanism",
            y_label="cosine of output to input",
            setting=content.row.setting,
        ),
        "equal_cosine": against_estimated_loss(
            "cosine",
            name="equal-cosine",
            title="Mean cosine of output to input at equal privacy, by mechanism",
            y_label="cosine of output to input",
        ),
        "equal_unchanged": against_estimated_loss(
            "unchanged",
            name="equal-unchanged",
            title="Share of words unchanged at equal privacy, by mechanism",
            y_label="words unchanged",
        ),
    }


def _number(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}g}" if abs(value) < 1000 else f"{value:,.0f}"


def _factor(exponent: float) -> str:
    """Return e^exponent so that people can read it."""
    if exponent < math.log(1e6):
        return _number(math.exp(exponent))
    return f"10^{exponent / math.log(10):.0f}"


def _probability(value: float) -> str:
    return f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def _percent(value: float) -> str:
    return f"{100 * value:.0f}%" if value >= 0.1 else f"{100 * value:.1f}%"


def _size(count: float) -> str:
    return f"{count / 1e6:.2f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"
