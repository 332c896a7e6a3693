"""Reproductions of publications, and experiments beyond those in the documentation.

README.md lists the reproductions in each folder.
"""

from benchmarks.provenance import ROOT  # first, since it sets the threads

RESULTS = ROOT / "research" / "results"
FOLDER = RESULTS / "stored"
"""Folder of stored results from ``benchmarks.store``; those of ``papers`` and ``adept`` are next to
it.
"""
ADEPT_MODEL = FOLDER / "adept-model.json"
"""Results of ``research.adept.model``: about sentences, so without a bundle."""
AUDIT_VECTORS = FOLDER / "audit-vectors.json"
"""Results of ``research.audits.power --vectors``, on its own vectors."""
LIST_SIZES = FOLDER / "list-sizes.json"
"""Results of ``research.oracles.list_sizes``: for numbers of symbols, so without a bundle."""
