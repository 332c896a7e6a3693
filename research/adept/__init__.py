"""ADePT's experiments: its noise variants, sentence codes, and the paper's claims.

``python -m research.adept`` measures, and writes research/results/adept-results.md from what
it stored.
"""
