"""The formats of tables and texts, by the suffixes of files."""

from __future__ import annotations

from pathlib import Path

from brrkit.errors import ParameterError

TEXT = "text"
"""The format with one text per line, and the name of its single column."""

SUFFIXES = {
    ".txt": TEXT,
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
"""The formats; all except Parquet, which compresses itself, have lines."""

COMPRESSED = (".gz", ".xz")
"""Suffixes of compressions, after the suffix of a format of lines."""


def uncompressed(path: Path) -> Path:
    """Return the name without the suffix of a compression."""
    return path.with_suffix("") if path.suffix.lower() in COMPRESSED else path


def said_format(path: Path) -> str | None:
    """Return the format of a file's suffix, which may be before .gz or .xz for lines, or None."""
    inner = uncompressed(path)
    found = SUFFIXES.get(inner.suffix.lower())
    return None if found == "parquet" and inner != path else found


def format_of(path: Path, remedy: str = "write it as one of them") -> str:
    """Return the format of a file's suffix, like ``said_format``.

    Args:
        path: path of the file.
        remedy: remedy for the user if the suffix is unknown.

    Raises:
        ParameterError: the suffix is unknown.
    """
    found = said_format(path)
    if found is None and uncompressed(path).suffix.lower() == ".json":
        raise ParameterError(
            f"{path}: JSON of several lines, or an array; write one object per line into a .jsonl "
            "file, as 'jq -c .[]' does for an array"
        )
    if found is None:
        raise ParameterError(
            f"{path}: this suffix states no format; {', '.join(SUFFIXES)} do; {remedy}"
        )
    return found


def table_format(path: Path) -> str:
    """Return the format of a table by a file's suffix.

    Raises:
        ParameterError: the suffix is unknown, or means lines of text.
    """
    found = said_format(path)
    if found in (None, TEXT):
        tables = [suffix for suffix, name in SUFFIXES.items() if name != TEXT]
        raise ParameterError(
            f"{path}: this suffix states no table format; {', '.join(tables)} do; write it as one "
            "of them"
        )
    return found


def check_output(output: Path, file_format: str) -> None:
    """Check that a file with this name can be written in a format.

    Raises:
        ParameterError: the format is Parquet, and the suffix means a compression.
    """
    if file_format == "parquet" and output.suffix.lower() in COMPRESSED:
        raise ParameterError(f"{output}: Parquet compresses itself; leave out {output.suffix}")


def common_format(file: Path, output: Path) -> str:
    """Return the format of the suffix of ``file``, which is also that of ``output``.

    Raises:
        ParameterError: the suffix is unknown, or that of ``output`` means another format.
    """
    file_format = format_of(file, "name the format")
    if SUFFIXES.get(uncompressed(output).suffix.lower(), file_format) != file_format:
        raise ParameterError(
            f"{output}: is written in the format of {file}, {file_format}; give it that suffix, "
            "or name the format"
        )
    return file_format
