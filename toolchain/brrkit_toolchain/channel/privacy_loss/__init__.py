"""What a setting loses on a vocabulary.

``distances`` says how far apart words are, which makes epsilons comparable. ``certificates`` says
what is lost exactly, per bit, and ``shuffled`` what is left of it where reports are shuffled.
"""
