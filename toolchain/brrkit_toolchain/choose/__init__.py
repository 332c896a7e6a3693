"""From a goal to a setting: searched, certified, and recorded in the bundle.

``search`` is the road that the documentation takes: a mechanism, a goal, one search. The procedures
that papers publish for the same purpose are in ``benchmarks.papers.calibrate``.
"""
