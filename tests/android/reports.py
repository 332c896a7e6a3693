"""Check what the Kotlin uploader sends against spec/reports.schema.json.

python tests/android/reports.py FOLDER

Its tests have left a report of each kind in the folder: ``counts.json``, ``stated.json``,
``remembered.json`` of a memory, and ``frames.json`` of a frame.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jsonschema

SCHEMA = Path(__file__).parents[2] / "spec" / "reports.schema.json"


def main() -> None:
    """Check them."""
    schema = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))
    for name, kind in (("counts", str), ("stated", dict), ("remembered", dict), ("frames", dict)):
        report = json.loads((Path(sys.argv[1]) / f"{name}.json").read_text("utf-8"))
        schema.validate(report)
        assert isinstance(report["setting"], kind), report
    print("what the uploader sends is of the schema")


if __name__ == "__main__":
    main()
