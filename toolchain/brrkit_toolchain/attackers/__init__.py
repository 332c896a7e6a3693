"""Attackers, their attack success, and their largest posterior probabilities.

For one released word, ``one_word`` contains the best possible attacker, ``exposure`` measures the
exposure of each word, and ``closed_list`` contains an attacker who knows that the typed word is on
a list. ``texts`` contains the attackers of whole texts.
"""
