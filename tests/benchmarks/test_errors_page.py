"""The reference of errors is what the code raises, and its kinds are those of the classes."""

from __future__ import annotations

import re

import pytest

import brrkit
from benchmarks.errors_page import PAGE, messages, rewritten
from benchmarks.provenance import ROOT
from brrkit.errors import BrrError
from brrkit_toolchain.audit.errors import AuditError
from brrkit_toolchain.embeddings.errors import EmbeddingsError
from brrkit_toolchain.io.errors import OutputError

TYPESCRIPT = ROOT / "web_demo" / "src" / "errors.ts"
OF_THE_TOOLCHAIN = {each.kind for each in (AuditError, EmbeddingsError, OutputError)}


def test_the_page_is_of_the_code() -> None:
    page = PAGE.read_text("utf-8")
    assert rewritten(page) == page, "run 'make numbers'"


def test_a_page_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="no place"):
        rewritten("# Errors")


def test_messages_are_read_off_the_code(tmp_path) -> None:
    (tmp_path / "module.py").write_text(
        'raise BundleError(f"{path}: {error.strerror!r} of " "two" if known else "{x}; stop")\n'
        "raise BundleError(found)\n"
        'raise OtherError("not this")\n'
    )
    assert list(messages(tmp_path, ["BundleError"])) == ["{path}: {strerror} of two", "(x); stop"]


def test_answers_of_the_receiver_have_their_status(tmp_path) -> None:
    (tmp_path / "server.py").write_text(
        'raise _RefusedError(408, "too slow; again")\n'
        "raise _RefusedError(422, str(error))\n"
        'raise TooLongError("long")\n'
    )
    found = list(messages(tmp_path, ["_RefusedError", "TooLongError"]))
    assert found == ["408: too slow; again", "413: long"]


def test_kinds_are_the_same_everywhere() -> None:
    table = set(re.findall(r"^\| `(\w+)` \|", PAGE.read_text("utf-8"), re.MULTILINE))
    everywhere = set(re.findall(r'\| "(\w+)"', TYPESCRIPT.read_text("utf-8")))
    python = {each.kind for each in vars(brrkit).values() if _is_error(each)} | {BrrError.kind}
    assert python - {"other"} == everywhere - {"outbox"}
    assert table == python | everywhere | OF_THE_TOOLCHAIN


def _is_error(found: object) -> bool:
    return isinstance(found, type) and issubclass(found, BrrError)
