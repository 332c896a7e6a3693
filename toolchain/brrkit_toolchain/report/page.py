"""The page, from content, plots and template."""

from __future__ import annotations

from functools import partial

from brrkit_toolchain.channel import label
from brrkit_toolchain.channel.manifest_info import bits_shown
from brrkit_toolchain.report import figures
from brrkit_toolchain.report.content import Content
from brrkit_toolchain.report.html import render_page
from brrkit_toolchain.report.palette import style_sheet
from brrkit_toolchain.report.plots import Axis
from brrkit_toolchain.report.statements import number_format, sign_off, tables
from brrkit_toolchain.rounding import at_most
from brrkit_toolchain.utility.task_accuracy import WORDS


def render(content: Content) -> str:
    """Return the page as HTML that needs no network, and no script but the playground's."""
    facts = content.facts
    return render_page(
        "page.html.j2",
        {
            "at_most": at_most,
            "number": number_format.number,
            "percent": number_format.percent,
            "size": number_format.size,
            "probability": number_format.probability,
        },
        palette=style_sheet(),
        content=content,
        facts=facts,
        guarantee=facts.guarantee,
        counts=facts.guarantee.counts,
        setting=content.setting,
        manifest=content.manifest,
        words_read=WORDS,
        bits=bits_shown(content.manifest),
        stated=content.stated,
        utility=content.utility,
        attack=content.attack,
        found=None if facts.text_result is None else facts.text_result.found,
        plots=_plots(content),
        label=label,
        who=tables.WHO,
        statements=sign_off.statements(facts),
        bound=tables.bound(facts.guarantee),
        reading=tables.reading(facts),
        day_and_year=tables.day_and_year(facts.guarantee),
        attackers=tables.attackers(facts),
        remark=tables.remark(facts),
        outcomes=tables.outcomes(facts, len(content.among)),
        risks=sign_off.risks(facts),
    )


def _plots(content: Content) -> dict[str, str]:
    against_epsilon = partial(figures.against_epsilon, content.rows, setting=content.setting)
    plots = {
        "unchanged": against_epsilon(
            lambda row: row.unchanged,
            name="unchanged",
            title="Share of running words unchanged against epsilon, by mechanism",
            y=Axis("words unchanged (N_w)", ends=figures.SHARE),
        ),
        "support": against_epsilon(
            lambda row: row.support,
            name="support",
            title="Effective support against epsilon, by mechanism",
            y=Axis("effective outputs (S_w)", log=True),
        ),
        "attack_success": against_epsilon(
            lambda row: row.attack_success,
            name="attack-success",
            title="Attack success against epsilon, by mechanism",
            y=Axis("attack success", ends=figures.SHARE),
        ),
    }
    if content.facts.text_result is not None:
        plots["by_class"] = figures.by_class(
            content.facts.text_result.found,
            name="by-class",
            title="Attack success of each attacker, by class of word",
        )
        if content.facts.text_result.found.lengths:
            plots["length"] = figures.against_length(
                content.facts.text_result.found,
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
            setting=content.setting,
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
