"""What is measured of codes and mechanisms; a module's name tells which question it answers.

Of codes: ``neighbors``, how many of the source's neighbours they keep; ``distances``, how far apart
words are. Of a mechanism: ``utility``, what meaning it keeps; ``losses``, what a replaced word
costs; ``support``, how often a word stays, and among how many outputs it hides; ``attack``, how
often the best possible attacker is right. ``mechanism`` asks all of these at one setting,
``curves`` at every strength.

``distribution`` has Pr[y | x] where it is known; ``sample`` the words that are typed;
``confidence`` how sure a number is. Every number that is estimated comes with a 95% interval.
"""
