"""Attackers who read whole released texts, and know their language to different degrees.

``knowledge`` is what they know of a language. ``sequence`` says what that makes of the outputs of a
text, ``trigram_reader`` what a second look finds, ``informed`` what the typed words beside a word
say. ``guesses`` names the attackers, and ``success`` says how often they are right. ``text_attack``
puts these together for texts, ``from_files`` for files.
"""
