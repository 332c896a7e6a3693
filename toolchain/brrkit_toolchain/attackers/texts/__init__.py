"""Attackers who read whole released texts, and know their language to different degrees.

``attackers_by_name`` creates them from ``knowledge`` of a language, whose sources ``interpolation``
weights, and from ``readers``, which compute posterior probabilities. ``success`` measures their
attack success. ``text_attack`` combines these for texts, ``from_files`` for files, and
``guess_words`` shows one attacker's guesses.
"""
