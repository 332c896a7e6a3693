"""Releases many words at once.

``on_codes`` draws from the device's mechanisms with the runtime's distributions: a corpus is
privatized and a setting is measured by the same code. ``bigram_base`` adds what the base ``bigram``
draws after a word. ``random_numbers`` has the integers that decide. ``full_size`` has mechanisms on
float vectors, to measure beside.
"""
