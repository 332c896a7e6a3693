"""The privacy loss of a setting on a vocabulary.

``distances`` measures distances between words, which make epsilons comparable. ``certificates``
computes the exact loss per bit, and ``shuffled`` the smaller loss if reports are shuffled.
"""
