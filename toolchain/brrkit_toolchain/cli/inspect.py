"""``brr inspect``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from brrkit import Measured, Shares, WordBundle
from brrkit.bundle import INDEX, MANIFEST
from brrkit.list_tokenizer import EMOJI, STRINGS
from brrkit.messages import printable
from brrkit_toolchain.bundle.writer import NOT_SHIPPED
from brrkit_toolchain.cli.shared import BUNDLE, JSON, interval, print_json
from brrkit_toolchain.rounding import at_most
from brrkit_toolchain.writing.describe import describe_writing

if TYPE_CHECKING:
    from brrkit_toolchain.channel.manifest_info import ManifestInfo, TaskInfo

_WORDS_SHOWN = 30  # largest number of passing words shown


@click.command()
@BUNDLE
@JSON
def inspect(bundle: Path, as_json: bool) -> None:
    """Show the content of a bundle."""
    opened = WordBundle.open(bundle)
    if as_json:
        print_json(opened.manifest)
        return
    print_bundle(opened)


def print_bundle(bundle: WordBundle) -> None:
    """Print the contents of a bundle's manifest, and the sizes of its files."""
    from brrkit_toolchain.channel.manifest_info import STRINGS_ARE, bits_shown, manifest_info

    stated = manifest_info(bundle.manifest)
    if bundle.list_of is None:
        click.echo(f"Bundle of {len(bundle):,} words x {bits_shown(bundle.manifest)} bits")
    else:
        click.echo(f"List of {len(bundle):,} {STRINGS_ARE[bundle.list_of]}")
    lines = _origin_lines(bundle, stated) | _policy_lines(bundle) | _setting_lines(bundle)
    lines["size"] = _sizes(bundle)
    for name, line in lines.items():
        if line:
            click.echo(f"  {name:<12}{line}")
    for task in stated.tasks:
        _print_task(task)


def _origin_lines(bundle: WordBundle, stated: ManifestInfo) -> dict[str, str]:
    """Return a bundle's sources and quality, by the names of lines."""
    dimensions = f"{stated.dimensions} dimensions" if stated.dimensions else None
    details = ", ".join(filter(None, (stated.format, dimensions)))
    seed = None if stated.seed is None else f"seed {stated.seed}"
    reproducible = (
        "codes depend on the machine" if stated.machine_dependent else "the same on every machine"
    )
    nn10 = None if stated.nn10 is None else f"NN@10 {stated.nn10:.3f}"
    similarity = (
        f"{name} {100 * codes:.1f} (float32 {100 * vectors:.1f})"
        for name, (codes, vectors) in stated.similarity.items()
    )
    lines = {
        "source": " ".join(filter(None, (stated.source, f"({details})" if details else None))),
        "method": ", ".join(filter(None, (stated.method, seed, reproducible)))
        if bundle.bits
        else "",
        "quality": ", ".join(filter(None, (nn10, *similarity))),
        "language": _language(stated, bundle),
    }
    if bundle.list_of not in (EMOJI, STRINGS):
        lines["written in"] = describe_writing(bundle.writing)
    lines["codes" if bundle.bits else "list"] = f"{INDEX} has SHA-256 {bundle.digest}"
    lines["manifest"] = f"sha256 {bundle.manifest['sha256']}, which batches name"
    for metric, distances in stated.distances.items():
        unit = " bits" if metric == "hamming" else ""
        error = f" (+-{distances.average_error:.2g})" if distances.average_error else ""
        least = "" if distances.exact else "at least "
        lines[metric] = (
            f"P_avg {distances.average:.4g}{error}, P_max {least}{distances.maximum:.4g}{unit}"
        )
    if stated.ratio is not None:
        lines["ratio"] = f"1 epsilon of the full-size mechanism = {stated.ratio:.4g} here (P_avg)"
    return lines


def _policy_lines(bundle: WordBundle) -> dict[str, str]:
    """Return the secret and the passing words, by the names of lines."""
    lines = {}
    if lists := bundle.policy.lists:
        lines["secret"] = "; ".join(
            f"{each.name}: {len(each.members):,} words and {len(each.forms):,} forms, all treated "
            f"as {printable(bundle.vocabulary.word(each.head))}"
            for each in lists
        )
    if passing := bundle.policy.passing:
        words = [printable(bundle.vocabulary.word(i)) for i in passing.words[:_WORDS_SHOWN]]
        if len(words) < len(passing.words):
            words.append("...")
        lines["passing"] = (
            f"{len(passing.words):,} words, released as typed with probability "
            f"{passing.probability:g}: "
            f"{' '.join(words)}"
        )
    return lines


def _setting_lines(bundle: WordBundle) -> dict[str, str]:
    """Return a bundle's recommended settings, by the names of lines."""
    lines = {}
    if setting := bundle.recommended:
        parameters = "".join(f", {name} {value}" for name, value in setting.parameters.items())
        lines["recommended"] = printable(
            f"{setting.mechanism}, epsilon {setting.epsilon:.4g}{parameters} ({setting.goal})"
        )
        if setting.certified_epsilon is not None:
            lines["certified"] = f"epsilon {at_most(setting.certified_epsilon)} on this vocabulary"
        if setting.measured is not None:
            lines["measured"] = printable(_describe_measured(setting.measured))
    if frames := bundle.frames:
        lines["frames"] = f"{frames.a_day:,} a day, of {frames.words} words each"
    if counts := bundle.counts:
        named = ", ".join(f"{name} {share:.3f}" for name, share in counts.measured.items())
        lines["counts"] = printable(
            f"cap {counts.cap:.4g}, {counts.words_a_day} words a day ({counts.goal}); attack "
            f"success of a report: {named}"
        )
    return lines


def _sizes(bundle: WordBundle) -> str:
    sizes = {MANIFEST: (bundle.path / MANIFEST).stat().st_size}
    sizes |= {name: entry["size"] for name, entry in bundle.manifest["files"].items()}
    shipped = sum(size for name, size in sizes.items() if name not in NOT_SHIPPED)
    parts = ", ".join(f"{printable(name)} {size:,}" for name, size in sizes.items())
    return f"{shipped / 1e6:.2f} MB on the device ({parts} bytes)"


def _language(stated: ManifestInfo, bundle: WordBundle) -> str:
    """Return the source of the masses."""
    if stated.text is not None:
        tokens = "" if stated.text.tokens is None else f"{stated.text.tokens:,} words of "
        return (
            f"learned from {tokens}{stated.text.name}; {bundle.masses.bigrams:,} word pairs; shows "
            f"only what occurs in at least {stated.text.least:,} texts"
        )
    if stated.masses == "ranks" and bundle.bits:
        return "from the words' ranks, without word pairs"
    of_a_list = {"ranks": "from the order of the strings", "counts": "from the strings' counts"}
    return of_a_list.get(stated.masses or "", "")


def _print_task(task: TaskInfo) -> None:
    """Print a task's classes, and the words that most distinguish each class."""
    from brrkit_toolchain.tasks.held_out import held_out_count

    kind = "a number" if task.number else f"{len(task.classes)} classes"
    learned = task.texts - held_out_count(task.texts)
    click.echo(
        f"  task        {task.name}: {kind}, learned from {learned:,} of the {task.texts:,} texts "
        f"in {task.source}"
    )
    for each in task.classes:
        words = ", ".join(each.words) or "no word indicates it more than other classes"
        click.echo(f"    {each.name}: {words} ({each.bits} bits)")


def _describe_measured(measured: Measured) -> str:
    every, unknown = measured.all_words, measured.unknown_recognized
    of = "" if measured.text is None else f", {measured.text}"
    said = [_of(f"{measured.over} words", measured)]
    if every is not None:
        said.append(_of("all words", every))
    if unknown is not None:
        said.append(f"unknown words: recognized as unknown {interval(unknown, 3)}")
    return f"{'; '.join(said)} ({measured.attacker}{of})"


def _of(words: str, shares: Measured | Shares) -> str:
    worst = "" if shares.worst is None else f", worst 1% {interval(shares.worst, 3)}"
    success, unchanged = interval(shares.attack_success, 3), interval(shares.unchanged, 3)
    return f"{words}: attack success {success}{worst}, unchanged {unchanged}"
