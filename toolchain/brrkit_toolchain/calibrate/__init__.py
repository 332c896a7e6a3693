"""From a goal to a setting: searched, certified, and recorded in the bundle.

``search`` is for words that are typed one at a time, ``texts`` for running text.
"""
