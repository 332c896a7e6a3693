"""ADePT's experiments: its noise variants beside sentence codes, and what the paper claims.

``python -m benchmarks.adept`` measures, and writes benchmarks/results/adept-results.md from what
it stored.
"""
