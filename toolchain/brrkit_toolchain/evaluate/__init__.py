"""``brr evaluate``: the papers' experiments on labelled text; raw results first, pages from them.

A module for each experiment says what it measures, how a unit of it is run, and how its results
are shown. ``results`` keeps the rows, ``page`` makes the results page from them.
"""
