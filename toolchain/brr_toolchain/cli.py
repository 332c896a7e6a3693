"""The command line: every command is a thin layer over the Python API."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

import click

from brr_runtime import BrrError, Bundle, PrivacyBudget, Privatizer
from brr_runtime.bundle import BITS
from brr_runtime.mechanisms import MECHANISMS
from brr_runtime.privatizer import OOV_POLICIES
from brr_toolchain import DEFAULT_BITS, DEFAULT_METHOD
from brr_toolchain.codes import METHODS

BUNDLE = click.argument("bundle", type=click.Path(path_type=Path))
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
FOLDER = click.Path(path_type=Path)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(version("brrkit"), prog_name="brr")
def cli() -> None:
    """Build, verify and use bundles for on-device text privatization."""


@cli.command()
@click.option(
    "--embeddings",
    metavar="SRC",
    help="Pretrained embeddings: a GloVe, word2vec or FastText file (text or binary; plain, .gz, "
    ".xz, .zip), or a gensim data set's name. Default: the sample that comes with brrkit.",
)
@click.option(
    "--output", type=FOLDER, default="bundle", show_default=True, help="Directory to write."
)
@click.option(
    "--bits",
    default=DEFAULT_BITS,
    show_default=True,
    help=f"Length of a code: a multiple of 64 from {BITS[0]} to {BITS[-1]}.",
)
@click.option(
    "--method",
    default=DEFAULT_METHOD,
    show_default=True,
    help=f"How words get their codes: {', '.join(METHODS)}.",
)
@click.option("--vocabulary-size", metavar="N", type=int, help="Keep the first N usable words.")
@click.option("--word-list", type=FOLDER, help="Keep only the words of this file, one a line.")
@click.option(
    "--word-pairs",
    type=FOLDER,
    help="Folder of word similarity judgements ('word word score' in *.txt) to measure the codes "
    "with. Default: a folder 'wordsim' beside the embeddings or their folder.",
)
@click.option("--seed", default=0, show_default=True, help="Same input and seed, same bytes.")
@click.option("--force", is_flag=True, help="Replace a bundle that is already there.")
@JSON
def build(output: Path, as_json: bool, embeddings: str | None, **options: Any) -> None:
    r"""Build a bundle from pretrained embeddings.

    \b
    brr build --embeddings glove.6B.300d.txt --output my-bundle
    brr build --embeddings wiki.en.vec.gz --vocabulary-size 50000 --bits 128
    """
    from brr_toolchain.build import build_bundle
    from brr_toolchain.embeddings import sample_path

    result = build_bundle(embeddings or sample_path(), output, **options)
    if as_json:
        fields = {"output": str(output), "sizes": result.sizes, "skipped": result.skipped}
        _print_json({**fields, "stages": result.stages, "manifest": result.manifest})
        return
    _print_manifest(result.manifest, result.sizes)
    if result.skipped:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in result.skipped.items())
        click.echo(f"  skipped     {reasons}")
    stages = ", ".join(f"{name} {seconds:.1f}" for name, seconds in result.stages.items())
    click.echo(f"  seconds     {sum(result.stages.values()):.1f} ({stages})")
    click.echo(f"Wrote {output}")


@cli.command()
@BUNDLE
@JSON
def inspect(bundle: Path, as_json: bool) -> None:
    """Show what a bundle is made of."""
    opened = Bundle.open(bundle)
    if as_json:
        _print_json(opened.manifest)
        return
    for field in ("source", "method", "quality", "distances"):
        if not isinstance(opened.manifest.get(field), dict):
            raise BrrError(f"{bundle}: the manifest's '{field}' is missing or wrong; try --json")
    sizes = {"manifest.json": (bundle / "manifest.json").stat().st_size}
    sizes |= {name: entry["size"] for name, entry in opened.manifest["files"].items()}
    _print_manifest(opened.manifest, sizes)


@cli.command()
@BUNDLE
@click.option("--embeddings", metavar="SRC", help="Also check against what it was built from.")
@click.option("--json", "json_file", type=FOLDER, help="Write the report as JSON to this file.")
@click.option("--junit", "junit_file", type=FOLDER, help="Write it as JUnit XML to this file.")
def verify(
    bundle: Path, embeddings: str | None, json_file: Path | None, junit_file: Path | None
) -> None:
    """Check a bundle; exit code 0 if every check holds, else 1."""
    from brr_toolchain.verify import Check, verify_bundle

    def show(check: Check) -> None:
        mark = click.style("ok  ", fg="green") if check.passed else click.style("FAIL", fg="red")
        click.echo(f"{mark}  {check.name:<22}{check.detail}")

    report = verify_bundle(bundle, embeddings, on_check=show)
    for file, content in ((json_file, report.to_json()), (junit_file, report.to_junit())):
        if file is not None:
            _write(file, content)
    failed = [check.name for check in report.checks if not check.passed]
    if failed:
        raise BrrError(f"{bundle}: failed: {', '.join(failed)}")
    click.echo(f"{bundle}: all {len(report.checks)} checks passed")


@cli.command()
@BUNDLE
@click.argument("file", type=click.File("rb"), default="-")
@click.option("--epsilon", type=float, required=True, help="Privacy parameter per bit of distance.")
@click.option(
    "--mechanism", default="brr", show_default=True, help=f"One of: {', '.join(MECHANISMS)}."
)
@click.option(
    "--oov",
    default="random",
    show_default=True,
    help=f"What becomes of words outside the vocabulary: {', '.join(OOV_POLICIES)}.",
)
@click.option(
    "--t",
    "-t",
    "ts",
    type=float,
    multiple=True,
    help="For vickrey: a number from 0 to 1, or, given k times, t_1 ... t_k.",
)
@click.option(
    "--budget",
    type=(float, float, FOLDER),
    metavar="LIMIT SECONDS FILE",
    help="Stop when a period of SECONDS has released LIMIT epsilon in all; FILE remembers.",
)
def privatize(
    bundle: Path,
    file: BinaryIO,
    epsilon: float,
    mechanism: str,
    oov: str,
    ts: tuple[float, ...],
    budget: tuple[float, float, Path] | None,
) -> None:
    """Privatize FILE (default: standard input) line by line.

    Each line becomes the privatized words of that line; case, punctuation and spacing are dropped.
    """
    parameters: dict[str, Any] = {"t": ts[0] if len(ts) == 1 else ts} if ts else {}
    privatizer = Privatizer(
        Bundle.open(bundle),
        epsilon,
        mechanism=mechanism,
        oov=oov,
        budget=PrivacyBudget(*budget) if budget else None,
        **parameters,
    )
    for number, line in enumerate(_decoded(file), start=1):
        try:
            released = privatizer.text(line)
        except BrrError as error:
            raise BrrError(f"line {number}: {error}") from None
        # Flushed, so that a program at the other end of a pipe gets each line when it is ready.
        click.echo(released)


@cli.command()
@BUNDLE
@click.argument("words", nargs=-1, required=True)
@click.option("-k", default=10, show_default=True, help="Number of neighbours.")
@JSON
def neighbors(bundle: Path, words: tuple[str, ...], k: int, as_json: bool) -> None:
    """Show the words nearest to each of WORDS by code. Nothing here is privatized."""
    opened = Bundle.open(bundle)
    found = {word: opened.neighbors(word, k) for word in words}
    if as_json:
        _print_json(
            {word: [{"word": w, "distance": d} for w, d in near] for word, near in found.items()}
        )
        return
    for word, near in found.items():
        click.echo(f"{word}: " + ", ".join(f"{w} ({d})" for w, d in near))


def _decoded(file: BinaryIO) -> Iterator[str]:
    for number, line in enumerate(file, start=1):
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError:
            name = getattr(file, "name", "standard input")
            raise BrrError(f"{name}: line {number} isn't UTF-8; convert the text first") from None


def _print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=1, ensure_ascii=False))


def _print_manifest(manifest: Mapping[str, Any], sizes: dict[str, int]) -> None:
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
    parts = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
    click.echo(f"  size        {shipped / 1e6:.2f} MB on the device ({parts} bytes)")


def _write(file: Path, content: str) -> None:
    try:
        file.write_text(content, encoding="utf-8")
    except OSError as error:
        raise BrrError(f"{file}: can't be written ({error.strerror})") from None
