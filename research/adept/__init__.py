"""ADePT's experiments: its noise variants beside sentence codes, and what the paper claims.

``python -m research.adept`` measures, and writes research/results/adept-results.md from what
it stored.
"""
