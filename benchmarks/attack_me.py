"""Draw a challenge, attack it, score guesses, compare privatizers.

``benchmarks/attack-me`` has a challenge, whose secret texts are nowhere; its README says the rules.
"""

from __future__ import annotations

import json
import math
import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import numpy as np

from benchmarks.bench import progress, read_words
from benchmarks.challenge import (
    ASKED,
    KNOWN,
    SEALED,
    Release,
    Written,
    draw,
    read_challenge,
    read_guesses,
    read_written,
    right_of,
    seal,
    words_of,
    write_challenge,
    write_guesses,
)
from benchmarks.challenge_attackers import computed, learned
from benchmarks.provenance import ROOT
from benchmarks.report import aligned
from benchmarks.store import ATTACK_ME, write_alone
from brrkit import BrrError, ParameterError, Privatizer, WordBundle
from brrkit.resolve import resolve
from brrkit_toolchain.audit.audited_code.subject import Subject
from brrkit_toolchain.audit.instances import Instance
from brrkit_toolchain.channel.drawing.frames import framed
from brrkit_toolchain.embeddings import sample_path

FOLDER = ROOT / "benchmarks" / "attack-me"
GUESSES = "guesses.csv"
BRRKIT = "brrkit"

LAPLACE = "brrkit_toolchain.audit.full_size:laplace"
LAPLACE_EPSILON = 0.37
"""Epsilon per unit of the sample's vectors: that of ``standard``'s goal on SST-2."""

FRAME = 8
"""Number of words in a frame."""

REPETITIONS = 5
"""Number of challenges drawn from public texts, for each privatizer."""

_SMALL_SET = 4  # number of a writer's secret texts if half of the texts are secret

FOLDER_ARGUMENT = click.argument(
    "folder", type=click.Path(path_type=Path, file_okay=False), default=FOLDER
)
BUNDLE = click.option(
    "--bundle",
    "bundle_path",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="A bundle that recommends a setting. Default: the sample.",
)

TEXTS_OPTION = click.option(
    "--texts",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    default=FOLDER / KNOWN,
    help="Table with the columns writer and text, that everybody may have.",
)
EPSILON = click.option(
    "--epsilon", type=float, default=1.0, help="That the factory is called with."
)
EMBEDDINGS = click.option(
    "--embeddings",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="That the bundle was built from, for a factory of vectors.",
)


@click.group(help=__doc__, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Run a command."""


@main.command("draw")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@TEXTS_OPTION
@click.option(
    "--secret",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="The same, that nobody has. Default: half of each writer's --texts.",
)
@click.option("--factory", metavar="MODULE:FUNCTION", help="Another privatizer, as brr audit has.")
@EPSILON
@EMBEDDINGS
@BUNDLE
def draw_command(
    folder: Path,
    texts: Path,
    secret: Path | None,
    factory: str | None,
    epsilon: float,
    embeddings: Path | None,
    bundle_path: Path | None,
) -> None:
    """Release texts once, and write a challenge of them into FOLDER; the answers stay nowhere."""
    with _clear_errors():
        if (folder / SEALED).exists():
            raise ParameterError(f"{folder}: there is a challenge; name a new folder")
        shuffler, bundle = random.SystemRandom(), _opened(bundle_path)
        known = read_written(texts)
        hidden = None if secret is None else read_written(secret)
        if hidden is None:
            known, hidden = _halved(known, shuffler)
        described = f"brrkit, {resolve(bundle, None)[0]}"
        release = brrkit_release(bundle)
        if factory is not None:
            described = f"{factory}, epsilon {epsilon:g}"
            release = factory_release(factory, bundle, epsilon, embeddings)
        challenge, answers = draw(known, hidden, release, bundle.tokenizer, shuffler)
        sealed = seal(answers, described, bundle.digest)
        write_challenge(challenge, sealed, folder)
    click.echo(
        f"{folder}: {len(challenge.released)} known texts released, and {len(challenge.secret)} "
        f"secret ones in {len(challenge.sets)} sets, by {described}"
    )


@main.command("attack")
@FOLDER_ARGUMENT
@click.option("--output", type=click.Path(path_type=Path), help=f"Default: FOLDER/{GUESSES}.")
@BUNDLE
def attack_command(folder: Path, output: Path | None, bundle_path: Path | None) -> None:
    """Write the guesses of our attackers, who compute, of a challenge by brrkit."""
    with _clear_errors():
        challenge, sealed = read_challenge(folder)
        bundle = _opened(bundle_path)
        if bundle.digest != sealed.bundle:
            raise ParameterError(
                f"{folder / SEALED}: released with another bundle ({sealed.bundle[:8]}, not "
                f"{bundle.digest[:8]}); give that one"
            )
        setting, _ = resolve(bundle, None)
        guesses = computed(challenge, brrkit_release(bundle), bundle, setting)
        write_guesses(guesses, output or folder / GUESSES)
    click.echo(f"{output or folder / GUESSES}: guessed")


@main.command("score")
@FOLDER_ARGUMENT
@click.argument("guesses", type=click.Path(path_type=Path, dir_okay=False), required=False)
def score_command(folder: Path, guesses: Path | None) -> None:
    """Say how many guesses are right, and whether they are more than ours."""
    with _clear_errors():
        _, sealed = read_challenge(folder)
        right = sealed.right(read_guesses(guesses or folder / GUESSES, sealed))
        ours = _ours(sealed.salt)
    for asked, (count, total) in right.items():
        line = f"{asked:8} {count:,} of {total:,}"
        if ours is not None:
            line += f", ours {ours[asked][0]:,}"
            line += ": you have found something" if count > ours[asked][0] else ""
        click.echo(line)


@main.command("compare")
@click.argument("factory", metavar="MODULE:FUNCTION")
@TEXTS_OPTION
@EPSILON
@EMBEDDINGS
@BUNDLE
def compare_command(
    factory: str,
    texts: Path,
    epsilon: float,
    embeddings: Path | None,
    bundle_path: Path | None,
) -> None:
    """Attack another privatizer, and brrkit, on the same texts; half of them are secret."""
    with _clear_errors():
        bundle = _opened(bundle_path)
        rows = compared(
            read_written(texts),
            bundle,
            {
                f"{factory}, {epsilon:g}": lambda: factory_release(
                    factory, bundle, epsilon, embeddings
                ),
                BRRKIT: lambda: brrkit_release(bundle),
            },
        )
    for line in aligned([COLUMNS, *map(cells, rows)], text_columns={0, 1}):
        click.echo(line)


@main.command("table")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), default=ATTACK_ME)
def table_command(output: Path) -> None:
    """Attack the stored challenge, and privatizers that run here on texts that everybody has."""
    with _clear_errors():
        bundle = WordBundle.sample()
        setting, _ = resolve(bundle, None)
        release = brrkit_release(bundle)
        challenge, sealed = read_challenge(FOLDER)
        if bundle.digest != sealed.bundle:
            raise ParameterError(f"{FOLDER}: of another sample; draw a challenge anew")
        progress("attack-me: the stored challenge")
        ours = sealed.right(computed(challenge, release, bundle, setting))
        found = {
            "salt": sealed.salt,
            "privatizer": sealed.privatizer,
            "ours": ours,
            "repetitions": REPETITIONS,
            "rows": compared(
                read_written(FOLDER / KNOWN),
                bundle,
                {
                    "as typed": lambda: list,
                    "Laplace noise on float vectors": lambda: factory_release(
                        LAPLACE, bundle, LAPLACE_EPSILON, sample_path()
                    ),
                    BRRKIT: lambda: release,
                    f"{BRRKIT}, frames of {FRAME} words": lambda: frames_release(bundle),
                },
            ),
        }
        write_alone(output, found)


def compared(
    written: Sequence[Written], bundle: WordBundle, contenders: Mapping[str, Callable[[], Release]]
) -> list[dict[str, Any]]:
    """Return the success of our attackers against each of some privatizers.

    Args:
        written: texts; half of each writer's are secret, drawn anew each time.
        bundle: bundle with the words to guess.
        contenders: functions that create each privatizer; brrkit's, from ``bundle``, is called
            ``BRRKIT``.
    """
    setting, _ = resolve(bundle, None)
    rows = []
    for name, make in contenders.items():
        progress(f"attack-me: {name}")
        release = make()
        found: dict[str, list[list[tuple[int, int]]]] = {"learn": [], "compute": []}
        for repetition in range(REPETITIONS):
            shuffler = random.Random(repetition)
            known, secret = _halved(written, shuffler)
            challenge, answers = draw(
                known, secret, release, bundle.tokenizer, shuffler, _SMALL_SET
            )
            guesses = {"learn": learned(challenge, release, bundle)}
            if name == BRRKIT:
                guesses["compute"] = computed(challenge, release, bundle, setting)
            for who, each in guesses.items():
                found[who].append([right_of(answers, each)[asked] for asked in ASKED])
        rows += [
            {"privatizer": name, "who": who, **_shares(each)} for who, each in found.items() if each
        ]
    return rows


COLUMNS = ("released", "attacker", "words recovered", "texts recognized", "writers identified")


def cells(row: Mapping[str, Any]) -> list[str]:
    """Return a row of ``compared`` in the form of a table."""
    named = (f"{row[asked]:.2f}" for asked in ASKED)
    return [row["privatizer"], f"who {row['who']}s", *named]


def _shares(found: Sequence[Sequence[tuple[int, int]]]) -> dict[str, float]:
    """Return the share of right guesses over all repetitions, by question."""
    right, total = np.array(found).sum(axis=0).T
    return dict(zip(ASKED, (right / total).tolist(), strict=True))


def brrkit_release(bundle: WordBundle) -> Release:
    """Return the privatizer of a bundle at its recommended setting."""
    return Privatizer(bundle).texts


def frames_release(bundle: WordBundle, words: int = FRAME) -> Release:
    """Return the same privatizer for one frame of each text."""
    privatizer = Privatizer(bundle)

    def release(texts: Sequence[str]) -> list[str]:
        tokens = [bundle.tokenize(text) for text in texts]
        places = framed([np.arange(len(each)) for each in tokens], words, -1, os.urandom)
        return [
            " ".join(privatizer.words([each[i] if i >= 0 else "" for i in frame]))
            for each, frame in zip(tokens, places.tolist(), strict=True)
        ]

    return release


def factory_release(
    factory: str, bundle: WordBundle, epsilon: float, vectors: Path | None = None
) -> Release:
    """Return the privatizer from a factory for ``brr audit``, on a bundle or on vectors.

    If the factory's callable has no method ``text``, it is called for each word of a text: in the
    vocabulary's form if it is known, otherwise unchanged. Refused words are left out.

    Args:
        factory: "module:function".
        bundle: an opened bundle.
        epsilon: argument for the factory.
        vectors: the file from which the bundle was built, for a factory that takes words, vectors
            and epsilon.
    """
    read = None if vectors is None else read_words(vectors, bundle).vectors
    code = Subject(factory=factory).make(
        Instance(
            "challenge",
            tuple(map(bundle.vocabulary.word, range(len(bundle)))),
            np.empty((0, 0)),
            epsilon,
            math.inf,
            bundle=bundle.path if read is None else None,
            vectors=read,
        )
    )

    def release(texts: Sequence[str]) -> list[str]:
        if code.about(["texts"]):
            return [str(each) for each in code.texts(texts)]
        return [
            " ".join(
                str(each)
                for each in code.calls(words_of(text, bundle.tokenizer))
                if each is not None
            )
            for text in texts
        ]

    return release


def _halved(
    written: Sequence[Written], shuffler: random.Random
) -> tuple[list[Written], list[Written]]:
    """Return a random half of each writer's texts, and the other half."""
    order = list(written)
    shuffler.shuffle(order)
    halves: tuple[list[Written], list[Written]] = ([], [])
    for writer in sorted({each.writer for each in order}):
        own = [each for each in order if each.writer == writer]
        halves[0].extend(own[::2])
        halves[1].extend(own[1::2])
    return halves


def _opened(path: Path | None) -> WordBundle:
    return WordBundle.sample() if path is None else WordBundle.open(path)


def _ours(salt: str) -> dict[str, Sequence[int]] | None:
    """Return the result of our attackers on the stored challenge; None for another challenge."""
    if not ATTACK_ME.exists():
        return None
    found = json.loads(ATTACK_ME.read_text(encoding="utf-8"))
    ours: dict[str, Sequence[int]] = found["ours"]
    return ours if found["salt"] == salt else None


@contextmanager
def _clear_errors() -> Iterator[None]:
    """Turn errors of ours into a message without a traceback."""
    try:
        yield
    except BrrError as error:
        raise click.ClickException(str(error)) from None


if __name__ == "__main__":
    main()
