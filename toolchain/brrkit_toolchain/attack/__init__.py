"""How often attackers are right who know the mechanism, and its language to different degrees.

``channel`` says how probable an output is given each word. ``knowledge`` is what attackers know of
a language. ``sequence`` says what that makes of the outputs of a whole text, ``rereading`` what a
second look finds, ``informed`` what it makes of the typed words beside a word. ``success`` says how
often guesses are right. ``guesses`` names the attackers, and ``text`` puts these together for a
text; ``among`` is of words that are known to be on a list.
"""
