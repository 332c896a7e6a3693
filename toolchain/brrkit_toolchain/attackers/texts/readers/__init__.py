"""What each released word of a text may have been, by the knowledge of who reads it.

``sentence_reader`` says what a bigram model makes of all outputs of a text, ``trigram_reader`` what
a second look finds, ``neighbor_reader`` what the typed words beside a word say. ``batching`` lays
texts side by side, in the ``lanes`` of a vector.
"""
