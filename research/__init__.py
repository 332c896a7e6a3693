"""What others published, reproduced; and experiments beyond what the documentation shows.

README.md says what each folder reproduces.
"""

from benchmarks.provenance import ROOT  # first, since it sets the threads

RESULTS = ROOT / "research" / "results"
FOLDER = RESULTS / "stored"
"""Of stored results, as ``benchmarks.store`` writes them; what ``papers`` and ``adept`` store
lies beside it.
"""
ADEPT_MODEL = FOLDER / "adept-model.json"
"""What ``research.adept.model`` wrote: of sentences, so of no bundle."""
AUDIT_VECTORS = FOLDER / "audit-vectors.json"
"""What ``research.audits.power --vectors`` wrote: of vectors that it makes."""
LIST_SIZES = FOLDER / "list-sizes.json"
"""What ``research.oracles.list_sizes`` wrote: of numbers of symbols, so of no bundle."""
