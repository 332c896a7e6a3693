"""The options of an attacked text, and output about the attack success."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brrkit.errors import ParameterError
from brrkit.messages import printable
from brrkit.policy import Policy
from brrkit_toolchain.cli.shared import COLUMN, FILE, PUBLIC_TEXT, interval, option_of, with_options
from brrkit_toolchain.rounding import at_most

if TYPE_CHECKING:
    from brrkit_toolchain.attackers.texts.from_files import TextFiles
    from brrkit_toolchain.attackers.texts.text_attack import TextAttack

_KNOWLEDGE = {
    "isolated": "one released word",
    "frequencies": "one released word, word frequencies",
    "sentence": "all released words, the language",
    "informed": "one released word, the language, the other typed words",
    "language_alone": "the language, the other typed words",
}

_NAMES_OF_CLASSES = {"all": "all words", "content": "content words"}

text_options = with_options(
    click.option(
        "--text",
        type=FILE,
        help="Texts similar to your users' texts: also measure attackers who read their releases.",
    ),
    PUBLIC_TEXT,
    COLUMN,
    click.option(
        "--tokens",
        metavar="N",
        type=click.IntRange(min=1),
        help="With --text: the number of its words to release. Default: 20,000.",
    ),
)
"""Adds the options ``text``, ``public_text``, ``column`` and ``tokens`` to a command."""


@dataclass(frozen=True)
class TextOptions:
    """The values of ``text_options``."""

    text: Path | None = None
    public_text: Path | None = None
    column: str | None = None
    tokens: int | None = None

    def files(self) -> TextFiles | None:
        """Return the files, if there is a text.

        Raises:
            ParameterError: there is no text, but an option that requires one.
        """
        from brrkit_toolchain import TextFiles

        if self.text is not None:
            return TextFiles(self.text, self.public_text, self.column)
        of_text = {"public_text": self.public_text, "column": self.column, "tokens": self.tokens}
        refuse_without_text(of_text)
        return None


def refuse_without_text(options: Mapping[str, Any]) -> None:
    """Raise ParameterError if one of ``options``, which require a text, was given."""
    if any(value is not None for value in options.values()):
        *others, last = (option_of(name) for name in options)
        raise ParameterError(f"{', '.join(others)} and {last} need --text; add it")


def beside_passing(policy: Policy) -> str:
    """Return the end of a sentence about a bound for passing words; empty without passing words."""
    from brrkit_toolchain.channel.privacy_loss.passing import passing_loss

    found = passing_loss(policy)
    return f"; {at_most(found.loss)} more if one of two words passes" if found else ""


def print_attack(found: TextAttack) -> None:
    """Print all attackers side by side, then one attacker by class of word."""
    from brrkit_toolchain.attackers.texts.knowledge import ENOUGH

    public = f" and {found.public_tokens:,} of --public-text" if found.public_tokens else ""
    alike = found.bundle_tokens
    bundles = f" (equivalent to {alike:,} words of such texts)" if alike else ""
    sees = found.attackers["sentence"]
    unknown = sees["unknown"].tokens if "unknown" in sees else 0
    click.echo(
        f"{found.tokens:,} words of {found.texts:,} texts, {1 - unknown / found.tokens:.1%} of "
        f"them known; no attacker can recover the {unknown:,} unknown ones. Attackers know the "
        f"bundle's language{bundles}, "
        f"{found.own_tokens:,} other words of the file{public}."
        + ("" if found.exact else " The channel is estimated, so these are lower bounds.")
    )
    click.echo(
        f"  {'attacker':<16}{'all words':<21}{'among ten':<12}{'content words':<21}"
        f"{'among ten':<12}{'worst 1%':<10}knows"
    )
    for name, by_class in found.attackers.items():
        cells = ""
        for kind in ("all", "content"):
            entry = by_class.get(kind)
            first = "-" if entry is None else interval(entry.top1, 3)
            ten = "-" if entry is None else f"{entry.top10.value:.3f}"
            cells += f"{first:<21}{ten:<12}"
        worst = found.worst[name]
        cells += f"{'-' if worst is None else f'{worst:.3f}':<10}"
        click.echo(f"  {name.replace('_', ' '):<16}{cells}{_KNOWLEDGE[name]}")
    if found.own_tokens + found.public_tokens + found.bundle_tokens < ENOUGH:
        click.echo(f"  expected if they know {ENOUGH // 1_000_000} million words of the language:")
        for name, by_over in found.expected.items():
            cells = "".join(f"{interval(each, 3):<33}" for each in by_over.values())
            click.echo(f"  {name:<16}{cells.rstrip()}")
    click.echo("  the sentence attacker, by class:")
    for kind, entry in sees.items():
        if kind != "unknown" and kind not in found.by_policy:
            click.echo(
                f"    {_NAMES_OF_CLASSES.get(kind, kind):<20}{entry.tokens:>8,} words  "
                f"{interval(entry.top1, 3):<21}among ten {entry.top10.value:.3f}  "
                f"unchanged {found.unchanged[kind].value:.3f}"
            )
    if found.by_policy:
        _print_by_policy(found)
    if unknown:
        click.echo(
            f"  unknown words recognized as unknown: {interval(sees['unknown'].top1, 3)}; this "
            "reveals none of their letters"
        )
    if found.lengths:
        pieces = ", ".join(
            f"of {length}: {success.value:.3f}" for length, success in found.lengths.items()
        )
        click.echo(f"  the same texts in pieces, all words: {pieces}")
    if found.cosine is not None:
        content = found.cosine.get("content")
        click.echo(
            f"  cosine          all words {found.cosine['all']:.3f}"
            + ("" if content is None else f", content words {content:.3f}")
        )
    click.echo(
        f"  perplexity      {found.perplexity['released']:,.0f} released, "
        f"{found.perplexity['typed']:,.0f} typed"
    )


def _print_by_policy(found: TextAttack) -> None:
    """Print the attack success by class of the policy, and on the words of lists."""
    sees = found.attackers["sentence"]
    click.echo("  the sentence attacker, by the bundle's policy:")
    for kind, share in found.by_policy.items():
        success = "-"
        if kind in sees:
            recognized = ", recognized as unknown" if kind == "unknown" else ""
            success = f"{interval(sees[kind].top1, 3)}{recognized}"
        click.echo(printable(f"    {kind:<20}{100 * share:>6.1f}% of words  {success}"))
    if not found.lists:
        return
    click.echo("  listed words, recovered by attackers who know on which list each is:")
    width = max(len("list"), *map(len, found.lists)) + 2
    click.echo(
        f"    {'list':<{width}}{'words':>6}  {'forms':>5}  {'by frequency':<20}"
        f"{'from its neighbors':<20}{'and what was released':<23}released inside the list"
    )
    for name, attack in found.lists.items():
        cells = [attack.prior, attack.neighbors, attack.everything, attack.inside]
        prior, neighbors, everything, inside = (interval(each, 3) for each in cells)
        click.echo(
            f"    {name:<{width}}{attack.tokens:>6,}  {attack.forms:>5,}  {prior:<20}"
            f"{neighbors:<20}{everything:<23}{inside}"
        )
