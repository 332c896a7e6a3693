"""The reference of errors, written from the code that raises them.

    python -m benchmarks.errors_page

rewrites in docs/reference/errors.md what is between ``<!-- errors -->`` and ``<!-- end -->``: the
messages of each kind of error, with what each says to do. A part of a message that differs from
case to case is in italics, by its name in the code.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click

from benchmarks.provenance import ROOT

PAGE = ROOT / "docs" / "reference" / "errors.md"

_BLOCK = re.compile(r"(<!-- errors -->\n).*?(<!-- end -->)", re.DOTALL)

_RUNTIME, _TOOLCHAIN = (ROOT / "runtime" / "brrkit", ROOT / "toolchain" / "brrkit_toolchain")

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
}
"""By heading: the package, and the errors."""

_VARIES = re.compile(r"\{([^{}]*)\}")


def rewritten(text: str) -> str:
    """Return a page with the messages as they are.

    Raises:
        ValueError: the page has no place for them.
    """
    if not _BLOCK.search(text):
        raise ValueError("the page has no place for the errors: <!-- errors --> ... <!-- end -->")
    return _BLOCK.sub(lambda block: f"{block[1]}\n{listed()}\n{block[2]}", text)


def listed() -> str:
    """Return a table of messages for each kind of error, in Markdown."""
    parts = []
    for heading, (package, errors) in _SECTIONS.items():
        found = sorted(set(messages(package, errors)), key=str.lower)
        if found:
            rows = [f"| {said} | {advice} |" for said, advice in map(_halves, found)]
            parts.append("\n".join([f"### {heading}", "", "| message | what to do |", "|---|---|"]))
            parts[-1] += "\n" + "\n".join(rows)
    return "\n\n".join(parts) + "\n"


def messages(package: Path, errors: list[str]) -> Iterator[str]:
    """Yield the messages with which a package makes ``errors``, by the names of their classes.

    What varies is in braces. A message that comes from elsewhere is left out.
    """
    for file in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args and _called(node) in errors:
                first = node.args[0]
                for choice in _choices(first):
                    message = _message(choice)
                    if message is not None:
                        yield message


def _called(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _choices(node: ast.expr) -> list[ast.expr]:
    """Return the expressions of which a conditional one is one; of 'a or b' the last."""
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
        parts = _message(node.left), "{…}" if _message(node.right) is None else None
        return None if parts[0] is None else parts[0] + (parts[1] or _message(node.right) or "")
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


def _halves(message: str) -> tuple[str, str]:
    """Return what is wrong, and what to do, as cells of a table."""
    wrong, _, advice = message.partition("; ")
    return _cell(wrong), _cell(advice)


def _cell(text: str) -> str:
    plain = " ".join(text.split()).replace("*", "\\*").replace("|", "\\|").replace("<", "\\<")
    return _VARIES.sub(r"*\1*", plain)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Rewrite the reference of errors from the code."""
    text = PAGE.read_text(encoding="utf-8")
    new = rewritten(text)
    PAGE.write_text(new, encoding="utf-8")
    if new != text:
        click.echo(f"{PAGE.relative_to(ROOT)}: rewritten")


if __name__ == "__main__":
    main()
