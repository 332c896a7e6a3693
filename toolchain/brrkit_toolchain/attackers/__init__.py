"""Attackers, their attack success, and their largest posterior probabilities.

For one released word: ``one_word`` has the best possible attacker, ``exposure`` measures the
exposure of each word, and ``closed_list`` has an attacker who knows that the typed word is on a
list. For whole texts: ``texts``.
"""
