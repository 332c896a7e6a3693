"""The field's frequency oracles, compared with k-ary randomized response."""
