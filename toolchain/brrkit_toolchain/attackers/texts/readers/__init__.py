"""Posterior probabilities of a text's typed words, by the reader's knowledge.

``sentence_reader`` applies a bigram model to all outputs of a text, ``trigram_reader`` refines its
result, and ``neighbor_reader`` uses the typed words next to a word. ``batching`` arranges texts in
the ``lanes`` of a vector.
"""
