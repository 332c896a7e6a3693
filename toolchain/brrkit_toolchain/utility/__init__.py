"""What codes and mechanisms keep; a module's name tells which question it answers.

Of codes: ``neighbors``, how many of the source's neighbors they keep. Of a mechanism:
``retention``, what meaning it keeps; ``word_loss``, what a replaced word costs; ``support``, how
often a word stays, and among how many outputs it hides; ``task_accuracy`` and ``evaluate``, what
classifiers reach. ``mechanism`` asks these at one setting, beside attackers, and ``curves`` at
every strength.
"""
