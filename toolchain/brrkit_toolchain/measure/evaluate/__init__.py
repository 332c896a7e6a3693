"""``brr evaluate``: what a classifier of labelled texts loses if it is trained on private ones.

``parts`` cuts the texts into parts, ``classifier`` is what is trained, ``membership``
attacks it, and ``evaluation`` does it all, with and without a mechanism.
"""
