"""The page of ``brr estimate``: for people who weren't there when the reports came."""

from __future__ import annotations

from importlib.metadata import version

from brrkit_toolchain.frequencies.compare import PopulationComparison
from brrkit_toolchain.frequencies.estimate import FrequencyEstimate, Share
from brrkit_toolchain.frequencies.source import ReportSource


def render(
    source: ReportSource, estimate: FrequencyEstimate, comparison: PopulationComparison | None
) -> str:
    """Return the page as HTML that needs nothing else: no script, no network."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("brrkit_toolchain.frequencies", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(percent=percent, number="{:,}".format)
    widest = max([share.high for share in estimate.top], default=1.0) or 1.0
    return environment.get_template("page.html.j2").render(
        source=source,
        estimate=estimate,
        comparison=comparison,
        bar=lambda share: _bar(share, widest),
        version=version("brrkit"),
    )


def percent(share: float) -> str:
    """Return a share as a percentage with three digits that count."""
    return f"{100 * share:.3g}%"


def _bar(share: Share, widest: float) -> dict[str, str]:
    """Return where the interval and the share stand, in percent of the width."""
    return {
        "left": f"{100 * share.low / widest:.2f}",
        "width": f"{100 * (share.high - share.low) / widest:.2f}",
        "at": f"{100 * share.share / widest:.2f}",
    }
