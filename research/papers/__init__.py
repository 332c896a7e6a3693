"""The papers' experiments in full size: raw results, and a page from them.

A module for each experiment defines its measurements, the run of a unit, and the presentation of
its results. ``results`` stores the rows, and ``page`` writes the page. ``python -m
research.papers`` runs them.
"""
