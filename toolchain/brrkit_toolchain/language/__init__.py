"""A language learned from text: words as ids, their counts, and a bigram model."""
