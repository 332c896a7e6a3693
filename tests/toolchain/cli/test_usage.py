"""A wrong call isn't repeated in its message, which may be a typed text; numbers are finite."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from brrkit_toolchain.cli import cli
from brrkit_toolchain.cli.shared import Number, NumberRange, print_json
from brrkit_toolchain.cli.shared.help import ShortHelp
from brrkit_toolchain.cli.shared.usage import in_options

if TYPE_CHECKING:
    from conftest import Brr

SECRET = "zqtypedsecret"
EPSILON = ("--epsilon", 1)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ((SECRET,), "There is no such command; choose one of: adept, audit, build"),
        (("inspect", "BUNDLE", SECRET), "Got unexpected extra arguments"),
        (("inspect", "BUNDLE", "my", SECRET, "(a) b"), "Got unexpected extra arguments"),
        (("inspect", "BUNDLE", f"--{SECRET}"), "There is no such option"),
        (("measure", "BUNDLE", "--epslon", SECRET), "did you mean --epsilon"),
        (("measure", "BUNDLE", "--epsilon", SECRET), "'--epsilon': it is not a valid"),
        (("measure", "BUNDLE", "--epsilon", f'it\'s "{SECRET}"\n'), "it is not a valid"),
        (("privatize", "BUNDLE", "--budget", SECRET, 1, "state"), "it is not a valid"),
        (("privatize", "BUNDLE", "--format", SECRET), "it is not one of 'text', 'csv'"),
        (("calibrate", "BUNDLE", "--mechanism", SECRET), "no such mechanism; choose one of: brr"),
        (("measure", "BUNDLE", *EPSILON, "--mechanism", SECRET), "no such mechanism; choose"),
        (("audit", "BUNDLE", "--mechanism", SECRET), "no such mechanism; choose one of: brr"),
        (("audit", "BUNDLE", "--factory", SECRET), "isn't of the form module:function"),
        (("privatize", "BUNDLE", *EPSILON, "--mechanism", SECRET), "no such mechanism; choose"),
        (("privatize", "BUNDLE", *EPSILON, "--oov", SECRET), "no such oov policy; choose one of"),
        (("build", "--method", SECRET), "no such method; choose one of: neighborhood"),
        (("build", "--effort", SECRET), "no such effort; choose one of: low"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_what_was_typed_isn_t_repeated(
    brr: Brr,
    sample_bundle: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: tuple[object, ...],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = brr(*(sample_bundle if part == "BUNDLE" else part for part in call))
    assert outcome.code in {1, 2}
    assert says in outcome.err
    assert SECRET not in outcome.err + outcome.out
    assert outcome.err.count("\n") == 1


def options(command: click.Command, name: str) -> Iterator[tuple[str, click.ParamType]]:
    """Yield the types of all values of all options, with a name to show."""
    for parameter in command.params:
        kind = parameter.type
        for each in kind.types if isinstance(kind, click.Tuple) else [kind]:
            yield f"{name} {parameter.opts[0]}", each
    if isinstance(command, click.Group):
        for part, below in command.commands.items():
            yield from options(below, f"{name} {part}")


def test_every_number_with_a_fraction_is_finite() -> None:
    numbers = {name: kind for name, kind in options(cli, "brr") if kind.name in ("number", "float")}
    floats = {n for n, kind in options(cli, "brr") if isinstance(kind, click.types.FloatParamType)}
    assert floats <= numbers.keys()
    assert len(numbers) > 20
    assert [name for name, kind in numbers.items() if not isinstance(kind, Number)] == []


@pytest.mark.parametrize(
    "text", ["nan", "NaN", "-nan", "inf", "-inf", "1e400", "infinity", "", "x"]
)
def test_what_is_no_finite_number(text: str) -> None:
    for kind in (Number(), NumberRange(0, 1), NumberRange(0, min_open=True)):
        with pytest.raises(click.BadParameter):
            kind.convert(text, None, None)


def test_words_are_shown_and_not_obeyed(brr: Brr, sample_bundle: Path) -> None:
    """Control characters and marks of direction: as text and as JSON."""
    odd = "\u202ethe\x9b\U000e0041"
    shown = brr("neighbors", sample_bundle, odd, "the")
    said = shown.out + shown.err
    as_json = brr("neighbors", sample_bundle, "the", "--json").out
    print_json([odd])
    assert set(said + as_json) - {"\n"} == {c for c in said + as_json if c.isprintable()}


def full_help(brr: Brr, name: str) -> str:
    """Return the help with all options."""
    command = cli.commands[name]
    return brr(name, "--help-all" if isinstance(command, ShortHelp) else "--help").out


def test_help_speaks_of_options(brr: Brr) -> None:
    """No range that isn't one, no name as Python has it."""
    walked = 0
    for name, command in cli.commands.items():
        page = full_help(brr, name)
        assert "None]" not in page, name
        assert not re.search(r"--\w+_\w+", page), name
        walked += len(command.params)
    assert walked > 150


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_help_fits_a_screen(brr: Brr, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """80 columns, 40 lines; what it leaves out, the full help has."""
    monkeypatch.setenv("COLUMNS", "80")
    command, page = cli.commands[name], brr(name, "--help").out
    assert len(page.splitlines()) <= 40
    options = [o for o in command.params if isinstance(o, click.Option)]
    shown = [o.opts[0] for o in options if re.search(rf"^  {o.opts[0]}\b", page, re.MULTILINE)]
    if isinstance(command, ShortHelp):
        assert set(shown) == set(command.common) < {o.opts[0] for o in options}
        page = full_help(brr, name)
    assert all(re.search(rf"^  {o.opts[0]}\b", page, re.MULTILINE) for o in options)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("out: exists; give force to replace it", "out: exists; give --force to replace it"),
        ("attack_success must be a number", "--attack-success must be a number"),
        ("parameter task_weight needs task bits", "--task-weight needs task bits"),
        ("give the text, or no column", "give --text, or no --column"),
        ("attack_success and cap are two goals", "--attack-success and --cap are two goals"),
        ("t.csv: field 'words_a_day' is missing", "t.csv: field 'words_a_day' is missing"),
        ("give more text, or leave it out", "give more text, or leave it out"),
    ],
)
def test_messages_name_options(message: str, said: str) -> None:
    """Those of functions name parameters, which a command line hasn't."""
    names = ("--force", "--attack-success", "--task-weight", "--text", "--column", "--cap")
    options = [click.Option([name]) for name in (*names, "--words-a-day")]
    assert in_options(message, click.Command("some", params=options)) == said


def test_a_file_is_no_option() -> None:
    command = click.Command("some", params=[click.Option(["--text"])])
    assert in_options("text: not a bundle", command, {"text"}) == "text: not a bundle"
    assert in_options("text: has no words", command) == "--text: has no words"


def test_ranges() -> None:
    assert NumberRange(0, 1).convert("1", None, None) == 1
    assert Number().convert("-1e300", None, None) == -1e300
    with pytest.raises(click.BadParameter):
        NumberRange(0, 1, max_open=True).convert("1", None, None)
