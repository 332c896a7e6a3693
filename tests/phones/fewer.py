"""Keep a fifth of the golden cases that other languages' bundles, and lists, repeat.

    python tests/phones/fewer.py bundles

What their tokenizers make of texts stays whole. Their words and counts are drawn by the same code
as those of the bundles that are named here, which keep every case; and ``exchange.py`` draws from
all bundles anew. In the conformance bundles each case decides something. With ``NIGHTLY=1`` every
case stays: ``prepare.sh``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from brrkit.bundle import PARITY

WHOLE = ("64", "256", "tasks", "conformance-")  # how their names begin
REPEATED = ("cases", "memory", "counts")
EVERY = 5  # of each kind's cases, in order: all mechanisms and parameters are among them


def main() -> None:
    """Write the fewer cases over the others."""
    for path in Path(sys.argv[1]).glob(f"*/{PARITY}"):
        if path.parent.name.startswith(WHOLE):
            continue
        golden = json.loads(path.read_text("utf-8"))
        fewer = {kind: golden[kind][::EVERY] for kind in REPEATED}
        path.write_text(json.dumps(golden | fewer), "utf-8")


if __name__ == "__main__":
    main()
