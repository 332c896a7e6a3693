"""The utility of codes and mechanisms.

For codes, ``neighbors`` measures the kept neighbors of the source. For a mechanism, ``retention``
measures the kept meaning, ``word_loss`` the cost of a replaced word, ``support`` the probability
that a word stays and the number of outputs that hide it, and ``task_accuracy`` and ``evaluate`` the
accuracy of classifiers. ``mechanism`` measures these and attackers at one setting, and ``curves``
at every strength.
"""
