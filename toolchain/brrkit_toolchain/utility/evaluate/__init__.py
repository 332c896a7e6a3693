"""``brr evaluate``: what a classifier of labeled texts loses if it is trained on private ones.

``parts`` cuts the texts into parts, ``classifier`` is what is trained, ``membership``
attacks it, ``evaluation`` does it all, with and without a mechanism, and ``from_file`` reads what
it takes.
"""
