"""``brr evaluate``: the accuracy that a classifier loses by training on privatized texts.

``parts`` divides the texts, ``classifier`` contains the classifier, ``membership`` attacks it,
``evaluation`` runs all this with and without a mechanism, and ``from_file`` reads the files.
"""
