"""Attackers who read whole released texts, and know their language to different degrees.

``attackers_by_name`` makes them from ``knowledge`` of a language, in parts that ``interpolation``
weights, and from ``readers``, which compute posterior probabilities. ``success`` measures their
attack success. ``text_attack`` combines these for texts, ``from_files`` for files, and
``guess_words`` shows the guesses of one attacker.
"""
