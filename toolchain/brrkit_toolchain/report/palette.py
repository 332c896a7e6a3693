"""Colors of pages and figures, on light and on dark paper."""

from __future__ import annotations

_LIGHT = {"paper": "#ffffff", "ink": "#1c2024"}
_DARK = {"paper": "#14171a", "ink": "#e8eaed"}

# The first five are distinguishable with color blindness, too; markers also differ. The seventh is
# gray.
SERIES = (
    ("#0072b2", "#5db8f0"),
    ("#c2410c", "#ff9a5c"),
    ("#00805e", "#4fd1a5"),
    ("#b4438f", "#f09ad2"),
    ("#5e3c99", "#b9a3f0"),
    ("#7a6200", "#d9c04a"),
    ("#6b7280", "#a3acb7"),
    ("#0e7c8c", "#57d3e6"),
    ("#8a4b2a", "#d99f7d"),
    ("#b2182b", "#ff7f86"),
)
"""Colors of a plot's series, in order, on light and on dark paper."""


def style_sheet() -> str:
    """Return the variables ``--paper``, ``--ink``, ``--series-1`` ..., light and dark, as CSS."""
    series = {f"series-{place}": both for place, both in enumerate(SERIES, start=1)}
    light = _LIGHT | {name: both[0] for name, both in series.items()}
    dark = _DARK | {name: both[1] for name, both in series.items()}
    return (
        f":root {{ {_variables(light)} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {_variables(dark)} }} }}\n"
    )


def _variables(colors: dict[str, str]) -> str:
    return " ".join(f"--{name}: {color};" for name, color in colors.items())
