"""How often attackers are right who know the mechanism, and its language to different degrees.

``channel`` says how probable an output is given each word. ``sequence`` says what a language model
makes of the outputs of a whole text, ``informed`` what it makes of the typed words beside a word.
``success`` says how often guesses are right. ``guesses`` names the attackers, and ``text`` puts
these together for a text.
"""
