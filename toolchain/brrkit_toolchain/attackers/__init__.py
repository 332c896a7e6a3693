"""How often attackers are right, and how sure they can be.

Of one released word: ``one_word`` has the best possible attacker, ``exposure`` what they learn of
each word, ``closed_list`` the attacker who knows that the typed word is one of a list. Of whole
texts: ``texts``.
"""
