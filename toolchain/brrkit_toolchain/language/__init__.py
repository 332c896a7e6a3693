"""What a text says of its language: words as ids, their counts, and a bigram model of them."""
