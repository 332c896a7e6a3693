"""Releases many words at once.

``on_codes`` draws from the device's mechanisms with the runtime's distributions, so the same code
privatizes a corpus and measures a setting. ``bigram_base`` adds the words that the base ``bigram``
draws after a word. ``random_numbers`` contains the integers that decide. ``full_size`` contains
mechanisms on float vectors, for comparison.
"""
