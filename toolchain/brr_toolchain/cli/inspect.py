"""``brr inspect``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from brr_runtime import BrrError, Bundle
from brr_toolchain.cli.shared import BUNDLE, JSON, print_json


@click.command()
@BUNDLE
@JSON
def inspect(bundle: Path, as_json: bool) -> None:
    """Show what a bundle is made of."""
    opened = Bundle.open(bundle)
    if as_json:
        print_json(opened.manifest)
        return
    for field in ("source", "method", "quality", "distances"):
        if not isinstance(opened.manifest.get(field), dict):
            raise BrrError(f"{bundle}: the manifest's '{field}' is missing or wrong; try --json")
    sizes = {"manifest.json": (bundle / "manifest.json").stat().st_size}
    sizes |= {name: entry["size"] for name, entry in opened.manifest["files"].items()}
    print_manifest(opened.manifest, sizes)


def print_manifest(manifest: Mapping[str, Any], sizes: dict[str, int]) -> None:
    """Print what a manifest says; ``sizes`` are bytes of each file, by name."""
    source, method, quality = manifest["source"], manifest["method"], manifest["quality"]
    hamming, euclidean = manifest["distances"]["hamming"], manifest["distances"]["euclidean"]
    shipped = sum(size for name, size in sizes.items() if name != "parity.json")
    click.echo(f"Bundle of {manifest['vocabulary_size']:,} words x {manifest['bits']} bits")
    click.echo(
        f"  source      {source['name']} ({source['format']}, {source['dimensions']} dimensions)"
    )
    click.echo(f"  method      {method['name']}, seed {method['seed']}")
    similarity = "".join(
        f", {name} {100 * score['codes']:.1f} (float32 {100 * score['float32']:.1f})"
        for name, score in quality["similarity"].items()
    )
    click.echo(f"  quality     NN@10 {quality['nn10']:.3f}{similarity}")
    for name, statistics, unit in (("hamming", hamming, " bits"), ("euclidean", euclidean, "")):
        sampled = "" if statistics["exact"] else f" (sampled, +-{statistics['average_error']:.3g})"
        click.echo(
            f"  {name:<12}P_avg {statistics['average']:.4g}{sampled}, "
            f"P_max {statistics['maximum']:.4g}{unit}"
        )
    ratio = manifest["distances"]["privacy_ratio_average"]
    click.echo(f"  ratio       1 epsilon of the full-size mechanism = {ratio:.4g} here (P_avg)")
    if setting := manifest.get("recommended"):
        parameters = "".join(f", {name} {value}" for name, value in setting["parameters"].items())
        click.echo(
            f"  recommended {setting['mechanism']}, epsilon {setting['epsilon']:.4g}{parameters} "
            f"({setting['goal']})"
        )
    parts = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
    click.echo(f"  size        {shipped / 1e6:.2f} MB on the device ({parts} bytes)")
