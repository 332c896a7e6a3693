"""The papers' experiments, at their size: raw results first, then a page from them.

A module for each experiment says what it measures, how a unit of it is run, and how its results
are shown. ``results`` keeps the rows, ``page`` makes the page. ``python -m research.papers``.
"""
