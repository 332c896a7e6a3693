"""The reference of errors, written from the code that raises them.

    python -m benchmarks.errors_page

rewrites in docs/reference/errors.md what is between ``<!-- errors -->`` and ``<!-- end -->``: the
messages of each kind of error, with what each says to do. A part of a message that differs from
case to case is in italics, by its name in the code. An answer of the receiver for tests begins
with its status.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click

from benchmarks.markdown import markdown
from benchmarks.provenance import ROOT
from benchmarks.reference import rewrite, with_part

PAGE = ROOT / "docs" / "reference" / "errors.md"

_RUNTIME, _TOOLCHAIN = (ROOT / "runtime" / "brrkit", ROOT / "toolchain" / "brrkit_toolchain")
_COUNTING = ROOT / "counting" / "brrkit_counting"
_RECEIVER = ROOT / "examples" / "receiver"

_SECTIONS = {
    "bundle": (_RUNTIME, ["BundleError"]),
    "parameter": (_RUNTIME, ["ParameterError", "NoSettingError"]),
    "outOfVocabulary": (_RUNTIME, ["OutOfVocabularyError"]),
    "budget": (_RUNTIME, ["BudgetError"]),
    "budgetFile": (_RUNTIME, ["BudgetFileError"]),
    "memoryFile": (_RUNTIME, ["MemoryFileError"]),
    "randomness": (_RUNTIME, ["RandomnessError"]),
    "other": (_RUNTIME, ["BrrError"]),
    "bundle, when building": (_TOOLCHAIN, ["BundleError"]),
    "parameter, of the toolchain": (_TOOLCHAIN, ["ParameterError", "NoSettingError"]),
    "embeddings": (_TOOLCHAIN, ["EmbeddingsError"]),
    "output": (_TOOLCHAIN, ["OutputError"]),
    "audit": (_TOOLCHAIN, ["AuditError"]),
    "other, of commands": (_TOOLCHAIN, ["BrrError"]),
    "failed checks of brr verify": (_TOOLCHAIN, ["CheckError"]),
    "reports, lists and estimates": (_COUNTING, ["BrrError", "BundleError", "ParameterError"]),
    "answers of the receiver for tests": (_RECEIVER, ["_RefusedError", "TooLongError"]),
    "start of the receiver for tests": (_RECEIVER, ["BrrError", "ParameterError", "StoreError"]),
}
"""By heading: the package, and the errors."""

_STATUS = {"_RefusedError": None, "TooLongError": 413}
"""Status of answers; None if the error's first argument states it."""

_VARIES = re.compile(r"\{([^{}]*)\}")


def rewritten(text: str) -> str:
    """Return a page with the current messages.

    Raises:
        ValueError: the page has no place for them.
    """
    return with_part(text, "errors", listed())


def listed() -> str:
    """Return a table of messages for each kind of error, in Markdown."""
    parts = []
    for heading, (package, errors) in _SECTIONS.items():
        found = sorted(filter(_is_worded, set(messages(package, errors))), key=str.lower)
        if found:
            table = markdown(("message", "what to do"), list(map(_halves, found)), numbers=False)
            parts.append(f"### {heading}\n\n{table}")
    return "\n".join(parts)


def messages(package: Path, errors: list[str]) -> Iterator[str]:
    """Yield a package's messages for ``errors``, by the names of their classes.

    Variable parts are in braces. Messages from elsewhere are left out.
    """
    for call in _calls(package):
        name = _called(call)
        if name in errors:
            status, worded = _STATUS.get(name), call.args[0]
            if name in _STATUS and status is None:
                stated, worded = call.args
                status = ast.literal_eval(stated)
            for choice in _choices(worded):
                message = _message(choice)
                if message is not None:
                    yield message if status is None else f"{status}: {message}"


@cache
def _calls(package: Path) -> list[ast.Call]:
    """Return the calls with an argument in a package."""
    nodes = (
        node
        for file in sorted(package.rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
    )
    return [node for node in nodes if isinstance(node, ast.Call) and node.args]


def _called(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _choices(node: ast.expr) -> list[ast.expr]:
    """Return the possible expressions of a conditional one; for 'a or b', the last."""
    if isinstance(node, ast.IfExp):
        return [*_choices(node.body), *_choices(node.orelse)]
    if isinstance(node, ast.BoolOp):
        return _choices(node.values[-1])
    return [node]


def _message(node: ast.expr) -> str | None:
    """Return a string's content, with expressions in braces; None if it isn't a string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.replace("{", "(").replace("}", ")")
    if isinstance(node, ast.JoinedStr):
        values = [
            _message(value) if isinstance(value, ast.Constant) else "{" + _name(value) + "}"
            for value in node.values
        ]
        return "".join(value or "" for value in values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _message(node.left), _message(node.right)
        return None if left is None else left + ("{…}" if right is None else right)
    return None


def _name(node: ast.expr) -> str:
    """Return the last name of an expression, as words: ``error.strerror`` is "strerror"."""
    if isinstance(node, ast.FormattedValue):
        return _name(node.value)
    if isinstance(node, ast.Attribute):
        return node.attr.strip("_").replace("_", " ")
    if isinstance(node, ast.Name):
        return node.id.strip("_").replace("_", " ")
    if isinstance(node, ast.Call) and len(node.args) == 1:
        return _name(node.args[0])
    return "…"


def _is_worded(message: str) -> bool:
    """Return whether a message has its own words, by which readers find it."""
    return re.search("[a-z]", _VARIES.sub("", message.partition("; ")[0])) is not None


def _halves(message: str) -> tuple[str, str]:
    """Return the error and the remedy as cells of a table."""
    wrong, _, advice = message.partition("; ")
    return _cell(wrong), _cell(advice)


def _cell(text: str) -> str:
    plain = " ".join(text.split()).replace("*", "\\*").replace("|", "\\|").replace("<", "\\<")
    return _VARIES.sub(r"*\1*", plain)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Rewrite the reference of errors from the code."""
    rewrite(PAGE, rewritten)


if __name__ == "__main__":
    main()
